/* Separable allocation, input first (Dally and Towles, "Principles and Practices of
 * Interconnection Networks", chapter 19): every input chooses an output, then every output one of
 * the inputs that chose it. */
#include "noc/allocator.h"

/* The input's output keeps the input that is first in its round robin. */
static void choose(struct allocation *a, unsigned input)
{
	const struct allocator_state *s = a->at;
	unsigned output = allocation_first(a->by_input + (size_t)input * a->out_words, a->requested,
		a->outputs, s->in_next[input]);
	uint32_t next = s->out_next[output];

	if (a->choice[output] == UINT32_MAX ||
		allocation_distance(next, input, a->inputs) <
			allocation_distance(next, a->choice[output], a->inputs))
		a->choice[output] = input;
}

static void take(struct allocation *a, unsigned output)
{
	unsigned input = a->choice[output];

	if (input == UINT32_MAX)
		return;
	allocation_take(a, input, output);
	a->at->in_next[input] = output + 1 < a->outputs ? output + 1 : 0;
	a->at->out_next[output] = input + 1 < a->inputs ? input + 1 : 0;
}

static void match(struct allocation *a)
{
	for (unsigned w = 0; w < a->out_words; w++)
		for (uint64_t bits = a->requested[w]; bits; bits &= bits - 1)
			a->choice[w * 64 + low_bit(bits)] = UINT32_MAX;
	for (unsigned w = 0; w < a->in_words; w++)
		for (uint64_t bits = a->requesting[w]; bits; bits &= bits - 1)
			choose(a, w * 64 + low_bit(bits));
	for (unsigned w = 0; w < a->out_words; w++)
		for (uint64_t bits = a->requested[w]; bits; bits &= bits - 1)
			take(a, w * 64 + low_bit(bits));
}

static const struct allocator_ops input_first = {.match = match};

const struct plugin allocator_input_first = {
	.kind = "allocator",
	.name = "input_first",
	.text = "Separable, input first: inputs choose outputs, then outputs choose; one round.",
	.ops = &input_first,
};
