/* Checkpoints of runs: the same command goes on from a file to the same bytes; what cannot be in
 * one, and files that are not of the run, are refused in one line. */
#include <stdio.h>
#include <string.h>

#include "core/base.h"
#include "core/mem.h"
#include "tests/rig/support_cli.h"

/* A run's command, with its two files. */
static void run_to(const struct desk *d, const char *target, const char *name, const char *more)
{
	char command[512];

	snprintf(command, sizeof(command), "run %s --quiet --json %%F/%s.json --csv %%F/%s.csv %s",
		target, name, name, more);
	assert_int_equal(desk_run(d, command), 0);
}

static void assert_same_files(const struct desk *d, const char *a, const char *b)
{
	size_t n, m;
	char *one = desk_bytes(d, a, &n), *other = desk_bytes(d, b, &m);

	assert_int_equal(n, m);
	assert_memory_equal(one, other, n);
	mem_free(one);
	mem_free(other);
}

/* A run, the same one that writes checkpoints, and one that goes on from the last of them, with
 * `more`. */
static void goes_on(const struct desk *d, const char *target, const char *every, const char *more)
{
	char options[128];

	run_to(d, target, "whole", "");
	snprintf(options, sizeof(options), "--checkpoint %%F/c --checkpoint-every %s", every);
	run_to(d, target, "wrote", options);
	snprintf(options, sizeof(options), "--resume %%F/c %s", more);
	run_to(d, target, "again", options);
	assert_same_files(d, "whole.json", "wrote.json");
	assert_same_files(d, "whole.json", "again.json");
	assert_same_files(d, "whole.csv", "again.csv");
}

static void a_resumed_run_has_the_bytes_of_one_that_was_never_stopped(void **state)
{
	goes_on(*state, "vectoradd --set chip.sms=4", "4000", "");
	goes_on(*state, "needle --set chip.sms=4", "90000", "--threads 3");
}

/* Its host copies results between launches. */
static void a_host_that_reads_results_between_launches_is_repeated(void **state)
{
	goes_on(*state, "mergesort --set chip.sms=4", "30000", "--threads 2");
}

/* Whose launches and CTAs run without time, and which figures count, is as without a checkpoint. */
static void what_is_sampled_warm_or_skipped_goes_on(void **state)
{
	goes_on(*state, "needle --set chip.sms=4 --sample launches", "90000", "--threads 2");
	goes_on(*state, "vectoradd --set chip.sms=1 --sample ctas", "1000", "");
	goes_on(*state, "vectoradd --set chip.sms=1 --sample interval", "1000", "--threads 2");
	goes_on(*state, "backprop --set chip.sms=4 --sample within", "10000", "--threads 2");
	goes_on(*state, "mergesort --set chip.sms=2 --sample auto", "50000", "");
	goes_on(*state, "needle --set chip.sms=4 --warm --from-launch 4 --power", "90000",
		"--power");
	goes_on(*state, "vectoradd --set chip.sms=4 --skip-cycles 1800 --power", "1800",
		"--threads 3 --power");
	goes_on(*state, "vectoradd --set chip.sms=4 --skip-cycles 3000", "4000", "");
}

static void a_resumed_run_writes_checkpoints_too(void **state)
{
	const struct desk *d = *state;

	goes_on(d, "backprop --set chip.sms=4", "30000",
		"--checkpoint %F/c --checkpoint-every 20000");
	run_to(d, "backprop --set chip.sms=4", "third", "--resume %F/c");
	assert_same_files(d, "whole.json", "third.json");
}

static void dumps_and_limits_are_as_without_it(void **state)
{
	const struct desk *d = *state;

	assert_int_equal(desk_run(d, "run vectoradd --quiet --set chip.sms=4 --dump c=%F/a"), 0);
	assert_int_equal(desk_run(d, "run vectoradd --quiet --set chip.sms=4 --max-cycles 2000 "
				     "--checkpoint %F/c --checkpoint-every 1000"),
		8);
	assert_int_equal(desk_run(d, "run vectoradd --quiet --set chip.sms=4 --dump c=%F/b "
				     "--resume %F/c"),
		0);
	assert_same_files(d, "a", "b");
}

/* The same second halves. */
static void assert_same_ends(const struct desk *d, const char *a, const char *b)
{
	size_t n, m;
	char *one = desk_bytes(d, a, &n), *other = desk_bytes(d, b, &m);

	assert_in_range(m, 1000, n);
	assert_memory_equal(one + n - m / 2, other + m - m / 2, m / 2);
	mem_free(one);
	mem_free(other);
}

#define TRACED \
	"run needle --quiet --set chip.sms=4 --trace-filter noc.*,sm.1,dispatcher --vcd-filter " \
	"sm.* --trace %%F/%s.trace --vcd %%F/%s.vcd --json %%F/%s.json %s"

static void traced(const struct desk *d, const char *name, const char *more)
{
	char command[512];

	snprintf(command, sizeof(command), TRACED, name, name, name, more);
	assert_int_equal(desk_run(d, command), 0);
}

static void a_trace_goes_on(void **state)
{
	const struct desk *d = *state;

	traced(d, "whole", "");
	traced(d, "wrote", "--checkpoint %F/c --checkpoint-every 300000");
	traced(d, "again", "--resume %F/c --threads 2");
	assert_same_files(d, "whole.json", "wrote.json");
	assert_same_files(d, "whole.trace", "wrote.trace");
	assert_same_files(d, "whole.vcd", "wrote.vcd");
	assert_same_files(d, "whole.json", "again.json");
	assert_same_ends(d, "whole.trace", "again.trace");
	assert_same_ends(d, "whole.vcd", "again.vcd");
}

static void profiled(const struct desk *d, const char *name, const char *more)
{
	char command[512];

	snprintf(command, sizeof(command),
		"profile mergesort --quiet --set chip.sms=4 --json %%F/%s.json --csv %%F/%s.csv "
		"--html %%F/%s.html %s",
		name, name, name, more);
	assert_int_equal(desk_run(d, command), 0);
}

static void a_profile_goes_on(void **state)
{
	const struct desk *d = *state;

	profiled(d, "whole", "");
	profiled(d, "wrote", "--checkpoint %F/c --checkpoint-every 50000");
	profiled(d, "again", "--resume %F/c --threads 2");
	assert_same_files(d, "whole.json", "wrote.json");
	assert_same_files(d, "whole.json", "again.json");
	assert_same_files(d, "whole.csv", "again.csv");
	assert_same_files(d, "whole.html", "again.html");
}

/* ---- refusals: one line each */
static void refused(const struct desk *d, const char *arguments, int code, const char *says)
{
	char *err;

	assert_int_equal(desk_run(d, arguments), code);
	assert_says(d, "err", says);
	err = desk_content(d, "err");
	assert_ptr_equal(strchr(err, '\n') + 1, err + strlen(err));
	mem_free(err);
}

static void a_file_of_another_run_is_refused(void **state)
{
	const struct desk *d = *state;

	assert_int_equal(desk_run(d, "run vectoradd --quiet --set chip.sms=4 --checkpoint %F/c "
				     "--checkpoint-every 1000"),
		0);
	refused(d, "run vectoradd --set chip.sms=5 --resume %F/c", 3,
		"it is of a run with 'chip.sms = 4', this one has 'chip.sms = 5'");
	refused(d, "run vectoradd --set chip.sms=4 --seed 2 --resume %F/c", 3,
		"it is of a run with 'seed 1', this one has 'seed 2'");
	refused(d, "run needle --set chip.sms=4 --resume %F/c", 3,
		"it is of a run with 'target vectoradd', this one has 'target needle'");
	refused(d, "run vectoradd --set chip.sms=4 --size full --resume %F/c", 3, "'size 0'");
	refused(d, "run vectoradd --set chip.sms=4 --trace %F/t --resume %F/c", 3,
		"it is of a run with 'trace none', this one has 'trace of the usual signals'");
	refused(d, "profile vectoradd --set chip.sms=4 --resume %F/c", 3,
		"it is of a run with 'profile no', this one has 'profile yes'");
	refused(d, "run vectoradd --set chip.sms=4 --resume %F/none", 3, "No such file");
}

static void spoil(const struct desk *d, const char *to, size_t at, size_t cut)
{
	char path[128];
	static char bytes[1 << 24];
	FILE *f;
	size_t n;

	snprintf(path, sizeof(path), "%s/c", d->folder);
	f = fopen(path, "rb");
	assert_non_null(f);
	n = fread(bytes, 1, sizeof(bytes), f);
	fclose(f);
	assert_in_range(n, 1000, sizeof(bytes) - 1);
	bytes[at % n] ^= 4;
	snprintf(path, sizeof(path), "%s/%s", d->folder, to);
	f = fopen(path, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, cut < n ? cut : n, f), cut < n ? cut : n);
	fclose(f);
}

static void a_damaged_file_is_refused(void **state)
{
	const struct desk *d = *state;
	static const size_t at[] = {40, 500, 5000, 50000};

	assert_int_equal(desk_run(d, "run vectoradd --quiet --set chip.sms=4 --checkpoint %F/c "
				     "--checkpoint-every 1000"),
		0);
	for (size_t i = 0; i < ARRAY_LEN(at); i++) {
		spoil(d, "bad", at[i], SIZE_MAX);
		refused(d, "run vectoradd --set chip.sms=4 --resume %F/bad", 3,
			"bad: the checkpoint is damaged or incomplete");
		spoil(d, "bad", 5, at[i]);
		refused(d, "run vectoradd --set chip.sms=4 --resume %F/bad", 3,
			"must begin with the line 'warpbeam checkpoint 2'");
	}
	refused(d, "run vectoradd --resume /dev/null", 3, "/dev/null");
}

static void what_cannot_be_in_one_is_refused_by_name(void **state)
{
	const struct desk *d = *state;

	refused(d, "run vectoradd --checkpoint-every 10", 2, "--checkpoint FILE");
	refused(d, "run vectoradd --checkpoint-term", 2, "--checkpoint FILE");
	refused(d, "run vectoradd --checkpoint %F/c --checkpoint-every 10m", 2,
		"--checkpoint-every 10m: must be cycles (1000000), or seconds (60s)");
	refused(d, "run vectoradd --checkpoint %F/c --checkpoint-every 0", 2, "must be cycles");
	refused(d, "run --checkpoint %F/c -- /bin/true", 2,
		"a CUDA program's live run cannot be in a checkpoint: record it first (--record)");
	assert_false(desk_has(d, "c"));
}

int main(void)
{
#ifndef HAVE_ZSTD
	return 77; /* skipped: this build cannot pack them */
#endif
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			a_resumed_run_has_the_bytes_of_one_that_was_never_stopped, desk_set_up,
			desk_tear_down),
		cmocka_unit_test_setup_teardown(
			a_host_that_reads_results_between_launches_is_repeated, desk_set_up,
			desk_tear_down),
		cmocka_unit_test_setup_teardown(
			what_is_sampled_warm_or_skipped_goes_on, desk_set_up, desk_tear_down),
		cmocka_unit_test_setup_teardown(
			a_resumed_run_writes_checkpoints_too, desk_set_up, desk_tear_down),
		cmocka_unit_test_setup_teardown(
			dumps_and_limits_are_as_without_it, desk_set_up, desk_tear_down),
		cmocka_unit_test_setup_teardown(a_trace_goes_on, desk_set_up, desk_tear_down),
		cmocka_unit_test_setup_teardown(a_profile_goes_on, desk_set_up, desk_tear_down),
		cmocka_unit_test_setup_teardown(
			a_file_of_another_run_is_refused, desk_set_up, desk_tear_down),
		cmocka_unit_test_setup_teardown(
			a_damaged_file_is_refused, desk_set_up, desk_tear_down),
		cmocka_unit_test_setup_teardown(
			what_cannot_be_in_one_is_refused_by_name, desk_set_up, desk_tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
