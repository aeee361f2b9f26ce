/* A growing string for reports. */
#include "core/text.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "core/base.h"
#include "core/mem.h"
#include "core/plain.h"

/* ---- bytes */
static bool reserve(struct text *text, size_t n)
{
	size_t cap = text->cap ? text->cap : 256;
	char *s;

	if (text->failed)
		return false;
	if (text->s && n < text->cap - text->len)
		return true;
	while (cap - text->len <= n)
		cap *= 2;
	s = mem_grow(text->s, text->cap, cap, 1);
	if (!s) {
		text->failed = true;
		return false;
	}
	text->s = s;
	text->cap = cap;
	return true;
}

static __attribute__((format(printf, 2, 0))) void append(
	struct text *text, const char *format, va_list args)
{
	va_list again;
	int n;

	va_copy(again, args);
	n = vsnprintf(NULL, 0, format, args);
	text->failed |= n < 0; /* libc may also fail to allocate */
	if (n >= 0 && reserve(text, (size_t)n)) {
		vsnprintf(text->s + text->len, (size_t)n + 1, format, again);
		text->len += (size_t)n;
	}
	va_end(again);
}

void text_raw(struct text *text, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	append(text, format, args);
	va_end(args);
}

void text_bytes(struct text *text, const char *bytes, size_t n)
{
	if (!reserve(text, n))
		return;
	memcpy(text->s + text->len, bytes, n);
	text->len += n;
	text->s[text->len] = '\0';
}

void text_plain(struct text *text, const char *bytes, size_t n)
{
	char out[PLAIN_BYTES];

	if (!n)
		text_bytes(text, bytes, 0);
	for (size_t i = 0; i < n;) {
		i += plain_step(bytes + i, n - i, out);
		text_bytes(text, out, strlen(out));
	}
}

void text_source(struct text *text, const char *line)
{
	while (*line) {
		size_t n = strcspn(line, "\t");

		text_plain(text, line, n);
		line += n;
		if (*line) {
			text_bytes(text, " ", 1);
			line++;
		}
	}
}

/* ---- formats */
/* One conversion of a format. */
struct conversion {
	char flags[8];
	int width, precision; /* -1: none */
	char length[3];
	char type;
};

/* A number in the format, or the next argument for '*'. */
static const char *read_number(const char *s, va_list *args, int *out)
{
	if (*s == '*') {
		*out = va_arg(*args, int);
		return s + 1;
	}
	for (*out = 0; isdigit((unsigned char)*s); s++)
		*out = *out * 10 + (*s - '0');
	return s;
}

/* Reads a conversion after its '%'; returns what follows. */
static const char *read_conversion(const char *s, va_list *args, struct conversion *c)
{
	size_t n = 0;

	*c = (struct conversion){.width = -1, .precision = -1};
	for (; *s && strchr("-+ #0", *s); s++)
		if (n + 2 < sizeof(c->flags))
			c->flags[n++] = *s;
	if (*s == '*' || isdigit((unsigned char)*s))
		s = read_number(s, args, &c->width);
	if (c->width < -1) { /* '*' with a negative number: left-aligned */
		c->flags[n] = '-';
		c->width = -c->width;
	}
	if (*s == '.')
		s = read_number(s + 1, args, &c->precision);
	for (n = 0; *s && strchr("hljzt", *s); s++)
		if (n + 1 < sizeof(c->length))
			c->length[n++] = *s;
	c->type = *s;
	BUG_ON(!*s || !strchr("diuxXocspfFeEgGaA%", *s));
	return s + 1;
}

/* The conversion's text, padded to its width in characters. */
static void add_words(struct text *text, const struct conversion *c, const char *s)
{
	size_t n = c->type == 'c'     ? 1
		   : c->precision < 0 ? strlen(s)
				      : strnlen(s, (size_t)c->precision);
	size_t start = text->len, wide = 0, pad;

	if (c->type == 's' && n == (size_t)c->precision)
		n = plain_whole(s, n);
	text_plain(text, s, n);
	for (size_t i = start; i < text->len; i++)
		wide += (text->s[i] & 0xc0) != 0x80;
	pad = c->width > 0 && (size_t)c->width > wide ? (size_t)c->width - wide : 0;
	if (!pad || !reserve(text, pad))
		return;
	if (strchr(c->flags, '-')) {
		memset(text->s + text->len, ' ', pad);
	} else {
		memmove(text->s + start + pad, text->s + start, text->len - start);
		memset(text->s + start, ' ', pad);
	}
	text->len += pad;
	text->s[text->len] = '\0';
}

static intmax_t signed_argument(const struct conversion *c, va_list *args)
{
	switch (*c->length) {
	case 'l':
		return c->length[1] ? va_arg(*args, long long) : va_arg(*args, long);
	case 'j':
		return va_arg(*args, intmax_t);
	case 'z':
	case 't':
		return va_arg(*args, ptrdiff_t);
	case 'h':
		return c->length[1] ? (signed char)va_arg(*args, int) : (short)va_arg(*args, int);
	default:
		return va_arg(*args, int);
	}
}

static uintmax_t unsigned_argument(const struct conversion *c, va_list *args)
{
	switch (*c->length) {
	case 'l':
		return c->length[1] ? va_arg(*args, unsigned long long)
				    : va_arg(*args, unsigned long);
	case 'j':
		return va_arg(*args, uintmax_t);
	case 'z':
	case 't':
		return va_arg(*args, size_t);
	case 'h':
		return c->length[1] ? (unsigned char)va_arg(*args, unsigned)
				    : (unsigned short)va_arg(*args, unsigned);
	default:
		return va_arg(*args, unsigned);
	}
}

static void add_number(struct text *text, const struct conversion *c, va_list *args)
{
	char width[16] = "", precision[16] = "", format[64];
	bool whole = strchr("diuxXo", c->type);

	if (c->width >= 0)
		snprintf(width, sizeof(width), "%d", c->width);
	if (c->precision >= 0)
		snprintf(precision, sizeof(precision), ".%d", c->precision);
	snprintf(format, sizeof(format), "%%%s%s%s%s%c", c->flags, width, precision,
		whole ? "j" : "", c->type);
	if (c->type == 'd' || c->type == 'i')
		text_raw(text, format, signed_argument(c, args));
	else if (whole)
		text_raw(text, format, unsigned_argument(c, args));
	else if (c->type == 'p')
		text_raw(text, format, va_arg(*args, void *));
	else
		text_raw(text, format, va_arg(*args, double));
}

static void add_conversion(struct text *text, const struct conversion *c, va_list *args)
{
	char byte;

	switch (c->type) {
	case '%':
		text_bytes(text, "%", 1);
		break;
	case 'c':
		byte = (char)va_arg(*args, int);
		add_words(text, c, &byte);
		break;
	case 's':
		add_words(text, c, va_arg(*args, const char *));
		break;
	default:
		add_number(text, c, args);
	}
}

void text_vadd(struct text *text, const char *format, va_list given)
{
	va_list args;

	va_copy(args, given);
	reserve(text, 0);
	while (*format) {
		size_t n = strcspn(format, "%");
		struct conversion c;

		text_bytes(text, format, n);
		format += n;
		if (!*format)
			break;
		format = read_conversion(format + 1, &args, &c);
		add_conversion(text, &c, &args);
	}
	va_end(args);
}

void text_add(struct text *text, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	text_vadd(text, format, args);
	va_end(args);
}

/* ---- the finished text */
const char *text_str(const struct text *text)
{
	return text->s ? text->s : "";
}

void text_clear(struct text *text)
{
	if (!text)
		return;
	mem_free(text->s);
	*text = (struct text){0};
}
