/* Reordering for register pressure, checked independently: both codes are executed symbolically,
 * and must leave the same values, the same memory and the same order of fixed instructions; and the
 * gain, as exact counts. */
#include "core/rng.h"
#include "tests/rig/ptx_ir.h"
#include "tests/rig/random_ptx.h"

#include "ptx/alloc/reorder.h"

enum { MEMORIES = 3, SPACES = 16 };

/* The state of a thread, as hashes of how each value was computed. */
struct symbols {
	uint64_t *value; /* by register */
	uint64_t memory[MEMORIES], fixed;
};

struct counts {
	unsigned loads[SPACES], others;
};

static uint64_t mix(uint64_t a, uint64_t b)
{
	a = (a ^ b) * 0x9e3779b97f4a7c15ull;
	return (a ^ a >> 29) * 0xbf58476d1ce4e5b9ull + b;
}

/* ---- one instruction, symbolically. */

static unsigned touches(const struct ir_instr *i)
{
	if (i->action == ACT_TEXTURE || i->action == ACT_SURFACE)
		return 1;
	if (i->action != ACT_LOAD && i->action != ACT_STORE && i->action != ACT_ATOM &&
		i->action != ACT_RED)
		return 0;
	switch ((enum ptx_space)i->space) {
	case SPACE_GLOBAL:
		return 1;
	case SPACE_SHARED:
		return 2;
	case SPACE_LOCAL:
	case SPACE_PARAM:
		return 4;
	case SPACE_CONST:
		return 0;
	default:
		return 7;
	}
}

static bool stays(const struct ir_instr *i)
{
	return i->cache_op == CACHE_VOLATILE || i->waits ||
	       (i->action != ACT_LANES && i->action != ACT_LOAD && i->action != ACT_STORE &&
		       i->action != ACT_ATOM && i->action != ACT_RED && i->action != ACT_TEXTURE &&
		       i->action != ACT_SREG);
}

static uint64_t result_of(const struct symbols *s, const struct ir_instr *i)
{
	uint64_t h = mix(i->action, i->op);

	h = mix(mix(mix(h, i->space), mix(i->mem_type, i->vec)), mix(i->sreg, i->atom_op));
	h = mix(mix(h, (uint64_t)i->offset), mix(i->src_negated, i->barrier));
	for (unsigned k = 0; k < i->nsrc; k++) {
		const struct ir_value *v = &i->src[k];

		h = mix(h, v->kind == IR_REG ? s->value[v->index]
					     : mix(mix(v->kind, v->index), v->bits));
	}
	if (i->guard != NO_VREG)
		h = mix(mix(h, s->value[i->guard]), i->guard_negated);
	for (unsigned k = 0; k < MEMORIES; k++)
		h = touches(i) >> k & 1 ? mix(h, s->memory[k]) : h;
	return h;
}

static void execute(struct symbols *s, const struct ir_instr *i)
{
	uint64_t h = result_of(s, i);

	for (unsigned k = 0; k < MEMORIES; k++)
		if ((touches(i) >> k & 1 && i->action != ACT_LOAD && i->action != ACT_TEXTURE) ||
			stays(i))
			s->memory[k] = mix(s->memory[k], h);
	if (stays(i))
		s->fixed = mix(s->fixed, h);
	for (unsigned d = 0; d < i->ndst; d++) {
		uint64_t old;

		if (i->dst[d].kind != IR_REG)
			continue;
		old = s->value[i->dst[d].index];
		s->value[i->dst[d].index] =
			ir_kills(i, d) ? mix(h, d) : mix(mix(h, d), mix(old, 1));
	}
}

/* ---- both codes. */

static void begin(struct symbols *s, uint32_t block, uint32_t n)
{
	for (uint32_t v = 0; v < n; v++)
		s->value[v] = mix(block, v);
	for (unsigned k = 0; k < MEMORIES; k++)
		s->memory[k] = mix(block, 1000000 + k);
	s->fixed = block;
}

static void run_block(struct symbols *s, const struct ir_function *f, uint32_t b)
{
	for (uint32_t i = f->blocks[b].first; i < f->blocks[b].end; i++)
		execute(s, &f->code[i]);
}

/* Whether the block has the next one as its only successor, which has no other predecessor. */
static bool goes_on(const struct ir_function *f, uint32_t b)
{
	unsigned preds = 0;

	if (f->blocks[b].nsucc != 1 || f->blocks[b].succ[0] != b + 1)
		return false;
	for (uint32_t p = 0; p < f->nblocks; p++)
		for (uint32_t s = 0; s < f->blocks[p].nsucc; s++)
			preds += f->blocks[p].succ[s] == b + 1;
	return preds == 1;
}

static void same_behind(
	const struct ir_test *t, const struct symbols *a, const struct symbols *b, uint32_t block)
{
	const struct ir_function *f = &t->m.functions[0];

	assert_true(a->fixed == b->fixed);
	assert_memory_equal(a->memory, b->memory, sizeof(a->memory));
	for (uint32_t s = 0; s < f->blocks[block].nsucc; s++) {
		uint32_t n;
		const uint32_t *in = live_in(t->live, f->blocks[block].succ[s], &n);

		for (uint32_t k = 0; k < n; k++)
			if (a->value[in[k]] != b->value[in[k]])
				fail_msg("block %u leaves another value in %u", block, in[k]);
	}
	for (uint32_t k = 0; k < f->nout; k++)
		assert_true(a->value[f->out[k]] == b->value[f->out[k]]);
}

static void check_same(struct ir_test *t, const struct ir_function *other)
{
	const struct ir_function *f = &t->m.functions[0];
	uint32_t n = other->nvregs;
	struct symbols a = {.value = arena_alloc(&t->work, n, 8)};
	struct symbols b = {.value = arena_alloc(&t->work, n, 8)};

	assert_int_equal(f->nblocks, other->nblocks);
	for (uint32_t k = 0; k < f->nblocks; k++) {
		if (k == 0 || !goes_on(f, k - 1)) {
			begin(&a, k, n);
			begin(&b, k, n);
		}
		run_block(&a, f, k);
		run_block(&b, other, k);
		if (!goes_on(f, k))
			same_behind(t, &a, &b, k);
	}
}

static struct counts count(const struct ir_function *f)
{
	struct counts c = {.others = 0};

	for (uint32_t b = 0; b < f->nblocks; b++)
		for (uint32_t i = f->blocks[b].first; i < f->blocks[b].end; i++)
			if (f->code[i].action == ACT_LOAD)
				c.loads[f->code[i].space]++;
			else
				c.others++;
	return c;
}

/* The function reordered, and checked. */
static struct ir_function reorder(struct ir_test *t, unsigned regs)
{
	struct ir_function *f = &t->m.functions[0], other;
	struct spill_plan p = {.m = &t->m, .f = f, .live = t->live, .work = &t->work};
	struct counts was = count(f), is;
	bool *lost;

	p.weight = loops_weigh(f, &t->work);
	p.again = remat_find(&t->m, f, &t->work);
	p.capacity = arena_alloc(&t->work, f->ninstr + 1, sizeof(*p.capacity));
	for (uint32_t i = 0; i < f->ninstr; i++)
		p.capacity[i] = (uint16_t)regs;
	other = reorder_function(&p, &lost);
	hoist_updates(&other, &t->work);
	live_compute(&other, &t->work);
	check_same(t, &other);
	is = count(&other);
	assert_int_equal(is.others, was.others);
	for (unsigned k = 0; k < SPACES; k++)
		if (k == SPACE_SHARED || k == SPACE_PARAM || k == SPACE_CONST)
			assert_true(is.loads[k] >= was.loads[k]);
		else
			assert_int_equal(is.loads[k], was.loads[k]);
	return other;
}

static bool differs(const struct ir_function *a, const struct ir_function *b)
{
	bool differs = a->ninstr != b->ninstr;

	for (uint32_t i = 0; !differs && i < a->ninstr; i++)
		differs = a->code[i].pos.line != b->code[i].pos.line;
	return differs;
}

/* ---- random code. */

static bool is_changed(const char *text, unsigned regs)
{
	struct ir_function other;
	struct ir_test t;
	bool changed;

	ir_open(&t, text);
	other = reorder(&t, regs);
	changed = differs(&t.m.functions[0], &other);
	ir_close(&t);
	return changed;
}

static void random_kernels_compute_the_same(void **state)
{
	unsigned changed = 0;

	(void)state;
	for (unsigned seed = 0; seed < 400; seed++) {
		struct text text = {0};

		random_ptx(seed, seed % 2, &text);
		changed += is_changed(text_str(&text), 6 + seed % 20);
		text_clear(&text);
	}
	assert_true(changed > 200);
}

/* Occasional obstacles: stores, a barrier, a write of the base. */
static void random_obstacle(struct rng *rng, struct text *t)
{
	unsigned a = rng_below(rng, 30), b = rng_below(rng, 30);

	switch (rng_below(rng, 5)) {
	case 0:
		text_raw(t, "st.shared.u32 [%%r38+%u], %%r%u;\n", 4 * a, b);
		break;
	case 1:
		text_raw(t, "ld.volatile.shared.u32 %%r%u, [%%r38];\n", a);
		break;
	case 2:
		text_raw(t, "add.u32 %%r38, %%r38, %u;\n", 4 * a);
		break;
	case 3:
		text_raw(t, "bar.sync 0;\n");
		break;
	default:
		text_raw(t, "setp.lt.u32 %%p1, %%r%u, %%r%u;\n", a, b);
		break;
	}
}

/* Straight code on shared memory. */
static void random_line(struct rng *rng, struct text *t)
{
	unsigned a = rng_below(rng, 30), b = rng_below(rng, 30), c = rng_below(rng, 30);

	if (rng_below(rng, 8) == 0)
		text_raw(t, "@%s%%p1 ", rng_below(rng, 2) ? "!" : "");
	switch (rng_below(rng, 8)) {
	case 0:
		text_raw(t, "xor.b32 %%r%u, %%r%u, 1;\n", a, b);
		break;
	case 1:
		text_raw(t, "add.u32 %%r%u, %%r%u, %%r%u;\n", a, b, c);
		break;
	case 2:
		text_raw(t, "ld.global.u32 %%r%u, [%%rd1+%u];\n", a, 4 * b);
		break;
	case 3:
	case 4:
	case 5:
		text_raw(t, "ld.shared.u32 %%r%u, [%%r3%u+%u];\n", a, 8 + b % 2, 4 * c);
		break;
	default:
		text_raw(t, "mad.lo.u32 %%r%u, %%r%u, %%r%u, %%r%u;\n", a, b, c, a);
		break;
	}
}

static void random_straight(unsigned seed, struct text *t)
{
	struct rng rng = rng_new(seed, 1);

	text_raw(t, "%s", IR_HEAD ".entry k(.param .u64 out)\n{\n" IR_REGS);
	text_raw(t, ".shared .b8 s[512];\nld.param.u64 %%rd1, [out];\n"
		    "mov.u32 %%r38, s;\nadd.u32 %%r39, %%r38, 4;\n"
		    "setp.eq.u32 %%p1, %%r38, 0;\n");
	for (unsigned k = 0; k < 30; k++)
		text_raw(t, "ld.shared.u32 %%r%u, [%%r38+%u];\n", k, 4 * k);
	for (unsigned k = 0; k < 150; k++)
		if (rng_below(&rng, 20))
			random_line(&rng, t);
		else
			random_obstacle(&rng, t);
	for (unsigned k = 0; k < 30; k++)
		text_raw(t, "st.global.u32 [%%rd1+%u], %%r%u;\n", 4 * k, k);
	text_raw(t, "}\n");
}

static void random_straight_code_computes_the_same(void **state)
{
	unsigned changed = 0;

	(void)state;
	for (unsigned seed = 0; seed < 400; seed++) {
		struct text text = {0};

		random_straight(seed, &text);
		changed += is_changed(text_str(&text), 6 + seed % 24);
		text_clear(&text);
	}
	assert_true(changed > 200);
}

/* ---- sums of products: 4 x 4 of them, of two vectors at each of eight levels. */

enum { SIDE = 4, LEVELS = 8 };

/* `load`: its opcode; `between`: what follows each level. */
static void products(struct text *t, const char *load, const char *between)
{
	text_raw(t, IR_HEAD ".entry k(.param .u64 out)\n{\n.reg .b64 %%o;\n"
			    ".reg .f32 %%a<32>, %%b<32>, %%s<16>;\n.reg .b32 %%i;\n"
			    ".reg .b64 %%x, %%y;\n.reg .pred %%p;\n"
			    ".shared .b8 s[1024];\nld.param.u64 %%o, [out];\n"
			    "mov.u32 %%i, %%tid.x;\ncvt.u64.u32 %%x, %%i;\n"
			    "mov.u32 %%i, %%tid.y;\ncvt.u64.u32 %%y, %%i;\n");
	for (unsigned k = 0; k < SIDE * SIDE; k++)
		text_raw(t, "ld.global.f32 %%s%u, [%%o+%u];\n", k, 4 * k);
	text_raw(t, "L:\n");
	for (unsigned l = 0; l < LEVELS; l++) {
		for (unsigned k = 0; k < 2 * SIDE; k++)
			text_raw(t, "%s.f32 %%%c%u, [%%%c+%u];\n", load, k < SIDE ? 'a' : 'b',
				SIDE * l + k % SIDE, k < SIDE ? 'x' : 'y',
				4 * (SIDE * l + k % SIDE));
		for (unsigned k = 0; k < SIDE * SIDE; k++)
			text_raw(t, "fma.rn.f32 %%s%u, %%a%u, %%b%u, %%s%u;\n", k,
				SIDE * l + k / SIDE, SIDE * l + k % SIDE, k);
		text_raw(t, "%s", between);
	}
	text_raw(t, "sub.u32 %%i, %%i, 1;\nsetp.ne.u32 %%p, %%i, 0;\n@%%p bra L;\n");
	for (unsigned k = 0; k < SIDE * SIDE; k++)
		text_raw(t, "st.global.f32 [%%o+%u], %%s%u;\n", 4 * k, k);
	text_raw(t, "}\n");
}

static unsigned loads_of_products(
	const char *load, const char *between, unsigned regs, unsigned space)
{
	struct text text = {0};
	struct ir_function f;
	struct ir_test t;
	unsigned n;

	products(&text, load, between);
	ir_open(&t, text_str(&text));
	f = reorder(&t, regs);
	n = count(&f).loads[space];
	ir_close(&t);
	text_clear(&text);
	return n;
}

/* Four sums, two factors and one more, two 64-bit addresses: each group of 2 x 2 loads four values
 * per level. */
static void products_are_computed_in_squares(void **state)
{
	(void)state;
	assert_int_equal(loads_of_products("ld.shared", "", 11, SPACE_SHARED), LEVELS * 4 * SIDE);
}

/* Eight sums: two groups, of 2 and 4 factors at each level. */
static void products_are_computed_in_halves_where_registers_suffice(void **state)
{
	(void)state;
	assert_int_equal(loads_of_products("ld.shared", "", 15, SPACE_SHARED), LEVELS * 2 * 6);
}

static void with_registers_for_all_no_load_is_repeated(void **state)
{
	(void)state;
	assert_int_equal(loads_of_products("ld.shared", "", 60, SPACE_SHARED), LEVELS * 2 * SIDE);
}

static void what_others_may_write_is_loaded_once(void **state)
{
	static const struct {
		const char *load, *between;
		unsigned space;
	} cases[] = {
		{"ld.global", "", SPACE_GLOBAL},
		{"ld.local", "", SPACE_LOCAL},
		{"ld.volatile.shared", "", SPACE_SHARED},
		{"ld.shared", "st.shared.u32 [%x], %i;\n", SPACE_SHARED},
		{"ld.shared", "red.shared.add.u32 [%x], %i;\n", SPACE_SHARED},
	};

	(void)state;
	for (unsigned k = 0; k < ARRAY_LEN(cases); k++) {
		unsigned n = cases[k].space == SPACE_GLOBAL ? SIDE * SIDE : 0;

		assert_int_equal(
			loads_of_products(cases[k].load, cases[k].between, 11, cases[k].space),
			n + LEVELS * 2 * SIDE);
	}
}

/* ---- updates. */

static uint32_t line_at(const struct ir_function *f, uint32_t i)
{
	return f->code[i].pos.line - IR_KERNEL_LINE;
}

static void an_update_follows_the_last_reader_across_a_barrier(void **state)
{
	struct ir_function *f;
	struct ir_test t;

	(void)state;
	ir_open(&t, IR_KERNEL("mov.u32 %r1, 0;\n"
			      "L:\n"
			      "ld.shared.u32 %r2, [%r1];\n"
			      "st.shared.u32 [%r1+4], %r2;\n"
			      "bar.sync 0;\n"
			      "xor.b32 %r2, %r2, 1;\n"
			      "add.u32 %r1, %r1, 4;\n"
			      "setp.ne.u32 %p1, %r2, 0;\n"
			      "@%p1 bra L;\n"));
	f = &t.m.functions[0];
	hoist_updates(f, &t.work);
	assert_int_equal(line_at(f, 2), 3);
	assert_int_equal(line_at(f, 3), 6);
	assert_int_equal(line_at(f, 4), 4);
	assert_int_equal(line_at(f, 5), 5);
	ir_close(&t);
}

/* The new value is read after it; another operand changes; another path leads there. */
static void an_update_stays_where_it_must(void **state)
{
	static const char *const bodies[] = {
		"mov.u32 %r1, 0;\nL:\nld.shared.u32 %r2, [%r1];\nxor.b32 %r3, %r3, 1;\n"
		"add.u32 %r1, %r1, 4;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra L;\n",
		"mov.u32 %r1, 0;\nL:\nld.shared.u32 %r2, [%r1];\nxor.b32 %r3, %r3, 1;\n"
		"add.u32 %r1, %r1, %r3;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 bra L;\n",
		"mov.u32 %r1, 0;\nld.shared.u32 %r2, [%r1];\nL:\nxor.b32 %r3, %r3, 1;\n"
		"add.u32 %r1, %r1, 4;\nsetp.ne.u32 %p1, %r3, 0;\n@%p1 bra L;\n",
	};

	(void)state;
	for (unsigned k = 0; k < ARRAY_LEN(bodies); k++) {
		char text[2048];
		struct ir_function f;
		struct ir_test t;

		snprintf(text, sizeof(text), "%s%s}\n",
			IR_HEAD ".entry k(.param .u64 out)\n{\n" IR_REGS, bodies[k]);
		ir_open(&t, text);
		f = t.m.functions[0];
		f.code = arena_alloc(&t.work, f.ninstr, sizeof(*f.code));
		memcpy(f.code, t.m.functions[0].code, f.ninstr * sizeof(*f.code));
		hoist_updates(&t.m.functions[0], &t.work);
		assert_false(differs(&f, &t.m.functions[0]));
		ir_close(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_kernels_compute_the_same),
		cmocka_unit_test(random_straight_code_computes_the_same),
		cmocka_unit_test(products_are_computed_in_squares),
		cmocka_unit_test(products_are_computed_in_halves_where_registers_suffice),
		cmocka_unit_test(with_registers_for_all_no_load_is_repeated),
		cmocka_unit_test(what_others_may_write_is_loaded_once),
		cmocka_unit_test(an_update_follows_the_last_reader_across_a_barrier),
		cmocka_unit_test(an_update_stays_where_it_must),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
