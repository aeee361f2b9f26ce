/* Matches the words of an opcode with the slots of a pattern (the syntax of ptx/isa/forms.def). */
#include "ptx/isa/forms_private.h"

#include <string.h>

bool next_alternative(const char **at, struct word *alternative, int *ordinal)
{
	const char *p = *at, *q;

	if (p[-1] == '}')
		return false;
	for (q = p; *q != '|' && *q != ',' && *q != '}';)
		q++;
	*alternative = (struct word){p, (size_t)(q - p)};
	*at = q + 1;
	*ordinal += *q == '|';
	return true;
}

static int slot_find(const struct slot *slot, struct word word)
{
	const char *at = slot->alternatives;
	struct word alternative;
	int next = 0, ordinal = 0;

	if (*at == '}')
		return word.len == 0 ? 0 : -1;
	while (next_alternative(&at, &alternative, &next)) {
		if (alternative.len == word.len && memcmp(alternative.s, word.s, word.len) == 0)
			return ordinal;
		ordinal = next;
	}
	return -1;
}

int slot_size(const struct slot *slot)
{
	int n = 1;
	const char *p;

	for (p = slot->alternatives; *p != '}'; p++)
		n += *p == '|';
	return n;
}

/* Parses the slot at *at, which follows the mnemonic or another slot; false at the end. */
static bool next_slot(const char **at, struct slot *slot)
{
	const char *p = *at;

	if (*p != '{')
		return false;
	slot->flags = ++p;
	while (*p != '.' && *p != '|' && *p != ',' && *p != '}')
		p++;
	slot->alternatives = p;
	while (*p != '}')
		p++;
	*at = p + 1;
	return true;
}

bool slots_match_in_order(const char *at, const struct spelling *sp, struct trial *t)
{
	const struct word none = {"", 0};

	while (next_slot(&at, &t->slot[t->nslots])) {
		unsigned i = t->nslots++;

		t->word[i] = -1;
		t->ordinal[i] = -1;
		if (t->progress < sp->nwords)
			t->ordinal[i] = (int8_t)slot_find(&t->slot[i], sp->word[t->progress]);
		if (t->ordinal[i] >= 0) {
			t->word[i] = (int8_t)t->progress++;
			t->from = i + 1;
			continue;
		}
		t->ordinal[i] = (int8_t)slot_find(&t->slot[i], none);
		if (t->ordinal[i] < 0)
			return false;
	}
	return t->progress == sp->nwords || *at == '*';
}

static bool place_word(struct trial *t, struct word word)
{
	unsigned i;

	for (i = 0; i < t->nslots; i++) {
		int ordinal = t->word[i] < 0 ? slot_find(&t->slot[i], word) : -1;

		if (ordinal < 0)
			continue;
		t->ordinal[i] = (int8_t)ordinal;
		t->word[i] = (int8_t)t->progress++;
		return true;
	}
	return false;
}

bool slots_match_any_order(const char *at, const struct spelling *sp, struct trial *t)
{
	const struct word none = {"", 0};
	unsigned i;

	while (next_slot(&at, &t->slot[t->nslots]))
		t->word[t->nslots++] = -1;
	while (t->progress < sp->nwords)
		if (!place_word(t, sp->word[t->progress]))
			return false;
	for (i = 0; i < t->nslots; i++) {
		if (t->word[i] >= 0)
			continue;
		t->ordinal[i] = (int8_t)slot_find(&t->slot[i], none);
		if (t->ordinal[i] < 0)
			return false;
	}
	return true;
}
