/* The storage of values of each type in planes of words, and their C types; z types flush
 * subnormals when they are read. Included by ptx/exec/lanes.c only. */
#ifndef PTX_EXEC_LANES_VALUE_H
#define PTX_EXEC_LANES_VALUE_H

#include "ptx/isa/lanes.h"

#include "ptx/exec/lanes_half.h"

#define LOW64(p, i) ((uint64_t)(p)[i] | (uint64_t)(p)[WARP_LANES + (i)] << 32)
#define LOAD_u8(p, i) ((uint8_t)(p)[i])
#define LOAD_s8(p, i) ((int8_t)(p)[i])
#define LOAD_u16(p, i) ((uint16_t)(p)[i])
#define LOAD_s16(p, i) ((int16_t)(p)[i])
#define LOAD_u32(p, i) ((p)[i])
#define LOAD_s32(p, i) ((int32_t)(p)[i])
#define LOAD_u64(p, i) LOW64(p, i)
#define LOAD_s64(p, i) ((int64_t)LOW64(p, i))
#define LOAD_f32(p, i) float_of((p)[i])
#define LOAD_z32(p, i) ftz32(float_of((p)[i]))
#define LOAD_f64(p, i) double_of(LOW64(p, i))
#define LOAD_f16(p, i) from_f16((p)[i] & 0xffffu)
#define LOAD_zf16(p, i) from_f16(flush_f16((p)[i]))
#define LOAD_bf16(p, i) from_bf16((p)[i] & 0xffffu)
#define LOAD_zbf16(p, i) from_bf16(flush_bf16((p)[i]))
/* the upper half of a pair */
#define LOAD_f16_high(p, i) from_f16((p)[i] >> 16)
#define LOAD_zf16_high(p, i) from_f16(flush_f16((p)[i] >> 16))
#define LOAD_bf16_high(p, i) from_bf16((p)[i] >> 16)

#define TYPE_u8 uint8_t
#define TYPE_s8 int8_t
#define TYPE_u16 uint16_t
#define TYPE_s16 int16_t
#define TYPE_u32 uint32_t
#define TYPE_s32 int32_t
#define TYPE_u64 uint64_t
#define TYPE_s64 int64_t
#define TYPE_f32 float
#define TYPE_z32 float
#define TYPE_f64 double
#define TYPE_f16 double
#define TYPE_zf16 double
#define TYPE_bf16 double
#define TYPE_zbf16 double

static inline void store_u64(uint32_t *p, unsigned i, uint64_t v)
{
	p[i] = (uint32_t)v;
	p[WARP_LANES + i] = (uint32_t)(v >> 32);
}

#define STORE_u8(p, i, v) ((p)[i] = (uint32_t)(uint8_t)(v))
#define STORE_s8(p, i, v) ((p)[i] = (uint32_t)(int8_t)(v))
#define STORE_u16(p, i, v) ((p)[i] = (uint32_t)(uint16_t)(v))
#define STORE_s16(p, i, v) ((p)[i] = (uint32_t)(int16_t)(v))
#define STORE_u32(p, i, v) ((p)[i] = (uint32_t)(v))
#define STORE_s32(p, i, v) ((p)[i] = (uint32_t)(v))
#define STORE_u64(p, i, v) store_u64(p, i, (uint64_t)(v))
#define STORE_s64(p, i, v) store_u64(p, i, (uint64_t)(v))
#define STORE_f32(p, i, v) ((p)[i] = bits32(v))
#define STORE_f64(p, i, v) store_u64(p, i, bits64(v))
#define STORE_f16(p, i, v) ((p)[i] = to_f16(v))
#define STORE_bf16(p, i, v) ((p)[i] = to_bf16(v))

#define WORDS(D) (sizeof(#D) == sizeof("u64") && #D[1] == '6' ? 2 : 1)

#endif
