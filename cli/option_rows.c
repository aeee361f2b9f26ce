/* The options: name, argument, text and variable. --help and the manual page print it. */
#include "cli/option_rows.h"

const struct option option_rows[OPTION_COUNT] = {
#define FIELD(name) .offset = offsetof(struct options, name)
#define WORK (COMMAND_RUN | COMMAND_COMPARE | COMMAND_PROFILE)
/* Those that simulate some launches of a work only. */
#define TIMED (COMMAND_CUDA | COMMAND_RUN | COMMAND_PROFILE)
#define REGION (TIMED | COMMAND_COMPARE | COMMAND_SWEEP | COMMAND_TUNE)
#define RUNS (WORK | COMMAND_EXEC)
#define LOOKS (COMMAND_SWEEP | COMMAND_OCCUPANCY | COMMAND_TUNE)
#define WRITERS (RUNS | COMMAND_REPRODUCE | LOOKS)
#define MACHINE \
	(RUNS | LOOKS | COMMAND_CUDA | COMMAND_EXPLAIN | COMMAND_PARAMS | COMMAND_STATS | \
		COMMAND_TOPOLOGY | COMMAND_PROBE | COMMAND_SCENARIO | COMMAND_DIFF)
	[OPTION_SIZE] = {"size", "small|full", "The workload's size (default small).", WORD,
		WRITERS | COMMAND_EXPLAIN | COMMAND_HARDWARE | COMMAND_DIFF, FIELD(run.size),
		.words = {"small", "full"}},
	[OPTION_PTX] = {"ptx", "32|64", "The workload's address size in bits (default 32).", WORD,
		RUNS | LOOKS | COMMAND_EXPLAIN | COMMAND_DIFF, FIELD(run.wide),
		.words = {"32", "64"}},
	[OPTION_PTX_DIR] = {"ptx-dir", "DIR",
		"Runs other compilers' PTX of the workload's kernels, in this folder.", STRING,
		RUNS | COMMAND_REPRODUCE, FIELD(run.ptx_dir),
		.more = "Files, kernels and the order of their arguments are those of a list in the "
			"workload (warpbeam list shows the files); the check is the workload's own. "
			"The results contain the files with their hashes."},
	[OPTION_READINGS] = {"readings", NULL,
		"Measures every reading of the paper's words, side by side.", FLAG,
		COMMAND_REPRODUCE, FIELD(readings),
		.more = "Each reading is settings on all designs of the paper's first column, with the "
			"sentence that it follows; the one that the paper states comes first. Scores, "
			"as of a table alone, are of its judged rows by unit: mean absolute error, "
			"rank correlation (Spearman's), rows within their bands."},
	[OPTION_WHY] = {"why", NULL, "Measures every row without each of the machine's limits.",
		FLAG, COMMAND_REPRODUCE, FIELD(why),
		.more = "The limits are those of chip/limits.c (bandwidths, latencies, capacities, "
			"slots, conflicts, strands), removed one at a time in the paper's first column. Of a row "
			"outside its band a limit is consistent when the row is within it without the "
			"limit and the limit's own observable moved by a tenth; in part when at least a "
			"quarter of the distance is gone; refuted when only the observable moved. "
			"Of a row within its band the limits are named without which it is not; of any "
			"those without which its runs fail. "
			"The number tried is printed: many trials find something by chance."},
	[OPTION_SEED] = {"seed", "N", "Seed of random inputs (default 1).", NUMBER,
		WRITERS | COMMAND_REPLAY | COMMAND_HARDWARE | COMMAND_DIFF, FIELD(run.seed),
		.high = UINT64_MAX},
	[OPTION_CHIP] = {"chip", "MACHINE|FILE.yaml",
		"The chip: a machine, or a file of settings (default m12); may be repeated.", LIST,
		MACHINE | COMMAND_HARDWARE, FIELD(run.chips),
		.more = "warpbeam list --machines lists the machines. A file has settings as path: "
			"value or path: [value, source], nested or not (sm: {warps: 48} is sm.warps: "
			"48); its other keys are base, the chip that it changes: a machine, or a "
			"file relative to this one; machine, its title; about; validated, against "
			"what; and sources, a citation for each key. A source begins with one of "
			"these keys, or is 'assumed' and the reason. Of several chips each overrides "
			"those before it, which a note reports. They replace the scenario's own."},
	[OPTION_SET] = {"set", "PATH=VALUE",
		"Sets a parameter, over the chip and the scenario; may be repeated.", LIST,
		MACHINE | COMMAND_REPRODUCE | COMMAND_REPLAY | COMMAND_CHIP | COMMAND_HARDWARE,
		FIELD(run.set),
		.more = "The last setting of a parameter counts: the chip's, then the "
			"scenario's, then those of the command line, where a note reports a "
			"repeated one. Whole numbers may be hexadecimal (0x) and have the "
			"suffixes K, M and G (powers of 1024)."},
	[OPTION_MAX_CYCLES] = {"max-cycles", "N",
		"Stops a run after N cycles; its report is then partial, or it has "
		"none.",
		NUMBER,
		COMMAND_CUDA | WORK | COMMAND_SWEEP | COMMAND_TUNE | COMMAND_REPRODUCE |
			COMMAND_PROBE | COMMAND_DIFF,
		FIELD(run.max_cycles), .low = 1, .high = UINT64_MAX / 1000,
		.more = "It stops at the end of the window that contains cycle N. With compare, "
			"sweep, tune and reproduce each run is stopped there, the others "
			"continue, and the exit status is 8. A point of a sweep gets a row with "
			"the status limit, and the same sweep with other limits runs it again. "
			"A run of compare or a candidate of tune has no figures (- in the text, "
			"null in JSON with \"stopped\": true, empty in CSV with the status "
			"limit), and means exclude it."},
	[OPTION_TIMEOUT] = {"timeout", "SECONDS",
		"Stops each run that takes longer; the others continue.", NUMBER,
		COMMAND_COMPARE | COMMAND_SWEEP | COMMAND_TUNE | COMMAND_REPRODUCE |
			COMMAND_HARDWARE,
		FIELD(run.timeout), .low = 1, .high = 1000000000,
		.more = "Otherwise as --max-cycles. With hardware nothing is begun after it."},
	[OPTION_JSON] = {"json", "FILE", "Writes all results as JSON; - is stdout.", OUTPUT,
		COMMAND_CUDA | WRITERS | COMMAND_CHECK | COMMAND_LIST | COMMAND_REPLAY |
			COMMAND_CHIP | COMMAND_HARDWARE | COMMAND_PROBE | COMMAND_DIFF |
			COMMAND_EXPLAIN,
		FIELD(json),
		.more = "Of run: program, input hashes, configuration, launches, metrics of the "
			"chip and of each part, verdict. Integers are exact; those above 2^53 "
			"are strings."},
	[OPTION_CSV] = {"csv", "FILE", "Writes all metrics as CSV; - is stdout.", OUTPUT,
		COMMAND_CUDA | WRITERS | COMMAND_REPLAY_NOC, FIELD(csv),
		.more = "Of run: the columns part, metric, value, unit."},
	[OPTION_DUMP] = {"dump", "BUFFER=FILE",
		"Writes a buffer's bytes after a complete run; may be repeated.", OUTPUTS,
		COMMAND_RUN, FIELD(dump)},
	[OPTION_HOST_STATS] = {"host-stats", NULL,
		"Adds the host's time, speed and memory to the results.", FLAG,
		COMMAND_CUDA | COMMAND_RUN | COMMAND_EXEC, FIELD(host_stats),
		.more = "Without it no result depends on the host."},
	[OPTION_POWER] = {"power", NULL,
		"Reports power over time: the energy of each component by interval.", FLAG,
		COMMAND_CUDA | COMMAND_RUN, FIELD(power)},
	[OPTION_QUIET] = {"quiet", NULL, "No report on stdout, no progress on stderr.", FLAG,
		COMMAND_CUDA | WRITERS | COMMAND_CHECK | COMMAND_REPLAY | COMMAND_CHIP |
			COMMAND_HARDWARE | COMMAND_PROBE | COMMAND_DIFF,
		FIELD(run.quiet)},
	[OPTION_WIDE] = {"wide", NULL, "Prints tables with all columns, however wide they are.",
		FLAG,
		COMMAND_CUDA | WRITERS | COMMAND_CHECK | COMMAND_LIST | COMMAND_PARAMS |
			COMMAND_STATS | COMMAND_TOPOLOGY | COMMAND_REPLAY | COMMAND_CHIP |
			COMMAND_HARDWARE | COMMAND_PROBE | COMMAND_DIFF | COMMAND_EXPLAIN,
		FIELD(run.uncut),
		.more = "Otherwise a table that is wider than the terminal (COLUMNS, if it is set; "
			"100 columns where there is no terminal) gets narrower columns and wrapped "
			"words, or loses its last columns, which a line names."},
	[OPTION_THREADS] = {"threads", "N",
		"Host threads (default 1). Results do not depend on it.", NUMBER,
		COMMAND_CUDA | RUNS | COMMAND_REPRODUCE | COMMAND_PROBE | COMMAND_DIFF,
		FIELD(run.threads), .low = 1, .high = 256},
	[OPTION_NO_PIN] = {"no-pin", NULL, "Does not bind host threads or runs to cores.", FLAG,
		COMMAND_CUDA | WORK | COMMAND_REPRODUCE | COMMAND_SWEEP | COMMAND_TUNE |
			COMMAND_PROBE | COMMAND_DIFF,
		FIELD(run.no_pin)},
	[OPTION_PLUGINS] = {"plugins", NULL,
		"Lists the plugins of every kind instead: the names that settings can "
		"have.",
		FLAG, COMMAND_LIST, FIELD(plugins)},
	[OPTION_MACHINES] = {"machines", NULL,
		"Lists the machines that --chip names instead, and what each was validated against.",
		FLAG, COMMAND_LIST, FIELD(machines),
		.more = "With --json their sources and settings, too."},
	[OPTION_DIFF] = {"diff", NULL, "Compares two machines: what differs, also of what follows.",
		FLAG, COMMAND_CHIP, FIELD(diff)},
	[OPTION_MARKDOWN] = {"markdown", NULL,
		"Writes the page of all workloads (doc/workloads.md).", FLAG, COMMAND_LIST,
		FIELD(markdown), .more = "make doc-pages writes it."},
	[OPTION_AGAINST] = {"against", "PATH=VALUE,..|FILE.yaml",
		"A second configuration; reports the speedup that chip and shortcut "
		"see.",
		LIST, COMMAND_COMPARE | COMMAND_DIFF, FIELD(against),
		.more = "Settings on top of the first, or a machine; for one "
			"scenario also another one that differs in chip and set only. May be "
			"repeated. With diff: of the second work."},
	[OPTION_SHARE_BYTES] = {"share-bytes-per-ns", "B",
		"The shortcut's DRAM bandwidth in bytes/ns (default: the chip's by its "
		"SMs).",
		STRING, COMMAND_COMPARE, FIELD(share_bytes)},
	[OPTION_SVG] = {"svg", "FILE", "Writes the drawing as SVG; - is stdout.", OUTPUT,
		COMMAND_COMPARE | COMMAND_OCCUPANCY | COMMAND_REPRODUCE | COMMAND_TUNE |
			COMMAND_CHIP | COMMAND_PROBE,
		FIELD(svg),
		.more = "The ladder of compare, the bars of occupancy, the curve of tune, "
			"the curves of reproduce, the block diagram of chip, the misses by footprint "
			"and stride of probe."},
	[OPTION_JOBS] = {"jobs", "N", "Runs in parallel (default: one for each core of the host).",
		NUMBER,
		COMMAND_COMPARE | COMMAND_REPRODUCE | COMMAND_SWEEP | COMMAND_TUNE |
			COMMAND_PROFILE | COMMAND_DIFF,
		FIELD(run.jobs), .low = 1, .high = 1024,
		.more = "Each is a process, with a core of its own when there are enough. "
			"Results do not depend on it."},
	[OPTION_TOGETHER] = {"together", NULL,
		"Runs the targets on one chip at the same time: how do they slow each other?", FLAG,
		COMMAND_COMPARE, FIELD(together), .more = "See COMPARISONS."},
	[OPTION_SMS] = {"sms", "TARGET=0-15,..",
		"With --together: the SMs that a target runs on (default: all).", LIST,
		COMMAND_COMPARE, FIELD(sms),
		.more = "May be repeated; of two equal targets the first --sms is the first "
			"one's."},
	[OPTION_PROFILE] = {"profile", NULL,
		"Counts forms, memory accesses, branches and registers too.", FLAG, COMMAND_EXEC,
		FIELD(profile),
		.more = "Forms are PTX spellings. Memory accesses are counted by space, "
			"with bytes and 128-byte lines; branches, also divergent ones; 32-bit "
			"registers and predicates as warps read and write them. Text has the 20 "
			"most frequent forms, JSON and CSV all."},
	[OPTION_PROVE] = {"prove", NULL,
		"Runs again without the limit of each advice, and says what the model gains.", FLAG,
		COMMAND_PROFILE, FIELD(prove),
		.more = "A run for each, with --jobs in parallel; results stay right without the "
			"limit. Of imbalance it is the mean time of the SMs."},
	[OPTION_MAX_INSTRUCTIONS] = {"max-instructions", "N",
		"Stops when N warp instructions have been executed (default 2^40).", NUMBER,
		COMMAND_EXEC, FIELD(max_instructions), .low = 1, .high = UINT64_MAX,
		.more = "Those of all CTAs of all launches count. The report is then partial, "
			"and the message says where the warps are. A run in which no warp can "
			"change any state ends at once, in the same way."},
	[OPTION_LINK] = {"link", NULL, "Links the files with each other.", FLAG, COMMAND_CHECK,
		FIELD(link), .more = "As a scenario's list of modules does."},
	[OPTION_REGS] = {"regs", "R",
		"Registers of a thread, at most; the rest is spilled (default 255). The "
		"same as --set gpu.max_regs=R.",
		NUMBER,
		COMMAND_CUDA | COMMAND_RUN | COMMAND_EXEC | COMMAND_CHECK | COMMAND_EXPLAIN |
			COMMAND_PROFILE | COMMAND_TUNE | COMMAND_DIFF,
		FIELD(run.regs), .low = 16, .high = 255},
	[OPTION_SLOTS] = {"slots", "N",
		"Spills to N words of shared memory per thread, the rest to local memory. The same "
		"as --set gpu.spill=shared --set gpu.spill_slots=N.",
		NUMBER,
		COMMAND_CUDA | COMMAND_RUN | COMMAND_EXEC | COMMAND_CHECK | COMMAND_EXPLAIN |
			COMMAND_PROFILE | COMMAND_TUNE | COMMAND_DIFF,
		FIELD(run.slots), .low = 1, .high = 255},
	[OPTION_KERNEL] = {"kernel", "NAME", "Only this kernel.", STRING,
		COMMAND_EXPLAIN | COMMAND_RUN | COMMAND_CUDA | COMMAND_PROFILE, FIELD(kernel),
		.more = "With run: the kernel whose sections the text has before those of all "
			"launches; default: the slowest one's, if there are several. With profile: "
			"the one that runs in time, as with --timed."},
	[OPTION_LAUNCH] = {"launch", "N", "The launch whose sections the text has, from 0 on.",
		NUMBER, COMMAND_RUN | COMMAND_CUDA | COMMAND_PROFILE, FIELD(launch),
		.high = UINT32_MAX,
		.more = "With profile: the one that runs in time. Launches that overlap in time have sections together. The first 1024 have "
			"sections; later ones are counted by kernel."},
	[OPTION_HTML] = {"html", "FILE", "Writes a page of HTML as well; - is stdout.", OUTPUT,
		COMMAND_EXPLAIN | COMMAND_REPRODUCE | COMMAND_PROFILE | COMMAND_PROBE |
			COMMAND_COMPARE | COMMAND_RUN | COMMAND_CUDA | COMMAND_SWEEP |
			COMMAND_TUNE | COMMAND_DIFF,
		FIELD(html),
		.more = "It needs no other file. With run and profile: every kernel and launch."},
	[OPTION_REGISTERS] = {"registers", NULL,
		"Reports how registers are used: reads, lifetimes, levels, energy.", FLAG,
		COMMAND_EXEC, FIELD(registers),
		.more = "How often and how soon values are read, strands, operands read from "
			"the main register file, accesses by level of the hierarchy."},
	[OPTION_RACECHECK] = {"racecheck", NULL,
		"Looks for races of warps for shared and global memory.", FLAG, COMMAND_EXEC,
		FIELD(racecheck),
		.more = "Each pair of instructions by which two warps of a CTA access the same "
			"bytes, one of them writing, without a barrier between them, is named; "
			"such a program may fail untimed and pass on a GPU. Atomics, volatile "
			"accesses and the lanes of a warp are taken as ordered; asynchronous "
			"copies and races between CTAs are not looked at."},
	[OPTION_OVER] = {"over", "PATH=V,..|PATH=A..B",
		"Sweeps a parameter; A..B:STEP, A..B:*FACTOR; also size, seed, ptx; may "
		"be repeated.",
		LIST, COMMAND_SWEEP, FIELD(over),
		.more = "All combinations run. A list may contain ranges. If it contains a "
			"semicolon, semicolons separate its values, which may then have commas. "
			"The step is 1 by default."},
	[OPTION_OUT] = {"out", "FILE.sqlite", "The file of results; created if it does not exist.",
		DATABASE, COMMAND_SWEEP | COMMAND_REPRODUCE | COMMAND_HARDWARE, FIELD(out),
		.more = "With reproduce: where results are kept, and found again (default: with "
			"--html page.html, page.sqlite). With hardware: its tables; an earlier "
			"file is replaced."},
	[OPTION_ALL] = {"all", NULL,
		"Measures every table and figure into one page, --html FILE; continues "
		"from --out. With hardware: all workloads at both sizes, --forms and --probe into --json "
		"FILE; continues from it.",
		FLAG, COMMAND_REPRODUCE | COMMAND_HARDWARE, FIELD(all),
		.more = "The page has verdicts, tables, figures, commands and parameters. "
			"Results of another build are not used."},
	[OPTION_METRIC] = {"metric", "NAME,..",
		"Metrics of the table (default: cycles, IPC per SM, DRAM bytes).", LIST,
		COMMAND_SWEEP, FIELD(metric),
		.more = "That is gpc__cycles_elapsed.max, "
			"sm__inst_executed.avg.per_cycle_elapsed, dram__bytes.sum. The file has "
			"all metrics. May be repeated."},
	[OPTION_PLAN] = {"plan", "FILE",
		"Divides the points into --shards, into this file; with --shard it is read.",
		STRING, COMMAND_SWEEP, FIELD(plan),
		.more = "See SHARDS. It is JSON: the program's build, the options, each point's key, "
			"cost and shard, and a hash of it all."},
	[OPTION_SHARDS] = {"shards", "N", "The number of shards of --plan, or of --slurm.", NUMBER,
		COMMAND_SWEEP | COMMAND_REPRODUCE, FIELD(shards), .low = 1, .high = 65536,
		.more = "The most expensive point comes first, each into the shard that has the least "
			"to do."},
	[OPTION_SHARD] = {"shard", "I/N",
		"Runs the points of shard I (1 to N) of --plan, into a part file.", STRING,
		COMMAND_SWEEP | COMMAND_REPRODUCE, FIELD(shard),
		.more = "The part is PLAN.I-of-N.rR.sqlite, beside the plan, or with --out FILE.sqlite "
			"FILE.rR.sqlite. R is SLURM_RESTART_COUNT or 0, or the next number of which "
			"there is no file. What earlier parts of the shard have finished is not run "
			"again."},
	[OPTION_MERGE] = {"merge", "OUT.sqlite", "Puts the part files that are named together.",
		STRING, COMMAND_SWEEP, FIELD(merge),
		.more = "The file's rows are those of the sweep in one process; it may exist. The "
			"exit status is 10 when points are missing, which are named, else as of the "
			"sweep in one process."},
	[OPTION_COSTS] = {"costs", "FILE.sqlite",
		"An earlier file of results, whose times --plan uses.", STRING, COMMAND_SWEEP,
		FIELD(costs),
		.more = "A point's time, else the mean of its target and size, else of all. Without it "
			"a point's cost is the warp instructions that its target executes, counted "
			"without timing."},
	[OPTION_GRACE] = {"grace", "SECONDS",
		"After SIGTERM running points may end within this time (default 0).", NUMBER,
		COMMAND_SWEEP | COMMAND_REPRODUCE, FIELD(grace), .high = 1000000,
		.more = "No other begins. Points that have not ended then, or at a second signal, are "
			"abandoned: the same command runs them. The exit status is 10 unless all "
			"points are finished."},
	[OPTION_SLURM] = {"slurm", NULL, "Submits the shards to Slurm as an array of tasks.", FLAG,
		COMMAND_SWEEP | COMMAND_REPRODUCE, FIELD(slurm),
		.more = "See SLURM. The plan is --plan, or OUT.plan.json; --shards is by default the "
			"number of points, at most 1000; --jobs is a task's processors, --grace by "
			"default 50."},
	[OPTION_PARTITION] = {"partition", "NAME", "The partition of Slurm (sbatch --partition).",
		STRING, COMMAND_SWEEP | COMMAND_REPRODUCE, FIELD(partition)},
	[OPTION_TIME] = {"time", "TIME", "The time limit of a task (sbatch --time).", STRING,
		COMMAND_SWEEP | COMMAND_REPRODUCE, FIELD(time)},
	[OPTION_ARRAY_SIZE] = {"array-size", "N", "At most this many tasks.", NUMBER,
		COMMAND_SWEEP | COMMAND_REPRODUCE, FIELD(array_size), .low = 1, .high = 4000000,
		.more = "Without it as many as Slurm allows (MaxArraySize). Shards above that are "
			"run by the tasks one after the other."},
	[OPTION_WATCH] = {"watch", NULL,
		"Follows the tasks, submits again what they have not finished, and merges.", FLAG,
		COMMAND_SWEEP, FIELD(watch)},
	[OPTION_RETRIES] = {"retries", "N",
		"How often --slurm submits unfinished shards again (default 2).", NUMBER,
		COMMAND_SWEEP | COMMAND_REPRODUCE, FIELD(retries), .high = 1000},
	[OPTION_BLOCK] = {"block", "X[,Y[,Z]]", "Threads of a CTA, for a PTX file's kernels.",
		STRING, COMMAND_OCCUPANCY, FIELD(block),
		.more = "Those with .reqntid do not need it."},
	[OPTION_SHARED] = {"shared", "BYTES",
		"Dynamic shared memory of a CTA, for a PTX file's kernels.", NUMBER,
		COMMAND_OCCUPANCY, FIELD(shared), .high = UINT32_MAX},
	[OPTION_FOR] = {"for", "N",
		"Reports what each design allows a kernel of which an SM is to hold N CTAs.",
		NUMBER, COMMAND_OCCUPANCY, FIELD(for_ctas), .low = 1, .high = 64,
		.more = "The most registers per thread, with the kernel's shared memory, and the "
			"most bytes of shared memory per CTA, with its registers."},
	[OPTION_DEVICE] = {"device", "NAME", "The DRAM device: dram.device.", STRING,
		COMMAND_REPLAY_DRAM, FIELD(device)},
	[OPTION_MAP] = {"map", "FIELDS", "The address map, as RoBaBgCo: dram.map.", STRING,
		COMMAND_REPLAY_DRAM, FIELD(map),
		.more = "Row, bank, bank group, column, most significant first."},
	[OPTION_SCHEDULER] = {"scheduler", "NAME", "The DRAM scheduler: dram.scheduler.", STRING,
		COMMAND_REPLAY_DRAM, FIELD(scheduler)},
	[OPTION_INJECT] = {"inject", "sat|cbr:F|pois:F",
		"When accesses arrive: all at once (sat, the default); at a constant "
		"rate; one a clock by chance; F of the peak bandwidth.",
		STRING, COMMAND_REPLAY_DRAM, FIELD(inject), .more = "Chance is drawn from --seed."},
	[OPTION_TRACE] = {"trace", "FILE", "Writes a Perfetto trace of the run.", OUTPUT,
		COMMAND_CUDA | COMMAND_RUN, FIELD(trace),
		.more = "Launches, CTAs and barriers are slices; what SMs, networks, L2 slices "
			"and DRAM channels do are counters. Its times are in nanoseconds, "
			"rounded down. Neither a trace nor waves change a result, and both are the "
			"same for any number of host threads. Files of a run that ends early "
			"are complete up to its end."},
	[OPTION_TRACE_FILTER] = {"trace-filter", "GLOB,..",
		"Only these parts, or signals, in the trace: sm.*,dram.0.", STRING,
		COMMAND_CUDA | COMMAND_RUN, FIELD(trace_filter)},
	[OPTION_TRACE_EVERY] = {"trace-every", "N",
		"Cycles over which the trace's counters are averaged (default 100).", NUMBER,
		COMMAND_CUDA | COMMAND_RUN, FIELD(trace_every), .low = 1, .high = 1000000},
	[OPTION_VCD] = {"vcd", "FILE", "Writes waves of the chip's signals (IEEE 1364).", OUTPUT,
		COMMAND_CUDA | COMMAND_RUN, FIELD(vcd), .more = "Each change of each signal."},
	[OPTION_VCD_FILTER] = {"vcd-filter", "GLOB,..",
		"Only these parts or signals (topology --signals) in the waves.", STRING,
		COMMAND_CUDA | COMMAND_RUN, FIELD(vcd_filter)},
	[OPTION_TRACE_WINDOW] = {"trace-window", "A:B",
		"Trace and waves begin with cycle A and end before B.", STRING,
		COMMAND_CUDA | COMMAND_RUN, FIELD(trace_window)},
	[OPTION_TRACE_LIMIT] = {"trace-limit", "MB",
		"The largest size of either file (default 64).", NUMBER, COMMAND_CUDA | COMMAND_RUN,
		FIELD(trace_limit), .low = 1, .high = 1000000,
		.more = "In millions of bytes. What is left out is counted on stderr."},
	[OPTION_SIGNALS] = {"signals", NULL, "Lists the signals that traces and waves can show.",
		FLAG, COMMAND_TOPOLOGY, FIELD(signals),
		.more = "Name, kind, unit, meaning; a star marks those that are shown by "
			"default."},
	[OPTION_TOP] = {"top", "N", "Rows of a printed table (default 10).", NUMBER,
		COMMAND_PROFILE | COMMAND_DIFF, FIELD(top), .low = 1, .high = 1000000,
		.more = "Files have all rows."},
	[OPTION_SQLITE] = {"sqlite", "FILE", "Writes all tables as an SQLite file.", DATABASE,
		COMMAND_PROFILE, FIELD(sqlite),
		.more = "In one transaction. An earlier profile is replaced; any other file is "
			"refused."},
	[OPTION_NETWORK] = {"network", "NAME",
		"The network (default router); its parameters are noc.NAME.", STRING,
		COMMAND_REPLAY_NOC, FIELD(network),
		.more = "crossbar, ideal, mesh, router or voq."},
	[OPTION_LOADS] = {"loads", "F,..|A..B:STEP",
		"Offered loads, as shares of what the smaller side's ports carry.", STRING,
		COMMAND_REPLAY_NOC, FIELD(loads),
		.more = "Default 0.1..0.9:0.1,0.95,1. A source generates at most one packet a "
			"cycle."},
	[OPTION_BYTES] = {"bytes", "N", "The cache's capacity: cache.bytes (default 64K).", STRING,
		COMMAND_REPLAY_CACHE, FIELD(bytes)},
	[OPTION_WAYS] = {"ways", "N", "Its associativity: cache.ways (default 4).", STRING,
		COMMAND_REPLAY_CACHE, FIELD(ways)},
	[OPTION_LINE_BYTES] = {"line-bytes", "N",
		"The size of its lines: cache.line_bytes (default 128).", STRING,
		COMMAND_REPLAY_CACHE, FIELD(line_bytes)},
	[OPTION_REPLACEMENT] = {"replacement", "NAME",
		"The replacement policy: cache.replacement (default lru).", STRING,
		COMMAND_REPLAY_CACHE, FIELD(replacement)},
	[OPTION_WRITE_POLICY] = {"write-policy", "back|through",
		"The write policy: cache.write_policy (default back).", STRING,
		COMMAND_REPLAY_CACHE, FIELD(write_policy)},
	[OPTION_SPLITS] = {"splits", NULL,
		"Tries the splits of the Fermi-like storage instead of numbers of "
		"threads.",
		FLAG, COMMAND_TUNE, FIELD(splits)},
	[OPTION_CONCURRENCY] = {"concurrency", NULL,
		"Tries numbers of resident CTAs: fewer registers, spills to shared memory.", FLAG,
		COMMAND_TUNE, FIELD(concurrency),
		.more = "From the unchanged program to what slots of CTAs and warps allow, of each "
			"kernel that spills then. Marks the level that Hayes and Zhang's rule "
			"chooses without running any."},
	[OPTION_LEVEL] = {"concurrency", "LEVEL",
		"Runs at a level of tune --concurrency: auto, or a number of threads of an SM.",
		STRING, COMMAND_RUN | COMMAND_PROFILE | COMMAND_COMPARE, FIELD(level),
		.more = "Auto is the one that Hayes and Zhang's rule chooses for each kernel. Threads "
			"are of all kernels that have such a level; KERNEL:THREADS of one."},
	[OPTION_MEM] = {"mem", "offchip|spills",
		"What the rule of --concurrency counts as memory (default offchip).", STRING,
		COMMAND_TUNE, FIELD(mem)},
	[OPTION_REPEAT] = {"repeat", "N", "Timed runs of each target (default 5).", NUMBER,
		COMMAND_HARDWARE, FIELD(repeat), .low = 1, .high = 1000},
	[OPTION_DRIVER] = {"driver", "FILE",
		"The driver's library (default $WARPBEAM_DRIVER, else libcuda.so.1).", STRING,
		COMMAND_HARDWARE, FIELD(driver)},
	[OPTION_GPU] = {"gpu", "N", "The GPU, as the driver counts them (default 0).", NUMBER,
		COMMAND_HARDWARE, FIELD(gpu_number), .high = 1023},
	[OPTION_LOCKED] = {"locked-clocks", NULL,
		"Says in the results that the GPU's clocks are locked.", FLAG, COMMAND_HARDWARE,
		FIELD(locked),
		.more = "The driver does not report it. nvidia-smi --lock-gpu-clocks locks them."},
	[OPTION_FORMS] = {"forms", NULL,
		"Runs PTX forms instead: all, or those that begin with the words given.", FLAG,
		COMMAND_HARDWARE, FIELD(forms),
		.more = "Each opcode of warpbeam forms (of each row every alternative beside the "
			"first ones of the others, generic addresses in each memory) runs on 512 "
			"sets of operands: edges of its types, then random ones (--seed). Results "
			"are compared with the executor's by what PTX says of them: the bits, an "
			"error within a bound, or nothing. What the driver's compiler refuses is "
			"listed with its message."},
	[OPTION_PROBE] = {"probe", NULL, "Runs microbenchmarks instead: all, or the groups named.",
		FLAG, COMMAND_HARDWARE, FIELD(probe),
		.more = "chase (footprint, stride and path), bandwidth, atomic (one address, one "
			"line, spread), shared (strides), latency and throughput of instructions, "
			"all by %clock64. With --record also the scripts of warpbeam probe. "
			"compare --hardware shows the chip's beside them."},
	[OPTION_HARDWARE] = {"hardware", "FILE",
		"Compares with results of a real GPU (hardware --json); may be repeated.", LIST,
		COMMAND_COMPARE, FIELD(hardware),
		.more = "Each target of the file that is named, none named: all, runs on the "
			"machine of --chip, with the file's size, seed and settings, 64-bit PTX. "
			"Reported are cycles beside the GPU's, their ratio, its geometric mean, the "
			"mean error, the rank correlation (Spearman's), and for two runs of one "
			"target with different settings (of several files) whether both see the "
			"same sign of the speedup. The GPU's time is the median without the "
			"launches' own; a time that is shorter than its launches is not scored, "
			"nor are a failed check and workloads that calibrate machines. Files that "
			"tests made without a GPU are refused."},
	[OPTION_ONLY] = {"only", "PART,..",
		"Finds out these parts only: latency, l1, tex, l2, tlb, shared, patterns, passes.",
		STRING, COMMAND_PROBE, FIELD(only),
		.more = "Only if named: patterns, Mei et al.'s latencies by what holds data and "
			"translation; passes, misses in cyclic passes over more than L1, texture "
			"cache and TLBs hold, and which ways are evicted."},
	[OPTION_RECORD] = {"record", "FILE", "Writes every script and its times.", OUTPUT,
		COMMAND_PROBE | COMMAND_HARDWARE, FIELD(record),
		.more = "A text file; --replay reads it."},
	[OPTION_RECORD_DIR] = {"record", "DIR",
		"Records the program: warpbeam run DIR plays it without the program.", STRING,
		COMMAND_CUDA | COMMAND_RUN, FIELD(record_dir),
		.more = "A folder that does not exist; it appears when the program has ended. Calls, "
			"data, and what the program writes into memory that it shares with the device "
			"are in it, not the machine: run DIR with the same --chip and --set gives the "
			"same bytes of JSON and CSV. doc/recordings.md describes its files."},
	[OPTION_REPLAY] = {"replay", "FILE", "Takes the times of a recording instead of a chip's.",
		STRING, COMMAND_PROBE, FIELD(replay),
		.more = "The probe asks for one script after the other, depending on the times "
			"before; the recording must have the same scripts in the same order, of a "
			"probe with the same --only. Else the exit status is 3, and the report has "
			"what was found until then."},
	[OPTION_EMIT] = {"emit", "DIR",
		"Writes the scripts and a CUDA program that runs them on hardware.", STRING,
		COMMAND_PROBE, FIELD(emit),
		.more = "DIR/scripts.txt and DIR/probe.cu (nvcc -o probe probe.cu; ./probe "
			"scripts.txt > recording.txt). The scripts are those of this probe: they fit "
			"a card where it resembles the chip, so give the --chip nearest to it."},
	[OPTION_COMPARE] = {"compare", NULL,
		"Shows what the configuration says beside what was found.", FLAG, COMMAND_PROBE,
		FIELD(compare)},
	[OPTION_HOW] = {"how", NULL, "Prints what the program needs instead of running it.", FLAG,
		COMMAND_CUDA, FIELD(how),
		.more = "How it is linked with CUDA's runtime, which PTX it contains, and what to change."},
	[OPTION_TIMED] = {"timed", "KERNEL[:FIRST-LAST],..",
		"Only these launches run in time, the others are executed only.", STRING, REGION,
		FIELD(run.region.timed),
		.more = "KERNEL is a name as in the source or in the PTX, or *; FIRST and LAST "
			"count the kernel's own launches from 1 on (3, 3-, 3-7). Launches that are "
			"executed only take no cycles; results and checks are the same. A program's "
			"run in time until 100 million warp instructions were simulated, unless one "
			"of these options is given; a note reports the end, and --timed '*' times "
			"all."},
	[OPTION_UNTIMED] = {"untimed", NULL, "All kernels are executed only, without time.", FLAG,
		TIMED, FIELD(run.region.untimed)},
	[OPTION_FROM_LAUNCH] = {"from-launch", "N",
		"Only launches from the Nth on run in time, of all, and of --timed.", NUMBER,
		REGION, FIELD(run.region.from_launch), .low = 1, .high = UINT64_MAX},
	[OPTION_LAUNCHES] = {"launches", "M",
		"Only M launches run in time, the first ones or those of --from-launch.", NUMBER,
		REGION, FIELD(run.region.launches), .low = 1, .high = UINT64_MAX},
	[OPTION_SKIP_CYCLES] = {"skip-cycles", "N",
		"Metrics count from cycle N on: the cycles before are a warm-up.", NUMBER,
		COMMAND_CUDA | COMMAND_RUN | COMMAND_SWEEP, FIELD(run.region.skip_cycles), .low = 1,
		.high = UINT64_MAX / 1000,
		.more = "From the first window's edge at or behind it. Peaks, and what is listed by "
			"launch or kernel, are of the whole run."},
	[OPTION_WARM] = {"warm", NULL,
		"Launches that are executed only leave the caches as they would in time.", FLAG,
		REGION & ~COMMAND_PROFILE, FIELD(run.region.warm),
		.more = "Lines and dirty data of L2, L1 and texture caches, in about the chip's order; "
			"else caches hold what launches in time left. --sample has it on."},
	[OPTION_SAMPLE] = {"sample", "POLICY",
		"Times a part and estimates cycles and traffic of all: launches, ctas, interval, "
		"spread, within, auto.",
		STRING, COMMAND_CUDA | COMMAND_RUN, FIELD(run.region.sample),
		.more = "launches: each kernel's first five launches, then some at growing distances. "
			"ctas: of a launch that fills the chip four times, CTAs until their rate is "
			"stable, and the end. interval: of one that fills it 16 times, windows at "
			"equal distances. spread: short windows over the grid. within: short windows "
			"of resident CTAs, the first after 10,000 cycles or those of "
			"within,settled=CYCLES. auto: launches, and of those in time one of the "
			"others. The rest is executed only, with warm caches: results are exact. "
			"Each estimate has a 95 % interval."},
	[OPTION_CHECKPOINT] = {"checkpoint", "FILE",
		"Writes a workload's state on SIGUSR2; --resume goes on from it.", OUTPUT,
		COMMAND_RUN | COMMAND_CUDA | COMMAND_PROFILE, FIELD(run.checkpoint.file)},
	[OPTION_CHECKPOINT_EVERY] = {"checkpoint-every", "CYCLES|SECONDSs",
		"Also writes it in this interval of cycles, or of seconds: 60s.", STRING,
		COMMAND_RUN | COMMAND_CUDA | COMMAND_PROFILE | COMMAND_SWEEP | COMMAND_REPRODUCE,
		FIELD(run.checkpoint.every),
		.more = "Of sweep and reproduce each run that takes longer has one beside --out, also "
			"written on SIGTERM; the same command goes on from it, and removes it when the "
			"run is done."},
	[OPTION_CHECKPOINT_TERM] = {"checkpoint-term", NULL,
		"Also writes it on SIGTERM, before the run stops.", FLAG,
		COMMAND_RUN | COMMAND_CUDA | COMMAND_PROFILE, FIELD(run.checkpoint.at_term)},
	[OPTION_RESUME] = {"resume", "FILE", "Goes on from a checkpoint of the same command.",
		STRING, COMMAND_RUN | COMMAND_CUDA | COMMAND_PROFILE, FIELD(run.checkpoint.resume),
		.more = "Results are those of a run that was never stopped, whatever --threads is."},
	[OPTION_SERVE] = {"serve", "[PORT]",
		"Serves a page that shows the command while it runs, to a browser on this host.",
		NUMBER, COMMAND_RUN | COMMAND_CUDA | COMMAND_SWEEP | COMMAND_REPRODUCE, FIELD(port),
		.low = 1, .high = 65535, .optional = true,
		.more = "Its address, on stderr, has a token that cannot be guessed; without PORT any "
			"port that is free. The page has progress, counters and curves over time, or "
			"the runs; a button that stops the command as SIGTERM does, and one that keeps "
			"what the page shows as JSON. Results do not depend on it."},
	[OPTION_FROM] = {"from", "FILE",
		"Goes on from another run's checkpoint, with parameters changed by --set.", STRING,
		COMMAND_RUN | COMMAND_CUDA | COMMAND_PROFILE, FIELD(run.checkpoint.from),
		.more = "Most parameters cannot change, since the state depends on them: the message "
			"names them. Those that can: see doc/guide.md."},
	[OPTION_HELP] = {"help", NULL, "Prints this.", FLAG, ~0u, FIELD(help)},
#undef MACHINE
#undef WRITERS
#undef LOOKS
#undef RUNS
#undef WORK
#undef REGION
#undef TIMED
#undef FIELD
};
