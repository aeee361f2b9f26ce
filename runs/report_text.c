/* The report for people. */
#include "runs/report.h"

#include "draw/number.h"
#include "runs/kernels/chart.h"
#include "runs/kernels/kernels.h"
#include "runs/kernels/light.h"
#include "runs/kernels/roofline.h"
#include "runs/output.h"
#include "runs/power.h"
#include "runs/settings.h"
#include "runs/sheet/sheet.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define STALLS "sched__cycles_"
#define AT_REST "chip__cycles_simulated.max"
#define WITH_WORK "sm__cycles_active.avg.pct_of_peak_sustained_elapsed"
#define KERNELS 12 /* lines of the table of launches */

const struct report_line report_lines[] = {
	{"time", "elapsed", "gpc__cycles_elapsed.max", NULL},
	{"time", "as time", "gpu__time_duration.sum", NULL},
	{"time", "until no traffic was in flight", AT_REST, NULL},
	{"work", "executed", "smsp__inst_executed.sum", NULL},
	{"work", "an SM's rate", "sm__inst_executed.avg.per_cycle_elapsed", NULL},
	{"work", "the chip's rate", "sm__inst_executed.sum.per_cycle_elapsed", NULL},
	{"work", "active lanes of an instruction",
		"smsp__thread_inst_executed_per_inst_executed.ratio", NULL},
	{"occupancy", "warp slots in use", "sm__warps_active.avg.pct_of_peak_sustained_active",
		NULL},
	{"occupancy", "SMs with work", "sm__cycles_active.avg.pct_of_peak_sustained_elapsed", NULL},
	{"caches", "L1, loads", "l1tex__t_lines_load.sum", NULL},
	{"caches", "L1, loads that hit", "l1tex__t_line_load_hit_rate.pct", NULL},
	{"caches", "L2, reads", "lts__t_sectors_op_read.sum", NULL},
	{"caches", "L2, reads that hit", "lts__t_sector_op_read_hit_rate.pct", NULL},
	{"TLBs", "L1, lines", "mmu__l1_lookups.sum", NULL},
	{"TLBs", "L1, pages missed", "mmu__l1_misses.sum", NULL},
	{"TLBs", "L2, requests", "mmu__l2_lookups.sum", NULL},
	{"TLBs", "walks", "mmu__walks.sum", NULL},
	{"DRAM", "read", "dram__bytes_read.sum", NULL},
	{"DRAM", "written", "dram__bytes_write.sum", NULL},
	{"DRAM", "left dirty in the L2", "lts__bytes_flushed.sum", NULL},
	{"DRAM", "bandwidth", "dram__bytes.sum.per_ns", "chip.bytes_per_ns"},
	{"DRAM", "bandwidth, of its peak", "dram__throughput.avg.pct_of_peak_sustained_elapsed",
		NULL},
	{"network", "requests", "noc_request__packets.sum", NULL},
	{"network", "requests' waiting", "noc_request__wait_cycles.sum", NULL},
	{"network", "replies", "noc_reply__packets.sum", NULL},
	{"network", "replies' waiting", "noc_reply__wait_cycles.sum", NULL},
	{"banks", "at most one access to any", "bank__inst_most_1.sum", NULL},
	{"banks", "conflicts of shared memory", "l1tex__data_bank_conflicts_pipe_lsu.sum", NULL},
	{"banks", "conflicts of registers", "bank__conflicts_register.sum", NULL},
	{"banks", "conflicts of both", "bank__conflicts_arbitration.sum", NULL},
	{"energy", "total", "energy__total.sum", NULL},
	{"energy", "SMs without banks", "energy__rest.sum", NULL},
	{"energy", "main registers", "energy__registers.sum", NULL},
	{"energy", "upper levels of registers", "energy__upper_registers.sum", NULL},
	{"energy", "shared memory", "energy__shared.sum", NULL},
	{"energy", "L1", "energy__cache.sum", NULL},
	{"energy", "leakage of SMs without storage", "energy__core_leakage.sum", NULL},
	{"energy", "leakage of their storage", "energy__sram_leakage.sum", NULL},
	{"energy", "DRAM", "energy__dram.sum", NULL},
	{"energy", "not in the total: networks", "energy__noc.sum", NULL},
	{"energy", "not in the total: L2", "energy__l2.sum", NULL},
	{"energy", "power", "energy__power.avg", NULL},
	{"energy", "for a nanojoule", "energy__inst_executed.per_nj", NULL},
	{"imbalance", "busiest SM against the mean", "sm__inst_executed.imbalance", NULL},
	{"imbalance", "busiest channel against the mean", "dram__bytes.imbalance", NULL},
};
const unsigned nreport_lines = ARRAY_LEN(report_lines);

static char *dims(const uint32_t d[3], bool same, char *out, size_t n)
{
	if (!same)
		snprintf(out, n, "various");
	else if (d[2] > 1)
		snprintf(out, n, "%u,%u,%u", d[0], d[1], d[2]);
	else if (d[1] > 1)
		snprintf(out, n, "%u,%u", d[0], d[1]);
	else
		snprintf(out, n, "%u", d[0]);
	return out;
}

/* Of a partial report: the progress of the kernel's launches. */
static void unfinished(const struct kernel_sum *k, struct text *out)
{
	char done[32], all[32];

	if (k->complete)
		return;
	if (!k->started)
		text_add(out, "  not started");
	else
		text_add(out, "  unfinished: %s of %s CTAs done", number_grouped(k->finished, done),
			number_grouped(k->timed, all));
}

static void kernel_line(const struct kernel_sum *k, struct text *out)
{
	char grid[40], block[40], ctas[32], cycles[32], instructions[32];

	text_add(out, "%-20.40s\t%8u\t%11s\t%8s\t%5u\t%7u\t%9s\t%7u\t%12s\t%14s", k->name,
		k->launches, dims(k->first.grid, k->same_grid, grid, sizeof(grid)),
		dims(k->first.block, k->same_block, block, sizeof(block)), k->first.regs,
		k->first.shared_bytes, number_grouped(k->ctas, ctas), k->first.ctas_per_sm,
		number_grouped(k->cycles, cycles), number_grouped(k->instructions, instructions));
	unfinished(k, out);
	if (k->untimed)
		text_add(out, "  %u of %u launches without time", k->untimed, k->launches);
	text_add(out, "\n");
}

static void launch_table(const struct kernels *kernels, struct text *out)
{
	text_add(out, "\v%-20s\t%8s\t%11s\t%8s\t%5s\t%7s\t%9s\t%7s\t%12s\t%14s\n", "kernel",
		"launches", "grid", "block", "regs", "shared", "CTAs", "CTAs/SM", "cycles",
		"warp instr.");
	for (unsigned i = 0; i < kernels->n && i < KERNELS; i++)
		kernel_line(&kernels->at[i], out);
	if (kernels->n > KERNELS)
		text_add(out, "and %u more kernel%s\n", kernels->n - KERNELS,
			text_s(kernels->n - KERNELS));
}

/* ---- figures */
/* "604.8 KB": the number aligned, the unit in a cell of its own. */
static void scaled(const char *number, char *out, size_t n)
{
	const char *unit = strrchr(number, ' ');

	snprintf(out, n, "%18.*s\t%s", (int)(unit - number), number, unit + 1);
}

static void figure(
	const struct report *r, const struct metric *m, const char *of, char *out, size_t n)
{
	struct setting s = {.path = of};
	char number[32];

	if (!strcmp(m->unit, "nJ")) {
		scaled(number_energy(m->real, number), out, n);
		return;
	}
	if (!strcmp(m->unit, "bytes") && !m->is_real) {
		scaled(number_bytes((double)m->count, number), out, n);
		return;
	}
	if (m->is_real)
		snprintf(number, sizeof(number), "%.*f", strcmp(m->unit, "%") ? 3 : 1, m->real);
	else
		number_grouped(m->count, number);
	if (of)
		settings_look_up(r->config, &s);
	snprintf(out, n, "%18s\t%s%s%s", number, m->unit, of ? " of " : "", s.value);
}

static void line_start(const char **last, const char *group, const char *label, struct text *out)
{
	text_add(out, "%s%-10s \t%-33s\t", *last && strcmp(*last, group) ? "" : "",
		*last && !strcmp(*last, group) ? "" : group, label);
	*last = group;
}

static void figure_lines(const struct report *r, const struct metric_set *t,
	const struct kernels *kernels, const struct run_part *part, struct text *out)
{
	const char *last = NULL;

	for (unsigned i = 0; i < nreport_lines; i++) {
		const struct report_line *line = &report_lines[i];
		const struct metric *m = metric_find(t, line->metric);
		char value[160];

		if (!m)
			continue;
		figure(r, m, line->of, value, sizeof(value));
		line_start(&last, line->group,
			r->complete || strcmp(line->metric, AT_REST) ? line->label : "simulated",
			out);
		text_raw(out, "%s\n", value);
		if (!strcmp(line->metric, WITH_WORK) && kernels)
			kernels_limit_line(r->gpu, kernels, part, out);
	}
}

/* ---- stalls */
static void stall_lines(const struct metric_set *t, struct arena *arena, struct text *out)
{
	const struct metric **order = arena_alloc(arena, t->n + 1, sizeof(struct metric *));
	const char *last = NULL;
	uint64_t all = 0;
	unsigned n = 0;

	for (unsigned i = 0; i < t->n; i++) {
		const struct metric *m = &t->at[i];
		unsigned at = n;

		if (strncmp(m->name, STALLS, strlen(STALLS)) || !m->count)
			continue;
		for (; at && order[at - 1]->count < m->count; at--)
			order[at] = order[at - 1];
		order[at] = m;
		all += m->count;
		n++;
	}
	for (unsigned i = 0; i < n; i++) {
		const char *name = order[i]->name + strlen(STALLS);
		char label[64];

		snprintf(label, sizeof(label), "%.*s", (int)strcspn(name, "."), name);
		line_start(&last, "schedulers", label, out);
		text_add(out, "%18.1f\t%%  %s\n", 100 * (double)order[i]->count / (double)all,
			order[i]->text);
	}
}

/* ---- the whole */
void report_header(const struct report *r, struct text *out)
{
	text_add(out, "warpbeam %s (%s): ", program_version(), program_build());
	if (r->is_workload)
		text_add(out, "%s, size %s, seed %" PRIu64 ", %u-bit addresses, chip %s\n",
			r->target, r->size, r->seed, r->address_bits, r->chip);
	else
		text_add(out, "%s, chip %s\n", r->target, r->chip);
	report_machine_of(r, out);
	if (r->altered)
		text_add(out, "CHANGED BY HAND: %s\n", report_path(r, r->altered));
	if (!r->complete)
		text_add(out, "PARTIAL REPORT: the run is not complete (%s)\n",
			exit_codes[r->code].name);
	text_add(out, "\n");
}

void report_host(const struct host_report *h, struct text *out)
{
	char number[32], memory[64];
	double rate = h->wall_s > 0 ? (double)h->warp_instructions / h->wall_s : 0;

	text_add(out, "%-10s \t%-33s\t%18.3f\ts\n", "host", "time", h->wall_s);
	text_add(out, "%-10s \t%-33s\t%18s\twarp instructions/s\n", "", "speed",
		number_grouped((uint64_t)rate, number));
	text_add(out, "%-10s \t%-33s\t%18u\tthreads\n", "", "threads", h->threads);
	scaled(number_bytes((double)h->peak_rss_bytes, number), memory, sizeof(memory));
	text_raw(out, "%-10s \t%-33s\t%s\n", "", "memory, at most", memory);
}

void report_check(const struct report *r, struct text *out)
{
	text_add(out, "check: %s\n",
		r->verdict == VERDICT_FAILED ? "FAILED" : verdict_name(r->verdict));
}

/* Figures of a part of the run, or of all of it. Without kernels what limits CTAs is left out. */
static void sections(const struct report *r, const struct sheet *sheet,
	const struct kernels *kernels, const struct run_part *part, struct arena *arena,
	struct text *out)
{
	struct metric_set set = {.arena = arena};
	struct roofline roofline;
	struct light lights[LIGHTS];
	struct chart_edge edges[CHART_EDGES];

	run_part_metrics(r->gpu, part, &set);
	roofline = roofline_of(&set);
	light_text(lights, light_of(&set, sheet, lights), out);
	light_mix_text(&set, out);
	roofline_lines(&roofline, sheet, out);
	chart_text(edges, chart_of(&set, edges), out);
	figure_lines(r, &set, kernels, part, out);
	stall_lines(&set, arena, out);
}

/* One line for each kernel, and the sections of the one that is chosen, or the slowest. */
static void kernel_sections(const struct report *r, const struct sheet *sheet,
	const struct kernels *kernels, struct arena *arena, struct text *out)
{
	struct run_part part = r->part;

	kernels_table(r->gpu, kernels, arena, out);
	if (part.what == PART_RUN)
		part = kernels_slowest(r->gpu, kernels);
	if (r->part.what == PART_KERNEL)
		kernels_launch_lines(r->gpu, kernels, &part, arena, out);
	kernels_title(r->gpu, kernels, &part, out);
	sections(r, sheet, kernels, &part, arena, out);
	text_add(out, "\nall launches together\n");
}

void report_text(const struct report *r, struct arena *arena, struct text *out)
{
	struct sheet sheet = {.arena = arena};
	struct kernels kernels;
	uint64_t skipped;

	sheet_read(&sheet, r->config);
	kernels_of(r->gpu, arena, &kernels);
	report_header(r, out);
	launch_table(&kernels, out);
	text_add(out, "\n");
	if (chip_epochs(r->gpu) && (kernels.n > 1 || r->part.what != PART_RUN))
		kernel_sections(r, &sheet, &kernels, arena, out);
	sections(r, &sheet, kernels.n == 1 ? &kernels : NULL, &(struct run_part){0}, arena, out);
	if (r->power)
		power_text(r->gpu, out);
	if (chip_skipped(r->gpu, &skipped) && skipped)
		text_add(out,
			"\nThe run's figures are those from cycle %llu on; launches are whole.\n",
			(unsigned long long)skipped);
	if (r->sample) {
		struct sample_result sample = sample_estimate(r->gpu, r->sample, arena);

		sample_text(&sample, out);
	}
	if (r->host)
		report_host(r->host, out);
	text_add(out, "\n");
	report_check(r, out);
}
