/* Looks up the semantics of a PTX opcode in the table ptx/isa/forms.def. */
#include "ptx/isa/forms_private.h"
#include "ptx/isa/lanes.h"
#include "ptx/isa/matrix.h"
#include "ptx/isa/texture.h"

#include <stdio.h>
#include <string.h>

#define MAX_LISTED 48
#define LETTERS 24 /* of a mnemonic, including the terminating NUL */

static const struct form_row rows[] = {
#define F(pattern, operands, action, unit, base, text) \
	{pattern, operands, text, ACT_##action, UNIT_##unit, true, (uint16_t)(base)},
#define U(pattern, text) {pattern, "", text, ACT_NOP, UNIT_CONTROL, false, 0},
#include "ptx/isa/forms.def"
#undef F
#undef U
};

static bool ends_mnemonic(char c)
{
	return c == '{' || c == '*' || c == '.' || c == 0;
}

static struct word row_mnemonic(const struct form_row *row)
{
	const char *s = row->pattern + (row->pattern[0] == '*');
	size_t n = 0;

	while (!ends_mnemonic(s[n]))
		n++;
	return (struct word){s, n};
}

static int word_compare(struct word a, struct word b)
{
	int order = memcmp(a.s, b.s, a.len < b.len ? a.len : b.len);

	return order ? order : (a.len > b.len) - (a.len < b.len);
}

/* The first row of a mnemonic, or of its successor in the table. */
static size_t row_lower_bound(struct word mnemonic)
{
	size_t low = 0, high = ARRAY_LEN(rows);

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (word_compare(row_mnemonic(&rows[middle]), mnemonic) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool row_is(size_t i, struct word mnemonic)
{
	return i < ARRAY_LEN(rows) && word_compare(row_mnemonic(&rows[i]), mnemonic) == 0;
}

static bool match_row(const struct form_row *row, const struct spelling *sp, struct trial *t)
{
	struct word mnemonic = row_mnemonic(row);
	const char *at = mnemonic.s + mnemonic.len;

	t->nslots = t->progress = t->from = 0;
	if (row->pattern[0] == '*')
		return slots_match_any_order(at, sp, t);
	return slots_match_in_order(at, sp, t);
}

/* ---- messages for opcodes that are not in the table */

struct listing {
	struct word word[MAX_LISTED];
	unsigned n;
};

static void list_word(struct listing *list, struct word w)
{
	unsigned i;

	for (i = 0; i < list->n; i++)
		if (word_compare(list->word[i], w) == 0)
			return;
	if (w.len && list->n < MAX_LISTED)
		list->word[list->n++] = w;
}

static void list_slot(struct listing *list, const struct slot *slot)
{
	const char *at = slot->alternatives;
	struct word alternative;
	int ordinal = 0;

	while (next_alternative(&at, &alternative, &ordinal))
		list_word(list, alternative);
}

/* The alternatives at the point where the best rows of the mnemonic failed to match; *best is the
 * index of that word. */
static void list_possible(
	size_t first, const struct spelling *sp, unsigned *best, struct listing *list)
{
	struct trial t;
	size_t i;
	unsigned k;

	*best = 0;
	for (i = first; row_is(i, sp->mnemonic); i++) {
		if (!rows[i].supported || match_row(&rows[i], sp, &t))
			continue;
		if (t.progress > *best) {
			list->n = 0;
			*best = t.progress;
		}
		for (k = t.from; t.progress == *best && k < t.nslots; k++)
			if (t.word[k] < 0)
				list_slot(list, &t.slot[k]);
	}
}

static void explain_words(
	size_t first, const struct spelling *sp, const char *spelling, char *why, size_t n)
{
	struct listing list = {.n = 0};
	unsigned best, i;
	int before;
	size_t len;

	list_possible(first, sp, &best, &list);
	before =
		(int)(best < sp->nwords ? (size_t)(sp->word[best].s - spelling) : strlen(spelling));
	snprintf(why, n, "%.*s takes %s", before, spelling, list.n ? "" : "nothing more");
	for (i = 0; i < list.n; i++) {
		len = strlen(why);
		snprintf(why + len, n - len, "%s%.*s", i ? ", " : "", (int)list.word[i].len,
			list.word[i].s);
	}
	len = strlen(why);
	if (best < sp->nwords)
		snprintf(why + len, n - len, ", not %.*s", (int)sp->word[best].len,
			sp->word[best].s);
	else
		snprintf(why + len, n - len, " as well");
}

static void explain_mnemonic(struct word mnemonic, char *why, size_t n)
{
	char spelled[ARRAY_LEN(rows)][LETTERS], wrong[LETTERS];
	const char *names[ARRAY_LEN(rows)], *near;
	size_t i, count = 0;

	for (i = 0; i < ARRAY_LEN(rows); i++) {
		struct word w = row_mnemonic(&rows[i]);

		if (w.s[0] == '%' || (i && row_is(i - 1, w)))
			continue;
		snprintf(spelled[count], LETTERS, "%.*s", (int)w.len, w.s);
		names[count] = spelled[count];
		count++;
	}
	snprintf(wrong, sizeof(wrong), "%.*s", (int)mnemonic.len, mnemonic.s);
	near = err_nearest(wrong, names, count);
	if (near)
		snprintf(why, n, "unknown instruction '%s'; did you mean '%s'?", wrong, near);
	else
		snprintf(why, n, "unknown instruction '%s'", wrong);
}

static bool spelling_split(const char *s, struct spelling *sp)
{
	size_t len = strcspn(s, ".");

	sp->mnemonic = (struct word){s, len};
	sp->nwords = 0;
	for (s += len; *s; s += len) {
		len = 1 + strcspn(s + 1, ".");
		if (sp->nwords == MAX_WORDS)
			return false;
		sp->word[sp->nwords++] = (struct word){s, len};
	}
	return true;
}

/* ptxas accepts modifiers in any order: a word that matches several slots stays where it is. */
static const struct form_row *match_any_order(
	size_t first, const struct spelling *sp, struct form_match *m)
{
	struct trial t;

	for (size_t i = first; row_is(i, sp->mnemonic); i++) {
		struct word mnemonic = row_mnemonic(&rows[i]);

		t.nslots = t.progress = t.from = 0;
		if (!rows[i].supported || *rows[i].pattern == '*' ||
			!slots_match_any_order(mnemonic.s + mnemonic.len, sp, &t))
			continue;
		form_fill(&rows[i], &t, sp, m);
		return &rows[i];
	}
	return NULL;
}

static bool takes_the_rest(const struct form_row *row)
{
	return row->pattern[strlen(row->pattern) - 1] == '*';
}

/* The row of an opcode; one that refuses the rest of a mnemonic comes last. NULL: there is none. */
static const struct form_row *match_rows(
	size_t first, const struct spelling *sp, struct form_match *m)
{
	const struct form_row *rest = NULL, *row;
	struct trial t;

	for (size_t i = first; row_is(i, sp->mnemonic); i++) {
		if (!match_row(&rows[i], sp, &t))
			continue;
		if (takes_the_rest(&rows[i])) {
			rest = &rows[i];
			continue;
		}
		if (rows[i].supported)
			form_fill(&rows[i], &t, sp, m);
		return &rows[i];
	}
	row = match_any_order(first, sp, m);
	return row ? row : rest;
}

/* ---- .L2::cache_hint, which accesses to global memory may have among their modifiers */

static bool word_is(struct word w, const char *text)
{
	return w.len == strlen(text) && !memcmp(w.s, text, w.len);
}

/* Takes the modifier out of the opcode of an access. */
static bool take_hint(struct spelling *sp)
{
	static const char *const accesses[] = {"atom", "cp", "ld", "red", "st"};
	bool can = false;
	unsigned i;

	for (i = 0; i < ARRAY_LEN(accesses); i++)
		can |= word_is(sp->mnemonic, accesses[i]);
	for (i = 0; can && i < sp->nwords && !word_is(sp->word[i], ".L2::cache_hint");)
		i++;
	if (!can || i == sp->nwords)
		return false;
	sp->nwords--;
	memmove(&sp->word[i], &sp->word[i + 1], (sp->nwords - i) * sizeof(sp->word[0]));
	return true;
}

static bool takes_hint(const struct spelling *sp, const struct form_match *m)
{
	bool can = m->space == SPACE_GENERIC || m->space == SPACE_GLOBAL;

	for (unsigned i = 0; i < sp->nwords; i++)
		can &= !word_is(sp->word[i], ".volatile") && !word_is(sp->word[i], ".mmio") &&
		       !word_is(sp->word[i], ".cas") && !word_is(sp->word[i], ".mbarrier");
	return can && m->noperands;
}

int form_match(const char *spelling, struct form_match *m, char *why, size_t n, bool *unsupported)
{
	const struct form_row *row;
	struct spelling sp;
	size_t first;
	bool hint;

	*unsupported = false;
	if (!spelling_split(spelling, &sp)) {
		snprintf(why, n, "'%.*s' has too many modifiers", 64, spelling);
		return -1;
	}
	hint = take_hint(&sp);
	first = row_lower_bound(sp.mnemonic);
	row = match_rows(first, &sp, m);
	if (row && row->supported) {
		m->policy = hint;
		if (!hint || takes_hint(&sp, m))
			return 0;
		snprintf(why, n,
			".L2::cache_hint is not for .volatile, .mmio and .cas, and only "
			"for global memory");
		return -1;
	}
	*unsupported = row;
	if (row)
		snprintf(why, n, "%s is not supported (%s)", spelling, row->text);
	else if (!row_is(first, sp.mnemonic))
		explain_mnemonic(sp.mnemonic, why, n);
	else
		explain_words(first, &sp, spelling, why, n);
	return -1;
}

void form_list(form_visit_fn *visit, void *ctx)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].supported && rows[i].pattern[0] != '%')
			visit(ctx, rows[i].pattern, rows[i].operands, rows[i].text);
}

void form_list_inner(form_visit_fn *visit, void *ctx)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].pattern[0] == '%')
			visit(ctx, rows[i].pattern, rows[i].operands, rows[i].text);
}

void form_list_refused(form_visit_fn *visit, void *ctx)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(rows); i++)
		if (!rows[i].supported)
			visit(ctx, rows[i].pattern, rows[i].operands, rows[i].text);
}
