/* What threads that need one another give. */
#include "tests/programs/programs.h"

#include <string.h>

static void vote_kinds(const struct program_run *r)
{
	const uint32_t *in = r->b[0];
	uint32_t *out = r->b[1];

	for (uint32_t w = 0; w < r->threads; w += 32) {
		uint32_t ballot = 0, all = 1, any = 0;

		for (uint32_t i = 0; i < 32; i++) {
			ballot |= (in[w + i] >> 2 & 1) << i;
			all &= in[w + i] < 250;
			any |= in[w + i] > 250;
		}
		for (uint32_t i = 0; i < 32; i++)
			out[w + i] = ballot ^ (all * 2 + any * 4 + 8);
	}
}

static void vote_parts(const struct program_run *r)
{
	const uint32_t *in = r->b[0];
	uint32_t *out = r->b[1];

	for (uint32_t w = 0; w < r->threads; w += 32) {
		uint32_t odd = 0, twos = 0, any = 0;

		for (uint32_t i = 0; i < 32; i++) {
			odd |= (in[w + i] & 1) << i;
			twos |= ((in[w + i] & 3) == 3 ? 1u : 0) << i;
			any |= (in[w + i] & 5) == 4;
		}
		for (uint32_t i = 0; i < 32; i++)
			out[w + i] = odd >> i & 1 ? twos : any ? ~odd : 5;
	}
}

/* Lane i reads what `from` had; lanes outside the warp are the lane itself. */
static uint32_t other(const uint32_t *v, uint32_t i, int from)
{
	return from < 0 || from > 31 ? v[i] : v[from];
}

static void shuffle_kinds(const struct program_run *r)
{
	for (uint32_t w = 0; w < r->threads; w += 32) {
		const uint32_t *in = (uint32_t *)r->b[0] + w;
		uint32_t *out = (uint32_t *)r->b[1] + w, a[32], b[32], c[32];

		for (int i = 0; i < 32; i++)
			a[i] = in[i] + other(in, (uint32_t)i, i - 3);
		for (int i = 0; i < 32; i++)
			b[i] = a[i] * 3 + other(a, (uint32_t)i, i + 5);
		for (int i = 0; i < 32; i++)
			c[i] = b[i] * 3 + b[i ^ 9];
		for (int i = 0; i < 32; i++)
			out[i] = c[i] * 3 + c[c[i] % 32];
	}
}

static void shuffle_segments(const struct program_run *r)
{
	const uint32_t *in = r->b[0];
	uint32_t *out = r->b[1];

	for (uint32_t i = 0; i < r->threads; i++)
		out[i] = in[i % 8 < 5 ? i + 3 : i] + 3 * in[i % 8 < 2 ? i : i - 2] +
			 9 * in[i / 8 * 8 + 5];
}

static void match_equal(const struct program_run *r)
{
	const uint32_t *in = r->b[0];
	uint32_t *out = r->b[1];

	for (uint32_t i = 0; i < 32 * r->threads; i++)
		out[i / 32] |= (in[i / 32] == in[i / 32 / 32 * 32 + i % 32] ? 1u : 0) << i % 32;
}

static void warp_histogram(const struct program_run *r)
{
	const uint32_t *in = r->b[0];
	uint32_t *out = r->b[1];

	for (uint32_t i = 0; i < r->threads; i++)
		out[in[i]]++;
}

static void bit_transpose(const struct program_run *r)
{
	const uint32_t *in = r->b[0];
	uint32_t *out = r->b[1];

	for (uint32_t i = 0; i < r->threads * 32; i++)
		out[i / 1024 * 32 + i % 32] |= (in[i / 32] >> i % 32 & 1) << i / 32 % 32;
}

static void producer_consumer(const struct program_run *r)
{
	const uint32_t *in = r->b[0];
	uint32_t *out = r->b[1];

	for (uint32_t c = 0; c < r->ctas * 64; c++)
		for (uint32_t i = 0; i < r->v[0]; i++)
			out[c] = out[c] * 31 + in[i * 64 + 63 - c % 64];
}

static void barrier_votes(const struct program_run *r)
{
	const uint32_t *in = r->b[0];
	uint32_t *out = r->b[1];

	for (uint32_t c = 0; c < r->threads; c += r->block) {
		uint32_t n = 0, big = 0, five = 0;

		for (uint32_t i = c; i < c + r->block; i++) {
			n += in[i] & 1;
			big |= in[i] >= 1000;
			five |= in[i] == 5;
		}
		for (uint32_t i = c; i < c + r->block; i++)
			out[i] = n * 4 + (big ? 0u : 2u) + five;
	}
}

static void dynamic_shared(const struct program_run *r)
{
	const uint32_t *in = r->b[0];
	uint32_t *out = r->b[1], n = r->v[0];

	for (uint32_t i = 0; i < n; i++)
		out[i] = in[n - 1 - i] + (n - 1 - i) % 256;
}

static void barrier_in_loop(const struct program_run *r)
{
	uint32_t *out = r->b[1], old[96];

	memcpy(out, r->b[0], r->threads * 4);
	for (uint32_t c = 0; c < r->threads; c += 96)
		for (uint32_t k = 0; k < r->v[0]; k++) {
			memcpy(old, out + c, sizeof(old));
			for (uint32_t i = 0; i < 96; i++)
				out[c + i] = old[(i + k + 1) % 96] * 5 + old[i];
		}
}

static void stack_push(const struct program_run *r)
{
	uint32_t *seen = r->b[2];

	seen[0] = r->threads * (r->threads + 1) / 2;
	seen[1] = r->threads;
}

static void ticket_lock(const struct program_run *r)
{
	uint32_t *next = r->b[0], *serving = r->b[1], *data = r->b[2];

	for (; *next < r->ctas; ++*next)
		*data = *data * 3 + 1;
	*serving = *next;
}

static void spin_lock(const struct program_run *r)
{
	uint32_t *data = r->b[1];

	for (uint32_t i = 0; i < r->threads; i++) {
		data[0] += data[1] + i;
		data[1]++;
	}
}

static void atomic_extremes(const struct program_run *r)
{
	const uint32_t *in = r->b[0];
	uint32_t *out = r->b[1];
	uint64_t *wide = r->b[2];

	for (uint32_t i = 0; i < r->threads; i++) {
		uint64_t square = (uint64_t)in[i] * in[i];
		int64_t times = (int64_t)(int32_t)in[i] * 77;

		out[0] = in[i] > out[0] ? in[i] : out[0];
		out[1] = in[i] < out[1] ? in[i] : out[1];
		out[2] = (int32_t)in[i] > (int32_t)out[2] ? in[i] : out[2];
		out[3] = (int32_t)in[i] < (int32_t)out[3] ? in[i] : out[3];
		wide[0] = square > wide[0] ? square : wide[0];
		wide[1] = times < (int64_t)wide[1] ? (uint64_t)times : wide[1];
	}
}

static void atomic_logic(const struct program_run *r)
{
	const uint32_t *in = r->b[0];
	uint32_t *out = r->b[1];

	for (uint32_t i = 0; i < r->threads; i++) {
		out[0] &= in[i] | 0x0ff00ff0;
		out[1] |= in[i] & 0x00100401;
		out[2] ^= in[i];
	}
	for (uint32_t i = 0; i < r->threads; i++) {
		out[3] = out[3] >= 9 ? 0 : out[3] + 1;
		out[4] = out[4] == 0 || out[4] > 13 ? 13 : out[4] - 1;
	}
}

static void atomic_floats(const struct program_run *r)
{
	const uint32_t *in = r->b[0];
	float *f = r->b[1];
	double *d = r->b[2];

	for (uint32_t i = r->threads; i-- > 0;) {
		f[i % 3] += (float)(in[i] % 1000);
		d[i % 2] += in[i] / 4.0;
	}
}

static void cas_loop(const struct program_run *r)
{
	const float *in = r->b[0];
	float best = 0;

	for (uint32_t i = 0; i < r->threads; i++)
		best = in[i] > best ? in[i] : best;
	memcpy(r->b[1], &best, 4);
}

static void shared_atomics(const struct program_run *r)
{
	const uint32_t *in = r->b[0];
	uint32_t *out = r->b[1];

	for (uint32_t i = 0; i < r->threads; i++) {
		uint32_t *o = out + 3 * (i / r->block);

		o[0] += in[i];
		o[1] = in[i] > o[1] ? in[i] : o[1];
		o[2]++;
	}
}

static void root(const struct program_run *r)
{
	((uint32_t *)r->b[0])[0] = 1;
	((uint32_t *)r->b[1])[1] = 1;
}

static void work_queue(const struct program_run *r)
{
	uint32_t *counts = r->b[1], *visited = r->b[2];

	counts[0] = counts[1] = counts[2] = r->v[0];
	for (uint32_t i = 0; i < r->v[0]; i++)
		visited[i] = i + 1;
}

static void double_buffer(const struct program_run *r)
{
	const uint32_t *in = r->b[0];
	uint32_t *out = r->b[1];

	for (uint32_t t = 0; t < 64; t++)
		for (uint32_t i = 0; i < r->v[0]; i++)
			for (uint32_t k = 0; k < 64; k += 7)
				out[t] = out[t] * 3 + in[i * 64 + (t + k) % 64];
}

static void wavefront(const struct program_run *r)
{
	const uint32_t *in = r->b[0];
	uint32_t *out = r->b[1], n = r->v[0], cell[33][33] = {{1}};

	for (uint32_t i = 1; i <= n; i++) {
		cell[i][0] = i;
		cell[0][i] = 3 * i;
	}
	for (uint32_t i = 0; i < n * n; i++) {
		uint32_t y = i / n + 1, x = i % n + 1;

		cell[y][x] = cell[y - 1][x] * 3 + cell[y][x - 1] * 5 + cell[y - 1][x - 1] + in[i];
		out[i] = cell[y][x];
	}
}

static void alone(const struct program_run *r)
{
	uint32_t *parent = r->b[0];

	for (uint32_t i = 0; i < r->v[0]; i++)
		parent[i] = i;
}

/* Labels spread along edges until none changes. */
static void union_find(const struct program_run *r)
{
	const uint32_t *from = r->b[1], *to = r->b[2];
	uint32_t *root_of = r->b[3];
	bool changed = true;

	for (uint32_t i = 0; i < r->v[0]; i++)
		root_of[i] = i;
	while (changed) {
		changed = false;
		for (uint32_t i = 0; i < r->threads; i++) {
			uint32_t a = root_of[from[i]], b = root_of[to[i]], low = a < b ? a : b;

			changed = changed || a != b;
			root_of[from[i]] = root_of[to[i]] = low;
		}
	}
}

static const struct program_row rows[] = {
	PROGRAM(vote_kinds, 8, 64, BUFFERS(RANDOM(U32, 512, 256), OUT(U32, 512))),
	PROGRAM(vote_parts, 2, 64, BUFFERS(RANDOM(U32, 128, 16), OUT(U32, 128))),
	PROGRAM(shuffle_kinds, 2, 64, BUFFERS(RANDOM(U32, 128, 0), OUT(U32, 128))),
	PROGRAM(shuffle_segments, 2, 64, BUFFERS(RANDOM(U32, 128, 0), OUT(U32, 128))),
	PROGRAM(match_equal, 2, 64, BUFFERS(RANDOM(U32, 128, 6), OUT(U32, 128))),
	PROGRAM(warp_histogram, 2, 96, BUFFERS(RANDOM(U32, 192, 10), OUT(U32, 10))),
	PROGRAM(bit_transpose, 2, 64, BUFFERS(RANDOM(U32, 128, 0), OUT(U32, 128))),
	PROGRAM(producer_consumer, 2, 128, BUFFERS(RANDOM(U32, 640, 0), OUT(U32, 128)), VALUES(10)),
	PROGRAM(barrier_votes, 6, 96, BUFFERS(RANDOM(U32, 576, 1005), OUT(U32, 576))),
	PROGRAM(dynamic_shared, 1, 64, BUFFERS(RANDOM(U32, 300, 0), OUT(U32, 300)), VALUES(300),
		.shared_bytes = 1500),
	PROGRAM(barrier_in_loop, 2, 96, BUFFERS(RANDOM(U32, 192, 0), OUT(U32, 192)), VALUES(20)),
	PROGRAM(union_find, 1, 64,
		BUFFERS(SCRATCH(U32, 100), RANDOM(U32, 64, 100), RANDOM(U32, 64, 100),
			OUT(U32, 100)),
		VALUES(100), .prepare = alone),
	PROGRAM(stack_push, 1, 128, BUFFERS(SCRATCH(U32, 129), SCRATCH(U32, 1), OUT(U32, 2))),
	PROGRAM(ticket_lock, 4, 64, BUFFERS(OUT(U32, 1), OUT(U32, 1), RANDOM(U32, 1, 0))),
	PROGRAM(spin_lock, 2, 48, BUFFERS(OUT(U32, 1), RANDOM(U32, 2, 0))),
	PROGRAM(atomic_extremes, 3, 64,
		BUFFERS(RANDOM(U32, 192, 0), RANDOM(U32, 4, 0), OUT(U64, 2))),
	PROGRAM(atomic_logic, 3, 64, BUFFERS(RANDOM(U32, 192, 0), RANDOM(U32, 5, 0))),
	PROGRAM(atomic_floats, 3, 64, BUFFERS(RANDOM(U32, 192, 0), OUT(F32, 3), OUT(F64, 2))),
	PROGRAM(cas_loop, 3, 64, BUFFERS(RANDOM(F32, 192, 100), OUT(U32, 1))),
	PROGRAM(shared_atomics, 3, 64, BUFFERS(RANDOM(U32, 192, 0), OUT(U32, 9))),
	PROGRAM(work_queue, 1, 128, BUFFERS(SCRATCH(U32, 128), OUT(U32, 3), OUT(U32, 100)),
		VALUES(100), .prepare = root),
	PROGRAM(double_buffer, 1, 64, BUFFERS(RANDOM(U32, 512, 0), OUT(U32, 64)), VALUES(8)),
	PROGRAM(wavefront, 1, 32, BUFFERS(RANDOM(U32, 1024, 0), OUT(U32, 1024)), VALUES(32)),
};

const struct program_file sync_programs = {"sync", rows, ARRAY_LEN(rows)};
