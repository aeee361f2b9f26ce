/* The pool of child processes: every job's result comes back, whatever else happens. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base.h"
#include "core/mem.h"
#include "core/pool.h"

#define JOBS 9

/* Job i writes its number i * 20000 times; ctx says how jobs misbehave. */
struct mischief {
	unsigned crashes, fails; /* JOBS: none */
	bool waits;
};

static void talk(void *ctx, unsigned job, int out)
{
	const struct mischief *m = ctx;
	char words[20000];

	memset(words, '0' + (int)job, sizeof(words));
	for (unsigned i = 0; i < job; i++)
		if (write(out, words, sizeof(words)) != (ssize_t)sizeof(words))
			_exit(2);
	while (m->waits)
		pause();
	if (job == m->crashes)
		raise(SIGKILL);
	_exit(job == m->fails ? 7 : 0);
}

static void count(void *ctx, unsigned done, unsigned jobs)
{
	unsigned *last = ctx;

	assert_int_equal(jobs, JOBS);
	assert_int_equal(done, *last + 1);
	*last = done;
}

static void every_result_is_complete_and_its_own_jobs(void **state)
{
	struct mischief none = {JOBS, JOBS, false};

	(void)state;
	for (unsigned at_once = 1; at_once < 5; at_once += 3) {
		struct pool_result results[JOBS] = {0};
		struct err err = {0};
		unsigned done = 0;
		struct pool_hooks hooks = {.ctx = &done, .progress = count};

		assert_int_equal(pool_run(JOBS, at_once, talk, &none, &hooks, results, &err), 0);
		assert_int_equal(done, JOBS);
		for (unsigned i = 0; i < JOBS; i++) {
			assert_int_equal(results[i].status, 0);
			assert_int_equal(results[i].bytes.len, i * 20000);
			for (size_t k = 0; k < results[i].bytes.len; k++)
				assert_int_equal(results[i].bytes.s[k], '0' + (int)i);
			text_clear(&results[i].bytes);
		}
	}
}

static void a_job_that_dies_stops_no_other(void **state)
{
	struct mischief some = {3, 5, false};
	struct pool_result results[JOBS] = {0};
	struct err err = {0};

	(void)state;
	assert_int_equal(pool_run(JOBS, 2, talk, &some, NULL, results, &err), 0);
	for (unsigned i = 0; i < JOBS; i++) {
		int status = results[i].status;

		assert_int_equal(WIFSIGNALED(status) ? WTERMSIG(status) : 0, i == 3 ? SIGKILL : 0);
		assert_int_equal(
			WIFEXITED(status) ? WEXITSTATUS(status) : 7, i == 3 || i == 5 ? 7 : 0);
		assert_int_equal(results[i].bytes.len, i * 20000);
		text_clear(&results[i].bytes);
	}
}

static void an_interrupt_ends_all_jobs(void **state)
{
	struct mischief sleepy = {JOBS, JOBS, true};
	struct pool_result results[JOBS] = {0};
	struct err err = {0};
	pid_t self = getpid(), killer = fork();

	(void)state;
	if (!killer) {
		usleep(200000);
		kill(self, SIGINT);
		_exit(0);
	}
	assert_int_equal(pool_run(JOBS, 3, talk, &sleepy, NULL, results, &err), -1);
	assert_int_equal(err.code, ERR_INTERRUPTED);
	for (unsigned i = 0; i < JOBS; i++)
		text_clear(&results[i].bytes);
	err_clear(&err);
	while (waitpid(-1, NULL, 0) > 0)
		;
}

/* An owner that receives results one by one. */
struct owner {
	unsigned ended, last; /* jobs that ended; all are ended after this one */
	size_t bytes;
};

static bool even_jobs(void *ctx, unsigned job)
{
	(void)ctx;
	return job % 2 == 0;
}

static int take(void *ctx, unsigned job, struct pool_result *a)
{
	struct owner *o = ctx;

	assert_int_equal(job % 2, 0);
	o->bytes += a->bytes.len;
	text_clear(&a->bytes);
	return ++o->ended == o->last ? -1 : 0;
}

static void unwanted_jobs_are_skipped(void **state)
{
	struct mischief none = {JOBS, JOBS, false};
	struct pool_result results[JOBS] = {0};
	struct owner owner = {.last = JOBS};
	struct pool_hooks hooks = {.ctx = &owner, .wanted = even_jobs, .ended = take};
	struct err err = {0};

	(void)state;
	assert_int_equal(pool_run(JOBS, 2, talk, &none, &hooks, results, &err), 0);
	assert_int_equal(owner.ended, 5);
	assert_int_equal(owner.bytes, (0 + 2 + 4 + 6 + 8) * 20000);
}

static void the_owner_can_end_all_jobs(void **state)
{
	struct mischief none = {JOBS, JOBS, false};
	struct pool_result results[JOBS] = {0};
	struct owner owner = {.last = 2};
	struct pool_hooks hooks = {.ctx = &owner, .wanted = even_jobs, .ended = take};
	struct err err = {0};

	(void)state;
	assert_int_equal(pool_run(JOBS, 1, talk, &none, &hooks, results, &err), -1);
	assert_int_equal(owner.ended, 2);
	assert_string_equal(err_text(&err), "");
}

static void lack_of_memory_is_reported(void **state)
{
	struct mischief none = {JOBS, JOBS, false};
	struct pool_result results[JOBS] = {0};
	struct err err = {0};

	(void)state;
	mem_fail_after(0);
	assert_int_equal(pool_run(JOBS, 2, talk, &none, NULL, results, &err), -1);
	mem_fail_after(-1);
	err_clear(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_result_is_complete_and_its_own_jobs),
		cmocka_unit_test(a_job_that_dies_stops_no_other),
		cmocka_unit_test(an_interrupt_ends_all_jobs),
		cmocka_unit_test(unwanted_jobs_are_skipped),
		cmocka_unit_test(the_owner_can_end_all_jobs),
		cmocka_unit_test(lack_of_memory_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
