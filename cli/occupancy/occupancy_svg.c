/* Occupancy as a picture: for each kernel and design a bar of what an SM's storage is used for. */
#include "cli/occupancy/occupancy.h"

#include "draw/svg.h"

#include <inttypes.h>

#define WIDTH 900
#define LEFT 110 /* where bars start */
#define LONG 400 /* length of the largest storage's bar */
#define ROW 20
#define HEAD 64

struct part {
	const char *text;
	unsigned series;
	bool unused;
	uint64_t bytes;
};
#define PARTS 5

static void parts_of(
	const struct occupancy_kernel *k, const struct occupancy_row *r, struct part parts[PARTS])
{
	struct occupancy_bytes b = occupancy_bytes(k, r);

	parts[0] = (struct part){"registers", 0, false, b.registers};
	parts[1] = (struct part){"unused", 0, true, r->split.register_bytes - b.registers};
	parts[2] = (struct part){"shared memory", 1, false, b.shared};
	parts[3] = (struct part){"unused", 1, true, r->split.shared_bytes - b.shared};
	parts[4] = (struct part){"cache", 2, false, r->split.cache_bytes};
}

static void rectangle(int x, int y, int width, const struct part *part, struct text *out)
{
	if (width > 0)
		text_add(out,
			"<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"%s fill=\"currentColor\" "
			"fill-opacity=\"%s\"/>\n",
			x, y + 2, width, ROW - 5, svg_series(part->series),
			part->unused ? "0.3" : "1");
}

static void bar(const struct occupancy *q, unsigned kernel, unsigned design, uint64_t most, int y,
	struct text *out)
{
	const struct occupancy_kernel *k = &q->kernels[kernel];
	const struct occupancy_row *r = occupancy_row(q, kernel, design);
	struct part parts[PARTS];
	struct text beside = {0};
	uint64_t sum = 0;
	int at = 0;

	parts_of(k, r, parts);
	svg_label(24, y + 13, "", q->designs[design].name, out);
	for (unsigned i = 0; i < PARTS; i++) {
		int end;

		sum += parts[i].bytes;
		end = (int)((sum * LONG + most / 2) / most);
		rectangle(LEFT + at, y, end - at, &parts[i], out);
		at = end;
	}
	text_add(&beside, "%" PRIu64 " threads: ", r->resident * k->threads);
	occupancy_limits(r, ", ", true, &beside);
	svg_label(LEFT + at + 6, y + 13, "", text_str(&beside), out);
	out->failed |= beside.failed;
	text_clear(&beside);
}

static void legend(struct text *out)
{
	static const struct occupancy_kernel nothing;
	static const struct occupancy_row empty;
	struct part parts[PARTS];
	int x = LEFT;

	parts_of(&nothing, &empty, parts);
	for (unsigned i = 0; i < PARTS; i++, x += 110) {
		rectangle(x, 34, 14, &parts[i], out);
		svg_label(x + 20, 47, "", parts[i].text, out);
	}
}

void occupancy_svg(void *ctx, struct text *out)
{
	const struct occupancy *q = ctx;
	int group = (int)(q->ndesigns + 2) * ROW, y = HEAD;
	uint64_t most = 1;

	for (unsigned i = 0; i < q->nkernels * q->ndesigns; i++)
		most = max_u64(most, occupancy_bytes(&q->kernels[0], &q->rows[i]).all);
	svg_open(WIDTH, HEAD + (int)q->nkernels * group,
		"What an SM's storage holds, and what limits its threads", out);
	legend(out);
	for (unsigned i = 0; i < q->nkernels; i++, y += group) {
		svg_label(12, y + 13, " font-weight=\"bold\"", q->kernels[i].name, out);
		for (unsigned k = 0; k < q->ndesigns; k++)
			bar(q, i, k, most, y + (int)(k + 1) * ROW, out);
	}
	text_add(out, "</svg>\n");
}
