/* Races for shared and global memory: two warps of a CTA access the same bytes, one of them writes,
 * and no barrier orders them. The result depends on which warp is ahead, which PTX leaves open: it
 * may be one on a GPU, another in time on the chip, a third where warps are executed one after the
 * other.
 *
 * Happens-before by vector clocks, each warp's a counter that its barriers and its synchronizing
 * accesses advance. Synchronizing are atomics, volatile accesses and fences, in any space: each
 * comes after all before it in the CTA, which misses races and never invents one. Accesses of one
 * warp are ordered: its lanes execute together. A store of what the CTA had stored there before is
 * no write. Asynchronous copies are not looked at, nor are CTAs compared with each other. Of global
 * memory the words that were accessed last are known: that, too, misses races. */
#ifndef PTX_EXEC_RACES_H
#define PTX_EXEC_RACES_H

#include "core/text.h"
#include "ptx/exec/exec.h"

enum race_kind { RACE_READ_AFTER_WRITE, RACE_WRITE_AFTER_READ, RACE_WRITE_AFTER_WRITE };

/* A pair of instructions, and its first occurrence. */
struct race {
	const struct program *program;
	uint32_t first, second; /* instructions, as they were executed */
	uint8_t kind;           /* enum race_kind */
	uint8_t space;          /* enum ptx_space: SPACE_SHARED, SPACE_GLOBAL */
	uint32_t warps[2];      /* of the CTA, of first and second */
	uint32_t ctaid[3];
	uint64_t offset; /* in the CTA's shared memory; of global memory the address */
	uint64_t count;  /* of lanes, in all CTAs */
};

/* Keeps the first pairs; a zeroed struct is valid and empty. */
#define RACES 64
struct races {
	struct race at[RACES];
	unsigned n;
	uint64_t others; /* lanes of further pairs */
};

/* What is known of a resident CTA. */
struct race_state;

/* Bytes of the state of one of the grid's CTAs. */
size_t race_state_bytes(const struct grid *);

/* Begins the state of a CTA that starts, at 8-byte aligned memory of that size. */
struct race_state *race_state_begin(void *memory, const struct cta *);

/* A warp of the CTA has executed the instruction. */
void race_look(struct races *, struct race_state *, const struct warp *, const struct instr *,
	const struct access *, const struct exec_memory *);

/* Warp `index` has arrived at the CTA's barrier `id`; or warps have been released from it. */
void race_arrive(struct race_state *, uint32_t index, uint32_t id);
void race_release(struct race_state *, uint32_t id, uint64_t warps);

const char *race_kind_name(enum race_kind); /* "read after write" */

/* A line of text without its end: both instructions, warps, where it was first seen. */
void race_describe(const struct race *, struct text *);

#endif
