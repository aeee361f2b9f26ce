/* A CUDA program and a scenario with the same launch have the same rows in every command. */
#include "tests/rig/support_cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "core/mem.h"

#ifdef HAVE_CUDA

static const char scenario[] =
	"buffers:\n  out: { type: u32, count: 32 }\nlaunches:\n"
	"  - { module: app, kernel: fill, grid: 1, block: 32, args: [ {buffer: out}, {u32: 299} ] }\n";

static int set_up(void **state)
{
	const struct desk *d;
	char path[128];
	FILE *f;

	desk_set_up(state);
	d = *state;
	cuda_put_fatbin(d, cuda_ptx, PACK_PLAIN);
	cuda_build(d, "program.c", "libcudart.so.13");
	snprintf(path, sizeof(path), "%s/s.yaml", d->folder);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(scenario, f);
	fclose(f);
	return 0;
}

/* The file's text with `name` for the program and the scenario. */
static char *without_name(const struct desk *d, const char *file, const char *name)
{
	char *text = desk_content(d, file), *at;

	for (at = text; (at = strstr(at, "'-- ")) != NULL;) /* CSV's, of a cell that is no number */
		memmove(at, at + 1, strlen(at + 1) + 1);
	while ((at = strstr(text, name)) != NULL)
		memmove(at, at + strlen(name), strlen(at + strlen(name)) + 1);
	return text;
}

/* Leaves out tables with the names of modules and buffers. */
static void cut(char *text)
{
	char *at = strstr(text, "# kernels");

	if (at)
		*at = '\0';
}

static void a_program_has_the_rows_of_the_same_scenario(void **state)
{
	static const char *const commands[] = {"profile --csv %%F/%s.csv", "tune --csv %%F/%s.csv",
		"exec --csv %%F/%s.csv",
		"sweep --over chip.sms=1,2 --out %%F/%s.db --csv %%F/%s.csv",
		"compare --csv %%F/%s.csv"};
	const struct desk *d = *state;

	for (unsigned i = 0; i < ARRAY_LEN(commands); i++) {
		char command[320], a[256], b[256], name[80];
		char *x, *y;

		snprintf(a, sizeof(a), commands[i], "a", "a");
		snprintf(b, sizeof(b), commands[i], "b", "b");
		snprintf(command, sizeof(command), "%s --quiet%s", a,
			i == 3 ? " -- %F/app one" : " --set chip.sms=2 -- %F/app one");
		assert_int_equal(desk_run(d, command), 0);
		assert_says(d, "err", "");
		snprintf(command, sizeof(command), "%s --quiet%s", b,
			i == 3 ? " %F/s.yaml" : " --set chip.sms=2 %F/s.yaml");
		assert_int_equal(desk_run(d, command), 0);
		snprintf(name, sizeof(name), "-- %s/app one", d->folder);
		x = without_name(d, "a.csv", name);
		cut(x);
		snprintf(name, sizeof(name), "%s/s.yaml", d->folder);
		y = without_name(d, "b.csv", name);
		cut(y);
		assert_true(strlen(x) > 60);
		assert_string_equal(x, y);
		mem_free(x);
		mem_free(y);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(
		a_program_has_the_rows_of_the_same_scenario, set_up, desk_tear_down)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
	return 77; /* no such programs here */
}

#endif
