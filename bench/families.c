/* The executor alone: what a warp instruction of each opcode family costs, at each instruction-set
 * level of the lane kernels that the host can run. */
#include <string.h>

#include "bench/bench.h"

#define COPIES 15u /* of a family's four instructions, in the loop */
#define FEW 2u     /* rounds of the loop: the rest of both runs cancels out */
#define MANY 22u
#define WARPS 64u

/* Every thread has its own %r1 to %r8, %f1 to %f8, %d1 to %d4, of the size of one, and predicates
 * %p1 (odd lanes) and %p2; %rg, %rs: its cells of global and shared memory. */
static const struct family {
	const char *name;
	const char *body; /* four instructions */
} families[] = {
	{"integer add", "add.s32 %r1, %r1, %r5;\nadd.s32 %r2, %r2, %r5;\n"
			"add.s32 %r3, %r3, %r5;\nadd.s32 %r4, %r4, %r5;\n"},
	{"integer mad", "mad.lo.s32 %r1, %r5, %r6, %r1;\nmad.lo.s32 %r2, %r5, %r6, %r2;\n"
			"mad.lo.s32 %r3, %r5, %r6, %r3;\nmad.lo.s32 %r4, %r5, %r6, %r4;\n"},
	{"logic and shifts", "xor.b32 %r1, %r1, %r5;\nshl.b32 %r2, %r1, 3;\n"
			     "and.b32 %r3, %r2, %r6;\nshr.u32 %r4, %r1, 5;\n"},
	{"f32 fma", "fma.rn.f32 %f1, %f5, %f6, %f1;\nfma.rn.f32 %f2, %f5, %f6, %f2;\n"
		    "fma.rn.f32 %f3, %f5, %f6, %f3;\nfma.rn.f32 %f4, %f5, %f6, %f4;\n"},
	{"f64 fma", "fma.rn.f64 %d1, %d3, %d4, %d1;\nfma.rn.f64 %d2, %d3, %d4, %d2;\n"
		    "fma.rn.f64 %d1, %d3, %d4, %d1;\nfma.rn.f64 %d2, %d3, %d4, %d2;\n"},
	{"f16x2 fma", "fma.rn.f16x2 %r1, %r7, %r8, %r1;\nfma.rn.f16x2 %r2, %r7, %r8, %r2;\n"
		      "fma.rn.f16x2 %r3, %r7, %r8, %r3;\nfma.rn.f16x2 %r4, %r7, %r8, %r4;\n"},
	{"transcendental", "sin.approx.f32 %f1, %f5;\nex2.approx.f32 %f2, %f6;\n"
			   "lg2.approx.f32 %f3, %f5;\nrsqrt.approx.f32 %f4, %f6;\n"},
	{"conversion", "cvt.rn.f32.s32 %f1, %r5;\ncvt.rzi.s32.f32 %r1, %f5;\n"
		       "cvt.f64.f32 %d1, %f5;\ncvt.rn.f32.f64 %f2, %d3;\n"},
	{"setp and selp", "setp.lt.s32 %p2, %r1, %r5;\nselp.b32 %r1, %r5, %r6, %p2;\n"
			  "setp.ge.f32 %p2, %f1, %f5;\nselp.f32 %f1, %f5, %f6, %p2;\n"},
	{"shfl",
		"shfl.sync.down.b32 %r1, %r1, 1, 31, -1;\nshfl.sync.bfly.b32 %r2, %r2, 2, 31, -1;\n"
		"shfl.sync.up.b32 %r3, %r3, 1, 0, -1;\nshfl.sync.idx.b32 %r4, %r4, 5, 31, -1;\n"},
	{"vote", "vote.sync.ballot.b32 %r1, %p1, -1;\nvote.sync.any.pred %p2, %p1, -1;\n"
		 "vote.sync.ballot.b32 %r2, %p2, -1;\nvote.sync.all.pred %p2, %p1, -1;\n"},
	{"shared ld and st", "ld.shared.u32 %r1, [%rs];\nst.shared.u32 [%rs+128], %r1;\n"
			     "ld.shared.u32 %r2, [%rs+128];\nst.shared.u32 [%rs], %r2;\n"},
	{"global ld and st", "ld.global.u32 %r1, [%rg];\nst.global.u32 [%rg+128], %r1;\n"
			     "ld.global.u32 %r2, [%rg+128];\nst.global.u32 [%rg], %r2;\n"},
	{"atomics", "atom.global.add.u32 %r1, [%rg], %r5;\nred.global.max.s32 [%rg], %r5;\n"
		    "atom.shared.add.u32 %r2, [%rs], %r5;\nred.shared.or.b32 [%rs], %r5;\n"},
	{"divergent branch", "{\n@%p1 bra S;\nadd.s32 %r1, %r1, 1;\nS: add.s32 %r1, %r1, 1;\n"
			     "@!%p1 bra T;\nT:\n}\n"},
};
#define FAMILIES (sizeof(families) / sizeof(families[0]))

static const char *const levels[] = {"baseline", "x86-64-v3", "x86-64-v4", "arm64"};
#define LEVELS (sizeof(levels) / sizeof(levels[0]))

static const char head[] =
	".version 7.0\n.target sm_70\n.address_size 32\n.entry k(.param .u32 out, .param .u32 "
	"rounds)\n"
	"{\n.reg .b32 %r<9>;\n.reg .f32 %f<9>;\n.reg .f64 %d<5>;\n.reg .pred %p<3>, %q;\n"
	".reg .u32 %rg, %rs, %n, %t, %c;\n.shared .b8 cells[512];\n"
	"mov.u32 %t, %tid.x;\nmov.u32 %c, %ctaid.x;\nld.param.u32 %rg, [out];\n"
	"ld.param.u32 %n, [rounds];\nmov.u32 %rs, cells;\nmad.lo.u32 %rs, %t, 4, %rs;\n"
	"mad.lo.u32 %c, %c, 64, %t;\nmad.lo.u32 %rg, %c, 4, %rg;\n"
	"mov.u32 %r1, %c;\nmov.u32 %r2, %c;\nmov.u32 %r3, %c;\nmov.u32 %r4, %c;\n"
	"add.u32 %r5, %t, 3;\nadd.u32 %r6, %c, 1;\nmov.u32 %r7, 0x38003a00;\n"
	"mov.u32 %r8, 0x3a003c00;\ncvt.rn.f32.u32 %f5, %r5;\nmul.f32 %f5, %f5, 0f3c000000;\n"
	"mov.f32 %f1, %f5;\nmov.f32 %f2, %f5;\nmov.f32 %f3, %f5;\nmov.f32 %f4, %f5;\n"
	"add.f32 %f6, %f5, 0f3f000000;\ncvt.f64.f32 %d3, %f5;\ncvt.f64.f32 %d4, %f6;\n"
	"mov.f64 %d1, %d3;\nmov.f64 %d2, %d4;\nand.b32 %r5, %t, 1;\n"
	"setp.eq.u32 %p1, %r5, 1;\nsetp.eq.u32 %p2, %t, 7;\nadd.u32 %r5, %t, 3;\nLOOP:\n";
static const char tail[] = "sub.u32 %n, %n, 1;\nsetp.ne.u32 %q, %n, 0;\n@%q bra LOOP;\nret;\n}\n";

struct files {
	char ptx[512], scenario[512], report[512], isa[64];
};

static int write_files(const struct files *f, const char *body, unsigned rounds)
{
	FILE *ptx = fopen(f->ptx, "w"), *scenario = fopen(f->scenario, "w");
	int bad = !ptx || !scenario;

	if (ptx) {
		fputs(head, ptx);
		for (unsigned i = 0; i < COPIES; i++)
			fputs(body, ptx);
		fputs(tail, ptx);
		bad |= fclose(ptx);
	}
	if (scenario) {
		fprintf(scenario,
			"buffers: { out: { bytes: 65536 } }\nlaunches:\n  - { module: "
			"families.ptx, "
			"kernel: k, grid: %u, block: 64, args: [{buffer: out}, {u32: %u}] }\n",
			WARPS / 2, rounds);
		bad |= fclose(scenario);
	}
	return bad ? -1 : 0;
}

/* One run. */
struct run {
	double warp_instructions, instructions, seconds;
	int status; /* as of waitpid */
};

static struct run run_once(
	const struct bench *b, const struct files *f, const char *body, unsigned rounds)
{
	const char *argv[] = {b->warpbeam, "exec", f->scenario, "--set", f->isa, "--host-stats",
		"--quiet", "--json", f->report, NULL};
	struct run r = {.status = -1};
	json_t *report, *counts;

	if (write_files(f, body, rounds))
		return r;
	r.status = child_run(argv, NULL).status;
	report = json_load_file(f->report, 0, NULL);
	counts = json_object_get(json_object_get(report, "counts"), "work");
	r.warp_instructions = json_number_value(json_object_get(counts, "warp_instructions"));
	r.seconds = json_number_value(json_object_get(json_object_get(report, "host"), "wall_s"));
	json_decref(report);
	remove(f->report);
	if (b->instructions && !r.status)
		r.instructions = (double)child_count(b, argv).counted;
	remove(f->report);
	return r;
}

/* The cost of one more warp instruction. */
struct cost {
	double instructions, ns; /* 0: could not be measured */
};

static struct cost measure(
	const struct bench *b, const struct files *f, const struct family *family)
{
	struct run few = run_once(b, f, family->body, FEW),
		   many = run_once(b, f, family->body, MANY);
	struct run longer = many;
	struct bench timed = *b;
	struct cost c = {0, 0};
	double more = many.warp_instructions - few.warp_instructions;

	if (few.instructions > 0 && many.instructions > 0 && more > 0)
		c.instructions = (many.instructions - few.instructions) / more;
	timed.instructions = false;
	for (unsigned i = 0; i < b->rounds; i++) {
		struct run r = run_once(&timed, f, family->body, 20 * MANY);

		if (i == 0 || (r.seconds > 0 && r.seconds < longer.seconds))
			longer = r;
	}
	if (longer.warp_instructions > 0)
		c.ns = longer.seconds * 1e9 / longer.warp_instructions;
	return c;
}

/* Levels that this host and build can run; *n of them. */
static void find_levels(const struct bench *b, struct files *f, const char **usable, unsigned *n)
{
	*n = 0;
	for (unsigned i = 0; i < LEVELS; i++) {
		struct bench quick = *b;

		quick.instructions = false;
		snprintf(f->isa, sizeof(f->isa), "gpu.isa=%s", levels[i]);
		if (run_once(&quick, f, families[0].body, FEW).status == 0)
			usable[(*n)++] = levels[i];
		else if (strcmp(levels[i], "arm64"))
			printf("%s: not in this build, or this host cannot run it\n", levels[i]);
	}
}

static void write_cell(double value)
{
	if (value > 0)
		printf(" %9.1f", value);
	else
		printf(" %9s", "-");
}

static json_t *one_family(const struct bench *b, struct files *f, const struct family *family,
	const char *const *usable, unsigned n)
{
	json_t *row = json_pack("{s:s}", "family", family->name);

	printf("%-18s", family->name);
	for (unsigned i = 0; i < n; i++) {
		struct cost c;

		snprintf(f->isa, sizeof(f->isa), "gpu.isa=%s", usable[i]);
		c = measure(b, f, family);
		write_cell(c.instructions);
		write_cell(c.ns);
		json_object_set_new(row, usable[i],
			json_pack("{s:f,s:f}", "host_instructions_per_warp_instruction",
				c.instructions, "ns_per_warp_instruction", c.ns));
	}
	printf("\n");
	fflush(stdout);
	return row;
}

void bench_families(const struct bench *b, json_t *out)
{
	const char *usable[LEVELS];
	json_t *rows = json_array();
	struct files f;
	unsigned n;

	snprintf(f.ptx, sizeof(f.ptx), "%s/families.ptx", b->scratch);
	snprintf(f.scenario, sizeof(f.scenario), "%s/families.yaml", b->scratch);
	snprintf(f.report, sizeof(f.report), "%s/families.json", b->scratch);
	printf("\nthe executor alone, by opcode family and instruction-set level\n");
	find_levels(b, &f, usable, &n);
	printf("%-18s", "");
	for (unsigned i = 0; i < n; i++)
		printf(" %19s", usable[i]);
	printf("\n%-18s", "family");
	for (unsigned i = 0; i < n; i++)
		printf(" %9s %9s", "host i.", "ns");
	printf("\n");
	for (unsigned i = 0; i < FAMILIES; i++)
		json_array_append_new(rows, one_family(b, &f, &families[i], usable, n));
	printf("(of one warp instruction; host i.: host instructions, by callgrind; -: valgrind is "
	       "missing, or does not know the level)\n");
	remove(f.ptx);
	remove(f.scenario);
	json_object_set_new(out, "families", rows);
}
