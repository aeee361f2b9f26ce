/* The names of buffers, each once: its account is what the traffic of its buffers counts to. */
#include "core/mem.h"
#include "mem/image_inside.h"

static const char others[] = "(other buffers)";

static uint64_t hash(const char *name)
{
	uint64_t h = 0xcbf29ce484222325u;

	while (*name)
		h = (h ^ (unsigned char)*name++) * 0x100000001b3u;
	return h ^ h >> 32;
}

/* The entry of the name, or the one where it belongs. */
static uint32_t *entry(const struct names *n, const char *name)
{
	uint64_t mask = 2 * (uint64_t)n->cap - 1, i = hash(name) & mask;

	while (n->table[i] && strcmp(n->of[n->table[i]], name) != 0)
		i = (i + 1) & mask;
	return &n->table[i];
}

static bool grow(struct names *n)
{
	uint32_t cap = n->cap ? 2 * n->cap : 64;
	uint32_t *table = mem_alloc(2 * (size_t)cap, sizeof(*table));
	char **of = table ? mem_grow(n->of, n->cap, cap, sizeof(*of)) : NULL;

	if (!of) {
		mem_free(table);
		return false;
	}
	mem_free(n->table);
	n->of = of;
	n->table = table;
	n->cap = cap;
	for (uint32_t i = 1; i <= n->n; i++)
		*entry(n, of[i]) = i;
	return true;
}

uint32_t names_account(struct names *n, const char *name)
{
	uint32_t *at = n->cap ? entry(n, name) : NULL;

	if (at && *at)
		return *at;
	if (n->n == IMAGE_ACCOUNTS)
		return IMAGE_ACCOUNTS;
	if (n->n + 1 >= n->cap && !grow(n))
		return 0;
	name = n->n + 1 == IMAGE_ACCOUNTS ? others : name;
	n->of[n->n + 1] = mem_strdup(name);
	if (!n->of[n->n + 1])
		return 0;
	at = entry(n, name);
	*at = ++n->n;
	return n->n;
}

void names_free(struct names *n)
{
	for (uint32_t i = 1; i <= n->n; i++)
		mem_free(n->of[i]);
	mem_free(n->of);
	mem_free(n->table);
}
