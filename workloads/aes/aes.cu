/* AES encryption, electronic codebook (FIPS 197), by table look-ups as its authors proposed (Daemen
 * and Rijmen, 1999) and Manavski brought to GPUs (ICSPC 2007): a thread makes one column of the
 * state, four threads a block of data, a CTA 64 blocks. Tables are copied from constant to shared
 * memory, where the state lies too; the columns of the round keys that a thread needs stay in its
 * registers. Byte r of a word is row r.
 */
#include "cuda.h"
#include "cuda_math.h"

#define THREADS 256

#define CONSTANT __attribute__((device)) __attribute__((constant))

struct aes_tables {
	unsigned t[4][256];
};

/* The product with x in the field of 256 elements. */
constexpr unsigned doubled(unsigned a)
{
	return (a << 1 ^ (a & 0x80 ? 0x11b : 0)) & 0xff;
}

/* What a byte, once substituted (FIPS 197, section 5.1.1), contributes to its column; entry r for a
 * byte of row r. Powers of the generator 3 and of its inverse 246 meet all bytes and their
 * inverses.
 */
constexpr aes_tables make_tables()
{
	aes_tables tables = {};
	unsigned a = 1, inverse = 1;

	for (int i = 0; i < 256; i++) {
		unsigned byte = i < 255 ? a : 0, all = i < 255 ? inverse * 0x01010101u : 0;
		unsigned s = (0x63 ^ all ^ all >> 4 ^ all >> 5 ^ all >> 6 ^ all >> 7) & 0xff;
		unsigned column = doubled(s) | s << 8 | s << 16 | (doubled(s) ^ s) << 24;

		for (int r = 0; r < 4; r++) {
			tables.t[r][byte] = column;
			column = column << 8 | column >> 24;
		}
		a ^= doubled(a);
		inverse ^= inverse << 1;
		inverse ^= inverse << 2;
		inverse ^= inverse << 4;
		inverse &= 0xff;
		inverse ^= inverse & 0x80 ? 0x09 : 0;
	}
	return tables;
}

static CONSTANT const aes_tables tables = make_tables();

/* As in aes.c: the columns of all round keys. */
template <int ROUNDS> struct round_keys {
	unsigned columns[4 * (ROUNDS + 1)];
};

/* The word of 32 bits at byte `offset`: table entries are found by shifted bytes of the state. */
static __device__ __forceinline__ unsigned at(const unsigned *table, unsigned offset)
{
	return *(const unsigned *)((const char *)table + offset);
}

template <int ROUNDS>
static __device__ __forceinline__ void encrypt(
	const unsigned *plain, unsigned *cipher, const round_keys<ROUNDS> &keys)
{
	__shared__ unsigned table[4][256];
	__shared__ unsigned state[2][THREADS];
	int t = (int)threadIdx.x, i = (int)blockIdx.x * THREADS + t;
	int column = t & 3, block = t & ~3;
	int second = block | ((t + 1) & 3), third = block | ((t + 2) & 3);
	int fourth = block | ((t + 3) & 3);
	unsigned key[ROUNDS + 1], word;

	for (int r = 0; r < 4; r++)
		table[r][t] = tables.t[r][t];
	for (int r = 0; r <= ROUNDS; r++)
		key[r] = keys.columns[4 * r + column];
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
	const unsigned *plain, unsigned *cipher, round_keys<10> keys)
{
	encrypt<10>(plain, cipher, keys);
}

extern "C" __global__ void aes_encrypt_256(
	const unsigned *plain, unsigned *cipher, round_keys<14> keys)
{
	encrypt<14>(plain, cipher, keys);
}
