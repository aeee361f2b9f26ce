/* The kernels of the microbenchmarks: a loop between two readings of the clock. */
#include "runs/hardware/curves_ptx.h"

#include "core/base.h"

#include <stdio.h>

/* The guard is always true, which the driver's compiler cannot know: it would make one of two
 * additions and nothing of two reciprocals. */
const struct curve_instruction curve_instructions[] = {
	{"add.s32", "@%k add.s32 %x#, %x#, %y;", true},
	{"xor.b32", "@%k xor.b32 %x#, %x#, %y;", false},
	{"shl.b32", "shl.b32 %x#, %x#, %y;", false},
	{"mad.lo.s32", "mad.lo.s32 %x#, %x#, %y, %y;", true},
	{"mul.hi.u32", "mul.hi.u32 %x#, %x#, %y;", false},
	{"popc.b32", "popc.b32 %x#, %x#;", false}, {"add.f32", "add.f32 %f#, %f#, %g;", false},
	{"fma.rn.f32", "fma.rn.f32 %f#, %f#, %g, %g;", true},
	{"add.f64", "add.f64 %d#, %d#, %e;", false},
	{"fma.rn.f64", "fma.rn.f64 %d#, %d#, %e, %e;", true},
	{"rcp.approx.ftz.f32", "@%k rcp.approx.ftz.f32 %f#, %f#;", true},
	{"sqrt.approx.ftz.f32", "sqrt.approx.ftz.f32 %f#, %f#;", false},
	{"ex2.approx.ftz.f32", "ex2.approx.ftz.f32 %f#, %f#;", false},
	{"lg2.approx.ftz.f32", "lg2.approx.ftz.f32 %f#, %f#;", false},
	{"sin.approx.ftz.f32", "sin.approx.ftz.f32 %f#, %f#;", false},
	{"cvt.rzi.s32.f32", "cvt.rzi.s32.f32 %x#, %f#; mov.b32 %f#, %x#;", false},
	{"ld.shared.u32", "ld.shared.u32 %x#, [%x#];", true}};
const unsigned curve_instruction_count = ARRAY_LEN(curve_instructions);

/* %w is the warp's number in the grid, %i the thread's; addresses of shared memory hold
 * themselves. */
static void begin_with(const char *name, const char *more, struct text *out)
{
	text_raw(out,
		".visible .entry %s(.param .u64 at, .param .u64 out, .param .u32 turns,\n"
		".param .u32 a, .param .u32 b%s)\n{\n.shared .align 8 .b8 sh[16384];\n"
		".reg .b64 %%at, %%out, %%q, %%r, %%start, %%end;\n"
		".reg .b32 %%n, %%a, %%b, %%t, %%i, %%w, %%y, %%x<4>, %%s;\n.reg .f32 %%f<4>, %%g;\n"
		".reg .f64 %%d<4>, %%e;\n.reg .pred %%p, %%k;\n"
		"ld.param.u64 %%at, [at];\nld.param.u64 %%out, [out];\nld.param.u32 %%n, [turns];\n"
		"setp.ne.u32 %%k, %%n, 0;\n"
		"ld.param.u32 %%a, [a];\nld.param.u32 %%b, [b];\nmov.u32 %%t, %%tid.x;\n"
		"mov.u32 %%i, %%ctaid.x;\nmov.u32 %%w, %%ntid.x;\nmad.lo.u32 %%i, %%i, %%w, %%t;\n"
		"shr.u32 %%w, %%i, 5;\nmul.wide.u32 %%q, %%w, 16;\nadd.u64 %%out, %%out, %%q;\n"
		"mov.u32 %%y, %%a;\ncvt.rn.f32.u32 %%g, %%a;\ncvt.rn.f64.u32 %%e, %%a;\n",
		name, more);
	for (unsigned k = 0; k < 4; k++)
		text_raw(out,
			"mov.u32 %%x%u, %%b;\ncvt.rn.f32.u32 %%f%u, %%b;\n"
			"cvt.rn.f64.u32 %%d%u, %%b;\n",
			k, k, k);
}

static void begin(const char *name, struct text *out)
{
	begin_with(name, "", out);
}

static void loop_begin(struct text *out)
{
	text_raw(out, "bar.sync 0;\nmov.u64 %%start, %%clock64;\nTURN:\n");
}

/* Values are kept by a store that never happens. */
static void loop_end(struct text *out)
{
	text_raw(out, "sub.u32 %%n, %%n, 1;\nsetp.ne.u32 %%p, %%n, 0;\n@%%p bra TURN;\n"
		      "mov.u64 %%end, %%clock64;\n");
}

static void end(struct text *out)
{
	text_raw(out, "cvt.rzi.u32.f64 %%y, %%d0;\nadd.u32 %%x0, %%x0, %%y;\n"
		      "cvt.rzi.u32.f64 %%y, %%d1;\nadd.u32 %%x1, %%x1, %%y;\n"
		      "cvt.rzi.u32.f64 %%y, %%d2;\nadd.u32 %%x2, %%x2, %%y;\n"
		      "cvt.rzi.u32.f64 %%y, %%d3;\nadd.u32 %%x3, %%x3, %%y;\n");
	for (unsigned k = 0; k < 4; k++)
		text_raw(out,
			"mov.b32 %%y, %%f%u;\nadd.u32 %%s, %s, %%y;\nadd.u32 %%s, %%s, %%x%u;\n", k,
			k ? "%s" : "0", k);
	text_raw(out, "and.b32 %%t, %%t, 31;\nsetp.ne.u32 %%p, %%t, 0;\n@%%p bra KEEP;\n"
		      "st.global.u64 [%%out], %%start;\nst.global.u64 [%%out+8], %%end;\n"
		      "KEEP:\nsetp.ne.u32 %%p, %%s, 0x9e3779b9;\n@%%p bra DONE;\n"
		      "st.global.u32 [%%out], %%s;\nDONE:\nret;\n}\n");
}

static void instruction(const char *text, unsigned chain, struct text *out)
{
	for (; *text; text++)
		if (*text == '#')
			text_raw(out, "%u", chain);
		else
			text_raw(out, "%c", *text);
	text_raw(out, "\n");
}

/* sh[i] = address of sh[i]; each chain begins at the thread's word. */
static void fill_shared(struct text *out)
{
	text_raw(out,
		"mov.u32 %%s, sh;\nmov.u32 %%y, %%t;\nFILL:\nsetp.ge.u32 %%p, %%y, 4096;\n"
		"@%%p bra FILLED;\nmad.lo.u32 %%i, %%y, 4, %%s;\nst.shared.u32 [%%i], %%i;\n"
		"mov.u32 %%i, %%ntid.x;\nadd.u32 %%y, %%y, %%i;\nbra FILL;\nFILLED:\nbar.sync 0;\n"
		"mul.lo.u32 %%y, %%t, %%a;\nand.b32 %%y, %%y, 4095;\nmad.lo.u32 %%y, %%y, 4, %%s;\n");
	for (unsigned k = 0; k < 4; k++)
		text_raw(out, "mov.u32 %%x%u, %%y;\n", k);
}

static void instruction_kernel(unsigned i, bool chains, struct text *out)
{
	const struct curve_instruction *c = &curve_instructions[i];
	char name[32];

	snprintf(name, sizeof(name), "%s_%u", chains ? "throughput" : "latency", i);
	begin(name, out);
	if (c->text[0] == 'l' && c->text[1] == 'd')
		fill_shared(out);
	loop_begin(out);
	for (unsigned k = 0; k < CURVE_STEPS; k++)
		instruction(c->text, chains ? k % 4 : 0, out);
	loop_end(out);
	end(out);
}

/* The first round warms up; the chase ends in its value. `more`: further parameters; `first`: where
 * it begins; `next`: how it goes on. */
static void chase_kernel(
	const char *path, const char *more, const char *first, const char *next, struct text *out)
{
	char name[32];

	snprintf(name, sizeof(name), "chase_%s", path);
	begin_with(name, more, out);
	text_raw(out,
		"%s\nmov.u32 %%y, %%n;\nWARM:\n%s\nsub.u32 %%y, %%y, 1;\n"
		"setp.ne.u32 %%p, %%y, 0;\n@%%p bra WARM;\n",
		first, next);
	loop_begin(out);
	text_raw(out, "%s\n", next);
	loop_end(out);
	text_raw(out, "cvt.u32.u64 %%w, %%r;\nadd.u32 %%x0, %%x0, %%w;\n");
	end(out);
}

static void path_kernels(const char *path, struct text *out)
{
	char name[32], next[64];

	snprintf(next, sizeof(next), "ld.global.%s.u64 %%r, [%%r];", path);
	chase_kernel(path, "", "mov.u64 %r, %at;", next, out);
	/* thread i reads words i * a of a footprint of b bytes, a power of two, on and on */
	snprintf(name, sizeof(name), "read_%s", path);
	begin(name, out);
	text_raw(out, "mul.lo.u32 %%y, %%i, %%a;\nmov.u32 %%s, %%ntid.x;\n"
		      "mov.u32 %%t, %%nctaid.x;\nmul.lo.u32 %%s, %%s, %%t;\n"
		      "mul.lo.u32 %%s, %%s, %%a;\nmov.u32 %%t, %%tid.x;\nsub.u32 %%b, %%b, 1;\n");
	loop_begin(out);
	for (unsigned k = 0; k < 4; k++)
		text_raw(out,
			"and.b32 %%i, %%y, %%b;\ncvt.u64.u32 %%q, %%i;\nadd.u64 %%q, %%q, %%at;\n"
			"ld.global.%s.u32 %%x%u, [%%q];\nadd.u32 %%y, %%y, %%s;\n",
			path, k);
	for (unsigned k = 0; k < 4; k++)
		text_raw(out, "xor.b32 %%w, %%w, %%x%u;\n", k);
	loop_end(out);
	text_raw(out, "mov.u32 %%x0, %%w;\n");
	end(out);
}

/* Element i, of b, a bytes apart, has the address of the next, or its texel's number. */
static void fill_kernels(struct text *out)
{
	static const char *const next[] = {"add.u64 %r, %r, %at;\nst.global.u64 [%q], %r;\n",
		"shr.u64 %r, %r, 2;\nst.global.u32 [%q], %r;\n"};
	static const char *const names[] = {"fill", "fill_texels"};

	for (unsigned i = 0; i < 2; i++) {
		begin(names[i], out);
		text_raw(out,
			"setp.ge.u32 %%p, %%i, %%b;\n@%%p bra NONE;\nmul.wide.u32 %%q, %%i, %%a;\n"
			"add.u64 %%q, %%q, %%at;\nadd.u32 %%i, %%i, 1;\nrem.u32 %%i, %%i, %%b;\n"
			"mul.wide.u32 %%r, %%i, %%a;\n%sNONE:\nret;\n}\n",
			next[i]);
	}
}

void curves_text(struct text *out)
{
	static const char *const paths[] = {"ca", "cg", "nc"};

	text_raw(out, ".version 5.0\n.target sm_35\n.address_size 64\n");
	for (unsigned i = 0; i < ARRAY_LEN(paths); i++)
		path_kernels(paths[i], out);
	chase_kernel("tex", ", .param .u64 texels",
		"ld.param.u64 %q, [texels];\nmov.u64 %r, 0;\nmov.u32 %x0, 0;",
		"tex.1d.v4.s32.s32 {%x0, %x1, %x2, %x3}, [%q, {%x0}];", out);
	for (unsigned i = 0; i < 2 * curve_instruction_count; i++)
		instruction_kernel(i / 2, i & 1, out);
	begin("shared", out);
	fill_shared(out);
	loop_begin(out);
	for (unsigned k = 0; k < CURVE_STEPS; k++)
		text_raw(out, "ld.shared.u32 %%x0, [%%x0];\n");
	loop_end(out);
	end(out);
	/* additions to word (i & b) * a / 4 */
	begin("atomic", out);
	text_raw(out, "and.b32 %%i, %%i, %%b;\nmul.wide.u32 %%q, %%i, %%a;\n"
		      "add.u64 %%q, %%q, %%at;\n");
	loop_begin(out);
	text_raw(out, "atom.global.add.u32 %%x0, [%%q], 1;\n");
	loop_end(out);
	end(out);
	fill_kernels(out);
}
