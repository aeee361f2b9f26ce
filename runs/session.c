/* A GPU with its chip, out of presets, files, scenarios and the command line. */
#include "runs/session.h"

#include "runs/settings.h"

static int load_scenarios(
	struct session *s, const struct run_options *o, const struct machine *m, struct err *err)
{
	s->scenarios = arena_alloc(&s->arena, m->nscenarios, sizeof(*s->scenarios));
	for (unsigned i = 0; i < m->nscenarios; i++) {
		struct scenario *loaded =
			scenario_load(m->scenarios[i], o->chip, s->config, o->files, err);

		if (!loaded)
			return -1;
		s->scenarios[s->nscenarios++] = loaded;
	}
	s->scenario = s->scenarios[0];
	return 0;
}

static int enter_layer(struct session *s, const struct layer *layer, struct err *err)
{
	int bad = layer->chip ? settings_chip(layer->chip, &s->source, s->config, err) : 0;

	if (layer->tolerates)
		config_tolerate(s->config, layer->tolerates);
	for (unsigned i = 0; i < layer->nset && !bad; i++)
		bad = config_set_text(s->config, layer->set[i], layer->origin, err);
	return bad;
}

/* Later settings win: the chip, then the scenarios' own, then --set, then the layers. */
static int enter_settings(
	struct session *s, const struct run_options *o, const struct machine *m, struct err *err)
{
	struct layer set = {.origin = "--set", .set = o->set.at, .nset = o->set.n};
	int bad = 0;

	if (m->nscenarios)
		bad = load_scenarios(s, o, m, err);
	else if (o->chip)
		bad = settings_chip(o->chip, &s->source, s->config, err);
	if (!bad)
		bad = enter_layer(s, &set, err);
	if (!bad && o->regs) {
		char text[32];

		snprintf(text, sizeof(text), "gpu.max_regs=%u", (unsigned)o->regs);
		bad = config_set_text(s->config, text, "--regs", err);
	}
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

int session_settings(
	struct session *s, const struct run_options *o, const struct machine *m, struct err *err)
{
	return begin(s, o, err) ? -1 : enter_settings(s, o, m, err);
}

int session_open_machine(
	struct session *s, const struct run_options *o, const struct machine *m, struct err *err)
{
	struct chip_host host = {.threads = (unsigned)o->threads, .pin = !o->no_pin};

	if (session_settings(s, o, m, err))
		return -1;
	s->gpu = gpu_new(s->config, o->files, err);
	if (s->gpu)
		gpu_output(s->gpu, &(struct exec_output){.write = print_text});
	return s->gpu ? chip_new(s->gpu, &host, err) : -1;
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
