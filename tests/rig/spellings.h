/* Expands the patterns of the forms table into every opcode that they accept, in their written
 * order. */
#ifndef TESTS_RIG_SPELLINGS_H
#define TESTS_RIG_SPELLINGS_H

#include "ptx/isa/forms.h"

#include <string.h>

typedef void spelling_fn(void *ctx, const char *spelling);

/* `at` follows what is already in `out` (len bytes of it). */
static inline void spellings_expand(
	const char *at, char *out, size_t len, spelling_fn *fn, void *ctx)
{
	const char *end, *next;

	if (*at != '{') {
		out[len] = 0;
		fn(ctx, out);
		return;
	}
	end = strchr(at, '}');
	for (at++; !strchr(".|,}", *at);)
		at++;
	for (;; at = next + 1) {
		next = at + strcspn(at, "|,}");
		memcpy(out + len, at, (size_t)(next - at));
		spellings_expand(end + 1, out, len + (size_t)(next - at), fn, ctx);
		if (next == end)
			return;
	}
}

static inline void spellings_of(const char *pattern, spelling_fn *fn, void *ctx)
{
	char out[256];
	size_t len;

	pattern += *pattern == '*';
	len = strcspn(pattern, "{");
	memcpy(out, pattern, len);
	spellings_expand(pattern + len, out, len, fn, ctx);
}

#endif
