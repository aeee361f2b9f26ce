/* reproduce --all by several processes. Points are known round by round, so one process asks for
 * them, lets others run them, and puts their parts into its file, until the page is complete. */
#include "cli/reproduce_shards.h"

#include "cli/array.h"
#include "cli/part.h"
#include "core/base.h"
#include "runs/keys.h"
#include "runs/points.h"
#include "runs/results/results.h"

#include <stdio.h>
#include <string.h>

#define SHARDS_DEFAULT 100u

/* The options that say what is run. */
static const enum option_id defining[] = {OPTION_SIZE, OPTION_SEED, OPTION_SET, OPTION_PTX_DIR,
	OPTION_MAX_CYCLES, OPTION_TIMEOUT, OPTION_THREADS, OPTION_OUT};

/* ---- one of the processes */
static int open_earlier(
	struct points_elsewhere *e, const struct part_file *parts, unsigned n, struct arena *arena)
{
	e->earlier = arena_alloc(arena, n, sizeof(struct results *));
	for (unsigned i = 0; i < n; i++) {
		struct err wrong = {0};
		struct results *r = results_existing(NULL, parts[i].path, arena, &wrong);

		if (r)
			e->earlier[e->nearlier++] = r;
		else
			output_note("note: not used: %.*s", (int)strcspn(err_text(&wrong), "\n"),
				err_text(&wrong));
		err_clear(&wrong);
	}
	return 0;
}

int reproduce_shard(
	const struct options *o, struct paper_options *p, struct session *s, struct err *err)
{
	struct points_elsewhere *e = arena_alloc(&s->arena, 1, sizeof(*e));
	struct part_file *parts;
	const char *stem;
	unsigned n, restart, shard;

	if (!o->out)
		return err_add(err, ERR_USAGE, "--shard needs --out FILE.sqlite");
	if (part_number(o->shard, &shard, &e->shards, err))
		return -1;
	stem = part_stem(o->out, shard, e->shards, &s->arena);
	if (part_files(stem, &parts, &n, &s->arena, err) || part_restart(parts, n, &restart, err))
		return -1;
	open_earlier(e, parts, n, &s->arena);
	e->shard = shard - 1;
	e->grace_s = (double)o->grace;
	e->part = results_keep(o->run.files, part_path(stem, restart, &s->arena), &s->arena, err);
	if (!e->part)
		return -1;
	p->elsewhere = e;
	return papers_measure_all(p, s, err);
}

/* ---- the one that lets Slurm start them */
struct cluster {
	const struct options *o;
	struct arena *arena;
	const char *name;
	unsigned shards, unknown;
};

static const char *command_of(const struct cluster *c, struct err *err)
{
	struct string_list words = options_words(c->o, defining, ARRAY_LEN(defining), c->arena);
	struct text out = {0};
	const char *command = NULL;

	if (!array_add_program(&out, err)) {
		text_raw(&out, " reproduce --all --quiet --no-pin --grace %u --shard \"$shard/%u\"",
			array_grace_s(c->o), c->shards);
		if (c->o->run.jobs)
			text_raw(&out, " --jobs %u", (unsigned)c->o->run.jobs);
		if (c->o->run.checkpoint.every)
			text_raw(&out, " --checkpoint-every %s", c->o->run.checkpoint.every);
		for (unsigned i = 0; i < words.n; i++) {
			text_raw(&out, " ");
			array_add_word(words.at[i], &out);
		}
		for (unsigned i = 0; i < c->o->operands.n; i++) {
			text_raw(&out, " ");
			array_add_word(c->o->operands.at[i], &out);
		}
		if (out.failed)
			err_add(err, ERR_RESOURCE, "no host memory for a script");
		else
			command = arena_strdup(c->arena, text_str(&out));
	}
	text_clear(&out);
	return command;
}

/* All parts of this many shards. */
static int take_parts(struct results *into, void *ctx, struct err *err)
{
	struct cluster *c = ctx;

	for (unsigned i = 1; i <= c->shards; i++) {
		const char *stem = part_stem(c->o->out, i, c->shards, c->arena);
		struct part_file *parts;
		unsigned n;

		if (part_files(stem, &parts, &n, c->arena, err))
			return -1;
		for (unsigned k = 0; k < n; k++) {
			struct err wrong = {0};
			struct results *from =
				results_existing(NULL, parts[k].path, c->arena, &wrong);
			int bad = from ? results_take_all(into, from, err) : 0;

			results_leave(from);
			err_clear(&wrong); /* a part that is not whole has nothing */
			if (bad)
				return -1;
		}
	}
	return 0;
}

/* One array, after those of the same name that still run. */
static int act(void *ctx, unsigned unknown, struct err *err)
{
	struct cluster *c = ctx;
	struct array a = {.o = c->o, .name = c->name, .files = c->o->out};
	unsigned *todo;

	c->shards =
		c->o->shards ? (unsigned)c->o->shards : (unsigned)min_u64(unknown, SHARDS_DEFAULT);
	todo = arena_alloc(c->arena, c->shards, sizeof(*todo));
	for (unsigned i = 0; i < c->shards; i++)
		todo[i] = i + 1;
	a.todo = todo;
	a.ntodo = c->shards;
	a.command = command_of(c, err);
	if (!a.command || array_follow(&a, NULL, NULL, err) || array_submit(&a, err) ||
		array_follow(&a, NULL, NULL, err))
		return -1;
	return results_change(NULL, c->o->out, take_parts, c, err);
}

/* Of the command's words: what another reproduction runs is another array. */
static const char *job_name(const struct options *o, struct arena *arena, struct err *err)
{
	struct string_list words = options_words(o, defining, ARRAY_LEN(defining), arena);
	struct text all = {0};
	char key[KEY_ROOM], *name = arena_alloc(arena, 24, 1);
	int bad;

	for (unsigned i = 0; i < words.n; i++)
		text_raw(&all, "%s\n", words.at[i]);
	for (unsigned i = 0; i < o->operands.n; i++)
		text_raw(&all, "%s\n", o->operands.at[i]);
	bad = key_make(&all, key, err);
	text_clear(&all);
	snprintf(name, 24, "warpbeam-%.12s", key);
	return bad ? NULL : name;
}

int reproduce_slurm(
	const struct options *o, struct paper_options *p, struct session *s, struct err *err)
{
	struct points_elsewhere *e = arena_alloc(&s->arena, 1, sizeof(*e));
	struct cluster *c = arena_alloc(&s->arena, 1, sizeof(*c));

	if (!o->out)
		return err_add(err, ERR_USAGE, "--slurm needs --out FILE.sqlite");
	*c = (struct cluster){.o = o, .arena = &s->arena};
	c->name = job_name(o, &s->arena, err);
	if (!c->name)
		return -1;
	*e = (struct points_elsewhere){.act = act,
		.ctx = c,
		.retries = o->given[OPTION_RETRIES] ? (unsigned)o->retries : 2};
	p->elsewhere = e;
	return papers_measure_all(p, s, err);
}
