/* Which policies of sampling there are. */
#include "runs/sample/policies.h"

#include "core/base.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct sample_policy *const policies[] = {&sample_launches, &sample_ctas,
	&sample_interval, &sample_spread_out, &sample_within, &sample_auto};

#define SETTLED 10000 /* the default */
#define KEY "settled="

static int unknown(const char *words, bool settles, struct err *err)
{
	struct text known = {0};

	for (unsigned i = 0; i < ARRAY_LEN(policies); i++)
		if (!settles || policies[i]->settles)
			text_add(
				&known, "%s%s", text_str(&known)[0] ? ", " : "", policies[i]->name);
	if (settles)
		err_add(err, ERR_USAGE,
			"--sample %s: behind the comma follows settled=CYCLES, at least 1, of %s",
			words, text_str(&known));
	else
		err_add(err, ERR_USAGE, "--sample %s: there is no such policy; there are: %s",
			words, text_str(&known));
	text_clear(&known);
	return -1;
}

int sample_read(const char *words, struct sample_choice *out, struct err *err)
{
	size_t n = strcspn(words, ",");
	const char *value = words + n + strlen(KEY) + 1;
	char *end;

	*out = (struct sample_choice){.settled = SETTLED};
	for (unsigned i = 0; i < ARRAY_LEN(policies); i++)
		if (strlen(policies[i]->name) == n && !strncmp(policies[i]->name, words, n))
			out->policy = policies[i];
	if (!out->policy)
		return unknown(words, false, err);
	if (!words[n])
		return 0;
	if (!out->policy->settles || strncmp(words + n + 1, KEY, strlen(KEY)) != 0 ||
		!isdigit((unsigned char)*value))
		return unknown(words, true, err);
	errno = 0;
	out->settled = strtoull(value, &end, 10);
	return errno || *end || !out->settled || out->settled > UINT64_MAX / 2
		       ? unknown(words, true, err)
		       : 0;
}
