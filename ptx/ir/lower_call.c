/* Calls: arguments and results are moved between the caller's registers and the callee's, which are
 * in a frame above; variables whose address is taken are copied between stack frames. */
#include "ptx/ir/lower.h"

#include "core/text.h"

#include <string.h>

/* ---- ld.param and st.param of variables in registers. */

/* The register of the variable at `offset`; none when that is out of bounds. */
static struct ir_value element_at(const struct ir_var *v, int64_t offset)
{
	struct ir_value e = {.kind = IR_REG, .words = v->element / 4};

	if (offset < 0 || (uint64_t)offset >= v->symbol->bytes)
		return (struct ir_value){0};
	e.index = v->index + (uint32_t)((uint64_t)offset / v->element);
	return e;
}

/* The conversion for a load of a narrow type into a wider register, or NULL for a move. */
static const char *extension(enum ptx_type type, const struct ast_symbol *reg)
{
	bool is_signed = ptx_type_class(type) == 's';

	if (ptx_type_bytes(type) == 1)
		return is_signed ? "cvt.s32.s8" : "cvt.u32.u8";
	if (ptx_type_bytes(type) == 2 && ptx_type_bytes(reg->type) > 2)
		return is_signed ? "cvt.s32.s16" : "cvt.u32.u16";
	return NULL;
}

static void load_element(struct lower *l, const struct ast_operand *o, struct ir_value from)
{
	enum ptx_type type = l->form.mem_type;
	struct ir_value dst = lower_dest(l, o, type, true), narrow = dst;
	const char *convert;

	if (dst.kind == IR_NONE)
		return;
	convert = extension(type, o->symbol);
	if (dst.words > from.words)
		narrow = lower_temp(l, 1);
	if (convert)
		lower_compute(l, convert, narrow, from, (struct ir_value){0});
	else
		lower_move(l, narrow, from);
	if (dst.words > from.words)
		lower_compute(l, ptx_type_class(type) == 's' ? "cvt.s64.s32" : "cvt.u64.u32", dst,
			narrow, (struct ir_value){0});
}

static void outside(struct lower *l, const struct ir_var *v, const struct ast_operand *address)
{
	lower_fail(l, address->pos, ERR_INPUT, "%s has %llu byte%s, offset %lld is out of bounds",
		v->symbol->name, (unsigned long long)v->symbol->bytes, text_s(v->symbol->bytes),
		(long long)address->offset);
}

/* 128 bits are two elements of 64 bits, as vars.c allocates them. */
static void access_halves(struct lower *l, const struct ir_var *v,
	const struct ast_operand *address, const struct ast_operand *data)
{
	struct ir_value there[2] = {
		element_at(v, address->offset), element_at(v, address->offset + 8)};
	struct ir_value here[2];

	if (there[0].kind == IR_NONE || there[1].kind == IR_NONE) {
		outside(l, v, address);
	} else if (l->form.action == ACT_LOAD) {
		lower_wide_dest(l, data, here);
		lower_wide_move(l, here, there);
	} else {
		lower_wide_source(l, data, here);
		lower_wide_move(l, there, here);
	}
}

static void access_elements(struct lower *l, const struct ir_var *v,
	const struct ast_operand *address, const struct ast_operand *data)
{
	const struct ast_operand *o;
	unsigned bytes = ptx_type_bytes(l->form.mem_type);

	if (l->form.mem_type == T_B128) {
		access_halves(l, v, address, data);
		return;
	}
	data = lower_spread(l, data);
	o = data->kind == AST_VECTOR ? data->first : data;
	for (unsigned k = 0; k < l->form.vec; k++) {
		struct ir_value e = element_at(v, address->offset + (int64_t)(k * bytes));

		if (e.kind == IR_NONE || !o) {
			outside(l, v, address);
			return;
		}
		if (l->form.action == ACT_LOAD)
			load_element(l, o, e);
		else
			lower_move(l, e, lower_source(l, o, l->form.mem_type, true));
		o = o->next;
	}
}

bool lower_param_access(struct lower *l)
{
	const struct ast_operand *first = l->s->operands, *second = first ? first->next : NULL;
	const struct ast_operand *address = l->form.action == ACT_LOAD ? second : first;
	const struct ast_operand *data = l->form.action == ACT_LOAD ? first : second;
	uint32_t v;

	if ((l->form.action != ACT_LOAD && l->form.action != ACT_STORE) ||
		l->form.space != SPACE_PARAM || !second || address->kind != AST_ADDRESS)
		return false;
	v = vars_find(l->m, address->symbol);
	if (v == NO_VREG || l->m->vars[v].location != LOCATION_REGS)
		return false;
	access_elements(l, &l->m->vars[v], address, data);
	return true;
}

/* ---- calls. */

struct binding {
	uint32_t callee;
	const struct ast_symbol *formal;
	const struct ast_operand *actual;
	bool is_result;
};

static struct ir_value callee_reg(const struct lower *l, uint32_t callee, uint32_t vreg)
{
	return (struct ir_value){.kind = IR_CALLEE,
		.words = l->m->functions[callee].words[vreg],
		.index = vreg,
		.bits = callee};
}

static void move_either(
	struct lower *l, struct ir_value mine, struct ir_value theirs, bool is_result)
{
	if (is_result)
		lower_move(l, mine, theirs);
	else
		lower_move(l, theirs, mine);
}

/* The actual is also a variable in registers. */
static void bind_elements(struct lower *l, const struct binding *b, const struct ir_var *actual,
	uint32_t first, uint32_t n)
{
	for (uint32_t k = 0; k < n; k++) {
		struct ir_value theirs = callee_reg(l, b->callee, first + k);
		struct ir_value mine = element_at(actual, (int64_t)k * actual->element);

		if (mine.kind == IR_NONE || mine.words != theirs.words) {
			lower_fail(l, b->actual->pos, ERR_INPUT, "%s does not have the size of %s",
				actual->symbol->name, b->formal->name);
			return;
		}
		move_either(l, mine, theirs, b->is_result);
	}
}

/* The actual is a 128-bit register. */
static void bind_wide(struct lower *l, const struct binding *b, uint32_t first)
{
	struct ir_value theirs[2] = {
		callee_reg(l, b->callee, first), callee_reg(l, b->callee, first + 1)};
	struct ir_value mine[2];

	if (b->is_result) {
		lower_wide_dest(l, b->actual, mine);
		lower_wide_move(l, mine, theirs);
	} else {
		lower_wide_source(l, b->actual, mine);
		lower_wide_move(l, theirs, mine);
	}
}

/* The actual is a vector register; the formal has the same number of elements of the same size. */
static void bind_vector(struct lower *l, const struct binding *b, uint32_t first)
{
	static const enum ptx_type bits[] = {[1] = T_B8, [2] = T_B16, [4] = T_B32, [8] = T_B64};
	const struct ast_operand *o = b->actual;
	const struct ast_symbol *formal = b->formal;
	enum ptx_type type = bits[ptx_type_bytes(formal->type)];
	uint32_t k = 0;

	if (!lower_is_whole(o) || o->symbol->vec != formal->vec) {
		lower_fail(l, o->pos, ERR_INPUT, "%s takes a register .v%u .%s as a whole",
			formal->name, formal->vec, ptx_type_name(formal->type));
		return;
	}
	for (o = lower_spread(l, o)->first; o && !l->failed; o = o->next, k++) {
		struct ir_value theirs = callee_reg(l, b->callee, first + k);
		struct ir_value mine = b->is_result ? lower_dest(l, o, type, false)
						    : lower_source(l, o, type, false);

		if (mine.kind != IR_NONE)
			move_either(l, mine, theirs, b->is_result);
	}
}

/* The actual is a register or a literal. */
static void bind_value(struct lower *l, const struct binding *b, uint32_t first, uint32_t n)
{
	struct ir_value mine, theirs;

	if (b->formal->kind == SYM_REG && b->formal->vec > 1) {
		bind_vector(l, b, first);
		return;
	}
	if (n == 2 && b->formal->type == T_B128) {
		bind_wide(l, b, first);
		return;
	}
	if (n != 1) {
		lower_fail(l, b->actual->pos, ERR_UNSUPPORTED,
			"%s is in memory: pass it through a .param variable", b->formal->name);
		return;
	}
	theirs = callee_reg(l, b->callee, first);
	mine = b->is_result ? lower_dest(l, b->actual, b->formal->type, false)
			    : lower_source(l, b->actual, b->formal->type, false);
	if (mine.kind != IR_NONE && mine.kind != IR_CONST && mine.words != theirs.words)
		lower_fail(l, b->actual->pos, ERR_INPUT, "%s takes a value of .%s", b->formal->name,
			ptx_type_name(b->formal->type));
	else if (mine.kind != IR_NONE)
		move_either(l, mine, theirs, b->is_result);
}

static void copy_piece(struct lower *l, uint32_t to, uint32_t from, uint64_t offset, unsigned bytes)
{
	struct ir_instr load = lower_blank(l), store;
	uint8_t words = (uint8_t)(l->m->ast->address_bits / 32);

	load.action = ACT_LOAD;
	load.unit = UNIT_MEMORY;
	load.space = SPACE_LOCAL;
	load.mem_type = bytes == 4 ? T_B32 : T_U8;
	load.vec = 1;
	load.address_words = words;
	load.offset = (int64_t)offset;
	load.ndst = load.nsrc = 1;
	load.dst[0] = lower_temp(l, 1);
	load.src[0] = (struct ir_value){.kind = IR_VAR, .words = words, .index = from};
	store = load;
	store.action = ACT_STORE;
	store.ndst = 0;
	store.nsrc = 2;
	store.src[0].index = to;
	store.src[1] = load.dst[0];
	lower_emit(l, &load);
	lower_emit(l, &store);
}

static void bind_memory(struct lower *l, const struct binding *b, uint32_t actual, uint32_t formal)
{
	const struct ir_var *a = &l->m->vars[actual], *f = &l->m->vars[formal];
	uint64_t bytes = f->symbol->bytes, at = 0;

	if (a->symbol->bytes != bytes) {
		lower_fail(l, b->actual->pos, ERR_INPUT, "%s has %llu byte%s, %s has %llu",
			a->symbol->name, (unsigned long long)a->symbol->bytes,
			text_s(a->symbol->bytes), f->symbol->name, (unsigned long long)bytes);
		return;
	}
	if ((a->offset | f->offset) % 4 == 0 && a->symbol->align >= 4 && f->symbol->align >= 4)
		for (; at + 4 <= bytes; at += 4)
			copy_piece(l, b->is_result ? actual : formal,
				b->is_result ? formal : actual, at, 4);
	for (; at < bytes; at++)
		copy_piece(
			l, b->is_result ? actual : formal, b->is_result ? formal : actual, at, 1);
}

static void bind_one(struct lower *l, const struct binding *b)
{
	uint32_t first = 0, n = vars_formal(l->m, b->callee, b->formal, &first);
	uint32_t formal = vars_find(l->m, b->formal);
	bool is_var = b->actual->kind == AST_SYMBOL && b->actual->symbol->kind == SYM_VAR &&
		      b->actual->symbol->space == SPACE_PARAM;
	uint32_t actual = is_var ? vars_find(l->m, b->actual->symbol) : NO_VREG;

	if (b->actual->kind == AST_SINK)
		return;
	if (!is_var)
		bind_value(l, b, first, n);
	else if (actual != NO_VREG && n && l->m->vars[actual].location == LOCATION_REGS)
		bind_elements(l, b, &l->m->vars[actual], first, n);
	else if (actual != NO_VREG && formal != NO_VREG &&
		 l->m->vars[actual].location == LOCATION_FRAME &&
		 l->m->vars[formal].location == LOCATION_FRAME)
		bind_memory(l, b, actual, formal);
	else
		lower_fail(l, b->actual->pos, ERR_UNSUPPORTED, "%s cannot be passed as %s",
			b->actual->symbol->name, b->formal->name);
}

static void bind_list(struct lower *l, struct binding b, const struct ast_operand *list,
	const struct ast_symbol *formals)
{
	const struct ast_operand *o = list ? list->first : NULL;
	const char *what = b.is_result ? "result" : "argument";
	unsigned given = 0, taken = 0;

	for (; o && formals; o = o->next, formals = formals->next) {
		b.formal = formals;
		b.actual = o;
		bind_one(l, &b);
		given++;
		taken++;
	}
	if (!o && !formals)
		return;
	for (; o; o = o->next)
		given++;
	for (; formals; formals = formals->next)
		taken++;
	lower_fail(l, list ? list->pos : l->s->pos, ERR_INPUT, "%s has %u %s%s, %u %s given",
		l->m->functions[b.callee].ast->name, taken, what, text_s(taken), given,
		given == 1 ? "is" : "are");
}

static bool check_callee(struct lower *l, const struct ast_operand *name, uint32_t *callee)
{
	if (name->symbol->kind == SYM_REG) {
		lower_fail(l, name->pos, ERR_INPUT,
			"a call through a register needs a .callprototype or .calltargets");
		return false;
	}
	if (name->symbol->kind != SYM_FUNCTION) {
		lower_fail(l, name->pos, ERR_INPUT, "%s is not a function", name->symbol->name);
		return false;
	}
	*callee = vars_function(l->m, name->symbol);
	if (*callee == NO_VREG || !l->m->functions[*callee].ast->has_body) {
		if (!strncmp(name->symbol->name, "cuda", 4) ||
			!strncmp(name->symbol->name, "__cudaCDP", 9))
			lower_fail(l, name->pos, ERR_UNSUPPORTED,
				"%s of the CUDA device runtime is not supported",
				name->symbol->name);
		else
			lower_missing(l, name);
		return false;
	}
	if (l->m->functions[*callee].ast->is_kernel) {
		lower_fail(l, name->pos, ERR_INPUT, "%s is a kernel", name->symbol->name);
		return false;
	}
	return true;
}

/* ---- vprintf and __assertfail, which the executor implements. */

static bool is_system(const struct lower *l, const struct ast_operand *name, const char *called)
{
	uint32_t f;

	if (!name || name->kind != AST_SYMBOL || !name->symbol ||
		name->symbol->kind != SYM_FUNCTION || strcmp(name->symbol->name, called) != 0)
		return false;
	f = vars_function(l->m, name->symbol);
	return f == NO_VREG || !l->m->functions[f].ast->has_body;
}

/* The register that holds an argument or the result. */
static struct ir_value call_value(
	struct lower *l, const struct ast_operand *o, unsigned words, bool is_result)
{
	enum ptx_type type = words == 2 ? T_U64 : T_U32;
	bool is_var = o->kind == AST_SYMBOL && o->symbol->kind == SYM_VAR;
	uint32_t v = is_var ? vars_find(l->m, o->symbol) : NO_VREG;
	struct ir_value value = {0};

	if (!is_var)
		return is_result ? lower_dest(l, o, type, false) : lower_source(l, o, type, false);
	if (v != NO_VREG && l->m->vars[v].location == LOCATION_REGS)
		value = element_at(&l->m->vars[v], 0);
	if (value.words != words)
		lower_fail(l, o->pos, ERR_UNSUPPORTED, "%s cannot be passed to a system function",
			o->symbol->name);
	return value;
}

static void lower_print(
	struct lower *l, const struct ast_operand *results, const struct ast_operand *arguments)
{
	const struct ast_operand *format = arguments ? arguments->first : NULL;
	unsigned words = l->m->ast->address_bits / 32;
	struct ir_instr i = lower_blank(l);

	if (!format || !format->next || format->next->next) {
		lower_fail(l, l->s->pos, ERR_INPUT, "vprintf takes a format and its arguments");
		return;
	}
	i.action = ACT_PRINT;
	i.unit = UNIT_CONTROL;
	i.nsrc = 2;
	i.src[0] = call_value(l, format, words, false);
	i.src[1] = call_value(l, format->next, words, false);
	if (results && results->first && results->first->kind != AST_SINK) {
		i.ndst = 1;
		i.dst[0] = call_value(l, results->first, 1, true);
	}
	if (!l->failed)
		lower_emit(l, &i);
}

/* __assertfail(message, file, line, function, bytes of a character): a fault with these texts. */
static void lower_assert(struct lower *l, const struct ast_operand *arguments)
{
	const struct ast_operand *o = arguments ? arguments->first : NULL;
	unsigned words = l->m->ast->address_bits / 32;
	struct ir_instr i = lower_blank(l);

	i.action = ACT_TRAP;
	i.unit = UNIT_CONTROL;
	for (; o && i.nsrc < 4; o = o->next, i.nsrc++)
		i.src[i.nsrc] = call_value(l, o, i.nsrc == 2 ? 1 : words, false);
	if (i.nsrc < 4 || !o || o->next)
		lower_fail(l, l->s->pos, ERR_INPUT,
			"__assertfail takes a message, a file, a line, a function and a size");
	if (!l->failed)
		lower_emit(l, &i);
}

/* __warpbeam_fault(pointer, whether it was freed before): of free() in ptx/compile/heap.c. */
static void lower_fault(struct lower *l, const struct ast_operand *arguments)
{
	const struct ast_operand *o = arguments ? arguments->first : NULL;
	struct ir_instr i = lower_blank(l);

	if (!o || !o->next || o->next->next || l->m->ast->address_bits != 64) {
		lower_fail(l, l->s->pos, ERR_INPUT, HEAP_FAULT " takes a pointer and a word");
		return;
	}
	i.action = ACT_TRAP;
	i.unit = UNIT_CONTROL;
	i.nsrc = 2;
	i.src[0] = call_value(l, o, 2, false);
	i.src[1] = call_value(l, o->next, 1, false);
	if (!l->failed)
		lower_emit(l, &i);
}

void lower_call(struct lower *l)
{
	const struct ast_operand *name = l->s->operands, *results = NULL, *arguments = NULL;
	struct ir_instr i = lower_blank(l);
	struct binding b = {0};

	if (name && name->kind == AST_LIST) {
		results = name;
		name = name->next;
	}
	if (name && name->next && name->next->kind == AST_LIST)
		arguments = name->next;
	if (is_system(l, name, "vprintf")) {
		lower_print(l, results, arguments);
		return;
	}
	if (is_system(l, name, "__assertfail")) {
		lower_assert(l, arguments);
		return;
	}
	if (is_system(l, name, HEAP_FAULT)) {
		lower_fault(l, arguments);
		return;
	}
	if (!name || name->kind != AST_SYMBOL || !check_callee(l, name, &b.callee)) {
		if (!l->failed)
			lower_fail(l, l->s->pos, ERR_INPUT, "the name of a function is missing");
		return;
	}
	bind_list(l, b, arguments, l->m->functions[b.callee].ast->params);
	i.action = ACT_CALL;
	i.unit = UNIT_CONTROL;
	i.uniform = l->form.uniform;
	i.target = b.callee;
	lower_emit(l, &i);
	b.is_result = true;
	bind_list(l, b, results, l->m->functions[b.callee].ast->returns);
}
