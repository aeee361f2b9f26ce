/* Linking: merges the syntax trees of several modules into one, in which a name that its module
 * only declares refers to the definition in another (PTX ISA, "Linking Directives"). */
#include "core/text.h"
#include "ptx/front/names.h"
#include "ptx/front/note.h"

#include <string.h>

struct linker {
	struct arena *arena;
	const struct notes *notes;
	struct names names;
	struct scope top; /* names visible to all modules */
	bool wrong;
};

/* The precedence of a definition over others of its name. */
enum rank { LOCAL, WEAK, COMMON, STRONG };

static enum rank rank_of(const struct ast_symbol *s)
{
	if (!s->is_defined)
		return LOCAL;
	if (s->is_weak)
		return WEAK;
	if (s->is_common)
		return COMMON;
	return s->is_visible || (s->kind == SYM_FUNCTION && s->function->is_kernel) ? STRONG
										    : LOCAL;
}

static void complain(struct linker *l, const struct ast_symbol *s, const struct ast_symbol *other,
	const char *what)
{
	struct note_location at = {.file = s->file, .pos = s->pos};

	note_at(l->notes, &at, ERR_INPUT, "`%.200s` %s %s:%u:%u", s->name, what, other->file,
		other->pos.line, other->pos.col);
	l->wrong = true;
}

static bool lists_agree(const struct ast_symbol *a, const struct ast_symbol *b)
{
	for (; a && b; a = a->next, b = b->next)
		if (a->kind != b->kind || a->bytes != b->bytes)
			return false;
	return !a && !b;
}

/* Whether two declarations are compatible. An array of unknown size is compatible with every size.
 */
static bool agree(const struct ast_symbol *a, const struct ast_symbol *b)
{
	if (a->kind != b->kind)
		return false;
	if (a->kind == SYM_FUNCTION)
		return a->function->is_kernel == b->function->is_kernel &&
		       lists_agree(a->function->params, b->function->params) &&
		       lists_agree(a->function->returns, b->function->returns);
	return a->space == b->space && a->type == b->type && a->opaque == b->opaque &&
	       (a->bytes == b->bytes || !a->bytes || !b->bytes || (a->is_common && b->is_common));
}

/* Of two weak or two common definitions the first is chosen, except for a larger common one. */
static bool is_better(const struct ast_symbol *s, const struct ast_symbol *old)
{
	if (rank_of(s) != rank_of(old))
		return rank_of(s) > rank_of(old);
	return s->is_common && s->bytes > old->bytes;
}

static struct binding *known(struct linker *l, const struct ast_symbol *s)
{
	return names_in_scope(names_intern(&l->names, s->name, strlen(s->name)), &l->top);
}

static void offer(struct linker *l, struct ast_symbol *s)
{
	struct binding *b;

	if (rank_of(s) == LOCAL)
		return;
	b = known(l, s);
	if (!b)
		names_bind(
			&l->names, &l->top, names_intern(&l->names, s->name, strlen(s->name)), s);
	else if (b->symbol == s)
		return;
	else if (rank_of(s) == STRONG && rank_of(b->symbol) == STRONG)
		complain(l, s, b->symbol, "is defined twice; the first is at");
	else if (!agree(s, b->symbol))
		complain(l, s, b->symbol, "differs from its definition at");
	else if (is_better(s, b->symbol))
		b->symbol = s;
}

/* Binds a declaration, or an overridden definition, to the chosen definition. */
static void settle(struct linker *l, struct ast_symbol *s)
{
	struct binding *b = known(l, s);

	if (!b || b->symbol == s || (s->is_defined && rank_of(s) == LOCAL))
		return;
	if (s->space == SPACE_SHARED && !s->bytes)
		return; /* dynamic shared memory */
	if (!s->is_defined && !agree(s, b->symbol))
		complain(l, s, b->symbol, "differs from its definition at");
	else if (s->kind == SYM_VAR)
		s->definition = b->symbol;
	else
		s->function = b->symbol->function;
}

typedef void symbol_fn(struct linker *, struct ast_symbol *);

static void each_symbol(struct linker *l, const struct ast_module *m, symbol_fn *act)
{
	for (struct ast_symbol *s = m->variables; s; s = s->next)
		act(l, s);
	for (const struct ast_function *f = m->functions; f; f = f->next)
		act(l, f->symbol);
}

static void move_locs(const struct ast_module *m, uint32_t files)
{
	for (const struct ast_function *f = m->functions; f; f = f->next)
		for (uint32_t s = 0; s < f->nstatements; s++)
			if (f->statements[s].loc.file)
				f->statements[s].loc.file += files;
}

/* Concatenates the lists of all modules. */
static void append(struct linker *l, struct ast_module *out, const struct ast_module *m)
{
	const char **files = arena_alloc(l->arena, out->nfiles + m->nfiles + 1, sizeof(*files));
	uint64_t *sizes = arena_alloc(l->arena, out->nfiles + m->nfiles + 1, sizeof(*sizes));
	struct ast_function **function = &out->functions;
	struct ast_symbol **variable = &out->variables;

	if (out->nfiles) {
		memcpy(files, out->files, out->nfiles * sizeof(*files));
		memcpy(sizes, out->file_bytes, out->nfiles * sizeof(*sizes));
	}
	if (m->nfiles) {
		memcpy(files + out->nfiles, m->files, m->nfiles * sizeof(*files));
		memcpy(sizes + out->nfiles, m->file_bytes, m->nfiles * sizeof(*sizes));
	}
	move_locs(m, out->nfiles);
	out->files = files;
	out->file_bytes = sizes;
	out->nfiles += m->nfiles;
	while (*function)
		function = &(*function)->next;
	*function = m->functions;
	while (*variable)
		variable = &(*variable)->next;
	*variable = m->variables;
}

static void check_addresses(struct linker *l, struct ast_module *const *m, unsigned n)
{
	for (unsigned i = 1; i < n; i++) {
		struct note_location at = {.file = m[i]->file};

		if (m[i]->address_bits == m[0]->address_bits)
			continue;
		note_at(l->notes, &at, ERR_INPUT, "it has %u-bit addresses, %s has %u-bit ones",
			m[i]->address_bits, m[0]->file, m[0]->address_bits);
		l->wrong = true;
	}
}

static const char *joined_name(struct linker *l, struct ast_module *const *m, unsigned n)
{
	struct text name = {0};
	const char *out;

	for (unsigned i = 0; i < n; i++)
		text_add(&name, "%s%s", i ? ", " : "", m[i]->file);
	out = name.failed ? m[0]->file : arena_strdup(l->arena, text_str(&name));
	text_clear(&name);
	return out;
}

struct ast_module *linkage_join(
	struct ast_module *const *m, unsigned n, struct arena *arena, const struct notes *notes)
{
	struct linker *l = arena_alloc(arena, 1, sizeof(*l));
	struct ast_module *out = arena_alloc(arena, 1, sizeof(*out));

	l->arena = arena;
	l->notes = notes;
	l->top.bindings_tail = &l->top.bindings;
	names_init(&l->names, arena);
	check_addresses(l, m, n);
	for (unsigned i = 0; i < n; i++)
		each_symbol(l, m[i], offer);
	for (unsigned i = 0; i < n; i++)
		each_symbol(l, m[i], settle);
	if (l->wrong)
		return NULL;
	*out = *m[0];
	out->file = joined_name(l, m, n);
	out->functions = NULL;
	out->variables = NULL;
	out->nfiles = 0;
	for (unsigned i = 0; i < n; i++)
		append(l, out, m[i]);
	return out;
}
