/* A square that no paper has: slots in shared memory by the compiler (Hayes and Zhang, ICS 2014)
 * and storage unified by the hardware (Gebhart et al., MICRO 2012), each without and with the
 * other, in 384 KB of an SM. Their seven and the eight workloads. */
#include "papers/hay/hay.h"

#include "papers/store.h"

#include <stdio.h>
#include <string.h>

#define KB 384

/* The machine of MICRO 2012 has 64 registers for each of its 1024 threads, more than most of these
 * kernels need: nothing is spilled. With the 2048 threads of a GTX 680, and of all later GPUs, the
 * same 256 KB of registers are 32 for each. */
#define BINDING "sm.warps=64"

static const char *const both[] = {"cfd", "dxtc", "fdtd3d", "hotspot", "imagedenoising",
	"particles", "recursivegaussian", "bfs", "dgemm", "lu", "mummer", "pcr", "ray", "srad",
	"needle", NULL};

static struct design seen(const struct design *d, unsigned column)
{
	struct design s = store_seen(d, column);

	s.way = d->way;
	return s;
}

static struct design with(const struct design *d, const char *set)
{
	struct design slots = *d;
	size_t n = strlen(slots.set);

	if (set) {
		BUG_ON(n + strlen(set) + 2 > sizeof(slots.set));
		snprintf(slots.set + n, sizeof(slots.set) - n, " %s", set);
	}
	return slots;
}

/* The corners over the first one: code of the most threads that partitioned storage can have, 32
 * registers each, with spills in local memory or in slots, in both storages; then unified storage
 * with as many registers as it has itself for that many threads. Beside them, what levels gain over
 * the unchanged program: the rule's, and the fastest. */
enum corner { SLOTS, UNIFIED, BOTH, OWN, CORNERS };
static const char *const names[CORNERS] = {
	"slots", "unified", "unified, slots", "unified, its own registers"};

struct sums {
	double speed[CORNERS], dram[CORNERS], energy[CORNERS];
	unsigned n;
};

static void say_corner(struct book *b, unsigned w, enum corner i, const struct design *d,
	const struct design *base, struct sums *sums)
{
	double speed = store_speedup(b, w, base, d);
	double dram = store_dram_ratio(b, w, base, d);
	double energy = store_energy_ratio(b, w, base, d, NULL);

	book_tell(b, "times as fast", speed, "%s, %s: speed", book_workload(b, w), names[i]);
	book_tell(b, "of the bytes", dram, "%s, %s: DRAM", book_workload(b, w), names[i]);
	book_tell(b, "of the energy", energy, "%s, %s: energy", book_workload(b, w), names[i]);
	if (!sums)
		return;
	sums->speed[i] += speed;
	sums->dram[i] += dram;
	sums->energy[i] += energy;
}

static void say_level(
	struct book *b, unsigned w, const char *which, const struct design *d, const char *set)
{
	struct design at = with(d, set);

	book_say_text(b, book_words(b, "%s, %s", book_workload(b, w), which),
		book_told("", "times as fast", NAN, store_speedup(b, w, d, &at),
			set ? set : "unchanged"));
}

/* A slot costs what a register does: only units are left to gain by. */
static void say_gain(struct book *b, unsigned w, const struct design *unified, const char *fastest)
{
	struct design at = with(unified, fastest);
	struct book_row row = book_band("", "times as fast", band_between(NAN, 0, 1.02),
		store_speedup(b, w, unified, &at), fastest ? fastest : "no level is faster");

	if (!fastest)
		row = book_unjudged(row);
	book_sayf(
		b, &row, "%s, unified: the fastest level gains at most 2 %%", book_workload(b, w));
}

static void one(struct book *b, unsigned w, struct sums *sums)
{
	struct design partitioned = store_partitioned(BINDING);
	struct design unified = store_unified(KB, BINDING);
	struct design p = store_input(b, w, &partitioned), u = store_input(b, w, &unified);
	const char *local = hay_most(b, w, &p, false), *slots = hay_most(b, w, &p, true);
	struct design base = with(&p, local);
	struct design corner[CORNERS] = {[SLOTS] = with(&p, slots),
		[UNIFIED] = with(&u, local),
		[BOTH] = with(&u, slots),
		[OWN] = with(&u, hay_most(b, w, &u, true))};
	bool spills = slots && strchr(slots, '+');

	for (enum corner i = 0; i < CORNERS; i++)
		say_corner(b, w, i, &corner[i], &base, spills ? sums : NULL);
	say_level(b, w, "partitioned: most threads", &p, slots);
	say_level(b, w, "partitioned: the rule's level", &p, hay_automatic(b, w, &p));
	say_level(b, w, "partitioned: the fastest level", &p, hay_fastest(b, w, &p));
	say_level(b, w, "unified: the rule's level", &u, hay_automatic(b, w, &u));
	say_gain(b, w, &u, hay_fastest(b, w, &u));
	sums->n += spills;
}

static void rows(struct book *b)
{
	struct sums sums = {.n = 0};

	for (unsigned w = 0; w < book_workloads(b); w++)
		one(b, w, &sums);
	for (unsigned i = 0; i < CORNERS && sums.n; i++) {
		book_tell(b, "times as fast", sums.speed[i] / sums.n,
			"mean of those with slots, %s: speed", names[i]);
		book_tell(b, "of the bytes", sums.dram[i] / sums.n,
			"mean of those with slots, %s: DRAM", names[i]);
		book_tell(b, "of the energy", sums.energy[i] / sums.n,
			"mean of those with slots, %s: energy", names[i]);
	}
}

const struct paper hay_square = {
	.order = 37,
	.name = "square",
	.text = "Spills to shared memory and unified storage.",
	.title = "Hayes and Zhang's slots and Gebhart et al.'s storage",
	.suite = both,
	.ncolumns = 2,
	.columns = {{"one SM", "ours", true, STORE_PAPER}, {"chip", "chip", true, STORE_CHIP}},
	.seen = seen,
};

const struct target hay_unified = {
	.order = 10,
	.name = "hay-unified",
	.text = "Slots and unified storage, each without and with the other, 384 KB.",
	.paper = &hay_square,
	.rows = rows,
	.columns = STORE_BOTH,
};
