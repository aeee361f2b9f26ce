/* One cache: what a miss fills, its line, its capacity, then sets and replacement. */
#include "runs/probe/inside.h"

#include <string.h>

#define WORD PROBE_WORD
#define SPARSE 1024 /* bytes: a line or more */

/* Whether x + d is there after x was touched. */
static bool fills(struct prober *p, const struct level *l, uint32_t d)
{
	plan_start(p);
	if (l->forget)
		plan_forget(p);
	plan_add(p, 0, l->path, VERBS_TOUCH);
	if (l->apart) {
		plan_run(p, l->limit);
		plan_start(p);
	}
	plan_add(p, d, l->path, VERBS_COUNT);
	plan_run(p, l->limit);
	return !p->results[0];
}

static uint32_t find_fill(struct prober *p, const struct level *l)
{
	uint32_t d = WORD;

	while (d < 2 * SPARSE && fills(p, l, d))
		d *= 2;
	return d;
}

/* b1 + d is in b1's line: in the base it can replace b1, and beside b1 it needs no way. */
static bool same_line(struct prober *p, const struct level *l, uint32_t words)
{
	uint32_t list[CACHE_MOST + 2], n = l->ways + 1;

	memcpy(list, l->base, n * sizeof(*list));
	list[1] += words;
	if (level_stays(p, l, list, n))
		return false;
	list[0] = l->base[1];
	return level_stays(p, l, list, n);
}

static uint32_t find_line(struct prober *p, const struct level *l)
{
	uint32_t words = 1;

	while (words < SPARSE / WORD && same_line(p, l, words))
		words *= 2;
	return words * WORD;
}

static void scale_base(struct level *l, uint32_t line)
{
	for (uint32_t i = 0; i <= l->ways; i++)
		l->base[i] = l->base[i] * WORD / line;
	l->unit = line;
}

static bool find_lines(struct prober *p, struct level *l, uint32_t most_bytes)
{
	uint32_t fill = find_fill(p, l), line;

	l->unit = WORD;
	if (fill > SPARSE) {
		say_not(p, l->name, "line", "a miss fills more than 1 KB");
		return false;
	}
	if (l->shared ? !sets_any(p, l) : !sets_base(p, l, SPARSE / WORD, most_bytes / SPARSE)) {
		say_none(p, l,
			words(p, "no least set of lines, up to %u KB, that does not stay",
				most_bytes / 1024));
		return false;
	}
	line = find_line(p, l);
	if (line >= SPARSE) {
		say_none(p, l,
			"its lines are longer than 512 bytes, or what was taken for its misses is "
			"translation's");
		return false;
	}
	if (line < fill) {
		say_not(p, l->name, "line",
			words(p,
				"a miss brings %u bytes, which are several lines: a prefetcher, or "
				"what is nearer fetches more",
				fill));
		return false;
	}
	scale_base(l, line);
	say(p, l->name, "fill", fill, bytes_words(p, fill),
		words(p, "after a miss the bytes %u further are there, those %u further are not",
			fill / 2, fill));
	say(p, l->name, "line", line, bytes_words(p, line),
		words(p,
			"the word %u bytes further shares the way of the first, the one %u bytes further does not",
			line / 2, line));
	return true;
}

/* The staircase: misses of the second pass by footprint, for several strides. */
static void curves(struct prober *p, const struct level *l)
{
	for (uint32_t step = 1; step <= 4; step *= 2)
		for (uint32_t eighth = 4; eighth <= 16; eighth++) {
			uint32_t n = (uint32_t)((uint64_t)l->capacity * eighth / 8 / step);

			if (n && n <= 4096)
				say_dot(p, l, l->unit * step, n, level_misses_of(p, l, 0, step, n));
		}
}

static bool try_cache(struct prober *p, struct level *l, bool tell)
{
	uint32_t most_bytes = l->shared               ? UINT32_C(256) << 20
			      : l->apart || !l->units ? UINT32_C(16) << 20
						      : l->units;

	if (!find_lines(p, l, most_bytes))
		return false;
	if (!sets_capacity(p, l, most_bytes / l->unit) || l->capacity < l->ways) {
		say_none(p, l, "no number of contiguous lines is too many for it");
		return false;
	}
	if (!tell)
		return true;
	probe_index(p, l);
	return l->sets;
}

#define TRIES 3u
#define TRIED_MOST 1000000u /* accesses, after which it is not tried again */

/* Others' lines can make a set look like another one: then it is tried with a set elsewhere. */
static bool try_again(struct prober *p, const struct level *l, unsigned tried, uint64_t since)
{
	return l->shared && tried < TRIES && !p->bad && p->r->accesses - since < TRIED_MOST;
}

bool probe_cache(struct prober *p, struct level *l, bool tell)
{
	const struct level fresh = *l;
	uint64_t since = p->r->accesses, said = p->said;
	unsigned n = p->r->n;

	for (unsigned tried = 1; !try_cache(p, l, tell); tried++) {
		if (!try_again(p, l, tried, since))
			return false;
		*l = fresh;
		p->r->n = n;
		p->said = said;
	}
	if (tell) {
		probe_policy(p, l);
		curves(p, l);
	}
	return true;
}
