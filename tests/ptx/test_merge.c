/* Vectors of accesses to shared memory: a rule at a time by hand, and random kernels that leave the
 * same with and without. */
#include "tests/rig/exec_rig.h"
#include "tests/rig/ptx_ir.h"
#include "tests/rig/seeds.h"

#include "core/rng.h"
#include "core/text.h"
#include "ptx/ir/merge.h"

#define SHARED ".shared .align 4 .b8 s[1024];\n.shared .align 4 .b8 small[8];\n"
#define KNOWN \
	"mov.u32 %r30, %tid.x;\nshl.b32 %r31, %r30, 4;\nmov.u32 %r2, s;\nadd.s32 %r1, %r31, %r2;\n"
#define LD(d, a) "ld.shared.u32 %r" #d ", [" a "];\n"
#define ST(a, v) "st.shared.u32 [" a "], %r" #v ";\n"

/* The accesses that are left: "5:l4@16" is a load of four elements at offset 16 in the fifth line
 * of the body. */
static void expect(const char *body, const char *left)
{
	struct text text = {0}, found = {0};
	struct ir_function *f;
	struct ir_test t;

	text_raw(
		&text, "%s%s.entry k(.param .u64 out)\n{\n%s%s}\n", IR_HEAD, SHARED, IR_REGS, body);
	ir_open(&t, text_str(&text));
	t.m.wide_shared = true;
	f = &t.m.functions[0];
	merge_accesses(&t.m, f, &t.work);
	for (uint32_t i = 0; i < f->ninstr; i++)
		if (f->code[i].shape != IR_GONE && f->code[i].space == SPACE_SHARED)
			text_raw(&found, "%s%u:%c%u@%d", found.len ? " " : "",
				f->code[i].pos.line - IR_KERNEL_LINE - 1,
				f->code[i].action == ACT_LOAD ? 'l' : 's', f->code[i].vec,
				(int)f->code[i].offset);
	if (strcmp(text_str(&found), left))
		fail_msg("%sis %s, not %s", body, text_str(&found), left);
	ir_close(&t);
	text_clear(&text);
	text_clear(&found);
}

#define FOUR(a) LD(10, a) LD(11, a "+4") LD(12, a "+8") LD(13, a "+12")

#define U64(d, a) "ld.shared.u64 %rd" #d ", [" a "];\n"

static void loads_side_by_side_become_one(void **state)
{
	(void)state;
	expect(FOUR("s"), "1:l4@0");
	expect(FOUR("s+16"), "1:l4@16");
	expect(KNOWN FOUR("%r1"), "5:l4@0");
	expect(KNOWN LD(10, "%r1+28") LD(11, "%r1+24") LD(12, "%r1+16") LD(13, "%r1+20"),
		"5:l4@16");
	expect(KNOWN LD(10, "%r1+-4") LD(11, "%r1+-8"), "5:l2@-8");
	expect(KNOWN U64(1, "%r1+8") U64(2, "%r1"), "5:l2@0");
	expect(KNOWN LD(10, "%r1") "ld.shared.f32 %f1, [%r1+4];\n", "5:l2@0");
	expect(KNOWN "ld.shared.v2.u32 {%r10, %r11}, [%r1+8];\n" LD(12, "%r1") LD(13, "%r1+4"),
		"5:l4@0");
	/* one of four may be missing, not two; the two are side by side */
	expect(KNOWN LD(10, "%r1+4") LD(11, "%r1+8") LD(12, "%r1+12"), "5:l4@0");
	expect(KNOWN LD(10, "%r1") LD(11, "%r1+4") LD(12, "%r1+8"), "5:l4@0");
	expect(KNOWN LD(10, "%r1") LD(11, "%r1+8"), "5:l1@0 6:l1@8");
	expect(KNOWN LD(10, "%r1+4") LD(11, "%r1+8"), "5:l1@4 6:l1@8");
	expect(KNOWN LD(10, "%r1+8") LD(11, "%r1+12"), "5:l2@8");
	/* of another size, or for some threads only, or volatile */
	expect(KNOWN U64(1, "%r1") LD(11, "%r1+8"), "5:l1@0 6:l1@8");
	expect(KNOWN LD(10, "%r1") "@%p1 ld.shared.u32 %r11, [%r1+4];\n", "5:l1@0 6:l1@4");
	expect(KNOWN LD(10, "%r1") "ld.volatile.shared.u32 %r11, [%r1+4];\n", "5:l1@0 6:l1@4");
	expect(KNOWN "ld.shared.u16 %h1, [%r1];\nld.shared.u16 %h2, [%r1+2];\n", "5:l1@0 6:l1@2");
}

#define SHIFT "shl.b32 %r1, %r3, 3;\n"

/* Two loads by %r1 after the instructions. */
static void expect_known(const char *how, bool known)
{
	struct text body = {0}, left = {0};
	unsigned at = 1;

	for (const char *c = how; *c; c++)
		at += *c == '\n';
	text_raw(&body, "%s%s", how, LD(10, "%r1") LD(11, "%r1+4"));
	text_raw(&left, known ? "%u:l2@0" : "%u:l1@0 %u:l1@4", at, at + 1);
	expect(text_str(&body), text_str(&left));
	text_clear(&body);
	text_clear(&left);
}

static void the_alignment_must_be_known(void **state)
{
	static const char *const known[] = {SHIFT, "and.b32 %r1, %r3, 56;\n",
		"mul.lo.s32 %r1, %r3, 24;\n", "mad.lo.s32 %r1, %r3, 40, 16;\n",
		"cvt.u64.u32 %rd1, %r3;\nshl.b64 %rd2, %rd1, 3;\ncvt.u32.u64 %r1, %rd2;\n",
		"mul.wide.u32 %rd1, %r3, 8;\ncvt.u32.u64 %r1, %rd1;\n", SHIFT "neg.s32 %r1, %r1;\n",
		SHIFT "@%p1 mov.u32 %r1, 16;\n",
		"shl.b32 %r4, %r3, 3;\nselp.b32 %r1, %r4, 8, %p2;\n", "mov.u32 %r1, small;\n",
		"mov.u32 %r1, s;\nL: add.s32 %r1, %r1, 8;\n@%p1 bra L;\n"};
	static const char *const unknown[] = {"shl.b32 %r1, %r3, 2;\n", "mov.u32 %r1, %r3;\n",
		SHIFT "add.s32 %r1, %r1, 4;\n", "shl.b32 %r1, %r3, %r4;\n",
		"shl.b32 %r4, %r3, 4;\nshr.u32 %r1, %r4, 1;\n", SHIFT "@%p1 mov.u32 %r1, 4;\n",
		SHIFT "selp.b32 %r1, %r1, 4, %p2;\n", "ld.param.u32 %r1, [out];\n",
		"mov.u32 %r4, s;\nL: mov.u32 %r1, %r4;\nadd.s32 %r4, %r1, 4;\n@%p1 bra L;\n"};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(known); i++)
		expect_known(known[i], true);
	for (unsigned i = 0; i < ARRAY_LEN(unknown); i++)
		expect_known(unknown[i], false);
	expect("mov.u32 %r1, small;\n" FOUR("%r1"), "2:l2@0 4:l2@8");
}

static void loads_stay_behind_what_they_depend_on(void **state)
{
	(void)state;
	expect(KNOWN LD(10, "%r1") ST("%r1+16", 10) LD(11, "%r1+4"), "5:l1@0 6:s1@16 7:l1@4");
	expect(KNOWN LD(10, "%r1") "st.u32 [%rd1], %r9;\n" LD(11, "%r1+4"), "5:l1@0 7:l1@4");
	expect(KNOWN LD(10, "%r1") "atom.shared.add.u32 %r5, [%r9], 1;\n" LD(11, "%r1+4"),
		"5:l1@0 6:s1@0 7:l1@4");
	expect(KNOWN LD(10, "%r1") "bar.sync 0;\n" LD(11, "%r1+4"), "5:l1@0 7:l1@4");
	expect(KNOWN LD(10, "%r1") "st.global.u32 [%rd1], %r10;\n" LD(11, "%r1+4"), "5:l2@0");
	expect(KNOWN LD(10, "%r1") LD(12, "%r9") LD(11, "%r1+4"), "5:l2@0 6:l1@0");
	/* registers */
	expect(KNOWN LD(10, "%r1") "add.s32 %r1, %r1, 4;\n" LD(11, "%r1+4"), "5:l1@0 7:l1@4");
	expect(KNOWN LD(10, "%r1") "add.s32 %r5, %r11, 4;\n" LD(11, "%r1+4"), "5:l1@0 7:l1@4");
	expect(KNOWN LD(10, "%r1") "mov.u32 %r11, 4;\n" LD(11, "%r1+4"), "5:l1@0 7:l1@4");
	expect(KNOWN LD(10, "%r1") "add.s32 %r5, %r10, 4;\n" LD(11, "%r1+4"), "5:l2@0");
	expect(KNOWN LD(10, "%r1") LD(1, "%r1+4"), "5:l1@0 6:l1@4");
	expect(KNOWN LD(1, "%r1") LD(10, "%r1+4"), "5:l1@0 6:l1@4");
	expect(KNOWN LD(10, "%r1") LD(10, "%r1+4"), "5:l1@0 6:l1@4");
}

static void stores_go_with_the_last(void **state)
{
	(void)state;
	expect(KNOWN ST("%r1", 5) ST("%r1+4", 6) ST("%r1+12", 7) ST("%r1+8", 8), "8:s4@0");
	expect(KNOWN ST("%r1", 5) ST("%r1+4", 6) ST("%r1+8", 7), "6:s2@0 7:s1@8");
	expect(KNOWN ST("%r1", 5) "mov.u32 %r5, 1;\n" ST("%r1+4", 6), "5:s1@0 7:s1@4");
	expect(KNOWN ST("%r1", 5) "mov.u32 %r6, 1;\n" ST("%r1+4", 6), "7:s2@0");
	expect(KNOWN ST("%r1", 5) LD(7, "%r9") ST("%r1+4", 6), "5:s1@0 6:l1@0 7:s1@4");
	expect(KNOWN ST("%r1", 5) ST("%r1+16", 7) ST("%r1+4", 6), "5:s1@0 6:s1@16 7:s1@4");
	expect(KNOWN ST("%r1", 5) ST("%r1", 7) ST("%r1+4", 6), "5:s1@0 7:s2@0");
	expect(KNOWN ST("%r1", 5) "st.global.u32 [%rd1], %r10;\n" ST("%r1+4", 6), "7:s2@0");
}

/* ---- random kernels: accesses of a thread's 64 bytes by two pointers, and moves of both. */

#define STEPS 40u
#define WORDS 16u

static void write_random(struct text *text, struct rng *rng)
{
	text_raw(text,
		".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
		".reg .b32 %%r<16>, %%p, %%q, %%t, %%u, %%v;\n.reg .b64 %%rd<4>, %%w;\n"
		".shared .align 4 .b8 s[4096];\n"
		"ld.param.u64 %%rd0, [out];\nmov.u32 %%t, %%tid.x;\nmul.wide.u32 %%rd1, %%t, 128;\n"
		"add.s64 %%rd1, %%rd0, %%rd1;\nshl.b32 %%u, %%t, 6;\nmov.u32 %%v, s;\n"
		"add.s32 %%p, %%v, %%u;\nadd.s32 %%q, %%p, 16;\nmov.b64 %%w, 5;\n");
	for (unsigned k = 0; k < WORDS; k++)
		text_raw(text, "mov.u32 %%r%u, %u;\nst.shared.u32 [%%p+%u], %%t;\n", k, k * 77,
			4 * k);
	for (unsigned k = 0; k < STEPS; k++) {
		unsigned r = (unsigned)rng_below(rng, WORDS), word = (unsigned)rng_below(rng, 8);
		char p = rng_below(rng, 2) ? 'p' : 'q';

		switch (rng_below(rng, 8)) {
		case 0:
			text_raw(text, "add.s32 %%r%u, %%r%u, %%r%u;\n", r, word, (r + 3) % WORDS);
			break;
		case 1:
			text_raw(text, "xor.b32 %%q, %%q, 16;\n");
			break;
		case 2:
			text_raw(text, "ld.shared.u64 %%w, [%%%c+%u];\ncvt.u32.u64 %%r%u, %%w;\n",
				p, word / 2 * 8, r);
			break;
		case 3:
		case 4:
			text_raw(text, "st.shared.u32 [%%%c+%u], %%r%u;\n", p, 4 * word, r);
			break;
		default:
			text_raw(text, "ld.shared.u32 %%r%u, [%%%c+%u];\n", r, p, 4 * word);
		}
	}
	for (unsigned k = 0; k < WORDS; k++)
		text_raw(text,
			"st.global.u32 [%%rd1+%u], %%r%u;\nld.shared.u32 %%r%u, [%%p+%u];\n"
			"st.global.u32 [%%rd1+%u], %%r%u;\n",
			4 * k, k, k, 4 * k, 64 + 4 * k, k);
	text_raw(text, "ret;\n}\n");
}

static void random_kernels_leave_the_same(void **state)
{
	static struct rig plain, merged;
	uint64_t fewer = 0;

	(void)state;
	for (uint64_t seed = 0; seed < seeds(200); seed++) {
		struct text text = {0};
		struct rng rng = rng_new(seed, 21);

		write_random(&text, &rng);
		memset(&plain, 0, sizeof(plain));
		memset(&merged, 0, sizeof(merged));
		merged.merge = true;
		merged.schedule = seed % 2 ? SCHEDULE_EARLY_LOADS : SCHEDULE_NONE;
		if (rig_run(&plain, text_str(&text), 1, 64) ||
			rig_run(&merged, text_str(&text), 1, 64))
			fail_msg("seed %llu: %s%s", (unsigned long long)seed, plain.what,
				merged.what);
		assert_memory_equal(plain.words, merged.words, sizeof(plain.words));
		assert_true(merged.counts.warp_instructions <= plain.counts.warp_instructions);
		fewer += plain.counts.warp_instructions - merged.counts.warp_instructions;
		text_clear(&text);
	}
	assert_true(fewer > 2 * seeds(200));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loads_side_by_side_become_one),
		cmocka_unit_test(the_alignment_must_be_known),
		cmocka_unit_test(loads_stay_behind_what_they_depend_on),
		cmocka_unit_test(stores_go_with_the_last),
		cmocka_unit_test(random_kernels_leave_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
