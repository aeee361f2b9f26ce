/* A GPU for tests. */
#include "tests/rig/support_gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void expect_no_errors(struct kit *k)
{
	if (k->err.count)
		fail_msg("%s", err_text(&k->err));
}

struct kit kit_new_host(const char *settings, const struct chip_host *host)
{
	struct kit k = {.config = config_new()};
	char *copy = strdup(settings), *rest = copy, *word;

	assert_non_null(k.config);
	while ((word = strtok_r(rest, " ", &rest)))
		assert_int_equal(config_set_text(k.config, word, "test", &k.err), 0);
	free(copy);
	k.gpu = gpu_new(k.config, NULL, &k.err);
	expect_no_errors(&k);
	chip_new(k.gpu, host, &k.err);
	config_finish(k.config, &k.err);
	expect_no_errors(&k);
	return k;
}

void kit_refused(const char *settings, const char *says)
{
	struct kit k = {.config = config_new()};
	char *copy = strdup(settings), *rest = copy, *word;

	while ((word = strtok_r(rest, " ", &rest)))
		assert_int_equal(config_set_text(k.config, word, "test", &k.err), 0);
	free(copy);
	k.gpu = gpu_new(k.config, NULL, &k.err);
	if (k.gpu)
		chip_new(k.gpu, &(struct chip_host){.threads = 1}, &k.err);
	if (!k.err.count || !strstr(err_text(&k.err), says))
		fail_msg("%s: '%s' does not say '%s'", settings, err_text(&k.err), says);
	kit_free(&k);
}

struct kit kit_new(const char *settings)
{
	return kit_new_host(settings, &(struct chip_host){.threads = 1});
}

void kit_free(struct kit *k)
{
	gpu_free(k->gpu);
	config_free(k->config);
	err_clear(&k->err);
}

module_t kit_module(struct kit *k, const char *ptx)
{
	char path[] = "/tmp/warpbeam-test-XXXXXX";
	int fd = mkstemp(path);
	module_t m;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, ptx, strlen(ptx)), strlen(ptx));
	close(fd);
	m = gpu_module(k->gpu, path, &k->err);
	unlink(path);
	expect_no_errors(k);
	assert_true(m != 0);
	return m;
}

buffer_t kit_buffer(struct kit *k, const char *name, uint64_t bytes)
{
	buffer_t b = gpu_buffer(k->gpu, name, bytes, &k->err);

	expect_no_errors(k);
	return b;
}

void kit_launch_on(struct kit *k, module_t m, const char *kernel, unsigned ctas, unsigned threads,
	unsigned nargs, const uint64_t *args, uint64_t sms, unsigned stream)
{
	struct launch_arg list[8];
	uint32_t words[8];
	struct launch l = {.module = m,
		.kernel = kernel,
		.grid = {ctas, 1, 1},
		.block = {threads, 1, 1},
		.args = list,
		.nargs = nargs,
		.stream = stream,
		.sms = {sms}};

	for (unsigned i = 0; i < nargs; i++) {
		words[i] = (uint32_t)args[i];
		list[i] = args[i] >> 32 ? ARG_BUF((buffer_t)(args[i] >> 32)) : ARG_VAL(words[i]);
	}
	gpu_launch(k->gpu, &l, &k->err);
	expect_no_errors(k);
}

void kit_launch(struct kit *k, module_t m, const char *kernel, unsigned ctas, unsigned threads,
	unsigned nargs, const uint64_t *args)
{
	kit_launch_on(k, m, kernel, ctas, threads, nargs, args, 0, 0);
}

void kit_run(struct kit *k)
{
	chip_run(k->gpu, 0, NULL, &k->err);
	expect_no_errors(k);
	chip_close(k->gpu);
}

struct wanted {
	const char *name;
	double value;
	bool found;
};

static void look(void *ctx, const struct metric *m)
{
	struct wanted *w = ctx;

	if (strcmp(m->name, w->name))
		return;
	w->found = true;
	w->value = m->is_real ? m->real : (double)m->count;
}

double kit_metric(struct kit *k, const char *name)
{
	struct wanted w = {.name = name};

	chip_metrics(k->gpu, look, &w);
	if (!w.found)
		fail_msg("no metric '%s'", name);
	return w.value;
}

uint32_t kit_u32(struct kit *k, buffer_t b, unsigned index)
{
	uint32_t v;

	gpu_read(k->gpu, b, 4 * (uint64_t)index, &v, 4);
	return v;
}

static void tell(void *ctx, const char *part, const struct metric *m)
{
	text_raw(ctx, "%s %s %llu\n", part, m->name, (unsigned long long)m->count);
}

struct text kit_everything(struct kit *k)
{
	struct text out = {0};

	chip_part_metrics(k->gpu, tell, &out);
	text_raw(&out, "cycles %.0f\n", kit_metric(k, "gpc__cycles_elapsed.max"));
	return out;
}
