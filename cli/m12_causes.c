/* Causes of misses of the MICRO 2012 figures, by workload. */
#include "cli/m12_causes.h"

#include "core/base.h"

#include <stddef.h>
#include <string.h>

#define ANY 3u /* both columns */

static const struct {
	const char *workload, *figure;
	unsigned columns; /* bits */
	const char *text;
} causes[] = {
	{"needle", "speedup", ANY, "bank conflicts"},
};

const char *m12_cause(const char *workload, unsigned column, const char *figure)
{
	for (unsigned i = 0; i < ARRAY_LEN(causes); i++)
		if (!strcmp(causes[i].workload, workload) && !strcmp(causes[i].figure, figure) &&
			causes[i].columns >> column & 1)
			return causes[i].text;
	return NULL;
}
