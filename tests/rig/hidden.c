/* A hidden machine: what an access takes, and the four verbs. */
#include "tests/rig/hidden.h"

#include "core/base.h"

#define TABLE (UINT64_C(1) << 40) /* where page table entries are, and code */
#define CODE (UINT64_C(1) << 41)
#define ENTRY 128u
#define ROW 2048u
#define LANES 32u

static struct hidden_cache *cache_at(struct hidden *h, unsigned i)
{
	struct hidden_cache *const all[] = {&h->l1, &h->tex, &h->l2, &h->tlb1, &h->tlb2};

	return all[i];
}

void hidden_start(struct hidden *h)
{
	for (unsigned i = 0; i < 5; i++)
		if (cache_at(h, i)->present)
			hidden_cache_start(cache_at(h, i));
}

void hidden_stop(struct hidden *h)
{
	for (unsigned i = 0; i < 5; i++)
		if (cache_at(h, i)->present)
			hidden_cache_stop(cache_at(h, i));
}

static uint32_t dram(struct hidden *h, uint64_t address)
{
	uint64_t row = address / ROW, *open = &h->open[row % ARRAY_LEN(h->open)];
	bool same = *open == row + 1;

	*open = row + 1;
	return h->far + (same ? 0 : h->row);
}

/* Of the L2, or what is beyond it. */
static uint32_t shared_cycles(struct hidden *h, uint64_t address)
{
	uint32_t slice = hidden_cache_set(&h->l2, address) / h->l2.sets;
	bool hit = hidden_cache_access(&h->l2, address);

	return (hit ? h->second : dram(h, address)) + h->hop * slice;
}

/* More cycles, for the address's translation; *known: the nearest TLB has it. */
static uint32_t translate(struct hidden *h, uint64_t address, bool *known)
{
	uint64_t page = h->page ? address / h->page : 0;
	uint32_t cycles = 0;

	*known = true;
	if (h->window && h->active != address / h->window + 1) {
		cycles += h->active ? h->window_cycles : 0;
		h->active = (uint32_t)(address / h->window) + 1;
	}
	if (!h->page || hidden_cache_access(&h->tlb1, address))
		return cycles;
	*known = false;
	cycles += h->tlb2_cycles;
	if (hidden_cache_access(&h->tlb2, address))
		return cycles;
	cycles += h->walk;
	if (!hidden_cache_access(&h->l2, TABLE + page * ENTRY))
		cycles += h->upper + h->far - h->second;
	return cycles;
}

/* Pages in an order without order: a permutation of 2^20 of them. */
static uint64_t placed(const struct hidden *h, uint64_t address)
{
	uint64_t page = address / 4096, mask = (1u << 20) - 1;

	if (!h->random_pages)
		return address;
	for (unsigned i = 0; i < 4; i++) {
		page = (page * UINT64_C(0x9e3779b1) + 12345) & mask;
		page ^= page >> 9;
	}
	return page * 4096 + address % 4096;
}

static uint32_t load(struct hidden *h, enum verbs_path path, uint64_t address)
{
	bool known, tex = path == VERBS_TEX || (path == VERBS_NC && h->nc_is_tex);
	uint32_t cycles = translate(h, address, &known);
	struct hidden_cache *c = tex ? &h->tex : &h->l1;
	uint64_t at = placed(h, address);

	if (path == VERBS_CG && !h->cg_is_ca)
		return cycles + shared_cycles(h, at);
	if (!c->present)
		return cycles + shared_cycles(h, at) + (tex ? h->pass_tex : 0);
	if (hidden_cache_access(c, at) && (known || !h->needs_tlb))
		return cycles + (tex ? h->near_tex : h->near);
	return cycles + shared_cycles(h, at) + (tex ? h->pass_tex : h->pass);
}

static uint32_t one_access(struct hidden *h, const struct verbs_segment *s, uint32_t address)
{
	if (s->path >= VERBS_ONE_ADDITION)
		return h->step + h->addition * (s->path == VERBS_ONE_ADDITION ? 1 : 2);
	return h->step + load(h, (enum verbs_path)s->path, address);
}

/* A launch: the caches of the SM and the TLBs are empty, its code and parameters are read. */
static void launch(struct hidden *h)
{
	for (unsigned i = 0; i < 5; i++)
		if (cache_at(h, i)->present && cache_at(h, i) != &h->l2)
			hidden_cache_empty(cache_at(h, i));
	h->active = 0;
	for (uint32_t i = 0; i < h->code; i++)
		hidden_cache_access(&h->l2, CODE + (uint64_t)i * h->l2.line);
}

static int script(void *ctx, const struct verbs_script *s, uint32_t *results, struct err *err)
{
	struct hidden *h = ctx;
	uint32_t n = 0;

	(void)err;
	launch(h);
	for (uint32_t i = 0; i < s->n; i++) {
		const struct verbs_segment *a = &s->at[i];
		uint32_t slow = 0;

		for (uint32_t k = 0; k < a->count; k++) {
			uint32_t cycles = one_access(h, a, a->first + k * (uint32_t)a->stride);

			slow += cycles > s->limit;
			if (a->act == VERBS_TIME)
				results[n++] = cycles;
		}
		if (a->act == VERBS_COUNT)
			results[n++] = slow;
	}
	return 0;
}

/* Rows that lanes ask of the bank. */
static uint32_t rows(const struct hidden *h, uint32_t bank, uint32_t stride)
{
	uint32_t row[LANES], n = 0;

	for (uint32_t lane = 0; lane < LANES; lane++) {
		uint32_t word = lane * stride, pair = h->bank_bytes / 4, i = 0;
		uint32_t at = (pair == 1 || h->bank_mode == 4 ? word : word / 2) % h->banks;
		uint32_t asked = word / (pair * h->banks);

		while (i < n && row[i] != asked)
			i++;
		if (at == bank && i == n)
			row[n++] = asked;
	}
	return n;
}

static int stride(void *ctx, unsigned stride, unsigned words, uint32_t *cycles, struct err *err)
{
	struct hidden *h = ctx;
	uint32_t most = 1;

	(void)err;
	for (uint32_t bank = 0; bank < h->banks; bank++)
		most = rows(h, bank, stride * words) > most ? rows(h, bank, stride * words) : most;
	*cycles = VERBS_STEPS * h->shared + h->shared_pass * (most - 1);
	return 0;
}

static int buffer(void *ctx, uint64_t bytes, struct err *err)
{
	(void)ctx;
	(void)bytes;
	(void)err;
	return 0;
}

static int forget(void *ctx, struct err *err)
{
	struct hidden *h = ctx;

	(void)err;
	hidden_cache_empty(&h->l2);
	return 0;
}

struct verbs hidden_verbs(struct hidden *h)
{
	return (struct verbs){h, buffer, script, stride, forget};
}
