/* Wide operands: what counts as one instruction, illegal addresses, mistakes in the text. */
#include "tests/rig/wide_rig.h"

static struct untimed_counts counts_of(const char *body)
{
	rig.counts = (struct untimed_counts){0};
	assert_int_equal(try_body(body, 64), 0);
	return rig.counts;
}

static void each_access_is_one_instruction(void **state)
{
	static const char *const accesses[] = {"ld.global.b128 %q0, [%a0];\n",
		"st.global.b128 [%a0], %q0;\n", "atom.global.exch.b128 %q0, [%a0], %q1;\n",
		"atom.global.cas.b128 %q0, [%a0], %q1, %q2;\n",
		"red.global.add.v4.f32 [%a0], {%f0, %f1, %f2, %f3};\n",
		"atom.global.add.noftz.v4.f16 {%h0, %h1, %h2, %h3}, [%a0], {%h4, %h5, %h6, %h7};\n",
		"atom.global.max.noftz.v4.bf16x2 {%r4,%r5,%r6,%r7}, [%a0], {%r8,%r9,%r0,%r1};\n"};
	static const char eight[] = "red.global.add.noftz.v8.f16 [%a0], "
				    "{%h0, %h1, %h2, %h3, %h4, %h5, %h6, %h7};\n";
	struct untimed_counts none = counts_of(""), some;
	(void)state;

	for (unsigned i = 0; i < ARRAY_LEN(accesses); i++) {
		some = counts_of(accesses[i]);
		assert_true(some.warp_instructions == none.warp_instructions + 1);
		assert_true(some.by_class[CLASS_MEMORY] == none.by_class[CLASS_MEMORY] + 1);
	}
	some = counts_of(eight); /* and four that pack the halves */
	assert_true(some.warp_instructions == none.warp_instructions + 5);
	assert_true(some.by_class[CLASS_MEMORY] == none.by_class[CLASS_MEMORY] + 1);
}

/* ---- illegal acts */

static void addresses_are_multiples_of_all_bytes(void **state)
{
	static const struct {
		const char *access;
		unsigned bytes, off;
	} row[] = {
		{"ld.global.b128 %q0, [%a2];", 16, 8},
		{"ld.b128 %q0, [%a2];", 16, 4},
		{"st.global.b128 [%a2], %q0;", 16, 8},
		{"atom.global.exch.b128 %q0, [%a2], %q1;", 16, 8},
		{"atom.cas.b128 %q0, [%a2], %q1, %q1;", 16, 8},
		{"red.global.add.v4.f32 [%a2], {%f0, %f0, %f0, %f0};", 16, 8},
		{"red.global.add.v2.f32 [%a2], {%f0, %f0};", 8, 4},
		{"red.global.add.noftz.v2.f16 [%a2], {%h0, %h0};", 4, 2},
		{"red.global.min.noftz.v4.bf16 [%a2], {%h0, %h0, %h0, %h0};", 8, 4},
		{"ld.global.v8.b32 {%r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10}, [%a2];", 32, 16},
		{"st.v8.f32 [%a2], {%f0, %f0, %f0, %f0, %f0, %f0, %f0, %f0};", 32, 8},
		{"red.max.noftz.v8.f16 [%a2], {%h0, %h1, %h2, %h3, %h4, %h5, %h6, %h7};", 16, 8},
	};
	(void)state;

	for (unsigned i = 0; i < 2 * ARRAY_LEN(row); i++) {
		struct text body = {0};

		/* lane 5 alone is wrong */
		text_raw(&body,
			"setp.eq.u32 %%p2, %%r0, 5;\nmov.b# %%a2, %%a0;\n"
			"@%%p2 add.u# %%a2, %%a2, %u;\n%s\n",
			row[i / 2].off, row[i / 2].access);
		assert_int_equal(try_body(text_str(&body), i % 2 ? 32 : 64), -1);
		assert_int_equal(rig.fault.kind, FAULT_MISALIGNED);
		assert_int_equal(rig.fault.lane, 5);
		assert_int_equal(rig.fault.bytes, row[i / 2].bytes);
		assert_true(rig.fault.address == GENERIC_GLOBAL_BASE + 5 * CELL + row[i / 2].off);
		text_clear(&body);
	}
}

static void what_is_elsewhere_is_a_fault(void **state)
{
	static const char *const bodies[] = {
		"mov.u# %a2, sh;\ncvta.shared.u# %a2, %a2;\nred.add.v2.f32 [%a2], {%f0, %f0};\n",
		"mov.u# %a2, lo;\ncvta.local.u# %a2, %a2;\natom.exch.b128 %q0, [%a2], %q1;\n",
		"mov.u# %a2, sh;\natom.shared.exch.b128 %q0, [%a2+2048], %q1;\n",
		"atom.global.exch.b128 %q0, [%a0+65536], %q1;\n",
		"red.global.add.v4.f32 [%a0+65536], {%f0, %f0, %f0, %f0};\n"};
	(void)state;

	for (unsigned i = 0; i < 2 * ARRAY_LEN(bodies); i++) {
		assert_int_equal(try_body(bodies[i / 2], i % 2 ? 32 : 64), -1);
		assert_int_equal(rig.fault.kind, FAULT_OUT_OF_BOUNDS);
	}
}

static void errors_are_reported(void **state)
{
	static const struct {
		const char *line, *says;
	} row[] = {
		{"ld.global.u64 %q0, [%a0];", "a .u64 or .b64 or wider one is needed"},
		{"ld.global.b128 %d0, [%a0];", "a .b128 one is needed"},
		{"st.global.b128 [%a0], 5;", "a register of .b128 is needed here, not `5`"},
		{"mov.b128 %q0, {%d0, %d1, %d2, %d3};",
			"between .b128 and 4 parts is not supported"},
		{"mov.b128 %q0, {%r0, %d1};", "a .b64 one is needed"},
		{"mov.b128 %q0, %d0;", "a .b128 one is needed"},
		{"red.global.add.noftz.v8.f16 [%a0], {%h0, %h1};",
			"8 elements in braces are needed"},
		{"red.global.add.noftz.v8.f16 [%a0], %h0;", "8 elements in braces are needed"},
		{"red.global.add.v2.f32 [%a0], {%f0, %f1, %f2};",
			"2 elements in braces are needed"},
		{"red.global.add.noftz.v8.f16 [%a0], {%h0, %h1, %h2, %h3, %h4, %h5, %h6, %r0};",
			"a .f16 or .b16 one is needed"},
		{".reg .v2 .b128 %v;", "a vector of 2 .b128 has more than 128 bits"},
	};
	(void)state;

	for (unsigned i = 0; i < ARRAY_LEN(row); i++) {
		struct arena arena = {0};
		struct err err = {0};
		struct text all = {0};
		jmp_buf escape;

		arena.escape = &escape;
		if (setjmp(escape))
			fail_msg("no memory");
		text_raw(&all, ".version 8.3\n.target sm_90\n.address_size 64\n");
		add_bits(&all, wide_head, 64);
		text_raw(&all, "%s\nret;\n}\n", row[i].line);
		module_compile("k.ptx", text_str(&all), strlen(text_str(&all)),
			&(struct compile_options){0}, &arena, &err);
		if (err.count != 1 || !strstr(err_text(&err), row[i].says))
			fail_msg("%s: %s", row[i].line, err.count ? err_text(&err) : "no message");
		err_clear(&err);
		text_clear(&all);
		arena_free(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_access_is_one_instruction),
		cmocka_unit_test(addresses_are_multiples_of_all_bytes),
		cmocka_unit_test(what_is_elsewhere_is_a_fault),
		cmocka_unit_test(errors_are_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
