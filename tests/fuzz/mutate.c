/* The mutator: each mutation is one small function over a growing text. */
#include "tests/fuzz/mutate.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "core/base.h"
#include "core/rng.h"

#define MOST_CHANGES 8u

struct edit {
	const struct corpus *corpus;
	struct rng rng;
	char *text;
	size_t n, room;
};

/* Bytes at .. at + n - 1 of a text. */
struct span {
	size_t at, n;
};

static size_t below(struct edit *e, size_t n)
{
	return n ? (size_t)(rng_u64(&e->rng) >> 11) % n : 0;
}

/* Replaces a span by `n` bytes, as far as the buffer allows. They are not part of the text. */
static void put(struct edit *e, struct span old, const char *bytes, size_t n)
{
	size_t rest = e->n - old.at - old.n;

	if (n > old.n && n - old.n > e->room - e->n)
		return;
	memmove(e->text + old.at + n, e->text + old.at + old.n, rest);
	memcpy(e->text + old.at, bytes, n);
	e->n = old.at + n + rest;
}

/* The same for bytes that are part of the text. */
static void put_own(struct edit *e, struct span old, struct span from)
{
	char bytes[1024];

	if (from.n > sizeof(bytes))
		from.n = sizeof(bytes);
	memcpy(bytes, e->text + from.at, from.n);
	put(e, old, bytes, from.n);
}

/* ---- positions. */

static bool in_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%';
}

/* The word, number or single character around a position; nothing in an empty text. */
static struct span token_at(const char *text, size_t n, size_t at)
{
	size_t end = at;

	if (at >= n)
		return (struct span){n, 0};
	while (end < n && in_word(text[end]))
		end++;
	while (end > at && at > 0 && in_word(text[at - 1]))
		at--;
	return (struct span){at, end > at ? end - at : 1};
}

/* Blanks are skipped. */
static struct span any_token(struct edit *e, const char *text, size_t n)
{
	size_t at = below(e, n);

	while (at < n && isspace((unsigned char)text[at]))
		at++;
	return token_at(text, n, at);
}

/* The line around a position with its end; up to `lines` of them. */
static struct span lines_at(const char *text, size_t n, size_t at, size_t lines)
{
	size_t end = at;

	while (at > 0 && text[at - 1] != '\n')
		at--;
	while (end < n && lines > 0)
		lines -= text[end++] == '\n';
	return (struct span){at, end - at};
}

static const struct piece *any_piece(struct edit *e, const struct pieces *p)
{
	static const struct piece none = {(char *)"", 0};

	return p->n ? &p->at[below(e, p->n)] : &none;
}

/* ---- mutations. */

static void flip_bit(struct edit *e)
{
	if (e->n)
		e->text[below(e, e->n)] ^= (char)(1 << below(e, 8));
}

static void set_byte(struct edit *e)
{
	static const char bytes[] = "{}[]()<>.,;:@!%$_\"'/*\\\n 019fxU|&^~?-+=#\0\x80\xff";

	if (e->n)
		e->text[below(e, e->n)] = bytes[below(e, sizeof(bytes))];
}

static void cut_bytes(struct edit *e)
{
	size_t at = below(e, e->n), n = below(e, 32);

	put(e, (struct span){at, min_u64(n, e->n - at)}, "", 0);
}

static void repeat_bytes(struct edit *e)
{
	size_t at = below(e, e->n), n = below(e, 64);

	put_own(e, (struct span){below(e, e->n), 0}, (struct span){at, min_u64(n, e->n - at)});
}

static void cut_end(struct edit *e)
{
	e->n = below(e, e->n + 1);
}

static void cut_token(struct edit *e)
{
	put(e, any_token(e, e->text, e->n), "", 0);
}

static void add_word(struct edit *e)
{
	const struct piece *word = any_piece(e, &e->corpus->words);

	put(e, (struct span){any_token(e, e->text, e->n).at, 0}, word->bytes, word->n);
}

static void change_word(struct edit *e)
{
	const struct piece *word = any_piece(e, &e->corpus->words);

	put(e, any_token(e, e->text, e->n), word->bytes, word->n);
}

static bool alike(const char *a, size_t na, const char *b, size_t nb)
{
	size_t n = na < 2 || nb < 2 ? 1 : 2;

	return na && nb &&
	       (memcmp(a, b, n) == 0 || (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)));
}

/* Replaces a name by another that begins like it: most texts remain valid PTX. */
static void change_token(struct edit *e)
{
	struct span old = any_token(e, e->text, e->n), from = old;

	for (unsigned k = 0; k < 32; k++) {
		from = any_token(e, e->text, e->n);
		if (alike(e->text + old.at, old.n, e->text + from.at, from.n) &&
			(from.n != old.n ||
				memcmp(e->text + from.at, e->text + old.at, old.n) != 0))
			break;
	}
	put_own(e, old, from);
}

static void take_token(struct edit *e)
{
	const struct piece *other = any_piece(e, &e->corpus->texts);
	struct span from = any_token(e, other->bytes, other->n);

	put(e, any_token(e, e->text, e->n), other->bytes + from.at, from.n);
}

static void change_number(struct edit *e)
{
	static const char *const edges[] = {"0", "1", "-1", "2", "3", "4", "5", "7", "8", "15",
		"16", "17", "31", "32", "33", "63", "64", "65", "127", "128", "255", "256", "1024",
		"32767", "32768", "65535", "65536", "0x7fffffff", "2147483648", "4294967295",
		"4294967296", "0x7fffffffffffffff", "9223372036854775808", "18446744073709551615",
		"18446744073709551616", "0b11", "017", "0f7F800000", "0f00000001",
		"0d7FF8000000000000", "1e400", "0.1", "1U", "-2147483648", "1000000", "999999999"};
	const char *edge = edges[below(e, ARRAY_LEN(edges))];
	size_t at = below(e, e->n);
	struct span old;

	while (at < e->n && !isdigit((unsigned char)e->text[at]))
		at++;
	old = token_at(e->text, e->n, at);
	if (at < e->n && !isdigit((unsigned char)e->text[old.at])) /* %r12: the digits only */
		old = (struct span){at, 1};
	put(e, old, edge, strlen(edge));
}

/* A .type, .space or .rounding for another, or none. */
static void change_modifier(struct edit *e)
{
	size_t at = below(e, e->n);
	const struct piece *word = any_piece(e, &e->corpus->words);
	struct span old;

	while (at < e->n && e->text[at] != '.')
		at++;
	if (at + 1 >= e->n)
		return;
	old = token_at(e->text, e->n, at + 1);
	old = (struct span){at, old.at + old.n - at};
	for (unsigned k = 0; k < 16 && (word->n == 0 || word->bytes[0] != '.'); k++)
		word = any_piece(e, &e->corpus->words);
	if (word->n && word->bytes[0] == '.' && below(e, 8))
		put(e, old, word->bytes, word->n);
	else
		put(e, old, "", 0);
}

static void cut_line(struct edit *e)
{
	put(e, lines_at(e->text, e->n, below(e, e->n), 1), "", 0);
}

static void repeat_line(struct edit *e)
{
	struct span from = lines_at(e->text, e->n, below(e, e->n), 1 + below(e, 3));

	put_own(e, (struct span){from.at + (below(e, 2) ? from.n : 0), 0}, from);
}

/* Moves a statement. */
static void move_line(struct edit *e)
{
	struct span from = lines_at(e->text, e->n, below(e, e->n), 1);
	char line[256];
	size_t n = min_u64(from.n, sizeof(line));

	memcpy(line, e->text + from.at, n);
	put(e, (struct span){from.at, n}, "", 0);
	put(e, (struct span){lines_at(e->text, e->n, below(e, e->n), 1).at, 0}, line, n);
}

static void take_lines(struct edit *e)
{
	const struct piece *other = any_piece(e, &e->corpus->texts);
	struct span from = lines_at(other->bytes, other->n, below(e, other->n), 1 + below(e, 8));

	put(e, (struct span){lines_at(e->text, e->n, below(e, e->n), 1).at, 0},
		other->bytes + from.at, from.n);
}

/* The first half of one text, the second of another. */
static void take_end(struct edit *e)
{
	const struct piece *other = any_piece(e, &e->corpus->texts);
	struct span cut = lines_at(e->text, e->n, below(e, e->n), 1);
	struct span from = lines_at(other->bytes, other->n, below(e, other->n), 1);

	put(e, (struct span){cut.at, e->n - cut.at}, other->bytes + from.at, other->n - from.at);
}

/* A mutation's frequency is the number of its entries. Gentle ones leave most texts valid PTX. */
static void (*const changes[])(struct edit *) = {change_token, change_token, change_token,
	change_token, change_token, change_number, move_line, cut_line, repeat_line, flip_bit,
	set_byte, cut_bytes, repeat_bytes, cut_token, cut_token, add_word, add_word, change_word,
	change_word, take_token, take_token, change_number, change_modifier, change_modifier,
	change_modifier, take_lines, take_lines, take_lines};
#define GENTLE 9u

static void change(struct edit *e)
{
	size_t kinds = below(e, 2) ? GENTLE : ARRAY_LEN(changes);
	size_t n = 1 + below(e, 1 + below(e, MOST_CHANGES)); /* mostly few */

	while (n-- > 0)
		changes[below(e, kinds)](e);
	if (kinds == GENTLE)
		return;
	if (below(e, 16) == 0)
		take_end(e);
	if (below(e, 32) == 0)
		cut_end(e);
}

size_t mutate(const struct corpus *corpus, uint64_t seed, uint64_t number, char *out, size_t room)
{
	struct edit e = {.corpus = corpus, .rng = rng_new(seed, number), .text = out, .room = room};
	const struct piece *from = any_piece(&e, &corpus->texts);

	e.n = min_u64(from->n, room);
	memcpy(out, from->bytes, e.n);
	change(&e);
	return e.n;
}

size_t mutate_alone(char *text, size_t n, size_t room, uint64_t seed)
{
	static const struct corpus none;
	struct edit e = {
		.corpus = &none, .rng = rng_new(seed, 1), .text = text, .n = n, .room = room};

	change(&e);
	return e.n;
}
