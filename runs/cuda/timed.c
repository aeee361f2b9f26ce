/* Which launches of a program run in time: its region, or all until a budget is used up. */
#include "runs/cuda/inside.h"

#include "chip/chip.h"

/* Warp instructions in time, unless a region was chosen: minutes on one core. */
#define BUDGET UINT64_C(100000000)

bool cuda_is_timed(
	struct cuda_server *v, const struct program *kernel, uint64_t number, uint64_t ctas)
{
	struct region *r = &v->run.region;
	const struct region_launch l = {
		kernel->name, number, v->launches + 1, ctas, gpu_reads_time(kernel)};
	bool timed = region_has(r, &l);

	if (!region_is_all(r) || v->run.no_chip)
		return timed || v->run.no_chip;
	timed = chip_progress(v->gpu).warp_instructions < BUDGET;
	if (!timed && !v->budget_told)
		output_note("from launch %llu on kernels are executed only, without time: %llu "
			    "million warp instructions were simulated; --timed chooses",
			(unsigned long long)v->launches + 1, (unsigned long long)BUDGET / 1000000);
	v->budget_told |= !timed;
	return timed;
}

void cuda_check_timed(const struct cuda_server *v)
{
	struct text seen = {0};

	for (unsigned i = 0; i < v->nkernels; i++)
		region_name(v->kernels[i].program->name, &seen);
	region_check(&v->run.region, v->launches, text_str(&seen), v->err);
	text_clear(&seen);
}
