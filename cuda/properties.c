/* Properties of the device. Their structure differs by version: CUDA 13's has 1008 bytes, 12's
 * 1032, 11's is the beginning of 12's. */
#include "cuda/inside.h"

#include <string.h>

#define BYTES_13 1008u
#define BYTES_12 1032u
#define BYTES_11 728u

enum { SINCE_13, BEFORE_13 };

/* A field: its offset in each, 0: it has none; its bytes and value. */
static void put_sizes(void *out, size_t bytes, int when, const struct wire_device *d)
{
	const struct {
		unsigned short at[2], bytes;
		uint64_t value;
	} fields[] = {{{288, 288}, 8, d->memory_bytes}, {{296, 296}, 8, d->cta_shared_bytes},
		{{304, 304}, 4, d->registers}, {{308, 308}, 4, 32}, {{312, 312}, 8, INT32_MAX},
		{{320, 320}, 4, 1024}, {{324, 324}, 4, 1024}, {{328, 328}, 4, 1024},
		{{332, 332}, 4, 64}, {{336, 336}, 4, INT32_MAX}, {{340, 340}, 4, 65535},
		{{344, 344}, 4, 65535}, {{0, 348}, 4, d->clock_khz},
		{{352, 352}, 8, d->constant_bytes}, {{360, 360}, 4, d->major},
		{{364, 364}, 4, d->minor}, {{368, 368}, 8, 512}, {{376, 376}, 8, 32},
		{{0, 384}, 4, 1}, {{384, 388}, 4, d->sms}, {{392, 400}, 4, 1},
		{{396, 408}, 4, 131072}, {{0, 416}, 4, 1 << 27}, {{404, 420}, 4, 131072},
		{{408, 424}, 4, 65536}, {{420, 436}, 4, 131072}, {{424, 440}, 4, 65000},
		{{428, 444}, 4, 2097120}, {{440, 456}, 4, 16384}, {{444, 460}, 4, 16384},
		{{448, 464}, 4, 16384}, {{552, 568}, 8, 512}, {{560, 576}, 4, 1},
		{{584, 600}, 4, 1}, {{588, 604}, 4, 1}, {{0, 608}, 4, d->memory_khz},
		{{592, 612}, 4, d->bus_bits}, {{596, 616}, 4, d->l2_bytes},
		{{604, 624}, 4, d->warps * 32}, {{608, 628}, 4, 1}, {{612, 632}, 4, 1},
		{{616, 636}, 4, 1}, {{624, 640}, 8, d->shared_bytes}, {{632, 648}, 4, d->registers},
		{{636, 652}, 4, 1}, {{0, 668}, 4, 2}, {{668, 688}, 4, 1},
		{{672, 696}, 8, d->cta_shared_bytes}, {{688, 712}, 4, d->ctas}, {{720, 744}, 4, 1}};

	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		if (fields[i].at[when] && fields[i].at[when] < bytes) /* hosts are little-endian */
			memcpy((char *)out + fields[i].at[when], &fields[i].value, fields[i].bytes);
}

static cudaError_t properties(void *out, size_t bytes, int when, int device)
{
	struct wire_device d;
	cudaError_t e = out ? device_facts(device, &d) : noted(cudaErrorInvalidValue);

	if (e)
		return e;
	memset(out, 0, bytes);
	memcpy(out, d.name, sizeof(d.name));
	put_sizes(out, bytes, when, &d);
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
