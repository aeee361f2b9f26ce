/* Kernels with a reading of the clock at their beginning and at each exit: PTX is copied unchanged,
 * statement by statement. */
#include "runs/hardware/clocked.h"

#include "core/base.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* 64-bit atomic minima (PTX ISA, "red"). */
#define LEAST_TARGET 32

enum body { BODY_NONE, BODY_KERNEL, BODY_FUNCTION };

struct copier {
	const char *path, *at; /* at: what is not copied yet */
	struct text *out;
	unsigned line, depth, exits;
	enum body next, body; /* what the next brace opens; what is open */
	bool ended;           /* the statement before was an exit without a guard */
	bool placed;          /* the variable is there */
};

/* Registers of their own, which live here only: the kernel's stay as they were. */
static const char here[] =
	"{\n.reg .pred %%warpbeam_p;\n.reg .b32 %%warpbeam_x;\n.reg .b64 %%warpbeam_c, %%warpbeam_a;\n"
	"mov.u64 %%warpbeam_c, %%clock64;\nmov.u32 %%warpbeam_x, %%smid;\n"
	"and.b32 %%warpbeam_x, %%warpbeam_x, %u;\nmov.u64 %%warpbeam_a, " CLOCKED_VARIABLE ";\n"
	"mad.wide.u32 %%warpbeam_a, %%warpbeam_x, 16, %%warpbeam_a;\n";

static void write_begin(struct copier *c)
{
	text_raw(c->out, here, CLOCKED_SMS - 1);
	text_raw(c->out, "mov.u32 %%warpbeam_x, %%laneid;\n"
			 "setp.eq.u32 %%warpbeam_p, %%warpbeam_x, 0;\n"
			 "@%%warpbeam_p red.global.min.u64 [%%warpbeam_a], %%warpbeam_c;\n}\n");
}

static void write_end(struct copier *c)
{
	text_raw(c->out, here, CLOCKED_SMS - 1);
	text_raw(c->out, "red.global.max.u64 [%%warpbeam_a+8], %%warpbeam_c;\n}\n");
}

/* ---- copying */
static void copy(struct copier *c, size_t n)
{
	for (size_t i = 0; i < n; i++)
		c->line += c->at[i] == '\n';
	text_bytes(c->out, c->at, n);
	c->at += n;
}

/* Bytes of blanks, a comment or a string at the text; 0: there is none. */
static size_t filler(const char *at)
{
	const char *end;

	if (isspace((unsigned char)*at))
		return strspn(at, " \t\r\n\v\f");
	if (at[0] == '/' && at[1] == '/')
		return strcspn(at, "\n");
	if (at[0] == '/' && at[1] == '*') {
		end = strstr(at + 2, "*/");
		return end ? (size_t)(end - at) + 2 : strlen(at);
	}
	if (*at == '"') {
		end = strchr(at + 1, '"');
		return end ? (size_t)(end - at) + 1 : strlen(at);
	}
	return 0;
}

static size_t word(const char *at)
{
	size_t n = 0;

	while (isalnum((unsigned char)at[n]) || (at[n] && strchr("_$%.", at[n])))
		n++;
	return n;
}

static bool is_word(const char *at, size_t n, const char *words)
{
	return strlen(words) == n && !strncmp(at, words, n);
}

static size_t fillers(const char *at)
{
	size_t n = 0;

	for (size_t more; (more = filler(at + n)) != 0;)
		n += more;
	return n;
}

/* ---- statements */
/* An exit with or without a guard, "@!%p ret;". Its parts; false: the statement is another one. */
struct exit_statement {
	const char *guard, *word; /* guard: the predicate's name */
	size_t guard_bytes, word_bytes, bytes;
	bool negated;
};

static bool read_exit(const char *at, struct exit_statement *e)
{
	const char *from = at;

	*e = (struct exit_statement){0};
	if (*at == '@') {
		at += 1 + fillers(at + 1);
		e->negated = *at == '!';
		at += e->negated ? 1 + fillers(at + 1) : 0;
		e->guard = at;
		e->guard_bytes = word(at);
		at += e->guard_bytes;
		at += fillers(at);
	}
	e->word = at;
	e->word_bytes = word(at);
	at += e->word_bytes;
	at += fillers(at);
	e->bytes = (size_t)(at - from) + 1;
	return *at == ';' && (is_word(e->word, e->word_bytes, "ret") ||
				     is_word(e->word, e->word_bytes, "ret.uni") ||
				     is_word(e->word, e->word_bytes, "exit"));
}

static void write_exit(struct copier *c, const struct exit_statement *e)
{
	unsigned i = c->exits++;

	if (e->guard)
		text_raw(c->out, "@%s%.*s bra warpbeam_stays_%u;\n", e->negated ? "" : "!",
			(int)e->guard_bytes, e->guard, i);
	write_end(c);
	text_raw(c->out, "%.*s;\n", (int)e->word_bytes, e->word);
	if (e->guard)
		text_raw(c->out, "warpbeam_stays_%u:\n", i);
	for (size_t k = 0; k < e->bytes; k++)
		c->line += c->at[k] == '\n';
	c->at += e->bytes;
	c->ended = !e->guard;
}

/* The statement that begins here, if it ends threads. 1: it was replaced. */
static int replace_exit(struct copier *c, struct err *err)
{
	struct exit_statement e;

	if (!read_exit(c->at, &e))
		return 0;
	if (c->body == BODY_KERNEL) {
		write_exit(c, &e);
		return 1;
	}
	if (!is_word(e.word, e.word_bytes, "exit"))
		return 0;
	return err_add(err, ERR_UNSUPPORTED,
		"%s:%u: a function ends threads: the clock at a kernel's end is not read there",
		c->path, c->line);
}

/* ---- what is outside of bodies */
static int look_at_target(struct copier *c, const char *at, struct err *err)
{
	at += fillers(at);
	if (strncmp(at, "sm_", 3) || atoi(at + 3) >= LEAST_TARGET)
		return 0;
	return err_add(err, ERR_UNSUPPORTED,
		"%s:%u: its .target is sm_%d: reading clocks needs sm_%d", c->path, c->line,
		atoi(at + 3), LEAST_TARGET);
}

/* A directive between bodies, whose n bytes are the next. */
static int note_directive(struct copier *c, size_t n, struct err *err)
{
	const char *at = c->at;

	if (is_word(at, n, ".target"))
		return look_at_target(c, at + n, err);
	if (is_word(at, n, ".entry"))
		c->next = BODY_KERNEL;
	if (is_word(at, n, ".func"))
		c->next = BODY_FUNCTION;
	if (!is_word(at, n, ".address_size") || strncmp(at + n + fillers(at + n), "64", 2) != 0)
		return 0;
	copy(c, n + fillers(at + n) + 2);
	text_raw(c->out, "\n.visible .global .align 8 .b8 " CLOCKED_VARIABLE "[%u];\n",
		8 * CLOCKED_WORDS);
	c->placed = true;
	return 0;
}

static void open_brace(struct copier *c)
{
	copy(c, 1);
	if (c->depth++)
		return;
	c->body = c->next;
	c->next = BODY_NONE;
	c->ended = false;
	if (c->body == BODY_KERNEL) {
		text_raw(c->out, "\n");
		write_begin(c);
	}
}

static void close_brace(struct copier *c)
{
	if (c->depth == 1 && c->body == BODY_KERNEL && !c->ended)
		write_end(c);
	copy(c, 1);
	c->depth -= c->depth > 0;
	if (!c->depth)
		c->body = BODY_NONE;
}

/* The next token; statement: one begins here. 0 or -1. */
static int step(struct copier *c, bool *statement, struct err *err)
{
	size_t n = word(c->at);
	int replaced = c->body != BODY_NONE && *statement ? replace_exit(c, err) : 0;

	if (replaced)
		return replaced < 0 ? -1 : 0;
	if (is_word(c->at, n, ".loc")) { /* ends with its line */
		copy(c, strcspn(c->at, "\n"));
		*statement = true;
		return 0;
	}
	*statement = strchr("{};:", *c->at) != NULL;
	if (*c->at == '{') {
		open_brace(c);
		return 0;
	}
	if (*c->at == '}') {
		close_brace(c);
		return 0;
	}
	c->ended &= c->body == BODY_NONE;
	if (*c->at == ';' && !c->depth)
		c->next = BODY_NONE;
	if (n && !c->depth && *c->at == '.' && note_directive(c, n, err))
		return -1;
	copy(c, c->at[0] ? max_u64(word(c->at), 1) : 0);
	return 0;
}

int clocked_text(const char *path, const char *ptx, struct text *out, struct err *err)
{
	struct copier c = {.path = path, .at = ptx, .out = out, .line = 1};
	bool statement = true;

	while (*c.at) {
		copy(&c, fillers(c.at));
		if (*c.at && step(&c, &statement, err))
			return -1;
	}
	if (!c.placed)
		return err_add(err, ERR_UNSUPPORTED,
			"%s: has no .address_size 64: clocks are read with addresses of 64 bits",
			path);
	return out->failed ? err_add(err, ERR_RESOURCE, "no host memory for a module") : 0;
}

/* ---- the variable */
void clocked_reset(uint64_t *words)
{
	for (unsigned i = 0; i < CLOCKED_WORDS; i += 2) {
		words[i] = UINT64_MAX;
		words[i + 1] = 0;
	}
}

uint64_t clocked_cycles(const uint64_t *words)
{
	uint64_t most = 0;

	for (unsigned i = 0; i < CLOCKED_WORDS; i += 2) {
		if (words[i] == UINT64_MAX && !words[i + 1])
			continue;
		if (words[i + 1] <= words[i])
			return 0;
		most = max_u64(most, words[i + 1] - words[i]);
	}
	return most;
}
