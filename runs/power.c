/* Power over time in reports. */
#include "runs/power.h"

#include "chip/power.h"
#include "runs/json.h"

#include <stdio.h>

/* Whole, and so sums of them are exact. */
static json_t *whole(double fj)
{
	return json_integer((json_int_t)fj);
}

#define ADD_PART(name, text) json_add(j, #name "_fj", whole(i.energy.name##_fj));

static json_t *row(const struct gpu *g, unsigned at)
{
	struct power_interval i = chip_power_interval(g, at);
	json_t *j = json_object();

	json_add(j, "cycle", json_whole(i.cycle));
	json_add(j, "cycles", json_whole(i.cycles));
	json_add(j, "power_w", json_number(i.watts));
	json_add(j, "total_fj", whole(i.energy.total_fj));
	ENERGY_PARTS(ADD_PART)
	json_add(j, "noc_fj", whole(i.energy.noc_fj));
	json_add(j, "l2_fj", whole(i.energy.l2_fj));
	return j;
}

json_t *power_rows(const struct gpu *g)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < chip_power_intervals(g); i++)
		json_append(list, row(g, i));
	return list;
}

json_t *power_summary(const struct gpu *g)
{
	struct power_summary s = chip_power_summary(g);
	struct power_interval peak = {0};
	json_t *j = json_object();

	if (chip_power_intervals(g))
		peak = chip_power_interval(g, s.peak);
	json_add(j, "intervals", json_whole(chip_power_intervals(g)));
	json_add(j, "mean_w", json_number(s.mean_w));
	json_add(j, "peak_w", json_number(s.peak_w));
	json_add(j, "peak_cycle", json_whole(peak.cycle));
	json_add(j, "peak_cycles", json_whole(peak.cycles));
	return j;
}

void power_text(const struct gpu *g, struct text *out)
{
	struct power_summary s = chip_power_summary(g);
	struct power_interval peak;
	char label[64];

	if (!chip_power_intervals(g))
		return;
	peak = chip_power_interval(g, s.peak);
	snprintf(label, sizeof(label), "peak, cycles %llu to %llu", (unsigned long long)peak.cycle,
		(unsigned long long)(peak.cycle + peak.cycles));
	text_add(out, "%-10s  %-34s%18.3f W\n", "power", label, s.peak_w);
	text_add(out, "%-10s  %-34s%18.3f W\n", "", "mean", s.mean_w);
}
