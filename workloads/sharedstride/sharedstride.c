/* sharedstride: the latency of shared memory under bank conflicts, by the distance of lanes. */
#include "workloads/workload.h"

/* As in sharedstride.cu. */
#define WORDS 4096
#define STEPS 64
#define LANES 32u

#define PARAMS(P, T) \
	P(T, UINT, stride, 2, 0, WORDS - 1, "words", "From a lane's word to the next lane's.") \
	P(T, UINT, hop, 33, 0, WORDS - 1, "words", "From a lane's word to its next one.") \
	P(T, UINT, iterations, 0, 0, 100000, "walks", \
		"Walks of 64 steps, of which the first is not timed; 0 = by size: 9 at " \
		"small, 129 at full.")

struct sharedstride {
	struct {
		PARAMS(PARAM_FIELD, sharedstride)
	} p;
	uint32_t iterations;
	buffer_t cycles;
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, sharedstride)};

static int setup(struct workload_run *run, struct err *err)
{
	struct sharedstride *w = run->state;
	module_t module = workload_module(run, "sharedstride", err);
	uint32_t stride = (uint32_t)w->p.stride, hop = (uint32_t)w->p.hop;

	w->iterations = workload_by_size(run, w->p.iterations, 9, 129);
	workload_result(run, "end", NULL, LANES * 4, err);
	w->cycles = workload_buffer(run, "cycles", NULL, LANES * 4, err);
	if (!module || !run->result || !w->cycles)
		return -1;
	return workload_launch(run,
		&(struct launch){
			.module = module,
			.kernel = "sharedstride",
			.grid = {1, 1, 1},
			.block = {LANES, 1, 1},
			.args = (struct launch_arg[]){ARG_VAL(stride), ARG_VAL(hop),
				ARG_VAL(w->iterations), ARG_BUF(run->result), ARG_BUF(w->cycles)},
			.nargs = 5,
		},
		err);
}

/* Without time no clock advances; with time the warp's lanes wait together, and each of their
 * steps takes a cycle or more. */
static int check_cycles(struct workload_run *run, struct err *err)
{
	const struct sharedstride *w = run->state;
	uint32_t cycles[LANES], least = (w->iterations - 1) * STEPS;

	gpu_read(run->gpu, w->cycles, 0, cycles, sizeof(cycles));
	for (unsigned i = 0; i < LANES; i++)
		if (cycles[i] != cycles[0] || (cycles[i] && cycles[i] < least))
			return err_add(err, ERR_CHECK,
				"cycles[%u] is %u: must be cycles[0] = %u and at least %u, a cycle "
				"a step",
				i, cycles[i], cycles[0], least);
	return 0;
}

static int check(struct workload_run *run, struct err *err)
{
	const struct sharedstride *w = run->state;
	uint64_t way = (uint64_t)w->iterations * STEPS * w->p.hop;
	int32_t expected[LANES];

	for (uint64_t i = 0; i < LANES; i++)
		expected[i] = (int32_t)((i * w->p.stride + way) % WORDS);
	if (workload_check_i32(run, expected, LANES, err))
		return -1;
	return check_cycles(run, err);
}

static const struct workload_ops ops = {
	.computes = "Cycles of a warp's chain of loads (buffer cycles), and where it ends.",
	.source = "Mei et al., NPC 2014, shared memory with stride",
	.calibrates = "latency and conflicts of shared memory",
	.setup = setup,
	.check = check,
};

const struct plugin sharedstride_workload = {
	.kind = "workload",
	.name = "sharedstride",
	.text = "Stride through shared memory: one warp, bank conflicts by choice.",
	.path = "sharedstride",
	.size = sizeof(struct sharedstride),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
};
