/* A CUDA program of several threads, and for what kernels do wrong or allocate: a failed assertion,
 * malloc() and free(). */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef CUDA_FATBIN /* compiled by a test, with our library */
#include "fatbin.h"

typedef struct {
	unsigned x, y, z;
} dim3;
void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFunction(
	void **, const char *, char *, const char *, int, void *, void *, void *, void *, int *);
int cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, void *);
int cudaLaunchKernel_ptsz(const void *, dim3, dim3, void **, size_t, void *);
int cudaMalloc(void **, size_t), cudaFree(void *), cudaDeviceSynchronize(void);
int cudaMemcpy(void *, const void *, size_t, int),
	cudaMemcpy_ptds(void *, const void *, size_t, int);
int cudaMemset(void *, int, size_t), cudaMemset_ptds(void *, int, size_t);
int cudaMemcpyAsync(void *, const void *, size_t, int, void *);
int cudaStreamCreate(void **), cudaStreamSynchronize(void *), cudaStreamSynchronize_ptsz(void *);
int cudaDeviceSetLimit(int, size_t), cudaDeviceGetLimit(size_t *, int), cudaGetLastError(void);
int cudaDeviceReset(void);
const char *cudaGetErrorName(int);

enum { ADD, WAIT, CHECK, GET, SEE, PUT, TWICE, KERNELS };
static const char *const names[] = {"add", "wait", "check", "get", "see", "put", "twice"};
static char stub[KERNELS];
static const dim3 one = {1, 1, 1}, warp = {32, 1, 1};

__attribute__((constructor)) static void enter(void)
{
	void **handle = __cudaRegisterFatBinary((void *)(uintptr_t)&wrapper);

	for (int i = 0; i < KERNELS; i++)
		__cudaRegisterFunction(handle, &stub[i], NULL, names[i], -1, 0, 0, 0, 0, 0);
}

static void show(const char *name, int error)
{
	printf("%s: %s\n", name, cudaGetErrorName(error));
	fflush(stdout);
}

static int launch(int kernel, dim3 grid, void *p, uint32_t by, void *stream)
{
	void *args[] = {&p, &by};

	return cudaLaunchKernel(&stub[kernel], grid, warp, args, 0, stream);
}

/* ---- threads, each with memory and a stream of its own */
#define THREADS 8
#define ROUNDS 20

struct thread {
	pthread_t handle;
	uint32_t seed, sum, want;
	int wrong;
};

static void *race(void *thread)
{
	struct thread *t = thread;
	void *s;

	t->wrong += cudaStreamCreate(&s);
	for (uint32_t i = 0; i < ROUNDS; i++) {
		uint32_t in[32], out[32];
		void *p;

		for (int k = 0; k < 32; k++)
			in[k] = t->seed + (uint32_t)k;
		t->wrong += cudaMalloc(&p, sizeof(in)) || cudaMemcpyAsync(p, in, sizeof(in), 1, s);
		t->wrong += launch(ADD, one, p, i, s) || launch(ADD, one, p, 1, s);
		t->wrong += cudaMemcpyAsync(out, p, sizeof(out), 2, s) || cudaFree(p);
		for (int k = 0; k < 32; k++)
			t->wrong += out[k] != in[k] + i + 1;
		t->sum += out[31];
		t->want += t->seed + 31 + i + 1;
	}
	return NULL;
}

static void races(void)
{
	struct thread t[THREADS] = {{0}};
	int wrong = 0;

	for (uint32_t i = 0; i < THREADS; i++) {
		t[i].seed = 1000 * i;
		pthread_create(&t[i].handle, NULL, race, &t[i]);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(t[i].handle, NULL);
		wrong += t[i].wrong + (t[i].sum != t[i].want);
	}
	printf("wrong %d\n", wrong);
}

/* ---- default streams of threads */
static void *p_flag;

/* Without waiting for the launch that waits for it. */
static void *release(void *unused)
{
	uint32_t word = 1;

	(void)unused;
	show("other", cudaMemcpy_ptds(p_flag, &word, 4, 1));
	show("other", cudaStreamSynchronize_ptsz(NULL));
	return NULL;
}

static void own(void)
{
	void *args[] = {&p_flag};
	pthread_t t;

	cudaMalloc(&p_flag, 4);
	cudaMemset_ptds(p_flag, 0, 4);
	show("launch", cudaLaunchKernel_ptsz(&stub[WAIT], one, one, args, 0, NULL));
	pthread_create(&t, NULL, release, NULL);
	pthread_join(t, NULL);
	show("named", cudaStreamSynchronize((void *)2));
	for (int i = 0; i < 100; i++) { /* a thread that ends leaves its stream to others */
		pthread_create(
			&t, NULL, (void *(*)(void *))(uintptr_t)cudaStreamSynchronize_ptsz, NULL);
		pthread_join(t, NULL);
	}
	show("legacy", cudaStreamSynchronize(NULL));
}

/* ---- assertions, allocations */
static void asserts(void)
{
	uint32_t word = 0;
	void *p;

	cudaMalloc(&p, 4);
	show("fine", launch(CHECK, one, p, 40, NULL) ? 1 : cudaDeviceSynchronize());
	show("launch", launch(CHECK, one, p, 5, NULL));
	show("wait", cudaDeviceSynchronize());
	show("copy", cudaMemcpy(&word, p, 4, 2));
	cudaGetLastError();
	show("sticky", cudaGetLastError());
	show("again", launch(CHECK, one, p, 40, NULL));
}

static void heap(void)
{
	uint64_t at[64] = {0};
	size_t bytes = 0;
	int found = 0, wrong = 0;
	void *p;

	for (int turn = 0; turn < 2; turn++) { /* never freed, but the device is reset */
		cudaMalloc(&p, sizeof(at));
		launch(GET, (dim3){2, 1, 1}, p, 200000, NULL);
		show("used", cudaDeviceSetLimit(2, 65536));
		cudaMemcpy(at, p, sizeof(at), 2);
		for (int i = found = 0; i < 64; i++)
			found += at[i] != 0;
		show("reset", cudaDeviceReset());
		cudaDeviceGetLimit(&bytes, 2);
		printf("found %d, of %d bytes\n", found, (int)bytes);
	}
	show("limit", cudaDeviceSetLimit(2, 65536));
	cudaDeviceGetLimit(&bytes, 2);
	printf("bytes %zu\n", bytes);
	cudaMalloc(&p, sizeof(at));
	for (int round = 0; round < 3; round++) {
		launch(GET, (dim3){2, 1, 1}, p, 1500, NULL);
		launch(SEE, (dim3){2, 1, 1}, p, 0, NULL);
		cudaMemcpy(at, p, sizeof(at), 2);
		for (int i = found = 0; i < 64; i++) {
			found += at[i] != 0;
			wrong += at[i] % 16 != 0;
		}
		printf("found %d wrong %d\n", found, wrong);
		launch(PUT, (dim3){2, 1, 1}, p, 0, NULL);
	}
	show("late", cudaDeviceSetLimit(2, 1 << 20));
	show("host", cudaMemset((void *)(uintptr_t)at[0], 0, 4));
	cudaGetLastError();
	show("freed", cudaDeviceSynchronize());
	launch(TWICE, one, p, 0, NULL);
	show("twice", cudaDeviceSynchronize());
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "races"))
		races();
	if (!strcmp(what, "own"))
		own();
	if (!strcmp(what, "asserts"))
		asserts();
	if (!strcmp(what, "heap"))
		heap();
	return 0;
}

#endif
