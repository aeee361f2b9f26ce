/* Lane operations: one arithmetic instruction on the 32 lanes of a warp. Private to ptx/.
 *
 * A register is a plane of WARP_LANES words; a 64-bit value is two consecutive planes, low words
 * first; a predicate is one word of lane bits. 8- and 16-bit values are read from the low bits of
 * their word; unsigned ones are written zero-extended, signed ones sign-extended to the word. */
#ifndef PTX_ISA_LANES_H
#define PTX_ISA_LANES_H

#include "ptx/isa/program.h"

#define UN(id, ...) LANE_##id,
#define BI(id, ...) LANE_##id,
#define TRI(id, ...) LANE_##id,
#define QUAD(id, ...) LANE_##id,
#define LOGIC(id, ...) LANE_##id,
#define TEST(id, ...) LANE_##id,
#define SETP(id, ...) LANE_setp_##id,
#define SETPB(id, ...) LANE_setp_##id,
#define SET(id, ...) LANE_set_##id,
#define SETB(id, ...) LANE_set_##id,
#define TWICE(id, ...) LANE_setp_##id,
#define TWICEB(id, ...) LANE_setp_##id,
#define SET2(id, ...) LANE_set_##id,
#define SETB2(id, ...) LANE_set_##id,
#define SELECT(id, ...) LANE_##id,
#define CARRY(id, ...) LANE_##id,
#define CARRY3(id, ...) LANE_##id,
#define ROUNDED(id, ...) LANE_##id,
#define TRIG(id, ...) LANE_##id,
#define OWN(id) LANE_##id,
enum lane_op {
#include "ptx/isa/lanes.def"
	LANE_COUNT
};

/* Warp-wide operations, executed by ptx/exec/warp.c. */
enum warp_op {
	WARP_ACTIVEMASK,
	WARP_VOTE_ALL,
	WARP_VOTE_ANY,
	WARP_VOTE_UNI,
	WARP_VOTE_BALLOT,
	WARP_SHFL_UP,
	WARP_SHFL_DOWN,
	WARP_SHFL_BFLY,
	WARP_SHFL_IDX,
	WARP_MATCH_ANY_B32,
	WARP_MATCH_ANY_B64,
	WARP_MATCH_ALL_B32,
	WARP_MATCH_ALL_B64,
	WARP_ELECT,
	WARP_REDUX_ADD_U32,
	WARP_REDUX_ADD_S32,
	WARP_REDUX_MIN_U32,
	WARP_REDUX_MIN_S32,
	WARP_REDUX_MAX_U32,
	WARP_REDUX_MAX_S32,
	WARP_REDUX_AND_B32,
	WARP_REDUX_OR_B32,
	WARP_REDUX_XOR_B32,
	WARP_REDUX_MIN_F32,
	WARP_REDUX_MIN_NAN_F32,
	WARP_REDUX_MIN_ABS_F32,
	WARP_REDUX_MIN_ABS_NAN_F32,
	WARP_REDUX_MAX_F32,
	WARP_REDUX_MAX_NAN_F32,
	WARP_REDUX_MAX_ABS_F32,
	WARP_REDUX_MAX_ABS_NAN_F32
};

/* d and s point to the first plane (or mask word) of each operand; a destination may be the same
 * plane as a source. Lanes outside the mask keep their old value. setp always writes d[0] and d[1].
 */
typedef void lane_fn(uint32_t *const *d, const uint32_t *const *s, uint32_t mask);

/* Address computation of a memory instruction: two planes (the upper may be zeros) plus an offset,
 * truncated to the address width by `wrap`. */
struct lane_base {
	const uint32_t *low, *high;
	uint64_t offset, wrap;
	uint32_t mask, bytes;
};

/* Properties of the addresses of the lanes in the mask. */
struct lane_span {
	uint64_t least, most, bits; /* bits: all addresses OR-ed together, modulo `bytes` */
	uint64_t same;              /* the bits in which all are the same; 0: not known */
	bool contiguous;            /* all 32 lanes, each `bytes` after the previous */
	bool row;                   /* the same with gaps for inactive lanes */
	uint8_t halves;             /* enum lane_halves */
};

typedef void lane_address_fn(const struct lane_base *, uint64_t *addr, struct lane_span *);

/* Copies words that are `stride` apart to the masked lanes of a plane. */
typedef void lane_spread_fn(uint32_t *plane, const uint32_t *words, unsigned stride, uint32_t mask);

/* Sets the masked lanes of n planes, one after the other, to `value`. */
typedef void lane_fill_fn(uint32_t *plane, unsigned n, uint32_t value, uint32_t mask);

struct lanes {
	const char *name;
	lane_address_fn *address;
	lane_spread_fn *spread;
	lane_fill_fn *fill;
	lane_fn *fn[LANE_COUNT];
};

#define FULL_MASK 0xffffffffu

#endif
