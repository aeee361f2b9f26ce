/* Reads a Perfetto trace: protocol buffers by hand, tracks, slices, counters. */
#include "tests/rig/trace_reader.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/file.h"
#include "core/mem.h"

/* Remaining bytes of a message. */
struct span {
	const unsigned char *at, *end;
};

/* A field: its number, and its value or content. */
struct field {
	unsigned number, wire;
	uint64_t value;
	struct span content;
};

struct name {
	uint64_t iid;
	char text[64];
};

struct reader {
	struct read_trace *t;
	struct name *names;
	unsigned nnames;
	uint64_t last[4]; /* by sequence */
	bool cleared[4];
};

static uint64_t take_varint(struct span *s)
{
	uint64_t v = 0;

	for (unsigned shift = 0;; shift += 7) {
		unsigned char byte;

		assert_true(s->at < s->end && shift < 64);
		byte = *s->at++;
		v |= (uint64_t)(byte & 127) << shift;
		if (byte < 128)
			return v;
	}
}

static bool take_field(struct span *s, struct field *f)
{
	uint64_t tag;

	if (s->at == s->end)
		return false;
	tag = take_varint(s);
	*f = (struct field){.number = (unsigned)(tag >> 3), .wire = tag & 7};
	assert_true(f->number > 0);
	switch (f->wire) {
	case 0:
		f->value = take_varint(s);
		return true;
	case 1:
		assert_true(s->end - s->at >= 8);
		memcpy(&f->value, s->at, 8);
		s->at += 8;
		return true;
	case 2:
		f->value = take_varint(s);
		assert_true((uint64_t)(s->end - s->at) >= f->value);
		f->content = (struct span){s->at, s->at + f->value};
		s->at += f->value;
		return true;
	default:
		fail_msg("wire type %u", f->wire);
		return false;
	}
}

static void take_text(const struct field *f, char *out, size_t n)
{
	size_t length = f->value < n - 1 ? f->value : n - 1;

	assert_int_equal(f->wire, 2);
	memcpy(out, f->content.at, length);
	out[length] = '\0';
}

/* Capacity for one more. */
static void *grown(void *array, unsigned n, size_t size)
{
	unsigned cap = n < 64 ? 64 : n;

	if (n && (n < 64 || n & (n - 1)))
		return array;
	array = array ? mem_grow(array, n, (size_t)cap * 2, size) : mem_alloc(128, size);
	assert_non_null(array);
	return array;
}

static void read_place(struct span s, struct read_track *t, unsigned name_field)
{
	struct field f;

	while (take_field(&s, &f))
		if (f.number == name_field)
			take_text(&f, t->name, sizeof(t->name));
}

static unsigned find_track(const struct read_trace *t, uint64_t uuid)
{
	for (unsigned i = 0; i < t->ntracks; i++)
		if (t->tracks[i].uuid == uuid)
			return i;
	return UINT_MAX;
}

static void read_descriptor(struct reader *r, struct span s)
{
	struct read_track t = {0};
	struct field f;

	while (take_field(&s, &f)) {
		if (f.number == 1)
			t.uuid = f.value;
		else if (f.number == 2)
			take_text(&f, t.name, sizeof(t.name));
		else if (f.number == 3)
			read_place(f.content, &t, 6);
		else if (f.number == 4)
			read_place(f.content, &t, 5);
		else if (f.number == 5)
			t.parent = f.value;
		t.is_process |= f.number == 3;
		t.is_thread |= f.number == 4;
		t.is_counter |= f.number == 8;
		for (struct field u; f.number == 8 && take_field(&f.content, &u);)
			if (u.number == 6)
				take_text(&u, t.unit, sizeof(t.unit));
	}
	assert_int_equal(find_track(r->t, t.uuid), UINT_MAX);
	assert_true(*t.name);
	t.part = r->t->ntracks;
	if (!t.is_process) {
		unsigned parent = find_track(r->t, t.parent);

		assert_int_not_equal(parent, UINT_MAX);
		t.part = t.is_thread ? t.part : r->t->tracks[parent].part;
	}
	r->t->tracks = grown(r->t->tracks, r->t->ntracks, sizeof(t));
	r->t->tracks[r->t->ntracks++] = t;
}

static void read_names(struct reader *r, struct span s)
{
	struct field f, g;

	while (take_field(&s, &f)) {
		struct name n = {0};

		assert_int_equal(f.number, 2);
		while (take_field(&f.content, &g)) {
			if (g.number == 1)
				n.iid = g.value;
			else
				take_text(&g, n.text, sizeof(n.text));
		}
		r->names = grown(r->names, r->nnames, sizeof(n));
		r->names[r->nnames++] = n;
	}
}

/* The content of an event. */
struct event {
	uint64_t type, track, iid, value, cta, launch;
	double real;
	bool has_value, has_real;
	char name[128];
};

static void read_annotation(struct span s, struct event *e)
{
	char name[32] = "";
	uint64_t value = 0;
	struct field f;

	while (take_field(&s, &f)) {
		if (f.number == 10)
			take_text(&f, name, sizeof(name));
		else if (f.number == 3)
			value = f.value;
	}
	assert_true(*name);
	if (!strcmp(name, "cta"))
		e->cta = value;
	else if (!strcmp(name, "launch"))
		e->launch = value;
}

static struct event parse_event(struct span s)
{
	struct event e = {.cta = UINT64_MAX, .launch = UINT64_MAX};
	struct field f;

	while (take_field(&s, &f)) {
		if (f.number == 4)
			read_annotation(f.content, &e);
		else if (f.number == 9)
			e.type = f.value;
		else if (f.number == 10)
			e.iid = f.value;
		else if (f.number == 11)
			e.track = f.value;
		else if (f.number == 23)
			take_text(&f, e.name, sizeof(e.name));
		else if (f.number == 30)
			e.value = f.value;
		else if (f.number == 44)
			memcpy(&e.real, &f.value, sizeof(e.real));
		e.has_value |= f.number == 30;
		e.has_real |= f.number == 44;
	}
	return e;
}

static void begin_slice(struct reader *r, unsigned track, uint64_t at, const struct event *e)
{
	struct read_track *t = &r->t->tracks[track];
	struct read_slice s = {.track = track,
		.begin = at,
		.end = UINT64_MAX,
		.depth = t->depth,
		.cta = e->cta,
		.launch = e->launch};
	unsigned i = 0;

	while (i < r->nnames && r->names[i].iid != e->iid)
		i++;
	assert_true(i < r->nnames);
	memcpy(s.name, r->names[i].text, sizeof(s.name));
	assert_true(t->depth < 8 && !t->is_counter);
	t->open[t->depth++] = r->t->nslices;
	r->t->slices = grown(r->t->slices, r->t->nslices, sizeof(s));
	r->t->slices[r->t->nslices++] = s;
}

static void end_slice(struct reader *r, unsigned track, uint64_t at)
{
	struct read_track *t = &r->t->tracks[track];

	assert_true(t->depth > 0);
	r->t->slices[t->open[--t->depth]].end = at;
}

static void count(struct reader *r, unsigned track, uint64_t at, const struct event *e)
{
	struct read_point p = {track, at, e->has_real ? e->real : (double)e->value};

	assert_true(r->t->tracks[track].is_counter);
	assert_true(e->has_value != e->has_real);
	r->t->points = grown(r->t->points, r->t->npoints, sizeof(p));
	r->t->points[r->t->npoints++] = p;
}

static void read_event(struct reader *r, struct span s, uint64_t at)
{
	struct event e = parse_event(s);
	unsigned track = find_track(r->t, e.track);

	assert_int_not_equal(track, UINT_MAX);
	if (e.type == 1) {
		begin_slice(r, track, at, &e);
	} else if (e.type == 2) {
		end_slice(r, track, at);
	} else if (e.type == 3) {
		r->t->full |= !strncmp(e.name, "the limit was reached", 21);
		r->t->end = at;
	} else {
		assert_int_equal(e.type, 4);
		count(r, track, at, &e);
	}
}

static void read_packet(struct reader *r, struct span s)
{
	uint64_t at = 0, sequence = 0, flags = 0;
	struct field f, event = {0}, track = {0}, names = {0};

	while (take_field(&s, &f)) {
		if (f.number == 8)
			at = f.value;
		else if (f.number == 10)
			sequence = f.value;
		else if (f.number == 11)
			event = f;
		else if (f.number == 12)
			names = f;
		else if (f.number == 13)
			flags = f.value;
		else if (f.number == 60)
			track = f;
		else
			fail_msg("field %u in a packet", f.number);
	}
	assert_in_range(sequence, 1, 3);
	r->cleared[sequence] |= flags & 1;
	assert_true(r->cleared[sequence]);
	if (names.number)
		read_names(r, names.content);
	if (track.number)
		read_descriptor(r, track.content);
	if (!event.number)
		return;
	assert_true(at >= r->last[sequence]);
	r->last[sequence] = at;
	read_event(r, event.content, at);
}

struct read_trace read_trace(const char *path)
{
	struct err err = {0};
	struct read_trace t = {0};
	struct reader r = {.t = &t};
	char *data = file_read(NULL, path, &t.bytes, ERR_INPUT, &err);
	struct span s;
	struct field f;

	assert_string_equal(err_text(&err), "");
	s = (struct span){(unsigned char *)data, (unsigned char *)data + t.bytes};
	for (; take_field(&s, &f); t.packets++) {
		assert_true(f.number == 1 && f.wire == 2);
		read_packet(&r, f.content);
	}
	for (unsigned i = 0; i < t.ntracks; i++)
		assert_int_equal(t.tracks[i].depth, 0);
	assert_true(r.last[1] <= t.end && r.last[2] <= t.end);
	mem_free(r.names);
	mem_free(data);
	return t;
}

void read_trace_free(struct read_trace *t)
{
	mem_free(t->tracks);
	mem_free(t->slices);
	mem_free(t->points);
	*t = (struct read_trace){0};
}

unsigned read_track_named(const struct read_trace *t, const char *part, const char *name)
{
	for (unsigned i = 0; i < t->ntracks; i++)
		if (!strcmp(t->tracks[i].name, name) &&
			!strcmp(t->tracks[t->tracks[i].part].name, part))
			return i;
	return UINT_MAX;
}

double read_integral(const struct read_trace *t, unsigned track)
{
	double sum = 0, value = 0;
	uint64_t since = 0;

	for (unsigned i = 0; i < t->npoints; i++) {
		if (t->points[i].track != track)
			continue;
		sum += value * (double)(t->points[i].at - since);
		since = t->points[i].at;
		value = t->points[i].value;
	}
	return sum + value * (double)(t->end - since);
}

double read_value_at(const struct read_trace *t, unsigned track, uint64_t at)
{
	double value = -1;

	for (unsigned i = 0; i < t->npoints; i++)
		if (t->points[i].track == track && t->points[i].at <= at)
			value = t->points[i].value;
	assert_true(value >= 0);
	return value;
}
