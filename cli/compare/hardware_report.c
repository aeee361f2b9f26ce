/* A comparison with a real GPU: text, JSON, CSV, scatter plot. */
#include "cli/compare/hardware.h"

#include "draw/csv.h"
#include "draw/svg.h"
#include "runs/json.h"
#include "runs/output.h"

#include <math.h>

/* ---- text */
const char *real_gpu_name(const struct real *c)
{
	const char *name = json_string_value(json_object_get(c->gpu, "name"));

	return name ? name : "a GPU without a name";
}

static json_int_t whole_of(const json_t *j, const char *key)
{
	return json_integer_value(json_object_get(j, key));
}

static void row_text(const struct real_row *r, struct text *out)
{
	char n[5][32];

	text_add(out, "%-32s\t%13s\t%13s\t%7s\t%11s\t%11s \t%s\n", r->label,
		compare_number(r->cycles, 0, n[0]), compare_number(r->gpu_cycles, 0, n[1]),
		compare_number(real_ratio(r), 3, n[2]), compare_number(r->us, 1, n[3]),
		compare_number(r->gross_us, 1, n[4]), r->unscored ? r->unscored : "");
}

static void pair_text(const struct real_pair *p, struct text *out)
{
	char n[2][32];

	text_add(out, "%s -> %s (%s), %s: %s, the GPU %s%s\n", p->a->label, p->b->label, p->what,
		p->a->options.size ? "full" : "small", compare_number(p->ours, 3, n[0]),
		compare_number(p->theirs, 3, n[1]), real_pair_agrees(p) ? "" : "  (another sign)");
}

/* What the driver's compiler needed beside our allocator, as recorded. */
static void kernels_text(const struct real *c, struct text *out)
{
	bool head = false;

	for (unsigned i = 0; i < c->n; i++) {
		const json_t *kernels = json_object_get(c->rows[i].theirs, "kernels");

		for (size_t k = 0; k < json_array_size(kernels); k++) {
			const json_t *of = json_array_get(kernels, k);
			const json_t *ours = json_object_get(of, "ours");
			const json_t *gpu = json_object_get(of, "gpu");
			const char *name = json_string_value(json_object_get(of, "name"));

			if (!head)
				text_add(out, "\n\v%-24s\t%-24s\t%9s\t%6s\t%11s\t%6s\n", "target",
					"kernel", "registers", "GPU's", "local bytes", "GPU's");
			head = true;
			text_add(out, "%-24s\t%-24s\t%9d\t%6d\t%11d\t%6d\n", c->rows[i].target,
				name ? name : "", (int)whole_of(ours, "registers"),
				(int)whole_of(gpu, "registers"), (int)whole_of(ours, "local_bytes"),
				(int)whole_of(gpu, "local_bytes"));
		}
	}
}

void real_text(const struct real *c, struct text *out)
{
	char n[5][32];

	text_add(out, "%s beside %s, %s\n\n", c->o->run.chip, real_gpu_name(c),
		c->date ? c->date : "no date");
	text_add(out, "\v%-32s\t%13s\t%13s\t%7s\t%11s\t%11s \t%s\n", "target", "cycles", "GPU's",
		"ratio", "us", "GPU's, all", "not scored");
	for (unsigned i = 0; i < c->n; i++)
		row_text(&c->rows[i], out);
	text_add(out,
		"\nscored             %u of %u\n"
		"ratio, geometric   %s\n"
		"mean error         %s %%\n"
		"geometric error    %s %%\n"
		"correlation        %s\n"
		"rank correlation   %s\n",
		c->scored, c->n, compare_number(c->geometric, 3, n[0]),
		compare_number(c->error_pct, 1, n[1]),
		compare_number(c->geometric_error_pct, 1, n[3]),
		compare_number(c->correlation, 3, n[4]), compare_number(c->rank, 3, n[2]));
	if (c->npairs)
		text_add(out, "sign of speedups   %u of %u\n\n", c->signs, c->npairs);
	for (unsigned i = 0; i < c->npairs; i++)
		pair_text(&c->pairs[i], out);
	kernels_text(c, out);
	real_curves_text(c, out);
}

/* ---- JSON */
static json_t *row_json(const struct real_row *r)
{
	json_t *j = json_object();

	json_add(j, "target", json_name(r->target));
	json_add(j, "label", json_name(r->label));
	json_add(j, "file", json_name(r->file));
	json_add(j, "size", json_name(r->options.size ? "full" : "small"));
	json_add(j, "cycles", json_number(r->cycles));
	json_add(j, "gpu_cycles", json_number(r->gpu_cycles));
	json_add(j, "gpu_cycles_by", json_string(r->counted ? "clock64" : "time"));
	json_add(j, "ratio", json_number(real_ratio(r)));
	json_add(j, "us", json_number(r->us));
	json_add(j, "gpu_us", json_number(r->gross_us));
	json_add(j, "gpu_us_without_launches", json_number(r->net_us));
	json_share(j, r->theirs, "kernels");
	json_add(j, "not_scored", json_name(r->unscored));
	return j;
}

static json_t *pair_json(const struct real_pair *p)
{
	json_t *j = json_object();

	json_add(j, "from", json_name(p->a->label));
	json_add(j, "to", json_name(p->b->label));
	json_add(j, "what", json_name(p->what));
	json_add(j, "size", json_name(p->a->options.size ? "full" : "small"));
	json_add(j, "speedup", json_number(p->ours));
	json_add(j, "gpu_speedup", json_number(p->theirs));
	json_add(j, "same_sign", json_boolean(real_pair_agrees(p)));
	return j;
}

int real_json(const struct real *c, struct text *out)
{
	json_t *j = json_object(), *rows = json_array(), *pairs = json_array();

	json_add(j, "schema", json_string("warpbeam-compare-hardware/1"));
	json_add(j, "program", json_program());
	json_add(j, "chip", json_name(c->o->run.chip));
	json_add(j, "gpu", json_incref((json_t *)c->gpu));
	json_add(j, "date", json_name(c->date));
	for (unsigned i = 0; i < c->n; i++)
		json_append(rows, row_json(&c->rows[i]));
	for (unsigned i = 0; i < c->npairs; i++)
		json_append(pairs, pair_json(&c->pairs[i]));
	json_add(j, "targets", rows);
	json_add(j, "curves", real_curves_json(c));
	json_add(j, "pairs", pairs);
	json_add(j, "scored", json_integer(c->scored));
	json_add(j, "geometric_mean_ratio", json_number(c->geometric));
	json_add(j, "mean_error_pct", json_number(c->error_pct));
	json_add(j, "geometric_mean_error_pct", json_number(c->geometric_error_pct));
	json_add(j, "correlation", json_number(c->correlation));
	json_add(j, "rank_correlation", json_number(c->rank));
	json_add(j, "same_signs", json_integer(c->signs));
	return json_print(j, out);
}

/* ---- CSV */
void real_csv(const struct real *c, struct text *out)
{
	text_add(out, "target,cycles,gpu_cycles,ratio,us,gpu_us,gpu_cycles_by,not_scored\n");
	for (unsigned i = 0; i < c->n; i++) {
		const struct real_row *r = &c->rows[i];
		const double values[] = {
			r->cycles, r->gpu_cycles, real_ratio(r), r->us, r->gross_us};

		csv_words(r->label, out);
		for (unsigned k = 0; k < ARRAY_LEN(values); k++)
			text_add(out, isfinite(values[k]) ? ",%.9g" : ",", values[k]);
		text_add(out, ",%s,", r->counted ? "clock64" : "time");
		csv_words(r->unscored ? r->unscored : "", out);
		text_add(out, "\n");
	}
}
