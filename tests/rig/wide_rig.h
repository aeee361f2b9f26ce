/* Kernels for tests of wide operands: each lane has a cell of memory; both address sizes. */
#ifndef TESTS_RIG_WIDE_RIG_H
#define TESTS_RIG_WIDE_RIG_H

#include "core/rng.h"
#include "core/text.h"
#include "tests/rig/exec_rig.h"

#define CELL 64u /* bytes of one lane */

static struct rig rig; /* too large for a stack; used by the main thread only */

/* ---- kernels: '#' is replaced by the bits of an address; %a0 is the lane's cell. */

static const char wide_functions[] =
	/* swaps the halves */
	".func (.param .b128 z) turn (.param .b128 x)\n{\n.reg .b128 %q;\n.reg .b64 %d<3>;\n"
	"ld.param.b128 %q, [x];\nmov.b128 {%d0, %d1}, %q;\nmov.b128 %q, {%d1, %d0};\n"
	"st.param.b128 [z], %q;\nret;\n}\n"
	/* x + y, each half separately; parameters in registers */
	".func (.reg .b128 z) sum (.reg .b128 x, .reg .b128 y)\n{\n.reg .b64 %d<4>;\n"
	"mov.b128 {%d0, %d1}, x;\nmov.b128 {%d2, %d3}, y;\nadd.u64 %d0, %d0, %d2;\n"
	"add.u64 %d1, %d1, %d3;\nmov.b128 z, {%d0, %d1};\nret;\n}\n"
	/* the address of x is taken, so it is in memory */
	".func (.param .b128 z) held (.param .b128 x)\n{\n.reg .b128 %q;\n.reg .b# %a;\n"
	"mov.u# %a, x;\nld.param.b128 %q, [%a];\nst.param.b128 [z], %q;\nret;\n}\n";
static const char wide_head[] =
	".visible .entry k(.param .u# out, .param .align 16 .b128 given)\n{\n"
	".shared .align 16 .b8 sh[2048];\n.local .align 16 .b8 lo[64];\n.reg .pred %p<4>;\n"
	".reg .b128 %q<8>;\n.reg .b64 %d<16>;\n.reg .b32 %r<16>;\n.reg .f32 %f<16>;\n"
	".reg .b16 %h<24>;\n.reg .b# %a<8>;\nld.param.u# %a0, [out];\nmov.u32 %r0, %tid.x;\n"
	"mul.lo.u32 %r1, %r0, 64;\ncvt.u#.u32 %a1, %r1;\nadd.u# %a0, %a0, %a1;\n"
	"and.b32 %r2, %r0, 1;\nsetp.ne.u32 %p1, %r2, 0;\n";

static inline void add_bits(struct text *t, const char *ptx, unsigned bits)
{
	for (; *ptx; ptx++) {
		if (*ptx == '#')
			text_raw(t, "%u", bits);
		else
			text_raw(t, "%c", *ptx);
	}
}

static inline int try_body(const char *body, unsigned bits)
{
	uint64_t params[4] = {
		GENERIC_GLOBAL_BASE, 0, UINT64_C(0x0123456789abcdef), UINT64_C(0xfedcba9876543210)};
	struct text all = {0};
	int answer;

	text_raw(&all, ".version 8.3\n.target sm_90\n.address_size %u\n", bits);
	add_bits(&all, wide_functions, bits);
	add_bits(&all, wide_head, bits);
	add_bits(&all, body, bits);
	text_raw(&all, "ret;\n}\n");
	rig.params = (const unsigned char *)params;
	answer = rig_run(&rig, text_str(&all), 1, WARP_LANES);
	rig.params = NULL;
	text_clear(&all);
	return answer;
}

static inline void run_body(const struct text *body, unsigned bits)
{
	if (try_body(text_str(body), bits) != 0)
		fail_msg("%s\n%s", rig.what, text_str(body));
}

static inline unsigned char *cell(unsigned lane, unsigned at)
{
	return (unsigned char *)rig.words + lane * CELL + at;
}

static inline void fill_cells(uint64_t seed)
{
	struct rng r = rng_new(seed, 0);

	for (unsigned i = 0; i < WARP_LANES * CELL; i++)
		((unsigned char *)rig.words)[i] = (unsigned char)rng_u64(&r);
}

static inline bool takes_part(bool guarded, unsigned lane)
{
	return !guarded || lane % 2;
}

#endif
