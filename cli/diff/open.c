/* The two runs that are compared: reports, files of results, works. */
#include "cli/against.h"
#include "cli/diff/diff.h"

#include "core/base.h"
#include "core/file.h"
#include "runs/json.h"
#include "runs/results/results.h"
#include "runs/trial.h"
#include "runs/work.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum side_kind {
	SIDE_REPORT,  /* JSON of run or of profile */
	SIDE_RESULTS, /* SQLite of profile, sweep or reproduce */
	SIDE_WORK     /* is run now */
};

struct side {
	const char *name; /* the operand */
	enum side_kind kind;
};

/* ---- of which kind */
static bool ends_in(const char *s, const char *end)
{
	size_t n = strlen(s), e = strlen(end);

	return n > e && !strcmp(s + n - e, end);
}

static bool is_database(const char *path)
{
	static const char magic[] = "SQLite format 3";
	char start[sizeof(magic)] = "";
	FILE *f = fopen(path, "rb");
	size_t n = f ? fread(start, 1, sizeof(start), f) : 0;

	if (f)
		fclose(f);
	return n == sizeof(start) && !memcmp(start, magic, sizeof(magic));
}

/* "results.sqlite@POINT" */
static bool names_point(const char *name, struct arena *arena)
{
	const char *at = strrchr(name, '@');

	return at && is_database(arena_strndup(arena, name, (size_t)(at - name)));
}

static enum side_kind kind_of(const char *name, struct arena *arena)
{
	struct stat st;

	if (ends_in(name, ".yaml") || ends_in(name, ".yml"))
		return SIDE_WORK;
	if (!stat(name, &st)) {
		if (S_ISDIR(st.st_mode))
			return SIDE_WORK; /* a recording */
		return is_database(name) ? SIDE_RESULTS : SIDE_REPORT;
	}
	if (names_point(name, arena))
		return SIDE_RESULTS;
	return strpbrk(name, "/.") && !strchr(name, ' ') ? SIDE_REPORT : SIDE_WORK;
}

/* ---- a report */
static json_t *read_report(const struct options *o, const char *path, struct err *err)
{
	static const char must[] = "must be a report that run or profile wrote by --json, a file "
				   "of results, or a work";
	size_t n;
	char *text = file_read(o->run.files, path, &n, ERR_INPUT, err);
	json_error_t wrong;
	json_t *j;

	if (!text)
		return NULL;
	j = json_loadb(text, n, 0, &wrong);
	mem_free(text);
	if (!json_is_whole()) {
		err_add(err, ERR_RESOURCE, "%s: no host memory for the report", path);
	} else if (!j) {
		err_add(err, ERR_INPUT, "%s:%d: %s; %s", path, wrong.line, wrong.text, must);
	} else if (json_integer_value(json_object_get(j, "schema")) != 1) {
		err_add(err, ERR_INPUT, "%s: its schema is not 1; %s", path, must);
	} else if (!json_object_get(j, "metrics") && !json_object_get(j, "profile")) {
		err_add(err, ERR_INPUT, "%s: has neither metrics nor a profile; %s", path, must);
	} else {
		return j;
	}
	json_decref(j);
	return NULL;
}

static json_t *read_side(const struct side *s, const struct options *o, struct err *err)
{
	return s->kind == SIDE_RESULTS ? results_report(o->run.files, s->name, err)
				       : read_report(o, s->name, err);
}

static bool is_profile(const json_t *report)
{
	return json_object_get(report, "profile");
}

/* ---- works */
static int admit_options(const struct side *s, const struct options *o, struct err *err)
{
	static const enum option_id of_works[] = {OPTION_SIZE, OPTION_PTX, OPTION_SEED, OPTION_CHIP,
		OPTION_SET, OPTION_MAX_CYCLES, OPTION_REGS, OPTION_SLOTS};
	bool any = s[0].kind == SIDE_WORK || s[1].kind == SIDE_WORK;

	for (unsigned i = 0; i < ARRAY_LEN(of_works) && !any; i++)
		if (o->given[of_works[i]])
			return err_add(err, ERR_USAGE,
				"neither %s nor %s is run now: options of a run, such as --set, do "
				"not go with them",
				s[0].name, s[1].name);
	if (o->against.n && s[1].kind != SIDE_WORK)
		return err_add(err, ERR_USAGE,
			"--against %s: is for a second work that is run now; %s is none",
			o->against.at[0], s[1].name);
	return 0;
}

/* Of --against, which is the second's. */
static struct layer *layers_of(const struct options *o, struct arena *arena)
{
	struct layer *layers = arena_alloc(arena, o->against.n + 1, sizeof(*layers));

	for (unsigned i = 0; i < o->against.n; i++) {
		layers[i].origin = "--against";
		if (strchr(o->against.at[i], '='))
			against_settings(o->against.at[i], &layers[i], arena);
		else
			layers[i].chip = o->against.at[i];
	}
	return layers;
}

static const char *with_against(const char *name, const struct options *o, struct arena *arena)
{
	struct text words = {0};
	const char *out;

	text_add(&words, "%s", name);
	for (unsigned i = 0; i < o->against.n; i++)
		text_add(&words, "%s%s", i ? ", " : " with ", o->against.at[i]);
	out = arena_strdup(arena, text_str(&words));
	text_clear(&words);
	return out;
}

/* The trials of those that are works, profiled or not. Their number. */
static unsigned plan(struct diff *d, const struct side *sides, const struct options *o,
	bool profiled, struct trial *trials)
{
	unsigned n = 0;

	for (unsigned i = 0; i < 2; i++) {
		struct party *party;

		if (sides[i].kind != SIDE_WORK)
			continue;
		party = arena_alloc(d->arena, 1, sizeof(*party));
		party->target = sides[i].name;
		trials[n] = (struct trial){.name = sides[i].name,
			.parties = party,
			.nparties = 1,
			.act = profiled ? diff_profile : NULL};
		if (work_is_scenario(party->target)) {
			trials[n].machine.scenarios = &party->target;
			trials[n].machine.nscenarios = 1;
		}
		if (i && o->against.n) {
			trials[n].machine.layers = layers_of(o, d->arena);
			trials[n].machine.nlayers = o->against.n;
			trials[n].name = d->path[1] = with_against(sides[1].name, o, d->arena);
		}
		n++;
	}
	return n;
}

static int run_works(struct diff *d, const struct side *sides, const struct options *o,
	bool profiled, struct err *err)
{
	struct trial trials[2];
	unsigned n = plan(d, sides, o, profiled, trials), next = 0;
	int bad = trials_run(&o->run, trials, n, err);

	for (unsigned i = 0; i < 2 && !bad; i++)
		if (sides[i].kind == SIDE_WORK)
			d->report[i] = json_incref(trials[next++].report);
	trials_free(trials, n);
	return bad;
}

/* ---- both */
static int same_kind(const struct diff *d, struct err *err)
{
	bool a = is_profile(d->report[0]), b = is_profile(d->report[1]);

	if (a == b)
		return 0;
	return err_add(err, ERR_INPUT,
		"%s is a report of %s, %s of %s: both must be of one command", d->path[0],
		a ? "profile" : "run", d->path[1], b ? "profile" : "run");
}

/* Reads the files first: a work beside one is run as that one was. */
static int open_both(
	struct diff *d, const struct side *sides, const struct options *o, struct err *err)
{
	bool profiled = true, works = false;
	int bad = 0;

	for (unsigned i = 0; i < 2; i++) {
		if (sides[i].kind == SIDE_WORK) {
			bad |= work_admit(sides[i].name, &o->run, err);
			works = true;
			continue;
		}
		d->report[i] = read_side(&sides[i], o, err);
		bad |= !d->report[i];
		profiled = is_profile(d->report[i]);
	}
	if (bad || (works && run_works(d, sides, o, profiled, err)))
		return -1;
	return same_kind(d, err);
}

int diff_open(struct diff *d, const struct options *o, struct session *s, struct err *err)
{
	struct side sides[2];

	for (unsigned i = 0; i < 2; i++) {
		d->path[i] = o->operands.at[i];
		sides[i] = (struct side){d->path[i], kind_of(d->path[i], &s->arena)};
	}
	if (admit_options(sides, o, err))
		return -1;
	return open_both(d, sides, o, err);
}

void diff_clear(struct diff *d)
{
	json_decref(d->report[0]);
	json_decref(d->report[1]);
}
