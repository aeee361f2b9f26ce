/* What sampling estimated, as text and JSON. */
#include "runs/sample/sample.h"

#include "draw/number.h"
#include "runs/json.h"

#include <math.h>
#include <string.h>

static const struct {
	const char *name, *label, *unit;
} figures[] = {[SAMPLE_CYCLES] = {"gpc__cycles_elapsed.max", "elapsed", "cycles"},
	[SAMPLE_DRAM_READ] = {"dram__bytes_read.sum", "DRAM, read", "bytes"},
	[SAMPLE_DRAM_WRITE] = {"dram__bytes_write.sum", "DRAM, written", "bytes"},
	[SAMPLE_L2_SECTORS] = {"lts__t_sectors_op_read.sum", "L2, reads", "sectors"},
	[SAMPLE_L2_HITS] = {
		"lts__t_sectors_op_read_lookup_hit.sum", "L2, reads that hit", "sectors"}};

/* Cycles in time were taken. What else was counted in time, the complete run need not have: caches
 * hold what stretches left in them. */
static double low(const struct sample_result *r, unsigned f)
{
	const struct sample_estimate *e = &r->of[f];

	return fmax(e->value - e->half, f == SAMPLE_CYCLES ? e->timed : 0);
}

static double share(const struct sample_result *r)
{
	return r->instructions ? (double)r->timed_instructions / (double)r->instructions : 1;
}

/* Whether the figure cannot be estimated. */
static bool unknown(const struct sample_result *r, unsigned f)
{
	return f == SAMPLE_CYCLES && (r->strange || r->overlap || !isfinite(r->of[f].half));
}

static bool is_bytes(unsigned f)
{
	return !strcmp(figures[f].unit, "bytes");
}

static const char *amount(double v, unsigned f, char out[32])
{
	return is_bytes(f) ? number_bytes(v, out) : number_grouped((uint64_t)llround(v), out);
}

void sample_text(const struct sample_result *r, struct text *out)
{
	text_add(out,
		"\nsampled by %s: %llu of %llu launches in time, %.1f %% of the warp instructions\n",
		r->policy->name, (unsigned long long)r->timed_launches,
		(unsigned long long)r->launches, 100 * share(r));
	if (r->skipped_ctas)
		text_add(out, "  %llu CTAs of these launches without time\n",
			(unsigned long long)r->skipped_ctas);
	if (r->timed_instructions == r->instructions) {
		text_add(
			out, "  too little is alike: all ran in time, and all figures are exact\n");
		return;
	}
	if (r->strange)
		text_add(out,
			"  cycles: %llu launch%s unlike any that counts; --timed '*' times all\n",
			(unsigned long long)r->unlike, r->unlike == 1 ? " is" : "es are");
	for (unsigned f = 0; f < SAMPLE_FIGURES; f++) {
		const struct sample_estimate *e = &r->of[f];
		char value[32], from[32], to[32];

		if (unknown(r, f))
			text_add(out, "  %-20s not estimated%s\n", figures[f].label,
				r->overlap ? ": launches overlap" : "");
		else
			text_add(out, "  %-20s\t%16s%s%s, 95 %% interval %s to %s\n",
				figures[f].label, amount(e->value, f, value),
				is_bytes(f) ? "" : " ", is_bytes(f) ? "" : figures[f].unit,
				amount(low(r, f), f, from), amount(e->value + e->half, f, to));
	}
	if (!unknown(r, SAMPLE_CYCLES))
		text_add(out,
			"  %-20s\t%16.1f times fewer than the complete run's, by their costs\n",
			"host instructions", sample_speedup(r));
	text_add(out, "  Warp instructions and results are exact; all other figures of this report "
		      "are\n  those of the launches in time.\n");
}

void sample_csv(const struct sample_result *r, struct text *out)
{
	for (unsigned f = 0; f < SAMPLE_FIGURES; f++) {
		const struct sample_estimate *e = &r->of[f];

		if (unknown(r, f))
			continue;
		text_add(out, "sample,%s,%.17g,%s\n", figures[f].name, e->value, figures[f].unit);
		text_add(out, "sample.low,%s,%.17g,%s\n", figures[f].name, low(r, f),
			figures[f].unit);
		text_add(out, "sample.high,%s,%.17g,%s\n", figures[f].name, e->value + e->half,
			figures[f].unit);
	}
	if (!unknown(r, SAMPLE_CYCLES))
		text_add(out, "sample,host_instructions_speedup,%.17g,times\n", sample_speedup(r));
}

json_t *sample_json(const struct sample_result *r)
{
	json_t *j = json_object(), *list = json_array();

	json_add(j, "policy", json_string(r->policy->name));
	json_add(j, "launches", json_whole(r->launches));
	json_add(j, "timed_launches", json_whole(r->timed_launches));
	json_add(j, "unlike_launches", json_whole(r->unlike));
	json_add(j, "skipped_ctas", json_whole(r->skipped_ctas));
	json_add(j, "warp_instructions", json_whole(r->instructions));
	json_add(j, "timed_warp_instructions", json_whole(r->timed_instructions));
	json_add(j, "host_instructions_speedup",
		unknown(r, SAMPLE_CYCLES) ? json_null() : json_real(sample_speedup(r)));
	for (unsigned f = 0; f < SAMPLE_FIGURES; f++) {
		const struct sample_estimate *e = &r->of[f];
		json_t *one = json_object();
		bool none = unknown(r, f);

		json_add(one, "name", json_string(figures[f].name));
		json_add(one, "unit", json_string(figures[f].unit));
		json_add(one, "timed", json_real(e->timed));
		json_add(one, "value", none ? json_null() : json_real(e->value));
		json_add(one, "low", none ? json_null() : json_real(low(r, f)));
		json_add(one, "high", none ? json_null() : json_real(e->value + e->half));
		json_add(one, "exact", json_boolean(!none && e->half == 0));
		json_append(list, one);
	}
	json_add(j, "estimates", list);
	return j;
}
