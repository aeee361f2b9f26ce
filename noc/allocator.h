/* Allocators match inputs with outputs: each input asks for any number of outputs, and gets one at
 * most; each output goes to one input at most. A plugin of kind "allocator" for each way to choose:
 * a policy (core/policy.h), one for all routers of a network that use it for the same. */
#ifndef NOC_ALLOCATOR_H
#define NOC_ALLOCATOR_H

#include "core/policy.h"

/* One round's requests, its answer, and scratch: shared by all users of the same size. */
struct allocation {
	unsigned inputs, outputs;
	unsigned in_words, out_words; /* of 64 inputs, of 64 outputs */
	unsigned iterations;
	uint64_t *by_output;        /* row per output: bit per input that asks for it */
	uint64_t *by_input;         /* row per input: bit per output that it asks for */
	uint64_t *asking, *asked;   /* bit per input that asks; per output that is asked for */
	int32_t *of_input;          /* answer: the input's output, or -1 */
	int32_t *of_output;         /* answer: the output's input, or -1 */
	uint64_t *free_inputs;      /* scratch */
	uint32_t *choice;           /* scratch: per input or output */
	struct allocator_state *at; /* whose turn it is: set by the user */
	void *self;                 /* the policy's own */
	unsigned user;              /* the router, from 0 */
};

/* What an allocator keeps from round to round: where each round robin goes on. */
struct allocator_state {
	uint32_t *in_next;  /* per input: an output */
	uint32_t *out_next; /* per output: an input */
	uint32_t turn;      /* an output */
};

struct allocator_ops {
	/* Sets state up for so many users, before anything runs. May be NULL. */
	void (*init)(void *self, unsigned users, unsigned inputs, unsigned outputs, struct arena *);
	/* Fills of_input and of_output, which are -1 wherever somebody asks. At least one request
	 * was made; at least one is granted, and what is granted happens: once for each pass, so
	 * that this is choice and event in one. */
	void (*match)(struct allocation *);
};

void allocation_init(struct allocation *, unsigned inputs, unsigned outputs, struct arena *);
void allocator_state_init(struct allocator_state *, const struct allocation *, struct arena *);

/* Forgets requests and answer. */
void allocation_clear(struct allocation *);
void allocation_ask(struct allocation *, unsigned input, unsigned output);

/* For allocators. */
void allocation_take(struct allocation *, unsigned input, unsigned output);
/* The first set bit of `bits` & `mask` from `from` on, round the end; n when there is none. */
unsigned allocation_first(const uint64_t *bits, const uint64_t *mask, unsigned n, unsigned from);
/* Steps of a round robin over n, from one to the other. */
static inline uint32_t allocation_distance(uint32_t from, uint32_t to, uint32_t n)
{
	return to >= from ? to - from : to + n - from;
}
/* Every unmatched output grants itself to the next unmatched input that asks for it; every input
 * accepts the next of its grants. `advance`: the round robins of those that match go on. False when
 * nothing was matched. Inputs in free_inputs are unmatched. */
bool allocation_round(struct allocation *, bool advance);
/* All inputs that ask, into free_inputs. */
void allocation_open(struct allocation *);

#endif
