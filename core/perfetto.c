/* Perfetto track events: each packet is built in a buffer and written whole, or dropped. */
#include "core/perfetto.h"

#include "core/mem.h"
#include "core/state.h"

#include <string.h>

/* Field numbers of the .proto files under perfetto/trace. */
enum {
	TRACE_PACKET = 1,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_EVENT = 11,
	PACKET_INTERNED = 12,
	PACKET_FLAGS = 13,
	PACKET_TRACK = 60,
	TRACK_UUID = 1,
	TRACK_NAME = 2,
	TRACK_IS_PROCESS = 3,
	TRACK_IS_THREAD = 4,
	TRACK_PARENT = 5,
	TRACK_IS_COUNTER = 8,
	TRACK_CHILDREN = 11,
	TRACK_ORDER = 12,
	PROCESS_PID = 1,
	PROCESS_NAME = 6,
	THREAD_PID = 1,
	THREAD_TID = 2,
	THREAD_NAME = 5,
	COUNTER_UNIT_NAME = 6,
	EVENT_ANNOTATION = 4,
	EVENT_TYPE = 9,
	EVENT_NAME_IID = 10,
	EVENT_TRACK = 11,
	EVENT_NAME = 23,
	EVENT_COUNT = 30,
	EVENT_REAL = 44,
	ANNOTATION_UINT = 3,
	ANNOTATION_NAME = 10,
	INTERNED_NAME = 2,
	NAME_IID = 1,
	NAME_TEXT = 2
};

#define CHILDREN_BY_ORDER 3 /* TrackDescriptor.ChildTracksOrdering.EXPLICIT */
enum event_type { EVENT_BEGIN = 1, EVENT_END = 2, EVENT_INSTANT = 3, EVENT_COUNTER = 4 };
enum sequence { SEQUENCE_SLICES = 1, SEQUENCE_COUNTERS = 2, SEQUENCE_LATE = 3 };
enum flags { FLAG_CLEARED = 1, FLAG_NEEDS_NAMES = 2 };

#define END_BYTES 40u    /* more than the end of a slice takes */
#define TAIL_BYTES 1024u /* for the final packets */
#define NAME_MOST 255u

/* A packet under construction. */
struct packet_in {
	struct proto p;
	uint32_t packet, event;
};

static void open_packet(struct packet_in *k, enum sequence sequence)
{
	k->p.n = 0;
	k->p.failed = false;
	k->packet = proto_open(&k->p, TRACE_PACKET);
	proto_uint(&k->p, PACKET_SEQUENCE, sequence);
}

static void open_event(
	struct perfetto *f, struct packet_in *k, enum event_type type, uint32_t track, tick_t at)
{
	f->now = at;
	open_packet(k, type == EVENT_COUNTER ? SEQUENCE_COUNTERS : SEQUENCE_SLICES);
	proto_uint(&k->p, PACKET_TIMESTAMP, at / 1000);
	if (type == EVENT_BEGIN)
		proto_uint(&k->p, PACKET_FLAGS, FLAG_NEEDS_NAMES);
	k->event = proto_open(&k->p, PACKET_EVENT);
	proto_uint(&k->p, EVENT_TYPE, type);
	proto_uint(&k->p, EVENT_TRACK, track);
}

/* False, permanently, when this many bytes do not fit beside what must still be written. */
static bool has_space(struct perfetto *f, uint64_t bytes)
{
	uint64_t kept = f->open * END_BYTES + TAIL_BYTES;

	if (!f->full && f->out.bytes + bytes + kept > f->limit_bytes) {
		f->full = true;
		f->full_at = f->now;
	}
	return !f->full;
}

static void write_packet(struct perfetto *f, struct packet_in *k)
{
	proto_close(&k->p, k->packet);
	BUG_ON(k->p.failed);
	file_add(&f->out, k->p.bytes, k->p.n);
}

/* The same for packets that may be dropped. True when it was written. */
static bool offer_packet(struct perfetto *f, struct packet_in *k)
{
	if (!has_space(f, k->p.n + 2 + END_BYTES)) {
		f->dropped++;
		return false;
	}
	write_packet(f, k);
	return true;
}

/* ---- tracks and names, for a file that goes on */
static bool make_room(struct perfetto *f, size_t bytes)
{
	size_t room = 2 * (f->nkept + bytes) + 4096;
	unsigned char *grown;

	if (bytes <= f->kept_room - f->nkept)
		return true;
	grown = mem_grow(f->kept, f->nkept, room, 1);
	if (!grown)
		return false;
	f->kept = grown;
	f->kept_room = room;
	return true;
}

/* Without memory for it there are no checkpoints any more. */
static void define(struct perfetto *f, struct packet_in *k)
{
	if (!offer_packet(f, k) || !f->keeps)
		return;
	f->keeps = make_room(f, k->p.n);
	if (!f->keeps)
		return;
	memcpy(f->kept + f->nkept, k->p.bytes, k->p.n);
	f->nkept += k->p.n;
}

static void add_name(struct proto *p, unsigned field, const char *name)
{
	char cut[NAME_MOST + 1];
	size_t n = strlen(name);

	n = n < NAME_MOST ? n : NAME_MOST;
	memcpy(cut, name, n);
	cut[n] = '\0';
	proto_string(p, field, cut);
}

int perfetto_open(struct perfetto *f, const char *path, uint64_t limit_bytes, struct err *err)
{
	*f = (struct perfetto){
		.limit_bytes = limit_bytes, .out.files = f->out.files, .keeps = f->keeps};
	if (file_begin(&f->out, path, err))
		return -1;
	for (enum sequence s = SEQUENCE_SLICES; s <= SEQUENCE_COUNTERS; s++) {
		struct packet_in k;

		open_packet(&k, s);
		proto_uint(&k.p, PACKET_FLAGS, FLAG_CLEARED);
		write_packet(f, &k);
	}
	return 0;
}

static void add_place(struct proto *p, const struct track_config *c)
{
	uint32_t part;

	if (c->kind == TRACK_PROCESS) {
		part = proto_open(p, TRACK_IS_PROCESS);
		proto_uint(p, PROCESS_PID, c->number);
		add_name(p, PROCESS_NAME, c->name);
		proto_close(p, part);
	} else if (c->kind == TRACK_THREAD) {
		part = proto_open(p, TRACK_IS_THREAD);
		proto_uint(p, THREAD_PID, 1);
		proto_uint(p, THREAD_TID, c->number);
		add_name(p, THREAD_NAME, c->name);
		proto_close(p, part);
	} else {
		add_name(p, TRACK_NAME, c->name);
	}
}

uint32_t perfetto_track(struct perfetto *f, const struct track_config *c)
{
	struct packet_in k;
	uint32_t id = ++f->ntracks, part;

	open_packet(&k, c->kind == TRACK_COUNTER ? SEQUENCE_COUNTERS : SEQUENCE_SLICES);
	part = proto_open(&k.p, PACKET_TRACK);
	proto_uint(&k.p, TRACK_UUID, id);
	if (c->parent)
		proto_uint(&k.p, TRACK_PARENT, c->parent);
	add_place(&k.p, c);
	proto_uint(&k.p, TRACK_CHILDREN, CHILDREN_BY_ORDER);
	proto_uint(&k.p, TRACK_ORDER, id);
	if (c->kind == TRACK_COUNTER) {
		uint32_t counter = proto_open(&k.p, TRACK_IS_COUNTER);

		if (c->unit)
			add_name(&k.p, COUNTER_UNIT_NAME, c->unit);
		proto_close(&k.p, counter);
	}
	proto_close(&k.p, part);
	define(f, &k);
	return id;
}

uint32_t perfetto_name(struct perfetto *f, const char *name)
{
	struct packet_in k;
	uint32_t id = ++f->nnames, interned, entry;

	open_packet(&k, SEQUENCE_SLICES);
	proto_uint(&k.p, PACKET_FLAGS, FLAG_NEEDS_NAMES);
	interned = proto_open(&k.p, PACKET_INTERNED);
	entry = proto_open(&k.p, INTERNED_NAME);
	proto_uint(&k.p, NAME_IID, id);
	add_name(&k.p, NAME_TEXT, name);
	proto_close(&k.p, entry);
	proto_close(&k.p, interned);
	define(f, &k);
	return id;
}

void perfetto_begin(struct perfetto *f, struct track *t, tick_t at, uint32_t name,
	const struct annotation *notes, unsigned n)
{
	struct packet_in k;

	open_event(f, &k, EVENT_BEGIN, t->id, at);
	proto_uint(&k.p, EVENT_NAME_IID, name);
	for (unsigned i = 0; i < n; i++) {
		uint32_t note = proto_open(&k.p, EVENT_ANNOTATION);

		proto_uint(&k.p, ANNOTATION_UINT, notes[i].value);
		add_name(&k.p, ANNOTATION_NAME, notes[i].name);
		proto_close(&k.p, note);
	}
	proto_close(&k.p, k.event);
	if (f->again) {
		write_packet(f, &k);
		return;
	}
	t->depth++;
	if (!offer_packet(f, &k))
		return;
	t->written++;
	f->open++;
}

void perfetto_end(struct perfetto *f, struct track *t, tick_t at)
{
	struct packet_in k;

	BUG_ON(!t->depth);
	if (t->depth-- > t->written)
		return;
	t->written--;
	f->open--;
	open_event(f, &k, EVENT_END, t->id, at);
	proto_close(&k.p, k.event);
	write_packet(f, &k);
}

static void open_instant(
	struct perfetto *f, struct packet_in *k, uint32_t track, tick_t at, const char *name)
{
	open_event(f, k, EVENT_INSTANT, track, at);
	add_name(&k->p, EVENT_NAME, name);
	proto_close(&k->p, k->event);
}

void perfetto_instant(struct perfetto *f, uint32_t track, tick_t at, const char *name)
{
	struct packet_in k;

	open_instant(f, &k, track, at, name);
	offer_packet(f, &k);
}

void perfetto_count(struct perfetto *f, uint32_t track, tick_t at, uint64_t count, uint64_t per)
{
	struct packet_in k;

	open_event(f, &k, EVENT_COUNTER, track, at);
	if (count % per)
		proto_double(&k.p, EVENT_REAL, (double)count / (double)per);
	else
		proto_uint(&k.p, EVENT_COUNT, count / per);
	proto_close(&k.p, k.event);
	offer_packet(f, &k);
}

void perfetto_real(struct perfetto *f, uint32_t track, tick_t at, double value)
{
	struct packet_in k;

	open_event(f, &k, EVENT_COUNTER, track, at);
	proto_double(&k.p, EVENT_REAL, value);
	proto_close(&k.p, k.event);
	if (f->again)
		write_packet(f, &k);
	else
		offer_packet(f, &k);
}

void perfetto_late(struct perfetto *f, uint32_t track, tick_t at, double value)
{
	struct packet_in k;

	if (!f->late) {
		open_packet(&k, SEQUENCE_LATE);
		proto_uint(&k.p, PACKET_FLAGS, FLAG_CLEARED);
		f->late = offer_packet(f, &k);
	}
	open_packet(&k, SEQUENCE_LATE);
	proto_uint(&k.p, PACKET_TIMESTAMP, at / 1000);
	k.event = proto_open(&k.p, PACKET_EVENT);
	proto_uint(&k.p, EVENT_TYPE, EVENT_COUNTER);
	proto_uint(&k.p, EVENT_TRACK, track);
	proto_double(&k.p, EVENT_REAL, value);
	proto_close(&k.p, k.event);
	offer_packet(f, &k);
}

/* ---- checkpoints */
/* All tracks and names of the other file, of which this one has the first. */
static void load_kept(struct state *s, struct perfetto *f, uint64_t n)
{
	size_t had = f->nkept;
	unsigned char *first = mem_alloc(had + 1, 1);

	if (!first || (n > had && !make_room(f, n - had))) {
		state_fail(s, "no host memory for a checkpoint");
	} else {
		memcpy(first, f->kept, had);
		state_bytes(s, f->kept, n);
		if (!s->failed && (n < had || memcmp(first, f->kept, had) != 0))
			state_fail(s, "the checkpoint's trace has other tracks");
	}
	mem_free(first);
	if (s->failed)
		return;
	f->nkept = n;
	file_add(&f->out, f->kept + had, n - had);
}

void perfetto_state(struct state *s, struct perfetto *f)
{
	uint64_t n = f->nkept;

	if (!f->keeps)
		state_fail(s, "no host memory for the trace's names");
	STATE(s, n);
	if (!state_most(s, n, s->loads ? f->limit_bytes : n))
		return;
	state_scratch(s, &f->kept, sizeof(f->kept));
	state_scratch(s, &f->kept_room, sizeof(f->kept_room));
	state_scratch(s, &f->head_bytes, sizeof(f->head_bytes));
	if (s->loads)
		load_kept(s, f, n);
	else
		state_bytes(s, f->kept, n);
	f->again = s->loads;
	f->went.bytes = f->out.bytes;
	f->went.now = f->now;
	STATE(s, f->went);
	STATE(s, f->dropped);
	STATE(s, f->open);
	STATE(s, f->full_at);
	STATE(s, f->ntracks);
	STATE(s, f->nnames);
	STATE(s, f->full);
}

void perfetto_went_on(struct perfetto *f)
{
	f->again = false;
	f->head_bytes = f->out.bytes;
	f->out.bytes = f->went.bytes;
	f->now = f->went.now;
}

void perfetto_free(struct perfetto *f)
{
	mem_free(f->kept);
	f->kept = NULL;
}

void perfetto_close(struct perfetto *f, uint32_t track, tick_t at)
{
	struct packet_in k;
	char words[160];

	if (f->full) {
		snprintf(words, sizeof(words),
			"the limit was reached at %llu ns: events dropped: %llu",
			(unsigned long long)(f->full_at / 1000), (unsigned long long)f->dropped);
		open_instant(f, &k, track, at, words);
		write_packet(f, &k);
	}
	open_instant(f, &k, track, at, "end of trace");
	write_packet(f, &k);
}
