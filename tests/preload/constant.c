/* A CUDA program that makes and ends things again and again: how much more memory it and the
 * process that serves it have, in KB, after the second number of times than after the first. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef CUDA_FATBIN /* compiled by a test, with our library */
#include "fatbin.h"

typedef struct {
	unsigned x, y, z;
} dim3;
typedef struct {
	int x, y, z, w, kind;
} format;
typedef struct {
	int type;
	union {
		void *array;
		int room[32];
	} of;
} resource;
typedef struct {
	int words[24];
} reading;
void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFunction(
	void **, const char *, char *, const char *, int, void *, void *, void *, void *, int *);
int cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, void *);
int cudaMalloc(void **, size_t), cudaFree(void *), cudaDeviceSynchronize(void);
int cudaMallocManaged(void **, size_t, unsigned);
int cudaStreamCreate(void **), cudaStreamDestroy(void *);
int cudaEventCreate(void **), cudaEventDestroy(void *);
int cudaMallocArray(void **, const format *, size_t, size_t, unsigned), cudaFreeArray(void *);
int cudaCreateTextureObject(uint64_t *, const resource *, const reading *, const void *);
int cudaDestroyTextureObject(uint64_t);

static char stub;

__attribute__((constructor)) static void enter(void)
{
	__cudaRegisterFunction(__cudaRegisterFatBinary((void *)(uintptr_t)&wrapper), &stub, NULL,
		"fill", -1, 0, 0, 0, 0, 0);
}

static long kilobytes(int pid)
{
	char path[64], line[256];
	long n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "VmRSS: %ld", &n);
	if (f)
		fclose(f);
	return n;
}

/* Sizes from a few bytes to 64 KB. */
static int allocate(unsigned i)
{
	void *p;

	return cudaMalloc(&p, (i * 7919) % 65536 + 1) || cudaFree(p);
}

static int allocate_managed(unsigned i)
{
	void *p;

	return cudaMallocManaged(&p, i % 9000 + 1, 1) || cudaFree(p);
}

static int make_all(unsigned i)
{
	const format floats = {32, 0, 0, 0, 2};
	const reading how = {{1, 1, 1}};
	resource r = {.type = 0};
	void *stream, *event, *array;
	uint64_t texture;

	(void)i;
	if (cudaStreamCreate(&stream) || cudaEventCreate(&event) ||
		cudaMallocArray(&array, &floats, 8, 4, 0))
		return 1;
	r.of.array = array;
	return cudaCreateTextureObject(&texture, &r, &how, NULL) ||
	       cudaDestroyTextureObject(texture) || cudaFreeArray(array) ||
	       cudaEventDestroy(event) || cudaStreamDestroy(stream);
}

static int launch(unsigned i)
{
	static void *p;
	int first = 3;
	void *args[] = {&p, &first};

	if (!p && cudaMalloc(&p, 128))
		return 1;
	return cudaLaunchKernel(&stub, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args, 0, NULL) ||
	       (i % 100 == 0 && cudaDeviceSynchronize());
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*act)(unsigned);
	} acts[] = {{"allocations", allocate}, {"managed", allocate_managed}, {"all", make_all},
		{"launches", launch}};
	unsigned first = argc > 3 ? (unsigned)atoi(argv[2]) : 0;
	unsigned n = argc > 3 ? (unsigned)atoi(argv[3]) : 0;
	long own = 0, served = 0;
	int bad = 0;

	for (size_t k = 0; k < sizeof(acts) / sizeof(*acts); k++)
		for (unsigned i = 0; argc > 3 && !strcmp(argv[1], acts[k].name) && i < n; i++) {
			bad |= acts[k].act(i);
			if (i != first)
				continue;
			own = kilobytes(getpid());
			served = kilobytes(getppid());
		}
	printf("wrong %d\n%ld %ld\n", bad, kilobytes(getpid()) - own,
		kilobytes(getppid()) - served);
	return 0;
}

#endif
