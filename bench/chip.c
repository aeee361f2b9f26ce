/* The whole chip: the cost of a warp instruction over all workloads, with threads, and by size. */
#include <string.h>

#include "bench/bench.h"
#include "core/plugin.h"

struct cost {
	struct child child;
	double warp_instructions, cycles, wall_s;
};

/* The name of the i-th workload, or NULL. */
static const char *workload(unsigned i)
{
	for (const struct plugin *const *p = plugins; *p; p++)
		if (!strcmp((*p)->kind, "workload") && i-- == 0)
			return (*p)->name;
	return NULL;
}

static double metric(const json_t *report, const char *name)
{
	return json_number_value(json_object_get(
		json_object_get(json_object_get(report, "metrics"), name), "value"));
}

/* Runs the command on something with more arguments, which NULL ends. */
static struct cost run(const struct bench *b, const char *what, const char *const *more)
{
	char path[512];
	const char *argv[32] = {b->warpbeam, "run", what, "--host-stats", "--json", path};
	struct cost c = {0};
	json_t *report;

	snprintf(path, sizeof(path), "%s/run.json", b->scratch);
	for (unsigned i = 0; more[i] && i < 24; i++)
		argv[6 + i] = more[i];
	c.child = child_run(argv, NULL);
	report = json_load_file(path, 0, NULL);
	c.warp_instructions = metric(report, "smsp__inst_executed.sum");
	c.cycles = metric(report, "gpc__cycles_elapsed.max");
	c.wall_s = json_number_value(json_object_get(json_object_get(report, "host"), "wall_s"));
	json_decref(report);
	remove(path);
	return c;
}

static struct cost best(
	const struct bench *b, unsigned rounds, const char *what, const char *const *more)
{
	struct cost least = run(b, what, more);

	for (unsigned i = 1; i < rounds; i++) {
		struct cost c = run(b, what, more);

		if (c.wall_s < least.wall_s)
			least = c;
	}
	return least;
}

/* Host instructions per warp instruction, for the whole process; 0: they could not be counted. */
static double counted(const struct bench *b, const char *what, double warp_instructions)
{
	const char *argv[] = {b->warpbeam, "run", what, NULL};
	struct child c;

	if (!b->instructions)
		return 0;
	c = child_count(b, argv);
	return warp_instructions > 0 ? (double)c.counted / warp_instructions : 0;
}

static void one_workload(const struct bench *b, const char *name, const char *size, json_t *out)
{
	const char *one[] = {"--size", size, NULL};
	const char *two[] = {"--size", size, "--threads", "2", NULL};
	bool is_small = !strcmp(size, "small");
	unsigned rounds = is_small ? b->rounds : 1; /* a full size is long enough */
	struct cost a = best(b, rounds, name, one), c = best(b, rounds, name, two);
	double per = is_small ? counted(b, name, a.warp_instructions) : 0;
	char count[32] = "-";

	if (per > 0)
		snprintf(count, sizeof(count), "%.0f", per);
	printf("%-18s %-6s %12.0f %12.0f %9.0f %9.0f %8.2f %10s %8.0f\n", name, size,
		a.warp_instructions, a.cycles, a.warp_instructions / a.wall_s / 1e3,
		a.cycles / a.wall_s / 1e3, a.wall_s / c.wall_s, count, a.child.peak_mb);
	fflush(stdout);
	json_array_append_new(out,
		json_pack("{s:s,s:s,s:f,s:f,s:f,s:f,s:f,s:f,s:f}", "workload", name, "size", size,
			"warp_instructions", a.warp_instructions, "cycles", a.cycles,
			"warp_instructions_per_s", a.warp_instructions / a.wall_s, "cycles_per_s",
			a.cycles / a.wall_s, "speedup_with_2_threads", a.wall_s / c.wall_s,
			"host_instructions_per_warp_instruction", per, "peak_mb", a.child.peak_mb));
}

void bench_workloads(const struct bench *b, json_t *out)
{
	json_t *rows = json_array();

	printf("\nthe whole chip, preset m12, one host thread\n");
	printf("%-18s %-6s %12s %12s %9s %9s %8s %10s %8s\n", "workload", "size", "warp instr.",
		"cycles", "k wi/s", "k cyc/s", "2 thr.", "host i./wi", "MB");
	for (unsigned full = 0; full <= b->full; full++) {
		for (unsigned i = 0; workload(i); i++)
			one_workload(b, workload(i), full ? "full" : "small", rows);
	}
	printf("(k wi/s: thousand warp instructions in a second; 2 thr.: speedup by a second "
	       "thread)\n");
	json_object_set_new(out, "workloads", rows);
}

/* ---- size: SMs that have as much work each */

static unsigned channels_for(unsigned sms)
{
	return (sms * 6 + 31) / 32;
}

/* Products of tall matrices by a square one: eight CTAs for each SM. Memory grows with the SMs, at
 * m12's six channels for 32 SMs and 8 B per cycle for each: all sizes take about as many cycles. */
static int write_scenario(const struct bench *b, const char *path, unsigned sms)
{
	FILE *f = fopen(path, "w");

	if (!f)
		return -1;
	fprintf(f,
		"set: { chip.sms: %u, chip.channels: %u, chip.bytes_per_ns: %u }\n"
		"buffers:\n"
		"  a: { type: f32, count: %u, random: { low: 0, high: 1, seed: 1 } }\n"
		"  b: { type: f32, count: 4096, random: { low: 0, high: 1, seed: 2 } }\n"
		"  c: { type: f32, count: %u }\n"
		"launches:\n"
		"  - { module: %s/workloads/matrixmul/matrixmul.ptx, kernel: matrixmul,\n"
		"      grid: [4, %u, 1], block: [16, 16, 1],\n"
		"      args: [{buffer: a}, {buffer: b}, {buffer: c}, {u32: 64}] }\n",
		sms, channels_for(sms), sms * 8, sms * 2048, sms * 2048, b->source, sms * 2);
	return fclose(f);
}

static const unsigned sizes[] = {1, 2, 8, 32, 128};
#define SIZES (sizeof(sizes) / sizeof(sizes[0]))

/* The least of several rounds, each of which takes all sizes in turn. */
static void measure_sizes(const struct bench *b, struct cost *least)
{
	static const char *const none[] = {NULL};
	char path[512];

	snprintf(path, sizeof(path), "%s/size.yaml", b->scratch);
	for (unsigned round = 0; round < b->rounds; round++) {
		for (unsigned i = 0; i < SIZES && !write_scenario(b, path, sizes[i]); i++) {
			struct cost c = run(b, path, none);

			if (!round || c.wall_s < least[i].wall_s)
				least[i] = c;
		}
	}
	remove(path);
}

void bench_sizes(const struct bench *b, json_t *out)
{
	struct cost least[SIZES] = {0};
	json_t *rows = json_array();
	double at_8 = 0;

	measure_sizes(b, least);
	printf("\ncost against size: as much work and 8 B/cycle of memory for each SM\n");
	printf("%6s %9s %12s %12s %10s %12s\n", "SMs", "channels", "warp instr.", "cycles", "ns/wi",
		"against 8");
	for (unsigned i = 0; i < SIZES; i++) {
		const struct cost *c = &least[i];
		double ns = c->wall_s * 1e9 / c->warp_instructions;

		at_8 = sizes[i] == 8 ? ns : at_8;
		printf("%6u %9u %12.0f %12.0f %10.0f ", sizes[i], channels_for(sizes[i]),
			c->warp_instructions, c->cycles, ns);
		if (at_8 > 0)
			printf("%11.2fx\n", ns / at_8);
		else
			printf("%12s\n", "-");
		json_array_append_new(
			rows, json_pack("{s:i,s:i,s:f,s:f,s:f}", "sms", (int)sizes[i], "channels",
				      (int)channels_for(sizes[i]), "warp_instructions",
				      c->warp_instructions, "cycles", c->cycles,
				      "ns_per_warp_instruction", ns));
	}
	json_object_set_new(out, "sizes", rows);
}

/* ---- the check of host instructions */

#define ALLOWED 1.05

static double count_workload(const struct bench *b, const char *name)
{
	static const char *const none[] = {NULL};

	return counted(b, name, run(b, name, none).warp_instructions);
}

int bench_check(const struct bench *b, const char *file, bool update)
{
	json_t *recorded = json_load_file(file, 0, NULL), *now = json_object();
	const json_t *table = json_object_get(recorded, "host_instructions_per_warp_instruction");
	int answer = 0;

	printf("%-18s %10s %10s\n", "workload", "recorded", "now");
	for (unsigned i = 0; workload(i); i++) {
		double before = json_number_value(json_object_get(table, workload(i)));
		double per = count_workload(b, workload(i));

		if (per <= 0) {
			printf("skipped: valgrind does not run here, nothing can count "
			       "instructions\n");
			answer = 2;
			break;
		}
		printf("%-18s %10.0f %10.0f%s\n", workload(i), before, per,
			per > before * ALLOWED && !update ? "  more than 5% above" : "");
		fflush(stdout);
		answer |= per > before * ALLOWED && !update;
		json_object_set_new(now, workload(i), json_integer((json_int_t)(per + 0.5)));
	}
	if (update && answer != 2) {
		json_t *all = json_pack("{s:s,s:o}", "compiler", __VERSION__,
			"host_instructions_per_warp_instruction", json_incref(now));

		answer = json_dump_file(all, file, JSON_INDENT(2)) ? 1 : 0;
		json_decref(all);
	} else if (strcmp(json_string_value(json_object_get(recorded, "compiler"))
				   ? json_string_value(json_object_get(recorded, "compiler"))
				   : "",
			   __VERSION__)) {
		printf("the figures were recorded with compiler %s, this is %s\n",
			json_string_value(json_object_get(recorded, "compiler")), __VERSION__);
	}
	json_decref(now);
	json_decref(recorded);
	return answer;
}
