/* histogram: 64 and 256 bins, counted in shared memory. */
#include "workloads/workload.h"

/* As in histogram.cu. */
#define BINS_64 64u
#define THREADS_64 64u
#define BINS_256 256u
#define THREADS_256 192u
#define THREADS_MERGE 256u

/* Partial histograms that SDK 2's merge takes, whatever was launched. */
#define FOREIGN_PARTIALS 64u

#define PARAMS(P, T) \
	P(T, UINT, bytes, 0, 0, 671088640, "bytes", \
		"Length of the data, a multiple of 16; 0 = by size: 262144 at small, 33554432 at " \
		"full (the SDK's are 67108864).") \
	P(T, UINT, values, 256, 1, 256, "values", \
		"Values of a byte, from 0: with few of them the lanes of a warp meet in one counter.") \
	P(T, UINT, vectors, 15, 1, 15, "vectors of 16 bytes", \
		"What a thread counts into 64 bins, which it has as bytes.") \
	P(T, UINT, ctas, 240, 1, 65535, "CTAs", "CTAs that count into 256 bins.") \
	P(T, CHOICE, atomics, 0, 0, 2, "none|shared|global", \
		"In 256 bins: lanes take turns in a warp's counters, or count there by atomics; " \
		"global: they take turns, and CTAs add to the result by atomics.")

enum atomics { ATOMICS_NONE, ATOMICS_SHARED, ATOMICS_GLOBAL };

struct histogram {
	struct {
		PARAMS(PARAM_FIELD, histogram)
	} p;
	uint32_t bytes, words;
	uint8_t *data;
	module_t module;
	buffer_t d_data, bins64, bins256;
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, histogram)};

/* Uniform bytes, as the SDK's. */
static void draw_data(struct workload_run *run)
{
	struct histogram *w = run->state;
	struct rng rng = rng_new(run->seed, 0);

	w->data = arena_alloc(run->arena, w->bytes, 1);
	for (uint32_t i = 0; i < w->bytes; i++)
		w->data[i] = (uint8_t)rng_below(&rng, (uint32_t)w->p.values);
}

/* Counts `data` into partial histograms, or the result. */
static int launch_count(struct workload_run *run, const char *kernel, buffer_t to, uint32_t ctas,
	uint32_t threads, struct err *err)
{
	struct histogram *w = run->state;

	return workload_launch(run,
		&(struct launch){
			.module = w->module,
			.kernel = kernel,
			.grid = {ctas, 1, 1},
			.block = {threads, 1, 1},
			.args = (struct launch_arg[]){ARG_BUF(to), ARG_BUF(w->d_data),
				ARG_VAL(w->words)},
			.nargs = 3,
		},
		err);
}

struct merge {
	const char *kernel;
	uint32_t bins;
	buffer_t from, to;
	uint32_t partials;
};

static int launch_merge(struct workload_run *run, const struct merge *m, struct err *err)
{
	struct histogram *w = run->state;

	return workload_launch(run,
		&(struct launch){
			.module = w->module,
			.kernel = m->kernel,
			.grid = {m->bins, 1, 1},
			.block = {THREADS_MERGE, 1, 1},
			.args = (struct launch_arg[]){ARG_BUF(m->to), ARG_BUF(m->from),
				ARG_VAL(m->partials)},
			.nargs = 3,
		},
		err);
}

static int count_64(struct workload_run *run, struct err *err)
{
	struct histogram *w = run->state;
	uint32_t ctas = (uint32_t)div_up(w->bytes, w->p.vectors * 16 * THREADS_64);
	buffer_t partials;

	partials = workload_buffer(
		run, "partials64", NULL, (uint64_t)ctas * BINS_64 * sizeof(uint32_t), err);
	w->bins64 = workload_buffer(run, "bins64", NULL, BINS_64 * sizeof(uint32_t), err);
	if (!partials || !w->bins64)
		return -1;
	if (launch_count(run, "histogram64", partials, ctas, THREADS_64, err))
		return -1;
	return launch_merge(
		run, &(struct merge){"histogram64_merge", BINS_64, partials, w->bins64, ctas}, err);
}

static int count_256(struct workload_run *run, struct err *err)
{
	struct histogram *w = run->state;
	uint32_t ctas = (uint32_t)w->p.ctas;
	uint64_t bytes = max_u64(ctas, FOREIGN_PARTIALS) * BINS_256 * sizeof(uint32_t);
	bool turns = w->p.atomics == ATOMICS_NONE;
	buffer_t partials;

	if (w->p.atomics == ATOMICS_GLOBAL)
		return launch_count(run, "histogram256_global", w->bins256, ctas, THREADS_256, err);
	partials = workload_buffer(run, "partials256", NULL, bytes, err);
	if (!partials)
		return -1;
	if (launch_count(run, turns ? "histogram256" : "histogram256_shared", partials, ctas,
		    THREADS_256, err))
		return -1;
	/* SDK 2's merge leaves the sums in the first partial histogram. */
	if (run->foreign)
		w->bins256 = run->result = partials;
	return launch_merge(run,
		&(struct merge){"histogram256_merge", BINS_256, partials, w->bins256, ctas}, err);
}

static int setup(struct workload_run *run, struct err *err)
{
	struct histogram *w = run->state;

	w->bytes = workload_by_size(run, w->p.bytes, 262144, 33554432);
	if (w->bytes % 16)
		return err_add(
			err, ERR_INPUT, "histogram.bytes = %u: must be a multiple of 16", w->bytes);
	w->words = w->bytes / 4;
	w->module = workload_module(run, "histogram", err);
	draw_data(run);
	w->d_data = workload_buffer(run, "data", w->data, w->bytes, err);
	w->bins256 = workload_result(run, "bins256", NULL, BINS_256 * sizeof(uint32_t), err);
	if (!w->module || !w->d_data || !w->bins256)
		return -1;
	if (count_64(run, err))
		return -1;
	return count_256(run, err);
}

static int check(struct workload_run *run, struct err *err)
{
	const struct histogram *w = run->state;
	buffer_t result = run->result;
	const char *name = run->result_name;
	int32_t bins[BINS_256] = {0}, merged[BINS_64] = {0};
	int status;

	for (uint32_t i = 0; i < w->bytes; i++)
		bins[w->data[i]]++;
	for (uint32_t i = 0; i < BINS_256; i++)
		merged[i * BINS_64 / BINS_256] += bins[i];
	run->result = w->bins64;
	run->result_name = "bins64";
	status = workload_check_i32(run, merged, BINS_64, err);
	run->result = result;
	run->result_name = name;
	return status ? -1 : workload_check_i32(run, bins, BINS_256, err);
}

/* More partial histograms than threads that merge them; one value, whose counters go up to where a
 * byte ends; less data than threads. */
static const char *const variants[] = {
	"histogram.bytes=327696 histogram.vectors=1 histogram.ctas=300 histogram.atomics=shared",
	"histogram.bytes=30720 histogram.values=1 histogram.ctas=41",
	"histogram.bytes=4112 histogram.ctas=2 histogram.atomics=global",
	"histogram.bytes=16 histogram.ctas=1 histogram.atomics=shared",
	"histogram.bytes=16 histogram.ctas=1 histogram.atomics=global", NULL};

/* The kernels of SDK 2 have a counter for each of six threads where ours has one for each of six
 * warps. That with 64 bins adds to the first partial histogram by atomics. */
#define SDK2 "_Z18histogram256KernelPjS_i"

static const struct workload_foreign foreign[] = {
	FOREIGN("sdk2.2/histogram64.ptx", "histogram64", "_Z17histogram64KernelPjS_i", NULL),
	FOREIGN("sdk2.2/histogram64.ptx", "histogram64_merge", "_Z22mergeHistogram64KernelPjS_j",
		NULL),
	{.file = "sdk2.2/histogram256_SM10.ptx",
		.name = "histogram256",
		.theirs = SDK2,
		.ctas = FOREIGN_PARTIALS,
		.threads = 6},
	{.file = "sdk2.2/histogram256_SM10.ptx",
		.name = "histogram256_merge",
		.theirs = "_Z23mergeHistogram256KernelPj",
		.arguments = "1",
		.threads = FOREIGN_PARTIALS},
	{.file = "sdk2.2/histogram256_SM12.ptx",
		.name = "histogram256_shared",
		.theirs = SDK2,
		.ctas = FOREIGN_PARTIALS,
		.threads = 6},
	{.file = "sdk2.2/histogram256_SM11.ptx",
		.name = "histogram256_global",
		.theirs = SDK2,
		.ctas = FOREIGN_PARTIALS,
		.threads = 6},
	{.file = NULL},
};

static const struct workload_ops ops = {
	.computes = "Bytes in 64 and in 256 bins, the sums of partial histograms.",
	.source = "CUDA SDK 3.2, histogram (Podlozhnyuk, 2007)",
	.setup = setup,
	.check = check,
	.variants = variants,
	.foreign = foreign,
};

const struct plugin histogram_workload = {
	.kind = "workload",
	.name = "histogram",
	.text = "Histograms: counters in shared memory, whose lanes collide.",
	.path = "histogram",
	.size = sizeof(struct histogram),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
};
