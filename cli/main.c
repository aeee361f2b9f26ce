/* The command warpbeam: its commands, its help, its exit codes. */
#include "cli/command.h"

#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct command {
	const char *name, *arguments, *text;
	command_fn *run;
	enum command_bit bit;
	unsigned least, most; /* operands */
} commands[] = {
	{"run", "WORKLOAD|FILE.yaml", "Runs a workload or a scenario and reports what it measured.",
		command_run, COMMAND_RUN, 1, 1},
	{"exec", "WORKLOAD|FILE.yaml",
		"Runs a workload or a scenario without time, and counts what it executes.",
		command_exec, COMMAND_EXEC, 1, 1},
	{"check", "FILE.ptx...",
		"Compiles PTX: what each kernel needs, and what is wrong or not supported.",
		command_check, COMMAND_CHECK, 1, 65536},
	{"explain", "WORKLOAD|FILE.ptx",
		"Shows the allocated code: places, spills, strands, live counts, source.",
		command_explain, COMMAND_EXPLAIN, 1, 1},
	{"forms", "", "Prints the page of all supported PTX forms, as Markdown.", command_forms,
		COMMAND_FORMS, 0, 0},
	{"compare", "WORKLOAD|FILE.yaml..",
		"Compares the chip with the one-SM shortcut, or kernels on one chip.",
		command_compare, COMMAND_COMPARE, 1, COMPARE_TARGETS},
	{"reproduce", "[TABLE|--all [WORKLOAD..]]",
		"Measures a paper's table or figure and puts the paper's numbers beside; lists "
		"them.",
		command_reproduce, COMMAND_REPRODUCE, 0, 1 + COMPARE_TARGETS},
	{"sweep", "WORKLOAD|FILE.yaml..",
		"Runs over all combinations of parameter values, into a file of results.",
		command_sweep, COMMAND_SWEEP, 1, COMPARE_TARGETS},
	{"occupancy", "WORKLOAD|FILE",
		"Tells what limits the resident threads in each design of storage.",
		command_occupancy, COMMAND_OCCUPANCY, 1, 1},
	{"tune", "WORKLOAD|FILE.yaml",
		"Tries numbers of resident threads, or splits of storage, and tells the best.",
		command_tune, COMMAND_TUNE, 1, 1},
	{"profile", "WORKLOAD|FILE.yaml",
		"Tells where DRAM traffic comes from: kernel, buffer, line, SM, channel, time.",
		command_profile, COMMAND_PROFILE, 1, 1},
	{"replay", "dram|cache TRACE|noc PATTERN",
		"Replays a trace in one DRAM channel, a line 'R 0xADDRESS' or 'W 0xADDRESS' each, "
		"or in one cache, a line '0 ADDRESS' (a read) or '1 ADDRESS' (a write) each; or "
		"traffic through one network, as uniform:32x12.",
		command_replay, COMMAND_REPLAY, 2, 2},
	{"list", "", "Lists the workloads.", command_list, COMMAND_LIST, 0, 0},
	{"params", "[PREFIX]", "Lists all parameters: value, bounds, meaning.", command_params,
		COMMAND_PARAMS, 0, 1},
	{"stats", "", "Lists all metrics: unit and meaning.", command_stats, COMMAND_STATS, 0, 0},
	{"topology", "", "Lists the chip's parts and how they are linked.", command_topology,
		COMMAND_TOPOLOGY, 0, 0},
};

static void help(struct text *out)
{
	text_add(out,
		"usage: warpbeam COMMAND [ARGUMENT] [OPTION]...\n"
		"A model of a whole GPU that runs PTX kernels and tells what they did to each "
		"other.\n\n"
		"commands (warpbeam COMMAND --help tells a command's options):\n");
	for (unsigned i = 0; i < ARRAY_LEN(commands); i++)
		text_add(out, "  %-9s %-20s  %s\n", commands[i].name, commands[i].arguments,
			commands[i].text);
	text_add(out, "\noptions:\n  --help    Prints this.\n"
		      "  --version Prints version and build.\n\nexit codes:\n");
	for (unsigned i = 0; i < EXIT_CODES; i++)
		text_add(out, "  %2u  %-12s %s\n", i, exit_codes[i].name, exit_codes[i].text);
}

static void command_help(const struct command *c, struct text *out)
{
	text_add(out, "usage: warpbeam %s%s%s [OPTION]...\n%s\n\noptions:\n", c->name,
		*c->arguments ? " " : "", c->arguments, c->text);
	options_help(c->bit, out);
}

/* Of one kind of replay what is its own; of none a line for each, and all options. */
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
	text_add(out, "\nthe options of one alone:\n");
	for (of = replay_kinds; of->name; of++)
		text_add(out, "  warpbeam %s %s --help\n", c->name, of->name);
}

static const struct command *find(const char *name, struct err *err)
{
	const char *names[ARRAY_LEN(commands)], *near;

	for (unsigned i = 0; i < ARRAY_LEN(commands); i++) {
		if (!strcmp(commands[i].name, name))
			return &commands[i];
		names[i] = commands[i].name;
	}
	near = err_nearest(name, names, ARRAY_LEN(names));
	err_add(err, ERR_USAGE, "unknown command '%s'%s%s%s; see warpbeam --help", name,
		near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
	return NULL;
}

static int run_command(
	const struct command *c, int argc, char **argv, struct session *s, struct err *err)
{
	struct options options;

	if (options_parse(&options, argc, argv, c->bit, &s->arena, err))
		return -1;
	if (options.help) {
		if (c->bit == COMMAND_REPLAY)
			replay_help(c, options.operands.n ? options.operands.at[0] : "", &s->out);
		else
			command_help(c, &s->out);
		return output_text(&s->out, err);
	}
	if (options.operands.n < c->least)
		return err_add(err, ERR_USAGE, "%s needs %s", c->name, c->arguments);
	if (options.operands.n > c->most)
		return err_add(err, ERR_USAGE, "%s: one argument too many: '%s'", c->name,
			options.operands.at[c->most]);
	options.run.files = &s->files;
	if (files_open(options.run.files, "stdout", STDOUT_FILENO, err) ||
		options_outputs(&options, err))
		return -1;
	return c->run(&options, s, err);
}

static int dispatch(int argc, char **argv, struct session *s, struct err *err)
{
	const struct command *c;

	if (argc < 2)
		return err_add(err, ERR_USAGE, "a command is missing; see warpbeam --help");
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		help(&s->out);
		return output_text(&s->out, err);
	}
	if (!strcmp(argv[1], "--version")) {
		text_add(&s->out, "warpbeam %s (%s)\n", program_version(), program_build());
		return output_text(&s->out, err);
	}
	c = find(argv[1], err);
	return c ? run_command(c, argc - 2, argv + 2, s, err) : -1;
}

/* Every line with the program's name in front. */
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

/* Files opened later must not take the place of a standard stream that was closed. */
static void guard_streams(void)
{
	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) == -1 && open("/dev/null", fd ? O_RDONLY : O_WRONLY) != fd)
			return;
}

/* Outside of runs, which end by themselves and tell what there is: nothing is told, and a file that
 * was being written keeps the name that it had. */
static void on_interrupt(int signum)
{
	static const char words[] = "warpbeam: interrupted\n";
	ssize_t n = write(STDERR_FILENO, words, sizeof(words) - 1);

	(void)signum;
	(void)n;
	_exit(ERR_INTERRUPTED);
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
	signal(SIGUSR1, SIG_IGN);
	signal(SIGINT, on_interrupt);
	signal(SIGTERM, on_interrupt);
	signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is a write that fails */
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
