/* Rows and boxes of memory: pitched allocations, copies, setting bytes. */
#include "cuda/inside.h"

#include "cuda/graph/graph.h"

#include <string.h>

/* Row by row, unless they follow each other. */
static cudaError_t copy_each(
	const struct box *to, const struct box *from, cudaExtent n, int kind, uint64_t stream)
{
	cudaError_t e = cudaSuccess;

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
				stream);
	return e;
}

cudaError_t copy_rows(
	const struct box *to, const struct box *from, cudaExtent n, int kind, uint64_t stream)
{
	const struct operation op = {
		.type = OPERATION_COPY, .copy = {.to = *to, .from = *from, .n = n, .kind = kind}};
	cudaError_t e;

	if (n.height > 1 && (n.width > to->row || n.width > from->row))
		return noted(cudaErrorInvalidPitchValue);
	if (capture_takes(stream, &op, &e))
		return noted(e);
	return n.width && n.height && n.depth ? copy_each(to, from, n, kind, stream) : cudaSuccess;
}

cudaError_t copy_box(
	const struct box *to, const struct box *from, cudaExtent n, int kind, cudaStream_t stream)
{
	uint64_t s;

	return stream_number(stream, &s) ? copy_rows(to, from, n, kind, s)
					 : noted(cudaErrorInvalidResourceHandle);
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

/* ---- setting elements */
/* Bytes that are all the same. */
static cudaError_t fill_bytes(
	struct call *c, uint64_t to, unsigned value, size_t n, uint64_t stream)
{
	c->m = (struct wire_message){.a = {to, n, stream, (unsigned char)value}};
	return n ? call_do(c, WIRE_FILL) : cudaSuccess;
}

static cudaError_t fill_elements(
	struct call *c, uint64_t to, const cudaMemsetParams *p, uint64_t stream)
{
	size_t left = p->width * p->element;
	cudaError_t e = cudaSuccess;

	while (left && !e) {
		size_t part = left < WIRE_WINDOW_BYTES ? left : WIRE_WINDOW_BYTES;

		for (size_t i = 0; i < part; i += p->element) /* hosts are little-endian */
			memcpy(c->window + i, &p->value, p->element);
		c->m = (struct wire_message){.a = {to, part, stream}};
		e = call_do(c, WIRE_WRITE);
		to += part;
		left -= part;
	}
	return e;
}

static cudaError_t fill_each(struct call *c, const cudaMemsetParams *p, uint64_t stream)
{
	uint32_t twice = (p->value & 0xff) * 0x01010101u;
	bool bytes = !memcmp(&twice, &p->value, p->element);
	cudaError_t e = cudaSuccess;

	for (size_t y = 0; y < p->height && !e; y++) {
		uint64_t to = (uintptr_t)p->to + y * p->pitch;

		e = bytes ? fill_bytes(c, to, p->value, p->width * p->element, stream)
			  : fill_elements(c, to, p, stream);
	}
	return e;
}

cudaError_t fill_rows(const cudaMemsetParams *p, uint64_t stream)
{
	const struct operation op = {.type = OPERATION_FILL, .fill = *p};
	struct call c;
	cudaError_t e;

	if ((p->element != 1 && p->element != 2 && p->element != 4) ||
		(uintptr_t)p->to % p->element || p->width > SIZE_MAX / 4)
		return noted(cudaErrorInvalidValue);
	if (p->height > 1 && p->width * p->element > p->pitch)
		return noted(cudaErrorInvalidPitchValue);
	if (capture_takes(stream, &op, &e))
		return noted(e);
	e = call_begin(&c);
	return e ? e : call_end(&c, fill_each(&c, p, stream));
}

API cudaError_t cudaMemset2DAsync(
	void *to, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream)
{
	const cudaMemsetParams p = {to, pitch, (unsigned char)value, 1, width, height};
	uint64_t s;

	if (width > pitch)
		return noted(cudaErrorInvalidValue);
	return stream_number(stream, &s) ? fill_rows(&p, s) : noted(cudaErrorInvalidResourceHandle);
}

API cudaError_t cudaMemsetAsync(void *to, int value, size_t n, cudaStream_t stream)
{
	const cudaMemsetParams p = {to, 0, (unsigned char)value, 1, n, 1};
	uint64_t s;

	return stream_number(stream, &s) ? fill_rows(&p, s) : noted(cudaErrorInvalidResourceHandle);
}

API cudaError_t cudaMemset(void *to, int value, size_t n)
{
	return cudaMemsetAsync(to, value, n, NULL);
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
