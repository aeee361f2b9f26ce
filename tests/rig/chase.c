/* A chase of pointers on a chip: two loops of dependent loads, the second one timed. */
#include "tests/rig/chase.h"

#define FOUR \
	"ld.global.u32 %r1, [%r1]; ld.global.u32 %r1, [%r1]; " \
	"ld.global.u32 %r1, [%r1]; ld.global.u32 %r1, [%r1];\n"
#define SIXTEEN FOUR FOUR FOUR FOUR

/* Follows pointers 16 n times, and as often again for time. */
static const char chase[] =
	".version 7.0\n.target sm_70\n.address_size 32\n"
	".visible .entry chase(.param .u32 in, .param .u32 out, .param .u32 n)\n"
	"{ .reg .b32 %r<16>; .reg .pred %p<3>;\n"
	"ld.param.u32 %r1, [in]; ld.param.u32 %r2, [out]; ld.param.u32 %r3, [n];\n"
	"mov.u32 %r4, %r3;\n"
	"WARM: sub.u32 %r4, %r4, 1; setp.ne.u32 %p1, %r4, 0;\n" SIXTEEN "@%p1 bra WARM;\n"
	"add.u32 %r5, %r1, 0; mov.u32 %r6, %clock;\n"
	"TIME: sub.u32 %r3, %r3, 1; setp.ne.u32 %p2, %r3, 0;\n" SIXTEEN "@%p2 bra TIME;\n"
	"add.u32 %r5, %r1, 0; mov.u32 %r7, %clock;\n"
	"sub.u32 %r8, %r7, %r6; st.global.v2.u32 [%r2], {%r8, %r5};\n"
	"ret; }\n";

uint32_t chase_cycles(const char *settings, unsigned ring, unsigned step, unsigned n)
{
	struct kit k = kit_new(settings);
	buffer_t in = kit_buffer(&k, "in", (uint64_t)ring * step), out = kit_buffer(&k, "out", 8);
	uint64_t base = gpu_buffer_address(k.gpu, in);
	uint32_t cycles;

	for (unsigned i = 0; i < ring; i++) {
		uint32_t to = (uint32_t)(base + (uint64_t)(i + 1) % ring * step);

		gpu_write(k.gpu, in, (uint64_t)i * step, &to, 4);
	}
	kit_launch(&k, kit_module(&k, chase), "chase", 1, 1, 3,
		(uint64_t[]){KIT_BUF(in), KIT_BUF(out), n});
	kit_run(&k);
	cycles = kit_u32(&k, out, 0);
	kit_free(&k);
	return cycles;
}

double chase_load_cycles(const char *settings, unsigned ring, unsigned step, unsigned n)
{
	uint32_t more = chase_cycles(settings, ring, step, 2 * n),
		 less = chase_cycles(settings, ring, step, n);

	return (more - less) / 16.0 / n;
}
