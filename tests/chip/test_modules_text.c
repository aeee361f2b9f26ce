/* Modules of texts in memory, and what a host asks about their kernels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/rig/support_gpu.h"

#include <string.h>

#define HEAD ".version 7.0\n.target sm_70\n.address_size 64\n"
#define CALLER \
	HEAD ".extern .func (.reg .u32 %out) twice(.reg .u32 %in);\n" \
	     ".visible .global .align 4 .u32 result;\n" \
	     ".visible .entry go(.param .u8 small, .param .u64 to, .param .align 16 .b8 s[24])\n" \
	     ".maxntid 96, 2, 1\n" \
	     "{ .reg .u32 %r<3>; .shared .align 4 .b8 mine[4096]; mov.u32 %r1, 21; st.shared.u32 [mine], %r1;\n" \
	     "call (%r2), twice, (%r1); st.global.u32 [result], %r2; ret; }\n"
#define CALLEE \
	HEAD ".visible .func (.reg .u32 %out) twice(.reg .u32 %in)\n" \
	     "{ add.u32 %out, %in, %in; ret; }\n"
#define PLAIN \
	HEAD ".visible .entry plain() { .shared .align 4 .b8 mine[4096]; .reg .u32 %r<2>;\n" \
	     "mov.u32 %r1, 1; st.shared.u32 [mine], %r1; ret; }\n"

static struct module_text text(const char *name, const char *ptx)
{
	return (struct module_text){.file = name, .text = ptx, .bytes = strlen(ptx)};
}

static module_t load_pair(struct kit *k)
{
	char names[2][16] = {"app, module 1", "app, module 2"};
	char one[] = CALLER, two[] = CALLEE;
	struct module_text set[] = {text(names[0], one), text(names[1], two)};
	module_t m = gpu_module_text(k->gpu, set, 2, &k->err);

	memset(names, 'x', sizeof(names));
	memset(one, 'x', sizeof(one));
	memset(two, 'x', sizeof(two));
	assert_int_equal(k->err.count, 0);
	assert_int_not_equal(m, 0);
	return m;
}

static void texts_are_linked_and_copied(void **state)
{
	static const unsigned char small = 1, bytes[24] = {0};
	static const uint64_t to = 0;
	const struct launch_arg args[] = {ARG_VAL(small), ARG_VAL(to), ARG_VAL(bytes)};
	struct kit k = kit_new("chip.sms=1");
	module_t m = load_pair(&k);
	struct launch l = {.module = m,
		.kernel = "go",
		.grid = {1, 1, 1},
		.block = {1, 1, 1},
		.args = args,
		.nargs = 3};

	(void)state;
	assert_int_equal(gpu_launch(k.gpu, &l, &k.err), 0);
	kit_run(&k);
	assert_int_equal(kit_u32(&k, gpu_variable(k.gpu, m, "result"), 0), 42);
	kit_free(&k);
}

static void texts_are_inputs_with_name_and_hash(void **state)
{
	struct kit k = kit_new("chip.sms=1");

	(void)state;
	kit_module(&k, PLAIN);
	load_pair(&k);
	assert_int_equal(gpu_files(k.gpu), 3);
	assert_string_equal(gpu_file(k.gpu, 1).path, "app, module 1");
	assert_string_equal(gpu_file(k.gpu, 2).path, "app, module 2");
	assert_true(gpu_file(k.gpu, 1).hash == gpu_hash(CALLER, strlen(CALLER)));
	assert_true(gpu_file(k.gpu, 2).hash == gpu_hash(CALLEE, strlen(CALLEE)));
	kit_free(&k);
}

static void a_text_need_not_end(void **state)
{
	struct kit k = kit_new("chip.sms=1");
	struct module_text t = text("cut", PLAIN ".visible .entry broken(");

	(void)state;
	t.bytes = strlen(PLAIN);
	assert_int_not_equal(gpu_module_text(k.gpu, &t, 1, &k.err), 0);
	assert_int_equal(k.err.count, 0);
	kit_free(&k);
}

static void a_wrong_text_is_told_by_its_name(void **state)
{
	struct kit k = kit_new("chip.sms=1");
	struct module_text t[] = {text("right", CALLER), text("wrong", HEAD "nonsense")};

	(void)state;
	assert_int_equal(gpu_module_text(k.gpu, t, 2, &k.err), 0);
	assert_non_null(strstr(err_text(&k.err), "wrong:4:"));
	kit_free(&k);
}

static void a_kernel_is_described(void **state)
{
	struct kit k = kit_new("chip.sms=1");
	module_t m = load_pair(&k);
	struct gpu_kernel_info i;

	(void)state;
	assert_int_equal(gpu_kernel_info(k.gpu, m, "go", &i, &k.err), 0);
	assert_int_equal(i.program->nparams, 3);
	assert_int_equal(i.program->params[1].offset, 8);
	assert_int_equal(i.program->params[1].bytes, 8);
	assert_int_equal(i.program->params[2].offset, 16);
	assert_int_equal(i.program->params[2].bytes, 24);
	assert_int_equal(i.shared_bytes, 4096);
	assert_int_equal(i.regs, i.program->regs);
	assert_int_equal(i.max_threads, 192);
	assert_int_equal(i.max_dynamic_bytes, 65536 - 4096);
	kit_free(&k);
}

/* Five warp slots, and 8 KB of shared memory of which the kernel has half. */
static void the_chip_limits_a_cta(void **state)
{
	struct kit k = kit_new("chip.sms=1 sm.warps=5 storage.partitioned.shared_bytes=8192");
	module_t m = kit_module(&k, PLAIN);
	struct gpu_kernel_info i;

	(void)state;
	assert_int_equal(gpu_kernel_info(k.gpu, m, "plain", &i, &k.err), 0);
	assert_int_equal(i.max_threads, 5 * WARP_LANES);
	assert_int_equal(i.max_dynamic_bytes, 4096);
	kit_free(&k);
}

/* What the description says is what gpu_launch accepts. */
static void the_limits_are_those_of_launches(void **state)
{
	struct kit k = kit_new("chip.sms=1 sm.warps=5");
	module_t m = kit_module(&k, PLAIN);
	struct launch l = {.module = m, .kernel = "plain", .grid = {1, 1, 1}, .block = {0, 1, 1}};
	struct gpu_kernel_info i;

	(void)state;
	assert_int_equal(gpu_kernel_info(k.gpu, m, "plain", &i, &k.err), 0);
	l.block[0] = i.max_threads;
	assert_int_equal(gpu_launch(k.gpu, &l, &k.err), 0);
	l.block[0] = i.max_threads + 1;
	assert_int_equal(gpu_launch(k.gpu, &l, &k.err), -1);
	l.block[0] = 1;
	l.shared_bytes = (uint32_t)i.max_dynamic_bytes;
	assert_int_equal(gpu_launch(k.gpu, &l, NULL), 0);
	l.shared_bytes++;
	assert_int_equal(gpu_launch(k.gpu, &l, NULL), -1);
	kit_free(&k);
}

static void an_unknown_kernel_lists_those_there_are(void **state)
{
	struct kit k = kit_new("chip.sms=1");
	module_t m = load_pair(&k);
	struct gpu_kernel_info i;

	(void)state;
	assert_int_equal(gpu_kernel_info(k.gpu, m, "gone", &i, &k.err), -1);
	assert_non_null(strstr(err_text(&k.err), "go"));
	kit_free(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_are_linked_and_copied),
		cmocka_unit_test(texts_are_inputs_with_name_and_hash),
		cmocka_unit_test(a_text_need_not_end),
		cmocka_unit_test(a_wrong_text_is_told_by_its_name),
		cmocka_unit_test(a_kernel_is_described),
		cmocka_unit_test(the_chip_limits_a_cta),
		cmocka_unit_test(the_limits_are_those_of_launches),
		cmocka_unit_test(an_unknown_kernel_lists_those_there_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
