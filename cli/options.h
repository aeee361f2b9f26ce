/* The command line: one table of options, shared by all commands. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "runs/options.h"
#include "runs/output.h"

/* Commands, as bits: which of them take an option. Each kind of replay has a bit; an option of one
 * kind is read for all, and checked by options_of_replay. */
enum command_bit {
	COMMAND_RUN = 1,
	COMMAND_LIST = 2,
	COMMAND_PARAMS = 4,
	COMMAND_STATS = 8,
	COMMAND_TOPOLOGY = 16,
	COMMAND_COMPARE = 32,
	COMMAND_EXEC = 64,
	COMMAND_CHECK = 128,
	COMMAND_FORMS = 256,
	COMMAND_REPRODUCE = 512,
	COMMAND_EXPLAIN = 1024,
	COMMAND_SWEEP = 2048,
	COMMAND_OCCUPANCY = 4096,
	COMMAND_PROFILE = 16384,
	COMMAND_TUNE = 32768,
	COMMAND_CHIP = 65536,
	COMMAND_HARDWARE = 1 << 18,
	COMMAND_CUDA = 1 << 19,
	COMMAND_PROBE = 131072,
	COMMAND_SCENARIO = 1 << 23,
	COMMAND_COMPLETION = 1 << 24,
	COMMAND_DIFF = 1 << 25,
	COMMAND_REPLAY_DRAM = 1 << 20,
	COMMAND_REPLAY_CACHE = 1 << 21,
	COMMAND_REPLAY_NOC = 1 << 22,
	COMMAND_REPLAY = COMMAND_REPLAY_DRAM | COMMAND_REPLAY_CACHE | COMMAND_REPLAY_NOC
};

enum option_id {
	OPTION_SIZE,
	OPTION_PTX,
	OPTION_SEED,
	OPTION_CHIP,
	OPTION_SET,
	OPTION_MAX_CYCLES,
	OPTION_JSON,
	OPTION_CSV,
	OPTION_DUMP,
	OPTION_HOST_STATS,
	OPTION_POWER,
	OPTION_QUIET,
	OPTION_WIDE,
	OPTION_THREADS,
	OPTION_NO_PIN,
	OPTION_PLUGINS,
	OPTION_MARKDOWN,
	OPTION_AGAINST,
	OPTION_SHARE_BYTES,
	OPTION_SVG,
	OPTION_JOBS,
	OPTION_TOGETHER,
	OPTION_SMS,
	OPTION_PROFILE,
	OPTION_PROVE,
	OPTION_MAX_INSTRUCTIONS,
	OPTION_LINK,
	OPTION_REGS,
	OPTION_SLOTS,
	OPTION_KERNEL,
	OPTION_LAUNCH,
	OPTION_HTML,
	OPTION_REGISTERS,
	OPTION_RACECHECK,
	OPTION_OVER,
	OPTION_OUT,
	OPTION_ALL,
	OPTION_METRIC,
	OPTION_PLAN,
	OPTION_SHARDS,
	OPTION_SHARD,
	OPTION_MERGE,
	OPTION_COSTS,
	OPTION_GRACE,
	OPTION_SLURM,
	OPTION_PARTITION,
	OPTION_TIME,
	OPTION_ARRAY_SIZE,
	OPTION_WATCH,
	OPTION_RETRIES,
	OPTION_BLOCK,
	OPTION_SHARED,
	OPTION_FOR,
	OPTION_DEVICE,
	OPTION_MAP,
	OPTION_SCHEDULER,
	OPTION_INJECT,
	OPTION_TRACE,
	OPTION_TRACE_FILTER,
	OPTION_TRACE_EVERY,
	OPTION_VCD,
	OPTION_VCD_FILTER,
	OPTION_TRACE_WINDOW,
	OPTION_TRACE_LIMIT,
	OPTION_SIGNALS,
	OPTION_TOP,
	OPTION_SQLITE,
	OPTION_NETWORK,
	OPTION_LOADS,
	OPTION_BYTES,
	OPTION_WAYS,
	OPTION_LINE_BYTES,
	OPTION_REPLACEMENT,
	OPTION_WRITE_POLICY,
	OPTION_SPLITS,
	OPTION_CONCURRENCY,
	OPTION_LEVEL,
	OPTION_MEM,
	OPTION_TIMEOUT,
	OPTION_PTX_DIR,
	OPTION_READINGS,
	OPTION_WHY,
	OPTION_MACHINES,
	OPTION_DIFF,
	OPTION_REPEAT,
	OPTION_DRIVER,
	OPTION_GPU,
	OPTION_LOCKED,
	OPTION_FORMS,
	OPTION_PROBE,
	OPTION_HARDWARE,
	OPTION_ONLY,
	OPTION_RECORD,
	OPTION_RECORD_DIR,
	OPTION_REPLAY,
	OPTION_EMIT,
	OPTION_COMPARE,
	OPTION_HOW,
	OPTION_TIMED,
	OPTION_UNTIMED,
	OPTION_FROM_LAUNCH,
	OPTION_LAUNCHES,
	OPTION_SKIP_CYCLES,
	OPTION_WARM,
	OPTION_SAMPLE,
	OPTION_CHECKPOINT,
	OPTION_CHECKPOINT_EVERY,
	OPTION_CHECKPOINT_TERM,
	OPTION_RESUME,
	OPTION_SERVE,
	OPTION_FROM,
	OPTION_HELP,
	OPTION_COUNT
};

/* The command line, with defaults. Strings point into argv. */
struct options {
	struct run_options run;
	uint64_t max_instructions; /* 0: none was given */
	uint64_t launch;           /* number; see given */
	uint64_t top;              /* rows of a table; 0: not given */
	uint64_t shared;           /* dynamic shared memory of a CTA, bytes */
	uint64_t for_ctas;         /* CTAs that an SM is to hold; 0: not given */
	const char *json, *csv, *svg, *share_bytes, *kernel, *html, *out, *block;
	uint64_t trace_every, trace_limit; /* cycles; MB */
	const char *trace, *trace_filter, *vcd, *vcd_filter, *trace_window;
	const char *level; /* of concurrency: "auto", "1536"; NULL: none */
	const char *mem, *bytes, *ways, *line_bytes, *replacement, *write_policy;
	const char *only, *record, *replay, *emit, *record_dir;
	const char *device, *map, *scheduler, *inject, *sqlite, *network, *loads;
	struct string_list hardware, dump, against, sms, over, metric, operands;
	const char *plan, *shard, *merge, *costs; /* of a sweep in shards */
	uint64_t shards, grace;                   /* grace: seconds */
	const char *partition, *time;             /* of Slurm */
	uint64_t array_size, retries;
	bool slurm, watch;
	const char *driver; /* the library of a GPU's driver; NULL: as the environment says */
	uint64_t repeat, gpu_number, port; /* port: 0: any */
	bool prove;
	bool forms, probe; /* of hardware: instead of workloads */
	bool locked;       /* the GPU's clocks, as the user says */
	bool host_stats, power, plugins, markdown, together, profile, registers, racecheck, link,
		all, signals, readings, why, splits, concurrency, machines, diff, compare, how,
		help;
	bool given[OPTION_COUNT];
};

/* Reads the arguments after the command's name; lists come from the arena. All faults in err
 * (ERR_USAGE); 0 or -1. */
int options_parse(
	struct options *, int argc, char **argv, enum command_bit, struct arena *, struct err *);

/* Those of n options that were given, as words that options_parse would read. The arena's. */
struct string_list options_words(
	const struct options *, const enum option_id *, unsigned n, struct arena *);

/* Notes all files that the options write among the command's files. 0, or -1: two are one, or one
 * cannot be written. */
int options_outputs(const struct options *, struct err *);

/* The name of an option that writes a file, if `i` (below OPTION_COUNT) is one of the command's;
 * else NULL. */
const char *options_output(enum option_id i, enum command_bit);

/* The options that a command takes, one or two lines each. */
void options_help(enum command_bit, struct text *);

/* All options that were given are those of one replay (COMMAND_REPLAY_): 0, or -1 with ERR_USAGE.
 */
int options_of_replay(const struct options *, enum command_bit, struct err *);

/* Where the options want results. */
struct output_files options_files(const struct options *);

/* Writes them there (output_results). 0 or -1. */
int options_write(const struct options *, const struct output_texts *, struct text *, struct err *);

/* At most one of --json, --csv and --svg may go to stdout. 0, or -1 with ERR_USAGE. */
int options_one_to_stdout(const struct options *, struct err *);

#endif
