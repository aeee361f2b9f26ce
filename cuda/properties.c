/* Properties of the device and its attributes, of one table. The structure differs by version: CUDA
 * 13's has 1008 bytes, 12's 1032, 11's is the beginning of 12's. */
#include "cuda/inside.h"

#include <string.h>

#define BYTES_13 1008u
#define BYTES_12 1032u
#define BYTES_11 728u

enum { SINCE_13, BEFORE_13 };

/* A fact of the device: its number in enum cudaDeviceAttr, 0: none; its offset in each structure,
 * 0: not in it; its bytes there. */
struct fact {
	unsigned short attribute, at[2], bytes;
	uint64_t value;
};

/* Calls `note` for each. What is not among them is 0. */
static void each_fact(
	const struct wire_device *d, void (*note)(void *, const struct fact *), void *ctx)
{
	uint64_t shared = d->cta_shared_bytes < DEFAULT_SHARED_BYTES ? d->cta_shared_bytes
								     : DEFAULT_SHARED_BYTES;
	const struct fact facts[] = {
		{0, {288, 288}, 8, d->memory_bytes}, {8, {296, 296}, 8, shared},
		{12, {304, 304}, 4, d->registers}, {10, {308, 308}, 4, 32}, /* a warp */
		{11, {312, 312}, 8, INT32_MAX},
		{1, {320, 320}, 4, 1024}, /* threads of a CTA, and in x, y, z */
		{2, {324, 324}, 4, 1024}, {3, {328, 328}, 4, 1024}, {4, {332, 332}, 4, 64},
		{5, {336, 336}, 4, INT32_MAX}, /* CTAs in x, y, z */
		{6, {340, 340}, 4, 65535}, {7, {344, 344}, 4, 65535},
		{13, {0, 348}, 4, d->clock_khz}, {9, {352, 352}, 8, d->constant_bytes},
		{75, {360, 360}, 4, d->major}, {76, {364, 364}, 4, d->minor},
		{14, {368, 368}, 8, 512},                      /* textures: alignment, of rows */
		{51, {376, 376}, 8, 32}, {15, {0, 384}, 4, 1}, /* copies overlap */
		{16, {384, 388}, 4, d->sms}, {19, {392, 400}, 4, 1}, /* maps memory of the host */
		{21, {396, 408}, 4, 131072},                         /* textures: the most texels */
		{22, {404, 420}, 4, 131072}, {23, {408, 424}, 4, 65536}, {69, {0, 416}, 4, 1 << 27},
		{70, {420, 436}, 4, 131072}, {71, {424, 440}, 4, 65000},
		{72, {428, 444}, 4, 2097120}, {24, {440, 456}, 4, 16384},
		{25, {444, 460}, 4, 16384}, {26, {448, 464}, 4, 16384},
		{30, {552, 568}, 8, 512}, /* surfaces */
		{31, {560, 576}, 4, 1},   /* kernels at once */
		{40, {584, 600}, 4, 1},   /* copies at once */
		{41, {588, 604}, 4, 1},   /* one address space */
		{36, {0, 608}, 4, d->memory_khz}, {37, {592, 612}, 4, d->bus_bits},
		{38, {596, 616}, 4, d->l2_bytes}, {39, {604, 624}, 4, d->warps * 32},
		{78, {608, 628}, 4, 1}, /* priorities */
		{79, {612, 632}, 4, 1}, /* an L1 of global, of local memory */
		{80, {616, 636}, 4, 1}, {81, {624, 640}, 8, d->shared_bytes},
		{82, {632, 648}, 4, d->registers}, {83, {636, 652}, 4, 1}, /* managed memory */
		{87, {0, 668}, 4, 2},                                      /* float by double */
		{95, {668, 688}, 4, 1}, /* cooperative launches */
		{97, {672, 696}, 8, d->cta_shared_bytes}, {106, {688, 712}, 4, d->ctas},
		{111, {696, 720}, 8, d->reserved_shared_bytes},
		{99, {704, 728}, 4, 1},  /* registered memory of the host */
		{115, {720, 744}, 4, 1}, /* pools */
	};

	for (size_t i = 0; i < sizeof(facts) / sizeof(*facts); i++)
		note(ctx, &facts[i]);
}

struct filled {
	char *out;
	size_t bytes;
	int when;
};

static void put(void *ctx, const struct fact *f)
{
	const struct filled *s = ctx;
	size_t at = f->at[s->when];

	if (at && at < s->bytes) /* hosts are little-endian */
		memcpy(s->out + at, &f->value, f->bytes);
}

static cudaError_t properties(void *out, size_t bytes, int when, int device)
{
	struct wire_device d;
	cudaError_t e = out ? device_facts(device, &d) : noted(cudaErrorInvalidValue);

	if (e)
		return e;
	memset(out, 0, bytes);
	memcpy(out, d.name, sizeof(d.name));
	each_fact(&d, put, &(struct filled){out, bytes, when});
	return e;
}

API cudaError_t cudaGetDeviceProperties(void *out, int device)
{
	return RUNTIME_VERSION >= 13 ? properties(out, BYTES_13, SINCE_13, device)
				     : properties(out, BYTES_11, BEFORE_13, device);
}

/* What CUDA 12's headers make of the name above. */
API cudaError_t cudaGetDeviceProperties_v2(void *out, int device)
{
	return properties(out, BYTES_12, BEFORE_13, device);
}

struct asked {
	int attribute, *value;
};

static void pick(void *ctx, const struct fact *f)
{
	const struct asked *a = ctx;

	if (f->attribute == a->attribute)
		*a->value = (int)f->value;
}

/* By the numbers of enum cudaDeviceAttr; the driver's have the same. */
API cudaError_t cudaDeviceGetAttribute(int *value, int attribute, int device)
{
	struct wire_device d;
	cudaError_t e = value && attribute >= 1 && attribute <= 200 ? device_facts(device, &d)
								    : noted(cudaErrorInvalidValue);

	if (e)
		return e;
	*value = 0;
	each_fact(&d, pick, &(struct asked){attribute, value});
	return e;
}
