/* The data of Table 1 of Gebhart et al., MICRO 2012, how measurements are read, and how they are
 * judged by it. */
#include "papers/m12/table1_rows.h"

#include "papers/m12/m12.h"

#define KB 1024.0
#define REGISTER_BYTES 4

/* What an SM of the time has, and how many DRAM accesses more make a workload want a cache. */
#define SHARED_KB 64.0
#define REGISTER_FILE_KB 128.0
#define CACHE_GAIN 1.1

const struct table1_figure_def table1_figures[TABLE1_FIGURES] = {
	[TABLE1_REGISTERS] = {"registers", "registers", "per thread", "", 0, 0.2, false},
	[TABLE1_REGISTER_FILE] = {"register_file", "register file", "KB", "M12-048", 0, 0.2, false},
	[TABLE1_SHARED] = {"shared_bytes", "shared memory", "bytes/thread", "", 1, 0.1, false},
	[TABLE1_DRAM_0] = {"dram_0", "DRAM, 0 KB cache", "of 256 KB's", "M12-050", 2, 0.2, false},
	[TABLE1_DRAM_64] = {"dram_64", "DRAM, 64 KB cache", "of 256 KB's", "M12-050", 2, 0.2,
		false},
	[TABLE1_DRAM_256] = {"dram_256", "DRAM, 256 KB cache", "of 256 KB's", "M12-050", 2, 0,
		false},
	[TABLE1_SPILLED_18] = {"instructions_18", "instr., 18 regs", "of 64's", "M12-049", 2, 0.05,
		true},
	[TABLE1_SPILLED_24] = {"instructions_24", "instr., 24 regs", "of 64's", "M12-049", 2, 0.05,
		true},
	[TABLE1_SPILLED_32] = {"instructions_32", "instr., 32 regs", "of 64's", "M12-049", 2, 0.05,
		true},
	[TABLE1_SPILLED_40] = {"instructions_40", "instr., 40 regs", "of 64's", "M12-049", 2, 0.05,
		true},
};

const unsigned table1_regs[TABLE1_REGS] = {18, 24, 32, 40, 64};

const char *const table1_categories[TABLE1_CATEGORIES] = {
	[TABLE1_SHARED_LIMITED] = "shared memory limited",
	[TABLE1_CACHE_LIMITED] = "cache limited",
	[TABLE1_REGISTER_LIMITED] = "register limited",
	[TABLE1_BALANCED] = "balanced or minimal",
};

/* Registers without spills; KB of registers and bytes per thread of shared memory at full
 * occupancy; DRAM accesses with 0, 64 and 256 KB of cache by those with 256 KB; dynamic
 * instructions with 18, 24, 32 and 40 registers by those with 64. */
/* clang-format off */
const struct table1_row table1_rows[TABLE1_ROWS] = {
	{"needle", "Needle", TABLE1_SHARED_LIMITED, {18, 72, 264.1, 0.85, 1, 1, 1.02, 1, 1, 1}},
	{"sto", "sto", TABLE1_SHARED_LIMITED, {33, 132, 127, 3.95, 1, 1, 1.18, 1.08, 1, 1}},
	{"lu", "lu", TABLE1_SHARED_LIMITED, {20, 80, 96, 1.94, 1.46, 1, 1, 1, 1, 1}},
	{"mummer", "GPU-mummer", TABLE1_CACHE_LIMITED, {21, 84, 0, 1.48, 1.01, 1, 1.04, 1, 1, 1}},
	{"bfs", "BFS", TABLE1_CACHE_LIMITED, {9, 36, 0, 1.46, 1.13, 1, 1, 1, 1, 1}},
	{"backprop", "Backprop", TABLE1_CACHE_LIMITED, {17, 68, 2.125, 1.56, 1, 1, 1.02, 1, 1, 1}},
	{"matrixmul", "MatrixMul", TABLE1_CACHE_LIMITED, {17, 68, 8, 4.77, 1, 1, 1.04, 1, 1, 1}},
	{"nbody", "Nbody", TABLE1_CACHE_LIMITED, {23, 92, 0, 3.52, 1, 1, 1, 1, 1, 1}},
	{"vectoradd", "VectorAdd", TABLE1_CACHE_LIMITED, {9, 36, 0, 3.88, 1, 1, 1, 1, 1, 1}},
	{"srad", "srad", TABLE1_CACHE_LIMITED, {18, 72, 24, 1.22, 1.20, 1, 1, 1, 1, 1}},
	{"dgemm", "DGEMM", TABLE1_REGISTER_LIMITED, {57, 228, 66.5, 1, 1, 1, 1.42, 1.23, 1.01, 1}},
	{"pcr", "PCR", TABLE1_REGISTER_LIMITED, {33, 132, 20, 2.88, 1.29, 1, 1.39, 1.18, 1.03, 1}},
	{"bicubictexture", "BicubicTexture", TABLE1_REGISTER_LIMITED, {33, 132, 0, 1, 1, 1, 1.18, 1.1, 1.05, 1}},
	{"hwt", "hwt", TABLE1_REGISTER_LIMITED, {35, 140, 23, 1, 1, 1, 1.04, 1.04, 1.04, 1}},
	{"ray", "ray", TABLE1_REGISTER_LIMITED, {42, 168, 0, 1.02, 1.07, 1, 1.18, 1.11, 1.08, 1.05}},
	{"hotspot", "Hotspot", TABLE1_BALANCED, {22, 88, 12, 1.44, 1, 1, 1.21, 1, 1, 1}},
	{"recursivegaussian", "RecursiveGaussian", TABLE1_BALANCED, {23, 92, 2.125, 1.04, 1.03, 1, 1.02, 1, 1, 1}},
	{"sad", "Sad", TABLE1_BALANCED, {31, 124, 0, 1.01, 1.01, 1, 1.01, 1, 1, 1}},
	{"scalarprod", "ScalarProd", TABLE1_BALANCED, {18, 72, 16, 1, 1, 1, 1.01, 1, 1, 1}},
	{"sgemv", "SGEMV", TABLE1_BALANCED, {14, 56, 4, 1.01, 1.01, 1, 1, 1, 1, 1}},
	{"sobolqrng", "SobolQRNG", TABLE1_BALANCED, {12, 48, 2, 1, 1, 1, 1, 1, 1, 1}},
	{"aes", "aes", TABLE1_BALANCED, {28, 112, 24, 1, 1, 1, 1.3, 1.18, 1, 1}},
	{"dct8x8", "Dct8x8", TABLE1_BALANCED, {26, 104, 0, 1, 1, 1, 1.16, 1.1, 1, 1}},
	{"dwthaar1d", "DwtHaar1D", TABLE1_BALANCED, {14, 56, 8, 1, 1, 1, 1, 1, 1, 1}},
	{"lps", "lps", TABLE1_BALANCED, {15, 60, 19, 1.48, 1, 1, 1, 1, 1, 1}},
	{"nn", "nn", TABLE1_BALANCED, {13, 52, 0, 20.81, 1.07, 1, 1, 1, 1, 1}},
};
/* clang-format on */

enum table1_category table1_categorise(const double figure[TABLE1_FIGURES])
{
	double shared = figure[TABLE1_SHARED] * TABLE1_THREADS / KB / SHARED_KB;
	double registers =
		figure[TABLE1_REGISTERS] * REGISTER_BYTES * TABLE1_THREADS / KB / REGISTER_FILE_KB;

	if (shared > 1 || registers > 1)
		return shared >= registers ? TABLE1_SHARED_LIMITED : TABLE1_REGISTER_LIMITED;
	if (figure[TABLE1_DRAM_0] > CACHE_GAIN || figure[TABLE1_DRAM_64] > CACHE_GAIN)
		return TABLE1_CACHE_LIMITED;
	return TABLE1_BALANCED;
}

struct band table1_band(const struct table1_row *row, enum table1_figure f)
{
	const struct table1_figure_def *d = &table1_figures[f];

	return d->absolute ? band_points(row->figure[f], d->band)
			   : band_percent(row->figure[f], 100 * d->band);
}

bool table1_within(const struct table1_row *row, enum table1_figure f, double ours)
{
	/* Decimal bounds and quotients are inexact; a figure on the bound is within. */
	double slack = 1e-9 * row->figure[f];
	struct band band = table1_band(row, f);

	return ours >= band.low - slack && ours <= band.high + slack;
}

int table1_shift(const struct table1_row *row, double registers)
{
	bool within = table1_within(row, TABLE1_REGISTERS, registers);

	return within ? 0 : (int)(registers - row->figure[TABLE1_REGISTERS]);
}

/* ---- a report's launches */
static double field(const json_t *launch, const char *name)
{
	return json_number_value(json_object_get(launch, name));
}

/* Whether another launch of the same kernel has larger CTAs: shared memory is allocated for those.
 */
static bool is_partial(const json_t *launches, const json_t *launch)
{
	const json_t *name = json_object_get(launch, "kernel"), *other;
	size_t i;

	json_array_foreach(launches, i, other)
	{
		if (json_equal(json_object_get(other, "kernel"), name) &&
			store_cta_threads(other) > store_cta_threads(launch))
			return true;
	}
	return false;
}

void table1_read(const json_t *report, double ours[TABLE1_FIGURES])
{
	const json_t *launches = json_object_get(report, "launches"), *l;
	double registers = 0, shared = 0;
	size_t i;

	json_array_foreach(launches, i, l)
	{
		registers = fmax(registers, field(l, "max_live_registers"));
		if (!is_partial(launches, l))
			shared = fmax(shared, field(l, "shared_bytes") / store_cta_threads(l));
	}
	ours[TABLE1_REGISTERS] = registers;
	ours[TABLE1_REGISTER_FILE] = registers * 4 * TABLE1_THREADS / 1024;
	ours[TABLE1_SHARED] = shared;
}
