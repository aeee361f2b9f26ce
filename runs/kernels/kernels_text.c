/* Kernels and launches as lines of a text. */
#include "runs/kernels/kernels.h"

#include "draw/number.h"
#include "runs/kernels/whatif.h"

#include <stdio.h>
#include <string.h>

#define LINES 12 /* of kernels, or of launches */

/* Energies are aligned in 18 columns. */
static const char *energy(double nj, char *out)
{
	number_energy(nj, out);
	return out + strspn(out, " ");
}

static void head(const char *what, struct text *out)
{
	text_add(out, "\v%-18s\t%5s\t%5s\t%5s\t%5s\t%5s\t%9s\t%9s\t%8s \t%s\n", what, "time%",
		"IPC", "occ%", "L1%", "L2%", "conflicts", "DRAM", "energy", "stalled most by");
}

static void line(const char *name, const struct metric_set *s, double share, struct text *out)
{
	char stall[KERNELS_STALL], conflicts[32], bytes[32], nj[32];

	text_add(out, "%-18.40s\t%5.1f\t%5.2f\t%5.1f\t%5.1f\t%5.1f\t%9s\t%9s\t%8s \t%s\n", name,
		share, metric_value(s, "sm__inst_executed.avg.per_cycle_elapsed"),
		metric_value(s, "sm__warps_active.avg.pct_of_peak_sustained_active"),
		metric_value(s, "l1tex__t_line_load_hit_rate.pct"),
		metric_value(s, "lts__t_sector_op_read_hit_rate.pct"),
		number_grouped((uint64_t)metric_value(s, "l1tex__data_bank_conflicts_pipe_lsu.sum"),
			conflicts),
		number_bytes(metric_value(s, "dram__bytes.sum"), bytes),
		energy(metric_value(s, "energy__total.sum"), nj), kernels_stall(s, stall));
}

static double share_of(const struct kernels *kernels, const struct metric_set *s)
{
	double cycles = metric_value(s, "gpc__cycles_elapsed.max");

	return kernels->cycles ? 100 * cycles / (double)kernels->cycles : 0;
}

void kernels_table(
	const struct gpu *g, const struct kernels *kernels, struct arena *arena, struct text *out)
{
	struct run_part rest = {.what = PART_OVERLAP};
	struct metric_set s = {.arena = arena};

	head("kernel", out);
	for (unsigned i = 0; i < kernels->n && i < LINES; i++) {
		const struct kernel_sum *k = &kernels->at[i];
		struct run_part part = {
			.what = PART_KERNEL, .kernel = k->first.kernel, .file = k->first.file};
		struct metric_set own = {.arena = arena};

		run_part_metrics(g, &part, &own);
		if (own.n)
			line(k->name, &own, share_of(kernels, &own), out);
		else
			text_add(out, "%-20.40s no launch of its own: %s\n", k->name,
				k->untimed == k->launches ? "without time" : "all overlap others");
	}
	if (kernels->n > LINES)
		text_add(out, "and %u more kernel%s\n", kernels->n - LINES,
			text_s(kernels->n - LINES));
	run_part_metrics(g, &rest, &s);
	if (s.n)
		line("(overlapping)", &s, share_of(kernels, &s), out);
	text_add(out, "\n");
}

void kernels_launch_lines(const struct gpu *g, const struct kernels *kernels,
	const struct run_part *kernel, struct arena *arena, struct text *out)
{
	unsigned n = 0;

	for (unsigned i = 0; i < chip_epochs(g); i++) {
		struct run_part part = {.what = PART_EPOCH, .epoch = i};
		struct metric_set s = {.arena = arena};
		struct epoch_report e;
		char name[48];

		chip_epoch(g, i, &e);
		if (e.common || !e.kernel || strcmp(e.kernel, kernel->kernel) != 0 ||
			(kernel->file && strcmp(e.file, kernel->file) != 0))
			continue;
		if (!n)
			head("launch", out);
		if (++n > LINES)
			continue;
		run_part_metrics(g, &part, &s);
		snprintf(name, sizeof(name), e.launches > 1 ? "%u and %u more" : "%u", e.first,
			e.launches - 1);
		line(name, &s, share_of(kernels, &s), out);
	}
	if (n > LINES)
		text_add(out, "and %u more; --launch N has the sections of each\n", n - LINES);
	if (n)
		text_add(out, "\n");
}

void kernels_title(const struct gpu *g, const struct kernels *kernels, const struct run_part *part,
	struct text *out)
{
	struct run_part slowest = kernels_slowest(g, kernels);
	struct epoch_report e;

	if (part->what == PART_OVERLAP) {
		text_add(out, "launches of several kernels that overlap\n");
	} else if (part->what == PART_KERNEL) {
		text_add(out, "kernel %s%s\n", kernels_name(kernels, part->kernel),
			kernels->n > 1 && !strcmp(part->kernel, slowest.kernel)
				? ", the slowest (--kernel and --launch show others)"
				: "");
	} else {
		chip_epoch(g, part->epoch, &e);
		text_add(out, e.launches == 1 ? "launch %u, kernel %s" : "launches from %u on, %s",
			e.first,
			e.launches == 1 ? kernels_name(kernels, e.kernel) : "which overlap");
		text_add(out, ", from cycle %llu for %llu\n", (unsigned long long)e.begin_cycle,
			(unsigned long long)e.cycles);
	}
}

void kernels_limit_line(const struct gpu *g, const struct kernels *kernels,
	const struct run_part *part, struct text *out)
{
	struct epoch_report e;
	char limit[KERNELS_LIMIT];
	unsigned launch = kernels->at[0].number;
	uint32_t ctas;

	if (part->what == PART_OVERLAP)
		return;
	if (part->what == PART_EPOCH) {
		chip_epoch(g, part->epoch, &e);
		launch = e.first;
	}
	for (unsigned k = 0; part->what == PART_KERNEL && k < kernels->n; k++)
		if (kernels_is(&kernels->at[k], part))
			launch = kernels->at[k].number;
	ctas = kernels_limit(g, launch, limit);
	text_add(out, "%-10s \t%-33s\t%18u\tCTA%s on an SM, limited by %s\n", "", "most at once",
		ctas, text_s(ctas), limit);
	whatif_text(g, launch, out);
}
