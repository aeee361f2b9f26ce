/* Levels by name: the settings that give one, and the messages about those that do not exist. */
#include "runs/levels/levels.h"

#include "runs/work.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void add_limit(const struct kernel_levels *k, unsigned level, struct text *out)
{
	const struct thread_level *l = &k->level[level];

	if (!level)
		return;
	text_raw(out, "%s%s:%u", out->len ? "," : "gpu.kernels=", k->kernel, l->limit);
	if (l->budget)
		text_raw(out, "+%u", l->budget);
}

static const char *finish(struct text *words, struct arena *arena)
{
	const char *set = words->len ? arena_strdup(arena, text_str(words)) : NULL;

	text_clear(words);
	return set;
}

const char *levels_setting(const struct kernel_levels *k, unsigned level, struct arena *arena)
{
	struct text words = {0};

	add_limit(k, level, &words);
	return finish(&words, arena);
}

const char *levels_settings(
	const struct work_levels *w, const unsigned *level_of, struct arena *arena)
{
	struct text words = {0};

	for (unsigned i = 0; i < w->n; i++)
		add_limit(&w->kernel[i], level_of[i], &words);
	return finish(&words, arena);
}

/* ---- by threads */
static int find_threads(const struct kernel_levels *k, uint64_t threads)
{
	for (unsigned i = 0; i < k->n; i++)
		if (k->level[i].threads == threads)
			return (int)i;
	return -1;
}

static void list_levels(const struct work_levels *w, struct text *out)
{
	for (unsigned i = 0; i < w->n; i++) {
		const struct kernel_levels *k = &w->kernel[i];

		text_add(out, "%s%s has", i ? "; " : "", k->kernel);
		for (unsigned l = 0; l < k->n; l++)
			text_add(out, "%s %u", l ? "," : "", k->level[l].threads);
	}
}

static int no_level(const struct work_levels *w, const char *text, struct err *err)
{
	struct text list = {0};

	list_levels(w, &list);
	err_add(err, ERR_USAGE,
		"--concurrency %s: no kernel has such a level. Threads of an SM: %s. It can also be "
		"auto, or KERNEL:THREADS",
		text, text_str(&list));
	text_clear(&list);
	return -1;
}

/* "KERNEL:" restricts it to that kernel. */
static int by_threads(
	const struct work_levels *w, const char *text, unsigned *level_of, struct err *err)
{
	const char *colon = strrchr(text, ':'), *digits = colon ? colon + 1 : text;
	size_t n = colon ? (size_t)(colon - text) : 0;
	uint64_t threads;
	char *end;
	bool found = false;

	threads = strtoull(digits, &end, 10);
	if (*digits < '0' || *digits > '9' || *end)
		return no_level(w, text, err);
	for (unsigned i = 0; i < w->n; i++) {
		const char *name = w->kernel[i].kernel;
		int level = find_threads(&w->kernel[i], threads);

		if ((colon && (strlen(name) != n || strncmp(name, text, n) != 0)) || level < 0)
			continue;
		level_of[i] = (unsigned)level;
		found = true;
	}
	return found ? 0 : no_level(w, text, err);
}

int levels_named(const struct work_levels *w, const char *concurrency, struct arena *arena,
	const char **out, struct err *err)
{
	unsigned *level_of = arena_alloc(arena, w->n + 1, sizeof(*level_of));

	*out = NULL;
	if (!strcmp(concurrency, "auto"))
		for (unsigned i = 0; i < w->n; i++)
			level_of[i] = w->kernel[i].automatic;
	else if (by_threads(w, concurrency, level_of, err))
		return -1;
	*out = levels_settings(w, level_of, arena);
	return 0;
}

/* ---- of a machine */
int levels_on(const struct level_wish *wish, const struct run_options *o, const struct machine *m,
	struct arena *arena, const char **out, struct err *err)
{
	struct session *s = session_within(arena);
	struct work_levels levels;

	if (work_no_program(wish->target, "--concurrency", err) ||
		session_open_machine(s, o, m, err) ||
		levels_find(s, wish->target, o, m, &levels, err) ||
		levels_named(&levels, wish->concurrency, arena, out, err))
		return -1;
	session_close(s);
	return 0;
}

int levels_open(struct session *s, const char *target, const struct run_options *o,
	const char *concurrency, struct err *err)
{
	struct machine m = {.scenarios = &target, .nscenarios = work_is_scenario(target) ? 1 : 0};
	struct layer layer = {.origin = "--concurrency"};
	const char *set;

	if (!concurrency)
		return session_open_machine(s, o, &m, err);
	if (levels_on(&(struct level_wish){target, concurrency}, o, &m, &s->arena, &set, err))
		return -1;
	layer.set = &set;
	layer.nset = set ? 1 : 0;
	m.layers = &layer;
	m.nlayers = 1;
	return session_open_machine(s, o, &m, err);
}
