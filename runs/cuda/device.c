/* The device that a program sees: the chip that the settings describe. */
#include "runs/cuda/inside.h"

#include "draw/number.h"
#include "ptx/isa/program.h"
#include "runs/levels/levels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONSTANT_BYTES 65536u
#define MAJOR 9u /* as the PTX that is taken (CODE_NEWEST) */

struct facts {
	double mhz, dram_bytes_per_ns;
	uint64_t channels, slices, slice_bytes;
};

static void note_fact(
	void *ctx, const char *path, const char *value, const struct param_def *def, bool given)
{
	struct facts *f = ctx;

	(void)def;
	(void)given;
	if (!strcmp(path, "chip.sm_mhz"))
		f->mhz = strtod(value, NULL);
	else if (!strcmp(path, "chip.bytes_per_ns"))
		f->dram_bytes_per_ns = strtod(value, NULL);
	else if (!strcmp(path, "chip.channels"))
		number_whole(value, &f->channels);
	else if (!strcmp(path, "chip.slices"))
		number_whole(value, &f->slices);
	else if (!strcmp(path, "l2.bytes"))
		number_whole(value, &f->slice_bytes);
}

/* The SMs' storage; NULL after a message that cannot be: the chip was built from it. */
static const struct storage_ops *storage_of(struct cuda_server *v, struct sm_storage *m)
{
	struct err wrong = {0};
	int bad = sm_storage_read(m, v->run->session, &wrong);

	err_clear(&wrong);
	return bad ? NULL : m->plugin->ops;
}

uint32_t cuda_device(struct cuda_server *v, struct wire_message *m)
{
	struct wire_device *d = (void *)v->window;
	struct facts f = {.mhz = 1000};
	struct storage_split most = {0};
	struct sm_storage s;
	const struct storage_ops *ops = storage_of(v, &s);
	const char *chip = v->run->session->gpu ? "warpbeam" : "";
	struct err wrong = {0};

	(void)m;
	config_echo(v->run->session->config, note_fact, &f);
	if (ops)
		ops->most(s.design, &most, &wrong);
	err_clear(&wrong);
	*d = (struct wire_device){.memory_bytes = UINT64_C(4) << 30,
		.shared_bytes = most.shared_bytes,
		.cta_shared_bytes = most.shared_bytes,
		.constant_bytes = CONSTANT_BYTES,
		.l2_bytes = f.channels * f.slices * f.slice_bytes,
		.sms = (uint32_t)s.sms,
		.registers = (uint32_t)(most.register_bytes / 4),
		.warps = (uint32_t)s.warp_slots,
		.ctas = (uint32_t)s.cta_slots,
		.clock_khz = (uint32_t)(f.mhz * 1000),
		.memory_khz = (uint32_t)(f.mhz * 1000),
		.bus_bits = (uint32_t)(f.channels * 64),
		.major = MAJOR};
	snprintf(d->name, sizeof(d->name), "%s", chip);
	return CUDA_OK;
}

/* CTAs of the kernel that an SM holds, by the design in force. */
uint32_t cuda_occupancy(struct cuda_server *v, struct wire_message *m)
{
	struct sm_storage s;
	const struct storage_ops *ops = storage_of(v, &s);
	struct storage_split split;
	struct storage_need need;
	struct err wrong = {0};
	const struct program *p;

	if (m->a[0] >= v->nkernels || !m->a[1] || m->a[1] > 1024 || m->a[2] > UINT32_MAX / 2)
		return CUDA_INVALID_VALUE;
	p = v->kernels[m->a[0]].program;
	need = (struct storage_need){.regs_per_thread = p->regs,
		.warps_per_cta = (uint32_t)div_up(m->a[1], WARP_LANES),
		.shared_per_cta = p->shared_bytes + (uint32_t)m->a[2],
		.warp_slots = ops ? storage_rules_warps(&s.rules, (uint32_t)s.warp_slots) : 0,
		.cta_slots = ops ? (uint32_t)s.cta_slots : 0,
		.rules = ops ? &s.rules : NULL};
	m->a[0] = ops && !ops->split(s.design, &need, 1, &split, &wrong)
			  ? storage_ctas(&split, &need)
			  : 0;
	err_clear(&wrong);
	return CUDA_OK;
}
