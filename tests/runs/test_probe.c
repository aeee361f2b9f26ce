/* The prober on toy machines that it cannot see: never a wrong finding; outside its hypotheses "not
 * determined". */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "core/base.h"
#include "core/rng.h"
#include "core/text.h"
#include "runs/probe/probe.h"

#define LINE 128u
#define SETS_MOST 64u
#define WAYS_MOST 16u

enum kind { LRU, FIFO, RANDOM, WEIGHTED, LISTED, KINDS };
enum index { MODULO, SHIFTED, XOR, INDICES, SKEWED, PAGES };

/* An L1 in front of an L2 that has everything that was touched since it forgot. */
struct toy {
	uint32_t sets, ways, line;
	enum kind kind;
	enum index index;
	uint32_t weight[WAYS_MOST], order[8], period;
	uint32_t near, second, far; /* cycles */
	uint32_t victims;           /* lines of a victim cache: outside the hypotheses */
	bool prefetches;
	struct rng rng;
	uint64_t tag[SETS_MOST][WAYS_MOST], since[SETS_MOST][WAYS_MOST], clock;
	uint32_t next[SETS_MOST];
	uint64_t victim[8];
	uint32_t last_victim;
	uint8_t *l2; /* by 128 bytes */
};

#define FREE UINT64_MAX

static uint32_t set_of(const struct toy *t, uint64_t line, uint32_t way)
{
	switch (t->index) {
	case SHIFTED:
		return (uint32_t)(line >> 2) % t->sets;
	case XOR:
		return (uint32_t)(line ^ line / t->sets) % t->sets;
	case SKEWED:
		return (uint32_t)((line * (2 * way + 1)) ^ (line >> (3 + way))) % t->sets;
	case PAGES:
		return (uint32_t)(line + (line / 32) * (line / 32) * 7) % t->sets;
	default:
		return (uint32_t)(line % t->sets);
	}
}

static uint32_t weighted_way(struct toy *t)
{
	uint32_t sum = 0, pick, way = 0;

	for (uint32_t i = 0; i < t->ways; i++)
		sum += t->weight[i];
	for (pick = rng_below(&t->rng, sum); pick >= t->weight[way]; way++)
		pick -= t->weight[way];
	return way;
}

static uint32_t victim_way(struct toy *t, uint32_t set, uint64_t line)
{
	uint32_t way = 0;

	if (t->kind == RANDOM)
		return rng_below(&t->rng, t->ways);
	if (t->kind == WEIGHTED)
		return weighted_way(t);
	if (t->kind == LISTED)
		return t->order[t->next[set]++ % t->period];
	for (uint32_t i = 1; i < t->ways; i++)
		if (t->since[set_of(t, line, i)][i] < t->since[set_of(t, line, way)][way])
			way = i;
	return way;
}

static bool in_victims(struct toy *t, uint64_t line)
{
	for (uint32_t i = 0; i < t->victims; i++)
		if (t->victim[i] == line)
			return true;
	return false;
}

static void fill(struct toy *t, uint64_t line)
{
	uint32_t way = 0, set;

	while (way < t->ways && t->tag[set_of(t, line, way)][way] != FREE)
		way++;
	if (way == t->ways)
		way = victim_way(t, set_of(t, line, 0), line);
	set = set_of(t, line, way);
	if (t->victims && t->tag[set][way] != FREE)
		t->victim[t->last_victim++ % t->victims] = t->tag[set][way];
	t->tag[set][way] = line;
	t->since[set][way] = ++t->clock;
}

static bool look_up(struct toy *t, uint64_t line)
{
	for (uint32_t way = 0; way < t->ways; way++) {
		uint32_t set = set_of(t, line, way);

		if (t->tag[set][way] != line)
			continue;
		if (t->kind == LRU)
			t->since[set][way] = ++t->clock;
		return true;
	}
	return in_victims(t, line);
}

static uint32_t access_far(struct toy *t, uint32_t address)
{
	uint8_t *there = &t->l2[address / 128];
	bool hit = *there;

	*there = 1;
	return hit ? t->second : t->far;
}

static uint32_t access_ca(struct toy *t, uint32_t address)
{
	uint64_t line = address / t->line;
	uint32_t cycles;

	if (look_up(t, line))
		return t->near;
	cycles = access_far(t, address);
	fill(t, line);
	if (t->prefetches && !look_up(t, line + 1))
		fill(t, line + 1);
	return cycles;
}

static int toy_buffer(void *ctx, uint64_t bytes, struct err *err)
{
	struct toy *t = ctx;

	(void)err;
	mem_free(t->l2);
	t->l2 = mem_alloc(bytes / 128, 1);
	return 0;
}

static void empty(struct toy *t)
{
	memset(t->tag, 0xff, sizeof(t->tag));
	memset(t->since, 0, sizeof(t->since));
	memset(t->next, 0, sizeof(t->next));
	memset(t->victim, 0xff, sizeof(t->victim));
}

static uint32_t one_access(struct toy *t, const struct verbs_segment *s, uint32_t address)
{
	if (s->path >= VERBS_ONE_ADDITION)
		return s->path == VERBS_ONE_ADDITION ? 20 : 26;
	return 14 + (s->path == VERBS_CA ? access_ca(t, address) : access_far(t, address));
}

static int toy_script(void *ctx, const struct verbs_script *s, uint32_t *results, struct err *err)
{
	struct toy *t = ctx;
	uint32_t n = 0;

	(void)err;
	empty(t);
	for (uint32_t i = 0; i < s->n; i++) {
		const struct verbs_segment *a = &s->at[i];
		uint32_t slow = 0;

		for (uint32_t k = 0; k < a->count; k++) {
			uint32_t cycles = one_access(t, a, a->first + k * (uint32_t)a->stride);

			slow += cycles > s->limit;
			if (a->act == VERBS_TIME)
				results[n++] = cycles;
		}
		if (a->act == VERBS_COUNT)
			results[n++] = slow;
	}
	return 0;
}

static int toy_stride(void *ctx, unsigned stride, unsigned n, uint32_t *cycles, struct err *err)
{
	(void)ctx;
	(void)stride;
	(void)n;
	(void)err;
	*cycles = 0;
	return 0;
}

static int toy_forget(void *ctx, struct err *err)
{
	struct toy *t = ctx;

	(void)err;
	memset(t->l2, 0, 1u << 17); /* the first 16 MB are all that is used */
	return 0;
}

static void choose_policy(struct toy *t, struct rng *r)
{
	t->kind = (enum kind)rng_below(r, KINDS);
	for (uint32_t i = 0; i < t->ways; i++)
		t->weight[i] = 1;
	if (t->ways < 3 || t->ways > 6)
		t->kind = (enum kind)(t->kind % WEIGHTED);
	t->weight[rng_below(r, t->ways)] = 3;
	t->period = t->ways + 1;
	for (uint32_t i = 0; i < t->ways && i < 7; i++)
		t->order[i] = (i * 2 + 1) % (t->ways | 1) % t->ways;
	if (t->ways < 7)
		t->order[t->ways] = 0;
}

static void choose(struct toy *t, uint64_t seed)
{
	struct rng r = rng_new(seed, 7);

	*t = (struct toy){.rng = rng_new(seed, 8), .line = LINE};
	t->index = (enum index)rng_below(&r, INDICES);
	t->ways = 1 + rng_below(&r, 12);
	t->sets = t->index == MODULO ? 3 + rng_below(&r, 30) : 4u << rng_below(&r, 4);
	t->near = 20 + rng_below(&r, 100);
	t->second = t->near + 3 + rng_below(&r, 300);
	t->far = t->second + 3 + rng_below(&r, 500);
	choose_policy(t, &r);
}

static const char *policy_words(const struct toy *t, struct text *out)
{
	text_clear(out);
	if (t->ways == 1)
		text_raw(out, "none: one way");
	else if (t->kind < WEIGHTED)
		text_raw(out, "%s", t->kind == LRU ? "LRU" : t->kind == FIFO ? "FIFO" : "random");
	else if (t->kind == LISTED)
		text_raw(out, "ways in the order");
	else
		for (uint32_t i = 0; i < t->ways; i++)
			text_raw(out, "%s%u", i ? "," : "random, weights ", t->weight[i]);
	return text_str(out);
}

static const struct probe_report *probe_toy(struct toy *t, struct arena *arena)
{
	struct probe_report *r = arena_alloc(arena, 1, sizeof(*r));
	struct verbs v = {t, toy_buffer, toy_script, toy_stride, toy_forget};
	struct err err = {0};

	assert_int_equal(probe_all(&v, PROBE_L1, arena, r, &err), 0);
	mem_free(t->l2);
	return r;
}

/* 0: right; 1: not determined; fails when it is wrong. */
static unsigned check(const struct probe_report *r, const char *item, double number)
{
	const struct finding *f = probe_find(r, "L1", item);

	if (!f || !f->known)
		return 1;
	if (f->number != number)
		print_error("%s: %s, must be %g\n", item, f->value, number);
	assert_true(f->number == number);
	return 0;
}

static unsigned check_all(const struct toy *t, const struct probe_report *r)
{
	const struct finding *f = probe_find(r, "L1", "replacement");
	struct text words = {0};
	unsigned not = check(r, "line", t->line) + check(r, "sets", t->sets) +
		       check(r, "ways", t->ways) +
		       check(r, "capacity", t->sets * t->ways * t->line);

	policy_words(t, &words);
	if (f && f->known && strncmp(f->value, text_str(&words), words.len))
		print_error("replacement: %s, must be %s\n", f->value, text_str(&words));
	assert_true(!f || !f->known || !strncmp(f->value, text_str(&words), words.len));
	text_clear(&words);
	return not +(!f || !f->known);
}

static void hidden_machines_are_found_out(void **state)
{
	static const unsigned machines = 200;
	volatile unsigned missing = 0; /* setjmp */
	struct toy *t = mem_alloc(1, sizeof(*t));

	(void)state;
	for (unsigned seed = 0; seed < machines; seed++) {
		struct arena arena = {0};
		unsigned not ;
		jmp_buf escape;

		arena.escape = &escape;
		assert_int_equal(setjmp(escape), 0);
		choose(t, seed);
		not = check_all(t, probe_toy(t, &arena));
		if (not )
			print_message("seed %u: %u items are not determined\n", seed, not );
		missing += not != 0;
		arena_free(&arena);
	}
	mem_free(t);
	assert_true(missing * 50 <= machines);
}

/* Each with a number of sets that a regular cache has, too: nothing may be known of its sets. */
static void outside_its_hypotheses_nothing_is_determined(void **state)
{
	struct toy *t = mem_alloc(1, sizeof(*t));

	(void)state;
	for (unsigned way = 0; way < 4; way++) {
		struct arena arena = {0};
		const struct finding *f;
		jmp_buf escape;

		arena.escape = &escape;
		assert_int_equal(setjmp(escape), 0);
		*t = (struct toy){.sets = 16,
			.ways = 4,
			.line = LINE,
			.near = 30,
			.second = 200,
			.far = 500,
			.rng = rng_new(3, 3)};
		t->index = way == 0 ? SKEWED : MODULO;
		t->victims = way == 1 ? 4 : 0;
		t->prefetches = way == 2;
		f = probe_find(probe_toy(t, &arena), "L1", "sets");
		if (way < 3 && f && f->known)
			print_error("outside %u: sets %s\n", way, f->value);
		assert_true(way == 3 ? f && f->known : !f || !f->known);
		arena_free(&arena);
	}
	mem_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hidden_machines_are_found_out),
		cmocka_unit_test(outside_its_hypotheses_nothing_is_determined),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
