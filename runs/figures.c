/* The figures of a comparison: taken from a run's report, scaled, judged, averaged. */
#include "runs/figures.h"

#include "core/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct figure_def figure_defs[FIGURES] = {
	[FIGURE_CYCLES] = {"cycles", "cycles simulated", "cycles", 0, false},
	[FIGURE_CHIP_CYCLES] = {"chip_cycles", "cycles, as the chip's", "cycles", 0, true},
	[FIGURE_OWN_CYCLES] = {"sm0_cycles", "of them, SM 0's own", "cycles", 0, false},
	[FIGURE_INSTRUCTIONS] = {"warp_instructions", "warp instructions", "warp instructions", 0,
		true},
	[FIGURE_IPC] = {"ipc_per_sm", "IPC per SM", "warp instructions/cycle", 3, true},
	[FIGURE_READ] = {"dram_bytes_read", "DRAM bytes read", "bytes", 0, true},
	[FIGURE_WRITTEN] = {"dram_bytes_written", "DRAM bytes written", "bytes", 0, true},
	[FIGURE_BYTES] = {"dram_bytes", "DRAM bytes", "bytes", 0, true},
	[FIGURE_L1_HITS] = {"l1_hit_rate", "L1 hits of loads", "%", 1, false},
	[FIGURE_L2_HITS] = {"l2_hit_rate", "L2 hits of reads", "%", 1, false},
	[FIGURE_RATE] = {"dram_bytes_per_ns", "DRAM bandwidth", "B/ns", 1, false},
	[FIGURE_USED] = {"dram_bandwidth_used", "of the machine's peak", "%", 1, false},
};

#define STALL(name) \
	{ \
#name, "sched__cycles_" #name ".sum" \
	}
const struct stall_def stall_defs[STALLS] = {
	STALL(selected),
	STALL(idle),
	STALL(wait),
	STALL(short_scoreboard),
	STALL(long_scoreboard),
	STALL(barrier),
	STALL(membar),
	STALL(lg_throttle),
	STALL(mio_throttle),
	STALL(math_pipe_throttle),
	STALL(tex_throttle),
	STALL(not_selected),
	STALL(drain),
};

static double metric(const json_t *report, const char *name)
{
	const json_t *m = json_object_get(json_object_get(report, "metrics"), name);

	return m ? json_number_value(json_object_get(m, "value")) : NAN;
}

static double field(const json_t *launch, const char *name)
{
	return json_number_value(json_object_get(launch, name));
}

/* A sum over launches, each scaled from its timed CTAs to all of them. */
static double scaled(const json_t *report, const char *first, const char *second)
{
	const json_t *launches = json_object_get(report, "launches"), *l;
	double sum = 0;
	size_t i;

	json_array_foreach(launches, i, l)
	{
		double v = field(l, first) + (second ? field(l, second) : 0);

		sum += v * field(l, "ctas") / field(l, "timed_ctas");
	}
	return sum;
}

/* The interval of a launch: to the end of SM 0's last CTA, and to that of the last CTA. */
struct span {
	double start, own, end;
};

static int by_start(const void *a, const void *b)
{
	double x = ((const struct span *)a)->start, y = ((const struct span *)b)->start;

	return (x > y) - (x < y);
}

/* Cycles in which any of the launches ran, to their ends or to SM 0's; they are sorted by start. */
static double covered(const struct span *spans, size_t n, bool own)
{
	double sum = 0, to = 0;

	for (size_t i = 0; i < n; i++) {
		double end = own ? spans[i].own : spans[i].end;
		double from = fmax(spans[i].start, to);

		sum += fmax(end - from, 0);
		to = fmax(to, end);
	}
	return sum;
}

/* The elapsed cycles without those in which launches ran, but SM 0 had no CTA left. */
static double own_cycles(const json_t *report)
{
	const json_t *launches = json_object_get(report, "launches"), *l;
	size_t n = json_array_size(launches), i;
	struct span *spans = mem_alloc(n + 1, sizeof(*spans));
	double waited;

	if (!spans)
		return NAN;
	json_array_foreach(launches, i, l)
	{
		const json_t *end = json_array_get(json_object_get(l, "sm_end_cycles"), 0);

		spans[i] = (struct span){.start = field(l, "start_cycle"),
			.own = json_is_null(end) ? field(l, "start_cycle") : json_number_value(end),
			.end = field(l, "end_cycle")};
	}
	qsort(spans, n, sizeof(*spans), by_start);
	waited = covered(spans, n, false) - covered(spans, n, true);
	mem_free(spans);
	return metric(report, "gpc__cycles_elapsed.max") - waited;
}

static bool has_l2(const json_t *report)
{
	const json_t *settings = json_object_get(report, "configuration"), *s;
	size_t i;

	json_array_foreach(settings, i, s)
	{
		const char *path = json_string_value(json_object_get(s, "path"));

		if (path && !strcmp(path, "l2.bytes"))
			return json_number_value(json_object_get(s, "value")) > 0;
	}
	return false;
}

static void read_stalls(struct outcome *o)
{
	double all = 0;

	for (unsigned i = 0; i < STALLS; i++)
		all += metric(o->report, stall_defs[i].metric);
	for (unsigned i = 0; i < STALLS; i++)
		o->stall[i] = all > 0 ? 100 * metric(o->report, stall_defs[i].metric) / all : NAN;
}

double report_cycle_ns(const json_t *report)
{
	return 1000 / metric(report, "sm__cycles_elapsed.avg.per_second");
}

void outcome_read(struct outcome *o, const json_t *report, double divisor)
{
	double *f = o->figure;

	o->report = report;
	o->cycle_ns = report_cycle_ns(report);
	f[FIGURE_CYCLES] = metric(report, "gpc__cycles_elapsed.max");
	f[FIGURE_CHIP_CYCLES] = f[FIGURE_CYCLES] / divisor;
	f[FIGURE_OWN_CYCLES] = own_cycles(report);
	f[FIGURE_INSTRUCTIONS] = scaled(report, "warp_instructions", NULL);
	f[FIGURE_IPC] = metric(report, "sm__inst_executed.avg.per_cycle_elapsed");
	f[FIGURE_READ] = scaled(report, "dram_read_bytes", NULL);
	f[FIGURE_WRITTEN] = scaled(report, "dram_write_bytes", "flushed_bytes");
	f[FIGURE_BYTES] = f[FIGURE_READ] + f[FIGURE_WRITTEN];
	f[FIGURE_L1_HITS] = metric(report, "l1tex__t_line_load_hit_rate.pct");
	f[FIGURE_L2_HITS] =
		has_l2(report) ? metric(report, "lts__t_sector_op_read_hit_rate.pct") : NAN;
	f[FIGURE_RATE] = metric(report, "dram__bytes.sum.per_ns");
	f[FIGURE_USED] = metric(report, "dram__throughput.avg.pct_of_peak_sustained_elapsed");
	read_stalls(o);
}

void outcome_stop(struct outcome *o)
{
	o->stopped = true;
	for (unsigned i = 0; i < FIGURES; i++)
		o->figure[i] = NAN;
	for (unsigned i = 0; i < STALLS; i++)
		o->stall[i] = NAN;
}

double error_pct(double ours, double theirs)
{
	return theirs > 0 ? 100 * (ours / theirs - 1) : NAN;
}

struct means means_of(const double *values, unsigned n)
{
	struct means m = {NAN, NAN, NAN, 0};
	double sum = 0, logs = 0, inverses = 0;
	bool positive = true;

	for (unsigned i = 0; i < n; i++) {
		if (isnan(values[i]))
			continue;
		m.n++;
		sum += values[i];
		positive &= values[i] > 0;
		logs += positive ? log(values[i]) : 0;
		inverses += positive ? 1 / values[i] : 0;
	}
	if (!m.n)
		return m;
	m.arithmetic = sum / m.n;
	if (!positive)
		return m;
	m.geometric = exp(logs / m.n);
	m.harmonic = m.n / inverses;
	return m;
}
