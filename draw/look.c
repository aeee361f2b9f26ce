/* The texts that all pages contain. */
#include "draw/look.h"

#include <string.h>

void look_add(const char *name, struct text *out)
{
	for (const struct look_text *t = look_texts; t->name; t++)
		for (unsigned i = 0; !strcmp(t->name, name) && t->pieces[i]; i++)
			text_bytes(out, t->pieces[i], strlen(t->pieces[i]));
}
