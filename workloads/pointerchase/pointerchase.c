/* pointerchase: one thread's dependent loads through an array, uniform or non-uniform strides. */
#include "workloads/workload.h"

/* As in pointerchase.cu. */
#define MOST 2048

#define PARAMS(P, T) \
	P(T, UINT, bytes, 0, 0, 1073741824, "bytes", \
		"Size of the array, a multiple of 4; 0 = by size: 98304 at small, 67108864 " \
		"at full.") \
	P(T, UINT, stride, 128, 4, 1073741824, "bytes", \
		"From an element to the next, a multiple of 4; round and round in the array.") \
	P(T, UINT, far_stride, 0, 0, 1073741824, "bytes", \
		"Of every far_every-th access; beyond the end the chase starts again. 0: all " \
		"strides are equal.") \
	P(T, UINT, far_every, 8, 1, 65536, "accesses", "How often far_stride is taken.") \
	P(T, UINT, accesses, 1024, 1, MOST, "accesses", "Accesses that are timed.") \
	P(T, UINT, warmup, 768, 0, 16777216, "accesses", "Accesses before those.") \
	P(T, BOOL, fine, true, 0, 1, "", \
		"The fine-grained chase, that stamps every access with the clock.") \
	P(T, BOOL, classic, true, 0, 1, "", \
		"The classic chase, that takes the time of all accesses together.")

struct pointerchase {
	struct {
		PARAMS(PARAM_FIELD, pointerchase)
	} p;
	uint32_t bytes, words;
	buffer_t latencies;
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, pointerchase)};

static int check_params(const struct pointerchase *w, struct err *err)
{
	const struct {
		const char *name;
		uint64_t bytes;
	} sizes[] = {{"bytes", w->bytes}, {"stride", w->p.stride}, {"far_stride", w->p.far_stride}};

	for (unsigned i = 0; i < ARRAY_LEN(sizes); i++)
		if (sizes[i].bytes % 4)
			return err_add(err, ERR_INPUT,
				"pointerchase.%s = %llu: must be a multiple of 4 bytes",
				sizes[i].name, (unsigned long long)sizes[i].bytes);
	for (unsigned i = 1; i < ARRAY_LEN(sizes); i++)
		if (sizes[i].bytes > w->bytes)
			return err_add(err, ERR_INPUT,
				"pointerchase.%s = %llu: must be at most pointerchase.bytes = %u",
				sizes[i].name, (unsigned long long)sizes[i].bytes, w->bytes);
	return 0;
}

/* All elements lead one stride further; those that a non-uniform chase passes, from the first on,
 * by that access's stride. */
static uint32_t *make_array(struct workload_run *run)
{
	const struct pointerchase *w = run->state;
	uint32_t *next = arena_alloc(run->arena, w->words, sizeof(*next));
	uint32_t near = (uint32_t)(w->p.stride / 4), far = (uint32_t)(w->p.far_stride / 4);
	uint64_t at = 0;

	for (uint32_t i = 0; i < w->words; i++)
		next[i] = (uint32_t)(((uint64_t)i + near) % w->words);
	for (uint64_t i = 1; far && at < w->words; i++) {
		uint64_t to = at + (i % w->p.far_every ? near : far);

		next[at] = to < w->words ? (uint32_t)to : 0;
		at = to;
	}
	return next;
}

static int launch(struct workload_run *run, module_t module, const char *kernel, buffer_t array,
	struct err *err)
{
	struct pointerchase *w = run->state;
	int32_t warmup = (int32_t)w->p.warmup, accesses = (int32_t)w->p.accesses;

	return workload_launch(run,
		&(struct launch){
			.module = module,
			.kernel = kernel,
			.grid = {1, 1, 1},
			.block = {1, 1, 1},
			.args = (struct launch_arg[]){ARG_BUF(array), ARG_VAL(warmup),
				ARG_VAL(accesses), ARG_BUF(run->result), ARG_BUF(w->latencies)},
			.nargs = 5,
		},
		err);
}

static int setup(struct workload_run *run, struct err *err)
{
	struct pointerchase *w = run->state;
	module_t module = workload_module(run, "pointerchase", err);
	buffer_t array;

	w->bytes = workload_by_size(run, w->p.bytes, 98304, 67108864);
	w->words = w->bytes / 4;
	if (check_params(w, err))
		return -1;
	array = workload_buffer(run, "array", make_array(run), w->bytes, err);
	workload_result(run, "visited", NULL, (w->p.accesses + 1) * 4, err);
	w->latencies = workload_buffer(run, "latencies", NULL, (w->p.accesses + 2) * 4, err);
	if (!module || !array || !run->result || !w->latencies)
		return -1;
	if (w->p.fine && launch(run, module, "pointerchase_fine", array, err))
		return -1;
	if (w->p.classic && launch(run, module, "pointerchase_classic", array, err))
		return -1;
	return 0;
}

/* Where a non-uniform chase is after k accesses of a round. */
static uint64_t place_in_round(const struct pointerchase *w, uint64_t k)
{
	uint64_t far = k / w->p.far_every;

	return (k - far) * (w->p.stride / 4) + far * (w->p.far_stride / 4);
}

/* The element that the n-th access finds: a product for equal strides, else by rounds of equal
 * length. */
static uint32_t nth(const struct pointerchase *w, uint64_t n, uint64_t round)
{
	if (!w->p.far_stride)
		return (uint32_t)(n * (w->p.stride / 4) % w->words);
	return (uint32_t)place_in_round(w, n % round);
}

static uint64_t round_of(const struct pointerchase *w)
{
	uint64_t k = 1;

	while (w->p.far_stride && place_in_round(w, k) < w->words)
		k++;
	return k;
}

/* More than an access takes besides its load. */
#define OVERHEAD_CYCLES 200

static int wrong_latency(uint32_t i, uint32_t value, struct err *err)
{
	return err_add(err, ERR_CHECK,
		"latencies[%u] is %u: does not fit with the others (a load takes a cycle or more, "
		"a chase as long as its loads and little more)",
		i, value);
}

/* Without time no clock advances. */
static int check_latencies(struct workload_run *run, struct err *err)
{
	const struct pointerchase *w = run->state;
	uint32_t n = (uint32_t)w->p.accesses;
	uint32_t *latency = arena_alloc(run->arena, n + 2, sizeof(*latency));
	uint64_t sum = 0, most = UINT32_MAX / 2;
	bool any = false;

	gpu_read(run->gpu, w->latencies, 0, latency, (n + 2) * sizeof(*latency));
	for (uint32_t i = 0; i < n + 2; i++)
		any |= latency[i] > 0;
	if (!any)
		return 0;
	for (uint32_t i = 0; i < n && w->p.fine; i++) {
		sum += latency[i];
		if (!latency[i])
			return wrong_latency(i, latency[i], err);
		most = sum + (i + 1) * OVERHEAD_CYCLES;
	}
	if (w->p.fine && (latency[n] < sum || latency[n] > most))
		return wrong_latency(n, latency[n], err);
	if (w->p.classic && (latency[n + 1] < n || latency[n + 1] > most))
		return wrong_latency(n + 1, latency[n + 1], err);
	return 0;
}

static int check(struct workload_run *run, struct err *err)
{
	const struct pointerchase *w = run->state;
	uint32_t n = (uint32_t)w->p.accesses;
	int32_t *expected = arena_alloc(run->arena, n + 1, sizeof(*expected));
	uint64_t round = round_of(w);

	for (uint32_t i = 0; i < n && w->p.fine; i++)
		expected[i] = (int32_t)nth(w, w->p.warmup + i + 1, round);
	if (w->p.classic)
		expected[n] = (int32_t)nth(w, w->p.warmup + n, round);
	if (workload_check_i32(run, expected, n + 1, err))
		return -1;
	return check_latencies(run, err);
}

static const char *const variants[] = {"pointerchase.warmup=0 pointerchase.accesses=1",
	"pointerchase.far_stride=4096 pointerchase.far_every=5 pointerchase.accesses=100",
	"pointerchase.warmup=1 pointerchase.accesses=2", NULL};

static const struct workload_ops ops = {
	.computes =
		"Latency of every load of a chain (buffer latencies), and where it went (visited).",
	.source = "Mei et al., NPC 2014 (Saavedra and Smith, IEEE TC 1995)",
	.calibrates = "latencies, capacities and associativities of caches and TLBs",
	.setup = setup,
	.check = check,
	.variants = variants,
};

const struct plugin pointerchase_workload = {
	.kind = "workload",
	.name = "pointerchase",
	.text = "Pointer chase: one thread, one load at a time.",
	.path = "pointerchase",
	.size = sizeof(struct pointerchase),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
};
