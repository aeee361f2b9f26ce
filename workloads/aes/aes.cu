/* AES encryption, electronic codebook (FIPS 197), by table look-ups as its authors proposed (Daemen
 * and Rijmen, 1999) and Manavski brought to GPUs (ICSPC 2007): a thread makes one column of the
 * state, four threads a block of data, a CTA 64 blocks. Tables go from constant to shared memory,
 * where the state is as well; round keys come through a texture, and the columns of them that a
 * thread needs stay in its registers. Byte r of a word is row r. */
#include "cuda.h"
#include "cuda_math.h"
#include "cuda_texture.h"

#define THREADS 256

CUDA_TEXTURE(keys128);
CUDA_TEXTURE(keys256);

/* Table r, entry x: what byte x of row r, substituted, contributes to its column. */
struct round_tables {
	unsigned word[4][256];
};

static constexpr unsigned rotate_byte(unsigned x, int bits)
{
	return (x << bits | x >> (8 - bits)) & 255;
}

/* The generator 3 and its inverse 0xf6 go through the field's elements side by side. */
static constexpr round_tables make_tables()
{
	round_tables t = {};
	unsigned element = 1, inverse = 1;

	for (int i = 0; i < 256; i++) {
		unsigned x = i < 255 ? element : 0, y = i < 255 ? inverse : 0;
		unsigned one = y ^ rotate_byte(y, 1) ^ rotate_byte(y, 2) ^ rotate_byte(y, 3) ^
			       rotate_byte(y, 4) ^ 0x63;
		unsigned two = (one << 1 ^ (one >> 7) * 0x11b) & 255;
		unsigned column = two | one << 8 | one << 16 | (two ^ one) << 24;

		t.word[0][x] = column;
		for (int r = 1; r < 4; r++)
			t.word[r][x] = column << 8 * r | column >> (32 - 8 * r);
		element = (element << 1 ^ element ^ (element >> 7) * 0x11b) & 255;
		inverse ^= inverse << 1;
		inverse ^= inverse << 2;
		inverse ^= inverse << 4;
		inverse = (inverse ^ (inverse >> 7 & 1) * 0x09) & 255;
	}
	return t;
}

static __constant__ const round_tables tables = make_tables();

/* The word of 32 bits at byte `offset`: table entries are found by shifted bytes of the state. */
static __device__ __forceinline__ unsigned at(const unsigned *table, unsigned offset)
{
	return *(const unsigned *)((const char *)table + offset);
}

template <int ROUNDS>
static __device__ __forceinline__ void encrypt(const unsigned *plain, unsigned *cipher)
{
	__shared__ unsigned table[4][256];
	__shared__ unsigned state[2][THREADS];
	int t = (int)threadIdx.x, i = (int)blockIdx.x * THREADS + t;
	int column = t & 3, block = t & ~3;
	int second = block | ((t + 1) & 3), third = block | ((t + 2) & 3);
	int fourth = block | ((t + 3) & 3);
	unsigned key[ROUNDS + 1], word;

	for (int r = 0; r < 4; r++)
		table[r][t] = tables.word[r][t];
	for (int r = 0; r <= ROUNDS; r++)
		key[r] = ROUNDS == 10 ? tex1Dfetch_u32(keys128, 4 * r + column)
				      : tex1Dfetch_u32(keys256, 4 * r + column);
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

extern "C" __global__ void aes_encrypt_128(const unsigned *plain, unsigned *cipher)
{
	encrypt<10>(plain, cipher);
}

extern "C" __global__ void aes_encrypt_256(const unsigned *plain, unsigned *cipher)
{
	encrypt<14>(plain, cipher);
}
