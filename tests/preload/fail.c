/* Loaded before a program (LD_PRELOAD) by tests/cli/test_host_memory.c: counts what it allocates,
 * libraries and all, and lets call number FAIL_AT fail, with FAIL_ON all later ones too. At the end
 * of the process the file REPORT gets the number of calls, of blocks that were not given back, and
 * 1 if libyaml was the one refused a larger block: it then loses another. glibc. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static atomic_long calls, live;
static long fail_at;
static bool fail_on, begun;
static atomic_bool yaml_refused;

__attribute__((constructor)) static void begin(void)
{
	const char *at = getenv("FAIL_AT");

	fail_at = at ? atol(at) : 0;
	fail_on = getenv("FAIL_ON") != NULL;
	atomic_store(&calls, 0);
	begun = true;
}

__attribute__((destructor)) static void end(void)
{
	const char *path = getenv("REPORT");
	long c = atomic_load(&calls), l = atomic_load(&live);
	FILE *f;

	begun = false;
	f = path ? fopen(path, "w") : NULL;
	if (f) {
		fprintf(f, "%ld %ld %d\n", c, l, atomic_load(&yaml_refused));
		fclose(f);
	}
}

static bool fails(void)
{
	long n = atomic_fetch_add(&calls, 1) + 1;

	if (!begun || !fail_at || (n != fail_at && !(fail_on && n > fail_at)))
		return false;
	errno = ENOMEM;
	return true;
}

static void *taken(void *block)
{
	if (block)
		atomic_fetch_add(&live, 1);
	return block;
}

void *malloc(size_t n)
{
	return fails() ? NULL : taken(__libc_malloc(n));
}

void *calloc(size_t n, size_t size)
{
	return fails() ? NULL : taken(__libc_calloc(n, size));
}

void *realloc(void *block, size_t n)
{
	Dl_info caller;

	if (!block)
		return malloc(n);
	if (!n) {
		free(block);
		return NULL;
	}
	if (!fails())
		return __libc_realloc(block, n);
	if (dladdr(__builtin_return_address(0), &caller) && strstr(caller.dli_fname, "libyaml"))
		atomic_store(&yaml_refused, true);
	return NULL;
}

void *memalign(size_t align, size_t n)
{
	return fails() ? NULL : taken(__libc_memalign(align, n));
}

void *aligned_alloc(size_t align, size_t n)
{
	return memalign(align, n);
}

int posix_memalign(void **out, size_t align, size_t n)
{
	void *block = memalign(align, n);

	if (block)
		*out = block;
	return block ? 0 : ENOMEM;
}

void free(void *block)
{
	if (block)
		atomic_fetch_sub(&live, 1);
	__libc_free(block);
}
