/* The register file hierarchy as a compiled program carries it: strands, the level of every
 * operand, and what it takes to keep values there and nowhere else (Gebhart's dissertation,
 * chapters 5 and 6).
 *
 * Planes of a warp: 0 .. regs - 1 are its main registers (MRF), then come `upper` entries of the
 * operand register file (ORF) or register file cache (RFC), then `lrf` last result files (LRF: one,
 * or one for each operand slot), then what the executor needs besides. An operand's plane tells its
 * level, so instructions run as they stand; what is written to two levels, or read from one and
 * kept in another, is a copy beside the instruction. Of a hardware-managed hierarchy operands stay
 * MRF planes: tags say at execution where they are (ptx/exec/rfc.c). */
#ifndef PTX_LEVELS_LEVELS_H
#define PTX_LEVELS_LEVELS_H

#include "core/config.h"
#include "ptx/isa/program.h"

enum level { LEVEL_MRF, LEVEL_ORF, LEVEL_LRF, LEVEL_COUNT };

#define LEVELS_MAX_ORF 8u
#define LEVELS_MAX_RFC 13u
#define LEVELS_SLOTS 3u /* operand slots A, B, C */

enum strand_mark {
	STRAND_INSIDE, /* goes on */
	STRAND_BEGINS, /* a strand begins with this instruction; the warp keeps its place */
	STRAND_WAITS   /* likewise, and the instruction consumes what may not be there for long: the
			* warp steps aside until all that it waits for is (deschedules) */
};

/* A plane to copy. Deposits (a source that is kept in the ORF as well) are made from the MRF when
 * the instruction reads, for all active lanes; duplicates (a result that goes to two levels) after
 * it has written, for the lanes that executed. */
struct level_copy {
	uint16_t from, to;
	bool deposit;
};

/* Accesses of 32-bit warp operands (128 bytes: eight accesses to banks of four lanes), 16 bits
 * each: see COUNT_*. */
struct level_counts {
	uint64_t reads, writes;
};
enum { COUNT_MRF = 0, COUNT_ORF = 16, COUNT_ORF_SHARED = 32, COUNT_LRF = 48 };

/* What warps' registers were asked for, in 32-bit warp operands: all accesses of each level, those
 * of the overheads that follow them included. "Shared" are those from and to the datapath that the
 * lanes of a cluster share. */
#define LEVEL_TRAFFIC(X, S, T) \
	X(S, T, mrf_reads, "warp operands", "Reads of the main register file.") \
	X(S, T, orf_reads, "warp operands", "Reads of ORF or RFC by the ALUs, and to write back.") \
	X(S, T, orf_shared_reads, "warp operands", "Reads of ORF or RFC by SFU, memory, texture.") \
	X(S, T, lrf_reads, "warp operands", "Reads of the LRF.") \
	X(S, T, mrf_writes, "warp operands", "Writes of the main register file.") \
	X(S, T, orf_writes, "warp operands", \
		"Writes of ORF or RFC by the ALUs, and of what moves.") \
	X(S, T, orf_shared_writes, "warp operands", \
		"Writes of ORF or RFC by SFU, memory, texture.") \
	X(S, T, lrf_writes, "warp operands", "Writes of the LRF.") \
	X(S, T, deposits, "warp operands", "Of the ORF or RFC writes: what the MRF was read for.") \
	X(S, T, duplicates, "warp operands", \
		"Of the MRF writes: results that went to two levels.") \
	X(S, T, lrf_falls, "warp operands", "Moved from the LRF to the RFC.") \
	X(S, T, writebacks, "warp operands", "Moved from RFC or LRF to the MRF.") \
	X(S, T, strand_starts, "strands", "Strands that warps began.") \
	X(S, T, deschedules, "warp instructions", "Times that a warp stepped aside.")

#define LEVEL_TRAFFIC_FIELD(S, T, name, unit, text) uint64_t name;
struct level_traffic {
	LEVEL_TRAFFIC(LEVEL_TRAFFIC_FIELD, 0, 0)
};

/* Adds `times` executions' counts. */
static inline void level_traffic_add(
	struct level_traffic *t, const struct level_counts *c, uint64_t times)
{
	uint64_t *reads = &t->mrf_reads, *writes = &t->mrf_writes;

	for (unsigned k = 0; k < 4; k++) {
		reads[k] += times * (c->reads >> 16 * k & 0xffff);
		writes[k] += times * (c->writes >> 16 * k & 0xffff);
	}
}

/* What stands beside instruction i of the program. */
struct level_note {
	uint8_t strand;     /* enum strand_mark */
	uint8_t last_reads; /* bit s: nobody reads source s's register again before it is written */
	uint8_t ncopies;
	bool shared;     /* runs on the datapath that the lanes of a cluster share: SFU, memory,
			  * texture; else on the ALUs, private to a lane */
	uint8_t entries; /* of the ORF in its strand: options.entries, unless the oracle chooses */
	uint8_t met;     /* the most of: */
	uint16_t banks; /* distinct MRF registers that one execution reads, by number modulo 4, four
			 * bits each; as `counts`, not where hardware manages the levels */
	uint32_t copies;            /* the first in program_levels.copies */
	struct level_counts counts; /* of one execution, software-managed or without upper levels:
				     * operands and copies; each below LEVEL_COUNT_END */
};
#define LEVEL_COUNT_END 64u

enum levels_kind {
	LEVELS_NONE,     /* all operands in the MRF; strands are marked all the same */
	LEVELS_SOFTWARE, /* LRF and ORF, by allocation */
	LEVELS_HARDWARE  /* LRF and RFC, by tags */
};

/* Energy of one access of 128 bits, in pJ: bank and wire. ORF or RFC of 1 .. LEVELS_MAX_ORF entries
 * (0 unused); [1]: from and to the shared datapath. The LRF has no wire to that one. */
struct level_energy {
	double mrf_read, mrf_write;
	double orf_read[LEVELS_MAX_ORF + 1][2], orf_write[LEVELS_MAX_ORF + 1][2];
	double lrf_read, lrf_write;
};

/* What is wanted of the hierarchy; read from parameters "rf.*" by levels_read. */
struct levels_options {
	enum levels_kind kind;
	unsigned entries;           /* ORF 0 .. 8, RFC 1 .. 13 */
	unsigned lrf;               /* 0, 1, or LEVELS_SLOTS: split by operand slot */
	struct level_energy energy; /* what the allocation weighs: never read from tables here */

	/* software: optimisations of section 6.4, each by itself */
	bool partial_ranges, read_operands, forward_branches;
	/* restrictions of section 6.5.5 */
	bool one_level_writes; /* a result goes to one level only */
	bool lrf_dual_only;    /* only LRF results may go to the MRF as well */
	/* limit studies of section 6.6 */
	bool keep_past_branches; /* backward branches end no strand */
	bool keep_past_waits;    /* descheduling loses nothing: long latencies end no strand */
	bool oracle_entries;     /* each strand has the number of entries, up to 8, best for it */
	bool any_slot;           /* a split LRF whose entries any operand reads */
	unsigned price_entries;  /* energy and profit as of an ORF of so many entries; 0: its own */

	/* hardware: chapter 5 */
	bool lru;            /* else first in, first out */
	bool reads_allocate; /* else results only */
	bool liveness;       /* last reads are marked: dead values are not written back */
	bool bypass;         /* results of long latency go to the MRF only */
	bool flush;          /* descheduling empties it; else all warps own entries */
};

/* Of a program: one note for each instruction. */
struct program_levels {
	struct levels_options options;
	unsigned upper, lrf; /* planes */
	const struct level_note *notes;
	const struct level_copy *copies;
	uint32_t ncopies;
	uint32_t strands; /* in the code */
};

/* ptx/levels/levels.c: parameters under "rf" into *o, but for the energies. Faults go into err. */
void levels_read(struct levels_options *o, struct config *, struct err *);
extern const struct param_table levels_param_table;

/* ptx/levels/levels.c: marks strands and places operands of a decoded program: sets planes and
 * levels, and rewrites operands of `code`, the program's own. Everything in the arena; `work` is
 * thrown away.
 */
void levels_build(struct program *, struct instr *code, const struct levels_options *,
	struct arena *, struct arena *work);

/* Planes of a warp behind its upper levels, of a hardware-managed hierarchy: tags, and operands on
 * their way (ptx/exec/rfc.c). */
#define LEVELS_RFC_PLANES (2 + (INSTR_SRCS + INSTR_DSTS) * 2)

/* ptx/levels/pressure.c: by instruction, the registers of a lane that hold a value still needed
 * right before it, into live[ninstr]. Of a program whose operands are all in the MRF. */
void program_pressure(const struct program *, uint32_t *live, struct arena *work);

#define LEVEL_BANKS 4u /* of a cluster, that MRF registers take turns in by number */

/* One more read of MRF register `plane` in note.banks. */
static inline uint16_t level_bank_read(uint16_t banks, uint32_t plane)
{
	return (uint16_t)(banks + (1u << plane % LEVEL_BANKS * 4));
}

static inline enum level level_of(const struct program *p, uint32_t plane)
{
	if (plane < p->regs)
		return LEVEL_MRF;
	return plane < p->regs + p->levels->upper ? LEVEL_ORF : LEVEL_LRF;
}

/* The datapath that the lanes of a cluster share: special functions, memory, textures. */
static inline bool unit_is_shared(uint8_t unit)
{
	return unit == UNIT_SFU || unit == UNIT_MEMORY || unit == UNIT_TEXTURE;
}

#endif
