/* Lowers statements to instructions over virtual registers, driven by the semantics table. */
#include "ptx/ir/lower.h"

#include "core/text.h"
#include "ptx/isa/operations.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void lower_fail(struct lower *l, struct ast_pos pos, enum err_code code, const char *format, ...)
{
	struct note_location at = {.file = l->f->ast->file,
		.function = l->f->ast,
		.pos = pos,
		.loc = l->s->loc,
		.cuda_files = l->m->ast->files,
		.ncuda_files = l->m->ast->nfiles,
		.opcode = l->s->opcode};
	char text[FORM_WHY];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	note_at(&l->m->notes, &at, code, "%s", text);
	l->failed = true;
	l->f->failed = true;
}

/* Doubles an array of the work arena. */
static void *grow(struct ir_module *m, const void *old, uint32_t *cap, size_t size)
{
	uint32_t more = *cap ? *cap * 2 : 64;
	void *new = arena_alloc(m->work, more, size);

	if (*cap)
		memcpy(new, old, *cap * size);
	*cap = more;
	return new;
}

uint32_t ir_new_vreg(struct ir_module *m, struct ir_function *f, unsigned words)
{
	if (f->nvregs == f->vregs_cap)
		f->words = grow(m, f->words, &f->vregs_cap, sizeof(*f->words));
	f->words[f->nvregs] = (uint8_t)words;
	return f->nvregs++;
}

struct ir_instr *ir_append(struct ir_module *m, struct ir_function *f, const struct ir_instr *i)
{
	if (f->ninstr == f->code_cap)
		f->code = grow(m, f->code, &f->code_cap, sizeof(*f->code));
	f->code[f->ninstr] = *i;
	return &f->code[f->ninstr++];
}

struct ir_instr lower_blank(const struct lower *l)
{
	return (struct ir_instr){.action = ACT_LANES,
		.unit = UNIT_ALU,
		.guard = l->s->guard ? l->f->reg_base[l->s->guard->index] : NO_VREG,
		.guard_negated = l->s->guard_negated,
		.opcode = l->s->opcode,
		.pos = l->s->pos,
		.loc = l->s->loc};
}

void lower_emit(struct lower *l, const struct ir_instr *i)
{
	ir_append(l->m, l->f, i);
}

void lower_move(struct lower *l, struct ir_value dst, struct ir_value src)
{
	struct ir_instr i = lower_blank(l);

	i.op = l->m->mov_op[dst.words];
	i.shape = IR_COPY;
	i.ndst = i.nsrc = 1;
	i.dst[0] = dst;
	i.src[0] = src;
	lower_emit(l, &i);
}

void lower_compute(struct lower *l, const char *spelling, struct ir_value dst, struct ir_value a,
	struct ir_value b)
{
	struct ir_instr i = lower_blank(l);
	struct form_match form;
	char why[128];
	bool unsupported;

	BUG_ON(form_match(spelling, &form, why, sizeof(why), &unsupported));
	i.op = form.op;
	i.op_class = form.op_class;
	i.ndst = 1;
	i.nsrc = b.kind == IR_NONE ? 1 : 2;
	i.dst[0] = dst;
	i.src[0] = a;
	i.src[1] = b;
	lower_emit(l, &i);
}

/* ---- operands of a statement, by their roles in the form. */

static void add_src(struct ir_instr *i, struct ir_value v)
{
	BUG_ON(i->nsrc == INSTR_SRCS);
	i->src[i->nsrc++] = v;
}

static void add_dst(struct ir_instr *i, struct ir_value v)
{
	BUG_ON(i->ndst == INSTR_DSTS);
	i->dst[i->ndst++] = v;
}

/* p, p|q, d, d|p: always two results, the second may be a sink. */
static void lower_pair(
	struct lower *l, const struct ast_operand *o, enum ptx_type type, struct ir_instr *i)
{
	struct ir_value second = {0};

	if (o->kind == AST_PAIR) {
		second = lower_dest(l, o->first->next, T_PRED, false);
		o = o->first;
	}
	add_dst(i, lower_dest(l, o, type, false));
	add_dst(i, second);
}

static void lower_vector(struct lower *l, const struct ast_operand *o,
	const struct form_operand *role, struct ir_instr *i)
{
	const struct ast_operand *e;
	unsigned n = 0, need = role->n ? role->n : l->form.vec;

	o = lower_spread(l, o);
	e = o->kind == AST_VECTOR ? o->first : o;
	for (; e; e = o->kind == AST_VECTOR ? e->next : NULL, n++) {
		if (n == need)
			break;
		if (role->is_dst)
			add_dst(i, lower_dest(l, e, role->type, role->wider));
		else
			add_src(i, lower_source(l, e, role->type, role->wider));
	}
	if (n != need || e)
		lower_fail(l, o->pos, ERR_INPUT, "%u element%s needed here", need,
			need == 1 ? " is" : "s in braces are");
}

/* The function's carry flag: an ordinary predicate from here on. */
static struct ir_value carry_flag(struct lower *l)
{
	if (!l->f->carry)
		l->f->carry = ir_new_vreg(l->m, l->f, 0) + 1;
	return (struct ir_value){.kind = IR_REG, .index = l->f->carry - 1};
}

static void lower_operand(struct lower *l, const struct ast_operand *o,
	const struct form_operand *role, struct ir_instr *i)
{
	switch (role->role) {
	case ROLE_VALUE:
		if (role->type == T_B128)
			lower_wide_operand(l, o, role->is_dst, i);
		else if (role->is_dst)
			add_dst(i, lower_dest(l, o, role->type, role->wider));
		else
			add_src(i, lower_source(l, o, role->type, role->wider));
		break;
	case ROLE_PRED:
		if (role->is_dst)
			add_dst(i, lower_dest(l, o, T_PRED, false));
		else
			add_src(i, lower_pred_source(l, o, i->nsrc, &i->src_negated));
		break;
	case ROLE_PRED_PAIR:
		lower_pair(l, o, T_PRED, i);
		break;
	case ROLE_VALUE_PAIR:
		lower_pair(l, o, role->type, i);
		break;
	case ROLE_ADDRESS:
		BUG_ON(i->nsrc);
		lower_address(l, o, i);
		i->nsrc = 1;
		break;
	case ROLE_VECTOR:
		if (l->form.vec > 4)
			lower_eight(l, o, role->is_dst, i);
		else
			lower_vector(l, o, role, i);
		break;
	case ROLE_TEXTURE:
	case ROLE_SURFACE:
	case ROLE_OBJECT:
		lower_object(l, o, role, i);
		break;
	case ROLE_LEVEL:
		lower_level(l, o, (enum ptx_type)role->type, i);
		break;
	default:
		BUG_ON(true);
	}
}

static bool is_implied(const struct form_operand *role)
{
	return role->role == ROLE_CARRY;
}

static void lower_implied(struct lower *l, const struct form_operand *role, struct ir_instr *i)
{
	if (role->is_dst)
		add_dst(i, carry_flag(l));
	else
		add_src(i, carry_flag(l));
}

unsigned lower_count(const struct ast_operand *o)
{
	unsigned n = 0;

	for (; o; o = o->next)
		n++;
	return n;
}

static void lower_operands(struct lower *l, struct ir_instr *i)
{
	unsigned have = lower_count(l->s->operands), most = l->form.noperands, least = most, skip;
	const struct ast_operand *o = l->s->operands;

	for (unsigned k = 0; k < l->form.noperands; k++) {
		least -= l->form.operand[k].optional || is_implied(&l->form.operand[k]);
		most -= is_implied(&l->form.operand[k]);
	}
	if (have < least || have > most) {
		if (least == most)
			lower_fail(l, l->s->pos, ERR_INPUT, "takes %u operand%s, %u %s given", most,
				text_s(most), have, have == 1 ? "is" : "are");
		else
			lower_fail(l, l->s->pos, ERR_INPUT, "takes %u to %u operands, %u %s given",
				least, most, have, have == 1 ? "is" : "are");
		return;
	}
	skip = most - have;
	for (unsigned k = 0; k < l->form.noperands; k++) {
		if (is_implied(&l->form.operand[k])) {
			lower_implied(l, &l->form.operand[k], i);
			continue;
		}
		if (l->form.operand[k].optional && skip) {
			skip--;
			add_src(i, (struct ir_value){0});
			continue;
		}
		lower_operand(l, o, &l->form.operand[k], i);
		o = o->next;
	}
}

/* ---- statements. */

static struct ir_instr form_instr(const struct lower *l)
{
	const struct form_match *form = &l->form;
	struct ir_instr i = lower_blank(l);

	i.op = form->op;
	i.action = form->action;
	i.unit = form->unit;
	i.op_class = form->op_class;
	i.work = work_of_opcode(l->s->opcode);
	i.space = form->space;
	i.mem_type = form->mem_type;
	i.vec = form->vec;
	i.atom_op = form->atom_op;
	i.cache_op = form->cache_op;
	i.barrier = form->barrier;
	i.uniform = form->uniform;
	lower_split_type(&i);
	if (form->action == ACT_MATRIX)
		lower_matrix_code(&i, form->op);
	return i;
}

/* cvt into a register wider than 32 bits: the operation writes one word, which is then extended. */
static bool extend_result(const struct lower *l, const struct ir_instr *i, unsigned *words)
{
	const struct form_operand *role = &l->form.operand[0];

	*words = ptx_type_words(role->type);
	return i->action == ACT_LANES && i->ndst == 1 && role->is_dst && role->role == ROLE_VALUE &&
	       i->dst[0].kind == IR_REG && i->dst[0].words > *words && *words;
}

static void emit_extended(struct lower *l, struct ir_instr *i, unsigned words)
{
	bool is_signed = ptx_type_class(l->form.operand[0].type) == 's';
	struct ir_value wide = i->dst[0], narrow = lower_temp(l, words);

	i->dst[0] = narrow;
	lower_emit(l, i);
	lower_compute(
		l, is_signed ? "cvt.s64.s32" : "cvt.u64.u32", wide, narrow, (struct ir_value){0});
}

/* A mov of a special register becomes a read with its destination. */
static bool lower_mov_special(struct lower *l)
{
	const struct ast_operand *d = l->s->operands, *s = d ? d->next : NULL;
	struct ir_instr *last;
	struct ir_value dst;

	if (strncmp(l->s->opcode, "mov.", 4) != 0 || !s || s->next || s->kind != AST_SYMBOL ||
		s->symbol->kind != SYM_SREG)
		return false;
	dst = lower_dest(l, d, l->form.operand[0].type, false);
	lower_source(l, s, l->form.operand[1].type, false);
	if (l->failed)
		return true;
	last = &l->f->code[l->f->ninstr - 1];
	if (dst.kind == IR_REG && last->dst[0].words != dst.words) {
		struct ir_value low = last->dst[0];

		low.words = dst.words;
		lower_move(l, dst, low);
		return true;
	}
	last->dst[0] = dst;
	last->guard = lower_blank(l).guard;
	return true;
}

/* Moves, and cvta of spaces whose addresses are generic already. */
static bool is_copy(const struct lower *l, const struct ir_instr *i)
{
	const char *opcode = l->s->opcode;
	bool move = strncmp(opcode, "mov.", 4) == 0 ||
		    (strncmp(opcode, "cvta.", 5) == 0 &&
			    (l->form.space == SPACE_GLOBAL || l->form.space == SPACE_CONST));

	return move && i->ndst == 1 && i->nsrc == 1 && i->dst[0].words == i->src[0].words &&
	       !i->src_negated;
}

/* Checks a barrier's number and thread count where they are literals. */
static void check_barrier(struct lower *l, const struct ir_instr *i)
{
	const struct ir_value *number = &i->src[0], *count = &i->src[1];

	if (i->action != ACT_BARRIER || i->barrier == BARRIER_WARP)
		return;
	if (number->kind == IR_CONST && number->bits > 15)
		lower_fail(l, l->s->pos, ERR_INPUT, "barrier %lld: there are 0 to 15",
			(long long)(int32_t)number->bits);
	else if (count->kind == IR_CONST && count->bits % WARP_LANES)
		lower_fail(l, l->s->pos, ERR_INPUT,
			"a barrier of %lld threads: the count must be a multiple of %d",
			(long long)(int32_t)count->bits, WARP_LANES);
	else if (count->kind == IR_CONST && !count->bits && i->barrier == BARRIER_ARRIVE)
		lower_fail(l, l->s->pos, ERR_INPUT, "an arrival needs a count above 0");
}

static void lower_plain(struct lower *l)
{
	struct ir_instr i = form_instr(l);
	unsigned words;

	lower_operands(l, &i);
	if (!l->failed)
		check_barrier(l, &i);
	if (l->failed)
		return;
	if (l->form.mem_type == T_B128 && i.action == ACT_LANES) {
		lower_wide_move(l, i.dst, i.src);
		return;
	}
	if (is_copy(l, &i))
		i.shape = IR_COPY;
	if (extend_result(l, &i, &words))
		emit_extended(l, &i, words);
	else
		lower_emit(l, &i);
	if (l->form.vec > 4 && i.ndst)
		lower_eight_results(l, l->s->operands, i.dst);
}

/* brx.idx a, list; targets are statement numbers until all statements are lowered. */
static void lower_branch_indexed(struct lower *l, struct ir_instr *i)
{
	const struct ast_operand *index = l->s->operands, *list = index ? index->next : NULL;
	const struct ast_operand *t;

	if (!list || list->next || list->kind != AST_SYMBOL || list->symbol->kind != SYM_TARGETS ||
		!list->symbol->targets) {
		lower_fail(l, list ? list->pos : l->s->pos, ERR_INPUT,
			"takes an index and the name of a list of .branchtargets");
		return;
	}
	l->f->ntargets += lower_count(list->symbol->targets);
	if (l->f->ntargets > IR_TARGETS) {
		lower_fail(l, l->s->pos, ERR_RESOURCE, "more than %u jump targets", IR_TARGETS);
		return;
	}
	i->targets =
		arena_alloc(l->m->work, lower_count(list->symbol->targets), sizeof(*i->targets));
	for (t = list->symbol->targets; t; t = t->next) {
		if (t->symbol && t->symbol->kind != SYM_LABEL) {
			lower_fail(l, t->pos, ERR_INPUT, "%s is not a label", t->symbol->name);
			return;
		}
		i->targets[i->ntargets++] = t->symbol ? t->symbol->index : NO_TARGET;
	}
	add_src(i, lower_source(l, index, l->form.operand[0].type, false));
	if (!l->failed)
		lower_emit(l, i);
}

static void lower_branch(struct lower *l)
{
	const struct ast_operand *o = l->s->operands;
	struct ir_instr i = form_instr(l);
	char read[LOWER_READ];

	if (l->form.noperands == 2) {
		lower_branch_indexed(l, &i);
		return;
	}
	if (!o || o->next || o->kind != AST_SYMBOL || o->symbol->kind != SYM_LABEL) {
		lower_fail(l, o ? o->pos : l->s->pos, ERR_INPUT, "takes one label, not %s",
			o && !o->next ? lower_read(o, read)
			: o           ? "several operands"
				      : "nothing");
		return;
	}
	i.target = o->symbol->index; /* a statement number until all statements are lowered */
	lower_emit(l, &i);
}

static void lower_by_action(struct lower *l)
{
	if (l->form.action == ACT_BRANCH)
		lower_branch(l);
	else if (l->form.action == ACT_CALL)
		lower_call(l);
	else if (l->form.action == ACT_FRAGMENT)
		lower_fragment(l);
	else if (!lower_param_access(l) && !lower_mov_special(l))
		lower_plain(l);
}

static void lower_statement(struct lower *l)
{
	char why[FORM_WHY];
	bool unsupported = false;

	l->failed = false;
	l->blamed = NULL;
	if (lower_vector_move(l) || lower_pack(l))
		return;
	if (lower_form(l, why, sizeof(why), &unsupported)) {
		lower_fail(l, l->s->pos, unsupported ? ERR_UNSUPPORTED : ERR_INPUT, "%s", why);
		return;
	}
	if (l->form.policy)
		lower_take_policy(l);
	if (!l->failed)
		lower_by_action(l);
}

/* ---- functions with errors: their valid statements are lowered as well, so that all errors are
 * reported at once. */

static void look_at_opcode(struct lower *l)
{
	char why[FORM_WHY];
	bool unsupported;

	if (strncmp(l->s->opcode, "mov.", 4) != 0 &&
		lower_form(l, why, sizeof(why), &unsupported) != 0)
		lower_fail(l, l->s->pos, unsupported ? ERR_UNSUPPORTED : ERR_INPUT, "%s", why);
}

static void lower_readable(struct lower *l)
{
	if (lower_is_readable(l->s))
		lower_statement(l);
	else
		look_at_opcode(l);
}

static void lower_end(struct lower *l)
{
	const struct ast_function *a = l->f->ast;
	struct ast_statement end = {
		.pos = a->nstatements ? a->statements[a->nstatements - 1].pos : a->pos};
	struct ir_instr i;

	l->s = &end;
	i = lower_blank(l);
	i.action = a->is_kernel ? ACT_EXIT : ACT_RET;
	i.unit = UNIT_CONTROL;
	lower_emit(l, &i);
	l->s = NULL;
}

void lower_function(struct ir_module *m, uint32_t function)
{
	struct ir_function *f = &m->functions[function];
	struct lower l = {.m = m, .f = f, .function = function};

	f->code_cap = f->ast->nstatements + 64;
	f->code = arena_alloc(m->work, f->code_cap, sizeof(*f->code));
	l.starts = arena_alloc(m->work, f->ast->nstatements + 1, sizeof(*l.starts));
	lower_fragments_begin(&l);
	for (uint32_t s = 0; s < f->ast->nstatements; s++) {
		l.starts[s] = f->ninstr;
		l.s = &f->ast->statements[s];
		if (l.s->opcode && f->ast->is_wrong)
			lower_readable(&l);
		else if (l.s->opcode)
			lower_statement(&l);
	}
	l.starts[f->ast->nstatements] = f->ninstr;
	lower_end(&l);
	lower_fragments_end(&l);
	for (uint32_t i = 0; i < f->ninstr; i++) {
		for (uint32_t t = 0; t < f->code[i].ntargets; t++)
			if (f->code[i].targets[t] != NO_TARGET)
				f->code[i].targets[t] = l.starts[f->code[i].targets[t]];
		if (f->code[i].action == ACT_BRANCH && !f->code[i].ntargets)
			f->code[i].target = l.starts[f->code[i].target];
		if (f->code[i].action == ACT_RET && f->ast->is_kernel)
			f->code[i].action = ACT_EXIT;
	}
}
