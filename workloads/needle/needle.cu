/* Global alignment of two sequences (Needleman and Wunsch, J. Mol. Biol. 1970): fills the score
 * matrix in blocks of B x B cells, a CTA of B threads each, by wavefronts: launches walk over the
 * diagonals of blocks, threads over the diagonals of cells within a block. */
#include "cuda.h"

/* One block at block coordinates (bx, by); row 0 and column 0 of the scores are the boundary. Copy
 * loops stay loops: unrolled, they would take other registers for each B. */
template <int B>
static __device__ __forceinline__ void align_block(
	const int *reference, int *scores, int columns, int penalty, int bx, int by)
{
	__shared__ int score[B + 1][B + 1];
	__shared__ int similar[B][B];
	int t = (int)threadIdx.x;
	/* The boundary cell above and left of the block. */
	int corner = columns * B * by + B * bx;

#pragma unroll 1
	for (int y = 0; y < B; y++)
		similar[y][t] = reference[corner + columns * (y + 1) + t + 1];
	if (t == 0)
		score[0][0] = scores[corner];
	score[t + 1][0] = scores[corner + columns * (t + 1)];
	score[0][t + 1] = scores[corner + t + 1];
	__syncthreads();
	for (int d = 0; d < 2 * B - 1; d++) {
		int y = d - t;

		if (y >= 0 && y < B)
			score[y + 1][t + 1] = max(score[y][t] + similar[y][t],
				max(score[y + 1][t] - penalty, score[y][t + 1] - penalty));
		__syncthreads();
	}
#pragma unroll 1
	for (int y = 0; y < B; y++)
		scores[corner + columns * (y + 1) + t + 1] = score[y + 1][t + 1];
}

/* Diagonals of the upper left triangle of blocks: as many CTAs as the diagonal has blocks. */
#define UPPER(B) \
	extern "C" __global__ void needle_upper_##B( \
		const int *reference, int *scores, int columns, int penalty) \
	{ \
		int bx = (int)blockIdx.x; \
\
		align_block<B>(reference, scores, columns, penalty, bx, (int)gridDim.x - 1 - bx); \
	}

/* Diagonals of the lower right triangle, where the matrix is `blocks` blocks wide. */
#define LOWER(B) \
	extern "C" __global__ void needle_lower_##B( \
		const int *reference, int *scores, int columns, int penalty, int blocks) \
	{ \
		int bx = blocks - (int)gridDim.x + (int)blockIdx.x; \
\
		align_block<B>( \
			reference, scores, columns, penalty, bx, blocks - 1 - (int)blockIdx.x); \
	}

UPPER(16)
UPPER(32)
UPPER(64)
LOWER(16)
LOWER(32)
LOWER(64)
