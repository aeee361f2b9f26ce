/* The commands: --help and the manual page print what the table says of each. */
#include "cli/command.h"

#include <string.h>

const struct command command_rows[] = {
	{"run", "WORKLOAD|FILE.yaml|-- PROGRAM..",
		"Runs a workload or a scenario and reports what it measured.", command_run,
		COMMAND_RUN, 1, 1,
		"A workload's results are checked against its reference, a scenario's by its "
		"checks. An argument that has a slash or ends in .yaml or .yml is a scenario: "
		"see SCENARIOS. A path after -- is a CUDA program, its arguments follow, as of "
		"warpbeam cuda; it is started for each run. The folder of a recording (--record) is "
		"played.",
		"2 to 4"},
	{"exec", "WORKLOAD|FILE.yaml|-- PROGRAM..",
		"Runs a workload or a scenario without timing and counts what it executes.",
		command_exec, COMMAND_EXEC, 1, 1,
		"CTAs run one after the other; the results are checked. Warp and thread "
		"instructions are counted by unit.",
		"6"},
	{"cuda", "PROGRAM [ARGUMENT]..", "Runs a compiled CUDA program, its kernels on the chip.",
		command_cuda, COMMAND_CUDA, 1, 65536,
		"Options come before the program's name. The program is an executable of nvcc (9.2 to "
		"13) or clang that contains PTX and is linked with the shared CUDA runtime "
		"(NVCC_APPEND_FLAGS=\"-cudart shared\" in nvcc's environment); warpbeam's own "
		"libcudart replaces it. Host code takes no simulated time: kernels run when "
		"the host waits for them. Events measure simulated time. The program's output is its "
		"own; the report follows when it has ended. The exit status is 1 when the program's is "
		"not 0, 6 or 7 when a kernel did something illegal or cannot finish.",
		"14"},
	{"scenario", "RECORDING FOLDER",
		"Turns a program's recording into a scenario, to be edited.", command_scenario,
		COMMAND_SCENARIO, 2, 2,
		"FOLDER is made, with scenario.yaml, PTX, the buffers' bytes before the first launch, "
		"and what they held after the last, as checks. The launches are those up to the first "
		"after which the host writes what they had used; a note says so. Waits of the host "
		"are left out. What a scenario cannot hold (textures, written variables of "
		"modules) is refused (4); pointers in memory are not seen, checks then fail.",
		"14"},
	{"check", "FILE.ptx|PROGRAM...",
		"Compiles PTX, or what a compiled CUDA program has of it: what each kernel needs, "
		"and what is wrong or not supported.",
		command_check, COMMAND_CHECK, 1, 65536,
		"For each kernel: instructions, registers, registers live at once, predicates, "
		"shared (a plus: and dynamic shared), local and parameter bytes, depth of calls. "
		"On stderr, everything that is wrong or not supported: file, line, column, "
		"kernel, full spelling and, with .loc, the CUDA line. A kernel with an error is "
		"left out; the others of its file compile, and run. The exit status is 3 when "
		"something is wrong; otherwise 4 when something is not supported, 5 when a "
		"kernel is too large.",
		"6"},
	{"explain", "WORKLOAD|FILE.ptx|PROGRAM",
		"Shows the allocated code: operands' locations, spills, strands, live counts, "
		"source.",
		command_explain, COMMAND_EXPLAIN, 1, 1,
		"An instruction a line: its number, the 32-bit registers live right before it, "
		"opcode, operands by location, and with .loc the CUDA line. r12 is a main "
		"register, o1 an entry of the operand register file, lA the last result file of "
		"operand slot A (l: of all). r12+o1 is written to both; r12>o1 is read from r12 "
		"and kept in o1. Blocks, strands (the warp continues, or is descheduled) and "
		"spills are marked.",
		"6"},
	{"forms", "", "Prints the page of all supported PTX forms, as Markdown.", command_forms,
		COMMAND_FORMS, 0, 0, "Those that are refused by name, too.", "6"},
	{"compare", "WORKLOAD|FILE.yaml..|-- PROGRAM..",
		"Compares the chip with the one-SM shortcut, or kernels on one chip.",
		command_compare, COMMAND_COMPARE, 0, COMPARE_TARGETS, "See COMPARISONS.", "7"},
	{"reproduce", "[TABLE|--all [WORKLOAD..]]",
		"Measures a paper's table or figure beside the paper's numbers; without a name "
		"lists them.",
		command_reproduce, COMMAND_REPRODUCE, 0, 1 + COMPARE_TARGETS,
		"Each row has the paper's number, ours, the band and the verdict; a note below it "
		"reports what its runs measured besides. Means are over the workloads named, or over the "
		"paper's; a mean of fewer than those is not judged. A workload that the figure "
		"does not have is an error (2). A --set of a workload's parameter is for that "
		"workload. With --html or --out, results are kept in a file, and the same command "
		"continues after an interruption. doc/reproduce.md describes each.",
		"11"},
	{"sweep", "WORKLOAD|FILE.yaml..|-- PROGRAM..",
		"Runs over all combinations of parameter values, into a file of results.",
		command_sweep, COMMAND_SWEEP, 0, 65536,
		"See SWEEPS, and SHARDS for several machines.", "9"},
	{"occupancy", "WORKLOAD|FILE|-- PROGRAM..",
		"Reports what limits the resident threads in each design of storage.",
		command_occupancy, COMMAND_OCCUPANCY, 1, 1,
		"For each kernel (of launches that differ in their grid, the largest) and each "
		"design (partitioned, each Fermi-like split, unified of several sizes): CTAs that "
		"fit, resident CTAs and threads, what limits them (registers, shared memory, both "
		"together, warp slots, CTA slots, grid), bytes of registers, shared memory and "
		"cache. A workload whose launches depend on its results is run without timing.",
		"6"},
	{"tune", "WORKLOAD|FILE.yaml|-- PROGRAM..",
		"Tries numbers of resident threads, or splits of storage, and reports the best.",
		command_tune, COMMAND_TUNE, 1, 1,
		"In the design of chip.storage: every number of threads that fits an SM, the "
		"largest 64. Unified storage is set aside for that number "
		"(storage.unified.threads), other designs have that many warp slots (sm.warps). "
		"For each: cycles, speedup over the most threads, DRAM bytes, the smallest cache "
		"of a launch. Of equals, the best is the one with most threads. With "
		"--concurrency: numbers of resident CTAs above those of the unchanged program, "
		"each with the registers and spill slots in shared memory that it leaves; a marks the "
		"level that a rule chooses from the code alone, * the best, w the worst. The exit "
		"status is 5 when nothing fits.",
		"6"},
	{"profile", "WORKLOAD|FILE.yaml|-- PROGRAM..",
		"Reports where DRAM traffic comes from: kernel, buffer, line, SM, channel, time.",
		command_profile, COMMAND_PROFILE, 1, 1,
		"Cycles are those of run. Of the bytes that lanes request: what coalescing, L1 "
		"and L2 leave, how much of what was fetched was used, what schedulers wait for, "
		"and bytes read, written and flushed, also by bank and by CUDA line (.loc). A "
		"read belongs to the access that caused it, a write to the sector's last writer.",
		"8"},
	{"diff", "A B", "Reports what changed between two runs: reports, files of results, works.",
		command_diff, COMMAND_DIFF, 2, 2,
		"A and B are reports of run or of profile (--json), files of profile --sqlite, "
		"sweep or reproduce --out (of several runs FILE.sqlite@POINT, where the point's key may be "
		"cut short), or works, which are run now: workloads, scenarios, recordings, CUDA programs "
		"(A -- PROGRAM.., or -- PROGRAM.. -- PROGRAM..). Two works are profiled; beside a file a work is run as the file's was. Settings, and counts by metric, "
		"kernel, line, buffer, SM, channel and part, those of most weight first: the change by the "
		"count's larger sum over all rows. The exit status is 3 for a file that is something "
		"else, of another version, without runs, or of several.",
		"8"},
	{"hardware", "[WORKLOAD|FILE.yaml..]",
		"Runs workloads or scenarios on a real GPU, and compares its results with exec's.",
		command_hardware, COMMAND_HARDWARE, 0, COMPARE_TARGETS,
		"None named: all workloads. Through NVIDIA's driver (libcuda.so.1), which is opened at run time; 64-bit PTX. "
		"Buffers, textures, launches, streams and checks are those of run. Each target "
		"runs by the executor, on the GPU once to warm up, and again as often as --repeat "
		"says, from the same memory. Reported are the verdict of the check, the words of "
		"memory that differ from the executor's, the time by events from the first launch "
		"to the end of the last (without the host's work between launches that depend on "
		"results), cycles as that time times the clock that a kernel measures (%clock64 "
		"over %globaltimer), and the registers, local and shared bytes of the driver's "
		"compiler beside ours. A target that fails does not end the others. The exit "
		"status is 9 without a driver or GPU. Text that kernels print is printed twice.",
		"13"},
	{"replay", "dram|cache TRACE|noc PATTERN",
		"Replays a trace in one DRAM channel, a line 'R 0xADDRESS' or 'W 0xADDRESS' each, "
		"or in one cache, a line '0 ADDRESS' (a read) or '1 ADDRESS' (a write) each; or "
		"traffic through one network, as uniform:32x12.",
		command_replay, COMMAND_REPLAY, 2, 2, NULL, "10"},
	{"list", "[WORKLOAD..]", "Lists the workloads, or those named.", command_list, COMMAND_LIST,
		0, COMPARE_TARGETS,
		"What each computes, its source, its kernels with launches, registers, shared "
		"memory.",
		"2, 5"},
	{"chip", "MACHINE|FILE.yaml..",
		"Prints a machine's data sheet: parameters with sources, peaks; or what two differ in.",
		command_chip, COMMAND_CHIP, 1, 16,
		"What follows from the parameters (peaks by precision, bytes a second by level), the "
		"parameters that its description gives, each with its source or the reason why it "
		"was assumed, and the sources. Of several machines each overrides those before "
		"it, as of --chip.",
		"5"},
	{"probe", "", "Finds out a chip's caches, TLBs and banks by timing accesses alone.",
		command_probe, COMMAND_PROBE, 0, 0,
		"A kernel of one thread runs scripts of accesses on the chip, or a recording gives "
		"their times; nothing else of the machine is known to the probe. For each part: "
		"latencies, what a miss fills, line, capacity, sets, ways, index, replacement, each "
		"with its evidence. What does not follow from the times is 'not determined', with "
		"the reason; that is no error.",
		"12"},
	{"params", "[PREFIX]", "Lists all parameters: value, bounds, meaning.", command_params,
		COMMAND_PARAMS, 0, 1, "Those whose path starts with the prefix.", "5"},
	{"stats", "", "Lists all metrics: unit and meaning.", command_stats, COMMAND_STATS, 0, 0,
		NULL, "3"},
	{"topology", "", "Lists the chip's parts and how they are linked.", command_topology,
		COMMAND_TOPOLOGY, 0, 0, NULL, "5"},
	{"completion", "bash|fish|zsh",
		"Prints what lets a shell complete commands, options, workloads, parameters.",
		command_completion, COMMAND_COMPLETION, 1, 1,
		"make install puts it where the shells look. For one session: source <(warpbeam "
		"completion bash), source <(warpbeam completion zsh) after compinit, or warpbeam "
		"completion fish | source.",
		"1"},
	{0},
};

const struct replay_kind replay_kinds[] = {
	{"dram", "TRACE",
		"Replays a trace in one DRAM channel, a line 'R 0xADDRESS' or 'W 0xADDRESS' each.",
		COMMAND_REPLAY_DRAM, "warpbeam params dram --set chip.dram=banked",
		"A line is a burst, its address in the channel, decimal or hexadecimal (0x); # "
		"begins a comment. At most one access is offered in each command clock (CK), in "
		"order; one that is not accepted holds up those behind it. Reported: bandwidth "
		"(bursts between 5% and 95% of all) of the peak, row hits (1 - activates / "
		"bursts), latency of reads to the last data beat, from acceptance and from "
		"arrival, in CK (mean, median, 99th percentile).",
		"10"},
	{"cache", "TRACE",
		"Replays a trace in one cache, a line '0 ADDRESS' (a read) or '1 ADDRESS' (a "
		"write) each.",
		COMMAND_REPLAY_CACHE, "warpbeam params cache",
		"Dinero's din format: addresses are hexadecimal, '2 ADDRESS' is an instruction "
		"fetch and counts as a read, # begins a comment. An access has 4 bytes "
		"(cache.access_bytes). Reported: accesses, misses, bytes from and to memory, "
		"dirty lines written back on eviction and at the end.",
		"10"},
	{"noc", "PATTERN",
		"Sends traffic through one network: uniform, hotspot, permutation or reverse, as "
		"uniform:32x12.",
		COMMAND_REPLAY_NOC, "warpbeam params traffic, warpbeam params noc",
		"PATTERN may name the ports: 32x12, the default, is 32 inputs and 12 outputs. "
		"hotspot: traffic.hot_share of the packets go to output 0; permutation: input i "
		"sends to output i * outputs / inputs; reverse: the same, outputs counted from "
		"the last. Each input has a source with an unbounded queue. Loads and throughputs "
		"are shares of a flit a cycle at each port of the smaller side. Latency is from a "
		"packet's generation to its last flit, and is reported at loads that the network "
		"carried; 'network alone' is the mean without the source's queue, 'sources' the "
		"least and the most throughput of one source, over the mean.",
		"10"},
	{0},
};

const struct replay_kind *replay_find(const char *name)
{
	for (const struct replay_kind *k = replay_kinds; k->name; k++)
		if (!strcmp(k->name, name))
			return k;
	return NULL;
}
