/* A strict reader of pages: every tag is closed in order, every attribute is quoted and given once,
 * ids are unique, links inside the page have a target, nothing is loaded from elsewhere. */
#include "tests/rig/markup.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH 64
#define NAME 64

struct reader {
	const char *at;
	const char **ids; /* where the values of all id="..." begin */
	size_t nids;
	char open[DEPTH][NAME];
	unsigned depth;
	char *message;
	unsigned bytes;
	bool bad;
};

static void report(struct reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void report(struct reader *r, const char *format, ...)
{
	char what[160];
	va_list list;

	if (r->bad)
		return;
	va_start(list, format);
	vsnprintf(what, sizeof(what), format, list);
	va_end(list);
	snprintf(r->message, r->bytes, "%s, at: %.60s", what, r->at);
	r->bad = true;
}

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '-' || c == '_' || c == '.' || c == ':';
}

static void read_name(struct reader *r, char name[NAME])
{
	unsigned n = 0;

	while (is_name(*r->at) && n + 1 < NAME)
		name[n++] = *r->at++;
	name[n] = '\0';
	if (!n)
		report(r, "a name is missing");
}

/* Between tags, and in values: no markup, and only entities of XML. */
static void read_words(struct reader *r, char end)
{
	static const char *const known[] = {"&amp;", "&lt;", "&gt;", "&quot;"};

	while (*r->at && *r->at != end && !r->bad) {
		bool good = *r->at != '&' && *r->at != '<' && *r->at != '>';

		for (unsigned i = 0; i < 4 && *r->at == '&'; i++)
			good |= !strncmp(r->at, known[i], strlen(known[i]));
		if (r->at[0] == '&' && r->at[1] == '#')
			good = r->at[2 + strspn(r->at + 2, "0123456789")] == ';';
		if (!good)
			report(r, "'%c' must be escaped", *r->at);
		r->at++;
	}
}

/* In one pass: strstr() under a sanitizer looks at all of the page each time. */
static void find_ids(struct reader *r, const char *page)
{
	for (const char *at = page; *at; at++)
		r->nids += at[0] == ' ' && at[1] == 'i' && at[2] == 'd' && at[3] == '=' && at[4];
	r->ids = calloc(r->nids + 1, sizeof(*r->ids));
	r->nids = 0;
	for (const char *at = page; r->ids && *at; at++)
		if (at[0] == ' ' && at[1] == 'i' && at[2] == 'd' && at[3] == '=' && at[4])
			r->ids[r->nids++] = at + 5;
}

static bool same_id(const char *id, const char *value, size_t n)
{
	size_t i = 0;

	while (i < n && id[i] == value[i])
		i++;
	return i == n && id[n] == '"';
}

static bool id_exists(const struct reader *r, const char *id, size_t n)
{
	for (size_t i = 0; i < r->nids; i++)
		if (same_id(r->ids[i], id, n))
			return true;
	return false;
}

static void check_attribute(struct reader *r, const char *name, const char *value, size_t n)
{
	if (!strcmp(name, "id")) {
		for (size_t i = 0; i < r->nids; i++)
			if (r->ids[i] != value && same_id(r->ids[i], value, n))
				report(r, "the id '%.*s' occurs twice", (int)n, value);
	} else if (!strcmp(name, "href")) {
		if (*value != '#')
			report(r, "a link points outside the page: %.*s", (int)n, value);
		else if (!id_exists(r, value + 1, n - 1))
			report(r, "a link has no target: %.*s", (int)n, value);
	} else if (!strcmp(name, "src") || !strncmp(name, "on", 2)) {
		report(r, "attribute %s", name);
	}
}

static void read_attributes(struct reader *r)
{
	char names[16][NAME];
	unsigned n = 0;

	for (;;) {
		const char *value;

		r->at += strspn(r->at, " \n\t");
		if (!is_name(*r->at) || r->bad)
			return;
		read_name(r, names[n]);
		for (unsigned i = 0; i < n; i++)
			if (!strcmp(names[i], names[n]))
				report(r, "attribute %s is given twice", names[n]);
		if (r->at[0] != '=' || r->at[1] != '"') {
			report(r, "attribute %s has no quoted value", names[n]);
			return;
		}
		value = r->at += 2;
		read_words(r, '"');
		check_attribute(r, names[n], value, (size_t)(r->at - value));
		r->at += *r->at == '"';
		n += n < 15;
	}
}

static void read_style(struct reader *r)
{
	const char *end = strstr(r->at, "</style>");
	const char *url = strstr(r->at, "url("), *import = strstr(r->at, "@import");

	if (!end || (url && url < end) || (import && import < end))
		report(r, "style that needs another file, or has no end");
	else
		r->at = end;
}

/* Our own script, within the page: as HTML it ends at </script>, as XML it is a section of words.
 */
static void read_script(struct reader *r)
{
	const char *end = strstr(r->at, "//]]></script>");

	if (strncmp(r->at, "//<![CDATA[", 11) != 0 || !end)
		report(r, "<script> that is no section of words");
	else
		r->at = end + 5;
}

static void read_tag(struct reader *r)
{
	static const char *const foreign[] = {"link", "iframe", "object", "img"};
	char name[NAME];

	if (r->at[1] == '/') {
		r->at += 2;
		read_name(r, name);
		if (!r->depth || strcmp(r->open[r->depth - 1], name) != 0)
			report(r, "</%s> closes nothing", name);
		else
			r->depth--;
	} else {
		r->at++;
		read_name(r, name);
		for (unsigned i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++)
			if (!strcmp(name, foreign[i]))
				report(r, "<%s>", name);
		read_attributes(r);
		if (*r->at == '/' && !strcmp(name, "script"))
			report(r, "<script> without words");
		if (*r->at == '/')
			r->at++;
		else if (r->depth < DEPTH)
			memcpy(r->open[r->depth++], name, NAME);
	}
	if (*r->at != '>')
		report(r, "<%s has no end", name);
	r->at += *r->at == '>';
	if (!strcmp(name, "style") && r->depth && !strcmp(r->open[r->depth - 1], "style"))
		read_style(r);
	if (!strcmp(name, "script") && r->depth && !strcmp(r->open[r->depth - 1], "script"))
		read_script(r);
}

const char *markup_wrong(const char *page, char *message, unsigned bytes)
{
	struct reader r = {.at = page, .message = message, .bytes = bytes};

	find_ids(&r, page);
	if (!strncmp(r.at, "<!DOCTYPE html>\n", 16))
		r.at += 16;
	else
		report(&r, "no doctype");
	while (*r.at && !r.bad) {
		if (*r.at == '<')
			read_tag(&r);
		else
			read_words(&r, '<');
	}
	if (r.depth)
		report(&r, "<%s> is not closed", r.open[r.depth - 1]);
	free(r.ids);
	return r.bad ? message : NULL;
}

unsigned markup_count(const char *page, const char *element)
{
	size_t length = strlen(element);
	unsigned n = 0;

	for (const char *at = page; (at = strchr(at, '<')); at++)
		n += !strncmp(at + 1, element, length) && !is_name(at[1 + length]);
	return n;
}
