/* Host memory: zeroed, 64-byte aligned blocks, counted for tests, and arenas made of them. */
#include "core/mem.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"

#define LINE_BYTES 64u
/* Chunks grow until calloc maps them: then untouched pages cost nothing. */
#define CHUNK_LEAST ((size_t)64 * 1024)
#define CHUNK_MOST ((size_t)1024 * 1024)

/* The process's counters, for tests and libraries. They and the reserve below are the only static
 * data that changes, and they change no result. */
static atomic_uint_fast64_t calls;
static atomic_int_fast64_t left = -1; /* calls that still succeed; negative: all */
static atomic_bool lost;              /* a library was refused memory and did not report it */

/* For libraries that abort without memory; untouched pages cost nothing. */
static _Alignas(16) char reserve[512 * 1024];
static atomic_size_t reserve_used, reserve_blocks;

static bool may_allocate(void)
{
	int_fast64_t n = atomic_load_explicit(&left, memory_order_relaxed);

	atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
	if (n < 0)
		return true;
	if (n > 0)
		atomic_store_explicit(&left, n - 1, memory_order_relaxed);
	return n > 0;
}

/* calloc returns large blocks as untouched zero pages; the base address is in the word before the
 * block. */
static void *zeroed(size_t count, size_t size)
{
	size_t bytes;
	char *base, *block;

	if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 2)
		return NULL;
	base = calloc(1, bytes + LINE_BYTES + sizeof(base));
	if (!base)
		return NULL;
	block = base + sizeof(base);
	block += (LINE_BYTES - (uintptr_t)block % LINE_BYTES) % LINE_BYTES;
	memcpy(block - sizeof(base), &base, sizeof(base));
	return block;
}

void *mem_alloc(size_t count, size_t size)
{
	return may_allocate() ? zeroed(count, size) : NULL;
}

void *mem_grow(void *block, size_t old_count, size_t count, size_t size)
{
	void *bigger = mem_alloc(count, size);

	if (bigger && block) {
		memcpy(bigger, block, (old_count < count ? old_count : count) * size);
		mem_free(block);
	}
	return bigger;
}

void mem_free(void *block)
{
	char *base;

	if (!block)
		return;
	memcpy(&base, (char *)block - sizeof(base), sizeof(base));
	free(base);
}

char *mem_strdup(const char *s)
{
	size_t n = strlen(s) + 1;
	char *copy = mem_alloc(n, 1);

	if (copy)
		memcpy(copy, s, n);
	return copy;
}

uint64_t mem_calls(void)
{
	return atomic_load_explicit(&calls, memory_order_relaxed);
}

void mem_fail_after(int64_t n)
{
	atomic_store_explicit(&left, n, memory_order_relaxed);
}

/* ---- libraries */
/* Before each block, whose alignment it keeps. */
union head {
	size_t bytes;
	char aligned[16];
};

static bool library_may_allocate(void)
{
	int_fast64_t n = atomic_load_explicit(&left, memory_order_relaxed);

	if (n > 0)
		atomic_store_explicit(&left, n - 1, memory_order_relaxed);
	return n != 0;
}

void *mem_library(size_t bytes)
{
	return mem_library_resize(NULL, bytes);
}

void *mem_library_resize(void *block, size_t bytes)
{
	union head *head = block ? (union head *)block - 1 : NULL;

	if (bytes > SIZE_MAX / 2 || !library_may_allocate())
		return NULL;
	head = realloc(head, sizeof(*head) + bytes);
	if (!head)
		return NULL;
	head->bytes = bytes;
	return head + 1;
}

void mem_library_free(void *block)
{
	if (block)
		free((union head *)block - 1);
}

size_t mem_library_bytes(const void *block)
{
	return block ? ((const union head *)block - 1)->bytes : 0;
}

void *mem_noted(size_t bytes)
{
	void *block = mem_library(bytes);

	if (!block)
		mem_lose();
	return block;
}

void mem_lose(void)
{
	atomic_store_explicit(&lost, true, memory_order_relaxed);
}

void mem_forget_loss(void)
{
	atomic_store_explicit(&lost, false, memory_order_relaxed);
}

bool mem_lost(void)
{
	return atomic_load_explicit(&lost, memory_order_relaxed);
}

static bool is_of_reserve(const void *block)
{
	uintptr_t at = (uintptr_t)block, start = (uintptr_t)reserve;

	return at >= start && at < start + sizeof(reserve);
}

/* Blocks are allocated in sequence; when the last one is freed, the whole reserve is free again. */
static void *of_reserve(size_t bytes)
{
	size_t whole = sizeof(union head) + ((bytes + 15) & ~(size_t)15), at;
	union head *head;

	at = atomic_fetch_add_explicit(&reserve_used, whole, memory_order_relaxed);
	if (at + whole > sizeof(reserve))
		return NULL;
	atomic_fetch_add_explicit(&reserve_blocks, 1, memory_order_relaxed);
	head = (union head *)(void *)(reserve + at);
	head->bytes = bytes;
	return head + 1;
}

static void release(void *block)
{
	if (!is_of_reserve(block)) {
		mem_library_free(block);
		return;
	}
	if (atomic_fetch_sub_explicit(&reserve_blocks, 1, memory_order_relaxed) == 1)
		atomic_store_explicit(&reserve_used, 0, memory_order_relaxed);
}

void *mem_reserved(void *block, long bytes)
{
	size_t wanted = bytes > 0 ? (size_t)bytes : 0, old = mem_library_bytes(block);
	void *moved;

	if (!wanted) {
		release(block);
		return NULL;
	}
	if (block && wanted <= old)
		return block;
	moved = is_of_reserve(block) ? mem_library(wanted) : mem_library_resize(block, wanted);
	if (moved && !is_of_reserve(block))
		return moved;
	if (!moved)
		moved = of_reserve(wanted);
	if (moved && block) {
		memcpy(moved, block, old);
		release(block);
	}
	return moved;
}

/* ---- arenas */
struct arena_chunk {
	struct arena_chunk *next;
	size_t size; /* bytes after the header */
};

/* The header takes a whole cache line, so that blocks keep their alignment. */
static char *chunk_bytes(struct arena_chunk *chunk)
{
	return (char *)chunk + LINE_BYTES;
}

static struct arena_chunk *new_chunk(struct arena *arena, size_t size)
{
	struct arena_chunk *chunk = size < SIZE_MAX / 2 ? mem_alloc(1, size + LINE_BYTES) : NULL;

	if (!chunk)
		longjmp(*arena->escape, 1);
	chunk->size = size;
	return chunk;
}

/* A block that would waste much of a chunk gets its own chunk, linked after the first. */
static void *alloc_large(struct arena *arena, size_t bytes)
{
	struct arena_chunk *chunk = new_chunk(arena, bytes);

	if (arena->first) {
		chunk->next = arena->first->next;
		arena->first->next = chunk;
	} else {
		arena->first = chunk;
		arena->used = bytes;
	}
	return chunk_bytes(chunk);
}

/* Twice the size of the previous chunk, and enough for several blocks of this size. */
static size_t next_chunk_size(const struct arena *arena, size_t bytes)
{
	size_t size = arena->first ? arena->first->size * 2 : CHUNK_LEAST;

	while (size < bytes * 4)
		size *= 2;
	return size < CHUNK_MOST ? size : CHUNK_MOST;
}

void *arena_alloc(struct arena *arena, size_t count, size_t size)
{
	size_t bytes, align, start;

	BUG_ON(!arena->escape);
	if (__builtin_mul_overflow(count, size, &bytes))
		longjmp(*arena->escape, 1);
	align = bytes >= LINE_BYTES ? LINE_BYTES : 16;
	if (bytes > CHUNK_MOST / 4)
		return alloc_large(arena, bytes);
	start = (arena->used + align - 1) & ~(align - 1);
	if (!arena->first || start > arena->first->size || arena->first->size - start < bytes) {
		struct arena_chunk *chunk = new_chunk(arena, next_chunk_size(arena, bytes));

		chunk->next = arena->first;
		arena->first = chunk;
		start = 0;
	}
	arena->used = start + bytes;
	return chunk_bytes(arena->first) + start;
}

char *arena_strndup(struct arena *arena, const char *s, size_t n)
{
	char *copy = arena_alloc(arena, n + 1, 1);

	memcpy(copy, s, n);
	return copy;
}

char *arena_strdup(struct arena *arena, const char *s)
{
	return arena_strndup(arena, s, strlen(s));
}

struct arena_owned {
	struct arena_owned *next;
	void (*let_go)(void *);
	void *of;
};

void **arena_own(struct arena *arena, void (*let_go)(void *))
{
	struct arena_owned *o = arena_alloc(arena, 1, sizeof(*o));

	*o = (struct arena_owned){.next = arena->owned, .let_go = let_go};
	arena->owned = o;
	return &o->of;
}

void *arena_piece(const struct arena *arena, unsigned i, size_t *bytes)
{
	struct arena_chunk *chunk = arena->first;

	while (chunk && i--)
		chunk = chunk->next;
	*bytes = chunk ? chunk->size : 0;
	return chunk ? chunk_bytes(chunk) : NULL;
}

void arena_free(struct arena *arena)
{
	if (!arena)
		return;
	for (struct arena_owned *o = arena->owned; o; o = o->next)
		if (o->of)
			o->let_go(o->of);
	arena->owned = NULL;
	while (arena->first) {
		struct arena_chunk *chunk = arena->first;

		arena->first = chunk->next;
		mem_free(chunk);
	}
	arena->used = 0;
}
