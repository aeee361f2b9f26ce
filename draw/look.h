/* The texts that all pages contain: style, script, the library that draws curves. */
#ifndef DRAW_LOOK_H
#define DRAW_LOOK_H

#include "core/text.h"

/* A file of draw/look/, in pieces, ended by NULL. */
struct look_text {
	const char *name;
	const char *const *pieces;
};
extern const struct look_text look_texts[]; /* ended by one without a name */

/* Adds the text of that name, unchanged. */
void look_add(const char *name, struct text *);

#endif
