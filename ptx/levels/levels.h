/* The register file hierarchy of a compiled program: strands, the level of every operand, and the
 * copies between levels (Gebhart's dissertation, chapters 5 and 6).
 *
 * Planes of a warp: 0 .. regs - 1 are its main registers (MRF), followed by `upper` entries of the
 * operand register file (ORF) or register file cache (RFC), then `lrf` last result files (LRF: one,
 * or one for each operand slot), then the executor's own. An operand's plane determines its level,
 * so instructions execute unchanged. A result written to two levels, or an operand read from one
 * level and kept in another, is a copy attached to the instruction. In a hardware-managed hierarchy
 * operands remain MRF planes: tags determine their location at execution (ptx/exec/rfc.c). */
#ifndef PTX_LEVELS_LEVELS_H
#define PTX_LEVELS_LEVELS_H

#include "core/config.h"
#include "ptx/isa/program.h"

enum level { LEVEL_MRF, LEVEL_ORF, LEVEL_LRF, LEVEL_COUNT };

#define LEVELS_MAX_ORF 8u
#define LEVELS_MAX_RFC 13u
#define LEVELS_SLOTS 3u /* operand slots A, B, C */

enum strand_mark {
	STRAND_INSIDE, /* the warp continues */
	STRAND_BEGINS, /* a strand begins with this instruction; the warp is not descheduled */
	STRAND_WAITS   /* the same, and the instruction consumes a long-latency result: the warp is
			  descheduled until all pending operands have arrived */
};

/* A plane to copy. A deposit (a source that is also kept in the ORF) copies from the MRF when the
 * instruction reads, for all active lanes; a duplicate (a result written to two levels) after it
 * has written, for the lanes that executed. */
struct level_copy {
	uint16_t from, to;
	bool deposit;
};

/* Accesses of 32-bit warp operands (128 bytes: eight accesses to banks of four lanes), 16 bits
 * each; see COUNT_*. */
struct level_counts {
	uint64_t reads, writes;
};
enum { COUNT_MRF = 0, COUNT_ORF = 16, COUNT_ORF_SHARED = 32, COUNT_LRF = 48 };

/* Register accesses of warps, in 32-bit warp operands: all accesses of each level, including the
 * overheads listed after them. "Shared" are those of the datapath that the lanes of a cluster
 * share. */
#define LEVEL_TRAFFIC(X, S, T) \
	X(S, T, mrf_reads, "warp operands", "Reads of the main register file.") \
	X(S, T, orf_reads, "warp operands", \
		"Reads of ORF or RFC by the ALUs, and by write-backs.") \
	X(S, T, orf_shared_reads, "warp operands", \
		"Reads of ORF or RFC by SFU, memory and texture units.") \
	X(S, T, lrf_reads, "warp operands", "Reads of the LRF.") \
	X(S, T, mrf_writes, "warp operands", "Writes of the main register file.") \
	X(S, T, orf_writes, "warp operands", \
		"Writes of ORF or RFC by the ALUs, and by moves between levels.") \
	X(S, T, orf_shared_writes, "warp operands", \
		"Writes of ORF or RFC by SFU, memory and texture units.") \
	X(S, T, lrf_writes, "warp operands", "Writes of the LRF.") \
	X(S, T, deposits, "warp operands", "ORF or RFC writes of values read from the MRF.") \
	X(S, T, duplicates, "warp operands", \
		"MRF writes of results that are also written to an upper level.") \
	X(S, T, lrf_falls, "warp operands", "Values moved from the LRF to the RFC.") \
	X(S, T, writebacks, "warp operands", "Values written back from RFC or LRF to the MRF.") \
	X(S, T, strand_starts, "strands", "Strands started by warps.") \
	X(S, T, deschedules, "warp instructions", "Times that a warp was descheduled.")

#define LEVEL_TRAFFIC_FIELD(S, T, name, unit, text) uint64_t name;
struct level_traffic {
	LEVEL_TRAFFIC(LEVEL_TRAFFIC_FIELD, 0, 0)
};

/* Adds the counts of `times` executions. */
static inline void level_traffic_add(
	struct level_traffic *t, const struct level_counts *c, uint64_t times)
{
	uint64_t *reads = &t->mrf_reads, *writes = &t->mrf_writes;

	for (unsigned k = 0; k < 4; k++) {
		reads[k] += times * (c->reads >> 16 * k & 0xffff);
		writes[k] += times * (c->writes >> 16 * k & 0xffff);
	}
}

/* The annotations of one instruction of the program. */
struct level_note {
	uint8_t strand;     /* enum strand_mark */
	uint8_t last_reads; /* bit s: the register of source s is dead after this read */
	uint8_t ncopies;
	bool shared;     /* executes on the datapath that the lanes of a cluster share (SFU, memory,
			    texture); else on the ALUs, private to a lane */
	uint8_t entries; /* ORF entries in its strand: options.entries, unless the oracle chooses */
	bool plain;      /* no mark, no copies, no tags: its operands are all that there is */
	uint8_t met;     /* the largest number of: */
	/* distinct MRF registers read from each bank (number modulo 4), four bits for each; not
	 * set for a hardware-managed hierarchy */
	uint16_t banks;
	uint16_t upper;  /* bit k: its strand uses plane regs + k, which begins it without a value
			  */
	uint32_t copies; /* index of the first in program_levels.copies */
	struct level_counts counts; /* of one execution, software-managed or without upper levels:
				       operands and copies; each below LEVEL_COUNT_END */
};
#define LEVEL_COUNT_END 64u

enum levels_kind {
	LEVELS_NONE,     /* all operands in the MRF; strands are marked as well */
	LEVELS_SOFTWARE, /* LRF and ORF, allocated by the compiler */
	LEVELS_HARDWARE  /* LRF and RFC, by tags */
};

/* Energy of one access of 128 bits, in pJ: bank and wire. ORF or RFC with 1 .. LEVELS_MAX_ORF
 * entries ([0] unused); [1]: of the shared datapath. The LRF is not connected to that one. */
struct level_energy {
	double mrf_read, mrf_write;
	double orf_read[LEVELS_MAX_ORF + 1][2], orf_write[LEVELS_MAX_ORF + 1][2];
	double lrf_read, lrf_write;
};

/* Options of the hierarchy; levels_read reads them from parameters "rf.*". */
struct levels_options {
	enum levels_kind kind;
	unsigned entries;           /* ORF 0 .. 8, RFC 1 .. 13 */
	unsigned lrf;               /* 0, 1, or LEVELS_SLOTS: split by operand slot */
	struct level_energy energy; /* for the allocator's cost model; the caller sets it */

	/* software: the optimisations of section 6.4, separately */
	bool partial_ranges, read_operands, forward_branches;
	/* restrictions of section 6.5.5 */
	bool one_level_writes; /* a result is written to one level only */
	bool lrf_dual_only;    /* only LRF results may also be written to the MRF */
	/* limit studies of section 6.6 */
	bool keep_past_branches; /* backward branches do not end a strand */
	bool keep_past_waits;   /* a descheduled warp keeps its entries: long latencies do not end a
				   strand */
	bool oracle_entries;    /* each strand has the best number of entries for it, up to 8 */
	bool any_slot;          /* a split LRF whose entries any operand can read */
	unsigned price_entries; /* access energy and savings of an ORF with this many entries; 0:
				   its own */

	/* hardware: chapter 5 */
	bool lru;            /* else FIFO */
	bool reads_allocate; /* else results only */
	bool liveness;       /* last reads are marked: dead values are not written back */
	bool bypass;         /* long-latency results are written to the MRF only */
	bool flush; /* flushed when a warp is descheduled; else every warp has its own entries */
};

/* Of a program: one note per instruction. */
struct program_levels {
	struct levels_options options;
	unsigned upper, lrf; /* planes */
	const struct level_note *notes;
	const struct level_copy *copies;
	uint32_t ncopies;
	uint32_t strands; /* number of strands */
};

/* ptx/levels/levels.c: reads the parameters under "rf" into *o, except the energies. Errors are
 * added to err. */
void levels_read(struct levels_options *o, struct config *, struct err *);
extern const struct param_table levels_param_table;

/* ptx/levels/levels.c: marks the strands of a decoded program and allocates its operands to levels:
 * sets planes and levels, and rewrites the operands of `code`, the program's own. The result is in
 * the arena; `work` holds temporary data. */
void levels_build(struct program *, struct instr *code, const struct levels_options *,
	struct arena *, struct arena *work);

/* Planes of a warp after its upper levels, in a hardware-managed hierarchy: tags, and operands in
 * transit (ptx/exec/rfc.c). */
#define LEVELS_RFC_PLANES (2 + (INSTR_SRCS + INSTR_DSTS) * 2)

/* ptx/levels/pressure.c: by instruction, the registers of a lane that are live before it, into
 * live[ninstr]. For a program whose operands are all in the MRF. */
void program_pressure(const struct program *, uint32_t *live, struct arena *work);

#define LEVEL_BANKS 4u /* banks of a cluster; MRF registers are interleaved over them by number */

/* Counts one more read of MRF register `plane` in note.banks. */
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

/* Whether the unit is on the datapath that the lanes of a cluster share: special functions,
 * products of matrices, memory, textures. */
static inline bool unit_is_shared(uint8_t unit)
{
	return unit == UNIT_SFU || unit == UNIT_TENSOR || unit == UNIT_MEMORY ||
	       unit == UNIT_TEXTURE;
}

#endif
