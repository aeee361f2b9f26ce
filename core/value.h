/* Values of parameters, used by the configuration only. */
#ifndef CORE_VALUE_H
#define CORE_VALUE_H

#include "core/table.h"

struct setting {
	char *path, *value, *origin;
	unsigned layer;
	bool reported; /* its value is wrong and was reported */
	bool implied;  /* a default, instead of the table's */
};

union value {
	uint64_t whole;
	double real;
	bool truth;
	const char *name;
};

/* A copy of bytes [from, to) without the spaces around them; NULL when there is no memory. */
char *value_trimmed(const char *from, const char *to);

/* The setting's value, with its type and bounds checked. 0, or -1 and a message. */
int value_parse(struct setting *, const struct param_def *, union value *, struct err *);

union value value_default(const struct param_def *);
/* Stores it in its field of the struct at `base`. */
void value_store(void *base, const struct param_def *, union value);
/* As text, the shortest that reads back as the same value; the caller frees it (mem_free); NULL
 * when there is no memory. */
char *value_text(const struct param_def *, union value);

#endif
