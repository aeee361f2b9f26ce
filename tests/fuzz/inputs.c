/* Scenarios, chips, traces, command lines, programs and files of results from arbitrary bytes. */
#include "tests/fuzz/inputs.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "program/stream.h"
#include "runs/description.h"
#include "runs/results/results.h"

#define WORDS_MOST 64u
#define NETWORK_WORDS 13
#define SETTINGS_MOST 16
#define FEW_INSTRUCTIONS 2000u

static const char kernel[] = ".version 3.0\n.target sm_20\n.address_size 64\n"
			     ".entry k (.param .u64 p, .param .u32 n, .param .f32 f) { ret; }\n";

static const char chip[] = "base: m12\nsm: {warps: 16}\n";

/* One input, and the path of its file. */
struct desk {
	char folder[32], path[48], module[48], chip[48];
	struct session s;
	struct err err;
};

static bool put(const char *path, const void *bytes, size_t n)
{
	FILE *f = fopen(path, "wb");
	bool good = f && fwrite(bytes, 1, n, f) == n;

	return f && !fclose(f) && good;
}

static bool open_desk(struct desk *d, const void *bytes, size_t n)
{
	snprintf(d->folder, sizeof(d->folder), "/tmp/warpbeam-fuzz-XXXXXX");
	if (!mkdtemp(d->folder))
		return false;
	snprintf(d->path, sizeof(d->path), "%s/in.yaml", d->folder);
	snprintf(d->module, sizeof(d->module), "%s/k.ptx", d->folder);
	snprintf(d->chip, sizeof(d->chip), "%s/chip.yaml", d->folder);
	return put(d->path, bytes, n) && put(d->module, kernel, sizeof(kernel) - 1) &&
	       put(d->chip, chip, sizeof(chip) - 1);
}

static void close_desk(struct desk *d)
{
	session_close(&d->s);
	err_clear(&d->err);
	unlink(d->path);
	unlink(d->module);
	unlink(d->chip);
	rmdir(d->folder);
}

/* ---- YAML */
/* Gigabytes are valid, and slow to fill. */
static bool is_large(const char *text)
{
	for (size_t run = 0; *text; text++) {
		run = isxdigit((unsigned char)*text) ? run + 1 : 0;
		if (run > 6)
			return true;
	}
	return false;
}

/* Its launches run without time, a few instructions each, and their results are checked. */
static int run_scenario(struct desk *d, struct scenario *loaded)
{
	static const struct untimed_limits limits = {.warp_instructions = FEW_INSTRUCTIONS};
	struct untimed_counts counts = {0};

	d->s.gpu = gpu_new(d->s.config, NULL, &d->err);
	if (!d->s.gpu || scenario_setup(loaded, d->s.gpu, &d->err) ||
		gpu_run_watched(d->s.gpu, &limits, &counts, &d->err))
		return -1;
	return scenario_check(loaded, d->s.gpu, &d->err) ? -1 : 0;
}

static int read_scenario(struct desk *d, const char *text)
{
	struct scenario *loaded;

	if (is_large(text))
		return 0;
	d->s.config = config_new();
	loaded = d->s.config ? scenario_load(d->path, true, d->s.config, NULL, &d->err) : NULL;
	if (!loaded)
		return -1;
	d->s.scenarios = arena_alloc(&d->s.arena, 1, sizeof(*d->s.scenarios));
	d->s.scenarios[d->s.nscenarios++] = loaded;
	return run_scenario(d, loaded);
}

static int read_chip(struct desk *d)
{
	struct source source = {.arena = &d->s.arena, .directory = "."};

	d->s.config = config_new();
	if (!d->s.config || description_take(d->path, &source, d->s.config, &d->err))
		return -1;
	d->s.gpu = gpu_new(d->s.config, NULL, &d->err);
	return d->s.gpu ? 0 : -1;
}

/* ---- command lines */
static int replay(struct desk *d, char **argv, int argc)
{
	struct options o;

	if (options_parse(&o, argc, argv, COMMAND_REPLAY, &d->s.arena, &d->err))
		return -1;
	if (o.operands.n != 2) /* as the table of commands has it */
		return err_add(&d->err, ERR_USAGE, "replay needs two words");
	return command_replay(&o, &d->s, &d->err);
}

static int read_trace(struct desk *d, const char *what)
{
	char *argv[] = {(char *)what, d->path, "--quiet", NULL};

	return replay(d, argv, 3);
}

/* The next line of `*at`, which is advanced; NULL at the end. */
static char *next_line(char **at)
{
	char *line = *at, *end = line ? strchr(line, '\n') : NULL;

	*at = end ? end + 1 : NULL;
	if (end)
		*end = '\0';
	return line;
}

/* Ports of two digits and one load: the memory of such a network is known. */
static bool is_small(const char *pattern, const char *loads)
{
	unsigned run = 0;

	for (; *pattern; pattern++) {
		run = isdigit((unsigned char)*pattern) ? run + 1 : 0;
		if (run > 2)
			return false;
	}
	return !strchr(loads, ',') && !strstr(loads, "..");
}

/* A pattern, loads, a network, then settings. Long runs are rejected after parsing: there is no
 * network of the name "none". */
static int read_network(struct desk *d, char *text)
{
	char *pattern = next_line(&text), *loads = next_line(&text), *network = next_line(&text);
	char *argv[NETWORK_WORDS + 2 * SETTINGS_MOST + 1] = {"noc", pattern, "--loads",
		loads ? loads : "0.5", "--network", "none", "--set", "traffic.warmup_cycles=20",
		"--set", "traffic.measured_cycles=100", "--set", "traffic.drain_cycles=200",
		"--quiet"};
	int argc = NETWORK_WORDS;
	char *line;

	if (network && is_small(pattern, argv[3]))
		argv[5] = network;
	while ((line = next_line(&text)) && argc + 2 < (int)ARRAY_LEN(argv)) {
		if (!*line || strstr(line, "traffic."))
			continue;
		argv[argc++] = "--set";
		argv[argc++] = line;
	}
	return replay(d, argv, argc);
}

/* Any file may be named as a chip: one of ours is taken instead. */
static void own_chip(struct desk *d, struct options *o)
{
	for (unsigned i = 0; i < o->run.chips.n; i++)
		if (strpbrk(o->run.chips.at[i], "./"))
			o->run.chips.at[i] = d->chip;
}

static int read_options(struct desk *d, char *text)
{
	struct machine machine = {.nscenarios = 0};
	char *argv[WORDS_MOST + 1];
	struct options o;
	unsigned bit = (unsigned)*text % 16;
	int argc = 0, bad;

	for (char *word = strtok(*text ? text + 1 : text, "\n"); word && argc < (int)WORDS_MOST;
		word = strtok(NULL, "\n"))
		argv[argc++] = word;
	argv[argc] = NULL;
	bad = options_parse(&o, argc, argv, (enum command_bit)(1u << bit), &d->s.arena, &d->err);
	own_chip(d, &o);
	if (bad || session_settings(&d->s, &o.run, &machine, &d->err))
		return -1;
	d->s.gpu = gpu_new(d->s.config, NULL, &d->err);
	return d->s.gpu ? config_finish(d->s.config, &d->err) : -1;
}

/* ---- files of results */
static int read_results(struct desk *d)
{
	struct results *r = results_open(NULL, d->path, &d->err);
	struct text messages = {0};
	struct result_value value;
	enum result_state state;
	enum err_code code;
	json_t *answer = NULL;
	int bad;

	if (!r)
		return -1;
	bad = results_look(r, "key", &state, &code, &messages, &d->err) |
	      results_metric(r, "key", "chip__cycles.max", &value, &d->err) |
	      results_answer(r, "key", &answer, &d->err);
	results_mean_s(r, "vectoradd", NULL);
	text_clear(&messages);
	json_decref(answer);
	results_close(r);
	return bad;
}

/* ---- all of them */
static int read_kind(struct desk *d, enum fuzz_kind kind, char *text)
{
	switch (kind) {
	case FUZZ_SCENARIO:
		return read_scenario(d, text);
	case FUZZ_CHIP:
		return read_chip(d);
	case FUZZ_DRAM_TRACE:
		return read_trace(d, "dram");
	case FUZZ_CACHE_TRACE:
		return read_trace(d, "cache");
	case FUZZ_NETWORK:
		return read_network(d, text);
	case FUZZ_OPTIONS:
		return read_options(d, text);
	case FUZZ_PROGRAM:
		return fuzz_program(d->path, &d->s.arena, &d->err);
	case FUZZ_CHECKPOINT:
		return stream_possible() ? fuzz_checkpoint(text, &d->err) : 0;
	default:
		return read_results(d);
	}
}

bool fuzz_input(enum fuzz_kind kind, const unsigned char *bytes, size_t n)
{
	struct desk *d = calloc(1, sizeof(*d));
	char *text = calloc(n + 1, 1);
	volatile int bad = -1;
	jmp_buf escape;
	bool taken;

	BUG_ON(!d || !text || !open_desk(d, bytes, n));
	memcpy(text, bytes, n);
	d->s.arena.escape = &escape;
	if (!setjmp(escape))
		bad = read_kind(d, kind, text);
	BUG_ON(d->err.code >= ERR_BUG); /* an account of ours that is wrong */
	BUG_ON((bad == 0) != (d->err.code == ERR_NONE));
	taken = bad == 0;
	close_desk(d);
	free(text);
	free(d);
	return taken;
}

/* ---- seeds */
static const char *const seeds[FUZZ_KINDS] = {
	[FUZZ_SCENARIO] =
		"chip: m12\nset: {chip.sms: 4, sm: {warps: 16}}\nbuffers:\n  a: {type: f32, data: "
		"[1, "
		"2.5, -3]}\n  b: {hex: \"0a00 ff00\"}\n  c: {type: u32, count: 64, random: {low: "
		"0, "
		"high: 9, seed: 7}}\n  d: {bytes: 4096}\ntextures:\n  t: {buffer: d, format: f32, "
		"width: 16, height: 16, pitch: 64, address: [border, clamp], filter: "
		"linear}\nsamplers:\n  "
		"s: {address: border, filter: nearest}\nlaunches:\n  - {module: k.ptx, kernel: k, "
		"grid: "
		"[2, 1, 1], block: 32, args: [{buffer: a, offset: 4}, 7, {f32: 2.5}], "
		"shared_bytes: 64, "
		"sms: 0-1, stream: 1}\nchecks:\n  - {buffer: a, type: f32, near: {data: [1]}, abs: "
		"1.0e-6}\n  - {buffer: b, equals: {hex: \"0a\"}}\n",
	[FUZZ_CHIP] =
		"base: dis40\nsm: {warps: 16, scheduler: two_level}\nchip.sms: 0x10\nl2: &l\n  "
		"bytes: 64K\n",
	[FUZZ_DRAM_TRACE] = "# a trace\nR 0x1000\nW 4096 # again\nR 0x2040\n\nW 0xffffffffff\n",
	[FUZZ_CACHE_TRACE] = "0 1000\n1 0x2000\n2 ffffffff # fetch\n0 10\n",
	[FUZZ_NETWORK] = "hotspot:8x12\n0.4\nmesh\nnoc.vcs=3\nnoc.wire_cycles=2\n",
	[FUZZ_CHECKPOINT] = "100 4 0\n2000 8 0\n30000 1 0\n99999 4 0\n200000 8 0\n",
	[FUZZ_OPTIONS] = "@bfs\n--chip\nours.yaml\n--set\nchip.sms=4\n--set=sm.warps=0x10\n--"
			 "seed\n7\n--size=full\n--json"
			 "\n-\n--trace-window\n1:2\n--over\nchip.sms=1..8:*2\n--dump\na=b\n",
};

static size_t results_seed(unsigned char *out, size_t room)
{
	const struct result_point p = {.key = "key", .target = "vectoradd", .build = "b"};
	struct desk d = {.folder = "/tmp/warpbeam-fuzz-XXXXXX"};
	json_t *configuration = json_array();
	struct results *r;
	size_t n = 0;
	FILE *f;

	BUG_ON(!mkdtemp(d.folder));
	snprintf(d.path, sizeof(d.path), "%s/s.sqlite", d.folder);
	r = results_open(NULL, d.path, &d.err);
	if (r) {
		results_failed(r, &p, configuration, ERR_FAULT, "a fault", &d.err);
		results_close(r);
		f = fopen(d.path, "rb");
		n = f ? fread(out, 1, room, f) : 0;
		if (f)
			fclose(f);
	}
	json_decref(configuration);
	close_desk(&d);
	return n < room ? n : 0;
}

size_t fuzz_seed(enum fuzz_kind kind, unsigned char *out, size_t room)
{
	size_t n;

	if (kind == FUZZ_RESULTS)
		return results_seed(out, room);
	if (kind == FUZZ_PROGRAM)
		return fuzz_program_seed(out, room);
	n = strlen(seeds[kind]);
	if (n > room)
		return 0;
	memcpy(out, seeds[kind], n);
	return n;
}
