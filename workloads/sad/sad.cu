/* Sums of absolute differences for the full motion search of an H.264 encoder (Wiegand et al.,
 * TCSVT 2003): for every macroblock of 16x16 pixels, for each of the 41 rectangles that it can be
 * cut into, at all 33x33 displacements of the reference frame. First those of 4x4 pixels from the
 * pixels, then larger ones as sums of smaller ones.
 *
 * Sums have 16 bits; a rectangle takes PITCH of them. All 4x4 rectangles of all macroblocks come
 * first, then those of 8x4, 4x8, 8x8, 16x8, 8x16 and 16x16. */
#include "cuda.h"
#include "cuda_texture.h"

#define RANGE 16
#define SIDE (2 * RANGE + 1)
#define POSITIONS (SIDE * SIDE)
#define PITCH 1096
/* Threads of a CTA of sad_4x4; 18 displacements each. */
#define THREADS 61

/* The lane's next displacement lies THREADS on. */
#define STEP_DOWN (THREADS / SIDE)
#define STEP_RIGHT (THREADS % SIDE)

static __device__ __forceinline__ int difference(int a, int b)
{
	return max(a - b, b - a);
}

/* Beyond its edges the texture unit repeats the edges' pixels. */
CUDA_TEXTURE(reference);

/* A CTA takes a 4x4 rectangle, whose pixels stay in registers. */
extern "C" __global__ void sad_4x4(const unsigned short *frame, unsigned short *sums, int width)
{
	int bx = (int)blockIdx.x, by = (int)blockIdx.y;
	int macroblock = (by >> 2) * (width >> 4) + (bx >> 2);
	int p = (int)threadIdx.x, y = p >= SIDE, x = p - SIDE * y;
	int left = 4 * bx - RANGE, right = left + SIDE;
	int pixel[16];

	frame += 4 * (by * width + bx);
#pragma unroll
	for (int i = 0; i < 16; i++)
		pixel[i] = frame[(i >> 2) * width + (i & 3)];
	x += left;
	y += 4 * by - RANGE;
	sums += (16 * macroblock + 4 * (by & 3) + (bx & 3)) * PITCH;
	do {
		int sum = 0;

#pragma unroll
		for (int i = 0; i < 16; i++)
			sum += difference(pixel[i], (int)tex2D_u32(reference, (float)(x + (i & 3)),
							    (float)(y + (i >> 2))));
		sums[p] = (unsigned short)sum;
		x += STEP_RIGHT;
		y += STEP_DOWN;
		if (x >= right) {
			x -= SIDE;
			y++;
		}
		p += THREADS;
	} while (p < POSITIONS);
}

/* Two sums in a word are added at once: none has more than 16 bits. */
#define WORDS (PITCH / 2)

/* A CTA takes a macroblock, threadIdx.y the quarter: pairs and fours of 4x4 rectangles. */
extern "C" __global__ void sad_8x8(unsigned *sums, int macroblocks)
{
	int macroblock = (int)blockIdx.x, quarter = (int)threadIdx.y;
	int p = (int)threadIdx.x;
	int first = 16 * macroblock + 8 * (quarter >> 1) + 2 * (quarter & 1);
	const unsigned *small = sums + first * WORDS;
	unsigned *wide = sums + (16 * macroblocks + 8 * macroblock + 2 * quarter) * WORDS;
	unsigned *tall = wide + 8 * macroblocks * WORDS;
	unsigned *both = sums + (32 * macroblocks + 4 * macroblock + quarter) * WORDS;

	do {
		unsigned a = small[p], b = small[p + WORDS];
		unsigned c = small[p + 4 * WORDS], d = small[p + 5 * WORDS];

		wide[p] = a + b;
		wide[p + WORDS] = c + d;
		tall[p] = a + c;
		tall[p + WORDS] = b + d;
		both[p] = (a + b) + (c + d);
		p += 32;
	} while (p < WORDS);
}

/* A CTA takes a macroblock: pairs of its quarters, and all four. */
extern "C" __global__ void sad_16x16(unsigned *sums, int macroblocks)
{
	int macroblock = (int)blockIdx.x, p = (int)threadIdx.x;
	const unsigned *quarters = sums + (32 * macroblocks + 4 * macroblock) * WORDS;
	unsigned *wide = sums + (36 * macroblocks + 2 * macroblock) * WORDS;
	unsigned *tall = wide + 2 * macroblocks * WORDS;
	unsigned *all = sums + (40 * macroblocks + macroblock) * WORDS;

	do {
		unsigned a = quarters[p], b = quarters[p + WORDS];
		unsigned c = quarters[p + 2 * WORDS], d = quarters[p + 3 * WORDS];

		wide[p] = a + b;
		wide[p + WORDS] = c + d;
		tall[p] = a + c;
		tall[p + WORDS] = b + d;
		all[p] = (a + b) + (c + d);
		p += 32;
	} while (p < WORDS);
}
