/* Shared by the files of the executor. Private to ptx/exec/. */
#ifndef PTX_EXEC_PRIVATE_H
#define PTX_EXEC_PRIVATE_H

#include "core/base.h"
#include "ptx/exec/exec.h"
#include "ptx/isa/lanes.h"

/* What memory and registers hold that lost their value: neither an address nor a small number; a
 * NaN as a float. */
#define EXEC_POISON 0xffa5a5a5u

/* The state of one issue. */
struct issue {
	struct warp *warp;
	struct frame *top;
	const struct instr *instr;
	uint32_t mask; /* active lanes whose guard holds */
	const struct exec_context *context;
	const struct exec_memory *memory;
	const struct lanes *lanes;
	struct access *access;
	bool row; /* addresses are those of a contiguous access, for the active lanes */
	struct fault *fault;
};

/* The value of an absent operand: two words, all zero. */
extern const uint32_t exec_zeros[2 * WARP_LANES];

/* The first plane (or the mask word) of a source. */
static inline const uint32_t *exec_source(const struct warp *w, struct operand o)
{
	static const uint8_t stride[] = {0, WARP_LANES, 1, WARP_LANES};
	const uint32_t *const base[] = {exec_zeros, w->regs, w->preds, w->program->consts};

	return base[o.kind] + (size_t)o.index * stride[o.kind];
}

/* The first plane of a destination, or `sink` when there is none. */
static inline uint32_t *exec_destination(const struct warp *w, struct operand o, uint32_t *sink)
{
	if (o.kind == OPND_REG)
		return w->regs + (size_t)o.index * WARP_LANES;
	return o.kind == OPND_PRED ? w->preds + o.index : sink;
}

/* The lane mask of predicate source i, negation applied. */
static inline uint32_t exec_pred(const struct warp *w, const struct instr *in, unsigned i)
{
	return *exec_source(w, in->src[i]) ^ (0u - (uint32_t)(in->src_negated >> i & 1));
}

static inline void exec_set_pred(
	const struct warp *w, struct operand o, uint32_t bits, uint32_t mask)
{
	if (o.kind == OPND_PRED)
		w->preds[o.index] = (w->preds[o.index] & ~mask) | (bits & mask);
}

/* Fills in *is->fault and returns EXEC_FAULT. */
enum exec_result exec_fault(const struct issue *, enum fault_kind, uint32_t lane, uint64_t address);

/* Executes *is, except for the upper levels of the registers. */
enum exec_result exec_run(struct issue *is);

/* ptx/exec/levels.c: the same for an instruction whose note is not plain. */
enum exec_result exec_levelled(struct issue *, const struct level_note *);
void exec_levels_start(struct warp *);

/* Lanes of a plane. */
void exec_copy_plane(const struct warp *, uint32_t from, uint32_t to, uint32_t mask);
/* Overwrites the upper levels, so that a read after they were lost is noticed. */
void exec_poison(const struct warp *);

/* ptx/exec/rfc.c: the same for a hardware-managed hierarchy, with tags. */
enum exec_result rfc_issue(struct issue *, const struct level_note *);
void rfc_start(struct warp *);
void rfc_flush(struct warp *);

/* ptx/exec/park.c: lanes that reach a barrier before others of their warp. Whether the barrier
 * instruction waits for others; then its lanes are set aside, and others go on. */
bool exec_comes_early(const struct issue *);
enum exec_result exec_park(struct issue *);
/* While lanes are set aside: makes a frame of others the top one, if there is any. */
void exec_resume(struct warp *);
/* The next frame from *i on whose lanes are set aside at barrier `id`; NULL: none is left. */
const struct frame *exec_parked(const struct warp *, uint32_t id, uint32_t *i);
/* They pass it with the others of their warp. */
void exec_unpark(struct warp *, uint32_t id);

/* Pops finished frames: arms at their reconvergence point, frames whose lanes have all exited. */
void exec_settle(struct warp *);

enum exec_result exec_branch(struct issue *);
enum exec_result exec_call(struct issue *);
enum exec_result exec_return(struct issue *);
enum exec_result exec_exit(struct issue *);
enum exec_result exec_load(struct issue *);
enum exec_result exec_store(struct issue *);
enum exec_result exec_atomic(struct issue *);
/* ptx/exec/print.c: a failed assertion: src[0..3] message, file, line, function; with two sources
 * a wrong free(): pointer, whether it was freed before. */
enum exec_result exec_assert(struct issue *);
enum exec_result exec_print(struct issue *);
enum exec_result exec_texture(struct issue *);
enum exec_result exec_surface(struct issue *);
enum exec_result exec_query(struct issue *);
void exec_across(struct issue *);
enum exec_result exec_copy(struct issue *);
void exec_matrix(struct issue *);
enum exec_result exec_load_matrix(struct issue *);
enum exec_result exec_store_matrix(struct issue *);
void exec_sreg(struct issue *);
/* ptx/exec/note.c: adds a note when the mask in `members` differs from the executing lanes. */
void exec_check_members(const struct issue *, struct operand members);
/* The same when not all lanes of the warp execute it. */
void exec_check_whole(const struct issue *);

/* Computes the addresses of a memory instruction into *is->access: space resolved, alignment
 * checked and, for storage of the warp or CTA, bounds. EXEC_OK or EXEC_FAULT. */
enum exec_result exec_addresses(struct issue *, unsigned bytes);

/* The object of the handle that lane `lane` has in src[source]; NULL, with *is->fault filled in,
 * when it is not of that kind. */
const struct texture *exec_object(
	const struct issue *, unsigned source, uint32_t lane, enum object_kind);

/* The result for a return value of exec_memory: 0, EXEC_RETRY, or 1 + the lane whose address is
 * illegal. */
enum exec_result exec_memory_result(const struct issue *, int result);

/* Moves one element of `size` bytes from lane-major data, `stride` bytes per lane, to a register of
 * the lanes of is->mask. */
void exec_spread(const struct issue *, struct operand dst, const unsigned char *data,
	unsigned stride, unsigned size);

/* Moves elements of `size` bytes from value planes to lane-major data, `stride` bytes per lane. */
void exec_gather(
	const uint32_t *plane, uint32_t mask, unsigned char *data, unsigned stride, unsigned size);

#endif
