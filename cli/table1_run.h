/* A paper's table beside ours. */
#ifndef CLI_TABLE1_RUN_H
#define CLI_TABLE1_RUN_H

#include "cli/table1.h"
#include "cli/trial.h"

/* Sizes of the cache that a row is measured with. */
#define REPRODUCE_CACHES 3
extern const unsigned reproduce_cache_kb[REPRODUCE_CACHES];

/* The settings of the paper's machine, but for its cache. */
extern const char *const table1_machine[];
extern const unsigned table1_nmachine;

struct reproduced_row {
	const struct table1_row *paper;
	bool missing; /* there is no such workload */
	const json_t *report[REPRODUCE_CACHES];
	/* Instructions with as many registers as the paper's row has, plus `shift`: 0 when the
	 * registers of both are within the band. */
	int shift;
	double instructions[TABLE1_REGS];
	double ours[TABLE1_FIGURES];
	enum table1_category category;
};

struct reproduction {
	const struct options *o;
	struct reproduced_row *rows;
	unsigned n;
};

/* Reads a row's figures from its reports. */
void reproduce_read(struct reproduced_row *);

/* After that: how many registers more than the paper's row are those at which ours stands, and the
 * registers for which instructions are counted, table1_regs[k] with that shift. */
int reproduce_shift(const struct reproduced_row *);
int reproduce_registers(const struct reproduced_row *, unsigned k);

/* After that: reads what each row executes with few registers. */
int reproduce_spills(struct reproduction *, struct arena *, struct err *);

/* Whether a row's figure has a verdict. */
bool reproduce_judges(const struct reproduced_row *, unsigned figure);

/* How many rows were measured, and of those how many lie within the band; of instructions with few
 * registers, how many lie below and above it. */
struct reproduce_score {
	unsigned measured, within, below, above;
};
struct reproduce_score reproduce_figure_score(const struct reproduction *, enum table1_figure);
struct reproduce_score reproduce_category_score(const struct reproduction *);

void reproduce_text(const struct reproduction *, struct text *);
void reproduce_csv(const struct reproduction *, struct text *);
int reproduce_json(const struct reproduction *, struct text *);

#endif
