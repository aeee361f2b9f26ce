/* Spill code checked by an independent checker: it walks the original code (whose order is checked
 * by test_reorder) and the code with spills in parallel, and tracks for every register and every
 * slot whose value it holds. */
#include "ptx/alloc/spill.h"
#include "tests/rig/ptx_ir.h"
#include "tests/rig/random_ptx.h"

/* What a location holds of a value. NEW and OLD: after a guarded write, the lanes that it wrote, or
 * all the others; until the next instruction. */
enum holds { NO, WHOLE, NEW, OLD };

enum { WORDS_AT = 0, PREDS_AT = 64, SLOTS_AT = 96, PLACES = 256, VALUES = 112 };

struct state {
	bool reached, made[VALUES];
	uint8_t holds[PLACES][VALUES];
};

struct checker {
	const struct ir_function *old, *new;
	struct ir_module *m;
	uint32_t def[VALUES]; /* the only definition of a value + 1, when it has one */
	struct state *at, now;
	const struct ir_instr *last; /* of the new code: an original instruction */
};

/* ---- locations. */

static unsigned width(uint8_t words)
{
	return words & 3 ? words & 3 : 1;
}

static unsigned location(const struct checker *c, uint32_t v)
{
	uint8_t words = c->new->words[v];
	unsigned first = words & IR_SLOT ? SLOTS_AT : words ? WORDS_AT : PREDS_AT;

	assert_int_not_equal(c->new->location[v], NO_LOCATION);
	assert_true(first + c->new->location[v] + width(words) <= PLACES);
	return first + c->new->location[v];
}

/* A write: values in any of these locations are overwritten. */
static void overwrite(struct checker *c, unsigned at, unsigned n)
{
	for (uint32_t v = 0; v < c->old->nvregs; v++)
		for (unsigned p = at; p < at + n && c->now.made[v]; p++) {
			c->now.holds[p][v] = NO;
			if (width(c->old->words[v]) == 2 && p > 0)
				c->now.holds[p - 1][v] = NO;
		}
}

static void check_read(const struct checker *c, uint32_t v, uint32_t now, const struct ir_instr *i)
{
	if (c->now.made[v] && c->now.holds[location(c, now)][v] != WHOLE)
		fail_msg(
			"line %u reads register %u, its location does not hold it", i->pos.line, v);
}

static void copy_location(struct checker *c, unsigned to, unsigned from, unsigned n)
{
	uint8_t holds[VALUES];

	memcpy(holds, c->now.holds[from], VALUES);
	overwrite(c, to, n);
	memcpy(c->now.holds[to], holds, VALUES);
}

/* ---- instructions inserted by the compiler. */

static void guarded_store(struct checker *c, const struct ir_instr *i, unsigned to, unsigned from)
{
	assert_non_null(c->last);
	assert_int_equal(i->guard, c->last->guard);
	assert_int_equal(i->guard_negated, c->last->guard_negated);
	for (unsigned d = 0; d < c->last->ndst; d++)
		assert_false(c->last->dst[d].kind == IR_REG && c->last->dst[d].words == 0 &&
			     location(c, c->last->dst[d].index) == location(c, i->guard));
	for (uint32_t v = 0; v < c->old->nvregs; v++) {
		uint8_t *t = &c->now.holds[to][v], f = c->now.holds[from][v];

		if (!c->now.made[v])
			continue;
		*t = (f == WHOLE || f == NEW) && (*t == OLD || *t == WHOLE) ? WHOLE : NO;
	}
}

/* A rematerialised definition: whose value is it? */
static bool same_value(const struct checker *c, const struct ir_instr *i, uint32_t v)
{
	const struct ir_instr *d = c->def[v] ? &c->old->code[c->def[v] - 1] : NULL;

	if (!d || d->action != i->action || d->op != i->op || d->sreg != i->sreg ||
		d->nsrc != i->nsrc || d->offset != i->offset || d->space != i->space ||
		d->mem_type != i->mem_type)
		return false;
	if (d->action == ACT_LOAD ? d->space != SPACE_PARAM
				  : d->action != ACT_SREG && d->action != ACT_LANES)
		return false;
	for (unsigned s = 0; s < i->nsrc; s++) {
		if (d->src[s].kind != i->src[s].kind || d->src[s].words != i->src[s].words)
			return false;
		if (i->src[s].kind == IR_REG
				? c->now.holds[location(c, i->src[s].index)][d->src[s].index] !=
					  WHOLE
				: d->src[s].bits != i->src[s].bits ||
					  d->src[s].index != i->src[s].index)
			return false;
	}
	return true;
}

static void rematerialise(struct checker *c, const struct ir_instr *i)
{
	unsigned to = location(c, i->dst[0].index);
	bool same[VALUES] = {false}, any = false, more = true;

	for (uint32_t v = 0; v < c->old->nvregs; v++)
		any |= same[v] = same_value(c, i, v);
	if (!any)
		fail_msg("line %u: what is computed here is not known", i->pos.line);
	while (more) { /* copies of it */
		more = false;
		for (uint32_t v = 0; v < c->old->nvregs; v++) {
			const struct ir_instr *d = &c->old->code[c->def[v] ? c->def[v] - 1 : 0];

			if (same[v] || !c->def[v] || d->shape != IR_COPY ||
				d->src[0].kind != IR_REG || !same[d->src[0].index])
				continue;
			same[v] = more = true;
		}
	}
	overwrite(c, to, width(c->new->words[i->dst[0].index]));
	for (uint32_t v = 0; v < c->old->nvregs; v++)
		if (same[v])
			c->now.holds[to][v] = WHOLE;
}

static void run_own(struct checker *c, const struct ir_instr *i)
{
	bool select = i->action == ACT_LANES && i->op == c->m->selp_op;
	bool test = i->action == ACT_LANES && i->op == c->m->setp_op && i->ndst == 2;
	unsigned to = location(c, i->dst[0].index);

	if (i->shape == IR_FILL || i->shape == IR_SPILL || select || test) {
		unsigned from = location(c, i->src[select ? 2 : 0].index);

		if (i->guard != NO_VREG)
			guarded_store(c, i, to, from);
		else
			copy_location(c, to, from, width(c->new->words[i->dst[0].index]));
		return;
	}
	rematerialise(c, i);
}

/* ---- instructions of the original code. */

static void write_value(struct checker *c, const struct ir_instr *was, const struct ir_instr *i,
	unsigned d, const struct state *before)
{
	uint32_t v = was->dst[d].index;
	unsigned to = location(c, i->dst[d].index);
	bool guarded = i->guard != NO_VREG, had = before->made[v];
	bool whole = !guarded || !had || before->holds[to][v] == WHOLE;
	bool still = i->shape == IR_COPY && i->src[0].kind == IR_REG &&
		     location(c, i->src[0].index) == to;

	if (!still)
		overwrite(c, to, width(c->new->words[i->dst[d].index]));
	for (unsigned p = 0; p < PLACES; p++)
		c->now.holds[p][v] = !guarded                               ? NO
				     : !had || before->holds[p][v] == WHOLE ? OLD
									    : NO;
	c->now.made[v] = true;
	c->now.holds[to][v] = whole ? WHOLE : NEW;
}

static void settle(struct checker *c)
{
	for (unsigned p = 0; p < PLACES; p++)
		for (uint32_t v = 0; v < c->old->nvregs; v++)
			if (c->now.holds[p][v] != WHOLE)
				c->now.holds[p][v] = NO;
}

static void run_old(struct checker *c, const struct ir_instr *was, const struct ir_instr *i)
{
	static struct state before;

	settle(c);
	assert_int_equal(was->nsrc, i->nsrc);
	assert_int_equal(was->ndst, i->ndst);
	assert_int_equal(was->guard_negated, i->guard_negated);
	for (unsigned s = 0; s < was->nsrc; s++)
		if (was->src[s].kind == IR_REG)
			check_read(c, was->src[s].index, i->src[s].index, was);
	if (was->guard != NO_VREG)
		check_read(c, was->guard, i->guard, was);
	before = c->now;
	for (unsigned d = 0; d < was->ndst; d++)
		if (was->dst[d].kind == IR_REG)
			write_value(c, was, i, d, &before);
	c->last = i;
}

/* Whether the new instruction corresponds to the old one; otherwise the compiler inserted it. */
static bool is_same(const struct ir_instr *was, const struct ir_instr *i)
{
	return was->opcode == i->opcode && was->action == i->action && was->op == i->op &&
	       i->shape != IR_FILL && i->shape != IR_SPILL && i->shape != IR_OWN;
}

static void run_block_code(struct checker *c, uint32_t b)
{
	const struct ir_block *old = &c->old->blocks[b], *new = &c->new->blocks[b];
	uint32_t o = old->first;

	c->last = NULL;
	for (uint32_t k = new->first; k < new->end; k++) {
		const struct ir_instr *i = &c->new->code[k];

		if (i->shape == IR_GONE) /* a rematerialised definition; a dead store */
			o += i->unit != UNIT_MEMORY;
		else if (o < old->end && is_same(&c->old->code[o], i))
			run_old(c, &c->old->code[o++], i);
		else
			run_own(c, i);
	}
	assert_int_equal(o, old->end);
}

/* ---- paths. */

static bool join(const struct checker *c, struct state *to)
{
	bool changed = !to->reached;

	for (uint32_t v = 0; v < c->old->nvregs; v++) {
		bool made = c->now.made[v] || (to->reached && to->made[v]);

		changed |= made != to->made[v];
		to->made[v] = made;
	}
	for (unsigned p = 0; p < PLACES; p++)
		for (uint32_t v = 0; v < c->old->nvregs; v++) {
			uint8_t holds = c->now.holds[p][v] == WHOLE &&
					(!to->reached || to->holds[p][v] == WHOLE);

			changed |= holds != to->holds[p][v];
			to->holds[p][v] = holds;
		}
	to->reached = true;
	return changed;
}

static bool run_block(struct checker *c, uint32_t b)
{
	bool changed = false;

	c->now = c->at[b];
	run_block_code(c, b);
	settle(c);
	for (uint32_t s = 0; s < c->old->blocks[b].nsucc; s++)
		changed |= join(c, &c->at[c->old->blocks[b].succ[s]]);
	return changed;
}

static void find_def(struct checker *c, uint32_t i, unsigned *count)
{
	const struct ir_instr *in = &c->old->code[i];

	for (unsigned d = 0; d < in->ndst; d++) {
		uint32_t v = in->dst[d].index;

		if (in->dst[d].kind != IR_REG)
			continue;
		c->def[v] = ++count[v] == 1 && in->guard == NO_VREG ? i + 1 : 0;
	}
}

static void find_defs(struct checker *c)
{
	unsigned count[VALUES] = {0};

	for (uint32_t b = 0; b < c->old->nblocks; b++)
		for (uint32_t i = c->old->blocks[b].first; i < c->old->blocks[b].end; i++)
			find_def(c, i, count);
}

/* Follows all edges to a fixed point. */
static void check_code(struct ir_test *t, const struct ir_function *old)
{
	struct checker c = {.old = old, .new = &t->m.functions[0], .m = &t->m};
	bool changed = true;

	assert_true(old->nvregs <= VALUES);
	assert_int_equal(old->nblocks, c.new->nblocks);
	find_defs(&c);
	c.at = arena_alloc(&t->work, old->nblocks, sizeof(*c.at));
	c.at[0].reached = true;
	memset(c.at[0].holds, WHOLE, sizeof(c.at[0].holds)); /* nothing is written yet */
	while (changed) {
		changed = false;
		for (uint32_t b = 0; b < old->nblocks; b++)
			if (c.at[b].reached)
				changed |= run_block(&c, b);
	}
}

static void check_limits(const struct ir_function *f, uint32_t regs, uint32_t preds)
{
	assert_true(f->regs <= regs && f->preds <= preds);
	for (uint32_t b = 0; b < f->nblocks; b++)
		for (uint32_t i = f->blocks[b].first; i < f->blocks[b].end; i++)
			for (unsigned d = 0; d < f->code[i].ndst; d++) {
				uint32_t v = f->code[i].dst[d].index;

				if (f->code[i].dst[d].kind == IR_REG && !(f->words[v] & IR_SLOT))
					assert_true(f->location[v] + width(f->words[v]) <=
						    (f->words[v] ? regs : preds));
			}
}

static void check_text(const char *text, const char *name, uint32_t regs, uint32_t preds)
{
	struct ir_test t;

	ir_open(&t, text);
	if (!ir_fit(&t, name, regs, preds))
		fail_msg("%s: %u registers are not enough", name, regs);
	check_limits(&t.m.functions[0], regs, preds);
	check_code(&t, t.m.functions[0].plain);
	ir_close(&t);
}

static void check_seed(unsigned seed, uint32_t regs, uint32_t preds)
{
	static const char *const names[] = {"linear", "colour"};
	struct text text = {0};

	random_ptx(seed, seed % 2, &text);
	for (unsigned k = 0; k < ARRAY_LEN(names); k++)
		check_text(text_str(&text), names[k], regs, preds);
	text_clear(&text);
}

static void random_kernels_are_right_in_few_registers(void **state)
{
	(void)state;
	for (unsigned seed = 0; seed < 300; seed++)
		check_seed(seed, 16 + seed % 17, 254);
}

static void random_kernels_are_right_in_the_fewest_registers(void **state)
{
	(void)state;
	for (unsigned seed = 300; seed < 400; seed++)
		check_seed(seed, 8 + seed % 4, 254);
}

static void random_kernels_are_right_with_few_predicates(void **state)
{
	(void)state;
	for (unsigned seed = 400; seed < 500; seed++)
		check_seed(seed, 12 + seed % 9, 3);
}

/* ---- which values are chosen. */

/* A plan for `capacity` registers at every instruction of function 0. */
static struct spill_plan plan_for(struct ir_test *t, uint16_t capacity)
{
	const struct ir_function *f = &t->m.functions[0];
	struct spill_plan p = {.m = &t->m, .f = f, .live = t->live, .work = &t->work};

	p.weight = loops_weigh(f, p.work);
	p.again = remat_find(&t->m, f, p.work);
	p.cost = arena_alloc(p.work, f->nvregs + 1, sizeof(*p.cost));
	p.best = arena_alloc(p.work, f->nvregs + 1, sizeof(*p.best));
	p.how = arena_alloc(p.work, f->nvregs + 1, sizeof(*p.how));
	p.capacity = arena_alloc(p.work, f->ninstr + 1, sizeof(*p.capacity));
	p.pred_capacity = arena_alloc(p.work, f->ninstr + 1, sizeof(*p.pred_capacity));
	p.before = arena_alloc(p.work, f->ninstr + 1, sizeof(*p.before));
	p.after = arena_alloc(p.work, f->ninstr + 1, sizeof(*p.after));
	for (uint32_t i = 0; i < f->ninstr; i++) {
		p.capacity[i] = capacity;
		p.pred_capacity[i] = 254;
	}
	spill_weigh(&p);
	return p;
}

/* What the n-th instruction of the kernel defines. */
static uint32_t defined(const struct ir_test *t, unsigned n)
{
	return t->m.functions[0].code[n].dst[0].index;
}

#define LOAD(r, at) "ld.volatile.global.u32 %r" #r ", [" #at "];\n"
#define STORE(r) "st.volatile.global.u32 [64], %r" #r ";\n"
#define FOUR(x) x x x x
#define OFTEN(x) FOUR(x) FOUR(x)
#define CROWD_LOADS LOAD(11, 68) LOAD(12, 68) LOAD(13, 68) LOAD(14, 68)
#define CROWD_STORES STORE(11) STORE(12) STORE(13) STORE(14)
#define CROWD CROWD_LOADS OFTEN(CROWD_STORES)

/* One value that is live through both crowds costs more than either of those that are live through
 * one, but less than both. */
static void the_value_that_relieves_most_is_spilled(void **state)
{
	struct ir_test t;
	struct spill_plan p;

	(void)state;
	ir_open(&t, IR_KERNEL(LOAD(1, 64) LOAD(2, 64) CROWD STORE(2) STORE(1) LOAD(3, 64)
				    CROWD STORE(3) STORE(1)));
	p = plan_for(&t, 5);
	while (spill_choose(&p))
		continue;
	assert_int_equal(p.how[defined(&t, 0)], SPILL_SLOT);
	assert_int_equal(p.how[defined(&t, 1)], SPILL_NOT);
	for (uint32_t i = 0; i < p.f->ninstr; i++)
		assert_in_range(p.before[i], 0, 5);
	ir_close(&t);
}

/* The first value is the cheapest, but where it is read its reload takes a register, too. */
static void the_registers_of_reloads_are_relieved(void **state)
{
	struct ir_test t;
	struct spill_plan p;
	unsigned reloads = 0;

	(void)state;
	ir_open(&t, IR_KERNEL(LOAD(1, 64) LOAD(2, 64) LOAD(3, 64) LOAD(4, 64) STORE(1)
				    OFTEN(STORE(2) STORE(3) STORE(4)) STORE(1)));
	p = plan_for(&t, 3);
	while (spill_choose(&p))
		continue;
	assert_int_equal(p.how[defined(&t, 0)], SPILL_SLOT);
	for (uint32_t i = 0; i < p.f->ninstr; i++) {
		uint32_t uses[IR_USES], n = ir_uses(&p.f->code[i], uses);
		uint32_t loaded = n && p.how[uses[0]];

		assert_in_range(p.before[i] + loaded, 0, 3);
		reloads += loaded;
	}
	assert_true(reloads >= 2);
	ir_close(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_value_that_relieves_most_is_spilled),
		cmocka_unit_test(the_registers_of_reloads_are_relieved),
		cmocka_unit_test(random_kernels_are_right_in_few_registers),
		cmocka_unit_test(random_kernels_are_right_in_the_fewest_registers),
		cmocka_unit_test(random_kernels_are_right_with_few_predicates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
