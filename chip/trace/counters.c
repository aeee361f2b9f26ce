/* Counters of a trace: signals, and their sums over parts of one kind, as means over intervals. */
#include "chip/trace/inside.h"

#include <stdio.h>
#include <string.h>

/* All means of the interval are known. The mean of a counter without an update is unchanged. */
static void flush(struct trace *t)
{
	for (uint32_t i = 0; i < t->nmoving; i++) {
		struct counter *c = &t->counters[t->moving[i]];
		double mean = (double)(c->sum * c->scale) / (double)t->length;

		c->moving = false;
		if (c->told_any && mean == c->told)
			continue;
		perfetto_count(&t->file, c->track, t->start, c->sum * c->scale, t->length);
		c->told = mean;
		c->told_any = true;
	}
	t->nmoving = 0;
}

static void add(struct trace *t, uint32_t i, uint64_t growth)
{
	struct counter *c = &t->counters[i];

	c->sum += growth;
	if (c->moving)
		return;
	c->moving = true;
	t->moving[t->nmoving++] = i;
}

/* The last interval is shorter, and all its means are written: sums begin again. */
static void begin_last(struct trace *t, tick_t length)
{
	for (uint32_t i = 0; i < t->ncounters; i++)
		t->counters[i].sum = 0;
	t->length = length;
}

void counters_mean(void *ctx, unsigned signal, tick_t start, tick_t length, uint64_t sum)
{
	struct trace *t = ctx;
	struct counter *c = &t->counters[1 + signal];
	uint64_t growth;

	if (start != t->start)
		flush(t);
	t->start = start;
	if (length != t->length)
		begin_last(t, length);
	growth = sum - c->sum;
	add(t, 1 + signal, growth);
	if (c->group)
		add(t, c->group, growth);
}

void counters_end(struct trace *t)
{
	flush(t);
}

void counters_again(struct trace *t)
{
	for (uint32_t i = 1; i < t->ncounters; i++) {
		const struct counter *c = &t->counters[i];

		if (c->track && c->told_any)
			perfetto_real(&t->file, c->track, t->start, c->told);
	}
}

/* ---- which counters exist */
/* The name of a counter: a sum's growth is given per cycle, or in percent of time. */
static void enter(struct trace *t, struct counter *c, const struct signal *s, const char *name,
	uint32_t parent)
{
	struct track_config config = {.kind = TRACK_COUNTER, .parent = parent, .unit = s->def.unit};
	bool time = s->def.kind == SIGNAL_SUM && !strcmp(s->def.unit, "ps");
	char words[160], unit[96];

	c->scale = 1;
	snprintf(words, sizeof(words), "%s", name);
	if (time) {
		c->scale = 100;
		config.unit = "%";
	} else if (s->def.kind == SIGNAL_SUM) {
		c->scale = t->chip->sm_ps;
		snprintf(words, sizeof(words), "%s per cycle", name);
		snprintf(unit, sizeof(unit), "%s/cycle", s->def.unit);
		config.unit = unit;
	}
	config.name = words;
	c->track = perfetto_track(&t->file, &config);
}

/* "sm" of "sm.3"; "in" of the link "in_3". */
static size_t head_of(const char *name, char end)
{
	const char *at = end == '_' ? strrchr(name, end) : strchr(name, end);

	return at ? (size_t)(at - name) : strlen(name);
}

static size_t group_name(const struct signal *s, char *out, size_t n)
{
	size_t local = s->is_link ? head_of(s->local, '_') : strlen(s->local);

	snprintf(out, n, "%.*s.*.%.*s", (int)head_of(s->of->name, '.'), s->of->name, (int)local,
		s->local);
	return strlen(out);
}

/* The sum that the signal belongs to: that of an earlier signal of the same name and kind of part,
 * made when a second one comes. */
static uint32_t find_group(struct trace *t, unsigned signal, const char *name)
{
	for (unsigned i = 0; i < signal; i++) {
		struct counter *c = &t->counters[1 + i];

		if (!c->track || t->groups[i] != t->groups[signal])
			continue;
		if (!c->group) {
			c->group = t->ncounters++;
			enter(t, &t->counters[c->group], probes_signal(t->probes, i), name,
				t->process);
		}
		return c->group;
	}
	return 0;
}

static void enter_signal(struct trace *t, unsigned i)
{
	const struct signal *s = probes_signal(t->probes, i);
	struct counter *c = &t->counters[1 + i];
	char name[160];

	t->groups[i] = gpu_hash(name, group_name(s, name, sizeof(name)));
	enter(t, c, s, s->local, t->part_track[s->of->id]);
	c->group = find_group(t, i, name);
}

void counters_init(struct trace *t)
{
	unsigned n = probes_count(t->probes);
	struct arena *arena = &t->chip->arena;

	t->ncounters = 1 + n;
	t->counters = arena_alloc(arena, 1 + 2 * (size_t)n, sizeof(*t->counters));
	t->moving = arena_alloc(arena, 1 + 2 * (size_t)n, sizeof(*t->moving));
	t->groups = arena_alloc(arena, n, sizeof(*t->groups));
	for (unsigned i = 0; i < n; i++)
		if (t->wanted[i] && probes_signal(t->probes, i)->def.kind != SIGNAL_STATE)
			enter_signal(t, i);
	t->start = t->from;
	t->length = t->request.every * t->chip->sm_ps;
}
