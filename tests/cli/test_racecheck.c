/* Races for shared and global memory: named where no barrier orders two warps, and not where one
 * does. */
#include "core/mem.h"
#include "tests/rig/schema.h"
#include "tests/rig/support_cli.h"

#include <stdio.h>
#include <string.h>

/* %r0: thread, %r1: its word of s, %r2: that of the thread a warp further, of 64; %r3: warp. */
#define HEAD \
	".version 7.0\n.target sm_70\n.address_size 64\n" \
	".visible .entry k(.param .u64 out)\n{\n.shared .align 8 .b8 s[1024];\n" \
	".reg .pred %p<4>; .reg .b32 %r<8>; .reg .b16 %h<2>; .reg .b64 %rd<2>;\n" \
	"mov.u32 %r0, %tid.x; mov.u32 %r4, s; shl.b32 %r1, %r0, 2; add.u32 %r2, %r1, 128; " \
	"and.b32 %r2, %r2, 255; add.u32 %r1, %r1, %r4; add.u32 %r2, %r2, %r4; " \
	"shr.u32 %r3, %r0, 5;\n"
#define PUT "st.shared.u32 [%r1], %r0;\n"
#define GET "ld.shared.u32 %r5, [%r2];\n"
#define BAR "bar.sync 0;\n"

static void launch(const struct desk *d, const char *body, unsigned block)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/k.ptx", d->folder);
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, "%s%sret;\n}\n", HEAD, body);
	assert_int_equal(fclose(f), 0);
	snprintf(path, sizeof(path), "%s/s.yaml", d->folder);
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f,
		"buffers: { out: { type: u32, count: 4096, fill: 0 } }\nlaunches:\n  - { module: "
		"k.ptx, kernel: k, grid: 3, block: %u, args: [ { buffer: out } ] }\n",
		block);
	assert_int_equal(fclose(f), 0);
}

static const struct {
	const char *body;
	unsigned block;
	const char *says[6];
} racing[] = {
	{PUT GET, 64,
		{"kernel 'k': race for shared memory: ",
			":9:1 (st.shared.u32) of warp 1 writes what ",
			":10:1 (ld.shared.u32) of warp 0 read, no barrier between them (first at "
			"offset 128, CTA (0,0,0); 96 times)",
			":10:1 (ld.shared.u32) of warp 1 reads what ",
			":9:1 (st.shared.u32) of warp 0 wrote, no barrier between them (first at "
			"offset 0, CTA (0,0,0); 96 times)"}},
	/* the next turn of a loop overwrites what others still read */
	{"mov.u32 %r6, 0;\nL:\nadd.u32 %r0, %r0, 1;\n" PUT BAR GET
	 "add.u32 %r6, %r6, 1;\nsetp.lt.u32 %p0, %r6, 3;\n@%p0 bra L;\n",
		64, {"of warp 0 writes what", "of warp 0 reads what"}},
	{"st.shared.u32 [s], %r3;\n", 64, {"of warp 1 writes what ", "of warp 0 wrote"}},
	/* a word that another warp adds to */
	{"st.shared.u32 [s], %r3;\nred.shared.add.u32 [s], 1;\n", 64, {"race for shared memory"}},
	/* barrier 1 is of two warps of four */
	{"setp.lt.u32 %p0, %r3, 2;\n@!%p0 bra L;\n" PUT "bar.sync 1, 64;\nL:\n@%p0 bra M;\n" GET
	 "M:\n",
		128, {"(ld.shared.u32) of warp 2 reads what"}},
	/* of an access of eight bytes, the second four */
	{"setp.ne.u32 %p0, %r0, 0;\n@%p0 bra L;\nld.shared.u64 %rd0, [s];\nL:\n"
	 "setp.eq.u32 %p0, %r0, 33;\n@%p0 st.shared.u32 [s+4], %r0;\n",
		64, {"first at offset 4, CTA"}},
};

/* Of global memory. */
#define OUT "ld.param.u64 %rd1, [out];\n"
static const char *const global_racing[][2] = {
	/* each of two warps adds to the same words */
	{OUT "cvt.u64.u32 %rd0, %r0;\nand.b64 %rd0, %rd0, 3;\nshl.b64 %rd0, %rd0, 2;\n"
	     "add.u64 %rd1, %rd1, %rd0;\nld.global.u32 %r5, [%rd1];\nadd.u32 %r5, %r5, 1;\n"
	     "st.global.u32 [%rd1], %r5;\n",
		"(ld.global.u32) of warp 1 reads what "},
	{OUT "st.global.u32 [%rd1+4], %r3;\n", "race for global memory: "},
	{OUT "st.u32 [%rd1+4], %r3;\n", "first at address 0x"},
	/* a flag without an order */
	{OUT "setp.ne.u32 %p0, %r3, 0;\n@%p0 st.global.u32 [%rd1], 1;\n"
	     "@!%p0 ld.global.u32 %r5, [%rd1];\n",
		"(st.global.u32) of warp 1 writes what "},
};
static const char *const global_ordered[] = {
	OUT "setp.eq.u32 %p0, %r3, 0;\n@%p0 st.global.u32 [%rd1], %r0;\n" BAR
	    "@!%p0 ld.global.u32 %r5, [%rd1];\n",
	OUT "mov.u32 %r5, 5;\nst.global.u32 [%rd1], %r5;\n",
	OUT "red.global.add.u32 [%rd1], 1;\nld.volatile.global.u32 %r5, [%rd1];\n",
	/* one writes a thousand words, the other reads another thousand */
	OUT "setp.eq.u32 %p0, %r3, 0;\n@!%p0 add.u64 %rd1, %rd1, 8192;\nmov.u32 %r6, 0;\nL:\n"
	    "@%p0 st.global.u32 [%rd1], %r6;\n@!%p0 ld.global.u32 %r5, [%rd1];\n"
	    "add.u64 %rd1, %rd1, 4;\nadd.u32 %r6, %r6, 1;\nsetp.lt.u32 %p1, %r6, 1000;\n"
	    "@%p1 bra L;\n",
	OUT "ld.global.u32 %r5, [%rd1];\n" BAR "setp.eq.u32 %p0, %r3, 1;\n"
	    "@%p0 st.global.u32 [%rd1], %r0;\n",
};

static void assert_silent(const struct desk *d)
{
	char *err = desk_content(d, "err");

	assert_null(strstr(err, "race"));
	mem_free(err);
}

static void races_are_named(void **state)
{
	for (size_t i = 0; i < sizeof(racing) / sizeof(*racing); i++) {
		launch(*state, racing[i].body, racing[i].block);
		assert_int_equal(desk_run(*state, "exec %F/s.yaml --racecheck --quiet"), 0);
		for (size_t k = 0; racing[i].says[k]; k++)
			assert_says(*state, "err", racing[i].says[k]);
		assert_int_equal(desk_run(*state, "exec %F/s.yaml"), 0);
		assert_silent(*state);
	}
}

static void races_for_global_memory_are_named(void **state)
{
	for (size_t i = 0; i < sizeof(global_racing) / sizeof(*global_racing); i++) {
		launch(*state, global_racing[i][0], 64);
		assert_int_equal(desk_run(*state, "exec %F/s.yaml --racecheck --quiet"), 0);
		assert_says(*state, "err", global_racing[i][1]);
	}
	for (size_t i = 0; i < sizeof(global_ordered) / sizeof(*global_ordered); i++) {
		launch(*state, global_ordered[i], 64);
		assert_int_equal(desk_run(*state, "exec %F/s.yaml --racecheck --quiet"), 0);
		assert_says(*state, "err", "no races for shared or global memory");
	}
}

static const struct {
	const char *body;
	unsigned block;
} ordered[] = {
	{PUT BAR GET, 64},
	{PUT BAR GET BAR "st.shared.u32 [%r1], %r5;\n", 64},
	/* all write the same, and bytes side by side */
	{"mov.u32 %r5, 7;\nst.shared.u32 [s], %r5;\n", 64},
	{"add.u32 %r4, %r4, %r0;\ncvt.u16.u32 %h0, %r0;\nst.shared.u8 [%r4], %h0;\n", 64},
	{"red.shared.add.u32 [s], 1;\natom.shared.add.u32 %r5, [s], 1;\n", 64},
	/* a flag */
	{"setp.ne.u32 %p0, %r3, 0;\n@%p0 bra L;\n" PUT "mov.u32 %r5, 1;\nst.volatile.shared.u32 "
	 "[s+512], %r5;\nbra M;\nL:\nld.volatile.shared.u32 %r5, [s+512];\n"
	 "setp.eq.u32 %p0, %r5, 0;\n@%p0 bra L;\n" GET "M:\n",
		64},
	/* one warp arrives, the other waits; both, twice, at one barrier */
	{"setp.ne.u32 %p0, %r3, 0;\n@%p0 bra L;\n" PUT
	 "bar.arrive 2, 64;\nbra M;\nL:\nbar.sync 2, 64;\n" GET "M:\n",
		64},
	{PUT "bar.sync 3, 64;\n" GET "bar.sync 3, 64;\nst.shared.u32 [%r1], %r3;\n", 64},
	/* a warp that has exited is waited for by none */
	{"setp.eq.u32 %p0, %r3, 3;\n@%p0 ret;\nsetp.ge.u32 %p0, %r3, 2;\n@%p0 bra L;\n" PUT
	 "L:\n" BAR GET,
		128},
};

static void ordered_accesses_are_not(void **state)
{
	for (size_t i = 0; i < sizeof(ordered) / sizeof(*ordered); i++) {
		launch(*state, ordered[i].body, ordered[i].block);
		assert_int_equal(desk_run(*state, "exec %F/s.yaml --racecheck --quiet"), 0);
		assert_says(*state, "err", "no races for shared or global memory");
	}
}

/* Warp 0 reads three words, warp 1 writes the fourth: the vector that the three become reads it,
 * too, and drops it. */
static void words_that_a_vector_adds_are_not_read(void **state)
{
	static const char head[] =
		"setp.ne.u32 %p0, %r3, 0;\n@%p0 bra W;\nld.shared.u32 %r5, [s];\n"
		"ld.shared.u32 %r6, [s+4];\nld.shared.u32 %r7, [s+8];\n"
		"bra E;\nW:\n";
	const char *command = "exec %F/s.yaml --racecheck --quiet --set gpu.merge_shared=true";
	char text[sizeof(head) + 64];

	for (unsigned at = 8; at <= 12; at += 4) {
		snprintf(text, sizeof(text), "%sst.shared.u32 [s+%u], %%r3;\nE:\n", head, at);
		launch(*state, text, 64);
		assert_int_equal(desk_run(*state, command), 0);
		assert_says(*state, "err",
			at == 8 ? "of warp 1 writes what" : "no races for shared or global memory");
	}
}

static void json_has_them(void **state)
{
	struct text wrong = {0};
	char path[128];
	json_t *j, *race, *at;

	launch(*state, PUT GET, 64);
	assert_int_equal(
		desk_run(*state, "exec %F/s.yaml --racecheck --quiet --json %F/j.json"), 0);
	snprintf(path, sizeof(path), "%s/j.json", ((struct desk *)*state)->folder);
	assert_true(schema_holds_of("exec", path, &wrong));
	text_clear(&wrong);
	j = desk_json(*state, "j.json");
	race = json_array_get(json_object_get(j, "races"), 1);
	assert_int_equal(json_array_size(json_object_get(j, "races")), 2);
	assert_string_equal(json_string_value(json_object_get(race, "kind")), "read after write");
	assert_int_equal(json_integer_value(json_object_get(race, "count")), 96);
	at = json_object_get(race, "first");
	assert_int_equal(json_integer_value(json_object_get(at, "warp")), 0);
	assert_non_null(
		strstr(json_string_value(json_object_get(at, "at")), ":9:1 (st.shared.u32)"));
	json_decref(j);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(races_are_named, desk_set_up, desk_tear_down),
		cmocka_unit_test_setup_teardown(
			races_for_global_memory_are_named, desk_set_up, desk_tear_down),
		cmocka_unit_test_setup_teardown(
			words_that_a_vector_adds_are_not_read, desk_set_up, desk_tear_down),
		cmocka_unit_test_setup_teardown(json_has_them, desk_set_up, desk_tear_down),
		cmocka_unit_test_setup_teardown(
			ordered_accesses_are_not, desk_set_up, desk_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
