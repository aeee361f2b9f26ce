/* Grid-wide barriers as cooperative groups have them: CTAs count in a word of a workspace whose
 * address a driver leaves in %envreg1 and 2, and the top bit turns when all have arrived. */
#include "core/mem.h"
#include "tests/rig/support_cli.h"

#include <stdio.h>
#include <string.h>

/* Round 0: each CTA writes its number + 1; later ones: the sum of all of the round before. */
static const char kernel[] =
	".version 7.0\n.target sm_70\n.address_size 64\n"
	".visible .entry rounds(.param .u64 out)\n{\n"
	".reg .pred %p<8>; .reg .b32 %r<20>; .reg .b64 %rd<8>;\n"
	"ld.param.u64 %rd0, [out];\nmov.u32 %r0, %ctaid.x;\nmov.u32 %r1, %nctaid.x;\n"
	"mov.u32 %r2, %tid.x;\nsetp.ne.u32 %p1, %r2, 0;\n"
	"mov.u32 %r4, %envreg2;\nmov.u32 %r5, %envreg1;\n"
	"cvt.u64.u32 %rd2, %r4;\ncvt.u64.u32 %rd3, %r5;\nbfi.b64 %rd2, %rd3, %rd2, 32, 32;\n"
	"setp.ne.s64 %p0, %rd2, 0;\n@%p0 bra A;\ntrap;\n"
	"A: mov.u32 %r15, 0;\nadd.u32 %r11, %r0, 1;\n"
	/* a round: the CTA's value, then the barrier */
	"R: mad.lo.u32 %r12, %r15, %r1, %r0;\nmul.wide.u32 %rd4, %r12, 4;\n"
	"add.u64 %rd4, %rd0, %rd4;\n@!%p1 st.global.u32 [%rd4], %r11;\n"
	"barrier.sync 0;\n@%p1 bra B;\n"
	"sub.u32 %r6, 0x80000001, %r1;\nsetp.eq.u32 %p2, %r0, 0;\nselp.b32 %r7, %r6, 1, %p2;\n"
	"atom.add.release.gpu.u32 %r8, [%rd2+4], %r7;\n"
	"W: ld.acquire.gpu.u32 %r9, [%rd2+4];\nxor.b32 %r10, %r9, %r8;\n"
	"setp.gt.s32 %p3, %r10, -1;\n@%p3 bra W;\n"
	"B: barrier.sync 0;\n"
	/* the sum of this round's values is the next one's */
	"mov.u32 %r11, 0;\nmov.u32 %r13, 0;\n"
	"S: mad.lo.u32 %r12, %r15, %r1, %r13;\nmul.wide.u32 %rd4, %r12, 4;\n"
	"add.u64 %rd4, %rd0, %rd4;\nld.volatile.global.u32 %r14, [%rd4];\n"
	"add.u32 %r11, %r11, %r14;\nadd.u32 %r13, %r13, 1;\n"
	"setp.lt.u32 %p4, %r13, %r1;\n@%p4 bra S;\n"
	"add.u32 %r15, %r15, 1;\nsetp.lt.u32 %p5, %r15, 3;\n@%p5 bra R;\nret;\n}\n";

static const char scenario[] =
	"set: { chip.sms: 2 }\nbuffers: { out: { type: u32, count: 12, fill: 0 } }\n"
	"launches:\n  - { module: k.ptx, kernel: rounds, grid: 4, block: 64, args: [ { buffer: "
	"out } ] }\n"
	"checks:\n  - { buffer: out, equals: { data: [1, 2, 3, 4, 10, 10, 10, 10, 40, 40, 40, 40] "
	"} }\n";

static void write_file(const struct desk *d, const char *name, const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", d->folder, name);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
	assert_int_equal(fclose(f), 0);
}

static int set_up(void **state)
{
	desk_set_up(state);
	write_file(*state, "k.ptx", kernel);
	write_file(*state, "s.yaml", scenario);
	return 0;
}

static void a_grid_that_fits_meets_at_its_barrier(void **state)
{
	assert_int_equal(desk_run(*state, "run %F/s.yaml --max-cycles 100000"), 0);
	assert_says(*state, "out", "check: passed");
	assert_int_equal(desk_run(*state, "exec %F/s.yaml"), 0);
	assert_says(*state, "out", "check: passed");
}

/* On hardware the driver refuses such a launch; here it is known by its barrier alone. */
static void of_a_grid_that_does_not_fit_it_is_reported_which_ctas_never_started(void **state)
{
	const char *arguments = "run %F/s.yaml --set chip.sms=1 --set sm.warps=4 --max-cycles 5000";

	assert_int_equal(desk_run(*state, arguments), 8);
	assert_says(*state, "err",
		"kernel 'rounds' (launch 0): CTAs: 0 ended, 2 running, 2 not "
		"started (first CTA (2,0,0))\n");
	assert_says(*state, "err", "spin: ");
	assert_says(*state, "err", "waiting at a barrier");
}

int main(void)
{
#define test(f) cmocka_unit_test_setup_teardown(f, set_up, desk_tear_down)
	const struct CMUnitTest tests[] = {
		test(a_grid_that_fits_meets_at_its_barrier),
		test(of_a_grid_that_does_not_fit_it_is_reported_which_ctas_never_started),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
