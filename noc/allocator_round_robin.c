/* Round robin: one output after another takes the next input that asks for it and is still free. So
 * nothing that could be matched is left, but an output knows what those before it took. */
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

/* The output that begins changes, or the first ones would have the choice always. */
static void match(struct allocation *a)
{
	unsigned first = allocation_first(a->asked, a->asked, a->outputs, a->at->turn), j = first;

	allocation_open(a);
	do {
		serve(a, j);
		j = allocation_first(
			a->asked, a->asked, a->outputs, j + 1 < a->outputs ? j + 1 : 0);
	} while (j != first);
	a->at->turn = first + 1 < a->outputs ? first + 1 : 0;
}

static const struct allocator_ops round_robin = {.match = match};

const struct plugin allocator_round_robin = {
	.kind = "allocator",
	.name = "round_robin",
	.text = "Outputs in turn, each the next input that asks and is still free.",
	.ops = &round_robin,
};
