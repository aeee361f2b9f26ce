/* Which launches of a run are in its region of interest: --timed, --untimed, --from-launch,
 * --launches. */
#include "runs/region.h"

#include "chip/chip.h"
#include "draw/number.h"
#include "ptx/isa/source_name.h"

#include <string.h>

bool region_is_all(const struct region *r)
{
	return !r->untimed && !r->nrules && !r->last && !r->sample;
}

bool region_has(struct region *r, const struct region_launch *l)
{
	bool in = !r->nrules;

	if (r->sample)
		return sampling_times(r->sample, l->kernel, l->ctas) || l->clocked;
	for (unsigned i = 0; i < r->nrules; i++) {
		struct region_rule *rule = &r->rules[i];

		if (strcmp(rule->kernel, "*") != 0 && !source_name_is(l->kernel, rule->kernel))
			continue;
		rule->met = true;
		in |= l->own >= rule->first && l->own <= rule->last;
	}
	return in && !r->untimed && (!r->last || (l->number >= r->first && l->number <= r->last));
}

void region_name(const char *kernel, struct text *seen)
{
	text_add(seen, "%s", *text_str(seen) ? ", " : "");
	source_name(kernel, seen);
}

void region_check(const struct region *r, uint64_t launches, const char *seen, struct err *err)
{
	for (unsigned i = 0; i < r->nrules; i++)
		if (!r->rules[i].met)
			err_add(err, ERR_INPUT,
				"--%s: no kernel '%s' was launched; launched were: %s", r->by,
				r->rules[i].kernel, seen);
	if (r->last && launches < r->first)
		err_add(err, ERR_INPUT, "--from-launch %llu: the run has %llu launch%s",
			(unsigned long long)r->first, (unsigned long long)launches,
			launches == 1 ? "" : "es");
}

/* ---- a run's own count */
static struct region_count *count_of(struct region_watch *w, const struct program *kernel)
{
	for (unsigned i = 0; i < w->n; i++)
		if (w->kernels[i].kernel == kernel)
			return &w->kernels[i];
	if (w->n == w->room) {
		struct region_count *more;

		w->room = w->room ? 2 * w->room : 16;
		more = arena_alloc(w->arena, w->room, sizeof(*more));
		if (w->n)
			memcpy(more, w->kernels, w->n * sizeof(*more));
		w->kernels = more;
	}
	w->kernels[w->n].kernel = kernel;
	return &w->kernels[w->n++];
}

static bool is_timed(void *ctx, const struct program *kernel, uint64_t ctas)
{
	struct region_watch *w = ctx;
	const struct region_launch l = {.kernel = kernel->name,
		.own = ++count_of(w, kernel)->launches,
		.number = ++w->launches,
		.ctas = ctas,
		.clocked = gpu_reads_time(kernel)};

	return region_has(w->region, &l);
}

void region_follow(
	struct region_watch *w, struct region *region, struct gpu *gpu, struct arena *arena)
{
	*w = (struct region_watch){.region = region, .arena = arena};
	if (!region_is_all(region))
		gpu_time_only(gpu, is_timed, w);
}

int region_watch_check(const struct region_watch *w, struct err *err)
{
	struct text seen = {0};

	if (!w->region || region_is_all(w->region))
		return 0;
	for (unsigned i = 0; i < w->n; i++)
		region_name(w->kernels[i].kernel->name, &seen);
	region_check(w->region, w->launches, text_str(&seen), err);
	text_clear(&seen);
	return err->count ? -1 : 0;
}

/* ---- options */
/* "3", "3-" or "3-7". */
static int read_range(
	const char *text, const struct region *r, struct region_rule *t, struct err *err)
{
	const char *dash = strchr(text, '-');
	char first[24] = "", last[24] = "";
	size_t n = dash ? (size_t)(dash - text) : strlen(text);
	bool fits = n < sizeof(first) && (!dash || strlen(dash + 1) < sizeof(last));

	if (fits) {
		memcpy(first, text, n);
		strcpy(last, !dash ? first : dash + 1);
		if (dash && !*last)
			strcpy(last, "18446744073709551615");
	}
	if (fits && number_whole(first, &t->first) && number_whole(last, &t->last) && t->first &&
		t->first <= t->last)
		return 0;
	return err_add(err, ERR_USAGE,
		"--%s: '%s' of kernel '%s': a range of launches is FIRST-LAST, FIRST- or "
		"FIRST, from 1 on",
		r->by, text, t->kernel);
}

/* Where a name's entry of the list ends: at a comma that is not among its arguments. */
static char *find_comma(char *word)
{
	unsigned depth = 0;

	for (; *word; word++) {
		if (strchr("<(", *word))
			depth++;
		else if (strchr(">)", *word) && depth)
			depth--;
		else if (*word == ',' && !depth)
			return word;
	}
	return NULL;
}

/* The colon in front of a range, not one of those in "ns::add". */
static char *find_range(char *word)
{
	char *colon = strrchr(word, ':');

	return colon && (colon == word || colon[-1] != ':') ? colon : NULL;
}

static int read_rules(const char *text, struct arena *arena, struct region *out, struct err *err)
{
	char *word = arena_strdup(arena, text);
	unsigned most = 1;

	for (const char *c = text; *c; c++)
		most += *c == ',';
	out->rules = arena_alloc(arena, most, sizeof(*out->rules));
	while (word) {
		char *next = find_comma(word), *colon;
		struct region_rule *t = &out->rules[out->nrules++];

		if (next)
			*next++ = '\0';
		colon = find_range(word);
		if (colon)
			*colon++ = '\0';
		*t = (struct region_rule){.kernel = word, .first = 1, .last = UINT64_MAX};
		if (!*word)
			return err_add(err, ERR_USAGE,
				"--%s '%s': a kernel's name is missing; KERNEL[:FIRST-LAST],..",
				out->by, text);
		if (colon && read_range(colon, out, t, err))
			return -1;
		word = next;
	}
	return 0;
}

int region_read(
	const struct region_options *o, struct arena *arena, struct region *out, struct err *err)
{
	bool some = o->timed || o->from_launch || o->launches;

	*out = (struct region){.untimed = o->untimed,
		.warm = o->warm || o->sample,
		.skip_cycles = o->skip_cycles,
		.by = o->timed_by ? o->timed_by : "timed"};
	if (o->sample && o->skip_cycles)
		return err_add(err, ERR_USAGE,
			"--skip-cycles does not go with --sample, which estimates the whole run");
	if (o->sample && (some || o->untimed))
		return err_add(err, ERR_USAGE,
			"--sample chooses the launches that run in time; --timed, --untimed, "
			"--from-launch and --launches do not go with it");
	if (o->untimed && some)
		return err_add(err, ERR_USAGE,
			"--untimed times no launch, --%s the launches that it names; give one of "
			"them",
			o->timed         ? "timed"
			: o->from_launch ? "from-launch"
					 : "launches");
	if (o->sample) {
		struct sample_choice choice;

		if (sample_read(o->sample, &choice, err))
			return -1;
		out->sample = sampling_new(&choice, arena);
		return 0;
	}
	if (o->from_launch || o->launches) {
		out->first = o->from_launch ? o->from_launch : 1;
		out->last = o->launches && o->launches - 1 < UINT64_MAX - out->first
				    ? out->first + o->launches - 1
				    : UINT64_MAX;
	}
	return o->timed ? read_rules(o->timed, arena, out, err) : 0;
}

bool region_is_given(const struct region_options *o)
{
	return o->timed || o->from_launch || o->launches || o->sample || o->untimed;
}

void region_words(const struct region_options *o, struct text *out)
{
	if (o->timed)
		text_raw(out, "timed %s\n", o->timed);
	if (o->from_launch)
		text_raw(out, "from %llu\n", (unsigned long long)o->from_launch);
	if (o->launches)
		text_raw(out, "launches %llu\n", (unsigned long long)o->launches);
	if (o->skip_cycles)
		text_raw(out, "skip %llu\n", (unsigned long long)o->skip_cycles);
	if (o->warm)
		text_raw(out, "warm\n");
	if (o->untimed)
		text_raw(out, "untimed\n");
	if (o->sample)
		text_raw(out, "sample %s\n", o->sample);
}

int region_check_skipped(const struct region *r, const struct gpu *gpu, struct err *err)
{
	uint64_t cycles;

	if (!r->skip_cycles || chip_skipped(gpu, &cycles))
		return 0;
	return err_add(err, ERR_INPUT, "--skip-cycles %llu: the run has %llu cycles",
		(unsigned long long)r->skip_cycles, (unsigned long long)chip_progress(gpu).cycle);
}
