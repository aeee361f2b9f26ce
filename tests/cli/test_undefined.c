/* Errors of a kernel are reported with their location and what is needed to find the cause: masks
 * with lanes that do not arrive, barriers that cannot complete, targets that do not exist. */
#include "core/mem.h"
#include "tests/rig/support_cli.h"

#include <stdio.h>
#include <string.h>

#define HEAD ".version 7.0\n.target sm_70\n.address_size 64\n"
#define BEGIN \
	".visible .entry k(.param .u64 out)\n{\n" \
	".reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<4>;\n" \
	"ld.param.u64 %rd0, [out];\nmov.u32 %r0, %tid.x;\n"

static void launch_text(const struct desk *d, const char *text, const char *block)
{
	static const char scenario[] =
		"buffers: { out: { type: u32, count: 4, fill: 0 } }\nlaunches:\n  - { module: "
		"k.ptx, kernel: k, grid: 4, block: %s, args: [ { buffer: out } ] }\n";
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/k.ptx", d->folder);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
	snprintf(path, sizeof(path), "%s/s.yaml", d->folder);
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, scenario, block);
	assert_int_equal(fclose(f), 0);
}

static void launch(const struct desk *d, const char *body, unsigned block)
{
	char text[2048], number[16];

	snprintf(text, sizeof(text), "%s%sret;\n}\n", HEAD BEGIN, body);
	snprintf(number, sizeof(number), "%u", block);
	launch_text(d, text, number);
}

static unsigned count(const struct desk *d, const char *words)
{
	char *err = desk_content(d, "err");
	unsigned n = 0;

	for (const char *at = err; (at = strstr(at, words)); at++)
		n++;
	mem_free(err);
	return n;
}

/* Runs it with run and exec; each must end with the code and the message. */
static void both_say(const struct desk *d, int code, const char *words)
{
	assert_int_equal(desk_run(d, "exec %F/s.yaml"), code);
	assert_says(d, "err", words);
	assert_int_equal(desk_run(d, "run %F/s.yaml"), code);
	assert_says(d, "err", words);
}

static const struct {
	const char *body, *words;
} masks[] = {
	/* half of the lanes have exited */
	{"setp.ge.u32 %p0, %r0, 16;\n@%p0 ret;\nshfl.sync.down.b32 %r1, %r0, 8, 31, -1;\n",
		"k.ptx:11:1 (shfl.sync.down.b32): its mask names lanes 16-31, which exited earlier "
		"(first in warp 0 of CTA (0,0,0))"},
	/* they go another way */
	{"setp.ge.u32 %p0, %r0, 16;\n@%p0 bra L;\nbar.warp.sync -1;\nL:\n",
		"k.ptx:11:1 (bar.warp.sync): its mask names lanes 16-31, which diverged"},
	{"setp.ne.u32 %p0, %r0, 3;\n@%p0 bra L;\nvote.sync.ballot.b32 %r1, %p0, 15;\nL:\n",
		"(vote.sync.ballot.b32): its mask names lanes 0-2, which diverged"},
	{"setp.ne.u32 %p0, %r0, 3;\n@%p0 bra L;\nmatch.any.sync.b32 %r1, %r0, 12;\nL:\n",
		"(match.any.sync.b32): its mask names lane 2, which diverged"},
	{"setp.ne.u32 %p0, %r0, 3;\n@%p0 bra L;\nmov.u32 %r3, 24;\n"
	 "redux.sync.add.u32 %r1, %r0, %r3;\nL:\n",
		"(redux.sync.add.u32): its mask names lane 4, which diverged"},
	{"setp.ge.u32 %p0, %r0, 16;\n@%p0 bra L;\n"
	 "movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r0;\nL:\n",
		"(movmatrix.sync.aligned.m8n8.trans.b16): all lanes must execute it, also lanes "
		"16-31, which diverged"},
	{"setp.ge.u32 %p0, %r0, 16;\n@%p0 ret;\n"
	 "movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r0;\n",
		"all lanes must execute it, also lanes 16-31, which exited earlier"},
	/* executed by lanes that are not named */
	{"shfl.sync.bfly.b32 %r1, %r0, 1, 31, 65535;\n",
		"(shfl.sync.bfly.b32): its mask does not name lanes 16-31, which execute it"},
};

static void masks_that_name_other_lanes_are_reported_once(void **state)
{
	for (size_t i = 0; i < sizeof(masks) / sizeof(*masks); i++) {
		launch(*state, masks[i].body, 32);
		both_say(*state, 0, masks[i].words);
		assert_int_equal(count(*state, "warning"), 1);
	}
}

static void masks_that_name_lanes_that_arrive_are_not_reported(void **state)
{
	launch(*state,
		"setp.ge.u32 %p0, %r0, 16;\n@%p0 bra L;\nshfl.sync.down.b32 %r1, %r0, 8, 31, "
		"65535;\nactivemask.b32 %r2;\nshfl.sync.up.b32 %r1, %r0, 1, 0, %r2;\n"
		"vote.sync.any.pred %p1, %p0, %r2;\nL: bar.warp.sync -1;\n",
		32);
	assert_int_equal(desk_run(*state, "run %F/s.yaml"), 0);
	assert_int_equal(count(*state, "warning"), 0);
	/* lanes without a thread are not missing */
	launch(*state, "shfl.sync.down.b32 %r1, %r0, 8, 31, -1;\n", 20);
	assert_int_equal(desk_run(*state, "run %F/s.yaml"), 0);
	assert_int_equal(count(*state, "warning"), 0);
}

static void a_barrier_that_cannot_complete_says_who_is_missing(void **state)
{
	/* Of four warps one exits, one waits at barrier 3, two at barrier 5. */
	launch(*state,
		"setp.lt.u32 %p0, %r0, 32;\n@%p0 ret;\nsetp.lt.u32 %p0, %r0, 64;\n@%p0 bra A;\n"
		"bar.sync 5;\nret;\nA: bar.sync 3;\n",
		128);
	both_say(*state, 6, "barrier that can never complete, thread (32,0,0) of CTA (");
	assert_says(*state, "err",
		"barrier 3: 1 of 3 warps that have not exited have arrived; 2 warps "
		"wait at barrier 5, ");
	assert_says(*state, "err", "k.ptx:13:1; 1 warp of the CTA has exited");
	launch(*state, "bar.sync 2, 96;\n", 64);
	both_say(*state, 6, "barrier 2: 2 of 3 warps have arrived");
}

static void a_branch_to_no_target_says_how_many_there_are(void **state)
{
	launch(*state,
		"add.u32 %r1, %r0, 77;\nT: .branchtargets A, B, C;\nbrx.idx %r1, T;\nA: ret;\nB: "
		"ret;\nC: ret;\n",
		32);
	both_say(*state, 6,
		"branch to target 77 of a list of 3: the index must be 0 .. 2, thread (0,0,0)");
	assert_says(*state, "err", "k.ptx:11:1");
}

/* The second call of its type in a function that is called: that call is named, not the first, nor
 * what the compiler made of both. */
static void a_call_of_no_function_is_reported_with_its_location(void **state)
{
	static const char *const bits[] = {"64", "32"};
	static const struct {
		const char *address, *words;
	} rows[] = {
		{"77", "call of 0x4d, which is not the address of a function of that type"},
		{"0", "call of 0x0, which is not the address of a function of that type"},
		{"-1", "ff, which is not the address of a function of that type"},
		{"g", ", which is not the address of a function of that type"},
	};

	for (size_t i = 0; i < 2 * sizeof(rows) / sizeof(*rows); i++) {
		char text[2048];
		const char *b = bits[i % 2];

		snprintf(text, sizeof(text),
			".version 7.0\n.target sm_70\n.address_size %s\n.func f() { ret; }\n"
			".func g(.param .b32 a) { ret; }\n.func h()\n{\n.reg .u%s a;\n"
			"P: .callprototype _ ();\nmov.u%s a, f;\ncall a, (), P;\nmov.u%s a, %s;\n"
			"call.uni a, (), P;\nret;\n}\n%scall h, ();\nret;\n}\n",
			b, b, b, b, rows[i / 2].address, BEGIN);
		launch_text(*state, text, "32");
		both_say(*state, 6, rows[i / 2].words);
		assert_says(*state, "err", "thread (0,0,0) of CTA (0,0,0)");
		assert_says(*state, "err", "k.ptx:13:1");
	}
}

/* Each resource in each design of storage: what is needed, and what there is. */
static void a_cta_that_can_never_fit_names_the_resource(void **state)
{
	static const struct {
		const char *settings, *needs, *has;
	} cases[] = {
		{"--set chip.storage=partitioned --set storage.partitioned.register_bytes=1K",
			"a CTA of 32 warps with ", "storage.partitioned.register_bytes is 1024"},
		{"--set chip.storage=partitioned --set storage.partitioned.shared_bytes=1K",
			"needs 40000 bytes of shared memory",
			"storage.partitioned.shared_bytes is 1024"},
		{"--set chip.storage=fermi --set storage.fermi.register_bytes=1K",
			"bytes of registers; ", "storage.fermi.register_bytes is 1024"},
		{"--set chip.storage=fermi --set storage.fermi.splits=16/48",
			"needs 40000 bytes of shared memory; ", "the split has 16 KB of it"},
		{"--set chip.storage=unified --set storage.unified.bytes=16K",
			"needs 40000 bytes of shared memory; ", "storage.unified.bytes is 16384"},
		{"--set chip.storage=unified --set storage.unified.shared_bytes=16K",
			"needs 40000 bytes of shared memory; ",
			"storage.unified.shared_bytes is 16384"},
		{"--set chip.storage=unified --set storage.unified.register_bytes=1K",
			"bytes of registers; ", "storage.unified.register_bytes is 1024"},
		{"--set chip.storage=unified --set storage.unified.threads=512",
			"a CTA of 32 warps", "does not fit into storage.unified.threads = 512"},
		{"--set chip.storage=unified --set storage.unified.bytes=44K",
			"bytes of registers and 40000 of shared memory together; ",
			"storage.unified.bytes is 45056"},
		{"--set sm.warps=8", "it needs 32 warps", "an SM has 8 warp slots (sm.warps)"},
	};
	static const char *const commands[] = {"exec", "run"};

	launch(*state,
		".shared .align 4 .b8 s[40000];\nmov.u32 %r1, s;\nst.shared.u32 [%r1], %r0;\n",
		1024);
	for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(*cases); i++) {
		char arguments[256];

		snprintf(arguments, sizeof(arguments), "%s %%F/s.yaml %s", commands[i % 2],
			cases[i / 2].settings);
		assert_int_equal(desk_run(*state, arguments), 5);
		assert_says(*state, "err", "s.yaml:3:5: kernel 'k': a CTA can never fit: ");
		assert_says(*state, "err", cases[i / 2].needs);
		assert_says(*state, "err", cases[i / 2].has);
	}
	assert_int_equal(desk_run(*state, "occupancy %F/s.yaml --set sm.warps=8"), 0);
	assert_says(*state, "out", "no CTA fits:  warp slots");
}

/* What no chip can hold is found when the text is compiled, and also reported by `check`. */
static void what_can_never_fit_is_left_out_by_check(void **state)
{
	static const struct {
		const char *body, *words;
	} rows[] = {
		{".shared .align 4 .b8 s[16777220];\nmov.u32 %r1, s;\nst.shared.u32 [%r1], %r0;\n",
			"k: it needs 16777220 bytes of shared memory per CTA, the limit is "
			"16777216"},
		{".local .align 4 .b8 s[524292];\nmov.u32 %r1, s;\nst.local.u32 [%r1], %r0;\n",
			"k: it needs 524292 bytes of local memory per thread, the limit is 524288"},
		{".shared .b8 s[16777216];\nmov.u32 %r1, s;\nst.shared.u32 [%r1], %r0;\n", NULL},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		launch(*state, rows[i].body, 32);
		assert_int_equal(desk_run(*state, "check %F/k.ptx"), rows[i].words ? 5 : 0);
		assert_says(*state, "out", rows[i].words ? "1 too large" : "0 too large");
		if (!rows[i].words)
			continue;
		both_say(*state, 5, rows[i].words);
		assert_int_equal(count(*state, rows[i].words), 1);
	}
	launch_text(*state, HEAD BEGIN ".shared .b8 s[16];\nmov.u32 %r1, s;\nret;\n}\n",
		"32, shared_bytes: 16777201");
	assert_int_equal(
		desk_run(*state, "run %F/s.yaml --set storage.partitioned.shared_bytes=64M"), 5);
	assert_says(
		*state, "err", "16777217 bytes of shared memory per CTA, the limit is 16777216");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, desk_set_up, desk_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(masks_that_name_other_lanes_are_reported_once),
		TEST(masks_that_name_lanes_that_arrive_are_not_reported),
		TEST(a_barrier_that_cannot_complete_says_who_is_missing),
		TEST(a_branch_to_no_target_says_how_many_there_are),
		TEST(a_call_of_no_function_is_reported_with_its_location),
		TEST(a_cta_that_can_never_fit_names_the_resource),
		TEST(what_can_never_fit_is_left_out_by_check),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
