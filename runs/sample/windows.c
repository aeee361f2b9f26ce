/* Windows of a launch in time, and the rate of instructions in them. */
#include "runs/sample/sample.h"

#include <math.h>

void sample_open_window(struct sample_progress *p, const struct gpu_cta_view *v)
{
	p->open = true;
	p->finished = v->finished;
	p->cycle = v->cycle;
	p->instructions = v->instructions;
	p->dram_bytes = v->dram_bytes;
}

bool sample_close_window(struct sample_progress *p, const struct gpu_cta_view *v, uint64_t ctas)
{
	if (!p->open || v->finished < p->finished + ctas || v->instructions == p->instructions ||
		p->n == SAMPLE_WINDOWS)
		return false;
	p->window[p->n++] = (struct sample_window){.cycles = (double)(v->cycle - p->cycle),
		.instructions = (double)(v->instructions - p->instructions),
		.dram_bytes = (double)(v->dram_bytes - p->dram_bytes)};
	sample_open_window(p, v);
	return true;
}

double sample_rate(const struct sample_progress *p, unsigned first, unsigned end)
{
	double cycles = 0, instructions = 0;

	for (unsigned i = first; i < end; i++) {
		cycles += p->window[i].cycles;
		instructions += p->window[i].instructions;
	}
	return instructions / cycles;
}

/* Of a ratio of sums: the spread of cycles about those at the common rate. */
double sample_spread(const struct sample_progress *p, unsigned first, unsigned end)
{
	double rate = sample_rate(p, first, end), n = end - first, cycles = 0, square = 0;

	if (n < 2)
		return INFINITY;
	for (unsigned i = first; i < end; i++) {
		const struct sample_window *w = &p->window[i];
		double off = w->cycles - w->instructions / rate;

		cycles += w->cycles;
		square += off * off;
	}
	return sample_student(n - 1) * sqrt(square / (n - 1) * n) / cycles;
}

double sample_student(double freedom)
{
	static const double few[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262,
		2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080,
		2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};

	return freedom < 1 ? INFINITY : freedom <= 30 ? few[(int)freedom - 1] : 1.96;
}
