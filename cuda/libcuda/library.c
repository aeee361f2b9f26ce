/* libcuda.so.1 for programs that use CUDA's driver: each function calls the one of that name in the
 * runtime's library, the program's if it has one, else the one beside this. */
#define _GNU_SOURCE
#include "cuda/driver/driver.h"
#include "cuda/libcuda/runtime.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define API __attribute__((visibility("default")))
#define NOT_INITIALIZED 3
#define NOT_FOUND 500
#define NOT_SUPPORTED 801

enum {
#define CALL(name, since, parameters, arguments) AT_##name,
#define OWN(name, other, parameters, arguments)
#include "cuda/driver/calls.def"
#undef CALL
#undef OWN
	CALLS
};

static driver_function call[CALLS];
static int *(*last)(void);
static void (*own)(bool);
static void (*lacks)(const char *);

__attribute__((constructor)) static void find_calls(void)
{
	static const char *const names[] = {
#define CALL(name, since, parameters, arguments) #name,
#define OWN(name, other, parameters, arguments)
#include "cuda/driver/calls.def"
#undef CALL
#undef OWN
	};
	void *runtime = runtime_open();
	void *found = runtime ? dlsym(runtime, DRIVER_LOOKUP_NAME) : NULL;
	driver_function (*lookup)(const char *) = NULL;

	memcpy(&lookup, &found, sizeof(lookup));
	if (!lookup) {
		fprintf(stderr, "warpbeam: libcudart.so.13 is not beside libcuda.so.1, or is of "
				"another build\n");
		return;
	}
	for (int i = 0; i < CALLS; i++)
		call[i] = lookup(names[i]);
	last = (int *(*)(void))lookup("last");
	own = (void (*)(bool))lookup("own");
	lacks = (void (*)(const char *))lookup("lacks");
}

/* ---- the functions */
/* The runtime's last error is its own functions'. */
#define THROUGH(name, parameters, arguments, before, after) \
	{ \
		int was, result; \
\
		if (!call[AT_##name]) \
			return NOT_INITIALIZED; \
		was = *last(); \
		before; \
		result = ((int(*) parameters)call[AT_##name])arguments; \
		after; \
		*last() = was; \
		return result; \
	}
#define CALL(name, since, parameters, arguments) \
	API int name parameters THROUGH(name, parameters, arguments, (void)0, (void)0)
#define OWN(name, other, parameters, arguments) \
	API int other parameters; \
	API int other parameters THROUGH(name, parameters, arguments, own(true), own(false))
#include "cuda/driver/calls.def"
#undef CALL
#undef OWN

/* ---- functions by name */
struct entry {
	const char *name;
	int since;
	driver_function function;
};

static const struct entry entries[] = {
#define CALL(name, since, parameters, arguments) {#name, since, (driver_function)name},
#define OWN(name, other, parameters, arguments) {#other, 0, (driver_function)other},
#include "cuda/driver/calls.def"
#undef CALL
#undef OWN
};

/* Whether the function's name is this one, with "_vN" or without, and with that end. */
static bool is_named(const char *function, const char *name, const char *end)
{
	size_t n = strlen(name);

	if (strncmp(function, name, n) != 0)
		return false;
	function += n;
	if (function[0] == '_' && function[1] == 'v' && function[2] >= '2' && function[2] <= '9')
		function += 3;
	return !strcmp(function, end);
}

/* The newest of that version, or of the versions before; NULL: there is none. */
static const struct entry *find(const char *name, int version, const char *end)
{
	const struct entry *found = NULL;

	for (size_t i = 0; i < sizeof(entries) / sizeof(*entries); i++)
		if (is_named(entries[i].name, name, end) && entries[i].since <= version &&
			(!found || entries[i].since >= found->since))
			found = &entries[i];
	return found;
}

API int cuGetProcAddress_v2(const char *name, void **out, int version, uint64_t flags, int *status);
API int cuGetProcAddress(const char *name, void **out, int version, uint64_t flags);
static const struct entry by_name[2];

/* The name of the library that a function's caller is in; NULL: it is the program. */
static const char *library_of(const void *caller)
{
	Dl_info where;
	const char *slash = dladdr(caller, &where) ? strrchr(where.dli_fname, '/') : NULL;

	return slash && strstr(slash, ".so") ? slash + 1 : NULL;
}

/* NVIDIA's own runtime asks for what only its driver has. It is in the program, or in a library of
 * theirs, such as cuFFT. */
static void own_runtime(const void *caller)
{
	const char *library = library_of(caller);

	if (library) {
		if (lacks)
			lacks(library);
		return;
	}
	fprintf(stderr,
		"warpbeam: the program has NVIDIA's own runtime inside, which cannot run "
		"here; link it with the shared one: NVCC_APPEND_FLAGS=\"-cudart shared\" in "
		"nvcc's environment\n");
}

API int cuGetExportTable(const void **table, const void *id);
int libcuda_not_supported(const char *name, bool *told);

/* The tables are not documented. NVIDIA's compiler asks for one, and does without. */
int cuGetExportTable(const void **table, const void *id)
{
	static bool told;
	const char *library = library_of(__builtin_return_address(0));

	(void)id;
	if (table)
		*table = NULL;
	if (library && !strncmp(library, "libnvrtc", strlen("libnvrtc")))
		return NOT_SUPPORTED;
	return libcuda_not_supported("cuGetExportTable", &told);
}

/* flags: 2, for default streams of threads. status: 1, there is none. */
static int get_address(
	const char *name, void **out, int version, uint64_t flags, int *status, const void *caller)
{
	const struct entry *found = NULL;

	if (!name || !out || flags > 2)
		return 1;
	if (flags == 2)
		found = find(name, version, "_ptsz");
	if (flags == 2 && !found)
		found = find(name, version, "_ptds");
	found = found ? found : find(name, version, "");
	if (!strcmp(name, "cuGetExportTable"))
		own_runtime(caller);
	if (!strcmp(name, "cuGetProcAddress"))
		found = &by_name[version >= 12000];
	*out = NULL;
	if (found)
		memcpy(out, &found->function, sizeof(*out));
	if (status)
		*status = !found;
	return found ? 0 : NOT_FOUND;
}

API int cuGetProcAddress_v2(const char *name, void **out, int version, uint64_t flags, int *status)
{
	return get_address(name, out, version, flags, status, __builtin_return_address(0));
}

API int cuGetProcAddress(const char *name, void **out, int version, uint64_t flags)
{
	return get_address(name, out, version, flags, NULL, __builtin_return_address(0));
}

static const struct entry by_name[2] = {{"cuGetProcAddress", 0, (driver_function)cuGetProcAddress},
	{"cuGetProcAddress_v2", 12000, (driver_function)cuGetProcAddress_v2}};

/* ---- all others */
int libcuda_not_supported(const char *name, bool *told)
{
	if (!*told)
		fprintf(stderr,
			"warpbeam: %s is not supported; it returns CUDA_ERROR_NOT_SUPPORTED\n",
			name);
	*told = true;
	return NOT_SUPPORTED;
}
