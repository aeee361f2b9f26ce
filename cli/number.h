/* Numbers as people write them: read strictly, written readably. */
#ifndef CLI_NUMBER_H
#define CLI_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decimal digits, or hexadecimal ones after 0x; nothing before or behind them. */
bool number_whole(const char *text, uint64_t *out);

/* Anything strtod takes, without space around it; "inf" and "nan" when spelled so, never by
 * overflow. */
bool number_real(const char *text, double *out);

/* 1234567 as "1,234,567", into out (at least 32 bytes), which is returned. */
char *number_grouped(uint64_t, char *out);

#endif
