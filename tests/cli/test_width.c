/* Tables fit the terminal, COLUMNS, or 100 columns; --wide shows all. */
#define _XOPEN_SOURCE 600 /* posix_openpt */
#define _DEFAULT_SOURCE
#include "core/mem.h"
#include "core/text.h"
#include "tests/rig/support_cli.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define RUN "run vectoradd --set vectoradd.n=4096"

/* Lines longer than that, but those of prose at the start. */
static unsigned longer(const char *text, size_t columns)
{
	const char *s = strstr(text, "\n\n");
	unsigned count = 0;

	assert_non_null(s);
	while (*s) {
		size_t n = strcspn(s, "\r\n");

		count += n > columns;
		s += n + (s[n] != '\0');
	}
	return count;
}

static void assert_fits(const struct desk *d, const char *command, size_t columns)
{
	char *text;

	assert_int_equal(desk_run(d, command), 0);
	text = desk_content(d, "out");
	assert_int_equal(longer(text, columns), 0);
	mem_free(text);
}

static void what_is_piped_has_100_columns(void **state)
{
	const struct desk *d = *state;
	char *text;

	unsetenv("COLUMNS");
	assert_fits(d, RUN, 100);
	assert_says(d, "out", "kernel     launches  grid");
	assert_fits(d, "explain vectoradd", 100);
	assert_int_equal(desk_run(d, "params sm.bank"), 0);
	assert_says(d, "out", "64 accesses\n      With bank_conflicts=cycle: accesses");
	assert_int_equal(desk_run(d, RUN " --wide"), 0);
	text = desk_content(d, "out");
	assert_true(longer(text, 100) > 0);
	assert_null(strstr(text, "left out"));
	mem_free(text);
}

static void columns_says_how_wide(void **state)
{
	const struct desk *d = *state;

	setenv("COLUMNS", "60", 1);
	assert_int_equal(desk_run(d, "sweep vectoradd --set vectoradd.n=4096 --over sm.warps=16,32 "
				     "--out %F/s.sqlite"),
		0);
	assert_says(d, "out", "(left out: ");
	setenv("COLUMNS", "none", 1);
	assert_fits(d, RUN, 100);
	setenv("COLUMNS", "500", 1);
	assert_int_equal(desk_run(d, RUN), 0);
	assert_says(d, "out", "kernel               launches        grid");
	unsetenv("COLUMNS");
}

static void files_are_never_fitted(void **state)
{
	const struct desk *d = *state;
	char *narrow, *wide;

	setenv("COLUMNS", "40", 1);
	assert_int_equal(desk_run(d, RUN " --csv -"), 0);
	narrow = desk_content(d, "out");
	setenv("COLUMNS", "400", 1);
	assert_int_equal(desk_run(d, RUN " --csv -"), 0);
	wide = desk_content(d, "out");
	unsetenv("COLUMNS");
	assert_string_equal(narrow, wide);
	mem_free(narrow);
	mem_free(wide);
}

/* What the program writes to a terminal of that many columns. */
static void on_terminal(const struct desk *d, unsigned short columns, struct text *out)
{
	struct winsize size = {.ws_row = 24, .ws_col = columns};
	int terminal = posix_openpt(O_RDWR | O_NOCTTY), other;
	char bytes[4096];
	ssize_t n;
	pid_t pid;

	assert_true(terminal >= 0 && !grantpt(terminal) && !unlockpt(terminal));
	other = open(ptsname(terminal), O_RDWR | O_NOCTTY);
	assert_true(other >= 0 && !ioctl(other, TIOCSWINSZ, &size));
	pid = fork();
	if (!pid) {
		dup2(other, STDOUT_FILENO);
		close(terminal);
		execl(d->program, d->program, "run", "vectoradd", "--set", "vectoradd.n=4096",
			(char *)NULL);
		_exit(127);
	}
	close(other);
	while ((n = read(terminal, bytes, sizeof(bytes))) > 0)
		text_bytes(out, bytes, (size_t)n);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	close(terminal);
}

static void a_terminal_says_how_wide(void **state)
{
	const struct desk *d = *state;
	struct text narrow = {0}, wide = {0};

	unsetenv("COLUMNS");
	on_terminal(d, 70, &narrow);
	on_terminal(d, 200, &wide);
	assert_non_null(strstr(text_str(&narrow), "(left out: "));
	assert_non_null(strstr(text_str(&wide), "kernel               launches        grid"));
	text_clear(&narrow);
	text_clear(&wide);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			what_is_piped_has_100_columns, desk_set_up, desk_tear_down),
		cmocka_unit_test_setup_teardown(columns_says_how_wide, desk_set_up, desk_tear_down),
		cmocka_unit_test_setup_teardown(
			files_are_never_fitted, desk_set_up, desk_tear_down),
		cmocka_unit_test_setup_teardown(
			a_terminal_says_how_wide, desk_set_up, desk_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
