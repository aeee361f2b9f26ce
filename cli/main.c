/* The command warpbeam: reads which command it is, prints help, ends with an exit code. */
#include "cli/command.h"

#include "cli/html/results.h"
#include "cli/manual.h"
#include "cli/serve/serve.h"
#include "runs/description.h"
#include "runs/roll.h"

#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void help(struct text *out)
{
	text_add(out, "usage: warpbeam COMMAND [ARGUMENT] [OPTION]...\n"
		      "A model of a whole GPU that runs PTX kernels and reports what they did to "
		      "each other.\n\n"
		      "commands (warpbeam COMMAND --help lists a command's options):\n");
	for (const struct command *c = command_rows; c->name; c++)
		text_add(out, "  %-9s\t%-20s \t%s\n", c->name, c->arguments, c->text);
	text_add(out, "\noptions:\n"
		      "  --help                Prints this.\n"
		      "  --help --man          The same, and more, for the manual page (roff).\n"
		      "  --help --markdown     Commands and exit codes as tables.\n"
		      "  --version             Prints version and build.\n\nexit codes:\n");
	for (unsigned i = 0; i < EXIT_CODES; i++)
		text_add(out, "  %2u \t%-12s\t%s\n", i, exit_codes[i].name, exit_codes[i].text);
}

static void command_help(const struct command *c, struct text *out)
{
	text_add(out, "usage: warpbeam %s%s%s [OPTION]...\n%s\n\noptions:\n", c->name,
		*c->arguments ? " " : "", c->arguments, c->text);
	options_help(c->bit, out);
}

/* Of one kind of replay its own options; without a kind all options, and a line for each kind. */
static void replay_help(const struct command *c, const char *kind, struct text *out)
{
	const struct replay_kind *of = replay_find(kind);

	if (of) {
		text_add(out,
			"usage: warpbeam %s %s %s [OPTION]...\n%s\n\nparameters for --set: "
			"%s\n\noptions:\n",
			c->name, of->name, of->argument, of->text, of->params);
		options_help(of->bit, out);
		return;
	}
	command_help(c, out);
	text_add(out, "\nthe options of one kind:\n");
	for (of = replay_kinds; of->name; of++)
		text_add(out, "  warpbeam %s %s --help\n", c->name, of->name);
}

static const struct command *find(const char *name, struct err *err)
{
	const char *names[COMMANDS_MOST], *near;
	size_t n = 0;

	for (const struct command *c = command_rows; c->name; c++) {
		if (!strcmp(c->name, name))
			return c;
		BUG_ON(n == COMMANDS_MOST);
		names[n++] = c->name;
	}
	near = err_nearest(name, names, n);
	err_add(err, ERR_USAGE, "unknown command '%s'%s%s%s; see warpbeam --help", name,
		near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
	return NULL;
}

/* Here, since a command may open its chips many times. */
static int tell_chips(const struct run_options *o, struct arena *arena, struct err *err)
{
	struct source source = {.arena = arena, .directory = ".", .files = o->files};

	if (o->chips.n < 2 || o->quiet)
		return 0;
	return description_tell_overridden(&o->chips, &source, err);
}

static int run_served(
	const struct command *c, struct options *o, struct session *s, struct err *err)
{
	struct serve *server = serve_open(o->port, c->name, o, &s->arena, err);
	int bad;

	if (!server)
		return -1;
	o->run.served = serve_served(server);
	bad = c->run(o, s, err);
	serve_end(server, err);
	return bad;
}

static int run_command(
	const struct command *c, int argc, char **argv, struct session *s, struct err *err)
{
	struct options options;
	struct roll roll = {.arena = &s->arena};
	int bad;

	if (options_parse(&options, argc, argv, c->bit, &s->arena, err))
		return -1;
	if (options.help) {
		if (c->bit == COMMAND_REPLAY)
			replay_help(c, options.operands.n ? options.operands.at[0] : "", &s->out);
		else
			command_help(c, &s->out);
		return output_report(&s->out, options.run.uncut, err);
	}
	if (options.operands.n < c->least)
		return err_add(err, ERR_USAGE, "%s needs %s", c->name, c->arguments);
	if (options.operands.n > c->most)
		return err_add(err, ERR_USAGE, "%s: one argument too many: '%s'", c->name,
			options.operands.at[c->most]);
	options.run.files = &s->files;
	options.run.roll = options.html ? &roll : NULL;
	if (files_open(options.run.files, "stdout", STDOUT_FILENO, err) ||
		options_outputs(&options, err))
		return -1;
	if (tell_chips(&options.run, &s->arena, err))
		return -1;
	bad = options.given[OPTION_SERVE] ? run_served(c, &options, s, err)
					  : c->run(&options, s, err);
	if (roll.cut)
		bad |= page_ended(&options, c->name, &roll, err);
	return bad;
}

static int dispatch(int argc, char **argv, struct session *s, struct err *err)
{
	const struct command *c;

	if (argc < 2)
		return err_add(err, ERR_USAGE, "a command is missing; see warpbeam --help");
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		if (argc > 2 && !strcmp(argv[2], "--man")) {
			manual_roff(&s->out);
		} else if (argc > 2 && !strcmp(argv[2], "--markdown")) {
			manual_markdown(&s->out);
		} else {
			help(&s->out);
			return output_report(&s->out, false, err);
		}
		return output_text(&s->out, err);
	}
	if (!strcmp(argv[1], "--version")) {
		text_add(&s->out, "warpbeam %s (%s)\n", program_version(), program_build());
		return output_text(&s->out, err);
	}
	c = find(argv[1], err);
	return c ? run_command(c, argc - 2, argv + 2, s, err) : -1;
}

/* Prefixes every line with the program's name. */
static void print_errors(const struct err *err)
{
	const char *line = err_text(err);

	while (*line) {
		int n = (int)strcspn(line, "\n");

		if (n)
			fprintf(stderr, "warpbeam: %.*s\n", n, line);
		line += n + (line[n] == '\n');
	}
}

/* Files opened later must not get the descriptor of a standard stream that was closed. */
static void guard_streams(void)
{
	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) == -1 && open("/dev/null", fd ? O_RDONLY : O_WRONLY) != fd)
			return;
}

/* Outside of runs, which end with a partial report: no report, and a file that was being written
 * keeps its temporary name. */
static void on_interrupt(int signum)
{
	static const char words[] = "warpbeam: interrupted: no run at the moment, no report; files "
				    "of results keep what they have\n";
	ssize_t n = write(STDERR_FILENO, words, sizeof(words) - 1);

	(void)signum;
	(void)n;
	_exit(ERR_INTERRUPTED);
}

/* Outside of runs, whose loops report progress. */
static void on_status(int signum)
{
	static const char words[] =
		"warpbeam: no run at the moment: inputs or results are handled\n";
	ssize_t n = write(STDERR_FILENO, words, sizeof(words) - 1);

	(void)signum;
	(void)n;
}

int main(int argc, char **argv)
{
	struct session session = {0};
	struct err err = {0};
	enum err_code code;
	jmp_buf escape;

	guard_streams();
	json_set_alloc_funcs(mem_noted, mem_library_free);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGUSR1, on_status);
	signal(SIGINT, on_interrupt);
	signal(SIGTERM, on_interrupt);
	signal(SIGXFSZ, SIG_IGN); /* exceeding the file size limit is a failed write */
	session.arena.escape = &escape;
	if (setjmp(escape))
		err_add(&err, ERR_RESOURCE, "no host memory");
	else
		dispatch(argc, argv, &session, &err);
	session_close(&session);
	print_errors(&err);
	code = err.code;
	err_clear(&err);
	return (int)code;
}
