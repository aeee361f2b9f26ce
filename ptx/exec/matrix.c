/* Products of matrices. Products of halves, bfloats and tf32 are exact in f32; they are summed up
 * one after the other by ascending k, each sum rounded to f32, sums in f16 once more at the end.
 * PTX leaves order and precision open. */
#include "ptx/isa/matrix.h"

#include "ptx/exec/lanes_half.h"
#include "ptx/exec/private.h"

#include <math.h>
#include <string.h>

#define ROWS 16u
#define CHUNKS 8u /* of A's rows and B's columns: registers, two for f64 */

/* The registers of a row of A, or of a column of B, in order of k. */
struct strip {
	uint32_t word[CHUNKS], high[CHUNKS]; /* high: the upper words of f64 */
};

struct product {
	struct matrix_op op;
	struct strip a[ROWS], b[MATRIX_N];
	unsigned chunks; /* in use */
	unsigned c;      /* C's first source */
};

/* The four chunks of eight strips that the warp holds in a source. */
static void read_strips(
	const struct issue *is, unsigned source, bool wide, struct strip *s, unsigned first)
{
	const uint32_t *from = exec_source(is->warp, is->instr->src[source]);

	for (unsigned lane = 0; lane < WARP_LANES; lane++) {
		s[lane / 4].word[first + lane % 4] = from[lane];
		s[lane / 4].high[first + lane % 4] = wide ? from[WARP_LANES + lane] : 0;
	}
}

static void gather(const struct issue *is, struct product *p)
{
	unsigned bits, halves, source = 0;

	p->op = matrix_op(is->instr->op);
	bits = matrix_bits((enum matrix_type)p->op.a);
	halves = p->op.m / 8u;
	p->chunks = p->op.k / (bits < 32 ? 32 / bits : 1);
	for (unsigned c = 0; c < p->chunks; c += 4)
		for (unsigned h = 0; h < halves; h++)
			read_strips(is, source++, bits > 32, &p->a[8 * h], c);
	for (unsigned c = 0; c < p->chunks; c += 4)
		read_strips(is, source++, bits > 32, p->b, c);
	p->c = source;
}

/* ---- elements */
static unsigned as_floats(const struct strip *s, enum matrix_type type, unsigned chunks, float *out)
{
	unsigned n = 0;

	for (unsigned c = 0; c < chunks; c++) {
		uint32_t word = s->word[c];

		if (type == MATRIX_TF32) {
			out[n++] = float_of(word & 0xffffe000u);
		} else if (type == MATRIX_F16) {
			out[n++] = (float)from_f16(word & 0xffffu);
			out[n++] = (float)from_f16(word >> 16);
		} else {
			out[n++] = (float)from_bf16(word & 0xffffu);
			out[n++] = (float)from_bf16(word >> 16);
		}
	}
	return n;
}

static unsigned as_integers(
	const struct strip *s, enum matrix_type type, unsigned chunks, int32_t *out)
{
	unsigned bits = matrix_bits(type), n = 0;
	bool is_signed = type == MATRIX_S8 || type == MATRIX_S4;

	for (unsigned c = 0; c < chunks; c++)
		for (unsigned at = 0; at < 32; at += bits) {
			uint32_t top = s->word[c] << (32 - bits - at);

			out[n++] = is_signed ? (int32_t)top >> (32 - bits)
					     : (int32_t)(top >> (32 - bits));
		}
	return n;
}

/* ---- C and D: value (row, column) is in element 2 * (row / 8) + column % 2 of a lane */
struct place {
	unsigned element, lane;
};

static struct place place_of(unsigned row, unsigned column)
{
	return (struct place){2 * (row / 8) + column % 2, row % 8 * 4 + column / 2};
}

static const uint32_t *addend(
	const struct issue *is, const struct product *p, unsigned element, bool pairs)
{
	return exec_source(is->warp, is->instr->src[p->c + (pairs ? element / 2 : element)]);
}

/* The results of a warp, by element and lane, are written when all are computed: D may be C. */
struct results {
	uint32_t word[4][WARP_LANES], high[4][WARP_LANES];
};

static void put_plane(const struct issue *is, unsigned d, const uint32_t *low, const uint32_t *high)
{
	uint32_t sink[2 * WARP_LANES];
	struct operand o = is->instr->dst[d];
	uint32_t *to = exec_destination(is->warp, o, sink);

	for (unsigned i = 0; i < WARP_LANES; i++) {
		if (!(is->mask >> i & 1))
			continue;
		to[i] = low[i];
		if (high)
			to[WARP_LANES + i] = high[i];
	}
}

static void put_results(const struct issue *is, const struct product *p, struct results *r)
{
	unsigned n = p->op.m / 4u;

	if (p->op.sum != SUM_F16) {
		for (unsigned e = 0; e < n; e++)
			put_plane(is, e, r->word[e], p->op.sum == SUM_F64 ? r->high[e] : NULL);
		return;
	}
	for (unsigned e = 0; e < n; e += 2) {
		for (unsigned i = 0; i < WARP_LANES; i++)
			r->word[e][i] |= r->word[e + 1][i] << 16;
		put_plane(is, e / 2, r->word[e], NULL);
	}
}

/* ---- sums */
static void sum_floats(const struct issue *is, const struct product *p, struct results *r)
{
	float a[ROWS][16], b[16][MATRIX_N], column[16], sum[MATRIX_N];
	bool halves = p->op.sum == SUM_F16;
	unsigned k;

	for (unsigned n = 0; n < MATRIX_N; n++) {
		k = as_floats(&p->b[n], (enum matrix_type)p->op.b, p->chunks, column);
		while (k--)
			b[k][n] = column[k];
	}
	for (unsigned m = 0; m < p->op.m; m++) {
		as_floats(&p->a[m], (enum matrix_type)p->op.a, p->chunks, a[m]);
		for (unsigned n = 0; n < MATRIX_N; n++) {
			struct place at = place_of(m, n);
			uint32_t word = addend(is, p, at.element, halves)[at.lane];

			sum[n] = halves ? (float)from_f16(word >> 16 * (n % 2) & 0xffffu)
					: float_of(word);
		}
		for (k = 0; k < p->op.k; k++)
			for (unsigned n = 0; n < MATRIX_N; n++)
				sum[n] += a[m][k] * b[k][n];
		for (unsigned n = 0; n < MATRIX_N; n++) {
			struct place at = place_of(m, n);

			r->word[at.element][at.lane] =
				halves ? to_f16((double)sum[n]) : bits32(sum[n]);
		}
	}
}

static double double_at(const struct strip *s, unsigned c)
{
	return double_of((uint64_t)s->high[c] << 32 | s->word[c]);
}

static void sum_doubles(const struct issue *is, const struct product *p, struct results *r)
{
	for (unsigned m = 0; m < p->op.m; m++)
		for (unsigned n = 0; n < MATRIX_N; n++) {
			struct place at = place_of(m, n);
			const uint32_t *c = addend(is, p, at.element, false) + at.lane;
			double sum = double_of((uint64_t)c[WARP_LANES] << 32 | c[0]);

			for (unsigned k = 0; k < p->op.k; k++)
				sum = fma(double_at(&p->a[m], k), double_at(&p->b[n], k), sum);
			r->word[at.element][at.lane] = (uint32_t)bits64(sum);
			r->high[at.element][at.lane] = (uint32_t)(bits64(sum) >> 32);
		}
}

static int64_t product_of_bits(const struct product *p, unsigned m, unsigned n)
{
	int64_t sum = 0;

	for (unsigned c = 0; c < p->chunks; c++) {
		uint32_t a = p->a[m].word[c], b = p->b[n].word[c];

		sum += count_bits(p->op.exclusive ? a ^ b : a & b);
	}
	return sum;
}

static uint32_t close_sum(int64_t sum, bool saturate)
{
	if (saturate)
		sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
	return (uint32_t)sum;
}

static void sum_integers(const struct issue *is, const struct product *p, struct results *r)
{
	int32_t a[MATRIX_K], b[MATRIX_N][MATRIX_K];
	bool bits = p->op.a == MATRIX_B1;

	for (unsigned n = 0; n < MATRIX_N && !bits; n++)
		as_integers(&p->b[n], (enum matrix_type)p->op.b, p->chunks, b[n]);
	for (unsigned m = 0; m < p->op.m; m++) {
		if (!bits)
			as_integers(&p->a[m], (enum matrix_type)p->op.a, p->chunks, a);
		for (unsigned n = 0; n < MATRIX_N; n++) {
			struct place at = place_of(m, n);
			int64_t sum = (int32_t)addend(is, p, at.element, false)[at.lane];

			sum += bits ? product_of_bits(p, m, n) : 0;
			for (unsigned k = 0; k < p->op.k && !bits; k++)
				sum += a[k] * b[n][k];
			r->word[at.element][at.lane] = close_sum(sum, p->op.saturate);
		}
	}
}

/* ---- movmatrix: lane l holds elements 2 * (l % 4) and the next one of row l / 4. */
static void transpose(const struct issue *is)
{
	const uint32_t *from = exec_source(is->warp, is->instr->src[0]);
	uint32_t word[WARP_LANES];

	for (unsigned lane = 0; lane < WARP_LANES; lane++) {
		unsigned row = lane / 4, column = lane % 4 * 2;
		uint32_t low = from[column * 4 + row / 2], high = from[(column + 1) * 4 + row / 2];

		word[lane] = (low >> 16 * (row % 2) & 0xffffu) | (high >> 16 * (row % 2) & 0xffffu)
									 << 16;
	}
	put_plane(is, 0, word, NULL);
}

void exec_matrix(struct issue *is)
{
	struct results r;
	struct product p;

	if (!is->mask)
		return;
	exec_check_whole(is);
	if (is->instr->op == MATRIX_TRANSPOSE) {
		transpose(is);
		return;
	}
	gather(is, &p);
	switch (p.op.sum) {
	case SUM_F64:
		sum_doubles(is, &p, &r);
		break;
	case SUM_S32:
		sum_integers(is, &p, &r);
		break;
	default:
		sum_floats(is, &p, &r);
	}
	put_results(is, &p, &r);
}

/* ---- ldmatrix, stmatrix: of eight rows of eight halves, lane l holds elements 2 * (l % 4) and the
 * next one of row l / 4; of those that are transposed, of column l / 4. */
#define ROW_BYTES 16u

/* The addresses of the rows, of lanes in the mask; all are in shared memory. Without such lanes
 * *some is false. */
static enum exec_result row_addresses(struct issue *is, bool *some)
{
	unsigned rows = MATRIX_ROWS(is->instr->op) * 8;
	enum exec_result result = EXEC_OK;
	uint32_t mask = is->mask;

	exec_check_whole(is);
	is->mask &= FULL_MASK >> (WARP_LANES - rows);
	*some = is->mask != 0;
	if (*some)
		result = exec_addresses(is, ROW_BYTES);
	if (*some && result == EXEC_OK && (is->access->space != SPACE_SHARED || is->access->more))
		result = exec_fault(is, FAULT_OUT_OF_BOUNDS, low_bit(is->access->mask),
			is->access->addr[low_bit(is->access->mask)]);
	is->mask = mask;
	return result;
}

static uint32_t turned_word(uint16_t (*row)[8], unsigned lane)
{
	unsigned first = lane % 4 * 2;

	return row[first][lane / 4] | (uint32_t)row[first + 1][lane / 4] << 16;
}

enum exec_result exec_load_matrix(struct issue *is)
{
	const struct instr *in = is->instr;
	const unsigned char *shared = is->warp->cta->shared;
	uint16_t row[WARP_LANES][8] = {{0}};
	uint32_t word[WARP_LANES];
	bool some;

	if (row_addresses(is, &some) != EXEC_OK)
		return EXEC_FAULT;
	if (!some)
		return EXEC_OK;
	for (uint32_t left = is->access->mask; left; left &= left - 1)
		memcpy(row[low_bit(left)], shared + is->access->addr[low_bit(left)], ROW_BYTES);
	for (unsigned j = 0; j < MATRIX_ROWS(in->op); j++) {
		for (unsigned lane = 0; lane < WARP_LANES; lane++)
			if (in->op & MATRIX_TURNED)
				word[lane] = turned_word(&row[8 * j], lane);
			else
				memcpy(&word[lane], &row[8 * j + lane / 4][lane % 4 * 2], 4);
		put_plane(is, j, word, NULL);
	}
	return EXEC_OK;
}

enum exec_result exec_store_matrix(struct issue *is)
{
	const struct instr *in = is->instr;
	unsigned char *shared = is->warp->cta->shared;
	uint16_t row[WARP_LANES][8];
	bool some;

	if (row_addresses(is, &some) != EXEC_OK)
		return EXEC_FAULT;
	if (!some)
		return EXEC_OK;
	for (unsigned j = 0; j < MATRIX_ROWS(in->op); j++) {
		const uint32_t *from = exec_source(is->warp, in->src[1 + j]);

		for (unsigned lane = 0; lane < WARP_LANES; lane++) {
			unsigned across = lane / 4, along = lane % 4 * 2;

			if (in->op & MATRIX_TURNED) {
				row[8 * j + along][across] = (uint16_t)from[lane];
				row[8 * j + along + 1][across] = (uint16_t)(from[lane] >> 16);
			} else {
				memcpy(&row[8 * j + across][along], &from[lane], 4);
			}
		}
	}
	for (uint32_t left = is->access->mask; left; left &= left - 1)
		memcpy(shared + is->access->addr[low_bit(left)], row[low_bit(left)], ROW_BYTES);
	return EXEC_OK;
}
