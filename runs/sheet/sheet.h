/* A machine's data sheet: its parameters with their sources, and figures derived from them. */
#ifndef RUNS_SHEET_SHEET_H
#define RUNS_SHEET_SHEET_H

#include "core/base.h"
#include "core/text.h"
#include "runs/description.h"

/* A parameter of the chip. */
struct sheet_row {
	const char *path, *value;
	const char *unit; /* "" for names and words */
	const char *text;
	const char *origin; /* where it was set; NULL: it has its default */
	const struct described_value
		*described; /* NULL: no description has it, or it was overridden */
};

/* A peak, or another figure that follows from the parameters. */
struct sheet_figure {
	const char *name, *label, *unit, *how;
	double value; /* NAN: it does not follow from the parameters */
};
#define SHEET_FIGURES 32

struct sheet {
	const char *name;
	const struct description *machine;
	struct sheet_row *rows; /* sorted by path */
	unsigned nrows, room;
	struct sheet_figure figures[SHEET_FIGURES];
	unsigned nfigures;
	struct arena *arena;
	const struct config *config; /* while it is read */
};

/* Reads all parameters of a configuration; the sheet has its name, machine and arena. */
void sheet_read(struct sheet *, const struct config *);

/* The row of a parameter, or NULL; its value as a number (NAN: none), or as a word ("": none). */
const struct sheet_row *sheet_row(const struct sheet *, const char *path);
double sheet_number(const struct sheet *, const char *path);
const char *sheet_word(const struct sheet *, const char *path);

/* Computes the figures of a sheet whose rows are known. */
void sheet_figures(struct sheet *);
/* One of them, NAN: there is none of that name. */
double sheet_figure(const struct sheet *, const char *name);
/* The storage of an SM in words: "registers 256 KB, shared memory 64 KB, L1 64 KB". */
void sheet_storage(const struct sheet *, struct text *);

#endif
