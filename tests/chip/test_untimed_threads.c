/* Launches without time by several host threads: what they compute, count and report is what one
 * thread does, whether or not CTAs depend on each other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "chip/untimed/together.h"
#include "tests/rig/support_gpu.h"
#include "tests/rig/workload_rig.h"

#include "core/mem.h"

#include <stdio.h>
#include <string.h>

#define CTAS 96u
#define THREADS 64u
#define WORDS (CTAS * THREADS)

/* A kernel: %a is the address of the thread's word of the buffer %b, %i its number, %v a value
 * after some rounds of work. */
#define KERNEL(name, body) \
	".visible .entry " name "(.param .u32 to) { .reg .u32 %a, %i, %v, %c, %t, %n, %b;\n" \
	".reg .pred %p; ld.param.u32 %b, [to]; mov.u32 %c, %ctaid.x; mov.u32 %t, %tid.x;\n" \
	"mov.u32 %n, %ntid.x; mad.lo.u32 %i, %c, %n, %t; mad.lo.u32 %a, %i, 4, %b;\n" \
	"mov.u32 %v, %i; mov.u32 %n, 0;\n" \
	"W: mad.lo.u32 %v, %v, 1664525, 1013904223; add.u32 %n, %n, 1;\n" \
	"setp.lt.u32 %p, %n, 200; @%p bra W;\n" body "ret; }\n"

static const char *const kernels[] = {".version 7.0\n.target sm_70\n.address_size 32\n",
	/* words of its own */
	KERNEL("own", "ld.global.u32 %n, [%a]; add.u32 %v, %v, %n; st.global.u32 [%a], %v;\n"),
	/* the word of the CTA before, which has changed it */
	KERNEL("before", "setp.eq.u32 %p, %c, 0; @%p bra E;\nld.global.u32 %n, [%a-256];\n"
			 "add.u32 %v, %v, %n;\nE: st.global.u32 [%a], %v;\n"),
	/* all write the same words: the last one's stay */
	KERNEL("same", "mad.lo.u32 %a, %t, 4, %b; st.global.u32 [%a], %v;\n"),
	/* sums in a few words */
	KERNEL("sum",
		"and.b32 %n, %i, 7; mad.lo.u32 %a, %n, 4, %b; red.global.add.u32 [%a], %v;\n"),
	/* a sum that the last CTA reads */
	KERNEL("peek", "setp.eq.u32 %p, %c, 95; @%p bra R;\nred.global.add.u32 [%b], %v; ret;\n"
		       "R: ld.global.u32 %v, [%b]; st.global.u32 [%a], %v;\n"),
	/* two kinds of operation on a word: their order matters */
	KERNEL("kinds", "red.global.add.u32 [%b], %i; red.global.max.u32 [%b], %v;\n"),
	/* who comes first */
	KERNEL("rank", "atom.global.add.u32 %v, [%b], 1; st.global.u32 [%a], %v;\n"),
	KERNEL("clock", "mov.u32 %v, %clock; st.global.u32 [%a], %v;\n"),
	/* CTA 50 reads outside */
	KERNEL("outside", "st.global.u32 [%a], %v; setp.eq.u32 %p, %c, 50;\n"
			  "@%p mov.u32 %a, 16; ld.global.u32 %v, [%a]; st.global.u32 [%a], %v;\n"),
	/* lanes that have left are named in a mask, in CTA 60 and later */
	KERNEL("named", "setp.ge.u32 %p, %c, 60; @!%p bra G;\nsetp.lt.u32 %p, %t, 8; @%p ret;\n"
			"shfl.sync.idx.b32 %v, %v, 9, 31, -1;\nG: st.global.u32 [%a], %v;\n"),
	/* CTA 0 waits for the last one's word */
	KERNEL("wait",
		"setp.ne.u32 %p, %c, 0; @%p bra S;\nL: ld.volatile.global.u32 %v, [%b+24320];\n"
		"setp.eq.u32 %p, %v, 0; @%p bra L;\nS: st.volatile.global.u32 [%a], 7;\n")};

static module_t load(struct kit *k)
{
	struct text t = {0};
	module_t m;

	for (unsigned i = 0; i < sizeof(kernels) / sizeof(*kernels); i++)
		text_raw(&t, "%s", kernels[i]);
	m = kit_module(k, text_str(&t));
	text_clear(&t);
	return m;
}

/* The name of the module's file, which changes. */
static void hide_name(char *message)
{
	static const char name[] = "warpbeam-test-";

	for (char *at = message; (at = strstr(at, name)) != NULL; at += sizeof(name))
		memset(at + sizeof(name) - 1, 'X', 6);
}

/* CTAs of the kernel's notes. */
static void note(void *ctx, const struct exec_note *n)
{
	uint32_t *of = ctx;

	of[0]++;
	of[1] = n->ctaid[0];
}

struct outcome {
	uint32_t notes[2]; /* how many, CTA of the last */
	struct untimed_counts counts;
	char message[512];
	uint32_t words[WORDS];
	uint64_t launches, taken_back;
	bool failed;
};

/* Two launches of the kernel, with at most that many warp instructions each (0: no limit); the n-th
 * allocation fails, and all after it (< 0: none). */
static void run_with(
	struct outcome *o, const char *kernel, unsigned threads, uint64_t most, int64_t allocations)
{
	struct kit k = kit_new("chip.sms=2");
	buffer_t b = kit_buffer(&k, "b", sizeof(o->words));
	module_t m = load(&k);
	struct untimed_limits limits = {.warp_instructions = most};

	memset(o, 0, sizeof(*o));
	gpu_threads(k.gpu, threads);
	together_always(k.gpu);
	for (unsigned i = 0; i < 2 && !o->failed; i++) {
		kit_launch(&k, m, kernel, CTAS, THREADS, 1, (uint64_t[]){KIT_BUF(b)});
		mem_fail_after(allocations);
		o->failed = gpu_run_watched(k.gpu, &limits, &o->counts, &k.err) != 0;
		mem_fail_after(-1);
	}
	snprintf(o->message, sizeof(o->message), "%s", err_text(&k.err));
	hide_name(o->message);
	err_clear(&k.err);
	for (unsigned i = 0; i < WORDS; i++)
		o->words[i] = kit_u32(&k, b, i);
	gpu_notes(k.gpu, note, o->notes);
	together_count(k.gpu, &o->launches, &o->taken_back);
	kit_free(&k);
}

/* The same with one thread and with several. Returns what those tried: launches that were theirs
 * and those that were taken back. Which CTAs a thread gets is chance: those that meet may all be
 * its. */
static struct outcome expect(const char *kernel, uint64_t most)
{
	static const unsigned threads[] = {2, 3, 7};
	struct outcome one, many, all = {0};

	run_with(&one, kernel, 1, most, -1);
	assert_int_equal(one.launches + one.taken_back, 0);
	for (unsigned i = 0; i < 3; i++) {
		run_with(&many, kernel, threads[i], most, -1);
		assert_string_equal(many.message, one.message);
		assert_memory_equal(many.words, one.words, sizeof(one.words));
		assert_memory_equal(&many.counts, &one.counts, sizeof(one.counts));
		assert_memory_equal(many.notes, one.notes, sizeof(one.notes));
		assert_true(many.taken_back <= 1);
		all.launches += many.launches;
		all.taken_back += many.taken_back;
	}
	return all;
}

static void ctas_apart_run_at_once(void **state)
{
	(void)state;
	assert_int_equal(expect("own", 0).launches, 6);
	assert_int_equal(expect("sum", 0).launches, 6);
}

/* The host's threads race for the words, as the CTAs do: what they read is thrown away. */
#if defined(__SANITIZE_THREAD__)
#define RACES 0
#elif defined(__has_feature)
#define RACES !__has_feature(thread_sanitizer)
#else
#define RACES 1
#endif

static void ctas_that_meet_run_again(void **state)
{
	static const char *const names[] = {"before", "same", "peek", "wait"};
	uint64_t taken_back = 0;

	(void)state;
	if (!RACES)
		skip();
	for (unsigned i = 0; i < 4; i++) {
		struct outcome o = expect(names[i], 0);

		assert_in_range(o.launches + o.taken_back, 3, 6);
		taken_back += o.taken_back;
	}
	assert_true(taken_back > 0);
}

static void kernels_whose_ctas_may_meet_do_not_try(void **state)
{
	static const char *const names[] = {"kinds", "rank", "clock"};

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct outcome o = expect(names[i], 0);

		assert_int_equal(o.launches + o.taken_back, 0);
	}
}

static void a_fault_is_the_one_of_one_thread(void **state)
{
	struct outcome o = expect("outside", 0);

	(void)state;
	assert_int_equal(o.taken_back, 3);
	run_with(&o, "outside", 3, 0, -1);
	assert_non_null(strstr(o.message, "CTA (50,0,0)"));
}

static void a_note_is_the_one_of_one_thread(void **state)
{
	struct outcome o = expect("named", 0);

	(void)state;
	assert_int_equal(o.taken_back, 3);
	run_with(&o, "named", 3, 0, -1);
	assert_int_equal(o.notes[0], 1);
	assert_int_equal(o.notes[1], 60);
}

static void a_limit_ends_at_the_same_instruction(void **state)
{
	struct outcome o;

	(void)state;
	run_with(&o, "own", 1, 0, -1);
	assert_int_equal(expect("own", o.counts.warp_instructions / 2 + 10).launches, 3);
	assert_int_equal(expect("own", o.counts.warp_instructions / 4 + 1).taken_back, 3);
}

/* Each allocation fails in turn. */
static void without_memory_one_thread_has_to_do(void **state)
{
	struct outcome one, few;
	unsigned failed = 0;

	(void)state;
	run_with(&one, "own", 1, 0, -1);
	for (int64_t n = 0; n < 200; n++) {
		run_with(&few, "own", 2, 0, n);
		if (few.failed) {
			assert_non_null(strstr(few.message, "memory"));
			failed++;
			continue;
		}
		assert_memory_equal(few.words, one.words, sizeof(one.words));
		assert_memory_equal(&few.counts, &one.counts, sizeof(one.counts));
		if (few.launches == 2)
			break;
	}
	assert_true(failed > 0);
	assert_int_equal(few.launches, 2);
}

static void set_threads(struct gpu *g, void *ctx)
{
	gpu_threads(g, *(const unsigned *)ctx);
	together_always(g);
}

static void count_launches(struct workload_rig *b, void *ctx)
{
	uint64_t *n = ctx, launches, taken_back;

	if (workload_rig_run(b, 0) || b->run->ops->check(b->run, &b->err))
		fail_msg("%s: %s", b->subject->name, err_text(&b->err));
	together_count(b->gpu, &launches, &taken_back);
	n[0] += launches;
	n[1] += taken_back;
}

/* Their checks are the same; what they count is compared above. */
static void workloads_pass_their_checks(void **state)
{
	static const char *const names[] = {"matrixmul", "bfs", "srad", "needle", "histogram",
		"fdtd3d", "lu", "bicubictexture", "scalarprod", "sobolqrng"};
	unsigned threads = 3;
	uint64_t n[2] = {0, 0};

	(void)state;
	if (!RACES)
		skip();
	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct subject s = {.name = names[i], .ready = set_threads, .ready_ctx = &threads};

		workload_rig(count_launches, &s, n);
	}
	assert_true(n[0] > 20);
	assert_true(n[1] < 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ctas_apart_run_at_once),
		cmocka_unit_test(ctas_that_meet_run_again),
		cmocka_unit_test(kernels_whose_ctas_may_meet_do_not_try),
		cmocka_unit_test(a_fault_is_the_one_of_one_thread),
		cmocka_unit_test(a_note_is_the_one_of_one_thread),
		cmocka_unit_test(a_limit_ends_at_the_same_instruction),
		cmocka_unit_test(without_memory_one_thread_has_to_do),
		cmocka_unit_test(workloads_pass_their_checks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
