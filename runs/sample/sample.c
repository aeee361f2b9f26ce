/* Which policies of sampling there are. */
#include "runs/sample/policies.h"

#include "core/base.h"

#include <string.h>

static const struct sample_policy *const policies[] = {&sample_launches, &sample_ctas,
	&sample_interval, &sample_spread_out, &sample_within, &sample_auto};

const struct sample_policy *sample_find(const char *name, struct err *err)
{
	struct text known = {0};

	for (unsigned i = 0; i < ARRAY_LEN(policies); i++)
		if (!strcmp(policies[i]->name, name))
			return policies[i];
	for (unsigned i = 0; i < ARRAY_LEN(policies); i++)
		text_add(&known, "%s%s", i ? ", " : "", policies[i]->name);
	err_add(err, ERR_USAGE, "--sample %s: there is no such policy; there are: %s", name,
		text_str(&known));
	text_clear(&known);
	return NULL;
}
