/* Small programs, each with 32-bit and 64-bit addresses, without time. */
#include "tests/programs/programs.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void run_all(unsigned address_bits, const char *settings)
{
	for (unsigned i = 0; program_files[i]; i++)
		programs_run(program_files[i], address_bits, settings);
}

static void programs_with_32_bit_addresses_give_what_their_references_give(void **state)
{
	(void)state;
	run_all(32, "");
}

static void programs_with_64_bit_addresses_give_what_their_references_give(void **state)
{
	(void)state;
	run_all(64, "");
}

static void programs_give_the_same_with_the_other_allocator(void **state)
{
	(void)state;
	run_all(32, "gpu.allocator=linear");
	run_all(64, "gpu.allocator=colour");
}

static void programs_give_the_same_wherever_their_registers_are(void **state)
{
	(void)state;
	run_all(32, "rf.hierarchy=software rf.entries=3");
	run_all(64, "rf.hierarchy=software rf.entries=2 rf.lrf=1");
	run_all(32, "rf.hierarchy=software rf.entries=5 rf.lrf=3 rf.one_level_writes=true");
	run_all(64, "rf.hierarchy=hardware rf.entries=6");
	run_all(32, "rf.hierarchy=hardware rf.entries=1 rf.lru=true rf.reads_allocate=true");
	run_all(64, "rf.hierarchy=hardware rf.entries=3 rf.lrf=1 rf.bypass=false");
	run_all(32, "rf.hierarchy=hardware rf.entries=13 rf.lrf=1 rf.liveness=false");
}

static void programs_give_the_same_with_few_registers(void **state)
{
	(void)state;
	run_all(32, "gpu.max_regs=16");
	run_all(64, "gpu.max_regs=20");
}

static void programs_give_the_same_with_spills_in_shared_memory(void **state)
{
	(void)state;
	run_all(32, "gpu.max_regs=16 gpu.spill=shared gpu.spill_slots=3");
	run_all(64, "gpu.max_regs=20 gpu.spill=shared gpu.spill_slots=8 gpu.spill_rank=uses");
}

static void there_are_two_hundred_programs_and_more(void **state)
{
	unsigned n = 0;

	(void)state;
	for (unsigned i = 0; program_files[i]; i++)
		n += program_files[i]->nrows;
	assert_true(n >= 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs_with_32_bit_addresses_give_what_their_references_give),
		cmocka_unit_test(programs_with_64_bit_addresses_give_what_their_references_give),
		cmocka_unit_test(programs_give_the_same_with_the_other_allocator),
		cmocka_unit_test(programs_give_the_same_wherever_their_registers_are),
		cmocka_unit_test(programs_give_the_same_with_few_registers),
		cmocka_unit_test(programs_give_the_same_with_spills_in_shared_memory),
		cmocka_unit_test(there_are_two_hundred_programs_and_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
