/* NVIDIA's compiler of CUDA at run time needs no driver. A program that asks it for machine code
 * gets the PTX of the same compilation, which modules are loaded from here; warpbeam loads this
 * library before the compiler's, so that these names are these functions. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#define API __attribute__((visibility("default")))
#define INVALID_INPUT 3 /* NVRTC_ERROR_INVALID_INPUT */

API int nvrtcGetCUBINSize(void *program, size_t *bytes);
API int nvrtcGetCUBIN(void *program, char *code);

/* Of the compiler: the function of that name, for a program and what it fills. */
static int theirs(const char *name, void *program, void *fills)
{
	void *found = dlsym(RTLD_NEXT, name);
	int (*call)(void *, void *) = NULL;

	memcpy(&call, &found, sizeof(call));
	return call ? call(program, fills) : INVALID_INPUT;
}

int nvrtcGetCUBINSize(void *program, size_t *bytes)
{
	return theirs("nvrtcGetPTXSize", program, bytes);
}

int nvrtcGetCUBIN(void *program, char *code)
{
	return theirs("nvrtcGetPTX", program, code);
}
