/* Handles of objects: the kind, a number in a table, and how often the number was given before, so
 * that the handle of something destroyed is known as such. */
#include "cuda/inside.h"

#include <pthread.h>
#include <stdlib.h>

#define MARK UINT64_C(0x57c0)

struct slot {
	void *thing; /* NULL: unused */
	uint32_t next;
	uint16_t uses;
	uint16_t kind;
};

static struct slot *slots; /* from 1 on */
static uint32_t nslots = 1, room, unused;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* A slot that is not used; 0: no memory. */
static uint32_t take_slot(void)
{
	struct slot *grown;
	uint32_t i = unused;

	if (i) {
		unused = slots[i].next;
		return i;
	}
	if (nslots >= room) {
		grown = realloc(slots, (2 * (size_t)room + 64) * sizeof(*slots));
		if (!grown)
			return 0;
		slots = grown;
		room = 2 * room + 64;
	}
	slots[nslots] = (struct slot){0};
	return nslots++;
}

void *handle_new(enum handle_kind kind, void *thing)
{
	uint64_t handle = 0;
	uint32_t i;

	pthread_mutex_lock(&mutex);
	i = take_slot();
	if (i) {
		slots[i].thing = thing;
		slots[i].kind = (uint16_t)kind;
		slots[i].uses++;
		handle = (MARK + kind) << 48 | (uint64_t)slots[i].uses << 32 | i;
	}
	pthread_mutex_unlock(&mutex);
	return (void *)(uintptr_t)handle;
}

static struct slot *find(enum handle_kind kind, const void *handle)
{
	uint64_t h = (uintptr_t)handle;
	uint32_t i = (uint32_t)h;

	if (h >> 48 != MARK + kind || !i || i >= nslots || !slots[i].thing ||
		slots[i].kind != kind || slots[i].uses != (uint16_t)(h >> 32))
		return NULL;
	return &slots[i];
}

void *handle_find(enum handle_kind kind, const void *handle)
{
	const struct slot *s;
	void *thing;

	pthread_mutex_lock(&mutex);
	s = find(kind, handle);
	thing = s ? s->thing : NULL;
	pthread_mutex_unlock(&mutex);
	return thing;
}

void *handle_next(enum handle_kind kind, uint32_t *at)
{
	uint64_t handle = 0;

	pthread_mutex_lock(&mutex);
	while (!handle && ++*at < nslots)
		if (slots[*at].thing && slots[*at].kind == kind)
			handle = (MARK + kind) << 48 | (uint64_t)slots[*at].uses << 32 | *at;
	pthread_mutex_unlock(&mutex);
	return (void *)(uintptr_t)handle;
}

void handle_end(enum handle_kind kind, const void *handle)
{
	struct slot *s;

	pthread_mutex_lock(&mutex);
	s = find(kind, handle);
	if (s) {
		s->thing = NULL;
		s->next = unused;
		unused = (uint32_t)(s - slots);
	}
	pthread_mutex_unlock(&mutex);
}
