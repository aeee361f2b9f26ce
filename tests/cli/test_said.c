/* The names in reports: energies, verdicts, caches of registers, scenarios. */
#include "tests/rig/support_cli.h"

#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "draw/number.h"

static void assert_energy(double nj, const char *expected)
{
	char words[32];

	assert_string_equal(number_energy(nj, words) + strspn(words, " "), expected);
	assert_true(strlen(words) >= 18);
}

static void energies_have_four_digits_and_a_unit_of_their_size(void **state)
{
	(void)state;
	assert_energy(107977.1136, "108.0 uJ");
	assert_energy(0, "0 nJ");
	assert_energy(7e-6, "7 fJ");
	assert_energy(1.5, "1.500 nJ");
	assert_energy(12.345, "12.35 nJ");
	assert_energy(999.96, "1.000 uJ");
	assert_energy(5774000, "5.774 mJ");
	assert_energy(2e9, "2.000 J");
	assert_energy(3e12, "3,000 J");
}

static void says_not(const struct desk *d, const char *words)
{
	char *text = desk_content(d, "out");

	if (strstr(text, words))
		fail_msg("'%s' in:\n%s", words, text);
	mem_free(text);
}

static void a_hardware_cache_of_registers_is_an_rfc(void **state)
{
	const struct desk *d = *state;

	assert_int_equal(desk_run(d, "exec vectoradd --registers --set rf.hierarchy=hardware"), 0);
	assert_says(d, "out", "RFC (shared)");
	assert_says(d, "out", "RFC, banks");
	says_not(d, "ORF");
	says_not(d, " fJ\n");
	assert_int_equal(desk_run(d, "explain vectoradd --set rf.hierarchy=hardware"), 0);
	assert_says(d, "out", "RFC (shared)");
	says_not(d, "ORF");
	assert_int_equal(desk_run(d, "explain vectoradd"), 0);
	assert_says(d, "out", "ORF (shared)");
}

static void write_scenario(const struct desk *d)
{
	static const char *const texts[][2] = {
		{"k.ptx", ".version 3.0\n.target sm_20\n.address_size 64\n.entry k () { ret; }\n"},
		{"s.yaml", "launches: [{module: k.ptx, kernel: k, grid: 64, block: 32}]\n"}};

	for (unsigned i = 0; i < 2; i++) {
		char path[200];
		FILE *f;

		snprintf(path, sizeof(path), "%s/%s", d->folder, texts[i][0]);
		f = fopen(path, "w");
		assert_non_null(f);
		fputs(texts[i][1], f);
		fclose(f);
	}
}

static void a_comparison_of_scenarios_reports_no_size(void **state)
{
	const struct desk *d = *state;

	write_scenario(d);
	assert_int_equal(desk_run(d, "compare %F/s.yaml"), 0);
	says_not(d, "size small");
	says_not(d, "-bit addresses");
	assert_says(d, "out", "chip as in the scenario");
	assert_int_equal(desk_run(d, "compare %F/s.yaml --chip dis40"), 0);
	assert_says(d, "out", "\nchip dis40\n");
}

static void a_page_of_one_table_reports_its_own_command(void **state)
{
	const struct desk *d = *state;

	assert_int_equal(desk_run(d, "reproduce fig6.1 scalarprod --quiet --html %F/p.html && cp "
				     "%F/p.html %F/out"),
		0);
	says_not(d, "--all");
	assert_says(d, "p.html", "<code>warpbeam reproduce fig6.1 scalarprod --html FILE");
}

int main(void)
{
#define WITH_DESK(f) cmocka_unit_test_setup_teardown(f, desk_set_up, desk_tear_down)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(energies_have_four_digits_and_a_unit_of_their_size),
		WITH_DESK(a_hardware_cache_of_registers_is_an_rfc),
		WITH_DESK(a_comparison_of_scenarios_reports_no_size),
		WITH_DESK(a_page_of_one_table_reports_its_own_command),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
