/* Replacement policies: choosing one for a cache. */
#include "mem/replace.h"

#include "core/base.h"

#include <stdio.h>
#include <stdlib.h>

int replace_choose(struct policy *policy, const struct policy_scope *scope, const char *name,
	const struct replace_cache *cache, struct err *err)
{
	const struct replace_ops *ops;
	char where[64];

	if (policy_choose(policy, scope, name, cache->settings, cache->arena, err))
		return -1;
	ops = policy->ops;
	snprintf(where, sizeof(where), "%s.%s", scope->prefix, name);
	return ops->check ? ops->check(policy->self, where, cache->ways, err) : 0;
}

unsigned replace_numbers(const char *text, uint32_t *out, unsigned most)
{
	unsigned n = 0;

	for (; n < most; text++) {
		char *after;
		unsigned long number = strtoul(text, &after, 10);

		if (*text < '0' || *text > '9' || number > UINT16_MAX)
			return 0;
		out[n++] = (uint32_t)number;
		if (!*after)
			return n;
		if (*after != ',')
			return 0;
		text = after;
	}
	return 0;
}
