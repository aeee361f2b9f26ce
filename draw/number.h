/* Numbers as people write them: read strictly, written readably. */
#ifndef DRAW_NUMBER_H
#define DRAW_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decimal digits, or hexadecimal ones after 0x; nothing before or after them. */
bool number_whole(const char *text, uint64_t *out);

/* Anything strtod takes, without space around it; "inf" and "nan" when spelled so, never by
 * overflow. */
bool number_real(const char *text, double *out);

/* "0-15", "3", "0-3,8,12-15": sets those bits of the map; all must be below `limit`. What is set
 * when it returns false is undefined. */
bool number_ranges(const char *text, unsigned limit, uint64_t *map);

/* An energy in the unit that leaves one to three digits before the point, four digits in all,
 * right-aligned in 18 columns, a blank and the unit: "107.9 uJ". out has 32 bytes. */
char *number_energy(double nj, char *out);

/* Bytes in the same way, not aligned, in powers of 1024: "604.8 KB", "1,012 KB". */
char *number_bytes(double bytes, char *out);

/* 1234567 as "1,234,567", into out (at least 32 bytes), which is returned. */
char *number_grouped(uint64_t, char *out);

#endif
