/* Loads whose address comes from their own result of before, through registers of the PTX: a list,
 * a tree, a walk by indices; and those that follow them, as of a node's other fields. Control flow
 * is not followed. */
#include "cli/advice/inside.h"

#include "core/base.h"

#include <string.h>

#define MOST_NAMES 12u   /* of a statement */
#define LEAST_SHARE 0.05 /* of the run, for which a load is looked at */

struct names {
	const char *at[MOST_NAMES];
	unsigned length[MOST_NAMES], id[MOST_NAMES], n;
};

/* A statement: what it writes, and what it reads. */
struct statement {
	struct names to, from;
};

struct kernel_text {
	struct statement *statement;
	unsigned n, ids;
};

static const char *behind_guard(const char *text)
{
	if (*text == '@')
		text += strcspn(text, " \t");
	return text + strspn(text, " \t");
}

static bool writes_nothing(const char *opcode)
{
	static const char *const those[] = {"st.", "red.", "bra", "bar", "ret", "exit", "call"};

	for (unsigned i = 0; i < ARRAY_LEN(those); i++)
		if (!strncmp(opcode, those[i], strlen(those[i])))
			return true;
	return false;
}

static void add_names(struct names *names, const char *from, const char *to)
{
	for (const char *at = from; at < to && names->n < MOST_NAMES; at++) {
		unsigned length = 1;

		if (*at != '%')
			continue;
		while (at + length < to && strchr(",;+-[]{}() \t", at[length]) == NULL)
			length++;
		names->at[names->n] = at;
		names->length[names->n++] = length;
	}
}

/* The first operand is written: a name, or several in braces. */
static struct statement parse(const char *text)
{
	const char *opcode = behind_guard(text), *end = text + strlen(text);
	const char *first = opcode + strcspn(opcode, " \t"), *rest = first;
	struct statement s = {0};

	if (writes_nothing(opcode))
		return s;
	rest += strspn(rest, " \t");
	rest += *rest == '{' ? strcspn(rest, "}") : strcspn(rest, ",;");
	add_names(&s.to, first, rest);
	add_names(&s.from, rest, end);
	return s;
}

/* ---- names as numbers */
static bool is_same(const struct names *a, unsigned i, const struct names *b, unsigned k)
{
	unsigned n = a->length[i];

	/* names differ in their last character more often than in others */
	return n == b->length[k] && a->at[i][n - 1] == b->at[k][n - 1] &&
	       !memcmp(a->at[i], b->at[k], n);
}

/* Only what some statement before writes, or this one, has a number. */
static unsigned id_of(
	const struct kernel_text *k, unsigned upto, const struct names *names, unsigned i)
{
	for (unsigned s = upto; s-- > 0;) /* what is read was most often written just before */
		for (unsigned d = 0; d < k->statement[s].to.n; d++)
			if (is_same(&k->statement[s].to, d, names, i))
				return k->statement[s].to.id[d];
	return UINT32_MAX;
}

static void number(struct kernel_text *k)
{
	for (unsigned s = 0; s < k->n; s++)
		for (unsigned d = 0; d < k->statement[s].to.n; d++) {
			unsigned id = id_of(k, s, &k->statement[s].to, d);

			k->statement[s].to.id[d] = id == UINT32_MAX ? k->ids++ : id;
		}
	for (unsigned s = 0; s < k->n; s++)
		for (unsigned i = 0; i < k->statement[s].from.n; i++) {
			unsigned id = id_of(k, s, &k->statement[s].from, i);

			k->statement[s].from.id[i] =
				id == UINT32_MAX ? id_of(k, k->n, &k->statement[s].from, i) : id;
		}
}

/* ---- what comes from what */
static bool has_any(const bool *set, const struct names *names)
{
	for (unsigned i = 0; i < names->n; i++)
		if (names->id[i] != UINT32_MAX && set[names->id[i]])
			return true;
	return false;
}

static bool add_all(bool *set, const struct names *names)
{
	bool more = false;

	for (unsigned i = 0; i < names->n; i++) {
		more |= !set[names->id[i]];
		set[names->id[i]] = true;
	}
	return more;
}

static bool feeds_itself(const struct kernel_text *k, const struct statement *load, bool *set)
{
	bool more = true;

	memset(set, 0, k->ids);
	add_all(set, &load->to);
	while (more) {
		more = false;
		for (unsigned s = 0; s < k->n; s++)
			if (has_any(set, &k->statement[s].from))
				more |= add_all(set, &k->statement[s].to);
	}
	return has_any(set, &load->from);
}

static bool is_load(const struct traffic_item *l)
{
	const char *opcode = behind_guard(l->ptx_text ? l->ptx_text : "");

	return l->counts.n[PROFILE_LOADED] && !strncmp(opcode, "ld.", 3) && !l->spill;
}

/* A load that the run waits for. */
static bool waits(const struct facts *f, const struct traffic_item *l)
{
	return is_load(l) &&
	       facts_caused(l, REASON_LONG_SCOREBOARD) + facts_caused(l, REASON_LG_THROTTLE) >
		       LEAST_SHARE * f->resident;
}

static void look_at(struct facts *f, const unsigned *lines, unsigned n)
{
	const struct traffic_item *item = f->traffic->view[VIEW_LINES].item;
	struct arena *arena = f->traffic->arena;
	struct kernel_text k = {.statement = arena_alloc(arena, n, sizeof(*k.statement)), .n = n};
	bool *set;

	for (unsigned i = 0; i < n; i++)
		k.statement[i] = parse(item[lines[i]].ptx_text ? item[lines[i]].ptx_text : "");
	number(&k);
	set = arena_alloc(arena, k.ids + 1, sizeof(*set));
	for (unsigned i = 0; i < n; i++) {
		if (!waits(f, &item[lines[i]]) || !feeds_itself(&k, &k.statement[i], set))
			continue;
		for (unsigned j = 0; j < n; j++)
			if (is_load(&item[lines[j]]) && has_any(set, &k.statement[j].from))
				f->chained[lines[j]] = true;
	}
}

void chains_find(struct facts *f)
{
	const struct traffic_view *v = &f->traffic->view[VIEW_LINES];
	unsigned *lines = arena_alloc(f->traffic->arena, v->n + 1, sizeof(*lines));
	bool *seen = arena_alloc(f->traffic->arena, v->n + 1, sizeof(*seen));

	f->chained = arena_alloc(f->traffic->arena, v->n + 1, sizeof(*f->chained));
	for (unsigned i = 0; i < v->n; i++) {
		unsigned n = 0;

		if (seen[i] || !waits(f, &v->item[i]))
			continue;
		for (unsigned k = 0; k < v->n; k++)
			if (v->item[k].compiled == v->item[i].compiled) {
				lines[n++] = k;
				seen[k] = true;
			}
		look_at(f, lines, n);
	}
}
