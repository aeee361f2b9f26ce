/* The driver's linker: PTX and fat binaries become one image. It is linked once to see whether it
 * can be, and when it is loaded. */
#include "cuda/driver/inside.h"

#include <stdlib.h>
#include <string.h>

enum input {
	INPUT_CUBIN,
	INPUT_PTX,
	INPUT_FATBIN,
	INPUT_OBJECT,
	INPUT_LIBRARY,
	INPUT_NVVM,
	INPUTS
};

struct link {
	struct images images;
	struct image_log log;
	unsigned char *linked; /* NULL: not yet */
	size_t bytes;
};

int cuLinkCreate_v2(unsigned n, int *options, void **values, void **out)
{
	int e = driver_ready();
	struct image_log log = image_log_of(n, options, values);
	struct link *l;

	if (!e && !out)
		e = cudaErrorInvalidValue;
	e = e ? e : image_options(n, options, values);
	if (e)
		return e;
	l = calloc(1, sizeof(*l));
	if (l)
		l->log = log;
	*out = l ? handle_new(HANDLE_LINK, l) : NULL;
	if (!*out)
		free(l);
	return *out ? cudaSuccess : cudaErrorMemoryAllocation;
}

/* The text may lack the zero at its end. */
static int add_text(struct link *l, const void *data, size_t n)
{
	char *text = calloc(1, n + 4);
	int e;

	if (!text)
		return cudaErrorMemoryAllocation;
	memcpy(text, data, n);
	e = images_add(&l->images, text);
	free(text);
	return e == DRIVER_INVALID_IMAGE ? (int)cudaErrorInvalidPtx : e;
}

int cuLinkAddData_v2(DRIVER_LINK_DATA)
{
	struct link *l = handle_find(HANDLE_LINK, link);
	int e = driver_ready();

	(void)name; /* for messages, which have the file of the PTX */
	if (!e && !l)
		e = cudaErrorInvalidResourceHandle;
	if (!e && (!data || bytes < 4 || input < 0 || input >= INPUTS || l->linked))
		e = cudaErrorInvalidValue;
	e = e ? e : image_options(n, options, values);
	if (e)
		return e;
	if (input == INPUT_PTX)
		return add_text(l, data, bytes);
	if (input == INPUT_FATBIN)
		return images_add(&l->images, data);
	tell("only PTX and fat binaries with PTX can be linked, not machine code, objects or NVVM");
	return DRIVER_NO_BINARY;
}

int cuLinkAddFile_v2(
	void *handle, int input, const char *path, unsigned noptions, int *options, void **values)
{
	int e = driver_ready();
	size_t n = 0;
	char *bytes;

	if (!e && !path)
		e = cudaErrorInvalidValue;
	if (e)
		return e;
	bytes = image_file(path, &n);
	e = bytes ? cuLinkAddData_v2(handle, input, bytes, n, path, noptions, options, values)
		  : DRIVER_FILE_NOT_FOUND;
	free(bytes);
	return e;
}

/* What is missing or twice is in the log. */
static int try(const struct link *l)
{
	const char *why;
	struct call c;
	cudaError_t e = call_begin(&c);
	size_t n;

	if (e)
		return driver_result(e);
	code_load(&c, l->images.bytes, l->images.n, &e);
	if (e == cudaErrorInvalidPtx) {
		why = code_why(&c, &n);
		image_log_write(&l->log, why, n);
	}
	return driver_result(call_end(&c, e));
}

/* The image stays the linker's. */
int cuLinkComplete(void *handle, void **out, size_t *n)
{
	struct link *l = handle_find(HANDLE_LINK, handle);
	int e = driver_ready();

	if (!e && !l)
		e = cudaErrorInvalidResourceHandle;
	if (!e && (!out || !l->images.n))
		e = cudaErrorInvalidValue;
	e = e || l->linked ? e : try(l);
	if (e)
		return e;
	if (!l->linked)
		l->linked = images_linked(&l->images, &l->bytes);
	*out = l->linked;
	if (n)
		*n = l->bytes;
	return l->linked ? cudaSuccess : cudaErrorMemoryAllocation;
}

int cuLinkDestroy(void *handle)
{
	struct link *l = handle_find(HANDLE_LINK, handle);

	if (!l)
		return cudaErrorInvalidResourceHandle;
	handle_end(HANDLE_LINK, handle);
	images_free(&l->images);
	free(l->linked);
	free(l);
	return cudaSuccess;
}
