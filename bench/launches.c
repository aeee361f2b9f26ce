/* The cost of a launch: empty ones, in batches that end at rest, as programs queue them. */
#include <string.h>
#include <time.h>

#include "bench/bench.h"
#include "chip/chip.h"

#define LAUNCHES 100000u
#define BATCH 256u

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static bool queue_all(struct gpu *g, module_t m, struct err *err)
{
	const struct launch l = {.module = m, .kernel = "k", .grid = {1, 1, 1}, .block = {1, 1, 1}};

	for (unsigned i = 1; i <= LAUNCHES; i++) {
		if (gpu_launch(g, &l, err))
			return false;
		if ((i % BATCH == 0 || i == LAUNCHES) && chip_run(g, 0, NULL, err))
			return false;
	}
	return true;
}

static double measure(struct err *err)
{
	static const char ptx[] = ".version 7.0\n.target sm_50\n.address_size 64\n"
				  ".visible .entry k() { ret; }\n";
	const struct module_text text = {.file = "k.ptx", .text = ptx, .bytes = strlen(ptx)};
	struct config *config = config_new();
	struct gpu *g = gpu_new(config, NULL, err);
	double start = 0;
	module_t m = 0;

	if (g && !chip_new(g, &(struct chip_host){.threads = 1}, err))
		m = gpu_module_text(g, &text, 1, err);
	start = now_s();
	if (!m || !queue_all(g, m, err))
		start = now_s() + 1;
	start = now_s() - start;
	gpu_free(g);
	config_free(config);
	return start;
}

void bench_launches(const struct bench *b, json_t *out)
{
	struct err err = {0};
	double least = 0;

	for (unsigned i = 0; i < b->rounds && !err.count; i++) {
		double s = measure(&err);

		if (!i || s < least)
			least = s;
	}
	printf("\n%u empty launches, one after the other, on m12: ", LAUNCHES);
	if (err.count)
		printf("failed: %s", err_text(&err));
	else
		printf("%.2f s (goal 2)\n", least);
	json_object_set_new(
		out, "launches", json_pack("{s:i,s:f}", "n", (int)LAUNCHES, "s", least));
	err_clear(&err);
}
