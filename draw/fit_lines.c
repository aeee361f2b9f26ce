/* Tables that fit a width: characters, cells, and lines as they are laid out. */
#include "draw/fit_inside.h"

#include "core/base.h"

#include <string.h>

/* ---- characters */
uint32_t fit_characters(const char *s, size_t n)
{
	uint32_t count = 0;

	for (size_t i = 0; i < n; i++)
		count += (s[i] & 0xc0) != 0x80;
	return count;
}

static void blanks(uint32_t n, struct text *out)
{
	text_raw(out, "%*s", (int)n, "");
}

void fit_copy(const char *s, const char *end, struct text *out)
{
	while (s < end) {
		size_t n = 0;

		while (s + n < end && s[n] != '\t' && s[n] != '\v')
			n++;
		text_bytes(out, s, n);
		s += n;
		if (s < end && *s++ == '\t')
			text_bytes(out, " ", 1);
	}
}

/* ---- cells */
static struct cell cell_of(const char *s, size_t n)
{
	struct cell c = {.s = s, .n = n};

	while (c.n && *c.s == ' ') {
		c.s++;
		c.n--;
		c.before++;
	}
	while (c.n && c.s[c.n - 1] == ' ') {
		c.n--;
		c.after++;
	}
	c.wide = fit_characters(c.s, c.n);
	return c;
}

void fit_read_line(const char *s, size_t n, struct line *l)
{
	const char *end = s + n;

	l->n = 0;
	if (n && *s == '\v')
		s++;
	while (l->n < COLUMNS) {
		const char *tab = l->n + 1 < COLUMNS ? memchr(s, '\t', (size_t)(end - s)) : NULL;

		l->cell[l->n++] = cell_of(s, (size_t)((tab ? tab : end) - s));
		if (!tab)
			return;
		s = tab + 1;
	}
}

bool fit_has_cells(const char *s, size_t n)
{
	return memchr(s, '\t', n);
}

uint32_t fit_last_begins(const char *s, size_t n)
{
	size_t blank = n;

	while (s[blank - 1] != '\t')
		blank--;
	while (blank < n && s[blank] == ' ')
		blank++;
	return fit_characters(s, blank);
}

/* ---- lines */
/* Bytes of what fits into the column, to the last word that does. */
static size_t piece(const struct cell *c, uint32_t wide)
{
	size_t n = 0, word = 0;
	uint32_t seen = 0;

	while (n < c->n && (seen < wide || (c->s[n] & 0xc0) == 0x80)) {
		seen += (c->s[n] & 0xc0) != 0x80;
		n++;
		if (n < c->n && c->s[n] == ' ')
			word = n;
	}
	return n == c->n || !word ? n : word;
}

/* Takes the piece off, and the blank after it. */
static void drop(struct cell *c, size_t n)
{
	c->s += n;
	c->n -= n;
	while (c->n && *c->s == ' ') {
		c->s++;
		c->n--;
	}
}

/* Adds the cell, or its next piece, which it then loses. */
static void add_cell(const struct block *b, unsigned column, struct cell *c, struct text *out)
{
	size_t n = b->wraps[column] ? piece(c, b->wide[column]) : c->n;
	uint32_t wide = fit_characters(c->s, n);
	uint32_t pad = b->wide[column] > wide ? b->wide[column] - wide : 0;
	bool to_the_right = b->to_the_right[column] > 0;

	if (to_the_right)
		blanks(pad, out);
	text_bytes(out, c->s, n);
	if (!to_the_right)
		blanks(pad, out);
	drop(c, n);
}

static void end_line(struct text *out)
{
	while (out->len && out->s[out->len - 1] == ' ')
		out->s[--out->len] = '\0';
	text_bytes(out, "\n", 1);
}

/* The last column's words, indented. */
static void add_below(const struct block *b, struct cell *c, struct text *out)
{
	uint32_t begin = b->indent + BELOW;

	while (c->n) {
		size_t n = piece(c, b->width - begin);

		blanks(begin, out);
		text_bytes(out, c->s, n);
		end_line(out);
		drop(c, n);
	}
}

static void add_line(const struct block *b, struct line *l, struct text *out)
{
	bool more;

	do {
		blanks(b->indent, out);
		more = false;
		for (unsigned i = 0; i < l->n && i < b->shown; i++) {
			blanks(i ? b->gap : 0, out);
			add_cell(b, i, &l->cell[i], out);
			more |= l->cell[i].n > 0;
		}
		end_line(out);
	} while (more);
	if (b->below && l->n == b->n)
		add_below(b, &l->cell[l->n - 1], out);
}

/* Unchanged, except the words of the last cell. */
static void add_hanging(const struct block *b, const char *s, size_t n, struct text *out)
{
	uint32_t begin = fit_last_begins(s, n);
	struct line l;
	struct cell *last;
	bool more = true;

	fit_read_line(s, n, &l);
	last = &l.cell[l.n - 1];
	fit_copy(s, last->s, out);
	while (more) {
		size_t fits = piece(last, b->width - begin);

		text_bytes(out, last->s, fits);
		end_line(out);
		drop(last, fits);
		more = last->n;
		blanks(more ? begin : 0, out);
	}
}

/* Where the prose of a line without cells begins: behind its indentation, or a short head ("1.2x
 * "). Behind a long one, as the location of a line of source, it begins with that. Lines with more
 * than one blank between several words are laid out already: n. */
static size_t prose_begins(const char *s, size_t n)
{
	size_t indent = 0, heads = 0, at;

	while (indent < n && s[indent] == ' ')
		indent++;
	at = indent;
	for (size_t i = indent; i + 1 < n; i++)
		if (s[i] == '\v')
			return n;
		else if (s[i] == ' ' && s[i + 1] == ' ') {
			heads += i + 1 > at;
			at = i + 2;
		}
	if (fit_characters(s, at) <= WORDS_LEAST)
		return at;
	return heads > 1 ? n : indent;
}

/* Bytes of the words that fit into the width, at least one. */
static size_t words(const struct cell *c, uint32_t wide)
{
	size_t n = piece(c, wide);

	while (n < c->n && c->s[n] != ' ')
		n++;
	return n;
}

/* A line without cells: further lines begin below the words behind its head, or are indented by two
 * more. */
static void add_prose(const struct block *b, const char *s, size_t n, struct text *out)
{
	size_t at = prose_begins(s, n);
	uint32_t begin = fit_characters(s, at);
	bool has_head = at && strspn(s, " ") < at;
	struct cell c = cell_of(s + at, n - at);

	if (fit_characters(s, n) <= b->width || at == n ||
		begin + INDENT + WORDS_LEAST > b->width) {
		fit_copy(s, s + n, out);
		text_bytes(out, "\n", s + n < b->end);
		return;
	}
	text_bytes(out, s, at);
	while (c.n) {
		size_t fits = words(&c, b->width - begin);

		text_bytes(out, c.s, fits);
		drop(&c, fits);
		text_bytes(out, "\n", c.n || s + n < b->end);
		begin = (uint32_t)fit_characters(s, at) + (has_head ? 0 : INDENT);
		blanks(c.n ? begin : 0, out);
	}
}

void fit_left_out(const struct block *b, struct text *out)
{
	struct text line = {0};
	struct line head;
	unsigned unnamed = 0, named = 0;

	fit_read_line(b->s, strcspn(b->s, "\n"), &head);
	text_add(&line, "(left out: ");
	for (unsigned i = b->shown; i < b->n; i++) {
		if (i >= head.n || !head.cell[i].n) {
			unnamed++;
			continue;
		}
		text_raw(&line, "%s", named++ ? ", " : "");
		text_bytes(&line, head.cell[i].s, head.cell[i].n);
	}
	if (unnamed)
		text_add(&line, "%s%u without a head", named ? ", " : "", unnamed);
	text_add(&line, "; --wide shows all)\n");
	add_prose(&(struct block){.end = text_str(&line) + line.len, .width = b->width},
		text_str(&line), line.len ? line.len - 1 : 0, out);
	out->failed |= line.failed;
	text_clear(&line);
}

void fit_row(const struct block *b, const char *s, size_t n, bool fits, struct text *out)
{
	struct line l;

	if (!fit_has_cells(s, n)) {
		add_prose(b, s, n, out);
	} else if (fits || (b->hangs && fit_characters(s, n) <= b->width)) {
		fit_copy(s, s + n + (s + n < b->end), out);
	} else if (b->hangs) {
		add_hanging(b, s, n, out);
	} else {
		fit_read_line(s, n, &l);
		add_line(b, &l, out);
	}
}
