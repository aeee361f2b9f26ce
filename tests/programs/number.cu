/* Number theory, games of counting, random numbers, fixed point. */
#include "tests/programs/cuda.h"

KERNEL collatz(u32 *out)
{
	u64 n = thread() + 1;
	u32 steps = 0;

	while (n != 1) {
		n = n & 1 ? 3 * n + 1 : n / 2;
		steps++;
	}
	out[thread()] = steps;
}

KERNEL gcd_euclid(const u32 *a, const u32 *b, u32 *out)
{
	u32 x = a[thread()], y = b[thread()];

	while (y) {
		u32 r = x % y;

		x = y;
		y = r;
	}
	out[thread()] = x;
}

KERNEL gcd_binary(const u64 *a, const u64 *b, u64 *out)
{
	u64 x = a[thread()], y = b[thread()];
	u32 twos;

	if (x == 0 || y == 0) {
		out[thread()] = x | y;
		return;
	}
	twos = (u32)__builtin_ctzll(x | y);
	x >>= __builtin_ctzll(x);
	do {
		y >>= __builtin_ctzll(y);
		if (x > y) {
			u64 t = x;

			x = y;
			y = t;
		}
		y -= x;
	} while (y);
	out[thread()] = x << twos;
}

/* The inverse of a modulo a prime, by Euclid's extended algorithm. */
KERNEL inverse(const u32 *in, s32 *out, u32 prime)
{
	s32 a = (s32)(in[thread()] % (prime - 1) + 1), b = (s32)prime, x = 1, y = 0;

	while (a > 1) {
		s32 q = a / b, t = b;

		b = a % b;
		a = t;
		t = y;
		y = x - q * y;
		x = t;
	}
	out[thread()] = x < 0 ? x + (s32)prime : x;
}

KERNEL sieve(u8 *composite, u32 n)
{
	for (u32 p = 2; p * p < n; p++) {
		if (!((volatile u8 *)composite)[p])
			for (u32 k = p * p + threadIdx.x * p; k < n; k += blockDim.x * p)
				composite[k] = 1;
		barrier();
	}
}

DEVICE u64 multiply_mod(u64 a, u64 b, u64 m)
{
	u64 sum = 0;

	for (; b; b >>= 1) {
		if (b & 1)
			sum = sum >= m - a ? sum - (m - a) : sum + a;
		a = a >= m - a ? a - (m - a) : a + a;
	}
	return sum;
}

KERNEL miller_rabin(const u32 *in, u8 *out)
{
	u32 n = in[thread()] | 1, d = n - 1, r = 0;
	const u32 bases[3] = {2, 7, 61};
	bool prime = n > 61;

	while (!(d & 1)) {
		d >>= 1;
		r++;
	}
	for (u32 i = 0; i < 3 && prime; i++) {
		u64 x = 1, b = bases[i] % n;
		u32 k = 0;

		for (u32 e = d; e; e >>= 1) {
			if (e & 1)
				x = x * b % n;
			b = b * b % n;
		}
		if (x == 1 || x == n - 1)
			continue;
		for (k = 1; k < r && x != n - 1; k++)
			x = x * x % n;
		prime = x == n - 1;
	}
	out[thread()] = prime;
}

/* a^b modulo m in 64 bits, without 128-bit products. */
KERNEL power_mod64(const u64 *in, u64 *out)
{
	u64 m = in[3 * thread()] | 1, x = 1, a = in[3 * thread() + 1] % m;

	for (u32 b = (u32)in [3 * thread() + 2] & 0xff; b; b >>= 1) {
		if (b & 1)
			x = multiply_mod(x, a, m);
		a = multiply_mod(a, a, m);
	}
	out[thread()] = x % m;
}

KERNEL square_root(const u64 *in, u32 *out)
{
	u64 v = in[thread()], root = 0, bit = (u64)1 << 62;

	while (bit > v)
		bit >>= 2;
	for (; bit; bit >>= 2)
		if (v >= root + bit) {
			v -= root + bit;
			root = (root >> 1) + bit;
		} else {
			root >>= 1;
		}
	out[thread()] = (u32)root;
}

/* Fibonacci numbers by doubling, modulo 2^64. */
KERNEL fibonacci(u64 *out)
{
	u64 a = 0, b = 1;

	for (u32 bit = 32 - (u32)__builtin_clz(thread() | 1); bit-- > 0;) {
		u64 c = a * (2 * b - a), d = a * a + b * b;

		if (thread() >> bit & 1) {
			a = d;
			b = c + d;
		} else {
			a = c;
			b = d;
		}
	}
	out[thread()] = a;
}

KERNEL divisors(u32 *sum)
{
	u32 n = thread() + 1;

	for (u32 d = 1; d * d <= n; d++)
		if (n % d == 0)
			sum[n - 1] += d * d == n ? d : d + n / d;
}

KERNEL decimal(const s32 *in, u8 *text)
{
	s32 v = in[thread()];
	u32 u = v < 0 ? 0u - (u32)v : (u32)v, n = 0;
	u8 digits[12], *to = text + 12 * thread();

	do {
		digits[n++] = (u8)('0' + u % 10);
		u /= 10;
	} while (u);
	if (v < 0)
		*to++ = '-';
	while (n)
		*to++ = digits[--n];
}

/* Hits of the quarter circle; the reference walks the same numbers. */
KERNEL monte_carlo(u32 *hits, u32 n)
{
	u32 state = thread() * 2654435761u + 1, count = 0;

	for (u32 i = 0; i < n; i++) {
		u32 x = next_random(state) >> 16, y = next_random(state) >> 16;

		count += x * x / 2 + y * y / 2 < 1u << 31;
	}
	atomic_add(hits, count);
	hits[1 + thread()] = count;
}

KERNEL random_walk(s32 *out, u32 n)
{
	u32 state = thread() + 77;
	s32 x = 0, y = 0, far = 0;

	for (u32 i = 0; i < n; i++) {
		switch (next_random(state) >> 30) {
		case 0:
			x++;
			break;
		case 1:
			x--;
			break;
		case 2:
			y++;
			break;
		default:
			y--;
			break;
		}
		far = max(far, x * x + y * y);
	}
	out[3 * thread()] = x;
	out[3 * thread() + 1] = y;
	out[3 * thread() + 2] = far;
}

/* How long each start takes to come around in a 16-bit shift register of Galois. */
KERNEL shift_register(u32 *out, u32 taps)
{
	u16 start = (u16)(thread() + 1), state = start;
	u32 n = 0;

	do {
		state = (u16)(state >> 1 ^ (state & 1 ? taps : 0));
		n++;
	} while (state != start && n < 300);
	out[thread()] = n << 16 | state;
}

/* Solutions whose first two queens stand at the thread's place; no recursion. */
KERNEL queens(u32 *out, u32 n)
{
	u32 left[16], right[16], column[16], rest[16], all = (1u << n) - 1, count = 0,
						       first = thread() / n;
	u32 second = thread() % n;
	s32 row = 2;

	if (first >= n || (first > second ? first - second : second - first) < 2)
		return;
	column[2] = 1u << first | 1u << second;
	left[2] = (1u << first) << 2 | (1u << second) << 1;
	right[2] = (1u << first) >> 2 | (1u << second) >> 1;
	rest[2] = all & ~(column[2] | left[2] | right[2]);
	while (row >= 2) {
		u32 bit = rest[row] & -rest[row];

		if (!bit) {
			row--;
			continue;
		}
		rest[row] ^= bit;
		if (row + 1 == (s32)n) {
			count++;
			continue;
		}
		column[row + 1] = column[row] | bit;
		left[row + 1] = (left[row] | bit) << 1;
		right[row + 1] = (right[row] | bit) >> 1;
		row++;
		rest[row] = all & ~(column[row] | left[row] | right[row]);
	}
	atomic_add(out, count);
}

KERNEL bisect(const u32 *sorted, const u32 *keys, u32 *out, u32 n)
{
	u32 low = 0, high = n;

	while (low < high) {
		u32 mid = (low + high) >> 1;

		if (sorted[mid] < keys[thread()])
			low = mid + 1;
		else
			high = mid;
	}
	out[thread()] = low;
}

KERNEL josephus(u32 *out, u32 step)
{
	u32 last = 0;

	for (u32 n = 2; n <= thread() + 1; n++)
		last = (last + step) % n;
	out[thread()] = last;
}

KERNEL permutations(u8 *out, u32 n)
{
	u8 left[12];
	u32 code = thread() * 1009;

	for (u32 i = 0; i < n; i++)
		left[i] = (u8)i;
	for (u32 i = n; i > 0; i--) {
		u32 at = code % i;

		code /= i;
		out[thread() * n + n - i] = left[at];
		for (u32 k = at; k + 1 < i; k++)
			left[k] = left[k + 1];
	}
}

KERNEL fixed_point(const s32 *a, const s32 *b, s32 *out)
{
	s64 product = (s64)a[thread()] * b[thread()];
	s32 d = b[thread()] ? b[thread()] : 1;

	out[3 * thread()] = (s32)((product + 0x8000) >> 16);
	out[3 * thread() + 1] = (s32)(((s64)a[thread()] << 16) / d);
	out[3 * thread() + 2] = (s32)((product >> 16) % 1000);
}

static __constant__ const s32 angles[16] = {
	8192, 4836, 2555, 1297, 651, 326, 163, 81, 41, 20, 10, 5, 3, 1, 1, 0};

/* Sine and cosine by rotations; a turn is 65536. */
KERNEL cordic(s32 *out)
{
	s32 x = 9949, y = 0, z = (s32)(thread() * 128) - 16384;

	for (u32 i = 0; i < 15; i++) {
		s32 dx = y >> i, dy = x >> i;

		if (z >= 0) {
			x -= dx;
			y += dy;
			z -= angles[i];
		} else {
			x += dx;
			y -= dy;
			z += angles[i];
		}
	}
	out[2 * thread()] = x;
	out[2 * thread() + 1] = y;
}

/* A product of 128 bits from 64-bit halves. */
KERNEL wide_product(const u64 *a, const u64 *b, u64 *out)
{
	out[2 * thread()] = a[thread()] * b[thread()];
	out[2 * thread() + 1] = __nvvm_mulhi_ull(a[thread()], b[thread()]);
}

KERNEL divide64(const u64 *a, const u64 *b, u64 *out)
{
	u64 n = a[thread()], d = b[thread()] >> (thread() % 60) | 1;

	out[4 * thread()] = n / d;
	out[4 * thread() + 1] = n % d;
	out[4 * thread() + 2] = (u64)((s64)n / (s64)d);
	out[4 * thread() + 3] = (u64)((s64)n % (s64)d);
}

/* Factorials in base 10000, a CTA a number: carries move by barriers. */
KERNEL factorial(u32 *out, u32 digits)
{
	__shared__ u32 d[32], carries;
	u32 t = threadIdx.x;

	d[t] = t == 0;
	for (u32 n = 2; n <= blockIdx.x + 10; n++) {
		d[t] *= n;
		do {
			u32 up = d[t] / 10000;

			barrier();
			if (t == 0)
				carries = 0;
			d[t] %= 10000;
			barrier();
			if (t + 1 < digits && up) {
				d[t + 1] += up;
				carries = 1;
			}
			barrier();
		} while (carries);
		barrier();
	}
	out[blockIdx.x * digits + t] = d[t];
}
