/* Atomics whose result nothing reads: nvcc writes `atom` where ptxas makes `red`. */
#include "ptx/compile/board.h"

#include <string.h>

struct search {
	const struct program *p;
	const struct instr *atom;
	uint64_t *seen; /* a bit for each instruction */
	uint32_t *next, n;
};

static bool names(const struct instr *in, unsigned from, unsigned to, int entry)
{
	for (unsigned k = from; k < to; k++)
		if (in->entries[k] == entry)
			return true;
	return false;
}

static bool is_source(const struct operand *o, unsigned n, int entry)
{
	for (; n; n--, o++)
		if (o->kind == OPND_REG && entry >= o->index &&
			entry < o->index + (o->words ? o->words : 1))
			return true;
	return false;
}

static bool reads(const struct search *s, const struct instr *in)
{
	for (unsigned k = 0; k < s->atom->nresults; k++)
		if (is_source(in->src, in->nsrc, s->atom->entries[k]))
			return true;
	return false;
}

/* In all lanes. */
static bool overwrites(const struct search *s, const struct instr *in)
{
	unsigned n = 0;

	for (unsigned k = 0; k < s->atom->nresults; k++)
		n += names(in, 0, in->nresults, s->atom->entries[k]);
	return n == s->atom->nresults && in->guard == NO_GUARD;
}

static void reach(struct search *s, uint32_t at)
{
	if (at >= s->p->ninstr || s->seen[at / 64] >> at % 64 & 1)
		return;
	s->seen[at / 64] |= UINT64_C(1) << at % 64;
	s->next[s->n++] = at;
}

static void reach_followers(struct search *s, uint32_t at)
{
	const struct instr *in = &s->p->code[at];
	bool leaves = in->action == ACT_RET || in->action == ACT_EXIT || in->action == ACT_TRAP;

	if (in->action == ACT_BRANCH && in->nsrc)
		for (int64_t k = 0; k < in->offset; k++)
			reach(s, s->p->targets[in->target + (uint32_t)k]);
	else if (in->action == ACT_BRANCH)
		reach(s, in->target);
	if ((in->action != ACT_BRANCH && !leaves) || in->guard != NO_GUARD)
		reach(s, at + 1);
}

static bool is_unread(struct search *s, uint32_t at)
{
	memset(s->seen, 0, (s->p->ninstr / 64 + 1) * sizeof(*s->seen));
	s->n = 0;
	s->atom = &s->p->code[at];
	reach_followers(s, at);
	while (s->n) {
		uint32_t i = s->next[--s->n];

		if (reads(s, &s->p->code[i]))
			return false;
		if (!overwrites(s, &s->p->code[i]))
			reach_followers(s, i);
	}
	return true;
}

/* A callee's caller is not known here. */
void board_mark_unread(const struct program *p, struct instr *code, struct arena *work)
{
	struct search s = {.p = p};

	for (uint32_t i = 0; i < p->ninstr && !p->call_depth; i++) {
		if (code[i].action != ACT_ATOM)
			continue;
		if (!s.seen) {
			s.seen = arena_alloc(work, p->ninstr / 64 + 1, sizeof(*s.seen));
			s.next = arena_alloc(work, p->ninstr + 1, sizeof(*s.next));
		}
		code[i].unread = is_unread(&s, i);
	}
}
