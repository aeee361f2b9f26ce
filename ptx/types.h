/* PTX's own words: types, state spaces, special registers. */
#ifndef PTX_TYPES_H
#define PTX_TYPES_H

#include <stdbool.h>
#include <stdint.h>

/* X(name, spelling, bytes in memory, class): class is b(its) u s f p(redicate) x(packed pair). */
#define PTX_TYPES(X) \
	X(PRED, "pred", 0, 'p') \
	X(B8, "b8", 1, 'b') \
	X(B16, "b16", 2, 'b') \
	X(B32, "b32", 4, 'b') \
	X(B64, "b64", 8, 'b') \
	X(B128, "b128", 16, 'b') \
	X(U8, "u8", 1, 'u') \
	X(U16, "u16", 2, 'u') \
	X(U32, "u32", 4, 'u') \
	X(U64, "u64", 8, 'u') \
	X(S8, "s8", 1, 's') \
	X(S16, "s16", 2, 's') \
	X(S32, "s32", 4, 's') \
	X(S64, "s64", 8, 's') \
	X(F16, "f16", 2, 'f') \
	X(F16X2, "f16x2", 4, 'x') \
	X(BF16, "bf16", 2, 'f') \
	X(BF16X2, "bf16x2", 4, 'x') \
	X(F32, "f32", 4, 'f') \
	X(F64, "f64", 8, 'f')

#define PTX_TYPE_ENUM(name, spelling, bytes, class) T_##name,
enum ptx_type { T_NONE, PTX_TYPES(PTX_TYPE_ENUM) T_COUNT };

enum ptx_space {
	SPACE_NONE, /* registers, or no memory at all */
	SPACE_GENERIC,
	SPACE_GLOBAL,
	SPACE_SHARED,
	SPACE_LOCAL,
	SPACE_CONST,
	SPACE_PARAM,
	SPACE_COUNT
};

/* X(id, spelling, words): every special register; vectors are spelled with their component. */
#define PTX_SREGS(X) \
	X(TID_X, "%tid.x", 1) \
	X(TID_Y, "%tid.y", 1) \
	X(TID_Z, "%tid.z", 1) \
	X(NTID_X, "%ntid.x", 1) \
	X(NTID_Y, "%ntid.y", 1) \
	X(NTID_Z, "%ntid.z", 1) \
	X(CTAID_X, "%ctaid.x", 1) \
	X(CTAID_Y, "%ctaid.y", 1) \
	X(CTAID_Z, "%ctaid.z", 1) \
	X(NCTAID_X, "%nctaid.x", 1) \
	X(NCTAID_Y, "%nctaid.y", 1) \
	X(NCTAID_Z, "%nctaid.z", 1) \
	X(LANEID, "%laneid", 1) \
	X(WARPID, "%warpid", 1) \
	X(NWARPID, "%nwarpid", 1) \
	X(SMID, "%smid", 1) \
	X(NSMID, "%nsmid", 1) \
	X(GRIDID, "%gridid", 2) \
	X(LANEMASK_EQ, "%lanemask_eq", 1) \
	X(LANEMASK_LE, "%lanemask_le", 1) \
	X(LANEMASK_LT, "%lanemask_lt", 1) \
	X(LANEMASK_GE, "%lanemask_ge", 1) \
	X(LANEMASK_GT, "%lanemask_gt", 1) \
	X(CLOCK, "%clock", 1) \
	X(CLOCK_HI, "%clock_hi", 1) \
	X(CLOCK64, "%clock64", 2) \
	X(GLOBALTIMER, "%globaltimer", 2) \
	X(GLOBALTIMER_LO, "%globaltimer_lo", 1) \
	X(GLOBALTIMER_HI, "%globaltimer_hi", 1) \
	X(DYNAMIC_SMEM_SIZE, "%dynamic_smem_size", 1) \
	X(TOTAL_SMEM_SIZE, "%total_smem_size", 1)

#define PTX_SREG_ENUM(id, spelling, words) SREG_##id,
enum ptx_sreg { PTX_SREGS(PTX_SREG_ENUM) SREG_COUNT };

const char *ptx_type_name(enum ptx_type);   /* "u32" */
unsigned ptx_type_bytes(enum ptx_type);     /* in memory; 0 for pred */
char ptx_type_class(enum ptx_type);         /* 'b' 'u' 's' 'f' 'p' 'x' */
unsigned ptx_type_words(enum ptx_type);     /* 32-bit registers it occupies; 0 for pred */
enum ptx_type ptx_type_parse(const char *); /* without the dot; T_NONE when there is none */
const char *ptx_space_name(enum ptx_space); /* "global" */
int ptx_sreg_parse(const char *);           /* enum ptx_sreg, or -1 */
const char *ptx_sreg_name(enum ptx_sreg);
unsigned ptx_sreg_words(enum ptx_sreg);

#endif
