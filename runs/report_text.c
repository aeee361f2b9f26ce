/* The report for people. */
#include "runs/report.h"

#include "draw/number.h"
#include "runs/output.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define STALLS "sched__cycles_"
#define AT_REST "chip__cycles_simulated.max"
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

/* All totals, copied for lookup. */
struct totals {
	struct arena *arena;
	struct metric *at;
	unsigned n, cap;
};

static void keep(void *ctx, const struct metric *m)
{
	struct totals *t = ctx;

	if (t->n == t->cap) {
		struct metric *grown = arena_alloc(t->arena, 2 * t->cap + 64, sizeof(*grown));

		if (t->n)
			memcpy(grown, t->at, t->n * sizeof(*grown));
		t->at = grown;
		t->cap = 2 * t->cap + 64;
	}
	t->at[t->n] = *m;
	t->at[t->n++].name = arena_strdup(t->arena, m->name);
}

static const struct metric *find(const struct totals *t, const char *name)
{
	for (unsigned i = 0; i < t->n; i++)
		if (!strcmp(t->at[i].name, name))
			return &t->at[i];
	return NULL;
}

/* ---- launches */
/* The launches of one kernel. */
struct kernel {
	struct launch_report first;
	unsigned launches;
	uint64_t ctas, cycles, instructions;
	uint64_t timed, started, finished; /* CTAs: timed, started, finished */
	unsigned untimed;                  /* launches */
	bool same_grid, same_block, complete;
};

static void add_launch(struct kernel *k, const struct launch_report *l)
{
	if (!k->launches++) {
		k->first = *l;
		k->same_grid = k->same_block = k->complete = true;
	}
	k->same_grid &= !memcmp(k->first.grid, l->grid, sizeof(l->grid));
	k->same_block &= !memcmp(k->first.block, l->block, sizeof(l->block));
	k->complete &= l->complete;
	k->ctas += l->ctas;
	k->timed += l->timed_ctas;
	k->untimed += l->untimed;
	k->started += l->started_ctas;
	k->finished += l->finished_ctas;
	k->cycles += l->end_cycle > l->start_cycle ? l->end_cycle - l->start_cycle : 0;
	k->instructions += l->warp_instructions;
}

static unsigned group_launches(const struct gpu *g, struct kernel *kernels)
{
	unsigned n = 0;

	for (unsigned i = 0; i < chip_launches(g); i++) {
		struct launch_report l;
		unsigned k = 0;

		chip_launch_report(g, i, &l);
		while (k < n && (strcmp(kernels[k].first.kernel, l.kernel) ||
					strcmp(kernels[k].first.file, l.file)))
			k++;
		add_launch(&kernels[k], &l);
		n += k == n;
	}
	return n;
}

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
static void unfinished(const struct kernel *k, struct text *out)
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

static void kernel_line(const struct kernel *k, struct text *out)
{
	char grid[40], block[40], ctas[32], cycles[32], instructions[32];

	text_add(out, "%-20.40s %8u %11s %8s %5u %7u %9s %7u %12s %14s", k->first.kernel,
		k->launches, dims(k->first.grid, k->same_grid, grid, sizeof(grid)),
		dims(k->first.block, k->same_block, block, sizeof(block)), k->first.regs,
		k->first.shared_bytes, number_grouped(k->ctas, ctas), k->first.ctas_per_sm,
		number_grouped(k->cycles, cycles), number_grouped(k->instructions, instructions));
	unfinished(k, out);
	if (k->untimed)
		text_add(out, "  %u of %u launches without time", k->untimed, k->launches);
	text_add(out, "\n");
}

static void launch_table(const struct report *r, struct arena *arena, struct text *out)
{
	struct kernel *kernels = arena_alloc(arena, chip_launches(r->gpu) + 1, sizeof(*kernels));
	unsigned n = group_launches(r->gpu, kernels);

	text_add(out, "%-20s %8s %11s %8s %5s %7s %9s %7s %12s %14s\n", "kernel", "launches",
		"grid", "block", "regs", "shared", "CTAs", "CTAs/SM", "cycles", "warp instr.");
	for (unsigned i = 0; i < n && i < KERNELS; i++)
		kernel_line(&kernels[i], out);
	if (n > KERNELS)
		text_add(out, "and %u more kernel%s\n", n - KERNELS, text_s(n - KERNELS));
}

/* ---- figures */
struct lookup {
	const char *path;
	char value[64];
};

static void look_up(
	void *ctx, const char *path, const char *value, const struct param_def *def, bool given)
{
	struct lookup *l = ctx;

	(void)def;
	(void)given;
	if (!strcmp(path, l->path))
		snprintf(l->value, sizeof(l->value), "%s", value);
}

static void figure(
	const struct report *r, const struct metric *m, const char *of, char *out, size_t n)
{
	struct lookup l = {.path = of};
	char number[32];

	if (!strcmp(m->unit, "nJ")) {
		snprintf(out, n, "%s", number_energy(m->real, number));
		return;
	}
	if (m->is_real)
		snprintf(number, sizeof(number), "%.*f", strcmp(m->unit, "%") ? 3 : 1, m->real);
	else
		number_grouped(m->count, number);
	if (of)
		config_echo(r->config, look_up, &l);
	snprintf(out, n, "%18s %s%s%s", number, m->unit, of ? " of " : "", l.value);
}

static void line_start(const char **last, const char *group, const char *label, struct text *out)
{
	text_add(out, "%s%-10s  %-34s", *last && strcmp(*last, group) ? "" : "",
		*last && !strcmp(*last, group) ? "" : group, label);
	*last = group;
}

static void figure_lines(const struct report *r, const struct totals *t, struct text *out)
{
	const char *last = NULL;

	for (unsigned i = 0; i < nreport_lines; i++) {
		const struct report_line *line = &report_lines[i];
		const struct metric *m = find(t, line->metric);
		char value[160];

		if (!m)
			continue;
		figure(r, m, line->of, value, sizeof(value));
		line_start(&last, line->group,
			r->complete || strcmp(line->metric, AT_REST) ? line->label : "simulated",
			out);
		text_add(out, "%s\n", value);
	}
}

/* ---- stalls */
static void stall_lines(const struct totals *t, struct arena *arena, struct text *out)
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
		text_add(out, "%18.1f %%  %s\n", 100 * (double)order[i]->count / (double)all,
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
	char number[32];
	double rate = h->wall_s > 0 ? (double)h->warp_instructions / h->wall_s : 0;

	text_add(out, "%-10s  %-34s%18.3f s\n", "host", "time", h->wall_s);
	text_add(out, "%-10s  %-34s%18s warp instructions/s\n", "", "speed",
		number_grouped((uint64_t)rate, number));
	text_add(out, "%-10s  %-34s%18u threads\n", "", "threads", h->threads);
	text_add(out, "%-10s  %-34s%18s bytes\n", "", "memory, at most",
		number_grouped(h->peak_rss_bytes, number));
}

void report_check(const struct report *r, struct text *out)
{
	text_add(out, "check: %s\n",
		r->verdict == VERDICT_FAILED ? "FAILED" : verdict_name(r->verdict));
}

void report_text(const struct report *r, struct arena *arena, struct text *out)
{
	struct totals t = {.arena = arena};

	chip_metrics(r->gpu, keep, &t);
	report_header(r, out);
	launch_table(r, arena, out);
	text_add(out, "\n");
	figure_lines(r, &t, out);
	stall_lines(&t, arena, out);
	if (r->host)
		report_host(r->host, out);
	text_add(out, "\n");
	report_check(r, out);
}
