/* warpbeam sweep: in this process, or in shards. */
#include "cli/sweep/sweep.h"

#include "cli/option_rows.h"
#include "core/base.h"
#include "runs/checkpoint/checkpoint.h"

/* ---- which options go together */
enum mode { HERE = 1, PLAN = 2, SHARD = 4, MERGE = 8, SLURM = 16 };

static const struct rule {
	enum option_id id;
	unsigned modes;
	const char *with; /* for messages */
} rules[] = {
	{OPTION_SIZE, HERE | PLAN | SLURM, NULL},
	{OPTION_PTX, HERE | PLAN | SLURM, NULL},
	{OPTION_SEED, HERE | PLAN | SLURM, NULL},
	{OPTION_CHIP, HERE | PLAN | SLURM, NULL},
	{OPTION_SET, HERE | PLAN | SLURM, NULL},
	{OPTION_OVER, HERE | PLAN | SLURM, NULL},
	{OPTION_MAX_CYCLES, HERE | PLAN | SLURM, NULL},
	{OPTION_TIMEOUT, HERE | PLAN | SLURM, NULL},
	{OPTION_METRIC, HERE | PLAN | MERGE | SLURM, NULL},
	{OPTION_JSON, HERE | MERGE | SLURM, NULL},
	{OPTION_CSV, HERE | MERGE | SLURM, NULL},
	{OPTION_OUT, HERE | SHARD | SLURM, NULL},
	{OPTION_JOBS, HERE | PLAN | SHARD | SLURM, NULL},
	{OPTION_GRACE, HERE | SHARD | SLURM, NULL},
	{OPTION_CHECKPOINT_EVERY, HERE | SHARD | SLURM, NULL},
	{OPTION_PLAN, PLAN | SHARD | SLURM, NULL},
	{OPTION_SHARDS, PLAN | SLURM, "--plan or --slurm"},
	{OPTION_PARTITION, SLURM, "--slurm"},
	{OPTION_TIME, SLURM, "--slurm"},
	{OPTION_ARRAY_SIZE, SLURM, "--slurm"},
	{OPTION_WATCH, SLURM, "--slurm"},
	{OPTION_RETRIES, SLURM, "--slurm"},
	{OPTION_COSTS, PLAN | SLURM, "--plan or --slurm"},
};

static const char *name_of(enum mode mode)
{
	return mode == PLAN    ? "--plan"
	       : mode == SHARD ? "--shard"
	       : mode == SLURM ? "--slurm"
			       : "--merge";
}

static enum mode mode_of(const struct options *o)
{
	return o->merge ? MERGE : o->shard ? SHARD : o->slurm ? SLURM : o->plan ? PLAN : HERE;
}

static int check_options(const struct options *o, enum mode mode, struct err *err)
{
	if (!!o->merge + !!o->shard + o->slurm > 1)
		return err_add(
			err, ERR_USAGE, "of --shard, --merge and --slurm only one can be given");
	for (unsigned i = 0; i < ARRAY_LEN(rules); i++) {
		const char *name = option_rows[rules[i].id].name;

		if (!o->given[rules[i].id] || rules[i].modes & mode)
			continue;
		if (rules[i].with)
			err_add(err, ERR_USAGE, "--%s goes with %s", name, rules[i].with);
		else
			err_add(err, ERR_USAGE, "--%s does not go with %s%s", name, name_of(mode),
				mode == SHARD && rules[i].modes & PLAN
					? ", which has it from the plan"
					: "");
	}
	if (mode == SHARD && o->operands.n)
		err_add(err, ERR_USAGE, "'%s': --shard has its targets from the plan",
			o->operands.at[0]);
	return err->count ? -1 : 0;
}

static int check_targets(const struct options *o, struct err *err)
{
	if (!o->operands.n)
		return err_add(err, ERR_USAGE, "sweep needs WORKLOAD|FILE.yaml..|-- PROGRAM..");
	if (o->operands.n > COMPARE_TARGETS)
		return err_add(err, ERR_USAGE, "sweep: one argument too many: '%s'",
			o->operands.at[COMPARE_TARGETS]);
	return 0;
}

/* ---- in this process */
static void let_go(void *sweep)
{
	sweep_clear(sweep);
}

struct sweep *sweep_new(struct arena *arena)
{
	struct sweep *s = arena_alloc(arena, 1, sizeof(*s));

	*arena_own(arena, let_go) = s;
	return s;
}

static int sweep_here(const struct options *o, struct session *session, struct err *err)
{
	struct arena *arena = &session->arena;
	struct sweep *s = sweep_new(arena);
	struct err wrong = {0};
	int bad;

	if (!o->out)
		err_add(err, ERR_USAGE, "sweep needs --out FILE.sqlite");
	if (sweep_points(s, o, arena, err))
		return -1;
	s->grace_s = (double)o->grace;
	s->results = results_keep(o->run.files, o->out, arena, err);
	if (!s->results || sweep_look_all(s, arena, err))
		return -1;
	if (sweep_drive(s, arena, err)) {
		if (err->code == ERR_INTERRUPTED)
			sweep_page(s, arena, err);
		return -1;
	}
	bad = sweep_write(s, arena, &session->out, &wrong);
	sweep_tell_failures(s, err);
	if (bad && !err->code)
		err->code = wrong.code;
	err_move(err, &wrong);
	return err->code ? -1 : 0;
}

int command_sweep(const struct options *o, struct session *session, struct err *err)
{
	enum mode mode = mode_of(o);

	session->source =
		(struct source){.arena = &session->arena, .directory = ".", .files = o->run.files};
	if (check_options(o, mode, err) ||
		checkpoint_admit_points(&o->run, o->out ? o->out : o->plan, err))
		return -1;
	if (mode == SHARD)
		return sweep_shard(o, session, err);
	if (mode == MERGE)
		return sweep_merge(o, session, err);
	if (check_targets(o, err))
		return -1;
	if (mode == SLURM)
		return sweep_slurm(o, session, err);
	return mode == PLAN ? sweep_write_plan(o, session, err) : sweep_here(o, session, err);
}
