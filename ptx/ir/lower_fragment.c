/* wmma becomes what is executed: products of 16 rows with 8 columns, or 8 with 8, and accesses of
 * each lane to the elements that it holds of them. */
#include "ptx/ir/lower_matrix.h"
#include "ptx/isa/matrix.h"

#include <stdio.h>
#include <string.h>

/* ---- the opcode */

/* D = A * B + C, m x n of depth k. With eight rows and more columns, D' = B' * A' is computed. */
struct shape {
	unsigned m, n, k;
	bool turned;
	enum matrix_type type; /* of A and B */
	enum matrix_sum sum;
};

static enum matrix_type type_of(const struct lower *l)
{
	static const struct {
		const char *word;
		enum matrix_type type;
	} types[] = {{".tf32", MATRIX_TF32}, {".bf16", MATRIX_BF16}, {".f64", MATRIX_F64},
		{".u8", MATRIX_U8}, {".s8", MATRIX_S8}, {".u4", MATRIX_U4}, {".s4", MATRIX_S4},
		{".b1", MATRIX_B1}};

	for (unsigned t = 0; t < ARRAY_LEN(types); t++)
		if (fragment_says(l, types[t].word))
			return types[t].type;
	return MATRIX_F16;
}

static enum matrix_sum sum_of(const struct lower *l)
{
	return fragment_says(l, ".f64")   ? SUM_F64
	       : fragment_says(l, ".s32") ? SUM_S32
	       : fragment_says(l, ".f32") ? SUM_F32
					  : SUM_F16;
}

static struct shape shape_of(const struct lower *l)
{
	const char *at = strstr(l->s->opcode, fragment_says(l, ".m8n")   ? ".m8"
					      : fragment_says(l, ".m32") ? ".m32"
									 : ".m16");
	struct shape s = {.type = type_of(l), .sum = sum_of(l)};

	BUG_ON(!at || sscanf(at, ".m%un%uk%u", &s.m, &s.n, &s.k) != 3);
	s.turned = s.n > 16;
	return s;
}

/* Rows of the product's first matrix, columns of its second one. */
static unsigned rows_of(const struct shape *s)
{
	return s->turned ? s->n : s->m;
}

static unsigned columns_of(const struct shape *s)
{
	return s->turned ? s->m : s->n;
}

/* Groups of eight rows that an instruction multiplies. */
static unsigned halves_of(const struct shape *s)
{
	return rows_of(s) < 16 ? 1 : 2;
}

static unsigned elements_of_register(const struct shape *s)
{
	unsigned bits = matrix_bits(s->type);

	return bits < 32 ? 32 / bits : 1;
}

/* Registers of eight rows, or columns: four chunks each. */
static unsigned groups_of(const struct shape *s)
{
	return s->k / elements_of_register(s) / 4;
}

/* ---- loads and stores of fragments */
/* Bits of an element smaller than a byte: strides are counted in bytes. */
static void read_stride(
	struct lane_access *p, const struct ast_operand *o, unsigned otherwise, unsigned bits)
{
	struct lower *l = p->l;
	unsigned shift = bits == 1 ? 3 : bits == 4 ? 1 : 0;

	p->bytes = bits < 8 ? 1 : bits / 8;
	p->stride = o ? lower_source(l, o, T_U32, false) : lower_const(otherwise, 1);
	if (!l->failed && (shift || p->stride.kind == IR_REG)) {
		struct ir_value own = lower_temp(l, 1); /* a load may overwrite the register */

		lower_compute(l, "shr.u32", own, p->stride, lower_const(shift, 1));
		p->stride = own;
	}
}

/* Halves in shared memory, as compilers load them from compute capability 7.5 on: 16 rows, or
 * columns, at once. Returns the number of registers. */
static unsigned load_halves(struct lane_access *p, const struct shape *s, unsigned rows,
	unsigned halves, bool aside, const struct fragment *f)
{
	unsigned groups = groups_of(s), n = 0;

	lane_start_rows(p, (halves == 2) == aside);
	for (unsigned row = 0; row < rows; row += 16) {
		unsigned matrices = groups * (rows < 16 ? 1 : 2);

		BUG_ON(n + matrices > f->n);
		lane_load_rows(p, aside ? row : 0, aside ? 0 : row, !aside, &f->value[n], matrices);
		n += matrices;
	}
	return n;
}

static bool are_halves_of_shared(const struct lane_access *p, const struct shape *s)
{
	return p->access.action == ACT_LOAD && p->access.space == SPACE_SHARED &&
	       matrix_bits(s->type) == 16;
}

/* The others, register by register. Returns their number. */
static unsigned move_registers(struct lane_access *p, const struct shape *s, unsigned rows,
	unsigned halves, bool aside, const struct fragment *f)
{
	unsigned bits = matrix_bits(s->type), groups = groups_of(s), n = 0;
	unsigned per = elements_of_register(s), step = bits < 8 ? 4 : per; /* of strides' units */
	enum ptx_type type = bits == 64 ? T_B64 : T_B32;

	lane_start(p, aside, step);
	for (unsigned block = 0; block < rows; block += 8 * halves)
		for (unsigned group = 0; group < groups; group++)
			for (unsigned h = 0; h < halves; h++, n++) {
				unsigned row = block + 8 * h, at = 4 * group * step;

				BUG_ON(n >= f->n);
				if (aside)
					lane_move(p, row, at, type, &f->value[n], 1);
				else if (per > 1)
					lane_move_apart(p, at, row, f->value[n], per);
				else
					lane_move(p, at, row, type, &f->value[n], 1);
			}
	return n;
}

/* A or B: `rows` rows, or columns, in groups of eight; `aside`: those of one are neighbours. PTX
 * has more registers than there are elements: they hold them again. */
static void move_factor(struct lane_access *p, const struct shape *s, unsigned rows,
	unsigned halves, bool aside, const struct fragment *f)
{
	unsigned n = are_halves_of_shared(p, s) ? load_halves(p, s, rows, halves, aside, f)
						: move_registers(p, s, rows, halves, aside, f);

	for (unsigned k = n; k < f->n; k++)
		lower_move(p->l, f->value[k], f->value[k - n]);
}

/* C or D; `aside`: two columns of a row are neighbours. */
static void move_sum(
	struct lane_access *p, const struct shape *s, bool aside, const struct fragment *f)
{
	unsigned halves = halves_of(s), n = 0;
	enum ptx_type type = s->sum == SUM_F64 ? T_B64 : T_B32;

	lane_start(p, aside, 2);
	for (unsigned row = 0; row < rows_of(s); row += 8 * halves)
		for (unsigned column = 0; column < columns_of(s); column += 8)
			for (unsigned h = 0; h < halves; h++) {
				const struct ir_value *v = &f->value[n];
				unsigned r = row + 8 * h;

				n += s->sum == SUM_F16 ? 1 : 2;
				BUG_ON(n > f->n);
				if (s->sum == SUM_F16 && aside) {
					lane_move(p, r, column, T_B32, v, 1);
				} else if (s->sum == SUM_F16) {
					lane_move_apart(p, column, r, *v, 2);
				} else if (aside) {
					lane_move(p, r, column, type, v, 2);
				} else {
					lane_move(p, column, r, type, v, 1);
					lane_move(p, column + 1, r, type, v + 1, 1);
				}
			}
}

/* wmma.load.a, .b, .c: fragment, address, stride; wmma.store.d: address, fragment, stride. */
static void lower_move_fragment(struct lower *l, bool load)
{
	struct shape s = shape_of(l);
	const struct ast_operand *first = l->s->operands, *second, *stride;
	struct lane_access p = {.l = l, .access = fragment_access(l, load ? ACT_LOAD : ACT_STORE)};
	bool row = fragment_says(l, ".row"), a = fragment_says(l, ".a."),
	     factor = a || fragment_says(l, ".b.");
	unsigned outer = a ? s.m : factor ? s.n : row ? s.m : s.n;
	unsigned inner = factor ? s.k : row ? s.n : s.m;
	bool aside = factor ? a == row : row != s.turned;
	struct fragment f;

	if (!fragment_operands(l, 2, 3))
		return;
	second = first->next;
	stride = second->next;
	lower_address(l, load ? second : first, &p.access);
	if (!l->failed)
		fragment_read(l, load ? first : second, load ? 0 : 1, &f);
	if (l->failed)
		return;
	read_stride(&p, stride, factor && !aside ? outer : inner,
		factor             ? matrix_bits(s.type)
		: s.sum == SUM_F64 ? 64
		: s.sum == SUM_F16 ? 16
				   : 32);
	if (l->failed)
		return;
	if (factor)
		move_factor(&p, &s, outer, a != s.turned && outer >= 16 ? 2 : 1, aside, &f);
	else
		move_sum(&p, &s, aside, &f);
}

/* ---- products of fragments */
static unsigned code_of(const struct lower *l, const struct shape *s)
{
	unsigned is_signed = s->type == MATRIX_S8 || s->type == MATRIX_S4;
	unsigned variant = fragment_says(l, ".satfinite") ? 4 + 3 * is_signed : 3 * is_signed;

	switch (s->type) {
	case MATRIX_F16:
		return s->sum == SUM_F16 ? MATRIX_F16_K16_F16 : MATRIX_F16_K16;
	case MATRIX_BF16:
		return MATRIX_BF16_K16;
	case MATRIX_TF32:
		return MATRIX_TF32_K8;
	case MATRIX_F64:
		return MATRIX_F64_M8_K4;
	case MATRIX_U8:
	case MATRIX_S8:
		return MATRIX_I8_K16 + variant;
	case MATRIX_U4:
	case MATRIX_S4:
		return MATRIX_I4_M8_K32 + variant;
	default:
		return MATRIX_B1_M8_K128 + fragment_says(l, ".and.");
	}
}

static bool is_same(const struct ir_value *a, const struct ir_value *b)
{
	return a->kind == IR_REG && b->kind == IR_REG && a->index == b->index;
}

/* The first instructions may overwrite what the last ones read; not D that is C. */
static bool meets(const struct fragment *d, const struct fragment *f, bool is_sum)
{
	for (unsigned i = 0; i < d->n; i++)
		for (unsigned k = 0; k < f->n; k++)
			if (is_same(&d->value[i], &f->value[k]) && !(is_sum && i == k))
				return true;
	return false;
}

static void multiply(struct lower *l, const struct shape *s, const struct fragment f[4],
	const struct ir_value *d)
{
	const struct fragment *left = &f[s->turned ? 2 : 1], *right = &f[s->turned ? 1 : 2];
	unsigned halves = halves_of(s), groups = groups_of(s);
	unsigned sums = s->sum == SUM_F16 ? halves : 2 * halves, at = 0;

	for (unsigned row = 0; row < rows_of(s) / (8 * halves); row++)
		for (unsigned column = 0; column < columns_of(s) / 8; column++, at += sums) {
			struct ir_instr i = lower_blank(l);

			i.action = ACT_MATRIX;
			i.unit = UNIT_TENSOR;
			i.op_class = s->sum == SUM_F64 ? CLASS_TENSOR64 : CLASS_TENSOR;
			lower_matrix_code(&i, code_of(l, s));
			fragment_append(&i, &left->value[row * halves * groups], halves * groups);
			fragment_append(&i, &right->value[column * groups], groups);
			fragment_append(&i, &f[3].value[at], sums);
			i.ndst = (uint8_t)sums;
			memcpy(i.dst, &d[at], sums * sizeof(*d));
			lower_emit(l, &i);
		}
}

/* wmma.mma d, a, b, c. */
static void lower_product(struct lower *l)
{
	struct shape s = shape_of(l);
	const struct ast_operand *o = l->s->operands;
	struct ir_value kept[FRAGMENT];
	struct fragment f[4];
	bool apart;

	if (!fragment_operands(l, 4, 4))
		return;
	for (unsigned k = 0; k < 4 && !l->failed; k++, o = o->next)
		fragment_read(l, o, k, &f[k]);
	if (l->failed)
		return;
	apart = meets(&f[0], &f[1], false) || meets(&f[0], &f[2], false) ||
		meets(&f[0], &f[3], true);
	for (unsigned k = 0; k < f[0].n; k++)
		kept[k] = apart ? lower_temp(l, f[0].value[k].words) : f[0].value[k];
	multiply(l, &s, f, kept);
	for (unsigned k = 0; k < f[0].n && apart; k++)
		if (f[0].value[k].kind == IR_REG)
			lower_move(l, f[0].value[k], kept[k]);
}

void lower_wmma(struct lower *l)
{
	if (fragment_says(l, ".load.") || fragment_says(l, ".store."))
		lower_move_fragment(l, fragment_says(l, ".load."));
	else
		lower_product(l);
}
