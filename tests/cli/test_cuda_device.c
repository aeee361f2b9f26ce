/* tests/preload/device.c: what a program sees of the chip, and which of its codes is taken. */
#include "tests/rig/support_cuda.h"

#include "core/base.h"
#include "core/mem.h"

#include <stdio.h>
#include <string.h>

#ifdef HAVE_CUDA

static int set_up(void **state)
{
	static struct pack p;
	static char newer[2048]; /* has another kernel */
	const struct pack_entry e[] = {{.arch = 120, .ptx = "not this"},
		{.arch = 70, .ptx = cuda_ptx}, {.arch = 80, .ptx = newer}};
	const struct desk *d;
	char path[128];
	FILE *f;

	desk_set_up(state);
	d = *state;
	snprintf(newer, sizeof(newer), "%s.visible .entry newer()\n{\n\tret;\n}\n", cuda_ptx);
	pack_fatbin(&p, e, ARRAY_LEN(e));
	snprintf(path, sizeof(path), "%s/app.fatbin", d->folder);
	f = fopen(path, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(p.at, 1, p.n, f), p.n);
	fclose(f);
	cuda_build(d, "device.c", "libcudart.so.13");
	return 0;
}

/* Compute capability, shared memory of a CTA, on request and reserved, of an SM, and SMs are those
 * of CUDA's guide and of the products. */
static void a_program_sees_the_products_facts(void **state)
{
	static const struct {
		const char *chip, *out;
	} rows[] = {{"m12", "9 0 49152 65536 0 65536 32 1 1 1024 code 80\n"},
		{"gtx480", "2 0 49152 49152 0 49152 15 1 1 1536 code 70\n"},
		{"t4", "7 5 49152 65536 0 65536 40 1 1 1024 code 70\n"},
		{"a100", "8 0 49152 166912 1024 167936 108 1 1 2048 code 80\n"},
		{"h100", "9 0 49152 232448 1024 233472 132 1 1 2048 code 80\n"}};
	const struct desk *d = *state;

	for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
		char command[64];

		snprintf(command, sizeof(command), "cuda --quiet --chip %s -- %%F/app",
			rows[i].chip);
		assert_int_equal(desk_run(d, command), 0);
		assert_says(d, "out", rows[i].out);
	}
}

static void code_that_a_gpu_would_refuse_is_noted(void **state)
{
	const struct desk *d = *state;
	char *err;

	assert_int_equal(desk_run(d, "cuda --quiet --chip p100 -- %F/app"), 0);
	assert_says(d, "out", "6 0 49152 49152 0 65536 56 1 1 2048 code 70\n");
	assert_says(d, "err",
		"the program's PTX is for sm_70 and later; a GPU of compute capability 6.0, as this "
		"chip's, would refuse it");
	assert_int_equal(desk_run(d, "cuda --quiet --chip t4 -- %F/app"), 0);
	err = desk_content(d, "err");
	assert_null(strstr(err, "would refuse"));
	mem_free(err);
}

static void shared_memory_above_48_kb_is_asked_for(void **state)
{
	const struct desk *d = *state;

	assert_int_equal(desk_run(d, "cuda --quiet --chip a100 -- %F/app"), 0);
	assert_says(d, "out", "shared 1 0 0\n");
	assert_says(d, "err",
		"kernel 'fill': 60000 bytes of dynamic shared memory, of which it has 49152 until "
		"cudaFuncSetAttribute(");
	assert_int_equal(desk_run(d, "cuda --quiet --chip p100 -- %F/app"), 0);
	assert_says(d, "out", "shared 1 1 1\n");
}

static bool lists_newer(const struct desk *d, const char *command)
{
	char *out;
	bool found;

	assert_int_equal(desk_run(d, command), 0);
	assert_says(d, "out", "fill");
	out = desk_content(d, "out");
	found = strstr(out, "newer");
	mem_free(out);
	return found;
}

static void commands_that_look_at_code_take_the_same(void **state)
{
	const struct desk *d = *state;

	assert_true(lists_newer(d, "check %F/app"));
	assert_true(lists_newer(d, "explain %F/app --chip a100"));
	assert_false(lists_newer(d, "explain %F/app --chip t4"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_program_sees_the_products_facts),
		cmocka_unit_test(code_that_a_gpu_would_refuse_is_noted),
		cmocka_unit_test(shared_memory_above_48_kb_is_asked_for),
		cmocka_unit_test(commands_that_look_at_code_take_the_same),
	};

	return cmocka_run_group_tests(tests, set_up, desk_tear_down);
}

#else

int main(void)
{
	return 77; /* no such programs here */
}

#endif
