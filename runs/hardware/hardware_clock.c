/* The clock of a GPU's SMs, and what a launch costs between events: by two small kernels. */
#include "runs/hardware/hardware.h"

#include "core/base.h"

#include <stdlib.h>
#include <string.h>

#define TURNS 65536u /* of the loop: half a millisecond and more */
#define EMPTY_RUNS 5u
#define OUT_BYTES 64u

static const char ptx[] =
	".version 5.0\n.target sm_35\n.address_size 64\n"
	".visible .entry warpbeam_empty()\n{\n\tret;\n}\n"
	".visible .entry warpbeam_clock(.param .u64 out, .param .u32 turns)\n{\n"
	"\t.reg .b64 %out, %c<2>, %t<2>;\n\t.reg .b32 %n, %x;\n\t.reg .pred %more;\n"
	"\tld.param.u64 %out, [out];\n\tld.param.u32 %n, [turns];\n\tmov.u32 %x, %n;\n"
	"\tmov.u64 %t0, %globaltimer;\n\tmov.u64 %c0, %clock64;\n"
	"TURN:\n\tmad.lo.u32 %x, %x, %x, %n;\n\tsub.u32 %n, %n, 1;\n"
	"\tsetp.ne.u32 %more, %n, 0;\n\t@%more bra TURN;\n"
	"\tmov.u64 %c1, %clock64;\n\tmov.u64 %t1, %globaltimer;\n"
	"\tst.global.u64 [%out], %c0;\n\tst.global.u64 [%out+8], %c1;\n"
	"\tst.global.u64 [%out+16], %t0;\n\tst.global.u64 [%out+24], %t1;\n"
	"\tst.global.u32 [%out+32], %x;\n\tret;\n}\n";

/* What the measurement has on the GPU. */
struct meter {
	struct driver *d;
	void *module, *clock, *empty, *event[2];
	cuda_address out;
};

static int prepare(struct meter *m, struct err *err)
{
	struct driver *d = m->d;

	if (DRIVER_CALL(
		    d, "the clock's kernel", err, module_load, &m->module, ptx, 0, NULL, NULL)) {
		m->module = NULL;
		return -1;
	}
	if (DRIVER_CALL(d, NULL, err, memory_take, &m->out, OUT_BYTES)) {
		m->out = 0;
		return -1;
	}
	for (unsigned i = 0; i < 2; i++)
		if (DRIVER_CALL(d, NULL, err, event_create, &m->event[i], 0)) {
			m->event[i] = NULL;
			return -1;
		}
	return DRIVER_CALL(d, NULL, err, module_function, &m->clock, m->module, "warpbeam_clock") ||
	       DRIVER_CALL(d, NULL, err, module_function, &m->empty, m->module, "warpbeam_empty");
}

static int wait(struct meter *m, struct err *err)
{
	return driver_result(m->d, driver_symbol("context_synchronize"),
		m->d->cuda.context_synchronize(), NULL, err);
}

static int measure_clock(struct meter *m, double *mhz, struct err *err)
{
	uint32_t turns = TURNS;
	void *params[] = {&m->out, &turns};
	uint64_t seen[4] = {0};

	if (DRIVER_CALL(m->d, "the clock's kernel", err, launch, m->clock, 1, 1, 1, 1, 1, 1, 0,
		    NULL, params, NULL) ||
		wait(m, err) ||
		DRIVER_CALL(m->d, NULL, err, memory_read, seen, m->out, sizeof(seen)))
		return -1;
	*mhz = seen[3] > seen[2]
		       ? 1000.0 * (double)(seen[1] - seen[0]) / (double)(seen[3] - seen[2])
		       : 0;
	return 0;
}

static int measure_empty(struct meter *m, double *us, struct err *err)
{
	double all[EMPTY_RUNS];
	float ms = 0;

	for (unsigned i = 0; i < EMPTY_RUNS; i++) {
		if (DRIVER_CALL(m->d, NULL, err, event_record, m->event[0], NULL) ||
			DRIVER_CALL(m->d, NULL, err, launch, m->empty, 1, 1, 1, 32, 1, 1, 0, NULL,
				NULL, NULL) ||
			DRIVER_CALL(m->d, NULL, err, event_record, m->event[1], NULL) ||
			wait(m, err) ||
			DRIVER_CALL(m->d, NULL, err, event_elapsed, &ms, m->event[0], m->event[1]))
			return -1;
		all[i] = 1000.0 * (double)ms;
	}
	*us = hardware_spread(all, EMPTY_RUNS).median;
	return 0;
}

static void release(struct meter *m, struct err *err)
{
	struct err wrong = {0};

	for (unsigned i = 0; i < 2; i++)
		if (m->event[i])
			DRIVER_CALL(m->d, NULL, &wrong, event_destroy, m->event[i]);
	if (m->out)
		DRIVER_CALL(m->d, NULL, &wrong, memory_free, m->out);
	if (m->module)
		DRIVER_CALL(m->d, NULL, &wrong, module_unload, m->module);
	if (!err->count)
		err_move(err, &wrong);
	err_clear(&wrong);
}

int hardware_clock(struct driver *d, struct hardware_clock *out, struct err *err)
{
	struct meter m = {.d = d};
	unsigned before = err->count;

	*out = (struct hardware_clock){0};
	if (!prepare(&m, err) && !measure_clock(&m, &out->mhz, err))
		measure_empty(&m, &out->empty_us, err);
	release(&m, err);
	return err->count == before ? 0 : -1;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

struct hardware_spread hardware_spread(const double *values, unsigned n)
{
	struct hardware_spread s = {0};
	double *sorted = mem_alloc(n + 1, sizeof(*sorted));

	if (n && sorted) {
		memcpy(sorted, values, n * sizeof(*sorted));
		qsort(sorted, n, sizeof(*sorted), by_size);
		s = (struct hardware_spread){
			(sorted[(n - 1) / 2] + sorted[n / 2]) / 2, sorted[0], sorted[n - 1]};
	}
	mem_free(sorted);
	return s;
}
