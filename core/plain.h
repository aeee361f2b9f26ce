/* Text that came from outside, as a terminal may see it: what would move the cursor, hide or
 * reorder words, or end a line is told by its number instead. */
#ifndef CORE_PLAIN_H
#define CORE_PLAIN_H

#include <stddef.h>

/* Most bytes that stand for one character. */
#define PLAIN_BYTES 12

/* Writes to `out` what stands for the first character of the n > 0 bytes at s, NUL-terminated, and
 * returns how many of them it is made of. Printable characters in valid UTF-8 stand for themselves;
 * line feed, tab and carriage return are \n, \t and \r; other control characters (C0, DEL, C1),
 * separators of lines, and marks that reorder text are \x1b or \u202e; a byte that is no UTF-8 is
 * \xff. A backslash stands for itself: what is plain already stays as it is. */
size_t plain_step(const char *s, size_t n, char out[PLAIN_BYTES]);

/* The n bytes at s without a last character of which some bytes are missing. */
size_t plain_whole(const char *s, size_t n);

#endif
