/* What a host asks about a kernel before it launches it. */
#include "chip/gpu_inside.h"
#include "chip/inside.h"

#include <string.h>

#define MAX_CTA_THREADS 1024u

static uint32_t most_by_directives(const struct program *p)
{
	uint64_t most = 1, exact = 1;

	for (unsigned i = 0; i < 3; i++) {
		most = min_u64(most * max_u64(p->maxntid[i], 1), MAX_CTA_THREADS);
		exact = min_u64(exact * max_u64(p->reqntid[i], 1), MAX_CTA_THREADS);
	}
	if (p->reqntid[0])
		return (uint32_t)exact;
	return p->maxntid[0] ? (uint32_t)most : MAX_CTA_THREADS;
}

/* CTAs of that many threads on an SM: 0 when none fits. */
static uint32_t ctas(
	const struct gpu *g, const struct program *p, uint32_t threads, uint64_t dynamic)
{
	struct launch_state l = {.grid = {.program = p,
					 .grid = {1, 1, 1},
					 .block = {threads, 1, 1},
					 .dynamic_shared_bytes = (uint32_t)dynamic}};
	struct err dropped = {0};
	uint32_t n = 0;

	l.name = p->name;
	l.need = (struct storage_need){.regs_per_thread = p->regs,
		.warps_per_cta = grid_cta_warps(&l.grid),
		.shared_per_cta = grid_shared_bytes(&l.grid)};
	if (l.need.shared_per_cta > SHARED_WINDOW_BYTES)
		return 0;
	if (!partition_admit(g->chip, &l, &dropped))
		n = storage_ctas(&l.split, &l.need);
	err_clear(&dropped);
	return n;
}

/* Whether there are SMs whose split of storage is known. */
static bool has_sms(const struct gpu *g)
{
	return g->chip && !chip_must_foresee(g);
}

static uint32_t most_threads(const struct gpu *g, const struct program *p)
{
	uint32_t threads = most_by_directives(p);

	if (!has_sms(g))
		return threads;
	for (; threads && !ctas(g, p, threads, 0);
		threads = (threads - 1) / WARP_LANES * WARP_LANES)
		;
	return threads;
}

/* Bisection: a CTA that needs less fits, too. */
static uint64_t most_dynamic(const struct gpu *g, const struct program *p, uint32_t threads)
{
	uint64_t least = 0, most = SHARED_WINDOW_BYTES;

	threads = (uint32_t)min_u64(threads, WARP_LANES);
	if (!threads)
		return 0;
	if (!has_sms(g))
		return most - min_u64(most, p->shared_bytes);
	while (least < most) {
		uint64_t middle = (least + most + 1) / 2;

		if (ctas(g, p, threads, middle))
			least = middle;
		else
			most = middle - 1;
	}
	return least;
}

int gpu_kernel_info(const struct gpu *g, module_t module, const char *kernel,
	struct gpu_kernel_info *to, struct err *err)
{
	const struct program *p = gpu_find_kernel(g->modules[module - 1], kernel, err);

	if (!p)
		return -1;
	*to = (struct gpu_kernel_info){.program = p,
		.regs = p->regs,
		.shared_bytes = p->shared_bytes,
		.local_bytes = p->local_bytes,
		.max_threads = most_threads(g, p)};
	to->max_dynamic_bytes = most_dynamic(g, p, to->max_threads);
	return 0;
}
