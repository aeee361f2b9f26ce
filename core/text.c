/* A growing string for reports. */
#include "core/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/mem.h"

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

void text_add(struct text *text, const char *format, ...)
{
	va_list args, again;
	int n;

	va_start(args, format);
	va_copy(again, args);
	n = vsnprintf(NULL, 0, format, args);
	if (n >= 0 && reserve(text, (size_t)n)) {
		vsnprintf(text->s + text->len, (size_t)n + 1, format, again);
		text->len += (size_t)n;
	}
	va_end(again);
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
