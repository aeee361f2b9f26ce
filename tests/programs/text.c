/* What text, codes and tables of dynamic programming give. */
#include "tests/programs/programs.h"

#include <string.h>

static void search_naive(const struct program_run *r)
{
	const char *text = r->b[0], *word = r->b[1];
	uint32_t *hits = r->b[2];

	for (uint32_t i = 0; i + r->v[1] <= r->v[0]; i++)
		if (!memcmp(text + i, word, r->v[1])) {
			hits[0]++;
			hits[1] += i;
		}
}

static void search_kmp(const struct program_run *r)
{
	const char *text = r->b[0], *word = r->b[1];
	uint32_t *counts = r->b[2];

	for (uint32_t i = 0; i + r->v[1] <= r->v[0]; i++)
		counts[i / (r->v[0] / r->threads)] += !memcmp(text + i, word, r->v[1]);
}

static void search_bits(const struct program_run *r)
{
	const char *lines = r->b[0], *word = r->b[1];
	int32_t *place = r->b[2];

	for (uint32_t t = 0; t < r->threads; t++) {
		place[t] = -1;
		for (uint32_t i = r->v[0] - r->v[1] + 1; i-- > 0;)
			if (!memcmp(lines + t * r->v[0] + i, word, r->v[1]))
				place[t] = (int32_t)i;
	}
}

static void search_rolling(const struct program_run *r)
{
	const uint8_t *text = r->b[0];
	uint32_t *out = r->b[1], each = r->v[0] / r->threads, m = r->v[1];

	for (uint32_t t = 0; t < r->threads; t++)
		for (uint32_t i = t * each; i + m <= (t + 1) * each; i++) {
			uint32_t hash = 0;

			for (uint32_t k = 0; k < m; k++)
				hash = (hash * 31 + text[i + k]) % 65521;
			out[t] = hash > out[t] ? hash : out[t];
		}
}

static void run_lengths(const struct program_run *r)
{
	uint32_t *lengths = r->b[2], n = r->v[0];

	for (uint32_t t = 0; t < r->threads; t++) {
		const uint8_t *in = (uint8_t *)r->b[0] + t * n;
		uint8_t *out = (uint8_t *)r->b[1] + 2 * t * n;

		for (uint32_t i = 0; i < n; i++) {
			if (i == 0 || in[i] != in[i - 1]) {
				out[lengths[t] + 1] = in[i];
				lengths[t] += 2;
			}
			out[lengths[t] - 2]++;
		}
	}
}

static void expand_runs(const struct program_run *r)
{
	uint32_t pairs = r->v[0], limit = r->v[1];

	for (uint32_t t = 0; t < r->threads; t++) {
		const uint8_t *in = (uint8_t *)r->b[0] + 2 * t * pairs;
		uint8_t all[16 * 255];
		uint32_t k = 0;

		for (uint32_t i = 0; i < pairs; i++) {
			memset(all + k, in[2 * i + 1], in[2 * i]);
			k += in[2 * i];
		}
		memcpy((uint8_t *)r->b[1] + t * limit, all, k < limit ? k : limit);
	}
}

static uint8_t digit64(uint32_t v)
{
	return (uint8_t)(v < 26    ? 'A' + v
			 : v < 52  ? 'a' + v - 26
			 : v < 62  ? '0' + v - 52
			 : v == 62 ? '+'
				   : '/');
}

static void base64_encode(const struct program_run *r)
{
	const uint8_t *in = r->b[0];
	uint8_t *out = r->b[1];
	uint32_t n = r->v[0];

	for (uint32_t i = 0; i < (n + 2) / 3 * 4; i++) {
		uint32_t first = i / 4 * 3, v = 0;

		for (uint32_t bit = 0; bit < 6; bit++) {
			uint32_t at = i % 4 * 6 + bit, byte = first + at / 8;

			v = v * 2 + (byte < n ? in[byte] >> (7 - at % 8) & 1u : 0);
		}
		out[i] = first + (i % 4 ? i % 4 - 1 : 0) < n ? digit64(v) : '=';
	}
}

static void encoded(const struct program_run *r)
{
	uint8_t *in = r->b[0];

	for (uint32_t i = 0; i < 4 * r->threads; i++)
		in[i] = digit64(in[i] % 64);
}

static void base64_decode(const struct program_run *r)
{
	const uint8_t *in = r->b[0];
	uint8_t *out = r->b[1];

	for (uint32_t i = 0; i < 4 * r->threads; i++)
		for (uint32_t bit = 0; bit < 6; bit++) {
			uint32_t v = 0, at = 6 * i + bit;

			while (digit64(v) != in[i])
				v++;
			out[at / 8] |= (uint8_t)((v >> (5 - bit) & 1) << (7 - at % 8));
		}
}

/* Lines of encoded characters; some are spoiled. */
static void characters(const struct program_run *r)
{
	uint32_t n = r->v[0];

	for (uint32_t t = 0; t < r->threads; t++) {
		uint8_t *s = (uint8_t *)r->b[0] + t * n;
		uint32_t state = t + 1, k = 0;

		while (k < n) {
			uint32_t v = next_random(&state), size = v >> 8 & 3;
			static const uint8_t head[4] = {0, 0xc0, 0xe0, 0xf0};

			size = k + size < n ? size : 0;
			s[k++] = (uint8_t)(head[size] | (size ? v % (0x20u >> size) : v % 128));
			for (; size; size--)
				s[k++] = (uint8_t)(0x80 | (next_random(&state) >> 9 & 63));
		}
		if (t % 3 == 0)
			s[next_random(&state) % n] ^= 0x40;
	}
}

/* The length of the one well-formed character at s, of at most n bytes; 0: there is none. Unicode's
 * table 3-7. */
static uint32_t character(const uint8_t *s, uint32_t n)
{
	static const uint8_t table[9][4] = {{0x00, 0x7f, 0, 0}, {0xc2, 0xdf, 0x80, 0xbf},
		{0xe0, 0xe0, 0xa0, 0xbf}, {0xe1, 0xec, 0x80, 0xbf}, {0xed, 0xed, 0x80, 0x9f},
		{0xee, 0xef, 0x80, 0xbf}, {0xf0, 0xf0, 0x90, 0xbf}, {0xf1, 0xf3, 0x80, 0xbf},
		{0xf4, 0xf4, 0x80, 0x8f}};

	for (uint32_t i = 0; i < 9; i++) {
		uint32_t size = i == 0 ? 1 : i == 1 ? 2 : i < 6 ? 3 : 4;

		if (s[0] < table[i][0] || s[0] > table[i][1])
			continue;
		if (size > n || (size > 1 && (s[1] < table[i][2] || s[1] > table[i][3])))
			return 0;
		for (uint32_t k = 2; k < size; k++)
			if (s[k] < 0x80 || s[k] > 0xbf)
				return 0;
		return size;
	}
	return 0;
}

static void utf8_check(const struct program_run *r)
{
	uint32_t *out = r->b[1], n = r->v[0];

	for (uint32_t t = 0; t < r->threads; t++) {
		const uint8_t *s = (uint8_t *)r->b[0] + t * n;
		uint32_t at = 0, size;

		while (at < n && (size = character(s + at, n - at))) {
			at += size;
			out[t]++;
		}
		out[t] |= at == n ? 1u << 31 : 0;
	}
}

static void number_letters(const struct program_run *r)
{
	uint8_t *text = r->b[0];

	for (uint32_t i = 0; i < r->threads * r->v[0]; i++)
		text[i] = (uint8_t) "0123456789-  ,-5"[text[i] % 16];
}

/* From behind: a digit's worth is known when it is met. */
static void parse_numbers(const struct program_run *r)
{
	uint32_t *out = r->b[1], n = r->v[0];

	for (uint32_t t = 0; t < r->threads; t++) {
		const uint8_t *s = (uint8_t *)r->b[0] + t * n;
		uint32_t v = 0, worth = 1;

		for (uint32_t i = n; i-- > 0;) {
			if (s[i] >= '0' && s[i] <= '9') {
				v += worth * (s[i] - '0');
				worth *= 10;
				continue;
			}
			out[t] += s[i] == '-' ? 0 - v : v;
			v = 0;
			worth = 1;
		}
		out[t] += v;
	}
}

static void spaced(const struct program_run *r)
{
	uint8_t *text = r->b[0];

	for (uint32_t i = 0; i < r->v[0]; i++)
		text[i] = text[i] % 4 ? (uint8_t)('a' + text[i] % 26) : ' ';
}

static void count_words(const struct program_run *r)
{
	char copy[1024], *rest = copy;

	memcpy(copy, r->b[0], r->v[0]);
	copy[r->v[0]] = 0;
	while (strtok_r(rest, " ", &rest))
		++*(uint32_t *)r->b[1];
}

static void upper_case(const struct program_run *r)
{
	uint8_t *text = r->b[0];

	for (uint32_t i = 0; i < 4 * r->threads; i++)
		text[i] = text[i] >= 'a' && text[i] <= 'z' ? (uint8_t)(text[i] - 32) : text[i];
}

static void common_subsequence(const struct program_run *r)
{
	uint32_t *out = r->b[2];

	for (uint32_t t = 0; t < r->threads; t++) {
		const uint8_t *a = (uint8_t *)r->b[0] + 20 * t, *b = (uint8_t *)r->b[1] + 20 * t;
		uint32_t d[21][21] = {{0}};

		for (uint32_t i = 20; i-- > 0;)
			for (uint32_t k = 20; k-- > 0;)
				d[i][k] = a[i] == b[k]                ? d[i + 1][k + 1] + 1
					  : d[i + 1][k] > d[i][k + 1] ? d[i + 1][k]
								      : d[i][k + 1];
		out[t] = d[0][0];
	}
}

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static void edit_distance(const struct program_run *r)
{
	const uint8_t *a = r->b[0], *b = r->b[1];
	uint32_t d[65][65], n = r->v[0];

	for (uint32_t i = 0; i <= n; i++)
		for (uint32_t k = 0; k <= n; k++)
			d[i][k] = !i || !k ? i + k
					   : least(least(d[i - 1][k], d[i][k - 1]) + 1,
						     d[i - 1][k - 1] + (a[i - 1] != b[k - 1]));
	*(uint32_t *)r->b[2] = d[n][n];
}

/* All sets of items. */
static void knapsack(const struct program_run *r)
{
	const uint32_t *weights = r->b[0], *values = r->b[1];
	uint32_t *best = r->b[2];

	for (uint32_t set = 0; set < 1u << r->v[0]; set++) {
		uint32_t weight = 0, value = 0;

		for (uint32_t i = 0; i < r->v[0]; i++) {
			weight += set >> i & 1 ? weights[i] : 0;
			value += set >> i & 1 ? values[i] : 0;
		}
		for (uint32_t c = weight; c < r->block; c++)
			best[c] = value > best[c] ? value : best[c];
	}
}

static void sparse_roads(const struct program_run *r)
{
	uint32_t *d = r->b[0], n = r->v[0];

	for (uint32_t i = 0; i < n * n; i++)
		d[i] = i % n == i / n ? 0 : d[i] % 5 ? 1000000 : d[i] % 100;
}

/* Bellman and Ford from each node. */
static void all_paths(const struct program_run *r)
{
	uint32_t *d = r->b[0], n = r->v[0], roads[400], from[20];

	memcpy(roads, d, n * n * 4);
	for (uint32_t s = 0; s < n; s++) {
		memcpy(from, roads + s * n, n * 4);
		for (uint32_t i = 0; i < n * n * n; i++)
			from[i % n] = least(from[i % n], from[i / n % n] + roads[i % (n * n)]);
		memcpy(d + s * n, from, n * 4);
	}
}

static void rising_subsequence(const struct program_run *r)
{
	uint32_t *out = r->b[1], n = r->v[0];

	for (uint32_t t = 0; t < r->threads; t++) {
		const uint32_t *in = (uint32_t *)r->b[0] + t * n;
		uint32_t best[64];

		for (uint32_t i = 0; i < n; i++) {
			best[i] = 1;
			for (uint32_t k = 0; k < i; k++)
				if (in[k] < in[i] && best[k] + 1 > best[i])
					best[i] = best[k] + 1;
			out[t] = best[i] > out[t] ? best[i] : out[t];
		}
	}
}

static void one_way(const struct program_run *r)
{
	*(uint64_t *)r->b[1] = 1;
}

static void coin_ways(const struct program_run *r)
{
	const uint32_t *coins = r->b[0];
	uint64_t *ways = r->b[1];

	for (uint32_t c = 0; c < r->v[0]; c++)
		for (uint32_t at = coins[c] % 29 + 1; at < 200; at++)
			ways[at] += ways[at - (coins[c] % 29 + 1)];
}

static void unpack(const struct program_run *r)
{
	uint32_t pairs = r->v[0], limit = r->v[1];

	for (uint32_t t = 0; t < r->threads; t++) {
		const uint8_t *in = (uint8_t *)r->b[0] + 2 * t * pairs;
		uint8_t *out = (uint8_t *)r->b[1] + t * limit;
		uint32_t k = 0, left = 0, back = 0;

		for (uint32_t i = 0; k < limit && (left || i < pairs);) {
			if (left) {
				out[k] = out[k - back];
				k++;
				left--;
				continue;
			}
			back = in[2 * i];
			if (back && back <= k)
				left = in[2 * i + 1] % 9 + 1;
			else
				out[k++] = in[2 * i + 1];
			i++;
		}
	}
}

static const struct program_row rows[] = {
	PROGRAM(search_naive, 8, 64, BUFFERS(RANDOM(U8, 500, 2), RANDOM(U8, 5, 2), OUT(U32, 2)),
		VALUES(500, 5)),
	PROGRAM(search_kmp, 1, 32, BUFFERS(RANDOM(U8, 640, 2), RANDOM(U8, 6, 2), OUT(U32, 32)),
		VALUES(640, 6)),
	PROGRAM(search_bits, 1, 32, BUFFERS(RANDOM(U8, 960, 3), RANDOM(U8, 3, 3), OUT(U32, 32)),
		VALUES(30, 3)),
	PROGRAM(search_rolling, 1, 32, BUFFERS(RANDOM(U8, 960, 0), OUT(U32, 32)), VALUES(960, 7)),
	PROGRAM(run_lengths, 1, 32, BUFFERS(RANDOM(U8, 640, 2), OUT(U8, 1280), OUT(U32, 32)),
		VALUES(20)),
	PROGRAM(expand_runs, 1, 32, BUFFERS(RANDOM(U8, 512, 12), OUT(U8, 1280)), VALUES(8, 40)),
	PROGRAM(base64_encode, 1, 64, BUFFERS(RANDOM(U8, 100, 0), OUT(U8, 136)), VALUES(100)),
	PROGRAM(base64_decode, 1, 64, BUFFERS(RANDOM(U8, 256, 0), OUT(U8, 192)),
		.prepare = encoded),
	PROGRAM(utf8_check, 2, 32, BUFFERS(OUT(U8, 1280), OUT(U32, 64)), VALUES(20),
		.prepare = characters),
	PROGRAM(parse_numbers, 1, 32, BUFFERS(RANDOM(U8, 960, 0), OUT(U32, 32)), VALUES(30),
		.prepare = number_letters),
	PROGRAM(count_words, 4, 128, BUFFERS(RANDOM(U8, 500, 0), OUT(U32, 1)), VALUES(500),
		.prepare = spaced),
	PROGRAM(upper_case, 2, 64, BUFFERS(RANDOM(U8, 512, 0))),
	PROGRAM(common_subsequence, 1, 32,
		BUFFERS(RANDOM(U8, 640, 4), RANDOM(U8, 640, 4), OUT(U32, 32))),
	PROGRAM(edit_distance, 1, 64, BUFFERS(RANDOM(U8, 50, 4), RANDOM(U8, 50, 4), OUT(U32, 1)),
		VALUES(50)),
	PROGRAM(knapsack, 1, 128,
		BUFFERS(RANDOM(U32, 10, 40), RANDOM(U32, 10, 1000), OUT(U32, 128)), VALUES(10)),
	PROGRAM_SHAPED(all_paths, SHAPE(1, 1, 1), SHAPE(20, 20, 1), BUFFERS(RANDOM(U32, 400, 0)),
		VALUES(20), .prepare = sparse_roads),
	PROGRAM(rising_subsequence, 1, 32, BUFFERS(RANDOM(U32, 768, 500), OUT(U32, 32)),
		VALUES(24)),
	PROGRAM(coin_ways, 1, 32, BUFFERS(RANDOM(U32, 6, 0), OUT(U64, 200)), VALUES(6),
		.prepare = one_way),
	PROGRAM(unpack, 1, 32, BUFFERS(RANDOM(U8, 1280, 16), OUT(U8, 1600)), VALUES(20, 50)),
};

const struct program_file text_programs = {"text", rows, ARRAY_LEN(rows)};
