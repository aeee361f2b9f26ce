/* Statistics added up over parts, and the figures derived from them. */
#ifndef CHIP_TALLY_H
#define CHIP_TALLY_H

#include "chip/inside.h"

#define TALLY_NAME 96
#define TALLY_ROWS 256

struct tally_row {
	char name[TALLY_NAME];
	const struct stat_def *def;
	uint64_t sum, max;
	unsigned parts;
};

/* Of a whole run, or of some of its launches. */
struct tally {
	unsigned n;
	uint64_t cycles;             /* in which the launches ran */
	uint64_t drained_cycles;     /* with those until their traffic is over */
	uint64_t energy_cycles;      /* over which power is drawn */
	uint64_t unused_byte_cycles; /* storage that the splits left unused, over time */
	struct tally_row row[TALLY_ROWS];
};

/* All parts in a fixed order, with the name space of their statistics. */
typedef void part_fn(void *ctx, const struct component *, const char *space);
void chip_each_part(const struct chip *, part_fn *visit, void *ctx);

/* Some part must have that statistic. */
const struct tally_row *tally_find(const struct tally *, const char *name);

/* The rows alone, and where the values are that each adds up: part by part, always in one order. */
typedef void tally_position_fn(void *ctx, unsigned row, const uint64_t *at);
void tally_positions(const struct chip *, struct tally *, tally_position_fn *visit, void *ctx);

/* All statistics added up, in 32 KB of the caller's: a report cannot lack them when memory is
 * short. */
void chip_tally(const struct gpu *, struct tally *);

/* The rows; peaks, which do not add up, only of a whole run. */
void tally_metrics(const struct tally *, bool peaks, metric_fn *, void *ctx);

/* Statistics that energy is computed from, in the order of rows. */
#define ENERGY_STATS(S) \
	S(SHARED_READS, "bank__words_shared_read.sum") \
	S(SHARED_WRITES, "bank__words_shared_write.sum") \
	S(CACHE_READS, "bank__words_cache_read.sum") \
	S(CACHE_WRITES, "bank__words_cache_write.sum") \
	S(MRF_READS, "rf__mrf_reads.sum") \
	S(ORF_READS, "rf__orf_reads.sum") \
	S(ORF_SHARED_READS, "rf__orf_shared_reads.sum") \
	S(LRF_READS, "rf__lrf_reads.sum") \
	S(MRF_WRITES, "rf__mrf_writes.sum") \
	S(ORF_WRITES, "rf__orf_writes.sum") \
	S(ORF_SHARED_WRITES, "rf__orf_shared_writes.sum") \
	S(LRF_WRITES, "rf__lrf_writes.sum") \
	S(REQUEST_PACKETS, "noc_request__packets.sum") \
	S(REQUEST_FLITS, "noc_request__flits.sum") \
	S(REPLY_FLITS, "noc_reply__flits.sum") \
	S(L2_READ_SECTORS, "lts__t_sectors_op_read.sum") \
	S(L2_COPY_SECTORS, "lts__t_sectors_srcunit_ltcfabric.sum") \
	S(L2_DRAM_READ_BYTES, "lts__dram_read_bytes.sum") \
	S(L2_DRAM_WRITE_BYTES, "lts__dram_write_bytes.sum") \
	S(DRAM_READ_BYTES, "dram__bytes_read.sum") \
	S(DRAM_WRITE_BYTES, "dram__bytes_write.sum")
#define ENERGY_STAT(id, name) ENERGY_##id,
enum energy_stat { ENERGY_STATS(ENERGY_STAT) ENERGY_STAT_COUNT };

const char *energy_stat_name(enum energy_stat);

/* Their sums, over `cycles` in which power is drawn. */
struct energy_stats {
	uint64_t cycles, unused_byte_cycles, sum[ENERGY_STAT_COUNT];
};

void energy_stats_of(const struct tally *, struct energy_stats *);
void energy_of_stats(const struct gpu *, const struct energy_stats *, struct energy_sum *);

/* What the tally's counts cost. */
void energy_of_tally(const struct gpu *, const struct tally *, struct energy_sum *);

/* Energy by part, of that sum. */
void energy_metrics(const struct gpu *, const struct tally *, const struct energy_sum *,
	metric_fn *, void *ctx);

/* Cycles, rates, shares and imbalances; of a whole run also what only that has. */
void derived_metrics(const struct gpu *, const struct tally *, bool whole, metric_fn *, void *ctx);

#endif
