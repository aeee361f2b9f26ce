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

/* ---- what resident CTAs read again */
void sample_note_skip(struct sample_progress *p, const struct gpu_cta_view *v)
{
	p->last = (struct sample_span){v->instructions, v->read_bytes};
	if (!p->skips)
		p->first = p->last;
	p->skips = true;
}

double sample_again(const struct sample_progress *p, double bytes_an_instruction)
{
	double instructions = (double)(p->last.instructions - p->first.instructions);
	double bytes = (double)(p->last.read_bytes - p->first.read_bytes);

	return fmax(bytes - bytes_an_instruction * instructions, 0);
}

/* ---- windows of as many instructions each */
#define WINDOW 2000     /* cycles of a window, at the launch's mean rate */
#define BEHIND 0.5      /* of a window: what of the way to it is not measured */
#define GROWS 0.2       /* of what is behind it, a stretch at most */
#define WANTED 0.03     /* of all cycles: with a larger error stretches are shorter */
#define GIVEN_UP 100000 /* cycles without an instruction */

/* A window's length, at the rate so far. */
static void set_unit(struct sample_stretches *s, const struct gpu_cta_view *v)
{
	double cycles = (double)(v->cycle - v->start_cycle);

	s->unit = (uint64_t)((double)v->instructions / cycles * WINDOW) + 1;
	s->from = v->instructions + (uint64_t)(BEHIND * (double)s->unit);
}

static bool is_settled(const struct sample_stretches *s, const struct gpu_cta_view *v)
{
	return v->cycle >= v->start_cycle + s->settled && v->instructions &&
	       v->started + v->skipped >= (v->ctas < v->resident ? v->ctas : v->resident);
}

static void close_stretch(struct sample_stretches *s, const struct gpu_cta_view *v)
{
	double cpi = (double)(v->cycle - s->cycle) / (double)(v->instructions - s->instructions);
	double length = (double)(v->executed - s->executed), off = cpi - s->cpi;
	uint64_t resident = v->started - v->finished;

	if (s->n) {
		s->cycles += length * (resident < s->resident ? s->cpi : (s->cpi + cpi) / 2);
		s->square += length * length * off * off / 2;
		s->differences += off * off;
	}
	s->cpi = cpi;
	s->executed = v->executed;
	s->resident = resident;
	s->n++;
}

/* The last stretch has no window behind it. */
double sample_stretched(const struct sample_stretches *s, uint64_t executed, double *half)
{
	double last = (double)(executed - s->executed), square = s->square;

	if (s->n > 1)
		square += last * last * s->differences / (double)(s->n - 1);
	*half = s->n > 2 ? sample_student((double)s->n - 1) * sqrt(square) : INFINITY;
	return s->cycles + last * s->cpi;
}

bool sample_measure(struct sample_stretches *s, const struct gpu_cta_view *v, uint64_t *again)
{
	if (v->instructions != s->seen || s->moved < v->start_cycle)
		s->moved = v->cycle;
	s->seen = v->instructions;
	*again = v->cycle < s->moved + GIVEN_UP ? v->cycle : UINT64_MAX;
	if (!s->begun && is_settled(s, v)) {
		s->begun = true;
		set_unit(s, v);
	}
	if (!s->begun || v->instructions < s->from)
		return false;
	if (!s->open) {
		s->open = true;
		s->instructions = v->instructions;
		s->cycle = v->cycle;
		s->from = v->instructions + s->unit;
		return false;
	}
	s->open = false;
	close_stretch(s, v);
	set_unit(s, v);
	return true;
}

double sample_most(const struct sample_stretches *s, const struct gpu_cta_view *v)
{
	double half, cycles = (double)(v->cycle - v->start_cycle), most;

	most = GROWS * (double)(v->instructions + v->executed);
	cycles += sample_stretched(s, v->executed, &half);
	return s->n > 3 ? most * fmin(1, WANTED * cycles / half) : most;
}

uint64_t sample_period(const struct sample_stretches *s)
{
	return (uint64_t)((1 + BEHIND) * (double)s->unit);
}

double sample_student(double freedom)
{
	static const double few[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262,
		2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080,
		2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};

	return freedom < 1 ? INFINITY : freedom <= 30 ? few[(int)freedom - 1] : 1.96;
}
