/* Allocators match inputs with outputs: each input requests any number of outputs, and gets one at
 * most; each output goes to one input at most. Each is a plugin of kind "allocator": a policy
 * (core/policy.h), one for all routers of a network that use it for the same purpose. */
#ifndef NOC_ALLOCATOR_H
#define NOC_ALLOCATOR_H

#include "core/policy.h"
#include "core/state.h"

/* The requests of one round, its result, and scratch: shared by all users of the same size. */
struct allocation {
	unsigned inputs, outputs;
	unsigned in_words, out_words; /* of 64 inputs, of 64 outputs */
	unsigned iterations;
	uint64_t *by_output;              /* row per output: bit per input that requests it */
	uint64_t *by_input;               /* row per input: bit per output that it requests */
	uint64_t *requesting, *requested; /* bit per requesting input; per requested output */
	int32_t *of_input;                /* result: the input's output, or -1 */
	int32_t *of_output;               /* result: the output's input, or -1 */
	uint64_t *free_inputs;            /* scratch */
	uint32_t *choice;                 /* scratch: per input or output */
	struct allocator_state *at;       /* the user's round robin state, set by the user */
	void *self;                       /* the policy's own */
	unsigned user;                    /* the router, from 0 */
};

/* State of an allocator between rounds: the position of each round robin. */
struct allocator_state {
	uint32_t *in_next;  /* per input: an output */
	uint32_t *out_next; /* per output: an input */
	uint32_t turn;      /* an output */
};

struct allocator_ops {
	/* Initialises the state for that many users, before anything runs. May be NULL. */
	void (*init)(void *self, unsigned users, unsigned inputs, unsigned outputs, struct arena *);
	/* Sets of_input and of_output, which are -1 for every requesting input and requested
	 * output. At least one request was made; at least one is granted, and every grant is used:
	 * called once for each pass, so that it is choice and event in one. */
	void (*match)(struct allocation *);
};

void allocation_init(struct allocation *, unsigned inputs, unsigned outputs, struct arena *);
void allocator_state_init(struct allocator_state *, const struct allocation *, struct arena *);

/* Moves their state (core/state.h): a round's requests are cleared when the next one begins. */
void allocation_state(struct state *, struct allocation *);
void allocator_state_state(struct state *, struct allocator_state *, const struct allocation *);

/* Clears requests and result. */
void allocation_clear(struct allocation *);
void allocation_request(struct allocation *, unsigned input, unsigned output);

/* For allocators: matches an input with an output. */
void allocation_take(struct allocation *, unsigned input, unsigned output);
/* The first set bit of `bits` & `mask` from `from` on, with wrap-around; n when there is none. */
unsigned allocation_first(const uint64_t *bits, const uint64_t *mask, unsigned n, unsigned from);
/* Steps of a round robin over n, from one position to another. */
static inline uint32_t allocation_distance(uint32_t from, uint32_t to, uint32_t n)
{
	return to >= from ? to - from : to + n - from;
}
/* Every unmatched output grants itself to the next unmatched input that requests it; every input
 * accepts the next of its grants. `advance`: the round robins of those that match move on. False
 * when nothing was matched. Inputs in free_inputs are unmatched. */
bool allocation_round(struct allocation *, bool advance);
/* Puts all requesting inputs into free_inputs. */
void allocation_open(struct allocation *);

#endif
