/* Each function of arrays and textures, called well and wrongly: prints what is not as documented.
 */
#include <stdint.h>
#include <stdlib.h>

#ifdef CUDA_FATBIN /* compiled by a test, with our library */
#include "fatbin.h"
#include "functions.h"

typedef struct {
	int x, y, z, w, kind;
} format;
typedef struct {
	int type;
	union {
		void *array;
		struct {
			void *at;
			format f;
			size_t bytes;
		} linear;
		int room[32];
	} of;
} resource;
typedef struct {
	int mode[3], linear, as_float, srgb;
	float border[4];
	int normalised;
	unsigned anisotropy;
	int blend;
	float bias, least, most;
	int more[4];
} reading;
struct reference {
	int normalised, linear, mode[3];
	format f;
	int more[32];
};
format cudaCreateChannelDesc(int, int, int, int, int);
int cudaMallocArray(void **, const format *, size_t, size_t, unsigned), cudaFreeArray(void *);
int cudaMalloc3DArray(void **, const format *, extent, unsigned);
int cudaMemcpyToArray(void *, size_t, size_t, const void *, size_t, int);
int cudaMemcpy2DToArray(void *, size_t, size_t, const void *, size_t, size_t, size_t, int);
int cudaMemcpy2DFromArray(void *, size_t, void *, size_t, size_t, size_t, size_t, int);
int cudaCreateTextureObject(uint64_t *, const resource *, const reading *, const void *);
int cudaDestroyTextureObject(uint64_t);
int cudaBindTexture(size_t *, const void *, const void *, const format *, size_t);
int cudaUnbindTexture(const void *);
void __cudaRegisterTexture(void **, const void *, const void **, const char *, int, int, int);

enum { TEXTURE = 18, CHANNELS = 20 };
static struct reference named = {.mode = {1, 1, 1}};

__attribute__((constructor)) static void enter(void)
{
	void **handle = __cudaRegisterFatBinary((void *)(uintptr_t)&wrapper);

	__cudaRegisterTexture(handle, &named, NULL, "named", 1, 0, 0);
}

static int is_format(format f, int x, int y, int z, int w, int kind)
{
	return f.x == x && f.y == y && f.z == z && f.w == w && f.kind == kind;
}

static void channels(void)
{
	SO(cudaCreateChannelDesc(32),
		is_format(cudaCreateChannelDesc(32, 0, 0, 0, 2), 32, 0, 0, 0, 2));
	SO(cudaCreateChannelDesc(8),
		is_format(cudaCreateChannelDesc(8, 8, 8, 8, 1), 8, 8, 8, 8, 1));
	SO(cudaCreateChannelDesc(16),
		is_format(cudaCreateChannelDesc(16, 16, 0, 0, 0), 16, 16, 0, 0, 0));
	SO(cudaCreateChannelDesc(0),
		is_format(cudaCreateChannelDesc(0, 0, 0, 0, 3), 0, 0, 0, 0, 3));
}

static void arrays(void)
{
	const format floats = {32, 0, 0, 0, 2}, three = {8, 8, 8, 0, 1}, wide = {64, 0, 0, 0, 2};
	const format mixed = {32, 16, 0, 0, 1};
	void *a;

	IS(VALUE, cudaMallocArray(NULL, &floats, 8, 4, 0));
	IS(VALUE, cudaMallocArray(&a, NULL, 8, 4, 0));
	IS(VALUE, cudaMallocArray(&a, &floats, 0, 4, 0));
	IS(CHANNELS, cudaMallocArray(&a, &three, 8, 4, 0));
	IS(CHANNELS, cudaMallocArray(&a, &wide, 8, 4, 0));
	IS(CHANNELS, cudaMallocArray(&a, &mixed, 8, 4, 0));
	IS(NO_MEMORY, cudaMallocArray(&a, &floats, HUGE_SIZE, 4, 0));
	IS(UNSUPPORTED, cudaMallocArray(&a, &floats, 8, 4, 64));
	IS(0, cudaMallocArray(&a, &floats, 8, 0, 0));
	IS(0, cudaFreeArray(a));
	IS(HANDLE, cudaFreeArray(a));
	IS(0, cudaFreeArray(NULL));
	IS(HANDLE, cudaFreeArray(&a));
	IS(VALUE, cudaMalloc3DArray(NULL, &floats, (extent){4, 4, 4}, 0));
	IS(VALUE, cudaMalloc3DArray(&a, &floats, (extent){4, 0, 4}, 0));
	IS(VALUE, cudaMalloc3DArray(&a, &floats, (extent){4, 4, 0}, 1));
	IS(VALUE, cudaMalloc3DArray(&a, &floats, (extent){4, 4, 5}, 4));
	IS(VALUE, cudaMalloc3DArray(&a, &floats, (extent){4, 2, 6}, 4));
	IS(0, cudaMalloc3DArray(&a, &floats, (extent){4, 4, 6}, 4));
	IS(0, cudaFreeArray(a));
	IS(0, cudaMalloc3DArray(&a, &floats, (extent){4, 4, 4}, 2));
	IS(0, cudaFreeArray(a));
}

static void copies(void)
{
	const format floats = {32, 0, 0, 0, 2};
	void *a;

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)(i * 7);
	cudaMallocArray(&a, &floats, 8, 4, 0);
	IS(0, cudaMemcpyToArray(a, 0, 0, bytes, 128, HD));
	IS(0, cudaMemcpy2DFromArray(back, 32, a, 0, 0, 32, 4, DH));
	SO(cudaMemcpyToArray(a) copied, !memcmp(back, bytes, 128));
	IS(VALUE, cudaMemcpyToArray(a, 0, 0, bytes, 129, HD));
	IS(VALUE, cudaMemcpyToArray(a, 0, 4, bytes, 4, HD));
	IS(HANDLE, cudaMemcpyToArray(&a, 0, 0, bytes, 4, HD));
	IS(DIRECTION, cudaMemcpyToArray(a, 0, 0, bytes, 4, DH));
	IS(0, cudaMemcpy2DToArray(a, 4, 1, bytes + 200, 16, 8, 2, HD));
	IS(0, cudaMemcpy2DFromArray(back, 8, a, 4, 1, 8, 2, DH));
	SO(cudaMemcpy2DToArray(a) copied,
		!memcmp(back, bytes + 200, 8) && !memcmp(back + 8, bytes + 216, 8));
	IS(PITCH, cudaMemcpy2DToArray(a, 0, 0, bytes, 4, 8, 2, HD));
	IS(VALUE, cudaMemcpy2DToArray(a, 28, 0, bytes, 8, 8, 2, HD));
	IS(VALUE, cudaMemcpy2DToArray(a, 0, 3, bytes, 8, 8, 2, HD));
	IS(HANDLE, cudaMemcpy2DToArray(&a, 0, 0, bytes, 8, 8, 2, HD));
	IS(DIRECTION, cudaMemcpy2DToArray(a, 0, 0, bytes, 8, 8, 2, DH));
	IS(PITCH, cudaMemcpy2DFromArray(back, 4, a, 0, 0, 8, 2, DH));
	IS(VALUE, cudaMemcpy2DFromArray(back, 8, a, 28, 0, 8, 2, DH));
	cudaFreeArray(a);
}

static void textures(void)
{
	const format floats = {32, 0, 0, 0, 2}, whole = {32, 0, 0, 0, 1};
	resource r = {.type = 0};
	reading how = {.mode = {1, 1, 1}};
	size_t offset = 9;
	uint64_t t;
	void *a, *p;

	cudaMallocArray(&a, &floats, 8, 4, 0);
	cudaMalloc(&p, 4096);
	r.of.array = a;
	IS(0, cudaCreateTextureObject(&t, &r, &how, NULL));
	IS(0, cudaDestroyTextureObject(t));
	IS(VALUE, cudaDestroyTextureObject(t));
	IS(0, cudaDestroyTextureObject(0));
	IS(VALUE, cudaDestroyTextureObject(UINT64_C(1) << 40));
	IS(VALUE, cudaCreateTextureObject(NULL, &r, &how, NULL));
	IS(VALUE, cudaCreateTextureObject(&t, NULL, &how, NULL));
	IS(VALUE, cudaCreateTextureObject(&t, &r, NULL, NULL));
	IS(UNSUPPORTED, cudaCreateTextureObject(&t, &r, &how, &how));
	r.of.array = &a;
	IS(HANDLE, cudaCreateTextureObject(&t, &r, &how, NULL));
	r.type = 9;
	IS(VALUE, cudaCreateTextureObject(&t, &r, &how, NULL));
	r.type = 2;
	r.of.linear.at = p;
	r.of.linear.f = whole;
	r.of.linear.bytes = 64;
	how.linear = 2;
	IS(VALUE, cudaCreateTextureObject(&t, &r, &how, NULL));
	how.linear = 0;
	how.mode[0] = 7;
	IS(VALUE, cudaCreateTextureObject(&t, &r, &how, NULL));
	IS(0, cudaBindTexture(&offset, &named, p, &floats, 4096));
	SO(cudaBindTexture(&offset) is 0, offset == 0);
	IS(0, cudaBindTexture(NULL, &named, p, &floats, SIZE_MAX));
	IS(VALUE, cudaBindTexture(&offset, &named, p, NULL, 4096));
	IS(VALUE, cudaBindTexture(&offset, &named, NULL, &floats, 4096));
	IS(TEXTURE, cudaBindTexture(&offset, &a, p, &floats, 4096));
	IS(0, cudaUnbindTexture(&named));
	IS(0, cudaUnbindTexture(&named));
	IS(TEXTURE, cudaUnbindTexture(NULL));
	IS(0, cudaBindTexture(NULL, &named, p, &floats, 64));
	IS(0, cudaUnbindTexture(&named));
}

int main(int argc, char **argv)
{
	channels();
	arrays();
	copies();
	textures();
	if (argc > 1 && !strcmp(argv[1], "names"))
		names();
	summary(4);
	return 0;
}

#endif
