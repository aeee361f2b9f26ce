/* Every opcode that is warp-wide, waits, fences or changes control flow: the result of each lane,
 * against a reference that interprets the opcode. */
#include "core/rng.h"
#include "core/text.h"
#include "tests/rig/exec_rig.h"
#include "tests/rig/lanes_reference.h"
#include "tests/rig/spellings.h"

#define ROUNDS 6
#define LANE_WORDS 8u /* words of input, and of output, of one lane */
#define OUT 4096u     /* words before the results */
#define UNTOUCHED 0x5a5a5a5au

static struct rig rig; /* too large for a stack; used by the main thread only */

/* The operands of a lane, in this order in memory. */
struct lane {
	uint32_t a, high; /* the value; of 64 bits with `high` */
	uint32_t b, c, members, vote, active, spare;
};

struct crossing {
	struct rng rng;
	struct lane lane[WARP_LANES];
	const char *spelling;
	struct spelled sp;
	unsigned seen;
};

static struct form_match matched(const char *spelling)
{
	struct form_match m;
	char why[1024];
	bool unsupported;

	if (form_match(spelling, &m, why, sizeof(why), &unsupported))
		fail_msg("%s: %s", spelling, why);
	return m;
}

/* The row's opcodes, unless they only compute or move data within a lane, as most do. */
static void row_spellings(const char *pattern, spelling_fn *fn, void *ctx)
{
	static const char *const plain[] = {"ld", "st", "atom", "red", "cvt", "set", "setp"};
	const char *mnemonic = pattern + (*pattern == '*');
	size_t n = strcspn(mnemonic, "{.*");

	for (unsigned i = 0; i < ARRAY_LEN(plain); i++)
		if (strlen(plain[i]) == n && !memcmp(mnemonic, plain[i], n))
			return;
	spellings_of(pattern, fn, ctx);
}

/* ---- operands */

static uint32_t some_value(struct crossing *t)
{
	static const uint32_t few[] = {0, 1, 0x80000000, 0x7fffffff, 0xffffffff, 0x3f800000,
		0xbf800000, 0x7f800000, 0xff800000, 0x7fc12345, 0xff812345, 0x00000001};

	return rng_below(&t->rng, 3) ? few[rng_below(&t->rng, ARRAY_LEN(few))]
				     : (uint32_t)rng_u64(&t->rng);
}

/* Rounds: all lanes with the same mask; all members in two interleaved groups; some lanes only;
 * both. */
static void fill_lanes(struct crossing *t, unsigned round)
{
	uint32_t active = round < 2 ? UINT32_MAX : (uint32_t)rng_u64(&t->rng);
	uint32_t evens = (uint32_t)rng_u64(&t->rng), one = some_value(t);

	for (unsigned i = 0; i < WARP_LANES; i++) {
		struct lane *l = &t->lane[i];
		bool alike = round % 3 == 0;

		l->a = alike ? one : some_value(t);
		l->high = alike ? 7 : rng_below(&t->rng, 2);
		l->b = (uint32_t)rng_u64(&t->rng) & 0x3f;
		l->c = (uint32_t)rng_u64(&t->rng) & 0x1f1f;
		l->vote = alike ? round & 1 : rng_below(&t->rng, 2);
		l->active = active >> i & 1;
		l->members = round % 2 == 0   ? active
			     : evens >> i & 1 ? evens & active
					      : active & ~evens;
	}
	memset(&rig, 0, sizeof(rig));
	memcpy(rig.words, t->lane, sizeof(t->lane));
}

/* ---- the reference: the result of lane i among the lanes that execute together */

static uint32_t group_of(const struct crossing *t, unsigned i)
{
	bool together = !says(&t->sp, "sync") || strcmp(t->sp.word[0], "shfl") == 0;
	uint32_t g = 0;

	for (unsigned k = 0; k < WARP_LANES; k++)
		if (t->lane[k].active && (together || t->lane[k].members == t->lane[i].members))
			g |= 1u << k;
	return g;
}

static uint32_t ballot_of(const struct crossing *t, uint32_t group)
{
	uint32_t b = 0;

	for (unsigned k = 0; k < WARP_LANES; k++)
		b |= (uint32_t)(t->lane[k].vote != 0) << k;
	return b & group;
}

/* PTX ISA, shfl: the pseudo-code. -1: the source lane does not participate. */
static int shuffled(const struct crossing *t, unsigned i, bool *p)
{
	int lane = (int)i, b = t->lane[i].b & 31, c = t->lane[i].c & 31,
	    mask = t->lane[i].c >> 8 & 31;
	int most = (lane & mask) | (c & ~mask), least = lane & mask, j;

	if (says(&t->sp, "up")) {
		j = lane - b;
		*p = j >= most;
	} else {
		j = says(&t->sp, "down")   ? lane + b
		    : says(&t->sp, "bfly") ? lane ^ b
					   : least | (b & ~mask);
		*p = j <= most;
	}
	j = *p ? j : lane;
	return t->lane[j].active ? j : -1;
}

static uint32_t matches(const struct crossing *t, unsigned i, uint32_t group)
{
	bool wide_value = says(&t->sp, "b64");
	uint32_t same = 0;

	for (unsigned k = 0; k < WARP_LANES; k++)
		if (t->lane[k].a == t->lane[i].a &&
			(!wide_value || t->lane[k].high == t->lane[i].high))
			same |= 1u << k;
	return same & group;
}

/* Floats as integers in the same order, with distinct zeros. */
static int64_t rank_of(uint32_t f)
{
	return f >> 31 ? -1 - (int64_t)(f & 0x7fffffff) : (int64_t)f;
}

static bool is_nan(uint32_t f)
{
	return (f & 0x7fffffff) > 0x7f800000;
}

static uint32_t reduced_floats(const struct crossing *t, uint32_t group)
{
	uint32_t best = 0x7fffffff, x;
	bool any = false, nan = false;

	for (unsigned k = 0; k < WARP_LANES; k++) {
		if (!(group >> k & 1))
			continue;
		x = says(&t->sp, "abs") ? t->lane[k].a & 0x7fffffff : t->lane[k].a;
		nan |= is_nan(x);
		if (!is_nan(x) && (!any || (says(&t->sp, "min") ? rank_of(x) < rank_of(best)
								: rank_of(x) > rank_of(best)))) {
			best = x;
			any = true;
		}
	}
	return nan && says(&t->sp, "NaN") ? 0x7fffffff : best;
}

static uint32_t reduced(const struct crossing *t, uint32_t group)
{
	const char *op = t->sp.word[2];
	int64_t r = 0;
	bool any = false;

	if (says(&t->sp, "f32"))
		return reduced_floats(t, group);
	for (unsigned k = 0; k < WARP_LANES; k++) {
		int64_t x = says(&t->sp, "s32") ? (int32_t)t->lane[k].a : (int64_t)t->lane[k].a;

		if (!(group >> k & 1))
			continue;
		r = !any                     ? x
		    : strcmp(op, "add") == 0 ? r + x
		    : strcmp(op, "min") == 0 ? (x < r ? x : r)
		    : strcmp(op, "max") == 0 ? (x > r ? x : r)
		    : strcmp(op, "and") == 0 ? (r & x)
		    : strcmp(op, "or") == 0  ? (r | x)
					     : (r ^ x);
		any = true;
	}
	return (uint32_t)r;
}

/* The results of lane i: *d and *p. False when they are undefined, or there is no reference. */
static bool expected(const struct crossing *t, unsigned i, uint32_t *d, bool *p)
{
	const char *op = t->sp.word[0];
	uint32_t group = group_of(t, i), ballot = ballot_of(t, group);
	int from;

	*d = UNTOUCHED;
	*p = false;
	if (strcmp(op, "activemask") == 0) {
		*d = group;
	} else if (strcmp(op, "elect") == 0) {
		*d = (uint32_t)__builtin_ctz(group);
		*p = *d == i;
	} else if (strcmp(op, "redux") == 0) {
		*d = reduced(t, group);
	} else if (strcmp(op, "match") == 0) {
		*d = matches(t, i, group);
		*p = says(&t->sp, "all") && *d == group;
		*d = says(&t->sp, "any") || *p ? *d : 0;
	} else if (strcmp(op, "shfl") == 0) {
		from = shuffled(t, i, p);
		*d = from < 0 ? 0 : t->lane[from].a;
		return from >= 0;
	} else if (says(&t->sp, "ballot")) {
		*d = ballot;
	} else if (strcmp(op, "vote") == 0) {
		*p = says(&t->sp, "all")   ? ballot == group
		     : says(&t->sp, "any") ? ballot != 0
					   : ballot == 0 || ballot == group;
	} else {
		fail_msg("%s has no reference", t->spelling);
	}
	return true;
}

/* ---- the kernel */

static void write_instruction(const struct crossing *t, struct text *out)
{
	const char *op = t->sp.word[0];
	bool sync = says(&t->sp, "sync"), b64 = says(&t->sp, "b64");

	text_raw(out, "@%%p7 %s ", t->spelling);
	if (strcmp(op, "activemask") == 0)
		text_raw(out, "%%r20;\n");
	else if (strcmp(op, "elect") == 0)
		text_raw(out, "%%r20|%%p2, %%r5;\n");
	else if (strcmp(op, "redux") == 0)
		text_raw(out, "%%r20, %%r1, %%r5;\n");
	else if (strcmp(op, "match") == 0)
		text_raw(out, "%%r20%s, %s, %%r5;\n", says(&t->sp, "all") ? "|%p2" : "",
			b64 ? "%rd4" : "%r1");
	else if (strcmp(op, "shfl") == 0)
		text_raw(out, "%%r20|%%p2, %%r1, %%r3, %%r4%s;\n", sync ? ", %r5" : "");
	else
		text_raw(out, "%s, %%p1%s;\n", says(&t->sp, "ballot") ? "%r20" : "%p2",
			sync ? ", %r5" : "");
}

/* A kernel with that body; there is a function to call. */
static void write_around(const char *body, struct text *out)
{
	static const char head[] = RIG_KERNEL_WITH(
		".func (.reg .u32 d) seven(.reg .u32 a)\n{\nmov.u32 d, 7;\nret;\n}\n", "", "");

	text_raw(out, "%.*s%s}\n", (int)sizeof(head) - 3, head, body);
}

static void write_kernel(const struct crossing *t, struct text *out)
{
	struct text body = {0};

	text_raw(&body,
		"mul.wide.u32 %%rd2, %%r0, 32;\nadd.s64 %%rd2, %%rd0, %%rd2;\n"
		"ld.global.v4.u32 {%%r1, %%r2, %%r3, %%r4}, [%%rd2];\n"
		"ld.global.v4.u32 {%%r5, %%r6, %%r7, %%r8}, [%%rd2+16];\n"
		"mov.b64 %%rd4, {%%r1, %%r2};\nsetp.ne.u32 %%p1, %%r6, 0;\n"
		"setp.ne.u32 %%p7, %%r7, 0;\nmov.u32 %%r20, %u;\nsetp.ne.u32 %%p2, %%r0, %%r0;\n",
		UNTOUCHED);
	write_instruction(t, &body);
	text_raw(&body,
		"selp.u32 %%r21, 1, 0, %%p2;\nst.global.v2.u32 [%%rd2+%u], {%%r20, %%r21};\nret;\n",
		4 * OUT);
	write_around(text_str(&body), out);
	text_clear(&body);
}

static void run_written(const struct text *t, const char *spelling, unsigned threads)
{
	if (rig_run(&rig, text_str(t), 1, threads) != 0)
		fail_msg("%s: %s\n%s", spelling, rig.what, text_str(t));
}

static void check_crossing(struct crossing *t, unsigned round)
{
	struct text text = {0};

	fill_lanes(t, round);
	write_kernel(t, &text);
	run_written(&text, t->spelling, WARP_LANES);
	for (unsigned i = 0; i < WARP_LANES; i++) {
		const uint32_t *is = &rig.words[OUT + LANE_WORDS * i];
		uint32_t d = UNTOUCHED;
		bool p = false;

		if (t->lane[i].active && !expected(t, i, &d, &p))
			continue;
		if (is[0] != d || is[1] != p)
			fail_msg("%s, round %u, lane %u: %x and %u, expected %x and %u",
				t->spelling, round, i, is[0], is[1], d, p);
	}
	text_clear(&text);
}

static void cross(void *ctx, const char *spelling)
{
	struct crossing *t = ctx;

	if (matched(spelling).action != ACT_WARP)
		return;
	t->spelling = spelling;
	t->sp = spelled_cut(spelling);
	t->seen++;
	for (unsigned round = 0; round < ROUNDS; round++)
		check_crossing(t, round);
}

static void cross_row(void *ctx, const char *pattern, const char *operands, const char *text)
{
	(void)operands;
	(void)text;
	row_spellings(pattern, cross, ctx);
}

static void lanes_get_what_their_group_holds(void **state)
{
	static struct crossing t;

	(void)state;
	t.rng = rng_new(5, 0);
	form_list(cross_row, &t);
	assert_int_equal(t.seen, 1 + 2 * 4 + 4 + 1 + 4 + 4 + 6 + 3 + 8);
}

/* ---- barriers: thread t writes t + 1 before, and after it reads what thread 63 - t wrote */

#define BARRIER_THREADS 64u

struct waiting {
	const char *spelling;
	struct spelled sp;
	unsigned seen;
};

static void write_barrier(const struct waiting *t, bool counted, bool negated, struct text *out)
{
	const char *count = counted ? ", 64" : "", *vote = negated ? "!%p1" : "%p1";

	if (says(&t->sp, "warp"))
		text_raw(out, "%s -1;\n", t->spelling);
	else if (says(&t->sp, "arrive"))
		text_raw(out, "@%%p3 %s 3, 64;\n@!%%p3 bar.sync 3, 64;\n", t->spelling);
	else if (says(&t->sp, "red"))
		text_raw(out, "%s %s, 3%s, %s;\n", t->spelling,
			says(&t->sp, "popc") ? "%r20" : "%p2", count, vote);
	else
		text_raw(out, "%s 3%s;\n", t->spelling, count);
}

/* Of threads 0 to 63 those that are multiples of 3 vote true: 22 of them. */
static uint32_t joined_votes(const struct waiting *t, bool negated)
{
	if (says(&t->sp, "popc"))
		return negated ? 42 : 22;
	return says(&t->sp, "or");
}

static void check_barrier(const struct waiting *t, bool counted, bool negated)
{
	bool warp = says(&t->sp, "warp"), arrive = says(&t->sp, "arrive"),
	     red = says(&t->sp, "red");
	struct text body = {0}, text = {0};

	text_raw(&body,
		".shared .u32 s[64];\nmov.u32 %%r1, s;\nmad.lo.u32 %%r2, %%r0, 4, %%r1;\n"
		"add.u32 %%r3, %%r0, 1;\nst.shared.u32 [%%r2], %%r3;\nsub.u32 %%r4, %u, %%r0;\n"
		"mad.lo.u32 %%r4, %%r4, 4, %%r1;\nrem.u32 %%r5, %%r0, 3;\n"
		"setp.eq.u32 %%p1, %%r5, 0;\nsetp.lt.u32 %%p3, %%r0, 32;\n"
		"setp.ne.u32 %%p2, %%r0, %%r0;\nmov.u32 %%r20, 99;\n",
		warp ? 31 : 63);
	write_barrier(t, counted, negated, &body);
	text_raw(&body,
		"%sld.shared.u32 %%r6, [%%r4];\nst.global.u32 [%%rd1], %%r6;\n"
		"%sst.global.u32 [%%rd1+512], %%r20;\nret;\n",
		arrive ? "@%p3 exit;\n" : "",
		says(&t->sp, "popc") ? "" : "selp.u32 %r20, 1, 0, %p2;\n");
	write_around(text_str(&body), &text);
	memset(&rig, 0, sizeof(rig));
	run_written(&text, t->spelling, warp ? WARP_LANES : BARRIER_THREADS);
	for (unsigned i = arrive ? WARP_LANES : 0; i < (warp ? WARP_LANES : BARRIER_THREADS); i++) {
		assert_int_equal(rig.words[i], (warp ? 32 : 64) - i);
		assert_int_equal(rig.words[128 + i], red ? joined_votes(t, negated) : 0);
	}
	text_clear(&body);
	text_clear(&text);
}

static void wait_for(void *ctx, const char *spelling)
{
	struct waiting *t = ctx;

	if (matched(spelling).action != ACT_BARRIER)
		return;
	t->spelling = spelling;
	t->sp = spelled_cut(spelling);
	t->seen++;
	for (unsigned way = 0; way < 4; way++)
		check_barrier(t, way & 1, way & 2);
}

static void wait_row(void *ctx, const char *pattern, const char *operands, const char *text)
{
	(void)operands;
	(void)text;
	row_spellings(pattern, wait_for, ctx);
}

static void barriers_hold_all_and_join_their_votes(void **state)
{
	struct waiting t = {.seen = 0};

	(void)state;
	form_list(wait_row, &t);
	assert_int_equal(t.seen, 2 + 2 + 2 + 4 + 1 + 4 + 4 + 4 + 8);
}

/* ---- instructions without effect on values: all of them, one after another */

struct idle {
	struct text body;
	unsigned seen;
};

static void write_idle(void *ctx, const char *spelling)
{
	struct idle *t = ctx;
	struct form_match m = matched(spelling);
	const char *between = " ";

	if (m.action != ACT_FENCE && m.action != ACT_NOP)
		return;
	t->seen++;
	text_raw(&t->body, "%s", spelling);
	for (unsigned i = 0; i < m.noperands; i++, between = ", ")
		text_raw(&t->body, "%s%s", between,
			m.operand[i].role == ROLE_ADDRESS ? "[%rd0]" : "128");
	text_raw(&t->body, ";\n");
}

static void idle_row(void *ctx, const char *pattern, const char *operands, const char *text)
{
	(void)operands;
	(void)text;
	row_spellings(pattern, write_idle, ctx);
}

static void fences_and_hints_change_nothing(void **state)
{
	struct idle t = {.seen = 0};
	struct text text = {0};

	(void)state;
	form_list(idle_row, &t);
	assert_true(t.seen > 40);
	text_raw(&t.body, "st.global.u32 [%%rd1+256], %%r0;\nret;\n");
	write_around(text_str(&t.body), &text);
	memset(&rig, 0, sizeof(rig));
	run_written(&text, "fences and hints", WARP_LANES);
	for (unsigned i = 0; i < RIG_WORDS; i++)
		assert_int_equal(rig.words[i], i >= 64 && i < 96 ? i - 64 : 0);
	text_clear(&t.body);
	text_clear(&text);
}

/* ---- control flow: the target of each opcode */

static const char *steering(const struct form_match *m, bool indexed)
{
	switch ((enum action)m->action) {
	case ACT_BRANCH:
		return indexed ? "mov.u32 %%r2, 1;\nT: .branchtargets WRONG, RIGHT;\n%s %%r2, T;\n"
				 "WRONG: mov.u32 %%r1, 1;\nRIGHT: add.u32 %%r1, %%r1, 7;\n"
			       : "%s RIGHT;\nmov.u32 %%r1, 1;\nRIGHT: add.u32 %%r1, %%r1, 7;\n";
	case ACT_CALL:
		return "%s (%%r1), seven, (%%r0);\n";
	case ACT_RET:
	case ACT_EXIT:
		return "mov.u32 %%r1, 7;\nst.global.u32 [%%rd1], %%r1;\n%s;\nmov.u32 %%r1, 1;\n";
	case ACT_TRAP:
		return "%s;\n";
	default:
		return NULL;
	}
}

static void check_steering(void *ctx, const char *spelling)
{
	unsigned *seen = ctx;
	struct form_match m = matched(spelling);
	const char *how = steering(&m, strncmp(spelling, "brx", 3) == 0);
	struct text body = {0}, text = {0};

	if (!how)
		return;
	++*seen;
	text_raw(&body, "mov.u32 %%r1, 0;\n");
	text_raw(&body, how, spelling);
	text_raw(&body, "st.global.u32 [%%rd1], %%r1;\nret;\n");
	write_around(text_str(&body), &text);
	memset(&rig, 0, sizeof(rig));
	if (m.action == ACT_TRAP) {
		assert_int_equal(rig_run(&rig, text_str(&text), 1, WARP_LANES), -1);
		assert_int_equal(rig.fault.kind, FAULT_TRAP);
	} else {
		run_written(&text, spelling, WARP_LANES);
		for (unsigned i = 0; i < WARP_LANES; i++)
			assert_int_equal(rig.words[i], 7);
	}
	text_clear(&body);
	text_clear(&text);
}

static void steer_row(void *ctx, const char *pattern, const char *operands, const char *text)
{
	(void)operands;
	(void)text;
	row_spellings(pattern, check_steering, ctx);
}

static void every_branch_call_and_end_leads_where_it_should(void **state)
{
	unsigned seen = 0;

	(void)state;
	form_list(steer_row, &seen);
	assert_int_equal(seen, 2 + 2 + 2 + 2 + 1 + 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lanes_get_what_their_group_holds),
		cmocka_unit_test(barriers_hold_all_and_join_their_votes),
		cmocka_unit_test(fences_and_hints_change_nothing),
		cmocka_unit_test(every_branch_call_and_end_leads_where_it_should),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
