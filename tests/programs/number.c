/* What number theory, games of counting, random numbers and fixed point give. */
#include "tests/programs/programs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void collatz(const struct program_run *r)
{
	uint32_t *out = r->b[0];

	for (uint32_t i = 1; i < r->threads; i++) { /* once it is below, the count is known */
		uint64_t n = i + 1;

		do {
			n = n % 2 ? 3 * n + 1 : n / 2;
			out[i]++;
		} while (n > i);
		out[i] += out[n - 1];
	}
}

static void gcd_euclid(const struct program_run *r)
{
	const uint32_t *a = r->b[0], *b = r->b[1];
	uint32_t *out = r->b[2];

	for (uint32_t i = 0; i < r->threads; i++)
		for (uint32_t d = 1; d <= a[i]; d++)
			out[i] = a[i] % d == 0 && b[i] % d == 0 ? d : out[i];
}

static void multiples(const struct program_run *r)
{
	uint64_t *a = r->b[0], *b = r->b[1];

	for (uint32_t i = 0; i < r->threads; i++) {
		a[i] = (a[i] >> 40) * (i + 2) << i % 5;
		b[i] = i == 9 ? 0 : (b[i] >> 36) * (i + 2) << i % 7;
	}
}

static void gcd_binary(const struct program_run *r)
{
	const uint64_t *a = r->b[0], *b = r->b[1];
	uint64_t *out = r->b[2];

	for (uint32_t i = 0; i < r->threads; i++) {
		uint64_t x = a[i], y = b[i], t;

		for (; y; x = t) {
			t = y;
			y = x % y;
		}
		out[i] = x;
	}
}

static void inverse(const struct program_run *r)
{
	const uint32_t *in = r->b[0];
	uint32_t *out = r->b[1], prime = r->v[0];

	for (uint32_t i = 0; i < r->threads; i++) {
		uint64_t a = in[i] % (prime - 1) + 1;

		while (a * ++out[i] % prime != 1) {
		}
	}
}

static bool is_prime(uint32_t n)
{
	for (uint64_t d = 2; d * d <= n; d++)
		if (n % d == 0)
			return false;
	return n > 1;
}

static void sieve(const struct program_run *r)
{
	uint8_t *composite = r->b[0];

	for (uint32_t i = 2; i < r->v[0]; i++)
		composite[i] = !is_prime(i);
}

static void miller_rabin(const struct program_run *r)
{
	const uint32_t *in = r->b[0];
	uint8_t *out = r->b[1];

	for (uint32_t i = 0; i < r->threads; i++)
		out[i] = is_prime(in[i] | 1);
}

/* The remainder by hand, a bit after another of the product. */
static uint64_t times_mod(uint64_t a, uint64_t b, uint64_t m)
{
	uint64_t rest = 0;

	for (unsigned bit = 64; bit-- > 0;)
		for (unsigned k = 0; k < 2; k++) {
			uint64_t add = k == 0 ? rest : b >> bit & 1 ? a : 0;

			rest += add;
			if (rest < add || rest >= m)
				rest -= m;
		}
	return rest;
}

static void power_mod64(const struct program_run *r)
{
	const uint64_t *in = r->b[0];
	uint64_t *out = r->b[1];

	for (uint32_t i = 0; i < r->threads; i++) {
		uint64_t m = in[3 * i] | 1, x = 1 % m;

		for (uint64_t n = in [3 * i + 2] & 0xff; n > 0; n--)
			x = times_mod(in[3 * i + 1] % m, x, m);
		out[i] = x;
	}
}

static void square_root(const struct program_run *r)
{
	const uint64_t *in = r->b[0];
	uint32_t *out = r->b[1];

	for (uint32_t i = 0; i < r->threads; i++) {
		uint64_t low = 0, high = UINT32_MAX;

		while (low < high) {
			uint64_t mid = (low + high + 1) / 2;

			if (mid * mid <= in[i])
				low = mid;
			else
				high = mid - 1;
		}
		out[i] = (uint32_t)low;
	}
}

static void fibonacci(const struct program_run *r)
{
	uint64_t *out = r->b[0];

	out[1] = 1;
	for (uint32_t i = 2; i < r->threads; i++)
		out[i] = out[i - 1] + out[i - 2];
}

static void divisors(const struct program_run *r)
{
	uint32_t *sum = r->b[0];

	for (uint32_t d = 1; d <= r->threads; d++)
		for (uint32_t n = d; n <= r->threads; n += d)
			sum[n - 1] += d;
}

static void decimal(const struct program_run *r)
{
	const int32_t *in = r->b[0];

	for (uint32_t i = 0; i < r->threads; i++) {
		char text[16];
		int n = snprintf(text, sizeof(text), "%d", in[i]);

		memcpy((char *)r->b[1] + 12 * i, text, (size_t)n);
	}
}

static void extremes(const struct program_run *r)
{
	int32_t *in = r->b[0];

	in[0] = INT32_MIN;
	in[1] = INT32_MAX;
	in[2] = 0;
	for (uint32_t i = 3; i < r->threads; i++)
		in[i] >>= i % 31;
}

static void monte_carlo(const struct program_run *r)
{
	uint32_t *hits = r->b[0];

	for (uint32_t t = 0; t < r->threads; t++) {
		uint32_t state = t * 2654435761u + 1;

		for (uint32_t i = 0; i < r->v[0]; i++) {
			uint32_t x = next_random(&state) >> 16, y = next_random(&state) >> 16;

			if (x * x / 2 + y * y / 2 < 1u << 31) {
				hits[0]++;
				hits[1 + t]++;
			}
		}
	}
}

static void random_walk(const struct program_run *r)
{
	static const int8_t step[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};

	for (uint32_t t = 0; t < r->threads; t++) {
		int32_t *at = (int32_t *)r->b[0] + 3 * t, d;
		uint32_t state = t + 77;

		for (uint32_t i = 0; i < r->v[0]; i++) {
			uint32_t way = next_random(&state) >> 30;

			at[0] += step[way][0];
			at[1] += step[way][1];
			d = at[0] * at[0] + at[1] * at[1];
			at[2] = d > at[2] ? d : at[2];
		}
	}
}

static void shift_register(const struct program_run *r)
{
	uint32_t *out = r->b[0];

	for (uint32_t t = 0; t < r->threads; t++) {
		uint32_t state = t + 1, n = 0;

		while (n < 300 && (n == 0 || state != t + 1)) {
			state = state % 2 ? (state / 2) ^ r->v[0] : state / 2;
			n++;
		}
		out[t] = n << 16 | state;
	}
}

/* Known numbers of solutions. */
static void queens(const struct program_run *r)
{
	static const uint32_t known[] = {1, 1, 0, 0, 2, 10, 4, 40, 92, 352};

	*(uint32_t *)r->b[0] = known[r->v[0]];
}

static void bisect(const struct program_run *r)
{
	const uint32_t *sorted = r->b[0], *keys = r->b[1];
	uint32_t *out = r->b[2];

	for (uint32_t i = 0; i < r->threads; i++)
		while (out[i] < r->v[0] && sorted[out[i]] < keys[i])
			out[i]++;
}

/* The circle itself. */
static void josephus(const struct program_run *r)
{
	uint32_t *out = r->b[0];

	for (uint32_t t = 0; t < r->threads; t++) {
		uint32_t circle[128], n = t + 1, at = 0;

		for (uint32_t i = 0; i < n; i++)
			circle[i] = i;
		for (; n > 1; n--) {
			at = (at + r->v[0] - 1) % n;
			memmove(circle + at, circle + at + 1, (n - at - 1) * 4);
		}
		out[t] = circle[0];
	}
}

static void permutations(const struct program_run *r)
{
	uint8_t *out = r->b[0];
	uint32_t n = r->v[0];

	for (uint32_t t = 0; t < r->threads; t++) {
		uint32_t used = 0, code = t * 1009;

		for (uint32_t i = 0; i < n; i++) {
			uint32_t skip = code % (n - i), v = 0;

			for (; used >> v & 1 || skip; v++)
				skip -= !(used >> v & 1);
			code /= n - i;
			used |= 1u << v;
			out[t * n + i] = (uint8_t)v;
		}
	}
}

static void fixed_point(const struct program_run *r)
{
	const int32_t *a = r->b[0], *b = r->b[1];

	for (uint32_t i = 0; i < r->threads; i++) {
		uint32_t *out = (uint32_t *)r->b[2] + 3 * i;
		int64_t product = (int64_t)a[i] * b[i];

		out[0] = (uint32_t)(((uint64_t)product + 0x8000) / 65536);
		out[1] = (uint32_t)((int64_t)a[i] * 65536 / (b[i] ? b[i] : 1));
		out[2] = (uint32_t)((product - (product & 0xffff)) / 65536 % 1000);
	}
}

static void cordic(const struct program_run *r)
{
	static const int angle[16] = {
		8192, 4836, 2555, 1297, 651, 326, 163, 81, 41, 20, 10, 5, 3, 1, 1, 0};

	for (uint32_t t = 0; t < r->threads; t++) {
		int32_t *out = (int32_t *)r->b[0] + 2 * t;
		int x = 9949, y = 0, z = (int)(t * 128) - 16384;
		double turn = (t * 128.0 - 16384) / 65536 * 2 * acos(-1);

		for (unsigned i = 0; i < 15; i++) {
			int sign = z < 0 ? -1 : 1, dx = (int)floor(ldexp(y, -(int)i));

			y += sign * (int)floor(ldexp(x, -(int)i));
			x -= sign * dx;
			z -= sign * angle[i];
		}
		BUG_ON(fabs(x / 16384.0 - cos(turn)) > 2e-3 ||
			fabs(y / 16384.0 - sin(turn)) > 2e-3);
		out[0] = x;
		out[1] = y;
	}
}

static void wide_product(const struct program_run *r)
{
	const uint64_t *a = r->b[0], *b = r->b[1];
	uint64_t *out = r->b[2];

	for (uint32_t i = 0; i < r->threads; i++)
		for (unsigned bit = 0; bit < 64; bit++) {
			uint64_t low = b[i] >> bit & 1 ? a[i] << bit : 0;

			out[2 * i] += low;
			out[2 * i + 1] += (out[2 * i] < low) +
					  (b[i] >> bit & 1 && bit ? a[i] >> (64 - bit) : 0);
		}
}

static void divide64(const struct program_run *r)
{
	const uint64_t *a = r->b[0], *b = r->b[1];
	uint64_t *out = r->b[2];

	for (uint32_t i = 0; i < r->threads; i++) {
		uint64_t d = b[i] >> i % 60 | 1, rest = 0;
		bool na = a[i] >> 63, nd = d >> 63;

		for (unsigned bit = 64; bit-- > 0;) { /* on paper */
			bool over = rest >> 63;

			rest = rest << 1 | (a[i] >> bit & 1);
			if (over || rest >= d) {
				rest -= d;
				out[4 * i] |= (uint64_t)1 << bit;
			}
		}
		out[4 * i + 1] = rest;
		out[4 * i + 2] = (na ? -a[i] : a[i]) / (nd ? -d : d) * (na != nd ? UINT64_MAX : 1);
		out[4 * i + 3] = a[i] - out[4 * i + 2] * d;
	}
}

static void factorial(const struct program_run *r)
{
	uint32_t n = r->v[0];

	for (uint32_t c = 0; c < r->ctas; c++) {
		uint32_t *d = (uint32_t *)r->b[0] + c * n;

		d[0] = 1;
		for (uint32_t k = 2; k <= c + 10; k++)
			for (uint32_t i = 0, carry = 0; i < n; i++) {
				uint32_t x = d[i] * k + carry;

				d[i] = x % 10000;
				carry = x / 10000;
			}
	}
}

static const struct program_row rows[] = {
	PROGRAM(collatz, 3, 64, BUFFERS(OUT(U32, 192)), .slow = true),
	PROGRAM(gcd_euclid, 2, 32,
		BUFFERS(RANDOM(U32, 64, 5000), RANDOM(U32, 64, 5000), OUT(U32, 64))),
	PROGRAM(gcd_binary, 2, 32, BUFFERS(RANDOM(U64, 64, 0), RANDOM(U64, 64, 0), OUT(U64, 64)),
		.prepare = multiples),
	PROGRAM(inverse, 2, 32, BUFFERS(RANDOM(U32, 64, 0), OUT(U32, 64)), VALUES(10007)),
	PROGRAM(sieve, 1, 64, BUFFERS(OUT(U8, 2000)), VALUES(2000)),
	PROGRAM(miller_rabin, 2, 32, BUFFERS(RANDOM(U32, 64, 1000000), OUT(U8, 64)), .slow = true),
	PROGRAM(power_mod64, 1, 32, BUFFERS(RANDOM(U64, 96, 0), OUT(U64, 32)), .slow = true),
	PROGRAM(square_root, 2, 32, BUFFERS(RANDOM(U64, 64, 0), OUT(U32, 64))),
	PROGRAM(fibonacci, 2, 64, BUFFERS(OUT(U64, 128))),
	PROGRAM(divisors, 4, 64, BUFFERS(OUT(U32, 256))),
	PROGRAM(decimal, 2, 32, BUFFERS(RANDOM(U32, 64, 0), OUT(U8, 768)), .prepare = extremes),
	PROGRAM(monte_carlo, 2, 64, BUFFERS(OUT(U32, 129)), VALUES(50)),
	PROGRAM(random_walk, 2, 32, BUFFERS(OUT(U32, 192)), VALUES(100)),
	PROGRAM(shift_register, 1, 64, BUFFERS(OUT(U32, 64)), VALUES(0xb400), .slow = true),
	PROGRAM(queens, 1, 64, BUFFERS(OUT(U32, 1)), VALUES(8), .slow = true),
	PROGRAM(bisect, 2, 64, BUFFERS(SORTED(U32, 200, 10), RANDOM(U32, 128, 1000), OUT(U32, 128)),
		VALUES(200)),
	PROGRAM(josephus, 1, 100, BUFFERS(OUT(U32, 100)), VALUES(7)),
	PROGRAM(permutations, 2, 32, BUFFERS(OUT(U8, 512)), VALUES(8)),
	PROGRAM(fixed_point, 2, 32, BUFFERS(RANDOM(U32, 64, 0), RANDOM(U32, 64, 0), OUT(U32, 192))),
	PROGRAM(cordic, 4, 64, BUFFERS(OUT(U32, 512))),
	PROGRAM(wide_product, 2, 32,
		BUFFERS(RANDOM(U64, 64, 0), RANDOM(U64, 64, 0), OUT(U64, 128))),
	PROGRAM(divide64, 2, 64, BUFFERS(RANDOM(U64, 128, 0), RANDOM(U64, 128, 0), OUT(U64, 512))),
	PROGRAM(factorial, 6, 32, BUFFERS(OUT(U32, 192)), VALUES(32)),
};

const struct program_file number_programs = {"number", rows, ARRAY_LEN(rows)};
