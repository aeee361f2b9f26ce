/* Kernels with different needs on one SM: their registers and shared memory survive kernels beside
 * and after them, whether storage is split for each or for all at once. */
#include "tests/rig/support_gpu.h"

#include "core/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define THREADS 64u
#define CTAS 6u
#define ROUNDS 20u
#define MOST_KEPT 40u

/* Every thread keeps this number of values in registers, and a word at the end of shared memory,
 * which its neighbour reads in each round. */
struct keeper {
	const char *name;
	unsigned kept, shared_bytes;
};
static const struct keeper keepers[] = {{"few", 4, 20480}, {"many", 40, 1024}};

static void write_keeper(const struct keeper *k, struct text *t)
{
	text_raw(t,
		".visible .entry %s(.param .u32 out)\n{\n.reg .u32 %%r<20>, %%v<50>;\n"
		".reg .pred %%p<2>;\n.shared .align 128 .b8 %s_capacity[%u];\n"
		"ld.param.u32 %%r1, [out]; mov.u32 %%r2, %%tid.x; mov.u32 %%r3, %%ctaid.x;\n"
		"mad.lo.u32 %%r4, %%r3, %u, %%r2;\n",
		k->name, k->name, k->shared_bytes, THREADS);
	for (unsigned i = 0; i < k->kept; i++)
		text_raw(t, "mad.lo.u32 %%v%u, %%r4, %u, %u;\n", i, 2 * i + 3, i);
	text_raw(t,
		"mov.u32 %%r5, %s_capacity; add.u32 %%r5, %%r5, %u; shl.b32 %%r6, %%r2, 2;\n"
		"add.u32 %%r7, %%r5, %%r6; xor.b32 %%r6, %%r6, 4; add.u32 %%r8, %%r5, %%r6;\n"
		"mov.u32 %%r9, 0;\nAGAIN:\n"
		"st.shared.u32 [%%r7], %%v0; bar.sync 0; ld.shared.u32 %%r10, [%%r8]; "
		"bar.sync 0;\n",
		k->name, k->shared_bytes - 4 * THREADS);
	for (unsigned i = 0; i < k->kept; i++)
		text_raw(t, "mad.lo.u32 %%v%u, %%v%u, 5, %%r10;\n", i, i);
	text_raw(t,
		"add.u32 %%r9, %%r9, 1; setp.lt.u32 %%p1, %%r9, %u; @%%p1 bra AGAIN;\n"
		"mov.u32 %%r11, 0;\n",
		ROUNDS);
	for (unsigned i = 0; i < k->kept; i++)
		text_raw(t, "mad.lo.u32 %%r11, %%r11, 31, %%v%u;\n", i);
	text_raw(t, "shl.b32 %%r4, %%r4, 2; add.u32 %%r1, %%r1, %%r4;\n"
		    "st.global.u32 [%%r1], %%r11; ret;\n}\n");
}

static struct text module_text(void)
{
	struct text t = {0};

	text_raw(&t, ".version 5.0\n.target sm_35\n.address_size 32\n");
	for (unsigned i = 0; i < ARRAY_LEN(keepers); i++)
		write_keeper(&keepers[i], &t);
	assert_false(t.failed);
	return t;
}

/* What a CTA's threads store. */
static void reckon(const struct keeper *k, unsigned cta, uint32_t out[THREADS])
{
	uint32_t v[THREADS][MOST_KEPT], word[THREADS];

	for (unsigned t = 0; t < THREADS; t++)
		for (unsigned i = 0; i < k->kept; i++)
			v[t][i] = (cta * THREADS + t) * (2 * i + 3) + i;
	for (unsigned n = 0; n < ROUNDS; n++) {
		for (unsigned t = 0; t < THREADS; t++)
			word[t] = v[t][0];
		for (unsigned t = 0; t < THREADS; t++)
			for (unsigned i = 0; i < k->kept; i++)
				v[t][i] = v[t][i] * 5 + word[t ^ 1];
	}
	for (unsigned t = 0; t < THREADS; t++) {
		out[t] = 0;
		for (unsigned i = 0; i < k->kept; i++)
			out[t] = out[t] * 31 + v[t][i];
	}
}

#define LAUNCHES 6u

/* Launches take turns, each kernel in a stream of its own. */
static void launch_all(struct kit *k, const char *ptx, buffer_t out[LAUNCHES])
{
	module_t m = kit_module(k, ptx);

	for (unsigned i = 0; i < LAUNCHES; i++) {
		out[i] = kit_buffer(k, "out", (uint64_t)CTAS * THREADS * 4);
		kit_launch_on(k, m, keepers[i % 2].name, CTAS, THREADS, 1,
			(const uint64_t[]){KIT_BUF(out[i])}, 0, i % 2);
	}
}

static void foresee(struct kit *k, const char *ptx)
{
	struct kit stage = {.config = k->config};
	buffer_t out[LAUNCHES];

	stage.gpu = gpu_new(k->config, NULL, &stage.err);
	assert_non_null(stage.gpu);
	launch_all(&stage, ptx, out);
	assert_int_equal(chip_foresee(k->gpu, stage.gpu, &stage.err), 0);
	assert_false(chip_must_foresee(k->gpu));
	gpu_free(stage.gpu);
}

struct outcome {
	double repartitions, cycles;
};

static struct outcome run(const char *settings)
{
	struct text ptx = module_text();
	struct kit k = kit_new(settings);
	buffer_t out[LAUNCHES];
	struct outcome o;
	uint32_t want[THREADS];

	if (chip_must_foresee(k.gpu))
		foresee(&k, text_str(&ptx));
	launch_all(&k, text_str(&ptx), out);
	kit_run(&k);
	for (unsigned i = 0; i < LAUNCHES; i++)
		for (unsigned c = 0; c < CTAS; c++) {
			reckon(&keepers[i % 2], c, want);
			for (unsigned t = 0; t < THREADS; t++)
				assert_int_equal(kit_u32(&k, out[i], c * THREADS + t), want[t]);
		}
	o.repartitions = kit_metric(&k, "storage__repartitions.sum");
	o.cycles = kit_metric(&k, "gpc__cycles_elapsed.max");
	kit_free(&k);
	text_clear(&ptx);
	return o;
}

/* With 128 KB one CTA after the other; by kernel the SM changes for each launch that follows one of
 * the other kernel, so that nothing overlaps; for both at once they run side by side. */
static void what_kernels_keep_survives_those_beside_and_after_them(void **state)
{
	static const char *const machines[] = {
		"chip.sms=1 chip.storage=unified",
		"chip.sms=1 chip.storage=unified storage.unified.bytes=128K",
		"chip.sms=1 chip.storage=unified sm.bank_conflicts=cycle rf.hierarchy=software",
		"chip.sms=3 chip.storage=unified sm.warps=4 sm.ctas=2",
	};
	char settings[200];

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(machines); i++) {
		struct outcome each, once;

		snprintf(settings, sizeof(settings), "%s chip.partition=kernel", machines[i]);
		each = run(settings);
		snprintf(settings, sizeof(settings), "%s chip.partition=application", machines[i]);
		once = run(settings);
		assert_true(each.repartitions >= 1);
		assert_true(once.repartitions == 0);
		assert_true(i == 3 || once.cycles < each.cycles);
	}
}

static void so_it_does_in_designs_of_fixed_sizes(void **state)
{
	(void)state;
	assert_true(run("chip.sms=1").repartitions == 0);
	assert_true(
		run("chip.sms=1 chip.storage=fermi chip.partition=application").repartitions == 0);
	assert_true(run("chip.sms=1 chip.storage=fermi storage.fermi.splits=128/16,16/128 "
			"chip.partition=kernel")
			    .repartitions >= 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_kernels_keep_survives_those_beside_and_after_them),
		cmocka_unit_test(so_it_does_in_designs_of_fixed_sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
