/* Tables that fit a width: columns measured, then narrowed, wrapped or left out. */
#include "draw/fit_inside.h"

#include "core/base.h"

#include <string.h>

/* ---- measures */
static uint32_t longest_word(const struct cell *c)
{
	uint32_t most = 0;
	size_t n;

	for (size_t i = 0; i < c->n; i += n + 1) {
		uint32_t wide;

		for (n = 0; i + n < c->n && c->s[i + n] != ' ';)
			n++;
		wide = fit_characters(c->s + i, n);
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
		if (!fit_has_cells(s, n))
			continue;
		fit_read_line(s, n, &l);
		measure_line(b, &l);
		if (fit_last_begins(s, n) > b->begins)
			b->begins = fit_last_begins(s, n);
		if (fit_characters(s, n) - (*s == '\v') <= b->width)
			continue;
		too_wide = true;
		b->hangs &= fit_last_begins(s, n) + WORDS_LEAST <= b->width;
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

/* The widest column of words of the first ones that does not wrap yet; -1: none. */
static int widest(const struct block *b, unsigned columns)
{
	int found = -1;

	for (unsigned i = 0; i < columns; i++)
		if (!b->wraps[i] && b->to_the_right[i] <= 0 &&
			(found < 0 || b->wide[i] >= b->wide[found]))
			found = (int)i;
	return found;
}

/* What it is narrowed to at least: only names in the first column are broken. */
static uint32_t least_of(const struct block *b, int column)
{
	return column && b->word[column] > WORDS_LEAST ? b->word[column] : WORDS_LEAST;
}

/* Narrows that column as far as need be. */
static void wrap(struct block *b, unsigned columns, int column)
{
	uint32_t rest = total(b, columns, b->gap) - b->wide[column], least = least_of(b, column);
	uint32_t wide = rest + least > b->width ? least : b->width - rest;

	b->wraps[column] = true;
	if (wide < b->wide[column])
		b->wide[column] = wide;
}

/* Makes the first columns fit, or says that they cannot: `anyhow`, as many wrap as need be. */
static bool narrow(struct block *b, unsigned columns, bool anyhow)
{
	uint32_t rest, least;
	int w = widest(b, columns);

	b->shown = columns;
	b->gap = total(b, columns, 2) <= b->width ? 2 : 1;
	if (total(b, columns, b->gap) <= b->width)
		return true;
	if (w < 0)
		return false;
	rest = total(b, columns, b->gap) - b->wide[w];
	least = least_of(b, w);
	if (!anyhow && (rest + least > b->width || b->wide[w] <= least))
		return false;
	for (; w >= 0 && total(b, columns, b->gap) > b->width; w = widest(b, columns))
		wrap(b, columns, w);
	return true;
}

/* Pictures behind a table's rows: they have no head. */
static bool has_bars(const struct block *b)
{
	struct line head;

	fit_read_line(b->s, strcspn(b->s, "\n"), &head);
	return b->n > 1 && (head.n < b->n || !head.cell[b->n - 1].n) &&
	       b->word[b->n - 1] == b->wide[b->n - 1];
}

static bool fits_narrow(const struct block *b, unsigned columns)
{
	return total(b, columns, 1) <= b->width;
}

/* Sentences of a list, of which a column would have a few words in a line, are below their rows; if
 * a column that begins further to the left is wide enough, they are there. */
static void place_sentences(struct block *b)
{
	uint32_t least = 2 * b->width / 5, front;

	if (b->has_head || b->n < 2 || b->wide[b->n - 1] <= b->width / 2)
		return;
	front = total(b, b->n - 1, 1) + 1;
	b->below = front + least > b->width;
	b->hangs &= !b->below && b->begins + least <= b->width;
}

static void lay_out(struct block *b)
{
	unsigned columns = b->n;

	place_sentences(b);
	columns -= b->below;
	if (b->has_head && has_bars(b) && !fits_narrow(b, columns))
		columns--;
	while (!narrow(b, columns, !b->has_head) && b->has_head && columns > 1)
		columns--;
}

/* ---- blocks */
static void add_block(struct block *b, struct text *out)
{
	bool fits;
	size_t n;

	if (b->width == FIT_ALL) {
		fit_copy(b->s, b->end, out);
		return;
	}
	fits = !measure(b);
	if (!fits)
		lay_out(b);
	for (const char *s = b->s; s < b->end; s += n + 1) {
		n = strcspn(s, "\n");
		fit_row(b, s, n, fits, out);
	}
	if (!fits && b->shown < b->n && !b->below)
		fit_left_out(b, out);
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
