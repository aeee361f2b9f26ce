/* What a real GPU did, as text. */
#include "cli/hardware/hardware.h"

#include "core/base.h"
#include "draw/number.h"

void hardware_text_gpu(const struct driver_gpu *g, bool locked, struct text *out)
{
	text_add(out, "GPU: %s%s, compute capability %d.%d, %d SMs, %d MHz, CUDA %d.%d\n", g->name,
		g->stand_in ? " (a stand-in: no GPU)" : "", g->major, g->minor, g->sms,
		g->clock_khz / 1000, g->version / 1000, g->version % 1000 / 10);
	text_add(out, "clocks: %s, by the command line\n\n", locked ? "locked" : "not locked");
}

static void memory_text(const struct hardware_result *r, struct text *out)
{
	uint64_t differ = 0, missing = 0;
	char number[32];

	for (unsigned i = 0; i < r->nbuffers; i++) {
		differ += r->buffers[i].differ;
		missing += !r->buffers[i].compared;
	}
	if (!r->nbuffers)
		text_add(out, "-");
	else if (!differ)
		text_add(out, "equal");
	else
		text_add(out, "%s word%s", number_grouped(differ, number), text_s(differ));
	if (missing)
		text_add(out, ", %u buffer%s not compared", (unsigned)missing, text_s(missing));
	if (r->unsteady)
		text_add(out, ", not the same in every run");
	text_add(out, "\n");
}

static void row(const struct hardware_result *r, struct text *out)
{
	struct hardware_spread us = {0};
	double cycles = hardware_cycles(r);
	char number[32];

	if (r->measured)
		us = hardware_spread(r->span_us, r->repeats);
	text_add(out, "%-24s\t%8u", r->target, r->launches);
	if (r->measured)
		text_add(out, "\t%11.1f\t%11.1f\t%11.1f", us.median, us.least, us.most);
	else
		text_add(out, "\t%11s\t%11s\t%11s", "-", "-", "-");
	text_add(out, "\t%6.0f\t%12s", (r->before.mhz + r->after.mhz) / 2,
		cycles > 0 ? number_grouped((uint64_t)(cycles + 0.5), number) : "-");
	text_add(out, "\t%12s \t%-8s ",
		r->clocked_cycles ? number_grouped(r->clocked_cycles, number) : "-",
		r->gpu == VERDICT_NOT_REACHED ? "-" : verdict_name(r->gpu));
	memory_text(r, out);
}

static void kernel_rows(const struct hardware_result *r, struct text *out)
{
	for (unsigned i = 0; i < r->nkernels; i++) {
		const struct hardware_kernel *k = &r->kernels[i];
		const struct program *p = k->program;

		text_add(out, "%-24s\t%-24s\t%6u\t%6d\t%8u\t%8d\t%8u\t%8d\n", r->target, p->name,
			p->regs, k->registers, p->local_bytes, k->local_bytes, p->shared_bytes,
			k->shared_bytes);
	}
}

void hardware_text(const struct hardware_result *all, unsigned n, struct text *out)
{
	text_add(out, "\v%-24s\t%8s\t%11s\t%11s\t%11s\t%6s\t%12s\t%12s \t%-8s\t%s\n", "target",
		"launches", "median, us", "least", "most", "MHz", "cycles", "by clock64", "check",
		"memory beside exec's");
	for (unsigned i = 0; i < n; i++)
		row(&all[i], out);
	if (n && all[0].measured)
		text_add(out, "An empty launch takes %.1f us, which each launch's time contains.\n",
			all[0].before.empty_us);
	for (unsigned i = 0; i < n; i++)
		if (all[i].unclocked)
			text_add(out, "%s: no cycles by clock64: %s\n", all[i].target,
				all[i].unclocked);
	text_add(out, "\n\v%-24s\t%-24s\t%6s\t%6s\t%8s\t%8s\t%8s\t%8s\n", "target", "kernel",
		"ours", "regs", "ours", "local", "ours", "shared");
	for (unsigned i = 0; i < n; i++)
		kernel_rows(&all[i], out);
}
