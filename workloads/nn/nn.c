/* nn: a small convolutional network over images of written strokes, layer by layer. */
#include "workloads/workload.h"

#include <math.h>

#define LAYERS 4u

#define PARAMS(P, T) \
	P(T, UINT, images, 0, 0, 1024, "images", \
		"Images to read; 0 = by size: 2 at small, 28 (the suite's) at full.")

/* As in nn.cu: `maps` maps of side x side neurons, each a sum over `from_maps` maps whose sides are
 * `from_side`, through windows of window x window that move by `stride`. */
struct layer {
	const char *kernel, *weights_name, *name;
	uint32_t maps, side, from_maps, from_side, window, stride;
};

/* The last two layers see whole maps: their window is as large as a map. */
static const struct layer layers[LAYERS] = {
	{"nn_first", "weights1", "neurons1", 6, 13, 1, 29, 5, 2},
	{"nn_second", "weights2", "neurons2", 50, 5, 6, 13, 5, 2},
	{"nn_third", "weights3", "neurons3", 100, 1, 50, 5, 5, 1},
	{"nn_fourth", "weights4", "digits", 10, 1, 100, 1, 1, 1},
};

struct nn {
	struct {
		PARAMS(PARAM_FIELD, nn)
	} p;
	uint32_t images;
	float *weights[LAYERS];
	buffer_t neurons[LAYERS + 1]; /* 0: the images */
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, nn)};

static uint32_t inputs_of(const struct layer *l)
{
	return l->from_maps * l->window * l->window;
}

static size_t outputs_of(const struct nn *w, unsigned i)
{
	return (size_t)w->images * layers[i].maps * layers[i].side * layers[i].side;
}

/* A pen's path: a few straight strokes, dark (1) on light (-1), with soft edges and grain. */
static void draw_image(struct rng *rng, uint32_t side, float *image)
{
	double x[5], y[5];

	for (unsigned i = 0; i < ARRAY_LEN(x); i++) {
		x[i] = side * (0.2 + 0.6 * rng_unit(rng));
		y[i] = side * (0.2 + 0.6 * rng_unit(rng));
	}
	for (uint32_t p = 0; p < side * side; p++) {
		double nearest = side;

		for (unsigned i = 0; i < 200; i++) {
			unsigned k = i / 50;
			double s = i % 50 / 50.0;
			double dx = x[k] + s * (x[k + 1] - x[k]) - p % side;
			double dy = y[k] + s * (y[k + 1] - y[k]) - p / side;

			nearest = fmin(nearest, sqrt(dx * dx + dy * dy));
		}
		image[p] = (float)(2 * exp(-nearest * nearest / 2) - 1 + 0.1 * rng_unit(rng));
	}
}

static buffer_t make_images(struct workload_run *run, struct err *err)
{
	struct nn *w = run->state;
	uint32_t side = layers[0].from_side;
	size_t pixels = (size_t)side * side;
	float *images = arena_alloc(run->arena, w->images * pixels, sizeof(*images));
	struct rng rng = rng_new(run->seed, LAYERS);

	for (uint32_t i = 0; i < w->images; i++)
		draw_image(&rng, side, images + i * pixels);
	return workload_buffer(run, "images", images, w->images * pixels * sizeof(*images), err);
}

/* Queues one layer; its weights are such that sums have a variance near 1. */
static int launch(struct workload_run *run, module_t module, unsigned i, struct err *err)
{
	struct nn *w = run->state;
	const struct layer *l = &layers[i];
	size_t n = (size_t)l->maps * (1 + inputs_of(l));
	double range = sqrt(3.0 / inputs_of(l));
	buffer_t weights;

	w->weights[i] = workload_random_f32(run, i, n, -range, range);
	weights = workload_buffer(run, l->weights_name, w->weights[i], n * sizeof(float), err);
	w->neurons[i + 1] =
		workload_result(run, l->name, NULL, outputs_of(w, i) * sizeof(float), err);
	if (!weights || !w->neurons[i + 1])
		return -1;
	return workload_launch(run,
		&(struct launch){
			.module = module,
			.kernel = l->kernel,
			.grid = {l->maps, w->images, 1},
			.block = {l->side, l->side, 1},
			.args = (struct launch_arg[]){ARG_BUF(w->neurons[i]), ARG_BUF(weights),
				ARG_BUF(w->neurons[i + 1])},
			.nargs = 3,
		},
		err);
}

static int setup(struct workload_run *run, struct err *err)
{
	struct nn *w = run->state;
	module_t module = workload_module(run, "nn", err);

	w->images = workload_by_size(run, w->p.images, 2, 28);
	w->neurons[0] = make_images(run, err);
	if (!module || !w->neurons[0])
		return -1;
	for (unsigned i = 0; i < LAYERS; i++)
		if (launch(run, module, i, err))
			return -1;
	return 0;
}

/* A neuron's sum in double. `largest` grows to the largest magnitude that it passes. */
static double reference_sum(const struct layer *l, const float *weights, const float *from,
	uint32_t x, uint32_t y, double *largest)
{
	double sum = (double)*weights++;

	for (uint32_t i = 0; i < inputs_of(l); i++) {
		uint32_t map = i / (l->window * l->window);
		uint32_t row = y * l->stride + i / l->window % l->window;
		uint32_t column = x * l->stride + i % l->window;

		sum += (double)weights[i] *
		       (double)from[(map * l->from_side + row) * l->from_side + column];
		*largest = fmax(*largest, fabs(sum));
	}
	return sum;
}

/* The layer from the neurons before it. Returns the largest magnitude of a sum. */
static double reference(const struct nn *w, unsigned i, const float *from, float *out)
{
	const struct layer *l = &layers[i];
	size_t before = (size_t)l->from_maps * l->from_side * l->from_side;
	uint32_t cells = l->side * l->side;
	double largest = 0.0;

	for (size_t k = 0; k < outputs_of(w, i); k++) {
		uint32_t cell = (uint32_t)(k % cells), map = (uint32_t)(k / cells % l->maps);
		const float *weights = w->weights[i] + map * (1 + inputs_of(l));
		double sum = reference_sum(l, weights, from + k / cells / l->maps * before,
			cell % l->side, cell / l->side, &largest);

		out[k] = (float)(1.7159 * tanh(sum * 2 / 3));
	}
	return largest;
}

/* Every layer from what the one before it left on the device. The activation's slope is at most
 * 1.15, its own error a few roundings of values below 2. */
static int check_layer(struct workload_run *run, unsigned i, struct err *err)
{
	const struct nn *w = run->state;
	const struct layer *l = &layers[i];
	uint64_t before = gpu_buffer_bytes(run->gpu, w->neurons[i]);
	float *from = arena_alloc(run->arena, before / sizeof(float), sizeof(float));
	float *expected = arena_alloc(run->arena, outputs_of(w, i), sizeof(*expected));
	struct tolerance tolerance = {.why = "a rounding for each input at the largest partial "
					     "sum, and the activation's"};
	double largest;

	gpu_read(run->gpu, w->neurons[i], 0, from, before);
	largest = reference(w, i, from, expected);
	tolerance.abs = (1.15 * (inputs_of(l) + 1) * largest + 16) * F32_ROUNDING;
	run->result = w->neurons[i + 1];
	run->result_name = l->name;
	return workload_check_f32(run, expected, outputs_of(w, i), tolerance, err);
}

static int check(struct workload_run *run, struct err *err)
{
	int status = 0;

	for (unsigned i = 0; i < LAYERS && !status; i++)
		status = check_layer(run, i, err);
	return status;
}

static const struct workload_ops ops = {
	.computes = "A convolutional network's outputs for images of written digits.",
	.source = "Bakhoda et al., ISPASS 2009, NN (Simard, Steinkraus and Platt, ICDAR 2003)",
	.setup = setup,
	.check = check,
};

const struct plugin nn_workload = {
	.kind = "workload",
	.name = "nn",
	.text = "Neural network: CTAs of few threads, weights read again and again.",
	.path = "nn",
	.size = sizeof(struct nn),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
};
