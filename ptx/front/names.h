/* The names of a PTX module: each spelling is stored once, with its current binding. */
#ifndef PTX_FRONT_NAMES_H
#define PTX_FRONT_NAMES_H

#include "ptx/front/ast.h"

struct scope;

/* A use of a name that may be a forward reference to a label. */
struct pending {
	struct pending *next;
	struct ast_operand *operand;
};

/* The binding of a name in one scope: a symbol, or uses that are not resolved yet. */
struct binding {
	struct binding *outer; /* of the same name, in an outer scope */
	struct binding *next;  /* in the same scope */
	struct name *name;
	struct scope *scope;
	struct ast_symbol *symbol; /* NULL: only uses so far */
	struct pending *uses, **uses_tail;
	bool of_range;
};

/* %r<100>: names prefix0 to prefix99, created on first use. */
struct range {
	struct range *outer, *next; /* as in a binding */
	struct name *prefix;
	struct scope *scope;
	uint32_t count;
	struct ast_symbol model; /* template of its registers */
};

struct name {
	const char *text;
	uint32_t len, hash;
	struct binding *binding; /* innermost binding */
	struct range *range;     /* innermost range with this prefix */
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

/* An open-addressing hash table in the arena. Its order is never used. */
struct names {
	struct arena *arena;
	struct name_slot *slots;
	uint32_t nslots, count; /* nslots is a power of two */
};

void names_init(struct names *, struct arena *);
struct name *names_intern(struct names *, const char *text, size_t len);
struct name *names_find(const struct names *, const char *text, size_t len); /* or NULL */

/* Binds `name` to `symbol` (NULL: unresolved uses) in `scope`, where it has no binding yet. */
struct binding *names_bind(struct names *, struct scope *, struct name *, struct ast_symbol *);

/* The binding of `name` in exactly that scope, or NULL. */
struct binding *names_in_scope(const struct name *, const struct scope *);

/* The innermost range that contains `name`, in a scope deeper than `depth`; *number is its index in
 * the range. With `beyond`, a number past the end also matches. NULL when there is none. */
struct range *names_range(const struct names *, const struct scope *, const struct name *,
	int64_t depth, bool beyond, uint32_t *number);

#endif
