/* malloc() and free() in a scenario's PTX. */
#include "tests/rig/support_cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "core/mem.h"

#define PTX_HEAD ".version 6.0\n.target sm_50\n.address_size 64\n"
#define INDEX \
	"ld.param.u64 %o, [out]; mov.u32 %i, %tid.x; mov.u32 %c, %ctaid.x;\n" \
	"mad.lo.u32 %i, %c, 64, %i; mul.wide.u32 %n, %i, 8; add.u64 %o, %o, %n;\n"
#define REGS ".reg .b64 %o, %n, %p; .reg .b32 %i, %c, %b; .reg .pred %q;\n"

/* get: sizes by thread, each block filled with its index; put frees those of odd threads */
static const char ptx[] =
	PTX_HEAD ".extern .func (.param .b64 r) malloc (.param .b64 n);\n"
		 ".extern .func free (.param .b64 p);\n"
		 ".visible .entry get(.param .u64 out)\n{\n" REGS INDEX
		 "and.b32 %b, %i, 7; mad.lo.u32 %b, %b, 24, 8; cvt.u64.u32 %n, %b;\n"
		 "{ .param .b64 x; .param .b64 y; st.param.b64 [x], %n;\n"
		 "call.uni (y), malloc, (x); ld.param.b64 %p, [y]; }\n"
		 "st.global.u64 [%o], %p; add.u64 %p, %p, %n; st.global.u32 [%p-4], %i; ret;\n}\n"
		 ".visible .entry put(.param .u64 out)\n{\n" REGS INDEX
		 "and.b32 %c, %i, 1; setp.eq.u32 %q, %c, 0; @%q ret;\n"
		 "ld.global.u64 %p, [%o];\n"
		 "{ .param .b64 x; st.param.b64 [x], %p; call free, (x); }\nret;\n}\n"
		 ".visible .entry inside(.param .u64 out)\n{\n" REGS INDEX
		 "ld.global.u64 %p, [%o]; add.u64 %p, %p, 8;\n"
		 "{ .param .b64 x; st.param.b64 [x], %p; call free, (x); }\nret;\n}\n";

static const char scenario[] =
	"buffers:\n  out: { type: u64, count: 512 }\nlaunches:\n"
	"  - { module: m.ptx, kernel: get, grid: 8, block: 64, args: [ {buffer: out} ] }\n"
	"  - { module: m.ptx, kernel: put, grid: 8, block: 64, args: [ {buffer: out} ] }\n"
	"  - { module: m.ptx, kernel: get, grid: 8, block: 64, args: [ {buffer: out} ] }\n";

static void put_file(const struct desk *d, const char *name, const char *text, const char *more)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", d->folder, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, "%s%s", text, more);
	fclose(f);
}

static int set_up(void **state)
{
	desk_set_up(state);
	put_file(*state, "m.ptx", ptx, "");
	put_file(*state, "m.yaml", scenario, "");
	return 0;
}

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void blocks_are_apart_and_the_same_for_any_number_of_threads(void **state)
{
	static const char *const commands[] = {
		"run --quiet --set chip.sms=4 %F/m.yaml --dump out=%F/a",
		"run --quiet --set chip.sms=4 --threads 2 %F/m.yaml --dump out=%F/b"};
	const struct desk *d = *state;
	uint64_t *a = NULL, *b;

	for (unsigned i = 0; i < ARRAY_LEN(commands); i++)
		assert_int_equal(desk_run(d, commands[i]), 0);
	a = (void *)desk_content(d, "a");
	b = (void *)desk_content(d, "b");
	assert_memory_equal(a, b, 512 * 8);
	qsort(a, 512, 8, by_value);
	for (unsigned i = 0; i < 512; i++) {
		assert_int_equal(a[i] % 16, 0);
		assert_true(!i || a[i] >= a[i - 1] + 32);
	}
	mem_free(a);
	mem_free(b);
}

static void what_is_no_block_is_told_with_its_place(void **state)
{
	const struct desk *d = *state;

	put_file(d, "w.yaml", scenario,
		"  - { module: m.ptx, kernel: inside, grid: 1, block: 1, args: [ {buffer: out} ] }\n");
	assert_int_equal(desk_run(d, "exec --quiet %F/w.yaml"), 6);
	assert_says(d, "err", ", which malloc() did not return, thread (0,0,0) of CTA (0,0,0), ");
	assert_says(d, "err", "/m.ptx:32:");
}

static void a_heap_that_is_full_returns_null(void **state)
{
	const struct desk *d = *state;

	/* the store to address 0 + size is the fault */
	assert_int_equal(desk_run(d, "exec --quiet --set gpu.heap_bytes=8K %F/m.yaml"), 6);
	assert_says(d, "err", "out-of-bounds 4-byte store to global address 0x");
}

static void check_takes_it_and_32_bit_addresses_are_refused(void **state)
{
	const struct desk *d = *state;

	assert_int_equal(desk_run(d, "check %F/m.ptx"), 0);
	put_file(d, "s.ptx",
		".version 6.0\n.target sm_50\n.address_size 32\n"
		".extern .func free (.param .b32 p);\n.visible .entry k()\n{\n"
		"{ .param .b32 x; st.param.b32 [x], 0; call free, (x); }\nret;\n}\n",
		"");
	assert_int_equal(desk_run(d, "check %F/s.ptx"), 3);
	assert_says(d, "err", "malloc");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test(name)
		TEST(blocks_are_apart_and_the_same_for_any_number_of_threads),
		TEST(what_is_no_block_is_told_with_its_place),
		TEST(a_heap_that_is_full_returns_null),
		TEST(check_takes_it_and_32_bit_addresses_are_refused),
#undef TEST
	};

	return cmocka_run_group_tests(tests, set_up, desk_tear_down);
}
