/* Host memory: the only code that calls malloc. All memory is zeroed. */
#ifndef CORE_MEM_H
#define CORE_MEM_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* count * size zeroed bytes, 64-byte aligned; NULL when there is no memory (or the product
 * overflows). */
void *mem_alloc(size_t count, size_t size);

/* Grows (or shrinks) a block of mem_alloc to count * size bytes; old_count * size bytes are kept,
 * new ones are zero. NULL, with the old block untouched, when there is no memory. */
void *mem_grow(void *block, size_t old_count, size_t count, size_t size);

/* Accepts NULL. */
void mem_free(void *block);

/* A copy of a string, owned by the caller (mem_free); NULL when there is no memory. */
char *mem_strdup(const char *);

/* Memory of the libraries that we use (SQLite, jansson), with the semantics of malloc, realloc and
 * free: not zeroed, 16-byte aligned. Only for blocks of these functions. */
void *mem_library(size_t bytes);
void *mem_library_resize(void *block, size_t bytes);
void mem_library_free(void *); /* accepts NULL */
size_t mem_library_bytes(const void *block);

/* The same for a library that silently drops members when it gets no memory (jansson); mem_lost
 * returns whether that has happened since mem_forget_loss: what was built in between is incomplete.
 */
void *mem_noted(size_t bytes);
bool mem_lost(void);
void mem_lose(void);        /* marks something as dropped without memory */
void mem_forget_loss(void); /* after the loss was reported, or before building */

/* The same for a library that aborts when it gets no memory (libev): when the host has none, the
 * block comes from a reserve of 512 KB. Like realloc; 0 bytes frees. */
void *mem_reserved(void *block, long bytes);

/* Test hooks. mem_calls counts mem_alloc and mem_grow calls of the process (atomic): "nothing
 * allocates after elaboration" is a difference of two readings. mem_fail_after(n) makes the n-th
 * next call and all later ones fail, those of libraries too (except mem_reserved); n < 0 switches
 * that off. */
uint64_t mem_calls(void);
void mem_fail_after(int64_t n);

/* An arena: many small blocks with one lifetime. When memory runs out, it jumps to *escape, which
 * the owner must have set with setjmp: everything built from an arena has one clean-up, arena_free.
 */
struct arena_chunk;
struct arena_owned;
struct arena {
	struct arena_chunk *first;
	size_t used;
	jmp_buf *escape;
	struct arena_owned *owned; /* the latest first */
};

/* count * size zeroed bytes, 64-byte aligned when that is 64 bytes or more, else 16-byte aligned.
 */
void *arena_alloc(struct arena *, size_t count, size_t size);
char *arena_strdup(struct arena *, const char *);
char *arena_strndup(struct arena *, const char *, size_t n);

/* Registers a resource outside the arena that is released when the arena is freed, also after a
 * jump. Returns where to store it (NULL there: nothing), so that it is registered before it is
 * created. Released in reverse order. */
void **arena_own(struct arena *, void (*let_go)(void *));

/* The arena's i-th piece of memory, for tests that compare arenas; NULL: it has no more. */
void *arena_piece(const struct arena *, unsigned i, size_t *bytes);

/* Releases the registered resources and frees every block; the arena is empty then and may be used
 * again. Accepts NULL. */
void arena_free(struct arena *);

#endif
