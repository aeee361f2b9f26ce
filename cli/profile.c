/* Counts what the executor does, as its observer. */
#include "cli/profile.h"

#include "core/base.h"
#include "mem/coalesce.h"

#include <stdlib.h>
#include <string.h>

static bool add_program(struct profile *p, const struct program *program)
{
	struct profile_program *grown =
		mem_grow(p->programs, p->nprograms, p->nprograms + 1, sizeof(*grown));
	struct profile_program *new;

	if (!grown)
		return false;
	p->programs = grown;
	p->last = p->nprograms++;
	new = &p->programs[p->last];
	*new = (struct profile_program){program, mem_alloc(program->ninstr, sizeof(*new->warps)),
		mem_alloc(program->ninstr, sizeof(*new->threads))};
	return new->warps &&new->threads;
}

/* The program's counts; most often it is the last one. */
static struct profile_program *find(struct profile *p, const struct program *program)
{
	if (p->nprograms && p->programs[p->last].program == program)
		return &p->programs[p->last];
	for (p->last = 0; p->last < p->nprograms; p->last++)
		if (p->programs[p->last].program == program)
			return &p->programs[p->last];
	p->last = 0;
	p->failed |= !add_program(p, program);
	return p->failed ? NULL : &p->programs[p->last];
}

static void count_branch(
	struct profile *p, const struct warp *w, const struct instr *in, uint32_t active)
{
	uint32_t taken = active;

	if (in->guard != NO_GUARD)
		taken &= w->preds[in->guard] ^ (0u - (uint32_t)in->guard_negated);
	p->branches++;
	p->taken += taken != 0;
	p->divergent += taken && taken != active;
}

static void count_access(struct profile *p, const struct access *a)
{
	enum profile_act act = a->action == ACT_LOAD    ? PROFILE_LOADS
			       : a->action == ACT_STORE ? PROFILE_STORES
							: PROFILE_ATOMICS;
	struct profile_memory *m = &p->memory[a->space][act];
	struct line_access lines[COALESCE_MAX];

	m->accesses++;
	m->lanes += count_bits(a->mask);
	m->bytes += (uint64_t)count_bits(a->mask) * a->bytes;
	if (a->space != SPACE_SHARED && a->space != SPACE_PARAM)
		m->lines += coalesce(a, lines);
}

static void executed(void *ctx, const struct warp *w, const struct instr *in, uint32_t mask,
	const struct access *a)
{
	struct profile *p = ctx;
	struct profile_program *program = p->failed ? NULL : find(p, w->program);

	if (!program)
		return;
	program->warps[in - w->program->code] += !a->more;
	program->threads[in - w->program->code] += count_bits(mask);
	if (in->action == ACT_BRANCH)
		count_branch(p, w, in, mask);
	if (a->space != SPACE_NONE && mask)
		count_access(p, a);
}

struct untimed_watch profile_watch(struct profile *p)
{
	return (struct untimed_watch){.ctx = p, .executed = executed};
}

void profile_clear(struct profile *p)
{
	for (unsigned i = 0; i < p->nprograms; i++) {
		mem_free(p->programs[i].warps);
		mem_free(p->programs[i].threads);
	}
	mem_free(p->programs);
	*p = (struct profile){0};
}

const char *profile_act_name(enum profile_act act)
{
	static const char *const names[] = {"loads", "stores", "atomics"};

	return names[act];
}

/* ---- forms */
static int by_spelling(const void *a, const void *b)
{
	const struct profile_form *x = a, *y = b;

	return strcmp(x->spelling, y->spelling);
}

static int by_count(const void *a, const void *b)
{
	const struct profile_form *x = a, *y = b;

	if (x->warp_instructions != y->warp_instructions)
		return x->warp_instructions < y->warp_instructions ? 1 : -1;
	return strcmp(x->spelling, y->spelling);
}

/* Instructions that the compiler adds at the end of a kernel or function have no spelling. */
static const char *spelling_of(const struct program *p, const struct instr *in)
{
	const char *opcode = p->lines[in->line].opcode;

	if (opcode)
		return opcode;
	return in->action == ACT_EXIT ? "exit" : "ret";
}

/* Every instruction that ran, as a form of its own; returns their number. */
static unsigned list_instructions(const struct profile *p, struct profile_form *out)
{
	unsigned n = 0;

	for (unsigned i = 0; i < p->nprograms; i++) {
		const struct program *program = p->programs[i].program;

		for (uint32_t k = 0; k < program->ninstr; k++)
			if (p->programs[i].warps[k])
				out[n++] = (struct profile_form){
					spelling_of(program, &program->code[k]),
					p->programs[i].warps[k], p->programs[i].threads[k]};
	}
	return n;
}

struct profile_form *profile_forms(const struct profile *p, struct arena *arena, unsigned *n)
{
	struct profile_form *all;
	unsigned room = 1, count, last = 0;

	for (unsigned i = 0; i < p->nprograms; i++)
		room += p->programs[i].program->ninstr;
	all = arena_alloc(arena, room, sizeof(*all));
	count = list_instructions(p, all);
	qsort(all, count, sizeof(*all), by_spelling);
	for (unsigned i = 1; i < count; i++) {
		if (strcmp(all[last].spelling, all[i].spelling)) {
			all[++last] = all[i];
			continue;
		}
		all[last].warp_instructions += all[i].warp_instructions;
		all[last].thread_instructions += all[i].thread_instructions;
	}
	*n = count ? last + 1 : 0;
	qsort(all, *n, sizeof(*all), by_count);
	return all;
}

/* ---- registers */
static void count_operand(const struct operand *o, uint64_t times, uint64_t *regs, uint64_t *preds)
{
	if (o->kind == OPND_REG)
		*regs += times * o->words;
	else if (o->kind == OPND_PRED)
		*preds += times;
}

static void count_instruction(struct profile_registers *r, const struct instr *in, uint64_t times)
{
	for (unsigned s = 0; s < in->nsrc; s++)
		count_operand(&in->src[s], times, &r->read, &r->preds_read);
	for (unsigned d = 0; d < in->ndst; d++)
		count_operand(&in->dst[d], times, &r->written, &r->preds_written);
	if (in->guard != NO_GUARD)
		r->preds_read += times;
}

struct profile_registers profile_registers(const struct profile *p)
{
	struct profile_registers r = {0};

	for (unsigned i = 0; i < p->nprograms; i++)
		for (uint32_t k = 0; k < p->programs[i].program->ninstr; k++)
			count_instruction(
				&r, &p->programs[i].program->code[k], p->programs[i].warps[k]);
	return r;
}
