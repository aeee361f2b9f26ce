/* A second configuration on the command line. */
#include "cli/against.h"

#include <string.h>

void against_settings(const char *text, struct layer *layer, struct arena *arena)
{
	const char **set;
	unsigned commas = 1;

	for (const char *c = text; *c; c++)
		commas += *c == ',';
	set = arena_alloc(arena, commas, sizeof(*set));
	while (*text) {
		size_t n = strcspn(text, ",");

		set[layer->nset++] = arena_strndup(arena, text, n);
		text += n + (text[n] == ',');
	}
	layer->set = set;
}
