/* Cache-conscious wavefront scheduling (Rogers et al., MICRO 2012, section 4): warps that lose
 * their lines to others keep those others from loading.
 *
 * Victim tags record, for each warp, evicted lines that it had filled. A load that misses one of
 * these has lost locality: the warp's score rises above the base by the weight of its losses so far
 * (throttle * losses * cutoff / instructions issued), and falls by one a cycle. Warps are stacked
 * by score, the highest first; warps that are not below the cutoff, the base scores of all resident
 * warps together, may not issue loads. Among the others the last one continues, then the oldest. */
#include "sm/sched.h"

#include "core/state.h"

#include <string.h>

#include "msg/packet.h"

#define TAGS_MOST 256u

#define PARAMS(P, T) \
	P(T, UINT, base, 100, 1, 100000, "points", "A warp's score without lost lines.") \
	P(T, UINT, throttle, 8, 0, 1000, "", \
		"How much a loss counts: more keeps more warps from loading.") \
	P(T, UINT, tags, 16, 1, TAGS_MOST, "lines", "Victim tags of a warp.") \
	P(T, UINT, ways, 8, 1, TAGS_MOST, "lines", \
		"Their associativity; only whole sets of tags are used.")

#define STATS(S, T) \
	S(T, COUNT, lost_lines, "lines", "Misses of loads on lines in the warp's victim tags.") \
	S(T, MAX, score, "points", "The highest score of a warp.")

#define NO_LINE UINT64_MAX

struct ccws {
	struct {
		PARAMS(PARAM_FIELD, ccws)
	} p;
	struct {
		STATS(STAT_FIELD, ccws)
	} s;
	uint64_t *tag;               /* by warp, set and way: the newest first; or NO_LINE */
	uint64_t above[SCHED_WARPS]; /* the cycle in which the score returns to its base */
	uint64_t resident;
	uint64_t quiet; /* the cycle in which all are */
	uint64_t losses, issued;
	unsigned warps;
};

TABLES(ccws, PARAMS, STATS);

static uint64_t *tags_of(const struct ccws *s, unsigned warp)
{
	return s->tag + warp * s->p.tags;
}

static void forget(struct ccws *s, unsigned warp)
{
	for (unsigned i = 0; i < s->p.tags; i++)
		tags_of(s, warp)[i] = NO_LINE;
}

static void init(void *self, unsigned warps, unsigned schedulers, struct arena *arena)
{
	struct ccws *s = self;

	(void)schedulers;
	s->warps = warps;
	s->p.ways = min_u64(s->p.ways, s->p.tags);
	s->p.tags -= s->p.tags % s->p.ways;
	s->tag = arena_alloc(arena, warps * s->p.tags, sizeof(*s->tag));
	for (unsigned w = 0; w < warps; w++)
		forget(s, w);
}

/* ---- events */
static void started(void *self, unsigned warp, uint64_t cycle)
{
	struct ccws *s = self;

	s->resident |= UINT64_C(1) << warp;
	s->above[warp] = cycle;
	forget(s, warp);
}

static void ended(void *self, unsigned warp, uint64_t cycle)
{
	struct ccws *s = self;

	s->resident &= ~(UINT64_C(1) << warp);
	s->above[warp] = cycle;
}

static void issued(void *self, unsigned warp, uint64_t cycle)
{
	(void)warp;
	(void)cycle;
	((struct ccws *)self)->issued++;
}

static uint64_t cutoff(const struct ccws *s)
{
	return count_bits(s->resident) * s->p.base;
}

/* The set of the warp's victim tags that the line maps to. */
static uint64_t *set_of(const struct ccws *s, unsigned warp, uint64_t line)
{
	uint64_t sets = s->p.tags / s->p.ways;

	return tags_of(s, warp) + line / LINE_BYTES % sets * s->p.ways;
}

static void lose(struct ccws *s, unsigned warp, uint64_t line)
{
	uint64_t *set = set_of(s, warp, line);

	memmove(set + 1, set, (s->p.ways - 1) * sizeof(*set));
	set[0] = line;
}

/* The line was filled again: it is no longer lost. */
static bool was_lost(struct ccws *s, unsigned warp, uint64_t line)
{
	uint64_t *set = set_of(s, warp, line);

	for (unsigned i = 0; i < s->p.ways; i++) {
		if (set[i] != line)
			continue;
		memmove(set + i, set + i + 1, (s->p.ways - 1 - i) * sizeof(*set));
		set[s->p.ways - 1] = NO_LINE;
		return true;
	}
	return false;
}

static void missed(struct ccws *s, unsigned warp, uint64_t line, uint64_t cycle)
{
	uint64_t worth;

	if (!was_lost(s, warp, line))
		return;
	s->s.lost_lines++;
	s->losses++;
	worth = s->p.throttle * s->losses * cutoff(s) / max_u64(s->issued, 1);
	s->above[warp] = max_u64(s->above[warp], cycle + worth);
	s->quiet = max_u64(s->quiet, s->above[warp]);
	s->s.score = max_u64(s->s.score, s->p.base + s->above[warp] - cycle);
}

static void l1(void *self, enum sched_l1 what, unsigned warp, uint64_t line, uint64_t cycle)
{
	struct ccws *s = self;

	if (what == SCHED_L1_MISSED)
		missed(s, warp, line, cycle);
	if (what == SCHED_L1_EVICTED)
		lose(s, warp, line);
	for (unsigned w = 0; what == SCHED_L1_EMPTIED && w < SCHED_WARPS; w++)
		if (s->resident >> w & 1)
			forget(s, w);
}

/* ---- choosing */
static uint64_t activate(const void *self, const struct sched_view *v)
{
	(void)self;
	return v->resident;
}

static uint64_t points(const struct ccws *s, unsigned warp, uint64_t cycle)
{
	return s->p.base + (s->above[warp] > cycle ? s->above[warp] - cycle : 0);
}

/* The scores of the warp and of those below it in the stack reach beyond the cutoff. The lowest one
 * loads in any case. */
static bool waits(const struct ccws *s, const struct sched_view *v, unsigned warp)
{
	uint64_t own = points(s, warp, v->cycle), sum = 0;

	for (uint64_t set = s->resident & ~(UINT64_C(1) << warp); set; set &= set - 1) {
		unsigned w = low_bit(set);
		uint64_t other = points(s, w, v->cycle);

		if (other > own || (other == own && v->age[w] < v->age[warp]))
			sum += other;
	}
	return sum && sum + own > cutoff(s);
}

static unsigned pick(const void *self, const struct sched_view *v)
{
	const struct ccws *s = self;
	uint64_t able = v->active & v->ready;

	for (uint64_t set = v->cycle < s->quiet ? able : 0; set; set &= set - 1) {
		unsigned w = low_bit(set);

		if (sched_look(v, w).loads && waits(s, v, w))
			able &= ~(UINT64_C(1) << w);
	}
	if (!able)
		return SCHED_NONE;
	if (able >> v->last & 1)
		return v->last;
	return sched_oldest(able, v->age);
}

static const struct state_field kept[] = {STATE_KEPT(ccws, p), STATE_KEPT(ccws, tag)};

static void state(void *self, struct state *s)
{
	struct ccws *c = self;

	STATE_STRUCT(s, c, kept);
	state_bytes(s, c->tag, c->warps * c->p.tags * sizeof(*c->tag));
}

static const struct sched_ops ops = {.init = init,
	.activate = activate,
	.pick = pick,
	.started = started,
	.ended = ended,
	.issued = issued,
	.l1 = l1};

const struct plugin sched_ccws = {
	.kind = "warp scheduler",
	.name = "ccws",
	.text = "Cache-conscious: warps that lose lines of their own keep others from loading.",
	.size = sizeof(struct ccws),
	.params = ccws_params,
	.nparams = ARRAY_LEN(ccws_params),
	.stats = ccws_stats,
	.nstats = ARRAY_LEN(ccws_stats),
	.ops = &ops,
	.state = state,
};
