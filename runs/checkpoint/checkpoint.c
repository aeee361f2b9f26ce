/* When a run's checkpoints are written, and how one is resumed. */
#include "runs/checkpoint/inside.h"

#include "runs/output.h"
#include "runs/pace.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static bool is_used(const struct checkpoint *c)
{
	return c->o->file || c->start;
}

/* ---- options */
int checkpoint_every(const char *text, uint64_t *cycles, double *s, struct err *err)
{
	char *end;
	unsigned long long n;

	errno = 0;
	n = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || errno || !n || (*end && strcmp(end, "s") != 0) ||
		n > UINT64_MAX / 1000)
		return err_add(err, ERR_USAGE,
			"--checkpoint-every %s: must be cycles (1000000), or seconds (60s)", text);
	*cycles = *end ? 0 : n;
	*s = *end ? (double)n : 0;
	return 0;
}

int checkpoint_admit_points(const struct run_options *o, const char *out, struct err *err)
{
	uint64_t cycles;
	double s;

	if (!o->checkpoint.every)
		return 0;
	if (!out)
		return err_add(err, ERR_USAGE, "--checkpoint-every goes with --out FILE");
	if (!stream_possible())
		return err_add(err, ERR_USAGE,
			"checkpoints are packed with Zstandard, which this build leaves out");
	return checkpoint_every(o->checkpoint.every, &cycles, &s, err);
}

static bool is_live(const struct work *w)
{
	return work_kind(w->target) == WORK_PROGRAM && !cuda_is_recording(w->target);
}

bool checkpoint_possible(const struct work *w)
{
	return stream_possible() && !is_live(w);
}

static bool has_live(const struct checkpoint_host *h)
{
	bool live = false;

	for (unsigned i = 0; i < h->n; i++)
		live |= is_live(&h->works[i]);
	return live;
}

static int admit(struct checkpoint *c, struct err *err)
{
	const struct checkpoint_options *o = c->o;

	if ((o->every || o->at_term) && !o->file)
		return err_add(err, ERR_USAGE, "%s goes with --checkpoint FILE",
			o->every ? "--checkpoint-every" : "--checkpoint-term");
	if (o->resume && o->from)
		return err_add(err, ERR_USAGE, "of --resume and --from only one can be given");
	if (o->every && checkpoint_every(o->every, &c->every_cycles, &c->every_s, err))
		return -1;
	if (is_used(c) && has_live(&c->host))
		return err_add(err, ERR_USAGE,
			"a CUDA program's live run cannot be in a checkpoint: record it first "
			"(--record)");
	return 0;
}

static void let_go(void *of)
{
	struct checkpoint *c = of;

	state_clear(&c->load);
	stream_close(c->in);
	mem_free(c->bytes);
	gpu_journal_clear(&c->journal);
	text_clear(&c->words);
	err_clear(&c->refusal);
}

static int begin(struct checkpoint *c, struct files *files, struct err *err)
{
	if (admit(c, err))
		return -1;
	if (!is_used(c))
		return 0;
	if (!stream_possible())
		return err_add(err, ERR_USAGE,
			"checkpoints are packed with Zstandard, which this build leaves out");
	gpu_journal(c->gpu, &c->journal);
	if (c->o->file)
		file_remove_left(c->o->file);
	return c->start ? checkpoint_file_open(c, files, err) : 0;
}

struct checkpoint *checkpoint_open_host(const struct checkpoint_host *host,
	const struct checkpoint_options *o, struct files *files, struct err *err)
{
	struct arena *arena = host->works->arena;
	struct checkpoint *c = arena_alloc(arena, 1, sizeof(*c));

	c->o = o;
	c->start = o->resume ? o->resume : o->from;
	c->host = *host;
	c->gpu = host->works->gpu;
	*arena_own(arena, let_go) = c;
	return begin(c, files, err) ? NULL : c;
}

static int again(void *ctx, struct err *err)
{
	const struct host_hooks none = {0};

	return work_run(ctx, 0, &none, err) ? -1 : work_advance(ctx, err);
}

struct checkpoint *checkpoint_open(
	struct work *work, const struct checkpoint_options *o, struct files *files, struct err *err)
{
	const struct checkpoint_host host = {.works = work, .n = 1, .again = again, .ctx = work};

	return checkpoint_open_host(&host, o, files, err);
}

/* ---- resuming */
static int not_alike(const struct checkpoint *c, struct err *err)
{
	return err_add(err, ERR_INPUT,
		"%s: this run's host does other things than the one it is of", c->start);
}

static int repeat_host(struct checkpoint *c, struct err *err)
{
	for (uint32_t i = 0; i < c->batches; i++) {
		int more;

		if (c->journal.at == c->journal.n)
			return not_alike(c, err);
		more = c->host.again(c->host.ctx, err);
		if (more < 0)
			return -1;
		if (!more || c->journal.failed)
			return not_alike(c, err);
	}
	return 0;
}

int checkpoint_begin(struct checkpoint *c, struct err *err)
{
	if (!is_used(c))
		return 0;
	if (checkpoint_words(c, err))
		return -1;
	if (!c->start)
		return 0;
	if (checkpoint_file_begin(c, err))
		return -1;
	chip_resume(c->gpu, &c->load);
	return repeat_host(c, err);
}

void checkpoint_advanced(struct checkpoint *c)
{
	c->batches++;
}

/* ---- hooks */
static uint64_t cycle_of(const struct sim *sim)
{
	return sim_time(sim) / sim_cycle_ps(sim);
}

/* A checkpoint that could not be written leaves the one before; the run goes on. */
static void write_now(struct checkpoint *c, const struct sim *sim, bool tell)
{
	struct err err = {0};

	if (checkpoint_write(c, &err))
		output_note("warning: no checkpoint was written: %s", err_text(&err));
	else if (tell)
		output_note("%s: a checkpoint of cycle %llu", c->o->file,
			(unsigned long long)cycle_of(sim));
	err_clear(&err);
}

static void set_next(struct checkpoint *c, const struct sim *sim)
{
	if (c->every_cycles)
		c->next_cycle = (cycle_of(sim) / c->every_cycles + 1) * c->every_cycles;
	c->next_s = pace_now_s() + c->every_s;
}

/* Before anything depends on a file: what cannot be in one is refused. */
static void try_tables(struct checkpoint *c, struct sim *sim)
{
	c->admitted = true;
	if (checkpoint_try(c, &c->refusal))
		sim_stop(sim);
	set_next(c, sim);
}

static bool is_due(const struct checkpoint *c, const struct sim *sim)
{
	return (c->every_cycles && cycle_of(sim) >= c->next_cycle) ||
	       (c->every_s > 0 && pace_now_s() >= c->next_s);
}

/* Windows until the next one is due by cycles: at least one. */
static uint64_t windows_left(const struct checkpoint *c, const struct sim *sim)
{
	if (!c->every_cycles)
		return UINT64_MAX;
	return max_u64((c->next_cycle - cycle_of(sim)) / sim_window_cycles(sim), 1);
}

static uint64_t edge(void *ctx, struct sim *sim)
{
	struct checkpoint *c = ctx;

	if (!c->admitted)
		try_tables(c, sim);
	if (!c->refusal.count && is_due(c, sim)) {
		write_now(c, sim, false);
		set_next(c, sim);
	}
	return windows_left(c, sim);
}

static void keep(void *ctx, struct sim *sim, int signum)
{
	struct checkpoint *c = ctx;

	if (signum == SIGUSR2 || (signum == SIGTERM && c->o->at_term))
		write_now(c, sim, true);
}

static void progress(void *ctx, const struct sim *sim)
{
	const struct checkpoint *c = ctx;

	if (c->inner.progress)
		c->inner.progress(c->inner.ctx, sim);
}

static void status(void *ctx, const struct sim *sim)
{
	const struct checkpoint *c = ctx;

	if (c->inner.status)
		c->inner.status(c->inner.ctx, sim);
}

struct host_hooks checkpoint_hooks(struct checkpoint *c, const struct host_hooks *hooks)
{
	struct host_hooks all = *hooks;

	if (!c->o->file)
		return all;
	c->inner = *hooks;
	all.ctx = c;
	all.progress = hooks->progress ? progress : NULL;
	all.status = hooks->status ? status : NULL;
	all.edge = edge;
	all.keep = keep;
	return all;
}

bool checkpoint_spoiled(const struct checkpoint *c)
{
	return c->load.failed;
}

/* A launch without time that was begun has no state to go on from. */
static void tell_stopped(const struct checkpoint *c)
{
	if (c->o->at_term && chip_stopped_untimed(c->gpu))
		output_note("warning: no checkpoint was written: the run was stopped within a "
			    "launch without time");
}

int checkpoint_check(struct checkpoint *c, struct err *err)
{
	tell_stopped(c);
	if (!c->refusal.count)
		return 0;
	err_move(err, &c->refusal);
	return -1;
}
