/* Initial data of variables: nested braces to bytes, and addresses to relocations. */
#include "ptx/front/parse.h"

#include "core/base.h"

#include <string.h>

/* The data being built. Elements are counted from 0; a vector is one more dimension. */
struct data {
	struct ast_symbol *symbol;
	unsigned char *bytes;
	uint64_t cap, used;                  /* bytes */
	uint64_t limit;                      /* elements; of an unsized array: unlimited */
	uint64_t extent;                     /* elements of complete items at the outermost level */
	unsigned element;                    /* bytes */
	uint64_t span[PARSE_DIMENSIONS + 2]; /* elements of one item at each level */
	unsigned levels;
	struct ast_reloc **reloc_tail;
};

static int reserve(struct parser *p, struct data *d, uint64_t bytes, struct ast_pos pos)
{
	uint64_t cap = max_u64(bytes, d->cap * 2);
	unsigned char *larger;

	if (bytes <= d->cap)
		return 0;
	if (p->init_bytes + cap > PARSE_INIT_BYTES)
		return parse_error(p, ERR_RESOURCE, pos,
			"the module's initial data need more than %llu bytes",
			(unsigned long long)PARSE_INIT_BYTES);
	p->init_bytes += cap;
	larger = arena_alloc(p->arena, cap, 1);
	if (d->used)
		memcpy(larger, d->bytes, d->used);
	d->bytes = larger;
	d->cap = cap;
	return 0;
}

/* The bits of a constant as an element of the variable's type. */
static int convert(struct parser *p, const struct data *d, struct ast_pos pos,
	const struct value *v, uint64_t *bits)
{
	enum ptx_type type = d->symbol->type;
	double value = value_double(v);
	float single = (float)value;
	unsigned width = d->element * 8;
	uint32_t low;

	*bits = v->bits;
	if (type == T_F64) {
		memcpy(bits, &value, sizeof(value));
	} else if (type == T_F32) {
		memcpy(&low, &single, sizeof(single));
		*bits = v->kind == VALUE_F32 ? v->bits : low;
	} else if (value_is_float(v)) {
		bool same = ptx_type_class(type) == 'b' &&
			    d->element == (v->kind == VALUE_F32 ? 4u : 8u);
		if (!same)
			return parse_error(p, ERR_INPUT, pos,
				"a floating-point number cannot initialise a .%s",
				ptx_type_name(type));
	} else if (width < 64) {
		int64_t number = (int64_t)v->bits;
		if (number >> width && number >> (width - 1) != -1)
			return parse_error(p, ERR_INPUT, pos, "the value is out of range for a .%s",
				ptx_type_name(type));
	}
	return 0;
}

/* symbol, symbol+8, generic(symbol)-8 */
static int read_address(struct parser *p, struct ast_reloc *r)
{
	struct ast_pos pos;
	struct name *name;
	uint64_t addend = 0;

	r->generic = tok_is(p, "generic") && parse_peek(p).kind == '(';
	if (r->generic) {
		parse_next(p);
		parse_next(p);
	}
	pos = p->tok.pos;
	if (p->tok.kind != TOK_NAME)
		return parse_expected(p, "a number or the name of a variable");
	name = parse_word(p);
	r->symbol = parse_lookup(p, name, NULL);
	if (!r->symbol)
		return parse_undeclared(p, name, pos);
	if (r->symbol->kind != SYM_VAR && r->symbol->kind != SYM_FUNCTION)
		return parse_error(p, ERR_INPUT, pos, "`%.200s` has no address", name->text);
	parse_next(p);
	if (r->generic && parse_expect(p, ')', "`)`"))
		return -1;
	if (parse_accept(p, '+') || p->tok.kind == '-')
		if (parse_int(p, "an offset", &addend))
			return -1;
	r->addend = (int64_t)addend;
	return 0;
}

/* 0xff00(symbol): byte 1 of an address. */
static int read_masked(struct parser *p, struct ast_reloc *r)
{
	struct token mask = p->tok;

	parse_next(p);
	parse_next(p);
	if (!mask.value || low_bit(mask.value) % 8 || mask.value >> low_bit(mask.value) != 0xff)
		return parse_error(p, ERR_INPUT, mask.pos,
			"a mask selects one byte of an address: 0xff, 0xff00, ...");
	r->shift = (uint8_t)low_bit(mask.value);
	r->bytes = 1;
	return read_address(p, r) ? -1 : parse_expect(p, ')', "`)`");
}

static int read_reloc(struct parser *p, struct data *d, uint64_t at)
{
	struct ast_reloc *r = arena_alloc(p->arena, 1, sizeof(*r));
	struct ast_pos pos = p->tok.pos;
	unsigned pointer = p->module->address_bits == 64 ? 8 : 4;
	bool masked = p->tok.kind == TOK_INT;

	r->offset = at * d->element;
	r->bytes = (uint8_t)d->element;
	if (masked ? read_masked(p, r) : read_address(p, r))
		return -1;
	if (masked ? d->element != 1
		   : d->element < pointer || strchr("fxp", ptx_type_class(d->symbol->type)))
		return parse_error(p, ERR_INPUT, pos, "%s cannot be stored in a .%s",
			masked ? "a byte of an address" : "an address",
			ptx_type_name(d->symbol->type));
	*d->reloc_tail = r;
	d->reloc_tail = &r->next;
	return 0;
}

/* One element, at index `at`. */
static int read_element(struct parser *p, struct data *d, uint64_t at)
{
	struct ast_pos pos = p->tok.pos;
	uint64_t end = (at + 1) * d->element, bits = 0;
	struct value v;
	int result;

	if (at >= d->limit)
		return parse_error(p, ERR_INPUT, pos, "more values than `%.200s` has elements",
			d->symbol->name);
	if (reserve(p, d, end, pos))
		return -1;
	d->used = max_u64(d->used, end);
	if (!parse_at_value(p) || (p->tok.kind == TOK_INT && parse_peek(p).kind == '('))
		return read_reloc(p, d, at);
	result = parse_value(p, &v) ? -1 : convert(p, d, pos, &v, &bits);
	for (unsigned i = 0; i < d->element && i < 8; i++)
		d->bytes[end - d->element + i] = (unsigned char)(bits >> (8 * i));
	return result;
}

/* { a, b, { c, d } }: the current token is the '{'; the values are stored from `at` on. */
static int read_list(struct parser *p, struct data *d, unsigned level, uint64_t at)
{
	uint64_t end = level ? at + d->span[level - 1] : d->limit;
	uint64_t inner = d->span[level], first = at;

	parse_next(p);
	while (p->tok.kind != '}') {
		if (p->tok.kind == '{') {
			at = first + div_up(at - first, inner) * inner;
			if (level + 1 >= d->levels)
				return parse_error(p, ERR_INPUT, p->tok.pos,
					"more braces than `%.200s` has dimensions",
					d->symbol->name);
			if (at >= end)
				return parse_error(p, ERR_INPUT, p->tok.pos,
					"more values than `%.200s` has elements", d->symbol->name);
			if (read_list(p, d, level + 1, at))
				return -1;
			at += inner;
		} else {
			if (at >= end && at < d->limit)
				return parse_error(p, ERR_INPUT, p->tok.pos,
					"more values than fit between these braces");
			if (read_element(p, d, at++))
				return -1;
		}
		d->extent = level ? d->extent : at;
		if (!parse_accept(p, ',') && p->tok.kind != '}')
			return parse_expected(p, "`,` or `}`");
	}
	parse_next(p);
	return 0;
}

/* Elements of an item at each level: {4, 2, 1} for x[3][2][2] of .u32. */
static void set_spans(struct data *d, const struct declarator *r)
{
	unsigned vector = d->symbol->vec > 1;
	uint64_t span = 1;

	d->levels = r->ndims + vector;
	for (unsigned level = d->levels; level-- > 0;) {
		d->span[level] = span ? span : 1;
		span *= level == r->ndims ? d->symbol->vec : r->dim[level];
	}
	if (!d->levels) { /* a single value may be in braces */
		d->levels = 1;
		d->span[0] = 1;
	}
	d->limit = r->unsized ? UINT64_MAX / 32 : span;
}

/* An array without a size has as many items as are given. */
static int finish(struct parser *p, struct data *d, const struct declarator *r)
{
	uint64_t item = d->span[0] * d->element;

	if (r->unsized)
		d->symbol->bytes = div_up(d->extent * d->element, item) * item;
	if (reserve(p, d, d->symbol->bytes, r->pos))
		return -1;
	d->symbol->init = d->bytes;
	return 0;
}

int parse_initialiser(struct parser *p, struct ast_symbol *symbol, struct declarator *r)
{
	struct data d = {.symbol = symbol,
		.element = ptx_type_bytes(symbol->type),
		.reloc_tail = &symbol->relocs};

	set_spans(&d, r);
	if (r->is_range)
		return parse_error(p, ERR_INPUT, r->pos, "`%.200s<%u>` cannot be initialised",
			r->name->text, r->range);
	if (!r->unsized && reserve(p, &d, symbol->bytes, r->pos))
		return -1;
	if (p->tok.kind == '{') {
		if (read_list(p, &d, 0, 0))
			return -1;
	} else if (r->ndims || symbol->vec > 1) {
		return parse_expected(p, "`{`");
	} else if (read_element(p, &d, 0)) {
		return -1;
	}
	return finish(p, &d, r);
}
