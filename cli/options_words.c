/* Options that were given, as the words of a command line again. */
#include "cli/option_rows.h"

#include <inttypes.h>
#include <stdio.h>

static const char *name_of(const struct option *o, struct arena *arena)
{
	char name[64];

	snprintf(name, sizeof(name), "--%s", o->name);
	return arena_strdup(arena, name);
}

/* The value as it was spelled, or as it would be. */
static const char *value_of(const struct option *o, const void *at, struct arena *arena)
{
	char number[24];

	if (o->kind == WORD)
		return o->words[*(const uint64_t *)at];
	if (o->kind != NUMBER)
		return *(const char *const *)at;
	snprintf(number, sizeof(number), "%" PRIu64, *(const uint64_t *)at);
	return arena_strdup(arena, number);
}

static void add_option(
	const struct options *o, enum option_id id, struct string_list *out, struct arena *arena)
{
	const struct option *row = &option_rows[id];
	const void *at = (const char *)o + row->offset;
	bool list = row->kind == LIST || row->kind == OUTPUTS;
	const struct string_list *values = list ? at : NULL;

	for (unsigned i = 0; i < (list ? values->n : 1); i++) {
		out->at[out->n++] = name_of(row, arena);
		if (row->kind != FLAG)
			out->at[out->n++] = list ? values->at[i] : value_of(row, at, arena);
	}
}

struct string_list options_words(
	const struct options *o, const enum option_id *ids, unsigned n, struct arena *arena)
{
	struct string_list out = {0};
	unsigned room = 2 * n;

	for (unsigned i = 0; i < n; i++) {
		const struct option *row = &option_rows[ids[i]];
		const void *at = (const char *)o + row->offset;

		if (row->kind == LIST || row->kind == OUTPUTS)
			room += 2 * ((const struct string_list *)at)->n;
	}
	out.at = arena_alloc(arena, room, sizeof(*out.at));
	for (unsigned i = 0; i < n; i++)
		if (o->given[ids[i]])
			add_option(o, ids[i], &out, arena);
	return out;
}
