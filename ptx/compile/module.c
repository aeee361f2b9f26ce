/* Compiles a module of PTX text kernel by kernel, and links it once its variables have addresses.
 */
#include "ptx/compile/module.h"

#include "core/text.h"
#include "ptx/alloc/banks.h"
#include "ptx/alloc/graph.h"
#include "ptx/alloc/slots.h"
#include "ptx/compile/board.h"
#include "ptx/compile/heap.h"
#include "ptx/compile/order.h"
#include "ptx/front/indirect.h"
#include "ptx/isa/source_name.h"
#include "ptx/levels/levels.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MAX_PREDS 254u
#define MOST_SPILLED 16384u /* live registers or predicates beyond which spilling is not tried */
#define MAX_LOCAL_BYTES 524288u /* per thread, as in CUDA */

int ir_note(const struct ir_module *m, const struct ast_function *f, const struct ast_pos *pos,
	enum err_code code, const char *format, ...)
{
	struct note_location at = {.file = f->file, .function = f, .pos = *pos};
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return note_at(&m->notes, &at, code, "%s", text);
}

/* ---- one function. */

static void allocate(struct ir_module *m, struct ir_function *f, const struct live *live,
	const struct alloc_ops *ops)
{
	struct alloc_graph graph = {0};
	struct alloc_job job = {.function = f, .live = live, .work = m->work, .graph = &graph};

	f->location = arena_alloc(m->work, f->nvregs + 1, sizeof(*f->location));
	job.location = f->location;
	job.floor = f->max_live;
	f->regs = ops->assign(&job);
	if (!m->any_bank)
		alloc_renumber(&job, f->regs);
	graph = (struct alloc_graph){0};
	job.class = ALLOC_PREDS;
	job.floor = f->max_preds;
	f->preds = ops->assign(&job);
}

/* Options for all functions and kernels. */
struct wishes {
	struct limits limits;
	const struct alloc_ops *ops;
	struct order_options order;
	const struct levels_options *levels; /* or NULL */
};

/* Above the limit no allocation is tried: the pressure alone decides. */
static void compile_function(struct ir_module *m, uint32_t function, const struct wishes *wishes)
{
	struct ir_function *f = &m->functions[function];
	const struct live *live;

	if (!f->ast->has_body || f->failed)
		return;
	cfg_build(f, m->work);
	forward_params(f, m->work);
	sink_copies(f);
	live = order_function(m, f, &wishes->order, limits_regs(&wishes->limits, f));
	f->regs = f->max_live;
	f->preds = f->max_preds;
	for (uint32_t c = 0; c < f->ncalls; c++)
		f->calls[c].regs = f->calls[c].live;
	if (f->max_live <= 4 * MAX_REGS && f->max_preds <= 4 * MAX_PREDS) {
		allocate(m, f, live, wishes->ops);
		calls_measure(f, live, m->work);
	}
}

/* ---- one kernel. */

static int check_local(struct ir_module *m, const struct frames *frames)
{
	const struct ast_function *a = m->functions[frames->kernel].ast;

	if (frames->local_bytes <= MAX_LOCAL_BYTES)
		return 0;
	return ir_note(m, a, &a->pos, ERR_RESOURCE,
		"it needs %llu bytes of local memory per thread, the limit is %u",
		(unsigned long long)frames->local_bytes, MAX_LOCAL_BYTES);
}

/* Reports the smallest register limit that would suffice. */
static int say_least(struct fit *fit, uint32_t limit)
{
	const struct ast_function *a = fit->m->functions[fit->frames->kernel].ast;
	uint32_t least = fit_least(fit, MAX_REGS, MAX_PREDS);
	const char *whose = limit == a->maxnreg ? "its .maxnreg" : "the limit";

	if (least)
		return ir_note(fit->m, a, &a->pos, ERR_RESOURCE,
			"it needs %u registers even with spilling; %s is %u", least, whose, limit);
	return ir_note(fit->m, a, &a->pos, ERR_RESOURCE,
		"it needs more than %u registers even with spilling; %s is %u", MAX_REGS, whose,
		limit);
}

static int say_too_many(const struct ir_module *m, const struct frames *frames, const char *what,
	uint32_t needed, uint32_t limit)
{
	const struct ast_function *a = m->functions[frames->kernel].ast;

	return ir_note(m, a, &a->pos, ERR_RESOURCE,
		"it needs %u %s, the limit is %u; spilling is tried for at most %u", needed, what,
		limit, MOST_SPILLED);
}

/* Within the limit; of what is spilled, some to shared memory if so wished. */
static int fit_spilled(
	struct fit *fit, uint32_t limit, const struct wishes *wishes, struct slot_plan *plan)
{
	struct spill_options spill =
		limits_spill(&wishes->limits, &fit->m->functions[fit->frames->kernel]);
	struct fit_need need = {limit, MAX_PREDS};

	if (!fit_kernel(fit, need))
		return say_least(fit, limit);
	return spill.space == SPILL_LOCAL ? 0 : slots_fit(fit, need, &spill, plan);
}

/* Spills until the kernel meets its register limit. */
static int make_fit(struct fit *fit, const struct wishes *wishes, struct slot_plan *plan)
{
	const struct frames *frames = fit->frames;
	uint32_t limit = limits_regs(&wishes->limits, &fit->m->functions[frames->kernel]);

	if (frames->max_live <= limit && frames->regs <= MOST_SPILLED)
		fit_tighten(fit, MAX_PREDS);
	if (frames->regs <= limit && frames->preds <= MAX_PREDS)
		return 0;
	if (frames->regs > MOST_SPILLED)
		return say_too_many(fit->m, frames, "registers", frames->regs, limit);
	if (frames->preds > MOST_SPILLED)
		return say_too_many(
			fit->m, frames, "predicate registers", frames->preds, MAX_PREDS);
	return fit_spilled(fit, limit, wishes, plan);
}

static void set_params(struct ir_module *m, const struct ast_function *a, struct program *p)
{
	struct param_slot *slots;

	for (const struct ast_symbol *s = a->params; s; s = s->next)
		p->nparams++;
	slots = arena_alloc(m->arena, p->nparams + 1, sizeof(*slots));
	p->params = slots;
	for (const struct ast_symbol *s = a->params; s; s = s->next)
		*slots++ = (struct param_slot){
			s->name, s->type, s->param_offset, (uint32_t)s->bytes, s->align};
	p->param_bytes = a->param_bytes;
}

static void set_directives(const struct ast_function *a, struct program *p)
{
	memcpy(p->reqntid, a->reqntid, sizeof(p->reqntid));
	memcpy(p->maxntid, a->maxntid, sizeof(p->maxntid));
	p->maxnreg = a->maxnreg;
	p->minnctapersm = a->minnctapersm;
	p->explicit_cluster = a->explicit_cluster;
	p->independent = a->sm >= 70;
}

static void make_program(struct ir_module *m, const struct frames *frames,
	const struct frames *whole, const struct wishes *wishes)
{
	const struct ast_function *a = m->functions[frames->kernel].ast;
	struct program *p = arena_alloc(m->arena, 1, sizeof(*p));
	struct resident_limit resident;
	struct instr *code;

	p->name = a->name;
	p->source = source_name_kept(a->name, m->arena);
	p->file = a->file;
	p->module = m->out;
	p->regs = frames->regs + (m->plan ? m->plan->reserved : 0);
	p->planes = p->regs;
	p->wide_shared = m->wide_shared;
	p->preds = frames->preds;
	p->max_live = whole->max_live;
	p->local_bytes = (uint32_t)frames->local_bytes;
	p->spill_bytes = (uint32_t)(frames->local_bytes - whole->local_bytes);
	if (m->plan) {
		p->slots = m->plan->words;
		p->slot_budget = limits_spill(&wishes->limits, &m->functions[frames->kernel]).slots;
		p->slot_moves = m->plan->moves;
		p->slot_pointer = frames->regs;
	}
	p->call_depth = frames->call_depth;
	p->stack_depth = frames->stack_depth;
	resident = limits_resident(&wishes->limits, a);
	p->resident_regs = resident.regs;
	p->ctas_ignored = resident.ignored;
	set_directives(a, p);
	set_params(m, a, p);
	if (decode_kernel(m, frames, p, &code))
		return;
	if (wishes->levels)
		levels_build(p, code, wishes->levels, m->arena, m->work);
	board_build(p, code, m->arena);
	board_mark_unread(p, code, m->work);
	m->out->kernels[m->out->nkernels++] = p;
}

static void compile_kernel(struct fit *fit, uint32_t kernel, const struct wishes *wishes)
{
	struct ir_module *m = fit->m;
	struct frames *frames = fit->frames, whole;
	struct slot_plan plan = {0};

	if (m->functions[kernel].failed || frames_build(frames, m, kernel) ||
		check_local(m, frames))
		return;
	whole = *frames;
	if (make_fit(fit, wishes, &plan) == 0 && check_local(m, frames) == 0) {
		m->plan = plan.words ? &plan : NULL;
		make_program(m, frames, &whole, wishes);
		m->plan = NULL;
	}
	fit_restore(fit);
}

/* ---- the module. */

static uint16_t find_op(const char *spelling)
{
	struct form_match form;
	char why[128];
	bool unsupported;

	BUG_ON(form_match(spelling, &form, why, sizeof(why), &unsupported));
	return form.op;
}

static void find_ops(struct ir_module *m)
{
	static const char *const spelling[] = {"mov.pred", "mov.b32", "mov.b64"};

	for (unsigned k = 0; k < ARRAY_LEN(spelling); k++)
		m->mov_op[k] = find_op(spelling[k]);
	m->selp_op = find_op("selp.b32");
	m->setp_op = find_op("setp.ne.u32");
}

static void keep_relocs(struct ir_module *m)
{
	struct module_patch *patches = m->out->patches;

	patches->data = arena_alloc(m->arena, m->out->nvars + 1, sizeof(struct data_patch *));
	for (uint32_t v = 0; v < m->nvars; v++) {
		if (m->vars[v].location != LOCATION_MODULE)
			continue;
		for (const struct ast_reloc *r = m->vars[v].symbol->relocs; r; r = r->next) {
			uint32_t to = vars_find(m, r->symbol);
			bool code = vars_function(m, r->symbol) != NO_VREG;
			struct data_patch *p;

			if (!code && (to == NO_VREG || m->vars[to].location != LOCATION_MODULE))
				continue;
			p = arena_alloc(m->arena, 1, sizeof(*p));
			*p = (struct data_patch){patches->data[m->vars[v].index], r->offset,
				(uint64_t)r->addend, code ? NO_VREG : m->vars[to].index, r->bytes,
				r->shift};
			if (code)
				p->addend += r->symbol->function->symbol->index;
			patches->data[m->vars[v].index] = p;
		}
	}
}

static void compile_all(struct ir_module *m, const struct wishes *wishes)
{
	struct frames frames = {0};
	struct fit fit = {.m = m, .ops = wishes->ops, .frames = &frames};

	find_ops(m);
	vars_build(m);
	m->out->kernels = arena_alloc(m->arena, m->nfunctions + 1, sizeof(*m->out->kernels));
	m->out->patches = arena_alloc(m->arena, 1, sizeof(*m->out->patches));
	keep_relocs(m);
	for (uint32_t f = 0; f < m->nfunctions; f++)
		if (m->functions[f].ast->has_body)
			lower_function(m, f);
	waits_mark(m);
	for (uint32_t f = 0; f < m->nfunctions; f++)
		compile_function(m, f, wishes);
	for (uint32_t f = 0; f < m->nfunctions; f++)
		if (m->functions[f].ast->is_kernel && m->functions[f].ast->has_body)
			compile_kernel(&fit, f, wishes);
}

/* The work arena's memory is freed on every path, also when the caller's arena escapes. */
static void compile_guarded(struct ir_module *m, const struct wishes *wishes)
{
	jmp_buf *outer = m->arena->escape, here;

	if (setjmp(here)) {
		arena_free(m->trial);
		arena_free(m->work);
		m->arena->escape = outer;
		longjmp(*outer, 1);
	}
	m->arena->escape = &here;
	m->work->escape = m->trial->escape = &here;
	compile_all(m, wishes);
	arena_free(m->work);
	m->arena->escape = outer;
}

static const struct alloc_ops *find_allocator(
	const struct compile_options *options, struct err *err)
{
	const char *name = options && options->allocator ? options->allocator : ALLOC_DEFAULT;
	const struct plugin *plugin = plugin_find(ALLOC_KIND, name, "the register allocator", err);

	return plugin ? plugin->ops : NULL;
}

static struct module *new_module(const struct ast_module *ast, struct arena *arena)
{
	struct module *out = arena_alloc(arena, 1, sizeof(*out));

	out->file = ast->file;
	out->address_bits = ast->address_bits;
	out->cuda_files = ast->files;
	out->cuda_bytes = ast->file_bytes;
	out->ncuda_files = ast->nfiles;
	return out;
}

/* Parses all texts, so that all errors are reported; NULL when one of them cannot be parsed. */
static struct ast_module *parse_set(
	const struct module_text *texts, unsigned n, struct arena *arena, const struct notes *notes)
{
	struct ast_module **asts = arena_alloc(arena, n, sizeof(struct ast_module *));
	bool wrong = false;

	for (unsigned i = 0; i < n; i++) {
		asts[i] =
			ptx_parse_noted(texts[i].file, texts[i].text, texts[i].bytes, arena, notes);
		wrong |= !asts[i];
	}
	if (wrong)
		return NULL;
	return n == 1 ? asts[0] : linkage_join(asts, n, arena, notes);
}

struct module *module_compile(const char *file, const char *text, size_t bytes,
	const struct compile_options *options, struct arena *arena, struct err *err)
{
	struct module_text one = {file, text, bytes};

	return module_compile_set(&one, 1, options, arena, err);
}

static struct module *compile_texts(const struct module_text *texts, unsigned n,
	const struct compile_options *options, const struct wishes *wishes, struct arena *arena,
	const struct notes *notes)
{
	struct ast_module *ast = parse_set(texts, n, arena, notes);
	struct ir_module *m;

	if (!ast)
		return NULL;
	indirect_resolve(ast, arena);
	m = arena_alloc(arena, 1, sizeof(*m));
	m->work = arena_alloc(arena, 1, sizeof(*m->work));
	m->trial = arena_alloc(arena, 1, sizeof(*m->trial));
	m->ast = ast;
	m->out = new_module(ast, arena);
	m->arena = arena;
	m->notes = *notes;
	m->keep_order = options && options->keep_order;
	m->any_bank = options && options->any_bank;
	m->wide_shared = options && options->merge;
	compile_guarded(m, wishes);
	return m->out;
}

struct module *module_compile_set(const struct module_text *texts, unsigned n,
	const struct compile_options *options, struct arena *arena, struct err *err)
{
	struct wishes wishes = {
		.limits = {.max_regs = options && options->max_regs ? options->max_regs : MAX_REGS},
		.ops = find_allocator(options, err),
		.levels = options ? options->levels : NULL};
	struct notes notes = {
		err, options ? options->note : NULL, options ? options->note_ctx : NULL, NULL};
	struct module *out;

	if (!wishes.ops)
		return NULL;
	texts = heap_link(texts, &n, arena);
	if (options) {
		wishes.limits.spill = options->spill;
		wishes.limits.all_regs = options->all_regs;
		wishes.limits.kernels = options->kernels;
		wishes.limits.nkernels = options->nkernels;
		wishes.limits.resident = options->resident;
		wishes.limits.resident_ctx = options->resident_ctx;
		wishes.order = (struct order_options){options->merge, options->schedule,
			options->schedule_extra, options->schedule_least};
	}
	notes.tally = arena_alloc(arena, 1, sizeof(*notes.tally));
	*notes.tally = (struct note_tally){.arena = arena, .texts = texts, .ntexts = n};
	out = compile_texts(texts, n, options, &wishes, arena, &notes);
	notes_flush(&notes);
	return out;
}

const struct program *module_kernel(const struct module *m, const char *name, struct err *err)
{
	struct text names = {0};

	for (uint32_t k = 0; k < m->nkernels; k++)
		if (strcmp(m->kernels[k]->name, name) == 0)
			return m->kernels[k];
	for (uint32_t k = 0; k < m->nkernels; k++)
		text_add(&names, "%s%s", k ? ", " : "", m->kernels[k]->name);
	if (m->nkernels)
		err_add(err, ERR_INPUT, "%s: there is no kernel %s; there are: %s", m->file, name,
			text_str(&names));
	else
		err_add(err, ERR_INPUT, "%s: there is no kernel %s; the module has no kernels",
			m->file, name);
	text_clear(&names);
	return NULL;
}

void module_place(struct module *m, uint32_t i, uint64_t address)
{
	BUG_ON(i >= m->nvars);
	m->vars[i].address = address;
	m->vars[i].placed = true;
}

void module_link(struct module *m)
{
	for (struct const_patch *p = m->patches->consts; p; p = p->next) {
		uint64_t value = m->vars[p->var].address + p->addend;
		uint32_t *plane = p->program->consts + (size_t)p->index * WARP_LANES;

		BUG_ON(!m->vars[p->var].placed);
		for (uint32_t k = 0; k < p->words * WARP_LANES; k++)
			plane[k] = (uint32_t)(value >> 32 * (k / WARP_LANES));
	}
}

void module_var_init(const struct module *m, uint32_t i, unsigned char *out)
{
	const struct module_var *v = &m->vars[i];

	if (v->init && !v->kind)
		memcpy(out, v->init, v->bytes);
	else
		memset(out, 0, v->bytes);
	for (const struct data_patch *p = m->patches->data[i]; p; p = p->next) {
		uint64_t base = p->var == NO_VREG ? 0 : m->vars[p->var].address;
		uint64_t value = (base + p->addend) >> p->shift;

		BUG_ON(p->var != NO_VREG && !m->vars[p->var].placed);
		for (unsigned b = 0; b < p->bytes; b++)
			out[p->offset + b] = (unsigned char)(value >> 8 * b);
	}
}
