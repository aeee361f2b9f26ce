/* Playing a recording: its messages come from a folder instead of a program. */
#include "runs/cuda/inside.h"

#include "core/file.h"
#include "runs/cuda/tape.h"
#include "runs/json.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct cuda_tape {
	const char *dir;
	char *log;
	uint64_t bytes, at;
	uint64_t left;           /* messages */
	struct tape_entry entry; /* of the message at hand */
	int status;
	bool wrong; /* it was found to be damaged */
	json_t *manifest;
};

static void path_of(const char *dir, struct text *out)
{
	text_raw(out, "%s/" TAPE_MANIFEST, dir);
}

bool cuda_is_recording(const char *path)
{
	struct text file = {0};
	bool is;

	path_of(path, &file);
	is = !access(text_str(&file), F_OK);
	text_clear(&file);
	return is;
}

/* ---- the manifest */
static int broken(const char *dir, const char *what, struct err *err)
{
	return err_add(err, ERR_INPUT, "%s/" TAPE_MANIFEST ": %s", dir, what);
}

static json_t *read_manifest(const char *dir, struct err *err)
{
	struct text path = {0};
	json_error_t wrong;
	size_t n;
	json_t *j;
	char *text;

	path_of(dir, &path);
	text = file_read(NULL, text_str(&path), &n, ERR_INPUT, err);
	text_clear(&path);
	if (!text)
		return NULL;
	j = json_loadb(text, n, JSON_REJECT_DUPLICATES, &wrong);
	mem_free(text);
	if (!json_is_object(j)) {
		err_add(err, ERR_INPUT, "%s/" TAPE_MANIFEST ":%d: it is damaged: %s", dir,
			j ? 1 : wrong.line, j ? "no object" : wrong.text);
		json_decref(j);
		return NULL;
	}
	if (json_integer_value(json_object_get(j, "format")) == TAPE_FORMAT)
		return j;
	err_add(err, ERR_INPUT,
		"%s/" TAPE_MANIFEST ": its format is %lld; this warpbeam plays format %d: record "
		"the program again",
		dir, (long long)json_integer_value(json_object_get(j, "format")), TAPE_FORMAT);
	json_decref(j);
	return NULL;
}

/* The arena's, ended by NULL; NULL: they are none. */
static const char **words_of(json_t *manifest, struct arena *arena)
{
	json_t *list = json_object_get(manifest, "program");
	const char **words = arena_alloc(arena, json_array_size(list) + 1, sizeof(*words));

	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *word = json_string_value(json_array_get(list, i));

		if (!word)
			return NULL;
		words[i] = arena_strdup(arena, word);
	}
	return *words ? words : NULL;
}

static uint64_t number_of(const json_t *j, const char *key)
{
	const char *text = json_string_value(json_object_get(j, key));

	return text ? strtoull(text, NULL, 10)
		    : (uint64_t)json_integer_value(json_object_get(j, key));
}

/* Unless the caller chose others. */
static void take_choice(const json_t *manifest, struct arena *arena, struct region *out)
{
	json_t *list = json_object_get(manifest, "timed");
	size_t n = json_array_size(list);

	if (!region_is_all(out))
		return;
	out->first = number_of(manifest, "first_launch");
	out->last = number_of(manifest, "last_launch");
	out->untimed = json_is_true(json_object_get(manifest, "untimed"));
	out->rules = arena_alloc(arena, n, sizeof(*out->rules));
	for (size_t i = 0; i < n; i++) {
		json_t *j = json_array_get(list, i);
		const char *kernel = json_string_value(json_object_get(j, "kernel"));

		out->rules[out->nrules++] =
			(struct region_rule){.kernel = arena_strdup(arena, kernel ? kernel : "*"),
				.first = number_of(j, "first"),
				.last = number_of(j, "last")};
	}
}

const char **cuda_recorded_words(const char *dir, struct arena *arena, struct err *err)
{
	json_t *j = read_manifest(dir, err);
	const char **words = j ? words_of(j, arena) : NULL;

	if (j && !words)
		broken(dir, "it is damaged: no words of the program", err);
	json_decref(j);
	return words;
}

/* ---- entries */
static int ends_early(const struct cuda_tape *t, struct err *err)
{
	return err_add(err, ERR_INPUT,
		"%s: the recording is damaged: its log ends within a message", t->dir);
}

/* The next entry, and its bytes into `to`, at most `room`. 0 or -1. */
static int take(struct cuda_tape *t, unsigned char *to, uint64_t room, struct err *err)
{
	struct tape_entry *e = &t->entry;
	char *data;

	if (t->bytes - t->at < sizeof(*e))
		return ends_early(t, err);
	memcpy(e, t->log + t->at, sizeof(*e));
	t->at += sizeof(*e);
	e->blob[sizeof(e->blob) - 1] = '\0';
	if (e->bytes > room || (!*e->blob && e->bytes > t->bytes - t->at) || strchr(e->blob, '/'))
		return ends_early(t, err);
	if (!*e->blob) {
		memcpy(to, t->log + t->at, e->bytes);
		t->at += e->bytes;
		return 0;
	}
	data = blobs_get(t->dir, e->blob, e->bytes, err);
	if (!data)
		return -1;
	memcpy(to, data, e->bytes);
	mem_free(data);
	return 0;
}

/* What the program wrote into memory that it shares. */
static int write_pages(struct cuda_server *v, struct err *err)
{
	const struct tape_entry *e = &v->tape->entry;
	const struct cuda_block *b = cuda_block_at(v, e->a[0], e->bytes);

	if (!b)
		return err_add(err, ERR_INPUT,
			"%s: the recording is damaged: it writes %llu bytes to 0x%llx, where no "
			"memory is",
			v->tape->dir, (unsigned long long)e->bytes, (unsigned long long)e->a[0]);
	gpu_write(v->gpu, b->buffer, e->a[0] - b->address, v->window, e->bytes);
	cuda_changed(v,
		&(struct cuda_change){.kind = CUDA_CHANGE_WRITE, .to = e->a[0], .bytes = e->bytes});
	return 0;
}

/* 1: a message; 0: there is no more; -1. */
static int next(struct cuda_server *v, struct wire_message *m)
{
	struct cuda_tape *t = v->tape;
	const struct tape_entry *e = &t->entry;

	do {
		if (t->at == t->bytes)
			return 0;
		if (take(t, v->window, WIRE_WINDOW_BYTES, v->err) ||
			(e->op == TAPE_PAGES && write_pages(v, v->err)))
			return -1;
	} while (e->op == TAPE_PAGES);
	*m = (struct wire_message){.op = e->op};
	memcpy(m->a, e->a, sizeof(m->a));
	if (m->op != WIRE_QUEUE)
		return 1;
	if (e->bytes > WIRE_QUEUE_BYTES || e->bytes != m->a[0])
		return ends_early(t, v->err);
	memcpy(v->in, v->window, e->bytes);
	v->in_at = 0;
	return 1;
}

bool cuda_tape_next(struct cuda_server *v, struct wire_message *m)
{
	int more = next(v, m);

	v->tape->wrong = more < 0;
	return more > 0;
}

/* The program's pointers are those of the recording. */
bool cuda_tape_agrees(struct cuda_server *v, const struct wire_message *m)
{
	const struct tape_entry *e = &v->tape->entry;

	if ((e->op != WIRE_ALLOC && e->op != WIRE_SYMBOL && e->op != WIRE_TEXTURE) || e->status ||
		(!m->status && m->a[0] == e->reply))
		return true;
	v->tape->wrong = true;
	err_add(v->err, ERR_INPUT,
		"%s: %s than in the recording, which holds %s: it was made by another warpbeam, or "
		"with other settings (%s)",
		v->tape->dir,
		e->op == WIRE_TEXTURE ? "a texture has another handle"
				      : "memory is at other addresses",
		e->op == WIRE_TEXTURE ? "handles" : "pointers",
		e->op == WIRE_ALLOC     ? "an allocation"
		: e->op == WIRE_TEXTURE ? "a texture object"
					: "a variable");
	return false;
}

int cuda_tape_status(const struct cuda_server *v)
{
	return v->tape->wrong ? 0 : v->tape->status;
}

/* ---- opening */
static void close_tape(void *tape)
{
	struct cuda_tape *t = tape;

	mem_free(t->log);
	json_decref(t->manifest);
}

/* Each blob is there and unchanged. */
static int check(struct cuda_tape *t, unsigned char *room, struct err *err)
{
	uint64_t messages = 0;

	while (t->at < t->bytes) {
		if (take(t, room, WIRE_WINDOW_BYTES, err))
			return -1;
		messages += t->entry.op != TAPE_PAGES;
	}
	t->at = 0;
	return messages == t->left ? 0 : ends_early(t, err);
}

int cuda_tape_open(struct cuda_server *v, const char *dir, struct err *err)
{
	void **owned = arena_own(v->arena, close_tape);
	struct cuda_tape *t = arena_alloc(v->arena, 1, sizeof(*t));
	const char *log;

	t->dir = dir;
	*owned = t;
	t->manifest = read_manifest(dir, err);
	if (!t->manifest)
		return -1;
	v->run.argv = words_of(t->manifest, v->arena);
	log = json_string_value(json_object_get(t->manifest, "log"));
	t->bytes = number_of(t->manifest, "log_bytes");
	t->left = number_of(t->manifest, "messages");
	t->status = (int)number_of(t->manifest, "status");
	if (!v->run.argv || !log || strlen(log) != BLOBS_NAME - 1 || strchr(log, '/'))
		return broken(dir, "it is damaged: 'program' or 'log' is missing", err);
	take_choice(t->manifest, v->arena, &v->run.region);
	t->log = blobs_get(dir, log, t->bytes, err);
	if (!t->log || check(t, v->window, err))
		return -1;
	v->tape = t;
	v->greeted = true;
	return 0;
}
