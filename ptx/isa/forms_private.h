/* Shared by the files of the semantics table: opcodes split into words, patterns into slots.
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

/* A substring: ".u32" of an opcode, or an alternative of a slot. */
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

/* An attempt to match a row: for each slot, the alternative chosen and the word that chose it. */
struct trial {
	struct slot slot[MAX_SLOTS];
	int8_t ordinal[MAX_SLOTS], word[MAX_SLOTS]; /* -1: no word */
	unsigned nslots;
	unsigned progress; /* words matched */
	unsigned from;     /* first slot tried for the word that did not match */
};

/* Matches the words with the slots of a pattern, at `slots`; on failure t has the progress. */
bool slots_match_in_order(const char *slots, const struct spelling *, struct trial *t);
bool slots_match_any_order(const char *slots, const struct spelling *, struct trial *t);

/* The number of values that a slot's alternatives encode. */
int slot_size(const struct slot *);

/* Iterates over a slot's alternatives, from *at = slot->alternatives on; *ordinal is the value of
 * the next one. False after the last. */
bool next_alternative(const char **at, struct word *alternative, int *ordinal);

/* The class (ptx/isa/classes.h) of an arithmetic opcode. */
uint8_t op_class_of(const struct spelling *);

/* Fills in the meaning of the matched words and the operands of the row. */
void form_fill(const struct form_row *, const struct trial *, const struct spelling *,
	struct form_match *);

#endif
