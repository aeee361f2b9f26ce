/* FR-FCFS with a cap on row hits (Mutlu and Moscibroda, MICRO 2007): after that many row hits an
 * older request has priority. */
#include "dram/sched.h"

#include "core/state.h"

#define PARAMS(P, T) \
	P(T, UINT, cap, 4, 1, 65536, "bursts", "Row hits served before an older burst.")

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
	.text = "FR-FCFS with a limit on the row hits served before older requests.",
	.size = sizeof(struct frfcfs_cap),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
	.state = state_none,
};
