/* How many lanes of an atomic operate on the same word. */
#include "mem/contention.h"

#include "core/base.h"

#define WORD_BYTES 4u
#define MOST_BANKS 64u

struct contention contention_of_line(const struct access *a, uint32_t lanes)
{
	unsigned n = (unsigned)div_up(a->bytes, WORD_BYTES);
	uint8_t lanes_of[LINE_BYTES / WORD_BYTES] = {0};
	struct contention c = {0};

	for (uint32_t m = lanes; m; m &= m - 1) {
		unsigned word = a->addr[low_bit(m)] % LINE_BYTES / WORD_BYTES;

		c.words |= (uint32_t)(((UINT64_C(1) << n) - 1) << word);
		lanes_of[word]++;
		c.deepest = lanes_of[word] > c.deepest ? lanes_of[word] : c.deepest;
	}
	return c;
}

/* Rows of the banks, each with the largest number of lanes that operate on one of its elements. */
struct rows {
	unsigned n;
	uint64_t row[WARP_LANES];
	unsigned deepest[WARP_LANES];
};

static void add_element(struct rows *r, uint64_t row, unsigned lanes)
{
	unsigned i = 0;

	while (i < r->n && r->row[i] != row)
		i++;
	if (i == r->n) {
		r->row[r->n] = row;
		r->deepest[r->n++] = 0;
	}
	r->deepest[i] = lanes > r->deepest[i] ? lanes : r->deepest[i];
}

/* Lanes of the mask whose element is that of the first. */
static uint32_t same_element(const struct access *a, uint32_t mask)
{
	uint64_t element = a->addr[low_bit(mask)] / WORD_BYTES;
	uint32_t same = 0;

	for (uint32_t m = mask; m; m &= m - 1)
		if (a->addr[low_bit(m)] / WORD_BYTES == element)
			same |= m & -m;
	return same;
}

unsigned contention_of_shared(
	const struct access *a, const struct bank_layout *layout, unsigned passes)
{
	unsigned banks = layout->combines ? BANK_CLUSTERS * BANK_REGISTERS : layout->banks;
	unsigned wide = (unsigned)div_up(a->bytes, layout->bank_bytes), turns[MOST_BANKS] = {0};
	struct rows r = {0};

	for (uint32_t left = a->mask, same; left; left &= ~same) {
		same = same_element(a, left);
		add_element(&r, a->addr[low_bit(left)] / layout->bank_bytes, count_bits(same));
	}
	for (unsigned i = 0; i < r.n; i++)
		for (unsigned k = 0; k < wide; k++) {
			unsigned *bank = &turns[(r.row[i] + k) % banks];

			*bank += r.deepest[i];
			passes = *bank > passes ? *bank : passes;
		}
	return passes;
}
