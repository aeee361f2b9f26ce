/* What the language asks of a compiler: calls, structures, tables, control flow. */
#include "tests/programs/cuda.h"

FAR u32 twist(u32 a, u32 b)
{
	if (a & 1)
		return a * 3 + b;
	for (u32 i = 0; i < (b & 3); i++)
		a = a * 5 + i;
	return a ^ b;
}

/* Calls in divergent code, from three places. */
KERNEL far_calls(const u32 *in, u32 *out)
{
	u32 v = in[thread()], sum = 0;

	if (v % 3 == 0)
		sum = twist(v, 7);
	else if (v % 3 == 1)
		for (u32 i = 0; i < (v & 7); i++)
			sum += twist(sum, i);
	out[thread()] = sum + twist(v, sum);
}

FAR u64 chain_c(u64 v, u32 n)
{
	return n & 1 ? v * 0x9e3779b97f4a7c15 : v ^ v >> 29;
}

FAR u64 chain_b(u64 v, u32 n)
{
	for (u32 i = 0; i < n; i++)
		v += chain_c(v, i);
	return v;
}

FAR u64 chain_a(u64 v, u32 n)
{
	return n > 4 ? chain_b(v, n - 4) + 1 : chain_c(chain_b(v, n), n);
}

KERNEL call_chain(const u64 *in, u64 *out)
{
	out[thread()] = chain_a(in[thread()], thread() % 8);
}

FAR void by_pointer(u32 *low, u32 *high, u64 v)
{
	*low = (u32)v;
	*high = (u32)(v >> 32);
}

KERNEL pointer_results(const u64 *in, u32 *out)
{
	u32 a, b;

	by_pointer(&a, &b, in[thread()] * 3);
	by_pointer(&out[2 * thread()], &b, (u64)b << 32 | a);
	out[2 * thread() + 1] = b + a;
}

/* One function on pointers to shared, local and global memory, a warp each. */
FAR u32 generic_sum(const u32 *p, u32 n)
{
	u32 sum = 0;

	for (u32 i = 0; i < n; i++)
		sum = sum * 3 + p[i];
	return sum;
}

KERNEL generic_pointers(const u32 *in, u32 *out)
{
	__shared__ u32 shared[8];
	u32 local[8];

	for (u32 i = 0; i < 8; i++)
		local[i] = in[(thread() + i) & 63];
	if (threadIdx.x < 8)
		shared[threadIdx.x] = in[threadIdx.x] * 7;
	barrier();
	const u32 *p = thread() / 32 % 3 == 0 ? local : thread() / 32 % 3 == 1 ? shared : in;
	out[thread()] = generic_sum(p, 1 + thread() % 8);
}

struct shape {
	u8 kind;
	u16 sides;
	float size[2];
	u64 id __attribute__((aligned(8))); /* 32-bit hosts would align it to 4 */
	struct {
		s32 x, y;
	} at;
};

KERNEL structure_parameter(u32 *out, shape s)
{
	out[thread()] = s.kind + s.sides * thread() + (u32)(s.size[thread() & 1] * 4) +
			(u32)(s.id >> 32) + (u32)(s.at.x * s.at.y);
}

FAR shape grown(shape s, u32 n)
{
	s.kind = (u8)(s.kind + n);
	s.sides = (u16)(s.sides * n);
	s.size[n & 1] += (float)n;
	s.id = s.id << 8 | n;
	s.at.x -= (s32)n;
	s.at.y *= (s32)n;
	return s;
}

KERNEL structure_results(u64 *out)
{
	shape s = {1, 2, {3, 4}, 5, {6, 7}};

	for (u32 i = 0; i < thread() % 5; i++)
		s = grown(s, thread() + i);
	out[2 * thread()] = s.id * 31 + (u64)s.kind * 7 + s.sides;
	out[2 * thread() + 1] =
		(u64)(s64)(s32)(s.size[0] * s.size[1]) + (u64)(s64)(s.at.x * s.at.y);
}

struct particle {
	float x, y, z;
	u32 id;
};

KERNEL structure_array(const particle *in, particle *out, u32 n)
{
	particle p = in[n - 1 - thread()];

	p.x += p.y;
	p.z = -p.z;
	p.id += thread();
	out[thread()] = p;
}

KERNEL grid_of_three(u32 *out)
{
	u32 block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
	u32 t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;

	out[block * blockDim.x * blockDim.y * blockDim.z + t] =
		threadIdx.x | threadIdx.y << 4 | threadIdx.z << 8 | blockIdx.x << 12 |
		blockIdx.y << 16 | blockIdx.z << 20 | (blockDim.x + gridDim.z) << 24;
}

KERNEL switch_dense(const u32 *in, u32 *out)
{
	u32 v = in[thread()], x = v >> 4;

	switch (v & 15) {
	case 0:
		x += 5;
		break;
	case 1:
		x *= 3;
	case 2:
		x ^= 0xff;
		break;
	case 3:
	case 4:
		x = x % 77 + (v & 1);
		break;
	case 5:
		out[thread()] = 99;
		return;
	case 6:
		while (x > 1000)
			x /= 3;
		break;
	case 7:
		x = ~x;
		break;
	case 9:
		x <<= 3;
	default:
		x -= v;
	}
	out[thread()] = x;
}

KERNEL switch_sparse(const u32 *in, u32 *out)
{
	switch (in[thread()] * 0x10001u % 1000) {
	case 3:
		out[thread()] = 1;
		break;
	case 70:
		out[thread()] = 2;
		break;
	case 500 ... 700:
		out[thread()] = 3;
		break;
	case 999:
		out[thread()] = 4;
		break;
	default:
		out[thread()] = in[thread()] & 1 ? 5 : 6;
	}
}

/* An interpreter: a loop around a switch, each lane its own program. */
KERNEL machine(const u8 *code, u32 *out, u32 n)
{
	u32 acc = thread(), index = 7, pc = 0, steps = 0;
	const u8 *c = code + thread() * n;

	while (pc < n && steps++ < 64)
		switch (c[pc++] & 7) {
		case 0:
			acc += index;
			break;
		case 1:
			acc ^= acc << 3;
			break;
		case 2:
			index = acc & 15;
			break;
		case 3:
			if (acc & 1)
				pc++;
			break;
		case 4:
			pc = (acc + pc) % n;
			break;
		case 5:
			acc = acc * index + 1;
			break;
		case 6:
			if (index) {
				index--;
				pc = pc > 3 ? pc - 3 : 0;
			}
			break;
		default:
			acc += 0x1234;
		}
	out[thread()] = acc * 64 + steps;
}

typedef u32 u32x2 __attribute__((ext_vector_type(2)));
typedef u32 u32x4 __attribute__((ext_vector_type(4)));
typedef u16 u16x4 __attribute__((ext_vector_type(4)));
typedef double f64x2 __attribute__((ext_vector_type(2)));

KERNEL vector_words(const u32x4 *in, u32x4 *out, u32x2 *pairs)
{
	u32x4 v = in[thread()];

	out[thread()] = v.wzyx + v;
	pairs[thread()] = v.xz * v.yw;
}

KERNEL vector_parts(const u16x4 *in, u16x4 *out, const f64x2 *reals, f64x2 *sums)
{
	u16x4 v = in[thread()];
	f64x2 f = reals[thread()];

	v.y = (u16)(v.x * v.z);
	out[thread()] = v;
	sums[thread()] = f.yx * 2.0 + f;
}

KERNEL local_table(const u32 *in, u32 *out)
{
	u32 table[16];

	for (u32 i = 0; i < 16; i++)
		table[i] = i * i + thread();
	for (u32 i = 0; i < 32; i++)
		table[in[(thread() + i) & 127] & 15] += table[i & 15] * 3;
	u32 sum = 0;
	for (u32 i = 0; i < 16; i++)
		sum = sum * 7 + table[i];
	out[thread()] = sum;
}

static __constant__ const s16 squares[10] = {0, 1, 4, 9, 16, 25, 36, 49, 64, -81};
static __device__ u32 counters[4] = {10, 20, 30, 40};
static __device__ u32 *const where[2] = {&counters[1], &counters[3]};

KERNEL const_tables(const u32 *in, s32 *out)
{
	out[thread()] = squares[in[thread()] % 10] * 100 + (s32)*where[in[thread()] & 1];
}

KERNEL early_exit(const u32 *in, u32 *out, u32 n)
{
	u32 i = thread(), v;

	if (i >= n)
		return;
	v = in[i];
	if (v % 5 == 0)
		return;
	for (u32 k = 0; k < 20; k++) {
		v = v * 3 + k;
		if (v % 11 == 0) {
			out[i] = k;
			return;
		}
	}
	out[i] = v;
}

KERNEL nested_loops(const u32 *in, u32 *out)
{
	u32 v = in[thread()], sum = 0;

	for (u32 a = 0; a < (v & 7); a++)
		for (u32 b = a; b < (v >> 3 & 7); b++) {
			if ((a ^ b) == (v >> 6 & 7))
				continue;
			for (u32 c = 0; c <= b; c++) {
				if (c == (v >> 9 & 7))
					break;
				sum = sum * 3 + a + 5 * b + c;
			}
		}
	out[thread()] = sum;
}

KERNEL gotos(const u32 *in, u32 *out)
{
	u32 v = in[thread()], n = 0;

	if (v & 1)
		goto middle;
top:
	v = v * 5 + 1;
	if (v % 7 == 3)
		goto end;
middle:
	n++;
	if (n > 9)
		goto end;
	if (v % 3 == 0) {
		v += n;
		goto top;
	}
	v ^= v >> 3;
	if (v & 4)
		goto middle;
	goto top;
end:
	out[thread()] = v + n;
}

KERNEL short_circuit(const u32 *in, const u32 *valid, u32 *out)
{
	u32 i = thread();

	/* in[valid[i]] is out of bounds unless the left side says no */
	out[i] = (valid[i] < 100 && in[valid[i]] > 50) || (valid[i] >= 300 && valid[i] % 2) ? i : 0;
}

FAR u32 op_add(u32 a, u32 b)
{
	return a + b;
}

FAR u32 op_multiply(u32 a, u32 b)
{
	return a * b;
}

FAR u32 op_less(u32 a, u32 b)
{
	return a < b ? b - a : 0;
}

KERNEL select_calls(const u32 *in, u32 *out)
{
	u32 v = in[thread()];

	switch (v % 3) {
	case 0:
		v = op_add(v, 3);
		break;
	case 1:
		v = op_multiply(v, v);
		break;
	default:
		v = op_less(v, 1u << 30);
	}
	out[thread()] = v;
}

union word {
	u32 u;
	float f;
	u8 b[4];
	u16 h[2];
};

KERNEL punning(const u32 *in, u32 *out)
{
	word w;

	w.u = in[thread()];
	w.b[thread() & 3] ^= 0x5a;
	w.h[1] = (u16)(w.h[1] + w.h[0]);
	out[thread()] = w.u;
}

struct fields {
	u32 a : 3, b : 7;
	s32 c : 5;
	u32 d : 17;
};

KERNEL bitfields(const u32 *in, u32 *out)
{
	fields f = *(const fields *)&in[thread()];

	f.b += f.a;
	f.d ^= (u32)(f.c * f.c);
	f.c = f.c + 3;
	f.a = f.b;
	*(fields *)&out[thread()] = f;
}

KERNEL matrix_power(u64 *out, u32 n)
{
	u64 m[2][2] = {{thread(), 1}, {1, 0}}, r[2][2] = {{1, 0}, {0, 1}};

	for (u32 e = n + thread() % 4; e; e /= 2) {
		u64 s[2][2];

		for (u32 i = 0; i < 4 && (e & 1); i++)
			s[i / 2][i % 2] = r[i / 2][0] * m[0][i % 2] + r[i / 2][1] * m[1][i % 2];
		for (u32 i = 0; i < 4 && (e & 1); i++)
			r[i / 2][i % 2] = s[i / 2][i % 2];
		for (u32 i = 0; i < 4; i++)
			s[i / 2][i % 2] = m[i / 2][0] * m[0][i % 2] + m[i / 2][1] * m[1][i % 2];
		for (u32 i = 0; i < 4; i++)
			m[i / 2][i % 2] = s[i / 2][i % 2];
	}
	out[thread()] = r[0][1];
}
