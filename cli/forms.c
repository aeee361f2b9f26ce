/* warpbeam forms: the page of all PTX forms there are, written from the semantics table. */
#include "cli/command.h"
#include "cli/families.h"

#include "ptx/isa/forms.h"

#include <string.h>

/* What PTX allows, and what is computed here. */
static const struct accuracy {
	const char *form, *allowed, *here;
} accuracies[] = {
	{"div.approx.f32", "2 ulp for divisors in [2^-126, 2^126]",
		"rounded correctly; zeros for larger ones, as PTX says"},
	{"div.full.f32", "2 ulp", "rounded correctly, as div.rn"},
	{"rcp.approx.f32", "1 ulp", "rounded correctly, as rcp.rn"},
	{"rcp.approx.ftz.f64, rsqrt.approx.ftz.f64", "none is given",
		"of the operand's upper 32 bits, cut to the result's upper 32 bits"},
	{"sqrt.approx.f32", "relative error 2^-23", "rounded correctly, as sqrt.rn"},
	{"rsqrt.approx.f32", "relative error 2^-22.9", "in double precision, rounded once"},
	{"rsqrt.approx.f64", "none is given", "1 ulp"},
	{"sin.approx.f32, cos.approx.f32",
		"absolute error 2^-20.5 in [-2 pi, 2 pi], 2^-14.7 in [-100 pi, 100 pi]",
		"in double precision, rounded once"},
	{"lg2.approx.f32", "absolute error 2^-22 in (0.5, 2), else relative error 2^-22",
		"in double precision, rounded once"},
	{"ex2.approx.f32", "2 ulp", "in double precision, rounded once"},
	{"ex2.approx.f16", "relative error 2^-9.9", "in double precision, rounded once"},
	{"ex2.approx.bf16", "relative error 2^-7", "in double precision, rounded once"},
	{"tanh.approx.f32", "relative error 2^-11", "in double precision, rounded once"},
	{"tanh.approx.f16", "absolute error 2^-10.987", "in double precision, rounded once"},
	{"tanh.approx.bf16", "absolute error 2^-8", "in double precision, rounded once"},
};

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
		text_add(out, s[i] == '|' ? "\\|" : "%c", s[i]);
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

static void write_operands(const char *s, struct text *out)
{
	bool first = true;

	while (*s) {
		size_t n = strcspn(s, " ");

		if (strncmp(s, ">cf", n) && strncmp(s, "<cf", n)) { /* not written in PTX */
			text_add(out, "%s", first ? "" : ", ");
			write_operand(s, n, out);
			first = false;
		}
		s += n + (s[n] == ' ');
	}
}

/* ---- rows */
static void supported_row(void *ctx, const char *pattern, const char *operands, const char *text)
{
	const struct page *p = ctx;
	bool any_order = *pattern == '*';

	pattern += any_order;
	if (family_of(pattern) != p->family)
		return;
	text_add(p->out, "| ");
	write_pattern(pattern, p->out);
	text_add(p->out, " | ");
	write_operands(operands, p->out);
	text_add(p->out, " | %s%s |\n", text, any_order ? "; modifiers in any order" : "");
}

/* Rows that the compiler asks for when the operands say so, and how people write them. */
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
		text_add(p->out, "| ");
		write_pattern(text_str(&whole), p->out);
		text_add(p->out, " | %s | %s |\n", w->operands, text);
		p->out->failed |= whole.failed;
		text_clear(&whole);
	}
}

static void refused_row(void *ctx, const char *pattern, const char *operands, const char *text)
{
	const struct page *p = ctx;

	(void)operands;
	text_add(p->out, "| ");
	write_pattern(pattern + (*pattern == '*'), p->out);
	text_add(p->out, " | %s |\n", text);
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
		"Written by `warpbeam forms` from the semantics table; `make doc-pages` writes it "
		"again.\n\n"
		"Of alternatives in parentheses one must stand, of those in brackets one may. "
		"Operands: `d` and `p` are results (`p` a predicate), `a` `b` `c` `e` are "
		"sources, `!p` is a predicate that may be negated, `{d}` and `{a}` are vectors, "
		"`[a]` is an address, `[t]` a texture with coordinates (and a sampler before "
		"them), `[s]` a "
		"surface with coordinates, `[q]` either without, `-a` a value that changes "
		"nothing. An operand has the last type that is spelled, unless "
		"another follows a colon: a type, `1st` or `2nd` (of the spelled ones), `2x`, "
		"`1/2`, `1/4` (as wide). With a plus its register may be wider. One in brackets "
		"may be left out.\n\n"
		"All results are those that PTX defines, bit for bit, but for the forms under "
		"[Accuracy](#accuracy).\n");
}

static void write_families(struct page *p)
{
	for (unsigned f = 0; f < FAMILIES; f++) {
		if (!has_rows(f))
			continue;
		text_add(p->out, "\n## %s\n\n| form | operands | what it does |\n|---|---|---|\n",
			family_title(f));
		p->family = f;
		form_list(supported_row, p);
		form_list_inner(inner_row, p);
	}
}

static void write_accuracy(struct text *out)
{
	text_add(out, "\n## Accuracy\n\n| form | PTX allows | here |\n|---|---|---|\n");
	for (size_t i = 0; i < sizeof(accuracies) / sizeof(accuracies[0]); i++)
		text_add(out, "| `%s` | %s | %s |\n", accuracies[i].form, accuracies[i].allowed,
			accuracies[i].here);
}

int command_forms(const struct options *o, struct session *s, struct err *err)
{
	struct page p = {.out = &s->out};

	(void)o;
	write_head(p.out);
	write_families(&p);
	write_accuracy(p.out);
	text_add(p.out,
		"\n## Refused by name\n\nReal PTX that is not executed: a kernel that uses it is "
		"left out, with a message.\n\n| form | what it is |\n|---|---|\n");
	form_list_refused(refused_row, &p);
	return output_text(p.out, err);
}
