/* Kernels for tests of products of matrices and copies: a body in a fixed kernel of one warp. */
#ifndef TESTS_RIG_MATRIX_RIG_H
#define TESTS_RIG_MATRIX_RIG_H

#include "core/text.h"
#include "tests/rig/exec_rig.h"

static struct rig rig; /* too large for a stack; used by the main thread only */

#define A_AT 0u /* bytes of device memory */
#define B_AT 16384u
#define C_AT 32768u
#define D_AT 49152u

static inline int try_kernel(const char *body)
{
	uint64_t params[1] = {GENERIC_GLOBAL_BASE};
	struct text all = {0};
	int answer;

	text_raw(&all,
		".version 8.3\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
		".shared .align 16 .b8 sh[4096];\n.reg .pred %%p<4>;\n.reg .b64 %%rd<64>;\n"
		".reg .b32 %%r<64>;\n.reg .f32 %%f<64>;\n.reg .f64 %%fd<64>;\n.reg .s32 %%s<64>;\n"
		"ld.param.u64 %%rd0, [out];\nmov.u32 %%r0, %%tid.x;\n%sret;\n}\n",
		body);
	rig.params = (const unsigned char *)params;
	answer = rig_run(&rig, text_str(&all), 1, WARP_LANES);
	rig.params = NULL;
	text_clear(&all);
	return answer;
}

static inline void run(const struct text *body)
{
	assert_false(body->failed);
	if (try_kernel(text_str(body)) != 0)
		fail_msg("%s\n%s", rig.what, text_str(body));
}

static inline unsigned char *device(unsigned at)
{
	return (unsigned char *)rig.words + at;
}

#endif
