/* Checksums, hashes and ciphers: one message a thread. */
#include "tests/programs/cuda.h"

DEVICE u32 rotate_left(u32 x, u32 n)
{
	return x << n | x >> (32 - n);
}

DEVICE u64 rotate_left64(u64 x, u32 n)
{
	return x << n | x >> (64 - n);
}

KERNEL crc32_bits(const u8 *in, u32 *out, u32 n)
{
	u32 crc = FULL;

	for (u32 i = 0; i < n; i++) {
		crc ^= in[thread() * n + i];
		for (u32 k = 0; k < 8; k++)
			crc = crc >> 1 ^ (0xedb88320u & -(crc & 1));
	}
	out[thread()] = ~crc;
}

/* A table of 16, a nibble at a time. */
static __constant__ const u32 crc_table[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac,
	0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8,
	0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};

KERNEL crc32_table(const u8 *in, u32 *out, u32 n)
{
	u32 crc = FULL;

	for (u32 i = 0; i < n; i++) {
		crc ^= in[thread() * n + i];
		crc = crc >> 4 ^ crc_table[crc & 15];
		crc = crc >> 4 ^ crc_table[crc & 15];
	}
	out[thread()] = ~crc;
}

KERNEL crc16_ccitt(const u8 *in, u16 *out, u32 n)
{
	u16 crc = 0xffff;

	for (u32 i = 0; i < n; i++) {
		crc = (u16)(crc ^ in[thread() * n + i] << 8);
		for (u32 k = 0; k < 8; k++)
			crc = (u16)(crc & 0x8000 ? crc << 1 ^ 0x1021 : crc << 1);
	}
	out[thread()] = crc;
}

KERNEL adler32(const u8 *in, u32 *out, u32 n)
{
	u32 a = 1, b = 0;

	for (u32 i = 0; i < n; i++) {
		a = (a + in[thread() * n + i]) % 65521;
		b = (b + a) % 65521;
	}
	out[thread()] = b << 16 | a;
}

KERNEL fnv1a_32(const u8 *in, u32 *out, u32 n)
{
	u32 h = 0x811c9dc5;

	for (u32 i = 0; i < n; i++)
		h = (h ^ in[thread() * n + i]) * 0x01000193;
	out[thread()] = h;
}

KERNEL fnv1a_64(const u8 *in, u64 *out, u32 n)
{
	u64 h = 0xcbf29ce484222325;

	for (u32 i = 0; i < n; i++)
		h = (h ^ in[thread() * n + i]) * 0x100000001b3;
	out[thread()] = h;
}

KERNEL murmur3(const u32 *in, u32 *out, u32 n)
{
	u32 h = thread();

	for (u32 i = 0; i < n; i++) {
		h ^= rotate_left(in[thread() * n + i] * 0xcc9e2d51, 15) * 0x1b873593;
		h = rotate_left(h, 13) * 5 + 0xe6546b64;
	}
	h ^= n * 4;
	h = (h ^ h >> 16) * 0x85ebca6b;
	h = (h ^ h >> 13) * 0xc2b2ae35;
	out[thread()] = h ^ h >> 16;
}

KERNEL one_at_a_time(const u8 *in, u32 *out, u32 n)
{
	u32 h = 0;

	for (u32 i = 0; i < n; i++) {
		h += in[thread() * n + i];
		h += h << 10;
		h ^= h >> 6;
	}
	h += h << 3;
	h ^= h >> 11;
	out[thread()] = h + (h << 15);
}

static __constant__ const u32 sha256_k[64] = {0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5,
	0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
	0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
	0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152,
	0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e,
	0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624,
	0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3,
	0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
	0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

/* One padded block a thread (FIPS 180-4). */
KERNEL sha256(const u8 *in, u32 *out)
{
	u32 w[16], h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c,
			   0x1f83d9ab, 0x5be0cd19};
	u32 a = h[0], b = h[1], c = h[2], d = h[3], e = h[4], f = h[5], g = h[6], k = h[7];
	const u8 *block = in + thread() * 64;

	for (u32 i = 0; i < 16; i++)
		w[i] = (u32)block[4 * i] << 24 | (u32)block[4 * i + 1] << 16 |
		       (u32)block[4 * i + 2] << 8 | block[4 * i + 3];
	for (u32 i = 0; i < 64; i++) {
		u32 s1, s0, x, y;

		if (i >= 16) {
			u32 p = w[(i + 1) & 15], q = w[(i + 14) & 15];

			w[i & 15] += (rotate_left(p, 25) ^ rotate_left(p, 14) ^ p >> 3) +
				     w[(i + 9) & 15] +
				     (rotate_left(q, 15) ^ rotate_left(q, 13) ^ q >> 10);
		}
		s1 = rotate_left(e, 26) ^ rotate_left(e, 21) ^ rotate_left(e, 7);
		s0 = rotate_left(a, 30) ^ rotate_left(a, 19) ^ rotate_left(a, 10);
		x = k + s1 + ((e & f) ^ (~e & g)) + sha256_k[i] + w[i & 15];
		y = s0 + ((a & b) ^ (a & c) ^ (b & c));
		k = g;
		g = f;
		f = e;
		e = d + x;
		d = c;
		c = b;
		b = a;
		a = x + y;
	}
	u32 last[8] = {a, b, c, d, e, f, g, k};
	for (u32 i = 0; i < 8; i++)
		out[thread() * 8 + i] = h[i] + last[i];
}

static __constant__ const u8 md5_turns[16] = {
	7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21};

/* One block a thread; the constants come in a buffer (RFC 1321). */
KERNEL md5(const u32 *in, const u32 *constants, u32 *out)
{
	u32 a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476;
	const u32 *w = in + thread() * 16;

	for (u32 i = 0; i < 64; i++) {
		u32 f, g;

		switch (i / 16) {
		case 0:
			f = (b & c) | (~b & d);
			g = i;
			break;
		case 1:
			f = (d & b) | (~d & c);
			g = 5 * i + 1;
			break;
		case 2:
			f = b ^ c ^ d;
			g = 3 * i + 5;
			break;
		default:
			f = c ^ (b | ~d);
			g = 7 * i;
			break;
		}
		f += a + constants[i] + w[g & 15];
		a = d;
		d = c;
		c = b;
		b += rotate_left(f, md5_turns[i / 16 * 4 + (i & 3)]);
	}
	out[4 * thread()] = a + 0x67452301;
	out[4 * thread() + 1] = b + 0xefcdab89;
	out[4 * thread() + 2] = c + 0x98badcfe;
	out[4 * thread() + 3] = d + 0x10325476;
}

DEVICE void sip_round(u64 *v)
{
	v[0] += v[1];
	v[1] = rotate_left64(v[1], 13) ^ v[0];
	v[0] = rotate_left64(v[0], 32);
	v[2] += v[3];
	v[3] = rotate_left64(v[3], 16) ^ v[2];
	v[0] += v[3];
	v[3] = rotate_left64(v[3], 21) ^ v[0];
	v[2] += v[1];
	v[1] = rotate_left64(v[1], 17) ^ v[2];
	v[2] = rotate_left64(v[2], 32);
}

/* SipHash-2-4 of whole words (Aumasson, Bernstein 2012). */
KERNEL siphash(const u64 *in, u64 *out, u32 n)
{
	u64 k0 = 0x0706050403020100, k1 = 0x0f0e0d0c0b0a0908;
	u64 v[4] = {k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d, k0 ^ 0x6c7967656e657261,
		k1 ^ 0x7465646279746573};

	for (u32 i = 0; i <= n; i++) {
		u64 m = i < n ? in[thread() * n + i] : (u64)(8 * n) << 56;

		v[3] ^= m;
		sip_round(v);
		sip_round(v);
		v[0] ^= m;
	}
	v[2] ^= 0xff;
	for (u32 i = 0; i < 4; i++)
		sip_round(v);
	out[thread()] = v[0] ^ v[1] ^ v[2] ^ v[3];
}

KERNEL xtea(u32 *data, const u32 *key)
{
	u32 a = data[2 * thread()], b = data[2 * thread() + 1], sum = 0;

	for (u32 i = 0; i < 32; i++) {
		a += ((b << 4 ^ b >> 5) + b) ^ (sum + key[sum & 3]);
		sum += 0x9e3779b9;
		b += ((a << 4 ^ a >> 5) + a) ^ (sum + key[sum >> 11 & 3]);
	}
	data[2 * thread()] = a;
	data[2 * thread() + 1] = b;
}

DEVICE void quarter(u32 &a, u32 &b, u32 &c, u32 &d)
{
	a += b;
	d = rotate_left(d ^ a, 16);
	c += d;
	b = rotate_left(b ^ c, 12);
	a += b;
	d = rotate_left(d ^ a, 8);
	c += d;
	b = rotate_left(b ^ c, 7);
}

/* The block function of RFC 8439. */
KERNEL chacha20(const u32 *in, u32 *out)
{
	u32 x[16];

	for (u32 i = 0; i < 16; i++)
		x[i] = in[thread() * 16 + i];
	for (u32 round = 0; round < 10; round++) {
		quarter(x[0], x[4], x[8], x[12]);
		quarter(x[1], x[5], x[9], x[13]);
		quarter(x[2], x[6], x[10], x[14]);
		quarter(x[3], x[7], x[11], x[15]);
		quarter(x[0], x[5], x[10], x[15]);
		quarter(x[1], x[6], x[11], x[12]);
		quarter(x[2], x[7], x[8], x[13]);
		quarter(x[3], x[4], x[9], x[14]);
	}
	for (u32 i = 0; i < 16; i++)
		out[thread() * 16 + i] = x[i] + in[thread() * 16 + i];
}

/* The permutation is 256 bytes of local memory. */
KERNEL rc4(const u8 *key, u8 *out, u32 n)
{
	u8 s[256], k = 0;

	for (u32 i = 0; i < 256; i++)
		s[i] = (u8)i;
	for (u32 i = 0; i < 256; i++) {
		u8 x = s[i];

		k = (u8)(k + x + key[thread() * 8 + (i & 7)]);
		s[i] = s[k];
		s[k] = x;
	}
	k = 0;
	for (u32 i = 1; i <= n; i++) {
		u8 x = s[i & 255];

		k = (u8)(k + x);
		s[i & 255] = s[k];
		s[k] = x;
		out[thread() * n + i - 1] = s[(u8)(s[i & 255] + x)];
	}
}

/* Open addressing in global memory; keys are distinct, so the set of slots' keys is the answer. */
KERNEL hash_table(const u32 *keys, u32 *table, u32 *found, u32 slots)
{
	u32 key = keys[threadIdx.x], at = key * 2654435761u % slots;

	while (atomic_cas(&table[at], 0, key) != 0)
		at = at + 1 == slots ? 0 : at + 1;
	barrier();
	at = key * 2654435761u % slots;
	while (((volatile u32 *)table)[at] != key)
		at = at + 1 == slots ? 0 : at + 1;
	found[threadIdx.x] = table[at];
}
