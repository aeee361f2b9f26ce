/* A last wave of CTAs that fills the chip in part. */
#include "cli/advice/advice.h"

#include "core/base.h"

#include <math.h>

/* The longest SM's time by the mean's, were all CTAs alike. */
static double waves(const struct facts *f)
{
	double sms = f->launch.sms, n = (double)f->launch.ctas;
	double full = f->launch.ctas_per_sm * sms, step = n > full ? full : sms;

	return full > 0 && n > 0 ? ceil(n / step) * step / n : 1;
}

static void look(const struct facts *f, struct advice *a)
{
	double mean = facts_metric(f, "sm__cycles_active.sum") / f->traffic->sum.sms;
	double idle = mean > 0 ? f->cycles / mean : 1;

	/* waves explain most of it: not the CTAs, but their number */
	if (waves(f) - 1 >= (idle - 1) / 2)
		a->cycles = f->resident * (1 - 1 / idle);
	text_add(&a->measured,
		"an SM has work for %.0f of %.0f cycles in the mean; %llu CTAs, %u at once on each SM",
		mean, f->cycles, (unsigned long long)f->launch.ctas, f->launch.ctas_per_sm);
}

const struct rule advice_tail = {
	.name = "tail",
	.limit = "balance",
	.change = "CTAs are smaller, or their number is a multiple of those that the chip holds",
	.basis = "the mean of the cycles in which SMs had work",
	.relieves = 0,
	.look = look,
};
