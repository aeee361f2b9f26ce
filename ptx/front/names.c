/* Interned names in an open hash table on the arena. */
#include "ptx/front/names.h"

#include "core/base.h"

#include <string.h>

#define FIRST_SLOTS 1024u
#define NUMBER_DIGITS 9 /* of a register number; no range is as large */

static uint32_t hash_text(const char *text, size_t len)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)text[i]) * 16777619u;
	return h ^ h >> 15;
}

void names_init(struct names *n, struct arena *arena)
{
	n->arena = arena;
	n->nslots = FIRST_SLOTS;
	n->count = 0;
	n->slots = arena_alloc(arena, n->nslots, sizeof(*n->slots));
}

/* The slot that holds the text, or the empty slot where it would be inserted. */
static struct name_slot *find_slot(
	const struct names *n, const char *text, size_t len, uint32_t hash)
{
	for (uint32_t i = hash & (n->nslots - 1);; i = (i + 1) & (n->nslots - 1)) {
		struct name_slot *s = &n->slots[i];
		if (!s->name)
			return s;
		if (s->hash == hash && s->name->len == len && !memcmp(s->name->text, text, len))
			return s;
	}
}

static void grow(struct names *n)
{
	struct name_slot *old = n->slots;
	uint32_t nold = n->nslots;

	BUG_ON(nold > UINT32_MAX / 2);
	n->nslots = nold * 2;
	n->slots = arena_alloc(n->arena, n->nslots, sizeof(*n->slots));
	for (uint32_t i = 0; i < nold; i++) {
		uint32_t at = old[i].hash & (n->nslots - 1);
		if (!old[i].name)
			continue;
		while (n->slots[at].name)
			at = (at + 1) & (n->nslots - 1);
		n->slots[at] = old[i];
	}
}

struct name *names_intern(struct names *n, const char *text, size_t len)
{
	uint32_t hash = hash_text(text, len);
	struct name_slot *slot = find_slot(n, text, len, hash);
	struct name *name = slot->name;

	if (name)
		return name;
	name = arena_alloc(n->arena, 1, sizeof(*name));
	*name = (struct name){
		.text = arena_strndup(n->arena, text, len), .len = (uint32_t)len, .hash = hash};
	*slot = (struct name_slot){name, hash};
	if (++n->count > n->nslots / 2)
		grow(n);
	return name;
}

struct name *names_find(const struct names *n, const char *text, size_t len)
{
	return find_slot(n, text, len, hash_text(text, len))->name;
}

struct binding *names_bind(
	struct names *n, struct scope *scope, struct name *name, struct ast_symbol *symbol)
{
	struct binding *b = arena_alloc(n->arena, 1, sizeof(*b)), **at = &name->binding;

	while (*at && (*at)->scope->depth > scope->depth)
		at = &(*at)->outer;
	BUG_ON(*at && (*at)->scope == scope);
	*b = (struct binding){.outer = *at, .name = name, .scope = scope, .symbol = symbol};
	b->uses_tail = &b->uses;
	*at = b;
	*scope->bindings_tail = b;
	scope->bindings_tail = &b->next;
	return b;
}

struct binding *names_in_scope(const struct name *name, const struct scope *scope)
{
	struct binding *b = name->binding;

	while (b && b->scope->depth > scope->depth)
		b = b->outer;
	return b && b->scope == scope ? b : NULL;
}

static bool ranges_deeper(const struct scope *scope, int64_t depth)
{
	for (; scope && (int64_t)scope->depth > depth; scope = scope->outer)
		if (scope->ranges)
			return true;
	return false;
}

struct range *names_range(const struct names *n, const struct scope *scope, const struct name *name,
	int64_t depth, bool beyond, uint32_t *number)
{
	struct range *best = NULL;
	uint32_t value = 0, power = 1;

	if (!ranges_deeper(scope, depth))
		return NULL;
	for (uint32_t k = 1; k < name->len && k <= NUMBER_DIGITS; k++, power *= 10) {
		char c = name->text[name->len - k];
		struct name *prefix;
		struct range *range;
		if (c < '0' || c > '9')
			break;
		value += (uint32_t)(c - '0') * power;
		if (c == '0' && k > 1)
			continue;
		prefix = names_find(n, name->text, name->len - k);
		range = prefix ? prefix->range : NULL;
		while (range && value >= range->count && !beyond)
			range = range->outer;
		if (!range || (int64_t)range->scope->depth <= depth)
			continue;
		best = range;
		depth = range->scope->depth;
		*number = value;
	}
	return best;
}
