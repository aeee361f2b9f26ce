/* The driver's modules and functions: PTX, or a fat binary, that a program loads itself. */
#include "cuda/driver/inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FATBIN_MAGIC 0xba55ed50u
#define WRAPPER_MAGIC 0x466243b1u
#define MOST_FILE (1L << 30)

struct module {
	void *handle;
	struct code *code;
	unsigned char *image; /* a fat binary */
	struct named_function *entries;
};

/* ---- images */
/* The number in ".target sm_NN"; 0: there is none. */
static unsigned target_of(const char *ptx)
{
	const char *at = strstr(ptx, ".target");

	at = at ? strstr(at, "sm_") : NULL;
	return at ? (unsigned)strtoul(at + 3, NULL, 10) : 0;
}

/* The PTX as a fat binary's one entry; NULL: no memory. */
static unsigned char *pack(const char *ptx)
{
	size_t bytes = strlen(ptx) + 1, padded = (bytes + 7) / 8 * 8;
	const uint32_t header[] = {FATBIN_MAGIC, 1 | 16u << 16};
	const uint64_t body = 64 + padded;
	unsigned char *out = calloc(1, 16 + body), *entry = out + 16;
	const uint16_t kind[] = {1, 0x0101}, version[] = {0, 6};
	const uint32_t size = 64, arch = target_of(ptx);
	const uint64_t flags = 0x11;

	if (!out)
		return NULL;
	memcpy(out, header, 8);
	memcpy(out + 8, &body, 8);
	memcpy(entry, kind, 4);
	memcpy(entry + 4, &size, 4);
	memcpy(entry + 8, &padded, 8);
	memcpy(entry + 24, version, 4);
	memcpy(entry + 28, &arch, 4);
	memcpy(entry + 40, &flags, 8);
	memcpy(entry + 64, ptx, bytes);
	return out;
}

static unsigned char *copy_fatbin(const unsigned char *from)
{
	uint16_t header;
	uint64_t body;
	unsigned char *out;

	memcpy(&header, from + 6, 2);
	memcpy(&body, from + 8, 8);
	out = body > MOST_FILE ? NULL : malloc(header + body);
	if (out)
		memcpy(out, from, header + body);
	return out;
}

/* A fat binary, what points to one, or PTX. */
static int read_image(const void *image, unsigned char **out)
{
	uint32_t magic;
	const void *inside;

	memcpy(&magic, image, 4);
	if (magic == WRAPPER_MAGIC) {
		memcpy(&inside, (const char *)image + 8, sizeof(inside));
		return read_image(inside, out);
	}
	if (!memcmp(image, "\177ELF", 4)) {
		tell("a module of machine code alone cannot be loaded: PTX is needed (nvcc -ptx or "
		     "-fatbin)");
		return DRIVER_NO_BINARY;
	}
	*out = magic == FATBIN_MAGIC ? copy_fatbin(image) : target_of(image) ? pack(image) : NULL;
	return *out || magic == FATBIN_MAGIC || target_of(image) ? cudaSuccess
								 : DRIVER_INVALID_IMAGE;
}

/* ---- modules */
static void end_module(struct module *m)
{
	while (m->entries) {
		struct named_function *e = m->entries;

		m->entries = e->next;
		handle_end(HANDLE_FUNCTION, e->handle);
		free(e);
	}
	if (m->handle)
		handle_end(HANDLE_MODULE, m->handle);
	free(m->image);
	free(m);
}

/* Sent, and compiled. */
static int load(struct module *m)
{
	struct call c;
	cudaError_t e = call_begin(&c);

	if (e)
		return driver_result(e);
	m->code = code_load(&c, m->image, &e);
	return driver_result(call_end(&c, e));
}

int cuModuleLoadData(void **out, const void *image)
{
	int e = driver_ready();
	struct module *m;

	if (!e && (!out || !image))
		e = cudaErrorInvalidValue;
	if (e)
		return e;
	m = calloc(1, sizeof(*m));
	if (!m)
		return cudaErrorMemoryAllocation;
	e = read_image(image, &m->image);
	if (!e && !m->image)
		e = cudaErrorMemoryAllocation;
	e = e ? e : load(m);
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

/* Of the options' values, buffers for text are made empty, with their bytes' number 0. */
int cuModuleLoadDataEx(void **out, const void *image, unsigned n, int *options, void **values)
{
	enum { INFO_TEXT = 3, INFO_BYTES, ERROR_TEXT, ERROR_BYTES };

	if (n && (!options || !values))
		return cudaErrorInvalidValue;
	for (unsigned i = 0; i < n; i++)
		if ((options[i] == INFO_TEXT || options[i] == ERROR_TEXT) && values[i])
			*(char *)values[i] = '\0';
		else if (options[i] == INFO_BYTES || options[i] == ERROR_BYTES)
			values[i] = NULL;
	return cuModuleLoadData(out, image);
}

/* The file's bytes and a zero; NULL: it cannot be read. */
static char *read_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	char *out = NULL;
	long n = -1;

	if (!f)
		return NULL;
	if (!fseek(f, 0, SEEK_END))
		n = ftell(f);
	if (n >= 4 && n <= MOST_FILE && !fseek(f, 0, SEEK_SET))
		out = calloc(1, (size_t)n + 1);
	if (out && fread(out, 1, (size_t)n, f) != (size_t)n) {
		free(out);
		out = NULL;
	}
	fclose(f);
	return out;
}

int cuModuleLoad(void **out, const char *path)
{
	int e = driver_ready();
	char *image;

	if (!e && (!out || !path))
		e = cudaErrorInvalidValue;
	if (e)
		return e;
	image = read_file(path);
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
