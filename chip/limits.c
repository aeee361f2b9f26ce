#include "chip/limits.h"

#include "core/base.h"

#include <math.h>
#include <string.h>

#define SLOTS "sched__cycles_selected.sum"

/* All of the splits that a chip may choose from. */
#define FERMI_64M "storage.fermi.splits=65536/65536,65536/65536,65536/65536"

/* The ALU's classes; where a chip has no pipes these are the ALU's latency. */
#define PIPES \
	"pipe.int_cycles=1 pipe.int64_cycles=1 pipe.shift_cycles=1 pipe.compare_cycles=1 " \
	"pipe.minmax_cycles=1 pipe.mul_cycles=1 pipe.mad_cycles=1 pipe.f32_cycles=1 " \
	"pipe.fma_cycles=1 pipe.f16_cycles=1 pipe.f64_cycles=1 pipe.bits_cycles=1 " \
	"pipe.conversion_cycles=1"

/* A result of every kind but comparisons' in that part of its cycles, as of that number of chains.
 */
#define PART(class, n) "pipe." class "_cycles=@pipe." class "_cycles/" n " "
#define CHAINS(n) \
	"sm.alu_cycles=@sm.alu_cycles/" n \
	" pipe.compare_cycles=@pipe.compare_cycles|sm.alu_cycles " PART("int", n) PART("int64", n) \
		PART("shift", n) PART("minmax", n) PART("mul", n) PART("mad", n) PART("f32", n) \
			PART("fma", n) PART("f16", n) PART("f64", n) PART("bits", n) \
				PART("conversion", n)
#define LOADS(n) "ideal.chains=" n " " CHAINS(n)

/* A class of operations on the pipe of another one. */
#define AS_FAST(class, other) \
	"pipe." class "_pipe=@pipe." other "_pipe pipe." class "_lanes=@pipe." other "_lanes " \
							       "pipe." class \
		"_cycles=@pipe." other "_cycles pipe." class "_shared=@pipe." other "_shared "

/* Stalls are compared with the instructions issued: those do not depend on the machine. */
const struct limit limits[] = {
	{.name = "mshrs",
		.text = "outstanding lines of an L1, and loads that wait for them",
		.set = "l1.mshrs=4096 l1.merges=65536 sm.lsu_ops=4096",
		.metric = "sched__cycles_lg_throttle.sum",
		.by = SLOTS},
	{.name = "lsu_queue",
		.text = "memory instructions that wait for the tags",
		.set = "sm.lsu_queue=64",
		.metric = "sched__cycles_lg_throttle.sum",
		.by = SLOTS},
	{.name = "conflicts",
		.text = "bank conflicts of all kinds",
		.set = "sm.bank_conflicts=none",
		.metric = "sched__cycles_mio_throttle.sum",
		.by = SLOTS},
	{.name = "register_conflicts",
		.text = "bank conflicts of registers, with each other and with memory",
		.set = "sm.bank_conflicts=memory",
		.metric = "sched__cycles_mio_throttle.sum",
		.by = SLOTS},
	{.name = "conflict_issue",
		.text = "the issue slots that conflicts take; the memory pipe stays occupied",
		.set = "sm.conflicts_block_issue=false",
		.metric = "sched__cycles_mio_throttle.sum",
		.by = SLOTS},
	{.name = "network",
		.text = "contention in the networks",
		.set = "chip.network=ideal",
		.metric = "noc_reply__wait_cycles.sum",
		.by = SLOTS},
	{.name = "l2_capacity",
		.text = "capacity of the L2: 64 MB a slice",
		.set = "l2.bytes=64M",
		.metric = "dram__bytes.sum",
		.by = SLOTS},
	{.name = "dram_bandwidth",
		.text = "DRAM bandwidth: 16384 B/ns, without banks",
		.set = "chip.dram=bandwidth chip.bytes_per_ns=16384",
		.metric = "dram__throughput.avg.pct_of_peak_sustained_elapsed"},
	{.name = "dram_latency",
		.text = "DRAM latency: the least that the path and the device allow",
		.set = "chip.read_cycles=0",
		.metric = "sched__cycles_long_scoreboard.sum",
		.by = SLOTS},
	{.name = "cache_capacity",
		.text = "capacity of the L1; where registers or shared memory share its storage, of "
			"both",
		.partitioned = "storage.partitioned.cache_bytes=64M",
		.unified = "storage.unified.bytes=64M",
		.fermi = FERMI_64M,
		.carveout = "storage.carveout.bytes=64M",
		.metric = "l1tex__t_line_load_hit_rate.pct",
		.rises = true},
	{.name = "cache_ways",
		.text = "associativity of the L1",
		.set = "l1.ways=32",
		.metric = "l1tex__t_line_load_hit_rate.pct",
		.rises = true},
	{.name = "cache_kept",
		.text = "the L1's invalidation between launches",
		.set = "sm.invalidate_l1=false",
		.metric = "l1tex__t_line_load_hit_rate.pct",
		.rises = true},
	{.name = "whole_lines",
		.text = "fills of whole lines: only what a load asks for is fetched",
		.set = "l1.whole_line=false l2.fill_line=false",
		.metric = "dram__bytes.sum",
		.by = SLOTS},
	{.name = "registers",
		.text = "capacity of the registers",
		.partitioned = "storage.partitioned.register_bytes=64M",
		.unified = "storage.unified.bytes=64M",
		.fermi = "storage.fermi.register_bytes=64M",
		.carveout = "storage.carveout.register_bytes=64M",
		.metric = "sm__warps_active.sum",
		.by = "sm__cycles_active.sum",
		.rises = true},
	{.name = "shared_memory",
		.text = "capacity of shared memory; where it and the L1 are splits, of both",
		.partitioned = "storage.partitioned.shared_bytes=64M",
		.unified = "storage.unified.bytes=64M",
		.fermi = FERMI_64M,
		.carveout = "storage.carveout.bytes=64M storage.carveout.capacities=32768",
		.metric = "sm__warps_active.sum",
		.by = "sm__cycles_active.sum",
		.rises = true},
	{.name = "slots",
		.text = "warp and CTA slots",
		.set = "sm.warps=64 sm.ctas=64",
		.metric = "sm__warps_active.sum",
		.by = "sm__cycles_active.sum",
		.rises = true},
	{.name = "active_warps",
		.text = "the active set of the two-level scheduler",
		.set = "sm.scheduler=two_level sm.two_level.active_warps=64",
		.metric = "sched__cycles_wait.sum",
		.by = SLOTS},
	{.name = "issue",
		.text = "issue slots: four schedulers instead of one",
		.set = "sm.schedulers=4",
		.metric = "gpc__cycles_elapsed.max",
		.by = SLOTS},
	{.name = "alu_latency",
		.text = "latency of the ALU and of branches: 1 cycle",
		.set = "sm.alu_cycles=1 sm.branch_cycles=1 " PIPES,
		.metric = "sched__cycles_wait.sum",
		.by = SLOTS},
	{.name = "shared_latency",
		.text = "latency of shared memory and special functions: 2 cycles",
		.set = "sm.shared_cycles=2 sm.shared_cycles_64=2 sm.shared_cycles_128=2 "
		       "sm.sfu_cycles=2 pipe.sfu_cycles=2",
		.metric = "sched__cycles_short_scoreboard.sum",
		.by = SLOTS},
	{.name = "sfu",
		.text = "throughput of special functions: a warp a cycle",
		.set = "sm.sfu_lanes=32 pipe.sfu_lanes=32",
		.metric = "sched__cycles_math_pipe_throttle.sum",
		.by = SLOTS},
	{.name = "texture",
		.text = "throughput and latency of the texture unit",
		.set = "sm.texture_lanes=32 sm.texture_cycles=20",
		.metric = "sched__cycles_tex_throttle.sum",
		.by = SLOTS},
	{.name = "strand_waits",
		.text = "what the register hierarchy loses when a warp waits: it keeps its entries",
		.set = "rf.keep_past_waits=true rf.flush=false",
		.metric = "rf__mrf_reads.sum",
		.by = "smsp__inst_executed.sum"},
	{.name = "strands",
		.text = "what it loses at the ends of strands: waits and backward branches",
		.set = "rf.keep_past_waits=true rf.flush=false rf.keep_past_branches=true",
		.metric = "rf__mrf_reads.sum",
		.by = "smsp__inst_executed.sum"},
	{.name = "coalescing",
		.text = "lines of loads and stores beyond those that their bytes fill",
		.set = "ideal.coalescing=true",
		.of_program = true,
		.metric = "l1tex__cycles_tag_busy.sum",
		.by = SLOTS},
	{.name = "divergence",
		.text = "issue slots and latency of lanes that take no part",
		.set = "ideal.divergence=true",
		.of_program = true,
		.metric = "sched__cycles_selected.sum",
		.by = "smsp__inst_executed.sum"},
	{.name = "blocks",
		.text = "empty lanes of a CTA's last warp: those of another CTA instead",
		.set = "ideal.blocks=true",
		.of_program = true,
		.metric = "gpc__cycles_elapsed.max",
		.by = "smsp__inst_executed.sum"},
	{.name = "local",
		.text = "arrays of local memory: in shared memory instead",
		.set = "ideal.local=true",
		.of_program = true,
		.metric = "gpc__cycles_elapsed.max",
		.by = "smsp__inst_executed.sum"},
	{.name = "narrow",
		.text = "accesses of bytes and halves: words instead",
		.set = "ideal.narrow=true",
		.of_program = true,
		.metric = "gpc__cycles_elapsed.max",
		.by = "smsp__inst_executed.sum"},
	{.name = "warp_balance",
		.text = "imbalance of a CTA's warps: those that would wait share the others' work",
		.set = "ideal.warps=true",
		.of_program = true,
		.metric = "gpc__cycles_elapsed.max",
		.by = "smsp__inst_executed.sum"},
	{.name = "load_waits",
		.text = "waits for loads: four chains instead of one, and of what computes their "
			"addresses",
		.set = LOADS("4"),
		.fixes = {{"two chains", LOADS("2")}, {"eight chains", LOADS("8")}},
		.of_program = true,
		.metric = "sched__cycles_long_scoreboard.sum",
		.by = SLOTS},
	{.name = "load_latency",
		.text = "misses: all loads hit in the L1",
		.set = "ideal.loads=true",
		.of_program = true,
		.metric = "sched__cycles_long_scoreboard.sum",
		.by = SLOTS},
	{.name = "atomics",
		.text = "serialisation of atomics: lanes and warps on one word",
		.set = "ideal.atomics=true ideal.shared_atomics=true",
		.fixes = {{"each warp adds up and sends its sum",
			"ideal.atomics=true ideal.shared_atomics=true ideal.warp_sums=true"}},
		.of_program = true,
		.metric = "gpc__cycles_elapsed.max",
		.by = "smsp__inst_executed.sum"},
	{.name = "dependence",
		.text = "results that the next instructions wait for: four chains instead of one, "
			"but not of comparisons and branches, which loops wait for",
		.set = CHAINS("4"),
		.fixes = {{"two chains", CHAINS("2")}, {"eight chains", CHAINS("8")}},
		.of_program = true,
		.metric = "sched__cycles_wait.sum",
		.by = SLOTS},
	{.name = "spills",
		.text = "the limit on a thread's registers: nothing is spilled below 255",
		.set = "gpu.all_regs=true",
		.of_program = true,
		.metric = "smsp__inst_executed_op_local.sum"},
	{.name = "camping",
		.text = "strides that meet few slices of the L2, or few of its sets",
		.set = "chip.slice_hash=scatter l2.set_hash=scatter",
		.of_program = true,
		.metric = "dram__bytes.imbalance"},
	{.name = "sharing",
		.text = "the L1's lines that stores and atomics drop",
		.set = "ideal.kept=true",
		.of_program = true,
		.metric = "l1tex__t_line_load_hit_rate.pct",
		.rises = true},
	{.name = "barriers",
		.text = "waiting at barriers",
		.set = "ideal.barriers=true",
		.of_program = true,
		.metric = "gpc__cycles_elapsed.max",
		.by = "smsp__inst_executed.sum"},
	{.name = "divisions",
		.text = "divisions and roots: as fast as additions and multiply-adds",
		.set = "sm.sfu_lanes=32 sm.sfu_cycles=@sm.alu_cycles " AS_FAST("idiv", "int")
			AS_FAST("fdiv", "fma") AS_FAST("ddiv", "fma"),
		.of_program = true,
		.metric = "gpc__cycles_elapsed.max",
		.by = "smsp__inst_executed.sum"},
	{.name = "specials",
		.text = "special functions: as fast as multiply-adds",
		.set = "sm.sfu_lanes=32 sm.sfu_cycles=@sm.alu_cycles " AS_FAST("sfu", "fma"),
		.of_program = true,
		.metric = "sched__cycles_math_pipe_throttle.sum",
		.by = SLOTS},
	{.name = "double",
		.text = "f64, and conversions: as fast as f32",
		.set = AS_FAST("f64", "fma") AS_FAST("conversion", "fma"),
		.of_program = true,
		.metric = "sched__cycles_math_pipe_throttle.sum",
		.by = SLOTS},
	{.name = "constants",
		.text = "passes of constants that lanes index differently",
		.set = "ideal.constants=true",
		.of_program = true,
		.metric = "const__passes.sum",
		.by = SLOTS},
	{.name = "instructions",
		.text = "misses of instructions",
		.set = "icache.mode=perfect",
		.of_program = true,
		.metric = "sched__cycles_no_instruction.sum",
		.by = SLOTS},
	{.name = "balance",
		.text = "imbalance of the SMs: all have the mean's work",
		.of_program = true,
		.metric = "sm__cycles_active.avg.pct_of_peak_sustained_elapsed",
		.rises = true,
		.balances = true},
};

const unsigned limits_count = ARRAY_LEN(limits);

unsigned limits_of_machine(void)
{
	unsigned n = 0;

	while (n < limits_count && !limits[n].of_program)
		n++;
	return n;
}

unsigned limit_find(const char *name)
{
	unsigned k = 0;

	while (k < limits_count && strcmp(limits[k].name, name) != 0)
		k++;
	return k;
}

bool limit_moved(const struct limit *l, double before, double after)
{
	double step = fabs(before) / 10;

	if (isnan(before) || isnan(after))
		return false;
	return l->rises ? after > before + step : after < before - step;
}
