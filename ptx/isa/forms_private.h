/* What the files of the semantics table share: spellings cut into words, patterns into slots.
 * Private to ptx/isa/forms*.c. */
#ifndef PTX_ISA_FORMS_PRIVATE_H
#define PTX_ISA_FORMS_PRIVATE_H

#include "core/base.h"
#include "ptx/isa/forms.h"

#define MAX_SLOTS 12
#define MAX_WORDS 16

struct form_row {
	const char *pattern, *operands, *text;
	uint8_t action, unit;
	bool supported;
	uint16_t base;
};

/* A part of a string: ".u32" of a spelling, or an alternative of a slot. */
struct word {
	const char *s;
	size_t len;
};

struct spelling {
	struct word mnemonic, word[MAX_WORDS];
	unsigned nwords;
};

struct slot {
	const char *flags, *alternatives;
};

/* One attempt to match a row: which alternative of each slot which word chose. */
struct trial {
	struct slot slot[MAX_SLOTS];
	int8_t ordinal[MAX_SLOTS], word[MAX_SLOTS]; /* -1: no word */
	unsigned nslots;
	unsigned progress; /* words that found a place */
	unsigned from;     /* first slot that was asked for the word that found none */
};

/* Matches the slots of a pattern, which `slots` points at; t tells how far it came when it fails.
 */
bool slots_match_in_order(const char *slots, const struct spelling *, struct trial *t);
bool slots_match_any_order(const char *slots, const struct spelling *, struct trial *t);

/* How many numbers a slot's alternatives have. */
int slot_size(const struct slot *);

/* Steps through a slot's alternatives, from *at = slot->alternatives on; *ordinal is then the
 * number of the next one. False after the last. */
bool next_alternative(const char **at, struct word *alternative, int *ordinal);

/* What the matched words and the row's operands mean. */
void form_fill(const struct form_row *, const struct trial *, const struct spelling *,
	struct form_match *);

#endif
