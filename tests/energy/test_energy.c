/* Register energy against figures computed by hand from tables 4.5 and 4.6 of Gebhart's
 * dissertation, to the last digit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "energy/registers.h"

static void near(double ours, double theirs)
{
	assert_true(fabs(ours - theirs) <= 1e-12 * fabs(theirs));
}

static struct register_energy defaults(void)
{
	struct register_energy e;

	register_energy_default(&e);
	return e;
}

static void allocation_weighs_bank_and_wire(void **state)
{
	/* Wire: four words at 1.9 pJ/mm: 7.6 pJ from the MRF, 1.52 and 3.04 from the ORF, 0.38
	 * from the LRF. */
	const double orf_read[] = {0.7, 1.2, 1.2, 1.9, 2.0, 2.0, 2.4, 3.4};
	const double orf_write[] = {2.0, 3.8, 4.4, 6.1, 6.0, 6.7, 7.7, 10.9};
	struct register_energy e = defaults();
	struct level_energy l;

	(void)state;
	register_energy_levels(&e, &l);
	near(l.mrf_read, 15.6);
	near(l.mrf_write, 18.6);
	near(l.lrf_read, 1.08);
	near(l.lrf_write, 2.38);
	for (unsigned n = 1; n <= LEVELS_MAX_ORF; n++) {
		near(l.orf_read[n][0], orf_read[n - 1] + 1.52);
		near(l.orf_read[n][1], orf_read[n - 1] + 3.04);
		near(l.orf_write[n][0], orf_write[n - 1] + 1.52);
		near(l.orf_write[n][1], orf_write[n - 1] + 3.04);
	}
}

/* Eight accesses of 128 bits for each operand of a warp. */
static void one_access_of_each_kind_costs_what_the_tables_say(void **state)
{
	static const struct {
		struct register_accesses a;
		uint64_t bank_fj, wire_fj;
	} cases[] = {
		{{.reads = {[REGISTERS_MRF] = 1}}, 64000, 60800},
		{{.writes = {[REGISTERS_MRF] = 1}}, 88000, 60800},
		{{.reads = {[REGISTERS_ORF] = 1}}, 9600, 12160},
		{{.writes = {[REGISTERS_ORF] = 1}}, 35200, 12160},
		{{.reads = {[REGISTERS_ORF_SHARED] = 1}}, 9600, 24320},
		{{.writes = {[REGISTERS_ORF_SHARED] = 1}}, 35200, 24320},
		{{.reads = {[REGISTERS_LRF] = 1}}, 5600, 3040},
		{{.writes = {[REGISTERS_LRF] = 1}}, 16000, 3040},
	};
	struct register_energy e = defaults();

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		struct register_sum sum;

		register_energy_sum(&e, 3, &cases[i].a, &sum);
		assert_int_equal(sum.bank_fj[i / 2], cases[i].bank_fj);
		assert_int_equal(sum.wire_fj[i / 2], cases[i].wire_fj);
		assert_int_equal(sum.total_fj, cases[i].bank_fj + cases[i].wire_fj);
	}
}

static void a_long_run_is_summed_to_the_last_femtojoule(void **state)
{
	const struct register_accesses a = {.reads = {1000000007, 999999937, 17, 500000003},
		.writes = {300000007, 400000009, 1, 600000001}};
	struct register_energy e = defaults();
	struct register_sum sum;

	(void)state;
	register_energy_sum(&e, 5, &a, &sum);
	assert_int_equal(sum.bank_fj[REGISTERS_MRF], 90400001064000);
	assert_int_equal(sum.wire_fj[REGISTERS_MRF], 79040000851200);
	assert_int_equal(sum.bank_fj[REGISTERS_ORF], 35199999424000);
	assert_int_equal(sum.wire_fj[REGISTERS_ORF], 17023999343360);
	assert_int_equal(sum.bank_fj[REGISTERS_ORF_SHARED], 320000);
	assert_int_equal(sum.wire_fj[REGISTERS_ORF_SHARED], 437760);
	assert_int_equal(sum.bank_fj[REGISTERS_LRF], 12400000032800);
	assert_int_equal(sum.wire_fj[REGISTERS_LRF], 3344000012160);
	assert_int_equal(sum.total_fj, 237408001485280);
}

/* Section 6.6.4, with 1.23 reads and 0.8 writes an instruction: 87 % and 61 % are bank energies
 * alone; with wires it is 90.5 % and 69.6 %. */
static void the_limits_of_section_6_6_4_follow_from_the_tables(void **state)
{
	const struct register_accesses mrf = {
		.reads = {[REGISTERS_MRF] = 123}, .writes = {[REGISTERS_MRF] = 80}};
	const struct register_accesses orf = {
		.reads = {[REGISTERS_ORF] = 123}, .writes = {[REGISTERS_ORF] = 80}};
	const struct register_accesses lrf = {
		.reads = {[REGISTERS_LRF] = 123}, .writes = {[REGISTERS_LRF] = 80}};
	struct register_energy e = defaults();
	struct register_sum all, best, five;

	(void)state;
	register_energy_sum(&e, 5, &mrf, &all);
	register_energy_sum(&e, 5, &orf, &five);
	register_energy_sum(&e, 5, &lrf, &best);
	near((double)best.bank_fj[REGISTERS_LRF] / (double)all.bank_fj[REGISTERS_MRF],
		246.1 / 1864);
	near((double)five.bank_fj[REGISTERS_ORF] / (double)all.bank_fj[REGISTERS_MRF],
		726.0 / 1864);
	near((double)best.total_fj / (double)all.total_fj, 323.24 / 3406.8);
	near((double)five.total_fj / (double)all.total_fj, 1034.56 / 3406.8);
}

/* 130 W, a third of it leakage; of the rest 70 % in 16 SMs, of which 15 % are registers. */
static void half_the_register_energy_is_a_twentieth_of_the_chips(void **state)
{
	struct register_energy e = defaults();
	struct register_saving s = register_energy_saving(&e, 0.5);

	(void)state;
	near(s.registers, 0.5);
	near(s.sm, 0.075);
	near(s.chip, 0.0525);
	near(s.encoding, 0.003);
	near(s.sm_w, 130.0 * 2 / 3 * 0.7 / 16);
	near(s.registers_w, 0.56875);
	near(s.saved_w, 4.55);
}

static void parameters_change_the_energies(void **state)
{
	struct config *config = config_new();
	struct register_energy e;
	struct level_energy l;
	struct err err = {0};

	(void)state;
	assert_int_equal(config_set(config, "energy.rf.mrf_read_pj", "9.8", "test", &err), 0);
	assert_int_equal(config_set(config, "energy.rf.mrf_mm", "2", "test", &err), 0);
	register_energy_read(&e, config, &err);
	assert_int_equal(err.count, 0);
	register_energy_levels(&e, &l);
	near(l.mrf_read, 9.8 + 15.2);
	near(l.mrf_write, 11 + 15.2);
	config_free(config);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(allocation_weighs_bank_and_wire),
		cmocka_unit_test(one_access_of_each_kind_costs_what_the_tables_say),
		cmocka_unit_test(a_long_run_is_summed_to_the_last_femtojoule),
		cmocka_unit_test(the_limits_of_section_6_6_4_follow_from_the_tables),
		cmocka_unit_test(half_the_register_energy_is_a_twentieth_of_the_chips),
		cmocka_unit_test(parameters_change_the_energies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
