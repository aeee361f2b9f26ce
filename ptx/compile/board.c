/* Lists of scoreboard entries: the issue of an instruction walks them instead of its operands. */
#include "ptx/compile/board.h"

#include <string.h>

/* Entries of an instruction: a word of each operand, and the guard. */
#define MOST_ENTRIES ((INSTR_DSTS + INSTR_SRCS) * 2 + 1)

struct board {
	int16_t entry[MOST_ENTRIES];
	uint8_t n;
};

static void add(struct board *b, int entry)
{
	for (unsigned k = 0; k < b->n; k++)
		if (b->entry[k] == entry)
			return;
	BUG_ON(b->n == MOST_ENTRIES);
	b->entry[b->n++] = (int16_t)entry;
}

static void add_operands(struct board *b, const struct operand *o, unsigned n)
{
	for (; n; n--, o++) {
		if (o->kind == OPND_PRED)
			add(b, -1 - o->index);
		for (int k = 0; o->kind == OPND_REG && k < (o->words ? o->words : 1); k++)
			add(b, o->index + k);
	}
}

static bool is_simple(const struct instr *in)
{
	return in->action == ACT_LANES && in->unit <= UNIT_SFU && in->nsrc <= 3 && in->ndst <= 2 &&
	       !in->src_negated;
}

static bool moves_values(const struct instr *in)
{
	return (in->action == ACT_LOAD || in->action == ACT_STORE) && !in->op;
}

void board_build(const struct program *p, struct instr *code, struct arena *arena)
{
	for (struct instr *in = code; in < code + p->ninstr; in++) {
		struct board b = {.n = 0};
		int16_t *entries;

		add_operands(&b, in->dst, in->ndst);
		in->nresults = b.n;
		add_operands(&b, in->src, in->nsrc);
		if (in->guard != NO_GUARD)
			add(&b, -1 - in->guard);
		in->nentries = b.n;
		entries = arena_alloc(arena, b.n + 1u, sizeof(*entries));
		memcpy(entries, b.entry, b.n * sizeof(*entries));
		in->entries = entries;
		in->simple = is_simple(in);
		in->moves = moves_values(in);
	}
}
