/* A CUDA program that does what the host side of a workload did: the file that it is given
 * (tests/rig/host_log.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../rig/host_log.h"

#ifdef CUDA_FATBIN /* compiled by a test, with our library */

typedef struct {
	unsigned x, y, z;
} dim3;
void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFatBinaryEnd(void **);
void __cudaRegisterFunction(
	void **, const char *, char *, const char *, int, void *, void *, void *, void *, int *);
void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int, int);
int cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, void *);
int cudaMalloc(void **, size_t), cudaDeviceSynchronize(void);
int cudaMemcpy(void *, const void *, size_t, int), cudaGetSymbolAddress(void **, const void *);
int cudaStreamCreateWithFlags(void **, unsigned);
const char *cudaGetErrorName(int);

#define MOST 4096

static struct {
	void **modules[MOST];
	char *memory[MOST];
	void *streams[MOST];
	char kernels[MOST], variables[MOST]; /* their addresses are names */
} world;

static void expect(int error, const struct host_log_op *o)
{
	if (!error)
		return;
	printf("operation %u of %u: %s\n", o->kind, o->id, cudaGetErrorName(error));
	exit(1);
}

static void take_module(const struct host_log_op *o, char *bytes)
{
	struct {
		unsigned magic, version;
		const void *data, *parts;
	} *wrapper = calloc(1, sizeof(*wrapper));
	char *kept = malloc(o->bytes);

	memcpy(kept, bytes, o->bytes);
	wrapper->magic = 0x466243b1u;
	wrapper->version = 1;
	wrapper->data = kept;
	world.modules[o->id] = __cudaRegisterFatBinary(wrapper);
	__cudaRegisterFatBinaryEnd(world.modules[o->id]);
}

static void take_launch(const struct host_log_op *o, char *at)
{
	struct host_log_launch *l = (void *)at;
	void *args[MOST], *addresses[MOST];
	dim3 grid = {l->grid[0], l->grid[1], l->grid[2]};
	dim3 block = {l->block[0], l->block[1], l->block[2]};

	at += sizeof(*l);
	for (unsigned i = 0; i < l->nargs; i++) {
		struct host_log_argument a;

		memcpy(&a, at, sizeof(a));
		at += sizeof(a);
		addresses[i] = world.memory[a.memory] + a.offset;
		args[i] = a.memory ? (void *)&addresses[i] : at;
		at += a.size;
	}
	if (o->a && !world.streams[o->a])
		expect(cudaStreamCreateWithFlags(&world.streams[o->a], 1), o);
	expect(cudaLaunchKernel(
		       &world.kernels[o->id], grid, block, args, o->b, world.streams[o->a]),
		o);
}

static void take(const struct host_log_op *o, char *bytes)
{
	char *target = world.memory[o->b % MOST] + o->c;

	switch (o->kind) {
	case HOST_MODULE:
		take_module(o, bytes);
		break;
	case HOST_KERNEL:
		__cudaRegisterFunction(world.modules[o->a], &world.kernels[o->id], NULL,
			strdup(bytes), -1, 0, 0, 0, 0, 0);
		break;
	case HOST_VARIABLE:
		__cudaRegisterVar(world.modules[o->a], &world.variables[o->id], NULL, strdup(bytes),
			0, o->b, 0, 0);
		expect(cudaGetSymbolAddress((void **)&world.memory[o->id], &world.variables[o->id]),
			o);
		break;
	case HOST_ALLOC:
		expect(cudaMalloc((void **)&world.memory[o->id], o->b), o);
		break;
	case HOST_WRITE:
		expect(cudaMemcpy(world.memory[o->id] + o->a, bytes, o->bytes, 4), o);
		break;
	case HOST_POINTER:
		expect(cudaMemcpy(world.memory[o->id] + o->a, &target, sizeof(target), 4), o);
		break;
	case HOST_LAUNCH:
		take_launch(o, bytes);
		break;
	default:
		expect(cudaDeviceSynchronize(), o);
	}
}

int main(int argc, char **argv)
{
	FILE *f = argc == 2 ? fopen(argv[1], "rb") : NULL;
	struct host_log_op o;

	if (!f)
		return 2;
	while (fread(&o, sizeof(o), 1, f) == 1) {
		char *bytes = calloc(1, o.bytes + 1);

		if (o.id >= MOST || fread(bytes, 1, o.bytes, f) != o.bytes)
			return 2;
		take(&o, bytes);
		free(bytes);
	}
	fclose(f);
	return 0;
}

#endif
