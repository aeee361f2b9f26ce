/* Instruction scheduling: the order of blocks by hand, a block for each rule; and for random
 * kernels and all workloads the same results, within the register limit. */
#include "tests/rig/divergence.h"
#include "tests/rig/exec_rig.h"
#include "tests/rig/ptx_ir.h"
#include "tests/rig/random_ptx.h"
#include "tests/rig/seeds.h"
#include "tests/rig/workload_rig.h"

#include "chip/chip.h"
#include "ptx/ir/schedule.h"

#include <stdlib.h>

/* ---- by hand. */

#define ENOUGH 200u

static void schedule(struct ir_test *t, enum schedule_kind kind, uint32_t extra, uint32_t max_regs)
{
	schedule_function(&t->m.functions[0], t->live,
		&(struct schedule_options){kind, extra, 0, max_regs}, &t->work);
}

/* Lines of the body are a, b, c, ... */
static void expect_as(enum schedule_kind kind, uint32_t extra, uint32_t max_regs, const char *body,
	const char *order)
{
	struct text text = {0}, lines = {0};
	const struct ir_function *f;
	struct ir_test t;

	text_raw(&text, "%s.entry k(.param .u64 out)\n{\n%s%s}\n", IR_HEAD, IR_REGS, body);
	ir_open(&t, text_str(&text));
	f = &t.m.functions[0];
	schedule(&t, kind, extra, max_regs);
	for (uint32_t i = 0; i < f->ninstr; i++)
		if (f->code[i].pos.line >= IR_KERNEL_LINE && f->code[i].opcode)
			text_raw(&lines, "%c", 'a' + f->code[i].pos.line - IR_KERNEL_LINE);
	assert_string_equal(text_str(&lines), order);
	ir_close(&t);
	text_clear(&text);
	text_clear(&lines);
}

static void expect_with(uint32_t extra, uint32_t max_regs, const char *body, const char *order)
{
	expect_as(SCHEDULE_EARLY_LOADS, extra, max_regs, body, order);
}

static void expect(const char *body, const char *order)
{
	expect_with(ENOUGH, 255, body, order);
}

#define LOAD(d, a) "ld.global.u32 %r" #d ", [%rd" #a "];\n"
#define ADD(d, a, b) "add.u32 %r" #d ", %r" #a ", %r" #b ";\n"
#define STORE(a, v) "st.global.u32 [%rd" #a "], %r" #v ";\n"

static void loads_are_grouped_before_the_first_use(void **state)
{
	(void)state;
	expect(LOAD(1, 1) ADD(2, 1, 9) LOAD(3, 2) ADD(4, 3, 2) STORE(3, 4), "acbde");
	expect(LOAD(1, 1) ADD(2, 1, 9) "add.u64 %rd2, %rd3, 8;\n" LOAD(3, 2) ADD(4, 3, 2)
			STORE(3, 4),
		"acdbef");
	expect(ADD(5, 6, 7) LOAD(1, 1) ADD(2, 1, 5) STORE(3, 2), "bacd");
	/* no long-latency result */
	expect(ADD(1, 2, 3) ADD(4, 5, 6) "ld.shared.u32 %r7, [%r4];\n" ADD(4, 7, 1) STORE(3, 4),
		"abcde");
}

static void an_instruction_waits_for_its_sources_behind_others(void **state)
{
	static const char two[] = ADD(1, 8, 8) ADD(2, 1, 9) ADD(3, 9, 9)
		ADD(4, 3, 9) "ld.shared.u32 %r5, [%r7];\n" ADD(6, 2, 4) ADD(6, 6, 5) STORE(3, 6);

	(void)state;
	expect_as(SCHEDULE_LATENCY, ENOUGH, 255, two, "eacbdfgh");
	/* the longest chain first */
	expect_as(SCHEDULE_LATENCY, ENOUGH, 255,
		ADD(1, 8, 8) ADD(2, 9, 9) ADD(3, 2, 2) ADD(4, 3, 1) STORE(3, 4), "bacde");
}

static void a_load_by_a_loaded_address_is_of_the_next_wave(void **state)
{
	(void)state;
	expect("ld.global.u64 %rd2, [%rd1];\n" LOAD(1, 2) ADD(4, 5, 6) LOAD(2, 3) ADD(7, 1, 2)
			ADD(7, 7, 4) STORE(3, 7),
		"adcbefg");
}

static void registers_limit_how_early_a_load_is(void **state)
{
	static const char sum[] =
		"ld.global.u32 %r1, [%rd1];\n" ADD(2, 2, 1) "ld.global.u32 %r3, [%rd1+4];\n" ADD(
			2, 2, 3) "ld.global.u32 %r4, [%rd1+8];\n" ADD(2, 2, 4) STORE(1, 2);

	(void)state;
	expect_with(0, 255, sum, "abcdefg");
	expect_with(1, 255, sum, "acbedfg");
	expect_with(2, 255, sum, "acebdfg");
	/* the thread's register limit overrides `extra` */
	expect_with(2, 5, sum, "acbedfg");
	expect_with(2, 4, sum, "abcdefg");
}

static void registers_are_written_in_turn(void **state)
{
	(void)state;
	expect(LOAD(1, 1) ADD(2, 1, 9) LOAD(1, 2) ADD(2, 2, 1) STORE(3, 2), "abcde");
	expect(ADD(1, 8, 9) ADD(2, 1, 9) LOAD(1, 2) ADD(2, 2, 1) STORE(3, 2), "abcde");
	/* half of a pair counts as the whole pair */
	expect("mov.b64 %rd2, {%r1, %r2};\n" ADD(1, 8, 8) LOAD(4, 2) ADD(4, 4, 1) STORE(2, 4),
		"acbde");
}

static void guards_are_read_and_what_they_keep_as_well(void **state)
{
	(void)state;
	expect(ADD(5, 6, 7) "setp.eq.u32 %p1, %r8, %r9;\n@%p1 ld.global.u32 %r1, [%rd1];\n"
			    "@!%p1 mov.u32 %r1, 5;\n" LOAD(2, 2) ADD(3, 1, 2) ADD(3, 3, 5)
				    STORE(3, 3),
		"bceadfgh");
	expect("mov.u32 %r1, 7;\n" ADD(2, 1, 1) "@%p1 ld.global.u32 %r1, [%rd1];\n" ADD(3, 1, 2)
			STORE(3, 3),
		"abcde");
}

static void the_carry_passes_from_one_to_the_next(void **state)
{
	(void)state;
	expect("add.cc.u32 %r1, %r2, %r3;\naddc.u32 %r4, %r5, %r6;\n" LOAD(
		       7, 1) "add.cc.u32 %r1, %r1, %r7;\naddc.u32 %r4, %r4, 0;\n" STORE(1, 4),
		"cabdef");
	expect("add.cc.u32 %r1, %r2, %r3;\nld.global.u32 %r7, [%rd1];\nadd.cc.u32 %r8, %r7, 1;\n"
	       "addc.u32 %r4, %r5, %r6;\n" STORE(1, 4),
		"bacde");
}

static void loads_pass_loads_and_writes_elsewhere_only(void **state)
{
	(void)state;
	expect(ADD(1, 2, 3) STORE(1, 1) LOAD(4, 2) ADD(4, 4, 4) STORE(3, 4), "abcde");
	expect(ADD(1, 2, 3) "st.shared.u32 [%r5], %r1;\n" LOAD(4, 2) ADD(4, 4, 4) STORE(3, 4),
		"cabde");
	expect(ADD(1, 2, 3) "st.u32 [%rd5], %r1;\n" LOAD(4, 2) ADD(4, 4, 4) STORE(3, 4), "abcde");
	expect(ADD(1, 2, 3) STORE(1, 1) "ld.u32 %r4, [%rd5];\n" ADD(4, 4, 4) STORE(3, 4), "abcde");
	expect(ADD(1, 2, 3) "red.global.add.u32 [%rd5], %r1;\n" LOAD(4, 2) ADD(4, 4, 4) STORE(3, 4),
		"abcde");
	expect(LOAD(1, 1) ADD(1, 1, 1) "ld.local.u32 %r2, [%rd4];\n" ADD(1, 1, 2) STORE(3, 1),
		"acbde");
	/* nor does a write move above a read: that of r5 is late */
	expect("ld.global.u64 %rd5, [%rd1];\nld.global.u32 %r5, [%rd5];\nst.global.u32 [%rd2], "
	       "%r1;\n" STORE(3, 5),
		"abcd");
}

static void what_all_lanes_or_others_see_stays(void **state)
{
	static const char *const fixed[] = {"membar.gl;\n", "bar.sync 0;\n",
		"mov.u32 %r5, %clock;\n", "mov.u64 %rd5, %clock64;\n", "@%p1 exit;\n",
		"ld.volatile.global.u32 %r5, [%rd5];\n", "st.volatile.shared.u32 [%r5], %r6;\n",
		"vote.sync.ballot.b32 %r5, %p1, -1;\n", "shfl.sync.idx.b32 %r5, %r6, 0, 31, -1;\n"};

	(void)state;
	for (unsigned k = 0; k < ARRAY_LEN(fixed); k++) {
		struct text text = {0};

		text_raw(&text, "%s%s%s", ADD(1, 2, 3), fixed[k],
			LOAD(4, 2) ADD(4, 4, 1) STORE(3, 4));
		expect(text_str(&text), "abcde");
		text_clear(&text);
	}
}

static void a_branch_stays_at_the_end(void **state)
{
	(void)state;
	expect("LOOP: setp.ne.u32 %p1, %r1, %r4;\n" ADD(5, 6, 7) LOAD(2, 1)
			ADD(3, 3, 2) "@%p1 bra LOOP;\n" STORE(3, 3),
		"cabdef");
}

/* ---- random kernels. */

static bool shares(const uint32_t *a, unsigned n, const struct ir_instr *i)
{
	for (unsigned u = 0; u < n; u++)
		for (unsigned d = 0; d < i->ndst; d++)
			if (i->dst[d].kind == IR_REG && i->dst[d].index == a[u])
				return true;
	return false;
}

static unsigned touched(const struct ir_instr *i, uint32_t *regs)
{
	unsigned n = ir_uses(i, regs);

	for (unsigned d = 0; d < i->ndst; d++)
		if (i->dst[d].kind == IR_REG)
			regs[n++] = i->dst[d].index;
	return n;
}

/* Random kernels access device memory only, besides the parameter. */
static bool conflict(const struct ir_instr *a, const struct ir_instr *b)
{
	uint32_t ra[IR_USES + INSTR_DSTS], rb[IR_USES + INSTR_DSTS];
	bool memory = a->space == SPACE_GLOBAL && b->space == SPACE_GLOBAL;

	return shares(ra, touched(a, ra), b) || shares(rb, touched(b, rb), a) ||
	       (memory && (a->action == ACT_STORE || b->action == ACT_STORE)) ||
	       a->action == ACT_EXIT || b->action == ACT_EXIT || a->action == ACT_BRANCH ||
	       b->action == ACT_BRANCH;
}

/* All dependences are preserved. Returns the number of instructions that moved. */
static unsigned check_order(const struct ir_function *f, const struct ir_instr *before)
{
	uint32_t *place = calloc(f->ninstr + 1, sizeof(*place));
	unsigned moved = 0;

	assert_non_null(place);
	memset(place, 0xff, (f->ninstr + 1) * sizeof(*place));
	for (uint32_t i = 0; i < f->ninstr; i++) {
		uint32_t number = f->code[i].loc.line;

		assert_int_equal(place[number], UINT32_MAX);
		place[number] = i;
		moved += number != i;
	}
	for (uint32_t b = 0; b < f->nblocks; b++)
		for (uint32_t i = f->blocks[b].first; i < f->blocks[b].end; i++) {
			assert_in_range(place[i], f->blocks[b].first, f->blocks[b].end - 1);
			for (uint32_t k = f->blocks[b].first; k < i; k++)
				if (conflict(&before[k], &before[i]))
					assert_true(place[k] < place[i]);
		}
	free(place);
	return moved;
}

static unsigned check_random(
	unsigned seed, enum schedule_kind kind, uint32_t extra, uint32_t max_regs)
{
	struct text text = {0};
	struct ir_instr *before;
	struct ir_function *f;
	uint32_t most, preds;
	struct ir_test t;
	unsigned moved;

	random_ptx(seed, seed % 2, &text);
	ir_open(&t, text_str(&text));
	f = &t.m.functions[0];
	for (uint32_t i = 0; i < f->ninstr; i++)
		f->code[i].loc.line = i;
	before = calloc(f->ninstr + 1, sizeof(*before));
	assert_non_null(before);
	memcpy(before, f->code, f->ninstr * sizeof(*before));
	most = f->max_live;
	preds = f->max_preds;
	schedule(&t, kind, extra, max_regs);
	moved = check_order(f, before);
	f->max_live = f->max_preds = 0;
	live_compute(f, &t.work);
	assert_true(f->max_live <= most || f->max_live <= most + extra);
	assert_true(f->max_live <= most || f->max_live <= max_regs);
	assert_true(f->max_preds <= preds);
	free(before);
	ir_close(&t);
	text_clear(&text);
	return moved;
}

static void random_kernels_keep_what_must_be_kept_in_their_registers(void **state)
{
	static const enum schedule_kind kinds[] = {SCHEDULE_EARLY_LOADS, SCHEDULE_LATENCY};
	unsigned moved = 0;

	(void)state;
	for (unsigned seed = 0; seed < seeds(100); seed++) {
		for (unsigned k = 0; k < ARRAY_LEN(kinds); k++) {
			moved += check_random(seed, kinds[k], 0, 255);
			moved += check_random(seed, kinds[k], 3, 255);
			moved += check_random(seed, kinds[k], ENOUGH, 255);
			moved += check_random(seed, kinds[k], ENOUGH, 16);
		}
	}
	assert_true(moved > 6 * seeds(100));
}

static void divergent_kernels_leave_what_one_thread_after_another_leaves(void **state)
{
	static struct random_kernel k;
	static struct rig r;
	static uint32_t expected[RIG_WORDS];
	static const enum schedule_kind orders[] = {
		SCHEDULE_EARLY_LOADS, SCHEDULE_NEAR, SCHEDULE_NEAR_EARLY, SCHEDULE_LATENCY};
	const uint32_t words = DIVERGENCE_INPUTS + DIVERGENCE_THREADS * DIVERGENCE_WORDS;

	(void)state;
	for (uint64_t seed = 0; seed < seeds(150); seed++) {
		struct text text = {0};
		struct rng rng = rng_new(seed, 8);

		divergence_make(&k, seed);
		memset(&r, 0, sizeof(r));
		memset(expected, 0, sizeof(expected));
		r.schedule = orders[seed % ARRAY_LEN(orders)];
		r.schedule_extra = seed % 2 ? 20 : 0;
		for (unsigned i = 0; i < DIVERGENCE_INPUTS; i++)
			r.words[i] = expected[i] = (uint32_t)rng_u64(&rng);
		divergence_interpret(&k, expected);
		divergence_write(&k, &text);
		if (rig_run(&r, text_str(&text), 1, DIVERGENCE_THREADS))
			fail_msg("seed %llu: %s", (unsigned long long)seed, r.what);
		for (uint32_t i = 0; i < words; i++)
			assert_int_equal(r.words[i], expected[i]);
		text_clear(&text);
	}
}

static void ten_thousand_instructions_are_all_there_and_fit(void **state)
{
	struct text text = {0};
	struct ir_test t;
	uint32_t most;

	(void)state;
	text_raw(&text, "%s.entry k(.param .u64 out)\n{\n%s", IR_HEAD, IR_REGS);
	for (unsigned k = 0; k < 5000; k++)
		text_raw(&text, "ld.global.u32 %%r%u, [%%rd1+%u];\nadd.u32 %%r30, %%r30, %%r%u;\n",
			k % 25, 4 * k, k % 25);
	text_raw(&text, "st.global.u32 [%%rd1], %%r30;\n}\n");
	ir_open(&t, text_str(&text));
	most = t.m.functions[0].max_live;
	schedule(&t, SCHEDULE_EARLY_LOADS, 10, 255);
	t.m.functions[0].max_live = 0;
	live_compute(&t.m.functions[0], &t.work);
	assert_int_equal(t.m.functions[0].max_live, most + 10);
	ir_close(&t);
	text_clear(&text);
}

/* ---- workloads. */

#define LAUNCHES 64u

struct needs {
	unsigned regs[LAUNCHES];
	const unsigned *most; /* NULL: results are recorded only */
};

static void run_one(struct workload_rig *b, void *ctx)
{
	struct needs *needs = ctx;

	if (workload_rig_run(b, 0) || b->run->ops->check(b->run, &b->err))
		fail_msg("%s: %s", b->subject->name, err_text(&b->err));
	for (unsigned i = 0; i < chip_launches(b->gpu) && i < LAUNCHES; i++) {
		struct launch_report r;

		chip_launch_report(b->gpu, i, &r);
		needs->regs[i] = r.max_live;
		if (needs->most && r.max_live > needs->most[i])
			fail_msg("%s: %s needs %u registers, %u in the order of its PTX",
				b->subject->name, r.kernel, r.max_live, needs->most[i]);
	}
}

static void run_with(const char *name, const char *settings, struct needs *needs)
{
	workload_rig(run_one,
		&(struct subject){
			.name = name, .seed = 1, .address_bits = 32, .settings = settings},
		needs);
}

/* Each of the others is tried by every fourth workload. */
static void workloads_are_right_in_another_order_and_no_more_registers(void **state)
{
	static const char *const others[] = {
		"gpu.schedule=early_loads gpu.schedule_extra=200 rf.hierarchy=software rf.lrf=3",
		"gpu.schedule=early_loads gpu.schedule_extra=200 gpu.max_regs=20",
		"gpu.schedule=near rf.hierarchy=software rf.lrf=3 gpu.merge_shared=true",
		"gpu.schedule=near_early_loads gpu.max_regs=20 gpu.merge_shared=true"};
	const struct plugin *w;

	(void)state;
	for (unsigned i = 0; (w = workload_number(i)); i++) {
		struct needs before = {0}, after = {.most = before.regs}, free_hand = {0};

		run_with(w->name, "gpu.schedule=none", &before);
		run_with(w->name, "gpu.schedule=early_loads", &after);
		run_with(w->name, others[i % ARRAY_LEN(others)], &free_hand);
	}
}

static void an_unknown_order_is_reported(void **state)
{
	struct config *config = config_new();
	struct err err = {0};

	(void)state;
	assert_int_equal(config_set_text(config, "gpu.schedule=late", "test", &err), 0);
	assert_null(gpu_new(config, NULL, &err));
	assert_non_null(strstr(err_text(&err),
		"gpu.schedule = late: must be none, early_loads, near, near_early_loads or latency"));
	config_free(config);
	err_clear(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loads_are_grouped_before_the_first_use),
		cmocka_unit_test(an_instruction_waits_for_its_sources_behind_others),
		cmocka_unit_test(a_load_by_a_loaded_address_is_of_the_next_wave),
		cmocka_unit_test(registers_limit_how_early_a_load_is),
		cmocka_unit_test(registers_are_written_in_turn),
		cmocka_unit_test(guards_are_read_and_what_they_keep_as_well),
		cmocka_unit_test(the_carry_passes_from_one_to_the_next),
		cmocka_unit_test(loads_pass_loads_and_writes_elsewhere_only),
		cmocka_unit_test(what_all_lanes_or_others_see_stays),
		cmocka_unit_test(a_branch_stays_at_the_end),
		cmocka_unit_test(random_kernels_keep_what_must_be_kept_in_their_registers),
		cmocka_unit_test(divergent_kernels_leave_what_one_thread_after_another_leaves),
		cmocka_unit_test(ten_thousand_instructions_are_all_there_and_fit),
		cmocka_unit_test(workloads_are_right_in_another_order_and_no_more_registers),
		cmocka_unit_test(an_unknown_order_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
