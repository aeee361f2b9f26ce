/* The names of a PTX module: each spelling is stored once, and knows what it means at the moment.
 */
#ifndef PTX_FRONT_NAMES_H
#define PTX_FRONT_NAMES_H

#include "ptx/front/ast.h"

struct scope;

/* A use of a name that may turn out to be a label further down. */
struct pending {
	struct pending *next;
	struct ast_operand *operand;
};

/* What a name means in one scope: a symbol, or uses that wait for one. */
struct binding {
	struct binding *outer; /* of the same name, in an outer scope */
	struct binding *next;  /* in the same scope */
	struct name *name;
	struct scope *scope;
	struct ast_symbol *symbol; /* NULL: only uses so far */
	struct pending *uses, **uses_tail;
	bool of_range;
};

/* %r<100>: names prefix0 to prefix99, made when they are first used. */
struct range {
	struct range *outer, *next; /* as in a binding */
	struct name *prefix;
	struct scope *scope;
	uint32_t count;
	struct ast_symbol model; /* what each of them is */
};

struct name {
	const char *text;
	uint32_t len, hash;
	struct binding *binding; /* innermost */
	struct range *range;     /* innermost one with this prefix */
};

/* A block in braces, a parameter list, or the module. */
struct scope {
	struct scope *outer;
	uint32_t depth; /* of the module: 0 */
	struct binding *bindings, **bindings_tail;
	struct range *ranges;
};

struct name_slot {
	struct name *name;
	uint32_t hash;
};

/* An open hash table on the arena. Its order is never looked at. */
struct names {
	struct arena *arena;
	struct name_slot *slots;
	uint32_t nslots, count; /* nslots is a power of two */
};

void names_init(struct names *, struct arena *);
struct name *names_intern(struct names *, const char *text, size_t len);
struct name *names_find(const struct names *, const char *text, size_t len); /* or NULL */

/* Means `symbol` (NULL: uses that wait) by `name` in `scope`, where it has no meaning yet. */
struct binding *names_bind(struct names *, struct scope *, struct name *, struct ast_symbol *);

/* What `name` means in exactly that scope, or NULL. */
struct binding *names_in_scope(const struct name *, const struct scope *);

/* The range that `name` belongs to, innermost first, in a scope deeper than `depth`; *number is its
 * place in it. A number behind the last counts too when `beyond`. NULL when there is none. */
struct range *names_range(const struct names *, const struct scope *, const struct name *,
	int64_t depth, bool beyond, uint32_t *number);

#endif
