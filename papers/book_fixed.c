/* Settings of --set that not all runs take: the tables' machines have values of their own. */
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

/* How many machines have a value of their own, of `all`. */
static unsigned fixed(
	struct book *const *books, unsigned n, const char *path, size_t length, unsigned *all)
{
	unsigned own = 0;

	*all = 0;
	for (unsigned i = 0; i < n; i++) {
		*all += books[i]->ndesigns;
		for (unsigned k = 0; k < books[i]->ndesigns; k++)
			own += has_path(books[i]->design[k].set, path, length);
	}
	return own;
}

void book_note_fixed(struct book *const *books, unsigned n)
{
	const struct string_list *set = &books[0]->o->run.set;

	for (unsigned i = 0; i < set->n; i++) {
		const char *text = set->at[i];
		size_t length = strcspn(text, "=");
		unsigned all, own = fixed(books, n, text, length, &all);

		if (own && own == all)
			output_note("note: --set %s changes nothing: every machine of these tables "
				    "has its own %.*s",
				text, (int)length, text);
		else if (own)
			output_note("note: --set %s: %u of the %u machines of these tables have "
				    "their own %.*s",
				text, own, all, (int)length, text);
	}
}
