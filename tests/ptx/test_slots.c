/* Spilled values in slots of shared memory: which get one, where, and across calls. */
#include "tests/rig/exec_rig.h"

#include "core/rng.h"
#include "core/text.h"
#include "ptx/alloc/slots.h"

#include <stdlib.h>

#define MOST 24u /* values of a small graph */

static struct arena work;
static jmp_buf escape;

static void open_arena(void)
{
	work = (struct arena){.escape = &escape};
}

/* ---- the stacks of the paper's figure 3: A calls B calls C, each with four slots. */

static uint32_t words_of_figure_3(enum spill_stack stack, uint32_t moves[2])
{
	static const bool a[] = {true, false, true, false}, b[] = {false, true, true, false};
	struct slot_move move[4];
	uint32_t words = slots_window(stack, a, 4, move, &moves[0]);

	return words + slots_window(stack, b, 4, move, &moves[1]) + 4;
}

static void the_three_stacks_take_12_10_and_8_slots_with_one_move_a_frame(void **state)
{
	uint32_t moves[2];

	(void)state;
	assert_int_equal(words_of_figure_3(STACK_TRADITIONAL, moves), 12);
	assert_int_equal(moves[0] + moves[1], 0);
	assert_int_equal(words_of_figure_3(STACK_REGISTER, moves), 10);
	assert_int_equal(moves[0] + moves[1], 0);
	assert_int_equal(words_of_figure_3(STACK_MOVING, moves), 8);
	assert_int_equal(moves[0], 1);
	assert_int_equal(moves[1], 1);
	assert_true(100 * (12 - 8) / 12 >= 30);
}

static void moves_fill_the_lowest_holes_from_the_lowest_slot_up(void **state)
{
	static const bool live[] = {false, true, false, false, true, true};
	struct slot_move move[6];
	uint32_t n;

	(void)state;
	assert_int_equal(slots_window(STACK_MOVING, live, 6, move, &n), 3);
	assert_int_equal(n, 2);
	assert_true(move[0].from == 4 && move[0].to == 0);
	assert_true(move[1].from == 5 && move[1].to == 2);
}

/* ---- pruning. */

/* A family of sets over n values, in one plane. */
struct family {
	struct slot_var var[MOST];
	struct slot_set set[64];
	uint64_t bits[64];
	struct slot_sets sets;
};

static void add_set(struct family *f, uint64_t bits, uint32_t limit)
{
	struct slot_set *s = &f->set[f->sets.n];
	uint32_t words = 0;

	for (uint32_t v = 0; v < f->sets.nvars; v++)
		words += bits >> v & 1 ? f->var[v].words : 0;
	if (words <= limit)
		return;
	f->bits[f->sets.n] = bits;
	*s = (struct slot_set){.bits = &f->bits[f->sets.n], .words = words, .times = 1};
	f->sets.n++;
}

static void start_family(struct family *f, uint32_t n)
{
	memset(f, 0, sizeof(*f));
	f->sets = (struct slot_sets){
		.var = f->var, .nvars = n, .planes = 1, .set = f->set, .cap = 64};
	for (uint32_t v = 0; v < n; v++)
		f->var[v] = (struct slot_var){.vreg = v, .words = 1};
}

static uint32_t local_of(const struct family *f)
{
	uint32_t n = 0;

	for (uint32_t v = 0; v < f->sets.nvars; v++)
		n += f->var[v].local;
	return n;
}

/* No set is above the limit afterwards, and no value was dropped that is in none that was. */
static void check_pruned(const struct family *f, uint32_t limit)
{
	uint64_t all = 0, kept = 0;

	for (uint32_t v = 0; v < f->sets.nvars; v++)
		kept |= (uint64_t)!f->var[v].local << v;
	for (uint32_t k = 0; k < f->sets.n; k++) {
		uint32_t words = 0;

		for (uint32_t v = 0; v < f->sets.nvars; v++)
			words += f->bits[k] & kept & UINT64_C(1) << v ? f->var[v].words : 0;
		assert_true(words <= limit);
		assert_int_equal(words, f->set[k].words);
		all |= f->bits[k];
	}
	assert_int_equal(~(all | kept) & ((UINT64_C(1) << f->sets.nvars) - 1), 0);
}

/* Every pair of sets over up to eight values, and random larger families with pairs. */
static void pruning_ends_at_the_limit_and_drops_nothing_needlessly(void **state)
{
	struct rng rng;
	struct family f;

	(void)state;
	open_arena();
	rng = rng_new(7, 7);
	for (uint32_t a = 1; a < 256; a++)
		for (uint32_t b = a; b < 256; b++)
			for (uint32_t limit = 0; limit < 4; limit++) {
				start_family(&f, 8);
				add_set(&f, a, limit);
				add_set(&f, b, limit);
				slots_prune(&f.sets, limit, RANK_LIVE, &work);
				check_pruned(&f, limit);
			}
	arena_free(&work);
	for (unsigned k = 0; k < 4000; k++) {
		uint32_t n = 2 + (uint32_t)rng_below(&rng, MOST - 2);
		uint32_t limit = (uint32_t)rng_below(&rng, n);

		open_arena();
		start_family(&f, n);
		for (uint32_t v = 0; v < n; v++) {
			f.var[v].words = 1 + (uint32_t)rng_below(&rng, 2);
			f.var[v].uses = (double)rng_below(&rng, 5);
		}
		for (unsigned s = 0; s < 12; s++)
			add_set(&f, rng_u64(&rng) & ((UINT64_C(1) << n) - 1), limit);
		slots_prune(&f.sets, limit, k % 2 ? RANK_LIVE : RANK_USES, &work);
		check_pruned(&f, limit);
		arena_free(&work);
	}
}

static void the_value_in_the_fewest_sets_is_dropped_first(void **state)
{
	struct family f;

	(void)state;
	open_arena();
	start_family(&f, 3);
	add_set(&f, 3, 1);
	add_set(&f, 3, 1);
	add_set(&f, 5, 1);
	slots_prune(&f.sets, 1, RANK_LIVE, &work);
	assert_true(f.var[2].local); /* in one set; 0 is in three, 1 in two */
	assert_true(f.var[1].local && !f.var[0].local);
	f.var[0].uses = 1;
	f.var[1].uses = 2;
	f.var[2].uses = 3;
	for (unsigned k = 0; k < 3; k++)
		f.set[k].words = 2;
	slots_prune(&f.sets, 1, RANK_USES, &work);
	assert_true(f.var[0].local && !f.var[1].local && !f.var[2].local);
	arena_free(&work);
}

/* ---- colouring. */

struct small_graph {
	struct slot_graph g;
	uint8_t size[MOST];
	uint64_t edge[MOST];
	uint16_t location[MOST];
};

static void join(struct small_graph *s, uint32_t a, uint32_t b)
{
	s->edge[a] |= UINT64_C(1) << b;
	s->edge[b] |= UINT64_C(1) << a;
}

static void start_graph(struct small_graph *s, uint32_t n)
{
	memset(s, 0, sizeof(*s));
	memset(s->size, 1, sizeof(s->size));
	s->g = (struct slot_graph){.n = n, .planes = 1, .size = s->size, .edge = s->edge};
}

static void check_places(const struct small_graph *s, uint32_t budget)
{
	for (uint32_t a = 0; a < s->g.n; a++) {
		assert_true(s->location[a] == NO_LOCATION || s->location[a] + s->size[a] <= budget);
		for (uint32_t b = 0; b < a; b++)
			if (slots_meet(&s->g, a, b) && s->location[a] != NO_LOCATION &&
				s->location[b] != NO_LOCATION)
				assert_true(s->location[a] + s->size[a] <= s->location[b] ||
					    s->location[b] + s->size[b] <= s->location[a]);
	}
}

/* Figure 2: v1 and v2 have the registers; v3 .. v5 compete for one slot, v4 while v3 is live. */
static void of_figure_2_one_value_stays_in_local_memory(void **state)
{
	struct small_graph s;
	struct family f;

	(void)state;
	open_arena();
	start_family(&f, 3);
	add_set(&f, 3, 1);
	add_set(&f, 4, 1);
	f.var[0].uses = 2;
	slots_prune(&f.sets, 1, RANK_LIVE, &work);
	assert_int_equal(local_of(&f), 1);
	assert_true(f.var[1].local);
	start_graph(&s, 2); /* v3 and v5 */
	assert_int_equal(slots_colour(&s.g, 1, s.location, &work), 0);
	assert_true(s.location[0] == 0 && s.location[1] == 0);
	arena_free(&work);
}

/* Subtrees of a random tree that share a node interfere: that gives all chordal graphs. Each node's
 * subtrees are a clique, and the largest is the number of slots that are needed. */
static uint32_t chordal(struct small_graph *s, struct rng *rng)
{
	uint32_t nodes = 2 + (uint32_t)rng_below(rng, 16), parent[18], most = 0;
	uint64_t at[18] = {0};

	for (uint32_t k = 1; k < nodes; k++)
		parent[k] = (uint32_t)rng_below(rng, k);
	for (uint32_t v = 0; v < s->g.n; v++) {
		bool in[18] = {false};
		uint32_t root = (uint32_t)rng_below(rng, nodes);

		in[root] = true;
		at[root] |= UINT64_C(1) << v;
		for (uint32_t k = root + 1; k < nodes; k++)
			if (in[parent[k]] && rng_below(rng, 2)) {
				in[k] = true;
				at[k] |= UINT64_C(1) << v;
			}
	}
	for (uint32_t k = 0; k < nodes; k++) {
		uint32_t n = 0;

		for (uint32_t a = 0; a < s->g.n; a++) {
			n += at[k] >> a & 1;
			for (uint32_t b = 0; b < a; b++)
				if (at[k] >> a & at[k] >> b & 1)
					join(s, a, b);
		}
		most = n > most ? n : most;
	}
	return most;
}

static void chordal_graphs_need_no_more_slots_than_are_live_at_once(void **state)
{
	struct rng rng;

	(void)state;
	rng = rng_new(3, 1);
	for (unsigned k = 0; k < 1000; k++) {
		struct small_graph s;
		uint32_t budget;

		open_arena();
		start_graph(&s, 2 + (uint32_t)rng_below(&rng, MOST - 2));
		budget = chordal(&s, &rng);
		assert_int_equal(slots_colour(&s.g, budget, s.location, &work), 0);
		check_places(&s, budget);
		arena_free(&work);
	}
}

/* Two values of degree three at distance three: falling degree gives both the same slot, and the
 * two between them need three. */
static void the_order_of_degrees_alone_would_leave_a_value_of_a_tree(void **state)
{
	struct small_graph s;

	(void)state;
	open_arena();
	start_graph(&s, 8);
	for (uint32_t leaf = 4; leaf < 6; leaf++)
		join(&s, 0, leaf);
	for (uint32_t leaf = 6; leaf < 8; leaf++)
		join(&s, 3, leaf);
	join(&s, 0, 1);
	join(&s, 1, 2);
	join(&s, 2, 3);
	assert_int_equal(slots_colour(&s.g, 2, s.location, &work), 0);
	check_places(&s, 2);
	arena_free(&work);
}

static void pairs_take_neighbouring_slots_and_values_prefer_those_in_use(void **state)
{
	struct small_graph s;

	(void)state;
	open_arena();
	start_graph(&s, 4);
	s.size[1] = 2;
	join(&s, 0, 1);
	assert_int_equal(slots_colour(&s.g, 3, s.location, &work), 0);
	check_places(&s, 3);
	assert_true(s.location[2] == 0 && s.location[3] == 0);
	assert_int_equal(slots_colour(&s.g, 2, s.location, &work), 1);
	arena_free(&work);
}

/* ---- programs. */

/* n values from those of another group, one of which is the argument "i"; their sum. */
static void write_values(
	struct text *t, const char *group, unsigned n, const char *from, unsigned of)
{
	for (unsigned k = 0; k < n; k++)
		if (of == 1)
			text_raw(t, "mad.lo.u32 %%%s%u, i, %u, j;\n", group, k, k + 3);
		else
			text_raw(t, "mad.lo.u32 %%%s%u, %%%s%u, %u, o;\n", group, k, from, k % of,
				k + 3);
}

static void write_sum(struct text *t, const char *group, unsigned n)
{
	for (unsigned k = 0; k < n; k++)
		text_raw(t, "mad.lo.u32 o, o, %u, %%%s%u;\n", k + 5, group, k);
}

/* fN calls fN-1 with ten values live across the call, in odd threads only where `diverges`. Those
 * that are dead by then interfere with more values: they take the low slots, and leave holes. */
static void write_chain(struct text *t, unsigned depth, bool diverges)
{
	text_raw(t, ".version 7.0\n.target sm_70\n.address_size 64\n");
	for (unsigned d = 0; d < depth; d++) {
		text_raw(t,
			".func (.reg .u32 o) f%u(.reg .u32 i, .reg .u32 j)\n{\n.reg .b32 "
			"%%r<12>, %%s<14>, %%c<8>;\n.reg .b64 %%w;\n.reg .pred %%p;\nadd.u32 o, i, j;\n"
			"mul.wide.u32 %%w, i, %u;\n",
			d, 2654435761u + d);
		write_values(t, "c", 8, "i", 1);
		write_values(t, "s", 14, "c", 8);
		write_sum(t, "c", 8);
		write_values(t, "r", 10, "s", 14);
		write_sum(t, "s", 14);
		text_raw(t, "and.b32 %%r10, i, 1;\nsetp.eq.u32 %%p, %%r10, %u;\n", d % 2);
		if (d)
			text_raw(t, "%scall (o), f%u, (o, i);\n", diverges ? "@%p " : "", d - 1);
		write_sum(t, "r", 10);
		text_raw(t,
			"shr.u64 %%w, %%w, 31;\ncvt.u32.u64 %%r0, %%w;\nadd.u32 o, o, %%r0;\nret;\n}\n");
	}
	text_raw(t,
		".visible .entry k(.param .u64 out)\n{\n.reg .b32 %%r<24>;\n.reg .b64 %%a<3>;\n"
		"ld.param.u64 %%a0, [out];\nmov.u32 %%r0, %%tid.x;\nmul.wide.u32 %%a1, %%r0, 4;\n"
		"add.s64 %%a1, %%a0, %%a1;\n");
	for (unsigned k = 1; k < 9; k++)
		text_raw(t, "mad.lo.u32 %%r%u, %%r0, %u, %u;\n", k, k, 3 * k);
	text_raw(t, "call (%%r20), f%u, (%%r0, %%r3);\n", depth - 1);
	for (unsigned k = 1; k < 9; k++)
		text_raw(t, "mad.lo.u32 %%r20, %%r20, %u, %%r%u;\n", k + 1, k);
	text_raw(t, "st.global.u32 [%%a1], %%r20;\nret;\n}\n");
}

struct seen {
	uint32_t slots, moves, local;
};
static struct seen seen;

static void note_program(struct rig *r, struct program *p)
{
	(void)r;
	seen = (struct seen){p->slots, p->slot_moves, p->spill_bytes};
	assert_true(p->regs <= (r->max_regs ? r->max_regs : 255));
	assert_true(p->slots <= r->spill.slots);
	assert_int_equal(p->slots > 0, p->slot_loads > 0 && p->slot_stores > 0);
}

#define THREADS 80u /* two warps and a half */

static void run_chain(struct rig *r, const char *text, const char *allocator, unsigned regs,
	struct spill_options spill)
{
	memset(r, 0, sizeof(*r));
	r->allocator = allocator;
	r->max_regs = regs;
	r->spill = spill;
	r->prepare = note_program;
	if (rig_run(r, text, 1, THREADS))
		fail_msg("%s\n%s", r->what, text);
}

static void check_chain(const char *text, const char *allocator, unsigned regs)
{
	static struct rig want, got;
	uint32_t moves = 0, local = UINT32_MAX;

	run_chain(&want, text, allocator, 255, (struct spill_options){0});
	for (unsigned stack = STACK_MOVING; stack <= STACK_TRADITIONAL; stack++)
		for (unsigned slots = 1; slots < 100; slots *= 8) {
			struct spill_options spill = {SPILL_SHARED, (enum spill_stack)stack,
				slots % 2 ? RANK_LIVE : RANK_USES, slots};

			run_chain(&got, text, allocator, regs, spill);
			assert_memory_equal(got.words, want.words, sizeof(got.words));
			assert_true(stack == STACK_MOVING || seen.moves == 0);
			moves += seen.moves;
			local = seen.local < local ? seen.local : local;
		}
	assert_true(moves > 0);
	assert_int_equal(local, 0);
}

static void chains_of_calls_give_the_same_with_all_stacks_and_allocators(void **state)
{
	(void)state;
	for (unsigned diverges = 0; diverges < 2; diverges++) {
		struct text t = {0};

		write_chain(&t, 4, diverges);
		check_chain(text_str(&t), "colour", 16);
		check_chain(text_str(&t), "colour", 24);
		check_chain(text_str(&t), "linear", 18);
		text_clear(&t);
	}
}

/* Twenty values that are live at once, and shared memory of the kernel's own. */
static void write_wide(struct text *t, const char *middle)
{
	text_raw(t, ".version 7.0\n.target sm_70\n.address_size 32\n"
		    ".visible .entry k(.param .u32 out)\n{\n.reg .b32 %%r<40>;\n.reg .b32 %%a<4>;\n"
		    ".shared .align 4 .b8 own[100];\n"
		    "ld.param.u32 %%a0, [out];\nmov.u32 %%r0, %%tid.x;\nmad.lo.u32 %%a1, %%r0, 4, "
		    "%%a0;\n");
	for (unsigned k = 1; k < 30; k++)
		text_raw(t, "mad.lo.u32 %%r%u, %%r0, %%r%u, %u;\n", k, k - 1, 3 * k);
	text_raw(t, "%s", middle);
	for (unsigned k = 1; k < 30; k++)
		text_raw(t, "mad.lo.u32 %%r0, %%r0, %u, %%r%u;\n", k + 1, k);
	text_raw(t, "st.global.u32 [%%a1], %%r0;\nret;\n}\n");
}

static void the_programs_own_accesses_end_before_the_slots(void **state)
{
	static struct rig r;
	struct text good = {0}, bad = {0};

	(void)state;
	write_wide(&good, "mov.u32 %a2, own;\nst.shared.u32 [%a2+96], %r1;\n");
	write_wide(&bad, "mov.u32 %a2, own;\nst.shared.u32 [%a2+128], %r1;\n");
	run_chain(&r, text_str(&good), NULL, 16,
		(struct spill_options){.space = SPILL_SHARED, .slots = 8});
	assert_int_equal(seen.slots, 8);
	memset(r.words, 0, sizeof(r.words));
	assert_int_equal(rig_run(&r, text_str(&bad), 1, THREADS), -1);
	assert_int_equal(r.fault.kind, FAULT_OUT_OF_BOUNDS);
	assert_non_null(strstr(r.what, "shared address 0x80"));
	text_clear(&good);
	text_clear(&bad);
}

static void a_cta_takes_its_own_bytes_in_rows_and_a_row_for_each_slot_and_warp(void **state)
{
	struct program p = {.shared_bytes = 100, .slots = 5};
	struct grid g = {.program = &p, .block = {9, 8, 1}};

	(void)state;
	assert_int_equal(grid_own_shared_bytes(&g), 100);
	assert_int_equal(grid_shared_bytes(&g), 128 + 3 * 5 * 128);
	g.dynamic_shared_bytes = 200;
	assert_int_equal(grid_own_shared_bytes(&g), 112 + 200);
	assert_int_equal(grid_shared_bytes(&g), 384 + 3 * 5 * 128);
	p.slots = 0;
	assert_int_equal(grid_shared_bytes(&g), 312);
}

/* ---- wrong programs are noticed. */

static unsigned planted; /* which of the program's slot accesses is changed */
static unsigned accesses;
static bool drops;

static bool is_changed(const struct program *p, const struct instr *in)
{
	return drops ? p->lines[in->line].move : in->slot;
}

static void plant(struct rig *r, struct program *p)
{
	struct instr *code = (struct instr *)p->code;

	(void)r;
	accesses = 0;
	for (uint32_t i = 0; i < p->ninstr; i++) {
		if (!is_changed(p, &code[i]))
			continue;
		if (accesses++ != planted)
			continue;
		if (drops) {
			code[i].action = ACT_NOP;
			code[i].moves = false;
			code[i].ndst = code[i].nsrc = 0;
			code[i].unit = UNIT_CONTROL;
		} else {
			code[i].offset = (code[i].offset / SLOT_ROW + 1) % p->slots * SLOT_ROW;
		}
	}
}

/* Returns how many of the planted faults the results do not show. */
static unsigned survivors(const char *text)
{
	static struct rig want, got;
	unsigned n = 0;

	run_chain(&want, text, NULL, 255, (struct spill_options){0});
	planted = 0;
	accesses = 1;
	for (; planted < accesses; planted++) {
		memset(&got, 0, sizeof(got));
		got.max_regs = 16;
		got.spill = (struct spill_options){.space = SPILL_SHARED, .slots = 24};
		got.prepare = plant;
		if (!rig_run(&got, text, 1, THREADS))
			n += !memcmp(got.words, want.words, sizeof(got.words));
	}
	assert_true(accesses > 4);
	return n;
}

static void wrong_slots_and_dropped_moves_are_noticed(void **state)
{
	struct text t = {0};

	(void)state;
	write_chain(&t, 3, false);
	drops = false;
	assert_int_equal(survivors(text_str(&t)), 0);
	drops = true;
	assert_int_equal(survivors(text_str(&t)), 0);
	text_clear(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_three_stacks_take_12_10_and_8_slots_with_one_move_a_frame),
		cmocka_unit_test(moves_fill_the_lowest_holes_from_the_lowest_slot_up),
		cmocka_unit_test(pruning_ends_at_the_limit_and_drops_nothing_needlessly),
		cmocka_unit_test(the_value_in_the_fewest_sets_is_dropped_first),
		cmocka_unit_test(of_figure_2_one_value_stays_in_local_memory),
		cmocka_unit_test(chordal_graphs_need_no_more_slots_than_are_live_at_once),
		cmocka_unit_test(the_order_of_degrees_alone_would_leave_a_value_of_a_tree),
		cmocka_unit_test(pairs_take_neighbouring_slots_and_values_prefer_those_in_use),
		cmocka_unit_test(chains_of_calls_give_the_same_with_all_stacks_and_allocators),
		cmocka_unit_test(the_programs_own_accesses_end_before_the_slots),
		cmocka_unit_test(
			a_cta_takes_its_own_bytes_in_rows_and_a_row_for_each_slot_and_warp),
		cmocka_unit_test(wrong_slots_and_dropped_moves_are_noticed),
	};

	if (setjmp(escape))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
