/* Kernel launches: CUDA 9.2 to 12 (and clang), and 13. */
#include "cuda/inside.h"

#include "cuda/graph/graph.h"

#include <stdio.h>
#include <string.h>

#define NESTED 8u

/* Numbers of enum cudaFuncAttribute. */
enum { FUNCTION_SHARED = 8, FUNCTION_CARVEOUT, FUNCTION_ATTRIBUTES = 16 };

/* What <<<...>>> pushes and the kernel's stub pops. */
struct configuration {
	struct shape shape;
	cudaStream_t stream;
};
static _Thread_local struct configuration pushed[NESTED];
static _Thread_local unsigned npushed;

API unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream)
{
	if (npushed == NESTED)
		return 1;
	pushed[npushed++] = (struct configuration){{grid, block, shared, false}, stream};
	return 0;
}

API cudaError_t __cudaPopCallConfiguration(
	dim3 *grid, dim3 *block, size_t *shared, cudaStream_t *stream)
{
	if (!npushed)
		return noted(cudaErrorInvalidConfiguration);
	npushed--;
	*grid = pushed[npushed].shape.grid;
	*block = pushed[npushed].shape.block;
	*shared = pushed[npushed].shape.shared;
	*stream = pushed[npushed].stream;
	return cudaSuccess;
}

/* The kernel's address serves as the handle that CUDA 13 asks for. */
API cudaError_t __cudaGetKernel(const void **kernel, const void *host)
{
	*kernel = host;
	return cudaSuccess;
}

struct arguments arguments_of(void **values, void **extra)
{
	struct arguments a = {.values = values};

	for (void **at = values ? NULL : extra; at && *at; at += 2)
		if ((uintptr_t)at[0] == 1)
			a.bytes = at[1];
		else if ((uintptr_t)at[0] == 2)
			a.n = *(size_t *)at[1];
		else
			break;
	return a;
}

cudaError_t function_pack(const struct function *f, const struct arguments *a, unsigned char *out)
{
	memset(out, 0, f->param_bytes);
	if (!a->values && a->bytes) {
		if (a->n > f->param_bytes)
			return cudaErrorInvalidValue;
		memcpy(out, a->bytes, a->n);
		return cudaSuccess;
	}
	for (unsigned i = 0; i < f->nparams; i++)
		memcpy(out + f->params[i].offset, a->values[i], f->params[i].bytes);
	return cudaSuccess;
}

/* A launch that differs in nothing but its arguments from one that was accepted is accepted. */
static cudaError_t send(struct call *c, struct function *f)
{
	struct wire_launch l;
	cudaError_t e;

	memcpy(&l, c->window, sizeof(l));
	if (!l.cooperative && f->sure.block[0] && !memcmp(&f->sure, &l, sizeof(l)) &&
		call_queue(c->window, sizeof(l) + f->param_bytes))
		return cudaSuccess;
	e = call_do(c, WIRE_LAUNCH);
	if (!e)
		f->sure = l;
	return e;
}

/* More dynamic shared memory than is had unasked. */
static bool lacks_shared(struct function *f, size_t bytes)
{
	bool lacks = bytes > (size_t)f->attributes.most_dynamic_shared;

	if (lacks && bytes <= (size_t)f->most_dynamic && !f->told)
		fprintf(stderr,
			"warpbeam: kernel '%s': %zu bytes of dynamic shared memory, of which it has "
			"%d until cudaFuncSetAttribute(.., "
			"cudaFuncAttributeMaxDynamicSharedMemorySize, ..) asks for more\n",
			f->name, bytes, f->attributes.most_dynamic_shared);
	f->told = f->told || lacks;
	return lacks;
}

cudaError_t function_launch(struct call *c, struct function *f, const struct shape *g,
	const struct arguments *args, uint64_t stream)
{
	const struct operation op = {.type = OPERATION_KERNEL,
		.kernel = {.function = f, .shape = *g, .arguments = *args, .named = f->host}};
	const struct wire_launch l = {.kernel = f->kernel,
		.stream = stream,
		.shared_bytes = g->shared,
		.grid = {g->grid.x, g->grid.y, g->grid.z},
		.block = {g->block.x, g->block.y, g->block.z},
		.cooperative = g->cooperative,
		.param_bytes = f->param_bytes};
	cudaError_t e;

	if ((f->nparams && !args->values && !args->bytes) || lacks_shared(f, g->shared))
		return cudaErrorInvalidValue;
	if (capture_takes(stream, &op, &e))
		return e;
	memcpy(c->window, &l, sizeof(l));
	e = function_pack(f, args, c->window + sizeof(l));
	return e ? e : send(c, f);
}

static cudaError_t launch(
	const void *host, const struct shape *shape, void **args, cudaStream_t stream)
{
	struct function *f;
	struct call c;
	uint64_t number;
	cudaError_t e = stream_number(stream, &number) ? call_begin(&c)
						       : noted(cudaErrorInvalidResourceHandle);

	if (e)
		return e;
	f = function_find(&c, host, &e);
	if (f)
		e = function_launch(&c, f, shape, &(struct arguments){.values = args}, number);
	return call_end(&c, e);
}

API cudaError_t cudaLaunchKernel(
	const void *host, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream)
{
	return launch(host, &(struct shape){grid, block, shared, false}, args, stream);
}
ALSO(cudaLaunchKernel, __cudaLaunchKernel);

API cudaError_t cudaLaunchCooperativeKernel(
	const void *host, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream)
{
	return launch(host, &(struct shape){grid, block, shared, true}, args, stream);
}

/* What an attribute asks for: none of those that only advise changes a launch here, where launches
 * of a stream follow each other. */
static cudaError_t take_attribute(const cudaLaunchAttribute *a, bool *cooperative)
{
	switch (a->id) {
	case LAUNCH_COOPERATIVE:
		*cooperative = a->number != 0;
		return cudaSuccess;
	case LAUNCH_CLUSTER:
		if (a->dim.x == 1 && a->dim.y == 1 && a->dim.z == 1)
			return cudaSuccess;
		return not_supported("cudaLaunchAttributeClusterDimension");
	case LAUNCH_PROGRAMMATIC_EVENT:
	case LAUNCH_COMPLETION_EVENT:
		return not_supported("an event as cudaLaunchAttribute");
	case LAUNCH_DEVICE_UPDATABLE:
		return a->number ? not_supported("cudaLaunchAttributeDeviceUpdatableKernelNode")
				 : cudaSuccess;
	default:
		return a->id >= 0 && a->id < LAUNCH_ATTRIBUTES ? cudaSuccess
							       : cudaErrorInvalidValue;
	}
}

cudaError_t launch_attributes(const cudaLaunchAttribute *list, unsigned n, bool *cooperative)
{
	cudaError_t e = n && !list ? cudaErrorInvalidValue : cudaSuccess;

	for (unsigned i = 0; i < n && !e; i++)
		e = take_attribute(&list[i], cooperative);
	return e;
}

API cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *l, const void *host, void **args)
{
	bool cooperative = false;
	cudaError_t e = l ? launch_attributes(l->attributes, l->nattributes, &cooperative)
			  : cudaErrorInvalidValue;

	return e ? noted(e)
		 : launch(host, &(struct shape){l->grid, l->block, l->shared, cooperative}, args,
			   l->stream);
}

API cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *out, const void *host)
{
	struct function *f;
	struct call c;
	cudaError_t e = out ? call_begin(&c) : noted(cudaErrorInvalidValue);

	if (e)
		return e;
	f = function_find(&c, host, &e);
	if (f)
		*out = f->attributes;
	return call_end(&c, e);
}

/* Cache and shared memory are split by the chip's own design. */
static cudaError_t prefer(const void *host, bool known)
{
	struct call c;
	cudaError_t e = known ? call_begin(&c) : noted(cudaErrorInvalidValue);

	if (e)
		return e;
	function_find(&c, host, &e);
	return call_end(&c, e);
}

API cudaError_t cudaFuncSetCacheConfig(const void *host, int config)
{
	return prefer(host, config >= 0 && config <= 3);
}

API cudaError_t cudaFuncSetSharedMemConfig(const void *host, int config)
{
	return prefer(host, config >= 0 && config <= 2);
}

cudaError_t function_set(struct function *f, int attribute, int value)
{
	bool shared = attribute == FUNCTION_SHARED, carveout = attribute == FUNCTION_CARVEOUT;

	if (attribute < FUNCTION_SHARED || attribute >= FUNCTION_ATTRIBUTES ||
		(shared && (value < 0 || value > f->most_dynamic)) ||
		(carveout && (value < -1 || value > 100)))
		return cudaErrorInvalidValue;
	if (shared)
		f->attributes.most_dynamic_shared = value;
	if (carveout)
		f->attributes.carveout = value;
	return cudaSuccess;
}

API cudaError_t cudaFuncSetAttribute(const void *host, int attribute, int value)
{
	struct function *f;
	struct call c;
	cudaError_t e = call_begin(&c);

	if (e)
		return e;
	f = function_find(&c, host, &e);
	return call_end(&c, f ? function_set(f, attribute, value) : e);
}

static cudaError_t occupancy(int *ctas, const void *host, int threads, size_t shared)
{
	struct function *f;
	struct call c;
	cudaError_t e = ctas && threads > 0 ? call_begin(&c) : noted(cudaErrorInvalidValue);

	if (e)
		return e;
	f = function_find(&c, host, &e);
	if (f) {
		c.m.a[0] = f->kernel;
		c.m.a[1] = (uint64_t)threads;
		c.m.a[2] = shared;
		e = call_do(&c, WIRE_OCCUPANCY);
		*ctas = e ? 0 : (int)c.m.a[0];
	}
	return call_end(&c, e);
}

API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(
	int *ctas, const void *host, int threads, size_t shared)
{
	return occupancy(ctas, host, threads, shared);
}

/* The most dynamic shared memory with which that many CTAs fit an SM. */
API cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(
	size_t *shared, const void *host, int ctas, int threads)
{
	cudaFuncAttributes a;
	size_t low = 0, high;
	int fit = 0;
	cudaError_t e = shared && ctas > 0 ? occupancy(&fit, host, threads, 0)
					   : noted(cudaErrorInvalidValue);

	e = e ? e : cudaFuncGetAttributes(&a, host);
	if (e)
		return e;
	if (fit < ctas)
		return noted(cudaErrorInvalidValue);
	high = (size_t)a.most_dynamic_shared;
	while (low < high) {
		size_t middle = high - (high - low) / 2;

		e = occupancy(&fit, host, threads, middle);
		if (!e && fit >= ctas)
			low = middle;
		else
			high = middle - 1;
	}
	*shared = low;
	return cudaSuccess;
}

API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
	int *ctas, const void *host, int threads, size_t shared, unsigned flags)
{
	return flags > 1 ? noted(cudaErrorInvalidValue) : occupancy(ctas, host, threads, shared);
}
