/* sortingnetworks: many arrays of one length sorted by a network of comparators, then the same
 * elements as half as many arrays of twice the length, up to a single one. */
#include "workloads/workload.h"

#include <stdlib.h>
#include <string.h>

/* As in sortingnetworks.cu. */
#define TILE 1024u

#define MERGE_THREADS 256u
#define MOST_ELEMENTS 1048576u
#define MOST_SORTS 20u

#define PARAMS(P, T) \
	P(T, UINT, n, 0, 0, MOST_ELEMENTS, "elements", \
		"Elements of all arrays, a power of two; 0 = by size: 4096 at small, 65536 at " \
		"full (the SDK's are 1048576).") \
	P(T, UINT, shortest, 64, 2, MOST_ELEMENTS, "elements", \
		"Length of the arrays of the first sort, a power of two; it doubles up to n.") \
	P(T, BOOL, odd_even, false, 0, 1, "", \
		"Odd-even merge sort instead of bitonic sort, the one that the SDK's program " \
		"runs.") \
	P(T, BOOL, ascending, false, 0, 1, "", "Smallest keys first instead of last.") \
	P(T, UINT, range, 65536, 1, UINT32_MAX, "", "Keys are random and below it.")

/* What the device had after a sort. */
struct sorted {
	uint32_t *key, *value;
};

struct sortingnetworks {
	struct {
		PARAMS(PARAM_FIELD, sortingnetworks)
	} p;
	uint32_t n, sorts, done;
	uint32_t *key; /* before the first sort; an element's value is its index */
	struct sorted sorted[MOST_SORTS];
	module_t module;
	buffer_t unsorted_key, unsorted_value, value;
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, sortingnetworks)};

/* ---- launches */
struct step {
	const char *kernel;
	uint32_t threads;   /* of a CTA; each orders two elements in a step */
	bool first;         /* it reads the unsorted elements, not the result */
	uint32_t number[4]; /* the arguments behind the arrays */
	unsigned numbers;
};

static int launch(struct workload_run *run, struct step s, struct err *err)
{
	struct sortingnetworks *w = run->state;
	struct launch_arg args[8] = {ARG_BUF(run->result), ARG_BUF(w->value),
		ARG_BUF(s.first ? w->unsorted_key : run->result),
		ARG_BUF(s.first ? w->unsorted_value : w->value)};

	for (unsigned i = 0; i < s.numbers; i++)
		args[4 + i] = ARG_VAL(s.number[i]);
	return workload_launch(run,
		&(struct launch){.module = w->module,
			.kernel = s.kernel,
			.grid = {w->n / 2 / s.threads, 1, 1},
			.block = {s.threads, 1, 1},
			.args = args,
			.nargs = 4 + s.numbers},
		err);
}

static int launch_bitonic(struct workload_run *run, uint32_t length, struct err *err)
{
	const struct sortingnetworks *w = run->state;
	uint32_t up = w->p.ascending;
	struct step sort = {"bitonic_sort", TILE / 2, true, {length, up}, 2};
	struct step tiles = {.kernel = "bitonic_sort_tiles", .threads = TILE / 2, .first = true};

	if (launch(run, length <= TILE ? sort : tiles, err))
		return -1;
	for (uint32_t size = 2 * TILE; size <= length; size *= 2) {
		struct step rest = {"bitonic_merge_tiles", TILE / 2, false, {length, size, up}, 3};

		for (uint32_t stride = size / 2; stride >= TILE; stride /= 2) {
			struct step step = {"bitonic_merge", MERGE_THREADS, false,
				{length, size, stride, up}, 4};

			if (launch(run, step, err))
				return -1;
		}
		if (launch(run, rest, err))
			return -1;
	}
	return 0;
}

static int launch_odd_even(struct workload_run *run, uint32_t length, struct err *err)
{
	const struct sortingnetworks *w = run->state;
	uint32_t up = w->p.ascending;
	struct step sort = {
		"odd_even_sort", TILE / 2, true, {(uint32_t)min_u64(length, TILE), up}, 2};

	if (launch(run, sort, err))
		return -1;
	for (uint32_t size = 2 * TILE; size <= length; size *= 2)
		for (uint32_t stride = size / 2; stride > 0; stride /= 2) {
			struct step step = {
				"odd_even_merge", MERGE_THREADS, false, {size, stride, up}, 3};

			if (launch(run, step, err))
				return -1;
		}
	return 0;
}

/* The length of the arrays of a sort. */
static uint32_t length_of(const struct sortingnetworks *w, uint32_t sort)
{
	return (uint32_t)w->p.shortest << sort;
}

static int launch_sort(struct workload_run *run, struct err *err)
{
	const struct sortingnetworks *w = run->state;
	uint32_t length = length_of(w, w->done);

	return w->p.odd_even ? launch_odd_even(run, length, err) : launch_bitonic(run, length, err);
}

/* ---- setup */
static int check_sizes(struct sortingnetworks *w, struct err *err)
{
	uint64_t shortest = w->p.shortest;

	if (w->n < TILE || w->n & (w->n - 1))
		return err_add(err, ERR_INPUT,
			"sortingnetworks.n = %u: must be a power of two from %u on", w->n, TILE);
	if (shortest > w->n || shortest & (shortest - 1))
		return err_add(err, ERR_INPUT,
			"sortingnetworks.shortest = %llu: must be a power of two up to n, %u",
			(unsigned long long)shortest, w->n);
	while (length_of(w, w->sorts) < w->n)
		w->sorts++;
	w->sorts++;
	return 0;
}

static int make_buffers(struct workload_run *run, struct err *err)
{
	struct sortingnetworks *w = run->state;
	uint64_t bytes = w->n * sizeof(uint32_t);
	uint32_t *index = arena_alloc(run->arena, w->n, sizeof(*index));
	struct rng rng = rng_new(run->seed, 0);

	w->key = arena_alloc(run->arena, w->n, sizeof(*w->key));
	for (uint32_t i = 0; i < w->n; i++) {
		w->key[i] = rng_below(&rng, (uint32_t)w->p.range);
		index[i] = i;
	}
	for (uint32_t i = 0; i < w->sorts; i++) {
		w->sorted[i].key = arena_alloc(run->arena, w->n, sizeof(uint32_t));
		w->sorted[i].value = arena_alloc(run->arena, w->n, sizeof(uint32_t));
	}
	w->unsorted_key = workload_buffer(run, "unsorted_keys", w->key, bytes, err);
	w->unsorted_value = workload_buffer(run, "unsorted_values", index, bytes, err);
	w->value = workload_buffer(run, "values", NULL, bytes, err);
	return workload_result(run, "keys", NULL, bytes, err) && w->unsorted_key &&
			       w->unsorted_value && w->value
		       ? 0
		       : -1;
}

static int setup(struct workload_run *run, struct err *err)
{
	struct sortingnetworks *w = run->state;

	w->n = workload_by_size(run, w->p.n, 4096, 65536);
	if (check_sizes(w, err))
		return -1;
	w->module = workload_module(run, "sortingnetworks", err);
	if (!w->module || make_buffers(run, err))
		return -1;
	return launch_sort(run, err);
}

static void keep(struct workload_run *run, uint32_t sort)
{
	struct sortingnetworks *w = run->state;

	gpu_read(run->gpu, run->result, 0, w->sorted[sort].key, w->n * sizeof(uint32_t));
	gpu_read(run->gpu, w->value, 0, w->sorted[sort].value, w->n * sizeof(uint32_t));
}

static int next_sort(struct workload_run *run, struct err *err)
{
	struct sortingnetworks *w = run->state;

	keep(run, w->done);
	if (++w->done == w->sorts)
		return 0;
	return launch_sort(run, err) ? -1 : 1;
}

/* ---- the check */
static int by_key(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The keys of each array in order, by the C library's sort. */
static void sort_keys(const struct sortingnetworks *w, uint32_t length, uint32_t *key)
{
	memcpy(key, w->key, w->n * sizeof(*key));
	for (uint32_t start = 0; start < w->n; start += length) {
		uint32_t *array = key + start;

		qsort(array, length, sizeof(*array), by_key);
		for (uint32_t i = 0; i < length / 2 && !w->p.ascending; i++) {
			uint32_t first = array[i];

			array[i] = array[length - 1 - i];
			array[length - 1 - i] = first;
		}
	}
}

/* The values of each array are its indices, each once, and each is that of an element with the key
 * beside it: networks leave open which of several equal keys comes first. */
static int check_sort(struct workload_run *run, uint32_t sort, struct err *err)
{
	const struct sortingnetworks *w = run->state;
	const uint32_t *key = w->sorted[sort].key, *value = w->sorted[sort].value;
	uint32_t length = length_of(w, sort);
	uint32_t *expected = arena_alloc(run->arena, w->n, sizeof(*expected));
	bool *seen = arena_alloc(run->arena, w->n, sizeof(*seen));

	sort_keys(w, length, expected);
	for (uint32_t i = 0; i < w->n; i++) {
		uint32_t v = value[i];

		if (key[i] != expected[i])
			return err_add(err, ERR_CHECK,
				"keys[%u] is %u in arrays of %u, the reference says %u (integers: "
				"no tolerance)",
				i, key[i], length, expected[i]);
		if (v / length != i / length || w->key[v] != key[i] || seen[v])
			return err_add(err, ERR_CHECK,
				"values[%u] is %u in arrays of %u: not that of an element with key "
				"%u, or not for the first time",
				i, v, length, key[i]);
		seen[v] = true;
	}
	return 0;
}

static int check(struct workload_run *run, struct err *err)
{
	struct sortingnetworks *w = run->state;

	keep(run, w->sorts - 1);
	for (uint32_t sort = 0; sort < w->sorts; sort++)
		if (check_sort(run, sort, err))
			return -1;
	return 0;
}

static const char *const variants[] = {
	"sortingnetworks.n=2048 sortingnetworks.shortest=2 sortingnetworks.ascending=true "
	"sortingnetworks.range=4294967295",
	"sortingnetworks.odd_even=true",
	"sortingnetworks.n=2048 sortingnetworks.shortest=2 sortingnetworks.odd_even=true "
	"sortingnetworks.ascending=true sortingnetworks.range=4294967295",
	NULL};

#define BITONIC "sdk3.2/bitonicSort.ptx" /* by tools/embedded-ptx */
#define ODD_EVEN "sdk3.2/oddEvenMergeSort.ptx"

static const struct workload_foreign foreign[] = {
	FOREIGN(BITONIC, "bitonic_sort", "_Z17bitonicSortSharedPjS_S_S_jj", NULL),
	FOREIGN(BITONIC, "bitonic_sort_tiles", "_Z18bitonicSortShared1PjS_S_S_", NULL),
	FOREIGN(BITONIC, "bitonic_merge", "_Z18bitonicMergeGlobalPjS_S_S_jjjj", NULL),
	FOREIGN(BITONIC, "bitonic_merge_tiles", "_Z18bitonicMergeSharedPjS_S_S_jjj", NULL),
	FOREIGN(ODD_EVEN, "odd_even_sort", "_Z22oddEvenMergeSortSharedPjS_S_S_jj", NULL),
	/* Its fifth parameter, the length of an array, is not used. */
	FOREIGN(ODD_EVEN, "odd_even_merge", "_Z18oddEvenMergeGlobalPjS_S_S_jjjj",
		"0 1 2 3 #0 4 5 6"),
	{.file = NULL},
};

static const struct workload_ops ops = {
	.computes = "Keys with values, sorted as arrays of 64, then 128, up to one, by Batcher's "
		    "networks.",
	.source = "CUDA SDK 3.2, sortingNetworks (Batcher, AFIPS 1968)",
	.setup = setup,
	.advance = next_sort,
	.check = check,
	.variants = variants,
	.foreign = foreign,
};

const struct plugin sortingnetworks_workload = {
	.kind = "workload",
	.name = "sortingnetworks",
	.text = "Sorting by fixed comparisons: barriers in shared memory, or a launch a step.",
	.path = "sortingnetworks",
	.size = sizeof(struct sortingnetworks),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
};
