/* Modules' variables in device memory: each module has its own of a name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/rig/support_gpu.h"

/* Writes a word into its own variable `out`; `table` is in constant memory. */
#define STORE(word) \
	".version 7.0\n.target sm_70\n.address_size 32\n" \
	".const .align 4 .b8 table[64];\n" \
	".visible .global .align 4 .u32 out[4];\n" \
	".visible .entry store()\n" \
	"{ .reg .u32 %r<2>; .shared .u32 near;\n" \
	"mov.u32 %r1, " word "; st.shared.u32 [near], %r1; st.global.u32 [out+4], %r1; ret; }\n"

static void a_name_means_the_modules_own_variable(void **state)
{
	struct kit k = kit_new("chip.sms=1");
	module_t m[2] = {kit_module(&k, STORE("5")), kit_module(&k, STORE("6"))};
	buffer_t out[2];

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		out[i] = gpu_variable(k.gpu, m[i], "out");
		assert_int_not_equal(out[i], 0);
		assert_int_equal(gpu_buffer_bytes(k.gpu, out[i]), 16);
		kit_launch(&k, m[i], "store", 1, 1, 0, NULL);
	}
	kit_run(&k);
	assert_int_equal(kit_u32(&k, out[0], 1), 5);
	assert_int_equal(kit_u32(&k, out[1], 1), 6);
	kit_free(&k);
}

static void only_variables_of_device_memory_are_found(void **state)
{
	struct kit k = kit_new("chip.sms=1");
	module_t m = kit_module(&k, STORE("5"));

	(void)state;
	kit_buffer(&k, "host", 4);
	assert_int_not_equal(gpu_variable(k.gpu, m, "table"), 0);
	assert_int_equal(gpu_variable(k.gpu, m, "near"), 0);
	assert_int_equal(gpu_variable(k.gpu, m, "host"), 0);
	kit_free(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_means_the_modules_own_variable),
		cmocka_unit_test(only_variables_of_device_memory_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
