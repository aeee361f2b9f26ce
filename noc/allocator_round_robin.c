/* Round robin: the outputs in turn take the next requesting input that is still unmatched. The
 * matching is maximal, but outputs choose sequentially. */
#include "noc/allocator.h"

static void serve(struct allocation *a, unsigned output)
{
	struct allocator_state *s = a->at;
	unsigned input = allocation_first(a->by_output + (size_t)output * a->in_words,
		a->free_inputs, a->inputs, s->out_next[output]);

	if (input == a->inputs)
		return;
	allocation_take(a, input, output);
	s->out_next[output] = input + 1 < a->inputs ? input + 1 : 0;
}

/* The first output changes, or the same outputs would always choose first. */
static void match(struct allocation *a)
{
	unsigned first = allocation_first(a->requested, a->requested, a->outputs, a->at->turn),
		 j = first;

	allocation_open(a);
	do {
		serve(a, j);
		j = allocation_first(
			a->requested, a->requested, a->outputs, j + 1 < a->outputs ? j + 1 : 0);
	} while (j != first);
	a->at->turn = first + 1 < a->outputs ? first + 1 : 0;
}

static const struct allocator_ops round_robin = {.match = match};

const struct plugin allocator_round_robin = {
	.kind = "allocator",
	.name = "round_robin",
	.text = "Outputs in turn, each takes the next requesting input that is still unmatched.",
	.ops = &round_robin,
};
