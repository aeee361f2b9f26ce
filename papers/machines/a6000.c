/* Measurements of an RTX A6000: Huerta et al., Analyzing Modern NVIDIA GPU Cores, MICRO 2025. */
#include "papers/machines/machines.h"

#include "core/base.h"

#define HUERTA "Huerta et al. 2025, table 2"
#define QUEUES "queues of memory instructions of each sub-core"
#define ISSUE(what, cycles) \
	{ \
		.text = what, .source = "Huerta et al. 2025, table 1", .kind = ROW_UNSAID, \
		.figure = FIGURE_EACH, .published = cycles, .needs = QUEUES \
	}

static const struct machine_row rows[] = {
	{"L1 hit, 32 bits", HUERTA, ROW_CALIBRATION, FIGURE_EACH, 32, 2, 0, 0, CHASE_L1, NULL},
	{"shared memory, 32 bits", HUERTA, ROW_CALIBRATION, FIGURE_EACH, 24, 2, 0, 0,
		CHASE_SHARED(1), NULL},
	ISSUE("5th independent load of a sub-core, issued in", 6),
	ISSUE("6th independent load of a sub-core, issued in", 13),
	ISSUE("7th independent load of a sub-core, issued in", 17),
	ISSUE("6th load of the last of four sub-cores, issued in", 19),
};

static void say(struct book *b)
{
	machines_say(b, "a6000", rows, ARRAY_LEN(rows));
}

const struct target machines_a6000 = {
	.order = 65,
	.name = "a6000",
	.text = "RTX A6000: latencies of a core.",
	.paper = &machines_paper,
	.rows = say,
};
