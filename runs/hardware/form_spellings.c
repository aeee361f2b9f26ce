/* Opcodes out of the patterns of the semantics table. */
#include "runs/hardware/form_spellings.h"

#include "core/base.h"
#include "core/text.h"

#include <string.h>

#define MOST_SLOTS 16

struct slot {
	const char *first;
	unsigned n;
};

static unsigned read_slots(const char *pattern, struct slot *slot)
{
	unsigned n = 0;

	while ((pattern = strchr(pattern, '{')) != NULL) {
		BUG_ON(n == MOST_SLOTS);
		for (pattern++; !strchr(".|,}", *pattern);)
			pattern++;
		slot[n] = (struct slot){pattern, 1};
		for (; *pattern != '}'; pattern++)
			slot[n].n += *pattern == '|' || *pattern == ',';
		n++;
	}
	return n;
}

/* Adds alternative k of the slot to the spelling. */
static void add_word(struct text *spelling, const struct slot *s, unsigned k)
{
	const char *at = s->first;

	for (; k; k--)
		at += strcspn(at, "|,}") + 1;
	text_add(spelling, "%.*s", (int)strcspn(at, "|,}"), at);
}

/* A part that PTX before 1.4 left out and later versions need: the first slot names it. */
static bool has_mode(const char *pattern)
{
	static const char *const words[] = {
		"cos", "div", "ex2", "lg2", "mad", "rcp", "rsqrt", "sin", "sqrt"};
	size_t n = strcspn(pattern, "{");
	bool left_out = pattern[n] &&
			(pattern[n + 1] == ',' || pattern[n + 1] == '|' ||
				!strncmp(pattern + n, "{#,", 3) || !strncmp(pattern + n, "{#|", 3));

	for (unsigned i = 0; i < ARRAY_LEN(words); i++)
		if (strlen(words[i]) == n && !strncmp(words[i], pattern, n))
			return left_out;
	return false;
}

/* The slot with the word as its alternative *k; n: there is none. */
static unsigned find_word(const struct slot *slot, unsigned n, const char *word, unsigned *k)
{
	for (unsigned i = 0; i < n; i++) {
		const char *at = slot[i].first;

		for (*k = 0; *k < slot[i].n; ++*k, at += strcspn(at, "|,}") + 1)
			if (strcspn(at, "|,}") == strlen(word) && !strncmp(at, word, strlen(word)))
				return i;
	}
	return n;
}

/* A load or store has an order and a scope, or neither. */
static void order(const char *pattern, const struct slot *slot, unsigned n, unsigned *choice)
{
	unsigned relaxed, gpu, sys, mmio;
	unsigned sem = find_word(slot, n, ".relaxed", &relaxed);
	unsigned scope = find_word(slot, n, ".gpu", &gpu), io = find_word(slot, n, ".mmio", &mmio);

	if ((strncmp(pattern, "ld{", 3) && strncmp(pattern, "st{", 3)) || sem == n || scope == n)
		return;
	find_word(slot, n, ".sys", &sys);
	if (choice[sem] >= relaxed && !choice[scope])
		choice[scope] = gpu;
	if (io < n && choice[io] == mmio)
		choice[scope] = sys;
	if (choice[scope] && choice[sem] < relaxed)
		choice[sem] = relaxed;
}

void form_spellings(const char *pattern, form_spelling_fn *fn, void *ctx)
{
	struct slot slot[MOST_SLOTS];
	unsigned n, mode;

	pattern += *pattern == '*';
	mode = has_mode(pattern);
	n = read_slots(pattern, slot);
	for (unsigned i = 0; i <= n; i++)
		for (unsigned k = 1; k < (i < n ? slot[i].n : 2); k++) {
			unsigned choice[MOST_SLOTS] = {mode};
			struct text spelling = {0};

			if (i < n)
				choice[i] = k;
			order(pattern, slot, n, choice);
			text_add(&spelling, "%.*s", (int)strcspn(pattern, "{"), pattern);
			for (unsigned j = 0; j < n; j++)
				add_word(&spelling, &slot[j], choice[j]);
			fn(ctx, text_str(&spelling));
			text_clear(&spelling);
		}
}

unsigned form_places(const char *spelling, const struct form_match *m)
{
	if (m->unit != UNIT_MEMORY || m->space != SPACE_GENERIC || m->action == ACT_SURFACE)
		return 1;
	if (m->action != ACT_ATOM && m->action != ACT_RED)
		return 3;
	return strstr(spelling, ".v") || strstr(spelling, ".b128") ? 1 : 2;
}

bool form_is_shown(const struct form_match *m)
{
	return m->action != ACT_TRAP && m->action != ACT_FRAGMENT && m->action != ACT_ASYNC;
}
