/* MD5 (RFC 1321) of the windows of a long text, to find where it may be cut by what it says:
 * sliding windows, out of shared memory (Al-Kiswany et al., HPDC 2008). A CTA takes a stretch of
 * the text into shared memory; a thread hashes the windows that begin in its EACH words, every
 * `step` words. EACH is odd, so that threads of a warp read from different banks. Lengths are in
 * words of four bytes; a window with its end mark and length is two blocks of MD5. */
#include "cuda_math.h"

#define THREADS 128
#define EACH 31
#define WINDOW 29
#define STRETCH (THREADS * EACH)

struct hash {
	unsigned a, b, c, d;
};

static __device__ __forceinline__ unsigned rotate(unsigned x, int by)
{
	return x << by | x >> (32 - by);
}

/* Word i of the message: of the window, the mark of its end, its length in bits. */
static __device__ __forceinline__ unsigned word(const unsigned *window, int i)
{
	if (i < WINDOW)
		return window[i];
	return i == WINDOW ? 0x80u : i == 30 ? WINDOW * 32u : 0u;
}

#define STEP(mix, a, b, c, d, i, by, sine) \
	a = rotate(a + (mix) + word(window, block * 16 + i) + sine##u, by) + b

#define F(x, y, z) ((z) ^ ((x) & ((y) ^ (z))))
#define G(x, y, z) ((y) ^ ((z) & ((x) ^ (y))))
#define H(x, y, z) ((x) ^ (y) ^ (z))
#define I(x, y, z) ((y) ^ ((x) | ~(z)))

/* Four steps, which turn the roles of the state's words once around. */
#define FOUR(f, i, j, k, l, r, s, t, u, w, x, y, z) \
	STEP(f(b, c, d), a, b, c, d, i, r, w); \
	STEP(f(a, b, c), d, a, b, c, j, s, x); \
	STEP(f(d, a, b), c, d, a, b, k, t, y); \
	STEP(f(c, d, a), b, c, d, a, l, u, z)

/* The state after one more block of the message. */
static __device__ __forceinline__ hash md5_block(hash state, const unsigned *window, int block)
{
	unsigned a = state.a, b = state.b, c = state.c, d = state.d;

	FOUR(F, 0, 1, 2, 3, 7, 12, 17, 22, 0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee);
	FOUR(F, 4, 5, 6, 7, 7, 12, 17, 22, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501);
	FOUR(F, 8, 9, 10, 11, 7, 12, 17, 22, 0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be);
	FOUR(F, 12, 13, 14, 15, 7, 12, 17, 22, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821);
	FOUR(G, 1, 6, 11, 0, 5, 9, 14, 20, 0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa);
	FOUR(G, 5, 10, 15, 4, 5, 9, 14, 20, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8);
	FOUR(G, 9, 14, 3, 8, 5, 9, 14, 20, 0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed);
	FOUR(G, 13, 2, 7, 12, 5, 9, 14, 20, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a);
	FOUR(H, 5, 8, 11, 14, 4, 11, 16, 23, 0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c);
	FOUR(H, 1, 4, 7, 10, 4, 11, 16, 23, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70);
	FOUR(H, 13, 0, 3, 6, 4, 11, 16, 23, 0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05);
	FOUR(H, 9, 12, 15, 2, 4, 11, 16, 23, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665);
	FOUR(I, 0, 7, 14, 5, 6, 10, 15, 21, 0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039);
	FOUR(I, 12, 3, 10, 1, 6, 10, 15, 21, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1);
	FOUR(I, 8, 15, 6, 13, 6, 10, 15, 21, 0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1);
	FOUR(I, 4, 11, 2, 9, 6, 10, 15, 21, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391);
	return hash{a + state.a, b + state.b, c + state.c, d + state.d};
}

static __device__ __forceinline__ hash md5(const unsigned *window)
{
	hash state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};

	state = md5_block(state, window, 0);
	return md5_block(state, window, 1);
}

extern "C" __global__ void sto(const unsigned *text, hash *hashes, int step)
{
	__shared__ unsigned stretch[STRETCH + WINDOW - 1];
	int t = (int)threadIdx.x;
	int start = (int)blockIdx.x * STRETCH;

	for (int i = t; i < STRETCH + WINDOW - 1; i += THREADS)
		stretch[i] = text[start + i];
	barrier();
	for (int i = t * EACH; i < (t + 1) * EACH; i += step)
		hashes[start + i] = md5(&stretch[i]);
}
