/* Chapter 7 of the dissertation: its workloads, its designs, and how each runs best. */
#include "papers/dissertation/ch7.h"

#include "papers/suite.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define CHIP "m12"

const char *const ch7_workloads[CH7_WORKLOADS] = {
	[CH7_BFS] = "bfs",
	[CH7_MUMMER] = "mummer",
	[CH7_DGEMM] = "dgemm",
	[CH7_NEEDLE] = "needle",
	[CH7_PCR] = "pcr",
	[CH7_HOTSPOT] = "hotspot",
};

const struct ch7_design_def ch7_designs[CH7_DESIGNS] = {
	[CH7_F128_32] = {"128/32/32", 192},
	[CH7_F128_64] = {"128/64/64", 256},
	[CH7_LIMITED] = {"limited", 320},
	[CH7_BASE] = {"256/64/64", 384},
	[CH7_F256] = {"256/256/256", 768},
	[CH7_F512] = {"512/512/512", 1536},
	[CH7_U128] = {"unified 128", 128},
	[CH7_U256] = {"unified 256", 256},
	[CH7_U384] = {"unified 384", 384},
	[CH7_U512] = {"unified 512", 512},
};

const unsigned ch7_thread_counts[CH7_THREADS] = {384, 512, 640, 768, 896, 1024};

bool ch7_takes(const char *workload)
{
	for (unsigned i = 0; i < CH7_WORKLOADS; i++)
		if (!strcmp(ch7_workloads[i], workload))
			return true;
	return false;
}

int ch7_at(const struct book *b, unsigned workload)
{
	return book_find(b, ch7_workloads[workload]);
}

bool ch7_has_all(const struct book *b)
{
	for (unsigned i = 0; i < CH7_WORKLOADS; i++)
		if (ch7_at(b, i) < 0)
			return false;
	return true;
}

/* ---- designs */
static struct design fixed(unsigned registers, unsigned cache, unsigned shared)
{
	char sizes[160];

	snprintf(sizes, sizeof(sizes),
		"storage.partitioned.register_bytes=%uK storage.partitioned.cache_bytes=%uK "
		"storage.partitioned.shared_bytes=%uK",
		registers, cache, shared);
	return store_partitioned(sizes);
}

static struct design unified(unsigned kb, unsigned threads)
{
	char more[160];

	snprintf(more, sizeof(more),
		"storage.unified.listed_caches=true storage.unified.cache_limit=256K "
		"storage.unified.threads=%u",
		threads);
	return store_unified(kb, more);
}

struct design ch7_limited(unsigned split)
{
	return design_of(CHIP,
		"chip.storage=fermi storage.fermi.register_bytes=256K "
		"storage.fermi.splits=48/16,16/48 storage.fermi.split=%u",
		split);
}

static struct design plain(enum ch7_design id)
{
	switch (id) {
	case CH7_F128_32:
		return fixed(128, 32, 32);
	case CH7_F128_64:
		return fixed(128, 64, 64);
	case CH7_F256:
		return fixed(256, 256, 256);
	case CH7_F512:
		return fixed(512, 512, 512);
	case CH7_BASE:
		return store_partitioned("");
	default:
		return unified(ch7_designs[id].kb, 0);
	}
}

/* ---- the best of several */
/* Half-filled warps of blocks of 16 take twice the slots. */
static struct design blocked(const struct design *d, unsigned block)
{
	return design_of(CHIP, "%s needle.block=%u%s", d->set, block,
		block < WARP_LANES ? " sm.warps=64 sm.ctas=64" : "");
}

/* The programmer chooses needle's blocking factor for the storage. */
static struct design programmed(struct book *b, unsigned w, struct design d)
{
	struct design best = d, other;

	if (strcmp(book_workload(b, w), ch7_workloads[CH7_NEEDLE]) != 0)
		return d;
	best = blocked(&d, 16);
	other = blocked(&d, 32);
	best = store_faster(b, w, &best, &other);
	other = blocked(&d, 64);
	return store_faster(b, w, &best, &other);
}

struct design ch7_threads(struct book *b, unsigned w, unsigned threads)
{
	return programmed(b, w, unified(ch7_designs[CH7_U384].kb, threads));
}

static struct design best_threads(struct book *b, unsigned w)
{
	struct design best = ch7_threads(b, w, 0);

	for (unsigned i = 0; i + 1 < CH7_THREADS; i++) {
		struct design other = ch7_threads(b, w, ch7_thread_counts[i]);

		best = store_faster(b, w, &best, &other);
	}
	return best;
}

struct design ch7_best(struct book *b, unsigned w, enum ch7_design id)
{
	struct design first, second;

	if (id == CH7_U384)
		return best_threads(b, w);
	if (id != CH7_LIMITED)
		return programmed(b, w, plain(id));
	first = programmed(b, w, ch7_limited(1));
	second = programmed(b, w, ch7_limited(2));
	return store_faster(b, w, &first, &second);
}

/* ---- figures; NAN of what does not run */
static bool runs(struct book *b, unsigned w, const struct design *d)
{
	return store_try(b, w, d) != NULL;
}

double ch7_relative(struct book *b, unsigned w, struct design d, struct design by)
{
	return store_try_cycles(b, w, &d) / store_try_cycles(b, w, &by);
}

double ch7_speed(struct book *b, unsigned w, enum ch7_design id)
{
	struct design base = ch7_best(b, w, CH7_BASE), best = ch7_best(b, w, id);

	return store_try_cycles(b, w, &base) / store_try_cycles(b, w, &best);
}

double ch7_energy(struct book *b, unsigned w, enum ch7_design id)
{
	struct design base = ch7_best(b, w, CH7_BASE), best = ch7_best(b, w, id);

	if (!runs(b, w, &base) || !runs(b, w, &best))
		return NAN;
	return store_energy_ratio(b, w, &base, &best, NULL);
}

double ch7_dram(struct book *b, unsigned w, enum ch7_design id)
{
	struct design base = ch7_best(b, w, CH7_BASE), best = ch7_best(b, w, id);

	if (!runs(b, w, &base) || !runs(b, w, &best))
		return NAN;
	return store_dram_ratio(b, w, &base, &best);
}

/* ---- rows */
static struct design seen(const struct design *d, unsigned column)
{
	return store_seen(d, column == CH7_CHIP ? STORE_CHIP : STORE_PAPER);
}

const struct paper ch7_paper = {
	.order = 30,
	.name = "chapter7",
	.text = "All of the dissertation's chapter 7.",
	.title = "Gebhart's dissertation, chapter 7",
	.suite = suite_workloads,
	.ncolumns = 2,
	.columns = {[CH7_PAPER] = {"one SM", "ours", true, CH7_PAPER},
		[CH7_CHIP] = {"chip", "chip", true, CH7_CHIP}},
	.seen = seen,
};
