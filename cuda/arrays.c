/* Arrays: rows of texels in device memory, without a swizzle. */
#include "cuda/inside.h"

#include <stdlib.h>

#define ROW 32u /* rows start at multiples of it */
#define ARRAY_LAYERED 1u
#define ARRAY_SURFACE 2u
#define ARRAY_CUBEMAP 4u
#define ARRAY_GATHER 8u
#define FACES 6u /* of a cube map, each a layer */

API cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, int kind)
{
	return (cudaChannelFormatDesc){x, y, z, w, kind};
}

/* 1, 2 or 4 channels of the same 8, 16 or 32 bits. */
cudaError_t format_texel(const cudaChannelFormatDesc *f, size_t *bytes)
{
	int n = !f->y ? 1 : !f->z ? 2 : !f->w ? 3 : 4;

	*bytes = (size_t)(n * f->x / 8);
	if ((f->x != 8 && f->x != 16 && f->x != 32) || n == 3 || f->kind < CHANNEL_SIGNED ||
		f->kind > CHANNEL_FLOAT || (n > 1 && f->y != f->x) ||
		(n == 4 && (f->z != f->x || f->w != f->x)) || (n < 4 && (f->z || f->w)) ||
		(f->kind == CHANNEL_FLOAT && f->x == 8))
		return cudaErrorInvalidChannelDescriptor;
	return cudaSuccess;
}

static size_t at_least_one(size_t n)
{
	return n ? n : 1;
}

/* Bytes of an array of that shape; 0: it is too large. */
static size_t lay_out(struct cudaArray *a)
{
	size_t bytes;

	if (a->extent.width > INT32_MAX || a->extent.height > INT32_MAX ||
		a->extent.depth > INT32_MAX)
		return 0;
	a->row = (a->extent.width * a->texel + ROW - 1) / ROW * ROW;
	if (__builtin_mul_overflow(a->row, at_least_one(a->extent.height), &a->slice) ||
		__builtin_mul_overflow(a->slice, at_least_one(a->extent.depth), &bytes))
		return 0;
	return bytes;
}

static cudaError_t check(const cudaChannelFormatDesc *f, cudaExtent e, unsigned flags)
{
	if (flags & ~(ARRAY_LAYERED | ARRAY_SURFACE | ARRAY_CUBEMAP | ARRAY_GATHER)) {
		tell("arrays that are sparse or mapped later are not supported");
		return cudaErrorNotSupported;
	}
	if (flags & ARRAY_CUBEMAP && (e.width != e.height || !e.depth || e.depth % FACES ||
					     (!(flags & ARRAY_LAYERED) && e.depth != FACES)))
		return cudaErrorInvalidValue;
	if (!f || !e.width || (flags & ARRAY_LAYERED && !e.depth) ||
		(!(flags & ARRAY_LAYERED) && e.depth && !e.height))
		return cudaErrorInvalidValue;
	return cudaSuccess;
}

/* Its memory, and its handle. */
static cudaError_t place(struct cudaArray *a)
{
	size_t bytes = lay_out(a);
	struct wire_message m;
	cudaError_t e =
		bytes ? call_simply(WIRE_ALLOC, bytes, 0, 0, &m) : noted(cudaErrorMemoryAllocation);

	if (e)
		return e;
	a->at = m.a[0];
	a->handle = handle_new(HANDLE_ARRAY, a);
	if (a->handle)
		return cudaSuccess;
	call_simply(WIRE_FREE, a->at, 0, 0, NULL);
	return noted(cudaErrorMemoryAllocation);
}

cudaError_t array_new(struct cudaArray **out, const cudaChannelFormatDesc *format,
	cudaExtent extent, unsigned flags, bool level)
{
	struct cudaArray *a;
	cudaError_t e = check(format, extent, flags);
	size_t texel = 0;

	e = e ? e : format_texel(format, &texel);
	a = e ? NULL : malloc(sizeof(*a));
	if (e || !a)
		return noted(e ? e : cudaErrorMemoryAllocation);
	*a = (struct cudaArray){.format = *format,
		.extent = extent,
		.flags = flags,
		.texel = texel,
		.level = level};
	e = place(a);
	if (e)
		free(a);
	else
		*out = a;
	return e;
}

API cudaError_t cudaMalloc3DArray(
	cudaArray_t *out, const cudaChannelFormatDesc *format, cudaExtent extent, unsigned flags)
{
	struct cudaArray *a = NULL;
	cudaError_t e =
		out ? array_new(&a, format, extent, flags, false) : noted(cudaErrorInvalidValue);

	if (!e) {
		*out = a->handle;
		owned_new(OWNED_ARRAY, (uintptr_t)*out);
	}
	return e;
}

API cudaError_t cudaMallocArray(cudaArray_t *out, const cudaChannelFormatDesc *format, size_t width,
	size_t height, unsigned flags)
{
	return cudaMalloc3DArray(out, format, (cudaExtent){width, height, 0}, flags);
}

struct cudaArray *array_find(cudaArray_t handle)
{
	return handle_find(HANDLE_ARRAY, handle);
}

cudaError_t array_free(struct cudaArray *a)
{
	cudaError_t e;

	handle_end(HANDLE_ARRAY, a->handle);
	e = call_simply(WIRE_FREE, a->at, 0, 0, NULL);
	free(a);
	return e;
}

API cudaError_t cudaFreeArray(cudaArray_t handle)
{
	struct cudaArray *a = array_find(handle);

	if (!handle)
		return cudaSuccess;
	if (!a || a->level)
		return noted(cudaErrorInvalidResourceHandle);
	owned_ended(OWNED_ARRAY, (uintptr_t)handle);
	return array_free(a);
}

void arrays_forget(void)
{
	struct cudaArray *a;
	uint32_t at = 0;

	mipmaps_forget();
	while ((a = array_find(handle_next(HANDLE_ARRAY, &at)))) {
		handle_end(HANDLE_ARRAY, a->handle);
		free(a);
	}
}

API cudaError_t cudaArrayGetInfo(
	cudaChannelFormatDesc *format, cudaExtent *extent, unsigned *flags, cudaArray_t array)
{
	const struct cudaArray *a = array_find(array);

	if (!a)
		return noted(cudaErrorInvalidResourceHandle);
	if (format)
		*format = a->format;
	if (extent)
		*extent = a->extent;
	if (flags)
		*flags = a->flags;
	return cudaSuccess;
}

API cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc *format, cudaArray_t array)
{
	return format ? cudaArrayGetInfo(format, NULL, NULL, array) : noted(cudaErrorInvalidValue);
}
