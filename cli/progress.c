/* Progress of a run: lines as it goes on (runs/live.h), and one on SIGUSR1. */
#include "cli/progress.h"

#include "draw/number.h"
#include "runs/output.h"
#include "runs/pace.h"

/* The time left if queued CTAs take as long as finished ones. */
static void add_rest(const struct chip_progress *p, double took_s, struct text *out)
{
	if (p->ctas_done && p->ctas_done < p->ctas)
		text_add(out, ", about %.0f s left",
			took_s * (double)(p->ctas - p->ctas_done) / (double)p->ctas_done);
}

static void describe(const struct progress *progress, struct text *out)
{
	struct chip_progress p = chip_progress(progress->gpu);
	double took_s = pace_now_s() - progress->start_s;
	char cycle[32], rate[32], done[32], all[32], untimed[32];

	text_add(out, "cycle %s, %s warp instructions/s, CTAs %s/%s",
		number_grouped(p.cycle, cycle),
		number_grouped((uint64_t)((double)p.warp_instructions / (took_s + 1e-9)), rate),
		number_grouped(p.ctas_done, done), number_grouped(p.ctas, all));
	if (p.untimed_warp_instructions)
		text_add(out, ", without time %s warp instructions",
			number_grouped(p.untimed_warp_instructions, untimed));
	add_rest(&p, took_s, out);
}

static void show(void *ctx, const struct sim *sim)
{
	struct progress *progress = ctx;
	struct text line = {0};

	(void)sim;
	if (!live_is_due(&progress->live))
		return;
	describe(progress, &line);
	live_tell(&progress->live, &line);
	text_clear(&line);
}

static void status(void *ctx, const struct sim *sim)
{
	struct progress *progress = ctx;
	struct text line = {0};

	(void)sim;
	progress_end(progress);
	describe(progress, &line);
	output_note("%s", text_str(&line));
	text_clear(&line);
}

struct progress progress_new(const struct gpu *gpu, bool quiet)
{
	return (struct progress){.gpu = gpu, .start_s = pace_now_s(), .live = live_new(quiet)};
}

struct host_hooks progress_hooks(struct progress *progress)
{
	return (struct host_hooks){.ctx = progress,
		.progress = progress->live.quiet ? NULL : show,
		.status = status,
		.broken = output_broken};
}

void progress_end(struct progress *progress)
{
	live_wipe(&progress->live);
}

struct host_hooks progress_watch(const struct gpu *gpu, struct arena *arena)
{
	struct progress *progress = arena_alloc(arena, 1, sizeof(*progress));

	*progress = progress_new(gpu, true);
	return progress_hooks(progress);
}
