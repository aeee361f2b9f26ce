/* More of anything does not cost time: bandwidth, channels, MSHRs, queues, caches, over kernels,
 * networks and models of DRAM. Twice as much costs at most 2%, with the exceptions below, which
 * doc/deviations.md explains (44, 45). MONOTONE=all in the environment runs every combination. */
#include "core/base.h"
#include "tests/rig/support_gpu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define BYTES (512u << 10)
#define BASE "chip.sms=8 chip.dispatch=static "

/* Thread %r5 of a grid of %r6 reads from %d1 (and writes to %d2), at %r3 threads a CTA. */
#define KERNEL(body) \
	".version 8.3\n.target sm_90\n.address_size 64\n.global .texref image;\n" \
	".visible .entry k(.param .u64 p, .param .u64 q)\n{\n.reg .pred %p<2>;\n" \
	".reg .b32 %r<32>;\n.reg .b64 %d<16>;\nld.param.u64 %d1, [p];\nld.param.u64 %d2, [q];\n" \
	"mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\n" \
	"mov.u32 %r4, %nctaid.x;\nmad.lo.u32 %r5, %r2, %r3, %r1;\nmul.lo.u32 %r6, %r3, %r4;\n" \
	"mul.wide.u32 %d3, %r5, 16;\nadd.u64 %d4, %d1, %d3;\nadd.u64 %d5, %d2, %d3;\n" \
	"mul.wide.u32 %d6, %r5, 4;\nadd.u64 %d7, %d1, %d6;\nmul.wide.u32 %d8, %r6, 4;\n" body \
	"add.u32 %r10, %r10, %r11;\nadd.u32 %r10, %r10, %r12;\nadd.u32 %r10, %r10, %r13;\n" \
	"setp.eq.u32 %p1, %r10, 1;\n@%p1 st.global.u32 [%d2], %r10;\nret;\n}\n"
#define VECTOR "{%r10, %r11, %r12, %r13}"
#define STRIDE(r) "ld.global.u32 " r ", [%d7];\nadd.u64 %d7, %d7, %d8;\n"
#define RANDOM(r) \
	"mad.lo.u32 %r7, %r7, 1664525, 1013904223;\nshr.u32 %r8, %r7, 9;\n" \
	"xor.b32 %r8, %r8, %r7;\nand.b32 %r8, %r8, 131071;\nmul.wide.u32 %d9, %r8, 4;\n" \
	"add.u64 %d9, %d1, %d9;\nld.global.u32 " r ", [%d9];\n"

/* Texel %r9, and then as far on as there are threads. */
#define FETCH(r) "tex.1d.v4.u32.s32 {" r ", _, _, _}, [image, {%r9}];\nadd.u32 %r9, %r9, %r6;\n"

static const struct kernel {
	const char *name, *ptx;
	unsigned threads;
} kernels[] = {
	{"contiguous", KERNEL("ld.global.v4.u32 " VECTOR ", [%d4];\n"), BYTES / 16},
	{"copy",
		KERNEL("ld.global.v4.u32 " VECTOR ", [%d4];\nst.global.v4.u32 [%d5], " VECTOR
		       ";\n"),
		BYTES / 16},
	{"grid-stride", KERNEL(STRIDE("%r10") STRIDE("%r11") STRIDE("%r12") STRIDE("%r13")),
		BYTES / 16},
	{"random",
		KERNEL("mul.lo.u32 %r7, %r5, 747796405;\n" RANDOM("%r10") RANDOM("%r11")
				RANDOM("%r12") RANDOM("%r13")),
		BYTES / 64},
	{"texture",
		KERNEL("mov.u32 %r9, %r5;\n" FETCH("%r10") FETCH("%r11") FETCH("%r12")
				FETCH("%r13")),
		BYTES / 16},
};

static const char *const networks[] = {"ideal", "voq", "crossbar", "router", "mesh"};

/* m12's shares: 42.667 B/ns a channel, four SMs for three slices. */
static const char *const drams[] = {"chip.channels=3 chip.bytes_per_ns=128",
	"chip.channels=3 chip.bytes_per_ns=128 chip.dram=banked"};

static const struct knob {
	const char *name, *more; /* settings */
	const char *network;     /* only there; NULL: everywhere */
	int dram;                /* only with that model; -1: with all */
} knobs[] = {
	{"bandwidth", "chip.bytes_per_ns=256", NULL, 0},
	{"channels", "chip.channels=6", NULL, 0},
	{"channels", "chip.channels=6 chip.bytes_per_ns=256", NULL, 1},
	{"l1.mshrs", "l1.mshrs=128", NULL, -1},
	{"l1.mshrs", "l1.mshrs=256", NULL, -1},
	{"l1.merges", "l1.merges=1024", NULL, -1},
	{"l1", "storage.partitioned.cache_bytes=131072", NULL, -1},
	{"sm.lsu_queue", "sm.lsu_queue=16", NULL, -1},
	{"sm.lsu_ops", "sm.lsu_ops=512", NULL, -1},
	{"l2", "l2.bytes=131072", NULL, -1},
	{"l2.mshrs", "l2.mshrs=512", NULL, -1},
	{"l2.merges", "l2.merges=2048", NULL, -1},
	{"l2.replies", "l2.replies=64", NULL, -1},
	{"l2.dram_queue", "l2.dram_queue=32", NULL, -1},
	{"l2.evict_queue", "l2.evict_queue=1024", NULL, -1},
	{"l2.fill_queue", "l2.fill_queue=16", NULL, -1},
	{"dram.queue", "dram.queue=128", NULL, 0},
	{"chip.link_queue", "chip.link_queue=16", NULL, -1},
	{"noc.queue", "noc.reply.queue=128 noc.request.queue=128", "voq", -1},
	{"noc.vcs", "noc.reply.vcs=8 noc.request.vcs=8", "router", -1},
	{"noc.vcs", "noc.reply.vcs=8 noc.request.vcs=8", "mesh", -1},
	{"noc.vc_flits", "noc.reply.vc_flits=16 noc.request.vc_flits=16", "router", -1},
	{"noc.vc_flits", "noc.reply.vc_flits=16 noc.request.vc_flits=16", "mesh", -1},
};

/* Of the texture cache: for the kernel that has one. */
static const struct knob texture_knobs[] = {
	{"tex.mshrs", "tex.mshrs=256", NULL, -1},
	{"tex.merges", "tex.merges=2048", NULL, -1},
	{"tex", "tex.bytes=24576", NULL, -1},
};

/* What may cost more than 2%. NULL, -1: any. */
static const struct exception {
	const char *kernel, *network;
	int dram;
	const char *knob;
	double cost;
} exceptions[] = {
	/* packets behind those for other outputs: deviation 44 */
	{NULL, "crossbar", -1, NULL, 0.30},
	{NULL, "router", -1, NULL, 0.20},
	{NULL, "mesh", -1, NULL, 0.35},
	/* stores behind loads, row hits first: 45 */
	{"copy", NULL, -1, "sm.lsu_queue", 0.06},
	{"grid-stride", NULL, 1, "l1.mshrs", 0.10},
	/* channels of half the bandwidth each, and few MSHRs: 45 */
	{"texture", "ideal", 0, "channels", 0.03},
};

static double cycles_of(const struct kernel *kernel, const char *const settings[4])
{
	struct text all = {0};
	struct texture_desc d = {.type = TEXEL_U32, .channels = 1, .width = BYTES / 4};
	buffer_t in, out;
	module_t module;
	struct kit k;
	double cycles;

	for (unsigned i = 0; i < 4; i++)
		text_add(&all, "%s ", settings[i]);
	k = kit_new(text_str(&all));
	in = kit_buffer(&k, "in", BYTES);
	out = kit_buffer(&k, "out", BYTES);
	module = kit_module(&k, kernel->ptx);
	d.buffer = in;
	assert_int_equal(
		gpu_bind(k.gpu, module, "image", gpu_texture(k.gpu, "t", &d, &k.err), &k.err), 0);
	kit_launch(&k, module, "k", kernel->threads / 256, 256, 2,
		(uint64_t[]){KIT_BUF(in), KIT_BUF(out)});
	kit_run(&k);
	cycles = kit_metric(&k, "gpc__cycles_elapsed.max");
	kit_free(&k);
	text_clear(&all);
	return cycles;
}

static bool is(const char *asked, const char *name)
{
	return !asked || !strcmp(asked, name);
}

static double allowed(const char *kernel, const char *network, int dram, const char *knob)
{
	double most = 0.02;

	for (unsigned i = 0; i < ARRAY_LEN(exceptions); i++) {
		const struct exception *e = &exceptions[i];

		if (is(e->kernel, kernel) && is(e->network, network) && is(e->knob, knob) &&
			(e->dram < 0 || e->dram == dram) && e->cost > most)
			most = e->cost;
	}
	return most;
}

/* A run, less its last setting: what it takes without the knob. */
struct setup {
	const struct kernel *kernel;
	const char *network;
	int dram;
	double before; /* cycles */
};

/* Returns how many of the knobs cost too much. */
static unsigned turn(const struct setup *r, const struct knob *list, size_t n, const char *network)
{
	unsigned failed = 0;

	for (const struct knob *k = list; k < list + n; k++) {
		const char *settings[4] = {BASE, drams[r->dram], network, k->more};
		double cost;

		if (!is(k->network, r->network) || (k->dram >= 0 && k->dram != r->dram))
			continue;
		cost = cycles_of(r->kernel, settings) / r->before - 1;
		if (cost <= allowed(r->kernel->name, r->network, r->dram, k->name))
			continue;
		print_error("%s, %s, %s: %s costs %.1f%%\n", r->kernel->name, r->network,
			drams[r->dram], k->more, 100 * cost);
		failed++;
	}
	return failed;
}

/* Every knob of one kernel on one network with one model of DRAM. */
static unsigned turn_all(const struct kernel *kernel, const char *network, int dram)
{
	struct setup r = {.kernel = kernel, .network = network, .dram = dram};
	char chosen[64];
	const char *settings[4] = {BASE, drams[dram], chosen, ""};
	bool texture = !strcmp(kernel->name, "texture");

	snprintf(chosen, sizeof(chosen), "chip.network=%s", network);
	r.before = cycles_of(kernel, settings);
	return turn(&r, knobs, ARRAY_LEN(knobs), chosen) +
	       (texture ? turn(&r, texture_knobs, ARRAY_LEN(texture_knobs), chosen) : 0);
}

static void more_of_anything_costs_no_time(void **state)
{
	static const struct {
		unsigned kernel, network;
		int dram;
	} some[] = {{0, 1, 0}, {1, 0, 0}, {2, 1, 0}, {3, 1, 1}, {0, 2, 0}, {4, 1, 0}};
	const char *all = getenv("MONOTONE");
	unsigned failed = 0;
	(void)state;

	if (!all || strcmp(all, "all")) {
		for (unsigned i = 0; i < ARRAY_LEN(some); i++)
			failed += turn_all(
				&kernels[some[i].kernel], networks[some[i].network], some[i].dram);
		assert_int_equal(failed, 0);
		return;
	}
	for (unsigned k = 0; k < ARRAY_LEN(kernels); k++)
		for (unsigned n = 0; n < ARRAY_LEN(networks); n++)
			for (int d = 0; d < 2; d++)
				failed += turn_all(&kernels[k], networks[n], d);
	assert_int_equal(failed, 0);
}

/* The known exception is one, and queues by output are what removes it. */
static void more_mshrs_cost_time_where_replies_wait_in_fifos(void **state)
{
	const char *few[] = {BASE, drams[0], "chip.network=crossbar", ""};
	const char *many[] = {BASE, drams[0], "chip.network=crossbar", "l1.mshrs=256"};
	const char *voq[] = {BASE, drams[0], "chip.network=voq", "l1.mshrs=256"};
	double fifo = cycles_of(&kernels[0], few);
	(void)state;

	assert_true(cycles_of(&kernels[0], many) >= 1.1 * fifo);
	assert_true(cycles_of(&kernels[0], voq) <= 0.95 * fifo);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(more_of_anything_costs_no_time),
		cmocka_unit_test(more_mshrs_cost_time_where_replies_wait_in_fifos),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
