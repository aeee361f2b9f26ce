/* Compares what the prober found with the hidden machine. The index is compared by what it says of
 * pairs of units, not by its words. */
#include "tests/rig/hidden_check.h"

#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "core/text.h"

static void bad(struct hidden_score *s, const struct finding *f, const char *level,
	const char *item, const char *wanted)
{
	fprintf(stderr, "WRONG: %s, %s: %s, must be %s\n", level, item, f ? f->value : "not said",
		wanted);
	s->wrong++;
}

/* The finding; NULL: it is not determined, or has no reason for that, which is wrong. */
static const struct finding *known(
	const struct probe_report *r, const char *level, const char *item, struct hidden_score *s)
{
	const struct finding *f = probe_find(r, level, item);

	s->asked++;
	if (f && f->known)
		return f;
	s->unknown++;
	if (!f || !*f->value)
		bad(s, f, level, item, "shown with a reason");
	if (getenv("HIDDEN_TELL"))
		fprintf(stderr, "not determined: %s, %s: %s\n", level, item, f ? f->value : "-");
	return NULL;
}

static void number(const struct probe_report *r, const char *level, const char *item, double wanted,
	struct hidden_score *s)
{
	const struct finding *f = known(r, level, item, s);
	char words[32];

	snprintf(words, sizeof(words), "%.10g", wanted);
	if (f && fabs(f->number - wanted) > 0.01)
		bad(s, f, level, item, words);
}

static const char *policy_words(const struct hidden_cache *c, struct text *out)
{
	static const char *const names[] = {"LRU", "FIFO", "random", "random, weights ",
		"ways in the order", "pseudo-LRU tree"};

	text_clear(out);
	if (c->ways == 1)
		text_raw(out, "none: one way");
	else
		text_raw(out, "%s", names[c->policy]);
	for (uint32_t i = 0; c->ways > 1 && c->policy == HIDDEN_WEIGHTED && i < c->ways; i++)
		text_raw(out, "%s%u", i ? "," : "", c->weight[i]);
	return text_str(out);
}

/* A list may be shown from any of its positions on. */
static bool same_order(const struct hidden_cache *c, const char *told)
{
	uint32_t order[64], n = 0;

	for (char *end; n < 64; told = end + (*end == ',')) {
		order[n] = (uint32_t)strtoul(told, &end, 10);
		if (end == told)
			break;
		n++;
	}
	for (uint32_t start = 0; n && start < c->period; start++) {
		uint32_t i = 0;

		while (i < n * c->period && order[i % n] == c->order[(start + i) % c->period])
			i++;
		if (i == n * c->period)
			return true;
	}
	return false;
}

static void policy(const struct probe_report *r, const char *level, const struct hidden_cache *c,
	struct hidden_score *s)
{
	const struct finding *f = known(r, level, "replacement", s);
	struct text words = {0};
	size_t n;

	policy_words(c, &words);
	n = c->policy == HIDDEN_LISTED && c->ways > 1 ? words.len : strlen(f ? f->value : "");
	if (f && (n < words.len || strncmp(f->value, text_str(&words), n)))
		bad(s, f, level, "replacement", text_str(&words));
	else if (f && c->policy == HIDDEN_LISTED && c->ways > 1 &&
		 !same_order(c, f->value + words.len))
		bad(s, f, level, "replacement", "that list");
	text_clear(&words);
}

/* ---- the index: a number of the set that its words give a unit */
static uint64_t told_bits(const char *masks, uint64_t address)
{
	uint64_t set = 0;

	for (unsigned i = 0; *masks >= '0' && *masks <= '9'; i++) {
		uint64_t bit = 0;
		char *end;

		for (;; masks = end + 1) {
			bit ^= address >> strtoul(masks, &end, 10) & 1;
			if (*end != '^')
				break;
		}
		set |= bit << i;
		masks = end + (*end == ',');
	}
	return set;
}

/* UINT64_MAX: it says nothing of it. */
static uint64_t told_set(const char *words, uint32_t unit_bytes, uint64_t unit)
{
	unsigned long divisor = 1, sets = 1, at = 0;
	const char *table = strstr(words, "by table:"), *below;
	char *end;

	if (!strcmp(words, "fully associative"))
		return 0;
	if (sscanf(words, "unit number modulo %lu", &sets) == 1)
		return unit % sets;
	if (sscanf(words, "address / %lu modulo %lu", &divisor, &sets) == 2)
		return unit * unit_bytes / divisor % sets;
	if (!strncmp(words, "address bits ", 13) && (below = strstr(words, "below ")) &&
		!(unit * unit_bytes >> strtoul(below + 6, &end, 10))) {
		sscanf(end, ", and address / %lu modulo %lu", &divisor, &sets);
		return told_bits(words + 13, unit * unit_bytes) * sets +
		       unit * unit_bytes / divisor % sets;
	}
	if (!table)
		return UINT64_MAX;
	for (table += 9; unit + 1 > at; at++, table = end) {
		unsigned long set = strtoul(table, &end, 10);

		if (end == table)
			return UINT64_MAX;
		if (at == unit)
			return set;
	}
	return UINT64_MAX;
}

#define PAIRS 400u

static void indexed(const struct probe_report *r, const char *level, const struct hidden_cache *c,
	struct hidden_score *s)
{
	const struct finding *f = known(r, level, "index", s);
	uint32_t sets = c->sets * (c->slices ? c->slices : 1);
	uint32_t most = 8 * sets * c->ways;
	struct rng rng = rng_new(sets, c->ways);
	unsigned same = 0;

	while (f && told_set(f->value, c->line, most - 1) == UINT64_MAX)
		most--;
	for (unsigned i = 0; f && i < PAIRS; i++) {
		uint64_t a = rng_below(&rng, most), b = rng_below(&rng, most);

		for (unsigned k = 0; k < most && i % 2; k++)
			if (hidden_cache_set(c, b * c->line) != hidden_cache_set(c, a * c->line))
				b = (b + 1) % most;
		if ((told_set(f->value, c->line, a) == told_set(f->value, c->line, b)) !=
			(hidden_cache_set(c, a * c->line) == hidden_cache_set(c, b * c->line))) {
			bad(s, f, level, "index", "that of the machine");
			return;
		}
		same += hidden_cache_set(c, a * c->line) == hidden_cache_set(c, b * c->line);
	}
	if (f && same < PAIRS / 8)
		bad(s, f, level, "index", "compared by more pairs");
}

static void cache(const struct probe_report *r, const char *level, const struct hidden_cache *c,
	struct hidden_score *s)
{
	if (!c->present) {
		number(r, level, "capacity", 0, s);
		return;
	}
	number(r, level, "fill", c->fill, s);
	number(r, level, "line", c->line, s);
	number(r, level, "capacity", (double)hidden_cache_units(c) * c->line, s);
	number(r, level, "sets", c->sets * (c->slices ? c->slices : 1), s);
	number(r, level, "ways", c->ways, s);
	indexed(r, level, c, s);
	policy(r, level, c, s);
}

static void ways_of_tlb(
	const struct hidden *h, const struct probe_report *r, struct hidden_score *s)
{
	const struct finding *f = known(r, "L2 TLB", "ways", s);
	uint32_t each = h->tlb2.set_ways[h->tlb2.sets - 1];
	char words[64];

	if (each == h->tlb2.ways)
		snprintf(words, sizeof(words), "%u (%u sets)", each, h->tlb2.sets);
	else if (h->tlb2.sets == 2)
		snprintf(words, sizeof(words), "%u, %u", h->tlb2.ways, each);
	else
		snprintf(words, sizeof(words), "%u, %u (%u sets)", h->tlb2.ways, each,
			h->tlb2.sets - 1);
	if (f && strcmp(f->value, words))
		bad(s, f, "L2 TLB", "ways", words);
}

static void tlbs(const struct hidden *h, const struct probe_report *r, struct hidden_score *s)
{
	if (!h->page) {
		number(r, "L1 TLB", "capacity", 0, s);
		return;
	}
	number(r, "L1 TLB", "page", h->page, s);
	number(r, "L1 TLB", "capacity", (double)hidden_cache_units(&h->tlb1) * h->page, s);
	number(r, "L1 TLB", "sets", h->tlb1.sets, s);
	number(r, "L1 TLB", "ways", h->tlb1.ways, s);
	indexed(r, "L1 TLB", &h->tlb1, s);
	policy(r, "L1 TLB", &h->tlb1, s);
	number(r, "page table", "window", h->window, s);
	number(r, "L2 TLB", "capacity", (double)hidden_cache_units(&h->tlb2) * h->page, s);
	number(r, "L2 TLB", "sets", h->tlb2.sets, s);
	ways_of_tlb(h, r, s);
	indexed(r, "L2 TLB", &h->tlb2, s);
	policy(r, "L2 TLB", &h->tlb2, s);
	if (h->cg_is_ca || h->hop || h->row)
		return;
	number(r, "translation", "L1 TLB hit", h->second, s);
	number(r, "translation", "L1 TLB miss", h->second + h->tlb2_cycles, s);
	number(r, "translation", "L2 TLB miss", h->second + h->tlb2_cycles + h->walk, s);
}

static void shared(const struct hidden *h, const struct probe_report *r, struct hidden_score *s)
{
	number(r, "shared memory", "banks", h->banks, s);
	number(r, "shared memory", "bank width", h->bank_bytes, s);
	number(r, "shared memory", "latency", h->shared, s);
	number(r, "shared memory", "latency of a further pass", h->shared_pass / 32.0, s);
	if (h->bank_bytes == 8)
		number(r, "shared memory", "mode", h->bank_mode, s);
}

static void latencies(const struct hidden *h, const struct probe_report *r, struct hidden_score *s)
{
	number(r, "addition", "latency", h->addition, s);
	number(r, "ld.cg", "L1", !h->cg_is_ca && h->l1.present, s);
	if (h->hop || h->row)
		return;
	number(r, "ld.ca", "latency, touched before", h->l1.present ? h->near : h->second, s);
	number(r, "ld.ca", "latency, touched in a launch before",
		h->second + (h->l1.present ? h->pass : 0), s);
	number(r, "ld.ca", "latency, never touched", h->far + (h->l1.present ? h->pass : 0), s);
	number(r, "tex", "latency, touched before",
		h->tex.present ? h->near_tex : h->second + h->pass_tex, s);
	number(r, "tex", "latency, touched in a launch before", h->second + h->pass_tex, s);
}

void hidden_check(const struct hidden *h, const struct probe_report *r, unsigned parts,
	struct hidden_score *s)
{
	if (parts & PROBE_LATENCY)
		latencies(h, r, s);
	if (parts & PROBE_L1)
		cache(r, "L1", &h->l1, s);
	if (parts & PROBE_TEX)
		cache(r, "texture cache", &h->tex, s);
	if (parts & PROBE_L2)
		cache(r, "L2", &h->l2, s);
	if (parts & PROBE_TLB)
		tlbs(h, r, s);
	if (parts & PROBE_SHARED)
		shared(h, r, s);
}

void hidden_judge(struct hidden *h, unsigned parts, struct hidden_score *s)
{
	struct verbs v = hidden_verbs(h);
	struct probe_report r;
	struct arena arena = {0};
	struct err err = {0};
	jmp_buf escape;

	arena.escape = &escape;
	BUG_ON(setjmp(escape));
	hidden_start(h);
	BUG_ON(probe_all(&v, parts, &arena, &r, &err));
	hidden_check(h, &r, parts, s);
	hidden_stop(h);
	arena_free(&arena);
}
