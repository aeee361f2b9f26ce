/* The command line. */
#include "cli/options.h"

#include "cli/progress.h"
#include "core/base.h"
#include "draw/number.h"

#include <stdio.h>
#include <string.h>

/* OUTPUT is a file to write; so is what stands behind the = of each of OUTPUTS; DATABASE is one
 * that SQLite writes. */
enum kind { FLAG, NUMBER, WORD, STRING, LIST, OUTPUT, OUTPUTS, DATABASE };

/* One option. NUMBER has bounds; WORD's value is the index of the word. */
static const struct option {
	const char *name, *argument, *text;
	enum kind kind;
	unsigned commands;
	size_t offset;
	uint64_t low, high;
	const char *words[3];
} table[OPTION_COUNT] = {
#define FIELD(name) .offset = offsetof(struct options, name)
#define WORK (COMMAND_RUN | COMMAND_COMPARE | COMMAND_PROFILE)
#define RUNS (WORK | COMMAND_EXEC)
#define LOOKS (COMMAND_SWEEP | COMMAND_OCCUPANCY | COMMAND_TUNE)
#define WRITERS (RUNS | COMMAND_REPRODUCE | LOOKS)
#define MACHINE (RUNS | LOOKS | COMMAND_EXPLAIN | COMMAND_PARAMS | COMMAND_STATS | COMMAND_TOPOLOGY)
	[OPTION_SIZE] = {"size", "small|full", "The workload's size; small unless given.", WORD,
		WRITERS | COMMAND_EXPLAIN, FIELD(run.size), .words = {"small", "full"}},
	[OPTION_PTX] = {"ptx", "32|64", "The workload's address size in bits; 32 unless given.",
		WORD, RUNS | LOOKS | COMMAND_EXPLAIN, FIELD(run.wide), .words = {"32", "64"}},
	[OPTION_SEED] = {"seed", "N", "Seed of the workload's inputs; 1 unless given.", NUMBER,
		WRITERS | COMMAND_REPLAY, FIELD(run.seed), .high = UINT64_MAX},
	[OPTION_CHIP] = {"chip", "PRESET|FILE.yaml",
		"The chip: a preset, or a file of settings; m12 unless given.", STRING, MACHINE,
		FIELD(run.chip)},
	[OPTION_SET] = {"set", "PATH=VALUE",
		"Sets a parameter, over the chip and the scenario; may be repeated.", LIST,
		MACHINE | COMMAND_REPRODUCE | COMMAND_REPLAY, FIELD(run.set)},
	[OPTION_MAX_CYCLES] = {"max-cycles", "N",
		"Stops a run after N cycles; its report is then partial, or it has none.", NUMBER,
		WORK | COMMAND_SWEEP | COMMAND_TUNE | COMMAND_REPRODUCE, FIELD(run.max_cycles),
		.low = 1, .high = UINT64_MAX / 1000},
	[OPTION_TIMEOUT] = {"timeout", "SECONDS",
		"Stops each run that takes longer; the others go on.", NUMBER,
		COMMAND_COMPARE | COMMAND_SWEEP | COMMAND_TUNE | COMMAND_REPRODUCE,
		FIELD(run.timeout), .low = 1, .high = 1000000000},
	[OPTION_JSON] = {"json", "FILE", "Writes all results as JSON; - is stdout.", OUTPUT,
		WRITERS | COMMAND_CHECK | COMMAND_LIST | COMMAND_REPLAY, FIELD(json)},
	[OPTION_CSV] = {"csv", "FILE", "Writes all metrics as CSV; - is stdout.", OUTPUT,
		WRITERS | COMMAND_REPLAY_NOC, FIELD(csv)},
	[OPTION_DUMP] = {"dump", "BUFFER=FILE",
		"Writes a buffer's bytes after a complete run; may be repeated.", OUTPUTS,
		COMMAND_RUN, FIELD(dump)},
	[OPTION_HOST_STATS] = {"host-stats", NULL,
		"Adds the host's time, speed and memory to the results.", FLAG,
		COMMAND_RUN | COMMAND_EXEC, FIELD(host_stats)},
	[OPTION_QUIET] = {"quiet", NULL, "No report on stdout, no progress on stderr.", FLAG,
		WRITERS | COMMAND_CHECK | COMMAND_REPLAY, FIELD(run.quiet)},
	[OPTION_THREADS] = {"threads", "N",
		"Host threads; 1 unless given. Results do not depend on it.", NUMBER,
		WORK | COMMAND_REPRODUCE, FIELD(run.threads), .low = 1, .high = 256},
	[OPTION_NO_PIN] = {"no-pin", NULL, "Does not bind host threads or runs to cores.", FLAG,
		WORK | COMMAND_REPRODUCE | COMMAND_SWEEP | COMMAND_TUNE, FIELD(run.no_pin)},
	[OPTION_PLUGINS] = {"plugins", NULL, "Lists the parts of every kind instead.", FLAG,
		COMMAND_LIST, FIELD(plugins)},
	[OPTION_MARKDOWN] = {"markdown", NULL,
		"Writes the page of all workloads (doc/workloads.md).", FLAG, COMMAND_LIST,
		FIELD(markdown)},
	[OPTION_AGAINST] = {"against", "PATH=VALUE,..|FILE.yaml",
		"A second configuration: which speedup does the shortcut predict?", LIST,
		COMMAND_COMPARE, FIELD(against)},
	[OPTION_SHARE_BYTES] = {"share-bytes-per-ns", "B",
		"The shortcut's DRAM bandwidth; the chip's by its SMs unless given.", STRING,
		COMMAND_COMPARE, FIELD(share_bytes)},
	[OPTION_SVG] = {"svg", "FILE", "Draws the picture; - is stdout.", OUTPUT,
		COMMAND_COMPARE | COMMAND_OCCUPANCY | COMMAND_REPRODUCE | COMMAND_TUNE, FIELD(svg)},
	[OPTION_JOBS] = {"jobs", "N",
		"Runs side by side; as many as the host has cores unless given.", NUMBER,
		COMMAND_COMPARE | COMMAND_REPRODUCE | COMMAND_SWEEP | COMMAND_TUNE, FIELD(run.jobs),
		.low = 1, .high = 1024},
	[OPTION_TOGETHER] = {"together", NULL,
		"The targets share one chip instead: who slows down whom?", FLAG, COMMAND_COMPARE,
		FIELD(together)},
	[OPTION_SMS] = {"sms", "TARGET=0-15,..",
		"With --together: the SMs a target runs on; all unless given.", LIST,
		COMMAND_COMPARE, FIELD(sms)},
	[OPTION_PROFILE] = {"profile", NULL,
		"Counts forms, memory accesses, branches and registers too.", FLAG, COMMAND_EXEC,
		FIELD(profile)},
	[OPTION_MAX_INSTRUCTIONS] = {"max-instructions", "N",
		"Stops when N warp instructions have been executed; 2^40 unless given.", NUMBER,
		COMMAND_EXEC, FIELD(max_instructions), .low = 1, .high = UINT64_MAX},
	[OPTION_LINK] = {"link", NULL, "Links the files with each other.", FLAG, COMMAND_CHECK,
		FIELD(link)},
	[OPTION_REGS] = {"regs", "R",
		"Registers of a thread, at most; the rest is spilled. 255 unless given; the same "
		"as --set gpu.max_regs=R.",
		NUMBER,
		COMMAND_RUN | COMMAND_EXEC | COMMAND_CHECK | COMMAND_EXPLAIN | COMMAND_PROFILE |
			COMMAND_TUNE,
		FIELD(run.regs), .low = 16, .high = 255},
	[OPTION_KERNEL] = {"kernel", "NAME", "Only this kernel.", STRING, COMMAND_EXPLAIN,
		FIELD(kernel)},
	[OPTION_HTML] = {"html", "FILE", "Writes a page of HTML as well; - is stdout.", OUTPUT,
		COMMAND_EXPLAIN | COMMAND_REPRODUCE | COMMAND_PROFILE, FIELD(html)},
	[OPTION_REGISTERS] = {"registers", NULL,
		"Tells what registers are used for: reads, lifetimes, levels, energy.", FLAG,
		COMMAND_EXEC, FIELD(registers)},
	[OPTION_OVER] = {"over", "PATH=V,..|PATH=A..B",
		"Sweeps a parameter; A..B:STEP, A..B:*FACTOR; size, seed, ptx too; may be "
		"repeated.",
		LIST, COMMAND_SWEEP, FIELD(over)},
	[OPTION_OUT] = {"out", "FILE.sqlite", "The file of results; made when it is not there.",
		DATABASE, COMMAND_SWEEP | COMMAND_REPRODUCE, FIELD(out)},
	[OPTION_ALL] = {"all", NULL,
		"Measures every table and figure into one page: --html FILE; goes on from --out.",
		FLAG, COMMAND_REPRODUCE, FIELD(all)},
	[OPTION_METRIC] = {"metric", "NAME,..",
		"Metrics of the table; cycles, IPC per SM, DRAM bytes unless given.", LIST,
		COMMAND_SWEEP, FIELD(metric)},
	[OPTION_BLOCK] = {"block", "X[,Y[,Z]]", "Threads of a CTA, for a PTX file's kernels.",
		STRING, COMMAND_OCCUPANCY, FIELD(block)},
	[OPTION_SHARED] = {"shared", "BYTES",
		"Dynamic shared memory of a CTA, for a PTX file's kernels.", NUMBER,
		COMMAND_OCCUPANCY, FIELD(shared), .high = UINT32_MAX},
	[OPTION_DEVICE] = {"device", "NAME", "The DRAM device: dram.device.", STRING,
		COMMAND_REPLAY_DRAM, FIELD(device)},
	[OPTION_MAP] = {"map", "FIELDS", "The address map, as RoBaBgCo: dram.map.", STRING,
		COMMAND_REPLAY_DRAM, FIELD(map)},
	[OPTION_SCHEDULER] = {"scheduler", "NAME", "The DRAM scheduler: dram.scheduler.", STRING,
		COMMAND_REPLAY_DRAM, FIELD(scheduler)},
	[OPTION_INJECT] = {"inject", "sat|cbr:F|pois:F",
		"When accesses come: all at once (sat, unless given); at a constant rate; one a "
		"clock by chance; F of the peak bandwidth.",
		STRING, COMMAND_REPLAY_DRAM, FIELD(inject)},
	[OPTION_TRACE] = {"trace", "FILE", "Writes a Perfetto trace of the run.", OUTPUT,
		COMMAND_RUN, FIELD(trace)},
	[OPTION_TRACE_FILTER] = {"trace-filter", "GLOB,..",
		"Only these parts, or signals, in the trace: sm.*,dram.0.", STRING, COMMAND_RUN,
		FIELD(trace_filter)},
	[OPTION_TRACE_EVERY] = {"trace-every", "N",
		"Cycles that each point of the trace's counters is the mean of; 100 unless given.",
		NUMBER, COMMAND_RUN, FIELD(trace_every), .low = 1, .high = 1000000},
	[OPTION_VCD] = {"vcd", "FILE", "Writes waves of the chip's signals (IEEE 1364).", OUTPUT,
		COMMAND_RUN, FIELD(vcd)},
	[OPTION_VCD_FILTER] = {"vcd-filter", "GLOB,..",
		"Only these parts or signals (topology --signals) in the waves.", STRING,
		COMMAND_RUN, FIELD(vcd_filter)},
	[OPTION_TRACE_WINDOW] = {"trace-window", "A:B",
		"Trace and waves begin with cycle A and end before B.", STRING, COMMAND_RUN,
		FIELD(trace_window)},
	[OPTION_TRACE_LIMIT] = {"trace-limit", "MB",
		"The most that either file may grow to; 64 unless given.", NUMBER, COMMAND_RUN,
		FIELD(trace_limit), .low = 1, .high = 1000000},
	[OPTION_SIGNALS] = {"signals", NULL, "Lists the signals that traces and waves can show.",
		FLAG, COMMAND_TOPOLOGY, FIELD(signals)},
	[OPTION_TOP] = {"top", "N", "Rows of a table for people; 10 unless given.", NUMBER,
		COMMAND_PROFILE, FIELD(top), .low = 1, .high = 1000000},
	[OPTION_SQLITE] = {"sqlite", "FILE", "Writes all tables as an SQLite file.", DATABASE,
		COMMAND_PROFILE, FIELD(sqlite)},
	[OPTION_NETWORK] = {"network", "NAME",
		"The network; router unless given; its parameters are noc.NAME.", STRING,
		COMMAND_REPLAY_NOC, FIELD(network)},
	[OPTION_LOADS] = {"loads", "F,..|A..B:STEP",
		"Offered loads, as shares of what the smaller side's ports carry.", STRING,
		COMMAND_REPLAY_NOC, FIELD(loads)},
	[OPTION_BYTES] = {"bytes", "N", "The cache's capacity: cache.bytes.", STRING,
		COMMAND_REPLAY_CACHE, FIELD(bytes)},
	[OPTION_WAYS] = {"ways", "N", "Its associativity: cache.ways.", STRING,
		COMMAND_REPLAY_CACHE, FIELD(ways)},
	[OPTION_LINE_BYTES] = {"line-bytes", "N", "Its lines: cache.line_bytes.", STRING,
		COMMAND_REPLAY_CACHE, FIELD(line_bytes)},
	[OPTION_REPLACEMENT] = {"replacement", "NAME",
		"Which line gives way (lru, fifo, random): cache.replacement.", STRING,
		COMMAND_REPLAY_CACHE, FIELD(replacement)},
	[OPTION_WRITE_POLICY] = {"write-policy", "back|through",
		"When memory hears of writes: cache.write_policy.", STRING, COMMAND_REPLAY_CACHE,
		FIELD(write_policy)},
	[OPTION_SPLITS] = {"splits", NULL,
		"Tries the Fermi-like store's splits instead of numbers of threads.", FLAG,
		COMMAND_TUNE, FIELD(splits)},
	[OPTION_HELP] = {"help", NULL, "Prints this.", FLAG, ~0u, FIELD(help)},
#undef MACHINE
#undef WRITERS
#undef LOOKS
#undef RUNS
#undef WORK
#undef FIELD
};

/* What is being read. */
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
		if (table[i].commands & command && strlen(table[i].name) == n &&
			!memcmp(table[i].name, name, n))
			return &table[i];
	return NULL;
}

static int unknown(const struct parse *p, const char *name, size_t n)
{
	const char *names[OPTION_COUNT], *near;
	char wrong[64];
	size_t count = 0;

	for (unsigned i = 0; i < OPTION_COUNT; i++)
		if (table[i].commands & p->command)
			names[count++] = table[i].name;
	snprintf(wrong, sizeof(wrong), "%.*s", (int)(n < 63 ? n : 63), name);
	near = err_nearest(wrong, names, count);
	return err_add(p->err, ERR_USAGE, "unknown option --%s%s%s%s", wrong,
		near ? "; did you mean --" : "", near ? near : "", near ? "?" : "");
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

/* The first would be lost without a word. */
static int twice(const struct parse *p, const struct option *o, const char *value)
{
	return err_add(p->err, ERR_USAGE, "--%s %s: --%s was given before; a command takes it once",
		o->name, value, o->name);
}

/* Of two settings of one path the later counts, and that is said. */
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

static int store(const struct parse *p, const struct option *o, const char *value)
{
	void *out = (char *)p->options + o->offset;
	struct string_list *list = out;
	uint64_t bit = UINT64_C(1) << (o - table);

	if (o->kind != FLAG && o->kind != LIST && o->kind != OUTPUTS && p->options->given & bit)
		return twice(p, o, value);
	p->options->given |= bit;
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
		if (o == &table[OPTION_SET])
			tell_replaced(list);
		return 0;
	}
	return -1;
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
	if (value)
		value++;
	else if (o->kind != FLAG && p->at == p->argc)
		return err_add(p->err, ERR_USAGE, "--%s needs %s", o->name, o->argument);
	else if (o->kind != FLAG)
		value = p->argv[p->at++];
	return store(p, o, value);
}

/* Of a list, each; what has no = is no output, and told later. */
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
	const struct option *o = &table[i];
	bool writes = o->kind == OUTPUT || o->kind == OUTPUTS || o->kind == DATABASE;

	return writes && o->commands & command ? o->name : NULL;
}

int options_outputs(const struct options *o, struct err *err)
{
	int bad = 0;

	for (unsigned i = 0; i < OPTION_COUNT; i++)
		if (options_output(i, ~0u))
			bad |= note_output(o, &table[i], err);
	return bad;
}

int options_parse(struct options *options, int argc, char **argv, enum command_bit command,
	struct arena *arena, struct err *err)
{
	struct parse p = {options, argv, argc, 0, command, err};
	struct string_list *lists[] = {&options->run.set, &options->dump, &options->against,
		&options->sms, &options->over, &options->metric, &options->operands};
	bool only_operands = false;
	int bad = 0;

	*options = (struct options){.run = {.seed = 1, .threads = 1, .watch = progress_watch},
		.trace_every = 100,
		.trace_limit = 64};
	for (unsigned i = 0; i < ARRAY_LEN(lists); i++)
		lists[i]->at = arena_alloc(arena, (size_t)argc + 1, sizeof(char *));
	while (p.at < argc) {
		const char *word = argv[p.at];

		if (!only_operands && !strcmp(word, "-h")) {
			options->help = true;
			p.at++;
		} else if (!only_operands && !strcmp(word, "--")) {
			only_operands = true;
			p.at++;
		} else if (!only_operands && !strncmp(word, "--", 2)) {
			bad |= read_option(&p);
		} else if (!only_operands && *word == '-') {
			bad = err_add(err, ERR_USAGE, "unknown option %s", word);
			p.at++;
		} else {
			options->operands.at[options->operands.n++] = argv[p.at++];
		}
	}
	options->run.size_given = options->given >> OPTION_SIZE & 1;
	options->run.wide_given = options->given >> OPTION_PTX & 1;
	options->run.seed_given = options->given >> OPTION_SEED & 1;
	return bad ? -1 : 0;
}

void options_help(enum command_bit command, struct text *out)
{
	for (unsigned i = 0; i < OPTION_COUNT; i++) {
		char head[64];

		if (!(table[i].commands & command))
			continue;
		snprintf(head, sizeof(head), "--%s%s%s", table[i].name,
			table[i].argument ? " " : "", table[i].argument ? table[i].argument : "");
		text_add(out, "  %-28s  %s\n", head, table[i].text);
	}
}

int options_of_replay(const struct options *o, enum command_bit which, struct err *err)
{
	for (unsigned i = 0; i < OPTION_COUNT; i++) {
		unsigned takes = table[i].commands & COMMAND_REPLAY;

		if (!(o->given >> i & 1) || takes & which)
			continue;
		return err_add(err, ERR_USAGE, "--%s: only replay %s takes it", table[i].name,
			takes == COMMAND_REPLAY_DRAM    ? "dram"
			: takes == COMMAND_REPLAY_CACHE ? "cache"
							: "noc");
	}
	return 0;
}

struct output_files options_files(const struct options *o)
{
	return (struct output_files){o->json, o->csv, o->svg, o->run.quiet, o->run.files};
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
