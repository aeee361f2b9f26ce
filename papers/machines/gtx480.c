/* Measurements of a GTX 480: gpumembench (its README, commit 838a4fcd) on an overclocked card, SHOC
 * (data/results.csv, commit 0aea03be), which says no sizes and clocks: those of its source. */
#include "papers/machines/machines.h"

#include "core/base.h"

/* The card that gpumembench ran on: 1550 and 950 MHz, and the split that CUDA chooses by default.
 */
#define CARD \
	"chip.sm_mhz=1550 chip.l2_mhz=775 chip.bytes_per_ns=182.4 dram.tck_ps=1053 " \
	"storage.fermi.split=1 "

/* 90 CTAs of 256 threads; each thread reads a number of words round and round, and each load waits
 * for the one before and for an operation on it. */
#define FOOTPRINT(what, stride, gb_s) \
	{ \
		"read, " what, "gpumembench, cachebench", ROW_COUNTED, FIGURE_GB_S, gb_s, 10, 0, \
			0, "bandwidth", \
			CARD "bandwidth.kernel=walk bandwidth.ctas=90 bandwidth.threads=256 " \
			     "bandwidth.step=256 bandwidth.cta_stride=" #stride, \
			"bandwidth.groups=5", "bandwidth.groups=13", 64 * 4 * 23040.0, NULL \
	}

/* As many CTAs of 256 threads as fit at once; 20 iterations of 20 accesses. */
#define SHARED(bits, words, ctas, gb_s, said, kind) \
	{ \
		"shared memory, " #bits "-bit accesses" said, "gpumembench, shmembench", kind, \
			FIGURE_GB_S, gb_s, 3, 0, 0, "throughput", \
			CARD "throughput.threads=256 throughput.width=" #words \
			     " throughput.ctas=" #ctas, \
			"throughput.iterations=10", "throughput.iterations=30", \
			ctas * 256 * 20 * 20 * 4.0 * words, NULL \
	}

/* 32768 threads, each of which reads 16 words at a time. */
#define SHOC(what, set, more, gb_s, percent, bytes) \
	{ \
		what, "SHOC, results.csv, gtx480", ROW_COUNTED, FIGURE_GB_S, gb_s, percent, 0, 0, \
			"bandwidth", "bandwidth.ctas=128 " set, "bandwidth.groups=2", \
			"bandwidth.groups=" #more, bytes, NULL \
	}

static const struct machine_row rows[] = {
	FOOTPRINT("92 KB", 256, 1380),
	FOOTPRINT("184 KB", 512, 1103),
	FOOTPRINT("276 KB", 768, 790),
	FOOTPRINT("369 KB", 1024, 790),
	FOOTPRINT("461 KB", 1280, 379),
	FOOTPRINT("553 KB", 1536, 270),
	FOOTPRINT("737 KB", 2048, 270),
	FOOTPRINT("922 KB", 2560, 228),
	FOOTPRINT("1.1 MB", 3072, 182),
	FOOTPRINT("1.7 MB", 4608, 155),
	SHARED(32, 1, 90, 1482.8, ": chose the scheduler", ROW_CALIBRATION),
	SHARED(64, 2, 60, 1483.4, "", ROW_COUNTED),
	SHARED(128, 4, 30, 982.4, "", ROW_COUNTED),
	SHOC("coalesced read", "", 10, 152.1, 7, 64 * 4 * 32768.0),
	SHOC("strided read",
		"bandwidth.thread_stride=512 bandwidth.cta_stride=131072 bandwidth.step=1", 6, 14.8,
		15, 32 * 4 * 32768.0),
};

static void say(struct book *b)
{
	machines_say(b, "gtx480", rows, ARRAY_LEN(rows));
}

const struct target machines_gtx480 = {
	.order = 10,
	.name = "gtx480",
	.text = "GTX 480: bandwidths by footprint, shared memory, DRAM.",
	.paper = &machines_paper,
	.rows = say,
};
