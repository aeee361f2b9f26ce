/* Moving state: bytes, structs, pointers as offsets in spaces. */
#include "core/state.h"

#include "core/mem.h"
#include "core/policy.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define NO_SPACE UINT32_MAX
#define SPARSE_BYTES 4096u

void state_clear(struct state *s)
{
	mem_free(s->spaces);
	s->spaces = NULL;
	s->nspaces = s->spaces_room = 0;
}

void state_fail(struct state *s, const char *format, ...)
{
	char text[512];
	va_list args;

	if (s->failed)
		return;
	s->failed = true;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	err_add(s->err, s->loads ? ERR_INPUT : ERR_USAGE, "%s%s%s", s->origin ? s->origin : "",
		s->origin ? ": " : "", text);
}

/* The owner of `move` has given the message, unless there is none. */
void state_bytes(struct state *s, void *at, size_t bytes)
{
	if (!s->failed && bytes && !s->move(s->ctx, at, bytes))
		state_fail(s, "the checkpoint ends in the state of %s", s->part);
}

void state_bool(struct state *s, void *at, size_t bytes)
{
	unsigned char byte = *(const bool *)at;

	BUG_ON(bytes != sizeof(bool) || sizeof(bool) != sizeof(byte));
	state_bytes(s, &byte, sizeof(byte));
	if (byte > 1)
		state_fail(
			s, "the checkpoint has %u for yes or no in the state of %s", byte, s->part);
	*(bool *)at = byte == 1;
}

static bool is_zero(const unsigned char *at, size_t bytes)
{
	return !bytes || (!at[0] && !memcmp(at, at + 1, bytes - 1));
}

void state_sparse(struct state *s, void *at, size_t bytes)
{
	unsigned char *block = at;

	for (size_t n; bytes && !s->failed; bytes -= n, block += n) {
		bool was, zero;

		n = bytes < SPARSE_BYTES ? bytes : SPARSE_BYTES;
		was = zero = is_zero(block, n);
		STATE(s, zero);
		if (!zero)
			state_bytes(s, block, n);
		else if (!was)
			memset(block, 0, n);
	}
}

void state_part(struct state *s, const char *name)
{
	char found[64] = "";

	s->part = name;
	snprintf(found, sizeof(found), "%s", name);
	state_bytes(s, found, sizeof(found));
	found[sizeof(found) - 1] = '\0';
	if (!s->failed && strncmp(found, name, sizeof(found) - 1))
		state_fail(s, "the checkpoint does not have the state of %s where it is due", name);
}

void state_same(struct state *s, uint64_t number, const char *what)
{
	uint64_t found = number;

	STATE(s, found);
	if (!s->failed && found != number)
		state_fail(s, "%s: the checkpoint has %llu %s, this run has %llu", s->part,
			(unsigned long long)found, what, (unsigned long long)number);
}

bool state_most(struct state *s, uint64_t number, uint64_t most)
{
	if (s->failed)
		return false;
	if (number <= most)
		return true;
	state_fail(s, "the checkpoint's state of %s is impossible: %llu where at most %llu can be",
		s->part, (unsigned long long)number, (unsigned long long)most);
	return false;
}

void state_struct(struct state *s, void *at, size_t bytes, const struct state_field *kept, size_t n)
{
	size_t from = 0;

	for (size_t i = 0; i < n; i++) {
		BUG_ON(kept[i].at < from || kept[i].at + kept[i].bytes > bytes);
		state_bytes(s, (char *)at + from, kept[i].at - from);
		from = kept[i].at + kept[i].bytes;
	}
	state_bytes(s, (char *)at + from, bytes - from);
}

void state_scratch(struct state *s, const void *at, size_t bytes)
{
	if (s->scratch)
		s->scratch(s->ctx, at, bytes);
}

/* ---- pointers */
void state_space(struct state *s, const void *at, size_t bytes)
{
	struct state_space *grown;

	if (s->nspaces == s->spaces_room) {
		uint32_t room = s->spaces_room ? 2 * s->spaces_room : 64;

		grown = mem_grow(s->spaces, s->nspaces, room, sizeof(*grown));
		if (!grown) {
			state_fail(s, "no host memory for a checkpoint");
			return;
		}
		s->spaces = grown;
		s->spaces_room = room;
	}
	s->spaces[s->nspaces++] = (struct state_space){at, bytes};
}

/* Where a pointer points, in a checkpoint. */
struct place {
	uint32_t space; /* NO_SPACE: NULL */
	uint64_t offset;
};

static bool holds(const struct state_space *space, const unsigned char *at)
{
	return at >= space->at && (size_t)(at - space->at) < space->bytes;
}

static struct place place_of(const struct state *s, const unsigned char *at)
{
	for (uint32_t i = 0; at && i < s->nspaces; i++)
		if (holds(&s->spaces[i], at))
			return (struct place){i, (uint64_t)(at - s->spaces[i].at)};
	return (struct place){NO_SPACE, 0};
}

static const unsigned char *at_place(struct state *s, struct place p)
{
	if (s->failed || p.space == NO_SPACE || !state_most(s, p.space, s->nspaces - UINT64_C(1)) ||
		!state_most(s, p.offset, s->spaces[p.space].bytes - 1))
		return NULL;
	return s->spaces[p.space].at + p.offset;
}

/* The pointer has any type: its bytes are copied. */
void state_pointer(struct state *s, void *lvalue, bool stale)
{
	const unsigned char *at;
	struct place p = {NO_SPACE, 0};

	memcpy(&at, lvalue, sizeof(at));
	if (!s->loads) {
		p = place_of(s, at);
		BUG_ON(at && p.space == NO_SPACE && !stale);
	}
	STATE(s, p.space);
	STATE(s, p.offset);
	at = s->loads || p.space == NO_SPACE ? at_place(s, p) : at;
	memcpy(lvalue, &at, sizeof(at));
}

void state_within(struct state *s, void *lvalue, const void *base, size_t bytes)
{
	const unsigned char *at;
	uint64_t offset = UINT64_MAX;

	memcpy(&at, lvalue, sizeof(at));
	if (!s->loads && at) {
		offset = (uint64_t)(at - (const unsigned char *)base);
		BUG_ON(offset >= bytes);
	}
	STATE(s, offset);
	if (!s->loads)
		return;
	at = NULL;
	if (offset != UINT64_MAX && bytes && state_most(s, offset, bytes - 1))
		at = (const unsigned char *)base + offset;
	memcpy(lvalue, &at, sizeof(at));
}

void state_policy(struct state *s, const struct policy *p)
{
	if (!p->plugin || !p->plugin->size)
		return;
	if (p->plugin->state)
		p->plugin->state(p->self, s);
	else
		state_fail(s, "%s '%s' cannot be in a checkpoint: it has no table of its state",
			p->plugin->kind, p->plugin->name);
}

void state_none(void *self, struct state *s)
{
	(void)self;
	(void)s;
}
