/* The MICRO 2012 figures: the paper's own numbers, designs and columns. */
#include "cli/m12.h"

#include "cli/compare.h"
#include "cli/table1.h"

#include <string.h>

const unsigned m12_capacities_kb[M12_CAPACITIES] = {128, 256, 384};

/* Table 6; DRAM traffic as Table 1's columns for 64 and 256 KB say; partitions as section 4.5's
 * rule says of Table 1's registers and shared memory, with 1024 threads. */
const struct m12_gain m12_gains[M12_GAINS] = {
	{"bfs", "bfs", {1.03, 1.08, 1.12}, {0.91, 0.89, 0.88}, 0.885, 9, 36, 0, 348, 1024, 1024},
	{"dgemm", "dgemm", {0.77, 1.01, 1.08}, {1.13, 0.95, 0.94}, 1, 57, 228, 66.5, 89.5, 1024,
		960},
	{"lu", "lu", {0.96, 1.07, 1.07}, {1.00, 0.91, 0.89}, 0.685, 20, 80, 96, 208, 1024, 672},
	{"mummer", "GPU-mummer", {0.96, 1.04, 1.04}, {0.97, 0.95, 0.97}, 0.990, 21, 84, 0, 300,
		1024, 1024},
	{"pcr", "pcr", {0.77, 1.04, 1.06}, {1.33, 0.92, 0.93}, 0.775, 33, 132, 20, 232, 1024, 1024},
	{"ray", "ray", {0.94, 1.03, 1.13}, {1.01, 0.95, 0.89}, 0.935, 42, 168, 0, 216, 1024, 1024},
	{"srad", "srad", {1.00, 1.08, 1.09}, {0.94, 0.86, 0.89}, 0.833, 18, 72, 24, 288, 1024,
		1024},
	{"needle", "needle", {1.29, 1.75, 1.71}, {0.76, 0.64, 0.67}, 1, 18, 72, 264.1, 47.9, 1024,
		224},
};

bool m12_gains_from(const char *workload)
{
	for (unsigned i = 0; i < M12_GAINS; i++)
		if (!strcmp(m12_gains[i].workload, workload))
			return true;
	return false;
}

bool m12_is_other(const char *workload)
{
	for (unsigned i = 0; i < TABLE1_ROWS; i++)
		if (!strcmp(table1_rows[i].workload, workload))
			return !m12_gains_from(workload);
	return false;
}

int m12_at(const struct book *b, unsigned gain)
{
	return book_find(b, m12_gains[gain].workload);
}

unsigned m12_others(const struct book *b, unsigned list[])
{
	unsigned n = 0;

	for (unsigned i = 0; i < TABLE1_ROWS; i++) {
		int w = book_find(b, table1_rows[i].workload);

		if (w >= 0 && m12_is_other(table1_rows[i].workload))
			list[n++] = (unsigned)w;
	}
	return n;
}

/* ---- designs */
#define CHIP "m12"
#define UNIFIED "chip.storage=unified"

/* The SM in both columns: section 2.1's hierarchy and scheduler, conflicts as in section 4.3, one
 * partitioning as in 4.5. */
#define SM \
	"sm.scheduler=two_level sm.two_level.active_warps=8 rf.hierarchy=software rf.entries=4 " \
	"rf.lrf=1 " \
	"sm.bank_conflicts=penalty chip.partition=application"

/* The paper's machine: one SM with an even share of the bandwidth, whose cache keeps its lines. */
#define ONE_SM \
	"chip.sms=1 chip.channels=1 chip.slices=1 chip.bytes_per_ns=8 chip.network=ideal " \
	"l2.bytes=0 sm.invalidate_l1=false"

struct design m12_partitioned(const char *more)
{
	return design_of(CHIP, "chip.storage=partitioned %s", more);
}

struct design m12_unified(unsigned kb, const char *more)
{
	return design_of(CHIP, "chip.storage=unified storage.unified.bytes=%uK %s", kb, more);
}

struct design m12_fermi(unsigned split, const char *more)
{
	return design_of(CHIP, "chip.storage=fermi storage.fermi.split=%u %s", split, more);
}

struct design m12_unbounded(unsigned threads, unsigned registers, unsigned cache_kb)
{
	return design_of(CHIP,
		"chip.storage=partitioned storage.partitioned.register_bytes=64M "
		"storage.partitioned.shared_bytes=64M storage.partitioned.cache_bytes=%uK "
		"gpu.max_regs=%u sm.warps=%u",
		cache_kb, registers, threads / WARP_LANES);
}

/* Section 6.1 counts accesses to a bank. What the design itself says of it stands behind. */
static const char *by_bank(const struct design *d)
{
	bool says = strstr(d->set, "combine=");

	return strstr(d->set, UNIFIED) && !says ? " storage.unified.combine=true" : "";
}

/* A variant of the chip, as cli/compare.h has them, of the chip's 32 SMs with 8 B/ns each. */
struct design m12_variant(enum variant_id id, const struct design *d)
{
	static const char *const values[] = {
		[KNOB_SHARE_BYTES] = "8", [KNOB_SMS] = "32", [KNOB_TCK] = "750"};
	char set[512] = "";
	struct design out;

	for (const struct knob *k = variants[id].knobs; k->kind != KNOB_END; k++) {
		size_t n = strlen(set);

		snprintf(set + n, sizeof(set) - n, "%s=%s ", k->path,
			k->kind == KNOB_VALUE ? k->value : values[k->kind]);
		BUG_ON(strlen(set) == sizeof(set) - 1);
	}
	out = design_of(CHIP, SM "%s %s%s", by_bank(d), set, d->set);
	out.as_it_is = true;
	return out;
}

struct design m12_seen(const struct design *d, unsigned column)
{
	return design_of(CHIP, SM "%s%s %s", column == M12_CHIP ? "" : " " ONE_SM,
		column == M12_CLUSTERS ? "" : by_bank(d), d->set);
}

static const struct target *const targets[] = {&m12_table1, &m12_fig2, &m12_fig3, &m12_fig4,
	&m12_section2, &m12_table5, &m12_fig7, &m12_fig8, &m12_fig9, &m12_ladder, &m12_tuned,
	&m12_fig10, &m12_table6, &m12_fig11, NULL};

const struct paper m12_paper = {
	.name = "m12",
	.text = "All of the MICRO 2012 paper's.",
	.title = "Gebhart et al., MICRO 2012",
	.ncolumns = 3,
	.columns = {[M12_PAPER] = {"one SM", "ours", true},
		[M12_CLUSTERS] = {"clusters", "clusters", true},
		[M12_CHIP] = {"chip", "chip", true}},
	.seen = m12_seen,
	.targets = targets,
};
