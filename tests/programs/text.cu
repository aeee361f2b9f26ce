/* Text, codes and tables of dynamic programming. */
#include "tests/programs/cuda.h"

KERNEL search_naive(const u8 *text, const u8 *word, u32 *hits, u32 n, u32 m)
{
	u32 i = thread(), k = 0;

	if (i + m > n)
		return;
	while (k < m && text[i + k] == word[k])
		k++;
	if (k == m)
		atomic_add(&hits[0], 1), atomic_add(&hits[1], i);
}

/* Each thread searches a piece, and as much of the next as a hit may need (Knuth, Morris, Pratt).
 */
KERNEL search_kmp(const u8 *text, const u8 *word, u32 *counts, u32 n, u32 m)
{
	u32 each = n / (gridDim.x * blockDim.x), start = thread() * each,
	    end = start + each + m - 1;
	u8 fail[16];
	u32 k = 0, count = 0;

	fail[0] = 0;
	for (u32 i = 1; i < m; i++) {
		while (k && word[i] != word[k])
			k = fail[k - 1];
		if (word[i] == word[k])
			k++;
		fail[i] = (u8)k;
	}
	k = 0;
	if (end > n)
		end = n;
	for (u32 i = start; i < end; i++) {
		while (k && text[i] != word[k])
			k = fail[k - 1];
		if (text[i] == word[k])
			k++;
		if (k == m) {
			count++;
			k = fail[k - 1];
		}
	}
	counts[thread()] = count;
}

/* Shift-and (Baeza-Yates, Gonnet 1992), a line a thread. */
KERNEL search_bits(const u8 *lines, const u8 *word, s32 *place, u32 n, u32 m)
{
	__shared__ u32 masks[256];
	u32 state = 0;

	for (u32 i = threadIdx.x; i < 256; i += blockDim.x)
		masks[i] = 0;
	barrier();
	if (threadIdx.x < m)
		__nvvm_atom_or_gen_i((s32 *)&masks[word[threadIdx.x]], 1 << threadIdx.x);
	barrier();
	place[thread()] = -1;
	for (u32 i = 0; i < n; i++) {
		state = (state << 1 | 1) & masks[lines[thread() * n + i]];
		if (state >> (m - 1) & 1) {
			place[thread()] = (s32)(i + 1 - m);
			break;
		}
	}
}

KERNEL search_rolling(const u8 *text, u32 *out, u32 n, u32 m)
{
	const u32 prime = 65521;
	u32 each = n / (gridDim.x * blockDim.x), start = thread() * each, hash = 0, top = 1,
	    best = 0;

	for (u32 i = 1; i < m; i++)
		top = top * 31 % prime;
	for (u32 i = start; i < start + each && i < n; i++) {
		if (i >= start + m)
			hash = (hash + prime - text[i - m] * top % prime) % prime;
		hash = (hash * 31 + text[i]) % prime;
		if (i + 1 >= start + m && hash > best)
			best = hash;
	}
	out[thread()] = best;
}

KERNEL run_lengths(const u8 *in, u8 *out, u32 *lengths, u32 n)
{
	const u8 *from = in + thread() * n;
	u8 *to = out + thread() * 2 * n;
	u32 k = 0;

	for (u32 i = 0; i < n;) {
		u32 run = 1;

		while (i + run < n && run < 255 && from[i + run] == from[i])
			run++;
		to[k++] = (u8)run;
		to[k++] = from[i];
		i += run;
	}
	lengths[thread()] = k;
}

KERNEL expand_runs(const u8 *in, u8 *out, u32 pairs, u32 limit)
{
	u32 k = 0;

	for (u32 i = 0; i < pairs; i++)
		for (u32 run = in [(thread() * pairs + i) * 2]; run && k < limit; run--)
			out[thread() * limit + k++] = in[(thread() * pairs + i) * 2 + 1];
}

static __constant__ const u8 digits64[65] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

KERNEL base64_encode(const u8 *in, u8 *out, u32 n)
{
	u32 i = 3 * thread(), v;

	if (i >= n)
		return;
	v = (u32)in[i] << 16;
	if (i + 1 < n)
		v |= (u32)in[i + 1] << 8;
	if (i + 2 < n)
		v |= in[i + 2];
	out[4 * thread()] = digits64[v >> 18];
	out[4 * thread() + 1] = digits64[v >> 12 & 63];
	out[4 * thread() + 2] = i + 1 < n ? digits64[v >> 6 & 63] : '=';
	out[4 * thread() + 3] = i + 2 < n ? digits64[v & 63] : '=';
}

DEVICE u32 value64(u8 c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : 63;
}

KERNEL base64_decode(const u8 *in, u8 *out)
{
	u32 v = 0;

	for (u32 i = 0; i < 4; i++)
		v = v << 6 | value64(in[4 * thread() + i]);
	out[3 * thread()] = (u8)(v >> 16);
	out[3 * thread() + 1] = (u8)(v >> 8);
	out[3 * thread() + 2] = (u8)v;
}

/* Whether each line of bytes is well-formed UTF-8, and how many characters come before a fault. */
KERNEL utf8_check(const u8 *lines, u32 *out, u32 n)
{
	const u8 *s = lines + thread() * n;
	u32 count = 0, i = 0;

	while (i < n) {
		u32 c = s[i], more, least;

		if (c < 0x80) {
			more = 0;
			least = 0;
		} else if (c >> 5 == 6) {
			more = 1;
			least = 0x80;
			c &= 31;
		} else if (c >> 4 == 14) {
			more = 2;
			least = 0x800;
			c &= 15;
		} else if (c >> 3 == 30) {
			more = 3;
			least = 0x10000;
			c &= 7;
		} else {
			break;
		}
		if (i + more >= n)
			break;
		for (u32 k = 1; k <= more; k++) {
			if (s[i + k] >> 6 != 2) {
				out[thread()] = count;
				return;
			}
			c = c << 6 | (s[i + k] & 63);
		}
		if (c < least || c > 0x10ffff || c >> 11 == 27)
			break;
		count++;
		i += more + 1;
	}
	out[thread()] = count | (i == n ? 1u << 31 : 0);
}

KERNEL parse_numbers(const u8 *text, s32 *out, u32 n)
{
	const u8 *s = text + thread() * n;
	s32 v = 0, sum = 0, sign = 1;
	bool inside = false;

	for (u32 i = 0; i < n; i++) {
		u8 c = s[i];

		if (c >= '0' && c <= '9') {
			v = v * 10 + c - '0';
			inside = true;
			continue;
		}
		if (inside)
			sum += sign * v;
		v = 0;
		inside = false;
		sign = c == '-' ? -1 : 1;
	}
	out[thread()] = inside ? sum + sign * v : sum;
}

KERNEL count_words(const u8 *text, u32 *words, u32 n)
{
	u32 i = thread(), begins;

	begins = i < n && text[i] != ' ' && (i == 0 || text[i - 1] == ' ');
	u32 all = ballot(begins);
	if (lane() == 0)
		atomic_add(words, (u32)__builtin_popcount(all));
}

/* Four letters at once. */
KERNEL upper_case(u32 *text)
{
	u32 v = text[thread()], low = v & 0x7f7f7f7f;
	u32 from_a = low + 0x1f1f1f1f, behind_z = low + 0x05050505;

	text[thread()] = v - ((from_a & ~behind_z & ~v & 0x80808080) >> 2);
}

/* Longest common subsequence of a pair of strings a thread, one row kept. */
KERNEL common_subsequence(const u8 *a, const u8 *b, u32 *out)
{
	u8 row[21];

	for (u32 i = 0; i <= 20; i++)
		row[i] = 0;
	for (u32 i = 0; i < 20; i++) {
		u8 diagonal = 0;

		for (u32 k = 1; k <= 20; k++) {
			u8 up = row[k];

			if (a[thread() * 20 + i] == b[thread() * 20 + k - 1])
				row[k] = (u8)(diagonal + 1);
			else if (row[k - 1] > up)
				row[k] = row[k - 1];
			diagonal = up;
		}
	}
	out[thread()] = row[20];
}

/* A CTA fills diagonals of the table one after another. */
KERNEL edit_distance(const u8 *a, const u8 *b, u32 *out, u32 n)
{
	__shared__ u32 d[3][65];
	u32 t = threadIdx.x;

	for (u32 k = 0; k <= 2 * n; k++) {
		u32 *now = d[k % 3], *one = d[(k + 2) % 3], *two = d[(k + 1) % 3];

		if (t <= k && k - t <= n && t <= n) {
			u32 y = k - t, v;

			if (t == 0 || y == 0) {
				v = t + y;
			} else {
				v = (u32)min((s32)one[t - 1], (s32)one[t]) + 1;
				v = (u32)min((s32)v, (s32)two[t - 1] + (a[t - 1] != b[y - 1]));
			}
			now[t] = v;
		}
		barrier();
	}
	if (t == n)
		*out = d[2 * n % 3][n];
}

KERNEL knapsack(const u32 *weights, const u32 *values, u32 *best, u32 items)
{
	__shared__ u32 table[2][128];
	u32 c = threadIdx.x, now = 0;

	table[0][c] = 0;
	barrier();
	for (u32 i = 0; i < items; i++) {
		u32 w = weights[i], v = table[now][c];

		if (w <= c && table[now][c - w] + values[i] > v)
			v = table[now][c - w] + values[i];
		table[1 - now][c] = v;
		now = 1 - now;
		barrier();
	}
	best[c] = table[now][c];
}

KERNEL all_paths(u32 *d, u32 n)
{
	u32 x = threadIdx.x, y = threadIdx.y;

	for (u32 k = 0; k < n; k++) {
		u32 through;

		barrier();
		through = ((volatile u32 *)d)[y * n + k] + ((volatile u32 *)d)[k * n + x];
		barrier();
		if (through < d[y * n + x])
			d[y * n + x] = through;
	}
}

KERNEL rising_subsequence(const u32 *in, u32 *out, u32 n)
{
	u32 ends[24], length = 0;

	for (u32 i = 0; i < n; i++) {
		u32 v = in[thread() * n + i], low = 0, high = length;

		while (low < high) {
			u32 mid = (low + high) / 2;

			if (ends[mid] < v)
				low = mid + 1;
			else
				high = mid;
		}
		ends[low] = v;
		if (low == length)
			length++;
	}
	out[thread()] = length;
}

KERNEL coin_ways(const u32 *coins, u64 *ways, u32 n)
{
	/* threads of one residue class of a coin go up together */
	for (u32 c = 0; c < n; c++) {
		u32 coin = coins[c] % 29 + 1;

		for (u32 at = threadIdx.x + coin; threadIdx.x < coin && at < 200; at += coin)
			ways[at] += ways[at - coin];
		barrier();
	}
}

/* A byte pair is a copy (distance, length) when the first is not zero, else a letter. */
KERNEL unpack(const u8 *in, u8 *out, u32 pairs, u32 limit)
{
	const u8 *s = in + thread() * 2 * pairs;
	u8 *o = out + thread() * limit;
	u32 k = 0;

	for (u32 i = 0; i < pairs && k < limit; i++) {
		u32 back = s[2 * i], v = s[2 * i + 1];

		if (back == 0 || back > k) {
			o[k++] = (u8)v;
			continue;
		}
		for (v = v % 9 + 1; v && k < limit; v--, k++)
			o[k] = ((volatile u8 *)o)[k - back];
	}
}
