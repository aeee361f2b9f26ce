/* What calls, structures, tables and control flow give. */
#include "tests/programs/programs.h"

#include <string.h>

static uint32_t twist(uint32_t a, uint32_t b)
{
	if (a % 2)
		return 3 * a + b;
	for (uint32_t i = 0; i < b % 4; i++)
		a = 5 * a + i;
	return a ^ b;
}

static void far_calls(const struct program_run *r)
{
	const uint32_t *in = r->b[0];
	uint32_t *out = r->b[1];

	for (uint32_t t = 0; t < r->threads; t++) {
		uint32_t v = in[t], sum = v % 3 ? 0 : twist(v, 7);

		for (uint32_t i = 0; v % 3 == 1 && i < v % 8; i++)
			sum += twist(sum, i);
		out[t] = twist(v, sum) + sum;
	}
}

static uint64_t mix(uint64_t v, uint32_t n)
{
	return n % 2 ? v * 0x9e3779b97f4a7c15u : v ^ (v >> 29);
}

static void call_chain(const struct program_run *r)
{
	const uint64_t *in = r->b[0];
	uint64_t *out = r->b[1];

	for (uint32_t t = 0; t < r->threads; t++) {
		uint32_t n = t % 8, rounds = n > 4 ? n - 4 : n;

		out[t] = in[t];
		for (uint32_t i = 0; i < rounds; i++)
			out[t] += mix(out[t], i);
		out[t] = n > 4 ? out[t] + 1 : mix(out[t], n);
	}
}

static void pointer_results(const struct program_run *r)
{
	const uint64_t *in = r->b[0];
	uint32_t *out = r->b[1];

	for (uint32_t t = 0; t < r->threads; t++) {
		out[2 * t] = (uint32_t)(in[t] * 3);
		out[2 * t + 1] = (uint32_t)((in[t] * 3) >> 32) + out[2 * t];
	}
}

static void generic_pointers(const struct program_run *r)
{
	const uint32_t *in = r->b[0];
	uint32_t *out = r->b[1];

	for (uint32_t t = 0; t < r->threads; t++)
		for (uint32_t i = 0; i < 1 + t % 8; i++)
			out[t] = 3 * out[t] + (t / 32 % 3 == 0          ? in[(t + i) % 64]
						      : t / 32 % 3 == 1 ? in[i] * 7
									: in[i]);
}

/* As in lang.cu. */
struct shape {
	uint8_t kind;
	uint16_t sides;
	float size[2];
	uint64_t id;
	int32_t x, y;
};

static const struct shape given = {200, 1234, {2.5f, -1.25f}, 0x123456789abcdef0, -17, 23};

static void structure_parameter(const struct program_run *r)
{
	uint32_t *out = r->b[0];

	for (uint32_t t = 0; t < r->threads; t++)
		out[t] = (uint32_t)(200 + 1234 * (int)t + (t % 2 ? 0 : 10) + 0x12345678 - 17 * 23);
}

static void structure_results(const struct program_run *r)
{
	for (uint32_t t = 0; t < r->threads; t++) {
		uint64_t *out = (uint64_t *)r->b[0] + 2 * t, id = 5, kind = 1, sides = 2;
		int64_t size[2] = {3, 4}, x = 6, y = 7;

		for (uint32_t n = t; n < t + t % 5; n++) {
			kind = (kind + n) % 256;
			sides = sides * n % 65536;
			size[n % 2] += n;
			id = id * 256 | n;
			x -= n;
			y *= n;
		}
		out[0] = id * 31 + kind * 7 + sides;
		out[1] = (uint64_t)(size[0] * size[1] + (int32_t)(x * y));
	}
}

static void structure_array(const struct program_run *r)
{
	uint32_t n = r->v[0];

	for (uint32_t t = 0; t < n; t++) {
		float *out = (float *)r->b[1] + 4 * t;
		uint32_t id;

		memcpy(out, (float *)r->b[0] + 4 * (n - 1 - t), 16);
		out[0] = out[0] + out[1];
		out[2] = -out[2];
		memcpy(&id, &out[3], 4);
		id += t;
		memcpy(&out[3], &id, 4);
	}
}

static void grid_of_three(const struct program_run *r)
{
	uint32_t *out = r->b[0];

	for (uint32_t i = 0; i < r->threads; i++) /* grid 2 x 3 x 2, block 5 x 3 x 2 */
		out[i] = i % 5 | i / 5 % 3 << 4 | i / 15 % 2 << 8 | i / 30 % 2 << 12 |
			 i / 60 % 3 << 16 | i / 180 << 20 | 7u << 24;
}

static uint32_t dense(uint32_t v)
{
	uint32_t k = v % 16, x = v / 16;

	if (k == 0)
		return x + 5;
	if (k == 1)
		return (3 * x) ^ 255;
	if (k == 2)
		return x ^ 255;
	if (k == 3 || k == 4)
		return x % 77 + k % 2;
	if (k == 5)
		return 99;
	while (k == 6 && x > 1000)
		x /= 3;
	if (k == 6)
		return x;
	return k == 7 ? UINT32_MAX - x : (k == 9 ? 8 * x : x) - v;
}

static void switch_dense(const struct program_run *r)
{
	const uint32_t *in = r->b[0];
	uint32_t *out = r->b[1];

	for (uint32_t t = 0; t < r->threads; t++)
		out[t] = dense(in[t]);
}

static void switch_sparse(const struct program_run *r)
{
	const uint32_t *in = r->b[0];
	uint32_t *out = r->b[1];

	for (uint32_t t = 0; t < r->threads; t++) {
		uint32_t k = in[t] * 65537u % 1000;

		out[t] = k == 3                 ? 1
			 : k == 70              ? 2
			 : k >= 500 && k <= 700 ? 3
			 : k == 999             ? 4
						: 6 - in[t] % 2;
	}
}

static void machine(const struct program_run *r)
{
	uint32_t *out = r->b[1], n = r->v[0];

	for (uint32_t t = 0; t < r->threads; t++) {
		const uint8_t *code = (uint8_t *)r->b[0] + t * n;
		uint32_t a = t, x = 7, pc = 0, steps = 0;

		for (; pc < n; steps++) {
			uint32_t op = code[pc++] % 8, at = pc;

			if (steps == 64) {
				steps++;
				break;
			}
			pc = op == 3        ? at + a % 2
			     : op == 4      ? (a + at) % n
			     : op == 6 && x ? (at > 3 ? at - 3 : 0)
					    : at;
			x = op == 2 ? a % 16 : op == 6 && x ? x - 1 : x;
			a = op == 0   ? a + x
			    : op == 1 ? a ^ a << 3
			    : op == 5 ? a * x + 1
			    : op == 7 ? a + 0x1234
				      : a;
		}
		out[t] = a * 64 + steps;
	}
}

static void vector_words(const struct program_run *r)
{
	const uint32_t *in = r->b[0];
	uint32_t *out = r->b[1], *pairs = r->b[2];

	for (uint32_t i = 0; i < 4 * r->threads; i++) {
		out[i] = in[i] + in[i ^ 3];
		if (i % 2 == 0)
			pairs[i / 2] = in[i] * in[i + 1];
	}
}

static void vector_parts(const struct program_run *r)
{
	const uint16_t *in = r->b[0];
	const double *reals = r->b[2];
	uint16_t *out = r->b[1];
	double *sums = r->b[3];

	for (uint32_t i = 0; i < 4 * r->threads; i++)
		out[i] = i % 4 == 1 ? (uint16_t)((unsigned)in[i - 1] * in[i + 1]) : in[i];
	for (uint32_t i = 0; i < 2 * r->threads; i++)
		sums[i] = 2 * reals[i ^ 1] + reals[i];
}

static void local_table(const struct program_run *r)
{
	const uint32_t *in = r->b[0];
	uint32_t *out = r->b[1];

	for (uint32_t t = 0; t < r->threads; t++) {
		uint32_t table[16];

		for (uint32_t i = 0; i < 16; i++)
			table[i] = i * i + t;
		for (uint32_t i = 0; i < 32; i++)
			table[in[(t + i) % 128] % 16] += table[i % 16] * 3;
		for (uint32_t i = 0; i < 16; i++)
			out[t] = out[t] * 7 + table[i];
	}
}

static void const_tables(const struct program_run *r)
{
	const uint32_t *in = r->b[0];
	int32_t *out = r->b[1];

	for (uint32_t t = 0; t < r->threads; t++) {
		int32_t k = (int32_t)(in[t] % 10);

		out[t] = (k == 9 ? -81 : k * k) * 100 + (in[t] % 2 ? 40 : 20);
	}
}

static void early_exit(const struct program_run *r)
{
	const uint32_t *in = r->b[0];
	uint32_t *out = r->b[1];

	for (uint32_t i = 0; i < r->v[0]; i++) {
		uint32_t v = in[i], k = 0;

		if (v % 5 == 0)
			continue;
		while (k < 20 && (v = 3 * v + k) % 11)
			k++;
		out[i] = k < 20 ? k : v;
	}
}

static void nested_loops(const struct program_run *r)
{
	const uint32_t *in = r->b[0];
	uint32_t *out = r->b[1];

	for (uint32_t t = 0; t < r->threads; t++) {
		uint32_t v = in[t], last = v / 512 % 8;

		for (uint32_t ab = 0; ab < 64; ab++) {
			uint32_t a = ab / 8, b = ab % 8;

			if (a >= v % 8 || b < a || b >= v / 8 % 8 || (a ^ b) == v / 64 % 8)
				continue;
			for (uint32_t c = 0; c <= b && c < (last <= b ? last : 8); c++)
				out[t] = out[t] * 3 + a + 5 * b + c;
		}
	}
}

/* The same jumps as a machine of states. */
static void gotos(const struct program_run *r)
{
	const uint32_t *in = r->b[0];
	uint32_t *out = r->b[1];

	for (uint32_t t = 0; t < r->threads; t++) {
		uint32_t v = in[t], n = 0;
		enum { TOP, MIDDLE, END } state = v % 2 ? MIDDLE : TOP;

		while (state != END)
			if (state == TOP) {
				v = 5 * v + 1;
				state = v % 7 == 3 ? END : MIDDLE;
			} else if (++n > 9) {
				state = END;
			} else if (v % 3 == 0) {
				v += n;
				state = TOP;
			} else {
				v ^= v / 8;
				state = v & 4 ? MIDDLE : TOP;
			}
		out[t] = v + n;
	}
}

static void short_circuit(const struct program_run *r)
{
	const uint32_t *in = r->b[0], *valid = r->b[1];
	uint32_t *out = r->b[2];

	for (uint32_t i = 0; i < r->threads; i++) {
		bool yes = valid[i] >= 300 && valid[i] % 2;

		if (valid[i] < 100)
			yes = in[valid[i]] > 50;
		out[i] = yes * i;
	}
}

static void far_indices(const struct program_run *r)
{
	uint32_t *valid = r->b[1];

	for (uint32_t i = 0; i < r->threads; i++)
		valid[i] = valid[i] % 3 ? valid[i] % 100 : valid[i] % 1000 + 0x10000000;
}

static void select_calls(const struct program_run *r)
{
	const uint32_t *in = r->b[0];
	uint32_t *out = r->b[1];

	for (uint32_t t = 0; t < r->threads; t++)
		out[t] = in[t] % 3 == 0       ? in[t] + 3
			 : in[t] % 3 == 1     ? in[t] * in[t]
			 : in[t] < 0x40000000 ? 0x40000000 - in[t]
					      : 0;
}

static void punning(const struct program_run *r)
{
	const uint32_t *in = r->b[0];
	uint32_t *out = r->b[1];

	for (uint32_t t = 0; t < r->threads; t++) {
		uint32_t v = in[t] ^ 0x5au << 8 * (t % 4);

		out[t] = v + (v << 16);
	}
}

static void bitfields(const struct program_run *r)
{
	const uint32_t *in = r->b[0];
	uint32_t *out = r->b[1];

	for (uint32_t t = 0; t < r->threads; t++) {
		uint32_t a = in[t] % 8, b = in[t] / 8 % 128, c = in[t] >> 10 & 31, d = in[t] >> 15;
		int32_t sc = c > 15 ? (int32_t)c - 32 : (int32_t)c;

		b = (a + b) % 128;
		d ^= (uint32_t)(sc * sc);
		out[t] = b % 8 | b << 3 | (c + 3) % 32 << 10 | d << 15;
	}
}

static void matrix_power(const struct program_run *r)
{
	uint64_t *out = r->b[0];

	for (uint32_t t = 0; t < r->threads; t++) {
		uint64_t last = 1, next;

		for (uint32_t i = 0; i < r->v[0] + t % 4; i++) {
			next = t * out[t] + last;
			last = out[t];
			out[t] = next;
		}
	}
}

static const struct program_row rows[] = {
	PROGRAM(far_calls, 2, 64, BUFFERS(RANDOM(U32, 128, 0), OUT(U32, 128))),
	PROGRAM(call_chain, 2, 64, BUFFERS(RANDOM(U64, 128, 0), OUT(U64, 128))),
	PROGRAM(pointer_results, 2, 32, BUFFERS(RANDOM(U64, 64, 0), OUT(U32, 128))),
	PROGRAM(generic_pointers, 2, 96, BUFFERS(RANDOM(U32, 64, 0), OUT(U32, 192))),
	PROGRAM(structure_parameter, 2, 32, BUFFERS(OUT(U32, 64)), .structure = &given,
		.structure_bytes = sizeof(given)),
	PROGRAM(structure_results, 2, 32, BUFFERS(OUT(U64, 128))),
	PROGRAM(structure_array, 2, 32, BUFFERS(RANDOM(F32, 256, 100), OUT(F32, 256)), VALUES(64)),
	PROGRAM_SHAPED(grid_of_three, SHAPE(2, 3, 2), SHAPE(5, 3, 2), BUFFERS(OUT(U32, 360))),
	PROGRAM(switch_dense, 2, 64, BUFFERS(RANDOM(U32, 128, 0), OUT(U32, 128))),
	PROGRAM(switch_sparse, 8, 64, BUFFERS(RANDOM(U32, 512, 0), OUT(U32, 512))),
	PROGRAM(machine, 2, 32, BUFFERS(RANDOM(U8, 1024, 0), OUT(U32, 64)), VALUES(16)),
	PROGRAM(vector_words, 2, 32, BUFFERS(RANDOM(U32, 256, 0), OUT(U32, 256), OUT(U32, 128))),
	PROGRAM(vector_parts, 2, 32,
		BUFFERS(RANDOM(U16, 256, 0), OUT(U16, 256), RANDOM(F64, 128, 0), OUT(F64, 128))),
	PROGRAM(local_table, 2, 64, BUFFERS(RANDOM(U32, 128, 0), OUT(U32, 128))),
	PROGRAM(const_tables, 2, 64, BUFFERS(RANDOM(U32, 128, 0), OUT(U32, 128))),
	PROGRAM(early_exit, 2, 64, BUFFERS(RANDOM(U32, 100, 0), OUT(U32, 100)), VALUES(100)),
	PROGRAM(nested_loops, 2, 64, BUFFERS(RANDOM(U32, 128, 0), OUT(U32, 128))),
	PROGRAM(gotos, 2, 64, BUFFERS(RANDOM(U32, 128, 0), OUT(U32, 128))),
	PROGRAM(short_circuit, 2, 64,
		BUFFERS(RANDOM(U32, 100, 100), RANDOM(U32, 128, 0), OUT(U32, 128)),
		.prepare = far_indices),
	PROGRAM(select_calls, 2, 64, BUFFERS(RANDOM(U32, 128, 0), OUT(U32, 128))),
	PROGRAM(punning, 2, 64, BUFFERS(RANDOM(U32, 128, 0), OUT(U32, 128))),
	PROGRAM(bitfields, 2, 64, BUFFERS(RANDOM(U32, 128, 0), OUT(U32, 128))),
	PROGRAM(matrix_power, 2, 32, BUFFERS(OUT(U64, 64)), VALUES(40)),
};

const struct program_file lang_programs = {"lang", rows, ARRAY_LEN(rows)};
