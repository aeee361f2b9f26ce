/* A growing string for reports. Allocation failure makes it stop growing and sets `failed`.
 *
 * What reports tell comes from files and command lines of others. So the arguments of text_add are
 * made plain (core/plain.h): a name can neither move the cursor nor end a line. */
#ifndef CORE_TEXT_H
#define CORE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/* A zeroed struct is a valid empty one. */
struct text {
	char *s; /* NUL-terminated; NULL while empty */
	size_t len, cap;
	bool failed;
};

/* Like printf, with what %s and %c bring made plain; a precision cuts before a character that it
 * would split, and a width counts characters. %n is not taken. */
void text_add(struct text *, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_vadd(struct text *, const char *format, va_list) __attribute__((format(printf, 2, 0)));
/* Like printf, byte for byte: for paths, keys and what has rules of its own. */
void text_raw(struct text *, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_bytes(struct text *, const char *bytes, size_t n);
/* The bytes, made plain. */
void text_plain(struct text *, const char *bytes, size_t n);
/* A line of source: made plain, with a blank for each tab. */
void text_source(struct text *, const char *line);
const char *text_str(const struct text *); /* never NULL */
void text_clear(struct text *);            /* frees; accepts NULL */

#endif
