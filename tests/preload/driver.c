/* A CUDA program for the driver's functions, alone and beside the runtime's. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef CUDA_FATBIN /* compiled by a test, with our libraries */
#include "fatbin.h"

typedef uint64_t address;
struct side {
	size_t x_bytes, y;
	int memory;
	const void *host;
	address device;
	void *array;
	size_t pitch;
};
struct copy {
	struct side from, to;
	size_t width, height;
};
struct launch {
	unsigned grid[3], block[3], shared;
	void *stream;
	const void *attributes;
	unsigned nattributes;
};

struct side_3d {
	size_t x_bytes, y, z, lod;
	int memory;
	const void *host;
	address device;
	void *array, *reserved;
	size_t pitch, height;
};
struct copy_3d {
	struct side_3d from, to;
	size_t width, height, depth;
};
struct array_2d {
	size_t width, height;
	int format;
	unsigned channels;
};
struct array_3d {
	size_t width, height, depth;
	int format;
	unsigned channels, flags;
};
struct resource {
	int type;
	union {
		void *array;
		int room[32];
	} of;
	unsigned flags;
};
struct texture {
	int mode[3], linear;
	unsigned flags, anisotropy;
	int blend;
	float bias, least, most, border[4];
	int reserved[12];
};

int cuArrayCreate_v2(void **, const struct array_2d *), cuArrayDestroy(void *);
int cuArray3DCreate_v2(void **, const struct array_3d *);
int cuArray3DGetDescriptor_v2(struct array_3d *, void *), cuMemcpy3D_v2(const struct copy_3d *);
int cuMemcpyAtoH_v2(void *, void *, size_t, size_t);
int cuMipmappedArrayCreate(void **, const struct array_3d *, unsigned);
int cuMipmappedArrayGetLevel(void **, void *, unsigned), cuMipmappedArrayDestroy(void *);
int cuTexObjectCreate(address *, const struct resource *, const struct texture *, const void *);
int cuTexObjectDestroy(address), cuSurfObjectCreate(address *, const struct resource *);
int cuSurfObjectDestroy(address);
int cuInit(unsigned), cuDriverGetVersion(int *), cuDeviceGet(int *, int), cuDeviceGetCount(int *);
int cuDeviceGetName(char *, int, int), cuDeviceGetAttribute(int *, int, int);
int cuDeviceTotalMem_v2(size_t *, int), cuDevicePrimaryCtxRetain(void **, int);
int cuDevicePrimaryCtxRelease_v2(int), cuDevicePrimaryCtxGetState(int, unsigned *, int *);
int cuCtxCreate_v2(void **, unsigned, int), cuCtxCreate_v4(void **, void *, unsigned, int);
int cuCtxDestroy_v2(void *), cuCtxPushCurrent_v2(void *), cuCtxPopCurrent_v2(void **);
int cuCtxSetCurrent(void *), cuCtxGetCurrent(void **), cuCtxGetDevice(int *);
int cuCtxSynchronize(void), cuCtxGetApiVersion(void *, unsigned *), cuCtxGetFlags(unsigned *);
int cuModuleLoad(void **, const char *), cuModuleLoadData(void **, const void *);
int cuModuleLoadDataEx(void **, const void *, unsigned, int *, void **);
int cuModuleLoadFatBinary(void **, const void *), cuModuleUnload(void *);
int cuModuleGetFunction(void **, void *, const char *);
int cuModuleGetGlobal_v2(address *, size_t *, void *, const char *);
int cuFuncGetAttribute(int *, int, void *), cuFuncGetName(const char **, void *);
int cuFuncSetAttribute(void *, int, int), cuFuncGetModule(void **, void *);
int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
	void *, void **, void **);
int cuLaunchKernelEx(const struct launch *, void *, void **, void **);
int cuLaunchHostFunc(void *, void (*)(void *), void *);
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *, void *, int, size_t);
int cuOccupancyMaxPotentialBlockSize(int *, int *, void *, size_t (*)(int), size_t, int);
int cuMemGetInfo_v2(size_t *, size_t *), cuMemAlloc_v2(address *, size_t), cuMemFree_v2(address);
int cuMemAllocPitch_v2(address *, size_t *, size_t, size_t, unsigned);
int cuMemGetAddressRange_v2(address *, size_t *, address), cuMemAllocHost_v2(void **, size_t);
int cuMemFreeHost(void *), cuMemHostAlloc(void **, size_t, unsigned);
int cuMemHostGetDevicePointer_v2(address *, void *, unsigned);
int cuMemAllocManaged(address *, size_t, unsigned), cuPointerGetAttribute(void *, int, address);
int cuMemcpyHtoD_v2(address, const void *, size_t), cuMemcpyDtoH_v2(void *, address, size_t);
int cuMemcpyDtoD_v2(address, address, size_t), cuMemcpy(address, address, size_t);
int cuMemcpyHtoDAsync_v2(address, const void *, size_t, void *);
int cuMemcpyDtoHAsync_v2(void *, address, size_t, void *), cuMemcpy2D_v2(const struct copy *);
int cuMemsetD8_v2(address, unsigned char, size_t), cuMemsetD16_v2(address, unsigned short, size_t);
int cuMemsetD32_v2(address, unsigned, size_t);
int cuMemsetD2D32_v2(address, size_t, unsigned, size_t, size_t);
int cuStreamCreate(void **, unsigned), cuStreamDestroy_v2(void *), cuStreamSynchronize(void *);
int cuStreamQuery(void *), cuStreamWaitEvent(void *, void *, unsigned);
int cuEventCreate(void **, unsigned), cuEventRecord(void *, void *), cuEventSynchronize(void *);
int cuEventElapsedTime(float *, void *, void *), cuEventDestroy_v2(void *);
int cuGetErrorName(int, const char **), cuGetErrorString(int, const char **);
int cuGetProcAddress_v2(const char *, void **, int, uint64_t, int *);
int cuCoredumpGetAttribute(void **), cuGetExportTable(const void **, const void *);
#ifdef MIXED
int cudaMalloc(void **, size_t), cudaMemcpy(void *, const void *, size_t, int);
void **__cudaRegisterFatBinary(void *);
int cudaGetLastError(void), cudaStreamCreate(void **), cudaStreamSynchronize(void *);
int cudaGetDriverEntryPointByVersion(const char *, void **, unsigned, unsigned long long, int *);
const char *cudaGetErrorName(int);
#endif

static void show(const char *name, int result)
{
	const char *text = "none";

	cuGetErrorName(result, &text);
	printf("%s: %s\n", name, text ? text + 5 : "?");
	fflush(stdout);
}

/* The test's PTX, with its end: in the fat binary after the headers. */
static const char *ptx_of(void)
{
	for (size_t i = 0;; i++)
		if (!memcmp(fatbin_bytes + i, ".version", 8))
			return fatbin_bytes + i;
}

static void *open_module(void)
{
	void *context, *module = NULL;

	cuInit(0);
	cuCtxCreate_v2(&context, 0, 0);
	show("module", cuModuleLoadData(&module, ptx_of()));
	return module;
}

static int launch(void *function, address p, uint32_t first, void *stream)
{
	void *args[] = {&p, &first};

	return cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, stream, args, NULL);
}

/* Whether p[i] = first + by * i. */
static int is_filled(address p, uint32_t first, uint32_t by)
{
	uint32_t out[32], wrong = 0;

	if (cuMemcpyDtoH_v2(out, p, sizeof(out)))
		return 0;
	for (uint32_t i = 0; i < 32; i++)
		wrong += out[i] != first + by * i;
	return !wrong;
}

static void device_and_contexts(void)
{
	void *a, *b, *now = &a, *primary;
	char name[32];
	int n = 0, device = -1, major = 0, active = -1;
	unsigned flags = 0, version = 0;
	size_t bytes = 0;

	show("before", cuDeviceGetCount(&n));
	show("flags", cuInit(1));
	show("init", cuInit(0));
	show("no context", cuCtxSynchronize());
	show("current", cuCtxGetCurrent(&now));
	cuDeviceGetCount(&n);
	cuDeviceGet(&device, 0);
	cuDeviceGetName(name, sizeof(name), device);
	cuDeviceGetAttribute(&major, 75, device);
	cuDeviceTotalMem_v2(&bytes, device);
	printf("%d device, %s, %d, %d, %d\n", n, name, major, bytes > 0, now == NULL);
	show("second", cuDeviceGet(&device, 1));
	show("create", cuCtxCreate_v2(&a, 4, 0));
	show("create", cuCtxCreate_v4(&b, NULL, 0, 0));
	cuCtxGetCurrent(&now);
	printf("current %d\n", now == b);
	show("pop", cuCtxPopCurrent_v2(&now));
	cuCtxGetFlags(&flags);
	show("version", cuCtxGetApiVersion(a, &version));
	printf("popped %d, flags %u, version %u\n", now == b, flags, version);
	show("set", cuCtxSetCurrent(b));
	show("destroy", cuCtxDestroy_v2(b));
	show("gone", cuCtxSynchronize());
	show("stale", cuCtxPushCurrent_v2(b));
	show("push", cuCtxPushCurrent_v2(a));
	show("device", cuCtxGetDevice(&device));
	show("wrong flags", cuCtxCreate_v2(&b, 4096, 0));
	show("not retained", cuDevicePrimaryCtxRelease_v2(0));
	show("retain", cuDevicePrimaryCtxRetain(&primary, 0));
	cuDevicePrimaryCtxGetState(0, &flags, &active);
	printf("active %d\n", active);
	show("primary", cuCtxDestroy_v2(primary));
	show("release", cuDevicePrimaryCtxRelease_v2(0));
	show("null", cuCtxGetCurrent(NULL));
}

static void modules_and_launches(void)
{
	void *module = open_module(), *f, *again, *fat, *of, *event[2], *stream;
	address p, step, moved;
	size_t n = 0;
	uint32_t three = 3, first = 9;
	int registers = 0, threads = 0, ctas = 0, grid = 0, block = 0;
	float ms = -1;
	const char *name = "";
	struct {
		address p;
		uint32_t first;
	} bytes;
	size_t size = 12;
	void *extra[] = {(void *)1, &bytes, (void *)2, &size, NULL};
	void *args[] = {&p, &first};
	struct launch how = {{1, 1, 1}, {32, 1, 1}, 0, NULL, NULL, 0};

	show("function", cuModuleGetFunction(&f, module, "fill"));
	cuModuleGetFunction(&again, module, "fill");
	cuMemAlloc_v2(&p, 128);
	show("launch", launch(f, p, 5, NULL));
	printf("the same %d, filled %d\n", f == again, is_filled(p, 5, 1));
	show("global", cuModuleGetGlobal_v2(&step, &n, module, "step"));
	cuMemcpyHtoD_v2(step, &three, 4);
	bytes.p = p;
	bytes.first = 7;
	show("extra", cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, extra));
	printf("%zu bytes, filled %d\n", n, is_filled(p, 7, 3));
	show("extended", cuLaunchKernelEx(&how, f, args, NULL));
	printf("filled %d\n", is_filled(p, 9, 3));
	cuFuncGetAttribute(&registers, 4, f);
	cuFuncGetAttribute(&threads, 0, f);
	cuFuncGetName(&name, f);
	cuFuncGetModule(&of, f);
	cuOccupancyMaxActiveBlocksPerMultiprocessor(&ctas, f, 32, 0);
	show("potential", cuOccupancyMaxPotentialBlockSize(&grid, &block, f, NULL, 0, 0));
	printf("%s of it %d, registers %d, threads %d, CTAs %d, block %d, grid %d\n", name,
		of == module, registers > 0, threads, ctas > 0, block, grid > 0);
	cuStreamCreate(&stream, 1);
	cuEventCreate(&event[0], 0);
	cuEventCreate(&event[1], 0);
	cuEventRecord(event[0], stream);
	launch(f, p, 1, stream);
	cuEventRecord(event[1], stream);
	show("event", cuEventSynchronize(event[1]));
	cuEventElapsedTime(&ms, event[0], event[1]);
	printf("filled %d, time %d\n", is_filled(p, 1, 3), ms > 0);
	show("fat binary", cuModuleLoadFatBinary(&fat, fatbin_bytes));
	show("moved", cuModuleGetGlobal_v2(&moved, NULL, fat, "step"));
	printf("its own %d\n", moved != step);
	show("stream", cuStreamDestroy_v2(stream));
	show("unload", cuModuleUnload(module));
	show("stale", launch(f, p, 1, NULL));
}

static void memory_is_copied_and_filled(void)
{
	address p, pitched, base = 0, managed, mapped;
	size_t n = 0, pitch = 0, left = 0, all = 0;
	uint32_t host[64], back[64];
	void *pinned;
	unsigned type = 0, is_managed = 0;
	struct copy c;

	open_module();
	for (uint32_t i = 0; i < 64; i++)
		host[i] = i;
	cuMemAlloc_v2(&p, 256);
	cuMemcpyHtoD_v2(p, host, 256);
	show("within", cuMemcpyDtoD_v2(p, p + 128, 128));
	show("either", cuMemcpy((address)(uintptr_t)back, p, 256));
	printf("copied %d\n", !memcmp(back, host + 32, 128) && !memcmp(back + 32, host + 32, 128));
	cuMemsetD8_v2(p, 1, 4);
	cuMemsetD16_v2(p + 4, 0x1234, 2);
	show("words", cuMemsetD32_v2(p + 8, 0x12345678, 2));
	cuMemcpyDtoH_v2(back, p, 16);
	printf("%x %x %x %x\n", back[0], back[1], back[2], back[3]);
	show("rows", cuMemAllocPitch_v2(&pitched, &pitch, 12, 4, 4));
	cuMemsetD2D32_v2(pitched, pitch, 7, 3, 4);
	memset(&c, 0, sizeof(c));
	c.from.memory = 2;
	c.from.device = pitched;
	c.from.pitch = pitch;
	c.from.y = 1;
	c.to.memory = 1;
	c.to.host = back;
	c.to.pitch = 16;
	c.to.x_bytes = 4;
	c.width = 12;
	c.height = 2;
	memset(back, 0, sizeof(back));
	show("box", cuMemcpy2D_v2(&c));
	printf("%u %u %u %u %u\n", back[0], back[1], back[3], back[4], back[7]);
	show("range", cuMemGetAddressRange_v2(&base, &n, p + 100));
	printf("base %d, %zu bytes\n", base == p, n);
	show("managed", cuMemAllocManaged(&managed, 4096, 1));
	*(uint32_t *)(uintptr_t)managed = 77;
	cuMemcpyDtoH_v2(back, managed, 4);
	cuPointerGetAttribute(&is_managed, 8, managed);
	cuPointerGetAttribute(&type, 2, p);
	printf("%u, managed %u, type %u\n", back[0], is_managed, type);
	show("pinned", cuMemHostAlloc(&pinned, 4096, 2));
	show("mapped", cuMemHostGetDevicePointer_v2(&mapped, pinned, 0));
	show("free", cuMemFreeHost(pinned));
	cuMemGetInfo_v2(&left, &all);
	printf("left %d\n", left && left < all);
	show("free", cuMemFree_v2(p));
	show("twice", cuMemFree_v2(p));
}

static void what_is_wrong_is_refused(void)
{
	void *module = open_module(), *f, *x;
	address p;
	int status = -1;
	const char *text = "";
	char log[16] = "old";
	int options[] = {5, 6};
	void *values[] = {log, (void *)sizeof(log)};
	void *args[] = {&p};

	show("null", cuModuleLoadData(&x, NULL));
	show("image", cuModuleLoadData(&x, "neither PTX nor a fat binary"));
	show("machine code", cuModuleLoadData(&x, "\177ELF and so on"));
	show("file", cuModuleLoad(&x, "/nowhere/to/be/found.ptx"));
	show("module", cuModuleGetFunction(&f, &x, "fill"));
	show("function", cuModuleGetFunction(&f, module, "absent"));
	show("global", cuModuleGetGlobal_v2(&p, NULL, module, "absent"));
	show("options", cuModuleLoadDataEx(&x, ptx_of(), 2, options, values));
	printf("log '%s', %d\n", log, values[1] == NULL);
	cuModuleGetFunction(&f, module, "fill");
	show("no arguments", cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
	show("both", cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, args, args));
	show("no threads", cuLaunchKernel(f, 1, 1, 1, 0, 1, 1, 0, NULL, (void *[]){&p, &p}, NULL));
	show("no function", cuLaunchKernel(&x, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL));
	show("attribute", cuFuncGetAttribute(&status, 99, f));
	show("nothing", cuMemAlloc_v2(&p, 0));
	show("element", cuMemAllocPitch_v2(&p, &(size_t){0}, 4, 4, 5));
	show("null", cuMemFree_v2(0));
	show("far", cuMemcpyHtoD_v2(0x123456000, &p, 8));
	show("not aligned", (cuMemAlloc_v2(&p, 16), cuMemsetD32_v2(p + 1, 1, 1)));
	show("stream", cuStreamSynchronize(&x));
	show("event", cuEventRecord(&x, NULL));
	printf("name %d", cuGetErrorName(12345, &text));
	printf(", %d\n", text == NULL);
	show("not supported", cuCoredumpGetAttribute(&x));
	cuCoredumpGetAttribute(&x);
	show("address", cuGetProcAddress_v2("cuMemAlloc", &x, 12000, 0, &status));
	printf("status %d, the newest %d\n", status, x == (void *)cuMemAlloc_v2);
	cuGetProcAddress_v2("cuCtxCreate", &x, 11000, 0, &status);
	printf("of 11.0 %d", x == (void *)cuCtxCreate_v2);
	cuGetProcAddress_v2("cuCtxCreate", &x, 13000, 0, &status);
	printf(", of 13.0 %d\n", x == (void *)cuCtxCreate_v4);
	show("absent", cuGetProcAddress_v2("cuNone", &x, 13000, 0, &status));
	printf("status %d, %d\n", status, x == NULL);
	show("PTX", cuModuleLoadData(&x, ".version 6.0\n.target sm_50\n.address_size 64\nwrong\n"));
}

#ifdef MIXED
/* The runtime's streams and memory, the driver's module. */
static void both_share_everything(void)
{
	void *module = NULL, *f, *stream, *context = NULL, *found = NULL;
	address p;
	uint32_t out[2];
	int status = -1;

	printf("malloc: %s\n", cudaGetErrorName(cudaMalloc((void **)&p, 128)));
	__cudaRegisterFatBinary((void *)(uintptr_t)&wrapper);
	show("init", cuInit(0));
	show("current", cuCtxGetCurrent(&context));
	printf("primary %d\n", context != NULL);
	show("module", cuModuleLoadData(&module, ptx_of()));
	cuModuleGetFunction(&f, module, "fill");
	cudaStreamCreate(&stream);
	show("launch", launch(f, p, 4, stream));
	show("wrong", cuMemFree_v2(1));
	printf("last: %s\n", cudaGetErrorName(cudaGetLastError()));
	cudaStreamSynchronize(stream);
	cudaMemcpy(out, (void *)(uintptr_t)p, 8, 2);
	printf("%u %u\n", out[0], out[1]);
	printf("entry: %s\n", cudaGetErrorName(cudaGetDriverEntryPointByVersion(
				      "cuMemFree", &found, 12000, 0, &status)));
	printf("status %d, free %d\n", status, ((int (*)(address))found)(p));
	printf("none: %s", cudaGetErrorName(cudaGetDriverEntryPointByVersion(
				   "cuNone", &found, 12000, 0, &status)));
	printf(", status %d\n", status);
	cuCtxCreate_v2(&context, 0, 0);
	cudaMalloc((void **)&p, 128);
	cudaStreamCreate(&stream);
	show("made context", cuCtxDestroy_v2(context));
	show("memory", cuMemFree_v2(p));
	show("stream", cuStreamSynchronize(stream));
}
#endif

static const char fetches[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
			      ".visible .entry fetch(.param .u64 out, .param .u64 texture)\n{\n"
			      "\t.reg .b64 %o, %t;\n\t.reg .f32 %f<4>;\n"
			      "\tld.param.u64 %o, [out];\n\tld.param.u64 %t, [texture];\n"
			      "\ttex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%t, {2.5, 1.5}];\n"
			      "\tst.global.f32 [%o], %f0;\n\tret;\n}\n";

static void arrays_and_textures(void)
{
	static const struct array_2d plane = {4, 4, 32, 1};
	static const struct array_3d volume = {4, 4, 2, 1, 4, 0}, pyramid = {4, 4, 0, 32, 1, 0};
	unsigned char bytes[2][4][16], back[2][4][16];
	struct copy rows = {.width = 16, .height = 4};
	struct copy_3d boxes = {.width = 16, .height = 4, .depth = 2};
	struct array_3d seen;
	struct resource of = {.type = 0};
	struct texture reading = {.mode = {1, 1, 1}};
	void *array, *deep, *mipmap, *level, *context, *module, *function;
	float texels[16], got = 0;
	address texture, out, surface;
	void *args[] = {&out, &texture};

	cuInit(0);
	cuCtxCreate_v2(&context, 0, 0);
	for (int i = 0; i < 16; i++)
		texels[i] = (float)(i * i);
	for (int i = 0; i < 128; i++)
		bytes[0][0][i] = (unsigned char)(3 * i);
	show("array", cuArrayCreate_v2(&array, &plane));
	rows.from = (struct side){.memory = 1, .host = texels, .pitch = 16};
	rows.to = (struct side){.memory = 3, .array = array};
	show("in", cuMemcpy2D_v2(&rows));
	show("row", cuMemcpyAtoH_v2(&got, array, 8, 4));
	printf("got %g\n", (double)got);
	of.of.array = array;
	show("texture", cuTexObjectCreate(&texture, &of, &reading, NULL));
	show("module", cuModuleLoadData(&module, fetches));
	cuModuleGetFunction(&function, module, "fetch");
	cuMemAlloc_v2(&out, 4);
	show("launch", cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL));
	cuMemcpyDtoH_v2(&got, out, 4);
	printf("fetched %g\n", (double)got);
	show("destroy", cuTexObjectDestroy(texture));
	show("volume", cuArray3DCreate_v2(&deep, &volume));
	show("described", cuArray3DGetDescriptor_v2(&seen, deep));
	printf("%d x %d x %d, format %d, %u channels\n", (int)seen.width, (int)seen.height,
		(int)seen.depth, seen.format, seen.channels);
	boxes.from = (struct side_3d){.memory = 1, .host = bytes, .pitch = 16, .height = 4};
	boxes.to = (struct side_3d){.memory = 3, .array = deep};
	show("in", cuMemcpy3D_v2(&boxes));
	boxes.to = (struct side_3d){.memory = 1, .host = back, .pitch = 16, .height = 4};
	boxes.from = (struct side_3d){.memory = 3, .array = deep};
	show("out", cuMemcpy3D_v2(&boxes));
	printf("same %d\n", !memcmp(bytes, back, sizeof(bytes)));
	boxes.from.z = 1;
	show("beyond", cuMemcpy3D_v2(&boxes));
	of.of.array = deep;
	show("surface", cuSurfObjectCreate(&surface, &of));
	show("destroy", cuSurfObjectDestroy(surface));
	show("mipmap", cuMipmappedArrayCreate(&mipmap, &pyramid, 3));
	show("level", cuMipmappedArrayGetLevel(&level, mipmap, 2));
	show("none", cuMipmappedArrayGetLevel(&level, mipmap, 3));
	show("destroy", cuMipmappedArrayDestroy(mipmap));
	show("destroy", cuArrayDestroy(array));
	show("again", cuArrayDestroy(array));
	show("format", cuArrayCreate_v2(&array, &(struct array_2d){4, 4, 7, 1}));
}

/* What a context owns, of each kind. */
struct things {
	address memory, managed, texture, surface;
	void *host, *array, *mipmap, *stream, *event, *module, *function;
};

static size_t unused(void)
{
	size_t left = 0, all;

	cuMemGetInfo_v2(&left, &all);
	return left;
}

static void make(struct things *t)
{
	static const struct array_2d plane = {64, 64, 32, 1};
	static const struct array_3d pyramid = {64, 64, 0, 32, 1, 0};
	struct resource of = {.type = 0};
	struct texture reading = {.mode = {1, 1, 1}};
	int bad = cuMemAlloc_v2(&t->memory, 1 << 20);

	bad += cuMemAllocManaged(&t->managed, 1 << 16, 1) + cuMemAllocHost_v2(&t->host, 1 << 16);
	bad += cuArrayCreate_v2(&t->array, &plane);
	bad += cuMipmappedArrayCreate(&t->mipmap, &pyramid, 3);
	of.of.array = t->array;
	bad += cuTexObjectCreate(&t->texture, &of, &reading, NULL);
	bad += cuSurfObjectCreate(&t->surface, &of);
	bad += cuStreamCreate(&t->stream, 0) + cuEventCreate(&t->event, 0);
	bad += cuModuleLoadData(&t->module, ptx_of());
	bad += cuModuleGetFunction(&t->function, t->module, "fill");
	bad += launch(t->function, t->memory, 7, t->stream);
	show("made", bad);
}

static void show_gone(const struct things *t)
{
	show("memory", cuMemFree_v2(t->memory));
	show("managed", cuMemFree_v2(t->managed));
	show("host", cuMemFreeHost(t->host));
	show("array", cuArrayDestroy(t->array));
	show("mipmap", cuMipmappedArrayDestroy(t->mipmap));
	show("texture", cuTexObjectDestroy(t->texture));
	show("surface", cuSurfObjectDestroy(t->surface));
	show("stream", cuStreamSynchronize(t->stream));
	show("event", cuEventSynchronize(t->event));
	show("module", cuModuleUnload(t->module));
	show("function", launch(t->function, t->memory, 7, NULL));
}

static void contexts_own(void)
{
	struct things kept = {0}, lost = {0};
	void *first, *second, *primary;
	size_t left;

	cuInit(0);
	cuCtxCreate_v2(&first, 0, 0);
	make(&kept);
	left = unused();
	cuCtxCreate_v2(&second, 0, 0);
	make(&lost);
	printf("taken %d\n", unused() < left);
	cuEventDestroy_v2(lost.event);
	show("destroy", cuCtxDestroy_v2(second));
	printf("given back %d\n", unused() == left);
	show_gone(&lost);
	show("kept", launch(kept.function, kept.memory, 9, kept.stream));
	printf("filled %d\n", is_filled(kept.memory, 9, 1));
	show("retain", cuDevicePrimaryCtxRetain(&primary, 0));
	cuCtxPushCurrent_v2(primary);
	show("own", cuMemAlloc_v2(&lost.memory, 1 << 20));
	cuCtxPopCurrent_v2(&primary);
	show("release", cuDevicePrimaryCtxRelease_v2(0));
	printf("given back %d\n", unused() == left);
	show("kept", cuCtxDestroy_v2(first));
}

int main(int argc, char **argv)
{
	const char *part = argc > 1 ? argv[1] : "";

	if (!strcmp(part, "contexts"))
		device_and_contexts();
	else if (!strcmp(part, "modules"))
		modules_and_launches();
	else if (!strcmp(part, "memory"))
		memory_is_copied_and_filled();
	else if (!strcmp(part, "arrays"))
		arrays_and_textures();
	else if (!strcmp(part, "owners"))
		contexts_own();
	else if (!strcmp(part, "wrong"))
		what_is_wrong_is_refused();
#ifdef MIXED
	else if (!strcmp(part, "both"))
		both_share_everything();
#endif
	return 0;
}

#endif
