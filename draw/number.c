/* Numbers as people write them. */
#include "draw/number.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool number_whole(const char *text, uint64_t *out)
{
	bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	const char *digits = hex ? text + 2 : text;
	char *end;

	for (const char *c = digits; *c; c++)
		if (hex ? !isxdigit((unsigned char)*c) : !isdigit((unsigned char)*c))
			return false;
	if (!*digits)
		return false;
	errno = 0;
	*out = strtoull(digits, &end, hex ? 16 : 10);
	return !errno;
}

bool number_real(const char *text, double *out)
{
	char *end;

	if (!*text || isspace((unsigned char)*text))
		return false;
	*out = strtod(text, &end);
	return !*end && (isfinite(*out) || strpbrk(text, "iInN"));
}

/* A number of at most nine digits at *text, which moves past it; `limit` when there is none or it
 * is too large. */
static unsigned below(const char **text, unsigned limit)
{
	unsigned v = 0, digits = 0;

	for (; isdigit((unsigned char)**text) && digits < 9; digits++)
		v = v * 10 + (unsigned)(*(*text)++ - '0');
	return digits && v < limit ? v : limit;
}

bool number_ranges(const char *text, unsigned limit, uint64_t *map)
{
	for (;; text++) {
		unsigned first = below(&text, limit), last = first;

		if (*text == '-') {
			text++;
			last = below(&text, limit);
		}
		if (first > last || last >= limit || (*text && *text != ','))
			return false;
		for (unsigned i = first; i <= last; i++)
			map[i / 64] |= UINT64_C(1) << (i % 64);
		if (!*text)
			return true;
	}
}

char *number_grouped(uint64_t v, char *out)
{
	char digits[24];
	int n = snprintf(digits, sizeof(digits), "%" PRIu64, v), at = 0;

	for (int i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			out[at++] = ',';
		out[at++] = digits[i];
	}
	out[at] = '\0';
	return out;
}

/* Four digits in all, whole from a thousand on, or where the unit is the smallest. */
static char *four_digits(double v, bool whole, char out[32])
{
	double size = fabs(v), limit = 999.95;
	unsigned digits = 0;

	if (size >= 1e15) {
		snprintf(out, 32, "%.3e", v);
	} else if (whole || size >= limit) {
		out[0] = '-';
		number_grouped((uint64_t)llround(size), out + (v < 0));
	} else {
		for (; size < limit && digits < 3; limit /= 10)
			digits++;
		snprintf(out, 32, "%.*f", (int)digits, v);
	}
	return out;
}

char *number_energy(double nj, char *out)
{
	static const char *const units[] = {"fJ", "pJ", "nJ", "uJ", "mJ", "J"};
	double v = nj * 1e6;
	unsigned unit = 0;
	char number[32];

	for (; fabs(v) >= 999.95 && unit + 1 < sizeof(units) / sizeof(units[0]); unit++)
		v /= 1000;
	snprintf(out, 32, "%18.18s %s", four_digits(v, !unit, number), v != 0 ? units[unit] : "nJ");
	return out;
}

char *number_bytes(double bytes, char *out)
{
	static const char *const units[] = {"B", "KB", "MB", "GB", "TB"};
	double v = bytes;
	unsigned unit = 0;
	char number[32];

	for (; fabs(v) >= 1023.5 && unit + 1 < sizeof(units) / sizeof(units[0]); unit++)
		v /= 1024;
	snprintf(out, 32, "%.26s %s", four_digits(v, !unit, number), units[unit]);
	return out;
}
