/* A square that no paper has: slots in shared memory by the compiler (Hayes and Zhang, ICS 2014)
 * and storage unified by the hardware (Gebhart et al., MICRO 2012), each without and with the
 * other, in 384 KB of an SM. Their seven and the eight workloads. */
#include "papers/hay/hay.h"

#include "papers/store.h"

#include <stdio.h>
#include <string.h>

#define KB 384

static const char *const both[] = {"cfd", "dxtc", "fdtd3d", "hotspot", "imagedenoising",
	"particles", "recursivegaussian", "bfs", "dgemm", "lu", "mummer", "pcr", "ray", "srad",
	"needle", NULL};

static struct design seen(const struct design *d, unsigned column)
{
	struct design s = store_seen(d, column);

	s.way = d->way;
	return s;
}

/* With the rule's level of each kernel. */
static struct design with_slots(struct book *b, unsigned w, const struct design *d)
{
	const char *set = hay_automatic(b, w, d);
	struct design slots = *d;
	size_t n = strlen(slots.set);

	if (set)
		snprintf(slots.set + n, sizeof(slots.set) - n, " %s", set);
	return slots;
}

struct sums {
	double speed[3], dram[3], energy[3];
	unsigned n;
};

static void one(struct book *b, unsigned w, struct sums *sums)
{
	static const char *const names[] = {"slots", "unified", "unified, slots"};
	struct design base = store_partitioned(""), unified = store_unified(KB, "");
	struct design all[3] = {with_slots(b, w, &base), unified, with_slots(b, w, &unified)};
	double gain;

	for (unsigned i = 0; i < 3; i++) {
		double speed = store_speedup(b, w, &base, &all[i]);
		double dram = store_dram_ratio(b, w, &base, &all[i]);
		double energy = store_energy_ratio(b, w, &base, &all[i], NULL);

		book_tell(
			b, "times as fast", speed, "%s, %s: speed", book_workload(b, w), names[i]);
		book_tell(b, "of the bytes", dram, "%s, %s: DRAM", book_workload(b, w), names[i]);
		book_tell(b, "of the energy", energy, "%s, %s: energy", book_workload(b, w),
			names[i]);
		sums->speed[i] += speed;
		sums->dram[i] += dram;
		sums->energy[i] += energy;
	}
	sums->n++;
	if (!strcmp(all[2].set, unified.set)) {
		book_tell(b, "times as fast", 1, "%s: the rule uses no slots in unified storage",
			book_workload(b, w));
		return;
	}
	/* A slot costs what a register does: only units are left to gain by. */
	gain = store_speedup(b, w, &unified, &all[2]);
	book_sayf(b,
		&(struct book_row){.claim = "",
			.unit = "times as fast",
			.paper = NAN,
			.low = 0,
			.high = 1.02,
			.ours = gain,
			.judge = BOOK_BAND},
		"%s: slots in unified storage gain at most 2 %%", book_workload(b, w));
}

static void rows(struct book *b)
{
	struct sums sums = {.n = 0};
	static const char *const names[] = {"slots", "unified", "unified, slots"};

	for (unsigned w = 0; w < book_workloads(b); w++)
		one(b, w, &sums);
	for (unsigned i = 0; i < 3 && sums.n; i++) {
		book_tell(b, "times as fast", sums.speed[i] / sums.n, "mean, %s: speed", names[i]);
		book_tell(b, "of the bytes", sums.dram[i] / sums.n, "mean, %s: DRAM", names[i]);
		book_tell(
			b, "of the energy", sums.energy[i] / sums.n, "mean, %s: energy", names[i]);
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
