/* What the workloads share: opening a run, loading its module, filling buffers, comparing results.
 */
#include "workloads/workload.h"

#include "core/file.h"

#include <math.h>
#include <stdio.h>

struct workload_run *workload_open(const char *name, struct gpu *gpu, struct config *config,
	struct arena *arena, struct err *err)
{
	const struct plugin *plugin = plugin_find("workload", name, "workload", err);
	struct workload_run *run;

	if (!plugin)
		return NULL;
	run = arena_alloc(arena, 1, sizeof(*run));
	*run = (struct workload_run){
		.gpu = gpu,
		.plugin = plugin,
		.ops = plugin->ops,
		.size = SIZE_SMALL,
		.address_bits = 32,
		.seed = 1,
		.data_dir = "workloads",
		.arena = arena,
		.state = arena_alloc(arena, 1, plugin->size),
	};
	if (config_load(config, plugin->path, plugin->params, plugin->nparams, run->state, err))
		return NULL;
	return run;
}

module_t workload_module(struct workload_run *run, const char *name, struct err *err)
{
	const char *suffix = run->address_bits == 64 ? ".64.ptx" : ".ptx";
	int n = snprintf(NULL, 0, "%s/%s/%s%s", run->data_dir, name, name, suffix);
	char *path = arena_alloc(run->arena, (size_t)n + 1, 1), *text;
	size_t bytes;

	if (run->ptx_dir)
		return workload_foreign_modules(run, err);
	snprintf(path, (size_t)n + 1, "%s/%s/%s%s", run->data_dir, name, name, suffix);
	text = file_read(NULL, path, &bytes, ERR_INPUT, err); /* gpu_module notes it */
	if (!text)
		return 0;
	if (!workload_sum_holds(text, bytes))
		run->altered = path;
	mem_free(text);
	run->module = gpu_module(run->gpu, path, err);
	return run->module;
}

buffer_t workload_buffer(struct workload_run *run, const char *name, const void *data,
	uint64_t bytes, struct err *err)
{
	buffer_t buffer = run->address_bits == 64 ? gpu_buffer_high(run->gpu, name, bytes, err)
						  : gpu_buffer(run->gpu, name, bytes, err);

	if (buffer && data)
		gpu_write(run->gpu, buffer, 0, data, bytes);
	return buffer;
}

buffer_t workload_result(struct workload_run *run, const char *name, const void *data,
	uint64_t bytes, struct err *err)
{
	run->result = workload_buffer(run, name, data, bytes, err);
	run->result_name = name;
	return run->result;
}

float *workload_random_f32(
	struct workload_run *run, uint64_t stream, size_t n, double low, double high)
{
	struct rng rng = rng_new(run->seed, stream);
	float *out = arena_alloc(run->arena, n, sizeof(*out));

	for (size_t i = 0; i < n; i++)
		out[i] = (float)(low + rng_unit(&rng) * (high - low));
	return out;
}

/* The run's result, n elements of 4 bytes. */
static void *read_result(struct workload_run *run, size_t n)
{
	void *data = arena_alloc(run->arena, n, 4);

	gpu_read(run->gpu, run->result, 0, data, n * 4);
	return data;
}

/* Equal infinities are near; a NaN is near nothing. */
static bool is_near(float ours, float theirs, const struct tolerance *t)
{
	double difference = fabs((double)ours - (double)theirs);

	return ours == theirs ||
	       (isfinite(theirs) && difference <= t->abs + t->rel * fabs((double)theirs));
}

int workload_check_f32(struct workload_run *run, const float *theirs, size_t n,
	struct tolerance tolerance, struct err *err)
{
	const float *ours = read_result(run, n);
	size_t first = 0, wrong = 0;

	for (size_t i = 0; i < n; i++) {
		if (is_near(ours[i], theirs[i], &tolerance))
			continue;
		if (wrong++ == 0)
			first = i;
	}
	if (wrong == 0)
		return 0;
	return err_add(err, ERR_CHECK,
		"%s[%zu] is %.9g, the reference says %.9g; %zu of %zu elements differ by more "
		"than %.3g + %.3g * |reference| (%s)",
		run->result_name, first, (double)ours[first], (double)theirs[first], wrong, n,
		tolerance.abs, tolerance.rel, tolerance.why);
}

int workload_check_f32_each(struct workload_run *run, const float *theirs, const float *bounds,
	size_t n, const char *why, struct err *err)
{
	const float *ours = read_result(run, n);
	size_t first = 0, wrong = 0;

	for (size_t i = 0; i < n; i++) {
		struct tolerance t = {.abs = (double)bounds[i]};

		if (is_near(ours[i], theirs[i], &t))
			continue;
		if (wrong++ == 0)
			first = i;
	}
	if (wrong == 0)
		return 0;
	return err_add(err, ERR_CHECK,
		"%s[%zu] is %.9g, the reference says %.9g within %.3g; %zu of %zu elements differ "
		"by more than their bounds (%s)",
		run->result_name, first, (double)ours[first], (double)theirs[first],
		(double)bounds[first], wrong, n, why);
}

int workload_check_i32(struct workload_run *run, const int32_t *theirs, size_t n, struct err *err)
{
	const int32_t *ours = read_result(run, n);
	size_t first = 0, wrong = 0;

	for (size_t i = 0; i < n; i++) {
		if (ours[i] == theirs[i])
			continue;
		if (wrong++ == 0)
			first = i;
	}
	if (wrong == 0)
		return 0;
	return err_add(err, ERR_CHECK,
		"%s[%zu] is %d, the reference says %d; %zu of %zu elements differ (integers: no "
		"tolerance)",
		run->result_name, first, ours[first], theirs[first], wrong, n);
}
