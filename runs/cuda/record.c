/* Recording a program: its messages, what goes with them, and what it writes into memory that it
 * shares with the device. The folder has its name when it is whole. */
#include "runs/cuda/inside.h"

#ifdef HAVE_CUDA

#include "runs/cuda/tape.h"
#include "runs/json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE 4096u

/* What the program could have seen last of memory that it shares. */
struct shadow {
	const unsigned char *pages;
	unsigned char *copy;
	uint64_t address, bytes;
	bool met;
};

struct cuda_record {
	const char *dir, *beside; /* beside: until it is whole */
	struct text log;
	size_t at;  /* in it, of the message at hand, if it is */
	bool taken; /* recorded */
	uint64_t messages;
	struct shadow *shadow;
	unsigned nshadows;
	struct err wrong;
};

static void add(struct cuda_record *r, const struct tape_entry *e, const void *data)
{
	struct tape_entry out = *e;

	if (out.bytes > TAPE_INLINE && !r->wrong.count)
		blobs_put(r->beside, data, out.bytes, out.blob, &r->wrong);
	text_bytes(&r->log, (const char *)&out, sizeof(out));
	if (!*out.blob)
		text_bytes(&r->log, data, out.bytes);
}

/* ---- memory that the program shares */
static const unsigned char *pages_of(const struct cuda_server *v, const struct cuda_block *b)
{
	if (b->pages || !b->variable)
		return b->pages;
	for (unsigned i = 0; i < v->nmanaged; i++)
		if (v->managed[i].address == b->address)
			return v->managed[i].pages;
	return NULL;
}

static struct shadow *shadow_of(
	struct cuda_record *r, const struct cuda_block *b, const unsigned char *pages)
{
	struct shadow *grown;

	for (unsigned i = 0; i < r->nshadows; i++)
		if (r->shadow[i].address == b->address && r->shadow[i].pages == pages &&
			r->shadow[i].bytes == b->bytes)
			return &r->shadow[i];
	grown = mem_grow(r->shadow, r->nshadows, r->nshadows + 1, sizeof(*grown));
	if (!grown)
		return NULL;
	r->shadow = grown;
	grown = &r->shadow[r->nshadows];
	*grown = (struct shadow){.pages = pages,
		.copy = mem_alloc(b->bytes, 1),
		.address = b->address,
		.bytes = b->bytes};
	r->nshadows += grown->copy != NULL;
	return grown->copy ? grown : NULL;
}

/* Adds runs of pages that differ, and copies them. */
static void compare(struct cuda_record *r, struct shadow *s)
{
	uint64_t from = 0, at = 0;

	while (at < s->bytes) {
		uint64_t n = min_u64(PAGE, s->bytes - at);

		if (!memcmp(s->pages + at, s->copy + at, n)) {
			from = at += n;
			continue;
		}
		memcpy(s->copy + at, s->pages + at, n);
		at += n;
		if (at < s->bytes && at - from < WIRE_WINDOW_BYTES &&
			memcmp(s->pages + at, s->copy + at, min_u64(PAGE, s->bytes - at)) != 0)
			continue;
		add(r,
			&(struct tape_entry){
				.op = TAPE_PAGES, .a = {s->address + from}, .bytes = at - from},
			s->copy + from);
		from = at;
	}
}

static void forget(struct cuda_record *r)
{
	unsigned n = 0;

	for (unsigned i = 0; i < r->nshadows; i++) {
		if (!r->shadow[i].met)
			mem_free(r->shadow[i].copy);
		else
			r->shadow[n++] = r->shadow[i];
	}
	r->nshadows = n;
}

/* What has changed is recorded, or it is the device's, and only copied. */
enum look { LOOK_ALL, LOOK_OPEN, LOOK_COPY };

static void look(struct cuda_server *v, enum look how)
{
	struct cuda_record *r = v->record;

	for (unsigned i = 0; i < r->nshadows; i++)
		r->shadow[i].met = false;
	for (size_t i = 0; i < v->nblocks; i++) {
		const unsigned char *pages = pages_of(v, &v->blocks[i]);
		struct shadow *s = pages ? shadow_of(r, &v->blocks[i], pages) : NULL;

		if (pages && !s)
			err_add(&r->wrong, ERR_RESOURCE, "%s: no host memory for a recording",
				r->dir);
		if (!s)
			continue;
		s->met = true;
		if (how == LOOK_COPY)
			memcpy(s->copy, s->pages, s->bytes);
		else if (how == LOOK_ALL || v->blocks[i].open)
			compare(r, s);
	}
	forget(r);
}

/* ---- messages */
/* Bytes in the window that go with a message. */
static uint64_t payload(const struct wire_message *m, const void *window)
{
	struct wire_launch l;

	switch (m->op) {
	case WIRE_CODE:
	case WIRE_LACKS:
		return m->a[0];
	case WIRE_KERNEL:
	case WIRE_SYMBOL:
	case WIRE_BIND:
	case WIRE_WRITE:
		return m->a[1];
	case WIRE_TEXTURE:
		return sizeof(struct wire_texture);
	case WIRE_MIPMAP:
		return sizeof(struct wire_mipmap);
	case WIRE_LAUNCH:
		memcpy(&l, window, sizeof(l));
		return sizeof(l) + l.param_bytes;
	default:
		return 0;
	}
}

/* Whether it changes nothing, and runs nothing. */
static bool only_asks(uint32_t op)
{
	return op == WIRE_HELLO || op == WIRE_TEXT || op == WIRE_FIND || op == WIRE_DEVICE ||
	       op == WIRE_MEMORY || op == WIRE_OCCUPANCY || op >= WIRE_OPS;
}

/* Whether the device may see then what the program wrote. */
static bool reads_memory(uint32_t op)
{
	return op == WIRE_LAUNCH || op == WIRE_QUEUE || op == WIRE_COPY;
}

void cuda_record_message(struct cuda_server *v, const struct wire_message *m)
{
	struct cuda_record *r = v->record;
	const void *data = v->window;
	struct tape_entry e;

	if (!r)
		return;
	r->taken = !only_asks(m->op);
	if (!r->taken)
		return;
	if (reads_memory(m->op) && !gpu_pending(v->gpu))
		look(v, LOOK_ALL);
	else if (m->op == WIRE_COPY)
		look(v, LOOK_OPEN);
	e = (struct tape_entry){.op = m->op, .bytes = payload(m, v->window)};
	memcpy(e.a, m->a, sizeof(m->a));
	if (m->op == WIRE_QUEUE) {
		e.bytes = m->a[0];
		data = v->in + v->in_at;
	}
	e.bytes = min_u64(e.bytes, WIRE_WINDOW_BYTES);
	r->at = r->log.len;
	add(r, &e, data);
	r->messages++;
}

/* What the host wrote where the program sees it. */
static void copy_written(struct cuda_server *v, uint64_t address, uint64_t bytes)
{
	struct cuda_record *r = v->record;
	const struct cuda_block *b = cuda_block_at(v, address, bytes);
	const unsigned char *pages = b ? pages_of(v, b) : NULL;
	struct shadow *s = pages ? shadow_of(r, b, pages) : NULL;

	if (s)
		memcpy(s->copy + (address - s->address), pages + (address - s->address), bytes);
}

/* Its reply, beside it. */
void cuda_record_reply(struct cuda_server *v, const struct wire_message *m)
{
	struct cuda_record *r = v->record;
	struct tape_entry e;

	if (!r || !r->taken || r->log.failed)
		return;
	memcpy(&e, r->log.s + r->at, sizeof(e));
	e.status = m->status;
	e.reply = m->a[0];
	memcpy(r->log.s + r->at, &e, sizeof(e));
	if (e.op == WIRE_WRITE || e.op == WIRE_FILL)
		copy_written(v, e.a[0], e.a[1]);
	else if (e.op == WIRE_COPY)
		copy_written(v, e.a[0], e.a[2]);
}

void cuda_record_held(struct cuda_server *v)
{
	struct cuda_record *r = v->record;
	struct text message = {0};

	if (!r || !r->taken || r->log.failed)
		return;
	text_bytes(&message, r->log.s + r->at, r->log.len - r->at);
	r->log.len = r->at;
	look(v, LOOK_OPEN);
	r->at = r->log.len;
	text_bytes(&r->log, message.s, message.len);
	r->log.failed |= message.failed;
	text_clear(&message);
}

void cuda_record_run(struct cuda_server *v)
{
	if (v->record)
		look(v, LOOK_COPY);
}

/* ---- the folder */
static int no_memory(const char *dir, struct err *err)
{
	return err_add(err, ERR_RESOURCE, "%s: no host memory for a recording", dir);
}

static void close_record(void *record)
{
	struct cuda_record *r = record;

	for (unsigned i = 0; i < r->nshadows; i++)
		mem_free(r->shadow[i].copy);
	mem_free(r->shadow);
	text_clear(&r->log);
	err_clear(&r->wrong);
	if (r->beside)
		blobs_remove(r->beside);
}

static int is_there(const char *path, struct err *err)
{
	return err_add(err, ERR_USAGE,
		"--record: %s is there already; a recording has a folder of its own", path);
}

static int make_folder(const char *path, struct err *err)
{
	if (!mkdir(path, 0777))
		return 0;
	if (errno == EEXIST)
		return is_there(path, err);
	return err_add(err, ERR_HOST, "--record: %s cannot be made: %s", path, strerror(errno));
}

int cuda_record_open(struct cuda_server *v, const char *dir, struct err *err)
{
	void **owned = arena_own(v->arena, close_record);
	struct cuda_record *r = arena_alloc(v->arena, 1, sizeof(*r));
	size_t room = strlen(dir) + 16;
	char *beside = arena_alloc(v->arena, room, 1), *blobs = arena_alloc(v->arena, room, 1);

	r->dir = dir;
	*owned = r;
	snprintf(beside, room, "%s.tmp", dir);
	snprintf(blobs, room, "%s.tmp/" BLOBS_FOLDER, dir);
	if (!access(dir, F_OK))
		return is_there(dir, err);
	if (make_folder(beside, err))
		return -1;
	r->beside = beside;
	if (make_folder(blobs, err))
		return -1;
	v->record = r;
	return 0;
}

static json_t *list_words(const char *const *argv)
{
	json_t *list = json_array();

	for (; *argv; argv++)
		json_append(list, json_name(*argv));
	return list;
}

static json_t *list_timed(const struct region *c)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < c->nrules; i++) {
		json_t *j = json_object();
		char first[24], last[24];

		snprintf(first, sizeof(first), "%llu", (unsigned long long)c->rules[i].first);
		snprintf(last, sizeof(last), "%llu", (unsigned long long)c->rules[i].last);
		json_add(j, "kernel", json_name(c->rules[i].kernel));
		json_add(j, "first", json_string(first));
		json_add(j, "last", json_string(last));
		json_append(list, j);
	}
	return list;
}

static int write_manifest(struct cuda_server *v, int status, struct err *err)
{
	struct cuda_record *r = v->record;
	struct text path = {0}, out = {0};
	char name[BLOBS_NAME];
	json_t *j;
	int bad = blobs_put(r->beside, text_str(&r->log), r->log.len, name, err);

	if (bad)
		return -1;
	j = json_object();
	json_add(j, "format", json_integer(TAPE_FORMAT));
	json_add(j, "made_by", json_program());
	json_add(j, "program", list_words(v->run.argv));
	json_add(j, "status", json_integer(status));
	json_add(j, "untimed", json_boolean(v->run.region.untimed));
	json_add(j, "timed", list_timed(&v->run.region));
	json_add(j, "first_launch", json_whole(v->run.region.first));
	json_add(j, "last_launch", json_whole(v->run.region.last));
	json_add(j, "messages", json_whole(r->messages));
	json_add(j, "log", json_string(name));
	json_add(j, "log_bytes", json_whole(r->log.len));
	bad = json_print(j, &out);
	text_raw(&path, "%s/" TAPE_MANIFEST, r->beside);
	if (bad || path.failed)
		bad = no_memory(r->dir, err);
	else
		bad = blobs_write_file(text_str(&path), text_str(&out), out.len, err);
	text_clear(&path);
	text_clear(&out);
	return bad;
}

int cuda_record_close(struct cuda_server *v, int status, struct err *err)
{
	struct cuda_record *r = v->record;

	if (!r)
		return 0;
	v->record = NULL;
	if (r->log.failed)
		no_memory(r->dir, &r->wrong);
	if (!r->wrong.count) {
		v->record = r;
		write_manifest(v, status, &r->wrong);
		v->record = NULL;
	}
	if (!r->wrong.count && rename(r->beside, r->dir))
		err_add(&r->wrong, ERR_HOST, "--record: %s cannot be renamed to %s: %s", r->beside,
			r->dir, strerror(errno));
	if (r->wrong.count) {
		err_move(err, &r->wrong);
		return -1;
	}
	r->beside = NULL;
	return 0;
}

#endif
