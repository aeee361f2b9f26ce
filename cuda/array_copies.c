/* Copies to and from arrays, and of boxes. */
#include "cuda/inside.h"

/* The array's bytes from an offset in bytes and rows on; n: what must be inside. */
static cudaError_t locate(cudaArray_t array, size_t x, size_t y, cudaExtent n, struct box *out)
{
	const struct cudaArray *a = array_find(array);
	size_t width = a ? a->extent.width * a->texel : 0;
	size_t height = a && a->extent.height ? a->extent.height : 1;

	if (!a)
		return cudaErrorInvalidResourceHandle;
	if (x % a->texel || n.width % a->texel || x > width || n.width > width - x || y > height ||
		n.height > height - y)
		return cudaErrorInvalidValue;
	*out = (struct box){a->at + y * a->row + x, a->row, a->slice};
	return cudaSuccess;
}

static bool from_device(int kind)
{
	return kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice ||
	       kind == cudaMemcpyDefault;
}

static bool to_device(int kind)
{
	return kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice ||
	       kind == cudaMemcpyDefault;
}

API cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from,
	size_t pitch, size_t width, size_t height, int kind, cudaStream_t stream)
{
	cudaExtent n = {width, height, 1};
	struct box box;
	cudaError_t e = locate(to, x, y, n, &box);

	e = e ? e : !to_device(kind) ? cudaErrorInvalidMemcpyDirection : cudaSuccess;
	e = e ? e : width > pitch ? cudaErrorInvalidPitchValue : cudaSuccess;
	return e ? noted(e)
		 : copy_box(&box, &(struct box){(uintptr_t)from, pitch, 0}, n, kind, stream);
}

API cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from,
	size_t pitch, size_t width, size_t height, int kind)
{
	return cudaMemcpy2DToArrayAsync(to, x, y, from, pitch, width, height, kind, NULL);
}

API cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_t from, size_t x,
	size_t y, size_t width, size_t height, int kind, cudaStream_t stream)
{
	cudaExtent n = {width, height, 1};
	struct box box;
	cudaError_t e = locate(from, x, y, n, &box);

	e = e ? e : !from_device(kind) ? cudaErrorInvalidMemcpyDirection : cudaSuccess;
	e = e ? e : width > pitch ? cudaErrorInvalidPitchValue : cudaSuccess;
	return e ? noted(e)
		 : copy_box(&(struct box){(uintptr_t)to, pitch, 0}, &box, n, kind, stream);
}

API cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_t from, size_t x, size_t y,
	size_t width, size_t height, int kind)
{
	return cudaMemcpy2DFromArrayAsync(to, pitch, from, x, y, width, height, kind, NULL);
}

/* ---- bytes that run from row to row */
/* The longest piece from byte x of a row on. */
static size_t piece(const struct cudaArray *a, size_t x, size_t left)
{
	size_t rest = a->extent.width * a->texel - x;

	return left < rest ? left : rest;
}

API cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from,
	size_t n, int kind, cudaStream_t stream)
{
	const struct cudaArray *a = array_find(to);
	const char *at = from;
	cudaError_t e = a ? cudaSuccess : noted(cudaErrorInvalidResourceHandle);

	if (a && x >= a->extent.width * a->texel)
		return noted(cudaErrorInvalidValue);
	while (n && !e) {
		size_t part = piece(a, x, n);

		e = cudaMemcpy2DToArrayAsync(to, x, y, at, part, part, 1, kind, stream);
		at += part;
		n -= part;
		x = 0;
		y++;
	}
	return e;
}

API cudaError_t cudaMemcpyToArray(
	cudaArray_t to, size_t x, size_t y, const void *from, size_t n, int kind)
{
	return cudaMemcpyToArrayAsync(to, x, y, from, n, kind, NULL);
}

API cudaError_t cudaMemcpyFromArrayAsync(
	void *to, cudaArray_t from, size_t x, size_t y, size_t n, int kind, cudaStream_t stream)
{
	const struct cudaArray *a = array_find(from);
	char *at = to;
	cudaError_t e = a ? cudaSuccess : noted(cudaErrorInvalidResourceHandle);

	if (a && x >= a->extent.width * a->texel)
		return noted(cudaErrorInvalidValue);
	while (n && !e) {
		size_t part = piece(a, x, n);

		e = cudaMemcpy2DFromArrayAsync(at, part, from, x, y, part, 1, kind, stream);
		at += part;
		n -= part;
		x = 0;
		y++;
	}
	return e;
}

API cudaError_t cudaMemcpyFromArray(
	void *to, cudaArray_t from, size_t x, size_t y, size_t n, int kind)
{
	return cudaMemcpyFromArrayAsync(to, from, x, y, n, kind, NULL);
}

/* ---- from array to array */
API cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_t from,
	size_t x, size_t y, size_t width, size_t height, int kind)
{
	cudaExtent n = {width, height, 1};
	struct box a, b;
	cudaError_t e = locate(to, to_x, to_y, n, &a);

	e = e ? e : locate(from, x, y, n, &b);
	e = e ? e
	    : kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault
		    ? cudaErrorInvalidMemcpyDirection
		    : cudaSuccess;
	return e ? noted(e) : copy_box(&a, &b, n, cudaMemcpyDeviceToDevice, NULL);
}

/* ---- boxes: with an array, x and the width are in its texels */
static cudaError_t corner(cudaArray_t array, const cudaPitchedPtr *p, const cudaPos *at,
	const cudaExtent *n, struct box *out)
{
	const struct cudaArray *a = array_find(array);
	cudaError_t e;

	if (!array == !p->ptr)
		return cudaErrorInvalidValue;
	if (!array) {
		size_t slice = p->pitch * p->height;

		*out = (struct box){(uintptr_t)p->ptr + at->z * slice + at->y * p->pitch + at->x,
			p->pitch, slice};
		return n->height > p->height && n->depth > 1 ? cudaErrorInvalidValue : cudaSuccess;
	}
	e = a ? locate(array, at->x * a->texel, at->y, *n, out) : cudaErrorInvalidResourceHandle;
	if (!e) {
		size_t depth = a->extent.depth ? a->extent.depth : 1;

		out->at += at->z * a->slice;
		e = at->z > depth || n->depth > depth - at->z ? cudaErrorInvalidValue : cudaSuccess;
	}
	return e;
}

cudaError_t copy_boxes(const cudaMemcpy3DParms *p, struct box *a, struct box *b, cudaExtent *n)
{
	const struct cudaArray *to = p->to_array ? array_find(p->to_array) : NULL;
	const struct cudaArray *from = p->from_array ? array_find(p->from_array) : NULL;
	cudaError_t e;

	*n = p->extent;
	if (to && from && to->texel != from->texel)
		return cudaErrorInvalidValue;
	n->width *= to ? to->texel : from ? from->texel : 1;
	e = corner(p->to_array, &p->to, &p->to_at, n, a);
	e = e ? e : corner(p->from_array, &p->from, &p->from_at, n, b);
	if (!e && ((to && !to_device(p->kind)) || (from && !from_device(p->kind))))
		e = cudaErrorInvalidMemcpyDirection;
	return e;
}

API cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *p, cudaStream_t stream)
{
	struct box to, from;
	cudaExtent n;
	cudaError_t e = p ? copy_boxes(p, &to, &from, &n) : cudaErrorInvalidValue;

	return e ? noted(e) : copy_box(&to, &from, n, p->kind, stream);
}

API cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *p)
{
	return cudaMemcpy3DAsync(p, NULL);
}
