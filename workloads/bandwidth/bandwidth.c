/* bandwidth: reads, copies and chains of loads in global memory, by footprint, stride and width. */
#include "workloads/workload.h"

#include <inttypes.h>
#include <stdio.h>

/* As in bandwidth.cu. */
#define GROUP 8u

enum kernel { READ, COPY, WALK, CHASE };

#define PARAMS(P, T) \
	P(T, CHOICE, kernel, READ, 0, 0, "read|copy|walk|chase", \
		"Independent loads that are summed; loads and stores; a chain of loads and " \
		"additions; a chain of loads alone, of a pointer each.") \
	P(T, UINT, ctas, 0, 0, 65536, "CTAs", "CTAs; 0 = by size: 8 at small, 512 at full.") \
	P(T, UINT, threads, 256, 1, 1024, "threads", "Threads of a CTA.") \
	P(T, UINT, width, 1, 1, 4, "words", \
		"Words of an element that is read: 1, 2, 4; other kernels: 1.") \
	P(T, UINT, cta_stride, 0, 0, 16777216, "elements", \
		"From a CTA's first element to the next CTA's; 0: as many as threads.") \
	P(T, UINT, thread_stride, 1, 0, 16777216, "elements", \
		"From a thread's first element to the next thread's.") \
	P(T, UINT, step, 0, 0, 16777216, "elements", \
		"From an element of a thread to its next one; 0: threads of all CTAs.") \
	P(T, UINT, groups, 4, 1, 1048576, "groups", \
		"Groups of eight elements of a thread; chains begin again in their CTA's " \
		"elements.") \
	P(T, UINT, sections, 0, 0, 65536, "sections", \
		"CTA c reads what CTA c mod sections does, with kernel=read and width=2; 0: each " \
		"its own.") \
	P(T, UINT, passes, 1, 1, 65536, "passes", "How often the same elements are read.")

struct bandwidth {
	struct {
		PARAMS(PARAM_FIELD, bandwidth)
	} p;
	uint32_t ctas, threads, cta_stride, thread_stride, step, groups, passes, sections;
	uint64_t elements, words; /* of the array */
	uint32_t *data;           /* NULL: addresses */
	buffer_t array;
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, bandwidth)};

static bool is_chain(const struct bandwidth *w)
{
	return w->p.kernel == WALK || w->p.kernel == CHASE;
}

#define MOST_WORDS (UINT64_C(1) << 28)

static int check_params(const struct bandwidth *w, struct err *err)
{
	if (w->p.width == 3 || (w->p.width > 1 && w->p.kernel != READ))
		return err_add(err, ERR_INPUT,
			"bandwidth.width = %" PRIu64 ": must be 1, or 2 or 4 with kernel=read",
			w->p.width);
	if (w->p.sections && (w->p.kernel != READ || w->p.width != 2))
		return err_add(err, ERR_INPUT,
			"bandwidth.sections = %" PRIu64
			": needs bandwidth.kernel=read and bandwidth.width=2",
			w->p.sections);
	if (is_chain(w) && w->cta_stride % w->step)
		return err_add(err, ERR_INPUT,
			"bandwidth.cta_stride = %u: a chain's must be a multiple of "
			"bandwidth.step = %u",
			w->cta_stride, w->step);
	if (is_chain(w) && (uint64_t)(w->threads - 1) * w->thread_stride >= w->step)
		return err_add(err, ERR_INPUT,
			"bandwidth.step = %u: a chain's must be above what %u threads with "
			"bandwidth.thread_stride = %u take",
			w->step, w->threads, w->thread_stride);
	if (w->words > MOST_WORDS)
		return err_add(err, ERR_INPUT,
			"bandwidth: CTAs, strides and groups need %" PRIu64
			" words; must be at most %" PRIu64,
			w->words, MOST_WORDS);
	return 0;
}

static void read_params(struct workload_run *run)
{
	struct bandwidth *w = run->state;
	uint64_t most, apart;

	w->ctas = workload_by_size(run, w->p.ctas, 8, 512);
	w->sections = (uint32_t)w->p.sections;
	apart = w->sections ? w->sections : w->ctas;
	w->threads = (uint32_t)w->p.threads;
	w->thread_stride = (uint32_t)w->p.thread_stride;
	w->cta_stride = (uint32_t)(w->p.cta_stride ? w->p.cta_stride : w->threads);
	w->step = (uint32_t)w->p.step;
	if (!w->step)
		w->step = is_chain(w) ? w->cta_stride : (uint32_t)apart * w->threads;
	w->groups = (uint32_t)w->p.groups;
	w->passes = (uint32_t)w->p.passes;
	most = (apart - 1) * w->cta_stride;
	if (is_chain(w))
		w->elements = most + w->cta_stride;
	else
		w->elements = most + (uint64_t)(w->threads - 1) * w->thread_stride +
			      ((uint64_t)w->groups * GROUP - 1) * w->step + 1;
	w->words = w->elements *
		   (w->p.kernel == CHASE ? run->address_bits / 32 : (unsigned)w->p.width);
}

/* ---- the array */
/* The element after this one in a chain: one step further, at the end of the CTA's elements the
 * first again. */
static uint64_t next_of(const struct bandwidth *w, uint64_t i)
{
	uint64_t cta = i / w->cta_stride * w->cta_stride;

	return cta + (i - cta + w->step) % w->cta_stride;
}

static void fill_random(struct workload_run *run)
{
	struct bandwidth *w = run->state;
	struct rng rng = rng_new(run->seed, 0);

	for (uint64_t i = 0; i < w->words; i++)
		w->data[i] = (uint32_t)rng_u64(&rng);
}

static void fill_distances(struct bandwidth *w)
{
	for (uint64_t i = 0; i < w->elements; i++)
		w->data[i] = (uint32_t)(4 * (next_of(w, i) - i));
}

static void fill_addresses(struct workload_run *run)
{
	struct bandwidth *w = run->state;
	uint64_t base = gpu_buffer_address(run->gpu, w->array), bytes = run->address_bits / 8;

	for (uint64_t i = 0; i < w->elements; i++) {
		uint64_t to = base + bytes * next_of(w, i);

		w->data[i * (bytes / 4)] = (uint32_t)to;
		if (bytes == 8)
			w->data[2 * i + 1] = (uint32_t)(to >> 32);
	}
}

static int make_array(struct workload_run *run, struct err *err)
{
	struct bandwidth *w = run->state;

	w->data = arena_alloc(run->arena, w->words, sizeof(*w->data));
	w->array = workload_buffer(run, "data", NULL, w->words * 4, err);
	if (!w->array)
		return -1;
	if (w->p.kernel == CHASE)
		fill_addresses(run);
	else if (w->p.kernel == WALK)
		fill_distances(w);
	else
		fill_random(run);
	gpu_write(run->gpu, w->array, 0, w->data, w->words * 4);
	return 0;
}

/* ---- launch */
static int launch(struct workload_run *run, module_t module, struct err *err)
{
	struct bandwidth *w = run->state;
	static const char *const names[] = {
		[COPY] = "bandwidth_copy", [WALK] = "bandwidth_walk", [CHASE] = "bandwidth_chase"};
	struct launch_arg args[8] = {
		ARG_BUF(w->array), ARG_VAL(w->cta_stride), ARG_VAL(w->thread_stride)};
	unsigned n = 3;
	char read[32];

	snprintf(read, sizeof(read), w->sections ? "bandwidth_sections" : "bandwidth_read%u",
		(unsigned)w->p.width);
	if (!is_chain(w))
		args[n++] = ARG_VAL(w->step);
	args[n++] = ARG_VAL(w->groups);
	if (w->p.kernel == READ)
		args[n++] = ARG_VAL(w->passes);
	args[n++] = ARG_BUF(run->result);
	if (w->sections)
		args[n++] = ARG_VAL(w->sections);
	return workload_launch(run,
		&(struct launch){
			.module = module,
			.kernel = w->p.kernel == READ ? read : names[w->p.kernel],
			.grid = {w->ctas, 1, 1},
			.block = {w->threads, 1, 1},
			.args = args,
			.nargs = n,
		},
		err);
}

static uint64_t results(const struct bandwidth *w)
{
	return w->p.kernel == COPY ? w->words : (uint64_t)w->ctas * w->threads;
}

static int setup(struct workload_run *run, struct err *err)
{
	struct bandwidth *w = run->state;
	module_t module = workload_module(run, "bandwidth", err);

	if (!module)
		return -1;
	read_params(run);
	if (check_params(w, err) || make_array(run, err) ||
		!workload_result(run, "result", NULL, results(w) * 4, err))
		return -1;
	return launch(run, module, err);
}

/* ---- check */
static uint64_t first_of(const struct bandwidth *w, uint64_t i)
{
	uint64_t cta = i / w->threads, of = w->sections ? cta % w->sections : cta;

	return of * w->cta_stride + i % w->threads * w->thread_stride;
}

static uint32_t summed(const struct bandwidth *w, uint64_t i)
{
	uint64_t n = (uint64_t)w->groups * GROUP, width = w->p.width;
	uint32_t sum = 0;

	for (uint64_t k = 0; k < n; k++)
		for (uint32_t c = 0; c < width; c++)
			sum += (2 * c + 1) * w->data[(first_of(w, i) + k * w->step) * width + c];
	return sum * w->passes;
}

/* Where a chain is after all its loads, in bytes: steps from the first element, in rounds. */
static uint32_t reached(const struct workload_run *run, uint64_t i)
{
	const struct bandwidth *w = run->state;
	uint64_t n = (uint64_t)w->groups * GROUP, at = i % w->threads * w->thread_stride;
	uint64_t bytes = w->p.kernel == CHASE ? run->address_bits / 8 : 4;
	uint64_t cta = i / w->threads * w->cta_stride;

	return (uint32_t)(bytes * (cta + at + n % (w->cta_stride / w->step) * w->step));
}

static int check(struct workload_run *run, struct err *err)
{
	const struct bandwidth *w = run->state;
	uint64_t n = results(w);
	int32_t *expected = arena_alloc(run->arena, n, sizeof(*expected));

	for (uint64_t i = 0; i < (uint64_t)w->ctas * w->threads; i++)
		if (w->p.kernel == COPY)
			for (uint64_t k = 0; k < (uint64_t)w->groups * GROUP; k++) {
				uint64_t at = first_of(w, i) + k * w->step;

				expected[at] = (int32_t)w->data[at];
			}
		else
			expected[i] = (int32_t)(is_chain(w) ? reached(run, i) : summed(w, i));
	return workload_check_i32(run, expected, n, err);
}

static const char *const variants[] = {"bandwidth.ctas=3 bandwidth.threads=70 bandwidth.width=2 "
				       "bandwidth.passes=3",
	"bandwidth.ctas=2 bandwidth.threads=64 bandwidth.width=4 bandwidth.groups=3 "
	"bandwidth.thread_stride=24 bandwidth.cta_stride=1536 bandwidth.step=1 "
	"bandwidth.passes=2",
	"bandwidth.width=2 bandwidth.sections=3 bandwidth.ctas=8 bandwidth.threads=40",
	"bandwidth.kernel=copy bandwidth.ctas=3 bandwidth.threads=40",
	"bandwidth.kernel=walk bandwidth.ctas=3 bandwidth.threads=64 bandwidth.cta_stride=320 "
	"bandwidth.step=64 bandwidth.groups=3",
	"bandwidth.kernel=chase bandwidth.ctas=2 bandwidth.threads=33 bandwidth.cta_stride=350 "
	"bandwidth.step=70 bandwidth.thread_stride=2 bandwidth.groups=3",
	NULL};

static const struct workload_ops ops = {
	.computes = "Sums or copies of elements, or where chains of loads end.",
	.source = "gpumembench (cachebench), SHOC (DeviceMemory), gpu-benches",
	.calibrates = "bandwidths of memory and caches",
	.setup = setup,
	.check = check,
	.variants = variants,
};

const struct plugin bandwidth_workload = {
	.kind = "workload",
	.name = "bandwidth",
	.text = "Global memory by footprint, stride and width.",
	.path = "bandwidth",
	.size = sizeof(struct bandwidth),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
};
