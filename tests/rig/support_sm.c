/* Kernels for tests of the SM. */
#include "tests/rig/support_sm.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct text probe_ptx(const char *body)
{
	struct text t = {0};

	text_raw(&t,
		".version 5.0\n.target sm_35\n.address_size 32\n"
		".visible .entry k(.param .u32 in, .param .u32 out)\n"
		"{ .reg .b32 %%r<100>; .reg .b64 %%rd<10>; .reg .f32 %%f<100>; .reg .pred "
		"%%p<10>;\n"
		".shared .align 128 .b8 buf[16384];\n"
		"ld.param.u32 %%r1, [in]; ld.param.u32 %%r2, [out]; mov.u32 %%r3, %%tid.x;\n"
		"shl.b32 %%r4, %%r3, 2; mov.u32 %%r5, %%ctaid.x; mov.u32 %%r6, %%ntid.x;\n"
		"mul.lo.u32 %%r6, %%r5, %%r6; shl.b32 %%r6, %%r6, 2; add.u32 %%r6, %%r6, %%r4;\n"
		"add.u32 %%r2, %%r2, %%r6;\n"
		"setp.eq.u32 %%p0, %%r2, 0; @%%p0 bra END;\n"
		"%s\nEND: ret; }\n",
		body);
	assert_false(t.failed);
	return t;
}

struct owners {
	double sum;
};

static void add_owner(void *ctx, const struct metric *m)
{
	struct owners *o = ctx;

	if (!strncmp(m->name, "sched__cycles_", 14))
		o->sum += (double)m->count;
}

struct sought {
	const char *path;
	unsigned value;
};

static void seek(
	void *ctx, const char *path, const char *value, const struct param_def *def, bool given)
{
	struct sought *s = ctx;
	(void)def;
	(void)given;

	if (!strcmp(path, s->path))
		s->value = (unsigned)strtoul(value, NULL, 0);
}

static unsigned setting(const struct kit *k, const char *path)
{
	struct sought s = {.path = path};

	config_echo(k->config, seek, &s);
	assert_int_not_equal(s.value, 0);
	return s.value;
}

void expect_balanced_counters(struct kit *k)
{
	struct owners o = {0};
	double cycles = kit_metric(k, "chip__cycles_simulated.max");

	chip_metrics(k->gpu, add_owner, &o);
	assert_true(o.sum == cycles * setting(k, "chip.sms") * setting(k, "sm.schedulers"));
	assert_true(kit_metric(k, "sched__cycles_selected.sum") ==
		    kit_metric(k, "smsp__inst_issued.sum") -
			    kit_metric(k, "smsp__inst_issued_second.sum"));
}

struct probed probe_run(const struct probe *p)
{
	struct probed d = {.k = kit_new(p->settings)};
	struct text ptx = probe_ptx(p->body);

	d.in = kit_buffer(&d.k, "in", PROBE_IN);
	d.out = kit_buffer(&d.k, "out", PROBE_OUT);
	kit_launch(&d.k, kit_module(&d.k, text_str(&ptx)), "k", p->ctas ? p->ctas : 1,
		p->threads ? p->threads : 1, 2, (uint64_t[]){KIT_BUF(d.in), KIT_BUF(d.out)});
	text_clear(&ptx);
	kit_run(&d.k);
	expect_balanced_counters(&d.k);
	return d;
}

void probe_free(struct probed *d)
{
	kit_free(&d->k);
}

uint32_t probe_u32(struct probed *d, unsigned thread)
{
	return kit_u32(&d->k, d->out, thread);
}

double probe_metric(struct probed *d, const char *name)
{
	return kit_metric(&d->k, name);
}

uint32_t probe_cycles(const struct probe *p)
{
	struct probed d = probe_run(p);
	uint32_t cycles = probe_u32(&d, 0);

	probe_free(&d);
	return cycles;
}
