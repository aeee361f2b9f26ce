/* What checksums, hashes and ciphers give. */
#include "tests/programs/programs.h"

#include <math.h>
#include <string.h>

static uint32_t left(uint32_t x, uint32_t n)
{
	return (x << n) | (x >> (32 - n));
}

static uint64_t left64(uint64_t x, uint32_t n)
{
	return (x << n) | (x >> (64 - n));
}

/* Polynomial division of the message, bit after bit from an array of bits. */
static void crc32(const struct program_run *r)
{
	const uint8_t *in = r->b[0];
	uint32_t *out = r->b[1], n = r->v[0];

	for (uint32_t t = 0; t < r->threads; t++) {
		uint32_t crc = UINT32_MAX;

		for (uint32_t bit = 0; bit < 8 * n; bit++) {
			uint32_t next = (in[t * n + bit / 8] >> bit % 8 & 1u) ^ (crc & 1);

			crc = (crc >> 1) ^ (next ? 0xedb88320u : 0);
		}
		out[t] = ~crc;
	}
}

static void crc32_bits(const struct program_run *r)
{
	crc32(r);
}

static void crc32_table(const struct program_run *r)
{
	crc32(r);
}

static void crc16_ccitt(const struct program_run *r)
{
	const uint8_t *in = r->b[0];
	uint16_t *out = r->b[1];
	uint32_t n = r->v[0];

	for (uint32_t t = 0; t < r->threads; t++) {
		uint32_t crc = 0xffff;

		for (uint32_t i = 0; i < n; i++) { /* a byte at once */
			uint32_t x = (crc >> 8) ^ in[t * n + i];

			x ^= x >> 4;
			crc = (crc << 8 ^ x << 12 ^ x << 5 ^ x) & 0xffff;
		}
		out[t] = (uint16_t)crc;
	}
}

static void adler32(const struct program_run *r)
{
	const uint8_t *in = r->b[0];
	uint32_t *out = r->b[1], n = r->v[0];

	for (uint32_t t = 0; t < r->threads; t++) {
		uint64_t a = 1, b = n;

		for (uint32_t i = 0; i < n; i++) {
			a += in[t * n + i];
			b += (uint64_t)(n - i) * in[t * n + i];
		}
		out[t] = (uint32_t)(b % 65521 << 16 | a % 65521);
	}
}

static void fnv1a_32(const struct program_run *r)
{
	const uint8_t *in = r->b[0];
	uint32_t *out = r->b[1], n = r->v[0];

	for (uint32_t t = 0; t < r->threads; t++) {
		uint64_t h = 2166136261u;

		for (uint32_t i = 0; i < n; i++)
			h = (h ^ in[t * n + i]) * 16777619 & UINT32_MAX;
		out[t] = (uint32_t)h;
	}
}

static void fnv1a_64(const struct program_run *r)
{
	const uint8_t *in = r->b[0];
	uint64_t *out = r->b[1];
	uint32_t n = r->v[0];

	for (uint32_t t = 0; t < r->threads; t++) {
		out[t] = 14695981039346656037u;
		for (uint32_t i = 0; i < n; i++) {
			out[t] ^= in[t * n + i];
			out[t] = (out[t] << 40) + out[t] * 0x1b3;
		}
	}
}

static void murmur3(const struct program_run *r)
{
	const uint32_t *in = r->b[0];
	uint32_t *out = r->b[1], n = r->v[0];

	for (uint32_t t = 0; t < r->threads; t++) {
		uint32_t h = t;

		for (uint32_t i = 0; i < n; i++) {
			h ^= left(in[t * n + i] * 0xcc9e2d51u, 15) * 0x1b873593u;
			h = left(h, 13);
			h += (h << 2) + 0xe6546b64u;
		}
		h ^= 4 * n;
		h = (h ^ (h >> 16)) * 0x85ebca6bu;
		h = (h ^ (h >> 13)) * 0xc2b2ae35u;
		out[t] = h ^ (h >> 16);
	}
}

static void one_at_a_time(const struct program_run *r)
{
	const uint8_t *in = r->b[0];
	uint32_t *out = r->b[1], n = r->v[0];

	for (uint32_t t = 0; t < r->threads; t++) {
		uint32_t h = 0;

		for (uint32_t i = 0; i < n; i++) {
			h = (h + in[t * n + i]) * 1025;
			h ^= h >> 6;
		}
		h *= 9;
		out[t] = (h ^ (h >> 11)) * 32769;
	}
}

/* The first 32 bits of the fraction of the n-th prime's root: exact in doubles and integers. */
static uint32_t root_bits(uint32_t prime, unsigned root)
{
	double x = root == 2 ? sqrt(prime) : cbrt(prime);

	return (uint32_t)((x - floor(x)) * 0x1p32);
}

static uint32_t next_prime(uint32_t p)
{
	for (uint32_t d = 2; d < ++p; d = 2) {
		while (d < p && p % d)
			d++;
		if (d == p)
			break;
	}
	return p;
}

static uint32_t big_endian(const uint8_t *b)
{
	return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static uint32_t right(uint32_t x, uint32_t n)
{
	return left(x, 32 - n);
}

static void sha256_block(const uint8_t *block, uint32_t *out)
{
	uint32_t w[64], s[8], k[64], p = 1;

	for (unsigned i = 0; i < 64; i++) {
		p = next_prime(p);
		k[i] = root_bits(p, 3);
		if (i < 8)
			s[i] = out[i] = root_bits(p, 2);
	}
	for (unsigned i = 0; i < 16; i++)
		w[i] = big_endian(block + 4 * i);
	for (unsigned i = 16; i < 64; i++)
		w[i] = w[i - 16] + w[i - 7] +
		       (right(w[i - 15], 7) ^ right(w[i - 15], 18) ^ (w[i - 15] >> 3)) +
		       (right(w[i - 2], 17) ^ right(w[i - 2], 19) ^ (w[i - 2] >> 10));
	for (unsigned i = 0; i < 64; i++) {
		uint32_t choice = s[6] ^ (s[4] & (s[5] ^ s[6]));
		uint32_t majority = (s[0] & s[1]) | (s[2] & (s[0] | s[1]));
		uint32_t x = s[7] + k[i] + w[i] + choice +
			     (right(s[4], 6) ^ right(s[4], 11) ^ right(s[4], 25));

		memmove(s + 1, s, 7 * sizeof(*s));
		s[4] += x;
		s[0] = x + majority + (right(s[1], 2) ^ right(s[1], 13) ^ right(s[1], 22));
	}
	for (unsigned i = 0; i < 8; i++)
		out[i] += s[i];
}

static void sha256(const struct program_run *r)
{
	for (uint32_t t = 0; t < r->threads; t++)
		sha256_block((const uint8_t *)r->b[0] + 64 * t, (uint32_t *)r->b[1] + 8 * t);
}

/* Thread 0 hashes "abc": FIPS 180-4 prints the result, and so checks the reference. */
static void abc(const struct program_run *r)
{
	static const uint32_t known[8] = {0xba7816bf, 0x8f01cfea, 0x414140de, 0x5dae2223,
		0xb00361a3, 0x96177a9c, 0xb410ff61, 0xf20015ad};
	uint8_t *block = r->b[0];
	uint32_t got[8];

	memset(block, 0, 64);
	memcpy(block, "abc\x80", 4);
	block[63] = 24;
	sha256_block(block, got);
	BUG_ON(memcmp(got, known, sizeof(known)) != 0);
}

static void sines(const struct program_run *r)
{
	uint32_t *constants = r->b[1];

	for (unsigned i = 0; i < 64; i++)
		constants[i] = (uint32_t)(fabs(sin(i + 1)) * 0x1p32);
}

static void md5(const struct program_run *r)
{
	static const uint8_t turns[4][4] = {
		{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
	static const uint32_t first[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
	static const uint32_t times[4] = {1, 5, 3, 7}, plus[4] = {0, 1, 5, 0};
	const uint32_t *constants = r->b[1];

	for (uint32_t t = 0; t < r->threads; t++) {
		const uint32_t *w = (const uint32_t *)r->b[0] + 16 * t;
		uint32_t *out = (uint32_t *)r->b[2] + 4 * t, s[4];

		memcpy(s, first, sizeof(s));
		for (unsigned i = 0; i < 64; i++) {
			uint32_t *a = &s[-i & 3], b = s[(1 - i) & 3], c = s[(2 - i) & 3];
			uint32_t d = s[(3 - i) & 3], k = i / 16;
			const uint32_t f[4] = {
				d ^ (b & (c ^ d)), c ^ (d & (b ^ c)), b ^ c ^ d, c ^ (b | ~d)};

			*a = b + left(*a + f[k] + constants[i] + w[(times[k] * i + plus[k]) % 16],
					 turns[k][i % 4]);
		}
		for (unsigned i = 0; i < 4; i++)
			out[i] = first[i] + s[i];
	}
}

static void siphash(const struct program_run *r)
{
	const uint64_t *in = r->b[0];
	uint64_t *out = r->b[1];
	uint32_t n = r->v[0];

	for (uint32_t t = 0; t < r->threads; t++) {
		uint64_t a = 0x0706050403020100 ^ 0x736f6d6570736575;
		uint64_t b = 0x0f0e0d0c0b0a0908 ^ 0x646f72616e646f6d;
		uint64_t c = 0x0706050403020100 ^ 0x6c7967656e657261;
		uint64_t d = 0x0f0e0d0c0b0a0908 ^ 0x7465646279746573;

		for (uint32_t i = 0; i < 2 * n + 6; i++) {
			uint64_t m = i / 2 < n ? in[t * n + i / 2] : (uint64_t)n << 59;

			if (i == 2 * n + 2)
				c ^= 0xff;
			if (i % 2 == 0 && i / 2 <= n)
				d ^= m;
			a += b, b = left64(b, 13) ^ a, a = left64(a, 32);
			c += d, d = left64(d, 16) ^ c;
			a += d, d = left64(d, 21) ^ a;
			c += b, b = left64(b, 17) ^ c, c = left64(c, 32);
			if (i % 2 == 1 && i / 2 <= n)
				a ^= m;
		}
		out[t] = a ^ b ^ c ^ d;
	}
}

static void xtea(const struct program_run *r)
{
	uint32_t *data = r->b[0];
	const uint32_t *key = r->b[1];

	for (uint32_t t = 0; t < r->threads; t++)
		for (uint32_t i = 0; i < 64; i++) {
			uint32_t *to = &data[2 * t + i % 2], from = data[2 * t + 1 - i % 2];
			uint32_t sum = (i + 1) / 2 * 0x9e3779b9u;
			uint32_t word = key[(i % 2 ? sum >> 11 : sum) % 4];

			*to += (((from << 4) ^ (from >> 5)) + from) ^ (sum + word);
		}
}

static void chacha20(const struct program_run *r)
{
	static const uint8_t order[8][4] = {{0, 4, 8, 12}, {1, 5, 9, 13}, {2, 6, 10, 14},
		{3, 7, 11, 15}, {0, 5, 10, 15}, {1, 6, 11, 12}, {2, 7, 8, 13}, {3, 4, 9, 14}};
	static const uint8_t turns[4] = {16, 12, 8, 7};

	for (uint32_t t = 0; t < r->threads; t++) {
		const uint32_t *in = (const uint32_t *)r->b[0] + 16 * t;
		uint32_t *x = (uint32_t *)r->b[1] + 16 * t;

		memcpy(x, in, 64);
		for (unsigned i = 0; i < 80 * 4; i++) {
			const uint8_t *o = order[i / 4 % 8];
			unsigned second = i % 2 * 2;

			x[o[second]] += x[o[second + 1]];
			x[o[(second + 3) % 4]] =
				left(x[o[(second + 3) % 4]] ^ x[o[second]], turns[i % 4]);
		}
		for (unsigned i = 0; i < 16; i++)
			x[i] += in[i];
	}
}

static void rc4(const struct program_run *r)
{
	const uint8_t *keys = r->b[0];
	uint32_t n = r->v[0];

	for (uint32_t t = 0; t < r->threads; t++) {
		unsigned s[256], k = 0, x;
		uint8_t *out = (uint8_t *)r->b[1] + t * n;

		for (unsigned i = 0; i < 256; i++)
			s[i] = i;
		for (unsigned i = 0; i < 256; i++) {
			k = (k + s[i] + keys[8 * t + i % 8]) % 256;
			x = s[i], s[i] = s[k], s[k] = x;
		}
		k = 0;
		for (unsigned i = 1; i <= n; i++) {
			k = (k + s[i % 256]) % 256;
			x = s[i % 256], s[i % 256] = s[k], s[k] = x;
			out[i - 1] = (uint8_t)s[(s[i % 256] + s[k]) % 256];
		}
	}
}

static void distinct(const struct program_run *r)
{
	uint32_t *keys = r->b[0];

	for (uint32_t i = 0; i < r->threads; i++)
		keys[i] = keys[i] * r->threads + i + 1;
}

static void hash_table(const struct program_run *r)
{
	memcpy(r->b[2], r->b[0], 4 * r->threads);
}

static const struct program_row rows[] = {
	PROGRAM(crc32_bits, 2, 32, BUFFERS(RANDOM(U8, 1024, 0), OUT(U32, 64)), VALUES(16)),
	PROGRAM(crc32_table, 2, 32, BUFFERS(RANDOM(U8, 1280, 0), OUT(U32, 64)), VALUES(20)),
	PROGRAM(crc16_ccitt, 2, 32, BUFFERS(RANDOM(U8, 640, 0), OUT(U16, 64)), VALUES(10)),
	PROGRAM(adler32, 2, 32, BUFFERS(RANDOM(U8, 6400, 0), OUT(U32, 64)), VALUES(100)),
	PROGRAM(fnv1a_32, 2, 32, BUFFERS(RANDOM(U8, 640, 0), OUT(U32, 64)), VALUES(10)),
	PROGRAM(fnv1a_64, 2, 32, BUFFERS(RANDOM(U8, 640, 0), OUT(U64, 64)), VALUES(10)),
	PROGRAM(murmur3, 2, 32, BUFFERS(RANDOM(U32, 640, 0), OUT(U32, 64)), VALUES(10)),
	PROGRAM(one_at_a_time, 2, 32, BUFFERS(RANDOM(U8, 640, 0), OUT(U32, 64)), VALUES(10)),
	PROGRAM(sha256, 2, 32, BUFFERS(RANDOM(U8, 4096, 0), OUT(U32, 512)), .prepare = abc),
	PROGRAM(md5, 2, 32, BUFFERS(RANDOM(U32, 1024, 0), OUT(U32, 64), OUT(U32, 256)),
		.prepare = sines),
	PROGRAM(siphash, 2, 32, BUFFERS(RANDOM(U64, 320, 0), OUT(U64, 64)), VALUES(5)),
	PROGRAM(xtea, 2, 32, BUFFERS(RANDOM(U32, 128, 0), RANDOM(U32, 4, 0))),
	PROGRAM(chacha20, 2, 32, BUFFERS(RANDOM(U32, 1024, 0), OUT(U32, 1024))),
	PROGRAM(rc4, 1, 32, BUFFERS(RANDOM(U8, 256, 0), OUT(U8, 640)), VALUES(20), .slow = true),
	PROGRAM(hash_table, 1, 96,
		BUFFERS(RANDOM(U32, 96, 1 << 20), SCRATCH(U32, 131), OUT(U32, 96)), VALUES(131),
		.prepare = distinct),
};

const struct program_file hash_programs = {"hash", rows, ARRAY_LEN(rows)};
