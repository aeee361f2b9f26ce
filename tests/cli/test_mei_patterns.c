/* The latencies that Mei et al. (NPC 2014) measured, by the pointer chases that the paper takes
 * them with, on our descriptions of its GPUs: they set parameters, and come out exactly. */
#include "tests/rig/support_cli.h"

#include "core/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define CHASE(bytes, stride, warmup) \
	"pointerchase --set pointerchase.bytes=" #bytes " --set pointerchase.stride=" #stride \
	" --set pointerchase.warmup=" #warmup \
	" --set pointerchase.classic=0 --set pointerchase.accesses=32"
#define TEXTURE(bytes, stride, warmup) \
	"texturechase --set texturechase.bytes=" #bytes " --set texturechase.stride=" #stride \
	" --set texturechase.warmup=" #warmup " --set texturechase.accesses=32"
#define L1_OFF " --chip gtx560ti --set l1.keeps=none"
#define L1_ON " --chip gtx560ti"
#define KEPLER " --chip gtx780"
#define P1 CHASE(8192, 128, 80)
#define P2 CHASE(67112960, 2097280, 64)   /* 32 pages: more than the L1 TLB has */
#define P3 CHASE(151004160, 2097280, 144) /* 72 pages: one more than each set of the L2 TLB has */
#define P4 CHASE(1048576, 8320, 1)        /* new lines of one page */
#define P5 CHASE(75502080, 2097280, 1)    /* new pages */

static const struct {
	const char *run;
	uint32_t cycles;
} patterns[] = {
	{P1 L1_OFF, 371},
	{P2 L1_OFF, 398},
	{P3 L1_OFF, 482},
	{P4 L1_OFF, 639},
	{P5 L1_OFF, 1245},
	{P1 L1_ON, 116},
	{P2 L1_ON, 404},
	{P3 L1_ON, 488},
	{P4 L1_ON, 655},
	{P5 L1_ON, 1261}, /* the paper's 1259, whose band is 2 */
	{P1 KEPLER, 230},
	{P2 KEPLER, 236},
	{P3 KEPLER, 289},
	{P4 KEPLER, 371},
	{P5 KEPLER, 734},
	{P5 KEPLER " --set mmu.window_bytes=2M", 1000}, /* 1 GB of host memory without this */
	{TEXTURE(4096, 32, 200) L1_ON, 240},
	{TEXTURE(65536, 128, 600) L1_ON, 470},
	{TEXTURE(4096, 32, 200) KEPLER, 110},
	{TEXTURE(65536, 128, 600) KEPLER, 220},
};

/* The latency of most accesses. */
static uint32_t usual(const uint32_t *latency, unsigned n)
{
	uint32_t best = 0;
	unsigned most = 0;

	for (unsigned i = 0; i < n; i++) {
		unsigned same = 0;

		for (unsigned k = 0; k < n; k++)
			same += latency[k] == latency[i];
		if (same > most)
			best = latency[i];
		most = same > most ? same : most;
	}
	return best;
}

static void the_papers_latencies_come_out(void **state)
{
	const struct desk *d = *state;

	for (unsigned i = 0; i < ARRAY_LEN(patterns); i++) {
		uint32_t latency[32], is;
		char command[512], path[512];
		FILE *f;

		snprintf(path, sizeof(path), "%s/latencies", d->folder);
		snprintf(command, sizeof(command), "run %s --quiet --dump latencies=%%F/latencies",
			patterns[i].run);
		assert_int_equal(desk_run(d, command), 0);
		f = fopen(path, "rb");
		assert_non_null(f);
		assert_int_equal(fread(latency, sizeof(*latency), 32, f), 32);
		fclose(f);
		is = usual(latency, 32);
		if (is != patterns[i].cycles)
			fail_msg("%s: %u cycles, not %u", patterns[i].run, is, patterns[i].cycles);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			the_papers_latencies_come_out, desk_set_up, desk_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
