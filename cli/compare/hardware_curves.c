/* A comparison with a real GPU: microbenchmarks beside those of the chip. */
#include "cli/compare/hardware.h"

#include "core/base.h"
#include "runs/json.h"

#include <math.h>
#include <string.h>

struct chip_bench {
	struct session *session;
	uint64_t max_cycles;
};

static int run_chip(void *ctx, struct err *err)
{
	struct chip_bench *c = ctx;
	struct host_hooks hooks = {.broken = output_broken};

	return chip_run(c->session->gpu, c->max_cycles, &hooks, err);
}

/* The points of all groups that the file has a value of. */
static void choose(struct real *c, const json_t *rows, struct arena *arena)
{
	struct curves all;
	unsigned n = 0;

	curves_list(&all, NULL, 0, arena);
	c->gpu_values = arena_alloc(arena, all.n, sizeof(*c->gpu_values));
	for (unsigned i = 0; i < all.n; i++)
		for (size_t k = 0; k < json_array_size(rows); k++) {
			const json_t *row = json_array_get(rows, k);
			const json_t *value = json_object_get(row, "value");

			if (!curve_is(&all.at[i], row) || !json_is_number(value))
				continue;
			c->gpu_values[n] = json_number_value(value);
			all.at[n++] = all.at[i];
			break;
		}
	c->curves = (struct curves){all.at, n};
}

int real_curves(struct real *c, struct arena *arena, struct err *err)
{
	struct chip_bench chip = {.max_cycles = c->o->run.max_cycles};
	struct curves_bench b = {.run = run_chip, .ctx = &chip};
	int bad;

	choose(c, c->curve_rows, arena);
	if (!c->curves.n)
		return 0;
	chip.session = session_within(arena);
	bad = session_open(chip.session, &c->o->run, NULL, err);
	b.gpu = chip.session->gpu;
	b.sms = (unsigned)json_integer_value(json_object_get(c->gpu, "sms"));
	b.sms = b.sms ? b.sms : 1;
	bad = bad || curves_open(&b, err) || config_finish(chip.session->config, err);
	for (unsigned i = 0; i < c->curves.n && !bad; i++)
		bad = curves_measure(&b, &c->curves.at[i], err);
	session_close(chip.session);
	curves_close(&b);
	return bad ? -1 : 0;
}

void real_curves_text(const struct real *c, struct text *out)
{
	char n[3][32];

	if (!c->curves.n)
		return;
	text_add(out, "\n\v%-11s\t%-16s\t%10s\t%7s\t%6s\t%5s\t%12s\t%12s\t%7s\t%s\n", "group", "of",
		"footprint", "stride", "warps", "CTAs", "the GPU's", "ours", "ratio", "unit");
	for (unsigned i = 0; i < c->curves.n; i++) {
		const struct curve *p = &c->curves.at[i];

		text_add(out, "%-11s\t%-16s\t%10u\t%7u\t%6u\t%5u\t%12s\t%12s\t%7s\t%s\n", p->group,
			p->what, p->footprint, p->stride, p->warps, p->ctas,
			compare_number(c->gpu_values[i], 3, n[0]),
			compare_number(p->value, 3, n[1]),
			compare_number(p->value / c->gpu_values[i], 3, n[2]), p->unit);
	}
}

json_t *real_curves_json(const struct real *c)
{
	json_t *j = curves_json(&c->curves);

	for (unsigned i = 0; i < c->curves.n; i++) {
		json_t *row = json_array_get(j, i);

		json_add(row, "gpu_value", json_number(c->gpu_values[i]));
		json_add(row, "ratio", json_number(c->curves.at[i].value / c->gpu_values[i]));
	}
	return j;
}
