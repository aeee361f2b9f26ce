/* The values of a swept parameter: lists and ranges. */
#include "cli/sweep/sweep.h"

#include "draw/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define EXACT 9007199254740992.0 /* 2^53 */

struct range {
	double low, high, step;
	bool factor;
};

/* A number with the suffixes that settings have. */
static bool read_number(const char *s, size_t n, double *out)
{
	static const char suffixes[] = "KMG";
	const char *suffix;
	char words[40];
	double unit = 1;

	if (!n || n >= sizeof(words))
		return false;
	memcpy(words, s, n);
	words[n] = '\0';
	suffix = strchr(suffixes, words[n - 1]);
	if (suffix) {
		unit = pow(1024, (double)(suffix - suffixes + 1));
		words[n - 1] = '\0';
	}
	if (!number_real(words, out) || !isfinite(*out))
		return false;
	*out *= unit;
	return fabs(*out) <= EXACT;
}

/* "a..b" with optional ":step" or ":*factor". False: it is a plain value. */
static bool read_range(const char *s, size_t n, struct range *r, bool *good)
{
	const char *end = s + n, *dots = s, *colon;

	while (dots + 1 < end && (dots[0] != '.' || dots[1] != '.'))
		dots++;
	if (dots + 1 >= end || !read_number(s, (size_t)(dots - s), &r->low))
		return false;
	colon = memchr(dots, ':', (size_t)(end - dots));
	*good = read_number(dots + 2, (size_t)((colon ? colon : end) - dots - 2), &r->high);
	r->step = 1;
	r->factor = colon && colon + 1 < end && colon[1] == '*';
	if (colon) {
		const char *step = colon + 1 + r->factor;

		*good &= read_number(step, (size_t)(end - step), &r->step);
	}
	*good &= r->low <= r->high && (r->factor ? r->step > 1 && r->low > 0 : r->step > 0);
	return true;
}

static const char *spelled(double v, struct arena *arena)
{
	char words[40];

	snprintf(words, sizeof(words), v == floor(v) ? "%.0f" : "%.12g", v);
	return arena_strdup(arena, words);
}

/* The number of values of the range, and the values, if an array is given. */
static size_t expand(const struct range *r, const char **out, struct arena *arena)
{
	double v = r->low, slack = r->high + fabs(r->high) * 1e-9;
	size_t n = 0;

	while (v <= slack && n <= SWEEP_POINTS) {
		if (out)
			out[n] = spelled(v, arena);
		n++;
		v = r->factor ? v * r->step : r->low + (double)n * r->step;
	}
	return n;
}

/* One item of the list: adds its values, or only counts them. */
static int read_item(const char *text, const char *item, size_t n, struct sweep_axis *a,
	struct arena *arena, struct err *err)
{
	struct range r;
	bool good = true;

	if (!n)
		return err_add(err, ERR_USAGE, "--over %s: a value is missing", text);
	if (!read_range(item, n, &r, &good)) {
		if (a->values)
			a->values[a->n] = arena_strndup(arena, item, n);
		a->n++;
		return 0;
	}
	if (!good)
		return err_add(err, ERR_USAGE,
			"--over %s: '%.*s' is not a range: A..B, A..B:STEP or A..B:*FACTOR, with A at most B",
			text, (int)n, item);
	a->n += (unsigned)expand(&r, a->values ? a->values + a->n : NULL, arena);
	if (a->n > SWEEP_POINTS)
		return err_add(
			err, ERR_USAGE, "--over %s: more than %u values", text, SWEEP_POINTS);
	return 0;
}

static int read_items(const char *text, const char *list, struct sweep_axis *a, struct arena *arena,
	struct err *err)
{
	const char *separator = strchr(list, ';') ? ";" : ",";

	for (a->n = 0;; list++) {
		size_t n = strcspn(list, separator);

		if (read_item(text, list, n, a, arena, err))
			return -1;
		list += n;
		if (!*list)
			return 0;
	}
}

int sweep_axis_read(const char *text, struct arena *arena, struct sweep_axis *a, struct err *err)
{
	const char *sign = strchr(text, '=');

	*a = (struct sweep_axis){0};
	if (!sign || sign == text)
		return err_add(err, ERR_USAGE,
			"--over %s: must have the form PATH=VALUE,.. or PATH=A..B", text);
	a->path = arena_strndup(arena, text, (size_t)(sign - text));
	if (read_items(text, sign + 1, a, arena, err))
		return -1;
	a->values = arena_alloc(arena, a->n, sizeof(*a->values));
	return read_items(text, sign + 1, a, arena, err);
}
