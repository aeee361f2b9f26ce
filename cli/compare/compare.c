/* warpbeam compare: the chip, the one-SM shortcut, and the ladder between them. */
#include "cli/compare/compare.h"

#include "cli/html/results.h"

#include <string.h>

/* The subject and variant of each trial. */
struct slot {
	struct subject *subject;
	enum variant_id variant;
};

static unsigned plan_trials(
	const struct comparison *c, struct trial *trials, struct slot *slots, struct arena *arena)
{
	unsigned n = 0;

	for (unsigned i = 0; i < c->n; i++) {
		for (unsigned v = 0; v < VARIANTS; v++) {
			if (!compare_runs(&c->base[i], v))
				continue;
			slots[n] = (struct slot){&c->base[i], v};
			trials[n++] = compare_trial(&c->base[i], v, arena, "");
		}
		for (unsigned v = 0; v < VARIANTS && c->against; v++) {
			if (v != VARIANT_CHIP && !variants[v].shortcut)
				continue;
			slots[n] = (struct slot){&c->against[i], v};
			trials[n++] = compare_trial(&c->against[i], v, arena, " (against)");
		}
	}
	return n;
}

static void read_outcomes(const struct slot *slots, const struct trial *trials, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		struct subject *s = slots[i].subject;
		double divisor = slots[i].variant == VARIANT_WHOLE ? s->sms : 1;

		if (trials[i].stopped)
			outcome_stop(&s->outcome[slots[i].variant]);
		else
			outcome_read(&s->outcome[slots[i].variant], trials[i].report, divisor);
	}
}

static int write_json(void *ctx, struct text *out)
{
	return compare_json(ctx, out);
}

static void write_csv(void *ctx, struct text *out)
{
	compare_csv(ctx, out);
}

static void write_svg(void *ctx, struct text *out)
{
	compare_svg(ctx, out);
}

static void write_text(void *ctx, struct text *out)
{
	compare_text(ctx, out);
}

int command_compare(const struct options *o, struct session *s, struct err *err)
{
	struct comparison c;
	struct output_texts outputs = {&c, write_json, write_csv, write_svg, write_text};
	struct trial *trials;
	struct slot *slots;
	unsigned n;
	int bad;

	if (o->together && !o->hardware.n)
		return compare_together(o, s, err);
	if (o->hardware.n)
		return compare_hardware(o, s, err);
	if (compare_plan(&c, o, s, err))
		return -1;
	trials = arena_alloc(&s->arena, 2 * VARIANTS * c.n, sizeof(*trials));
	slots = arena_alloc(&s->arena, 2 * VARIANTS * c.n, sizeof(*slots));
	n = plan_trials(&c, trials, slots, &s->arena);
	bad = trials_run(&o->run, trials, n, err);
	if (!bad) {
		read_outcomes(slots, trials, n);
		bad = page_results(o, ": compare", &outputs, NULL, &s->arena, err) ||
		      options_write(o, &outputs, &s->out, err);
	}
	trials_free(trials, n);
	return bad;
}
