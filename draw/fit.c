/* Tables that fit a width: columns measured, then narrowed, wrapped or left out. */
#include "draw/fit.h"

#include "core/base.h"

#include <string.h>

#define COLUMNS 128    /* of a table; what follows is part of the last */
#define INDENT 2       /* of a first column, at most */
#define WORDS_LEAST 16 /* columns of text in which words can still be wrapped */

struct cell {
	const char *s;                /* without blanks around it */
	size_t n;                     /* bytes */
	uint32_t before, wide, after; /* blanks, characters, blanks */
};

struct line {
	struct cell cell[COLUMNS];
	unsigned n;
};

/* The lines from `s` to `end`: a table, or a list of lines. */
struct block {
	const char *s, *end;
	uint32_t width;
	bool has_head;
	bool hangs; /* all that is too wide is the last cells' words */
	/* what its lines have */
	unsigned n; /* columns */
	uint32_t wide[COLUMNS], indent;
	uint32_t word[COLUMNS];    /* the longest */
	int to_the_right[COLUMNS]; /* cells aligned so, minus those aligned to the left */
	/* how it is laid out */
	unsigned shown;
	int wrapped; /* a column; -1: none */
	uint32_t gap;
};

/* ---- characters */
static uint32_t characters(const char *s, size_t n)
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

/* Unchanged, a blank for each tab. */
static void copy(const char *s, const char *end, struct text *out)
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
	c.wide = characters(c.s, c.n);
	return c;
}

static void read_line(const char *s, size_t n, struct line *l)
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

static bool has_cells(const char *s, size_t n)
{
	return memchr(s, '\t', n);
}

static uint32_t longest_word(const struct cell *c)
{
	uint32_t most = 0;
	size_t n;

	for (size_t i = 0; i < c->n; i += n + 1) {
		uint32_t wide;

		for (n = 0; i + n < c->n && c->s[i + n] != ' ';)
			n++;
		wide = characters(c->s + i, n);
		if (wide > most)
			most = wide;
	}
	return most;
}

static void measure_line(struct block *b, const struct line *l)
{
	for (unsigned i = 0; i < l->n; i++) {
		const struct cell *c = &l->cell[i];
		uint32_t word = longest_word(c), before;

		if (word > b->word[i])
			b->word[i] = word;
		if (c->wide > b->wide[i])
			b->wide[i] = c->wide;
		before = i || c->before < INDENT ? c->before : c->before - INDENT;
		if (c->n && before != c->after)
			b->to_the_right[i] += before > c->after ? 1 : -1;
	}
	if (l->n > b->n)
		b->n = l->n;
	if (l->cell[0].n && l->cell[0].before < b->indent)
		b->indent = l->cell[0].before;
}

/* Where the last cell's words begin as the line is. */
static uint32_t last_begins(const char *s, size_t n)
{
	size_t blank = n;

	while (s[blank - 1] != '\t')
		blank--;
	while (blank < n && s[blank] == ' ')
		blank++;
	return characters(s, blank);
}

/* True when a line with cells is too wide. */
static bool measure(struct block *b)
{
	bool too_wide = false;
	size_t n;

	b->indent = INDENT;
	b->hangs = !b->has_head;
	for (const char *s = b->s; s < b->end; s += n + 1) {
		struct line l;

		n = strcspn(s, "\n");
		if (!has_cells(s, n))
			continue;
		read_line(s, n, &l);
		measure_line(b, &l);
		if (characters(s, n) - (*s == '\v') <= b->width)
			continue;
		too_wide = true;
		b->hangs &= last_begins(s, n) + WORDS_LEAST <= b->width;
	}
	return too_wide;
}

/* ---- layout */
static uint32_t total(const struct block *b, unsigned columns, uint32_t gap)
{
	uint32_t sum = b->indent + gap * (columns - 1);

	for (unsigned i = 0; i < columns; i++)
		sum += b->wide[i];
	return sum;
}

/* The widest column of words of the first ones; -1: none. */
static int widest(const struct block *b, unsigned columns)
{
	int found = -1;

	for (unsigned i = 0; i < columns; i++)
		if (b->to_the_right[i] <= 0 && (found < 0 || b->wide[i] >= b->wide[found]))
			found = (int)i;
	return found;
}

/* What it is narrowed to at least: only names in the first column are broken. */
static uint32_t least_of(const struct block *b, int column)
{
	return column && b->word[column] > WORDS_LEAST ? b->word[column] : WORDS_LEAST;
}

/* Makes the first columns fit, or says that they cannot. */
static bool narrow(struct block *b, unsigned columns, bool anyhow)
{
	uint32_t rest, least;
	int w = widest(b, columns);

	b->shown = columns;
	b->wrapped = -1;
	b->gap = total(b, columns, 2) <= b->width ? 2 : 1;
	if (total(b, columns, b->gap) <= b->width)
		return true;
	if (w < 0)
		return false;
	rest = total(b, columns, b->gap) - b->wide[w];
	least = least_of(b, w);
	if (!anyhow && (rest + least > b->width || b->wide[w] <= least))
		return false;
	b->wrapped = w;
	b->wide[w] = rest + least > b->width ? least : b->width - rest;
	return true;
}

/* Pictures behind a table's rows: they have no head. */
static bool has_bars(const struct block *b)
{
	struct line head;

	read_line(b->s, strcspn(b->s, "\n"), &head);
	return b->n > 1 && (head.n < b->n || !head.cell[b->n - 1].n) &&
	       b->word[b->n - 1] == b->wide[b->n - 1];
}

static bool fits_narrow(const struct block *b, unsigned columns)
{
	return total(b, columns, 1) <= b->width;
}

static void lay_out(struct block *b)
{
	unsigned columns = b->n;

	if (b->has_head && has_bars(b) && !fits_narrow(b, columns))
		columns--;
	while (!narrow(b, columns, !b->has_head) && b->has_head && columns > 1)
		columns--;
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
	size_t n = (int)column == b->wrapped ? piece(c, b->wide[column]) : c->n;
	uint32_t wide = characters(c->s, n);
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

static void add_line(const struct block *b, struct line *l, struct text *out)
{
	bool more;

	do {
		blanks(b->indent, out);
		for (unsigned i = 0; i < l->n && i < b->shown; i++) {
			blanks(i ? b->gap : 0, out);
			add_cell(b, i, &l->cell[i], out);
		}
		end_line(out);
		more = b->wrapped >= 0 && (unsigned)b->wrapped < l->n && l->cell[b->wrapped].n;
	} while (more);
}

static void add_left_out(const struct block *b, struct text *out)
{
	struct line head;
	unsigned unnamed = 0, named = 0;

	read_line(b->s, strcspn(b->s, "\n"), &head);
	text_add(out, "(left out: ");
	for (unsigned i = b->shown; i < b->n; i++) {
		if (i >= head.n || !head.cell[i].n) {
			unnamed++;
			continue;
		}
		text_raw(out, "%s", named++ ? ", " : "");
		text_bytes(out, head.cell[i].s, head.cell[i].n);
	}
	if (unnamed)
		text_add(out, "%s%u without a head", named ? ", " : "", unnamed);
	text_add(out, "; --wide shows all)\n");
}

/* Unchanged, except the words of the last cell. */
static void add_hanging(const struct block *b, const char *s, size_t n, struct text *out)
{
	uint32_t begin = last_begins(s, n);
	struct line l;
	struct cell *last;
	bool more = true;

	read_line(s, n, &l);
	last = &l.cell[l.n - 1];
	copy(s, last->s, out);
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
 * "). Lines with more than one blank further on are laid out already: n. */
static size_t prose_begins(const char *s, size_t n)
{
	size_t indent = 0, at;

	while (indent < n && s[indent] == ' ')
		indent++;
	at = indent;
	for (size_t i = indent; i + 1 < n; i++)
		if (s[i] == '\v')
			return n;
		else if (s[i] == ' ' && s[i + 1] == ' ')
			at = i + 2;
	return at == indent || characters(s, at) <= WORDS_LEAST ? at : n;
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
	uint32_t begin = characters(s, at);
	bool has_head = at && strspn(s, " ") < at;
	struct cell c = cell_of(s + at, n - at);

	if (characters(s, n) <= b->width || at == n || begin + INDENT + WORDS_LEAST > b->width) {
		copy(s, s + n, out);
		text_bytes(out, "\n", s + n < b->end);
		return;
	}
	text_bytes(out, s, at);
	while (c.n) {
		size_t fits = words(&c, b->width - begin);

		text_bytes(out, c.s, fits);
		drop(&c, fits);
		text_bytes(out, "\n", c.n || s + n < b->end);
		begin = (uint32_t)characters(s, at) + (has_head ? 0 : INDENT);
		blanks(c.n ? begin : 0, out);
	}
}

/* ---- blocks */
static void add_row(struct block *b, const char *s, size_t n, bool fits, struct text *out)
{
	struct line l;

	if (!has_cells(s, n)) {
		add_prose(b, s, n, out);
	} else if (fits || (b->hangs && characters(s, n) <= b->width)) {
		copy(s, s + n + (s + n < b->end), out);
	} else if (b->hangs) {
		add_hanging(b, s, n, out);
	} else {
		read_line(s, n, &l);
		add_line(b, &l, out);
	}
}

static void add_block(struct block *b, struct text *out)
{
	bool fits;
	size_t n;

	if (b->width == FIT_ALL) {
		copy(b->s, b->end, out);
		return;
	}
	fits = !measure(b);
	if (!fits)
		lay_out(b);
	for (const char *s = b->s; s < b->end; s += n + 1) {
		n = strcspn(s, "\n");
		add_row(b, s, n, fits, out);
	}
	if (!fits && b->shown < b->n)
		add_left_out(b, out);
}

/* Up to an empty line or the head of the next table. */
static const char *block_end(const char *s)
{
	do {
		s += strcspn(s, "\n");
		s += *s == '\n';
	} while (*s && *s != '\n' && *s != '\v');
	return s;
}

void fit_text(const char *text, uint32_t width, struct text *out)
{
	text_bytes(out, "", 0);
	while (*text) {
		struct block b = {.s = text,
			.end = block_end(text),
			.width = width,
			.has_head = *text == '\v'};

		add_block(&b, out);
		text = b.end;
	}
}

void fit_nothing(struct text *text)
{
	size_t to = 0;

	for (size_t i = 0; i < text->len; i++)
		if (text->s[i] != '\v')
			text->s[to++] = (char)(text->s[i] == '\t' ? ' ' : text->s[i]);
	if (text->s)
		text->s[to] = '\0';
	text->len = to;
}
