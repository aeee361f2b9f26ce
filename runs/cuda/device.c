/* The device that a program sees: the chip that the settings describe. */
#include "runs/cuda/inside.h"

#include "chip/capability.h"
#include "dram/device.h"
#include "draw/number.h"
#include "ptx/isa/program.h"
#include "runs/levels/levels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONSTANT_BYTES 65536u

#define BUS_BITS 64u /* of a channel */

struct facts {
	double mhz, bytes_per_ns;
	uint64_t channels, slices, slice_bytes;
	uint64_t banks, rows, row_bytes; /* of DRAM; 0: its device's */
	const char *device;              /* NULL: it has no model of rows */
};

static void note_fact(
	void *ctx, const char *path, const char *value, const struct param_def *def, bool given)
{
	struct facts *f = ctx;
	const struct {
		const char *path;
		uint64_t *whole;
		double *real;
	} wanted[] = {{"chip.channels", &f->channels, NULL}, {"chip.slices", &f->slices, NULL},
		{"l2.bytes", &f->slice_bytes, NULL}, {"dram.banks", &f->banks, NULL},
		{"dram.rows", &f->rows, NULL}, {"dram.row_bytes", &f->row_bytes, NULL},
		{"chip.sm_mhz", NULL, &f->mhz}, {"chip.bytes_per_ns", NULL, &f->bytes_per_ns}};

	(void)def;
	(void)given;
	if (!strcmp(path, "dram.device"))
		f->device = value;
	for (size_t i = 0; i < ARRAY_LEN(wanted); i++) {
		if (strcmp(path, wanted[i].path) != 0)
			continue;
		if (wanted[i].real)
			*wanted[i].real = strtod(value, NULL);
		else
			number_whole(value, wanted[i].whole);
	}
}

static struct facts facts_of(const struct cuda_server *v)
{
	struct facts f = {.mhz = 1000, .channels = 1};
	const struct dram_device *d = NULL;
	struct err wrong = {0};

	config_echo(v->run.config, note_fact, &f);
	if (f.device)
		d = dram_device_find(f.device, "dram.device", &wrong);
	err_clear(&wrong);
	if (d) {
		f.banks = f.banks ? f.banks : d->banks;
		f.rows = f.rows ? f.rows : d->rows;
		f.row_bytes = f.row_bytes ? f.row_bytes : d->row_bytes;
	}
	return f;
}

static uint64_t memory_bytes(const struct facts *f)
{
	return f->device ? f->channels * f->banks * f->rows * f->row_bytes : UINT64_C(4) << 30;
}

uint64_t cuda_device_bytes(const struct cuda_server *v)
{
	struct facts f = facts_of(v);

	return memory_bytes(&f);
}

/* Of the clock that gives the chip's bandwidth over that bus, twice in each. */
static uint32_t memory_khz(const struct facts *f)
{
	return (uint32_t)(f->bytes_per_ns * 1e6 / (2.0 * (double)f->channels * BUS_BITS / 8) + 0.5);
}

/* The SMs' storage; NULL after a message that cannot be: the chip was built from it. */
static const struct storage_ops *storage_of(struct cuda_server *v, struct sm_storage *m)
{
	struct err wrong = {0};
	int bad = sm_storage_read(m, v->run.config, v->arena, &wrong);

	err_clear(&wrong);
	return bad ? NULL : m->plugin->ops;
}

/* What a CTA may have beyond 48 KB, on request. */
static uint64_t most_of_cta(const struct storage_rules *rules, const struct storage_split *most)
{
	uint64_t left = most->shared_bytes - min_u64(rules->p.shared_reserved, most->shared_bytes);

	return rules->p.cta_shared ? min_u64(rules->p.cta_shared, left) : left;
}

uint32_t cuda_device(struct cuda_server *v, struct wire_message *m)
{
	struct wire_device *d = (void *)v->window;
	struct facts f = facts_of(v);
	struct storage_split most = {0};
	struct sm_storage s;
	const struct storage_ops *ops = storage_of(v, &s);
	unsigned arch = chip_arch(v->run.config);
	struct err wrong = {0};

	(void)m;
	if (ops)
		ops->most(s.design, &most, &wrong);
	err_clear(&wrong);
	*d = (struct wire_device){.memory_bytes = memory_bytes(&f),
		.shared_bytes = most.shared_bytes,
		.cta_shared_bytes = ops ? most_of_cta(&s.rules, &most) : 0,
		.reserved_shared_bytes = ops ? s.rules.p.shared_reserved : 0,
		.constant_bytes = CONSTANT_BYTES,
		.l2_bytes = f.channels * f.slices * f.slice_bytes,
		.sms = (uint32_t)s.sms,
		.registers = (uint32_t)(most.register_bytes / 4),
		.warps = (uint32_t)s.warp_slots,
		.ctas = (uint32_t)s.cta_slots,
		.clock_khz = (uint32_t)(f.mhz * 1000),
		.memory_khz = memory_khz(&f),
		.bus_bits = (uint32_t)(f.channels * BUS_BITS),
		.major = arch / 10,
		.minor = arch % 10};
	snprintf(d->name, sizeof(d->name), "warpbeam");
	return CUDA_OK;
}

/* CTAs of the program that an SM holds, by the design in force; `sms`: of the chip. */
static uint32_t resident(struct cuda_server *v, const struct program *p, uint32_t threads,
	uint32_t shared, uint64_t *sms)
{
	struct sm_storage s;
	const struct storage_ops *ops = storage_of(v, &s);
	struct storage_split split;
	struct storage_need need;
	struct err wrong = {0};
	uint32_t ctas;

	*sms = ops ? s.sms : 0;
	need = (struct storage_need){.regs_per_thread = p->regs,
		.warps_per_cta = (uint32_t)div_up(threads, WARP_LANES),
		.shared_per_cta = p->shared_bytes + shared,
		.warp_slots = ops ? storage_rules_warps(&s.rules, (uint32_t)s.warp_slots) : 0,
		.cta_slots = ops ? (uint32_t)s.cta_slots : 0,
		.rules = ops ? &s.rules : NULL};
	ctas = ops && !ops->split(s.design, &need, 1, &split, &wrong) ? storage_ctas(&split, &need)
								      : 0;
	err_clear(&wrong);
	return ctas;
}

uint32_t cuda_occupancy(struct cuda_server *v, struct wire_message *m)
{
	uint64_t sms;

	if (m->a[0] >= v->nkernels || !m->a[1] || m->a[1] > 1024 || m->a[2] > UINT32_MAX / 2)
		return CUDA_INVALID_VALUE;
	m->a[0] = resident(
		v, v->kernels[m->a[0]].program, (uint32_t)m->a[1], (uint32_t)m->a[2], &sms);
	return CUDA_OK;
}

bool cuda_fits_at_once(struct cuda_server *v, const struct program *p, const struct launch *l)
{
	uint64_t ctas = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2], sms;
	uint32_t threads = l->block[0] * l->block[1] * l->block[2];

	return ctas <= resident(v, p, threads, l->shared_bytes, &sms) * sms;
}
