/* Workloads on a GPU without timing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/rig/support_gpu.h"
#include "tests/rig/workload_rig.h"

#include <stdio.h>
#include <string.h>

static void set_all(struct workload_rig *b, const char *settings)
{
	char one[128];

	for (size_t n; *settings; settings += n + (settings[n] == ' ')) {
		n = strcspn(settings, " ");
		snprintf(one, sizeof(one), "%.*s", (int)n, settings);
		if (config_set_text(b->config, one, "test", &b->err))
			fail_msg("%s", err_text(&b->err));
	}
}

static void rig_open(struct workload_rig *b)
{
	const struct subject *s = b->subject;

	b->config = config_new();
	set_all(b, s->settings ? s->settings : "");
	b->gpu = gpu_new(b->config, NULL, &b->err);
	assert_non_null(b->gpu);
	if (s->timed &&
		chip_new(b->gpu, &(struct chip_host){.threads = s->threads ? s->threads : 1},
			&b->err))
		fail_msg("%s", err_text(&b->err));
	b->run = workload_open(s->name, b->gpu, b->config, &b->arena, &b->err);
	if (!b->run)
		fail_msg("%s", err_text(&b->err));
	b->run->data_dir = s->data_dir ? s->data_dir : WORKLOADS_DIR;
	b->run->address_bits = s->address_bits ? s->address_bits : 32;
	b->run->seed = s->seed;
}

void workload_rig(
	void (*body)(struct workload_rig *, void *ctx), const struct subject *subject, void *ctx)
{
	struct workload_rig b = {.subject = subject};
	jmp_buf escape;

	b.arena.escape = &escape;
	if (setjmp(escape))
		fail_msg("no memory");
	rig_open(&b);
	body(&b, ctx);
	gpu_free(b.gpu);
	arena_free(&b.arena);
	config_free(b.config);
	err_clear(&b.err);
}

/* Starts the launches, which allocates memory for each, and then runs them, which must allocate
 * none. */
static int run_on_chip(struct workload_rig *b)
{
	uint64_t start = chip_progress(b->gpu).cycle, before;
	int bad = chip_run(b->gpu, start + 1, NULL, &b->err);

	if (!bad || b->err.code != ERR_LIMIT)
		return bad;
	err_clear(&b->err);
	before = mem_calls();
	bad = chip_run(b->gpu, b->subject->limit, NULL, &b->err);
	b->allocations += mem_calls() - before;
	return bad;
}

static int run_batch(struct workload_rig *b)
{
	uint64_t limit = b->subject->limit;
	struct untimed_counts counts = {0};
	struct untimed_limits limits = {
		.warp_instructions = limit ? limit : UINT64_C(1) << 36, .watch = b->subject->watch};
	int bad;

	if (b->subject->timed) {
		bad = run_on_chip(b);
		b->work = chip_progress(b->gpu).cycle;
		return bad;
	}
	bad = gpu_run_watched(b->gpu, &limits, &counts, &b->err);
	b->work += counts.warp_instructions;
	return bad;
}

int workload_rig_run(struct workload_rig *b, unsigned most)
{
	const struct workload_ops *ops = b->run->ops;
	int more;

	if (ops->setup(b->run, &b->err))
		return -1;
	if (b->subject->ready)
		b->subject->ready(b->gpu, b->subject->ready_ctx);
	do {
		if (run_batch(b))
			return -1;
		if (++b->batches == most)
			return err_add(
				&b->err, ERR_RESOURCE, "more batches of launches than expected");
		more = ops->advance ? ops->advance(b->run, &b->err) : 0;
	} while (more == 1);
	return more;
}

static void tell_figures(struct workload_rig *b, void *ctx)
{
	struct kit kit = {.gpu = b->gpu, .config = b->config};

	if (workload_rig_run(b, 0) || b->run->ops->check(b->run, &b->err))
		fail_msg("%s, %s: %s", b->subject->name,
			b->subject->settings ? b->subject->settings : "", err_text(&b->err));
	if (b->allocations)
		fail_msg("%s: %llu blocks of host memory were taken while it ran", b->subject->name,
			(unsigned long long)b->allocations);
	chip_close(b->gpu);
	*(struct text *)ctx = kit_everything(&kit);
}

struct text workload_rig_figures(const struct subject *s)
{
	struct text figures = {0};

	workload_rig(tell_figures, s, &figures);
	assert_true(figures.len > 1000);
	return figures;
}

const struct plugin *workload_number(unsigned i)
{
	for (unsigned k = 0; plugins[k]; k++)
		if (!strcmp(plugins[k]->kind, "workload") && i-- == 0)
			return plugins[k];
	return NULL;
}

const char *workload_variant(const struct plugin *workload, unsigned v)
{
	const struct workload_ops *ops = workload->ops;

	if (v == 0)
		return "";
	for (unsigned i = 0; ops->variants && ops->variants[i]; i++)
		if (i == v - 1)
			return ops->variants[i];
	return NULL;
}
