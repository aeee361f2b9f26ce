/* rpes: two-electron integrals over the s shells of water molecules (Parboil, rpes). */
#include "workloads/workload.h"

#include <math.h>

/* As in rpes.cu. */
#define THREADS 64u
#define NEGLIGIBLE 1e-23

#define PI 3.14159265358979323846

/* Lengths in Bohr radii: of a molecule's bond, between molecules. */
#define BOND 1.81
#define APART 5.6
#define ANGLE 1.824 /* between the bonds, in radians */

#define PARAMS(P, T) \
	P(T, UINT, molecules, 0, 0, 8, "molecules", \
		"Water molecules, of 7 shells each; 0 = by size: 1 at small, 4 at full.") \
	P(T, UINT, ctas, 65535, 1, 65535, "CTAs", "CTAs of a launch at most.")

enum { ATOMS = 3, SHELLS = 7, TYPES = 5, PRIMITIVES = 14, QUARTET = 4 };

/* s shells of the basis 6-31G (Hehre, Ditchfield and Pople, Journal of Chemical Physics 1972). */
static const struct shell_type {
	unsigned count, first; /* primitives, and those before */
} types[TYPES] = {{6, 0}, {3, 6}, {1, 9}, {3, 10}, {1, 13}};

static const double basis[PRIMITIVES][2] = {
	/* oxygen: exponent, coefficient */
	{5484.6717, 0.0018311},
	{825.23495, 0.0139501},
	{188.04696, 0.0684451},
	{52.9645, 0.2327143},
	{16.89757, 0.470193},
	{5.7996353, 0.3585209},
	{15.539616, -0.1107775},
	{3.5999336, -0.1480263},
	{1.0137618, 1.130767},
	{0.2700058, 1.0},
	/* hydrogen */
	{18.731137, 0.0334946},
	{2.8253937, 0.23472695},
	{0.6401217, 0.81375733},
	{0.1612778, 1.0},
};

struct work {
	uint32_t counts, centres, primitives, first;
};

struct range {
	uint32_t first, count;
};

struct shell {
	const struct shell_type *type;
	unsigned atom;
};

struct rpes {
	struct {
		PARAMS(PARAM_FIELD, rpes)
	} p;
	unsigned molecules, shells;
	uint32_t quartets, ctas, most; /* most: CTAs of a quartet */
	float (*atom)[4];              /* x, y, z, 0 */
	float (*primitive)[2];
	struct shell *shell;
	struct work *work;
	struct range *range;
	module_t module;
	buffer_t d_work, d_partial, d_range, d_sums;
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, rpes)};

/* ---- the molecules */
static void normalise(double v[3])
{
	double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);

	for (unsigned k = 0; k < 3; k++)
		v[k] /= length;
}

/* Two unit vectors, the second normal to the first. */
static void draw_axes(struct rng *rng, double u[3], double v[3])
{
	double along = 0.0;

	for (unsigned k = 0; k < 3; k++) {
		u[k] = rng_unit(rng) - 0.5;
		v[k] = rng_unit(rng) - 0.5;
	}
	normalise(u);
	for (unsigned k = 0; k < 3; k++)
		along += u[k] * v[k];
	for (unsigned k = 0; k < 3; k++)
		v[k] -= along * u[k];
	normalise(v);
}

/* Near the points of a lattice of two by two by two. */
static void make_atoms(struct workload_run *run)
{
	struct rpes *w = run->state;
	struct rng rng = rng_new(run->seed, 0);

	w->atom = arena_alloc(run->arena, (size_t)ATOMS * w->molecules, sizeof(*w->atom));
	for (unsigned m = 0; m < w->molecules; m++) {
		float(*atom)[4] = w->atom + (size_t)ATOMS * m;
		double u[3], v[3];

		draw_axes(&rng, u, v);
		for (unsigned k = 0; k < 3; k++) {
			double o = APART * (m >> k & 1) + rng_unit(&rng) - 0.5;

			atom[0][k] = (float)o;
			atom[1][k] = (float)(o + BOND * u[k]);
			atom[2][k] = (float)(o + BOND * (cos(ANGLE) * u[k] + sin(ANGLE) * v[k]));
		}
	}
}

/* Normalised primitives, and the molecules' shells: an oxygen's three, each hydrogen's two. */
static void make_shells(struct workload_run *run)
{
	static const unsigned atoms[SHELLS] = {0, 0, 0, 1, 1, 2, 2};
	static const unsigned kinds[SHELLS] = {0, 1, 2, 3, 4, 3, 4};
	struct rpes *w = run->state;

	w->primitive = arena_alloc(run->arena, PRIMITIVES, sizeof(*w->primitive));
	for (unsigned i = 0; i < PRIMITIVES; i++) {
		w->primitive[i][0] = (float)basis[i][0];
		w->primitive[i][1] = (float)(basis[i][1] * pow(2 * basis[i][0] / PI, 0.75));
	}
	w->shells = SHELLS * w->molecules;
	w->shell = arena_alloc(run->arena, w->shells, sizeof(*w->shell));
	for (unsigned s = 0; s < w->shells; s++)
		w->shell[s] = (struct shell){
			&types[kinds[s % SHELLS]], ATOMS * (s / SHELLS) + atoms[s % SHELLS]};
}

/* ---- the work: all quartets of shells whose numbers do not decrease */
struct quartet {
	const struct rpes *w;
	unsigned shell[QUARTET];
};

static bool next_quartet(struct quartet *q)
{
	unsigned k = QUARTET, shell;

	while (k > 0 && q->shell[k - 1] == q->w->shells - 1)
		k--;
	if (k == 0)
		return false;
	shell = q->shell[k - 1] + 1;
	for (k--; k < QUARTET; k++)
		q->shell[k] = shell;
	return true;
}

static uint32_t ctas_of(const struct quartet *q)
{
	unsigned n = 1;

	for (unsigned k = 0; k < QUARTET; k++)
		n *= q->w->shell[q->shell[k]].type->count;
	return (uint32_t)div_up(n, THREADS);
}

static struct work work_of(const struct quartet *q, uint32_t first)
{
	struct work work = {.first = first};

	for (unsigned k = 0; k < QUARTET; k++) {
		const struct shell *s = &q->w->shell[q->shell[k]];

		work.counts = work.counts << 4 | s->type->count;
		work.centres = work.centres << 8 | s->atom;
		work.primitives = work.primitives << 8 | s->type->first;
	}
	return work;
}

static void count_work(struct rpes *w)
{
	struct quartet q = {.w = w};

	do {
		uint32_t ctas = ctas_of(&q);

		w->quartets++;
		w->ctas += ctas;
		w->most = ctas > w->most ? ctas : w->most;
	} while (next_quartet(&q));
}

static void make_work(struct workload_run *run)
{
	struct rpes *w = run->state;
	struct quartet q = {.w = w};
	uint32_t cta = 0;

	count_work(w);
	w->work = arena_alloc(run->arena, w->ctas, sizeof(*w->work));
	w->range = arena_alloc(run->arena, w->quartets, sizeof(*w->range));
	for (uint32_t i = 0; i < w->quartets; i++) {
		struct range r = {cta, ctas_of(&q)};

		for (; cta < r.first + r.count; cta++)
			w->work[cta] = work_of(&q, r.first);
		w->range[i] = r;
		next_quartet(&q);
	}
}

/* ---- buffers, textures, launches */
static int make_texture(struct workload_run *run, const char *name, const void *data,
	unsigned channels, uint32_t n, struct err *err)
{
	struct rpes *w = run->state;
	buffer_t buffer = workload_buffer(run, name, data, n * channels * sizeof(float), err);
	texture_t t;

	if (!buffer)
		return -1;
	t = gpu_texture(run->gpu, name,
		&(struct texture_desc){.buffer = buffer,
			.type = TEXEL_F32,
			.channels = channels,
			.width = n,
			.height = 1},
		err);
	return t ? workload_bind(run, w->module, name, t, err) : -1;
}

static int make_buffers(struct workload_run *run, struct err *err)
{
	struct rpes *w = run->state;
	uint32_t atoms = ATOMS * w->molecules;

	w->module = workload_module(run, "rpes", err);
	w->d_work = workload_buffer(run, "work", w->work, w->ctas * sizeof(*w->work), err);
	w->d_partial = workload_buffer(run, "partial", NULL, w->ctas * sizeof(float), err);
	w->d_range = workload_buffer(run, "ranges", w->range, w->quartets * sizeof(*w->range), err);
	w->d_sums = workload_result(run, "sums", NULL, w->quartets * sizeof(float), err);
	if (!w->module || !w->d_work || !w->d_partial || !w->d_range || !w->d_sums)
		return -1;
	if (make_texture(run, "atoms", w->atom, 4, atoms, err))
		return -1;
	return make_texture(run, "primitives", w->primitive, 2, PRIMITIVES, err);
}

static int launch_integrals(struct workload_run *run, int32_t offset, uint32_t n, struct err *err)
{
	const struct rpes *w = run->state;

	return workload_launch(run,
		&(struct launch){
			.module = w->module,
			.kernel = "rpes",
			.grid = {n, 1, 1},
			.block = {THREADS, 1, 1},
			.args = (struct launch_arg[]){ARG_BUF(w->d_work), ARG_BUF(w->d_partial),
				ARG_VAL(offset)},
			.nargs = 3,
		},
		err);
}

/* Threads are a power of two, for the tree of sums. */
static int launch_sums(struct workload_run *run, int32_t offset, uint32_t n, struct err *err)
{
	const struct rpes *w = run->state;
	uint32_t threads = 1;

	while (threads < w->most)
		threads *= 2;
	return workload_launch(run,
		&(struct launch){
			.module = w->module,
			.kernel = "rpes_sums",
			.grid = {n, 1, 1},
			.block = {threads, 1, 1},
			.args = (struct launch_arg[]){ARG_BUF(w->d_sums), ARG_BUF(w->d_partial),
				ARG_BUF(w->d_range), ARG_VAL(offset)},
			.nargs = 4,
		},
		err);
}

static int setup(struct workload_run *run, struct err *err)
{
	struct rpes *w = run->state;
	uint32_t most, i;

	w->molecules = workload_by_size(run, w->p.molecules, 1, 4);
	most = (uint32_t)w->p.ctas;
	make_atoms(run);
	make_shells(run);
	make_work(run);
	if (make_buffers(run, err))
		return -1;
	for (i = 0; i < w->ctas; i += most)
		if (launch_integrals(run, (int32_t)i, (uint32_t)min_u64(most, w->ctas - i), err))
			return -1;
	for (i = 0; i < w->quartets; i += most)
		if (launch_sums(run, (int32_t)i, (uint32_t)min_u64(most, w->quartets - i), err))
			return -1;
	return 0;
}

/* ---- the reference */
struct gaussian {
	double at[3], exponent, coefficient;
	double reach; /* of a product: the length of what its centre is the sum of */
};

/* The product of two Gaussians is one between them. */
static struct gaussian product(const struct gaussian *a, const struct gaussian *b, double *decay)
{
	double sum = a->exponent + b->exponent, square = 0.0;
	struct gaussian p = {.exponent = sum, .coefficient = a->coefficient * b->coefficient};

	for (unsigned k = 0; k < 3; k++) {
		double from_a = a->exponent * a->at[k] / sum, from_b = b->exponent * b->at[k] / sum;

		p.at[k] = from_a + from_b;
		p.reach += (fabs(from_a) + fabs(from_b)) * (fabs(from_a) + fabs(from_b));
		square += (a->at[k] - b->at[k]) * (a->at[k] - b->at[k]);
	}
	p.reach = sqrt(p.reach);
	*decay += a->exponent * b->exponent / sum * square;
	return p;
}

/* What roundings make of a term, relatively: thirty of its own; those of the exponent `decay`,
 * which are relative to that; those of the two centres, six each of numbers of that length, which
 * move t. F0 then changes by less than a third of it and by less than 1 / (2 t) of it. */
static double relative_error(double reach, double decay, double rho, double t)
{
	double moved = 6 * reach * F32_ROUNDING;
	double moved_t = 2 * sqrt(rho * t) * moved + rho * moved * moved + 10 * t * F32_ROUNDING;

	return (30 + 14 * decay) * F32_ROUNDING + moved_t * fmin(1.0 / 3, 1 / (2 * t));
}

struct sum {
	double value, bound, size;
};

static void add_term(const struct gaussian g[QUARTET], struct sum *sum)
{
	double decay = 0.0, square = 0.0, scale = 2 * pow(PI, 2.5), rho, t, size, term;
	struct gaussian p = product(&g[0], &g[1], &decay);
	struct gaussian q = product(&g[2], &g[3], &decay);

	for (unsigned k = 0; k < 3; k++)
		square += (p.at[k] - q.at[k]) * (p.at[k] - q.at[k]);
	rho = p.exponent * q.exponent / (p.exponent + q.exponent);
	t = rho * square;
	size = p.coefficient * q.coefficient * exp(-decay) /
	       (p.exponent * q.exponent * sqrt(p.exponent + q.exponent));
	term = scale * size * (t > 0 ? sqrt(PI / t) / 2 * erf(sqrt(t)) : 1.0);
	sum->value += term;
	sum->size += fabs(term);
	sum->bound += fabs(term) * relative_error(p.reach + q.reach, decay, rho, t);
	if (size * size < 1.001 * NEGLIGIBLE)
		sum->bound += fabs(term); /* the kernel leaves it out */
}

static struct gaussian gaussian_of(const struct rpes *w, const struct shell *s, unsigned i)
{
	const float *at = w->atom[s->atom], *primitive = w->primitive[s->type->first + i];

	return (struct gaussian){.at = {(double)at[0], (double)at[1], (double)at[2]},
		.exponent = (double)primitive[0],
		.coefficient = (double)primitive[1]};
}

/* All primitives of a quartet. Trees of six and of five levels add them. */
static struct sum reference(const struct quartet *q)
{
	const struct rpes *w = q->w;
	struct sum sum = {0};
	unsigned n[QUARTET] = {0}, k;

	do {
		struct gaussian g[QUARTET];

		for (k = 0; k < QUARTET; k++)
			g[k] = gaussian_of(w, &w->shell[q->shell[k]], n[k]);
		add_term(g, &sum);
		for (k = 0; k < QUARTET; k++) {
			if (++n[k] < w->shell[q->shell[k]].type->count)
				break;
			n[k] = 0;
		}
	} while (k < QUARTET);
	sum.bound += 12 * F32_ROUNDING * sum.size;
	return sum;
}

static int check(struct workload_run *run, struct err *err)
{
	const struct rpes *w = run->state;
	struct quartet q = {.w = w};
	float *expected = arena_alloc(run->arena, w->quartets, sizeof(*expected));
	float *bounds = arena_alloc(run->arena, w->quartets, sizeof(*bounds));

	for (uint32_t i = 0; i < w->quartets; i++) {
		struct sum sum = reference(&q);

		expected[i] = (float)sum.value;
		bounds[i] = (float)sum.bound;
		next_quartet(&q);
	}
	return workload_check_f32_each(run, expected, bounds, w->quartets,
		"roundings of terms, of distances and of sums, and terms left out as negligible",
		err);
}

static const char *const variants[] = {"rpes.molecules=2 rpes.ctas=1000", NULL};

/* The file has a third texture, which its kernels do not use. */
static const struct workload_foreign foreign[] = {
	FOREIGN("parboil/rpes.ptx", "rpes", "_Z8ComputeXP5uint4Pfi", NULL),
	FOREIGN("parboil/rpes.ptx", "rpes_sums", "_Z11DoReductionPfS_P5uint2ii", "0 1 2 block.x 3"),
	FOREIGN("parboil/rpes.ptx", "atoms", "texCoors", NULL),
	FOREIGN("parboil/rpes.ptx", "primitives", "texSprms", NULL),
	{.file = NULL},
};

static const struct workload_ops ops = {
	.computes = "Two-electron integrals over the s shells of water molecules.",
	.source = "Parboil, rpes (Rys, Dupuis and King, Journal of Computational Chemistry 1983)",
	.setup = setup,
	.check = check,
	.variants = variants,
	.foreign = foreign,
};

const struct plugin rpes_workload = {
	.kind = "workload",
	.name = "rpes",
	.text = "Integrals of quantum chemistry: arithmetic, divergence, texture fetches, sums.",
	.path = "rpes",
	.size = sizeof(struct rpes),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
};
