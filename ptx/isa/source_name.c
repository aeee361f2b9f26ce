/* Names of the Itanium C++ ABI (section 5.1), as far as kernels and variables have them. */
#include "ptx/isa/source_name.h"

#include "core/base.h"

#include <string.h>

#define DEEPEST 32u /* nested names and types */
#define MOST_SHOWN 6u

/* A mangled name being read; `at` NULL: it is not understood. */
struct reader {
	const char *at;
	struct text *out;
	unsigned depth;
};

static void read_type(struct reader *r);
static void read_name(struct reader *r);

static bool takes(struct reader *r, const char *prefix)
{
	size_t n = strlen(prefix);

	if (!r->at || strncmp(r->at, prefix, n) != 0)
		return false;
	r->at += n;
	return true;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* 3add: add. */
static void read_identifier(struct reader *r)
{
	size_t n = 0;

	takes(r, "L"); /* of internal linkage */
	if (!r->at || !is_digit(*r->at)) {
		r->at = NULL;
		return;
	}
	for (; is_digit(*r->at) && n < 4096; r->at++)
		n = n * 10 + (size_t)(*r->at - '0');
	if (n > strlen(r->at)) {
		r->at = NULL;
		return;
	}
	if (n >= 10 && !strncmp(r->at, "_GLOBAL__N", 10))
		text_add(r->out, "(anonymous namespace)");
	else
		text_add(r->out, "%.*s", (int)n, r->at);
	r->at += n;
}

static const char *builtin(char c)
{
	static const char codes[] = "vwbcahstijlmxyfd";
	static const char *const words[] = {"void", "wchar_t", "bool", "char", "signed char",
		"unsigned char", "short", "unsigned short", "int", "unsigned int", "long",
		"unsigned long", "long long", "unsigned long long", "float", "double"};
	const char *found = c ? strchr(codes, c) : NULL;

	return found ? words[found - codes] : NULL;
}

/* Li4E: 4; Lb1E: true. */
static void read_literal(struct reader *r)
{
	const char *end = strchr(r->at, 'E');
	char type = r->at[0];

	if (!builtin(type) || !end || end - r->at < 2) {
		r->at = NULL;
		return;
	}
	r->at++;
	if (type == 'b')
		text_add(r->out, "%s", *r->at == '1' ? "true" : "false");
	else
		text_add(r->out, "%s%.*s", *r->at == 'n' ? "-" : "",
			(int)(end - r->at - (*r->at == 'n')), r->at + (*r->at == 'n'));
	r->at = end + 1;
}

/* After I, up to E. */
static void read_arguments(struct reader *r)
{
	bool first = true;
	unsigned packs = 0;

	text_add(r->out, "<");
	while (r->at && (packs || !takes(r, "E"))) {
		if (packs && takes(r, "E")) {
			packs--;
			continue;
		}
		if (takes(r, "J")) {
			packs++;
			continue;
		}
		if (!first)
			text_add(r->out, ", ");
		first = false;
		if (takes(r, "L"))
			read_literal(r);
		else
			read_type(r);
	}
	text_add(r->out, ">");
}

static void read_type(struct reader *r)
{
	const char *word;

	if (!r->at || r->depth++ > DEEPEST) {
		r->at = NULL;
		return;
	}
	word = builtin(*r->at);
	if (word) {
		r->at++;
		text_add(r->out, "%s", word);
	} else if (takes(r, "P")) {
		read_type(r);
		text_add(r->out, "*");
	} else if (takes(r, "K")) {
		text_add(r->out, "const ");
		read_type(r);
	} else {
		read_name(r);
	}
	r->depth--;
}

static void read_plain(struct reader *r)
{
	if (takes(r, "St"))
		text_add(r->out, "std::");
	read_identifier(r);
	if (takes(r, "I"))
		read_arguments(r);
}

static void read_name(struct reader *r)
{
	bool first = true;

	if (!takes(r, "N")) {
		read_plain(r);
		return;
	}
	while (takes(r, "K") || takes(r, "V"))
		;
	while (r->at && !takes(r, "E")) {
		if (!first)
			text_add(r->out, "::");
		first = false;
		read_plain(r);
	}
}

void source_name(const char *mangled, struct text *out)
{
	struct text name = {0};
	struct reader r = {mangled + 2, &name, 0};
	const char *open;

	if (strncmp(mangled, "_Z", 2) != 0) {
		text_add(out, "%s", mangled);
		return;
	}
	read_name(&r);
	open = strchr(text_str(&name), '<');
	if (r.at)
		text_add(out, "%s", text_str(&name));
	else if (open)
		text_add(out, "%.*s<...>", (int)(open - text_str(&name)), text_str(&name));
	else
		text_add(out, "%s", mangled);
	out->failed |= name.failed;
	text_clear(&name);
}

/* ---- comparing */
/* The length of the beginning of a that is all of b, without spaces; 0: it is not b's. */
static size_t begins(const char *a, const char *b)
{
	const char *from = a;

	for (;; a++, b++) {
		while (*a == ' ')
			a++;
		while (*b == ' ')
			b++;
		if (!*b)
			return (size_t)(a - from);
		if (*a != *b)
			return 0;
	}
}

/* After the next :: outside of template arguments, or NULL. */
static const char *inner(const char *name)
{
	unsigned open = 0;

	for (; *name; name++) {
		open += *name == '<';
		open -= *name == '>' && open;
		if (!open && !strncmp(name, "::", 2))
			return name + 2;
	}
	return NULL;
}

/* `whole`: up to the end or the template arguments. */
static bool is_called(const char *mangled, const char *wanted, bool whole)
{
	struct text readable = {0};
	bool found = false;

	source_name(mangled, &readable);
	for (const char *at = text_str(&readable); at && !found; at = inner(at)) {
		size_t n = begins(at, wanted);

		found = n && (!whole || !at[n] || at[n] == '<');
	}
	text_clear(&readable);
	return found;
}

const char *source_name_kept(const char *mangled, struct arena *arena)
{
	struct text name = {0};
	const char *out = mangled;

	source_name(mangled, &name);
	if (!name.failed)
		out = arena_strdup(arena, text_str(&name));
	text_clear(&name);
	return out;
}

bool source_name_is(const char *mangled, const char *wanted)
{
	return !strcmp(mangled, wanted) || is_called(mangled, wanted, true);
}

enum closeness { SAME, SOURCE, PREFIX };

static bool is_close(const char *name, const char *wanted, enum closeness how)
{
	if (how == SAME)
		return !strcmp(name, wanted);
	if (how == SOURCE)
		return source_name_is(name, wanted);
	return !strncmp(name, wanted, strlen(wanted)) || is_called(name, wanted, false);
}

/* "ns::add<float> (_ZN2ns3addIfEvv), add", the first of them. */
static void show(const char *name, unsigned i, struct text *out)
{
	struct text readable = {0};

	if (i >= MOST_SHOWN) {
		text_add(out, "%s", i == MOST_SHOWN ? ", ..." : "");
		return;
	}
	source_name(name, &readable);
	if (strcmp(text_str(&readable), name) != 0)
		text_add(out, "%s%s (%s)", i ? ", " : "", text_str(&readable), name);
	else
		text_add(out, "%s%s", i ? ", " : "", name);
	text_clear(&readable);
}

const char *source_name_find(
	const char *const *names, size_t n, const char *wanted, bool *many, struct text *found)
{
	*many = false;
	for (enum closeness how = SAME; how <= PREFIX && *wanted; how++) {
		const char *one = NULL;
		unsigned count = 0;

		for (size_t i = 0; i < n; i++) {
			if (!is_close(names[i], wanted, how))
				continue;
			one = names[i];
			show(one, count++, found);
		}
		*many = count > 1;
		if (count)
			return *many ? NULL : one;
	}
	return NULL;
}
