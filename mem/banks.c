/* Shared-memory bank conflicts (Gebhart et al., MICRO 2012, section 4.3). */
#include "mem/banks.h"

#include "core/base.h"

#define MOST_BANKS 64u
#define SLOTS 128u

/* Words (one bank's share of one row) met in a pass. The first word of each bank is kept beside it,
 * so that conflict-free accesses never come to the hash of the further ones. */
struct words {
	uint64_t used; /* banks */
	uint64_t taken[SLOTS / 64];
	uint64_t slot[SLOTS];
	uint64_t first[MOST_BANKS];
	uint8_t count[MOST_BANKS];
};

/* True when the word is new. */
static bool add_further(struct words *w, uint64_t word)
{
	unsigned at = (unsigned)((word * UINT64_C(0x9e3779b97f4a7c15)) >> 57);

	for (; w->taken[at / 64] >> (at % 64) & 1; at = (at + 1) % SLOTS)
		if (w->slot[at] == word)
			return false;
	w->taken[at / 64] |= UINT64_C(1) << (at % 64);
	w->slot[at] = word;
	return true;
}

/* Words of the word's bank so far, with it. */
static inline unsigned add_word(struct words *w, uint64_t word, unsigned banks)
{
	unsigned bank = (unsigned)word & (banks - 1);

	if (!(w->used >> bank & 1)) {
		w->used |= UINT64_C(1) << bank;
		w->first[bank] = word;
		w->count[bank] = 1;
	} else if (w->first[bank] != word && add_further(w, word)) {
		w->count[bank]++;
	}
	return w->count[bank];
}

/* Passes for some lanes of an access. */
static unsigned passes_of(
	const struct access *a, uint32_t lanes, struct bank_layout layout, unsigned shift)
{
	struct words w;
	uint64_t last = UINT64_MAX;
	unsigned most = 0;

	w.used = w.taken[0] = w.taken[1] = 0;
	for (uint32_t m = lanes; m; m &= m - 1) {
		uint64_t addr = a->addr[low_bit(m)], end = (addr + a->bytes - 1) >> shift;

		for (uint64_t word = addr >> shift; word <= end; word++) {
			unsigned count;

			if (word == last)
				continue;
			last = word;
			count = add_word(&w, word, layout.banks);
			most = count > most ? count : most;
		}
	}
	return most;
}

/* True when a full warp's lanes touch one row: no two words of a row share a bank. */
static bool in_one_row(const struct access *a, uint64_t row_bytes)
{
	uint64_t first = a->addr[0], away = 0, low = 0;

	for (unsigned i = 0; i < WARP_LANES; i++) {
		away |= a->addr[i] ^ first;
		low |= a->addr[i];
	}
	return away < row_bytes && !(low & (a->bytes - 1u)) && !(a->bytes & (a->bytes - 1u));
}

/* The same for n contiguous bytes, which are at most a row and start anywhere. */
static unsigned passes_of_run(uint64_t addr, uint64_t n, struct bank_layout layout, unsigned shift)
{
	uint64_t words = ((addr + n - 1) >> shift) - (addr >> shift) + 1;

	return words > layout.banks ? 2 : 1;
}

unsigned bank_passes(const struct access *a, struct bank_layout layout)
{
	unsigned shift = low_bit(layout.bank_bytes), group = WARP_LANES, passes = 0;
	unsigned row_bytes = layout.banks * layout.bank_bytes;

	BUG_ON(layout.banks == 0 || layout.banks > MOST_BANKS ||
		(layout.banks & (layout.banks - 1)));
	BUG_ON(a->bytes == 0 || a->bytes > row_bytes);
	/* A pass takes as many lanes as all banks can serve at best. */
	while (group * a->bytes > row_bytes)
		group /= 2;
	if (group == WARP_LANES && a->mask == UINT32_MAX && in_one_row(a, row_bytes))
		return 1;
	for (unsigned first = 0; first < WARP_LANES; first += group) {
		uint32_t lanes = a->mask & (UINT32_MAX >> (WARP_LANES - group) << first);

		if (a->contiguous)
			passes += passes_of_run(
				a->addr[first], (uint64_t)group * a->bytes, layout, shift);
		else
			passes += passes_of(a, lanes, layout, shift);
	}
	return passes;
}
