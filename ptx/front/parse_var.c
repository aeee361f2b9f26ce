/* Declarations: registers, variables and parameters. */
#include "ptx/front/parse.h"

#include "core/base.h"

#include <string.h>

static enum ptx_space space_of(const struct parser *p)
{
	static const struct {
		const char *word;
		enum ptx_space space;
	} table[] = {{".global", SPACE_GLOBAL}, {".shared", SPACE_SHARED}, {".local", SPACE_LOCAL},
		{".const", SPACE_CONST}, {".param", SPACE_PARAM}, {".reg", SPACE_NONE},
		{".tex", SPACE_GENERIC}};

	for (size_t i = 0; i < ARRAY_LEN(table); i++)
		if (tok_is(p, table[i].word))
			return table[i].space;
	return SPACE_COUNT;
}

bool parse_at_space(const struct parser *p)
{
	return p->tok.kind == TOK_DOT && space_of(p) != SPACE_COUNT;
}

/* Which of .extern, .visible, .weak and .common the current token is; NULL: none. */
static bool *linkage_flag(const struct parser *p, struct declaration *d)
{
	static const char *const words[] = {".extern", ".visible", ".weak", ".common"};
	bool *const flags[] = {&d->is_extern, &d->is_visible, &d->is_weak, &d->is_common};

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (tok_is(p, words[i]))
			return flags[i];
	return NULL;
}

int parse_linkage(struct parser *p, struct declaration *d)
{
	bool *flag = linkage_flag(p, d);

	if (!flag)
		return 0;
	*flag = true;
	parse_next(p);
	if (!linkage_flag(p, d))
		return 0;
	return parse_error(p, ERR_INPUT, p->tok.pos,
		"more than one of `.extern`, `.visible`, `.weak` and `.common`");
}

/* .attribute(.managed) counts; the others are hints, without effect here. */
static int read_attribute(struct parser *p, struct declaration *d)
{
	uint64_t depth = 0;

	parse_next(p);
	if (p->tok.kind != '(')
		return parse_expected(p, "`(`");
	do {
		if (p->tok.kind == '(')
			depth++;
		else if (p->tok.kind == ')')
			depth--;
		else if (p->tok.kind == TOK_END || p->tok.kind == ';')
			return parse_expected(p, "`)`");
		d->is_managed |= tok_is(p, ".managed");
		parse_next(p);
	} while (depth > 0);
	return 0;
}

static int read_align(struct parser *p, uint32_t *align)
{
	struct ast_pos pos;
	uint64_t value;

	parse_next(p);
	pos = p->tok.pos;
	if (parse_bounded(p, "the alignment", 1, PARSE_ALIGN, &value))
		return -1;
	if (count_bits(value) != 1)
		return parse_error(p, ERR_INPUT, pos,
			"an alignment of %llu bytes is not a power of two",
			(unsigned long long)value);
	*align = (uint32_t)value;
	return 0;
}

/* .ptr .global .align 8: what a kernel's pointer points to, without effect here. */
static int read_ptr(struct parser *p)
{
	uint32_t align;

	parse_next(p);
	if ((parse_at_space(p) && !tok_is(p, ".reg")) || parse_opaque(p))
		parse_next(p);
	return tok_is(p, ".align") ? read_align(p, &align) : 0;
}

static int read_vec(struct parser *p, struct declaration *d)
{
	bool known = tok_is(p, ".v2") || tok_is(p, ".v4");

	if (!known)
		return parse_error(p, ERR_INPUT, p->tok.pos, "vectors are .v2 or .v4");
	if (d->vec > 1)
		return parse_error(p, ERR_INPUT, p->tok.pos, "a second vector in one declaration");
	d->vec = (uint8_t)(p->tok.start[2] - '0');
	parse_next(p);
	return 0;
}

static int bad_type(struct parser *p)
{
	static const char *const names[] = {"pred", "b8", "b16", "b32", "b64", "b128", "u8", "u16",
		"u32", "u64", "s8", "s16", "s32", "s64", "f16", "f16x2", "bf16", "bf16x2", "f32",
		"f64", "align", "ptr", "v2", "v4"};
	const char *word = parse_word(p)->text, *near;

	near = strlen(word) < 32 ? err_nearest(word, names, ARRAY_LEN(names)) : NULL;
	return parse_error(p, ERR_INPUT, p->tok.pos, "unknown type `.%.60s`%s%s%s", word,
		near ? "; did you mean `." : "", near ? near : "", near ? "`?" : "");
}

static int read_type(struct parser *p, struct declaration *d)
{
	enum ptx_type type = ptx_type_parse(parse_word(p)->text);

	if (parse_opaque(p)) {
		d->opaque = parse_opaque(p);
		type = T_B64;
	}
	if (type == T_NONE)
		return bad_type(p);
	if (d->type != T_NONE)
		return parse_error(p, ERR_INPUT, p->tok.pos, "a second type in one declaration");
	d->type = type;
	parse_next(p);
	return 0;
}

/* The specifiers between the state space and the first name. The current token is the space. */
static int read_specifiers(struct parser *p, struct declaration *d)
{
	struct ast_pos pos = p->tok.pos;
	int result = 0;

	d->space = space_of(p);
	d->is_register = tok_is(p, ".reg");
	d->vec = 1;
	d->opaque = parse_opaque(p);
	parse_next(p);
	if (d->space == SPACE_CONST && p->tok.kind == '[')
		return parse_error(p, ERR_UNSUPPORTED, pos, "constant banks are not supported");
	while (p->tok.kind == TOK_DOT && !result) {
		if (tok_is(p, ".align"))
			result = read_align(p, &d->align);
		else if (tok_is(p, ".ptr"))
			result = read_ptr(p);
		else if (tok_is(p, ".attribute"))
			result = read_attribute(p, d);
		else if (p->tok.len > 2 && p->tok.start[1] == 'v')
			result = read_vec(p, d);
		else
			result = read_type(p, d);
	}
	if (!result && d->type == T_NONE)
		return parse_expected(p, "a type");
	if (!result && d->type == T_PRED && (!d->is_register || d->vec > 1))
		return parse_error(p, ERR_INPUT, pos, "predicates are single registers only");
	if (!result && d->vec > 1 && d->vec * ptx_type_bytes(d->type) > 16)
		return parse_error(p, ERR_INPUT, pos, "a vector of %u .%s has more than 128 bits",
			d->vec, ptx_type_name(d->type));
	return result;
}

/* [4][2], [] */
static int read_dimensions(struct parser *p, struct declarator *r)
{
	while (p->tok.kind == '[') {
		struct ast_pos pos = p->tok.pos;
		parse_next(p);
		if (r->ndims == PARSE_DIMENSIONS)
			return parse_error(p, ERR_INPUT, pos, "an array of more than %u dimensions",
				PARSE_DIMENSIONS);
		if (p->tok.kind == ']' && r->ndims == 0)
			r->unsized = true;
		else if (parse_bounded(p, "the size of an array", 0, PARSE_VARIABLE_BYTES,
				 &r->dim[r->ndims]))
			return -1;
		r->ndims++;
		if (parse_expect(p, ']', "`]`"))
			return -1;
	}
	return 0;
}

/* <10> */
static int read_range(struct parser *p, struct declarator *r)
{
	parse_next(p);
	if (p->tok.kind != TOK_INT)
		return parse_expected(p, "the number of registers");
	if (p->tok.value > PARSE_REGISTERS)
		return parse_error(p, ERR_INPUT, p->tok.pos,
			"`%.200s<%llu>`: a function cannot have more than %u registers",
			r->name->text, (unsigned long long)p->tok.value, PARSE_REGISTERS);
	r->is_range = true;
	r->range = (uint32_t)p->tok.value;
	parse_next(p);
	return parse_expect(p, '>', "`>`");
}

static int read_declarator(struct parser *p, const struct declaration *d, struct declarator *r)
{
	*r = (struct declarator){.pos = p->tok.pos};
	if (p->tok.kind != TOK_NAME)
		return parse_expected(p, "a name");
	r->name = parse_word(p);
	parse_next(p);
	if (p->tok.kind == '<')
		return read_range(p, r);
	if (p->tok.kind == '[' && d->is_register)
		return parse_error(p, ERR_INPUT, p->tok.pos, "a register cannot be an array");
	return read_dimensions(p, r);
}

/* The size of a variable in bytes; 0 for an unsized one. */
static int size_of(
	struct parser *p, const struct declaration *d, const struct declarator *r, uint64_t *bytes)
{
	uint64_t n = (uint64_t)ptx_type_bytes(d->type) * d->vec;

	for (unsigned i = 0; i < r->ndims; i++)
		if (__builtin_mul_overflow(n, i || !r->unsized ? r->dim[i] : 1, &n) ||
			n > PARSE_VARIABLE_BYTES)
			return parse_error(p, ERR_INPUT, r->pos,
				"`%.200s` is larger than %llu bytes", r->name->text,
				(unsigned long long)PARSE_VARIABLE_BYTES);
	*bytes = r->unsized ? 0 : n;
	return 0;
}

/* The size of all .const variables of the module, each at its alignment. */
static int count_constant(struct parser *p, const struct ast_symbol *s)
{
	p->const_bytes = div_up(p->const_bytes, s->align) * s->align + s->bytes;
	if (p->const_bytes <= PARSE_CONST_BYTES)
		return 0;
	return parse_error(p, ERR_RESOURCE, s->pos,
		"the .const variables up to `%.200s` need %llu bytes, the limit is %u", s->name,
		(unsigned long long)p->const_bytes, PARSE_CONST_BYTES);
}

/* Whether a variable of that size is allowed there. */
static int check_variable(struct parser *p, const struct declaration *d, const struct declarator *r,
	const struct ast_symbol *s)
{
	if (d->is_common && d->space != SPACE_GLOBAL)
		return parse_error(
			p, ERR_INPUT, r->pos, "`%.200s`: only .global is .common", r->name->text);
	if (!s->bytes && !r->unsized && !d->is_extern)
		return parse_error(p, ERR_INPUT, r->pos,
			"`%.200s` has 0 bytes: only .extern variables may be empty", r->name->text);
	return 0;
}

static struct ast_symbol *new_symbol(
	struct parser *p, const struct declaration *d, const struct declarator *r)
{
	struct ast_symbol *s = arena_alloc(p->arena, 1, sizeof(*s));
	uint32_t natural = ptx_type_bytes(d->type) * d->vec;

	*s = (struct ast_symbol){.kind = d->is_register ? SYM_REG : SYM_VAR,
		.name = r->name->text,
		.file = p->file,
		.pos = r->pos,
		.type = d->type,
		.vec = d->vec,
		.space = d->is_register ? SPACE_NONE : d->space,
		.is_extern = d->is_extern,
		.is_defined = !d->is_extern,
		.is_weak = d->is_weak,
		.is_common = d->is_common,
		.is_visible = d->is_visible,
		.is_managed = d->is_managed,
		.opaque = d->opaque};
	if (d->opaque) { /* .tex .u32 t as well: the handle */
		s->type = T_B64;
		natural = 8;
	}
	if (!d->is_register)
		s->align = d->align ? d->align : natural;
	return s;
}

/* `.extern .global x` and the definition are one symbol. True: `s` is now the one declared before.
 */
static bool merge_extern(struct parser *p, const struct declarator *r, struct ast_symbol **s)
{
	struct binding *b = r->name->binding;
	struct ast_symbol *old, *next;

	if (!b || b->scope != p->scope || !b->symbol || b->symbol->kind != SYM_VAR)
		return false;
	old = b->symbol;
	if (!(old->is_extern || (*s)->is_extern) || old->space != (*s)->space ||
		old->type != (*s)->type || old->opaque != (*s)->opaque)
		return false;
	if (!(*s)->is_extern) {
		next = old->next;
		*old = **s;
		old->next = next;
	}
	*s = old;
	return true;
}

static int declare_register(
	struct parser *p, const struct declaration *d, const struct declarator *r)
{
	struct ast_symbol *s = new_symbol(p, d, r);

	p->declared_registers += r->is_range ? r->range : 1;
	if (p->declared_registers > PARSE_REGISTERS) {
		p->declared_registers = 0; /* one message is enough */
		parse_error(p, ERR_INPUT, r->pos, "a function cannot have more than %u registers",
			PARSE_REGISTERS);
	}
	if (r->is_range)
		return parse_declare_range(p, r->name, r->range, s);
	if (parse_declare(p, r->name, s))
		return -1;
	parse_add_register(p, s);
	return 0;
}

/* The '=' and the initialiser, if there is one. */
static int read_initialiser(struct parser *p, struct declarator *r, struct ast_symbol *s)
{
	struct ast_pos pos = p->tok.pos;

	if (!parse_accept(p, '=')) {
		if (r->unsized && !s->is_extern && s->space != SPACE_PARAM)
			return parse_error(p, ERR_INPUT, r->pos,
				"`%.200s[]` has no size: only .extern and "
				"initialised variables may omit it",
				r->name->text);
		return 0;
	}
	if (s->space != SPACE_GLOBAL && s->space != SPACE_CONST)
		return parse_error(
			p, ERR_INPUT, pos, "only .global and .const variables can be initialised");
	if (s->is_extern)
		return parse_error(p, ERR_INPUT, pos, ".extern variables cannot be initialised");
	if (s->opaque)
		return parse_attributes(p, s);
	return parse_initialiser(p, s, r);
}

static int declare_variable(struct parser *p, const struct declaration *d, struct declarator *r)
{
	struct ast_symbol *s = new_symbol(p, d, r);
	bool merged;

	if (d->opaque && parse_check_opaque(p, d, r))
		return -1;
	if (size_of(p, d, r, &s->bytes))
		return -1;
	if (d->opaque) {
		s->bytes = 8;
		s->space = SPACE_GLOBAL;
		s->trouble = parse_opaque_trouble(p, r);
	}
	if (check_variable(p, d, r, s))
		return -1;
	if (r->is_range)
		return parse_declare_range(p, r->name, r->range, s);
	merged = merge_extern(p, r, &s);
	if (!merged && parse_declare(p, r->name, s))
		return -1;
	if (!merged)
		parse_add_variable(p, s, !p->fn);
	if (read_initialiser(p, r, s))
		return -1;
	return s->space == SPACE_CONST && !d->is_extern ? count_constant(p, s) : 0;
}

/* Before PTX 1.4 the parameters of kernels were declared in the body. */
static bool is_old_param(const struct parser *p, const struct declaration *d)
{
	return d->space == SPACE_PARAM && p->fn->is_kernel && p->module->version_major == 1 &&
	       p->module->version_minor < 4;
}

static int add_param(struct parser *p, struct ast_function *fn, const struct declaration *d,
	struct declarator *r, bool returns)
{
	struct ast_symbol *s = new_symbol(p, d, r);
	uint32_t *end = returns ? &p->return_bytes : &fn->param_bytes;
	uint32_t version = p->module->version_major * 100 + p->module->version_minor;
	uint32_t most = fn->is_kernel && version < 801 ? PARSE_OLD_PARAM_BYTES : PARSE_PARAM_BYTES;
	uint64_t offset;

	s->is_param = !returns;
	s->is_return = returns;
	*p->param_tail = s;
	p->param_tail = &s->next;
	if (d->is_register && fn == p->fn)
		parse_add_register(p, s);
	if (fn->is_kernel && (d->is_register || r->unsized || (r->ndims && !r->dim[0])))
		return parse_error(p, ERR_INPUT, r->pos,
			"`%.200s`: a parameter of a kernel is a .param variable with a size",
			r->name->text);
	if (!d->is_register) {
		if (size_of(p, d, r, &s->bytes))
			return -1;
		offset = div_up(*end, s->align) * s->align;
		if (offset + s->bytes > most)
			return parse_error(p, ERR_INPUT, r->pos,
				"the parameters up to `%.200s` need more than %u bytes",
				r->name->text, most);
		s->param_offset = (uint32_t)offset;
		*end = (uint32_t)(offset + s->bytes);
	}
	return !strcmp(r->name->text, "_") ? 0 : parse_declare(p, r->name, s);
}

static int check_place(struct parser *p, const struct declaration *d, struct ast_pos pos)
{
	if (p->fn)
		return 0;
	if (d->is_register)
		return parse_error(
			p, ERR_UNSUPPORTED, pos, "registers outside functions are not supported");
	if (d->space == SPACE_PARAM)
		return parse_error(p, ERR_INPUT, pos, "parameters are declared by a function");
	return 0;
}

int parse_variables(struct parser *p, struct declaration *d)
{
	struct ast_pos pos = p->tok.pos;
	struct declarator r;

	if (read_specifiers(p, d) || check_place(p, d, pos))
		return -1;
	do {
		int result;
		if (read_declarator(p, d, &r))
			return -1;
		if (d->is_register)
			result = declare_register(p, d, &r);
		else if (p->fn && is_old_param(p, d))
			result = add_param(p, p->fn, d, &r, false);
		else
			result = declare_variable(p, d, &r);
		if (result && p->tok.kind != ',' && p->tok.kind != ';')
			return -1;
	} while (parse_accept(p, ','));
	return parse_expect(p, ';', "`,` or `;`");
}

int parse_params(struct parser *p, struct ast_function *fn, bool returns)
{
	struct declarator r;

	p->param_tail = returns ? &fn->returns : &fn->params;
	p->return_bytes = 0;
	if (parse_expect(p, '(', "`(`"))
		return -1;
	if (parse_accept(p, ')'))
		return 0;
	do {
		struct declaration d = {0};
		if (!tok_is(p, ".param") && !tok_is(p, ".reg"))
			return parse_expected(p, "`.param` or `.reg`");
		if (read_specifiers(p, &d) || read_declarator(p, &d, &r))
			return -1;
		if (r.is_range)
			return parse_error(
				p, ERR_INPUT, r.pos, "a parameter declares a single name");
		if (!d.opaque || !parse_check_opaque(p, &d, &r))
			add_param(p, fn, &d, &r, returns);
	} while (parse_accept(p, ','));
	return parse_expect(p, ')', "`,` or `)`");
}
