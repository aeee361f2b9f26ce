/* The state of parts, moved to a checkpoint or from one: the same rows, in the same order, serve
 * both ways, so that a row is declared once, beside its struct.
 *
 *	static const struct state_field bus_kept[] = {STATE_KEPT(bus, base), STATE_KEPT(bus, ring)};
 *	static void bus_state(struct component *c, struct state *s)
 *	{
 *		struct bus *b = CONTAINER_OF(c, struct bus, base);
 *
 *		STATE_STRUCT(s, b, bus_kept);
 *		state_bytes(s, b->ring, (b->mask + 1) * sizeof(*b->ring));
 *	}
 *
 * A struct's state is all of it except the fields that are listed as kept: what elaboration made
 * (pointers, tables) stays. Where state contains pointers, they are moved as a number of
 * a space, a range of memory that both runs have, and an offset in it.
 *
 * What is loaded may be wrong in any way: a function that uses a loaded number as an index or a
 * count checks it with state_most first, and stops when the state has failed. */
#ifndef CORE_STATE_H
#define CORE_STATE_H

#include "core/base.h"
#include "core/err.h"

struct policy;
struct sim;

/* Writes or reads n bytes. False: the owner has a message, or the end was reached. */
typedef bool state_move_fn(void *ctx, void *bytes, size_t n);

/* A range of memory that state may point into. */
struct state_space {
	const unsigned char *at;
	size_t bytes;
};

struct state {
	bool loads; /* from a checkpoint; else to one */
	bool failed;
	state_move_fn *move;
	void *ctx;
	struct err *err;    /* gets the first failure */
	const char *origin; /* the file, for messages; may be NULL */
	const char *part;   /* whose state is moved, for messages */
	struct state_space *spaces;
	uint32_t nspaces, spaces_room;
	/* For tests: gets memory that is no state. NULL: not needed. */
	void (*scratch)(void *ctx, const void *at, size_t bytes);
};

/* Frees the spaces. */
void state_clear(struct state *);

/* It cannot go on: the first message counts. */
__attribute__((format(printf, 2, 3))) void state_fail(struct state *, const char *format, ...);

/* The part whose state follows: a checkpoint that has another one here is refused. The name must
 * outlive the part's state. */
void state_part(struct state *, const char *name);

void state_bytes(struct state *, void *at, size_t bytes);
/* The same of large memory, most of which may be zero and untouched: it stays so. */
void state_sparse(struct state *, void *at, size_t bytes);
/* The same of a bool; a checkpoint with another number than 0 and 1 is refused. */
void state_bool(struct state *, void *at, size_t bytes);
#define STATE(s, lvalue) \
	_Generic((lvalue), bool : state_bool, default : state_bytes)(s, &(lvalue), sizeof(lvalue))

/* A number that both runs have alike; a checkpoint with another one is refused. */
void state_same(struct state *, uint64_t number, const char *what);

/* False, and a failure: a number that was loaded is above `most`. */
bool state_most(struct state *, uint64_t number, uint64_t most);

/* A field of a struct, by its offset. */
struct state_field {
	size_t at, bytes;
};
#define STATE_KEPT(T, field) \
	{ \
		offsetof(struct T, field), sizeof(((struct T *)0)->field) \
	}
/* The struct's bytes, except the kept fields, which are in the order of their offsets. */
void state_struct(struct state *, void *at, size_t bytes, const struct state_field *, size_t n);
#define STATE_STRUCT(s, at, kept) state_struct(s, at, sizeof(*(at)), kept, ARRAY_LEN(kept))

/* Memory that is neither state nor kept: what it holds now has no effect on later results. */
void state_scratch(struct state *, const void *at, size_t bytes);

/* Makes a range of memory a space. Both runs make the same ones in the same order. */
void state_space(struct state *, const void *at, size_t bytes);
/* A pointer into a space, or NULL: STATE_POINTER. Of one that has no effect any more, and whose
 * memory may be another's: STATE_STALE, which makes it NULL where it is in no space. */
void state_pointer(struct state *, void *lvalue, bool stale);
#define STATE_POINTER(s, lvalue) state_pointer(s, &(lvalue), false)
#define STATE_STALE(s, lvalue) state_pointer(s, &(lvalue), true)

/* A pointer into one range, or NULL. */
void state_within(struct state *, void *lvalue, const void *base, size_t bytes);
#define STATE_WITHIN(s, lvalue, base, bytes) state_within(s, &(lvalue), base, bytes)

/* A policy's state, by its plugin's function; one that has state and no function is refused by
 * name. Accepts one that was not chosen. */
void state_policy(struct state *, const struct policy *);
/* The function of a policy whose struct never changes once it is made. */
void state_none(void *self, struct state *);

/* The simulation, between two calls of sim_run: time, events, links, and the state of every
 * component by its component_ops.state; a component without that function is refused by name.
 * Probes have a state of their own (core/probe.h). */
void state_sim(struct state *, struct sim *);

#endif
