/* A GPU with its chip, out of machines, scenarios and the command line. */
#include "runs/session.h"

#include "chip/capability.h"
#include "runs/description.h"

#include <stdio.h>
#include <string.h>

static int load_scenarios(
	struct session *s, const struct run_options *o, const struct machine *m, struct err *err)
{
	s->scenarios = arena_alloc(&s->arena, m->nscenarios, sizeof(*s->scenarios));
	for (unsigned i = 0; i < m->nscenarios; i++) {
		struct scenario *loaded =
			scenario_load(m->scenarios[i], !o->chips.n, s->config, o->files, err);

		if (!loaded)
			return -1;
		s->scenarios[s->nscenarios++] = loaded;
	}
	s->scenario = s->scenarios[0];
	return 0;
}

static int enter_layer(struct session *s, const struct layer *layer, struct err *err)
{
	int bad = 0;

	config_layer(s->config);
	if (layer->tolerates)
		config_tolerate(s->config, layer->tolerates);
	for (unsigned i = 0; i < layer->nset && !bad; i++)
		bad = config_set_text(s->config, layer->set[i], layer->origin, err);
	return bad;
}

static int enter_chips(struct session *s, const struct run_options *o, struct err *err)
{
	int bad = 0;

	for (unsigned i = 0; i < o->chips.n; i++)
		bad |= description_take(o->chips.at[i], &s->source, s->config, err);
	return bad;
}

const char *session_set(const struct run_options *o, const char *path, const char *value)
{
	size_t n = strlen(path);

	for (unsigned i = 0; i < o->set.n; i++) {
		const char *text = o->set.at[i];

		if (!strncmp(text, path, n) && text[n] == '=' &&
			(!value || strcmp(text + n + 1, value) != 0))
			return text;
	}
	return NULL;
}

/* An option and a --set of the same thing: which of the two values is meant? `same`: the value that
 * the option gives. */
static int check_contradiction(const struct run_options *o, const char *option, uint64_t n,
	const char *path, const char *same, struct err *err)
{
	const char *text = session_set(o, path, same);

	if (!text)
		return 0;
	return err_add(err, ERR_USAGE,
		"--%s %u and --set %s contradict each other: --%s gives %s=%s", option, (unsigned)n,
		text, option, path, same);
}

/* 0 or -1. */
static int check_set(const struct run_options *o, struct err *err)
{
	char regs[16], slots[16];
	int bad = 0;

	snprintf(regs, sizeof(regs), "%u", (unsigned)o->regs);
	snprintf(slots, sizeof(slots), "%u", (unsigned)o->slots);
	if (o->regs)
		bad |= check_contradiction(o, "regs", o->regs, "gpu.max_regs", regs, err);
	if (o->slots)
		bad |= check_contradiction(o, "slots", o->slots, "gpu.spill_slots", slots, err) |
		       check_contradiction(o, "slots", o->slots, "gpu.spill", "shared", err);
	return bad;
}

static int enter_slots(struct session *s, const struct run_options *o, struct err *err)
{
	char text[40];

	snprintf(text, sizeof(text), "gpu.spill_slots=%u", (unsigned)o->slots);
	return config_set_text(s->config, "gpu.spill=shared", "--slots", err) ||
	       config_set_text(s->config, text, "--slots", err);
}

/* Later settings win: the chip, then the scenarios' own, then the layers' chips, then --set, then
 * the layers' settings. */
static int enter_settings(
	struct session *s, const struct run_options *o, const struct machine *m, struct err *err)
{
	struct layer set = {.origin = "--set", .set = o->set.at, .nset = o->set.n};
	int bad = check_set(o, err);

	if (!bad)
		bad = enter_chips(s, o, err);
	if (!bad && m->nscenarios)
		bad = load_scenarios(s, o, m, err);
	for (unsigned i = 0; i < m->nlayers && !bad; i++)
		if (m->layers[i].chip)
			bad = description_take(m->layers[i].chip, &s->source, s->config, err);
	if (!bad)
		bad = enter_layer(s, &set, err);
	if (!bad && o->regs) {
		char text[32];

		snprintf(text, sizeof(text), "gpu.max_regs=%u", (unsigned)o->regs);
		bad = config_set_text(s->config, text, "--regs", err);
	}
	if (!bad && o->slots)
		bad = enter_slots(s, o, err);
	for (unsigned i = 0; i < m->nlayers && !bad; i++)
		bad = enter_layer(s, &m->layers[i], err);
	return bad;
}

int session_open(
	struct session *s, const struct run_options *o, const char *scenario, struct err *err)
{
	struct machine m = {.scenarios = &scenario, .nscenarios = scenario ? 1 : 0};

	return session_open_machine(s, o, &m, err);
}

/* Text that kernels print is written to stdout at once, before the results. */
static bool print_text(void *ctx, const char *text, size_t n)
{
	(void)ctx;
	fwrite(text, 1, n, stdout);
	return true;
}

static int begin(struct session *s, const struct run_options *o, struct err *err)
{
	s->source = (struct source){.arena = &s->arena, .directory = ".", .files = o->files};
	s->config = config_new();
	return s->config ? 0 : err_add(err, ERR_RESOURCE, "no host memory for the configuration");
}

int session_part(struct session *s, const struct run_options *o, const struct short_setting *given,
	unsigned n, struct err *err)
{
	int bad = begin(s, o, err);

	for (unsigned i = 0; i < o->set.n && s->config; i++)
		bad |= config_set_text(s->config, o->set.at[i], "--set", err);
	for (unsigned i = 0; i < n && s->config; i++)
		if (given[i].value)
			bad |= config_set(
				s->config, given[i].path, given[i].value, given[i].option, err);
	return bad;
}

const struct description *session_machine(struct session *s, struct err *err)
{
	const struct source *own = s->scenario ? scenario_source(s->scenario) : NULL;

	if (own && own->machine)
		return own->machine;
	if (!s->source.machine)
		s->source.machine = description_read(DESCRIPTION_DEFAULT, &s->source, err);
	return s->source.machine;
}

/* The location in a file where the path of n bytes was set; NULL: in none. */
static const char *place_of_path(const struct config *config, const char *path, size_t n)
{
	const char *value, *origin, *colon;
	char name[256];

	if (n >= sizeof(name) || !memchr(path, '.', n))
		return NULL;
	memcpy(name, path, n);
	name[n] = '\0';
	if (!config_setting(config, name, 0, &value, &origin))
		return NULL;
	colon = strrchr(origin, ':');
	return colon && colon[1] >= '0' && colon[1] <= '9' ? origin : NULL;
}

/* Where a file set what a message of n bytes speaks of: the first parameter that it names, but
 * rather in the user's file than in a machine of the program. NULL: in no file, or the message says
 * it. */
static const char *place_of(const struct config *config, const char *message, size_t n)
{
	const char *place = NULL, *end = message + n, *at = message;

	while (at < end) {
		size_t length = 0;
		const char *here;

		while (at + length < end && !strchr(" ,;:", at[length]))
			length++;
		here = place_of_path(config, at, length);
		if (!here && at == message && at + length < end && at[length] == ':')
			return NULL;
		if (here && strncmp(here, "machines/", 9) != 0)
			return here;
		if (!place)
			place = here;
		at += length + 1;
	}
	return place;
}

/* Moves the messages, with their location. */
static void tell_placed(const struct config *config, struct err *wrong, struct err *err)
{
	const char *line = err_text(wrong);

	if (!wrong->lines) {
		err_move(err, wrong);
		return;
	}
	for (unsigned i = 0; i < wrong->lines; i++) {
		size_t n = strcspn(line, "\n");
		const char *place = place_of(config, line, n);

		err_add(err, wrong->code, "%s%s%.*s", place ? place : "", place ? ": " : "", (int)n,
			line);
		line += n + (line[n] == '\n');
	}
	err_more(err, wrong->count - wrong->lines);
	err_clear(wrong);
}

int session_settings(
	struct session *s, const struct run_options *o, const struct machine *m, struct err *err)
{
	struct err wrong = {0};
	unsigned before = err->count;
	int bad;

	if (begin(s, o, err) || enter_settings(s, o, m, err))
		return -1;
	bad = capability_defaults(s->config, &wrong) | -(err->count > before);
	tell_placed(s->config, &wrong, err);
	return bad;
}

int session_open_machine(
	struct session *s, const struct run_options *o, const struct machine *m, struct err *err)
{
	struct chip_host host = {.threads = (unsigned)o->threads, .pin = !o->no_pin};
	struct err wrong = {0};
	unsigned before = err->count;
	int bad = -1;

	if (begin(s, o, err) || enter_settings(s, o, m, err))
		return -1;
	capability_defaults(s->config, &wrong);
	s->gpu = gpu_new(s->config, o->files, &wrong);
	if (s->gpu) {
		gpu_output(s->gpu, &(struct exec_output){.write = print_text});
		gpu_threads(s->gpu, host.threads);
		bad = chip_new(s->gpu, &host, &wrong);
	}
	bad |= wrong.count || err->count > before ? -1 : 0;
	tell_placed(s->config, &wrong, err);
	if (bad)
		config_strays(s->config, err);
	return bad;
}

void session_close(struct session *s)
{
	gpu_free(s->gpu);
	for (unsigned i = 0; i < s->nscenarios; i++)
		scenario_free(s->scenarios[i]);
	config_free(s->config);
	text_clear(&s->out);
	files_clear(&s->files);
	arena_free(&s->arena);
	*s = (struct session){0};
}

static void let_go(void *session)
{
	session_close(session);
}

struct session *session_within(struct arena *arena)
{
	void **kept = arena_own(arena, let_go);
	struct session *s = arena_alloc(arena, 1, sizeof(*s));

	s->arena.escape = arena->escape;
	*kept = s;
	return s;
}
