/* Power over time in a trace: a counter for each component and one for their total, under the chip.
 */
#include "chip/trace/inside.h"

#include "chip/power.h"

#define NAME(name, text) "power: " #name,
static const char *const names[] = {ENERGY_PARTS(NAME) "power: total"};

static uint32_t open_track(struct trace *t, const char *name)
{
	const struct track_config config = {
		.kind = TRACK_COUNTER, .parent = t->process, .name = name, .unit = "W"};

	return perfetto_track(&t->file, &config);
}

#define FJ(name, text) i->energy.name##_fj,

/* The values of an interval; `cycle`: from when on. */
static void tell(struct trace *t, const uint32_t track[ARRAY_LEN(names)], uint64_t cycle,
	const struct power_interval *i)
{
	const double fj[] = {ENERGY_PARTS(FJ) i->energy.total_fj};
	const tick_t ps = t->chip->sm_ps;

	for (unsigned k = 0; k < ARRAY_LEN(names); k++)
		perfetto_late(&t->file, track[k], cycle * ps,
			i->cycles ? fj[k] / ((double)(i->cycles * ps) * 1000) : 0);
}

/* Intervals that begin in the trace's window, and nothing after them. */
void trace_power(struct trace *t)
{
	const struct gpu *g = t->chip->gpu;
	uint32_t track[ARRAY_LEN(names)];
	uint64_t last = 0;

	power_close(t->chip);
	if (!chip_power_intervals(g))
		return;
	for (unsigned k = 0; k < ARRAY_LEN(names); k++)
		track[k] = open_track(t, names[k]);
	for (unsigned i = 0; i < chip_power_intervals(g); i++) {
		struct power_interval of = chip_power_interval(g, i);

		if (of.cycle * t->chip->sm_ps < t->from || of.cycle * t->chip->sm_ps >= t->to)
			continue;
		tell(t, track, of.cycle, &of);
		last = of.cycle + of.cycles;
	}
	if (last)
		tell(t, track, last, &(struct power_interval){0});
}
