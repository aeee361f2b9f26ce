/* What the L1 keeps: l1.keeps, PTX's cache operators, and the read-only way through the texture
 * cache. */
#include "tests/rig/support_sm.h"

#include "core/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define OPERATORS " l1.operators=true"
#define TEXTURE OPERATORS " l1.read_only=tex"

/* ---- loads: a line twice, one after the other's arrival */
static struct probed twice(const char *settings, const char *load)
{
	struct text t = {0};
	struct probed d;

	text_raw(&t,
		".local .align 4 .b8 own[64];\nst.local.u32 [own+4], %%r3;\n%s %%r9, [%s];\n"
		"add.u32 %%r9, %%r9, 1; setp.eq.u32 %%p1, %%r9, 77; @%%p1 bra END;\n%s"
		"%s %%r10, [%s]; add.u32 %%r10, %%r10, 1;\n%s"
		"st.global.u32 [%%r2+4096], %%r10;\n",
		load, strstr(load, "local") ? "own+4" : "%r1", CLOCK_START, load,
		strstr(load, "local") ? "own+4" : "%r1", CLOCK_STOP);
	d = probe_run(&(struct probe){.settings = settings, .body = text_str(&t), .threads = 1});
	text_clear(&t);
	return d;
}

enum fate { HIT, PASS, TEX };

static void the_operator_and_what_is_kept_decide_which_loads_hit(void **state)
{
	static const char *const keeps[] = {"all", "local", "none"};
	static const struct {
		const char *load, *settings;
		enum fate fate[3]; /* by keeps */
	} rows[] = {
		{"ld.global.u32", "", {HIT, PASS, PASS}},
		{"ld.local.u32", "", {HIT, HIT, PASS}},
		{"ld.global.cg.u32", "", {HIT, PASS, PASS}}, /* ignored */
		{"ld.global.nc.u32", "", {HIT, PASS, PASS}},
		{"ld.global.u32", OPERATORS, {HIT, PASS, PASS}},
		{"ld.global.ca.u32", OPERATORS, {HIT, PASS, PASS}},
		{"ld.global.cs.u32", OPERATORS, {HIT, PASS, PASS}},
		{"ld.global.lu.u32", OPERATORS, {HIT, PASS, PASS}},
		{"ld.global.cg.u32", OPERATORS, {PASS, PASS, PASS}},
		{"ld.global.cv.u32", OPERATORS, {PASS, PASS, PASS}},
		{"ld.volatile.global.u32", OPERATORS, {PASS, PASS, PASS}},
		{"ld.relaxed.gpu.global.u32", OPERATORS, {PASS, PASS, PASS}},
		{"ld.global.nc.u32", OPERATORS, {HIT, PASS, PASS}},
		{"ldu.global.u32", OPERATORS, {HIT, PASS, PASS}},
		{"ld.local.u32", OPERATORS, {HIT, HIT, PASS}},
		{"ld.local.ca.u32", OPERATORS, {HIT, HIT, PASS}},
		{"ld.local.cs.u32", OPERATORS, {HIT, HIT, PASS}},
		{"ld.local.cg.u32", OPERATORS, {PASS, PASS, PASS}},
		{"ld.local.cv.u32", OPERATORS, {PASS, PASS, PASS}},
		{"ld.global.nc.u32", TEXTURE, {TEX, TEX, TEX}},
		{"ldu.global.u32", TEXTURE, {TEX, TEX, TEX}},
		{"ld.global.u32", TEXTURE, {HIT, PASS, PASS}},
	};
	char settings[128];

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(rows) * 3; i++) {
		enum fate fate = rows[i / 3].fate[i % 3];
		struct probed d;

		snprintf(settings, sizeof(settings), "%s l1.keeps=%s%s", ONE_SM, keeps[i % 3],
			rows[i / 3].settings);
		d = twice(settings, rows[i / 3].load);
		if (probe_metric(&d, "l1tex__t_lines_load_lookup_hit.sum") != (fate == HIT) ||
			probe_metric(&d, "l1tex__t_lines_load_lookup_bypassed.sum") !=
				2 * (fate == PASS) ||
			probe_metric(&d, "l1tex__t_lines_tex.sum") != 2 * (fate == TEX) ||
			probe_metric(&d, "l1tex__t_lines_tex_lookup_hit.sum") != (fate == TEX))
			fail_msg("%s: %s", settings, rows[i / 3].load);
		probe_free(&d);
	}
}

/* Each of two loads in flight has a packet of its own, of what it asks for. */
static void loads_that_are_not_kept_do_not_merge(void **state)
{
	static const char body[] = "ld.global.cg.u32 %r9, [%r1]; ld.global.cg.u32 %r10, [%r1+4];\n"
				   "add.u32 %r9, %r9, %r10; st.global.u32 [%r2], %r9;\n";
	struct probed d =
		probe_run(&(struct probe){ONE_SM OPERATORS " l2.fill_line=false", body, 1, 1});

	(void)state;
	assert_true(probe_metric(&d, "l1tex__t_lines_load_lookup_merged.sum") == 0);
	assert_true(probe_metric(&d, "l1tex__m_l1tex2xbar_req_packets.sum") == 3);
	assert_true(probe_metric(&d, "l1tex__m_xbar2l1tex_read_bytes.sum") == 2 * 16);
	probe_free(&d);
}

/* .cv drops the line: the load after it misses. .cg leaves it. */
static void a_volatile_load_drops_the_line(void **state)
{
	static const char body[] = "ld.global.u32 %%r9, [%%r1]; add.u32 %%r9, %%r9, 1;\n"
				   "ld.global.%s.u32 %%r10, [%%r1]; add.u32 %%r9, %%r9, %%r10;\n"
				   "ld.global.u32 %%r11, [%%r1]; add.u32 %%r9, %%r9, %%r11;\n"
				   "st.global.u32 [%%r2], %%r9;\n";

	(void)state;
	for (unsigned drops = 0; drops < 2; drops++) {
		struct text t = {0};
		struct probed d;

		text_raw(&t, body, drops ? "cv" : "cg");
		d = probe_run(&(struct probe){ONE_SM OPERATORS, text_str(&t), 1, 1});
		assert_true(probe_metric(&d, "l1tex__t_lines_load_lookup_hit.sum") == !drops);
		probe_free(&d);
		text_clear(&t);
	}
}

static void a_load_past_the_l1_takes_what_a_miss_takes(void **state)
{
	struct probed d =
		twice(ONE_SM OPERATORS " l2.bytes=0 l1.sector_bytes=128", "ld.global.cg.u32");

	(void)state;
	assert_int_equal(probe_u32(&d, 0), 2 + 400);
	probe_free(&d);
}

static void a_read_only_way_needs_its_cache_and_operators(void **state)
{
	static const struct {
		const char *settings, *says;
	} rows[] = {
		{"l1.read_only=tex", "l1.read_only = tex: without l1.operators no load is"},
		{"l1.read_only=tex l1.operators=true tex.bytes=0",
			"l1.read_only = tex: tex.bytes = 0, so there is no texture cache; must be "
			"l1"},
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(rows); i++)
		kit_refused(rows[i].settings, rows[i].says);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_operator_and_what_is_kept_decide_which_loads_hit),
		cmocka_unit_test(loads_that_are_not_kept_do_not_merge),
		cmocka_unit_test(a_volatile_load_drops_the_line),
		cmocka_unit_test(a_load_past_the_l1_takes_what_a_miss_takes),
		cmocka_unit_test(a_read_only_way_needs_its_cache_and_operators),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
