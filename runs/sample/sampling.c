/* A run's sampling: which launches its policy times, and what it learned of those of which it skips
 * CTAs. */
#include "runs/sample/sample.h"

#include "chip/chip.h"
#include "chip/journal.h"
#include "core/base.h"
#include "core/state.h"

#include <string.h>

#define KNOWN 8 /* launches of a kernel whose instructions are compared */

/* A kernel's launches so far. */
struct sample_kernel {
	const char *name;
	uint64_t own, least, most; /* as in struct sample_offer */
	uint64_t timed[KNOWN];     /* numbers of the first ones in time */
	unsigned n;
	struct sample_kernel *next;
};

struct sampling *sampling_new(const struct sample_choice *choice, struct arena *arena)
{
	struct sampling *s = arena_alloc(arena, 1, sizeof(*s));

	s->policy = choice->policy;
	s->settled = choice->settled;
	s->arena = arena;
	return s;
}

static uint64_t skip(void *ctx, const struct gpu_cta_view *v)
{
	const struct sampling *s = ctx;
	struct sample_progress *p = v->launch < s->n ? s->of[v->launch] : NULL;
	uint64_t n = p ? s->policy->skip(p, v) : 0;

	if (n)
		sample_note_skip(p, v);
	return n;
}

static uint64_t advance(void *ctx, const struct gpu_cta_view *v, uint64_t *again)
{
	const struct sampling *s = ctx;

	*again = UINT64_MAX;
	return v->launch < s->n && s->of[v->launch] ? s->policy->advance(s->of[v->launch], v, again)
						    : 0;
}

/* The launches are queued again before it is loaded. */
static void progress_state(void *ctx, struct state *st)
{
	struct sampling *s = ctx;

	state_part(st, "sampling");
	state_same(st, s->n, "launches");
	for (uint64_t i = 0; i < s->n && !st->failed; i++) {
		state_same(st, s->of[i] != NULL, "as which launches run in time");
		if (!s->of[i] || st->failed)
			continue;
		STATE(st, *s->of[i]);
		state_most(st, s->of[i]->n, SAMPLE_WINDOWS);
	}
}

void sampling_follow(struct sampling *s, struct gpu *gpu)
{
	const struct gpu_skipping skipping = {.skip = s->policy->skip ? skip : NULL,
		.advance = s->policy->advance ? advance : NULL,
		.state = progress_state,
		.ctx = s};

	s->gpu = gpu;
	if (skipping.skip || skipping.advance)
		gpu_skip(gpu, &skipping);
}

static struct sample_kernel *kernel_of(struct sampling *s, const char *name)
{
	struct sample_kernel *k = s->kernels;

	while (k && strcmp(k->name, name) != 0)
		k = k->next;
	if (k)
		return k;
	k = arena_alloc(s->arena, 1, sizeof(*k));
	k->name = arena_strdup(s->arena, name);
	k->next = s->kernels;
	s->kernels = k;
	return k;
}

/* Whether launches of equal grids that are complete executed other numbers of instructions. Where a
 * resumed run's host is repeated, reports have none yet. */
static bool is_uneven(const struct sampling *s, const struct sample_kernel *k)
{
	double least = 0, most = 0;
	bool any = false, uneven;

	for (unsigned i = 0; s->gpu && i < k->n && k->least == k->most; i++) {
		struct launch_report l;
		double x;

		if (k->timed[i] >= chip_launches(s->gpu))
			continue;
		chip_launch_report(s->gpu, (unsigned)k->timed[i], &l);
		x = (double)(l.warp_instructions + l.untimed_instructions);
		any |= l.complete;
		if (!l.complete || x <= 0)
			continue;
		least = least > 0 && least < x ? least : x;
		most = most > x ? most : x;
	}
	uneven = most > 1.25 * least;
	if (any)
		gpu_note(s->gpu, &uneven, sizeof(uneven));
	return uneven;
}

/* Memory for one more launch. */
static void make_room(struct sampling *s)
{
	struct sample_progress **more;

	if (s->n < s->room)
		return;
	s->room = s->room ? 2 * s->room : 64;
	more = arena_alloc(s->arena, s->room, sizeof(struct sample_progress *));
	if (s->n)
		memcpy(more, s->of, s->n * sizeof(*more));
	s->of = more;
}

bool sampling_times(struct sampling *s, const char *kernel, uint64_t ctas)
{
	struct sample_kernel *k = kernel_of(s, kernel);
	struct sample_offer offer = {.kernel = kernel,
		.own = ++k->own,
		.ctas = ctas,
		.least = k->least,
		.most = k->most,
		.uneven = is_uneven(s, k)};
	bool timed = !s->policy->times || s->policy->times(&offer);

	make_room(s);
	s->of[s->n] = timed ? arena_alloc(s->arena, 1, sizeof(struct sample_progress)) : NULL;
	if (timed) {
		s->of[s->n]->within.settled = s->settled;
		k->least = k->least ? min_u64(k->least, ctas) : ctas;
		k->most = max_u64(k->most, ctas);
	}
	if (timed && k->n < KNOWN)
		k->timed[k->n++] = s->n;
	s->n++;
	return timed;
}
