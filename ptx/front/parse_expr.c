/* Constant expressions with C's precedence: 64-bit integers and doubles. */
#include "ptx/front/parse.h"

#include "core/base.h"

#include <string.h>

#define WARP_SIZE 32u

static int read_binary(struct parser *, unsigned lowest, struct value *);

bool value_is_float(const struct value *v)
{
	return v->kind == VALUE_F32 || v->kind == VALUE_F64;
}

static double bits_double(uint64_t bits)
{
	double d;

	memcpy(&d, &bits, sizeof(d));
	return d;
}

static struct value from_double(double d)
{
	struct value v = {.kind = VALUE_F64};

	memcpy(&v.bits, &d, sizeof(d));
	return v;
}

double value_double(const struct value *v)
{
	uint32_t low = (uint32_t)v->bits;
	float f;

	switch (v->kind) {
	case VALUE_S64:
		return (double)(int64_t)v->bits;
	case VALUE_U64:
		return (double)v->bits;
	case VALUE_F64:
		return bits_double(v->bits);
	case VALUE_F32:
		memcpy(&f, &low, sizeof(f));
		return (double)f;
	}
	return 0;
}

bool parse_at_value(const struct parser *p)
{
	switch (p->tok.kind) {
	case TOK_INT:
	case TOK_F32:
	case TOK_F64:
	case '(':
	case '-':
	case '+':
	case '~':
	case '!':
		return true;
	default:
		return tok_is(p, "WARP_SZ");
	}
}

/* ( .s64 ) value. The current token is the type. */
static int read_cast(struct parser *p, struct value *v)
{
	enum ptx_type type = ptx_type_parse(parse_word(p)->text);

	if (type != T_S64 && type != T_U64 && type != T_F64)
		return parse_expected(p, "a cast to .s64, .u64 or .f64");
	parse_next(p);
	if (parse_expect(p, ')', "`)`") || read_binary(p, UINT32_MAX, v))
		return -1;
	if (type == T_F64)
		*v = from_double(value_double(v));
	else if (value_is_float(v))
		return parse_error(p, ERR_INPUT, p->tok.pos,
			"a floating-point number cannot be cast to an integer");
	else
		v->kind = type == T_S64 ? VALUE_S64 : VALUE_U64;
	return 0;
}

static int read_ternary(struct parser *p, struct value *v)
{
	struct value yes, no;

	if (read_binary(p, 0, v))
		return -1;
	if (!parse_accept(p, '?'))
		return 0;
	if (parse_value(p, &yes) || parse_expect(p, ':', "`:`") || parse_value(p, &no))
		return -1;
	*v = (value_is_float(v) ? value_double(v) != 0 : v->bits != 0) ? yes : no;
	return 0;
}

static int read_primary(struct parser *p, struct value *v)
{
	const struct token t = p->tok;

	if (t.kind == TOK_INT) {
		*v = (struct value){t.is_unsigned ? VALUE_U64 : VALUE_S64, t.value};
	} else if (t.kind == TOK_F32 || t.kind == TOK_F64) {
		*v = (struct value){t.kind == TOK_F32 ? VALUE_F32 : VALUE_F64, t.value};
	} else if (tok_is(p, "WARP_SZ")) {
		*v = (struct value){VALUE_S64, WARP_SIZE};
	} else if (t.kind == '(') {
		parse_next(p);
		if (p->tok.kind == TOK_DOT)
			return read_cast(p, v);
		return read_ternary(p, v) ? -1 : parse_expect(p, ')', "`)`");
	} else {
		return parse_expected(p, "a number");
	}
	parse_next(p);
	return 0;
}

static int apply_unary(struct parser *p, int op, struct ast_pos pos, struct value *v)
{
	if (op == '!') {
		bool zero = value_is_float(v) ? value_double(v) == 0 : v->bits == 0;
		*v = (struct value){VALUE_S64, zero};
	} else if (op == '-' && value_is_float(v)) {
		v->bits ^= v->kind == VALUE_F32 ? 1ull << 31 : 1ull << 63;
	} else if (op == '-') {
		v->bits = 0 - v->bits;
	} else if (op == '~') {
		if (value_is_float(v))
			return parse_error(p, ERR_INPUT, pos, "`~` needs an integer");
		v->bits = ~v->bits;
	}
	return 0;
}

static int read_unary(struct parser *p, struct value *v)
{
	int op = p->tok.kind, result;
	struct ast_pos pos = p->tok.pos;

	if (p->depth >= PARSE_DEPTH)
		return parse_error(
			p, ERR_INPUT, pos, "an expression nested more than %u deep", PARSE_DEPTH);
	p->depth++;
	if (op == '-' || op == '+' || op == '~' || op == '!') {
		parse_next(p);
		result = read_unary(p, v) ? -1 : apply_unary(p, op, pos, v);
	} else {
		result = read_primary(p, v);
	}
	p->depth--;
	return result;
}

static unsigned precedence(int op)
{
	static const struct {
		int op;
		unsigned level;
	} table[] = {{'*', 10}, {'/', 10}, {'%', 10}, {'+', 9}, {'-', 9}, {TOK_SHL, 8},
		{TOK_SHR, 8}, {'<', 7}, {'>', 7}, {TOK_LE, 7}, {TOK_GE, 7}, {TOK_EQ, 6},
		{TOK_NE, 6}, {'&', 5}, {'^', 4}, {'|', 3}, {TOK_AND, 2}, {TOK_OR, 1}};

	for (size_t i = 0; i < ARRAY_LEN(table); i++)
		if (table[i].op == op)
			return table[i].level;
	return 0;
}

static bool compare(int op, bool less, bool equal)
{
	switch (op) {
	case '<':
		return less;
	case '>':
		return !less && !equal;
	case TOK_LE:
		return less || equal;
	case TOK_GE:
		return !less;
	case TOK_EQ:
		return equal;
	default:
		return !equal;
	}
}

static int float_binary(
	struct parser *p, int op, struct ast_pos pos, struct value *a, const struct value *b)
{
	double x = value_double(a), y = value_double(b);

	if (a->kind == VALUE_F32 || b->kind == VALUE_F32)
		return parse_error(p, ERR_INPUT, pos,
			"expressions cannot contain 0f constants; use 0d constants");
	if (op == '+')
		*a = from_double(x + y);
	else if (op == '-')
		*a = from_double(x - y);
	else if (op == '*')
		*a = from_double(x * y);
	else if (op == '/')
		*a = from_double(x / y);
	else if (op == TOK_AND || op == TOK_OR)
		*a = (struct value){VALUE_S64, op == TOK_AND ? x != 0 && y != 0 : x != 0 || y != 0};
	else if (precedence(op) == precedence('<') || precedence(op) == precedence(TOK_EQ))
		*a = (struct value){VALUE_S64,
			compare(op, x < y, x == y) && (op == TOK_NE || (x == x && y == y))};
	else
		return parse_error(p, ERR_INPUT, pos, "this operator needs integers");
	return 0;
}

static uint64_t divide(int op, bool is_unsigned, uint64_t a, uint64_t b)
{
	if (is_unsigned)
		return op == '/' ? a / b : a % b;
	if (b == UINT64_MAX) /* -1: the smallest number would overflow */
		return op == '/' ? 0 - a : 0;
	return (uint64_t)(op == '/' ? (int64_t)a / (int64_t)b : (int64_t)a % (int64_t)b);
}

static uint64_t shift(int op, bool is_unsigned, uint64_t a, uint64_t b)
{
	if (op == TOK_SHL)
		return b > 63 ? 0 : a << b;
	if (is_unsigned)
		return b > 63 ? 0 : a >> b;
	return (uint64_t)((int64_t)a >> min_u64(b, 63));
}

static uint64_t int_value(int op, bool is_unsigned, uint64_t a, uint64_t b)
{
	switch (op) {
	case '*':
		return a * b;
	case '/':
	case '%':
		return divide(op, is_unsigned, a, b);
	case '+':
		return a + b;
	case '-':
		return a - b;
	case TOK_SHL:
	case TOK_SHR:
		return shift(op, is_unsigned, a, b);
	case '&':
		return a & b;
	case '^':
		return a ^ b;
	case '|':
		return a | b;
	case TOK_AND:
		return a && b;
	case TOK_OR:
		return a || b;
	default:
		return compare(op, is_unsigned ? a < b : (int64_t)a < (int64_t)b, a == b);
	}
}

static int int_binary(
	struct parser *p, int op, struct ast_pos pos, struct value *a, const struct value *b)
{
	bool is_shift = op == TOK_SHL || op == TOK_SHR;
	bool is_unsigned = a->kind == VALUE_U64 || (!is_shift && b->kind == VALUE_U64);
	unsigned level = precedence(op);
	bool truth = level <= precedence(TOK_AND) || level == precedence('<') ||
		     level == precedence(TOK_EQ);

	if ((op == '/' || op == '%') && !b->bits)
		return parse_error(p, ERR_INPUT, pos, "division by zero");
	a->bits = int_value(op, is_unsigned, a->bits, b->bits);
	a->kind = truth || !is_unsigned ? VALUE_S64 : VALUE_U64;
	return 0;
}

/* All operators of at least the precedence `lowest`. */
static int read_binary(struct parser *p, unsigned lowest, struct value *v)
{
	if (read_unary(p, v))
		return -1;
	for (;;) {
		struct value right;
		struct ast_pos pos;
		unsigned level;
		int op;
		if (p->tok.kind == TOK_NAME && *p->tok.start == '%') {
			/* 5%3: after a number, % is no part of a name */
			lex_split(&p->lex, &p->tok, 1);
			p->tok.kind = '%';
			p->tok.len = 1;
		}
		op = p->tok.kind;
		if (op == ',' || op == ';' || op == ']')
			return 0;
		pos = p->tok.pos;
		level = precedence(op);
		if (!level || level < lowest)
			return 0;
		parse_next(p);
		if (read_binary(p, level + 1, &right))
			return -1;
		if (value_is_float(v) || value_is_float(&right)
				? float_binary(p, op, pos, v, &right)
				: int_binary(p, op, pos, v, &right))
			return -1;
	}
}

int parse_value(struct parser *p, struct value *v)
{
	int result;

	if (p->depth >= PARSE_DEPTH)
		return parse_error(p, ERR_INPUT, p->tok.pos,
			"an expression nested more than %u deep", PARSE_DEPTH);
	p->depth++;
	result = read_ternary(p, v);
	p->depth--;
	return result;
}

int parse_int(struct parser *p, const char *what, uint64_t *out)
{
	struct ast_pos pos = p->tok.pos;
	struct value v;

	if (!parse_at_value(p))
		return parse_expected(p, what);
	if (parse_value(p, &v))
		return -1;
	if (value_is_float(&v))
		return parse_error(p, ERR_INPUT, pos, "%s must be an integer", what);
	*out = v.bits;
	return 0;
}

int parse_bounded(struct parser *p, const char *what, uint64_t low, uint64_t high, uint64_t *out)
{
	struct ast_pos pos = p->tok.pos;
	struct value v;

	if (!parse_at_value(p))
		return parse_expected(p, what);
	if (parse_value(p, &v))
		return -1;
	if (value_is_float(&v) || (v.kind == VALUE_S64 && (int64_t)v.bits < 0) || v.bits < low ||
		v.bits > high)
		return parse_error(p, ERR_INPUT, pos, "%s must be an integer from %llu to %llu",
			what, (unsigned long long)low, (unsigned long long)high);
	*out = v.bits;
	return 0;
}
