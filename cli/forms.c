/* warpbeam forms: the page of all supported PTX forms, from the semantics table. */
#include "cli/command.h"
#include "cli/families.h"
#include "cli/page.h"

#include "ptx/isa/forms.h"

#include <string.h>

struct page {
	struct text *out;
	unsigned family; /* being written */
};

/* ---- patterns: {#t.u16|.s16} becomes (.u16/.s16), {#|.ftz} becomes [.ftz] */
static bool has_empty(const char *s, size_t n)
{
	if (!n || s[0] == '|' || s[0] == ',' || s[n - 1] == '|' || s[n - 1] == ',')
		return true;
	for (size_t i = 1; i < n; i++)
		if ((s[i] == '|' || s[i] == ',') && (s[i - 1] == '|' || s[i - 1] == ','))
			return true;
	return false;
}

static void write_slot(const char *s, size_t n, struct text *out)
{
	bool optional = has_empty(s, n), first = true;
	bool several = !optional && (memchr(s, '|', n) || memchr(s, ',', n));

	text_add(out, "%s", optional ? "[" : several ? "(" : "");
	for (size_t i = 0; i < n;) {
		size_t len = strcspn(s + i, "|,}");

		if (len)
			text_add(out, "%s%.*s", first ? "" : "/", (int)len, s + i);
		first &= !len;
		i += len + 1;
	}
	text_add(out, "%s", optional ? "]" : several ? ")" : "");
}

static void write_pattern(const char *pattern, struct text *out)
{
	size_t n = family_mnemonic_length(pattern);

	text_add(out, "`%.*s", (int)n, pattern);
	for (pattern += n; *pattern == '{';) {
		size_t flags = strcspn(pattern + 1, ".|,}"), len = strcspn(pattern, "}");

		write_slot(pattern + 1 + flags, len - 1 - flags, out);
		pattern += len + 1;
	}
	text_add(out, "%s`", *pattern == '*' ? "..." : "");
}

/* ---- operands: "d a:u32 b? <cf" */
static void write_operand(const char *s, size_t n, struct text *out)
{
	static const struct {
		char suffix;
		const char *text;
	} scales[] = {{'w', "2x"}, {'h', "1/2"}, {'q', "1/4"}, {'0', "1st"}, {'1', "2nd"}};
	bool optional = n && s[n - 1] == '?';
	const char *colon = memchr(s, ':', n);
	size_t name = colon ? (size_t)(colon - s) : n - optional;

	text_add(out, "%s", optional ? "[" : "");
	for (size_t i = 0; i < name; i++)
		text_add(out, "%c", s[i]);
	if (colon) {
		size_t len = n - name - 1 - optional;
		const char *type = NULL;

		for (size_t i = 0; i < sizeof(scales) / sizeof(scales[0]); i++)
			if (colon[1] == scales[i].suffix && (len == 1 || colon[2] == '+'))
				type = scales[i].text;
		if (type)
			text_add(out, ":%s%s", type, len > 1 ? "+" : "");
		else
			text_add(out, ":%.*s", (int)len, colon + 1);
	}
	text_add(out, "%s", optional ? "]" : "");
}

/* The next operand that PTX writes: the carry flag (>cf, <cf) is not. */
static const char *written_operand(const char *s)
{
	while (*s == '<' || *s == '>')
		s += strcspn(s, " ") + (strchr(s, ' ') != NULL);
	return s;
}

static void write_operands(const char *s, struct text *out)
{
	const char *separator = " (";

	for (s = written_operand(s); *s; s = written_operand(s)) {
		size_t n = strcspn(s, " ");

		text_add(out, "%s", separator);
		write_operand(s, n, out);
		separator = ", ";
		s += n + (s[n] == ' ');
	}
	text_add(out, "%s\n", *separator == ',' ? ")" : "");
}

/* ---- lines: all forms of one mnemonic with the same operands, those with the same text together
 */
struct group {
	struct text *out;
	const char *pattern, *operands; /* of its first form */
	const char *text;               /* of the forms meant; NULL: of any */
	const char *first;              /* the first of these; NULL: none yet */
};

static bool same_operands(const char *a, const char *b)
{
	for (;;) {
		size_t n, m;

		a = written_operand(a);
		b = written_operand(b);
		n = strcspn(a, " ");
		m = strcspn(b, " ");
		if (n != m || strncmp(a, b, n) != 0)
			return false;
		if (!n)
			return true;
		a += n + (a[n] == ' ');
		b += n + (b[n] == ' ');
	}
}

static bool in_group(const struct group *g, const char *pattern, const char *operands)
{
	const char *a = g->pattern + (*g->pattern == '*'), *b = pattern + (*pattern == '*');
	size_t n = family_mnemonic_length(a);

	return n == family_mnemonic_length(b) && !strncmp(a, b, n) &&
	       family_of(a) == family_of(b) && same_operands(g->operands, operands);
}

static bool is_meant(
	const struct group *g, const char *pattern, const char *operands, const char *text)
{
	return in_group(g, pattern, operands) && (!g->text || !strcmp(g->text, text));
}

static void find_first(void *ctx, const char *pattern, const char *operands, const char *text)
{
	struct group *g = ctx;

	if (!g->first && is_meant(g, pattern, operands, text))
		g->first = pattern;
}

static void group_form(void *ctx, const char *pattern, const char *operands, const char *text)
{
	struct group *g = ctx;
	bool any_order = *pattern == '*';

	if (!is_meant(g, pattern, operands, text))
		return;
	text_add(g->out, "%s", g->first ? ", " : "");
	write_pattern(pattern + any_order, g->out);
	text_add(g->out, "%s", any_order ? "\\*" : "");
	g->first = pattern;
}

/* The first form with a text writes all forms of the group that have it. */
static void group_text(void *ctx, const char *pattern, const char *operands, const char *text)
{
	struct group *g = ctx, same = {.out = g->out,
				       .pattern = g->pattern,
				       .operands = g->operands,
				       .text = text};

	if (!is_meant(g, pattern, operands, text))
		return;
	form_list(find_first, &same);
	if (same.first != pattern)
		return;
	text_add(g->out, "%s", g->first ? "; " : "- ");
	g->first = pattern;
	same.first = NULL;
	form_list(group_form, &same);
	text_add(g->out, ": %s", text);
}

static void supported_row(void *ctx, const char *pattern, const char *operands, const char *text)
{
	const struct page *p = ctx;
	struct group g = {.out = p->out, .pattern = pattern, .operands = operands};

	(void)text;
	if (family_of(pattern + (*pattern == '*')) != p->family)
		return;
	form_list(find_first, &g);
	if (g.first != pattern)
		return;
	g.first = NULL;
	form_list(group_text, &g);
	write_operands(operands, p->out);
}

/* Rows that the compiler uses for certain operands, and their spelling in PTX. */
static const struct written {
	const char *row, *mnemonic, *operands;
	unsigned family;
} writtens[] = {
	{"%max3", "max", "d, a, b, c", FAMILY_FLOATING},
	{"%min3", "min", "d, a, b, c", FAMILY_FLOATING},
	{"%pack{.v2}", "mov", "d, {a:1/2, b:1/2}", FAMILY_MOVEMENT},
	{"%pack{.v4}", "mov", "d, {a:1/4, b:1/4, c:1/4, e:1/4}", FAMILY_MOVEMENT},
	{"%unpack{.v2}", "mov", "{d:1/2, d:1/2}, a", FAMILY_MOVEMENT},
	{"%unpack{.v4}", "mov", "{d:1/4, d:1/4, d:1/4, d:1/4}, a", FAMILY_MOVEMENT},
};

static void inner_row(void *ctx, const char *pattern, const char *operands, const char *text)
{
	const struct page *p = ctx;

	(void)operands;
	for (size_t i = 0; i < sizeof(writtens) / sizeof(writtens[0]); i++) {
		const struct written *w = &writtens[i];
		size_t n = strlen(w->row);
		struct text whole = {0};

		if (strncmp(pattern, w->row, n) || w->family != p->family)
			continue;
		text_add(&whole, "%s%s", w->mnemonic, pattern + n);
		text_add(p->out, "- ");
		write_pattern(text_str(&whole), p->out);
		text_add(p->out, ": %s (%s)\n", text, w->operands);
		p->out->failed |= whole.failed;
		text_clear(&whole);
	}
}

/* ---- what is refused: by reason */
struct refused {
	struct text *out;
	const char *first, *reason;
};

static void same_reason(void *ctx, const char *pattern, const char *operands, const char *text)
{
	struct refused *r = ctx;

	(void)operands;
	if (strcmp(r->reason, text) != 0)
		return;
	if (r->out) {
		text_add(r->out, " ");
		write_pattern(pattern + (*pattern == '*'), r->out);
	} else if (!r->first) {
		r->first = pattern;
	}
}

static void refused_row(void *ctx, const char *pattern, const char *operands, const char *text)
{
	const struct page *p = ctx;
	struct refused r = {.reason = text};

	(void)operands;
	form_list_refused(same_reason, &r);
	if (r.first != pattern)
		return;
	r.out = p->out;
	text_add(p->out, "- %s:", text);
	form_list_refused(same_reason, &r);
	text_add(p->out, "\n");
}

static void family_row_seen(void *ctx, const char *pattern, const char *operands, const char *text)
{
	struct page *p = ctx;

	(void)operands;
	(void)text;
	if (family_of(pattern + (*pattern == '*')) == p->family)
		p->family = FAMILIES; /* there is one */
}

static bool has_rows(unsigned family)
{
	struct page p = {.family = family};

	form_list(family_row_seen, &p);
	return p.family == FAMILIES;
}

static void write_head(struct text *out)
{
	text_add(out,
		"# PTX forms\n\n"
		"Written by `warpbeam forms` (`make doc-pages`). Results are those that PTX defines, "
		"bit for bit,\nexcept under [Accuracy](#accuracy).\n\n"
		"In a form, parentheses list alternatives, brackets optional ones; modifiers may be in any order.\n"
		"Accesses to global memory may have `.L2::cache_hint` and a policy behind their operands: no effect.\n"
		"A line ends with its forms' operands: `d`, `p` (a predicate) are results, `a` `b` `c` `e` sources,\n"
		"`!p` a predicate that may be negated, `{d}` `{a}` vectors, `[a]` an address, `[t]` a texture with\n"
		"coordinates, perhaps after a sampler, `[s]` a surface with coordinates, `[q]` either without, `-a` a\n"
		"value without effect. An operand has the last type in the form, or after a colon a type, `1st` or\n"
		"`2nd` of the form's types, `2x`, `1/2`, `1/4` of its width. `*4`: a vector of four. `+`: the\n"
		"register may be wider. Operands in brackets are optional.\n");
}

static void write_families(struct page *p)
{
	for (unsigned f = 0; f < FAMILIES; f++) {
		if (!has_rows(f))
			continue;
		text_add(p->out, "\n## %s\n\n", family_title(f));
		p->family = f;
		form_list(supported_row, p);
		form_list_inner(inner_row, p);
	}
}

static void write_accuracy(struct text *out)
{
	text_add(out,
		"\n## Accuracy\n\n"
		"Approximations are closer to the exact result than PTX requires, and not any "
		"GPU's bits.\n"
		"- `div.approx.f32` (zero for divisors above 2^126), `div.full.f32`, "
		"`rcp.approx.f32`,\n  `sqrt.approx.f32`: rounded correctly.\n"
		"- `rsqrt.approx.f32`, `sin`, `cos`, `lg2`, `ex2`, `tanh`: in double precision, "
		"rounded once.\n"
		"- `rsqrt.approx.f64`: 1 ulp.\n"
		"- `rcp.approx.ftz.f64`, `rsqrt.approx.ftz.f64`: of the operand's upper 32 bits, "
		"truncated to the\n  result's upper 32 bits.\n");
}

int command_forms(const struct options *o, struct session *s, struct err *err)
{
	struct text lines = {0};
	struct page p = {.out = &lines};

	(void)o;
	write_head(p.out);
	write_families(&p);
	write_accuracy(p.out);
	text_add(p.out,
		"\n## Refused by name\n\nKernels that use these are left out, with a message.\n\n");
	form_list_refused(refused_row, &p);
	page_wrapped(&lines, &s->out);
	text_clear(&lines);
	return output_text(&s->out, err);
}
