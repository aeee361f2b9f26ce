/* Kernels for tests of the SM: a PTX body in a fixed kernel, run on a chip with settings. */
#ifndef TESTS_RIG_SUPPORT_SM_H
#define TESTS_RIG_SUPPORT_SM_H

#include "tests/rig/support_gpu.h"

#define PROBE_OUT (1u << 20) /* bytes of the buffer for results */
#define PROBE_IN (1u << 20)  /* bytes of the zeroed input buffer */

/* A chip with one SM. */
#define ONE_SM "chip.sms=1"

/* The run. The body gets %r1 = in, %r2 = out + 4 * (thread in grid), %r3 = tid, %r4 = 4 * tid, %r5
 * = ctaid, all long complete; it may use %r6 .. %r99, %f, %rd, %p1 .. %p9 and the 16 KB of shared
 * memory `buf`. `ret` comes after it, at END. */
struct probe {
	const char *settings;
	const char *body;
	unsigned ctas, threads; /* 0: one */
};

/* Stores the cycles between the two clocks of a timed body. */
#define CLOCK_START "mov.u32 %r6, %clock;\n"
#define CLOCK_STOP "mov.u32 %r7, %clock; sub.u32 %r8, %r7, %r6; st.global.u32 [%r2], %r8;\n"

/* The PTX text with that body; the caller clears it. */
struct text probe_ptx(const char *body);

struct probed {
	struct kit k;
	buffer_t in, out;
};

/* Runs to the end and checks the counters; probe_free afterwards. */
struct probed probe_run(const struct probe *);
void probe_free(struct probed *);

/* Result of a thread of the grid. */
uint32_t probe_u32(struct probed *, unsigned thread);
double probe_metric(struct probed *, const char *name);

/* Runs and returns thread 0's result. */
uint32_t probe_cycles(const struct probe *);

/* Every scheduler's cycles have exactly one reason, and one instruction, or two, issues in each
 * selected cycle. */
void expect_balanced_counters(struct kit *);

#endif
