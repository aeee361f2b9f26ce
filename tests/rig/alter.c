/* Single mutations of PTX instructions. The text is a compiler's: one instruction per line. */
#include "tests/rig/alter.h"

#include "core/base.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRIES 10000
#define INSTRUCTIONS 16384u

/* The lines with instructions: comments and directives do not affect the random draws. */
struct listing {
	unsigned n;
	const char *at[INSTRUCTIONS];
};

static bool is_instruction(const char *s)
{
	size_t n = strlen(s);

	return (islower((unsigned char)s[0]) || s[0] == '@') && n > 4 && n < ALTER_LINE - 24 &&
	       s[n - 1] == ';';
}

/* The line at `from` without surrounding blanks; false when it has no instruction. */
static bool take_line(const char *from, char *out)
{
	const char *to = from + strcspn(from, "\n");

	while (from < to && isspace((unsigned char)*from))
		from++;
	while (to > from && isspace((unsigned char)to[-1]))
		to--;
	snprintf(out, ALTER_LINE, "%.*s", (int)(to - from), from);
	return is_instruction(out);
}

static void list(const char *text, struct listing *l)
{
	char line[ALTER_LINE];

	l->n = 0;
	for (; *text && l->n < INSTRUCTIONS; text += *text == '\n') {
		if (take_line(text, line))
			l->at[l->n++] = text;
		text += strcspn(text, "\n");
	}
}

/* Replaces n characters at `at` by `with`; the line's buffer is large enough. */
static void put(char *line, size_t at, size_t n, const char *with)
{
	size_t rest = strlen(line + at + n) + 1, length = strlen(with);

	memmove(line + at + length, line + at + n, rest);
	memcpy(line + at, with, length);
}

static char *operands(char *line)
{
	char *p = line;

	if (*p == '@')
		p += strcspn(p, " \t");
	p += strspn(p, " \t");
	return p + strcspn(p, " \t");
}

static bool negate_guard(char *line)
{
	if (line[0] != '@')
		return false;
	if (line[1] == '!')
		put(line, 1, 1, "");
	else
		put(line, 1, 0, "!");
	return true;
}

static bool replace_opcode(char *line, struct rng *rng)
{
	static const char *const near[][2] = {
		{"add.", "sub."},
		{"sub.", "add."},
		{"min.", "max."},
		{"max.", "min."},
		{"and.b", "or.b"},
		{"or.b", "xor.b"},
		{"xor.b", "and.b"},
		{"shl.b32", "shr.u32"},
		{"shr.u32", "shl.b32"},
		{"shr.s32", "shl.b32"},
		{"mul.lo.s32", "add.s32"},
		{"mul.lo.u32", "add.u32"},
		{"mul.f32", "add.f32"},
		{"mul.f64", "add.f64"},
		{".lt.", ".le."},
		{".le.", ".lt."},
		{".gt.", ".ge."},
		{".ge.", ".gt."},
		{".eq.", ".ne."},
		{".ne.", ".eq."},
		{"sin.", "cos."},
		{"cos.", "sin."},
		{"sqrt.rn", "rcp.rn"},
		{"ex2.", "lg2."},
	};
	unsigned first = rng_below(rng, ARRAY_LEN(near));

	for (unsigned k = 0; k < ARRAY_LEN(near); k++) {
		const char *const *pair = near[(first + k) % ARRAY_LEN(near)];
		char *at = strstr(line, pair[0]);

		if (!at || at > operands(line) || (pair[0][0] != '.' && at > line && at[-1] > ' '))
			continue;
		put(line, (size_t)(at - line), strlen(pair[0]), pair[1]);
		return true;
	}
	return false;
}

/* Zero becomes one; of other floats the upper bit of the mantissa changes. Returns the end of the
 * number. */
static char *other_float(const char *number, char *word, size_t n)
{
	bool is_double = number[1] == 'd';
	char *end;
	uint64_t bits = strtoull(number + 2, &end, 16);

	if (bits == 0)
		bits = is_double ? UINT64_C(0x3ff) << 52 : UINT64_C(0x3f8) << 20;
	else
		bits ^= UINT64_C(1) << (is_double ? 51 : 22);
	snprintf(word, n, "0%c%0*llX", number[1], is_double ? 16 : 8, (unsigned long long)bits);
	return end;
}

/* A number of the operands: an integer, or a float as 0f or 0d and its bits. */
static bool replace_number(char *line)
{
	char word[40], *p = operands(line);

	for (; *p && strncmp(line, "bar", 3) != 0;
		p++) { /* the number of a barrier may change freely */
		char *end;
		bool starts = strchr(" ,+[\t", p[-1]) && (isdigit((unsigned char)*p) || *p == '-');

		if (!starts || (p[0] == '-' && !isdigit((unsigned char)p[1])))
			continue;
		if (!strncmp(p, "0f", 2) || !strncmp(p, "0d", 2)) {
			end = other_float(p, word, sizeof(word));
		} else {
			long long number = strtoll(p, &end, 0);

			snprintf(
				word, sizeof(word), "%lld", p[-1] == '+' ? number ^ 4 : number + 1);
		}
		put(line, (size_t)(p - line), (size_t)(end - p), word);
		return true;
	}
	return false;
}

/* The k-th register of the operands, "%r12"; NULL when there are fewer. */
static char *find_register(char *line, unsigned k, size_t *n)
{
	for (char *p = operands(line); (p = strchr(p, '%')); p += *n) {
		*n = 1 + strspn(p + 1, "abcdefghijklmnopqrstuvwxyz_.0123456789");
		if (isdigit((unsigned char)p[*n - 1]) && k-- == 0)
			return p;
	}
	return NULL;
}

static size_t class_length(const char *name)
{
	return strcspn(name, "0123456789");
}

/* Replaces a source register by one of the same class that a nearby instruction uses. */
static bool replace_source(char *line, const struct listing *l, unsigned k, struct rng *rng)
{
	unsigned close = k + rng_below(rng, 16);
	char other[ALTER_LINE], name[ALTER_LINE], *from, *to;
	size_t n, length;

	close = close > 8 ? close - 8 : 0;
	take_line(l->at[close < l->n ? close : l->n - 1], other);
	to = find_register(line, 1 + rng_below(rng, 3), &n);
	from = find_register(other, rng_below(rng, 3), &length);
	if (!to || !from || class_length(from) != class_length(to) ||
		strncmp(from, to, class_length(from)) != 0)
		return false;
	snprintf(name, sizeof(name), "%.*s", (int)length, from);
	put(line, (size_t)(to - line), n, name);
	return true;
}

/* Removing a jump to the next line changes nothing. */
static bool leave_out(char *line, const char *at)
{
	const char *next = at + strcspn(at, "\n");
	const char *label = operands(line) + strspn(operands(line), " \t");
	size_t n = strcspn(label, ";");

	if (!strncmp(line, "bra", 3) && *next && !strncmp(next + 1, label, n) && next[1 + n] == ':')
		return false;
	*line = 0;
	return true;
}

static bool change(char *line, const struct listing *l, unsigned k, struct rng *rng)
{
	switch (rng_below(rng, 8)) {
	case 0:
		return leave_out(line, l->at[k]);
	case 1:
		return negate_guard(line);
	case 2:
	case 3:
		return replace_opcode(line, rng);
	case 4:
	case 5:
		return replace_number(line);
	default:
		return replace_source(line, l, k, rng);
	}
}

static unsigned line_number(const char *text, const char *at)
{
	unsigned n = 1;

	for (; text < at; text++)
		n += *text == '\n';
	return n;
}

bool alter(const char *text, struct rng *rng, struct alteration *a, struct text *out)
{
	struct listing l;

	list(text, &l);
	for (unsigned tries = 0; l.n && tries < TRIES; tries++) {
		unsigned k = rng_below(rng, l.n);
		const char *at = l.at[k];

		take_line(at, a->before);
		memcpy(a->after, a->before, sizeof(a->after));
		if (!change(a->after, &l, k, rng) || !strcmp(a->before, a->after))
			continue;
		a->line = line_number(text, at);
		text_bytes(out, text, (size_t)(at - text));
		text_raw(out, "%s%s", a->after, at + strcspn(at, "\n"));
		return !out->failed;
	}
	return false;
}
