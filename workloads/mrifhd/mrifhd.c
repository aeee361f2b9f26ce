/* mrifhd: the vector F^H d of image reconstruction from non-Cartesian MRI samples (Parboil,
 * mri-fhd). */
#include "workloads/workload.h"

#include <math.h>

/* As in mrifhd.cu. */
#define TILE 512u

#define TURN 6.283185307179586

#define THREADS_PRODUCTS 512u
#define THREADS 256u

#define PARAMS(P, T) \
	P(T, UINT, voxels, 0, 0, 2097152, "voxels", \
		"Voxels of the image, a multiple of 256; 0 = by size: 8192 at small, 32768 at " \
		"full (as Parboil's mri-q: 32 x 32 x 32).") \
	P(T, UINT, samples, 0, 0, 65536, "samples", \
		"Samples of k-space, 512 a launch; 0 = by size: 42 at small, 1536 at full (as " \
		"Parboil's mri-q: 3072).")

enum { X, Y, Z, AXES };
enum { PHI_R, PHI_I, D_R, D_I, INPUTS };
enum { REAL, IMAGINARY, PARTS };

struct sample {
	float at[AXES], part[PARTS];
};

struct mrifhd {
	struct {
		PARAMS(PARAM_FIELD, mrifhd)
	} p;
	uint32_t voxels, samples, done;
	float *k[AXES], *at[AXES], *input[INPUTS];
	float *product[PARTS]; /* read back, then packed into */
	struct sample *packed;
	module_t module;
	buffer_t d_input[INPUTS], d_product[PARTS], d_at[AXES], f[PARTS];
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, mrifhd)};

static const char *const product_names[PARTS] = {"product_r", "product_i"};
static const char *const f_names[PARTS] = {"f_r", "f_i"};

/* Positions and phi in the ranges of the suite's data set; measured data of either sign. */
static void make_inputs(struct workload_run *run)
{
	static const double reach[AXES] = {10.89, 16.02, 0.585};
	static const double low[INPUTS] = {0.3125, 0.40625, -0.5, -0.5};
	static const double high[INPUTS] = {0.375, 0.46875, 0.5, 0.5};
	struct mrifhd *w = run->state;

	for (unsigned a = 0; a < AXES; a++) {
		w->k[a] = workload_random_f32(run, a, w->samples, -reach[a], reach[a]);
		w->at[a] = workload_random_f32(run, AXES + a, w->voxels, -0.5, 0.5);
	}
	for (unsigned i = 0; i < INPUTS; i++)
		w->input[i] = workload_random_f32(run, 2 * AXES + i, w->samples, low[i], high[i]);
	for (unsigned p = 0; p < PARTS; p++)
		w->product[p] = arena_alloc(run->arena, w->samples, sizeof(float));
	w->packed = arena_alloc(run->arena, TILE, sizeof(*w->packed));
}

/* Vectors of n floats; data NULL: zeros. */
struct vectors {
	unsigned count;
	uint32_t n;
	buffer_t *buffer;
	const char *const *name;
	float *const *data;
};

static int make_buffers(struct workload_run *run, const struct vectors *v, struct err *err)
{
	for (unsigned i = 0; i < v->count; i++) {
		v->buffer[i] = workload_buffer(
			run, v->name[i], v->data ? v->data[i] : NULL, v->n * sizeof(float), err);
		if (!v->buffer[i])
			return -1;
	}
	return 0;
}

static int make_all_buffers(struct workload_run *run, struct err *err)
{
	static const char *const input_names[INPUTS] = {"phi_r", "phi_i", "d_r", "d_i"};
	static const char *const at_names[AXES] = {"x", "y", "z"};
	struct mrifhd *w = run->state;
	struct vectors all[] = {
		{INPUTS, w->samples, w->d_input, input_names, w->input},
		{PARTS, w->samples, w->d_product, product_names, NULL},
		{AXES, w->voxels, w->d_at, at_names, w->at},
		{PARTS, w->voxels, w->f, f_names, NULL},
	};

	for (unsigned i = 0; i < ARRAY_LEN(all); i++)
		if (make_buffers(run, &all[i], err))
			return -1;
	run->result = w->f[REAL];
	run->result_name = f_names[REAL];
	return 0;
}

static int setup(struct workload_run *run, struct err *err)
{
	struct mrifhd *w = run->state;
	int32_t n;

	w->voxels = workload_by_size(run, w->p.voxels, 8192, 32768);
	w->samples = workload_by_size(run, w->p.samples, 42, 1536);
	if (w->voxels % THREADS)
		return err_add(err, ERR_INPUT, "mrifhd.voxels = %u: must be a multiple of %u",
			w->voxels, THREADS);
	make_inputs(run);
	w->module = workload_module(run, "mrifhd", err);
	if (!w->module || make_all_buffers(run, err))
		return -1;
	n = (int32_t)w->samples;
	return workload_launch(run,
		&(struct launch){
			.module = w->module,
			.kernel = "mrifhd_products",
			.grid = {(uint32_t)div_up(w->samples, THREADS_PRODUCTS), 1, 1},
			.block = {THREADS_PRODUCTS, 1, 1},
			.args = (struct launch_arg[]){ARG_VAL(n), ARG_BUF(w->d_input[PHI_R]),
				ARG_BUF(w->d_input[PHI_I]), ARG_BUF(w->d_input[D_R]),
				ARG_BUF(w->d_input[D_I]), ARG_BUF(w->d_product[REAL]),
				ARG_BUF(w->d_product[IMAGINARY])},
			.nargs = 7,
		},
		err);
}

/* The next samples to constant memory. */
static int pack(struct workload_run *run, struct err *err)
{
	struct mrifhd *w = run->state;
	uint32_t n = (uint32_t)min_u64(TILE, w->samples - w->done);
	buffer_t samples = workload_variable(run, "samples", n * sizeof(*w->packed), err);

	if (!samples)
		return -1;
	for (unsigned p = 0; p < PARTS; p++)
		gpu_read(run->gpu, w->d_product[p], 0, w->product[p], w->samples * sizeof(float));
	for (uint32_t i = 0; i < n; i++) {
		for (unsigned a = 0; a < AXES; a++)
			w->packed[i].at[a] = w->k[a][w->done + i];
		for (unsigned p = 0; p < PARTS; p++)
			w->packed[i].part[p] = w->product[p][w->done + i];
	}
	gpu_write(run->gpu, samples, 0, w->packed, n * sizeof(*w->packed));
	return 0;
}

static int next_samples(struct workload_run *run, struct err *err)
{
	struct mrifhd *w = run->state;
	int32_t n = (int32_t)w->samples, first = (int32_t)w->done;

	if (w->done >= w->samples)
		return 0;
	if (pack(run, err))
		return -1;
	w->done += TILE;
	if (workload_launch(run,
		    &(struct launch){
			    .module = w->module,
			    .kernel = "mrifhd",
			    .grid = {w->voxels / THREADS, 1, 1},
			    .block = {THREADS, 1, 1},
			    .args = (struct launch_arg[]){ARG_VAL(n), ARG_VAL(first),
				    ARG_BUF(w->d_at[X]), ARG_BUF(w->d_at[Y]), ARG_BUF(w->d_at[Z]),
				    ARG_BUF(w->f[REAL]), ARG_BUF(w->f[IMAGINARY])},
			    .nargs = 7,
		    },
		    err))
		return -1;
	return 1;
}

/* The products of sample k. */
static void product_of(const struct mrifhd *w, uint32_t k, double product[PARTS])
{
	double phi_r = (double)w->input[PHI_R][k], phi_i = (double)w->input[PHI_I][k];
	double d_r = (double)w->input[D_R][k], d_i = (double)w->input[D_I][k];

	product[REAL] = phi_r * d_r + phi_i * d_i;
	product[IMAGINARY] = phi_r * d_i - phi_i * d_r;
}

static void reference(const struct mrifhd *w, uint32_t voxel, double f[PARTS])
{
	f[REAL] = f[IMAGINARY] = 0.0;
	for (uint32_t k = 0; k < w->samples; k++) {
		double turns = 0.0, product[PARTS], c, s;

		for (unsigned a = 0; a < AXES; a++)
			turns += (double)w->k[a][k] * (double)w->at[a][voxel];
		product_of(w, k, product);
		c = cos(TURN * turns);
		s = sin(TURN * turns);
		f[REAL] += product[REAL] * c - product[IMAGINARY] * s;
		f[IMAGINARY] += product[REAL] * s + product[IMAGINARY] * c;
	}
}

/* A term is off by its phase's roundings (five of numbers up to 2 pi 14 turns), by the errors of
 * sine and cosine, 2^-20.9 each, and by six of its own; all terms' together are taken. Their sum is
 * off by a random walk of n roundings, of which three deviations. */
static double error_of_sum(const struct mrifhd *w)
{
	double term = 5 * 14 * TURN * F32_ROUNDING + 0x1p-19 + 6 * F32_ROUNDING, all = 0.0;

	for (uint32_t k = 0; k < w->samples; k++) {
		double product[PARTS];

		product_of(w, k, product);
		all += hypot(product[REAL], product[IMAGINARY]);
	}
	return all * (term + 3 * sqrt((double)w->samples) * F32_ROUNDING);
}

/* Compares the vectors with their data, the first last: it is the run's result. */
static int check_vectors(struct workload_run *run, const struct vectors *v,
	struct tolerance tolerance, struct err *err)
{
	for (unsigned i = v->count; i-- > 0;) {
		run->result = v->buffer[i];
		run->result_name = v->name[i];
		if (workload_check_f32(run, v->data[i], v->n, tolerance, err))
			return -1;
	}
	return 0;
}

static int check(struct workload_run *run, struct err *err)
{
	struct mrifhd *w = run->state;
	struct tolerance rounded = {
		.abs = 3 * F32_ROUNDING, .why = "two or three roundings of numbers below one"};
	struct tolerance summed = {.abs = error_of_sum(w),
		.why = "roundings of phases, sines and sums, over all samples"};
	float *product[PARTS], *f[PARTS];
	struct vectors products = {PARTS, w->samples, w->d_product, product_names, product};
	struct vectors sums = {PARTS, w->voxels, w->f, f_names, f};
	double both[PARTS];

	for (unsigned p = 0; p < PARTS; p++) {
		product[p] = arena_alloc(run->arena, w->samples, sizeof(float));
		f[p] = arena_alloc(run->arena, w->voxels, sizeof(float));
	}
	for (uint32_t k = 0; k < w->samples; k++) {
		product_of(w, k, both);
		for (unsigned p = 0; p < PARTS; p++)
			product[p][k] = (float)both[p];
	}
	for (uint32_t voxel = 0; voxel < w->voxels; voxel++) {
		reference(w, voxel, both);
		for (unsigned p = 0; p < PARTS; p++)
			f[p][voxel] = (float)both[p];
	}
	if (check_vectors(run, &products, rounded, err))
		return -1;
	return check_vectors(run, &sums, summed, err);
}

/* One round; numbers of samples that are no multiple of four, in one and in two launches. */
static const char *const variants[] = {"mrifhd.voxels=256 mrifhd.samples=4",
	"mrifhd.voxels=512 mrifhd.samples=7", "mrifhd.voxels=256 mrifhd.samples=515", NULL};

static const struct workload_foreign foreign[] = {
	FOREIGN("parboil/mri-fhd.ptx", "mrifhd_products", "_Z16ComputeRhoPhiGPUiPfS_S_S_S_S_",
		NULL),
	FOREIGN("parboil/mri-fhd.ptx", "mrifhd", "_Z13ComputeFH_GPUiiPfS_S_S_S_", NULL),
	FOREIGN("parboil/mri-fhd.ptx", "samples", "c", NULL),
	{.file = NULL},
};

static const struct workload_ops ops = {
	.computes = "Sums of turned samples of k-space for each voxel: F^H d of the measured data.",
	.source = "Parboil, mri-fhd (Stone et al., Computing Frontiers 2008)",
	.setup = setup,
	.advance = next_samples,
	.check = check,
	.variants = variants,
	.foreign = foreign,
};

const struct plugin mrifhd_workload = {
	.kind = "workload",
	.name = "mrifhd",
	.text = "MRI reconstruction: complex samples in constant memory, sines and cosines.",
	.path = "mrifhd",
	.size = sizeof(struct mrifhd),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
};
