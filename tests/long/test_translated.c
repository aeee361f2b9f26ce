/* Every workload with pages, TLBs and tables that are far too small for it (Mei et al., NPC 2014,
 * section 4.2): its results are right, and the chip's counts balance. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/rig/seeds.h"
#include "tests/rig/workload_rig.h"

#include <stdlib.h>
#include <string.h>

#define SHORT \
	"chip.sms=2 mmu.page_bytes=64K mmu.l1_entries=4 mmu.l2_sets=3,2 mmu.window_bytes=1M " \
	"mmu.switch_cycles=90 mmu.walks=3 mmu.requests=24 "
/* Of those that would take longest. */
#define SIZES \
	"bfs.n=4096 fdtd3d.width=62 hwt.points=8 imagedenoising.height=24 mummer.queries=200 " \
	"nn.images=1 particles.n=2560 recursivegaussian.height=64 sad.height=16"

/* The sum over the parts of the chip that have this count. */
static double counted(const char *figures, const char *name)
{
	double sum = 0;

	for (const char *at = figures; (at = strstr(at, name)); at += strlen(name))
		sum += strtod(at + strlen(name), NULL);
	return sum;
}

static void every_workload_is_right_with_small_tlbs(void **state)
{
	const struct plugin *w;
	double walks = 0, merged = 0, stalled = 0, switches = 0;

	(void)state;
	for (unsigned i = 0; (w = workload_number(i)); i += stride()) {
		struct text all = workload_rig_figures(&(struct subject){
			.name = w->name, .seed = 1, .timed = true, .settings = SHORT SIZES});
		const char *figures = text_str(&all);

		if (counted(figures, " mmu__walks.sum ") == 0)
			fail_msg("%s: no address was translated", w->name);
		walks += counted(figures, " mmu__walks.sum ");
		merged += counted(figures, " mmu__l2_merged.sum ");
		stalled += counted(figures, " mmu__stall_cycles.sum ");
		switches += counted(figures, " mmu__switches.sum ");
		text_clear(&all);
	}
	assert_true(walks > 1e4 && merged > 1e4 && stalled > 1e4 && switches > 1e3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_workload_is_right_with_small_tlbs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
