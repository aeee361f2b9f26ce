/* texturechase: one thread's dependent fetches through a texture, and how long each takes. */
#include "workloads/workload.h"

/* As in texturechase.cu. */
#define MOST 2048

#define PARAMS(P, T) \
	P(T, UINT, bytes, 0, 0, 268435456, "bytes", \
		"Size of the texture, a multiple of 4; 0 = by size: 98304 at small, 67108864 " \
		"at full.") \
	P(T, UINT, stride, 32, 4, 268435456, "bytes", \
		"From a texel to the next, a multiple of 4; round and round in the texture.") \
	P(T, UINT, accesses, 1024, 1, MOST, "accesses", "Accesses that are timed.") \
	P(T, UINT, warmup, 256, 0, 16777216, "accesses", "Accesses before those.")

struct texturechase {
	struct {
		PARAMS(PARAM_FIELD, texturechase)
	} p;
	uint32_t bytes, texels;
	buffer_t latencies;
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, texturechase)};

static int check_params(const struct texturechase *w, struct err *err)
{
	if (w->bytes % 4 || w->p.stride % 4)
		return err_add(err, ERR_INPUT,
			"texturechase.bytes = %u, texturechase.stride = %llu: must be multiples of "
			"4 bytes",
			w->bytes, (unsigned long long)w->p.stride);
	if (w->p.stride > w->bytes)
		return err_add(err, ERR_INPUT,
			"texturechase.stride = %llu: must be at most texturechase.bytes = %u",
			(unsigned long long)w->p.stride, w->bytes);
	return 0;
}

static uint32_t *make_chain(struct workload_run *run)
{
	const struct texturechase *w = run->state;
	uint32_t *next = arena_alloc(run->arena, w->texels, sizeof(*next));

	for (uint64_t i = 0; i < w->texels; i++)
		next[i] = (uint32_t)((i + w->p.stride / 4) % w->texels);
	return next;
}

static int make_texture(struct workload_run *run, module_t module, buffer_t chain, struct err *err)
{
	const struct texturechase *w = run->state;
	texture_t t = gpu_texture(run->gpu, "chain",
		&(struct texture_desc){
			.buffer = chain, .type = TEXEL_S32, .channels = 1, .width = w->texels},
		err);

	return t ? workload_bind(run, module, "chain", t, err) : -1;
}

static int setup(struct workload_run *run, struct err *err)
{
	struct texturechase *w = run->state;
	module_t module = workload_module(run, "texturechase", err);
	int32_t warmup = (int32_t)w->p.warmup, accesses = (int32_t)w->p.accesses;
	buffer_t chain;

	w->bytes = workload_by_size(run, w->p.bytes, 98304, 67108864);
	w->texels = w->bytes / 4;
	if (check_params(w, err))
		return -1;
	chain = workload_buffer(run, "chain", make_chain(run), w->bytes, err);
	workload_result(run, "visited", NULL, (w->p.accesses + 1) * 4, err);
	w->latencies = workload_buffer(run, "latencies", NULL, (w->p.accesses + 1) * 4, err);
	if (!module || !chain || !run->result || !w->latencies ||
		make_texture(run, module, chain, err))
		return -1;
	return workload_launch(run,
		&(struct launch){
			.module = module,
			.kernel = "texturechase",
			.grid = {1, 1, 1},
			.block = {1, 1, 1},
			.args = (struct launch_arg[]){ARG_VAL(warmup), ARG_VAL(accesses),
				ARG_BUF(run->result), ARG_BUF(w->latencies)},
			.nargs = 4,
		},
		err);
}

/* More than an access takes besides its fetch. */
#define OVERHEAD_CYCLES 200

/* Without time no clock advances. */
static int check_latencies(struct workload_run *run, struct err *err)
{
	const struct texturechase *w = run->state;
	uint32_t n = (uint32_t)w->p.accesses, least = UINT32_MAX;
	uint32_t *latency = arena_alloc(run->arena, n + 1, sizeof(*latency));
	uint64_t sum = 0;

	gpu_read(run->gpu, w->latencies, 0, latency, (n + 1) * sizeof(*latency));
	for (uint32_t i = 0; i < n; i++) {
		sum += latency[i];
		least = latency[i] < least ? latency[i] : least;
	}
	if (!sum && !latency[n])
		return 0;
	if (least == 0 || latency[n] < sum || latency[n] > sum + n * OVERHEAD_CYCLES)
		return err_add(err, ERR_CHECK,
			"latencies: the shortest is %u, all together are %llu cycles, the whole "
			"chase took %u: a fetch takes a cycle or more, a chase as long as its "
			"fetches and little more",
			least, (unsigned long long)sum, latency[n]);
	return 0;
}

static int check(struct workload_run *run, struct err *err)
{
	const struct texturechase *w = run->state;
	uint32_t n = (uint32_t)w->p.accesses;
	int32_t *expected = arena_alloc(run->arena, n + 1, sizeof(*expected));

	for (uint32_t i = 0; i < n; i++)
		expected[i] = (int32_t)((w->p.warmup + i + 1) * (w->p.stride / 4) % w->texels);
	expected[n] = (int32_t)(w->p.warmup * (w->p.stride / 4) % w->texels);
	if (workload_check_i32(run, expected, n + 1, err))
		return -1;
	return check_latencies(run, err);
}

/* Fetches that hit and miss, and a pipe faster than either, so that they differ. */
static const char *const variants[] = {"texturechase.warmup=0 texturechase.accesses=1",
	"texturechase.warmup=1 texturechase.accesses=2 texturechase.stride=4",
	"texturechase.warmup=32 texturechase.accesses=100 texturechase.stride=4 "
	"sm.texture_cycles=2",
	NULL};

static const struct workload_ops ops = {
	.computes =
		"Latency of every fetch of a chain (buffer latencies), and where it went (visited).",
	.source = "Mei et al., NPC 2014 (Saavedra and Smith, IEEE TC 1995)",
	.calibrates = "latencies and capacities of texture caches",
	.setup = setup,
	.check = check,
	.variants = variants,
};

const struct plugin texturechase_workload = {
	.kind = "workload",
	.name = "texturechase",
	.text = "Texture pointer chase: one thread, one fetch at a time.",
	.path = "texturechase",
	.size = sizeof(struct texturechase),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
};
