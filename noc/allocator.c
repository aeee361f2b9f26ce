/* Shared by the allocators: rows of requests, round robin over them, and the round of grants and
 * acceptances of separable allocation and iSLIP. */
#include "noc/allocator.h"

#include <string.h>

static unsigned words_of(unsigned n)
{
	return (n + 63) / 64;
}

static unsigned most_of(const struct allocation *a)
{
	return a->inputs > a->outputs ? a->inputs : a->outputs;
}

void allocation_init(struct allocation *a, unsigned inputs, unsigned outputs, struct arena *arena)
{
	unsigned most = inputs > outputs ? inputs : outputs;

	a->inputs = inputs;
	a->outputs = outputs;
	a->in_words = words_of(inputs);
	a->out_words = words_of(outputs);
	a->by_output = arena_alloc(arena, (size_t)outputs * a->in_words, sizeof(*a->by_output));
	a->by_input = arena_alloc(arena, (size_t)inputs * a->out_words, sizeof(*a->by_input));
	a->requesting = arena_alloc(arena, a->in_words, sizeof(*a->requesting));
	a->requested = arena_alloc(arena, a->out_words, sizeof(*a->requested));
	a->of_input = arena_alloc(arena, inputs, sizeof(*a->of_input));
	a->of_output = arena_alloc(arena, outputs, sizeof(*a->of_output));
	a->free_inputs = arena_alloc(arena, a->in_words, sizeof(*a->free_inputs));
	a->choice = arena_alloc(arena, most, sizeof(*a->choice));
	memset(a->of_input, -1, inputs * sizeof(*a->of_input));
	memset(a->of_output, -1, outputs * sizeof(*a->of_output));
}

void allocator_state_init(
	struct allocator_state *s, const struct allocation *a, struct arena *arena)
{
	s->in_next = arena_alloc(arena, a->inputs, sizeof(*s->in_next));
	s->out_next = arena_alloc(arena, a->outputs, sizeof(*s->out_next));
}

void allocation_state(struct state *s, struct allocation *a)
{
	state_bytes(s, a->by_output, (size_t)a->outputs * a->in_words * sizeof(*a->by_output));
	state_bytes(s, a->by_input, (size_t)a->inputs * a->out_words * sizeof(*a->by_input));
	state_bytes(s, a->requesting, a->in_words * sizeof(*a->requesting));
	state_bytes(s, a->requested, a->out_words * sizeof(*a->requested));
	state_bytes(s, a->of_input, a->inputs * sizeof(*a->of_input));
	state_bytes(s, a->of_output, a->outputs * sizeof(*a->of_output));
	state_scratch(s, a->free_inputs, a->in_words * sizeof(*a->free_inputs));
	state_scratch(s, a->choice, most_of(a) * sizeof(*a->choice));
	state_scratch(s, &a->at, sizeof(a->at));
	state_scratch(s, &a->user, sizeof(a->user));
}

void allocator_state_state(struct state *s, struct allocator_state *at, const struct allocation *a)
{
	state_bytes(s, at->in_next, a->inputs * sizeof(*at->in_next));
	state_bytes(s, at->out_next, a->outputs * sizeof(*at->out_next));
	STATE(s, at->turn);
}

void allocation_clear(struct allocation *a)
{
	for (unsigned w = 0; w < a->in_words; w++) {
		for (uint64_t bits = a->requesting[w]; bits; bits &= bits - 1) {
			unsigned i = w * 64 + low_bit(bits);

			a->of_input[i] = -1;
			memset(a->by_input + (size_t)i * a->out_words, 0, a->out_words * 8);
		}
		a->requesting[w] = 0;
	}
	for (unsigned w = 0; w < a->out_words; w++) {
		for (uint64_t bits = a->requested[w]; bits; bits &= bits - 1) {
			unsigned j = w * 64 + low_bit(bits);

			a->of_output[j] = -1;
			memset(a->by_output + (size_t)j * a->in_words, 0, a->in_words * 8);
		}
		a->requested[w] = 0;
	}
}

void allocation_request(struct allocation *a, unsigned input, unsigned output)
{
	uint64_t in = UINT64_C(1) << input % 64, out = UINT64_C(1) << output % 64;

	a->by_output[(size_t)output * a->in_words + input / 64] |= in;
	a->by_input[(size_t)input * a->out_words + output / 64] |= out;
	a->requesting[input / 64] |= in;
	a->requested[output / 64] |= out;
}

void allocation_take(struct allocation *a, unsigned input, unsigned output)
{
	BUG_ON(a->of_input[input] >= 0 || a->of_output[output] >= 0);
	a->of_input[input] = (int32_t)output;
	a->of_output[output] = (int32_t)input;
	a->free_inputs[input / 64] &= ~(UINT64_C(1) << input % 64);
}

unsigned allocation_first(const uint64_t *bits, const uint64_t *mask, unsigned n, unsigned from)
{
	unsigned words = words_of(n), w = from / 64;
	uint64_t left = bits[w] & mask[w] & UINT64_MAX << from % 64;

	/* The first word is visited twice, the second time for the bits below `from`. */
	for (unsigned k = 0; k <= words; k++) {
		if (left)
			return w * 64 + low_bit(left);
		w = w + 1 < words ? w + 1 : 0;
		left = bits[w] & mask[w];
	}
	return n;
}

void allocation_open(struct allocation *a)
{
	memcpy(a->free_inputs, a->requesting, a->in_words * sizeof(*a->free_inputs));
}

/* Grants an unmatched output; its input keeps the grant that is first in its own round robin. */
static void grant(struct allocation *a, unsigned output)
{
	const struct allocator_state *s = a->at;
	unsigned i = allocation_first(a->by_output + (size_t)output * a->in_words, a->free_inputs,
		a->inputs, s->out_next[output]);
	uint32_t next;

	if (i == a->inputs)
		return;
	next = s->in_next[i];
	if (a->choice[i] == UINT32_MAX ||
		allocation_distance(next, output, a->outputs) <
			allocation_distance(next, a->choice[i], a->outputs))
		a->choice[i] = output;
}

static void accept(struct allocation *a, unsigned input, bool advance)
{
	unsigned output = a->choice[input];

	allocation_take(a, input, output);
	if (!advance)
		return;
	a->at->out_next[output] = input + 1 < a->inputs ? input + 1 : 0;
	a->at->in_next[input] = output + 1 < a->outputs ? output + 1 : 0;
}

bool allocation_round(struct allocation *a, bool advance)
{
	bool any = false;

	for (unsigned w = 0; w < a->in_words; w++)
		for (uint64_t bits = a->free_inputs[w]; bits; bits &= bits - 1)
			a->choice[w * 64 + low_bit(bits)] = UINT32_MAX;
	for (unsigned w = 0; w < a->out_words; w++)
		for (uint64_t bits = a->requested[w]; bits; bits &= bits - 1)
			if (a->of_output[w * 64 + low_bit(bits)] < 0)
				grant(a, w * 64 + low_bit(bits));
	for (unsigned w = 0; w < a->in_words; w++) {
		for (uint64_t bits = a->free_inputs[w]; bits; bits &= bits - 1) {
			unsigned i = w * 64 + low_bit(bits);

			if (a->choice[i] == UINT32_MAX)
				continue;
			accept(a, i, advance);
			any = true;
		}
	}
	return any;
}
