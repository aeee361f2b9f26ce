/* Figure 2: performance by registers and threads. */
#include "papers/m12/curves.h"

#define COUNTS 5
static const unsigned registers[COUNTS] = {18, 24, 32, 40, CURVE_REGISTERS};
static const unsigned few_registers[COUNTS] = {
	18, 24, CURVE_REGISTERS}; /* of workloads that need at most 24 */

static void curve2(struct book *b, int w, const unsigned counts[COUNTS])
{
	for (unsigned k = 0; k < COUNTS && counts[k]; k++)
		for (unsigned i = 0; i < CURVE_THREADS; i++)
			book_plot(
				b, &(struct book_dot){book_workload(b, (unsigned)w),
					   curve_series(b, "%u registers", counts[k]),
					   "KB of registers", "performance",
					   4.0 * counts[k] * curve_threads[i] / 1024,
					   curve_by_registers(b, w, curve_threads[i], counts[k])});
}

static void fig2(struct book *b)
{
	int dgemm = book_find(b, "dgemm"), pcr = book_find(b, "pcr"),
	    needle = book_find(b, "needle");

	if (dgemm >= 0) {
		curve2(b, dgemm, registers);
		curve_claim(b, "M12-055", "dgemm: 18 registers, 1024 threads (below 1)",
			band_below(0.99), curve_by_registers(b, dgemm, CURVE_MOST_THREADS, 18));
		curve_claim(b, "M12-055", "dgemm: 256 threads, 64 registers (below 1)",
			band_below(0.99), curve_by_registers(b, dgemm, 256, CURVE_REGISTERS));
	}
	if (pcr >= 0) {
		curve2(b, pcr, registers);
		curve_claim(b, "M12-056", "pcr: 18 registers, 1024 threads (below 1)",
			band_below(0.99), curve_by_registers(b, pcr, CURVE_MOST_THREADS, 18));
		curve_claim(b, "M12-057", "pcr: 40 registers, of 64's (the same)", curve_same(0.02),
			curve_by_registers(b, pcr, CURVE_MOST_THREADS, 40));
	}
	if (dgemm >= 0 && pcr >= 0)
		curve_claim(b, "M12-056", "pcr loses less by 256 threads than dgemm (above 1)",
			band_between(NAN, 1, 4),
			curve_by_registers(b, pcr, 256, CURVE_REGISTERS) /
				curve_by_registers(b, dgemm, 256, CURVE_REGISTERS));
	if (needle >= 0) {
		curve2(b, needle, few_registers);
		curve_claim(b, "M12-057", "needle: 24 registers, of 64's (the same)",
			curve_same(0.02), curve_by_registers(b, needle, CURVE_MOST_THREADS, 24));
		curve_claim(b, "M12-058", "needle: 1024 threads by 512 (the same)",
			curve_same(0.05), 1 / curve_by_registers(b, needle, 512, CURVE_REGISTERS));
	}
}

static bool in_fig2(const char *workload)
{
	return curve_has(workload, (const char *const[4]){"dgemm", "pcr", "needle"});
}

const struct target m12_fig2 = {
	.order = 20,
	.name = "fig2",
	.text = "Performance by registers and threads (dgemm, pcr, needle).",
	.paper = &m12_paper,
	.rows = fig2,
	.takes = in_fig2,
	.columns = STORE_BOTH,
	.plots = true,
};
