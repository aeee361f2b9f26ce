/* Warps, barriers and atomics: threads that need one another. */
#include "tests/programs/cuda.h"

KERNEL vote_kinds(const u32 *in, u32 *out)
{
	u32 v = in[thread()];
	u32 all = __nvvm_vote_all_sync(FULL, v < 250), any = __nvvm_vote_any_sync(FULL, v > 250);
	u32 uniform = __nvvm_vote_uni_sync(FULL, v < 256);

	out[thread()] = ballot(v & 4) ^ (all << 1 | any << 2 | uniform << 3);
}

/* Only a part of the warp votes, in divergent code. */
KERNEL vote_parts(const u32 *in, u32 *out)
{
	u32 v = in[thread()], odd = ballot(v & 1);

	if (v & 1)
		out[thread()] = __nvvm_vote_ballot_sync(odd, v & 2);
	else
		out[thread()] = __nvvm_vote_any_sync(~odd, v & 4) ? ~odd : 5;
}

KERNEL shuffle_kinds(const u32 *in, u32 *out)
{
	u32 v = in[thread()];

	v += shuffle_up(v, 3);
	v = v * 3 + shuffle_down(v, 5);
	v = v * 3 + shuffle_xor(v, 9);
	out[thread()] = v * 3 + shuffle(v, v);
}

/* Segments of eight lanes: the width stands in the clamp's upper bits. */
KERNEL shuffle_segments(const u32 *in, u32 *out)
{
	s32 v = (s32)in[thread()];
	s32 a = __nvvm_shfl_sync_down_i32((s32)FULL, v, 3, 0x181f);
	s32 b = __nvvm_shfl_sync_up_i32((s32)FULL, v, 2, 0x1800);
	s32 c = __nvvm_shfl_sync_idx_i32((s32)FULL, v, 13, 0x181f);

	out[thread()] = (u32)(a + 3 * b + 9 * c);
}

KERNEL match_equal(const u32 *in, u32 *out)
{
	out[thread()] = __nvvm_match_any_sync_i32(FULL, in[thread()]);
}

/* One atomic a distinct key: leaders of equal lanes add for all. */
KERNEL warp_histogram(const u32 *in, u32 *out)
{
	u32 key = in[thread()], same = __nvvm_match_any_sync_i32(FULL, key);

	if (lane() == (u32)__builtin_ctz(same))
		atomic_add(&out[key], (u32)__builtin_popcount(same));
}

/* A 32 x 32 bit matrix turned by ballots. */
KERNEL bit_transpose(const u32 *in, u32 *out)
{
	u32 row = in[thread()], mine = 0;

	for (u32 bit = 0; bit < 32; bit++) {
		u32 column = ballot(row >> bit & 1);

		if (lane() == bit)
			mine = column;
	}
	out[thread()] = mine;
}

/* Halves of the CTA hand a buffer over and back by two named barriers. */
KERNEL producer_consumer(const u32 *in, u32 *out, u32 rounds)
{
	__shared__ u32 slot[64];
	u32 t = threadIdx.x & 63, sum = 0;

	for (u32 i = 0; i < rounds; i++)
		if (threadIdx.x < 64) {
			if (i)
				__asm__ volatile("bar.sync 2, 128;" ::: "memory");
			slot[63 - t] = in[i * 64 + t];
			__asm__ volatile("bar.arrive 1, 128;" ::: "memory");
		} else {
			__asm__ volatile("bar.sync 1, 128;" ::: "memory");
			sum = sum * 31 + slot[t];
			if (i + 1 < rounds)
				__asm__ volatile("bar.arrive 2, 128;" ::: "memory");
		}
	if (threadIdx.x >= 64)
		out[blockIdx.x * 64 + t] = sum;
}

KERNEL barrier_votes(const u32 *in, u32 *out)
{
	u32 v = in[thread()];
	u32 n = (u32)__nvvm_bar0_popc((s32)(v & 1)), all = (u32)__nvvm_bar0_and(v < 1000) != 0;
	u32 any = (u32)__nvvm_bar0_or(v == 5) != 0;

	out[thread()] = n << 2 | all << 1 | any;
}

extern __shared__ u32 dynamic[];

KERNEL dynamic_shared(const u32 *in, u32 *out, u32 n)
{
	u8 *bytes = (u8 *)(dynamic + n);

	for (u32 i = threadIdx.x; i < n; i += blockDim.x) {
		dynamic[n - 1 - i] = in[i];
		bytes[i] = (u8)i;
	}
	barrier();
	for (u32 i = threadIdx.x; i < n; i += blockDim.x)
		out[i] = dynamic[i] + bytes[n - 1 - i];
}

KERNEL barrier_in_loop(const u32 *in, u32 *out, u32 rounds)
{
	__shared__ u32 ring[96];
	u32 t = threadIdx.x;

	ring[t] = in[thread()];
	for (u32 i = 0; i < rounds; i++) {
		u32 next;

		barrier();
		next = ring[(t + i + 1) % 96] * 5 + ring[t];
		barrier();
		ring[t] = next;
	}
	out[thread()] = ring[t];
}

DEVICE u32 find(u32 *parent, u32 x)
{
	volatile u32 *p = parent;

	while (p[x] != x)
		x = p[x];
	return x;
}

/* Roots are the least of their sets in the end, whatever the order: one CTA, an edge a thread. */
KERNEL union_find(u32 *parent, const u32 *from, const u32 *to, u32 *out, u32 n)
{
	u32 a = find(parent, from[threadIdx.x]), b = find(parent, to[threadIdx.x]);

	while (a != b) {
		u32 high = a > b ? a : b, low = a > b ? b : a,
		    old = atomic_cas(&parent[high], high, low);

		if (old == high)
			break;
		a = find(parent, old);
		b = find(parent, low);
	}
	barrier();
	for (u32 i = threadIdx.x; i < n; i += blockDim.x)
		out[i] = find(parent, i);
}

/* Nodes are pushed by compare and swap; then one thread walks the list: one CTA. */
KERNEL stack_push(u32 *next, u32 *head, u32 *seen)
{
	u32 node = threadIdx.x + 1, old = *(volatile u32 *)head;

	for (;;) {
		u32 got;

		((volatile u32 *)next)[node] = old;
		__nvvm_membar_gl();
		got = atomic_cas(head, old, node);
		if (got == old)
			break;
		old = got;
	}
	barrier();
	if (threadIdx.x == 0)
		for (u32 at = *(volatile u32 *)head; at; at = ((volatile u32 *)next)[at]) {
			seen[0] += at;
			seen[1]++;
		}
}

/* A thread a CTA takes turns in the order of tickets (Lamport's bakery, with atomics). */
KERNEL ticket_lock(u32 *next, u32 *serving, u32 *data)
{
	if (threadIdx.x == 0) {
		u32 mine = atomic_add(next, 1);

		while (*(volatile u32 *)serving != mine) {
		}
		__nvvm_membar_gl();
		data[0] = *(volatile u32 *)data * 3 + 1;
		__nvvm_membar_gl();
		atomic_add(serving, 1);
	}
}

/* Every lane takes the lock, one lane of a warp at a time: lanes that reconverge behind a spin
 * would wait for each other. */
KERNEL spin_lock(u32 *lock, u32 *data)
{
	for (u32 turn = 0; turn < 32; turn++) {
		if (turn != lane())
			continue;
		while (atomic_exchange(lock, 1)) {
		}
		volatile u32 *d = data;
		d[0] += d[1] + thread();
		d[1] += 1;
		__nvvm_membar_gl();
		atomic_exchange(lock, 0);
	}
}

KERNEL atomic_extremes(const u32 *in, u32 *out, u64 *wide)
{
	u32 v = in[thread()];

	__nvvm_atom_max_gen_ui(&out[0], v);
	__nvvm_atom_min_gen_ui(&out[1], v);
	__nvvm_atom_max_gen_i((s32 *)&out[2], (s32)v);
	__nvvm_atom_min_gen_i((s32 *)&out[3], (s32)v);
	__nvvm_atom_max_gen_ull(&wide[0], (u64)v * v);
	__nvvm_atom_min_gen_ll((s64 *)&wide[1], (s64)(s32)v * 77);
}

KERNEL atomic_logic(const u32 *in, u32 *out)
{
	u32 v = in[thread()];

	__nvvm_atom_and_gen_i((s32 *)&out[0], (s32)(v | 0x0ff00ff0));
	__nvvm_atom_or_gen_i((s32 *)&out[1], (s32)(v & 0x00100401));
	__nvvm_atom_xor_gen_i((s32 *)&out[2], (s32)v);
	__nvvm_atom_inc_gen_ui(&out[3], 9);
	__nvvm_atom_dec_gen_ui(&out[4], 13);
}

/* Sums that floats hold exactly, so that order does not matter. */
KERNEL atomic_floats(const u32 *in, float *f, double *d)
{
	__nvvm_atom_add_gen_f(&f[thread() % 3], (float)(in[thread()] % 1000));
	__nvvm_atom_add_gen_d(&d[thread() % 2], (double)in[thread()] * 0.25);
}

/* A float's maximum by compare and swap on its bits. */
KERNEL cas_loop(const float *in, u32 *best)
{
	float v = in[thread()];
	u32 old = *(volatile u32 *)best;

	while (v > __builtin_bit_cast(float, old)) {
		u32 got = atomic_cas(best, old, __builtin_bit_cast(u32, v));

		if (got == old)
			break;
		old = got;
	}
}

KERNEL shared_atomics(const u32 *in, u32 *out)
{
	__shared__ u32 sum, most, slots[32];

	if (threadIdx.x == 0) {
		sum = 0;
		most = 0;
	}
	if (threadIdx.x < 32)
		slots[threadIdx.x] = 0;
	barrier();
	atomic_add(&sum, in[thread()]);
	__nvvm_atom_max_gen_ui(&most, in[thread()]);
	slots[atomic_add(&slots[31], 1) % 31] = 9;
	barrier();
	if (threadIdx.x == 0) {
		out[3 * blockIdx.x] = sum;
		out[3 * blockIdx.x + 1] = most;
		out[3 * blockIdx.x + 2] = slots[31];
	}
}

/* Work is taken from a queue that grows: node i leads to 2i and 2i + 1. Counts are of nodes taken,
 * put and done. A thread a warp, since one waits for another's store. */
KERNEL work_queue(u32 *queue, u32 *counts, u32 *visited, u32 n)
{
	if (lane())
		return;
	for (;;) {
		u32 at, node;

		if (*(volatile u32 *)&counts[2] >= n)
			return;
		at = atomic_add(&counts[0], 0);
		if (at >= *(volatile u32 *)&counts[1] || atomic_cas(&counts[0], at, at + 1) != at)
			continue;
		while ((node = ((volatile u32 *)queue)[at]) == 0) {
		}
		visited[node - 1] += node;
		for (u32 k = 0; k < 2; k++)
			if (2 * node + k <= n) {
				u32 to = atomic_add(&counts[1], 1);

				__nvvm_membar_gl();
				((volatile u32 *)queue)[to] = 2 * node + k;
			}
		atomic_add(&counts[2], 1);
	}
}

KERNEL double_buffer(const u32 *in, u32 *out, u32 steps)
{
	__shared__ u32 a[2][64];
	u32 t = threadIdx.x, sum = 0;

	a[0][t] = in[t];
	barrier();
	for (u32 i = 0; i < steps; i++) {
		if (i + 1 < steps)
			a[(i + 1) & 1][t] = in[(i + 1) * 64 + t];
		for (u32 k = 0; k < 64; k += 7)
			sum = sum * 3 + a[i & 1][(t + k) & 63];
		barrier();
	}
	out[t] = sum;
}

KERNEL wavefront(const u32 *in, u32 *out, u32 n)
{
	__shared__ u32 cell[33][33];
	u32 t = threadIdx.x + 1;

	cell[t][0] = t;
	cell[0][t] = 3 * t;
	if (t == 1)
		cell[0][0] = 1;
	for (u32 d = 2; d <= 2 * n; d++) {
		u32 y = d - t;

		barrier();
		if (y >= 1 && y <= n)
			cell[y][t] = cell[y - 1][t] * 3 + cell[y][t - 1] * 5 + cell[y - 1][t - 1] +
				     in[(y - 1) * n + t - 1];
	}
	for (u32 y = 1; y <= n; y++)
		out[(y - 1) * n + t - 1] = cell[y][t];
}
