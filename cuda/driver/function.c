/* The driver's functions: launches, attributes, occupancy. */
#include "cuda/driver/inside.h"

cudaError_t cudaLaunchHostFunc(cudaStream_t, void (*)(void *), void *);

/* ---- functions: those of modules, and kernels that the program registered */
static struct function *find_function(struct call *c, void *handle, cudaError_t *why)
{
	const struct named_function *e = handle_find(HANDLE_FUNCTION, handle);
	struct function *f = e ? e->function : function_find(c, handle, why);

	*why = f ? cudaSuccess : cudaErrorInvalidResourceHandle;
	return f;
}

static cudaError_t launch(
	void *handle, const struct shape *shape, const struct arguments *args, cudaStream_t stream)
{
	const struct named_function *entry;
	struct function *f;
	uint64_t number;
	struct call c;
	cudaError_t e;

	if (!stream_number(stream, &number))
		return cudaErrorInvalidResourceHandle;
	entry = handle_find(HANDLE_FUNCTION, handle);
	e = entry ? references_bind(entry->function->code) : cudaSuccess;
	e = e ? e : call_begin(&c);
	if (e)
		return e;
	f = find_function(&c, handle, &e);
	if (f)
		e = function_launch(&c, f, shape, args, number);
	return call_end(&c, e);
}

int cuLaunchKernel(DRIVER_LAUNCH)
{
	const struct shape s = {{gx, gy, gz}, {bx, by, bz}, shared, false};
	const struct arguments a = arguments_of(values, extra);

	if (values && extra)
		return cudaErrorInvalidValue;
	DRIVER_RETURN(launch(function, &s, &a, stream));
}

int cuLaunchCooperativeKernel(DRIVER_COOPERATIVE)
{
	const struct shape s = {{gx, gy, gz}, {bx, by, bz}, shared, true};

	DRIVER_RETURN(launch(function, &s, &(struct arguments){.values = values}, stream));
}

int cuLaunchKernelEx(const struct driver_launch *how, void *function, void **values, void **extra)
{
	const struct arguments a = arguments_of(values, extra);
	struct shape s;
	cudaError_t e;

	if (!how || (values && extra) || (how->nattributes && !how->attributes))
		return cudaErrorInvalidValue;
	s = (struct shape){{how->grid[0], how->grid[1], how->grid[2]},
		{how->block[0], how->block[1], how->block[2]}, how->shared, false};
	e = launch_attributes(how->attributes, how->nattributes, &s.cooperative);
	if (e)
		return driver_result(e);
	DRIVER_RETURN(launch(function, &s, &a, how->stream));
}

int cuLaunchHostFunc(void *stream, void (*function)(void *), void *data)
{
	DRIVER_RETURN(cudaLaunchHostFunc(stream, function, data));
}

/* The function as it was when it was asked for; NULL: *e. */
static const struct function *known(void *handle, const void *out, int *e)
{
	const struct function *f;
	struct call c;
	cudaError_t why;

	*e = driver_ready();
	if (!*e && !out)
		*e = cudaErrorInvalidValue;
	*e = *e ? *e : driver_result(call_begin(&c));
	if (*e)
		return NULL;
	f = find_function(&c, handle, &why);
	*e = driver_result(call_end(&c, why));
	return f;
}

int cuFuncGetAttribute(int *value, int attribute, void *function)
{
	int e;
	const struct function *f = known(function, value, &e);
	const cudaFuncAttributes *a = f ? &f->attributes : NULL;

	if (!a)
		return e;
	{
		const int values[] = {a->most_threads, (int)a->shared, (int)a->constant,
			(int)a->local, a->registers, a->ptx, a->binary, a->cache_ca,
			a->most_dynamic_shared, a->carveout};

		if (attribute < 0 || (size_t)attribute >= sizeof(values) / sizeof(*values))
			return cudaErrorInvalidValue;
		*value = values[attribute];
	}
	return cudaSuccess;
}

int cuFuncSetAttribute(void *function, int attribute, int value)
{
	struct function *f;
	struct call c;
	cudaError_t why;
	int e = driver_ready();

	e = e ? e : driver_result(call_begin(&c));
	if (e)
		return e;
	f = find_function(&c, function, &why);
	return driver_result(call_end(&c, f ? function_set(f, attribute, value) : why));
}

/* Storage is split by the chip's own design. */
int cuFuncSetCacheConfig(void *function, int config)
{
	int e;

	if (!known(function, &e, &e))
		return e;
	return config < 0 || config > 3 ? cudaErrorInvalidValue : cudaSuccess;
}

int cuFuncGetName(const char **name, void *function)
{
	int e;
	const struct function *f = known(function, name, &e);

	if (f)
		*name = f->name;
	return e;
}

/* ---- occupancy */
static int occupancy(int *n, void *function, int threads, size_t shared)
{
	struct function *f;
	struct call c;
	cudaError_t e = n && threads > 0 ? call_begin(&c) : cudaErrorInvalidValue;

	if (e)
		return driver_result(e);
	f = find_function(&c, function, &e);
	if (f) {
		c.m = (struct wire_message){.a = {f->kernel, (uint64_t)threads, shared}};
		e = call_do(&c, WIRE_OCCUPANCY);
		*n = e ? 0 : (int)c.m.a[0];
	}
	return driver_result(call_end(&c, e));
}

int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *n, void *function, int threads, size_t shared)
{
	int e = driver_ready();

	return e ? e : occupancy(n, function, threads, shared);
}

int cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
	int *n, void *function, int threads, size_t shared, unsigned flags)
{
	return flags > 1
		       ? cudaErrorInvalidValue
		       : cuOccupancyMaxActiveBlocksPerMultiprocessor(n, function, threads, shared);
}

/* The block, of whole warps, with the most threads on an SM; of equal ones the largest. */
int cuOccupancyMaxPotentialBlockSize(DRIVER_POTENTIAL)
{
	int e, best = 0, ctas = 0, sms = 0, limit;
	const struct function *f = known(function, grid && block ? grid : NULL, &e);

	if (!f)
		return e;
	limit = f->attributes.most_threads;
	if (most > 0 && most < limit)
		limit = most;
	*grid = *block = 0;
	for (int threads = (limit + 31) / 32 * 32; threads > 0 && !e; threads -= 32) {
		int size = threads < limit ? threads : limit;

		e = occupancy(&ctas, function, size, shared_of ? shared_of(size) : shared);
		if (!e && ctas * size > best) {
			best = ctas * size;
			*block = size;
			*grid = ctas;
		}
	}
	e = e ? e : cuDeviceGetAttribute(&sms, 16, 0);
	*grid *= sms;
	return e;
}

int cuOccupancyMaxPotentialBlockSizeWithFlags(DRIVER_POTENTIAL, unsigned flags)
{
	return flags > 1 ? cudaErrorInvalidValue
			 : cuOccupancyMaxPotentialBlockSize(
				   grid, block, function, shared_of, shared, most);
}
