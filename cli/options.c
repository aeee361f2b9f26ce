/* The command line. */
#include "cli/option_rows.h"

#include "cli/command.h"
#include "cli/progress.h"
#include "core/base.h"
#include "draw/number.h"
#include "runs/work.h"

#include <stdio.h>
#include <string.h>

/* The state of reading. */
struct parse {
	struct options *options;
	char **argv;
	int argc, at;
	enum command_bit command;
	struct err *err;
};

static const struct option *find(const char *name, size_t n, enum command_bit command)
{
	for (unsigned i = 0; i < OPTION_COUNT; i++)
		if (option_rows[i].commands & command && strlen(option_rows[i].name) == n &&
			!memcmp(option_rows[i].name, name, n))
			return &option_rows[i];
	return NULL;
}

/* "; run and profile have it": the commands that take an option of that name, at most three. */
static void say_who_has(const char *name, struct text *out)
{
	unsigned bits = 0, n = 0, all = 0;

	for (unsigned i = 0; i < OPTION_COUNT; i++)
		if (!strcmp(option_rows[i].name, name))
			bits |= option_rows[i].commands;
	for (const struct command *c = command_rows; c->name; c++)
		all += (c->bit & bits) != 0;
	for (const struct command *c = command_rows; c->name && n < 3; c++)
		if (c->bit & bits)
			text_add(out, "%s%s", !n++ ? "; " : n == all ? " and " : ", ", c->name);
	if (n)
		text_add(out, "%s %s it", all > n ? " and others" : "", all > 1 ? "have" : "has");
}

static int unknown(const struct parse *p, const char *name, size_t n)
{
	const char *names[OPTION_COUNT], *near;
	struct text others = {0};
	char wrong[64];
	size_t count = 0;
	int bad;

	for (unsigned i = 0; i < OPTION_COUNT; i++)
		if (option_rows[i].commands & p->command)
			names[count++] = option_rows[i].name;
	snprintf(wrong, sizeof(wrong), "%.*s", (int)(n < 63 ? n : 63), name);
	say_who_has(wrong, &others);
	near = text_str(&others)[0] ? NULL : err_nearest(wrong, names, count);
	bad = err_add(p->err, ERR_USAGE, "unknown option --%s%s%s%s%s", wrong, text_str(&others),
		near ? "; did you mean --" : "", near ? near : "", near ? "?" : "");
	text_clear(&others);
	return bad;
}

static int store_number(const struct parse *p, const struct option *o, const char *value)
{
	uint64_t *out = (uint64_t *)(void *)((char *)p->options + o->offset);
	uint64_t v;

	if (!number_whole(value, &v) || v < o->low || v > o->high)
		return err_add(p->err, ERR_USAGE, "--%s %s: must be a whole number, %llu .. %llu",
			o->name, value, (unsigned long long)o->low, (unsigned long long)o->high);
	*out = v;
	return 0;
}

static int store_word(const struct parse *p, const struct option *o, const char *value)
{
	uint64_t *out = (uint64_t *)(void *)((char *)p->options + o->offset);

	for (unsigned i = 0; o->words[i]; i++) {
		if (strcmp(o->words[i], value))
			continue;
		*out = i;
		return 0;
	}
	return err_add(p->err, ERR_USAGE, "--%s %s: must be %s", o->name, value, o->argument);
}

/* Otherwise the first would be lost silently. */
static int twice(const struct parse *p, const struct option *o, const char *value)
{
	return err_add(p->err, ERR_USAGE, "--%s %s: --%s was given before; a command takes it once",
		o->name, value, o->name);
}

/* Of two settings of one path the later counts, which a note reports. */
static void tell_replaced(const struct string_list *set)
{
	const char *last = set->at[set->n - 1];
	size_t n = strcspn(last, "=") + 1;

	for (unsigned i = set->n - 1; i-- > 0;) {
		if (strncmp(set->at[i], last, n))
			continue;
		output_note("note: --set %s replaces --set %s", last, set->at[i]);
		return;
	}
}

/* The value stays what it is. */
static int leave_out(const struct parse *p, const struct option *o)
{
	bool *given = &p->options->given[o - option_rows];

	if (*given)
		return twice(p, o, "");
	*given = true;
	return 0;
}

static int store(const struct parse *p, const struct option *o, const char *value)
{
	void *out = (char *)p->options + o->offset;
	struct string_list *list = out;
	bool *given = &p->options->given[o - option_rows];

	if (o->kind != FLAG && o->kind != LIST && o->kind != OUTPUTS && *given)
		return twice(p, o, value);
	*given = true;
	if (o->kind != FLAG && !*value)
		return err_add(p->err, ERR_USAGE, "--%s needs %s", o->name, o->argument);
	switch (o->kind) {
	case FLAG:
		*(bool *)out = true;
		return 0;
	case NUMBER:
		return store_number(p, o, value);
	case WORD:
		return store_word(p, o, value);
	case STRING:
	case OUTPUT:
	case DATABASE:
		*(const char **)out = value;
		return 0;
	case LIST:
	case OUTPUTS:
		list->at[list->n++] = value;
		if (o == &option_rows[OPTION_SET])
			tell_replaced(list);
		return 0;
	}
	return -1;
}

/* Whether the next word can only be something else than the value that may be left out. */
static bool is_left_out(const struct parse *p, const struct option *o)
{
	uint64_t v;

	return o->optional && (p->at == p->argc || !number_whole(p->argv[p->at], &v));
}

/* "--name value", "--name=value" or "--flag", at p->at. */
static int read_option(struct parse *p)
{
	const char *name = p->argv[p->at++] + 2, *value = strchr(name, '=');
	size_t n = value ? (size_t)(value - name) : strlen(name);
	const struct option *o = find(name, n, p->command);

	if (!o)
		return unknown(p, name, n);
	if (o->kind == FLAG && value)
		return err_add(p->err, ERR_USAGE, "--%s takes no value", o->name);
	if (!value && is_left_out(p, o))
		return leave_out(p, o);
	if (value)
		value++;
	else if (o->kind != FLAG && p->at == p->argc)
		return err_add(p->err, ERR_USAGE, "--%s needs %s", o->name, o->argument);
	else if (o->kind != FLAG)
		value = p->argv[p->at++];
	return store(p, o, value);
}

/* Of a list, each; a value without = is reported later. */
static int note_output(const struct options *o, const struct option *option, struct err *err)
{
	const void *value = (const char *)o + option->offset;
	const struct string_list *list = value;
	char what[64];
	int bad = 0;

	snprintf(what, sizeof(what), "--%s", option->name);
	if (option->kind != OUTPUTS) {
		const char *path = *(const char *const *)value;

		if (path && option->kind == DATABASE)
			return output_database(o->run.files, what, path, err);
		return path ? files_write(o->run.files, what, path, err) : 0;
	}
	for (unsigned i = 0; i < list->n; i++) {
		const char *sign = strchr(list->at[i], '=');

		if (sign && sign[1])
			bad |= files_write(o->run.files, what, sign + 1, err);
	}
	return bad;
}

const char *options_output(enum option_id i, enum command_bit command)
{
	const struct option *o = &option_rows[i];
	bool writes = o->kind == OUTPUT || o->kind == OUTPUTS || o->kind == DATABASE;

	return writes && o->commands & command ? o->name : NULL;
}

int options_outputs(const struct options *o, struct err *err)
{
	int bad = 0;

	for (unsigned i = 0; i < OPTION_COUNT; i++)
		if (options_output(i, ~0u))
			bad |= note_output(o, &option_rows[i], err);
	return bad;
}

/* "a, b"; NULL: the list is empty. */
static const char *joined(const struct string_list *list, struct arena *arena)
{
	size_t room = 1;
	char *out;

	for (unsigned i = 0; i < list->n; i++)
		room += strlen(list->at[i]) + 2;
	out = arena_alloc(arena, room, 1);
	for (unsigned i = 0; i < list->n; i++) {
		strcat(out, i ? ", " : "");
		strcat(out, list->at[i]);
	}
	return list->n ? out : NULL;
}

/* Whether the first word after "--" is a program: a path, but not a scenario's. */
static bool is_program(enum command_bit command, const char *word)
{
	const char *dot = word ? strrchr(word, '.') : NULL;

	return command & (COMMAND_RUN | COMMAND_EXEC | COMMAND_COMPARE | COMMAND_PROFILE |
				 COMMAND_TUNE | COMMAND_SWEEP | COMMAND_DIFF | COMMAND_OCCUPANCY |
				 COMMAND_EXPLAIN) &&
	       word && strchr(word, '/') &&
	       !(dot && (!strcmp(dot, ".yaml") || !strcmp(dot, ".yml")));
}

/* All that is left, if it is one: an operand. Diff may have two: the next "--" ends the first. */
static void take_program(struct parse *p, struct arena *arena)
{
	struct string_list *operands = &p->options->operands;
	int end = p->at;

	if (!is_program(p->command, p->argv[p->at]))
		return;
	while (end < p->argc && !(p->command == COMMAND_DIFF && !strcmp(p->argv[end], "--")))
		end++;
	operands->at[operands->n++] =
		work_program((const char *const *)p->argv + p->at, (unsigned)(end - p->at), arena);
	p->at = end;
}

/* What --kernel and --launch of profile choose runs in time, nothing else. */
static int choose_region(struct options *o, struct err *err)
{
	struct region_options *r = &o->run.region;

	if ((o->kernel && r->timed) || (o->given[OPTION_LAUNCH] && (r->from_launch || r->launches)))
		return err_add(err, ERR_USAGE,
			"--%s chooses what runs in time, as --%s does; give one of them",
			o->kernel && r->timed ? "kernel" : "launch",
			o->kernel && r->timed ? "timed"
			: r->from_launch      ? "from-launch"
					      : "launches");
	if (o->kernel) {
		r->timed = o->kernel;
		r->timed_by = "kernel";
	}
	if (o->given[OPTION_LAUNCH]) {
		r->from_launch = o->launch + 1;
		r->launches = 1;
	}
	return 0;
}

int options_parse(struct options *options, int argc, char **argv, enum command_bit command,
	struct arena *arena, struct err *err)
{
	struct parse p = {options, argv, argc, 0, command, err};
	struct string_list *lists[] = {&options->hardware, &options->run.set, &options->run.chips,
		&options->dump, &options->against, &options->sms, &options->over, &options->metric,
		&options->operands};
	bool only_operands = false;
	int bad = 0;

	*options = (struct options){.run = {.seed = 1, .threads = 1, .watch = progress_watch},
		.trace_every = 100,
		.trace_limit = 64,
		.repeat = 5};
	for (unsigned i = 0; i < ARRAY_LEN(lists); i++)
		lists[i]->at = arena_alloc(arena, (size_t)argc + 1, sizeof(char *));
	while (p.at < argc) {
		const char *word = argv[p.at];

		if (!only_operands && !strcmp(word, "-h")) {
			options->help = true;
			p.at++;
		} else if (!strcmp(word, "--") && (!only_operands || command == COMMAND_DIFF)) {
			only_operands = true;
			p.at++;
			take_program(&p, arena);
		} else if (!only_operands && !strncmp(word, "--", 2)) {
			bad |= read_option(&p);
		} else if (!only_operands && *word == '-') {
			bad = err_add(err, ERR_USAGE, "unknown option %s", word);
			p.at++;
		} else {
			options->operands.at[options->operands.n++] = argv[p.at++];
			only_operands |= command == COMMAND_CUDA; /* the program's own */
		}
	}
	options->run.chip = joined(&options->run.chips, arena);
	options->run.size_given = options->given[OPTION_SIZE];
	options->run.wide_given = options->given[OPTION_PTX];
	options->run.seed_given = options->given[OPTION_SEED];
	if (command == COMMAND_PROFILE)
		bad |= choose_region(options, err);
	return bad ? -1 : 0;
}

void options_help(enum command_bit command, struct text *out)
{
	for (unsigned i = 0; i < OPTION_COUNT; i++) {
		char head[64];

		if (!(option_rows[i].commands & command))
			continue;
		snprintf(head, sizeof(head), "--%s%s%s", option_rows[i].name,
			option_rows[i].argument ? " " : "",
			option_rows[i].argument ? option_rows[i].argument : "");
		text_add(out, "  %-28s \t%s\n", head, option_rows[i].text);
	}
}

int options_of_replay(const struct options *o, enum command_bit which, struct err *err)
{
	for (unsigned i = 0; i < OPTION_COUNT; i++) {
		unsigned takes = option_rows[i].commands & COMMAND_REPLAY;

		if (!o->given[i] || takes & which)
			continue;
		return err_add(err, ERR_USAGE, "--%s: only replay %s takes it", option_rows[i].name,
			takes == COMMAND_REPLAY_DRAM    ? "dram"
			: takes == COMMAND_REPLAY_CACHE ? "cache"
							: "noc");
	}
	return 0;
}

struct output_files options_files(const struct options *o)
{
	bool page = o->html && !strcmp(o->html, "-");

	return (struct output_files){.json = o->json,
		.csv = o->csv,
		.svg = o->svg,
		.quiet = o->run.quiet || page,
		.uncut = o->run.uncut,
		.files = o->run.files};
}

int options_write(const struct options *o, const struct output_texts *texts, struct text *out,
	struct err *err)
{
	struct output_files files = options_files(o);

	return output_results(&files, texts, out, err);
}

int options_one_to_stdout(const struct options *o, struct err *err)
{
	const char *outputs[] = {o->json, o->csv, o->svg};
	unsigned to_stdout = 0;

	for (unsigned i = 0; i < ARRAY_LEN(outputs); i++)
		to_stdout += outputs[i] && !strcmp(outputs[i], "-");
	if (to_stdout < 2)
		return 0;
	return err_add(
		err, ERR_USAGE, "only one of --json, --csv and --svg can be written to stdout");
}
