#include "cuda/libcuda/copies.h"
#include "cuda/libcuda/runtime.h"

#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

static int (*copy_rows)(void *, size_t, const void *, size_t, size_t, size_t, int, void *);
static int (*wait)(void *), (*release)(void *);

static bool find_runtime(void)
{
	static const char *const names[] = {
		"cudaMemcpy2DAsync", "cudaStreamSynchronize", "cudaFree"};
	void *found[3], *library;

	if (release)
		return true;
	library = runtime_open();
	for (int i = 0; i < 3; i++)
		found[i] = library ? dlsym(library, names[i]) : NULL;
	memcpy(&copy_rows, &found[0], sizeof(copy_rows));
	memcpy(&wait, &found[1], sizeof(wait));
	memcpy(&release, &found[2], sizeof(release));
	return copy_rows && wait && release;
}

bool device_connect(void)
{
	return find_runtime() && !release(NULL);
}

enum copied rows_copy(
	struct rows to, struct rows from, size_t width, size_t n, const struct transfer *t)
{
	if (!width || !n)
		return COPIED;
	if (!find_runtime())
		return COPY_NO_RUNTIME;
	if (copy_rows((void *)(uintptr_t)to.at, to.row, from.at, from.row, width, n, t->kind,
		    t->stream))
		return COPY_FAILED;
	return t->waits && wait(t->stream) ? COPY_FAILED : COPIED;
}
