/* Chooses the lane kernels for the host's instruction set at run time. */
#include "core/base.h"
#include "ptx/exec.h"
#include "ptx/lanes.h"

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

/* From the plainest to the best. On arm64 the baseline has fused multiply-add and vectors already.
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

const struct lanes *lanes_select(const char *name, struct err *err)
{
	const char *names[ARRAY_LEN(levels)];
	const char *near;
	size_t i;

	for (i = ARRAY_LEN(levels); i-- > 0;) {
		names[i] = levels[i].name;
		if (name && strcmp(name, levels[i].name) != 0)
			continue;
		if (levels[i].available())
			return levels[i].lanes;
		if (name) {
			err_add(err, ERR_USAGE, "instruction-set level '%s': this host lacks it",
				name);
			return NULL;
		}
	}
	near = err_nearest(name, names, ARRAY_LEN(levels));
	err_add(err, ERR_USAGE, "unknown instruction-set level '%s'; the best known one is '%s'",
		name, near ? near : names[ARRAY_LEN(levels) - 1]);
	return NULL;
}

const char *lanes_name(const struct lanes *lanes)
{
	size_t i;

	for (i = ARRAY_LEN(levels); i-- > 0;)
		if (levels[i].lanes == lanes)
			return levels[i].name;
	return lanes->name;
}
