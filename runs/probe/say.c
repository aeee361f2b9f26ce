/* What was found, with its evidence. */
#include "runs/probe/inside.h"

#include <stdarg.h>
#include <string.h>

const char *words(struct prober *p, const char *format, ...)
{
	struct text t = {0};
	const char *kept;
	va_list args;

	va_start(args, format);
	text_vadd(&t, format, args);
	va_end(args);
	kept = arena_strdup(p->arena, text_str(&t));
	text_clear(&t);
	return kept;
}

const char *bytes_words(struct prober *p, uint64_t bytes)
{
	if (bytes >= 1 << 20 && bytes % (1 << 20) == 0)
		return words(p, "%llu MB", (unsigned long long)bytes >> 20);
	if (bytes >= 1 << 10 && bytes % (1 << 10) == 0)
		return words(p, "%llu KB", (unsigned long long)bytes >> 10);
	return words(p, "%llu bytes", (unsigned long long)bytes);
}

static void add(struct prober *p, const struct finding *f)
{
	BUG_ON(p->r->n == PROBE_FINDINGS);
	p->r->at[p->r->n] = *f;
	p->r->at[p->r->n++].accesses = p->r->accesses - p->said;
	p->said = p->r->accesses;
}

/* A failed verb gives times that mean nothing. */
void say(struct prober *p, const char *level, const char *item, double number, const char *value,
	const char *evidence)
{
	if (!p->bad)
		add(p, &(struct finding){level, item, true, value, number, evidence, 0});
}

void say_not(struct prober *p, const char *level, const char *item, const char *why)
{
	if (!p->bad)
		add(p, &(struct finding){level, item, false, why, 0, "", 0});
}

void say_none(struct prober *p, const struct level *l, const char *why)
{
	static const char *const items[] = {"capacity", "sets", "ways", "index", "replacement"};

	for (unsigned i = 0; i < ARRAY_LEN(items); i++)
		say_not(p, l->name, items[i], why);
}

static const char *reason_of(const struct probe_report *r, const char *level)
{
	for (unsigned i = 0; i < r->n; i++)
		if (!strcmp(r->at[i].level, level) && !r->at[i].known)
			return r->at[i].value;
	return NULL;
}

void say_rest(struct prober *p, const char *level, const char *const *items, const char *why)
{
	const struct finding *capacity = probe_find(p->r, level, "capacity");
	const char *told = reason_of(p->r, level);

	if (capacity && capacity->known && capacity->number == 0)
		return;
	for (; *items; items++)
		if (!probe_find(p->r, level, *items))
			say_not(p, level, *items, told ? told : why);
}

/* Whether a finding before that one is of its level. */
static bool is_later(const struct probe_report *r, unsigned at)
{
	for (unsigned i = 0; i < at; i++)
		if (!strcmp(r->at[i].level, r->at[at].level))
			return true;
	return false;
}

void say_by_level(struct prober *p)
{
	struct probe_report *r = p->r;
	struct finding *all = arena_alloc(p->arena, PROBE_FINDINGS, sizeof(*all));
	unsigned n = 0;

	for (unsigned i = 0; i < r->n; i++)
		for (unsigned k = i; k < r->n && !is_later(r, i); k++)
			if (!strcmp(r->at[k].level, r->at[i].level))
				all[n++] = r->at[k];
	r->at = all;
}

void say_dot(struct prober *p, const struct level *l, uint32_t stride, uint32_t n, uint32_t missed)
{
	if (p->bad || p->r->ndots == PROBE_DOTS || !n)
		return;
	p->r->dots[p->r->ndots++] =
		(struct probe_dot){l->name, stride, (double)stride * n, 100.0 * missed / n};
}

void say_map(struct prober *p, const struct level *l, struct probe_map map)
{
	if (p->bad || p->r->nmaps == PROBE_MAPS)
		return;
	map.level = l->name;
	map.unit = l->unit;
	map.capacity = l->capacity;
	p->r->maps[p->r->nmaps++] = map;
}

const struct finding *probe_find(const struct probe_report *r, const char *level, const char *item)
{
	for (unsigned i = 0; i < r->n; i++)
		if (!strcmp(r->at[i].level, level) && !strcmp(r->at[i].item, item))
			return &r->at[i];
	return NULL;
}
