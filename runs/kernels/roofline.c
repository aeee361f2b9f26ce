/* Operations by precision and bytes by level out of metrics; roofs. */
#include "runs/kernels/roofline.h"

#include "draw/number.h"
#include "runs/sheet/sheet.h"

#include <math.h>

#define NAME(id, name) #name,
const char *const roofline_precisions[PRECISION_COUNT] = {PRECISIONS(NAME)};
#define LEVEL_NAME(id, name, label) #name,
const char *const roofline_levels[ROOFLINE_LEVEL_COUNT] = {ROOFLINE_LEVELS(LEVEL_NAME)};
#define LEVEL_LABEL(id, name, label) label,
const char *const roofline_labels[ROOFLINE_LEVEL_COUNT] = {ROOFLINE_LEVELS(LEVEL_LABEL)};

#define OPERATIONS(id, name) [PRECISION_##id] = "smsp__operations_" #name ".sum",
static const char *const operations[PRECISION_COUNT] = {PRECISIONS(OPERATIONS)};
static const char *const bytes[ROOFLINE_LEVEL_COUNT] = {
	[ROOFLINE_SHARED] = "smsp__bytes_shared.sum",
	[ROOFLINE_L1] = "l1tex__granule_bytes.sum",
	[ROOFLINE_L2] = "l1tex__m_granule_bytes_sent.sum",
	[ROOFLINE_DRAM] = "dram__bytes.sum",
};

static uint64_t count(const struct metric_set *m, const char *name)
{
	const struct metric *found = metric_find(m, name);

	return found ? found->count : 0;
}

struct roofline roofline_of(const struct metric_set *m)
{
	struct roofline r = {.ns = metric_value(m, "gpu__time_duration.sum")};

	for (unsigned p = 0; p < PRECISION_COUNT; p++)
		r.operations[p] = count(m, operations[p]);
	for (unsigned l = 0; l < ROOFLINE_LEVEL_COUNT; l++)
		r.bytes[l] = count(m, bytes[l]);
	return r;
}

/* ---- roofs */
const char *const roofline_roofs[ROOFLINE_ROOFS] = {
	"f16", "f32", "f64", "int", "tensor", "shared_gb_s", "l1_gb_s", "l2_gb_s", "dram_gb_s"};

double roofline_peak(const struct sheet *sheet, enum precision p)
{
	return sheet_figure(sheet, roofline_roofs[p]);
}

double roofline_rate(const struct sheet *sheet, enum roofline_level l)
{
	return sheet_figure(sheet, roofline_roofs[PRECISION_COUNT + l]);
}

/* ---- as text */
static void speed(double n, double ns, double peak, struct text *out)
{
	if (ns <= 0)
		return;
	text_add(out, "%.4g a ns", n / ns);
	if (!isnan(peak))
		text_add(out, ", %.1f %% of the peak", 100 * n / ns / peak);
}

static void intensities(double n, const struct roofline *r, struct text *out)
{
	const char *before = "; a byte: ";

	for (unsigned l = 0; l < ROOFLINE_LEVEL_COUNT; l++) {
		if (!r->bytes[l])
			continue;
		text_add(out, "%s%s %.3g", before, roofline_labels[l], n / (double)r->bytes[l]);
		before = ", ";
	}
}

void roofline_lines(const struct roofline *r, const struct sheet *sheet, struct text *out)
{
	bool any = false;

	for (unsigned p = 0; p < PRECISION_COUNT; p++) {
		double n = (double)r->operations[p];
		char number[32];

		if (!r->operations[p])
			continue;
		text_add(out, "%-10s \t%-33s\t%18s\t", any ? "" : "operations",
			roofline_precisions[p], number_grouped(r->operations[p], number));
		speed(n, r->ns, roofline_peak(sheet, (enum precision)p), out);
		intensities(n, r, out);
		text_add(out, "\n");
		any = true;
	}
}
