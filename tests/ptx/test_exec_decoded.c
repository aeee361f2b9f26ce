/* The executor on hand-decoded instructions: the stack, the timing model's view, retries. */
#include "ptx/isa/lanes.h"
#include "tests/rig/exec_rig.h"

#define REGS 12
#define PREDS 4
#define DEPTH 8
#define LOCAL 16

/* One warp of a CTA with everything it needs. */
struct bench {
	struct program program;
	struct grid grid;
	struct cta cta;
	struct warp warp;
	uint32_t regs[REGS][WARP_LANES], preds[PREDS], consts[4][WARP_LANES];
	struct frame stack[DEPTH];
	unsigned char local[LOCAL * WARP_LANES], shared[256];
	struct access access;
	struct fault fault;
};

static struct bench b;
static struct rig rig;

#define R(i) \
	{ \
		OPND_REG, 1, i \
	}
#define R2(i) \
	{ \
		OPND_REG, 2, i \
	}
#define P(i) \
	{ \
		OPND_PRED, 1, i \
	}
#define K(i) \
	{ \
		OPND_CONST, 1, i \
	}

static void begin(const struct instr *code, uint32_t n, uint32_t threads)
{
	static const struct bench blank;
	static const struct rig blank_rig;
	unsigned i;

	b = blank;
	rig = blank_rig;
	for (i = 0; i < WARP_LANES; i++) {
		b.regs[0][i] = i;
		b.consts[0][i] = 1;
		b.consts[1][i] = 4;
	}
	b.program = (struct program){.name = "k",
		.code = code,
		.ninstr = n,
		.regs = REGS,
		.preds = PREDS,
		.consts = b.consts[0],
		.nconsts = 4,
		.local_bytes = LOCAL,
		.stack_depth = DEPTH};
	b.grid = (struct grid){.program = &b.program, .grid = {1, 1, 1}, .block = {threads, 1, 1}};
	b.cta = (struct cta){.grid = &b.grid, .shared = b.shared, .shared_bytes = sizeof(b.shared)};
	b.warp = (struct warp){.regs = b.regs[0],
		.preds = b.preds,
		.stack = b.stack,
		.local = b.local,
		.local_base = 0x100000000};
	exec_start(&b.warp, &b.cta, 0);
}

static enum exec_result issue(void)
{
	const struct exec_context context = {0};
	const struct exec_memory memory = rig_memory(&rig);

	return exec_issue(
		&b.warp, lanes_select(NULL, NULL), &context, &memory, &b.access, &b.fault);
}

static void loops_do_not_grow_the_stack(void **state)
{
	/* for (r1 = 0; r1 < lane; r1++); with a branch in it that skips odd r1 */
	static const struct instr code[] = {
		{.op = LANE_and_b32,
			.guard = NO_GUARD,
			.ndst = 1,
			.nsrc = 2,
			.dst = {R(2)},
			.src = {R(1), K(0)}},
		{.op = LANE_setp_eq_u32,
			.guard = NO_GUARD,
			.ndst = 1,
			.nsrc = 2,
			.dst = {P(1)},
			.src = {R(2), R(0)}},
		{.action = ACT_BRANCH, .guard = 1, .target = 4, .reconv = 4},
		{.op = LANE_add_u32,
			.guard = NO_GUARD,
			.ndst = 1,
			.nsrc = 2,
			.dst = {R(3)},
			.src = {R(3), K(0)}},
		{.op = LANE_add_u32,
			.guard = NO_GUARD,
			.ndst = 1,
			.nsrc = 2,
			.dst = {R(1)},
			.src = {R(1), K(0)}},
		{.op = LANE_setp_lt_u32,
			.guard = NO_GUARD,
			.ndst = 1,
			.nsrc = 2,
			.dst = {P(0)},
			.src = {R(1), R(0)}},
		{.action = ACT_BRANCH, .guard = 0, .target = 0, .reconv = 7},
		{.action = ACT_EXIT, .guard = NO_GUARD},
	};
	uint32_t deepest = 0, i, n = 0;

	(void)state;
	begin(code, ARRAY_LEN(code), 32);
	while (exec_peek(&b.warp) && n++ < 1000) {
		assert_true(b.warp.depth == 0 || b.stack[b.warp.depth - 1].mask != 0);
		assert_int_equal(issue(), EXEC_OK);
		deepest = b.warp.depth > deepest ? b.warp.depth : deepest;
	}
	assert_null(exec_peek(&b.warp));
	assert_int_equal(b.warp.exited, 0xffffffff);
	assert_true(deepest <= 3);
	for (i = 1; i < WARP_LANES; i++)
		assert_int_equal(b.regs[1][i], i);
}

static void a_stack_that_is_too_small_is_a_fault_and_changes_nothing(void **state)
{
	static const struct instr code[] = {
		{.action = ACT_BRANCH, .guard = 0, .target = 2, .reconv = 3},
		{.action = ACT_NOP, .guard = NO_GUARD},
		{.action = ACT_NOP, .guard = NO_GUARD},
		{.action = ACT_EXIT, .guard = NO_GUARD},
	};

	(void)state;
	begin(code, ARRAY_LEN(code), 32);
	b.program.stack_depth = 2;
	b.preds[0] = 0xff;
	assert_int_equal(issue(), EXEC_FAULT);
	assert_int_equal(b.fault.kind, FAULT_STACK);
	assert_int_equal(b.warp.depth, 1);
	assert_int_equal(b.stack[0].pc, 0);
	assert_int_equal(b.stack[0].mask, 0xffffffff);
}

static void a_retry_leaves_everything_as_it_was(void **state)
{
	static const struct instr code[] = {
		{.action = ACT_LOAD,
			.moves = true,
			.guard = NO_GUARD,
			.ndst = 1,
			.nsrc = 1,
			.dst = {R(4)},
			.src = {R(5)},
			.offset = 0x10000000,
			.space = SPACE_GLOBAL,
			.mem_type = T_U32,
			.vec = 1,
			.address_words = 1,
			.unit = UNIT_MEMORY},
		{.action = ACT_EXIT, .guard = NO_GUARD},
	};

	(void)state;
	begin(code, ARRAY_LEN(code), 32);
	rig.words[0] = 42;
	rig.retries = 2;
	assert_int_equal(issue(), EXEC_AGAIN);
	assert_int_equal(issue(), EXEC_AGAIN);
	assert_int_equal(b.warp.instructions, 0);
	assert_int_equal(b.regs[4][9], 0);
	assert_int_equal(issue(), EXEC_OK);
	assert_int_equal(b.warp.instructions, 1);
	assert_int_equal(b.warp.thread_instructions, 32);
	assert_int_equal(b.regs[4][9], 42);
	assert_false(b.access.contiguous);
}

static void accesses_say_what_memory_they_touched(void **state)
{
	static const struct instr code[] = {
		{.op = LANE_mul_lo_u32,
			.guard = NO_GUARD,
			.ndst = 1,
			.nsrc = 2,
			.dst = {R(1)},
			.src = {R(0), K(1)}},
		{.action = ACT_STORE,
			.moves = true,
			.guard = NO_GUARD,
			.nsrc = 2,
			.src = {R(1), R(0)},
			.offset = 64,
			.space = SPACE_SHARED,
			.mem_type = T_U32,
			.vec = 1,
			.address_words = 1},
		{.action = ACT_STORE,
			.moves = true,
			.guard = NO_GUARD,
			.nsrc = 2,
			.src = {{0}, R2(0)},
			.offset = 8,
			.space = SPACE_LOCAL,
			.mem_type = T_U64,
			.vec = 1,
			.address_words = 2},
		{.action = ACT_LOAD,
			.moves = true,
			.guard = 0,
			.ndst = 1,
			.nsrc = 1,
			.dst = {R2(4)},
			.src = {{0}},
			.offset = 12,
			.space = SPACE_LOCAL,
			.mem_type = T_S32,
			.vec = 1,
			.address_words = 2},
	};

	(void)state;
	begin(code, ARRAY_LEN(code), 32);
	assert_int_equal(issue(), EXEC_OK);
	assert_int_equal(b.access.space, SPACE_NONE);
	assert_int_equal(issue(), EXEC_OK);
	assert_int_equal(b.access.space, SPACE_SHARED);
	assert_int_equal(b.access.action, ACT_STORE);
	assert_true(b.access.contiguous);
	assert_true(b.access.addr[3] == 64 + 12);
	assert_int_equal(issue(), EXEC_OK);
	assert_true(b.access.addr[5] == 0x100000000 + 2 * 128 + 5 * 4);
	assert_int_equal(b.access.bytes, 8);
	b.preds[0] = 0x00000024;
	assert_int_equal(exec_mask(&b.warp, exec_peek(&b.warp)), 0x24);
	assert_int_equal(issue(), EXEC_OK);
	assert_int_equal(b.access.mask, 0x24);
	assert_int_equal(b.regs[4][5], 20);
	assert_int_equal(b.regs[5][5], 0);
	assert_int_equal(b.regs[4][6], 0);
}

static void addresses_of_32_bits_wrap(void **state)
{
	static const struct instr code[] = {
		{.action = ACT_LOAD,
			.moves = true,
			.guard = NO_GUARD,
			.ndst = 1,
			.nsrc = 1,
			.dst = {R(4)},
			.src = {R(5)},
			.offset = -0x70000000,
			.space = SPACE_GLOBAL,
			.mem_type = T_U32,
			.vec = 1,
			.address_words = 1},
		{.action = ACT_EXIT, .guard = NO_GUARD},
	};
	unsigned i;

	(void)state;
	begin(code, ARRAY_LEN(code), 32);
	for (i = 0; i < WARP_LANES; i++)
		b.regs[5][i] = 0x80000000 + 4 * i;
	rig.words[7] = 99;
	assert_int_equal(issue(), EXEC_OK);
	assert_true(b.access.addr[7] == 0x1000001c);
	assert_true(b.access.contiguous);
	assert_int_equal(b.regs[4][7], 99);
	begin(code, ARRAY_LEN(code), 32);
	assert_int_equal(issue(), EXEC_FAULT);
	assert_true(b.fault.address == 0x90000000);
}

static void a_partial_last_warp_has_only_its_threads(void **state)
{
	static const struct instr code[] = {{.action = ACT_EXIT, .guard = NO_GUARD}};

	(void)state;
	begin(code, 1, 5);
	assert_int_equal(exec_mask(&b.warp, exec_peek(&b.warp)), 0x1f);
	assert_int_equal(issue(), EXEC_OK);
	assert_null(exec_peek(&b.warp));
	assert_int_equal(b.warp.thread_instructions, 5);
}

static void atomic_operations_have_exact_results(void **state)
{
	(void)state;
	assert_true(atom_apply(ATOM_ADD, T_U32, 0xffffffff, 2, 0) == 1);
	assert_true(atom_apply(ATOM_ADD, T_F32, 0x3f800000, 0x40000000, 0) == 0x40400000);
	assert_true(atom_apply(ATOM_ADD, T_F32, 0x7fc00001, 0, 0) == 0x7fffffff);
	assert_true(atom_apply(ATOM_MIN, T_S32, 0xffffffff, 1, 0) == 0xffffffff);
	assert_true(atom_apply(ATOM_MIN, T_U32, 0xffffffff, 1, 0) == 1);
	assert_true(atom_apply(ATOM_MAX, T_S64, UINT64_MAX, 1, 0) == 1);
	assert_true(atom_apply(ATOM_INC, T_U32, 5, 5, 0) == 0);
	assert_true(atom_apply(ATOM_INC, T_U32, 4, 5, 0) == 5);
	assert_true(atom_apply(ATOM_DEC, T_U32, 0, 5, 0) == 5);
	assert_true(atom_apply(ATOM_DEC, T_U32, 6, 5, 0) == 5);
	assert_true(atom_apply(ATOM_CAS, T_B64, 7, 7, UINT64_MAX) == UINT64_MAX);
	assert_true(atom_apply(ATOM_CAS, T_B32, 8, 7, 9) == 8);
	assert_true(atom_apply(ATOM_EXCH, T_B32, 8, 7, 0) == 7);
	assert_true(atom_apply(ATOM_XOR, T_B32, 12, 10, 0) == 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loops_do_not_grow_the_stack),
		cmocka_unit_test(a_stack_that_is_too_small_is_a_fault_and_changes_nothing),
		cmocka_unit_test(a_retry_leaves_everything_as_it_was),
		cmocka_unit_test(accesses_say_what_memory_they_touched),
		cmocka_unit_test(addresses_of_32_bits_wrap),
		cmocka_unit_test(a_partial_last_warp_has_only_its_threads),
		cmocka_unit_test(atomic_operations_have_exact_results),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
