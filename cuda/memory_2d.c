/* Rows and boxes of memory: pitched allocations, copies, setting bytes. */
#include "cuda/inside.h"

cudaError_t copy_box(
	const struct box *to, const struct box *from, cudaExtent n, int kind, cudaStream_t stream)
{
	cudaError_t e = cudaSuccess;
	uint64_t s;

	if (!stream_number(stream, &s))
		return noted(cudaErrorInvalidResourceHandle);
	if (n.height > 1 && (n.width > to->row || n.width > from->row))
		return noted(cudaErrorInvalidPitchValue);
	if (!n.width || !n.height || !n.depth)
		return cudaSuccess;
	if (n.width == to->row && n.width == from->row) {
		n.width *= n.height;
		n.height = 1;
	}
	if (n.height == 1 && n.width == to->slice && n.width == from->slice) {
		n.width *= n.depth;
		n.depth = 1;
	}
	for (size_t z = 0; z < n.depth && !e; z++)
		for (size_t y = 0; y < n.height && !e; y++)
			e = copy_any((void *)(to->at + z * to->slice + y * to->row),
				(void *)(from->at + z * from->slice + y * from->row), n.width, kind,
				s);
	return e;
}

API cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
	size_t width, size_t height, int kind, cudaStream_t stream)
{
	if (width > to_pitch || width > from_pitch)
		return noted(cudaErrorInvalidPitchValue);
	return copy_box(&(struct box){(uintptr_t)to, to_pitch, 0},
		&(struct box){(uintptr_t)from, from_pitch, 0}, (cudaExtent){width, height, 1}, kind,
		stream);
}

API cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
	size_t width, size_t height, int kind)
{
	return cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, NULL);
}

API cudaError_t cudaMemsetAsync(void *, int, size_t, cudaStream_t);

API cudaError_t cudaMemset2DAsync(
	void *to, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream)
{
	cudaError_t e = cudaSuccess;

	if (width > pitch)
		return noted(cudaErrorInvalidValue);
	for (size_t y = 0; y < height && !e; y++)
		e = cudaMemsetAsync((char *)to + y * pitch, value, width, stream);
	return e;
}

API cudaError_t cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height)
{
	return cudaMemset2DAsync(to, pitch, value, width, height, NULL);
}

API cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent n, cudaStream_t stream)
{
	cudaError_t e =
		n.height > to.height && n.depth > 1 ? noted(cudaErrorInvalidValue) : cudaSuccess;

	for (size_t z = 0; z < n.depth && !e; z++)
		e = cudaMemset2DAsync((char *)to.ptr + z * to.pitch * to.height, to.pitch, value,
			n.width, n.height, stream);
	return e;
}

API cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent n)
{
	return cudaMemset3DAsync(to, value, n, NULL);
}
