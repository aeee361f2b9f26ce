/* Which variants of kernels are compared: one table. */
#include "runs/hardware/kernel_pairs.h"

#include "core/base.h"

#include <stdbool.h>
#include <string.h>

/* Settings: "" are the defaults. */
static const struct {
	const char *target, *first, *second, *what;
} pairs[] = {
	{"transpose", "transpose.kernel=naive", "transpose.kernel=tiled", "tiles in shared memory"},
	{"transpose", "transpose.kernel=tiled", "", "a word of padding in each row of a tile"},
	{"histogram", "", "histogram.atomics=shared", "atomics in shared memory"},
	{"histogram", "histogram.atomics=shared", "histogram.atomics=global",
		"atomics in global memory"},
	{"mummer", "", "mummer.textures=true", "fetches through textures"},
	{"needle", "needle.block=16", "", "tiles of twice the edge"},
	{"hotspot", "hotspot.halo=1", "", "two steps of time in a launch"},
	{"fastwalshtransform", "", "fastwalshtransform.together=true", "two vectors in a launch"},
};

/* Setting k of the table, of which each row has two: of the target, no default, not seen before. */
static const char *new_setting(const char *target, unsigned k)
{
	const char *setting = k & 1 ? pairs[k / 2].second : pairs[k / 2].first;

	if (strcmp(pairs[k / 2].target, target) != 0 || !*setting)
		return NULL;
	for (unsigned j = 0; j < k; j++)
		if (!strcmp(j & 1 ? pairs[j / 2].second : pairs[j / 2].first, setting))
			return NULL;
	return setting;
}

const char *kernel_variant(const char *target, unsigned i)
{
	for (unsigned k = 0; k < 2 * ARRAY_LEN(pairs); k++) {
		const char *setting = new_setting(target, k);

		if (setting && !i--)
			return setting;
	}
	return NULL;
}

static bool has(const struct string_list *list, const char *setting)
{
	for (unsigned i = 0; i < list->n; i++)
		if (!strcmp(list->at[i], setting))
			return true;
	return false;
}

/* The one setting that only this list has; "": there is none; NULL: there are more. */
static const char *own(const struct string_list *list, const struct string_list *other)
{
	const char *found = "";

	for (unsigned i = 0; i < list->n; i++) {
		if (has(other, list->at[i]))
			continue;
		if (*found)
			return NULL;
		found = list->at[i];
	}
	return found;
}

const char *kernel_pair(
	const char *target, const struct string_list *first, const struct string_list *second)
{
	const char *a = own(first, second), *b = own(second, first);

	for (unsigned i = 0; i < ARRAY_LEN(pairs) && a && b; i++)
		if (!strcmp(pairs[i].target, target) && !strcmp(pairs[i].first, a) &&
			!strcmp(pairs[i].second, b))
			return pairs[i].what;
	return NULL;
}
