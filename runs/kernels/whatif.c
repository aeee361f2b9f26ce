/* Occupancy for other registers, shared memory and sizes of a CTA. */
#include "runs/kernels/whatif.h"

#include "core/base.h"
#include "runs/json.h"

#include <stdio.h>

#define WARP 32u

static const struct {
	const char *name, *label;
	uint32_t values[WHATIF_STEPS]; /* 0 behind the first: no more */
} what[WHATIFS] = {
	[WHATIF_REGISTERS] = {"registers", "warps by registers a thread",
		{16, 24, 32, 48, 64, 96, 128, 255}},
	[WHATIF_SHARED] = {"shared_bytes", "warps by KB of shared memory",
		{0, 2048, 4096, 8192, 16384, 32768, 49152}},
	[WHATIF_THREADS] = {"threads", "warps by threads of a CTA", {32, 64, 128, 256, 512, 1024}},
};

struct whatif_row whatif_of(const struct gpu *g, unsigned launch, enum whatif which)
{
	struct whatif_row row = {.name = what[which].name, .label = what[which].label};
	struct launch_report l;

	chip_launch_report(g, launch, &l);

	const struct launch_need own = {.regs = l.regs,
		.shared_bytes = l.shared_bytes,
		.threads = l.block[0] * l.block[1] * l.block[2]};
	const uint32_t now[WHATIFS] = {own.regs, own.shared_bytes, own.threads};

	row.now = now[which];
	for (unsigned i = 0; i < WHATIF_STEPS && (!i || what[which].values[i]); i++) {
		struct launch_need need = own;
		uint32_t *varied[WHATIFS] = {&need.regs, &need.shared_bytes, &need.threads};

		*varied[which] = what[which].values[i];
		row.at[i].value = what[which].values[i];
		row.at[i].ctas = chip_launch_fits(g, launch, &need);
		row.at[i].warps = row.at[i].ctas * (uint32_t)div_up(need.threads, WARP);
		row.n++;
	}
	return row;
}

/* "16: 32  24: 32  64: 16 (now 20)". */
void whatif_text(const struct gpu *g, unsigned launch, struct text *out)
{
	for (unsigned w = 0; w < WHATIFS; w++) {
		struct whatif_row row = whatif_of(g, launch, (enum whatif)w);
		unsigned unit = w == WHATIF_SHARED ? 1024 : 1;

		text_add(out, "%-10s  %-28s", "", row.label);
		for (unsigned i = 0; i < row.n; i++)
			text_add(out, " %u:%u", row.at[i].value / unit, row.at[i].warps);
		text_add(out, " (now %.4g)\n", (double)row.now / unit);
	}
}

json_t *whatif_json(const struct gpu *g, unsigned launch)
{
	json_t *j = json_object();

	for (unsigned w = 0; w < WHATIFS; w++) {
		struct whatif_row row = whatif_of(g, launch, (enum whatif)w);
		json_t *list = json_array();

		for (unsigned i = 0; i < row.n; i++) {
			json_t *at = json_object();

			json_add(at, "value", json_whole(row.at[i].value));
			json_add(at, "ctas", json_whole(row.at[i].ctas));
			json_add(at, "warps", json_whole(row.at[i].warps));
			json_append(list, at);
		}
		json_add(j, row.name, list);
	}
	return j;
}
