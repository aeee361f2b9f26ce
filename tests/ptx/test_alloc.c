/* Register allocation checked by an independent checker, on hand-written and 500 random kernels. */
#include "tests/rig/ptx_ir.h"
#include "tests/rig/random_ptx.h"

/* What is known of each virtual register on a path: whether it is defined, and whether its location
 * still holds it. */
struct known {
	bool reached, *made, *valid;
};

struct checker {
	const struct ir_function *f;
	struct known *at; /* by block: at its begin */
	struct known now;
};

static unsigned width(const struct ir_function *f, uint32_t v)
{
	return f->words[v] ? f->words[v] : 1;
}

static bool overlap(const struct ir_function *f, uint32_t a, uint32_t b)
{
	unsigned pa = f->location[a], pb = f->location[b];

	if ((f->words[a] == 0) != (f->words[b] == 0))
		return false;
	return pa < pb + width(f, b) && pb < pa + width(f, a);
}

static void check_read(const struct checker *c, uint32_t v, const struct ir_instr *i)
{
	if (c->now.made[v] && !c->now.valid[v])
		fail_msg("line %u reads register %u, its location %u holds another value",
			i->pos.line, v, c->f->location[v]);
}

static void write_one(struct checker *c, const struct ir_instr *i, unsigned d)
{
	const struct ir_function *f = c->f;
	uint32_t v = i->dst[d].index;
	bool keeps = i->guard != NO_VREG && c->now.made[v];

	for (uint32_t u = 0; u < f->nvregs; u++) {
		bool copy = i->shape == IR_COPY && i->src[0].kind == IR_REG &&
			    i->src[0].index == u && f->location[u] == f->location[v];

		if (u != v && !copy && c->now.made[u] && overlap(f, u, v))
			c->now.valid[u] = false;
	}
	if (!keeps)
		c->now.valid[v] = true;
	c->now.made[v] = true;
}

static void run_instr(struct checker *c, const struct ir_instr *i)
{
	for (unsigned s = 0; s < i->nsrc; s++)
		if (i->src[s].kind == IR_REG)
			check_read(c, i->src[s].index, i);
	if (i->guard != NO_VREG)
		check_read(c, i->guard, i);
	for (unsigned d = 0; d < i->ndst; d++)
		if (i->dst[d].kind == IR_REG)
			write_one(c, i, d);
	for (unsigned d = 0; d < i->ndst; d++)
		for (unsigned e = 0; e < d; e++)
			if (i->dst[d].kind == IR_REG && i->dst[e].kind == IR_REG)
				assert_false(overlap(c->f, i->dst[d].index, i->dst[e].index));
}

/* Joins the current state into the entry of a block; returns whether that changed it. */
static bool join(const struct checker *c, struct known *to)
{
	bool changed = !to->reached;

	for (uint32_t v = 0; v < c->f->nvregs; v++) {
		bool made = c->now.made[v] || (to->reached && to->made[v]);
		bool valid = c->now.valid[v] && (!to->reached || to->valid[v]);

		changed |= made != to->made[v] || valid != to->valid[v];
		to->made[v] = made;
		to->valid[v] = valid;
	}
	to->reached = true;
	return changed;
}

static struct known known_new(struct ir_test *t)
{
	uint32_t n = t->m.functions[0].nvregs + 1;
	struct known k = {false, arena_alloc(&t->work, n, 1), arena_alloc(&t->work, n, 1)};

	memset(k.valid, true, n);
	return k;
}

static bool run_block(struct checker *c, uint32_t b)
{
	const struct ir_function *f = c->f;
	bool changed = false;

	memcpy(c->now.made, c->at[b].made, f->nvregs);
	memcpy(c->now.valid, c->at[b].valid, f->nvregs);
	for (uint32_t i = f->blocks[b].first; i < f->blocks[b].end; i++)
		run_instr(c, &f->code[i]);
	for (uint32_t s = 0; s < f->blocks[b].nsucc; s++)
		changed |= join(c, &c->at[f->blocks[b].succ[s]]);
	return changed;
}

/* Follows all edges to a fixed point; every read must find its register. */
static void check_allocation(struct ir_test *t)
{
	const struct ir_function *f = &t->m.functions[0];
	struct checker c = {.f = f, .now = known_new(t)};
	bool changed = true;

	c.at = arena_alloc(&t->work, f->nblocks, sizeof(*c.at));
	for (uint32_t b = 0; b < f->nblocks; b++)
		c.at[b] = known_new(t);
	c.at[0].reached = true;
	while (changed) {
		changed = false;
		for (uint32_t b = 0; b < f->nblocks; b++)
			if (c.at[b].reached)
				changed |= run_block(&c, b);
	}
}

/* Registers that the colouring used, the pressure, and the bank conflicts before and after
 * renumbering. */
struct tally {
	uint32_t regs, max_live;
	unsigned met_before, met;
};

/* Pairs of source words of an instruction in one bank, at different locations; registers and
 * copies. */
struct banks {
	unsigned met, copies;
	uint32_t regs;
};

static unsigned words_met(const struct ir_function *f, uint32_t v, uint32_t u)
{
	unsigned n = 0;

	for (unsigned x = f->location[v]; f->words[v] && x < f->location[v] + width(f, v); x++)
		for (unsigned y = f->location[u]; f->words[u] && y < f->location[u] + width(f, u);
			y++)
			n += x != y && x % 4 == y % 4;
	return n;
}

static void look_at(const struct ir_function *f, const struct ir_instr *i, struct banks *b)
{
	for (unsigned x = 0; x < i->nsrc; x++)
		for (unsigned y = 0; y < x; y++)
			if (i->src[x].kind == IR_REG && i->src[y].kind == IR_REG &&
				i->src[x].index != i->src[y].index)
				b->met += words_met(f, i->src[x].index, i->src[y].index);
	if (i->shape == IR_COPY && i->src[0].kind == IR_REG)
		b->copies += f->location[i->src[0].index] != f->location[i->dst[0].index];
	for (unsigned d = 0; d < i->ndst; d++)
		if (i->dst[d].kind == IR_REG && f->words[i->dst[d].index])
			b->regs = (uint32_t)max_u64(
				b->regs, f->location[i->dst[d].index] + width(f, i->dst[d].index));
}

static struct banks banks_of(const struct ir_function *f)
{
	struct banks b = {0};

	for (uint32_t k = 0; k < f->nblocks; k++)
		for (uint32_t i = f->blocks[k].first; i < f->blocks[k].end; i++)
			look_at(f, &f->code[i], &b);
	return b;
}

/* After renumbering against bank conflicts: still correct, no more registers, no more copies. */
static struct banks check_spread(struct ir_test *t, struct banks *was)
{
	const struct ir_function *f = &t->m.functions[0];
	struct banks is;

	*was = banks_of(f);
	ir_spread(t);
	check_allocation(t);
	is = banks_of(f);
	assert_in_range(is.regs, 0, f->regs);
	assert_in_range(is.copies, 0, was->copies);
	return is;
}

static struct tally check_text(const char *text)
{
	static const char *const names[] = {"linear", "colour"};
	struct tally tally = {0};
	struct banks was, is;
	struct ir_test t;

	for (unsigned k = 0; k < ARRAY_LEN(names); k++) {
		ir_open(&t, text);
		ir_allocate(&t, names[k]);
		check_allocation(&t);
		is = check_spread(&t, &was);
		tally = (struct tally){
			t.m.functions[0].regs, t.m.functions[0].max_live, was.met, is.met};
		ir_close(&t);
	}
	return tally;
}

static void check_exact(const char *text, uint32_t slack)
{
	struct tally tally = check_text(text);

	assert_int_equal(tally.regs, tally.max_live + slack);
}

static void kernels_by_hand_are_allocated_right(void **state)
{
	(void)state;
	check_exact(IR_KERNEL("ret;\n"), 0);
	check_exact(IR_KERNEL("mov.u32 %r1, 1;\nmov.u32 %r2, 2;\n@%p1 bra A;\nmov.u32 %r3, %r1;\n"
			      "bra B;\nA:\nmov.u32 %r3, %r2;\nB:\nst.global.u32 [64], %r3;\n"),
		0);
	/* Two values exchanged in a loop: a copy must not be taken for the same value. */
	check_exact(IR_KERNEL("mov.u32 %r1, 1;\nmov.u32 %r2, 2;\nT:\nmov.u32 %r3, %r1;\n"
			      "mov.u32 %r1, %r2;\nmov.u32 %r2, %r3;\nsetp.lt.u32 %p1, %r1, %r2;\n"
			      "@%p1 bra T;\nst.global.u32 [64], %r1;\nst.global.u32 [68], %r2;\n"),
		1);
	/* A copy whose source changes while the copy lives. */
	check_exact(IR_KERNEL("mov.u32 %r1, 1;\nmov.u32 %r2, %r1;\nadd.u32 %r1, %r1, 1;\n"
			      "st.global.u32 [64], %r1;\nst.global.u32 [68], %r2;\n"),
		0);
	check_exact(IR_KERNEL("mov.u32 %r1, 1;\n@%p1 mov.u32 %r1, 2;\nmov.u32 %r2, 3;\n"
			      "@!%p1 mov.u32 %r2, %r1;\nst.global.u32 [64], %r2;\n"
			      "st.global.u32 [64], %r1;\n"),
		0);
	check_exact(IR_KERNEL("mov.u32 %r1, 1;\nmov.u32 %r2, 2;\nmov.b64 %rd1, {%r2, %r1};\n"
			      "mov.b64 {%r3, %r4}, %rd1;\nst.global.u64 [64], %rd1;\n"
			      "st.global.v2.u32 [72], {%r4, %r3};\n"),
		0);
}

/* The lowest free register would be another: in the order of definitions of the first, in the
 * opposite order of the second. */
static void a_copy_takes_its_sources_register_where_that_is_free(void **state)
{
	static const char *const kernels[] = {
		IR_KERNEL("mov.u32 %r1, %tid.x;\nmov.u32 %r2, %tid.y;\n"
			  "st.global.u32 [64], %r1;\nmov.u32 %r3, %r2;\n"
			  "st.global.u32 [64], %r3;\n"),
		IR_KERNEL("mov.u32 %r1, %tid.x;\nst.global.u32 [64], %r1;\n"
			  "mov.u32 %r2, %r1;\nmov.u32 %r3, %tid.y;\n"
			  "st.global.u32 [64], %r2;\nst.global.u32 [64], %r3;\n")};

	(void)state;
	for (unsigned k = 0; k < ARRAY_LEN(kernels); k++) {
		struct ir_test t;

		ir_open(&t, kernels[k]);
		ir_allocate(&t, "colour");
		assert_int_equal(banks_of(&t.m.functions[0]).copies, 0);
		ir_close(&t);
	}
}

/* ---- random kernels. */

static struct tally random_kernel(unsigned seed, bool written)
{
	struct text text = {0};
	struct tally tally;

	random_ptx(seed, written, &text);
	tally = check_text(text_str(&text));
	text_clear(&text);
	return tally;
}

static void random_kernels_are_allocated_right(void **state)
{
	(void)state;
	for (unsigned seed = 0; seed < 500; seed++)
		random_kernel(seed, seed % 2);
}

static void colouring_needs_little_more_than_the_pressure(void **state)
{
	struct tally all = {0};

	(void)state;
	for (unsigned seed = 500; seed < 600; seed++) {
		struct tally one = random_kernel(seed, true);

		assert_true(one.regs >= one.max_live);
		all.regs += one.regs;
		all.max_live += one.max_live;
	}
	assert_in_range(100 * all.regs / all.max_live, 100, 102);
}

/* Five live values; the first and the fifth, read together, are in one bank for any colouring: by
 * number modulo four, two of five must be. */
static void registers_read_together_get_different_banks(void **state)
{
	struct tally all = {0}, one;

	(void)state;
	one = check_text(
		IR_KERNEL("mov.u32 %r1, %tid.x;\nmov.u32 %r2, %tid.y;\nmov.u32 %r3, %ntid.x;\n"
			  "mov.u32 %r4, %ntid.y;\nmov.u32 %r5, %ctaid.x;\nadd.u32 %r6, %r1, %r5;\n"
			  "add.u32 %r7, %r2, %r3;\nadd.u32 %r8, %r4, %r1;\nadd.u32 %r9, %r5, %r2;\n"
			  "st.global.v4.u32 [64], {%r6, %r7, %r8, %r9};\n"));
	assert_int_equal(one.met, 0);
	for (unsigned seed = 600; seed < 700; seed++) {
		one = random_kernel(seed, seed % 2);
		all.met_before += one.met_before;
		all.met += one.met;
	}
	assert_in_range(all.met, 0, all.met_before / 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernels_by_hand_are_allocated_right),
		cmocka_unit_test(a_copy_takes_its_sources_register_where_that_is_free),
		cmocka_unit_test(random_kernels_are_allocated_right),
		cmocka_unit_test(colouring_needs_little_more_than_the_pressure),
		cmocka_unit_test(registers_read_together_get_different_banks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
