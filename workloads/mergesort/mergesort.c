/* mergesort: keys with values, sorted in tiles, then merged by segments of twice the length each
 * pass. */
#include "workloads/workload.h"

#include <stdlib.h>

/* As in mergesort.cu. */
#define TILE 1024u
#define SAMPLE 128u

#define SAMPLE_THREADS 256u

#define PARAMS(P, T) \
	P(T, UINT, n, 0, 0, 4194304, "elements", \
		"Elements, a multiple of 1024; 0 = by size: 8192 at small, 524288 at full (the " \
		"SDK's are 4194304).") \
	P(T, UINT, range, 65536, 1, UINT32_MAX, "", "Keys are random and below it.")

/* Elements on the device. */
struct pairs {
	buffer_t key, value;
};

struct mergesort {
	struct {
		PARAMS(PARAM_FIELD, mergesort)
	} p;
	uint32_t n, passes;
	uint32_t *key, *value; /* before the sort; an element's value is its index */
	uint32_t *rest;        /* what the host copies */
	uint32_t stride; /* elements of the sorted segments that are merged; 0: tiles are sorted */
	struct pairs from, to; /* exchanged after each pass */
	buffer_t ranks[2], limits[2], sorted_value;
	module_t module;
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, mergesort)};

/* ---- launches */
static int launch(struct workload_run *run, struct launch l, struct err *err)
{
	const struct mergesort *w = run->state;

	l.module = w->module;
	return workload_launch(run, &l, err);
}

static int launch_tiles(struct workload_run *run, buffer_t key, buffer_t value, struct err *err)
{
	const struct mergesort *w = run->state;
	uint32_t length = TILE;

	return launch(run,
		(struct launch){
			.kernel = "mergesort_tiles",
			.grid = {w->n / TILE, 1, 1},
			.block = {TILE / 2, 1, 1},
			.args = (struct launch_arg[]){ARG_BUF(w->from.key), ARG_BUF(w->from.value),
				ARG_BUF(key), ARG_BUF(value), ARG_VAL(length)},
			.nargs = 5,
		},
		err);
}

/* Elements of the last segments that have no partner, none if all have one. */
static uint32_t rest(const struct mergesort *w)
{
	uint32_t last = w->n % (2 * w->stride);

	return last > w->stride ? 0 : last;
}

static int launch_samples(struct workload_run *run, struct err *err)
{
	const struct mergesort *w = run->state;
	uint32_t pairs = (uint32_t)div_up(w->n - rest(w), 2 * w->stride);
	uint32_t threads = pairs * (w->stride / SAMPLE);
	uint32_t ctas = (uint32_t)div_up(threads, SAMPLE_THREADS);
	struct launch_arg ranks[] = {ARG_BUF(w->ranks[0]), ARG_BUF(w->ranks[1]),
		ARG_BUF(w->from.key), ARG_VAL(w->stride), ARG_VAL(w->n), ARG_VAL(threads)};
	struct launch l = {.kernel = "mergesort_ranks",
		.grid = {ctas, 1, 1},
		.block = {SAMPLE_THREADS, 1, 1},
		.args = ranks,
		.nargs = 6};

	if (launch(run, l, err))
		return -1;
	for (unsigned i = 0; i < 2; i++) {
		struct launch_arg limits[] = {ARG_BUF(w->limits[i]), ARG_BUF(w->ranks[i]),
			ARG_VAL(w->stride), ARG_VAL(w->n), ARG_VAL(threads)};

		l.kernel = "mergesort_limits";
		l.args = limits;
		l.nargs = 5;
		if (launch(run, l, err))
			return -1;
	}
	return 0;
}

static int launch_pass(struct workload_run *run, struct err *err)
{
	const struct mergesort *w = run->state;

	if (launch_samples(run, err))
		return -1;
	return launch(run,
		(struct launch){
			.kernel = "mergesort_merge",
			.grid = {(w->n - rest(w)) / SAMPLE, 1, 1},
			.block = {SAMPLE, 1, 1},
			.args = (struct launch_arg[]){ARG_BUF(w->to.key), ARG_BUF(w->to.value),
				ARG_BUF(w->from.key), ARG_BUF(w->from.value), ARG_BUF(w->limits[0]),
				ARG_BUF(w->limits[1]), ARG_VAL(w->stride), ARG_VAL(w->n)},
			.nargs = 8,
		},
		err);
}

/* ---- setup */
static int make_buffers(struct workload_run *run, struct pairs *unsorted, struct err *err)
{
	static const char *const names[2][2] = {{"ranks_a", "limits_a"}, {"ranks_b", "limits_b"}};
	struct mergesort *w = run->state;
	uint64_t bytes = w->n * sizeof(uint32_t);
	struct pairs sorted, other;
	unsigned before = err->count;

	unsorted->key = workload_buffer(run, "unsorted_keys", w->key, bytes, err);
	unsorted->value = workload_buffer(run, "unsorted_values", w->value, bytes, err);
	sorted.key = workload_result(run, "keys", NULL, bytes, err);
	sorted.value = workload_buffer(run, "values", NULL, bytes, err);
	other.key = workload_buffer(run, "keys2", NULL, bytes, err);
	other.value = workload_buffer(run, "values2", NULL, bytes, err);
	for (unsigned i = 0; i < 2; i++) {
		w->ranks[i] = workload_buffer(run, names[i][0], NULL, bytes / SAMPLE, err);
		w->limits[i] = workload_buffer(run, names[i][1], NULL, bytes / SAMPLE, err);
	}
	/* The last pass writes the result. */
	w->from = w->passes % 2 ? other : sorted;
	w->to = w->passes % 2 ? sorted : other;
	w->sorted_value = sorted.value;
	return err->count == before ? 0 : -1;
}

static void make_elements(struct workload_run *run)
{
	struct mergesort *w = run->state;
	struct rng rng = rng_new(run->seed, 0);

	w->key = arena_alloc(run->arena, w->n, sizeof(*w->key));
	w->value = arena_alloc(run->arena, w->n, sizeof(*w->value));
	w->rest = arena_alloc(run->arena, w->n, sizeof(*w->rest));
	for (uint32_t i = 0; i < w->n; i++) {
		w->key[i] = rng_below(&rng, (uint32_t)w->p.range);
		w->value[i] = i;
	}
}

static int setup(struct workload_run *run, struct err *err)
{
	struct mergesort *w = run->state;
	struct pairs unsorted;

	w->n = workload_by_size(run, w->p.n, 8192, 524288);
	if (w->n % TILE)
		return err_add(
			err, ERR_INPUT, "mergesort.n = %u: must be a multiple of %u", w->n, TILE);
	for (w->passes = 0; TILE << w->passes < w->n;)
		w->passes++;
	make_elements(run);
	w->module = workload_module(run, "mergesort", err);
	if (!w->module || make_buffers(run, &unsorted, err))
		return -1;
	return launch_tiles(run, unsorted.key, unsorted.value, err);
}

/* ---- between passes */
static void copy(struct workload_run *run, buffer_t to, buffer_t from, uint32_t elements)
{
	struct mergesort *w = run->state;
	uint64_t at = (w->n - elements) * sizeof(uint32_t), bytes = elements * sizeof(uint32_t);

	gpu_read(run->gpu, from, at, w->rest, bytes);
	gpu_write(run->gpu, to, at, w->rest, bytes);
}

/* The host copies a segment that has no partner, and the arrays exchange their roles. */
static void finish_pass(struct workload_run *run)
{
	struct mergesort *w = run->state;
	struct pairs from = w->from;

	if (rest(w) > 0) {
		copy(run, w->to.key, w->from.key, rest(w));
		copy(run, w->to.value, w->from.value, rest(w));
	}
	w->from = w->to;
	w->to = from;
}

static int next_pass(struct workload_run *run, struct err *err)
{
	struct mergesort *w = run->state;

	if (w->stride)
		finish_pass(run);
	w->stride = w->stride ? 2 * w->stride : TILE;
	if (w->stride >= w->n)
		return 0;
	return launch_pass(run, err) ? -1 : 1;
}

/* ---- the check */
struct element {
	uint32_t key, value;
};

/* Equal keys keep their order, that of their values. */
static int by_key(const void *a, const void *b)
{
	const struct element *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (x->value > y->value) - (x->value < y->value);
}

static int check(struct workload_run *run, struct err *err)
{
	const struct mergesort *w = run->state;
	struct element *e = arena_alloc(run->arena, w->n, sizeof(*e));
	int32_t *key = arena_alloc(run->arena, w->n, sizeof(*key));
	uint32_t *value = arena_alloc(run->arena, w->n, sizeof(*value));

	for (uint32_t i = 0; i < w->n; i++)
		e[i] = (struct element){w->key[i], i};
	qsort(e, w->n, sizeof(*e), by_key);
	for (uint32_t i = 0; i < w->n; i++)
		key[i] = (int32_t)e[i].key;
	if (workload_check_i32(run, key, w->n, err))
		return -1;
	gpu_read(run->gpu, w->sorted_value, 0, value, w->n * sizeof(*value));
	for (uint32_t i = 0; i < w->n; i++)
		if (value[i] != e[i].value)
			return err_add(err, ERR_CHECK,
				"values[%u] is %u, the reference says %u: equal keys keep their "
				"order",
				i, value[i], e[i].value);
	return 0;
}

/* Odd numbers of tiles: a shorter B, and segments without a partner. One tile. Samples of more
 * pairs than a CTA ranks. */
static const char *const variants[] = {"mergesort.n=5120 mergesort.range=4294967295",
	"mergesort.n=7168 mergesort.range=30", "mergesort.n=1024", "mergesort.n=67584", NULL};

#define SDK "sdk3.2/mergeSort.ptx" /* by tools/embedded-ptx */

static const struct workload_foreign foreign[] = {
	FOREIGN(SDK, "mergesort_tiles", "_Z21mergeSortSharedKernelILj1EEvPjS0_S0_S0_j", NULL),
	FOREIGN(SDK, "mergesort_ranks", "_Z25generateSampleRanksKernelILj1EEvPjS0_S0_jjj", NULL),
	FOREIGN(SDK, "mergesort_limits", "_Z26mergeRanksAndIndicesKernelPjS_jjj", NULL),
	FOREIGN(SDK, "mergesort_merge",
		"_Z30mergeElementaryIntervalsKernelILj1EEvPjS0_S0_S0_S0_S0_jj", NULL),
	{.file = NULL},
};

static const struct workload_ops ops = {
	.computes = "Keys with values, equal keys in their old order: tiles, then merges of pairs.",
	.source = "CUDA SDK 3.2, mergeSort (Satish, Harris and Garland, IPDPS 2009)",
	.setup = setup,
	.advance = next_pass,
	.check = check,
	.variants = variants,
	.foreign = foreign,
};

const struct plugin mergesort_workload = {
	.kind = "workload",
	.name = "mergesort",
	.text = "Merge sort: binary searches in shared memory, scattered stores to it.",
	.path = "mergesort",
	.size = sizeof(struct mergesort),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
};
