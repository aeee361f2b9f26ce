/* Measurements of a TITAN V at 1200 MHz by Accel-Sim's tuner: accel-sim/accel-sim-framework, commit
 * 2260456e, util/tuner/GPU_Microbenchmark/output.file. */
#include "papers/machines/machines.h"

#include "core/base.h"

#define TUNER "Accel-Sim's tuner"

static const struct machine_row rows[] = {
	{"L1 hit", TUNER, ROW_CALIBRATION, FIGURE_EACH, 33.7, 2, 0, 0, CHASE_L1, NULL},
	{"L2 hit", TUNER, ROW_CALIBRATION, FIGURE_EACH, 211.1, 2, 0, 0, CHASE_L2, NULL},
	{"DRAM", TUNER, ROW_CALIBRATION, FIGURE_EACH, 313.5, 2, 0, 0, CHASE_DRAM, NULL},
	{"L1 bandwidth of an SM, 32-bit loads", TUNER, ROW_BLIND, FIGURE_BYTES_CLK, 78.3, 10, 0, 0,
		READ_L1_WIDE(1, 512), NULL},
	{"L1 bandwidth of an SM, 64-bit loads", TUNER, ROW_BLIND, FIGURE_BYTES_CLK, 122.8, 10, 0, 0,
		READ_L1_WIDE(2, 256), NULL},
	{"L1 bandwidth of an SM, 128-bit loads", TUNER, ROW_BLIND, FIGURE_BYTES_CLK, 116.4, 10, 0,
		0, READ_L1_WIDE(4, 128), NULL},
	{"L2 bandwidth: chose the network", TUNER, ROW_CALIBRATION, FIGURE_BYTES_CLK, 1375, 5, 0, 0,
		READ_L2(160), NULL},
	{"DRAM read", TUNER, ROW_BLIND, FIGURE_GB_S, 521, 5, 0, 0, READ_DRAM, NULL},
	{.text = "launch",
		.source = TUNER,
		.kind = ROW_UNSAID,
		.figure = FIGURE_EACH,
		.published = 7258,
		.needs = "the host and its driver"},
	{"wmma 16 x 16 x 16, sum of f32", TUNER, ROW_CALIBRATION, FIGURE_EACH, 35.35, 5, 0, 0,
		CHAIN_MATRIX(f16, 1), NULL},
	{"wmma 16 x 16 x 16, sum of f16", TUNER, ROW_COUNTED, FIGURE_EACH, 33, 5, 0, 0,
		CHAIN_MATRIX(half, 1), NULL},
	{"products of f16 of an SM, sums of f32", TUNER, ROW_COUNTED, FIGURE_FMA_CLK, 478.7, 5, 0,
		0, SM_MATRIX(f16, 4096), NULL},
	{"products of f16 of an SM, sums of f16", TUNER, ROW_COUNTED, FIGURE_FMA_CLK, 509.4, 5, 0,
		0, SM_MATRIX(half, 4096), NULL},
	{"global atomicAdd", TUNER, ROW_BLIND, FIGURE_EACH, 243.6, 5, 0, 0, CHAIN_GLOBAL, NULL},
};

static void say(struct book *b)
{
	machines_say(b, "titanv", rows, ARRAY_LEN(rows));
}

const struct target machines_titanv = {
	.order = 55,
	.name = "titanv",
	.text = "TITAN V: caches, DRAM, tensor cores.",
	.paper = &machines_paper,
	.rows = say,
};
