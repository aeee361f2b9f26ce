/* PTX keywords: types, state spaces, special registers. */
#ifndef PTX_ISA_TYPES_H
#define PTX_ISA_TYPES_H

#include <stdbool.h>
#include <stdint.h>

/* X(name, spelling, bytes in memory, class): the class is b(its), u, s, f, p(redicate) or x (packed
 * pair). */
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
	SPACE_NONE, /* registers, or no memory access */
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
	X(TOTAL_SMEM_SIZE, "%total_smem_size", 1) \
	X(AGGR_SMEM_SIZE, "%aggr_smem_size", 1) \
	X(CLUSTERID_X, "%clusterid.x", 1) \
	X(CLUSTERID_Y, "%clusterid.y", 1) \
	X(CLUSTERID_Z, "%clusterid.z", 1) \
	X(NCLUSTERID_X, "%nclusterid.x", 1) \
	X(NCLUSTERID_Y, "%nclusterid.y", 1) \
	X(NCLUSTERID_Z, "%nclusterid.z", 1) \
	X(CLUSTER_CTAID_X, "%cluster_ctaid.x", 1) \
	X(CLUSTER_CTAID_Y, "%cluster_ctaid.y", 1) \
	X(CLUSTER_CTAID_Z, "%cluster_ctaid.z", 1) \
	X(CLUSTER_CTARANK, "%cluster_ctarank", 1) \
	X(CLUSTER_NCTAID_X, "%cluster_nctaid.x", 1) \
	X(CLUSTER_NCTAID_Y, "%cluster_nctaid.y", 1) \
	X(CLUSTER_NCTAID_Z, "%cluster_nctaid.z", 1) \
	X(CLUSTER_NCTARANK, "%cluster_nctarank", 1) \
	X(IS_EXPLICIT_CLUSTER, "%is_explicit_cluster", 1) \
	X(ENVREG0, "%envreg0", 1) \
	X(ENVREG1, "%envreg1", 1) \
	X(ENVREG2, "%envreg2", 1) \
	X(ENVREG3, "%envreg3", 1) \
	X(ENVREG4, "%envreg4", 1) \
	X(ENVREG5, "%envreg5", 1) \
	X(ENVREG6, "%envreg6", 1) \
	X(ENVREG7, "%envreg7", 1) \
	X(ENVREG8, "%envreg8", 1) \
	X(ENVREG9, "%envreg9", 1) \
	X(ENVREG10, "%envreg10", 1) \
	X(ENVREG11, "%envreg11", 1) \
	X(ENVREG12, "%envreg12", 1) \
	X(ENVREG13, "%envreg13", 1) \
	X(ENVREG14, "%envreg14", 1) \
	X(ENVREG15, "%envreg15", 1) \
	X(ENVREG16, "%envreg16", 1) \
	X(ENVREG17, "%envreg17", 1) \
	X(ENVREG18, "%envreg18", 1) \
	X(ENVREG19, "%envreg19", 1) \
	X(ENVREG20, "%envreg20", 1) \
	X(ENVREG21, "%envreg21", 1) \
	X(ENVREG22, "%envreg22", 1) \
	X(ENVREG23, "%envreg23", 1) \
	X(ENVREG24, "%envreg24", 1) \
	X(ENVREG25, "%envreg25", 1) \
	X(ENVREG26, "%envreg26", 1) \
	X(ENVREG27, "%envreg27", 1) \
	X(ENVREG28, "%envreg28", 1) \
	X(ENVREG29, "%envreg29", 1) \
	X(ENVREG30, "%envreg30", 1) \
	X(ENVREG31, "%envreg31", 1) \
	X(PM0, "%pm0", 1) \
	X(PM1, "%pm1", 1) \
	X(PM2, "%pm2", 1) \
	X(PM3, "%pm3", 1) \
	X(PM4, "%pm4", 1) \
	X(PM5, "%pm5", 1) \
	X(PM6, "%pm6", 1) \
	X(PM7, "%pm7", 1) \
	X(CURRENT_GRAPH_EXEC, "%current_graph_exec", 2)

#define PTX_SREG_ENUM(id, spelling, words) SREG_##id,
enum ptx_sreg {
	PTX_SREGS(PTX_SREG_ENUM) SREG_COUNT,
	SREG_SLOTS = SREG_COUNT /* not PTX: where a CTA's spill slots begin in shared memory */
};

const char *ptx_type_name(enum ptx_type);   /* for example "u32" */
unsigned ptx_type_bytes(enum ptx_type);     /* in memory; 0 for pred */
char ptx_type_class(enum ptx_type);         /* 'b' 'u' 's' 'f' 'p' 'x' */
unsigned ptx_type_words(enum ptx_type);     /* 32-bit registers; 0 for pred */
enum ptx_type ptx_type_parse(const char *); /* without the dot; T_NONE: unknown */
const char *ptx_space_name(enum ptx_space); /* for example "global" */
int ptx_sreg_parse(const char *);           /* enum ptx_sreg, or -1 */
const char *ptx_sreg_name(enum ptx_sreg);
unsigned ptx_sreg_words(enum ptx_sreg);

#endif
