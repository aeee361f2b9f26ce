/* Checkpoints whose checksum is right and whose numbers are not: the input is lines "OFFSET BYTES
 * ADDED", changes of a checkpoint that a small run has written. It is loaded, and nothing may
 * crash; what is refused is refused in one line. */
#include "tests/fuzz/inputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "core/file.h"
#include "program/stream.h"
#include "runs/checkpoint/checkpoint.h"
#include "runs/trial.h"

#define AT_CYCLE "600"

static const char kernels[] =
	".version 3.0\n.target sm_20\n.address_size 64\n"
	".visible .entry k (.param .u64 p) {\n"
	".reg .u32 %r<8>; .reg .u64 %d<4>; .reg .pred %p<2>; .shared .b32 s[64];\n"
	"ld.param.u64 %d1, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 128;\n"
	"add.u64 %d1, %d1, %d2; mov.u32 %r2, 24;\n"
	"again: ld.global.u32 %r3, [%d1]; add.u32 %r3, %r3, %r1; st.global.u32 [%d1], %r3;\n"
	"atom.global.add.u32 %r4, [%d1+64], 1; bar.sync 0;\n"
	"sub.u32 %r2, %r2, 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra again; ret; }\n";

static const char scenario[] =
	"buffers: {a: {bytes: 16384}}\n"
	"launches:\n"
	"  - {module: c.ptx, kernel: k, grid: 6, block: 64, args: [{buffer: a}]}\n"
	"  - {module: c.ptx, kernel: k, grid: 2, block: 64, args: [{buffer: a}], stream: 1}\n";

struct desk {
	char folder[32], scenario[48], module[48], file[48];
	struct err *err;
};

static void put(const char *path, const void *bytes, size_t n)
{
	struct err err = {0};

	BUG_ON(file_write(NULL, path, bytes, n, &err));
}

/* A run of the scenario with these checkpoints. */
static int run(
	const struct desk *d, const struct checkpoint_options *o, uint64_t cycles, struct err *err)
{
	static const char *set[] = {"chip.sms=1", "chip.channels=1", "chip.slices=1",
		"sm.store_log=64", "sm.lsu_ops=32", "l2.bytes=8K"};
	const char *scenarios[] = {d->scenario};
	struct party party = {.target = d->scenario};
	struct run_options options = {
		.threads = 1, .set = {set, ARRAY_LEN(set)}, .quiet = true, .no_pin = true};
	struct trial trial = {.machine = {.scenarios = scenarios, .nscenarios = 1},
		.parties = &party,
		.nparties = 1};
	struct host_hooks hooks = {0};
	struct session s = {0};
	struct checkpoint *c;
	struct work work;
	volatile int bad = -1;
	jmp_buf escape;

	s.arena.escape = &escape;
	if (!setjmp(escape) && !trial_open(&trial, &options, &s, &work, err)) {
		c = checkpoint_open(&work, o, NULL, err);
		if (c && !work_setup(&work, s.gpu, err) && !checkpoint_begin(c, err)) {
			hooks = checkpoint_hooks(c, &hooks);
			bad = work_run(&work, cycles, &hooks, err);
		}
	}
	session_close(&s);
	return bad;
}

/* ---- the file's content, unpacked */
static unsigned char *unpack(const char *path, size_t *n)
{
	struct err err = {0};
	size_t bytes, head, room = (size_t)64 << 20;
	char *packed = file_read(NULL, path, &bytes, ERR_INPUT, &err);
	unsigned char *out = malloc(room);
	struct stream_in *in;

	BUG_ON(!packed || !out);
	head = strcspn(packed, "\n") + 1;
	in = stream_open(packed + head, bytes - head, &err);
	BUG_ON(!in);
	for (*n = 0; stream_get(in, out + *n, 1);)
		++*n;
	stream_close(in);
	mem_free(packed);
	return out;
}

static void pack(const char *path, const unsigned char *bytes, size_t n)
{
	struct err err = {0};
	struct file_out file = {0};
	struct stream_out *out;

	BUG_ON(file_begin(&file, path, &err));
	file_add(&file, CHECKPOINT_LINE, strlen(CHECKPOINT_LINE));
	out = stream_begin(&file, &err);
	BUG_ON(!out);
	stream_put(out, bytes, n);
	BUG_ON(stream_end(out, &err) || file_commit(&file, &err));
}

/* One line; the offset is within the content, whatever it is. */
static void change(unsigned char *bytes, size_t n, const char *line)
{
	unsigned long long at = 0, width = 0, added = 0;
	uint64_t number = 0;

	if (sscanf(line, "%llu %llu %lli", &at, &width, (long long *)&added) != 3)
		return;
	width = width % 8 + 1;
	at %= n - width;
	memcpy(&number, bytes + at, width);
	number += added;
	memcpy(bytes + at, &number, width);
}

static void change_file(const char *path, const char *text)
{
	size_t n;
	unsigned char *bytes = unpack(path, &n);

	BUG_ON(n < 1000);
	while (text) {
		change(bytes, n, text);
		text = strchr(text, '\n');
		text = text ? text + 1 : NULL;
	}
	pack(path, bytes, n);
	free(bytes);
}

static void open_desk(struct desk *d)
{
	snprintf(d->folder, sizeof(d->folder), "/tmp/warpbeam-fuzz-XXXXXX");
	BUG_ON(!mkdtemp(d->folder));
	snprintf(d->scenario, sizeof(d->scenario), "%s/s.yaml", d->folder);
	snprintf(d->module, sizeof(d->module), "%s/c.ptx", d->folder);
	snprintf(d->file, sizeof(d->file), "%s/state", d->folder);
	put(d->scenario, scenario, sizeof(scenario) - 1);
	put(d->module, kernels, sizeof(kernels) - 1);
}

static void close_desk(struct desk *d)
{
	unlink(d->scenario);
	unlink(d->module);
	unlink(d->file);
	rmdir(d->folder);
}

int fuzz_checkpoint(const char *text, struct err *err)
{
	struct desk d = {.err = err};
	struct err ignored = {0};
	int bad;

	open_desk(&d);
	run(&d, &(struct checkpoint_options){.file = d.file, .every = AT_CYCLE}, 700, &ignored);
	BUG_ON(ignored.code != ERR_LIMIT);
	err_clear(&ignored);
	change_file(d.file, text);
	/* the state is loaded; no window follows: the limit is behind it */
	bad = run(&d, &(struct checkpoint_options){.resume = d.file}, 1, err);
	BUG_ON(bad && err->code == ERR_INPUT && err->count != 1);
	if (err->code == ERR_LIMIT) {
		err_clear(err);
		bad = 0;
	}
	close_desk(&d);
	return bad;
}
