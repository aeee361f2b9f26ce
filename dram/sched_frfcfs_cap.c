/* FR-FCFS with a cap on row hits (Mutlu and Moscibroda, MICRO 2007): a row that has had its share
 * gives way to an older request. */
#include "dram/sched.h"

#define PARAMS(P, T) \
	P(T, UINT, cap, 4, 1, 65536, "bursts", \
		"Reads and writes of an open row before an older burst.")

struct frfcfs_cap {
	struct {
		PARAMS(PARAM_FIELD, frfcfs_cap)
	} p;
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, frfcfs_cap)};

static bool passes(const void *self, const struct dram_sched_view *v, unsigned columns)
{
	(void)v;
	return columns < ((const struct frfcfs_cap *)self)->p.cap;
}

static const struct dram_sched_ops ops = {.passes = passes};

const struct plugin dram_sched_frfcfs_cap = {
	.kind = "dram scheduler",
	.name = "frfcfs_cap",
	.text = "FR-FCFS in which an open row has so many reads and writes before older requests.",
	.size = sizeof(struct frfcfs_cap),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
};
