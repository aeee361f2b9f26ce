/* Plans of sweeps in shards: their files, and sweep --plan, which writes one. */
#include "cli/sweep/plan.h"

#include "core/base.h"
#include "core/file.h"
#include "runs/json.h"
#include "runs/keys.h"

#include <string.h>

#define FORMAT "warpbeam sweep plan"
#define FORMAT_VERSION 1

/* The options that say what is run. */
static const enum option_id defining[] = {OPTION_SIZE, OPTION_PTX, OPTION_SEED, OPTION_CHIP,
	OPTION_SET, OPTION_MAX_CYCLES, OPTION_TIMEOUT, OPTION_OVER, OPTION_METRIC};

/* ---- the hash */
/* Of all members but the hash. */
static int hash_of(json_t *plan, char key[KEY_ROOM], struct err *err)
{
	json_t *rest = json_copy(plan);
	struct text words = {0};
	char *text;
	int bad;

	json_object_del(rest, "hash");
	text = rest ? json_dumps(rest, JSON_COMPACT) : NULL;
	json_decref(rest);
	if (!text || !json_is_whole()) {
		mem_library_free(text);
		return err_add(err, ERR_RESOURCE, "no host memory for a plan");
	}
	text_bytes(&words, text, strlen(text));
	mem_library_free(text);
	bad = key_make(&words, key, err);
	text_clear(&words);
	return bad;
}

/* ---- writing */
static json_t *words_json(const struct string_list *words, struct err *err)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < words->n; i++) {
		json_t *word = json_string(words->at[i]);

		if (!word && !mem_lost())
			err_add(err, ERR_USAGE, "--plan: '%s' is not UTF-8", words->at[i]);
		else
			json_append(list, word);
	}
	return list;
}

static json_t *points_json(const struct sweep *s)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < s->n; i++) {
		const struct sweep_point *p = &s->points[i];
		json_t *j = json_object();

		json_add(j, "point", json_string(p->key));
		json_add(j, "name", json_name(p->name));
		json_add(j, "cost", json_whole(p->cost));
		json_add(j, "shard", p->shard ? json_whole(p->shard) : json_null());
		json_append(list, j);
	}
	return list;
}

const char *plan_text(const struct sweep *s, unsigned shards, const char *unit, struct arena *arena,
	struct err *err)
{
	json_t *j = json_object();
	struct string_list words = options_words(s->o, defining, ARRAY_LEN(defining), arena);
	char hash[KEY_ROOM] = "";
	const char *out = NULL;
	char *text = NULL;

	json_add(j, "format", json_string(FORMAT));
	json_add(j, "version", json_integer(FORMAT_VERSION));
	json_add(j, "program", json_string(s->program));
	json_add(j, "options", words_json(&words, err));
	json_add(j, "targets", words_json(&s->o->operands, err));
	json_add(j, "shards", json_whole(shards));
	json_add(j, "cost_unit", json_string(unit));
	json_add(j, "points", points_json(s));
	if (!err->count && !hash_of(j, hash, err)) {
		json_add(j, "hash", json_string(hash));
		text = json_dumps(j, JSON_COMPACT);
	}
	if (text && json_is_whole())
		out = arena_strdup(arena, text);
	else if (!err->count)
		err_add(err, ERR_RESOURCE, "no host memory for a plan");
	mem_library_free(text);
	json_decref(j);
	return out;
}

/* ---- reading */
static int wrong(const struct plan *p, const char *what, struct err *err)
{
	return err_add(err, ERR_INPUT,
		"%s: is no plan of warpbeam sweep, or was cut off or changed: %s; write it again "
		"(sweep --plan)",
		p->path, what);
}

static const char *word(json_t *object, const char *name, struct arena *arena)
{
	const char *s = json_string_value(json_object_get(object, name));

	return arena_strdup(arena, s ? s : "");
}

static struct string_list read_words(json_t *list, struct arena *arena)
{
	size_t n = json_array_size(list);
	struct string_list out = {arena_alloc(arena, n + 1, sizeof(char *)), (unsigned)n};

	for (size_t i = 0; i < n; i++) {
		const char *s = json_string_value(json_array_get(list, i));

		out.at[i] = arena_strdup(arena, s ? s : "");
	}
	return out;
}

static uint64_t whole(const json_t *j)
{
	json_int_t v = json_integer_value(j);

	return v > 0 ? (uint64_t)v : 0;
}

static void read_points(struct plan *p, json_t *list, struct arena *arena)
{
	p->n = (unsigned)json_array_size(list);
	p->points = arena_alloc(arena, p->n + 1, sizeof(*p->points));
	for (unsigned i = 0; i < p->n; i++) {
		json_t *j = json_array_get(list, i);

		p->points[i] = (struct plan_point){.key = word(j, "point", arena),
			.name = word(j, "name", arena),
			.cost = whole(json_object_get(j, "cost")),
			.shard = (unsigned)whole(json_object_get(j, "shard"))};
	}
}

/* A plan whose hash is right was written by a program of ours. */
static int read_json(struct plan *p, json_t *j, struct arena *arena, struct err *err)
{
	char hash[KEY_ROOM];

	if (strcmp(word(j, "format", arena), FORMAT))
		return wrong(p, "it has another format", err);
	if (whole(json_object_get(j, "version")) != FORMAT_VERSION)
		return err_add(err, ERR_INPUT,
			"%s: is a plan of another version of warpbeam; write it again", p->path);
	if (hash_of(j, hash, err))
		return -1;
	p->hash = word(j, "hash", arena);
	if (strcmp(p->hash, hash))
		return wrong(p, "its hash is not that of its content", err);
	p->build = word(j, "program", arena);
	p->unit = word(j, "cost_unit", arena);
	p->words = read_words(json_object_get(j, "options"), arena);
	p->targets = read_words(json_object_get(j, "targets"), arena);
	p->shards = (unsigned)whole(json_object_get(j, "shards"));
	read_points(p, json_object_get(j, "points"), arena);
	return 0;
}

static int parse(struct plan *p, const char *text, size_t n, struct arena *arena, struct err *err)
{
	json_error_t at;
	json_t *j = json_loadb(text, n, JSON_REJECT_DUPLICATES, &at);
	char *line = NULL;
	int bad;

	if (!json_is_whole()) {
		json_decref(j);
		return err_add(err, ERR_RESOURCE, "%s: no host memory to read it", p->path);
	}
	bad = json_is_object(j) ? read_json(p, j, arena, err) : wrong(p, "it is not JSON", err);
	if (!bad)
		line = json_dumps(j, JSON_COMPACT);
	if (!bad && !line)
		bad = err_add(err, ERR_RESOURCE, "%s: no host memory to read it", p->path);
	p->text = line ? arena_strdup(arena, line) : NULL;
	mem_library_free(line);
	json_decref(j);
	return bad;
}

int plan_parse(
	struct plan *p, const char *path, const char *text, struct arena *arena, struct err *err)
{
	*p = (struct plan){.path = path};
	return parse(p, text, strlen(text), arena, err);
}

int plan_read(
	struct plan *p, struct files *files, const char *path, struct arena *arena, struct err *err)
{
	size_t n;
	char *bytes = file_read(files, path, &n, ERR_INPUT, err);
	int bad;

	*p = (struct plan){.path = path};
	bad = bytes ? parse(p, bytes, n, arena, err) : -1;
	mem_free(bytes);
	return bad;
}

/* ---- the sweep of a plan */
/* Where results go and how many run at a time is each shard's own. */
static int read_options(const struct plan *p, const struct options *given, struct options *o,
	struct arena *arena, struct err *err)
{
	if (options_parse(
		    o, (int)p->words.n, (char **)(uintptr_t)p->words.at, COMMAND_SWEEP, arena, err))
		return -1;
	o->operands = p->targets;
	o->run.files = given->run.files;
	o->run.jobs = given->run.jobs;
	o->run.no_pin = given->run.no_pin;
	o->run.quiet = given->run.quiet;
	o->run.checkpoint = given->run.checkpoint;
	o->out = given->out;
	o->json = given->json;
	o->csv = given->csv;
	if (given->metric.n)
		o->metric = given->metric;
	return 0;
}

int plan_sweep(const struct plan *p, const struct options *given, struct sweep *s,
	struct arena *arena, struct err *err)
{
	struct options *o = arena_alloc(arena, 1, sizeof(*o));

	if (read_options(p, given, o, arena, err) || sweep_make(s, o, arena, err))
		return -1;
	if (s->n != p->n)
		return wrong(p, "its points are not those of its options", err);
	for (unsigned i = 0; i < s->n; i++) {
		if (strlen(p->points[i].key) != KEY_ROOM - 1)
			return wrong(p, "a point has no key", err);
		memcpy(s->points[i].key, p->points[i].key, KEY_ROOM);
		s->points[i].shard = p->points[i].shard;
	}
	sweep_twins(s, arena);
	return 0;
}

/* ---- sweep --plan */
static int write_down(const char *plan, const struct options *o, struct err *err)
{
	struct text file = {0};
	int bad;

	text_raw(&file, "%s\n", plan);
	bad = output_file(o->run.files, o->plan, &file, err);
	text_clear(&file);
	return bad;
}

int plan_make(struct sweep *s, const struct options *o, struct plan *p, struct arena *arena,
	struct err *err)
{
	struct results *earlier = NULL;
	const char *unit, *text;

	if (files_write(o->run.files, "--plan", o->plan, err))
		return -1;
	if (o->costs) {
		earlier = results_existing(o->run.files, o->costs, arena, err);
		if (!earlier)
			return -1;
	}
	if (shares_cost(s, earlier, &unit, arena, err))
		return -1;
	shares_divide(s, (unsigned)o->shards, arena);
	text = plan_text(s, (unsigned)o->shards, unit, arena, err);
	return !text || write_down(text, o, err) || plan_parse(p, o->plan, text, arena, err) ? -1
											     : 0;
}

static void tell_shares(const struct sweep *s, const struct plan *p, struct session *session)
{
	unsigned shards = p->shards, points = 0;
	uint64_t *load = arena_alloc(&session->arena, shards, sizeof(*load));
	uint64_t least = UINT64_MAX, most = 0;

	for (unsigned i = 0; i < s->n; i++) {
		if (!s->points[i].shard)
			continue;
		points++;
		load[s->points[i].shard - 1] += s->points[i].cost;
	}
	for (unsigned i = 0; i < shards; i++) {
		least = min_u64(least, load[i]);
		most = max_u64(most, load[i]);
	}
	text_add(&session->out, "%u point%s in %u shard%s, each %llu to %llu %s. The plan is %s.\n",
		points, text_s(points), shards, text_s(shards), (unsigned long long)least,
		(unsigned long long)most, p->unit, p->path);
}

int sweep_write_plan(const struct options *o, struct session *session, struct err *err)
{
	struct arena *arena = &session->arena;
	struct sweep *s = sweep_new(arena);
	struct plan plan;

	if (!o->shards)
		return err_add(
			err, ERR_USAGE, "--plan needs --shards N, or --shard I/N to run one");
	if (sweep_points(s, o, arena, err) || plan_make(s, o, &plan, arena, err))
		return -1;
	if (!o->run.quiet) {
		tell_shares(s, &plan, session);
		if (output_report(&session->out, o->run.uncut, err))
			return -1;
	}
	sweep_note_failures(s, err);
	return err->code ? -1 : 0;
}
