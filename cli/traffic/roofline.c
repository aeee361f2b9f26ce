/* Operations by precision and bytes by level of a profile. */
#include "cli/traffic/roofline.h"

#include "draw/number.h"
#include "runs/json.h"
#include "runs/sheet/sheet.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- sums */
static void add_site(const struct traffic *t, const struct program *p, uint32_t instr,
	uint32_t site, struct work_sum *work, struct roofline *out)
{
	const uint64_t *n = t->sum.site[site].n;

	work_add(work, p->code[instr].work, t->sum.stall_site[site].event[STALL_THREADS]);
	out->bytes[ROOFLINE_L1] += n[PROFILE_LOADED] + n[PROFILE_STORED] + n[PROFILE_ATOMIC];
	out->bytes[ROOFLINE_L2] +=
		n[PROFILE_TAKEN_READ] + n[PROFILE_TAKEN_WRITE] + n[PROFILE_TAKEN_ATOMIC];
	out->bytes[ROOFLINE_DRAM] += n[PROFILE_DRAM_READ] + n[PROFILE_DRAM_WRITE];
}

struct roofline traffic_roofline(const struct traffic *t, uint32_t k)
{
	const struct profile_kernel *kernel = t->sum.kernel;
	bool all = k == t->sum.nkernels;
	struct roofline out = {.ns = 0};
	struct work_sum work = {{0}, 0};

	for (uint32_t i = all ? 0 : k; i < (all ? k : k + 1); i++)
		for (uint32_t at = 0; at < kernel[i].program->ninstr; at++)
			add_site(t, kernel[i].program, at, kernel[i].first_site + at, &work, &out);
	memcpy(out.operations, work.operations, sizeof(out.operations));
	out.bytes[ROOFLINE_SHARED] = work.shared_bytes;
	return out;
}

/* ---- text */
static double ratio(uint64_t a, double b)
{
	return b > 0 ? (double)a / b : 0;
}

void traffic_roofline_text(const struct traffic *t, struct text *out)
{
	struct roofline r = traffic_roofline(t, t->sum.nkernels);
	double ns = (double)t->cycles * t->sum.cycle_ps / 1000;

	text_add(out, "\n\voperations\t%27s\t%9s", "of threads", "a ns");
	for (unsigned l = 0; l < ROOFLINE_LEVEL_COUNT; l++)
		text_add(out, " \ta byte, %-6s", roofline_labels[l]);
	text_add(out, "\n");
	for (unsigned i = 0; i < PRECISION_COUNT; i++) {
		char n[32];

		if (!r.operations[i])
			continue;
		text_add(out, "  %-8s\t%27s\t%9.3g", roofline_precisions[i],
			number_grouped(r.operations[i], n), ratio(r.operations[i], ns));
		for (unsigned l = 0; l < ROOFLINE_LEVEL_COUNT; l++)
			text_add(out, "\t%15.3g", ratio(r.operations[i], (double)r.bytes[l]));
		text_add(out, "\n");
	}
}

/* ---- tables */
static json_t *row_of(const struct traffic *t, uint32_t k, const struct kernels *kernels)
{
	bool all = k == t->sum.nkernels;
	struct roofline r = traffic_roofline(t, k);
	json_t *j = json_object();
	char name[32];

	json_add(j, "kernel", json_name(all ? NULL : t->sum.kernel[k].program->name));
	json_add(j, "source",
		json_name(all ? NULL : kernels_name(kernels, t->sum.kernel[k].program->name)));
	for (unsigned i = 0; i < PRECISION_COUNT; i++) {
		snprintf(name, sizeof(name), "%s_operations", roofline_precisions[i]);
		json_add(j, name, json_whole(r.operations[i]));
	}
	for (unsigned l = 0; l < ROOFLINE_LEVEL_COUNT; l++) {
		snprintf(name, sizeof(name), "%s_bytes", roofline_levels[l]);
		json_add(j, name, json_whole(r.bytes[l]));
	}
	return j;
}

json_t *traffic_roofline_rows(const struct traffic *t, const struct kernels *kernels)
{
	json_t *list = json_array();

	for (uint32_t k = 0; k <= t->sum.nkernels; k++)
		json_append(list, row_of(t, k, kernels));
	return list;
}

json_t *traffic_roofs(const struct sheet *sheet)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < ROOFLINE_ROOFS; i++) {
		json_t *j = json_object();
		double value = sheet_figure(sheet, roofline_roofs[i]);

		json_add(j, "roof", json_string(roofline_roofs[i]));
		json_add(j, "unit", json_string(i < PRECISION_COUNT ? "operations/ns" : "B/ns"));
		json_add(j, "peak", isnan(value) ? json_null() : json_real(value));
		json_append(list, j);
	}
	return list;
}
