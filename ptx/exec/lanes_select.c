/* Selects the lane operations for the host's instruction set at run time. */
#include "core/base.h"
#include "ptx/exec/exec.h"
#include "ptx/isa/lanes.h"

#include <stdio.h>
#include <string.h>

extern const struct lanes lanes_baseline;

#if defined(HAVE_LANES_X86_64_V3) || defined(HAVE_LANES_X86_64_V4)
static bool has_v3(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
	       __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
}
#endif

#ifdef HAVE_LANES_X86_64_V3
extern const struct lanes lanes_x86_64_v3;
#endif

#ifdef HAVE_LANES_X86_64_V4
extern const struct lanes lanes_x86_64_v4;

static bool has_v4(void)
{
	return has_v3() && __builtin_cpu_supports("avx512f") &&
	       __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
	       __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
#endif

static bool always(void)
{
	return true;
}

/* From the simplest to the best. On arm64 the baseline already has fused multiply-add and vectors.
 */
static const struct {
	const char *name;
	const struct lanes *lanes;
	bool (*available)(void);
} levels[] = {
	{"baseline", &lanes_baseline, always},
#ifdef HAVE_LANES_X86_64_V3
	{"x86-64-v3", &lanes_x86_64_v3, has_v3},
#endif
#ifdef HAVE_LANES_X86_64_V4
	{"x86-64-v4", &lanes_x86_64_v4, has_v4},
#endif
#ifdef __aarch64__
	{"arm64", &lanes_baseline, always},
#endif
};

/* Reports why a level is not available: the host does not support it, or it was not built. Returns
 * NULL. */
static const struct lanes *no_level(const char *name, bool built, struct err *err)
{
	char usable[128] = "";
	size_t i, n = 0;

	for (i = 0; i < ARRAY_LEN(levels); i++)
		if (levels[i].available())
			n += (size_t)snprintf(usable + n, sizeof(usable) - n, "%s'%s'",
				n ? ", " : "", levels[i].name);
	err_add(err, ERR_INPUT, "gpu.isa: instruction-set level '%s': %s; it has %s", name,
		built ? "this host does not support it" : "this build does not include it", usable);
	return NULL;
}

const struct lanes *lanes_select(const char *name, struct err *err)
{
	bool built = false;

	for (size_t i = ARRAY_LEN(levels); i-- > 0;) {
		if (name && strcmp(name, levels[i].name) != 0)
			continue;
		if (levels[i].available())
			return levels[i].lanes;
		built = true;
	}
	return no_level(name, built, err);
}

const char *lanes_name(const struct lanes *lanes)
{
	size_t i;

	for (i = ARRAY_LEN(levels); i-- > 0;)
		if (levels[i].lanes == lanes)
			return levels[i].name;
	return lanes->name;
}
