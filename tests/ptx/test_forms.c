/* The semantics table returns a result for every opcode: found, not supported, or invalid. */
#include "core/base.h"
#include "ptx/isa/lanes.h"
#include "tests/rig/spellings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static struct form_match found(const char *spelling)
{
	struct form_match m;
	char why[1024];
	bool unsupported;

	if (form_match(spelling, &m, why, sizeof(why), &unsupported) != 0)
		fail_msg("%s: %s", spelling, why);
	return m;
}

/* The message for an opcode that is not found. */
static const char *refused(const char *spelling, bool expect_unsupported)
{
	static const struct form_match blank;
	struct form_match m = blank;
	static _Thread_local char why[1024];
	bool unsupported;

	assert_int_equal(form_match(spelling, &m, why, sizeof(why), &unsupported), -1);
	assert_int_equal(unsupported, expect_unsupported);
	return why;
}

static void aliases_share_a_kernel_and_defaults_are_to_nearest(void **state)
{
	(void)state;
	assert_int_equal(found("add.s32").op, LANE_add_u32);
	assert_int_equal(found("add.u32").op, LANE_add_u32);
	assert_int_equal(found("add.f32").op, found("add.rn.f32").op);
	assert_int_equal(found("add.rp.ftz.sat.f32").op, LANE_add_rp_ftz_sat_f32);
	assert_int_equal(found("mul.rz.ftz.f32").op, LANE_mul_rz_ftz_f32);
	assert_int_equal(found("fma.rm.f64").op, LANE_fma_rm_f64);
	assert_int_equal(found("div.full.ftz.f32").op, LANE_div_ftz_f32);
	assert_int_equal(found("setp.lo.u32").op, LANE_setp_lt_u32);
	assert_int_equal(found("setp.geu.xor.ftz.f32").op, LANE_setp_geu_xor_ftz_f32);
	assert_int_equal(found("cvt.sat.u8.s32").op, LANE_cvt_sat_u8_s32);
	assert_int_equal(found("cvt.rpi.ftz.s64.f32").op, LANE_cvt_rpi_ftz_s64_f32);
	assert_int_equal(found("cvt.rz.f64.u64").op, LANE_cvt_rz_f64_u64);
	assert_int_equal(found("cvta.to.local.u64").op, LANE_cvta_to_local_u64);
	assert_int_equal(found("mov.f64").op, LANE_mov_w2);
	assert_int_equal(found("sin.approx.f32").unit, UNIT_SFU);
}

static void operands_have_roles_and_types(void **state)
{
	struct form_match m = found("mad.wide.s32");

	(void)state;
	assert_int_equal(m.noperands, 4);
	assert_true(m.operand[0].is_dst);
	assert_int_equal(m.operand[0].type, T_S64);
	assert_int_equal(m.operand[1].type, T_S32);
	assert_int_equal(m.operand[3].type, T_S64);
	m = found("setp.lt.and.f32");
	assert_int_equal(m.operand[0].role, ROLE_PRED_PAIR);
	assert_int_equal(m.operand[3].role, ROLE_PRED);
	assert_false(m.operand[3].is_dst);
	m = found("cvt.rzi.u8.f64");
	assert_int_equal(m.operand[0].type, T_U8);
	assert_true(m.operand[0].wider);
	assert_int_equal(m.operand[1].type, T_F64);
	m = found("shl.b64");
	assert_int_equal(m.operand[2].type, T_U32);
	m = found("mov.pred");
	assert_int_equal(m.operand[0].role, ROLE_PRED);
	m = found("shfl.sync.down.b32");
	assert_int_equal(m.operand[0].role, ROLE_VALUE_PAIR);
	assert_int_equal(m.noperands, 5);
	m = found("bar.red.or.pred");
	assert_int_equal(m.barrier, BARRIER_RED_OR);
	assert_true(m.operand[2].optional);
}

static void memory_modifiers_may_be_in_any_order(void **state)
{
	struct form_match m = found("ld.volatile.shared.v4.f32");

	(void)state;
	assert_int_equal(m.action, ACT_LOAD);
	assert_int_equal(m.space, SPACE_SHARED);
	assert_int_equal(m.cache_op, CACHE_VOLATILE);
	assert_int_equal(m.vec, 4);
	assert_int_equal(m.mem_type, T_F32);
	m = found("ld.global.nc.v2.u64");
	assert_int_equal(m.cache_op, CACHE_NC);
	assert_int_equal(m.vec, 2);
	m = found("ldu.global.v2.u32");
	assert_int_equal(m.cache_op, CACHE_NC);
	assert_int_equal(m.action, ACT_LOAD);
	m = found("st.release.sys.global.u8");
	assert_int_equal(m.space, SPACE_GLOBAL);
	assert_int_equal(m.mem_type, T_U8);
	m = found("ld.u64");
	assert_int_equal(m.space, SPACE_GENERIC);
	assert_int_equal(m.cache_op, CACHE_DEFAULT);
	m = found("atom.global.sys.cas.b32");
	assert_int_equal(m.atom_op, ATOM_CAS);
	assert_int_equal(m.noperands, 4);
	m = found("atom.add.acq_rel.cta.u64");
	assert_int_equal(m.atom_op, ATOM_ADD);
	assert_int_equal(m.space, SPACE_GENERIC);
	assert_int_equal(found("vote.ballot.sync.b32").op, WARP_VOTE_BALLOT);
	assert_int_equal(found("vote.sync.ballot.b32").op, WARP_VOTE_BALLOT);
}

static void accesses_to_global_memory_take_a_policy(void **state)
{
	static const char *const accesses[] = {"ld.global.L2::cache_hint.b128",
		"ld.L2::cache_hint.f32",
		"ld.global.nc.L1::no_allocate.L2::cache_hint.L2::128B.v4.u32",
		"st.global.L1::evict_first.L2::cache_hint.b32",
		"atom.global.exch.L2::cache_hint.b128", "atom.global.add.L2::cache_hint.v2.f32",
		"red.global.add.L2::cache_hint.v2.f32", "cp.async.ca.shared.global.L2::cache_hint"};
	static const char *const others[] = {"ld.shared.L2::cache_hint.u32",
		"ld.volatile.global.L2::cache_hint.u32",
		"ld.mmio.relaxed.sys.global.L2::cache_hint.u32",
		"atom.global.cas.L2::cache_hint.b32", "cp.async.wait_all.L2::cache_hint",
		"cp.async.mbarrier.arrive.L2::cache_hint.shared.b64", "add.L2::cache_hint.u32",
		"ld.global.L2::cache_hint.L2::cache_hint.u32"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(accesses); i++)
		assert_true(found(accesses[i]).policy);
	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		refused(others[i], false);
	assert_false(found("ld.global.f32").policy);
	found("createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64");
	found("createpolicy.range.global.L2::evict_last.b64");
	found("createpolicy.cvt.L2.b64");
	refused("createpolicy.fractional.L2::evict_last.L2::evict_last.b64", false);
}

/* Rows that refuse the rest of a mnemonic do not hide these. */
static void modifiers_are_found_in_any_order(void **state)
{
	static const char *const spellings[] = {"ldmatrix.sync.aligned.x4.trans.m8n8.shared.b16",
		"stmatrix.sync.aligned.x2.m8n8.shared.b16", "cp.async.cg.global.shared",
		"mma.m16n8k16.sync.aligned.row.col.f32.bf16.bf16.f32",
		"mbarrier.try_wait.shared.parity.b64", "fence.gpu.sc"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(spellings); i++)
		found(spellings[i]);
	refused("ldmatrix.sync.aligned.x1.m16n16.trans.shared.b8", true);
}

static void valid_ptx_that_is_not_executed_is_not_called_invalid(void **state)
{
	(void)state;
	refused("tex.grad.cube.v4.f32.f32", true);
	refused("tex.2dms.v4.f32.s32", true);
	refused("sust.p.2d.v4.b32.trap", true);
	refused("txq.level.width.b32", true);
	refused("wmma.mma.sync.aligned.row.col.m16n16k16.f16.f32", true);
	refused("mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", true);
	refused("cp.async.bulk.commit_group", true);
	refused("fma.rn.oob.bf16x2", true);
	refused("cvt.rs.satfinite.e4m3x4.f32", true);
	refused("cvt.rn.satfinite.s2f6x2.f32", true);
	refused("cvt.rn.e4m3x2.f32", false);
	refused("cvt.rna.relu.tf32.f32", false);
	refused("atom.shared::cluster.cas.b128", true);
	refused("st.shared::cluster.b128", true);
	refused("atom.global.add.v8.f32", false);
	refused("atom.global.min.v2.f32", false);
	refused("atom.global.add.noftz.v2.f32", false);
	refused("atom.global.add.noftz.v8.f16x2", false);
	refused("atom.global.add.v2.f16", false);
	refused("atom.global.and.v2.b32", false);
	refused("atom.shared.add.v2.f32", false);
	refused("atom.global.add.b128", false);
	refused("atom.global.exch.v2.b64", false);
	refused("ld.global.v2.b128", false);
	refused("alloca.u64", true);
	refused("mapa.shared::cluster.u32", true);
	refused("add.rn.u32", false);
	refused("mul.u32", false);
	refused("bra.maybe", false);
	refused("", false);
	refused(".", false);
	refused("add.", false);
	refused("add..u32", false);
	refused("add.u32.u32", false);
	refused("a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r.s.t.u.v.w", false);
	refused("an_instruction_with_a_very_long_name_that_nobody_ever_wrote.u32", false);
}

static void messages_name_what_exists(void **state)
{
	(void)state;
	assert_string_equal(
		refused("mul.wide.u64", false), "mul.wide takes .u16, .s16, .u32, .s32, not .u64");
	assert_string_equal(refused("exit.now", false), "exit takes nothing more, not .now");
	assert_string_equal(refused("popc", false), "popc takes .b32, .b64 as well");
	assert_string_equal(
		refused("ad.u32", false), "unknown instruction 'ad'; did you mean 'add'?");
	assert_non_null(strstr(refused("add.q32", false), ".u16, .s16, .u32, .s32, .u64, .s64"));
	assert_non_null(strstr(refused("add.q32", false), ".f64"));
}

static void count_spelling(void *ctx, const char *spelling)
{
	struct form_match m = found(spelling);

	if (m.action == ACT_LANES)
		assert_true(m.op < LANE_COUNT);
	(*(unsigned *)ctx)++;
}

static void check_pattern(void *ctx, const char *pattern, const char *operands, const char *text)
{
	(void)operands;
	assert_true(text[0] != 0);
	if (pattern[0] != '*')
		spellings_of(pattern, count_spelling, ctx);
}

static void every_opcode_that_is_listed_is_found(void **state)
{
	unsigned n = 0;

	(void)state;
	form_list(check_pattern, &n);
	assert_true(n > 2000);
}

static void check_order(void *ctx, const char *pattern, const char *operands, const char *text)
{
	char *before = ctx, name[32];

	(void)operands;
	(void)text;
	pattern += *pattern == '*';
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(pattern, "{*"), pattern);
	assert_true(strcmp(before, name) <= 0);
	strcpy(before, name);
}

static void the_table_is_sorted_by_mnemonic(void **state)
{
	char before[32] = "";

	(void)state;
	form_list(check_order, before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(aliases_share_a_kernel_and_defaults_are_to_nearest),
		cmocka_unit_test(operands_have_roles_and_types),
		cmocka_unit_test(memory_modifiers_may_be_in_any_order),
		cmocka_unit_test(accesses_to_global_memory_take_a_policy),
		cmocka_unit_test(modifiers_are_found_in_any_order),
		cmocka_unit_test(valid_ptx_that_is_not_executed_is_not_called_invalid),
		cmocka_unit_test(messages_name_what_exists),
		cmocka_unit_test(every_opcode_that_is_listed_is_found),
		cmocka_unit_test(the_table_is_sorted_by_mnemonic),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
