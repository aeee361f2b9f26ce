/* A GPU with its chip, out of presets, files, scenarios and the command line. */
#include "cli/command.h"

#include "cli/settings.h"

/* Later settings win: the chip, then the scenario's own, then --set. */
static int enter_settings(
	struct session *s, const struct options *o, const char *scenario, struct err *err)
{
	int bad = 0;

	if (scenario) {
		s->scenario = scenario_load(scenario, o->chip, s->config, err);
		bad = s->scenario ? 0 : -1;
	} else if (o->chip) {
		bad = settings_chip(o->chip, &s->source, s->config, err);
	}
	for (unsigned i = 0; i < o->set.n && !bad; i++)
		bad = config_set_text(s->config, o->set.at[i], "--set", err);
	return bad;
}

int session_open(struct session *s, const struct options *o, const char *scenario, struct err *err)
{
	struct chip_host host = {.threads = (unsigned)o->threads, .pin = !o->no_pin};

	s->source = (struct source){.arena = &s->arena, .directory = "."};
	s->config = config_new();
	if (!s->config)
		return err_add(err, ERR_RESOURCE, "no host memory for the configuration");
	if (enter_settings(s, o, scenario, err))
		return -1;
	s->gpu = gpu_new(s->config, err);
	return s->gpu ? chip_new(s->gpu, &host, err) : -1;
}

void session_close(struct session *s)
{
	gpu_free(s->gpu);
	scenario_free(s->scenario);
	config_free(s->config);
	text_clear(&s->out);
	arena_free(&s->arena);
	*s = (struct session){0};
}
