/* mriq: the matrix Q of image reconstruction from non-Cartesian MRI samples (Parboil, mri-q). */
#include "workloads/workload.h"

#include <math.h>

/* As in mriq.cu. */
#define TILE 1024u

#define TURN 6.283185307179586

#define THREADS_MAGNITUDE 512u
#define THREADS 256u

#define PARAMS(P, T) \
	P(T, UINT, voxels, 0, 0, 2097152, "voxels", \
		"Voxels of the image, a multiple of 256; 0 = by size: 8192 at small, 32768 at " \
		"full (Parboil's 32 x 32 x 32).") \
	P(T, UINT, samples, 0, 0, 65536, "samples", \
		"Samples of k-space, 1024 a launch; 0 = by size: 50 at small, 3072 at full " \
		"(Parboil's).")

struct sample {
	float x, y, z, magnitude;
};

enum { X, Y, Z, AXES };

struct mriq {
	struct {
		PARAMS(PARAM_FIELD, mriq)
	} p;
	uint32_t voxels, samples, done;
	float *k[AXES], *phi_r, *phi_i, *at[AXES];
	float *magnitude; /* read back, then packed into */
	struct sample *packed;
	module_t module;
	buffer_t d_magnitude, d_at[AXES], q_r, q_i;
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, mriq)};

/* The ranges of the suite's data set. */
static void make_inputs(struct workload_run *run)
{
	static const double reach[AXES] = {10.89, 16.02, 0.585};
	struct mriq *w = run->state;

	for (unsigned a = 0; a < AXES; a++) {
		w->k[a] = workload_random_f32(run, a, w->samples, -reach[a], reach[a]);
		w->at[a] = workload_random_f32(run, AXES + a, w->voxels, -0.5, 0.5);
	}
	w->phi_r = workload_random_f32(run, 6, w->samples, 0.3125, 0.375);
	w->phi_i = workload_random_f32(run, 7, w->samples, 0.40625, 0.46875);
	w->magnitude = arena_alloc(run->arena, w->samples, sizeof(*w->magnitude));
	w->packed = arena_alloc(run->arena, TILE, sizeof(*w->packed));
}

static int make_voxels(struct workload_run *run, struct err *err)
{
	static const char *const names[AXES] = {"x", "y", "z"};
	struct mriq *w = run->state;
	uint64_t bytes = w->voxels * sizeof(float);

	for (unsigned a = 0; a < AXES; a++) {
		w->d_at[a] = workload_buffer(run, names[a], w->at[a], bytes, err);
		if (!w->d_at[a])
			return -1;
	}
	w->q_i = workload_buffer(run, "q_i", NULL, bytes, err);
	w->q_r = workload_result(run, "q_r", NULL, bytes, err);
	return w->q_r && w->q_i ? 0 : -1;
}

static int setup(struct workload_run *run, struct err *err)
{
	struct mriq *w = run->state;
	buffer_t phi_r, phi_i;
	uint64_t bytes;
	int32_t n;

	w->voxels = workload_by_size(run, w->p.voxels, 8192, 32768);
	w->samples = workload_by_size(run, w->p.samples, 50, 3072);
	if (w->voxels % THREADS)
		return err_add(err, ERR_INPUT, "mriq.voxels = %u: must be a multiple of %u",
			w->voxels, THREADS);
	make_inputs(run);
	w->module = workload_module(run, "mriq", err);
	bytes = w->samples * sizeof(float);
	phi_r = workload_buffer(run, "phi_r", w->phi_r, bytes, err);
	phi_i = workload_buffer(run, "phi_i", w->phi_i, bytes, err);
	w->d_magnitude = workload_buffer(run, "magnitude", NULL, bytes, err);
	if (!w->module || !phi_r || !phi_i || !w->d_magnitude || make_voxels(run, err))
		return -1;
	n = (int32_t)w->samples;
	return workload_launch(run,
		&(struct launch){
			.module = w->module,
			.kernel = "mriq_magnitude",
			.grid = {(uint32_t)div_up(w->samples, THREADS_MAGNITUDE), 1, 1},
			.block = {THREADS_MAGNITUDE, 1, 1},
			.args = (struct launch_arg[]){ARG_BUF(phi_r), ARG_BUF(phi_i),
				ARG_BUF(w->d_magnitude), ARG_VAL(n)},
			.nargs = 4,
		},
		err);
}

/* The next samples to constant memory, with their magnitudes. */
static int pack(struct workload_run *run, struct err *err)
{
	struct mriq *w = run->state;
	uint32_t n = (uint32_t)min_u64(TILE, w->samples - w->done);
	buffer_t samples = workload_variable(run, "samples", n * sizeof(*w->packed), err);

	if (!samples)
		return -1;
	gpu_read(run->gpu, w->d_magnitude, 0, w->magnitude, w->samples * sizeof(float));
	for (uint32_t i = 0; i < n; i++)
		w->packed[i] = (struct sample){w->k[X][w->done + i], w->k[Y][w->done + i],
			w->k[Z][w->done + i], w->magnitude[w->done + i]};
	gpu_write(run->gpu, samples, 0, w->packed, n * sizeof(*w->packed));
	return 0;
}

static int next_samples(struct workload_run *run, struct err *err)
{
	struct mriq *w = run->state;
	int32_t n = (int32_t)w->samples, first = (int32_t)w->done;

	if (w->done >= w->samples)
		return 0;
	if (pack(run, err))
		return -1;
	w->done += TILE;
	if (workload_launch(run,
		    &(struct launch){
			    .module = w->module,
			    .kernel = "mriq",
			    .grid = {w->voxels / THREADS, 1, 1},
			    .block = {THREADS, 1, 1},
			    .args = (struct launch_arg[]){ARG_VAL(n), ARG_VAL(first),
				    ARG_BUF(w->d_at[X]), ARG_BUF(w->d_at[Y]), ARG_BUF(w->d_at[Z]),
				    ARG_BUF(w->q_r), ARG_BUF(w->q_i)},
			    .nargs = 7,
		    },
		    err))
		return -1;
	return 1;
}

static double magnitude_of(const struct mriq *w, uint32_t k)
{
	double r = (double)w->phi_r[k], i = (double)w->phi_i[k];

	return r * r + i * i;
}

static void reference(const struct mriq *w, uint32_t voxel, float *real, float *imaginary)
{
	double q_r = 0.0, q_i = 0.0;

	for (uint32_t k = 0; k < w->samples; k++) {
		double turns = 0.0, magnitude = magnitude_of(w, k);

		for (unsigned a = 0; a < AXES; a++)
			turns += (double)w->k[a][k] * (double)w->at[a][voxel];
		q_r += magnitude * cos(TURN * turns);
		q_i += magnitude * sin(TURN * turns);
	}
	*real = (float)q_r;
	*imaginary = (float)q_i;
}

/* A term is off by its phase's roundings (five of numbers up to 2 pi 14 turns), by the sine's error
 * of 2^-20.9, and by four of its own; all terms' together are taken. Their sum is off by a random
 * walk of n roundings, of which three deviations. */
static double error_of_sum(const struct mriq *w)
{
	double term = 5 * 14 * TURN * F32_ROUNDING + 0x1p-20 + 4 * F32_ROUNDING, all = 0.0;

	for (uint32_t k = 0; k < w->samples; k++)
		all += magnitude_of(w, k);
	return all * (term + 3 * sqrt((double)w->samples) * F32_ROUNDING);
}

static int check_buffer(struct workload_run *run, buffer_t buffer, const char *name,
	const float *expected, struct tolerance tolerance, struct err *err)
{
	const struct mriq *w = run->state;
	size_t n = buffer == w->d_magnitude ? w->samples : w->voxels;

	run->result = buffer;
	run->result_name = name;
	return workload_check_f32(run, expected, n, tolerance, err);
}

static int check(struct workload_run *run, struct err *err)
{
	const struct mriq *w = run->state;
	float *magnitude = arena_alloc(run->arena, w->samples, sizeof(*magnitude));
	float *q_r = arena_alloc(run->arena, w->voxels, sizeof(*q_r));
	float *q_i = arena_alloc(run->arena, w->voxels, sizeof(*q_i));
	struct tolerance squares = {.rel = 4 * F32_ROUNDING, .why = "two or three roundings"};
	struct tolerance sums = {.abs = error_of_sum(w),
		.why = "roundings of phases, sines and sums, over all samples"};

	for (uint32_t k = 0; k < w->samples; k++)
		magnitude[k] = (float)magnitude_of(w, k);
	for (uint32_t voxel = 0; voxel < w->voxels; voxel++)
		reference(w, voxel, &q_r[voxel], &q_i[voxel]);
	if (check_buffer(run, w->d_magnitude, "magnitude", magnitude, squares, err))
		return -1;
	if (check_buffer(run, w->q_i, "q_i", q_i, sums, err))
		return -1;
	return check_buffer(run, w->q_r, "q_r", q_r, sums, err);
}

/* One round; odd numbers of samples, in one and in two launches. */
static const char *const variants[] = {"mriq.voxels=256 mriq.samples=2",
	"mriq.voxels=512 mriq.samples=7", "mriq.voxels=256 mriq.samples=1025", NULL};

/* For odd numbers of samples above 1024 the foreign kernel reads one behind its constant memory. */
static const struct workload_foreign foreign[] = {
	FOREIGN("parboil/mri-q.ptx", "mriq_magnitude", "_Z17ComputePhiMag_GPUPfS_S_i", NULL),
	FOREIGN("parboil/mri-q.ptx", "mriq", "_Z12ComputeQ_GPUiiPfS_S_S_S_", NULL),
	FOREIGN("parboil/mri-q.ptx", "samples", "ck", NULL),
	{.file = NULL},
};

static const struct workload_ops ops = {
	.computes = "Sums of turned samples of k-space for each voxel: the scanner's matrix Q.",
	.source = "Parboil, mri-q (Stone et al., Computing Frontiers 2008)",
	.setup = setup,
	.advance = next_samples,
	.check = check,
	.variants = variants,
	.foreign = foreign,
};

const struct plugin mriq_workload = {
	.kind = "workload",
	.name = "mriq",
	.text = "MRI reconstruction: sines and cosines, samples in constant memory.",
	.path = "mriq",
	.size = sizeof(struct mriq),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
};
