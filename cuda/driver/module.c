/* The driver's modules and functions: PTX, or a fat binary, that a program loads itself. */
#include "cuda/driver/inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct module {
	void *handle;
	struct code *code;
	struct named_function *entries;
};

/* ---- modules */
static void end_module(struct module *m)
{
	while (m->entries) {
		struct named_function *e = m->entries;

		m->entries = e->next;
		handle_end(HANDLE_FUNCTION, e->handle);
		free(e);
	}
	if (m->code)
		references_end(m->code);
	if (m->handle)
		handle_end(HANDLE_MODULE, m->handle);
	free(m);
}

/* Sent, and compiled. */
static int load(struct module *m, const struct images *images)
{
	struct call c;
	cudaError_t e = call_begin(&c);

	if (e)
		return driver_result(e);
	m->code = code_load(&c, images->bytes, images->n, &e);
	return driver_result(call_end(&c, e));
}

int cuModuleLoadData(void **out, const void *image)
{
	int e = driver_ready();
	struct images images = {0};
	struct module *m;

	if (!e && (!out || !image))
		e = cudaErrorInvalidValue;
	if (e)
		return e;
	m = calloc(1, sizeof(*m));
	if (!m)
		return cudaErrorMemoryAllocation;
	e = images_add(&images, image);
	if (!e && !images.n)
		e = DRIVER_INVALID_IMAGE;
	e = e ? e : load(m, &images);
	images_free(&images);
	if (e) {
		end_module(m);
		return e;
	}
	m->handle = handle_new(HANDLE_MODULE, m);
	*out = m->handle;
	return owned_made(OWNED_MODULE, (uintptr_t)m->handle);
}

int cuModuleLoadFatBinary(void **out, const void *image)
{
	return cuModuleLoadData(out, image);
}

int cuModuleLoadDataEx(void **out, const void *image, unsigned n, int *options, void **values)
{
	int e = image_options(n, options, values);

	return e ? e : cuModuleLoadData(out, image);
}

int cuModuleLoad(void **out, const char *path)
{
	int e = driver_ready();
	char *image;

	if (!e && (!out || !path))
		e = cudaErrorInvalidValue;
	if (e)
		return e;
	image = image_file(path, NULL);
	e = image ? cuModuleLoadData(out, image) : DRIVER_FILE_NOT_FOUND;
	free(image);
	return e;
}

void module_end(const void *handle)
{
	struct module *m = handle_find(HANDLE_MODULE, handle);

	if (m)
		end_module(m);
}

struct code *module_code(const void *handle)
{
	const struct module *m = handle_find(HANDLE_MODULE, handle);

	return m ? m->code : NULL;
}

int cuModuleUnload(void *handle)
{
	struct module *m = handle_find(HANDLE_MODULE, handle);
	int e = driver_ready();

	if (!e && !m)
		e = cudaErrorInvalidResourceHandle;
	e = e ? e : cuCtxSynchronize();
	if (e)
		return e;
	owned_ended(OWNED_MODULE, (uintptr_t)handle);
	end_module(m);
	return cudaSuccess;
}

/* The same function again has the same handle. */
static int add_entry(struct module *m, struct function *f, void **out)
{
	struct named_function *e = m->entries;

	while (e && e->function != f)
		e = e->next;
	if (!e) {
		e = malloc(sizeof(*e));
		if (!e)
			return cudaErrorMemoryAllocation;
		*e = (struct named_function){.next = m->entries, .module = m, .function = f};
		e->handle = handle_new(HANDLE_FUNCTION, e);
		m->entries = e;
	}
	*out = e->handle;
	return cudaSuccess;
}

int cuModuleGetFunction(void **out, void *handle, const char *name)
{
	struct module *m = handle_find(HANDLE_MODULE, handle);
	struct function *f;
	struct call c;
	int e = driver_ready();
	cudaError_t why;

	if (!e && (!out || !name))
		e = cudaErrorInvalidValue;
	if (!e && !m)
		e = cudaErrorInvalidResourceHandle;
	e = e ? e : driver_result(call_begin(&c));
	if (e)
		return e;
	f = code_function(&c, m->code, name, &why);
	e = driver_result(call_end(&c, why));
	return f ? add_entry(m, f, out) : e;
}

int cuModuleGetGlobal_v2(uint64_t *at, size_t *n, void *handle, const char *name)
{
	struct module *m = handle_find(HANDLE_MODULE, handle);
	const struct variable *v;
	struct call c;
	int e = driver_ready();
	cudaError_t why;

	if (!e && !name)
		e = cudaErrorInvalidValue;
	if (!e && !m)
		e = cudaErrorInvalidResourceHandle;
	e = e ? e : driver_result(call_begin(&c));
	if (e)
		return e;
	v = code_variable(&c, m->code, name, &why);
	if (v && at)
		*at = v->address;
	if (v && n)
		*n = v->bytes;
	return driver_result(call_end(&c, why));
}

int cuFuncGetModule(void **module, void *function)
{
	const struct named_function *entry = handle_find(HANDLE_FUNCTION, function);

	if (!module || !entry)
		return module ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue;
	*module = entry->module->handle;
	return cudaSuccess;
}
