/* Operands of instructions: names, constants, addresses, vectors, lists, pairs. */
#include "ptx/front/parse.h"

#include "core/base.h"

#include <string.h>

#define NESTING 4u /* nested brackets */

/* What the opcode implies for its operands. */
struct context {
	bool is_call, is_branch, is_move;
	unsigned nesting;
};

static int read_operand(struct parser *, struct context *, struct ast_operand **);

static struct ast_operand *new_operand(struct parser *p, enum ast_operand_kind kind)
{
	struct ast_operand *o = arena_alloc(p->arena, 1, sizeof(*o));

	*o = (struct ast_operand){.kind = kind, .pos = p->tok.pos, .component = -1};
	return o;
}

static int read_constant(struct parser *p, struct ast_operand *o)
{
	static const enum ast_operand_kind kinds[] = {[VALUE_S64] = AST_INT,
		[VALUE_U64] = AST_INT,
		[VALUE_F32] = AST_F32,
		[VALUE_F64] = AST_F64};
	struct value v;

	if (parse_value(p, &v))
		return -1;
	o->kind = kinds[v.kind];
	o->value = v.bits;
	return 0;
}

/* .x of a vector register: the current token. */
static int read_component(struct parser *p, struct ast_operand *o)
{
	static const char letters[] = "xyzwrgba";
	const char *at = p->tok.len == 2 ? strchr(letters, p->tok.start[1]) : NULL;

	if (p->tok.len == 3 && (p->tok.start[1] == 'b' || p->tok.start[1] == 'h'))
		return parse_error(p, ERR_UNSUPPORTED, p->tok.pos,
			"byte and half-word selectors are not supported");
	if (!at)
		return parse_expected(p, "a component .x .y .z .w");
	o->component = (int8_t)((at - letters) % 4);
	if (o->symbol->kind != SYM_REG || o->symbol->vec == 1 || o->symbol->vec <= o->component)
		return parse_error(p, ERR_INPUT, p->tok.pos, "`%.200s` has no component `%.2s`",
			o->symbol->name, p->tok.start);
	parse_next(p);
	return 0;
}

/* %name.x that is not a register: a special register, or an error. */
static int read_dotted(struct parser *p, struct ast_operand *o)
{
	struct token second = parse_peek(p);
	struct name *full;

	o->symbol = parse_sreg(p);
	if (o->symbol || second.kind != TOK_DOT)
		return 0;
	full = names_intern(
		&p->names, p->tok.start, (size_t)(second.start + second.len - p->tok.start));
	if (!full->binding)
		parse_undeclared(p, full, o->pos);
	return -1;
}

/* The name at the current token; the operand's symbol may still be NULL when it is a label. */
static int read_name(struct parser *p, struct context *c, struct ast_operand *o, bool maybe_label)
{
	struct name *name = parse_word(p);

	o->symbol = parse_lookup(p, name, NULL);
	if (!o->symbol && *name->text == '%' && read_dotted(p, o))
		return -1;
	maybe_label = maybe_label && (c->is_branch || *name->text != '%');
	if ((!o->symbol || o->symbol->kind == SYM_LABEL) && parse_use(p, name, o, maybe_label))
		return -1;
	parse_next(p);
	if (p->tok.kind != TOK_DOT || !o->symbol || o->symbol->kind == SYM_SREG)
		return 0;
	return read_component(p, o);
}

static bool has_address(const struct ast_operand *o)
{
	return o->symbol && (o->symbol->kind == SYM_VAR || o->symbol->kind == SYM_FUNCTION);
}

static bool is_register(const struct ast_operand *o)
{
	return o->symbol && o->symbol->kind == SYM_REG && o->symbol->type != T_PRED;
}

/* r+1 is allowed for any value of an instruction, not inside brackets; r-1 only for mov. */
static bool may_add(const struct parser *p, const struct context *c, const struct ast_operand *o)
{
	bool value = p->tok.kind == '+' && !c->is_call && !c->is_branch;

	return is_register(o) && c->nesting == 0 && (c->is_move || value);
}

static int read_offset(struct parser *p, struct ast_operand *o)
{
	uint64_t offset = 0;

	if (p->tok.kind == '+')
		parse_next(p);
	else if (p->tok.kind != '-')
		return 0;
	if (parse_int(p, "an offset", &offset))
		return -1;
	o->offset = (int64_t)offset;
	return 0;
}

/* a[3]: the address of an element for mov, the element in memory for other opcodes. */
static int read_subscript(struct parser *p, const struct context *c, struct ast_operand *o)
{
	uint64_t index, size = (uint64_t)ptx_type_bytes(o->symbol->type) * o->symbol->vec;

	parse_next(p);
	if (parse_int(p, "the index of an element", &index) || parse_expect(p, ']', "`]`"))
		return -1;
	o->offset = (int64_t)(index * size);
	if (!c->is_move)
		o->kind = AST_ADDRESS;
	return 0;
}

/* p|q: the current token is the bar. */
static int read_pair(struct parser *p, struct context *c, struct ast_operand **out)
{
	struct ast_operand *pair = new_operand(p, AST_PAIR), *second = new_operand(p, AST_SYMBOL);

	pair->pos = (*out)->pos;
	pair->first = *out;
	parse_next(p);
	second->pos = p->tok.pos;
	if (p->tok.kind != TOK_NAME)
		return parse_expected(p, "a register");
	if (tok_is(p, "_")) {
		second->kind = AST_SINK;
		parse_next(p);
	} else if (read_name(p, c, second, false)) {
		return -1;
	}
	pair->first->next = second;
	*out = pair;
	return 0;
}

static int read_named(struct parser *p, struct context *c, struct ast_operand **out)
{
	struct ast_operand *o = *out;

	if (tok_is(p, "_")) {
		o->kind = AST_SINK;
		parse_next(p);
	} else if (read_name(p, c, o, true)) {
		return -1;
	}
	if (p->tok.kind == '|')
		return read_pair(p, c, out);
	if (has_address(o) && p->tok.kind == '[')
		return read_subscript(p, c, o);
	return has_address(o) || may_add(p, c, o) ? read_offset(p, o) : 0;
}

/* Operands up to and including `close`. */
static int read_sequence(struct parser *p, struct context *c, int close, struct ast_operand **tail)
{
	const char *what = close == '}' ? "`,` or `}`" : close == ')' ? "`,` or `)`" : "`,` or `]`";

	if (parse_accept(p, close))
		return 0;
	if (c->nesting == NESTING)
		return parse_error(
			p, ERR_INPUT, p->tok.pos, "operands nested more than %u deep", NESTING);
	c->nesting++;
	for (;; tail = &(*tail)->next) {
		if (read_operand(p, c, tail))
			return -1;
		if (!parse_accept(p, ','))
			break;
	}
	c->nesting--;
	return parse_expect(p, close, what);
}

/* [base+offset], [offset], [texture, {x, y}]: the current token is after the bracket. */
static int read_address(struct parser *p, struct context *c, struct ast_operand *o)
{
	uint64_t offset;

	o->kind = AST_ADDRESS;
	if (p->tok.kind == TOK_NAME && !tok_is(p, "WARP_SZ")) {
		struct ast_pos pos = o->pos;
		o->pos = p->tok.pos;
		if (read_name(p, c, o, false))
			return -1;
		o->pos = pos;
		if (read_offset(p, o))
			return -1;
	} else {
		if (parse_int(p, "an address", &offset))
			return -1;
		o->offset = (int64_t)offset;
	}
	if (parse_accept(p, ','))
		return read_sequence(p, c, ']', &o->first);
	return parse_expect(p, ']', "`]`");
}

/* !p: the current token is the exclamation mark, which a name follows. */
static int read_negated(struct parser *p, struct context *c, struct ast_operand *o)
{
	parse_next(p);
	o->pos = p->tok.pos;
	o->negated = true;
	return read_name(p, c, o, false);
}

static int read_operand(struct parser *p, struct context *c, struct ast_operand **out)
{
	struct ast_operand *o = *out = new_operand(p, AST_SYMBOL);
	int kind = p->tok.kind;

	if (kind == TOK_NAME && !tok_is(p, "WARP_SZ"))
		return read_named(p, c, out);
	if (kind == '{' || (kind == '(' && c->is_call)) {
		o->kind = kind == '{' ? AST_VECTOR : AST_LIST;
		parse_next(p);
		return read_sequence(p, c, kind == '{' ? '}' : ')', &o->first);
	}
	if (kind == '[') {
		parse_next(p);
		return read_address(p, c, o);
	}
	if (kind == '!' && parse_peek(p).kind == TOK_NAME)
		return read_negated(p, c, o);
	return parse_at_value(p) ? read_constant(p, o) : parse_expected(p, "an operand");
}

static bool begins_with(const char *opcode, const char *word)
{
	size_t n = strlen(word);

	return !strncmp(opcode, word, n) && (opcode[n] == '.' || !opcode[n]);
}

/* Up to the ';', which is not consumed. */
int parse_operands(struct parser *p, const char *opcode, struct ast_operand **tail)
{
	struct context c = {.is_call = begins_with(opcode, "call"),
		.is_branch = begins_with(opcode, "bra") || begins_with(opcode, "brx"),
		.is_move = begins_with(opcode, "mov")};

	if (p->tok.kind == ';')
		return 0;
	for (;; tail = &(*tail)->next) {
		if (read_operand(p, &c, tail))
			return -1;
		if (!parse_accept(p, ','))
			return 0;
	}
}

/* .branchtargets L1, L2; .calltargets f, g; the current token is the directive. */
int parse_targets(struct parser *p, struct ast_symbol *symbol)
{
	struct ast_operand **tail = &symbol->targets;
	struct context c = {.is_branch = true};

	do {
		parse_next(p);
		*tail = new_operand(p, AST_SYMBOL);
		if (p->tok.kind != TOK_NAME)
			return parse_expected(p, "a label or function");
		if (read_name(p, &c, *tail, true))
			return -1;
		tail = &(*tail)->next;
	} while (p->tok.kind == ',');
	return parse_expect(p, ';', "`,` or `;`");
}
