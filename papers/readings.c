#include "papers/readings.h"

#include "papers/papers.h"

#include <string.h>

#define SIMPLE "storage.unified.combine=false"
#define AGGRESSIVE "storage.unified.combine=true"
#define PENALTY "sm.bank_conflicts=penalty"
#define CYCLE "sm.bank_conflicts=cycle"
#define DELAY "sm.bank_conflicts=delay"

#define SIMPLE_TEXT \
	"a cluster serves one bank a cycle (MICRO 4.2, dissertation 7.3.2: results assume this design)"
#define AGGRESSIVE_TEXT \
	"a cluster combines words of its four banks in a cycle (MICRO 4.2, the other design)"
#define PENALTY_TEXT "the most accesses to a bank less one, at issue (MICRO 4.3 and 6.1)"
#define CYCLE_TEXT "accesses wait for banks that others occupy (MICRO 4.3)"
#define DELAY_TEXT \
	"each instruction is charged its own delay, and holds nothing (dissertation 4.2, MICRO 6.1)"

static const char *const threads[] = {"storage.unified.threads=256", "storage.unified.threads=384",
	"storage.unified.threads=512", "storage.unified.threads=640", "storage.unified.threads=768",
	"storage.unified.threads=896", "storage.unified.threads=0", NULL};

static const struct book_case unified[] = {
	{.name = "simple, penalty",
		.text = SIMPLE_TEXT "; " PENALTY_TEXT ": as stated",
		.set = PENALTY,
		.unified = SIMPLE},
	{.name = "simple, cycle",
		.text = SIMPLE_TEXT "; " CYCLE_TEXT,
		.set = CYCLE,
		.unified = SIMPLE},
	{.name = "simple, delay",
		.text = SIMPLE_TEXT "; " DELAY_TEXT,
		.set = DELAY,
		.unified = SIMPLE},
	{.name = "aggressive, penalty",
		.text = AGGRESSIVE_TEXT "; " PENALTY_TEXT,
		.set = PENALTY,
		.unified = AGGRESSIVE},
	{.name = "aggressive, cycle",
		.text = AGGRESSIVE_TEXT "; " CYCLE_TEXT,
		.set = CYCLE,
		.unified = AGGRESSIVE},
	{.name = "aggressive, delay",
		.text = AGGRESSIVE_TEXT "; " DELAY_TEXT,
		.set = DELAY,
		.unified = AGGRESSIVE},
	{.name = "simple, penalty, stores too",
		.text = "as 1, and stores meet the registers' reads as loads do (MICRO 6.1: read or "
			"write)",
		.set = PENALTY,
		.unified = SIMPLE " storage.unified.one_port=true"},
	{.name = "simple, penalty, autotuned",
		.text = "as 1, with the number of threads that is fastest on the unified design "
			"(MICRO 4.5 and 6.4) instead of as many as fit",
		.set = PENALTY,
		.unified = SIMPLE,
		.best = threads},
	{.name = "simple, penalty, textures",
		.text = "as 1, and mummer fetches its text and tree through textures, as its program "
			"does (Schatz et al. 2007): the papers name the program, not the build",
		.set = PENALTY " mummer.textures=true",
		.unified = SIMPLE},
};

static const struct book_case hierarchy[] = {
	{.name = "64 KB, 128 B a cycle",
		.text = "32 banks of 4 bytes (dissertation 2.4.2), 64 KB of cache",
		.set = "storage.partitioned.cache_bytes=64K sm.memory_bytes=128"},
	{.name = "64 KB, 32 B a cycle",
		.text = "32 bytes a cycle from shared memory and cache (dissertation 4.3 and table 4.4)",
		.set = "storage.partitioned.cache_bytes=64K sm.memory_bytes=32"},
};

/* Registers and CTAs nearer to table 1's than our plain kernels have. */
#define PLAIN "gpu.spill_rank=live "
#define UNROLLED \
	PLAIN \
	"fdtd3d.unrolled=16 imagedenoising.unrolled=16 gpu.schedule=early_loads " \
	"gpu.schedule_extra=32 "
/* recursivegaussian has one level with its 28 registers; with 34, 1024 threads do not start on
 * Fermi, where the paper's were compiled to fewer. */
#define WIDE \
	UNROLLED \
	"recursivegaussian.threads=512 recursivegaussian.width=2048 " \
	"recursivegaussian.height=2048 "

static const struct book_case spilled[] = {
	{.name = "off chip, live",
		.text = "MEM is all accesses off the chip; the rank of a value is the sets above the "
			"limit that hold it: as stated (sections 4.2 and 3.2.2)",
		.set = "gpu.level_memory=offchip gpu.spill_rank=live"},
	{.name = "spills, live",
		.text = "MEM is the accesses of spilled values that stay off the chip: table 1's "
			"growth at auto shows levels that the first reading forbids",
		.set = "gpu.level_memory=spills gpu.spill_rank=live"},
	{.name = "off chip, uses",
		.text = "as 1, and the rank is the value's accesses (frequency)",
		.set = "gpu.level_memory=offchip gpu.spill_rank=uses"},
	{.name = "spills, uses",
		.text = "as 2, and the rank is the value's accesses",
		.set = "gpu.level_memory=spills gpu.spill_rank=uses"},
	{.name = "off chip, unrolled",
		.text = "as 1, on kernels as nvcc made them: loops of fdtd3d and the fast filter "
			"unrolled, their loads early, CTAs by table 1's bytes per thread",
		.set = UNROLLED "gpu.level_memory=offchip"},
	{.name = "spills, unrolled",
		.text = "as 2, on those kernels",
		.set = UNROLLED "gpu.level_memory=spills"},
	{.name = "off chip, unrolled, 64 bit",
		.text = "as 5, with 64-bit addresses: the paper does not say which it had",
		.set = WIDE "gpu.level_memory=offchip",
		.wide = true},
	{.name = "spills, unrolled, 64 bit",
		.text = "as 6, with 64-bit addresses",
		.set = WIDE "gpu.level_memory=spills",
		.wide = true},
};

const struct book_case *readings_of(const struct paper *p, unsigned *n)
{
	static const struct {
		const char *paper;
		const struct book_case *cases;
		unsigned n;
	} all[] = {{"m12", unified, ARRAY_LEN(unified)}, {"chapter7", unified, ARRAY_LEN(unified)},
		{"dis", hierarchy, ARRAY_LEN(hierarchy)}, {"hay", spilled, ARRAY_LEN(spilled)}};

	*n = 0;
	for (unsigned i = 0; i < ARRAY_LEN(all); i++)
		if (!strcmp(all[i].paper, p->name)) {
			*n = all[i].n;
			return all[i].cases;
		}
	return NULL;
}

int papers_measure_readings(const struct target *const *some, unsigned n,
	const struct paper_options *o, struct session *s, struct err *err)
{
	const struct paper *paper = some[0]->paper;
	unsigned ncases;
	const struct book_case *cases = readings_of(paper, &ncases);

	if (!cases)
		return err_add(
			err, ERR_USAGE, "reproduce %s: it has one reading only", paper->name);
	return cases_measure(
		&(struct cases_ask){cases, ncases, some, n, &cases_side_by_side, "--readings"}, o,
		s, err);
}
