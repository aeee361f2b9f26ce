/* Buffers above 4 GB, of the host's own pages, and freed ones, as kernels see them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/rig/profile_rig.h"

#include <string.h>

#define STORE \
	".version 7.0\n.target sm_70\n.address_size 64\n" \
	".visible .entry store(.param .u64 to)\n" \
	"{ .reg .u64 %a; .reg .u32 %v;\n" \
	"ld.param.u64 %a, [to]; ld.global.u32 %v, [%a]; add.u32 %v, %v, 1;\n" \
	"st.global.u32 [%a], %v; ret; }\n"

static void launch(struct kit *k, module_t m, uint64_t to)
{
	const struct launch_arg args[] = {ARG_VAL(to)};
	struct launch l = {.module = m,
		.kernel = "store",
		.grid = {1, 1, 1},
		.block = {1, 1, 1},
		.args = args,
		.nargs = 1};

	assert_int_equal(gpu_launch(k->gpu, &l, &k->err), 0);
}

static void kernels_reach_buffers_above_4_gigabytes(void **state)
{
	struct kit k = kit_new("chip.sms=1");
	module_t m = kit_module(&k, STORE);
	buffer_t b = gpu_buffer_high(k.gpu, "b", 4, &k.err);

	(void)state;
	assert_true(gpu_buffer_address(k.gpu, b) >= UINT64_C(1) << 32);
	launch(&k, m, gpu_buffer_address(k.gpu, b));
	kit_run(&k);
	assert_int_equal(kit_u32(&k, b, 0), 1);
	assert_int_equal(gpu_memory_bytes(k.gpu), 4);
	kit_free(&k);
}

static void kernels_store_into_the_hosts_pages(void **state)
{
	static uint32_t pages[1024];
	struct kit k = kit_new("chip.sms=1");
	module_t m = kit_module(&k, STORE);
	buffer_t b = gpu_buffer_at(k.gpu, "managed", pages, sizeof(pages), &k.err);

	(void)state;
	pages[2] = 41;
	launch(&k, m, gpu_buffer_address(k.gpu, b) + 8);
	kit_run(&k);
	assert_int_equal(pages[2], 42);
	kit_free(&k);
	assert_int_equal(pages[2], 42);
}

static void an_access_to_a_freed_buffer_is_told(void **state)
{
	struct kit k = kit_new("chip.sms=1");
	module_t m = kit_module(&k, STORE);
	buffer_t b = gpu_buffer_high(k.gpu, "weights", 1000, &k.err);

	(void)state;
	launch(&k, m, gpu_buffer_address(k.gpu, b) + 16);
	gpu_buffer_free(k.gpu, b);
	assert_int_equal(gpu_memory_bytes(k.gpu), 0);
	assert_int_equal(chip_run(k.gpu, 0, NULL, &k.err), -1);
	assert_int_equal(k.err.code, ERR_FAULT);
	assert_non_null(strstr(err_text(&k.err), "it was in buffer 'weights'"));
	assert_non_null(strstr(err_text(&k.err), "which was freed"));
	kit_free(&k);
}

/* The second buffer has the first one's handle and addresses: each name has its own traffic. */
static void traffic_of_a_freed_buffer_keeps_its_name(void **state)
{
	static const char *const called[] = {"first", "second"};
	struct rig r;
	module_t m;
	uint64_t address[2];

	(void)state;
	rig_new(&r, "chip.sms=1", 1);
	m = kit_module(&r.kit, STORE);
	for (unsigned i = 0; i < 2; i++) {
		buffer_t b = gpu_buffer_high(r.kit.gpu, called[i], 256, &r.kit.err);

		address[i] = gpu_buffer_address(r.kit.gpu, b);
		launch(&r.kit, m, address[i]);
		assert_int_equal(chip_run(r.kit.gpu, 0, NULL, &r.kit.err), 0);
		gpu_buffer_free(r.kit.gpu, b);
	}
	assert_true(address[0] == address[1]);
	chip_close(r.kit.gpu);
	rig_sum(&r);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(buffer(&r, called[i]).n[PROFILE_LOADED], 16);
		assert_int_equal(buffer(&r, called[i]).n[PROFILE_STORED], 16);
	}
	rig_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernels_reach_buffers_above_4_gigabytes),
		cmocka_unit_test(kernels_store_into_the_hosts_pages),
		cmocka_unit_test(an_access_to_a_freed_buffer_is_told),
		cmocka_unit_test(traffic_of_a_freed_buffer_keeps_its_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
