/* Private to ptx/: shared by the files that allocate operands to the register hierarchy. */
#ifndef PTX_LEVELS_PRIVATE_H
#define PTX_LEVELS_PRIVATE_H

#include "ptx/levels/strand.h"

/* A copy and its instruction. */
struct made_copy {
	uint32_t instr;
	struct level_copy copy;
};

/* A program being processed. */
struct levels_work {
	const struct program *p;
	struct instr *code;
	const struct levels_options *options;
	struct arena *work;
	struct strands strands;
	struct reg_sets live_in; /* by block, including the ends of functions */
	struct level_note *notes;
	struct made_copy *copies;
	uint32_t ncopies, copies_cap;
};

/* ptx/levels/last_reads.c: fills live_in and marks last reads in the notes. */
void levels_liveness(struct levels_work *);

/* ---- the values of one strand. */

enum node_kind {
	NODE_BEFORE,  /* 0: the register's value at the strand's entry */
	NODE_DEF,     /* a result */
	NODE_DEPOSIT, /* a value read from the MRF that can be kept from there on */
	NODE_PHI      /* a merge of several, by path or by guard */
};

/* A 32-bit word. Node 0 is NODE_BEFORE and also means none. */
struct node {
	uint8_t kind, dst; /* dst: result operand of the instruction */
	bool certain;      /* defined in the strand and early enough to be in an upper level */
	bool mrf;          /* must also be in the MRF */
	bool used;         /* a phi that may be read from an upper level */
	uint16_t reg;
	uint32_t pos;       /* index of the instruction in the strand; of a phi: its merge point */
	uint32_t mate;      /* the other word of a 64-bit result */
	uint32_t ops, nops; /* of a phi */
	uint32_t latest;    /* of a phi: the last backward branch to it; else 0 */
	uint32_t web;       /* union-find parent */
	uint32_t seen, forced; /* stamps */
};

/* A source operand. */
struct read {
	uint32_t pos, node[2];
	uint8_t src, words;
	bool candidate; /* on every path to it the value can be in an upper level */
};

/* Results, deposits and reads that need the same entry: that of `lo`; registers after it use
 * adjacent entries. */
struct web {
	uint32_t reads, nreads; /* into values.web_reads: in program order */
	uint16_t lo, hi;
	uint32_t kept;  /* reads served from the entry; the others read the MRF */
	uint32_t plane; /* 0: the MRF */
	uint32_t number;
	double priority;
};

struct values {
	struct levels_work *w;
	const uint32_t *order; /* instructions of the strand */
	uint32_t n;
	bool loops; /* has backward branches */
	struct node *nodes;
	struct read *reads;
	uint32_t *ops;
	uint32_t nnodes, nodes_cap, nreads, reads_cap, nops, ops_cap;
	uint32_t *now;   /* by register: its current node */
	uint32_t *snaps; /* `now` at the ends of blocks */
	uint32_t nsnaps, snaps_cap;
	uint32_t *snap_of, *phi_first, *phi_end; /* by block */
	struct web *webs;
	uint32_t nwebs, webs_cap;
	uint32_t *web_reads, web_reads_cap; /* reads of all webs */
	uint32_t *web_of, web_of_cap;       /* by root node: its web, plus one */
	uint32_t *stack, stack_cap;         /* worklist of nodes */
};

/* ptx/levels/values.c: allocates for all strands of the program, which are processed one after the
 * other. */
struct values values_new(struct levels_work *);
/* Finds the value that each read of the strand reads, and builds the webs. */
void values_find(struct values *, const uint32_t *order, uint32_t n);

/* ptx/levels/webs.c */
void webs_make(struct values *);

/* ptx/levels/assign.c */
struct placement;
struct placement *placement_new(struct levels_work *);
/* Allocates the webs of a strand and rewrites its operands. Returns the number of ORF entries. */
unsigned placement_choose(struct placement *, struct values *);

/* Grows an array of the work arena with capacity *cap to hold n elements. */
void *levels_grow(struct arena *, void *old, uint32_t n, uint32_t *cap, size_t size);

#endif
