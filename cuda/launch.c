/* Kernel launches: CUDA 9.2 to 12 (and clang), and 13. */
#include "cuda/inside.h"

#include <string.h>

#define NESTED 8u

/* Numbers of enum cudaFuncAttribute. */
enum { FUNCTION_SHARED = 8, FUNCTION_CARVEOUT, FUNCTION_ATTRIBUTES = 16 };

/* What <<<...>>> pushes and the kernel's stub pops. */
struct configuration {
	dim3 grid, block;
	size_t shared;
	cudaStream_t stream;
};
static _Thread_local struct configuration pushed[NESTED];
static _Thread_local unsigned npushed;

API unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream)
{
	if (npushed == NESTED)
		return 1;
	pushed[npushed++] = (struct configuration){grid, block, shared, stream};
	return 0;
}

API cudaError_t __cudaPopCallConfiguration(
	dim3 *grid, dim3 *block, size_t *shared, cudaStream_t *stream)
{
	if (!npushed)
		return noted(cudaErrorInvalidConfiguration);
	npushed--;
	*grid = pushed[npushed].grid;
	*block = pushed[npushed].block;
	*shared = pushed[npushed].shared;
	*stream = pushed[npushed].stream;
	return cudaSuccess;
}

/* The kernel's address serves as the handle that CUDA 13 asks for. */
API cudaError_t __cudaGetKernel(const void **kernel, const void *host)
{
	*kernel = host;
	return cudaSuccess;
}

static cudaError_t fill_launch(struct call *c, const struct function *f,
	const struct configuration *g, uint64_t stream, void **args)
{
	struct wire_launch *l = (void *)c->window;
	unsigned char *params = c->window + sizeof(*l);

	if (f->nparams && !args)
		return cudaErrorInvalidValue;
	*l = (struct wire_launch){.kernel = f->kernel,
		.shared_bytes = g->shared,
		.param_bytes = f->param_bytes,
		.grid = {g->grid.x, g->grid.y, g->grid.z},
		.block = {g->block.x, g->block.y, g->block.z}};
	l->stream = stream;
	memset(params, 0, f->param_bytes);
	for (unsigned i = 0; i < f->nparams; i++)
		memcpy(params + f->params[i].offset, args[i], f->params[i].bytes);
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

static cudaError_t launch(
	const void *host, const struct configuration *g, void **args, bool cooperative)
{
	struct function *f;
	struct call c;
	uint64_t stream;
	cudaError_t e = stream_number(g->stream, &stream) ? call_begin(&c)
							  : noted(cudaErrorInvalidResourceHandle);

	if (e)
		return e;
	f = function_find(&c, host, &e);
	if (f)
		e = fill_launch(&c, f, g, stream, args);
	if (!e) {
		((struct wire_launch *)(void *)c.window)->cooperative = cooperative;
		e = send(&c, f);
	}
	return call_end(&c, e);
}

API cudaError_t cudaLaunchKernel(
	const void *host, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream)
{
	return launch(host, &(struct configuration){grid, block, shared, stream}, args, false);
}
ALSO(cudaLaunchKernel, __cudaLaunchKernel);

API cudaError_t cudaLaunchCooperativeKernel(
	const void *host, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream)
{
	return launch(host, &(struct configuration){grid, block, shared, stream}, args, true);
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

API cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *l, const void *host, void **args)
{
	struct configuration g;
	bool cooperative = false;

	if (!l || (l->nattributes && !l->attributes))
		return noted(cudaErrorInvalidValue);
	for (unsigned i = 0; i < l->nattributes; i++) {
		cudaError_t e = take_attribute(&l->attributes[i], &cooperative);

		if (e)
			return noted(e);
	}
	g = (struct configuration){l->grid, l->block, l->shared, l->stream};
	return launch(host, &g, args, cooperative);
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

API cudaError_t cudaFuncSetAttribute(const void *host, int attribute, int value)
{
	struct function *f;
	struct call c;
	cudaError_t e = attribute >= FUNCTION_SHARED && attribute < FUNCTION_ATTRIBUTES
				? call_begin(&c)
				: noted(cudaErrorInvalidValue);

	if (e)
		return e;
	f = function_find(&c, host, &e);
	if (f && attribute == FUNCTION_SHARED) {
		if (value < 0 || value > f->attributes.most_dynamic_shared)
			e = cudaErrorInvalidValue;
	} else if (f && attribute == FUNCTION_CARVEOUT) {
		if (value < -1 || value > 100)
			e = cudaErrorInvalidValue;
		else
			f->attributes.carveout = value;
	}
	return call_end(&c, e);
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

API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
	int *ctas, const void *host, int threads, size_t shared, unsigned flags)
{
	return flags > 1 ? noted(cudaErrorInvalidValue) : occupancy(ctas, host, threads, shared);
}
