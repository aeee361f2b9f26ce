/* Occupancy as text, with a bar for each design, and as JSON and CSV. */
#include "cli/occupancy/occupancy.h"

#include "cli/compare/compare.h"
#include "draw/csv.h"
#include "draw/number.h"
#include "runs/json.h"
#include "runs/report.h"

#include <inttypes.h>
#include <string.h>

#define SCHEMA 1
#define BAR 48

static uint64_t threads(const struct occupancy_kernel *k, const struct occupancy_row *r)
{
	return r->resident * k->threads;
}

/* ---- text */
/* The bytes that a character of the bars represents. */
static double bar_bytes(const struct occupancy *q)
{
	uint64_t most = 1;

	for (unsigned i = 0; i < q->nkernels * q->ndesigns; i++)
		most = max_u64(most, occupancy_bytes(&q->kernels[0], &q->rows[i]).all);
	return (double)most / BAR;
}

/* Each part ends at the rounded sum up to it, so that equal sums have equal lengths. */
static void bar(const struct occupancy_kernel *k, const struct occupancy_row *r, double scale,
	struct text *out)
{
	struct occupancy_bytes b = occupancy_bytes(k, r);
	const struct {
		char letter;
		uint64_t bytes;
	} parts[] = {{'R', b.registers}, {'r', r->split.register_bytes - b.registers},
		{'S', b.shared}, {'s', r->split.shared_bytes - b.shared},
		{'c', r->split.cache_bytes}};
	uint64_t sum = 0;
	int at = 0;

	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		sum += parts[i].bytes;
		for (; at < (int)((double)sum / scale + 0.5); at++)
			text_add(out, "%c", parts[i].letter);
	}
}

static void scaled(uint64_t bytes, struct text *out)
{
	char number[32];

	text_add(out, "\t%9s", number_bytes((double)bytes, number));
}

static void row_line(
	const struct occupancy *q, unsigned kernel, unsigned design, double scale, struct text *out)
{
	const struct occupancy_kernel *k = &q->kernels[kernel];
	const struct occupancy_row *r = occupancy_row(q, kernel, design);
	struct text limits = {0};

	occupancy_limits(r, ", ", true, &limits);
	text_add(out, "  %-12s\t%4u\t%4u\t%7" PRIu64, q->designs[design].name, r->ctas, r->resident,
		threads(k, r));
	if (r->ctas) {
		scaled(r->split.register_bytes, out);
		scaled(r->split.shared_bytes, out);
		scaled(r->split.cache_bytes, out);
	} else {
		text_add(out, "\t\t\t%27s", "no CTA fits:");
	}
	text_add(out, " \t%-26s", text_str(&limits));
	text_add(out, r->ctas ? "\t|" : "");
	bar(k, r, scale, out);
	text_add(out, r->ctas ? "|\n" : "\n");
	out->failed |= limits.failed;
	text_clear(&limits);
}

static void kernel_head(const struct occupancy_kernel *k, struct text *out)
{
	char shared[32];

	text_add(out, "\n%s: CTAs of ", k->source);
	occupancy_shape(k->block, out);
	text_add(out, " thread%s, %u register%s each, %s byte%s of shared memory",
		text_s((uint64_t)k->block[0] * k->block[1] * k->block[2]), k->need.regs_per_thread,
		text_s(k->need.regs_per_thread), number_grouped(k->need.shared_per_cta, shared),
		text_s(k->need.shared_per_cta));
	if (k->launches) {
		text_add(out, "; %u launch%s, grid%s ", k->launches, k->launches == 1 ? "" : "es",
			k->launches == 1 ? "" : "s up to");
		occupancy_shape(k->grid, out);
	}
	text_add(out, "\n\v  %-12s\t%4s\t%4s\t%7s\t%9s\t%9s\t%9s \t%s\n", "design", "fit", "CTAs",
		"threads", "registers", "shared", "cache", "limited by");
}

static void allowed(uint32_t v, int width, struct text *out)
{
	char number[32];

	text_add(out, "\t%*s", width, v == STORAGE_NONE ? "none" : number_grouped(v, number));
}

static void allowances(const struct occupancy *q, unsigned kernel, struct text *out)
{
	unsigned n = (unsigned)q->o->for_ctas;

	text_add(
		out, "\v  for %2u CTA%-3s\t%9s\t%12s\n", n, text_s(n), "registers", "shared bytes");
	for (unsigned i = 0; i < q->ndesigns; i++) {
		const struct storage_allowance *a = &occupancy_row(q, kernel, i)->allowance;

		text_add(out, "  %-12s", q->designs[i].name);
		allowed(a->regs_per_thread, 9, out);
		allowed(a->shared_per_cta, 12, out);
		text_add(out, "\n");
	}
}

void occupancy_text(void *ctx, struct text *out)
{
	const struct occupancy *q = ctx;
	double scale = bar_bytes(q);
	char each[32];

	text_add(out, "warpbeam %s (%s): occupancy of %s\n", program_version(), program_build(),
		q->target);
	report_machine_text(q->machine, q->config, out);
	text_add(out,
		"%u SM%s with %u warp slot%s and %u CTA slot%s. CTAs: of those that fit, as many as "
		"the grid gives an SM.\nBars: %s a character; R registers, S shared memory "
		"(r, s: unused), c cache.\n",
		q->sms, text_s(q->sms), q->warp_slots, text_s(q->warp_slots), q->cta_slots,
		text_s(q->cta_slots), number_bytes(scale, each));
	for (unsigned i = 0; i < q->nkernels; i++) {
		kernel_head(&q->kernels[i], out);
		for (unsigned k = 0; k < q->ndesigns; k++)
			row_line(q, i, k, scale, out);
		if (q->o->for_ctas)
			allowances(q, i, out);
	}
}

/* ---- CSV */
/* Empty: not even without any. */
static void csv_allowed(uint32_t v, struct text *out)
{
	text_add(out, ",");
	if (v != STORAGE_NONE)
		text_add(out, "%u", v);
}

static void csv_row(const struct occupancy *q, unsigned kernel, unsigned design, struct text *out)
{
	const struct occupancy_kernel *k = &q->kernels[kernel];
	const struct occupancy_row *r = occupancy_row(q, kernel, design);
	struct occupancy_bytes b = occupancy_bytes(k, r);

	csv_words(k->name, out);
	text_add(out, ",");
	occupancy_shape(k->block, out);
	text_add(out, ",%u,%u,%u,", k->need.regs_per_thread, k->need.shared_per_cta, k->launches);
	occupancy_shape(k->grid, out);
	text_add(out, ",%s,%u,%u,%" PRIu64 ",", q->designs[design].name, r->ctas, r->resident,
		threads(k, r));
	occupancy_limits(r, " ", false, out);
	text_add(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64,
		r->split.register_bytes, r->split.shared_bytes, r->split.cache_bytes, b.registers,
		b.shared);
	if (q->o->for_ctas) {
		text_add(out, ",%" PRIu64, q->o->for_ctas);
		csv_allowed(r->allowance.regs_per_thread, out);
		csv_allowed(r->allowance.shared_per_cta, out);
	}
	text_add(out, "\n");
}

void occupancy_csv(void *ctx, struct text *out)
{
	const struct occupancy *q = ctx;

	text_add(out,
		"kernel,block,registers,shared_bytes,launches,grid,design,ctas_that_fit,"
		"ctas_per_sm,threads_per_sm,limited_by,sm_register_bytes,sm_shared_bytes,"
		"sm_cache_bytes,register_bytes_used,shared_bytes_used%s\n",
		q->o->for_ctas ? ",for_ctas,registers_allowed,shared_bytes_allowed" : "");
	for (unsigned i = 0; i < q->nkernels; i++)
		for (unsigned k = 0; k < q->ndesigns; k++)
			csv_row(q, i, k, out);
}

/* ---- JSON */
static json_t *json_allowed(uint32_t v)
{
	return v == STORAGE_NONE ? json_null() : json_whole(v);
}

static json_t *row_json(const struct occupancy *q, unsigned kernel, unsigned design)
{
	const struct occupancy_kernel *k = &q->kernels[kernel];
	const struct occupancy_row *r = occupancy_row(q, kernel, design);
	struct occupancy_bytes b = occupancy_bytes(k, r);
	json_t *j = json_object(), *limits = json_array();

	for (unsigned i = 0; i < OCCUPANCY_LIMITS; i++)
		if (r->limits[i])
			json_append(limits, json_string(occupancy_limit_names[i].name));
	json_add(j, "design", json_string(q->designs[design].name));
	json_add(j, "ctas_that_fit", json_whole(r->ctas));
	json_add(j, "ctas_per_sm", json_whole(r->resident));
	json_add(j, "threads_per_sm", json_whole(threads(k, r)));
	json_add(j, "limited_by", limits);
	json_add(j, "sm_register_bytes", json_whole(r->split.register_bytes));
	json_add(j, "sm_shared_bytes", json_whole(r->split.shared_bytes));
	json_add(j, "sm_cache_bytes", json_whole(r->split.cache_bytes));
	json_add(j, "register_bytes_used", json_whole(b.registers));
	json_add(j, "shared_bytes_used", json_whole(b.shared));
	if (q->o->for_ctas) {
		json_add(j, "registers_allowed", json_allowed(r->allowance.regs_per_thread));
		json_add(j, "shared_bytes_allowed", json_allowed(r->allowance.shared_per_cta));
	}
	return j;
}

static json_t *kernel_json(const struct occupancy *q, unsigned kernel)
{
	const struct occupancy_kernel *k = &q->kernels[kernel];
	json_t *j = json_object(), *designs = json_array();

	for (unsigned i = 0; i < q->ndesigns; i++)
		json_append(designs, row_json(q, kernel, i));
	json_add(j, "kernel", json_name(k->name));
	json_add(j, "kernel_source", json_name(k->source));
	json_add(j, "launches", json_whole(k->launches));
	json_add(j, "grid", k->launches ? json_dims(k->grid) : json_null());
	json_add(j, "block", json_dims(k->block));
	json_add(j, "registers", json_whole(k->need.regs_per_thread));
	json_add(j, "shared_bytes", json_whole(k->need.shared_per_cta));
	json_add(j, "designs", designs);
	return j;
}

int occupancy_json(void *ctx, struct text *out)
{
	const struct occupancy *q = ctx;
	json_t *j = json_object(), *kernels = json_array();

	for (unsigned i = 0; i < q->nkernels; i++)
		json_append(kernels, kernel_json(q, i));
	json_add(j, "schema", json_integer(SCHEMA));
	json_add(j, "program", json_program());
	json_add(j, "machine", report_machine(q->machine, q->config));
	json_add(j, "target", json_name(q->target));
	json_add(j, "sms", json_whole(q->sms));
	json_add(j, "warp_slots", json_whole(q->warp_slots));
	json_add(j, "cta_slots", json_whole(q->cta_slots));
	if (q->o->for_ctas)
		json_add(j, "for_ctas", json_whole(q->o->for_ctas));
	json_add(j, "kernels", kernels);
	return json_print(j, out);
}
