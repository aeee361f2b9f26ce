/* A profiled GPU for tests: what each statement of a kernel and each buffer counted. */
#ifndef TESTS_RIG_PROFILE_RIG_H
#define TESTS_RIG_PROFILE_RIG_H

#include "tests/rig/support_gpu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "chip/profile/profile.h"
#include "core/base.h"

/* Each statement on a line of its own, from line 10 on: tests refer to them by line. */
#define HEAD \
	".version 7.0\n.target sm_70\n.address_size 32\n" \
	".visible .entry k(.param .u32 a, .param .u32 b, .param .u32 c)\n{\n" \
	".reg .pred %p<4>; .reg .b32 %r<64>; .local .align 4 .b8 l[64];\n" \
	"ld.param.u32 %r1, [a]; ld.param.u32 %r2, [b]; ld.param.u32 %r3, [c];\n" \
	"mov.u32 %r4, %tid.x; mov.u32 %r5, %ctaid.x; mov.u32 %r6, %ntid.x;\n" \
	"mad.lo.u32 %r7, %r5, %r6, %r4; shl.b32 %r8, %r7, 2; shl.b32 %r9, %r7, 7;\n"
#define FIRST 10u
#define TAIL "ret;\n}\n"

#define ONE_SM "chip.sms=1 rf.hierarchy=none "
#define NO_L1 "storage.partitioned.cache_bytes=0 "
#define BANKED "chip.dram=banked "

struct rig {
	struct kit kit;
	struct arena arena;
	struct profile_sum sum;
	buffer_t a, b, c;
	jmp_buf escape;
};

static inline void rig_new(struct rig *r, const char *settings, unsigned threads)
{
	*r = (struct rig){.kit = kit_new_host(settings, &(struct chip_host){.threads = threads})};
	assert_int_equal(chip_profile(r->kit.gpu, &r->kit.err), 0);
	r->a = kit_buffer(&r->kit, "a", 65536);
	r->b = kit_buffer(&r->kit, "b", 65536);
	r->c = kit_buffer(&r->kit, "c", 65536);
}

static inline void rig_sum(struct rig *r)
{
	assert_int_equal(setjmp(r->escape), 0);
	r->arena.escape = &r->escape;
	chip_profile_sum(r->kit.gpu, &r->arena, &r->sum);
}

static inline void rig_launch(struct rig *r, module_t m, unsigned ctas, unsigned threads)
{
	kit_launch(&r->kit, m, "k", ctas, threads, 3,
		(uint64_t[]){KIT_BUF(r->a), KIT_BUF(r->b), KIT_BUF(r->c)});
}

/* Runs the kernel once and sums the tables. */
static inline void rig_run(struct rig *r, const char *settings, const char *ptx, unsigned ctas)
{
	rig_new(r, settings, 1);
	rig_launch(r, kit_module(&r->kit, ptx), ctas, 32);
	kit_run(&r->kit);
	rig_sum(r);
}

static inline void rig_free(struct rig *r)
{
	kit_free(&r->kit);
	arena_free(&r->arena);
}

/* The counts of the n-th statement after the head. */
static inline struct profile_row line(const struct rig *r, unsigned n)
{
	struct profile_row out = {0};

	for (uint32_t k = 0; k < r->sum.nkernels; k++) {
		const struct program *p = r->sum.kernel[k].program;

		for (uint32_t i = 0; i < p->ninstr; i++)
			for (unsigned c = 0; c < PROFILE_COUNT; c++)
				if (p->lines[p->code[i].line].ptx_line == FIRST + n)
					out.n[c] +=
						r->sum.site[r->sum.kernel[k].first_site + i].n[c];
	}
	return out;
}

/* The row of that name. */
static inline struct profile_row buffer(const struct rig *r, const char *name)
{
	struct profile_row out = {0};

	for (uint32_t b = 1; b < r->sum.nbuffers; b++)
		for (unsigned c = 0; c < PROFILE_COUNT; c++)
			if (!strcmp(chip_profile_buffer(r->kit.gpu, b), name))
				out.n[c] += r->sum.buffer[b].n[c];
	return out;
}

struct expected {
	enum profile_count count;
	uint64_t bytes;
};

#define NAME(id, name, unit, text) #name,
static const char *const names[] = {PROFILE_COUNTS(NAME)};

#define COUNTS(row, ...) \
	check_counts(row, (const struct expected[]){__VA_ARGS__}, \
		sizeof((const struct expected[]){__VA_ARGS__}) / sizeof(struct expected), \
		__LINE__)

static inline void check_counts(
	struct profile_row row, const struct expected *e, size_t n, int source_line)
{
	for (size_t i = 0; i < n; i++)
		if (row.n[e[i].count] != e[i].bytes)
			fail_msg("line %d: %s is %llu, counted by hand %llu", source_line,
				names[e[i].count], (unsigned long long)row.n[e[i].count],
				(unsigned long long)e[i].bytes);
}

/* The sums are the same in every table. */
static inline void check_sums(const struct rig *r)
{
	const struct profile_sum *s = &r->sum;
	uint64_t read = 0, write = 0;

	for (unsigned k = 0; k < PROFILE_COUNT; k++) {
		uint64_t sites = 0, buffers = 0, sms = 0;

		for (uint32_t i = 0; i < s->nsites; i++)
			sites += s->site[i].n[k];
		for (uint32_t i = 0; i < s->nbuffers; i++)
			buffers += s->buffer[i].n[k];
		for (uint32_t i = 0; i < s->sms; i++)
			sms += s->sm[i].n[k];
		assert_int_equal(sites, s->total.n[k]);
		assert_int_equal(buffers, s->total.n[k]);
		assert_int_equal(sms, s->total.n[k]);
	}
	for (unsigned c = 0; c < s->channels; c++)
		for (unsigned b = 0; b < s->banks; b++) {
			read += s->bank[c][b].read;
			write += s->bank[c][b].write;
		}
	assert_int_equal(read, s->total.n[PROFILE_DRAM_READ]);
	assert_int_equal(write, s->total.n[PROFILE_DRAM_WRITE]);
	for (unsigned c = 0; c < s->channels; c++)
		for (unsigned i = 0; i < PROFILE_BINS; i++) {
			read -= s->bin[c][i].read;
			write -= s->bin[c][i].write;
		}
	assert_int_equal(read | write, 0);
	for (unsigned sm = 0; sm < s->sms; sm++)
		for (unsigned i = 0; i < PROFILE_BINS; i++)
			read += s->sm_bin[sm][i];
	assert_int_equal(read, s->total.n[PROFILE_DRAM_READ] + s->total.n[PROFILE_DRAM_WRITE]);
}

/* A row a warp reads; four bytes of each of 32 rows; eight lanes write 32 bytes. */
static const char three_buffers[] = HEAD "add.u32 %r10, %r1, %r8;\n"
					 "add.u32 %r11, %r2, %r9;\n"
					 "add.u32 %r12, %r3, %r8;\n"
					 "ld.global.u32 %r13, [%r10];\n"
					 "ld.global.u32 %r14, [%r11];\n"
					 "setp.lt.u32 %p1, %r4, 8;\n"
					 "add.u32 %r15, %r13, %r14;\n"
					 "@%p1 st.global.u32 [%r12], %r15;\n" TAIL;

/* Loads, atomics on few lines, stores. */
static const char many[] =
	HEAD "add.u32 %r10, %r1, %r8;\n"
	     "ld.global.u32 %r11, [%r10];\n"
	     "and.b32 %r12, %r11, 1023; shl.b32 %r12, %r12, 2; add.u32 %r13, %r2, %r12;\n"
	     "atom.global.add.u32 %r14, [%r13], %r7;\n"
	     "add.u32 %r15, %r3, %r8;\n"
	     "st.global.u32 [%r15], %r14;\n" TAIL;

#endif
