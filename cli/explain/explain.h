/* A compiled kernel for people: its decoded code, one instruction a line, with locations, strands
 * and live counts. */
#ifndef CLI_EXPLAIN_EXPLAIN_H
#define CLI_EXPLAIN_EXPLAIN_H

#include "core/files.h"
#include "core/mem.h"
#include "core/text.h"
#include "energy/registers.h"
#include "ptx/levels/levels.h"

#include <jansson.h>

/* The kind of a piece of an instruction's text. */
enum explain_style {
	EXPLAIN_PLAIN,
	EXPLAIN_OPCODE,
	EXPLAIN_MRF,
	EXPLAIN_ORF,
	EXPLAIN_LRF,
	EXPLAIN_PRED,
	EXPLAIN_CONST,
	EXPLAIN_LABEL
};
typedef void explain_piece_fn(void *ctx, enum explain_style, const char *text);

/* A file of CUDA-C, in lines. */
struct explain_source {
	const char *name, *path; /* as in the PTX; where it was found, NULL: not found */
	const char **line;       /* from 0 */
	uint32_t nlines;
	uint64_t bytes;
	const char *why; /* "was not found: ..": it has no lines; NULL: it has */
};

/* The facts about a kernel. Everything is in the arena. */
struct explained {
	const struct program *program;
	const char *name;               /* in the source */
	const struct level_note *notes; /* NULL: compiled without strands */
	uint32_t *live;  /* by instruction: 32-bit registers that are live right before it */
	uint32_t *block; /* 1 + number of the block that begins there; 0: none does */
	uint32_t nblocks, most_live;
	uint32_t strands, waiting; /* of which deschedule the warp */
	uint32_t spill_loads, spill_stores;
	struct register_accesses accesses; /* each instruction once */
	const struct explain_source *sources;
	uint32_t nsources;
};

/* `plain` is the same kernel compiled with all operands in the MRF (or the same program): live
 * values are counted there, in any level. */
void explain_look(
	struct explained *, const struct program *, const struct program *plain, struct arena *);

/* The sources of a module's kernels; those that cannot be read have no lines. */
const struct explain_source *explain_sources(
	const struct module *, const char *ptx_path, struct files *, struct arena *);

/* The next one of the program's sources, `from` on, whose lines are not shown; the module's number
 * of them: none. */
uint32_t explain_missing(const struct explain_source *, const struct program *, uint32_t from);

/* Gives it the lines of a text, which are copied. */
void explain_split(struct explain_source *, const char *text, struct arena *);

/* Reads a text file's lines into the arena; a file that cannot be read has none. */
void explain_read(struct explain_source *, struct files *, const char *path, struct arena *);

/* Instruction i, in pieces: "@!p0", opcode, operands. */
void explain_instr(const struct explained *, uint32_t i, explain_piece_fn *, void *ctx);

/* The compiler's own access to a spilled value, in local memory or in a slot of shared memory. */
bool explain_is_spill(const struct program *, uint32_t i);

/* Part of such a move of a value from one slot to another, around a call. */
static inline bool explain_is_move(const struct program *p, uint32_t i)
{
	return p->lines[p->code[i].line].move;
}

/* "slots 6 of 8, 2 moves, local 12 bytes": where spilled values are, of a program with slots. */
void explain_slots(const struct program *, struct text *);

/* "is descheduled" or "continues". */
const char *explain_strand(enum strand_mark);

/* Line of CUDA-C that instruction i comes from, or NULL; *file and *line are set when .loc names
 * one (*line 0: it does not). */
const char *explain_cuda(const struct explained *, uint32_t i, const char **file, uint32_t *line);

/* Whether its upper level of registers is a hardware cache (RFC), not an ORF. */
bool explain_has_cache(const struct explained *);
/* "none", "software: 3 ORF entries, LRF split by operand slot", ... */
void explain_hierarchy(const struct levels_options *, struct text *out);

/* Reports. */
void explain_text(const struct explained *, struct text *);
struct explain_page {
	const char *target, *machine; /* lines about the machine */
};
/* An instruction in colours. */
void explain_instr_html(const struct explained *, uint32_t i, struct text *);
void explain_html(const struct explained *, unsigned n, const struct explain_page *, struct text *);
/* The machine is a new reference. 0, or -1: no host memory. */
int explain_json(const struct explained *, unsigned n, const struct explain_page *, json_t *machine,
	struct text *);

#endif
