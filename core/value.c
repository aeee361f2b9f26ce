/* Values of parameters: parsing, checking bounds, storing in structs, and formatting. */
#include "core/value.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "core/plugin.h"
#include "core/text.h"

char *value_trimmed(const char *from, const char *to)
{
	char *copy;

	while (from < to && isspace((unsigned char)*from))
		from++;
	while (to > from && isspace((unsigned char)to[-1]))
		to--;
	copy = mem_alloc((size_t)(to - from) + 1, 1);
	if (copy)
		memcpy(copy, from, (size_t)(to - from));
	return copy;
}

/* Digits in base 10, or 16 after 0x, then nothing, K or M. False for anything else, or over 64
 * bits. */
static bool parse_whole(const char *text, uint64_t *out)
{
	bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	const char *start = hex ? text + 2 : text;
	uint64_t scale = 1;
	char *end;

	if (hex && tolower((unsigned char)start[0] ? start[1] : 0) == 'x')
		return false;
	if (!(hex ? isxdigit((unsigned char)*start) : isdigit((unsigned char)*start)))
		return false;
	errno = 0;
	*out = strtoull(start, &end, hex ? 16 : 10);
	if (errno)
		return false;
	if (*end == 'K' || *end == 'k')
		scale = 1024;
	else if (*end == 'M' || *end == 'm')
		scale = 1024 * 1024;
	else if (*end == 'G' || *end == 'g')
		scale = 1024 * 1024 * 1024;
	if (scale > 1)
		end++;
	return !*end && !__builtin_mul_overflow(*out, scale, out);
}

static bool parse_real(const char *text, double *out)
{
	char *end;

	if (!*text || isspace((unsigned char)*text))
		return false;
	*out = strtod(text, &end);
	return !*end && isfinite(*out);
}

static bool parse_truth(const char *text, bool *out)
{
	static const char *const words[][2] = {
		{"false", "true"}, {"off", "on"}, {"no", "yes"}, {"0", "1"}};

	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		for (int truth = 0; truth < 2; truth++) {
			if (strcmp(text, words[i][truth]))
				continue;
			*out = truth;
			return true;
		}
	}
	return false;
}

/* "must be none, memory or cycle" */
static int wrong_word(const struct setting *s, const struct param_def *def, struct err *err)
{
	struct text words = {0};
	const char *word;
	size_t n, after;

	for (uint64_t i = 0; (word = param_word(def, i, &n)); i++)
		text_add(&words, "%s%.*s",
			!i                               ? ""
			: param_word(def, i + 1, &after) ? ", "
							 : " or ",
			(int)n, word);
	err_add(err, ERR_INPUT, "%s: %s = %s: must be %s", s->origin, s->path, s->value,
		text_str(&words));
	text_clear(&words);
	return -1;
}

static int wrong_value(struct setting *s, const struct param_def *def, struct err *err)
{
	const char *space = *def->unit ? " " : "";

	if (s->reported)
		return -1;
	s->reported = true;
	switch (def->type) {
	case PARAM_UINT:
	case PARAM_REAL:
		return err_add(err, ERR_INPUT, "%s: %s = %s: must be %s%.15g .. %.15g%s%s",
			s->origin, s->path, s->value, def->type == PARAM_UINT ? "" : "a number, ",
			def->low, def->high, space, def->unit);
	case PARAM_BOOL:
		return err_add(err, ERR_INPUT, "%s: %s = %s: must be true or false", s->origin,
			s->path, s->value);
	case PARAM_CHOICE:
		return wrong_word(s, def, err);
	default:
		return err_add(err, ERR_INPUT, "%s: %s: %s%s", s->origin, s->path,
			*def->unit ? "must name a " : "must not be empty", def->unit);
	}
}

/* A NAME whose unit is a kind of plugin must name one of them. */
static int check_name(struct setting *s, const struct param_def *def, struct err *err)
{
	char where[256];

	if (!*s->value)
		return wrong_value(s, def, err);
	if (!*def->unit)
		return 0;
	snprintf(where, sizeof(where), "%s: %s", s->origin, s->path);
	if (plugin_find(def->unit, s->value, where, s->reported ? NULL : err))
		return 0;
	s->reported = true;
	return -1;
}

static bool parse_word(const char *text, const struct param_def *def, uint64_t *out)
{
	const char *word;
	size_t n;

	for (*out = 0; (word = param_word(def, *out, &n)); ++*out)
		if (strlen(text) == n && !strncmp(text, word, n))
			return true;
	return false;
}

int value_parse(struct setting *s, const struct param_def *def, union value *v, struct err *err)
{
	double number = 0;
	bool good = false;

	switch (def->type) {
	case PARAM_UINT:
		good = parse_whole(s->value, &v->whole);
		number = good ? (double)v->whole : 0;
		break;
	case PARAM_REAL:
		good = parse_real(s->value, &v->real);
		number = good ? v->real : 0;
		break;
	case PARAM_BOOL:
		return parse_truth(s->value, &v->truth) ? 0 : wrong_value(s, def, err);
	case PARAM_CHOICE:
		return parse_word(s->value, def, &v->whole) ? 0 : wrong_value(s, def, err);
	case PARAM_NAME:
		v->name = s->value;
		return check_name(s, def, err);
	}
	return good && number >= def->low && number <= def->high ? 0 : wrong_value(s, def, err);
}

union value value_default(const struct param_def *def)
{
	switch (def->type) {
	case PARAM_UINT:
	case PARAM_CHOICE:
		return (union value){.whole = (uint64_t)def->value};
	case PARAM_REAL:
		return (union value){.real = def->value};
	case PARAM_BOOL:
		return (union value){.truth = def->value != 0};
	default:
		return (union value){.name = def->name_value};
	}
}

void value_store(void *base, const struct param_def *def, union value v)
{
	static const size_t size[] = {[PARAM_UINT] = sizeof(v.whole),
		[PARAM_REAL] = sizeof(v.real),
		[PARAM_BOOL] = sizeof(v.truth),
		[PARAM_NAME] = sizeof(v.name),
		[PARAM_CHOICE] = sizeof(v.whole)};

	memcpy((char *)base + def->offset, &v, size[def->type]);
}

char *value_text(const struct param_def *def, union value v)
{
	char buffer[40];
	const char *word;
	size_t n = 0;

	switch (def->type) {
	case PARAM_UINT:
		snprintf(buffer, sizeof(buffer), "%" PRIu64, v.whole);
		break;
	case PARAM_REAL:
		snprintf(buffer, sizeof(buffer), "%.15g", v.real);
		if (strtod(buffer, NULL) != v.real)
			snprintf(buffer, sizeof(buffer), "%.17g", v.real);
		break;
	case PARAM_BOOL:
		return mem_strdup(v.truth ? "true" : "false");
	case PARAM_NAME:
		return mem_strdup(v.name ? v.name : "");
	case PARAM_CHOICE:
		word = param_word(def, v.whole, &n);
		return value_trimmed(word, word + n);
	}
	return mem_strdup(buffer);
}
