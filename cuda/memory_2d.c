/* Copies of rows, row by row. */
#include "cuda/inside.h"

API cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
	size_t width, size_t height, int kind, cudaStream_t stream)
{
	cudaError_t e = cudaSuccess;
	uint64_t s;

	if (width > to_pitch || width > from_pitch)
		return noted(cudaErrorInvalidPitchValue);
	if (!stream_number(stream, &s))
		return noted(cudaErrorInvalidResourceHandle);
	if (width == to_pitch && width == from_pitch)
		return copy_any(to, from, width * height, kind, s);
	for (size_t y = 0; y < height && !e; y++)
		e = copy_any((char *)to + y * to_pitch, (const char *)from + y * from_pitch, width,
			kind, s);
	return e;
}
ALSO(cudaMemcpy2DAsync, cudaMemcpy2DAsync_ptsz);

API cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
	size_t width, size_t height, int kind)
{
	return cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, NULL);
}
ALSO(cudaMemcpy2D, cudaMemcpy2D_ptds);

API cudaError_t cudaMemsetAsync(void *, int, size_t, cudaStream_t);

API cudaError_t cudaMemset2DAsync(
	void *to, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream)
{
	cudaError_t e = cudaSuccess;

	if (width > pitch)
		return noted(cudaErrorInvalidPitchValue);
	for (size_t y = 0; y < height && !e; y++)
		e = cudaMemsetAsync((char *)to + y * pitch, value, width, stream);
	return e;
}
ALSO(cudaMemset2DAsync, cudaMemset2DAsync_ptsz);

API cudaError_t cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height)
{
	return cudaMemset2DAsync(to, pitch, value, width, height, NULL);
}
ALSO(cudaMemset2D, cudaMemset2D_ptds);
