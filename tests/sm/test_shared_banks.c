/* Shared memory with banks of 8 bytes, as Kepler's. */
#include "tests/rig/support_sm.h"

#include "core/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define EIGHT ONE_SM " sm.shared_bank_bytes=8"

/* Passes of a warp's load whose lanes are `step` bytes apart. */
static unsigned passes(const char *settings, const char *load, unsigned step)
{
	struct text t = {0};
	struct probed d;
	unsigned extra;

	text_raw(&t,
		"mul.lo.u32 %%r9, %%r3, %u; mov.u32 %%r10, buf; add.u32 %%r9, %%r9, %%r10;\n"
		"%s, [%%r9]; add.u32 %%r11, %%r11, 1; st.global.u32 [%%r2], %%r11;\n",
		step, load);
	d = probe_run(&(struct probe){settings, text_str(&t), 1, 32});
	extra = (unsigned)probe_metric(&d, "l1tex__data_bank_conflicts_pipe_lsu.sum");
	probe_free(&d);
	text_clear(&t);
	return 1 + extra;
}

static void words_of_eight_bytes_do_not_conflict(void **state)
{
	static const struct {
		const char *load;
		unsigned step, four, eight;
	} rows[] = {
		{"ld.shared.u32 %r11", 0, 1, 1},
		{"ld.shared.u32 %r11", 4, 1, 1},
		{"ld.shared.u32 %r11", 8, 2, 1},
		{"ld.shared.u32 %r11", 12, 1, 2},
		{"ld.shared.u32 %r11", 16, 4, 2},
		{"ld.shared.u32 %r11", 128, 32, 16},
		{"ld.shared.u32 %r11", 256, 32, 32},
		{"ld.shared.v2.u32 {%r11,%r12}", 8, 2, 1},
		{"ld.shared.v2.u32 {%r11,%r12}", 16, 4, 2},
		{"ld.shared.v4.u32 {%r11,%r12,%r13,%r14}", 16, 4, 2},
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
		unsigned four = passes(ONE_SM, rows[i].load, rows[i].step);
		unsigned eight = passes(EIGHT, rows[i].load, rows[i].step);

		if (four != rows[i].four || eight != rows[i].eight)
			fail_msg("%s, %u apart: %u and %u passes", rows[i].load, rows[i].step, four,
				eight);
	}
}

static void banks_of_the_unified_storage_stay(void **state)
{
	(void)state;
	kit_refused("sm.shared_bank_bytes=6", "sm.shared_bank_bytes = 6: must be 0, 4 or 8");
	kit_refused("chip.storage=unified sm.shared_bank_bytes=8",
		"sm.shared_bank_bytes = 8: the unified storage has banks of 16 bytes; must be 0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_of_eight_bytes_do_not_conflict),
		cmocka_unit_test(banks_of_the_unified_storage_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
