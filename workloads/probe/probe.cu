/* Scripts of accesses of one thread, which `warpbeam probe` runs (runs/verbs/verbs.h): a script is a list
 * of segments, each `count` addresses `stride` bytes apart. Each access waits for the one before,
 * whose value, 0, is part of its address. The pass before the first does all but its accesses, so
 * that code and parameters are in their caches. */
#include "cuda_math.h"
#include "cuda_texture.h"

#define MOST_SEGMENTS 240
#define MOST_RESULTS 2048

CUDA_TEXTURE(texels);

/* As in runs/verbs/verbs.h: bits 0 to 3 of `how` are the path, 4 and 5 what is measured. */
struct segment {
	unsigned first;
	int stride;
	unsigned count, how;
};
struct script {
	unsigned segments, limit, spare[2];
	struct segment at[MOST_SEGMENTS];
};

static __device__ __forceinline__ unsigned clock_now()
{
	unsigned now;

	__asm__ volatile("mov.u32 %0, %%clock;" : "=r"(now)::"memory");
	return now;
}

/* The steps of a segment: between the readings of the clock are the sum that makes the address, the
 * access, and a store that waits for its value. */
#define STEPS_OF(type, from, access) \
	type at = from; \
\
	kept[MOST_RESULTS] = (unsigned)(unsigned long)at; /* so that the first step waits for none */ \
	_Pragma("unroll 1") for (unsigned i = 0; i < count; i++) \
	{ \
		unsigned start = clock_now(), cycles; \
\
		access; \
		kept[MOST_RESULTS] = value; \
		cycles = clock_now() - start; \
		at += stride; \
		slow += cycles > script.limit; \
		kept[n] = cycles; \
		n += act & 1; \
	}

#ifdef __LP64__
#define POINTER "l"
#define ONE "cvt.u32.u64 a, %1;"
#define TWO "cvt.u32.u64 a, %1; @p add.u32 %0, a, 1;"
#define LAST "a"
#else
#define POINTER "r"
#define ONE ""
#define TWO "@p add.u32 %0, %1, 1;"
#define LAST "%1"
#endif
/* The value is 0, also when the access is left out. The predicate, and the 0 that it keeps, are
 * waited for in all times. */
#define LOAD(op) \
	__asm__ volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; mov.u32 %0, 0; @p " op \
			 " %0, [%1]; }" \
			 : "=r"(value) \
			 : POINTER(at + value), "r"(pass) \
			 : "memory")
#define FETCH \
	__asm__ volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; mov.u32 %0, 0;" \
			 "@p tex.1d.v4.u32.s32 {%0, _, _, _}, [texels, {%1}]; }" \
			 : "=r"(value) \
			 : "r"(at + value), "r"(pass) \
			 : "memory")
#define ADDITIONS(first, last) \
	__asm__ volatile("{ .reg .pred p; .reg .u32 a; setp.ne.u32 p, %2, 0; mov.u32 %0, 0; " first \
			 "@p and.b32 %0, " last ", 0; }" \
			 : "=r"(value) \
			 : POINTER(at + value), "r"(pass) \
			 : "memory")

extern "C" __global__ void probe(const char *buffer, unsigned *results, const struct script script)
{
	__shared__ unsigned kept[MOST_RESULTS + 1];
	unsigned value = 0, n = 0;

#pragma unroll 1
	for (unsigned pass = 0; pass < 2; pass++) {
		n = 0;
#pragma unroll 1
		for (unsigned s = 0; s < script.segments; s++) {
			unsigned first = script.at[s].first;
			int stride = script.at[s].stride;
			unsigned count = pass ? script.at[s].count : 1;
			unsigned path = script.at[s].how & 15, act = script.at[s].how >> 4, slow = 0;

			if (path == 0) {
				STEPS_OF(const char *, buffer + first, LOAD("ld.global.ca.u32"));
			} else if (path == 1) {
				STEPS_OF(const char *, buffer + first, LOAD("ld.global.cg.u32"));
			} else if (path == 2) {
				STEPS_OF(const char *, buffer + first, LOAD("ld.global.nc.u32"));
			} else if (path == 3) {
				stride /= 4;
				STEPS_OF(unsigned, first / 4, FETCH);
			} else if (path == 4) {
				STEPS_OF(const char *, buffer + first, ADDITIONS(ONE, LAST));
			} else {
				STEPS_OF(const char *, buffer + first, ADDITIONS(TWO, "%0"));
			}
			if (act >> 1)
				kept[n++] = slow;
		}
	}
#pragma unroll 1
	for (unsigned i = 0; i < n; i++)
		results[i] = kept[i];
}

/* Dependent loads of a warp from shared memory, of words or pairs of words, `stride` of them from
 * lane to lane. A word holds its own address. The first walk is not timed. */
#define SHARED_WORDS 4096
#define STEPS 32

#define SHARED_ADDRESS(p) ((unsigned)(unsigned long)(__attribute__((address_space(3))) char *)(p))
#define WALK(op) \
	_Pragma("unroll") for (int i = 0; i < STEPS; i++) __asm__ volatile(op : "+r"(at)::"memory")

#define TIMED(walks) \
	{ \
		unsigned start = clock_now(); \
\
		walks; \
		words[(at - base) / 4] = at; /* the clock waits for the last load */ \
		taken = clock_now() - start; \
	}

/* Two walks and one: their difference is of STEPS loads alone. Loops apart, so that no reading of
 * the clock is common to both and moved in front of the branch between them. */
#define TIMES_OF(op) \
	_Pragma("unroll 1") for (unsigned pass = 0; pass < 2; pass++) \
	{ \
		TIMED(WALK(op)); \
		results[0] = taken; \
		TIMED(WALK(op); WALK(op)); \
		results[1] = taken; \
	}

extern "C" __global__ void probe_shared(unsigned stride, unsigned pairs, unsigned *results)
{
	__shared__ unsigned words[SHARED_WORDS];
	unsigned t = threadIdx.x, base = SHARED_ADDRESS(words), at = base, taken;

	for (unsigned i = t; i < SHARED_WORDS; i += 32)
		words[i] = base + i * 4;
	barrier();
	at += t * stride * (pairs ? 8 : 4) % (SHARED_WORDS * 4);
	if (pairs)
		TIMES_OF("{ .reg .u32 b; ld.shared.v2.u32 {%0, b}, [%0]; }")
	else
		TIMES_OF("ld.shared.u32 %0, [%0];")
}
