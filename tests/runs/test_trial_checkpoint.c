/* Checkpoints of several parties on one chip: the trial goes on from its file to the report of one
 * that was never stopped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/base.h"
#include "core/rng.h"
#include "runs/trial.h"
#include "tests/rig/seeds.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SMS 3

static char folder[32], state_file[64], notes[64];

static int set_up(void **state)
{
	(void)state;
	setenv("WARPBEAM_DATADIR", WARPBEAM_SRCDIR, 1);
	snprintf(folder, sizeof(folder), "/tmp/parties-XXXXXX");
	assert_non_null(mkdtemp(folder));
	snprintf(state_file, sizeof(state_file), "%s/x.state", folder);
	snprintf(notes, sizeof(notes), "%s/notes", folder);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	unlink(state_file);
	unlink(notes);
	assert_int_equal(rmdir(folder), 0);
	return 0;
}

/* What the trial's process says is in the file `notes`. */
static json_t *run(struct trial t, const struct run_options *o)
{
	struct err err = {0};
	int out = open(notes, O_CREAT | O_TRUNC | O_WRONLY, 0600), saved = dup(STDERR_FILENO), bad;

	assert_true(out >= 0 && dup2(out, STDERR_FILENO) >= 0);
	t.report = NULL;
	bad = trials_run(o, &t, 1, &err);
	assert_true(dup2(saved, STDERR_FILENO) >= 0);
	close(saved);
	close(out);
	if (bad)
		fail_msg("%s", err_text(&err));
	return t.report;
}

static bool noted(const char *words)
{
	char text[512] = "";
	FILE *f = fopen(notes, "r");

	assert_non_null(f);
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	return strstr(text, words);
}

static void assert_alike(json_t *whole, json_t *other)
{
	assert_non_null(other);
	assert_true(json_equal(whole, other));
	json_decref(other);
}

/* Whole; with checkpoints; from the last of them, with other threads. */
static void goes_on(const struct trial *trial, uint64_t every, unsigned threads)
{
	static const char *const set[] = {"chip.sms=3", "chip.channels=2"};
	char cycles[32];
	struct run_options o = {.seed = 1,
		.threads = 1,
		.set = {(const char **)set, ARRAY_LEN(set)},
		.quiet = true,
		.no_pin = true};
	struct trial t = *trial;
	json_t *whole = run(t, &o);

	snprintf(cycles, sizeof(cycles), "%llu", (unsigned long long)every);
	t.state_file = state_file;
	o.checkpoint.every = cycles;
	assert_alike(whole, run(t, &o));
	assert_int_equal(access(state_file, F_OK), 0);
	o.threads = threads;
	assert_alike(whole, run(t, &o));
	if (!noted("goes on from"))
		fail_msg("every %s: the trial began again", cycles);
	unlink(state_file);
	json_decref(whole);
}

/* Copy i on SM i, as reproduce weak has them. Mergesort's host reads between launches. */
static void copies_side_by_side_go_on(void **state)
{
	struct party copies[SMS] = {{0}};
	struct trial t = {.name = "copies", .parties = copies, .nparties = SMS, .streams = true};
	struct rng rng = rng_new(25, 0);

	(void)state;
	for (unsigned i = 0; i < SMS; i++)
		copies[i] = (struct party){.target = "mergesort",
			.place = {.stream = i * PARTY_STREAMS, .sms = {UINT64_C(1) << i}},
			.seed = i};
	for (unsigned i = 0; i < seeds(2); i++)
		goes_on(&t, 3000 + rng_below(&rng, 200000), 1 + i % 3);
}

/* The shorter is over while the longer runs. */
static void different_works_on_one_chip_go_on(void **state)
{
	static const struct party both[] = {{.target = "mergesort"},
		{.target = "vectoradd", .place = {.stream = PARTY_STREAMS, .sms = {6}}}};
	struct trial t = {
		.name = "both", .parties = both, .nparties = ARRAY_LEN(both), .streams = true};

	(void)state;
	goes_on(&t, 5000, 2);
	goes_on(&t, 60000, 3);
}

int main(void)
{
#ifndef HAVE_ZSTD
	return 77; /* skipped: this build cannot pack them */
#endif
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(copies_side_by_side_go_on, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			different_works_on_one_chip_go_on, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
