/* Workloads behind TLBs that are larger than memory and take no time (Mei et al., NPC 2014,
 * section 4.2): what translation costs them is the inner link of its unit, to the last count. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/base.h"
#include "tests/rig/seeds.h"
#include "tests/rig/workload_rig.h"

#include <string.h>

/* Long queues: else the packets that the inner link holds would lengthen them. */
#define QUEUES "chip.sms=3 chip.read_cycles=0 chip.link_queue=1024 "
#define FREE "mmu.page_bytes=1G mmu.l2_cycles=0 mmu.walk_cycles=0 mmu.upper_cycles=0 "
/* The unit's link is a cycle, and so is a stage of the request network. */
#define ONE_STAGE_MORE "noc.request.pipeline_cycles=3 "

static struct text figures(const char *workload, const char *settings)
{
	return workload_rig_figures(&(struct subject){
		.name = workload, .seed = 1, .timed = true, .settings = settings});
}

static void next_line(const char **at)
{
	*at += strcspn(*at, "\n");
	*at += **at == '\n';
}

/* Behind the lines of the TLBs and their unit, which a chip without translation lacks. */
static const char *skip_translation(const char *at)
{
	while (*at) {
		const char *end = at + strcspn(at, "\n"), *mmu = strstr(at, "mmu");

		if (!mmu || mmu > end)
			return at;
		next_line(&at);
	}
	return at;
}

/* The figures are the same, except what only translation has. Returns how many that are. */
static unsigned expect_same(const char *workload, const char *translated, const char *plain)
{
	unsigned n = 0;

	for (;; n++) {
		size_t length = strcspn(plain, "\n");

		translated = skip_translation(translated);
		if (strncmp(translated, plain, length + 1) != 0)
			fail_msg("%s: '%.*s', with one stage more '%.*s'", workload,
				(int)strcspn(translated, "\n"), translated, (int)length, plain);
		if (!*plain)
			return n;
		next_line(&translated);
		next_line(&plain);
	}
}

/* Loads, stores and atomics, with hits and misses of all caches, queues that fill, many launches.
 */
static const char *const workloads[] = {"vectoradd", "transpose", "reduction", "dct8x8", "srad",
	"mergesort", "matrixmul", "backprop"};

static void a_tlb_that_takes_no_time_is_one_stage_more_of_the_network(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(workloads); i += stride()) {
		struct text with = figures(workloads[i], QUEUES FREE);
		struct text stage = figures(workloads[i], QUEUES ONE_STAGE_MORE);

		assert_true(expect_same(workloads[i], text_str(&with), text_str(&stage)) > 300);
		assert_non_null(strstr(text_str(&with), "mmu__walks"));
		text_clear(&with);
		text_clear(&stage);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_tlb_that_takes_no_time_is_one_stage_more_of_the_network),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
