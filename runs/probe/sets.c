/* Group testing with "stays": a least set of units that do not stay are ways + 1 units of one set,
 * whatever index and replacement are. */
#include "runs/probe/inside.h"

#include <string.h>

/* Of units 0, step, .. `stay` do, `leave` of them do not; leave 0: all stay. */
struct bounds {
	uint32_t stay, leave;
};

static struct bounds double_it(
	struct prober *p, const struct level *l, uint32_t step, uint32_t most)
{
	struct bounds b = {0, 1};

	while (b.leave <= most && !level_misses_of(p, l, 0, step, b.leave)) {
		b.stay = b.leave;
		b.leave *= 2;
	}
	if (b.leave > most)
		b.leave = level_misses_of(p, l, 0, step, most) ? most : 0;
	return b;
}

/* Until no more than `apart` are between them. */
static void bisect(
	struct prober *p, const struct level *l, uint32_t step, uint32_t apart, struct bounds *b)
{
	while (b->leave && b->leave - b->stay > apart) {
		uint32_t middle = b->stay + (b->leave - b->stay) / 2;

		if (level_misses_of(p, l, 0, step, middle))
			b->leave = middle;
		else
			b->stay = middle;
	}
}

/* The least n up to `most` whose units 0, step, .. do not stay; 0: all stay. */
static uint32_t first_that_leaves(
	struct prober *p, const struct level *l, uint32_t step, uint32_t most)
{
	struct bounds b = double_it(p, l, step, most);

	bisect(p, l, step, 1, &b);
	return b.leave;
}

#define EXACT_MOST 16384u /* units of a shared level: others' lines are in more of them anyway */

bool sets_capacity(struct prober *p, struct level *l, uint32_t most)
{
	struct bounds b = double_it(p, l, 1, most);

	bisect(p, l, 1, l->shared && b.stay >= EXACT_MOST ? b.stay / 4 : 1, &b);
	l->capacity = b.leave ? b.stay : 0;
	l->leaves = b.leave;
	return b.leave;
}

/* A regular guess: of n units that do not stay, the last and every (n - 1) / w before it, for the
 * least w that does not stay. */
static uint32_t regular(
	struct prober *p, const struct level *l, uint32_t n, uint32_t step, uint32_t *out)
{
	for (uint32_t w = 1; w <= 64 && w < n; w++) {
		uint32_t apart = (n - 1) / w;

		if ((n - 1) % w)
			continue;
		if (!level_misses_of(p, l, (n - 1 - apart * w) * step, apart * step, w + 1))
			continue;
		for (uint32_t i = 0; i <= w; i++)
			out[i] = (n - 1 - apart * (w - i)) * step;
		return w + 1;
	}
	return 0;
}

/* Leaves out units [at, at + n) of the list. */
static void drop(uint32_t *to, const uint32_t *list, uint32_t length, uint32_t at, uint32_t n)
{
	memcpy(to, list, at * sizeof(*to));
	memcpy(to + at, list + at + n, (length - at - n) * sizeof(*to));
}

/* Drops chunks while the rest does not stay, down to single units. */
static uint32_t reduce(
	struct prober *p, const struct level *l, uint32_t *list, uint32_t n, uint32_t *rest)
{
	for (uint32_t chunk = n / 2; chunk; chunk /= 2)
		for (uint32_t at = 0; at < n && !p->bad && !p->overflow;) {
			uint32_t m = chunk < n - at ? chunk : n - at;

			drop(rest, list, n, at, m);
			if (m < n && !level_stays(p, l, rest, n - m) && !p->overflow) {
				n -= m;
				memcpy(list, rest, n * sizeof(*list));
			} else {
				at += m;
			}
		}
	return n;
}

/* No unit of it can be left out. */
static bool is_least(
	struct prober *p, const struct level *l, const uint32_t *list, uint32_t n, uint32_t *rest)
{
	if (level_stays(p, l, list, n))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		drop(rest, list, n, i, 1);
		if (!level_stays(p, l, rest, n - 1))
			return false;
	}
	return true;
}

uint32_t sets_reduce(
	struct prober *p, const struct level *l, uint32_t *list, uint32_t n, uint32_t *rest)
{
	uint32_t found = reduce(p, l, list, n, rest);

	return p->overflow || p->bad || !is_least(p, l, list, found, rest) ? 0 : found;
}

/* The least prefix of a list that does not stay. */
static uint32_t prefix(struct prober *p, const struct level *l, const uint32_t *list, uint32_t n)
{
	uint32_t stay = 0, leave = n;

	while (leave - stay > 1) {
		uint32_t middle = stay + (leave - stay) / 2;

		if (level_stays(p, l, list, middle))
			stay = middle;
		else
			leave = middle;
	}
	return leave;
}

uint32_t sets_least(
	struct prober *p, const struct level *l, uint32_t *list, uint32_t n, uint32_t *rest)
{
	if (!n || level_stays(p, l, list, n))
		return 0;
	return sets_reduce(p, l, list, prefix(p, l, list, n), rest);
}

/* The base but its last, and the n units `from` and more after its first. */
static bool stays_with(struct prober *p, const struct level *l, uint32_t from, uint32_t n)
{
	uint32_t *list = arena_alloc(p->arena, n + CACHE_MOST, sizeof(*list)), count = 0;

	for (uint32_t i = 0; i < l->ways; i++)
		list[count++] = l->base[i];
	for (uint32_t i = 0; i < n; i++)
		list[count++] = l->base[0] + from + i;
	return level_stays(p, l, list, count);
}

uint32_t sets_next(struct prober *p, const struct level *l, uint32_t from, uint32_t most)
{
	uint32_t stay = 0, leave = 1, least = 0;

	while (leave <= most && stays_with(p, l, from, leave)) {
		stay = leave;
		leave *= 2;
	}
	while (leave <= most && leave - stay > 1) {
		uint32_t middle = stay + (leave - stay) / 2;

		if (stays_with(p, l, from, middle))
			stay = middle;
		else
			leave = middle;
	}
	if (leave <= most)
		least = from + leave - 1;
	for (uint32_t i = 1; i <= l->ways; i++) {
		uint32_t d = l->base[i] - l->base[0];

		if (d >= from && (!least || d < least))
			least = d;
	}
	return least;
}

bool sets_base(struct prober *p, struct level *l, uint32_t step, uint32_t most)
{
	uint32_t n = first_that_leaves(p, l, step, most), found;
	uint32_t *list = arena_alloc(p->arena, n + 1, sizeof(*list));
	uint32_t *rest = arena_alloc(p->arena, n + 1, sizeof(*rest));

	l->base = NULL;
	if (!n || p->bad)
		return false;
	found = regular(p, l, n, step, list);
	if (!found || !is_least(p, l, list, found, rest)) {
		for (uint32_t i = 0; i < n; i++)
			list[i] = i * step;
		found = sets_reduce(p, l, list, n, rest);
	}
	if (found < 2 || found > CACHE_MOST)
		return false;
	l->base = list;
	l->ways = found - 1;
	return true;
}

#define ANY_BYTES (UINT32_C(16) << 20)
#define FAR_UNITS 1024u /* of strides that are large for that */

#define NEIGHBOURS 4u

/* Table entries are in lines of a shared level, too. A page whose entry is in the set, and not the
 * unit, makes every unit of that page seem to be of it. */
static bool has_entry(struct prober *p, const struct level *l)
{
	uint32_t list[CACHE_MOST + 1], near = 4096 / PROBE_WORD, line = 512 / PROBE_WORD;

	for (uint32_t i = 0; i <= l->ways; i++) {
		unsigned same = 0;

		for (unsigned k = 0; k < NEIGHBOURS; k++) {
			memcpy(list, l->base, (l->ways + 1) * sizeof(*list));
			list[i] ^= line + rng_below(&p->rng, near - line);
			same += !level_stays_once(p, l, list, l->ways + 1, 4);
		}
		if (same == NEIGHBOURS)
			return true;
	}
	return false;
}

#define ORIGINS 3u

/* Strides of 2^high bytes, then less: `n` of them, each in `most_bytes`. */
static bool any_of(
	struct prober *p, struct level *l, unsigned high, unsigned n, uint32_t most_bytes)
{
	uint32_t units = most_bytes > ANY_BYTES ? FAR_UNITS : ANY_BYTES;
	bool found = false;

	for (uint32_t i = 0; i < n * ORIGINS && !found && !p->bad; i++) {
		uint32_t stride = (1u << high) >> i / ORIGINS,
			 first = rng_below(&p->rng, 1 << 16) * 32;

		l->origin = first * PROBE_WORD;
		found = sets_base(
			p, l, stride / PROBE_WORD, (uint32_t)min_u64(most_bytes / stride, units));
		l->origin = 0;
		for (uint32_t k = 0; found && k <= l->ways; k++)
			l->base[k] += first;
		found = found && !has_entry(p, l);
	}
	return found;
}

/* Large strides at a random address: they are in few sets, where others hardly have ways. */
bool sets_any(struct prober *p, struct level *l)
{
	l->unit = PROBE_WORD;
	return any_of(p, l, 20, 7, ANY_BYTES) || any_of(p, l, 23, 7, PROBE_BUFFER - ANY_BYTES) ||
	       any_of(p, l, 13, 7, ANY_BYTES);
}

bool sets_member(struct prober *p, const struct level *l, uint32_t unit)
{
	uint32_t list[CACHE_MOST + 2], n = 0;

	for (uint32_t i = 0; i < l->ways; i++)
		if (l->base[i] == unit || l->base[l->ways] == unit)
			return true;
	for (uint32_t i = 0; i < l->ways; i++)
		list[n++] = l->base[i];
	list[n++] = unit;
	return !level_stays_once(p, l, list, n, l->shared ? 6 : 1);
}
