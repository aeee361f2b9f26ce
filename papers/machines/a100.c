/* Measurements of an A100: RRZE-HPC/gpu-benches, commit 1038c5d0; Burtchell, IISWC 2024, as quoted
 * by others; Abdelkhalik et al. 2022, arXiv:2208.11174, table III. */
#include "papers/machines/machines.h"

#include "core/base.h"

/* As the source reads it: CTAs of 1024 threads, two on each SM, 64 words of 64 bits a thread; CTA c
 * reads 512 KB that are those of c mod sections. The second turn of all SMs. */
#define READ_L2_SECTIONS(sections) \
	"bandwidth", \
		"bandwidth.threads=1024 bandwidth.width=2 bandwidth.groups=8 bandwidth.sections=" #sections, \
		"bandwidth.ctas=216", "bandwidth.ctas=432", 216 * 524288.0

/* A barrier of a CTA of that many threads. */
#define BARRIER(threads) \
	"throughput", "throughput.kernel=barrier throughput.threads=" #threads, \
		"throughput.iterations=4", "throughput.iterations=12", 64

#define TENSOR "Abdelkhalik et al. 2022, table III"

static const struct machine_row rows[] = {
	{"L2 hit, near", "gpu-benches", ROW_CALIBRATION, FIGURE_EACH, 205.6, 5, 0, 0, CHASE_L2,
		NULL},
	{.text = "L2 hit, lines of 30 MB",
		.source = "gpu-benches",
		.kind = ROW_UNSAID,
		.figure = FIGURE_EACH,
		.published = 406,
		.needs = "a chase through 30 MB, half of whose lines are far"},
	{"DRAM", "gpu-benches", ROW_CALIBRATION, FIGURE_EACH, 541, 0, 513.95, 579.6, CHASE_DRAM,
		NULL},
	{"L2 bandwidth, 19.5 MB", "gpu-benches", ROW_COUNTED, FIGURE_GB_S, 5400, 5, 0, 0,
		READ_L2_SECTIONS(39), NULL},
	{"L2 bandwidth, 30 MB", "gpu-benches", ROW_COUNTED, FIGURE_GB_S, 4000, 5, 0, 0,
		READ_L2_SECTIONS(60), NULL},
	{"wmma 16 x 16 x 16, f16", TENSOR, ROW_COUNTED, FIGURE_EACH, 16, 5, 0, 0,
		CHAIN_MATRIX(f16, 4), NULL},
	{"wmma 16 x 16 x 8, tf32", TENSOR, ROW_COUNTED, FIGURE_EACH, 16, 5, 0, 0,
		CHAIN_MATRIX(tf32, 4), NULL},
	{"wmma 8 x 8 x 4, f64", TENSOR, ROW_CALIBRATION, FIGURE_EACH, 16, 5, 0, 0,
		CHAIN_MATRIX(f64, 4), NULL},
	{"wmma 16 x 16 x 16, u8", TENSOR, ROW_COUNTED, FIGURE_EACH, 8, 5, 0, 0, CHAIN_MATRIX(u8, 4),
		NULL},
	{"products of f16", TENSOR, ROW_COUNTED, FIGURE_GFLOPS, 311000, 5, 0, 0,
		CHIP_MATRIX(108, f16, 4096), NULL},
	{"products of tf32", TENSOR, ROW_COUNTED, FIGURE_GFLOPS, 132000, 5, 0, 0,
		CHIP_MATRIX(108, tf32, 2048), NULL},
	{"products of f64", TENSOR, ROW_COUNTED, FIGURE_GFLOPS, 19000, 5, 0, 0,
		CHIP_MATRIX(108, f64, 256), NULL},
	{"products of u8", TENSOR, ROW_COUNTED, FIGURE_GFLOPS, 594000, 5, 0, 0,
		CHIP_MATRIX(108, u8, 4096), NULL},
	{"barrier, 1 warp", "Burtchell 2024, quoted", ROW_CALIBRATION, FIGURE_EACH, 23, 5, 0, 0,
		BARRIER(32), NULL},
	{"barrier, 2 warps", "Burtchell 2024, quoted", ROW_CALIBRATION, FIGURE_EACH, 25, 5, 0, 0,
		BARRIER(64), NULL},
	{"barrier, 4 warps", "Burtchell 2024, quoted", ROW_CALIBRATION, FIGURE_EACH, 29, 5, 0, 0,
		BARRIER(128), NULL},
	{"barrier, 8 warps", "Burtchell 2024, quoted", ROW_CALIBRATION, FIGURE_EACH, 37, 5, 0, 0,
		BARRIER(256), NULL},
	{"barrier, 16 warps", "Burtchell 2024, quoted", ROW_CALIBRATION, FIGURE_EACH, 53, 5, 0, 0,
		BARRIER(512), NULL},
	{"barrier, 32 warps", "Burtchell 2024, quoted", ROW_CALIBRATION, FIGURE_EACH, 85, 5, 0, 0,
		BARRIER(1024), NULL},
};

static void say(struct book *b)
{
	machines_say(b, "a100", rows, ARRAY_LEN(rows));
}

const struct target machines_a100 = {
	.order = 70,
	.name = "a100",
	.text = "A100: L2, DRAM, barriers, tensor cores.",
	.paper = &machines_paper,
	.rows = say,
};
