/* Parses PTX text in tests, and looks up parts of the result. */
#ifndef TESTS_RIG_PTX_TEXT_H
#define TESTS_RIG_PTX_TEXT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/err.h"
#include "core/mem.h"
#include "ptx/front/ast.h"

#define HEAD ".version 7.0\n.target sm_70\n.address_size 64\n"
#define KERNEL(body) HEAD ".entry k()\n{\n" body "}\n"
#define KERNEL_LINE 6u /* where the body of KERNEL begins */

struct parsed {
	struct arena arena;
	struct err err;
	struct ast_module *m;
	bool no_memory;
};

static inline struct parsed parse_bytes(const char *text, size_t bytes)
{
	struct parsed out = {0};
	struct arena arena = {0};
	struct err err = {0};
	struct ast_module *volatile m = NULL;
	volatile bool no_memory = false;
	jmp_buf escape;

	arena.escape = &escape;
	if (!setjmp(escape))
		m = ptx_parse("k.ptx", text, bytes, &arena, &err);
	else
		no_memory = true;
	out.arena = arena;
	out.arena.escape = NULL;
	out.err = err;
	out.m = m;
	out.no_memory = no_memory;
	return out;
}

static inline void drop(struct parsed *p)
{
	arena_free(&p->arena);
	err_clear(&p->err);
	*p = (struct parsed){0};
}

/* The text must be valid. */
static inline struct parsed parse_good(const char *text)
{
	struct parsed p = parse_bytes(text, strlen(text));

	if (p.err.count)
		print_error("%s", err_text(&p.err));
	assert_int_equal(p.err.count, 0);
	assert_non_null(p.m);
	return p;
}

/* Removes " kernel k:" and " function f:" from all messages: most tests compare the rest. */
static inline void drop_functions(struct err *err)
{
	static const char *const words[] = {" kernel ", " function "};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		for (char *at = err->text; at && (at = strstr(at, words[i]));) {
			size_t n = strlen(words[i]) + strcspn(at + strlen(words[i]), ": \n");

			if (at[-1] == ':' && at[n] == ':')
				memmove(at, at + n + 1, strlen(at + n + 1) + 1);
			else
				at++;
		}
}

/* The text must be invalid in exactly this way: `messages` is the complete output. */
static inline void expect_errors(const char *text, enum err_code code, const char *messages)
{
	struct parsed p = parse_bytes(text, strlen(text));

	assert_null(p.m);
	drop_functions(&p.err);
	assert_string_equal(err_text(&p.err), messages);
	assert_int_equal(p.err.code, code);
	drop(&p);
}

static inline const struct ast_symbol *symbol_named(const struct ast_symbol *list, const char *name)
{
	for (; list; list = list->next)
		if (!strcmp(list->name, name))
			return list;
	fail_msg("there is no symbol %s", name);
	return NULL;
}

static inline const struct ast_function *function_named(const struct parsed *p, const char *name)
{
	for (const struct ast_function *f = p->m->functions; f; f = f->next)
		if (!strcmp(f->name, name))
			return f;
	fail_msg("there is no function %s", name);
	return NULL;
}

/* Statement i of the first function. */
static inline const struct ast_statement *statement(const struct parsed *p, uint32_t i)
{
	assert_true(i < p->m->functions->nstatements);
	return &p->m->functions->statements[i];
}

/* Operand n of a statement. */
static inline const struct ast_operand *operand(const struct ast_statement *s, unsigned n)
{
	const struct ast_operand *o = s->operands;

	for (; o && n > 0; n--)
		o = o->next;
	assert_non_null(o);
	return o;
}

#endif
