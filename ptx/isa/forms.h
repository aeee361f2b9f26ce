/* The semantics table: every supported instruction form, how it is spelled, what its operands are
 * and what executes it. Adding a form is adding a row (and, for arithmetic, a line in
 * ptx/isa/lanes.def). */
#ifndef PTX_ISA_FORMS_H
#define PTX_ISA_FORMS_H

#include "core/err.h"
#include "ptx/isa/types.h"

#include <stddef.h>

enum action {
	ACT_LANES, /* a lane kernel: registers to registers */
	ACT_LOAD,
	ACT_STORE,
	ACT_ATOM, /* with result */
	ACT_RED,  /* without */
	ACT_BRANCH,
	ACT_CALL,
	ACT_RET,
	ACT_EXIT,
	ACT_BARRIER,
	ACT_FENCE,
	ACT_WARP, /* crosses lanes: vote, shfl, match, activemask */
	ACT_SREG, /* reads a special register */
	ACT_TRAP,
	ACT_PRINT,   /* call of vprintf: src[0] and src[1] are the addresses of format and arguments
		      */
	ACT_TEXTURE, /* tex, tld4: src[0] the texture's handle, [1..3] coordinates, [4] the
		      * sampler's
		      */
	ACT_SURFACE, /* suld, sust, sured: src[0] the handle, [1..3] coordinates, then values */
	ACT_QUERY,   /* txq, suq: src[0] the handle */
	ACT_NOP,
	ACT_COUNT
};

/* What the instruction occupies in an SM: the timing model's only view of its kind. */
enum unit {
	UNIT_ALU,    /* ALU, fma, conversions, f64 */
	UNIT_SFU,    /* rcp, rsqrt, sqrt, sin, cos, lg2, ex2, div */
	UNIT_MEMORY, /* ld st atom red: the space decides, for generic addresses at execution */
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
	ROLE_VECTOR, /* `vec` values of `type`, in braces (or one bare value when vec is 1) */
	ROLE_LABEL,
	ROLE_CALL,       /* the whole operand list of call */
	ROLE_VALUE_PAIR, /* destination d or d|p, p a predicate: shfl, match.all */
	ROLE_CARRY,      /* the function's carry flag, a predicate that PTX does not write */
	ROLE_TARGETS,    /* a list of branch targets */
	ROLE_TEXTURE, /* [texture, {coordinates of `type`}] or [texture, sampler, {coordinates}] */
	ROLE_SURFACE, /* [surface, {coordinates}] */
	ROLE_OBJECT,  /* [texture], [sampler], [surface] */
	ROLE_DROPPED  /* a value or values of `type`, which change nothing */
};

struct form_operand {
	uint8_t role;
	uint8_t type;  /* enum ptx_type */
	bool wider;    /* the register may be wider than the type (ld, st, cvt) */
	bool optional; /* may be left out, in the middle too (bar.red d, a {,b}, p): one at most a
			  form */
	bool is_dst;
};

/* Decoding, by convention: destinations and sources keep text order in instr.dst and instr.src. An
 * operand that was left out, or the absent half of a pair, keeps its place as OPND_NONE; a pair is
 * dst[0] and dst[1]. Memory: src[0] is the address base, values follow. A 16-bit or narrower value
 * lies in the low bits of its register; what stands above them is not part of it. A lane kernel
 * writes as many registers as its type has words: where cvt's destination register is 64 bits and
 * its type is not, cvt.u64.TYPE or cvt.s64.TYPE must follow.
 *
 * Spellings that PTX writes as mov or with another type, for form_match to be asked by the
 * compiler:
 * "%pack.v2.b64" (d, a, b), ".v2.b32", ".v2.b16", ".v4.b64", ".v4.b32"; "%unpack.v2.b64" (d0, d1,
 * a) and so on; "%isspacep.shared.u32"; "%min3.ftz.f32" for min.ftz.f32 of three sources. */

#define FORM_OPERANDS 6

/* A spelling, matched. */
struct form_match {
	uint16_t op; /* index of the lane kernel (ACT_LANES, ACT_WARP); of textures and surfaces as
		      * in ptx/isa/texture.h; else 0 */
	uint8_t action, unit;
	uint8_t noperands;
	struct form_operand operand[FORM_OPERANDS]; /* in text order */
	/* memory forms */
	uint8_t space;    /* enum ptx_space */
	uint8_t mem_type; /* enum ptx_type of one element */
	uint8_t vec;      /* 1, 2, 4, 8 */
	uint8_t atom_op;  /* enum atom_op */
	uint8_t cache_op; /* enum cache_op */
	/* control forms */
	bool uniform;    /* bra.uni, call.uni, ret.uni */
	uint8_t barrier; /* enum barrier_kind */
};

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
	ATOM_DEC
};

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

#define FORM_WHY 1024 /* bytes for the longest sentence */

/* Matches a full spelling such as "add.rn.ftz.f32". 0, or -1 with a sentence in `why` (n bytes, no
 * place): unknown opcode, or which modifier or type is wrong and which ones exist. *unsupported
 * tells real PTX that this version does not execute (true) from nonsense (false). */
int form_match(const char *spelling, struct form_match *, char *why, size_t n, bool *unsupported);

/* Walks over every supported spelling pattern, for documentation. */
typedef void form_visit_fn(void *ctx, const char *pattern, const char *operands, const char *text);
void form_list(form_visit_fn *, void *ctx);
/* Those that the compiler asks for: their patterns begin with %. */
void form_list_inner(form_visit_fn *, void *ctx);
/* Real PTX that is refused by name; a pattern that ends in * takes whatever follows. */
void form_list_refused(form_visit_fn *, void *ctx);

/* One lane of an atomic: the new value for `old`; a (and b for CAS) are operands. Type T_U32,
 * T_S32, T_B32, T_U64, T_S64, T_B64, T_F32, T_F64 ... as the form says. */
uint64_t atom_apply(enum atom_op, enum ptx_type, uint64_t old, uint64_t a, uint64_t b);

/* What an atomic does to the bytes of a lane: `vec` elements of the type, each by itself. */
struct atom {
	uint8_t op, type, vec; /* enum atom_op, enum ptx_type */
};

#define ATOM_BYTES 16u /* the most that a lane works on: 128 bits, or a vector */
#define ATOM_PLANES \
	4u /* registers of 32 bits that hold its old value, one each element or word \
	    */

/* One lane of an atomic on its bytes in memory, any type and vector; a and b (of CAS, else NULL)
 * are as many. The old value goes to lane `lane` of the planes, ATOM_PLANES of them at most, first
 * the low words; NULL, or NULL among them: nobody wants it. */
void atom_lane(const struct atom *, unsigned char *cell, const unsigned char *a,
	const unsigned char *b, unsigned lane, uint32_t *const *planes);

#endif
