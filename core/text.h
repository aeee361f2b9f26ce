/* A growing string for reports. Allocation failure makes it stop growing and sets `failed`.
 *
 * Reports contain text from files and command lines. So the arguments of text_add are escaped
 * (core/plain.h): a name can neither move the cursor nor end a line. */
#ifndef CORE_TEXT_H
#define CORE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A zeroed struct is a valid empty one. */
struct text {
	char *s; /* NUL-terminated; NULL while empty */
	size_t len, cap;
	bool failed;
};

/* Like printf, with the text of %s and %c escaped; a precision never cuts inside a character, and a
 * width counts characters. %n is not supported. */
void text_add(struct text *, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_vadd(struct text *, const char *format, va_list) __attribute__((format(printf, 2, 0)));
/* Like printf, without escaping: for paths, keys and text with rules of its own. */
void text_raw(struct text *, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_bytes(struct text *, const char *bytes, size_t n);
/* The bytes, escaped. */
void text_plain(struct text *, const char *bytes, size_t n);
/* A line of source: escaped, with a blank for each tab. */
void text_source(struct text *, const char *line);
/* "" for one, otherwise "s": "%u run%s". */
static inline const char *text_s(uint64_t n)
{
	return n == 1 ? "" : "s";
}

const char *text_str(const struct text *); /* never NULL */
void text_clear(struct text *);            /* frees; accepts NULL */

#endif
