/* A growing string for reports. Allocation failure makes it stop growing and sets `failed`. */
#ifndef CORE_TEXT_H
#define CORE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* A zeroed struct is a valid empty one. */
struct text {
	char *s; /* NUL-terminated; NULL while empty */
	size_t len, cap;
	bool failed;
};

void text_add(struct text *, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_bytes(struct text *, const char *bytes, size_t n);
const char *text_str(const struct text *); /* never NULL */
void text_clear(struct text *);            /* frees; accepts NULL */

#endif
