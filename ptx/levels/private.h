/* Private to ptx/: what the files that place operands in the register hierarchy share. */
#ifndef PTX_LEVELS_PRIVATE_H
#define PTX_LEVELS_PRIVATE_H

#include "ptx/levels/strand.h"

/* A copy and whose it is. */
struct made_copy {
	uint32_t instr;
	struct level_copy copy;
};

/* One program on its way. */
struct levels_work {
	const struct program *p;
	struct instr *code;
	const struct levels_options *options;
	struct arena *work;
	struct strands strands;
	struct reg_sets live_in; /* by block, ends of functions too */
	struct level_note *notes;
	struct made_copy *copies;
	uint32_t ncopies, copies_cap;
};

/* ptx/levels/last_reads.c: fills live_in; marks last reads in the notes. */
void levels_liveness(struct levels_work *);

/* ---- the values of one strand. */

enum node_kind {
	NODE_BEFORE,  /* 0: whatever a register held when the strand began */
	NODE_DEF,     /* a result */
	NODE_DEPOSIT, /* a value read from the MRF, which can be kept from there on */
	NODE_PHI      /* one of several, by the way that was taken, or by a guard */
};

/* One 32-bit word. Numbers of nodes: 0 is NODE_BEFORE and means none, too. */
struct node {
	uint8_t kind, dst; /* dst: operand of the instruction */
	bool certain; /* not from before the strand, nor late: can be found in an upper level */
	bool mrf;     /* must be in the MRF as well */
	bool used;    /* a phi that can be read from an upper level */
	uint16_t reg;
	uint32_t pos;          /* of the instruction in the strand; of a phi: where it is made */
	uint32_t mate;         /* the other word of a result of two */
	uint32_t ops, nops;    /* of a phi */
	uint32_t latest;       /* of a phi: of the branches backward to it, the last; else 0 */
	uint32_t web;          /* union-find parent */
	uint32_t seen, forced; /* stamps */
};

/* A source operand. */
struct read {
	uint32_t pos, node[2];
	uint8_t src, words;
	bool candidate; /* on every way to it the value can be in an upper level */
};

/* Results, deposits and reads that must find one place: entry of `lo`, adjacent ones of the
 * registers behind it. */
struct web {
	uint32_t reads, nreads; /* of values.web_reads: in the order of the code */
	uint16_t lo, hi;
	uint32_t kept;  /* reads from there, the others go to the MRF */
	uint32_t plane; /* 0: the MRF */
	uint32_t number;
	double priority;
};

struct values {
	struct levels_work *w;
	const uint32_t *order; /* instructions of the strand */
	uint32_t n;
	bool loops; /* has branches backward */
	struct node *nodes;
	struct read *reads;
	uint32_t *ops;
	uint32_t nnodes, nodes_cap, nreads, reads_cap, nops, ops_cap;
	uint32_t *now;   /* by register: node */
	uint32_t *snaps; /* registers at the ends of blocks */
	uint32_t nsnaps, snaps_cap;
	uint32_t *snap_of, *phi_first, *phi_end; /* by block */
	struct web *webs;
	uint32_t nwebs, webs_cap;
	uint32_t *web_reads, web_reads_cap; /* reads of all webs */
	uint32_t *web_of, web_of_cap;       /* by root node: one more than its web */
	uint32_t *stack, stack_cap;         /* of nodes, for searches */
};

/* ptx/levels/values.c: room for all strands of the program, one after the other. */
struct values values_new(struct levels_work *);
/* Finds out which value each read of the strand reads, and makes the webs. */
void values_find(struct values *, const uint32_t *order, uint32_t n);

/* ptx/levels/webs.c */
void webs_make(struct values *);

/* ptx/levels/place.c */
struct places;
struct places *places_new(struct levels_work *);
/* Places the webs of a strand and rewrites its operands. Returns the entries of its ORF. */
unsigned places_choose(struct places *, struct values *);

/* Grows an array of the work arena that has room for *cap elements to hold n. */
void *levels_room(struct arena *, void *old, uint32_t n, uint32_t *cap, size_t size);

#endif
