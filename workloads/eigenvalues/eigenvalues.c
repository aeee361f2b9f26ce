/* eigenvalues: of a symmetric tridiagonal matrix, by bisection. */
#include "workloads/workload.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* As in eigenvalues.cu. */
#define THREADS_SINGLE 512u
#define THREADS 256u

/* Intervals that bisect_first ends with, at most. */
#define MOST_INTERVALS (2 * THREADS)

#define PARAMS(P, T) \
	P(T, UINT, n, 0, 0, 8192, "rows", \
		"Rows of the matrix; 0 = by size: 128 at small, 2048 (the SDK's) at full.") \
	P(T, UINT, single, 512, 0, THREADS_SINGLE, "rows", \
		"The largest matrix for which one CTA does all.") \
	P(T, REAL, precision, 0.00001, 0.000001, 0.1, "", \
		"How wide an interval may be, relative to the eigenvalue.") \
	P(T, BOOL, regular, false, 0, 1, "", \
		"0 on the diagonal and 1/2 beside it, not random entries from -1 to 1: threads are " \
		"equally busy.")

struct eigenvalues {
	struct {
		PARAMS(PARAM_FIELD, eigenvalues)
	} p;
	uint32_t n;
	float precision, lower, upper;
	/* beside[i] is right of diagonal[i - 1], beside[0] is 0. */
	float *diagonal, *beside;
	module_t module;
	buffer_t d_diagonal, d_beside;
	buffer_t values, below; /* of bisect_single */
	buffer_t counts, left_one, right_one, rank_one;
	buffer_t left, right, left_count, right_count, group_first, group_sum; /* of bisect_first */
	buffer_t ranks; /* of bisect_several, with `values` */
	uint32_t ones;  /* intervals with one eigenvalue after bisect_first */
	bool second;    /* the second step was queued */
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, eigenvalues)};

/* ---- input */

static void make_matrix(struct workload_run *run)
{
	struct eigenvalues *w = run->state;

	w->diagonal = workload_random_f32(run, 0, w->n, -1.0, 1.0);
	w->beside = workload_random_f32(run, 1, w->n, -1.0, 1.0);
	for (uint32_t i = 0; i < w->n && w->p.regular; i++) {
		w->diagonal[i] = 0.0f;
		w->beside[i] = 0.5f;
	}
	w->beside[0] = 0.0f;
}

/* Limits of all eigenvalues (Gershgorin, 1931), wider by what the kernels' counts may be wrong. */
static void find_limits(struct eigenvalues *w)
{
	float norm;

	w->lower = FLT_MAX;
	w->upper = -FLT_MAX;
	for (uint32_t i = 0; i < w->n; i++) {
		float right = i + 1 < w->n ? fabsf(w->beside[i + 1]) : 0;
		float radius = fabsf(w->beside[i]) + right;

		w->lower = fminf(w->lower, w->diagonal[i] - radius);
		w->upper = fmaxf(w->upper, w->diagonal[i] + radius);
	}
	norm = fmaxf(fabsf(w->lower), fabsf(w->upper)) * FLT_EPSILON;
	w->lower -= norm * (float)(2 * w->n + 11);
	w->upper += norm * (float)(2 * w->n + 11);
}

static buffer_t zeros(struct workload_run *run, const char *name, size_t n, struct err *err)
{
	return workload_buffer(run, name, NULL, n * sizeof(float), err);
}

static int make_buffers(struct workload_run *run, struct err *err)
{
	struct eigenvalues *w = run->state;
	size_t n = max_u64(w->n, MOST_INTERVALS + 1);
	const struct {
		buffer_t *buffer;
		const char *name;
	} large[] = {{&w->counts, "counts"}, {&w->left_one, "left_one"},
		{&w->right_one, "right_one"}, {&w->rank_one, "rank_one"}, {&w->left, "left"},
		{&w->right, "right"}, {&w->left_count, "left_count"},
		{&w->right_count, "right_count"}, {&w->group_first, "group_first"},
		{&w->group_sum, "group_sum"}, {&w->ranks, "ranks"}};

	w->d_diagonal = workload_buffer(run, "diagonal", w->diagonal, w->n * sizeof(float), err);
	w->d_beside = workload_buffer(run, "beside", w->beside, w->n * sizeof(float), err);
	w->values = workload_result(run, "eigenvalues", NULL, w->n * sizeof(float), err);
	w->below = zeros(run, "below", w->n, err);
	if (!w->d_diagonal || !w->d_beside || !w->values || !w->below)
		return -1;
	if (w->n <= w->p.single)
		return 0;
	for (unsigned i = 0; i < ARRAY_LEN(large); i++) {
		*large[i].buffer = zeros(run, large[i].name, n, err);
		if (!*large[i].buffer)
			return -1;
	}
	return 0;
}

/* ---- launches */

/* Element 1 of `beside`: the kernels' first. */
static struct launch_arg beside_first_row(const struct eigenvalues *w)
{
	return (struct launch_arg){
		.kind = ARG_BUFFER, .buffer = w->d_beside, .offset = sizeof(float)};
}

static int launch_single(struct workload_run *run, struct err *err)
{
	struct eigenvalues *w = run->state;

	return workload_launch(run,
		&(struct launch){
			.module = w->module,
			.kernel = "bisect_single",
			.grid = {1, 1, 1},
			.block = {THREADS_SINGLE, 1, 1},
			.args = (struct launch_arg[]){ARG_BUF(w->d_diagonal), beside_first_row(w),
				ARG_VAL(w->n), ARG_BUF(w->values), ARG_BUF(w->below),
				ARG_VAL(w->lower), ARG_VAL(w->upper), ARG_VAL(w->precision)},
			.nargs = 8,
		},
		err);
}

static int launch_first(struct workload_run *run, struct err *err)
{
	struct eigenvalues *w = run->state;
	struct launch_arg groups = {
		.kind = ARG_BUFFER, .buffer = w->counts, .offset = sizeof(uint32_t)};

	return workload_launch(run,
		&(struct launch){
			.module = w->module,
			.kernel = "bisect_first",
			.grid = {1, 1, 1},
			.block = {THREADS, 1, 1},
			.args = (struct launch_arg[]){ARG_BUF(w->d_diagonal), beside_first_row(w),
				ARG_VAL(w->n), ARG_VAL(w->lower), ARG_VAL(w->upper),
				ARG_VAL(w->precision), ARG_BUF(w->counts), groups,
				ARG_BUF(w->left_one), ARG_BUF(w->right_one), ARG_BUF(w->rank_one),
				ARG_BUF(w->left), ARG_BUF(w->right), ARG_BUF(w->left_count),
				ARG_BUF(w->right_count), ARG_BUF(w->group_first),
				ARG_BUF(w->group_sum)},
			.nargs = 17,
		},
		err);
}

static int launch_one(struct workload_run *run, struct err *err)
{
	struct eigenvalues *w = run->state;

	return workload_launch(run,
		&(struct launch){
			.module = w->module,
			.kernel = "bisect_one",
			.grid = {(uint32_t)div_up(w->ones, THREADS), 1, 1},
			.block = {THREADS, 1, 1},
			.args = (struct launch_arg[]){ARG_BUF(w->d_diagonal), beside_first_row(w),
				ARG_VAL(w->n), ARG_VAL(w->ones), ARG_BUF(w->left_one),
				ARG_BUF(w->right_one), ARG_BUF(w->rank_one), ARG_VAL(w->precision)},
			.nargs = 8,
		},
		err);
}

static int launch_several(struct workload_run *run, uint32_t groups, struct err *err)
{
	struct eigenvalues *w = run->state;

	return workload_launch(run,
		&(struct launch){
			.module = w->module,
			.kernel = "bisect_several",
			.grid = {groups, 1, 1},
			.block = {THREADS, 1, 1},
			.args = (struct launch_arg[]){ARG_BUF(w->d_diagonal), beside_first_row(w),
				ARG_VAL(w->n), ARG_BUF(w->group_first), ARG_BUF(w->group_sum),
				ARG_BUF(w->left), ARG_BUF(w->right), ARG_BUF(w->left_count),
				ARG_BUF(w->right_count), ARG_BUF(w->values), ARG_BUF(w->ranks),
				ARG_VAL(w->precision)},
			.nargs = 12,
		},
		err);
}

static int setup(struct workload_run *run, struct err *err)
{
	struct eigenvalues *w = run->state;

	w->n = workload_by_size(run, w->p.n, 128, 2048);
	w->precision = (float)w->p.precision;
	w->module = workload_module(run, "eigenvalues", err);
	make_matrix(run);
	find_limits(w);
	if (!w->module || make_buffers(run, err))
		return -1;
	return w->n <= w->p.single ? launch_single(run, err) : launch_first(run, err);
}

static int second_step(struct workload_run *run, struct err *err)
{
	struct eigenvalues *w = run->state;
	uint32_t counts[2];

	if (w->n <= w->p.single || w->second)
		return 0;
	w->second = true;
	gpu_read(run->gpu, w->counts, 0, counts, sizeof(counts));
	if (counts[0] > min_u64(w->n, MOST_INTERVALS) || counts[1] > MOST_INTERVALS)
		return err_add(err, ERR_CHECK,
			"counts has %u intervals with one eigenvalue and %u groups: the first "
			"step ends with at most %u intervals of %u rows",
			counts[0], counts[1], MOST_INTERVALS, w->n);
	w->ones = counts[0];
	if (w->ones && launch_one(run, err))
		return -1;
	return counts[1] && launch_several(run, counts[1], err) ? -1 : 1;
}

/* ---- check */

struct limits {
	float left, right;
};

static float middle(struct limits l)
{
	if ((l.left < 0) == (l.right < 0))
		return l.left + (l.right - l.left) * 0.5f;
	return (l.left + l.right) * 0.5f;
}

static float farther(struct limits l)
{
	return fmaxf(fabsf(l.left), fabsf(l.right));
}

/* What an eigenvalue's interval may come to, by kernel. Those with all eigenvalues of an interval
 * end when it is narrow enough relative to itself; they ask that of one half only, the second's
 * when the first has no eigenvalue. bisect_one ends when it is also narrow in itself, which it asks
 * of every half, but not of the interval that it is given. */
struct outcome {
	float all, one, next;
	bool sure; /* no count that says so can be wrong by roundings */
};

/* Rounding differences and quotients moves the matrix by one rounding of what it has on the
 * diagonal less the cut (4: both are in -3 .. 3, entries in -1 .. 1), and three of what it has
 * beside it (1, each in half). */
#define COUNT_ERROR (8 * F32_ROUNDING)

/* The sorted eigenvalues first to end - 1 are in an interval. */
struct inside {
	struct limits l;
	uint32_t first, end;
};

/* Halves the interval around eigenvalue k. True: its half is the one that is looked at. */
static bool halve(struct inside *in, const double *eigenvalues, uint32_t k, bool *sure)
{
	float mid = middle(in->l);
	uint32_t cut = in->first, first = in->first;

	while (cut < in->end && eigenvalues[cut] < (double)mid)
		cut++;
	if (cut > in->first && (double)mid - eigenvalues[cut - 1] <= COUNT_ERROR)
		*sure = false;
	if (cut < in->end && eigenvalues[cut] - (double)mid <= COUNT_ERROR)
		*sure = false;
	if (k < cut) {
		in->l.right = mid;
		in->end = cut;
		return true;
	}
	in->l.left = mid;
	in->first = cut;
	return cut == first;
}

static struct outcome follow(const struct eigenvalues *w, const double *eigenvalues, uint32_t k)
{
	struct inside in = {{w->lower, w->upper}, 0, w->n};
	struct outcome o = {.all = NAN, .one = NAN, .next = NAN, .sure = true};

	do {
		bool asked = halve(&in, eigenvalues, k, &o.sure);
		float width = in.l.right - in.l.left, wanted = farther(in.l) * w->precision;

		if (isnan(o.all) && asked && width <= wanted)
			o.all = middle(in.l);
		if (!isnan(o.one) && isnan(o.next))
			o.next = middle(in.l);
		if (isnan(o.one) && width < fminf(w->precision, wanted)) {
			o.one = middle(in.l);
			o.next = asked ? o.one : NAN;
		}
	} while (isnan(o.all) || isnan(o.next));
	return o;
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Wilkinson's shift: of the last two rows' eigenvalues the one nearer to the last element. */
static double shift(const double *d, const double *e, uint32_t last)
{
	double half = (d[last - 1] - d[last]) / 2, b = e[last - 1];

	return d[last] - b * b / (half + copysign(hypot(half, b), half));
}

/* An implicit QR step on rows first to last: rotations chase what the first one leaves beside the
 * three diagonals downwards. */
static void qr_step(double *d, double *e, uint32_t first, uint32_t last)
{
	double x = d[first] - shift(d, e, last), z = e[first];

	for (uint32_t k = first; k < last; k++) {
		double r = hypot(x, z), c = r > 0 ? x / r : 1, s = r > 0 ? z / r : 0;
		double upper = d[k], lower = d[k + 1], mixed = 2 * c * s * e[k];

		if (k > first)
			e[k - 1] = r;
		d[k] = c * c * upper + mixed + s * s * lower;
		d[k + 1] = s * s * upper - mixed + c * c * lower;
		e[k] = c * s * (lower - upper) + (c * c - s * s) * e[k];
		x = e[k];
		if (k + 1 < last) {
			z = s * e[k + 1];
			e[k + 1] *= c;
		}
	}
}

/* All eigenvalues in ascending order, by the QR algorithm in double (Francis, 1961). */
static double *reference(struct workload_run *run)
{
	const struct eigenvalues *w = run->state;
	double *d = arena_alloc(run->arena, w->n, sizeof(*d));
	double *e = arena_alloc(run->arena, w->n, sizeof(*e));
	uint32_t last = w->n - 1;

	for (uint32_t i = 0; i < w->n; i++) {
		d[i] = (double)w->diagonal[i];
		if (i > 0)
			e[i - 1] = (double)w->beside[i];
	}
	while (last > 0) {
		uint32_t first = last;

		while (first > 0 && fabs(e[first - 1]) > DBL_EPSILON)
			first--;
		if (first == last)
			last--;
		else
			qr_step(d, e, first, last);
	}
	qsort(d, w->n, sizeof(*d), compare_doubles);
	return d;
}

/* n eigenvalues of the device with their ranks; the k-th from `base` goes to sorted[k]. */
struct part {
	const char *name;
	buffer_t values, ranks;
	uint32_t n, base;
};

static int sort_part(struct workload_run *run, const struct part *p, float *sorted, struct err *err)
{
	const struct eigenvalues *w = run->state;
	float *values = arena_alloc(run->arena, w->n, sizeof(*values));
	uint32_t *ranks = arena_alloc(run->arena, w->n, sizeof(*ranks));

	gpu_read(run->gpu, p->values, 0, values, w->n * sizeof(*values));
	gpu_read(run->gpu, p->ranks, 0, ranks, w->n * sizeof(*ranks));
	for (uint32_t i = 0; i < w->n; i++) {
		uint32_t rank = ranks[i] - p->base;

		if (i >= p->n && (values[i] != 0 || ranks[i] != 0))
			return err_add(err, ERR_CHECK,
				"%s[%u] is %.9g with rank %u, the reference ends before", p->name,
				i, (double)values[i], ranks[i]);
		if (i >= p->n)
			continue;
		if (rank >= w->n || !isnan(sorted[rank]))
			return err_add(err, ERR_CHECK,
				"%s[%u] has rank %u of %u, which is none or another's", p->name, i,
				ranks[i], w->n);
		sorted[rank] = values[i];
	}
	return 0;
}

/* Brings the device's eigenvalues in order. */
static int sort_results(struct workload_run *run, float *sorted, struct err *err)
{
	const struct eigenvalues *w = run->state;
	struct part single = {"eigenvalues", w->values, w->below, w->n, 0};
	struct part one = {"left_one", w->left_one, w->rank_one, w->ones, 1};
	struct part several = {"eigenvalues", w->values, w->ranks, w->n - w->ones, 1};

	for (uint32_t i = 0; i < w->n; i++)
		sorted[i] = NAN;
	if (w->n <= w->p.single)
		return sort_part(run, &single, sorted, err);
	if (sort_part(run, &one, sorted, err))
		return -1;
	return sort_part(run, &several, sorted, err);
}

static int check(struct workload_run *run, struct err *err)
{
	const struct eigenvalues *w = run->state;
	float *ours = arena_alloc(run->arena, w->n, sizeof(*ours));
	double *theirs = reference(run), p = (double)w->precision;

	if (sort_results(run, ours, err))
		return -1;
	for (uint32_t i = 0; i < w->n; i++) {
		struct outcome o = follow(w, theirs, i);
		double half = p / (1 - p) / 2 * fabs(theirs[i]) + COUNT_ERROR;

		if (o.sure ? ours[i] == o.all || ours[i] == o.one || ours[i] == o.next
			   : fabs((double)ours[i] - theirs[i]) <= half)
			continue;
		return err_add(err, ERR_CHECK,
			"eigenvalues: rank %u is %.9g, the reference says %.9g, and "
			"%.9g for the middle of its interval (else within %.3g: half the interval, "
			"and the count's roundings)",
			i, (double)ours[i], theirs[i], (double)o.all, half);
	}
	return 0;
}

/* One row; as many as one CTA takes; both steps: for intervals that are one group, for more
 * intervals with one eigenvalue than a CTA has threads, for several groups. */
static const char *const variants[] = {"eigenvalues.n=1",
	"eigenvalues.n=512 eigenvalues.precision=0.1",
	"eigenvalues.n=300 eigenvalues.single=0 eigenvalues.precision=0.001",
	"eigenvalues.n=380 eigenvalues.single=0 eigenvalues.precision=0.01 "
	"eigenvalues.regular=true",
	"eigenvalues.n=1024 eigenvalues.precision=0.03", NULL};

static const struct workload_foreign foreign[] = {
	FOREIGN("sdk2.2/bisect_small.ptx", "bisect_single", "_Z12bisectKernelPfS_jS_S_PjS0_ffjjf",
		"0 1 2 3 3 4 4 5 6 #0 2 7"),
	FOREIGN("sdk2.2/bisect_large.ptx", "bisect_first",
		"_Z17bisectKernelLargePfS_jffjjfPjS0_S_S_S0_S_S_S0_S0_S0_S0_",
		"0 1 2 3 4 #0 2 5 6 7 8 9 10 11 12 13 14 15 16"),
	FOREIGN("sdk2.2/bisect_large.ptx", "bisect_one",
		"_Z30bisectKernelLarge_OneIntervalsPfS_jjS_S_Pjf", NULL),
	FOREIGN("sdk2.2/bisect_large.ptx", "bisect_several",
		"_Z31bisectKernelLarge_MultIntervalsPfS_jPjS0_S_S_S0_S0_S_S0_f", NULL),
	{.file = NULL},
};

static const struct workload_ops ops = {
	.computes = "All eigenvalues of a symmetric tridiagonal matrix of floats.",
	.source = "CUDA SDK, eigenvalues (Lessig, 2007; Demmel, Dhillon and Ren, ETNA 3, 1995)",
	.setup = setup,
	.advance = second_step,
	.check = check,
	.variants = variants,
	.foreign = foreign,
};

const struct plugin eigenvalues_workload = {
	.kind = "workload",
	.name = "eigenvalues",
	.text = "Eigenvalues by bisection: chains of divisions, few CTAs, scans.",
	.path = "eigenvalues",
	.size = sizeof(struct eigenvalues),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
};
