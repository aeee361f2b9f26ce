/* Bank conflicts of shared memory accesses, by bank and cluster (Gebhart et al., MICRO 2012,
 * sections 4.1 to 4.3). */
#include "mem/banks.h"

#include "core/base.h"

#define MOST_BANKS 64u
#define SLOTS 128u
#define ROW_SHIFT 4u /* of 16 bytes: unified banks */
#define WORD_SHIFT 2u
#define WORDS 4u /* of 4 bytes make a row */

/* Which words conflict: those of 1 << shift bytes whose address, further divided by 1 << drop, is
 * the same modulo mask + 1. */
struct meeting {
	unsigned shift, drop, mask;
};

static const struct meeting unified_banks = {ROW_SHIFT, 0, BANK_CLUSTERS *BANK_REGISTERS - 1};
static const struct meeting cluster_words = {WORD_SHIFT, ROW_SHIFT - WORD_SHIFT, BANK_CLUSTERS - 1};

/* Distinct words (one bank's part of one row) of a pass. The first word of each bank is stored
 * separately, so that conflict-free accesses never reach the hash of the further ones. */
struct words {
	uint64_t used; /* banks */
	uint64_t taken[SLOTS / 64];
	unsigned n;
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

/* The number of words of the word's bank so far, this one included. */
static inline unsigned add_word(struct words *w, uint64_t word, unsigned bank)
{
	if (!(w->used >> bank & 1)) {
		w->used |= UINT64_C(1) << bank;
		w->first[bank] = word;
		w->count[bank] = 1;
		w->n++;
	} else if (w->first[bank] != word && add_further(w, word)) {
		w->count[bank]++;
		w->n++;
	}
	return w->count[bank];
}

/* Fills *w with the words that some lanes of an access touch. Returns the number of words of the
 * busiest bank. */
static unsigned meet(struct words *w, const struct access *a, uint32_t lanes, struct meeting how)
{
	uint64_t last = UINT64_MAX;
	unsigned most = 0;

	w->used = w->taken[0] = w->taken[1] = w->n = 0;
	for (uint32_t m = lanes; m; m &= m - 1) {
		uint64_t addr = a->addr[low_bit(m)], end = (addr + a->bytes - 1) >> how.shift;

		for (uint64_t word = addr >> how.shift; word <= end; word++) {
			unsigned count;

			if (word == last)
				continue;
			last = word;
			count = add_word(w, word, (unsigned)(word >> how.drop) & how.mask);
			most = count > most ? count : most;
		}
	}
	return most;
}

/* The same for banks of two words, which are `banks` words apart. */
static unsigned meet_pairs(
	struct words *w, const struct access *a, uint32_t lanes, const struct bank_layout *layout)
{
	unsigned banks = layout->banks, most = 0;

	w->used = w->taken[0] = w->taken[1] = w->n = 0;
	for (uint32_t m = lanes; m; m &= m - 1) {
		uint64_t addr = a->addr[low_bit(m)], end = (addr + a->bytes - 1) >> WORD_SHIFT;

		for (uint64_t word = addr >> WORD_SHIFT; word <= end; word++) {
			uint64_t pair = word / (2 * banks) * banks + word % banks;
			unsigned count = add_word(w, pair, (unsigned)(word % banks));

			most = count > most ? count : most;
		}
	}
	return most;
}

/* How many lanes in a row have addresses `step` apart, from `lane` on. */
static unsigned lanes_apart(const uint64_t *addr, unsigned lane, uint64_t step)
{
	const uint64_t *at = addr + lane, *end = addr + WARP_LANES - 1;

	while (at < end && at[1] - at[0] == step)
		at++;
	return (unsigned)(at - addr) - lane + 1;
}

/* The passes of lanes in a row, of one word each, which are a number of words apart: as many as
 * meet in a bank after a round of those that the stride reaches. 0: they are not such. Most
 * accesses with conflicts are (needle: 5% of the host instructions). */
static unsigned passes_of_stride(
	const struct access *a, uint32_t lanes, const struct bank_layout *layout)
{
	unsigned n = count_bits(lanes), word = layout->bank_bytes, first, round;
	uint64_t step, odd;

	if (n < 2)
		return 0;
	first = low_bit(lanes);
	if (lanes != UINT32_MAX >> (WARP_LANES - n) << first)
		return 0;
	step = a->addr[first + 1] - a->addr[first];
	if (!step || step % word || a->addr[first] % word + a->bytes > word ||
		lanes_apart(a->addr, first, step) < n)
		return 0;
	odd = step / word; /* a negative step: modulo 2^64, a multiple of `banks` */
	round = layout->banks / (unsigned)min_u64(odd & (0u - odd), layout->banks);
	return (n + round - 1) / round;
}

/* Passes for some lanes; their words are added to *words. */
static unsigned passes_of(
	const struct access *a, uint32_t lanes, const struct bank_layout *layout, unsigned *words)
{
	struct words w;
	unsigned most, quads;

	if (layout->paired) {
		most = meet_pairs(&w, a, lanes, layout);
		*words += w.n;
		return most;
	}
	if (!layout->combines) {
		most = passes_of_stride(a, lanes, layout);
		if (most) {
			*words += count_bits(lanes);
			return most;
		}
		most = meet(&w, a, lanes,
			(struct meeting){low_bit(layout->bank_bytes), 0, layout->banks - 1});
		*words += w.n;
		return most;
	}
	quads = (meet(&w, a, lanes, cluster_words) + WORDS - 1) / WORDS;
	most = meet(&w, a, lanes, unified_banks);
	*words += w.n;
	return most > quads ? most : quads;
}

/* Accesses to the busiest bank of the unified design, with the reads of registers. */
static unsigned most_with(const struct access *a, uint16_t reads)
{
	struct words w;
	unsigned most = 0;

	meet(&w, a, a->mask, unified_banks);
	for (uint64_t used = w.used; used; used &= used - 1) {
		unsigned bank = low_bit(used);
		unsigned n = w.count[bank] + bank_reads(reads, bank / BANK_CLUSTERS);

		most = n > most ? n : most;
	}
	return most;
}

/* The same for a run of consecutive rows: one bank of each line represents the others. */
static unsigned most_of_run(uint64_t first, uint64_t last, uint16_t reads)
{
	uint64_t banks = (uint64_t)BANK_CLUSTERS * BANK_REGISTERS, row = first;
	unsigned most = 0;

	while (row <= last && row < first + banks) {
		unsigned bank = (unsigned)(row / BANK_CLUSTERS) % BANK_REGISTERS;
		unsigned n = (unsigned)((last - row) / banks + 1) + bank_reads(reads, bank);

		most = n > most ? n : most;
		row = (row / BANK_CLUSTERS + 1) * BANK_CLUSTERS;
	}
	return most;
}

/* The address bits in which active lanes differ. */
static uint64_t differing(const struct access *a)
{
	uint64_t any = 0, all = UINT64_MAX;

	if (a->same)
		return ~a->same;
	for (uint32_t m = a->mask; m; m &= m - 1) {
		any |= a->addr[low_bit(m)];
		all &= a->addr[low_bit(m)];
	}
	return any & ~all;
}

/* True when lanes whose addresses differ in these bits, one of which is `addr`, touch a single row:
 * no two words of a row share a bank. */
static bool in_one_row(const struct access *a, uint64_t addr, uint64_t bits, uint64_t row_bytes)
{
	uint64_t part = a->bytes - 1u;

	return bits < row_bytes && !((addr | bits) & part) && !(a->bytes & part);
}

/* The words of 1 << shift bytes that a full warp's lanes touch in a row of at most 64 words, as
 * bits. */
static inline uint64_t touched_by_all(const struct access *a, unsigned shift)
{
	uint64_t even = 0, odd = 0; /* two independent chains of operations */
	const uint64_t *end = a->addr + WARP_LANES;

	for (const uint64_t *at = a->addr; at < end; at += 4) {
		even |= UINT64_C(1) << (at[0] >> shift & 63);
		odd |= UINT64_C(1) << (at[1] >> shift & 63);
		even |= UINT64_C(1) << (at[2] >> shift & 63);
		odd |= UINT64_C(1) << (at[3] >> shift & 63);
	}
	return even | odd;
}

static uint64_t touched(const struct access *a, unsigned shift)
{
	uint64_t words = 0;

	if (a->mask == UINT32_MAX) /* with a constant shift on the host */
		return shift == WORD_SHIFT ? touched_by_all(a, WORD_SHIFT)
					   : touched_by_all(a, shift);
	for (uint32_t m = a->mask; m; m &= m - 1)
		words |= UINT64_C(1) << (a->addr[low_bit(m)] >> shift & 63);
	return words;
}

/* The bytes that a half touches, from its first lane's address on. */
static inline uint64_t bytes_of_half(const struct access *a)
{
	return a->halves == HALVES_ROWS ? a->bytes * HALF_LANES : a->bytes;
}

static inline bool halves_in_one_row(const struct access *a, uint64_t row_bytes)
{
	uint64_t first = a->addr[0], second = a->addr[HALF_LANES], last = bytes_of_half(a) - 1;

	return !((first | second) & (a->bytes - 1u)) &&
	       ((first ^ (first + last)) | (first ^ second) | (first ^ (second + last))) <
		       row_bytes;
}

/* The words of 1 << shift bytes that halves touch. */
static inline unsigned words_of_halves(const struct access *a, unsigned shift)
{
	uint64_t last = bytes_of_half(a) - 1;
	uint64_t first = a->addr[0] >> shift, second = a->addr[HALF_LANES] >> shift;
	uint64_t first_end = ((a->addr[0] + last) >> shift) + 1;
	uint64_t second_end = ((a->addr[HALF_LANES] + last) >> shift) + 1;
	uint64_t from = max_u64(first, second), to = min_u64(first_end, second_end);

	return (unsigned)(first_end - first + second_end - second - (to > from ? to - from : 0));
}

/* The number of those words. Lanes whose addresses differ in no bit of the word number touch one
 * word, in one bit two. */
static unsigned words_of_row(
	const struct access *a, uint64_t bits, const struct bank_layout *layout)
{
	unsigned wide = a->bytes > layout->bank_bytes ? a->bytes / layout->bank_bytes : 1;
	unsigned shift = low_bit(layout->bank_bytes);

	bits >>= shift;
	if (!(bits & (bits - 1)))
		return wide * (bits ? 2 : 1);
	return wide * count_bits(touched(a, shift));
}

/* An access to one row. False: it is none. */
static bool use_row(const struct access *a, const struct bank_layout *layout, uint16_t reads,
	struct bank_use *use)
{
	uint64_t row_bytes = (uint64_t)layout->banks * layout->bank_bytes, bits;
	uint64_t addr = a->addr[low_bit(a->mask)];

	if (a->contiguous) {
		if (addr % row_bytes + (uint64_t)WARP_LANES * a->bytes > row_bytes)
			return false;
		use->words = (unsigned)div_up(WARP_LANES * a->bytes, layout->bank_bytes);
	} else if (a->halves) {
		if (!halves_in_one_row(a, row_bytes))
			return false;
		use->words = words_of_halves(a, low_bit(layout->bank_bytes));
	} else {
		bits = differing(a);
		if (!in_one_row(a, addr, bits, row_bytes))
			return false;
		use->words = words_of_row(a, bits, layout);
	}
	use->passes = 1;
	use->most = layout->unified ? most_of_run(addr >> ROW_SHIFT, addr >> ROW_SHIFT, reads) : 1;
	return true;
}

/* Passes for n contiguous bytes, which are at most a row and start anywhere. If they begin inside a
 * word, the first and the last word are parts of two words of one cluster, in two banks: together
 * no more than a cluster moves. */
static unsigned passes_of_run(
	uint64_t addr, uint64_t n, const struct bank_layout *layout, unsigned *sum)
{
	unsigned shift = low_bit(layout->bank_bytes);
	uint64_t words = ((addr + n - 1) >> shift) - (addr >> shift) + 1;

	*sum += (unsigned)words;
	return words > layout->banks && !layout->combines ? 2 : 1;
}

/* The lanes of one pass: as many as all banks can serve at best. */
static unsigned lanes_of_pass(const struct access *a, const struct bank_layout *layout)
{
	unsigned group = WARP_LANES, row_bytes = layout->banks * layout->bank_bytes;

	BUG_ON(layout->banks == 0 || layout->banks > MOST_BANKS ||
		(layout->banks & (layout->banks - 1)));
	BUG_ON(a->bytes == 0 || a->bytes > row_bytes);
	while (group * a->bytes > row_bytes)
		group /= 2;
	return group;
}

unsigned bank_least_passes(const struct access *a, const struct bank_layout *layout)
{
	return WARP_LANES / lanes_of_pass(a, layout);
}

static unsigned busiest(const struct access *a, uint16_t reads)
{
	uint64_t end = a->addr[0] + (uint64_t)WARP_LANES * a->bytes - 1;

	return a->contiguous ? most_of_run(a->addr[0] >> ROW_SHIFT, end >> ROW_SHIFT, reads)
			     : most_with(a, reads);
}

/* Whether active lanes t and t ^ `apart` have one address, of all these lanes. */
static bool are_pairs(const struct access *a, uint32_t lanes, unsigned apart)
{
	for (uint32_t m = lanes; m; m &= m - 1) {
		unsigned t = low_bit(m);

		if (lanes >> (t ^ apart) & 1 && a->addr[t] != a->addr[t ^ apart])
			return false;
	}
	return true;
}

static uint32_t lanes_from(const struct access *a, unsigned first, unsigned n)
{
	return a->mask & (UINT32_MAX >> (WARP_LANES - n) << first);
}

/* Whether lanes `first` and following, two groups, go together. */
static bool go_together(
	const struct access *a, const struct bank_layout *layout, unsigned first, unsigned group)
{
	uint32_t lanes;

	if (!layout->merges || a->action != ACT_LOAD || a->bytes > 16 || a->contiguous ||
		group == WARP_LANES || first % (2 * group))
		return false;
	lanes = lanes_from(a, first, 2 * group);
	return are_pairs(a, lanes, 1) || are_pairs(a, lanes, 2);
}

/* Pass after pass. */
static __attribute__((noinline)) struct bank_use use_passes(
	const struct access *a, const struct bank_layout *layout, uint16_t reads)
{
	unsigned group = lanes_of_pass(a, layout);
	struct bank_use use = {0};

	for (unsigned first = 0, n; first < WARP_LANES; first += n) {
		n = go_together(a, layout, first, group) ? 2 * group : group;
		if (a->contiguous && !layout->paired)
			use.passes += passes_of_run(
				a->addr[first], (uint64_t)group * a->bytes, layout, &use.words);
		else
			use.passes += passes_of(a, lanes_from(a, first, n), layout, &use.words);
	}
	use.most = layout->unified ? busiest(a, reads) : use.passes;
	return use;
}

struct bank_use bank_use(const struct access *a, const struct bank_layout *layout, uint16_t reads)
{
	bool one = WARP_LANES * a->bytes <= layout->banks * layout->bank_bytes;
	struct bank_use use;

	if (one && a->mask && !layout->paired && use_row(a, layout, reads, &use))
		return use;
	return use_passes(a, layout, reads);
}

/* ---- rows, for models that move them cycle by cycle */
#define BYTES_1 UINT64_C(0x0101010101010101)
#define BYTES_127 UINT64_C(0x7f7f7f7f7f7f7f7f)

static void add_row(struct bank_rows *out, uint64_t row, uint64_t n)
{
	out->bank[row / BANK_CLUSTERS % BANK_REGISTERS] += n << row % BANK_CLUSTERS * 8;
}

void bank_rows_of(const struct access *a, struct bank_rows *out)
{
	struct words w;

	*out = (struct bank_rows){0};
	if (a->contiguous) {
		uint64_t end = a->addr[0] + (uint64_t)WARP_LANES * a->bytes - 1;

		for (uint64_t row = a->addr[0] >> ROW_SHIFT; row <= end >> ROW_SHIFT; row++)
			add_row(out, row, 1);
		return;
	}
	meet(&w, a, a->mask, unified_banks);
	for (uint64_t used = w.used; used; used &= used - 1)
		add_row(out, low_bit(used), w.count[low_bit(used)]);
}

void bank_rows_of_line(unsigned bank, struct bank_rows *out)
{
	*out = (struct bank_rows){0};
	out->bank[bank] = BYTES_1;
}

void bank_rows_twice(struct bank_rows *rows)
{
	for (unsigned b = 0; b < BANK_REGISTERS; b++)
		rows->bank[b] *= 2;
}

unsigned bank_rows_length(const struct bank_rows *rows, const struct bank_layout *layout)
{
	uint64_t sum = rows->bank[0] + rows->bank[1] + rows->bank[2] + rows->bank[3];
	unsigned most = 0;

	if (!sum)
		return 0;
	for (unsigned c = 0; c < BANK_CLUSTERS; c++) {
		unsigned n = sum >> c * 8 & 255;

		for (unsigned b = 0; b < BANK_REGISTERS && layout->combines; b++) {
			unsigned here = rows->bank[b] >> c * 8 & 255;

			n = b && n > here ? n : here;
		}
		most = n > most ? n : most;
	}
	return most;
}

/* 1 in each byte that is not 0. */
static uint64_t not_zero(uint64_t v)
{
	return (((v & BYTES_127) + BYTES_127) | v) >> 7 & BYTES_1;
}

void bank_rows_move(struct bank_rows *rows, const struct bank_layout *layout, unsigned free)
{
	uint64_t clusters = BYTES_1; /* clusters that can still access a bank */

	for (unsigned b = 0; b < BANK_REGISTERS; b++) {
		uint64_t moved = free >> b & 1 ? not_zero(rows->bank[b]) & clusters : 0;

		rows->bank[b] -= moved;
		if (!layout->combines)
			clusters &= ~moved;
	}
}
