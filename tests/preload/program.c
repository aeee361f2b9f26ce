/* A CUDA program as nvcc and clang make them, in C: it registers a fat binary, which is beside it
 * as a file, and does what its first argument says. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef CUDA_FATBIN /* compiled by a test, with our library */
#include "fatbin.h"

typedef struct {
	unsigned x, y, z;
} dim3;
void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFatBinaryEnd(void **);
void __cudaRegisterFunction(
	void **, const char *, char *, const char *, int, void *, void *, void *, void *, int *);
void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int, int);
unsigned __cudaPushCallConfiguration(dim3, dim3, size_t, void *);
int __cudaPopCallConfiguration(dim3 *, dim3 *, size_t *, void **);
int __cudaGetKernel(const void **, const void *);
int __cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, void *);
int cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, void *);
int cudaMalloc(void **, size_t), cudaFree(void *), cudaDeviceSynchronize(void);
int cudaMemcpy(void *, const void *, size_t, int), cudaMemset(void *, int, size_t);
int cudaMemcpyAsync(void *, const void *, size_t, int, void *);
int cudaMemcpyToSymbol(const void *, const void *, size_t, size_t, int);
int cudaMemcpyFromSymbol(void *, const void *, size_t, size_t, int);
int cudaGetLastError(void), cudaPeekAtLastError(void),
	cudaGraphConditionalHandleCreate(void **, unsigned);
int cudaStreamCreate(void **), cudaStreamDestroy(void *), cudaStreamSynchronize(void *);
int cudaEventCreate(void **), cudaEventRecord(void *, void *), cudaEventSynchronize(void *);
int cudaEventElapsedTime(float *, void *, void *), cudaEventDestroy(void *);
int cudaMallocManaged(void **, size_t, unsigned), cudaHostAlloc(void **, size_t, unsigned);
int cudaHostGetDevicePointer(void **, void *, unsigned);
int cudaPointerGetAttributes(void *, const void *);
int cudaHostRegister(void *, size_t, unsigned), cudaHostUnregister(void *);
int cudaFreeHost(void *), cudaMallocHost(void **, size_t), cudaGetDeviceCount(int *);
const char *cudaGetErrorName(int);

static char fill_stub, spin_stub, say_stub, absent_stub; /* their addresses name kernels */
static char step[4];
static const dim3 one = {1, 1, 1}, warp = {32, 1, 1};

__attribute__((constructor)) static void enter(void)
{
	void **handle = __cudaRegisterFatBinary((void *)(uintptr_t)&wrapper);

	__cudaRegisterFunction(handle, &fill_stub, NULL, "fill", -1, 0, 0, 0, 0, 0);
	__cudaRegisterFunction(handle, &spin_stub, NULL, "spin", -1, 0, 0, 0, 0, 0);
	__cudaRegisterFunction(handle, &say_stub, NULL, "say", -1, 0, 0, 0, 0, 0);
	__cudaRegisterFunction(handle, &absent_stub, NULL, "absent", -1, 0, 0, 0, 0, 0);
	__cudaRegisterVar(handle, step, NULL, "step", 0, 4, 0, 0);
	__cudaRegisterFatBinaryEnd(handle);
}

/* "name: cudaError": what a call returned. */
static void show(const char *name, int error)
{
	printf("%s: %s\n", name, cudaGetErrorName(error));
}

/* out[i] = first + step * i, by the older way of launching, or CUDA 13's. */
static int fill(void *out, int first, int newer, void *stream)
{
	void *args[] = {&out, &first};
	dim3 grid, block;
	const void *kernel;
	size_t shared;

	if (newer)
		return __cudaGetKernel(&kernel, &fill_stub) ||
		       __cudaLaunchKernel(kernel, one, warp, args, 0, stream);
	__cudaPushCallConfiguration(one, warp, 0, stream);
	__cudaPopCallConfiguration(&grid, &block, &shared, &stream);
	return cudaLaunchKernel(&fill_stub, grid, block, args, shared, stream);
}

static int is_filled(const int *at, int first, int by)
{
	for (int i = 0; i < 32; i++)
		if (at[i] != first + by * i)
			return 0;
	return 1;
}

static void plain(void)
{
	int host[32], by = 3;
	void *p, *s[2], *e[2];
	float ms = -1;

	show("malloc", cudaMalloc(&p, sizeof(host)));
	show("launch", fill(p, 7, 0, NULL));
	show("copy", cudaMemcpy(host, p, sizeof(host), 2));
	printf("filled: %d\n", is_filled(host, 7, 1));
	cudaMemcpyToSymbol(step, &by, 4, 0, 1);
	cudaEventCreate(&e[0]);
	cudaEventCreate(&e[1]);
	cudaStreamCreate(&s[0]);
	cudaStreamCreate(&s[1]);
	cudaEventRecord(e[0], s[1]);
	show("launch", fill(p, 5, 1, s[1]));
	cudaEventRecord(e[1], s[1]);
	cudaMemcpyAsync(host, p, sizeof(host), 4, s[1]);
	printf("filled: %d\n", is_filled(host, 5, 3));
	by = 0;
	cudaMemcpyFromSymbol(&by, step, 4, 0, 2);
	show("elapsed", cudaEventElapsedTime(&ms, e[0], e[1]));
	printf("step %d, time %d\n", by, ms > 0 && ms < 1);
	cudaMemset(p, 1, sizeof(host));
	cudaMemcpy(host, p, sizeof(host), 2);
	printf("set: %d\n", is_filled(host, 0x01010101, 0));
	show("free", cudaFree(p));
	show("destroy", cudaStreamDestroy(s[0]));
}

static void wrong(void)
{
	int host[32] = {0};
	void *p, *args[] = {&p, host};

	cudaMalloc(&p, sizeof(host));
	show("null", cudaMalloc(NULL, 4));
	show("last", cudaGetLastError());
	show("forgotten", cudaGetLastError());
	show("too many bytes", cudaMemcpy(p, host, sizeof(host) + 1, 1));
	show("direction", cudaMemcpy(p, host, 4, 9));
	show("free inside", cudaFree((char *)p + 4));
	show("free twice", cudaFree(p) ? 0 : cudaFree(p));
	show("free nothing", cudaFree(NULL));
	show("freed", cudaMemset(p, 0, 4));
	show("stream", cudaStreamSynchronize(&p));
	show("event", cudaEventDestroy(&p));
	show("pinned", cudaFreeHost(&p));
	show("symbol", cudaMemcpyToSymbol(&p, host, 4, 0, 1));
	show("beyond a symbol", cudaMemcpyToSymbol(step, host, 4, 1, 1));
	show("kernel", cudaLaunchKernel(&p, one, warp, args, 0, NULL));
	show("no such kernel", cudaLaunchKernel(&absent_stub, one, warp, args, 0, NULL));
	show("no threads", cudaLaunchKernel(&fill_stub, one, (dim3){0, 1, 1}, args, 0, NULL));
	show("threads", cudaLaunchKernel(&fill_stub, one, (dim3){2048, 1, 1}, args, 0, NULL));
	show("shared", cudaLaunchKernel(&fill_stub, one, warp, args, 1 << 24, NULL));
	show("graph", cudaGraphConditionalHandleCreate(&p, 0));
	show("graph", cudaGraphConditionalHandleCreate(&p, 0));
	show("peek", cudaPeekAtLastError());
}

static void outside(void)
{
	void *p = (void *)64;

	show("launch", fill(p, 0, 0, NULL));
	show("wait", cudaDeviceSynchronize());
	show("malloc", cudaMalloc(&p, 4));
	cudaGetLastError();
	show("last", cudaGetLastError());
}

/* Gives a kernel memory of the host. */
static void heap(void)
{
	fill(malloc(4096), 0, 0, NULL);
	show("wait", cudaDeviceSynchronize());
}

/* A warp that waits for the word at its argument. */
static void spin(void)
{
	void *p, *args[] = {&p};

	printf("pid %d\n", (int)getpid());
	fflush(stdout);
	cudaMalloc(&p, 4);
	cudaLaunchKernel(&spin_stub, one, warp, args, 0, NULL);
	show("wait", cudaDeviceSynchronize());
}

/* Sends what the library never would, of a seed; the last reply is not awaited. */
static void hostile(void)
{
	uint64_t m[7], state = 88172645463325252u;
	int fd = -1, window;
	void *p;

	cudaMalloc(&p, 4096);
	fill(p, 0, 0, NULL);
	sscanf(getenv("WARPBEAM_CUDA"), "%d,%d", &fd, &window);
	for (int i = 0; i < 20000; i++) {
		for (int k = 0; k < 7; k++) {
			state ^= state << 13;
			state ^= state >> 7;
			state ^= state << 17;
			m[k] = state >> (state & 1 ? 0 : state % 64);
		}
		m[0] = i % 29; /* an operation, and one that is none */
		m[0] = m[0] == 26 ? 4 : m[0];
		if (i % 3 == 0)
			m[1] = (uintptr_t)p + m[1] % 5000;
		if (write(fd, m, sizeof(m)) != sizeof(m) || read(fd, m, sizeof(m)) != sizeof(m))
			break;
	}
	printf("sent\n");
}

static void forked(void)
{
	void *p;
	int n = 0;

	cudaMalloc(&p, 4);
	fflush(stdout);
	if (!fork()) {
		show("in the child", cudaMalloc(&p, 4));
		fflush(stdout);
		_exit(0);
	}
	sleep(1);
	show("in the parent", cudaGetDeviceCount(&n));
}

/* A kernel writes behind an allocation. */
static void beyond(void)
{
	int *p;

	show("malloc", cudaMalloc((void **)&p, 100));
	fill(p, 40, 0, NULL);
	show("wait", cudaDeviceSynchronize());
	show("copy beyond", cudaMemset(p, 0, 128));
}

/* Ends before a process that it started, which ignores SIGTERM. */
static void leaves(void)
{
	void *p;
	pid_t left;

	cudaMalloc(&p, 4);
	signal(SIGTERM, SIG_IGN);
	left = fork();
	if (!left) {
		sleep(60);
		_exit(0);
	}
	printf("left %d\n", (int)left);
}

static void executed(void)
{
	void *p;

	cudaMalloc(&p, 4);
	fflush(stdout);
	execl("/proc/self/exe", "app", "plain", (char *)NULL);
}

static void closed(void)
{
	void *p;

	cudaMalloc(&p, 4);
	for (int fd = 3; fd < 64; fd++)
		close(fd);
	show("closed", cudaMalloc(&p, 4));
}

static void say(void)
{
	printf("before\n");
	cudaLaunchKernel(&say_stub, one, one, NULL, 0, NULL);
	printf("queued\n");
	cudaDeviceSynchronize();
	printf("after\n");
	cudaLaunchKernel(&say_stub, one, one, NULL, 0, NULL);
}

/* What the address belongs to (1: pinned, 2: device, 3: managed), whose it is. */
static void kind_of(const char *name, void *p)
{
	struct {
		int type, device;
		void *on_device, *on_host;
		long rest[8];
	} a = {.type = 9};

	cudaPointerGetAttributes(&a, p);
	printf("%s: %d%s%s\n", name, a.type,
		a.on_device ? a.on_device == p ? " device" : " other" : "",
		a.on_host == p ? " host" : "");
}

/* At one address for both; the host's touch while a launch is pending is a fault. */
static void managed(void)
{
	int *p, *q, *pinned, *device;

	show("managed", cudaMallocManaged((void **)&p, 128, 1));
	show("mapped", cudaHostAlloc((void **)&pinned, 4096, 2));
	show("pointer", cudaHostGetDevicePointer((void **)&q, pinned, 0));
	kind_of("managed", p + 5);
	kind_of("mapped", pinned);
	cudaMalloc((void **)&device, 64);
	kind_of("device", device + 4);
	kind_of("other", &p);
	show("pinned", cudaMallocHost((void **)&device, 128));
	kind_of("pinned", device + 4);
	fill(device, 70, 0, NULL);
	device[0] = 3; /* no fault */
	cudaDeviceSynchronize();
	printf("filled: %d\n", is_filled(device, 70, 1));
	p[0] = 1;
	fill(p, 40, 0, NULL);
	fill(q, 50, 0, NULL);
	cudaDeviceSynchronize();
	printf("filled: %d %d\n", is_filled(p, 40, 1), is_filled(pinned, 50, 1));
	show("free", cudaFreeHost(pinned));
	show("free", cudaFree(p));
	show("again", cudaFree(p));
	cudaMallocManaged((void **)&p, 128, 1);
	fflush(stdout);
	fill(p, 1, 0, NULL);
	p[1] = 2;
	printf("not reached\n");
}

/* The host's own pages, that it registers: its content and address stay, the device has another. */
static void registered(void)
{
	char *at = NULL;
	int *there = NULL;

	if (posix_memalign((void **)&at, 4096, 12288))
		return;
	memset(at, 5, 12288);
	show("register", cudaHostRegister(at, 8192, 2));
	kind_of("registered", at + 4096);
	show("twice", cudaHostRegister(at + 4096, 8192, 2));
	show("pointer", cudaHostGetDevicePointer((void **)&there, at + 4096, 0));
	printf("kept: %d, another: %d\n", at[0] == 5 && at[8191] == 5, there != (int *)(at + 4096));
	fill(there, 60, 0, NULL);
	cudaDeviceSynchronize();
	printf("filled: %d\n", is_filled((int *)(at + 4096), 60, 1));
	show("unregister", cudaHostUnregister(at));
	printf("kept: %d\n",
		is_filled((int *)(at + 4096), 60, 1) && at[4095] == 5 && at[8191] == 5);
	kind_of("not registered", at + 4096);
	show("freed", cudaMemset(there, 0, 4));
	show("part of a page", cudaHostRegister(at + 8, 4096, 2));
	show("pointer", cudaHostGetDevicePointer((void **)&there, at + 8, 0));
	show("not readable", cudaHostRegister((void *)4096, 4096, 2));
	free(at);
}

/* What the host writes into memory of both without a call, more than a page of it. */
static void shares(void)
{
	int *p, *pinned, host[32] = {0}, got = 0;
	char *large;

	cudaMallocManaged((void **)&p, 128, 1);
	cudaMallocManaged((void **)&large, 100000, 1);
	cudaHostAlloc((void **)&pinned, 4096, 2);
	for (int i = 0; i < 3; i++) {
		fill(p, 10 * i, 0, NULL);
		cudaDeviceSynchronize();
		p[31] += 7;
		pinned[5] = p[31];
		memset(large + 20000, i, 30000);
		cudaMemcpy(large + 99000, p, 128, 4);
		cudaMemcpyToSymbol(step, &pinned[5], 4, 0, 4);
		fill(pinned, 1, 0, NULL);
		cudaDeviceSynchronize();
		memcpy(&got, large + 99000 + 124, 4);
		printf("got %d %d %d\n", got, pinned[1], p[31]);
	}
	cudaMemcpy(host, pinned, 128, 2);
	fill(p, host[3], 0, NULL);
	show("free", cudaFree(p));
}

static void once(void)
{
	void *p;

	cudaMalloc(&p, 128);
	fill(p, 299, 1, NULL);
}

/* Ends without the library's goodbye, after a wait for its own launch. */
static void leave(void)
{
	void *p;
	int host[32];

	cudaMalloc(&p, sizeof(host));
	fill(p, 4, 0, NULL);
	cudaMemcpy(host, p, sizeof(host), 2);
	_exit(!is_filled(host, 4, 1));
}

/* What a scenario of the recording must have: addresses in memory, copies and fills between
 * launches, an allocation at the addresses of a freed one. */
static void again(void)
{
	uint64_t *a, *b, *c, words[16] = {0};

	cudaMalloc((void **)&a, 128);
	cudaMalloc((void **)&b, 256);
	words[1] = (uint64_t)(uintptr_t)a + 4;
	words[2] = (uint64_t)(uintptr_t)b;
	cudaMemcpy(b, words, sizeof(words), 1);
	fill(a, 7, 0, NULL);
	cudaMemcpy(b + 16, a, 64, 3);
	cudaMemset(b, 7, 64);
	fill(a, 9, 0, NULL);
	cudaDeviceSynchronize();
	cudaFree(a);
	cudaMalloc((void **)&c, 100);
	printf("again: %d\n", c == a);
	cudaMemcpy(c, words, 32, 1);
	fill(b, 11, 0, NULL);
	cudaMemcpy(words, b, sizeof(words), 2);
}

static void idle(void)
{
	show("synchronize", cudaDeviceSynchronize());
}

static void many(void)
{
	void *p;
	int host[32] = {0};

	cudaMalloc(&p, sizeof(host));
	for (int i = 0; i < 300; i++)
		fill(p, i, i & 1, NULL);
	cudaMemcpy(host, p, sizeof(host), 2);
	printf("filled: %d\n", is_filled(host, 299, 1));
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	static const struct {
		const char *name;
		void (*act)(void);
	} acts[] = {{"plain", plain}, {"wrong", wrong}, {"outside", outside}, {"heap", heap},
		{"spin", spin}, {"forked", forked}, {"closed", closed}, {"executed", executed},
		{"leaves", leaves}, {"beyond", beyond}, {"say", say}, {"managed", managed},
		{"registered", registered}, {"one", once}, {"hostile", hostile}, {"many", many},
		{"shares", shares}, {"leave", leave}, {"again", again}, {"idle", idle}};

	for (size_t i = 0; i < sizeof(acts) / sizeof(*acts); i++)
		if (!strcmp(acts[i].name, what))
			acts[i].act();
	if (!strcmp(what, "fails"))
		plain();
	if (!strcmp(what, "fails") || !strcmp(what, "status"))
		return atoi(argv[2]);
	if (!strcmp(what, "abort"))
		abort();
	return 0;
}

#endif
