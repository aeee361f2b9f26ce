/* What a comparison runs: the variants of a chip, and the checks of its options. */
#include "cli/compare/compare.h"

#include "cli/against.h"
#include "core/plugin.h"
#include "dram/channel.h"
#include "draw/number.h"
#include "runs/levels/levels.h"
#include "runs/report.h"
#include "runs/work.h"
#include "runs/yaml/yaml.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* ---- trials */
bool compare_runs(const struct subject *s, enum variant_id id)
{
	if (id == VARIANT_BANKS)
		return s->tck_ps;
	if (id == VARIANT_SERVERS)
		return s->banked;
	if (id == VARIANT_BURSTS_32)
		return s->burst_bytes && s->burst_bytes <= 32;
	return id != VARIANT_BURSTS_64 || (s->burst_bytes && s->burst_bytes <= 64);
}

static const char *setting(const struct subject *s, const struct knob *k, struct arena *arena)
{
	char number[40];
	const char *value = number;
	size_t n;
	char *out;

	if (k->kind == KNOB_VALUE)
		value = k->value;
	else if (k->kind == KNOB_SHARE_BYTES)
		report_real(s->share_bytes_per_ns, number);
	else
		snprintf(number, sizeof(number), "%u", k->kind == KNOB_SMS ? s->sms : s->tck_ps);
	n = strlen(k->path) + strlen(value) + 2;
	out = arena_alloc(arena, n, 1);
	snprintf(out, n, "%s=%s", k->path, value);
	return out;
}

unsigned compare_settings(
	const struct subject *s, enum variant_id id, const char **set, struct arena *arena)
{
	const struct variant *v = &variants[id];
	unsigned n = 0;

	for (unsigned i = 0; v->servers && s->servers[i]; i++)
		set[n++] = s->servers[i];
	for (unsigned i = 0; v->own_slice && s->middle[i]; i++)
		set[n++] = s->middle[i];
	for (unsigned i = 0; i < KNOBS && v->knobs[i].kind != KNOB_END; i++)
		set[n++] = setting(s, &v->knobs[i], arena);
	return n;
}

/* The parameters of the chip's own network may not exist in another one; the chip itself is checked
 * first, and reports those that are wrong. */
static bool replaces_network(const struct variant *v)
{
	for (unsigned i = 0; i < KNOBS && v->knobs[i].kind != KNOB_END; i++)
		if (!strcmp(v->knobs[i].path, "chip.network"))
			return true;
	return false;
}

struct trial compare_trial(
	const struct subject *s, enum variant_id id, struct arena *arena, const char *config_name)
{
	const struct variant *v = &variants[id];
	struct layer *layers = arena_alloc(arena, s->nlayers + 1, sizeof(*layers));
	const char **set = arena_alloc(arena, COMPARE_SETTINGS, sizeof(*set));
	struct party *party = arena_alloc(arena, 1, sizeof(*party));
	const char **scenarios = arena_alloc(arena, 1, sizeof(*scenarios));
	size_t room = strlen(s->target) + strlen(config_name) + strlen(v->name) + 8;
	char *name = arena_alloc(arena, room, 1);
	unsigned n = compare_settings(s, id, set, arena);

	for (unsigned i = 0; i < s->nlayers; i++)
		layers[i] = s->layers[i];
	layers[s->nlayers] = (struct layer){.origin = v->name,
		.set = set,
		.nset = n,
		.tolerates = replaces_network(v) ? "noc." : NULL};
	party->target = s->target;
	scenarios[0] = s->scenario;
	snprintf(name, room, "%s%s, %s", s->target, config_name, v->name);
	return (struct trial){.name = name,
		.machine = {scenarios, s->scenario ? 1 : 0, layers, s->nlayers + 1},
		.parties = party,
		.nparties = 1,
		.may_stop = true};
}

/* ---- wrong options */
static int check_options(const struct options *o, struct err *err)
{
	options_one_to_stdout(o, err);
	if (o->hardware.n && (o->together || o->against.n || o->share_bytes))
		err_add(err, ERR_USAGE,
			"--hardware does not go with --together, --against and "
			"--share-bytes-per-ns");
	if (!o->hardware.n && !o->operands.n)
		err_add(err, ERR_USAGE, "compare needs WORKLOAD|FILE.yaml..");
	if (!o->together && o->sms.n)
		err_add(err, ERR_USAGE, "--sms needs --together");
	if (o->together && o->against.n)
		err_add(err, ERR_USAGE, "--against does not go with --together");
	if (o->together && o->share_bytes)
		err_add(err, ERR_USAGE,
			"--share-bytes-per-ns does not go with --together: all run on the chip");
	if (o->together && o->svg)
		err_add(err, ERR_USAGE, "--svg draws the ladder: it does not go with --together");
	if (o->level && (o->together || o->hardware.n))
		err_add(err, ERR_USAGE,
			"--concurrency does not go with --together and --hardware: a level is of "
			"one target's own kernels on a chip of its own");
	if (region_is_given(&o->run.region) && (o->together || o->hardware.n))
		err_add(err, ERR_USAGE,
			"--timed, --from-launch and --launches do not go with --together and "
			"--hardware: they number one target's launches on a chip");
	if (o->together && o->operands.n < 2)
		err_add(err, ERR_USAGE, "--together needs at least two targets");
	return err->count ? -1 : 0;
}

int compare_admit(const struct options *o, struct err *err)
{
	check_options(o, err);
	for (unsigned i = 0; i < o->operands.n; i++)
		if (!work_admit(o->operands.at[i], &o->run, err) && (o->together || o->hardware.n))
			work_no_program(
				o->operands.at[i], o->together ? "--together" : "--hardware", err);
	return err->count ? -1 : 0;
}

static int share_bytes(const struct options *o, double *out, struct err *err)
{
	if (!o->share_bytes)
		return 0;
	if (number_real(o->share_bytes, out) && *out > 0 && *out <= 100000)
		return 0;
	return err_add(err, ERR_USAGE,
		"--share-bytes-per-ns %s: must be a bandwidth above 0, at most 100000 B/ns",
		o->share_bytes);
}

/* The second configuration may change only the machine. */
static int check_setting(const char *text, struct err *err)
{
	size_t n = strcspn(text, ".=");

	for (size_t i = 0; plugins[i]; i++)
		if (!strcmp(plugins[i]->kind, "workload") && strlen(plugins[i]->path) == n &&
			!strncmp(plugins[i]->path, text, n))
			return err_add(err, ERR_USAGE,
				"--against %s: the configurations would differ in more than the "
				"chip",
				text);
	return 0;
}

static int check_settings(const struct layer *layer, struct err *err)
{
	for (unsigned i = 0; i < layer->nset; i++)
		if (check_setting(layer->set[i], err))
			return -1;
	return 0;
}

static bool is_scenario(const char *path, struct session *s, struct err *err)
{
	struct yaml y = {0};
	size_t n;
	const char *text = source_read(&s->source, path, &n, err);
	bool found = text && !yaml_load(&y, path, text, n, err) &&
		     yaml_get(&y, yaml_root(&y), "launches");

	yaml_unload(&y);
	return found;
}

/* The second configuration: layers on the first, or another scenario for the same work. */
static int read_against(
	struct subject *all, const struct options *o, struct session *s, struct err *err)
{
	struct layer *layers = arena_alloc(&s->arena, o->against.n, sizeof(*layers));
	unsigned n = 0;

	for (unsigned i = 0; i < o->against.n; i++) {
		const char *text = o->against.at[i];

		layers[n].origin = "--against";
		if (strchr(text, '=')) {
			against_settings(text, &layers[n], &s->arena);
			if (check_settings(&layers[n++], err))
				return -1;
		} else if (work_is_scenario(text) && is_scenario(text, s, err)) {
			if (o->operands.n != 1 || o->against.n != 1 || !all[0].scenario)
				return err_add(err, ERR_USAGE,
					"--against %s: a scenario is compared with one other "
					"scenario, alone",
					text);
			all[0].scenario = text;
		} else {
			layers[n++].chip = text;
		}
		if (err->count)
			return -1;
	}
	for (unsigned i = 0; i < o->operands.n; i++) {
		all[i].layers = layers;
		all[i].nlayers = n;
	}
	return 0;
}

/* The configuration of a chip. */
struct facts {
	struct arena *arena;
	const char *network, *dram;
	double sms, channels, bytes_per_ns, share, burst_bytes, sector_bytes;
	double read_cycles, sides, side_cycles, spread_cycles;
	bool even_share, dram_set; /* some dram.* was given */
};

/* Its numbers. */
static const struct {
	const char *path;
	size_t offset;
} numbers[] = {
	{"chip.sms", offsetof(struct facts, sms)},
	{"chip.bytes_per_ns", offsetof(struct facts, bytes_per_ns)},
	{"chip.share", offsetof(struct facts, share)},
	{"chip.channels", offsetof(struct facts, channels)},
	{"chip.read_cycles", offsetof(struct facts, read_cycles)},
	{"chip.sides", offsetof(struct facts, sides)},
	{"chip.side_cycles", offsetof(struct facts, side_cycles)},
	{"chip.spread_cycles", offsetof(struct facts, spread_cycles)},
	{"dram.min_bytes", offsetof(struct facts, burst_bytes)},
	{"l2.sector_bytes", offsetof(struct facts, sector_bytes)},
};

static void note_fact(
	void *ctx, const char *path, const char *value, const struct param_def *def, bool given)
{
	struct facts *f = ctx;

	(void)def;
	f->dram_set |= given && !strncmp(path, "dram.", 5);
	for (unsigned i = 0; i < ARRAY_LEN(numbers); i++)
		if (!strcmp(path, numbers[i].path))
			number_real(value, (double *)((char *)f + numbers[i].offset));
	if (!strcmp(path, "chip.even_share"))
		f->even_share = !strcmp(value, "true");
	else if (!strcmp(path, "chip.network"))
		f->network = arena_strdup(f->arena, value);
	else if (!strcmp(path, "chip.dram"))
		f->dram = arena_strdup(f->arena, value);
}

/* The command clock at which m12's bursts, 64 bytes in two clocks, give a channel's bandwidth. 0:
 * no such clock, or the bandwidth server has settings that banks do not have. */
static unsigned banks_tck_ps(const struct facts *f)
{
	double tck = round(32000 * f->channels / f->bytes_per_ns);

	if (strcmp(f->dram, "bandwidth") != 0 || f->dram_set || tck < 250 || tck > 10000)
		return 0;
	return (unsigned)tck;
}

/* Settings with which the chip would not be the reference. */
static int check_chip(const struct facts *f, const char *target, struct err *err)
{
	if (f->share > 1)
		return err_add(err, ERR_INPUT,
			"%s: chip.share = %g: the comparison itself leaves CTAs out, the chip must "
			"run all",
			target, f->share);
	if (f->even_share)
		return err_add(err, ERR_INPUT,
			"%s: chip.even_share: the comparison itself divides the bandwidth, the "
			"chip must share it",
			target);
	return 0;
}

static const char *number_setting(const char *path, double v, struct arena *arena)
{
	char number[40];
	size_t n = strlen(path) + sizeof(number) + 2;
	char *out = arena_alloc(arena, n, 1);

	report_real(v, number);
	snprintf(out, n, "%s=%s", path, number);
	return out;
}

/* Below the rung of the banks DRAM is bandwidth servers: the chip's channels and bandwidth, and
 * transactions of the device's bursts. */
static void replace_banks(struct subject *s, const struct facts *f, struct config *config)
{
	const struct plugin *dram = plugin_find("dram", f->dram, "chip.dram", NULL);
	const struct channel_ops *ops = dram ? dram->ops : NULL;
	struct channel_memory m;
	unsigned n = 0;

	s->banked = ops && ops->memory && ops->memory(config, &m, NULL);
	if (!s->banked)
		return;
	s->servers[n++] = "chip.dram=bandwidth";
	s->servers[n++] = number_setting("chip.channels", f->channels, f->arena);
	s->servers[n++] = number_setting("chip.bytes_per_ns", f->bytes_per_ns, f->arena);
	s->servers[n++] = number_setting("dram.min_bytes", m.burst_bytes, f->arena);
	s->servers[n] = NULL;
}

/* With a slice of its own an SM would be next to it: its latency is the chip's in the mean. */
static void even_distances(struct subject *s, const struct facts *f)
{
	double more = f->spread_cycles / 2 + f->side_cycles * (f->sides - 1) / f->sides;
	unsigned n = 0;

	if (!(more > 0) || !(f->read_cycles > 0))
		return;
	s->middle[n++] = "chip.sides=1";
	s->middle[n++] = "chip.spread_cycles=0";
	s->middle[n++] = number_setting("chip.read_cycles", round(f->read_cycles + more), f->arena);
	s->middle[n] = NULL;
}

/* The level that --concurrency names on the subject's own chip: a layer of all its variants, since
 * each has that chip's SMs. */
static int find_level(struct subject *s, const char *config_name, const struct options *o,
	struct arena *arena, struct err *err)
{
	struct trial t = compare_trial(s, VARIANT_CHIP, arena, config_name);
	struct layer *layers = arena_alloc(arena, s->nlayers + 1, sizeof(*layers));
	const char **set = arena_alloc(arena, 1, sizeof(*set));

	if (!o->level)
		return 0;
	if (levels_on(&(struct level_wish){s->target, o->level}, &o->run, &t.machine, arena, set,
		    err))
		return -1;
	for (unsigned i = 0; i < s->nlayers; i++)
		layers[i] = s->layers[i];
	layers[s->nlayers] =
		(struct layer){.origin = "--concurrency", .set = set, .nset = *set ? 1 : 0};
	s->layers = layers;
	s->nlayers++;
	return 0;
}

/* Opens the machine of a subject once, to check it and to learn its size. */
static int look_at(struct subject *s, const char *config_name, const struct options *o,
	struct arena *arena, struct err *err)
{
	struct trial t = compare_trial(s, VARIANT_CHIP, arena, config_name);
	struct session *probe = session_within(arena);
	struct work work;
	int bad = trial_open(&t, &o->run, probe, &work, err);

	if (!bad) {
		struct facts f = {.arena = arena};

		config_echo(probe->config, note_fact, &f);
		s->sms = (unsigned)f.sms;
		s->bytes_per_ns = f.bytes_per_ns;
		s->network = f.network;
		s->tck_ps = banks_tck_ps(&f);
		if (!strcmp(f.dram, "bandwidth"))
			s->burst_bytes = (unsigned)fmax(f.burst_bytes, f.sector_bytes);
		if (!(s->share_bytes_per_ns > 0))
			s->share_bytes_per_ns = f.bytes_per_ns / f.sms;
		replace_banks(s, &f, probe->config);
		even_distances(s, &f);
		bad = check_chip(&f, s->target, err);
		if (probe->scenario && scenario_names_sms(probe->scenario))
			bad = err_add(err, ERR_INPUT,
				"%s: a launch names its SMs: the shortcut has only one",
				s->scenario);
	}
	session_close(probe);
	return bad;
}

static int check_same_work(
	const struct subject *a, const struct subject *b, struct files *files, struct err *err)
{
	struct config *config;
	struct scenario *x, *y;
	int bad = -1;

	if (!a->scenario || !strcmp(a->scenario, b->scenario))
		return 0;
	config = config_new();
	if (!config)
		return err_add(err, ERR_RESOURCE, "no host memory for the configuration");
	x = scenario_load(a->scenario, true, config, files, err);
	y = x ? scenario_load(b->scenario, true, config, files, err) : NULL;
	if (y)
		bad = scenario_same_work(x, y, err);
	scenario_free(x);
	scenario_free(y);
	config_free(config);
	return bad;
}

static struct subject *subjects(const struct options *o, double share, struct arena *arena)
{
	struct subject *all = arena_alloc(arena, o->operands.n, sizeof(*all));

	for (unsigned i = 0; i < o->operands.n; i++) {
		all[i].target = o->operands.at[i];
		all[i].scenario = work_is_scenario(all[i].target) ? all[i].target : NULL;
		all[i].share_bytes_per_ns = share;
	}
	return all;
}

static const char *joined(const struct string_list *list, struct arena *arena)
{
	size_t n = 1;
	char *out;

	for (unsigned i = 0; i < list->n; i++)
		n += strlen(list->at[i]) + 1;
	out = arena_alloc(arena, n, 1);
	for (unsigned i = 0; i < list->n; i++) {
		if (i)
			strcat(out, ",");
		strcat(out, list->at[i]);
	}
	return out;
}

int compare_plan(struct comparison *c, const struct options *o, struct session *s, struct err *err)
{
	double share = 0;

	s->source = (struct source){.arena = &s->arena, .directory = ".", .files = o->run.files};
	if (compare_admit(o, err) | share_bytes(o, &share, err))
		return -1;
	*c = (struct comparison){.o = o, .n = o->operands.n};
	c->base = subjects(o, share, &s->arena);
	for (unsigned i = 0; i < c->n; i++)
		if (find_level(&c->base[i], "", o, &s->arena, err) ||
			look_at(&c->base[i], "", o, &s->arena, err))
			return -1;
	if (!o->against.n)
		return 0;
	c->against_name = joined(&o->against, &s->arena);
	c->against = subjects(o, share, &s->arena);
	if (read_against(c->against, o, s, err))
		return -1;
	for (unsigned i = 0; i < c->n; i++)
		if (check_same_work(&c->base[i], &c->against[i], o->run.files, err) ||
			find_level(&c->against[i], " (against)", o, &s->arena, err) ||
			look_at(&c->against[i], " (against)", o, &s->arena, err))
			return -1;
	return 0;
}
