/* The semantics table: every supported instruction form, its spelling, its operands and the
 * operation that executes it. To add a form, add a row (and, for arithmetic, a line in
 * ptx/isa/lanes.def). */
#ifndef PTX_ISA_FORMS_H
#define PTX_ISA_FORMS_H

#include "core/err.h"
#include "ptx/isa/classes.h"
#include "ptx/isa/types.h"

#include <stddef.h>

enum action {
	ACT_LANES, /* an operation on lanes: registers to registers */
	ACT_LOAD,
	ACT_STORE,
	ACT_ATOM, /* returns the old value */
	ACT_RED,  /* returns nothing */
	ACT_BRANCH,
	ACT_CALL,
	ACT_RET,
	ACT_EXIT,
	ACT_BARRIER,
	ACT_FENCE,
	ACT_WARP, /* warp-wide: vote, shfl, match, activemask */
	ACT_SREG, /* reads a special register */
	ACT_TRAP,
	ACT_PRINT,   /* call of vprintf: src[0] and src[1] are the addresses of format and arguments
		      */
	ACT_TEXTURE, /* tex, tld4: src[0] texture handle, [1..3] coordinates, [4] sampler handle */
	ACT_SURFACE, /* suld, sust, sured: src[0] handle, [1..3] coordinates, then values */
	ACT_QUERY,   /* txq, suq: src[0] handle */
	ACT_MATRIX,  /* a product of matrices: ptx/isa/matrix.h; vec: its steps */
	ACT_COPY,    /* cp.async: src[0] global address, [1] shared address, [2] bytes to read */
	ACT_ASYNC,   /* groups of copies: enum async_op */
	ACT_FRAGMENT, /* wmma, ldmatrix, stmatrix, cp.async, mbarrier: the compiler makes others of
			 it */
	ACT_NOP,
	ACT_COUNT
};

/* The part of an SM that executes the instruction; its class says more of arithmetic. */
enum unit {
	UNIT_ALU,    /* ALU, fma, conversions, f64 */
	UNIT_SFU,    /* rcp, rsqrt, sqrt, sin, cos, lg2, ex2, div */
	UNIT_TENSOR, /* products of matrices */
	UNIT_MEMORY, /* ld st atom red: the state space selects the memory; for generic addresses at
			execution */
	UNIT_TEXTURE,
	UNIT_CONTROL, /* branch, call, ret, exit, nop, trap */
	UNIT_BARRIER,
	UNIT_FENCE,
	UNIT_COUNT
};

enum operand_role {
	ROLE_NONE,
	ROLE_VALUE,     /* register, literal, or special register of `type` */
	ROLE_PRED,      /* predicate register (as a source it may be negated: !p) */
	ROLE_PRED_PAIR, /* destination p or p|q */
	ROLE_ADDRESS,
	ROLE_VECTOR, /* form_values() values of `type`, in braces (or one value without braces) */
	ROLE_LABEL,
	ROLE_CALL,       /* all operands of call */
	ROLE_VALUE_PAIR, /* destination d or d|p, p a predicate: shfl, match.all */
	ROLE_CARRY,      /* the function's carry flag, an implicit predicate */
	ROLE_TARGETS,    /* a list of branch targets */
	ROLE_TEXTURE, /* [texture, {coordinates of `type`}] or [texture, sampler, {coordinates}] */
	ROLE_SURFACE, /* [surface, {coordinates}] */
	ROLE_OBJECT,  /* [texture], [sampler], [surface] */
	ROLE_LEVEL    /* of a texture fetch: the level, or a gradient, of `type` */
};

struct form_operand {
	uint8_t role;
	uint8_t type; /* enum ptx_type */
	uint8_t n;    /* of a vector: its elements, where they are not those of an access; else 0 */
	bool wider;   /* the register may be wider than the type (ld, st, cvt) */
	bool optional; /* optional, also in the middle (bar.red d, a {,b}, p): at most one in a form
			*/
	bool is_dst;
};

/* Decoding conventions: destinations and sources are in text order in instr.dst and instr.src. An
 * omitted operand, or the absent half of a pair, is OPND_NONE at its index; a pair is dst[0] and
 * dst[1]. Memory: src[0] is the base address, followed by the values. A value of 16 bits or less is
 * in the low bits of its register; the bits above are undefined. An operation writes as many
 * registers as its type has words: a cvt with a 64-bit destination register and a narrower type
 * must be followed by cvt.u64.TYPE or cvt.s64.TYPE.
 *
 * Opcodes that PTX writes as mov or with another type, which the compiler passes to form_match:
 * "%pack.v2.b64" (d, a, b), ".v2.b32", ".v2.b16", ".v4.b64", ".v4.b32"; "%unpack.v2.b64" (d0, d1,
 * a) and so on; "%isspacep.shared.u32"; "%min3.ftz.f32" for min.ftz.f32 with three sources. */

#define FORM_OPERANDS 6

/* The semantics of an opcode. */
struct form_match {
	uint16_t op; /* index of the operation (ACT_LANES, ACT_WARP); for textures and surfaces as
			in ptx/isa/texture.h; else 0 */
	uint8_t action, unit;
	uint8_t op_class; /* enum op_class */
	uint8_t noperands;
	struct form_operand operand[FORM_OPERANDS]; /* in text order */
	/* memory forms */
	uint8_t space;    /* enum ptx_space */
	uint8_t mem_type; /* enum ptx_type of one element */
	uint8_t vec;      /* 1, 2, 4, 8 */
	uint8_t atom_op;  /* enum atom_op */
	uint8_t cache_op; /* enum cache_op */
	bool policy;      /* .L2::cache_hint: a cache policy follows the operands */
	/* control forms */
	bool uniform;    /* bra.uni, call.uni, ret.uni */
	uint8_t barrier; /* enum barrier_kind */
};

/* The values of operand i: of a vector its elements, else 1. */
static inline unsigned form_values(const struct form_match *m, unsigned i)
{
	const struct form_operand *o = &m->operand[i];

	if (o->role != ROLE_VECTOR)
		return 1;
	return o->n ? o->n : m->vec;
}

enum atom_op {
	ATOM_ADD,
	ATOM_MIN,
	ATOM_MAX,
	ATOM_AND,
	ATOM_OR,
	ATOM_XOR,
	ATOM_EXCH,
	ATOM_CAS,
	ATOM_INC,
	ATOM_DEC,
	ATOM_ARRIVE, /* of an mbarrier: a arrivals; if they complete its phase, the next one begins
		      */
	ATOM_ARRIVE_DROP /* the same, and later phases have as many less */
};

/* An mbarrier: arrivals that the phase lacks in the lowest bits, those of the next phase above, and
 * the phase's parity. */
#define MBARRIER_BITS 20u
#define MBARRIER_MOST ((1u << MBARRIER_BITS) - 1)
#define MBARRIER_PARITY 63u

/* Values of instr.op of ACT_ASYNC. Waiting takes two instructions: the result of the first is
 * available when all copies are complete but those of the latest `offset` groups, the one that is
 * not committed included; the second reads it. */
enum async_op { ASYNC_COMMIT, ASYNC_WAIT, ASYNC_WAITED };

enum cache_op {
	CACHE_DEFAULT,
	CACHE_ALL,
	CACHE_GLOBAL,
	CACHE_STREAM,
	CACHE_VOLATILE,
	CACHE_NC,
	CACHE_WT
};

enum barrier_kind {
	BARRIER_SYNC,
	BARRIER_ARRIVE,
	BARRIER_RED_POPC,
	BARRIER_RED_AND,
	BARRIER_RED_OR,
	BARRIER_WARP
};

#define FORM_WHY 1024 /* size of the buffer for a message, in bytes */

/* Matches a full opcode such as "add.rn.ftz.f32". 0, or -1 with a sentence in `why` (n bytes,
 * without the location): unknown opcode, or which modifier or type is wrong and which ones exist.
 * *unsupported: valid PTX that this version does not execute (true), or invalid (false). */
int form_match(const char *spelling, struct form_match *, char *why, size_t n, bool *unsupported);

/* Iterates over all supported patterns, for documentation. */
typedef void form_visit_fn(void *ctx, const char *pattern, const char *operands, const char *text);
void form_list(form_visit_fn *, void *ctx);
/* The internal forms of the compiler: their patterns begin with %. */
void form_list_inner(form_visit_fn *, void *ctx);
/* Valid PTX that is rejected by name; a pattern that ends in * matches any rest. */
void form_list_refused(form_visit_fn *, void *ctx);

/* An atomic operation in one lane: returns the new value for `old`; a (and b for CAS) are operands.
 * The type is one of T_U32, T_S32, T_B32, T_U64, T_S64, T_B64, T_F32, T_F64 ..., as the form says.
 */
uint64_t atom_apply(enum atom_op, enum ptx_type, uint64_t old, uint64_t a, uint64_t b);

/* An atomic operation of one lane: `vec` elements of the type, each atomic by itself. */
struct atom {
	uint8_t op, type, vec; /* enum atom_op, enum ptx_type */
};

#define ATOM_BYTES 16u /* largest access of a lane: 128 bits, or a vector */
#define ATOM_PLANES 4u /* 32-bit registers for the old value, one per element or word */

/* Executes an atomic operation of one lane on its bytes in memory, any type and vector; a and b
 * (NULL except for CAS) have the same number of elements. The old value is written to lane `lane`
 * of the planes, at most ATOM_PLANES, low words first; NULL, or a NULL plane: not needed. */
void atom_lane(const struct atom *, unsigned char *cell, const unsigned char *a,
	const unsigned char *b, unsigned lane, uint32_t *const *planes);

#endif
