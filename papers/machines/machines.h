/* Published measurements of real GPUs beside the same measurement on our descriptions of them
 * (machines/NAME.yaml). Each target is a machine. */
#ifndef PAPERS_MACHINES_MACHINES_H
#define PAPERS_MACHINES_MACHINES_H

#include "papers/papers.h"

enum machine_row_kind {
	ROW_COUNTED,
	ROW_BLIND,       /* counted; the description was fixed before it was first measured */
	ROW_CALIBRATION, /* the number sets a parameter of the description: not counted */
	ROW_UNSAID       /* the model, or a workload, lacks something: `needs` */
};

/* What two runs give that differ in their repetitions alone, so that start and end do not count. */
enum machine_figure {
	FIGURE_GB_S,      /* work in bytes, by time */
	FIGURE_GFLOPS,    /* work in operations, by time */
	FIGURE_BYTES_CLK, /* work in bytes, by cycle */
	FIGURE_FMA_CLK,   /* work in multiply-adds, by cycle */
	FIGURE_EACH,      /* cycles of an operation */
	FIGURE_KB         /* of ROW_UNSAID */
};

/* A measurement. */
struct machine_row {
	const char *text, *source;
	enum machine_row_kind kind;
	enum machine_figure figure;
	double published, percent; /* the tolerance in per cent; 0: low and high are given */
	double low, high;
	const char *workload, *set; /* settings of both runs: the card's state, the kernel */
	const char *less, *more;    /* settings of the shorter and the longer run */
	double work;                /* what the longer one does more */
	const char *needs;          /* ROW_UNSAID */
};

/* Adds a row for each; rows of a machine that this build does not describe have no figure. */
void machines_say(struct book *, const char *machine, const struct machine_row *, unsigned n);

extern const struct paper machines_paper;

/* ---- kernels that several machines run */
/* Latency of a load: a chain of pointers of one thread. In the L1; in the L2, past the L1, all
 * slices in turn; in DRAM, lines that no cache has. */
#define CHASE_L1 \
	"bandwidth", \
		"bandwidth.kernel=chase bandwidth.ctas=1 bandwidth.threads=1 " \
		"bandwidth.cta_stride=1024 bandwidth.step=32", \
		"bandwidth.groups=8", "bandwidth.groups=24", 128
#define CHASE_L2 \
	"bandwidth", \
		"bandwidth.kernel=chase bandwidth.ctas=1 bandwidth.threads=1 " \
		"bandwidth.cta_stride=8192 bandwidth.step=32 l1.keeps=none", \
		"bandwidth.groups=32", "bandwidth.groups=64", 256
#define CHASE_DRAM \
	"bandwidth", \
		"bandwidth.kernel=chase bandwidth.ctas=1 bandwidth.threads=1 " \
		"bandwidth.cta_stride=1048576 bandwidth.step=2048", \
		"bandwidth.groups=8", "bandwidth.groups=40", 256

/* The same as Mei et al. take it, with the index's way to an address. */
#define MEI_L1 \
	"pointerchase", "pointerchase.fine=false pointerchase.bytes=4096 pointerchase.stride=128", \
		"pointerchase.accesses=64", "pointerchase.accesses=192", 128
#define MEI_L2 \
	"pointerchase", \
		"pointerchase.fine=false pointerchase.bytes=32768 pointerchase.stride=128 " \
		"l1.keeps=none", \
		"pointerchase.accesses=64", "pointerchase.accesses=320", 256
#define MEI_DRAM \
	"pointerchase", \
		"pointerchase.fine=false pointerchase.bytes=4194304 pointerchase.stride=8192 " \
		"pointerchase.warmup=0", \
		"pointerchase.accesses=64", "pointerchase.accesses=320", 256

/* Each access to another page: 32 or 100 pages whose lines the L2 has, or new ones; of two windows.
 */
#define MEI_PAGES(bytes, stride, warmup) \
	"pointerchase", \
		"pointerchase.fine=false pointerchase.bytes=" #bytes \
		" pointerchase.stride=" #stride " pointerchase.warmup=" #warmup, \
		"pointerchase.accesses=16", "pointerchase.accesses=80", 64
#define MEI_P2 MEI_PAGES(67112960, 2097280, 64)
#define MEI_P3 MEI_PAGES(209728000, 2097280, 200)
#define MEI_P5 MEI_PAGES(209728000, 2097280, 0)
#define MEI_P6 MEI_PAGES(1073741824, 538968192, 0)

/* Bytes of the L1 of one SM: 1024 threads, 22 KB, 64-bit loads. */
#define READ_L1 \
	"bandwidth", \
		"bandwidth.ctas=1 bandwidth.threads=1024 bandwidth.step=256 " \
		"bandwidth.groups=1 bandwidth.width=2", \
		"bandwidth.passes=8", "bandwidth.passes=40", 32 * 8 * 8 * 1024.0

/* The same by the width of a load, in words; 22 KB. */
#define READ_L1_WIDE(words, step) \
	"bandwidth", \
		"bandwidth.ctas=1 bandwidth.threads=1024 bandwidth.step=" #step \
		" bandwidth.groups=1 bandwidth.width=" #words, \
		"bandwidth.passes=8", "bandwidth.passes=40", 32 * 8 * 4 * words * 1024.0

/* CTAs of 1024 threads, words that the L2 holds, past the L1. */
#define READ_L2(number) \
	"bandwidth", \
		"bandwidth.ctas=" #number " bandwidth.threads=1024 bandwidth.step=8192 " \
		"bandwidth.groups=1 l1.keeps=none", \
		"bandwidth.passes=2", "bandwidth.passes=8", 6 * 8 * 4 * 1024.0 * number

/* 163840 threads read or copy words that no cache has; a copy moves each twice. */
#define READ_DRAM \
	"bandwidth", "bandwidth.ctas=640", "bandwidth.groups=2", "bandwidth.groups=6", \
		32 * 4 * 163840.0
#define COPY_DRAM \
	"bandwidth", "bandwidth.ctas=640 bandwidth.kernel=copy", "bandwidth.groups=1", \
		"bandwidth.groups=4", 2 * 24 * 4 * 163840.0

/* Additions of some lanes of a warp to one word of shared memory; the code is in the caches. */
#define ADD_SHARED(lanes) \
	"throughput", \
		"throughput.kernel=atomic throughput.threads=32 icache.mode=perfect " \
		"throughput.lanes=" #lanes, \
		"throughput.iterations=4", "throughput.iterations=12", 64

/* Additions to one word of global memory, each of what the one before found. */
#define CHAIN_GLOBAL \
	"throughput", "throughput.kernel=global throughput.threads=32", "throughput.iterations=4", \
		"throughput.iterations=20", 128

/* CTAs of 1024 threads, a line further each, read lines of one of `slices`, past the L1: blocks of
 * 8 KB are a slice's, whatever the card's hash is. */
#define READ_SLICE(number, step) \
	"bandwidth", \
		"chip.slice_hash=modulo chip.interleave_bytes=8192 bandwidth.ctas=" #number \
		" bandwidth.threads=1024 bandwidth.cta_stride=32 bandwidth.groups=1 l1.keeps=none " \
		"bandwidth.step=" #step, \
		"bandwidth.passes=2", "bandwidth.passes=8", 6 * 8 * 4 * 1024.0 * number

/* Independent multiply-adds of two warps of eight. */
#define TWO_WARPS(mask) \
	"throughput", "throughput.kernel=fma throughput.threads=256 throughput.warps=" #mask, \
		"throughput.iterations=8", "throughput.iterations=40", 2 * 32 * 32 * 32 * 2.0

/* Cycles of a product of matrices, of `elements`: each of what the one before gave, or of four sums
 * in turn. The code is in the caches. */
#define CHAIN_MATRIX(elements, chains) \
	"throughput", \
		"throughput.kernel=matrix throughput.threads=32 icache.mode=perfect " \
		"throughput.product=" #elements " throughput.chains=" #chains, \
		"throughput.iterations=1", "throughput.iterations=3", 64

/* Multiply-adds of an SM's 32 warps, each with a sum. Accel-Sim's tuner has such a loop. */
#define SM_MATRIX(elements, product) \
	"throughput", \
		"throughput.kernel=matrix throughput.threads=1024 icache.mode=perfect " \
		"throughput.chains=1 throughput.product=" #elements, \
		"throughput.iterations=1", "throughput.iterations=3", 64 * 32.0 * (product)

/* Operations of a CTA of eight warps for each of the `sms`: as many that the results of its first
 * warps, which are stored while the last ones multiply, are a small part. */
#define CHIP_MATRIX(sms, elements, product) \
	"throughput", \
		"throughput.kernel=matrix throughput.threads=256 icache.mode=perfect " \
		"throughput.ctas=" #sms " throughput.product=" #elements, \
		"throughput.iterations=2", "throughput.iterations=10", \
		2 * 256 * 8.0 * (sms) * (product)

/* Dependent loads of a warp from shared memory, `stride` words from lane to lane. */
#define CHASE_SHARED(words) \
	"throughput", "throughput.kernel=chase throughput.threads=32 throughput.stride=" #words, \
		"throughput.iterations=4", "throughput.iterations=12", 64

#endif
