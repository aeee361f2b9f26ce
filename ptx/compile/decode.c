/* Decodes the allocated functions of one kernel: absolute register numbers, the constant pool,
 * branch targets, source lines. */
#include "ptx/compile/decode.h"

#include "ptx/isa/operations.h"

#include <stdlib.h>
#include <string.h>

/* Each kernel has its own copy of its callees, so a small file can expand to any size. */
#define MOST_INSTRUCTIONS (16u << 20)

/* ---- constants. */

static uint32_t pool_slot(const struct pool *p, const struct pool_entry *e)
{
	uint64_t h =
		(e->bits + e->words * UINT64_C(0x632be59bd9b4e019)) * UINT64_C(0x9e3779b97f4a7c15) ^
		(uint64_t)e->var * UINT64_C(0xd6e8feb86659fd93);
	uint32_t k = (uint32_t)(h >> 32) & (p->nslots - 1);

	for (; p->slot[k]; k = (k + 1) & (p->nslots - 1)) {
		const struct pool_entry *o = &p->entry[p->slot[k] - 1];

		if (o->bits == e->bits && o->var == e->var && o->words == e->words)
			break;
	}
	return k;
}

static void pool_grow(struct pool *p, struct arena *work)
{
	struct pool_entry *old = p->entry;

	p->cap = p->cap ? 2 * p->cap : 128;
	p->nslots = 2 * p->cap;
	p->entry = arena_alloc(work, p->cap, sizeof(*p->entry));
	p->slot = arena_alloc(work, p->nslots, sizeof(*p->slot));
	if (p->n)
		memcpy(p->entry, old, p->n * sizeof(*old));
	for (uint32_t k = 0; k < p->n; k++)
		p->slot[pool_slot(p, &p->entry[k])] = k + 1;
}

/* The first plane of the constant. */
static uint32_t pool_add(struct decode *d, uint64_t bits, uint32_t var, uint8_t words)
{
	struct pool *p = &d->pool;
	struct pool_entry e = {.bits = bits, .var = var, .words = words};
	uint32_t k;

	if (p->n == p->cap)
		pool_grow(p, d->m->work);
	k = pool_slot(p, &e);
	if (p->slot[k])
		return p->entry[p->slot[k] - 1].index;
	e.index = p->planes;
	p->planes += words;
	p->entry[p->n++] = e;
	p->slot[k] = p->n;
	return e.index;
}

static void fill_planes(uint32_t *plane, uint64_t value, uint32_t words)
{
	for (uint32_t w = 0; w < words; w++)
		for (uint32_t lane = 0; lane < WARP_LANES; lane++)
			plane[w * WARP_LANES + lane] = (uint32_t)(value >> 32 * w);
}

/* Objects that must be bound at launch: the pool has each variable once. */
static void note_refs(struct decode *d)
{
	struct program *p = d->program;
	uint32_t *refs = arena_alloc(d->m->arena, d->pool.n + 1, sizeof(*refs));

	p->refs = refs;
	for (uint32_t k = 0; k < d->pool.n; k++) {
		uint32_t var = d->pool.entry[k].var;

		if (var != NO_VREG && d->m->vars[var].symbol->opaque)
			refs[p->nrefs++] = d->m->vars[var].index;
	}
}

static void write_pool(struct decode *d)
{
	struct program *p = d->program;

	p->nconsts = d->pool.planes;
	p->consts =
		arena_alloc(d->m->arena, (size_t)p->nconsts * WARP_LANES + 1, sizeof(*p->consts));
	for (uint32_t k = 0; k < d->pool.n; k++) {
		const struct pool_entry *e = &d->pool.entry[k];
		struct const_patch *patch;

		if (e->var == NO_VREG) {
			fill_planes(p->consts + (size_t)e->index * WARP_LANES, e->bits, e->words);
			continue;
		}
		patch = arena_alloc(d->m->arena, 1, sizeof(*patch));
		*patch = (struct const_patch){d->m->out->patches->consts, p, e->index, e->words,
			d->m->vars[e->var].index, e->bits};
		d->m->out->patches->consts = patch;
	}
}

/* ---- operands. */

/* The offset of a variable outside device memory in its state space. */
static uint64_t var_offset(const struct decode *d, uint32_t v)
{
	const struct ir_var *var = &d->m->vars[v];

	if (var->location == LOCATION_SHARED || var->location == LOCATION_DYNAMIC)
		return d->shared->offset[v] - 1;
	if (var->location == LOCATION_FRAME && var->owner != NO_VREG)
		return d->frames->base[var->owner].local + var->offset;
	return var->offset;
}

static struct operand reg_operand(
	const struct ir_function *f, const struct frame_base *w, const struct ir_value *v)
{
	if (v->words == 0)
		return (struct operand){OPND_PRED, 1, (uint16_t)(w->pred + f->location[v->index])};
	return (struct operand){OPND_REG, v->words, (uint16_t)(w->reg + f->location[v->index])};
}

static struct operand const_operand(struct decode *d, const struct ir_value *v)
{
	uint64_t bits = v->bits;
	uint32_t var = NO_VREG;

	if (v->kind == IR_VAR && d->m->vars[v->index].location == LOCATION_MODULE)
		var = v->index;
	else if (v->kind == IR_VAR)
		bits += var_offset(d, v->index);
	if (v->words == 1 && var == NO_VREG)
		bits &= UINT32_MAX;
	return (struct operand){OPND_CONST, v->words, (uint16_t)pool_add(d, bits, var, v->words)};
}

struct operand decode_value(struct decode *d, const struct ir_value *v)
{
	switch ((enum ir_kind)v->kind) {
	case IR_NONE:
		break;
	case IR_REG:
		return reg_operand(d->f, d->base, v);
	case IR_CALLEE:
		return reg_operand(&d->m->functions[v->bits], &d->frames->base[v->bits], v);
	case IR_CONST:
	case IR_VAR:
		return const_operand(d, v);
	}
	return (struct operand){0};
}

static bool is_memory(const struct ir_instr *i)
{
	return i->action == ACT_LOAD || i->action == ACT_STORE || i->action == ACT_ATOM ||
	       i->action == ACT_RED;
}

/* ---- instructions. */

static bool same_location(const struct ir_function *f, const struct ir_value *a,
	const struct ir_value *b, uint32_t delta)
{
	return a->kind == IR_REG && b->kind == IR_REG &&
	       f->location[a->index] == f->location[b->index] + delta;
}

/* Moves whose source and destination share a register are deleted. */
static bool is_emitted(const struct ir_function *f, const struct ir_instr *i)
{
	switch ((enum ir_shape)i->shape) {
	case IR_PLAIN:
	case IR_FILL:
	case IR_SPILL:
	case IR_OWN:
		break;
	case IR_GONE:
		return false;
	case IR_COPY:
		return !same_location(f, &i->dst[0], &i->src[0], 0);
	case IR_PACK:
		return !same_location(f, &i->src[0], &i->dst[0], 0) ||
		       !same_location(f, &i->src[1], &i->dst[0], 1);
	case IR_UNPACK:
		return !same_location(f, &i->dst[0], &i->src[0], 0) ||
		       !same_location(f, &i->dst[1], &i->src[0], 1);
	}
	return true;
}

void decode_add(struct decode *d, const struct instr *i, const struct src_line *line)
{
	struct instr *out = &d->code[d->n++];

	if (d->nlines == 0 || memcmp(&d->lines[d->nlines - 1], line, sizeof(*line)) != 0)
		d->lines[d->nlines++] = *line;
	*out = *i;
	out->line = d->nlines - 1;
	out->work = i->unit == UNIT_MEMORY ? work_of_access(i) : i->work;
	if (i->unit == UNIT_TENSOR)
		d->program->matrices |= (uint8_t)(1u << (i->op_class - CLASS_TENSOR));
}

struct src_line decode_line(const struct decode *d, const struct ir_instr *i)
{
	struct src_line line;

	memset(&line, 0, sizeof(line)); /* compared as bytes */
	line.ptx_file = d->f->ast->file;
	line.opcode = i->opcode;
	line.ptx_line = i->pos.line;
	line.ptx_col = i->pos.col;
	line.cuda_file = i->loc.file;
	line.cuda_line = i->loc.line;
	line.spill = i->shape == IR_FILL || i->shape == IR_SPILL;
	return line;
}

/* A spill slot is an absolute address in local memory. */
static void decode_spill(struct decode *d, const struct ir_instr *i, struct instr *out)
{
	bool fill = i->shape == IR_FILL;
	uint32_t slot = fill ? i->src[0].index : i->dst[0].index;

	out->offset = (int64_t)(d->base->local + d->f->slots_at + 4u * d->f->location[slot]);
	out->ndst = fill;
	out->nsrc = fill ? 1 : 2;
	if (fill)
		out->dst[0] = decode_value(d, &i->dst[0]);
	else
		out->src[1] = decode_value(d, &i->src[0]);
	d->program->spill_loads += fill;
	d->program->spill_stores += !fill;
}

static void decode_operands(struct decode *d, const struct ir_instr *i, struct instr *out)
{
	unsigned s = 0;

	out->ndst = i->ndst;
	out->nsrc = i->nsrc;
	for (unsigned k = 0; k < i->ndst; k++)
		out->dst[k] = decode_value(d, &i->dst[k]);
	if (is_memory(i) && i->src[0].kind == IR_VAR &&
		d->m->vars[i->src[0].index].location != LOCATION_MODULE) {
		out->offset += (int64_t)var_offset(d, i->src[0].index);
		s = 1; /* the address is absolute */
	}
	for (; s < i->nsrc; s++)
		out->src[s] = decode_value(d, &i->src[s]);
}

static struct instr plain_fields(const struct decode *d, const struct ir_instr *i)
{
	struct instr out = {.op = i->op,
		.action = i->action,
		.unit = i->unit,
		.op_class = op_class_of_unit(i->unit, i->op_class),
		.work = i->work,
		.guard = NO_GUARD,
		.offset = i->offset,
		.reconv = NO_RECONV,
		.space = i->space,
		.mem_type = i->mem_type,
		.vec = i->vec,
		.atom_op = i->atom_op,
		.cache_op = i->cache_op,
		.barrier = i->barrier,
		.uniform = i->uniform,
		.sreg = i->sreg,
		.address_words = i->address_words,
		.src_negated = i->src_negated};

	if (i->guard == NO_VREG)
		return out;
	out.guard = (uint8_t)(d->base->pred + d->f->location[i->guard]);
	out.guard_negated = i->guard_negated;
	return out;
}

/* The targets of an indexed branch in the program. */
static void decode_targets(struct decode *d, const struct ir_instr *i, struct instr *out)
{
	out->target = d->ntargets;
	out->offset = i->ntargets;
	for (uint32_t t = 0; t < i->ntargets; t++)
		d->targets[d->ntargets++] =
			i->targets[t] == NO_TARGET ? NO_TARGET : d->at[d->function][i->targets[t]];
}

static void decode_branch(
	struct decode *d, const struct ir_block *b, const struct ir_instr *i, struct instr *out)
{
	if (i->ntargets)
		decode_targets(d, i, out);
	else
		out->target = d->at[d->function][i->target];
	if (b->reconv != NO_BLOCK)
		out->reconv = d->at[d->function][d->f->blocks[b->reconv].first];
}

static void emit(struct decode *d, const struct ir_block *b, const struct ir_instr *i)
{
	struct instr out = plain_fields(d, i);
	struct src_line line = decode_line(d, i);

	if (slots_in_shared(d->f, i)) {
		slots_access(d, i, &out);
		return;
	}
	if (i->shape == IR_FILL || i->shape == IR_SPILL)
		decode_spill(d, i, &out);
	else
		decode_operands(d, i, &out);
	if (i->action == ACT_BRANCH)
		decode_branch(d, b, i, &out);
	else if (i->action == ACT_CALL)
		out.target = d->at[i->target][0];
	if (i->action == ACT_CALL && d->m->plan)
		slots_call(d, i, &out);
	else
		decode_add(d, &out, &line);
}

/* ---- the kernel. */

/* The index of every instruction; returns their number. */
static uint32_t lay_out(struct decode *d)
{
	uint32_t n = d->m->plan ? slots_entry_instrs(d) : 0;

	for (uint32_t k = 0; k < d->frames->n; k++) {
		const struct ir_function *f = &d->m->functions[d->frames->order[k]];
		uint32_t *at = arena_alloc(d->m->work, f->ninstr, sizeof(*at));

		d->at[d->frames->order[k]] = at;
		for (uint32_t b = 0; b < f->nblocks; b++)
			for (uint32_t i = f->blocks[b].first; i < f->blocks[b].end; i++) {
				at[i] = n;
				n += is_emitted(f, &f->code[i]);
				if (d->m->plan)
					n += slots_more_instrs(d, d->frames->order[k], i);
				d->ntargets += f->code[i].ntargets;
			}
	}
	return n;
}

static void emit_functions(struct decode *d)
{
	if (d->m->plan)
		slots_entry(d);
	for (uint32_t k = 0; k < d->frames->n; k++) {
		d->function = d->frames->order[k];
		d->f = &d->m->functions[d->function];
		d->base = &d->frames->base[d->function];
		for (uint32_t b = 0; b < d->f->nblocks; b++)
			for (uint32_t i = d->f->blocks[b].first; i < d->f->blocks[b].end; i++)
				if (is_emitted(d->f, &d->f->code[i]))
					emit(d, &d->f->blocks[b], &d->f->code[i]);
	}
}

static int by_index(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* Static shared variables that the code uses get offsets in declaration order; all extern arrays
 * start together after them. */
static int place_shared(struct decode *d)
{
	const struct shared_vars *used = d->shared;
	struct program *p = d->program;
	const struct ast_function *kernel = d->m->functions[d->frames->kernel].ast;
	uint64_t end = 0;

	for (uint32_t k = 0; k < used->n; k++) {
		const struct ir_var *var = &d->m->vars[used->list[k]];
		uint32_t align = vars_shared_align(d->m, var);

		if (var->location == LOCATION_SHARED) {
			end = div_up(end, align) * align;
			used->offset[used->list[k]] = end + 1;
			end += var->symbol->bytes;
		} else {
			p->dynamic_shared = true;
			p->dynamic_shared_align = (uint32_t)max_u64(p->dynamic_shared_align, align);
		}
	}
	for (uint32_t k = 0; k < used->n; k++)
		if (d->m->vars[used->list[k]].location == LOCATION_DYNAMIC)
			used->offset[used->list[k]] =
				div_up(end, p->dynamic_shared_align) * p->dynamic_shared_align + 1;
	p->shared_bytes = (uint32_t)min_u64(end, SHARED_WINDOW_BYTES);
	if (end <= SHARED_WINDOW_BYTES)
		return 0;
	return ir_note(d->m, kernel, &kernel->pos, ERR_RESOURCE,
		"it needs %llu bytes of shared memory per CTA, the limit is %u",
		(unsigned long long)end, SHARED_WINDOW_BYTES);
}

static void use_shared(struct decode *d, const struct ir_value *v)
{
	struct shared_vars *used = d->shared;

	if (v->kind != IR_VAR || used->offset[v->index])
		return;
	if (d->m->vars[v->index].location != LOCATION_SHARED &&
		d->m->vars[v->index].location != LOCATION_DYNAMIC)
		return;
	used->offset[v->index] = 1;
	used->list[used->n++] = v->index;
}

static int find_shared(struct decode *d)
{
	for (uint32_t k = 0; k < d->frames->n; k++) {
		const struct ir_function *f = &d->m->functions[d->frames->order[k]];

		for (uint32_t b = 0; b < f->nblocks; b++)
			for (uint32_t i = f->blocks[b].first; i < f->blocks[b].end; i++)
				for (unsigned s = 0; s < f->code[i].nsrc; s++)
					use_shared(d, &f->code[i].src[s]);
	}
	if (d->shared->n)
		qsort(d->shared->list, d->shared->n, sizeof(*d->shared->list), by_index);
	return place_shared(d);
}

static void forget_shared(struct shared_vars *used)
{
	while (used->n > 0)
		used->offset[used->list[--used->n]] = 0;
}

static void make_arrays(struct ir_module *m)
{
	m->at = arena_alloc(m->work, m->nfunctions, sizeof(*m->at));
	m->shared.offset = arena_alloc(m->work, m->nvars + 1, sizeof(*m->shared.offset));
	m->shared.list = arena_alloc(m->work, m->nvars + 1, sizeof(*m->shared.list));
}

static int make_code(struct decode *d, uint32_t n)
{
	struct ir_module *m = d->m;
	const struct ast_function *kernel = m->functions[d->frames->kernel].ast;

	if (m->decoded + n > MOST_INSTRUCTIONS)
		return ir_note(m, kernel, &kernel->pos, ERR_RESOURCE,
			"with it and their callees, the module's kernels have more than %u "
			"instructions",
			MOST_INSTRUCTIONS);
	m->decoded += n;
	d->code = arena_alloc(m->arena, n, sizeof(*d->code));
	d->lines = arena_alloc(m->arena, n, sizeof(*d->lines));
	d->targets = arena_alloc(m->arena, d->ntargets + 1, sizeof(*d->targets));
	d->program->targets = d->targets;
	d->program->ntargets = d->ntargets;
	d->ntargets = 0;
	return 0;
}

int decode_kernel(
	struct ir_module *m, const struct frames *frames, struct program *p, struct instr **code)
{
	struct decode d = {.m = m, .frames = frames, .program = p, .shared = &m->shared};
	const struct ast_function *kernel = m->functions[frames->kernel].ast;

	if (!m->at)
		make_arrays(m);
	d.at = m->at;
	if (find_shared(&d) || make_code(&d, lay_out(&d))) {
		forget_shared(d.shared);
		return -1;
	}
	emit_functions(&d);
	forget_shared(d.shared);
	if (d.pool.planes > UINT16_MAX + 1u)
		return ir_note(m, kernel, &kernel->pos, ERR_RESOURCE,
			"it has %u words of constants, the limit is %u", d.pool.planes,
			UINT16_MAX + 1u);
	write_pool(&d);
	note_refs(&d);
	p->code = *code = d.code;
	p->ninstr = d.n;
	p->entry = 0;
	p->lines = d.lines;
	p->nlines = d.nlines;
	return 0;
}
