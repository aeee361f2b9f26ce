/* Writing and reading recordings of verbs. A line is an act, " =", and the numbers that it gave. */
#include "runs/verbs/verbs_record.h"

#include "core/base.h"
#include "core/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char head[] = "warpbeam probe recording 1";

struct recorder {
	const struct verbs *inner;
	struct text *text;
};

static void act_buffer(uint64_t bytes, struct text *out)
{
	text_raw(out, "buffer %llu =", (unsigned long long)bytes);
}

static void act_script(const struct verbs_script *s, struct text *out)
{
	text_raw(out, "script %u", s->limit);
	for (uint32_t i = 0; i < s->n; i++)
		text_raw(out, " %u:%d:%u:%u:%u", s->at[i].first, (int)s->at[i].stride,
			s->at[i].count, s->at[i].path, s->at[i].act);
	text_raw(out, " =");
}

static void act_stride(unsigned stride, unsigned words, struct text *out)
{
	text_raw(out, "stride %u %u =", stride, words);
}

static const char act_forget[] = "forget =";

/* ---- writing */
static int record_buffer(void *ctx, uint64_t bytes, struct err *err)
{
	struct recorder *r = ctx;

	if (r->inner->buffer(r->inner->ctx, bytes, err))
		return -1;
	act_buffer(bytes, r->text);
	text_raw(r->text, "\n");
	return 0;
}

static int record_script(
	void *ctx, const struct verbs_script *s, uint32_t *results, struct err *err)
{
	struct recorder *r = ctx;

	if (r->inner->script(r->inner->ctx, s, results, err))
		return -1;
	act_script(s, r->text);
	for (uint32_t i = 0; i < verbs_results(s); i++)
		text_raw(r->text, " %u", results[i]);
	text_raw(r->text, "\n");
	return 0;
}

static int record_stride(void *ctx, unsigned stride, unsigned n, uint32_t *cycles, struct err *err)
{
	struct recorder *r = ctx;

	if (r->inner->stride(r->inner->ctx, stride, n, cycles, err))
		return -1;
	act_stride(stride, n, r->text);
	text_raw(r->text, " %u\n", *cycles);
	return 0;
}

static int record_forget(void *ctx, struct err *err)
{
	struct recorder *r = ctx;

	if (r->inner->forget(r->inner->ctx, err))
		return -1;
	text_raw(r->text, "%s\n", act_forget);
	return 0;
}

struct verbs verbs_recorded(const struct verbs *inner, struct text *text, struct arena *arena)
{
	struct recorder *r = arena_alloc(arena, 1, sizeof(*r));

	*r = (struct recorder){inner, text};
	text_raw(text, "%s\n", head);
	return (struct verbs){r, record_buffer, record_script, record_stride, record_forget};
}

/* ---- reading */
struct recording {
	const char *path, *at;
	unsigned line;
	struct text act;
};

/* A message's part of a line. */
static int shown(const char *line)
{
	return (int)min_u64(strcspn(line, "\n"), 60);
}

/* The recording's next line is this act: moves to its results. */
static int expect(struct recording *r, struct err *err)
{
	const char *act = text_str(&r->act);
	size_t n = strlen(act);

	r->line++;
	if (r->act.failed)
		return err_add(err, ERR_RESOURCE, "no host memory for the recording's line");
	if (!*r->at)
		return err_add(err, ERR_INPUT,
			"%s:%u: the recording ends; the probe's next act is '%.60s'", r->path,
			r->line, act);
	if (strncmp(r->at, act, n))
		return err_add(err, ERR_INPUT,
			"%s:%u: the recording has '%.*s', the probe's next act is '%.60s': it is of "
			"another probe, of other parts (--only), or of a machine on which the probe "
			"would have done something else",
			r->path, r->line, shown(r->at), r->at, act);
	r->at += n;
	return 0;
}

/* n numbers and the line's end. */
static int numbers(struct recording *r, uint32_t n, uint32_t *out, struct err *err)
{
	for (uint32_t i = 0; i < n; i++) {
		char *end;
		unsigned long long v = *r->at == ' ' ? strtoull(r->at, &end, 10) : 0;

		if (*r->at != ' ' || r->at[1] < '0' || r->at[1] > '9' || v > UINT32_MAX)
			return err_add(err, ERR_INPUT,
				"%s:%u: result %u of %u is no number below 2^32", r->path, r->line,
				i + 1, n);
		out[i] = (uint32_t)v;
		r->at = end;
	}
	if (*r->at != '\n')
		return err_add(err, ERR_INPUT, "%s:%u: the act has %u result%s, the line more",
			r->path, r->line, n, text_s(n));
	r->at++;
	return 0;
}

static void begin(struct recording *r)
{
	text_clear(&r->act);
}

static int replay_buffer(void *ctx, uint64_t bytes, struct err *err)
{
	struct recording *r = ctx;

	begin(r);
	act_buffer(bytes, &r->act);
	return expect(r, err) || numbers(r, 0, NULL, err) ? -1 : 0;
}

static int replay_script(
	void *ctx, const struct verbs_script *s, uint32_t *results, struct err *err)
{
	struct recording *r = ctx;

	begin(r);
	act_script(s, &r->act);
	return expect(r, err) || numbers(r, verbs_results(s), results, err) ? -1 : 0;
}

static int replay_stride(void *ctx, unsigned stride, unsigned n, uint32_t *cycles, struct err *err)
{
	struct recording *r = ctx;

	begin(r);
	act_stride(stride, n, &r->act);
	return expect(r, err) || numbers(r, 1, cycles, err) ? -1 : 0;
}

static int replay_forget(void *ctx, struct err *err)
{
	struct recording *r = ctx;

	begin(r);
	text_raw(&r->act, "%s", act_forget);
	return expect(r, err) || numbers(r, 0, NULL, err) ? -1 : 0;
}

static void let_go(void *recording)
{
	text_clear(&((struct recording *)recording)->act);
}

int verbs_of_recording(struct verbs *v, const char *path, struct files *files, struct arena *arena,
	struct err *err)
{
	void **kept = arena_own(arena, let_go), **file = arena_own(arena, mem_free);
	struct recording *r = arena_alloc(arena, 1, sizeof(*r));
	size_t bytes;

	*kept = r;
	*file = file_read(files, path, &bytes, ERR_INPUT, err);
	if (!*file)
		return -1;
	*r = (struct recording){.path = path, .at = *file};
	text_raw(&r->act, "%s\n", head);
	if (strlen(*file) != bytes || strncmp(*file, text_str(&r->act), strlen(head) + 1))
		return err_add(err, ERR_INPUT,
			"%s:1: no recording of a probe: its first line is not '%s'", path, head);
	r->at += strlen(head) + 1;
	r->line = 1;
	for (; *r->at == '#' && strchr(r->at, '\n'); r->line++) { /* what the machine was */
		if (!strncmp(r->at, VERBS_STAND_IN "\n", strlen(VERBS_STAND_IN) + 1))
			return err_add(err, ERR_INPUT,
				"%s:%u: was recorded by a stand-in for a driver, without a GPU: it is "
				"of no machine",
				path, r->line + 1);
		r->at = strchr(r->at, '\n') + 1;
	}
	*v = (struct verbs){r, replay_buffer, replay_script, replay_stride, replay_forget};
	return 0;
}

int verbs_recording_ends(const struct verbs *v, struct err *err)
{
	const struct recording *r = v->ctx;

	if (!*r->at)
		return 0;
	return err_add(err, ERR_INPUT,
		"%s:%u: the probe is complete, the recording goes on with '%.*s': it is of other "
		"parts (--only)",
		r->path, r->line + 1, shown(r->at), r->at);
}

/* ---- for hardware */
static void scripts(const char *recording, struct text *out)
{
	for (const char *line = recording; *line;) {
		size_t n = strcspn(line, "\n"), act = strcspn(line, "=\n");

		text_bytes(out, line, act);
		text_raw(out, act < n ? "=\n" : "\n");
		line += n + (line[n] == '\n');
	}
}

static int write_in(struct files *files, const char *folder, const char *name,
	const struct text *content, struct err *err)
{
	struct text path = {0};
	int bad;

	text_raw(&path, "%s/%s", folder, name);
	bad = path.failed || content->failed
		      ? err_add(err, ERR_RESOURCE, "no host memory for %s", name)
		      : file_write(files, text_str(&path), text_str(content), content->len, err);
	text_clear(&path);
	return bad;
}

int verbs_emit(struct files *files, const char *folder, const char *recording, struct err *err)
{
	struct text list = {0}, program = {0};
	int bad;

	if (mkdir(folder, 0777) && errno != EEXIST)
		return err_add(err, ERR_HOST, "--emit %s: cannot make the folder: %s", folder,
			strerror(errno));
	scripts(recording, &list);
	verbs_program(&program);
	bad = write_in(files, folder, "scripts.txt", &list, err) |
	      write_in(files, folder, "probe.cu", &program, err);
	text_clear(&list);
	text_clear(&program);
	return bad;
}
