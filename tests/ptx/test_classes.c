/* Every opcode has the class of operations that machines distinguish. */
#include "core/base.h"
#include "core/text.h"
#include "ptx/isa/program.h"
#include "tests/rig/spellings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static struct form_match found(const char *spelling)
{
	struct form_match m;
	char why[FORM_WHY];
	bool unsupported;

	if (form_match(spelling, &m, why, sizeof(why), &unsupported) != 0)
		fail_msg("%s: %s", spelling, why);
	return m;
}

static const struct {
	const char *spelling, *name;
} cases[] = {
	{"add.u32", "int"},
	{"add.s64", "int64"},
	{"add.u16x2", "int"},
	{"add.f32", "f32"},
	{"add.rn.f32x2", "f32"},
	{"add.rn.f32.f16", "f32"},
	{"add.f16x2", "f16"},
	{"sub.bf16", "f16"},
	{"add.rz.f64", "f64"},
	{"neg.f32", "f32"},
	{"mul.f32", "f32"},
	{"mul.f64", "f64"},
	{"mul.wide.u32", "mul"},
	{"mul.lo.u16", "mul"},
	{"mul24.lo.u32", "mul"},
	{"mul.lo.u64", "int64"},
	{"mad.lo.s32", "mad"},
	{"mad.wide.u32", "mad"},
	{"mad.rn.f32", "fma"},
	{"dp4a.u32.u32", "mad"},
	{"fma.rn.f32", "fma"},
	{"fma.rn.f64", "f64"},
	{"fma.rn.f16x2", "f16"},
	{"and.b32", "int"},
	{"and.b64", "int64"},
	{"and.pred", "int"},
	{"mov.b32", "int"},
	{"mov.f64", "int"},
	{"selp.f32", "int"},
	{"selp.b64", "int"},
	{"cvta.to.global.u64", "int"},
	{"shl.b32", "shift"},
	{"shr.u64", "int64"},
	{"shf.l.wrap.b32", "shift"},
	{"bfe.u32", "shift"},
	{"prmt.b32", "shift"},
	{"sad.u32", "shift"},
	{"popc.b64", "bits"},
	{"brev.b32", "bits"},
	{"bfind.u32", "bits"},
	{"setp.lt.u32", "compare"},
	{"setp.lt.and.f32", "compare"},
	{"setp.ne.f64", "f64"},
	{"set.eq.u32.f32", "compare"},
	{"set.eq.f16.u16", "f16"},
	{"slct.f32.f32", "compare"},
	{"min.s32", "minmax"},
	{"max.f32", "minmax"},
	{"max.f64", "f64"},
	{"max.u64", "int64"},
	{"cvt.u64.u32", "int"},
	{"cvt.rn.f32.u32", "conversion"},
	{"cvt.f64.f32", "conversion"},
	{"cvt.rni.f32.f32", "conversion"},
	{"cvt.rn.f16.f32", "conversion"},
	{"shfl.sync.up.b32", "shuffle"},
	{"vote.sync.ballot.b32", "shuffle"},
	{"activemask.b32", "shuffle"},
	{"redux.sync.add.u32", "shuffle"},
	{"sin.approx.f32", "sfu"},
	{"rcp.approx.ftz.f32", "sfu"},
	{"rcp.rn.f32", "fdiv"},
	{"sqrt.approx.f32", "sfu"},
	{"sqrt.rz.ftz.f32", "fdiv"},
	{"rsqrt.approx.f32", "sfu"},
	{"div.approx.f32", "sfu"},
	{"div.full.f32", "sfu"},
	{"div.rn.f32", "fdiv"},
	{"div.rn.f64", "ddiv"},
	{"rcp.rn.f64", "ddiv"},
	{"rcp.approx.ftz.f64", "sfu"},
	{"rsqrt.approx.f64", "ddiv"},
	{"div.s32", "idiv"},
	{"rem.u64", "idiv"},
	{"ld.global.f64", "memory"},
	{"st.shared.u32", "memory"},
	{"atom.global.add.f32", "memory"},
	{"tex.2d.v4.f32.f32", "texture"},
	{"bra.uni", "control"},
	{"exit", "control"},
	{"bar.warp.sync", "control"},
	{"bar.sync", "barrier"},
	{"membar.gl", "fence"},
};

static void opcodes_belong_to_the_class_of_their_numbers(void **state)
{
	(void)state;

	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		struct form_match m = found(cases[i].spelling);
		const char *name = op_class_name((enum op_class)m.op_class);

		if (strcmp(name, cases[i].name))
			fail_msg("%s is %s, not %s", cases[i].spelling, name, cases[i].name);
	}
}

static unsigned by_class[CLASS_COUNT];

/* Of a pattern the first 20 opcodes and every eleventh: all of them take ten seconds. */
static void unit_of_class(void *ctx, const char *spelling)
{
	unsigned n = (*(unsigned *)ctx)++;
	struct form_match m;

	if (n >= 20 && n % 11)
		return;
	m = found(spelling);
	assert_true(m.op_class < CLASS_COUNT);
	if (op_class_unit((enum op_class)m.op_class) != m.unit)
		fail_msg("%s: class %s is not of unit %u", spelling,
			op_class_name((enum op_class)m.op_class), m.unit);
	by_class[m.op_class]++;
}

static void each_pattern(void *ctx, const char *pattern, const char *operands, const char *text)
{
	unsigned n = 0;
	(void)ctx;
	(void)operands;
	(void)text;

	spellings_of(pattern, unit_of_class, &n);
}

static void every_opcode_has_a_class_of_its_unit_and_every_class_an_opcode(void **state)
{
	(void)state;
	form_list(each_pattern, NULL);
	form_list_inner(each_pattern, NULL);
	for (unsigned c = 0; c < CLASS_COUNT; c++)
		if (!by_class[c])
			fail_msg("no opcode is of class %s", op_class_name((enum op_class)c));
}

/* A sum of values that are all live at once, which 16 registers do not hold. */
static struct text much_live(unsigned n)
{
	struct text t = {0};

	text_add(&t,
		".version 5.0\n.target sm_35\n.address_size 32\n.visible .entry k(.param .u32 p)\n"
		"{ .reg .b32 %%r<%u>;\nld.param.u32 %%r0, [p];\n",
		n + 1);
	for (unsigned i = 1; i <= n; i++)
		text_add(&t, "ld.global.u32 %%r%u, [%%r0+%u];\n", i, 4 * i);
	for (unsigned i = 1; i <= n; i++)
		text_add(&t, "st.global.u32 [%%r0+%u], %%r%u;\n", 4 * (n - i), n - i + 1);
	text_add(&t, "ret; }\n");
	assert_false(t.failed);
	return t;
}

static void what_the_compiler_inserts_has_a_class_of_its_unit(void **state)
{
	struct compile_options options = {.max_regs = 16};
	struct text t = much_live(40);
	struct arena arena = {0};
	struct err err = {0};
	const struct program *p;
	jmp_buf no_memory;
	struct module *m;
	(void)state;

	if (setjmp(no_memory))
		fail();
	arena.escape = &no_memory;
	m = module_compile("k.ptx", text_str(&t), strlen(text_str(&t)), &options, &arena, &err);
	assert_non_null(m);
	assert_int_equal(m->nkernels, 1);
	p = m->kernels[0];
	assert_true(p->spill_loads > 0 && p->spill_stores > 0);
	for (uint32_t i = 0; i < p->ninstr; i++)
		assert_int_equal(
			op_class_unit((enum op_class)p->code[i].op_class), p->code[i].unit);
	arena_free(&arena);
	text_clear(&t);
	err_clear(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(opcodes_belong_to_the_class_of_their_numbers),
		cmocka_unit_test(every_opcode_has_a_class_of_its_unit_and_every_class_an_opcode),
		cmocka_unit_test(what_the_compiler_inserts_has_a_class_of_its_unit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
