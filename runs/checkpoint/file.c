/* A checkpoint's file: a line with the version, then one packed stream: words that name the run,
 * the journal of its host, and the state of the chip. */
#include "runs/checkpoint/inside.h"

#include "chip/profile/profile.h"
#include "chip/trace/trace.h"
#include "runs/keys.h"

#include <inttypes.h>
#include <string.h>

#define WORDS_MOST (UINT64_C(1) << 24)

/* ---- words */
static void add_setting(
	void *ctx, const char *path, const char *value, const struct param_def *def, bool given)
{
	(void)def;
	(void)given;
	text_raw(ctx, "%s = %s\n", path, value);
}

static void add_work(const struct work *w, struct text *words)
{
	text_raw(words, "target %s\n", w->target);
	if (w->workload)
		text_raw(words, "size %u\nptx %u\nseed %" PRIu64 "\n", (unsigned)w->workload->size,
			w->workload->address_bits, w->workload->seed);
}

static void add_inputs(const struct work *w, struct text *words)
{
	const struct source *of = w->scenario ? scenario_source(w->scenario) : NULL;

	for (unsigned i = 0; of && i < of->ninputs; i++)
		text_raw(words, "input %016" PRIx64 "\n", of->inputs[i].hash);
}

int checkpoint_words(struct checkpoint *c, struct err *err)
{
	const struct checkpoint_host *h = &c->host;
	const struct work *first = h->works;
	const char *build = key_program(first->arena, err);

	if (!build)
		return -1;
	text_raw(&c->words, "build %s\n", build);
	for (unsigned i = 0; i < h->n; i++)
		add_work(&h->works[i], &c->words);
	text_raw(&c->words, "%s", h->words ? h->words : "");
	region_words(&first->o->region, &c->words);
	text_raw(&c->words, "profile %s\n", chip_is_profiled(c->gpu) ? "yes" : "no");
	chip_trace_words(c->gpu, &c->words);
	for (unsigned i = 0; i < gpu_files(c->gpu); i++)
		text_raw(&c->words, "PTX %016" PRIx64 "\n", gpu_file(c->gpu, i).hash);
	for (unsigned i = 0; i < h->n; i++)
		add_inputs(&h->works[i], &c->words);
	config_echo(first->config, add_setting, &c->words);
	return c->words.failed ? err_add(err, ERR_RESOURCE, "no host memory for a checkpoint") : 0;
}

/* ---- writing */
static bool put(void *ctx, void *bytes, size_t n)
{
	stream_put(ctx, bytes, n);
	return true;
}

static bool drop(void *ctx, void *bytes, size_t n)
{
	(void)ctx;
	(void)bytes;
	(void)n;
	return true;
}

static int save(struct checkpoint *c, state_move_fn *move, void *ctx, struct err *err)
{
	struct state s = {.move = move, .ctx = ctx, .err = err};
	uint64_t words = c->words.len, notes = c->journal.n;
	unsigned before = err->count;

	if (c->journal.failed)
		return err_add(err, ERR_RESOURCE, "no host memory for what the host has read");
	STATE(&s, words);
	state_bytes(&s, c->words.s, words);
	STATE(&s, c->batches);
	STATE(&s, notes);
	state_bytes(&s, c->journal.bytes, notes);
	chip_state(c->gpu, &s);
	state_clear(&s);
	return err->count == before ? 0 : -1;
}

int checkpoint_write(struct checkpoint *c, struct err *err)
{
	struct file_out file = {0};
	struct stream_out *out;
	int bad;

	if (file_begin(&file, c->o->file, err))
		return -1;
	file_add(&file, CHECKPOINT_LINE, strlen(CHECKPOINT_LINE));
	out = stream_begin(&file, err);
	if (!out) {
		file_abandon(&file);
		return -1;
	}
	bad = save(c, put, out, err);
	bad |= stream_end(out, err);
	if (!bad)
		return file_commit(&file, err);
	file_abandon(&file);
	return -1;
}

int checkpoint_try(struct checkpoint *c, struct err *err)
{
	return save(c, drop, NULL, err);
}

/* ---- reading */
static int damaged(const struct checkpoint *c, struct err *err)
{
	return err_add(err, ERR_INPUT, "%s: the checkpoint is damaged or incomplete", c->start);
}

int checkpoint_file_open(struct checkpoint *c, struct files *files, struct err *err)
{
	bool same = c->o->file && !strcmp(c->o->file, c->start);
	size_t n, head = strlen(CHECKPOINT_LINE);
	bool whole;

	c->bytes = file_read(same ? NULL : files, c->start, &n, ERR_INPUT, err);
	if (!c->bytes)
		return -1;
	if (n < head || memcmp(c->bytes, CHECKPOINT_LINE, head) != 0)
		return err_add(err, ERR_INPUT, "%s: must begin with the line '%.*s'", c->start,
			(int)head - 1, CHECKPOINT_LINE);
	c->in = stream_open(c->bytes + head, n - head, err);
	if (!c->in)
		return -1;
	whole = stream_whole(c->in);
	stream_close(c->in);
	c->in = NULL;
	if (!whole)
		return damaged(c, err);
	c->in = stream_open(c->bytes + head, n - head, err);
	return c->in ? 0 : -1;
}

static size_t line_bytes(const char *at)
{
	return strcspn(at, "\n");
}

/* The first line in which the two differ. */
static int other_run(const char *path, const char *theirs, const char *ours, struct err *err)
{
	for (;;) {
		size_t n = line_bytes(theirs), m = line_bytes(ours);

		if (n != m || memcmp(theirs, ours, n) != 0 || !theirs[n])
			return err_add(err, ERR_INPUT,
				"%s: it is of a run with '%.*s', this one has '%.*s'", path, (int)n,
				theirs, (int)m, ours);
		theirs += n + 1;
		ours += m + 1;
	}
}

static int check_words(struct checkpoint *c, struct err *err)
{
	uint64_t n;
	char *theirs;
	int bad = 0;

	if (!stream_get(c->in, &n, sizeof(n)) || n > WORDS_MOST)
		return damaged(c, err);
	theirs = mem_alloc(n + 1, 1);
	if (!theirs)
		return err_add(err, ERR_RESOURCE, "no host memory for a checkpoint");
	if (!stream_get(c->in, theirs, n))
		bad = damaged(c, err);
	else if (c->o->from)
		bad = checkpoint_compare(c->start, theirs, text_str(&c->words), err);
	else if (n != c->words.len || memcmp(theirs, text_str(&c->words), n) != 0)
		bad = other_run(c->start, theirs, text_str(&c->words), err);
	mem_free(theirs);
	return bad;
}

static bool get(void *ctx, void *bytes, size_t n)
{
	return stream_get(ctx, bytes, n);
}

/* What setting the work up has read so far is in the file's journal as well. */
static int read_journal(struct checkpoint *c, struct err *err)
{
	struct gpu_journal *j = &c->journal;
	size_t read = j->n;
	uint64_t n;

	if (!stream_get(c->in, &c->batches, sizeof(c->batches)) ||
		!stream_get(c->in, &n, sizeof(n)) || n > SIZE_MAX / 4 || n < read)
		return damaged(c, err);
	mem_free(j->bytes);
	*j = (struct gpu_journal){.bytes = mem_alloc(n + 1, 1), .n = n, .room = n, .at = read};
	if (!j->bytes)
		return err_add(err, ERR_RESOURCE, "no host memory for a checkpoint");
	return stream_get(c->in, j->bytes, n) ? 0 : damaged(c, err);
}

int checkpoint_file_begin(struct checkpoint *c, struct err *err)
{
	if (check_words(c, err) || read_journal(c, err))
		return -1;
	c->load = (struct state){
		.loads = true, .move = get, .ctx = c->in, .err = err, .origin = c->start};
	return 0;
}
