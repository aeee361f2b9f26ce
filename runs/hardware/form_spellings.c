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

void form_spellings(const char *pattern, form_spelling_fn *fn, void *ctx)
{
	struct slot slot[MOST_SLOTS];
	unsigned n, mode;

	pattern += *pattern == '*';
	mode = has_mode(pattern);
	n = read_slots(pattern, slot);
	for (unsigned i = 0; i <= n; i++)
		for (unsigned k = 1; k < (i < n ? slot[i].n : 2); k++) {
			struct text spelling = {0};

			text_add(&spelling, "%.*s", (int)strcspn(pattern, "{"), pattern);
			for (unsigned j = 0; j < n; j++)
				add_word(&spelling, &slot[j], i == j ? k : mode && !j);
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

bool form_is_fault(const struct form_match *m)
{
	return m->action == ACT_TRAP;
}
