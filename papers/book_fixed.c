/* Settings of --set that no run takes: the tables' machines have values of their own. */
#include "papers/book_inside.h"
#include "runs/output.h"

#include <string.h>

/* Whether settings "path=value path=value" have one of the path's n characters. */
static bool has_path(const char *set, const char *path, size_t n)
{
	for (const char *at = set; *at; at += strcspn(at, " ")) {
		at += strspn(at, " ");
		if (strcspn(at, "= ") == n && !memcmp(at, path, n))
			return true;
	}
	return false;
}

static bool is_fixed(struct book *const *books, unsigned n, const char *path, size_t length)
{
	unsigned designs = 0;

	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < books[i]->ndesigns; k++, designs++)
			if (!has_path(books[i]->design[k].set, path, length))
				return false;
	return designs > 0;
}

void book_note_fixed(struct book *const *books, unsigned n)
{
	const struct string_list *set = &books[0]->o->run.set;

	for (unsigned i = 0; i < set->n; i++)
		if (is_fixed(books, n, set->at[i], strcspn(set->at[i], "=")))
			output_note("note: --set %s changes nothing: every machine of these tables "
				    "has its own %.*s",
				set->at[i], (int)strcspn(set->at[i], "="), set->at[i]);
}
