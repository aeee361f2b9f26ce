/* sweep --shard: runs the points that a plan gives a shard, into a part file of its own. */
#include "cli/sweep/plan.h"

#include "runs/keys.h"

#include <string.h>

struct shard {
	struct plan plan;
	struct sweep *s;
	struct options o; /* with the part as --out */
	const char *stem;
	struct part_file *parts; /* of earlier starts */
	unsigned nparts, number, restart;
};

/* ---- which shard */
static int read_number(struct shard *h, const char *text, struct err *err)
{
	unsigned shards;

	if (part_number(text, &h->number, &shards, err))
		return -1;
	if (shards == h->plan.shards)
		return 0;
	return err_add(err, ERR_USAGE, "--shard %s: %s has %u shard%s", text, h->plan.path,
		h->plan.shards, text_s(h->plan.shards));
}

static int check_build(const struct shard *h, struct arena *arena, struct err *err)
{
	const char *ours = key_program(arena, err);

	if (!ours || !strcmp(ours, h->plan.build))
		return ours ? 0 : -1;
	return err_add(err, ERR_INPUT,
		"%s: is a plan of build %s, and this program is %s; run that one, or write the plan "
		"again",
		h->plan.path, h->plan.build, ours);
}

/* ---- its points */
/* The same inputs as when the plan was written, in all files. */
static int open_points(struct shard *h, struct arena *arena, struct err *err)
{
	struct sweep *s = h->s;

	for (unsigned i = 0; i < s->n; i++) {
		struct sweep_point *p = &s->points[i];
		const char *planned = h->plan.points[i].key;

		if (p->shard != h->number) {
			p->state = p->state == POINT_TO_RUN ? POINT_AWAY : p->state;
			continue;
		}
		if (sweep_open(s, p, arena, err))
			return -1;
		if (strcmp(p->opens ? p->key : p->asked_key, planned))
			err_add(err, ERR_INPUT,
				"%s: point '%s': its inputs are not those of the plan: a file "
				"has changed, or is found from another folder only",
				h->plan.path, p->name);
	}
	return err->count ? -1 : 0;
}

/* ---- its parts */
/* A part that cannot be read any more is left out: its points run again. */
static int open_earlier(struct shard *h, struct arena *arena, struct err *err)
{
	struct sweep *s = h->s;

	s->earlier = arena_alloc(arena, h->nparts, sizeof(struct results *));
	for (unsigned i = 0; i < h->nparts; i++) {
		struct err wrong = {0};
		struct results_part part;
		struct results *r = results_existing(NULL, h->parts[i].path, arena, &wrong);

		if (!r || results_part(r, &part, arena, &wrong)) {
			output_note("note: not used: %.*s", (int)strcspn(err_text(&wrong), "\n"),
				err_text(&wrong));
			err_clear(&wrong);
			continue;
		}
		if (strcmp(part.hash, h->plan.hash) || part.shard != h->number)
			return err_add(err, ERR_INPUT,
				"%s: is a part of another plan or shard; remove it, or name another "
				"--out",
				h->parts[i].path);
		s->earlier[s->nearlier++] = r;
	}
	return 0;
}

static int name_part(struct shard *h, const struct options *o, struct arena *arena, struct err *err)
{
	h->stem = o->out ? part_stem(o->out, 0, 0, arena)
			 : part_stem(h->plan.path, h->number, h->plan.shards, arena);
	if (part_files(h->stem, &h->parts, &h->nparts, arena, err) ||
		part_restart(h->parts, h->nparts, &h->restart, err))
		return -1;
	h->o = *o;
	h->o.out = part_path(h->stem, h->restart, arena);
	return 0;
}

static int make_part(struct shard *h, struct arena *arena, struct err *err)
{
	struct results_part part = {.hash = h->plan.hash,
		.plan = h->plan.text,
		.shard = h->number,
		.shards = h->plan.shards,
		.restart = h->restart};

	if (output_database(h->o.run.files, "the part", h->o.out, err))
		return -1;
	h->s->results = results_keep(h->o.run.files, h->o.out, arena, err);
	return h->s->results ? results_mark(h->s->results, &part, err) : -1;
}

/* ---- running */
/* What earlier starts have finished. True: nothing is left. */
static int look_before(struct shard *h, bool *all, struct err *err)
{
	struct sweep *s = h->s;

	*all = true;
	for (unsigned i = 0; i < s->n; i++) {
		struct sweep_point *p = &s->points[i];
		bool refused = p->state == POINT_FAILED;

		if (p->shard != h->number)
			continue;
		p->state = POINT_TO_RUN;
		if (sweep_look(s, p, err))
			return -1;
		p->before = p->state != POINT_TO_RUN;
		*all &= p->before;
		if (refused && !p->before)
			p->state = POINT_FAILED;
	}
	return 0;
}

static int run(struct shard *h, struct arena *arena, struct err *err)
{
	bool all;

	if (look_before(h, &all, err))
		return -1;
	if (all)
		return 0;
	return make_part(h, arena, err) || sweep_look_all(h->s, arena, err)
		       ? -1
		       : sweep_drive(h->s, arena, err);
}

/* ---- the end */
static void tell(const struct shard *h, bool made, struct text *out)
{
	unsigned n = 0, before = 0, failed = 0;

	for (unsigned i = 0; i < h->s->n; i++) {
		const struct sweep_point *p = &h->s->points[i];

		if (p->shard != h->number)
			continue;
		n++;
		before += p->before;
		failed += p->state == POINT_FAILED;
	}
	text_add(out, "shard %u of %u: %u point%s: %u done, %u of all before; %u failed.",
		h->number, h->plan.shards, n, text_s(n), n - failed, before, failed);
	if (made)
		text_add(out, " The part is %s.", h->o.out);
	text_add(out, "\n");
}

int sweep_shard(const struct options *o, struct session *session, struct err *err)
{
	struct arena *arena = &session->arena;
	struct shard *h = arena_alloc(arena, 1, sizeof(*h));

	if (!o->plan)
		return err_add(err, ERR_USAGE, "--shard needs --plan FILE");
	if (plan_read(&h->plan, o->run.files, o->plan, arena, err) || check_build(h, arena, err) ||
		read_number(h, o->shard, err) || name_part(h, o, arena, err))
		return -1;
	h->s = sweep_new(arena);
	if (plan_sweep(&h->plan, &h->o, h->s, arena, err))
		return -1;
	h->s->grace_s = (double)o->grace;
	if (open_points(h, arena, err) || open_earlier(h, arena, err) || run(h, arena, err))
		return -1;
	if (!o->run.quiet) {
		tell(h, h->s->results != NULL, &session->out);
		if (output_report(&session->out, o->run.uncut, err))
			return -1;
	}
	sweep_note_failures(h->s, err);
	return err->code ? -1 : 0;
}
