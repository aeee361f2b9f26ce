/* 128-bit registers: moves, loads, stores and atomics in every space, with inactive lanes. */
#include "tests/rig/wide_rig.h"

/* Generic addresses where `space` is empty: of `place`, which is global, shared or local. */
struct where {
	const char *space, *place;
};

static const struct where everywhere[] = {{".global", "global"}, {".shared", "shared"},
	{".shared::cta", "shared"}, {".local", "local"}, {"", "global"}, {"", "shared"},
	{"", "local"}};

static bool is_global(const struct where *w)
{
	return strcmp(w->place, "global") == 0;
}

/* %a2: the address of the access, which has the first 32 bytes of the cell. */
static void set_place(struct text *t, const struct where *w)
{
	if (is_global(w)) {
		text_raw(t, "mov.b# %%a2, %%a0;\n");
		return;
	}
	text_raw(t, "mov.u# %%a2, %s;\n", strcmp(w->place, "local") ? "sh" : "lo");
	if (strcmp(w->place, "local") != 0)
		text_raw(t, "add.u# %%a2, %%a2, %%a1;\n");
	for (unsigned k = 0; k < 32; k += 8)
		text_raw(t, "ld.global.u64 %%d7, [%%a0+%u];\nst.%s.u64 [%%a2+%u], %%d7;\n", k,
			w->place, k);
	if (!*w->space)
		text_raw(t, "cvta.%s.u# %%a2, %%a2;\n", w->place);
}

/* Back into the cell. */
static void fetch_place(struct text *t, const struct where *w)
{
	for (unsigned k = 0; k < 32 && !is_global(w); k += 8)
		text_raw(t, "ld%s.u64 %%d7, [%%a2+%u];\nst.global.u64 [%%a0+%u], %%d7;\n", w->space,
			k, k);
}

/* Stores the register at `at` of the cell, as two halves. */
static void show(struct text *t, const char *q, unsigned at)
{
	text_raw(t, "mov.b128 {%%d5, %%d6}, %s;\n", q);
	text_raw(t, "st.global.u64 [%%a0+%u], %%d5;\nst.global.u64 [%%a0+%u], %%d6;\n", at, at + 8);
}

static void each_way(void (*check)(const struct where *, bool guarded, unsigned bits))
{
	for (unsigned i = 0; i < 4 * ARRAY_LEN(everywhere); i++)
		check(&everywhere[i / 4], i % 2, i & 2 ? 32 : 64);
}

static void check_load(const struct where *w, bool guarded, unsigned bits)
{
	struct text body = {0};
	uint64_t seven[2] = {7, 9};

	fill_cells(bits);
	set_place(&body, w);
	text_raw(&body, "mov.b128 %%q0, {7, 9};\n%sld%s.b128 %%q0, [%%a2+16];\n",
		guarded ? "@%p1 " : "", w->space);
	show(&body, "%q0", 48);
	run_body(&body, bits);
	for (unsigned lane = 0; lane < WARP_LANES; lane++)
		assert_memory_equal(cell(lane, 48),
			takes_part(guarded, lane) ? cell(lane, 16) : (unsigned char *)seven, 16);
	text_clear(&body);
}

static void check_store(const struct where *w, bool guarded, unsigned bits)
{
	unsigned char before[WARP_LANES * CELL];
	struct text body = {0};

	fill_cells(bits + 1);
	memcpy(before, rig.words, sizeof(before));
	set_place(&body, w);
	text_raw(&body, "ld.global.u64 %%d0, [%%a0+32];\nld.global.u64 %%d1, [%%a0+40];\n"
			"mov.b128 %%q1, {%%d0, %%d1};\nmov.b128 %%q2, %%q1;\n");
	text_raw(&body, "%sst%s.b128 [%%a2], %%q2;\n", guarded ? "@%p1 " : "", w->space);
	fetch_place(&body, w);
	run_body(&body, bits);
	for (unsigned lane = 0; lane < WARP_LANES; lane++) {
		if (takes_part(guarded, lane))
			memcpy(before + lane * CELL, before + lane * CELL + 32, 16);
		assert_memory_equal(cell(lane, 0), before + lane * CELL, CELL);
	}
	text_clear(&body);
}

static void registers_of_128_bits_are_loaded_and_stored_in_every_space(void **state)
{
	(void)state;
	each_way(check_load);
	each_way(check_store);
}

static void other_loads_fill_128_bits_too(void **state)
{
	static const char *const loads[] = {"ldu.global.b128", "ldu.b128", "ld.global.nc.b128",
		"ld.volatile.global.b128", "ld.acquire.gpu.global.b128", "ld.global.cg.b128"};
	(void)state;

	for (unsigned i = 0; i < ARRAY_LEN(loads); i++) {
		struct text body = {0};

		fill_cells(i);
		text_raw(&body, "%s %%q3, [%%a0];\n", loads[i]);
		show(&body, "%q3", 32);
		run_body(&body, i % 2 ? 32 : 64);
		for (unsigned lane = 0; lane < WARP_LANES; lane++)
			assert_memory_equal(cell(lane, 32), cell(lane, 0), 16);
		text_clear(&body);
	}
}

/* The low half of one, the high half of the other; a sink; a kernel's parameter. */
static void halves_are_packed_and_unpacked_low_half_first(void **state)
{
	const uint64_t given[2] = {UINT64_C(0x0123456789abcdef), UINT64_C(0xfedcba9876543210)};
	(void)state;

	for (unsigned bits = 32; bits <= 64; bits += 32) {
		struct text body = {0};

		fill_cells(bits);
		text_raw(&body, "ld.global.b128 %%q0, [%%a0];\nld.global.b128 %%q1, [%%a0+16];\n"
				"mov.b128 {%%d0, _}, %%q0;\nmov.b128 {_, %%d1}, %%q1;\n"
				"mov.b128 %%q0, {%%d1, %%d0};\nst.global.b128 [%%a0+32], %%q0;\n"
				"ld.param.b128 %%q4, [given];\nst.global.b128 [%%a0+48], %%q4;\n");
		run_body(&body, bits);
		for (unsigned lane = 0; lane < WARP_LANES; lane++) {
			assert_memory_equal(cell(lane, 32), cell(lane, 24), 8);
			assert_memory_equal(cell(lane, 40), cell(lane, 0), 8);
			assert_memory_equal(cell(lane, 48), given, 16);
		}
		text_clear(&body);
	}
}

static void functions_take_and_give_128_bits(void **state)
{
	(void)state;
	for (unsigned bits = 32; bits <= 64; bits += 32) {
		struct text body = {0};

		fill_cells(bits + 2);
		text_raw(&body,
			"ld.global.b128 %%q0, [%%a0];\nld.global.b128 %%q1, [%%a0+16];\n"
			"{ .param .b128 x; .param .b128 z; st.param.b128 [x], %%q0;\n"
			"call (z), turn, (x); ld.param.b128 %%q2, [z]; }\n"
			"{ .param .b128 x; .param .b128 z; st.param.b128 [x], %%q2;\n"
			"call (z), held, (x); ld.param.b128 %%q2, [z]; }\n"
			"st.global.b128 [%%a0+32], %%q2;\n"
			"call (%%q3), sum, (%%q0, %%q1);\nst.global.b128 [%%a0+48], %%q3;\n");
		run_body(&body, bits);
		for (unsigned lane = 0; lane < WARP_LANES; lane++) {
			uint64_t v[8];

			memcpy(v, cell(lane, 0), sizeof(v));
			assert_true(v[4] == v[1] && v[5] == v[0]);
			assert_true(v[6] == v[0] + v[2] && v[7] == v[1] + v[3]);
		}
		text_clear(&body);
	}
}

/* Old value at 0, operands at 16 and 32. Of four lanes one compares with the old value, two with
 * one that differs in a half. */
static void check_atomic(const struct where *w, bool guarded, unsigned bits, const char *op)
{
	unsigned char before[WARP_LANES * CELL];
	bool cas = strcmp(op, "cas") == 0;
	struct text body = {0};

	fill_cells(bits + 3);
	for (unsigned lane = 0; lane < WARP_LANES; lane++)
		memcpy(cell(lane, lane / 2 % 4 == 1 ? 24 : 16),
			cell(lane, lane / 2 % 4 == 1 ? 8 : 0),
			lane / 2 % 4 == 0   ? 16
			: lane / 2 % 4 == 3 ? 0
					    : 8);
	memcpy(before, rig.words, sizeof(before));
	text_raw(&body, "ld.global.b128 %%q1, [%%a0+16];\nld.global.b128 %%q2, [%%a0+32];\n");
	set_place(&body, w);
	text_raw(&body, "mov.b128 %%q0, {5, 6};\n%satom%s.%s.b128 %%q0, [%%a2], %%q1%s;\n",
		guarded ? "@%p1 " : "", w->space, op, cas ? ", %q2" : "");
	fetch_place(&body, w);
	show(&body, "%q0", 48);
	run_body(&body, bits);
	for (unsigned lane = 0; lane < WARP_LANES; lane++) {
		unsigned char *b = before + lane * CELL;
		uint64_t untouched[2] = {5, 6};
		bool acts = takes_part(guarded, lane);

		assert_memory_equal(cell(lane, 48), acts ? b : (unsigned char *)untouched, 16);
		if (acts && (!cas || memcmp(b, b + 16, 16) == 0))
			memcpy(b, b + (cas ? 32 : 16), 16);
		assert_memory_equal(cell(lane, 0), b, 48);
	}
	text_clear(&body);
}

static void atomics_of_128_bits_compare_and_exchange_all_of_them(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 8 * ARRAY_LEN(everywhere); i++)
		if (strcmp(everywhere[i / 8].place, "local") != 0)
			check_atomic(
				&everywhere[i / 8], i % 2, i & 2 ? 32 : 64, i & 4 ? "exch" : "cas");
}

/* All lanes exchange at the same address: each finds the value of another, and none is lost. */
static void lanes_exchange_128_bits_in_turn(void **state)
{
	static const char *const bodies[] = {"ld.param.u# %a2, [out];\nmov.b128 %q1, {%d0, 3};\n"
					     "atom.global.exch.b128 %q0, [%a2+4096], %q1;\n",
		"mov.u# %a2, sh;\nmov.b128 %q0, {0, 0};\nst.shared.b128 [%a2], %q0;\n"
		"bar.sync 0;\nmov.b128 %q1, {%d0, 3};\natom.shared.exch.b128 %q0, [%a2], %q1;\n"};
	(void)state;

	for (unsigned i = 0; i < 4; i++) {
		struct text body = {0};
		uint32_t seen = 0;

		memset(rig.words, 0, sizeof(rig.words));
		text_raw(&body, "add.u32 %%r3, %%r0, 1;\ncvt.u64.u32 %%d0, %%r3;\n%s",
			bodies[i % 2]);
		show(&body, "%q0", 0);
		run_body(&body, i & 2 ? 32 : 64);
		for (unsigned lane = 0; lane < WARP_LANES; lane++) {
			uint64_t v[2];

			memcpy(v, cell(lane, 0), sizeof(v));
			assert_true(v[0] <= WARP_LANES && v[1] == (v[0] ? 3 : 0));
			seen += v[0] == 0 || !(seen >> (v[0] % 32) & 1) ? 1u << v[0] % 32 : 0;
		}
		assert_int_equal(count_bits(seen) + (seen == UINT32_MAX), WARP_LANES + 1);
		text_clear(&body);
	}
}

/* Eight words are loaded into eight registers (except one) and stored in reverse order. */
static void check_eight(const char *load, const char *store, char file, bool guarded, unsigned bits)
{
	struct text body = {0};
	uint32_t before[8], after[8];

	fill_cells(bits + guarded);
	for (unsigned k = 3; k < 11; k++)
		text_raw(&body, "mov.b32 %%%c%u, 0;\n", file, k);
	text_raw(&body, "%s%s {%%%c3, _, %%%c5, %%%c6, %%%c7, %%%c8, %%%c9, %%%c10}, [%%a0];\n",
		guarded ? "@%p1 " : "", load, file, file, file, file, file, file, file);
	text_raw(&body, "%s [%%a0+32], {%%%c10, %%%c9, %%%c8, %%%c7, %%%c6, %%%c5, %%%c4, %s};\n",
		store, file, file, file, file, file, file, file, file == 'f' ? "1.0" : "-2");
	run_body(&body, bits);
	for (unsigned lane = 0; lane < WARP_LANES; lane++) {
		memcpy(before, cell(lane, 0), sizeof(before));
		memcpy(after, cell(lane, 32), sizeof(after));
		for (unsigned k = 0; k < 6; k++)
			assert_int_equal(after[k], takes_part(guarded, lane) ? before[7 - k] : 0);
		assert_int_equal(after[6], 0);
		assert_int_equal(after[7], file == 'f' ? 0x3f800000 : UINT32_C(0xfffffffe));
	}
	text_clear(&body);
}

static void eight_words_are_loaded_and_stored_at_once(void **state)
{
	static const struct {
		const char *load, *store;
		char file;
	} row[] = {
		{"ld.global.v8.b32", "st.global.v8.b32", 'r'},
		{"ld.global.nc.v8.u32", "st.v8.u32", 'r'},
		{"ld.v8.s32", "st.volatile.global.v8.s32", 'r'},
		{"ld.global.L1::no_allocate.L2::256B.v8.f32", "st.release.gpu.global.v8.f32", 'f'},
		{"ld.acquire.sys.global.v8.f32", "st.global.L1::evict_last.v8.f32", 'f'},
	};
	(void)state;

	for (unsigned i = 0; i < 4 * ARRAY_LEN(row); i++)
		check_eight(
			row[i / 4].load, row[i / 4].store, row[i / 4].file, i % 2, i & 2 ? 32 : 64);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(registers_of_128_bits_are_loaded_and_stored_in_every_space),
		cmocka_unit_test(other_loads_fill_128_bits_too),
		cmocka_unit_test(eight_words_are_loaded_and_stored_at_once),
		cmocka_unit_test(halves_are_packed_and_unpacked_low_half_first),
		cmocka_unit_test(functions_take_and_give_128_bits),
		cmocka_unit_test(atomics_of_128_bits_compare_and_exchange_all_of_them),
		cmocka_unit_test(lanes_exchange_128_bits_in_turn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
