/* Escaping of text from outside for a terminal: what would move the cursor, hide or reorder words,
 * or end a line is replaced by its number. */
#ifndef CORE_PLAIN_H
#define CORE_PLAIN_H

#include <stddef.h>

/* The longest escape of one character. */
#define PLAIN_BYTES 12

/* Writes to `out` the escape of the first character of the n > 0 bytes at s, NUL-terminated, and
 * returns its length in the input. Printable characters in valid UTF-8 are unchanged; line feed,
 * tab and carriage return become \n, \t and \r; other control characters (C0, DEL, C1), separators
 * of lines, and marks that reorder text become \x1b or \u202e; an invalid byte becomes \xff. A
 * backslash is unchanged: escaping twice gives the same text. */
size_t plain_step(const char *s, size_t n, char out[PLAIN_BYTES]);

/* The length of the n bytes at s without an incomplete last character. */
size_t plain_whole(const char *s, size_t n);

#endif
