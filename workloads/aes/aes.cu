/* AES encryption, electronic codebook (FIPS 197), by table look-ups as its authors proposed (Daemen
 * and Rijmen, 1999) and Manavski brought to GPUs (ICSPC 2007): a thread makes one column of the
 * state, four threads a block of data, a CTA 64 blocks. Tables and state lie in shared memory; the
 * columns of the round keys that a thread needs stay in its registers. Byte r of a word is row r.
 */
#include "cuda.h"
#include "cuda_math.h"

#define THREADS 256

/* The word of 32 bits at byte `offset`: table entries are found by shifted bytes of the state. */
static __device__ __forceinline__ unsigned at(const unsigned *table, unsigned offset)
{
	return *(const unsigned *)((const char *)table + offset);
}

template <int ROUNDS>
static __device__ __forceinline__ void encrypt(
	const unsigned *plain, unsigned *cipher, const unsigned *keys, const unsigned *tables)
{
	__shared__ unsigned table[4][256];
	__shared__ unsigned state[2][THREADS];
	int t = (int)threadIdx.x, i = (int)blockIdx.x * THREADS + t;
	int column = t & 3, block = t & ~3;
	int second = block | ((t + 1) & 3), third = block | ((t + 2) & 3);
	int fourth = block | ((t + 3) & 3);
	unsigned key[ROUNDS + 1], word;

	for (int r = 0; r < 4; r++)
		table[r][t] = tables[256 * r + t];
	for (int r = 0; r <= ROUNDS; r++)
		key[r] = keys[4 * r + column];
	word = plain[i] ^ key[0];
	state[0][t] = word;
	barrier();
#pragma unroll
	for (int r = 1; r < ROUNDS; r++) {
		const unsigned *from = state[(r - 1) & 1];

		word = at(table[0], (word & 255) << 2) ^ at(table[1], from[second] >> 6 & 1020) ^
		       at(table[2], from[third] >> 14 & 1020) ^
		       at(table[3], from[fourth] >> 22 & 1020) ^ key[r];
		state[r & 1][t] = word;
		barrier();
	}
	/* The last round only substitutes: byte 1 of table 0 is the S-box. */
	{
		const unsigned *from = state[(ROUNDS - 1) & 1];
		unsigned a = at(table[0], (word & 255) << 2) >> 8 & 0xff;
		unsigned b = at(table[0], from[second] >> 6 & 1020) & 0xff00;
		unsigned c = at(table[0], from[third] >> 14 & 1020) << 8 & 0xff0000;
		unsigned d = at(table[0], from[fourth] >> 22 & 1020) << 16 & 0xff000000;

		cipher[i] = (a | b | c | d) ^ key[ROUNDS];
	}
}

extern "C" __global__ void aes_encrypt_128(
	const unsigned *plain, unsigned *cipher, const unsigned *keys, const unsigned *tables)
{
	encrypt<10>(plain, cipher, keys, tables);
}

extern "C" __global__ void aes_encrypt_256(
	const unsigned *plain, unsigned *cipher, const unsigned *keys, const unsigned *tables)
{
	encrypt<14>(plain, cipher, keys, tables);
}
