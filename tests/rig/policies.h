/* Policies for tests: chosen by name, with default parameters. */
#ifndef TESTS_RIG_POLICIES_H
#define TESTS_RIG_POLICIES_H

#include "core/policy.h"
#include "mem/cache.h"

/* The policy in the arena; NULL when there is none. */
static inline struct policy *test_policy(const char *kind, const char *name, struct arena *arena)
{
	const struct policy_scope place = {kind, "test", "policy", "test"};
	struct policy *policy = arena_alloc(arena, 1, sizeof(*policy));
	struct err err = {0};
	int bad = policy_choose(policy, &place, name, NULL, arena, &err);

	err_clear(&err);
	return bad ? NULL : policy;
}

/* A lookup of a line, without an origin. */
static inline struct cache_access test_access(uint64_t line)
{
	return (struct cache_access){.line = line};
}

/* The cache's functions for a lookup without an origin. */
static inline int test_lookup(struct cache *c, uint64_t line, uint8_t granules)
{
	struct cache_access a = test_access(line);

	return cache_lookup(c, granules, &a);
}

static inline bool test_fill(struct cache *c, uint64_t line, uint8_t granules, struct victim *v)
{
	struct cache_access a = test_access(line);

	return cache_fill(c, granules, &a, v);
}

static inline bool test_write(struct cache *c, uint64_t line, uint8_t granules,
	const struct origin *who, struct victim *v)
{
	struct cache_access a = test_access(line);

	return cache_write(c, granules, &a, who, v);
}

#endif
