/* A CUDA program for what its launches are: timed or not, ordered by streams, cooperative, wrong.
 */
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
void __cudaRegisterFunction(
	void **, const char *, char *, const char *, int, void *, void *, void *, void *, int *);
int cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, void *);
int cudaLaunchCooperativeKernel(const void *, dim3, dim3, void **, size_t, void *);
typedef struct {
	int id, unused;
	union {
		int number;
		dim3 dim;
		char room[64];
	} value;
} attribute;
typedef struct {
	dim3 grid, block;
	size_t shared;
	void *stream;
	attribute *attributes;
	unsigned nattributes;
} launch_config;
typedef struct {
	size_t shared, constant, local;
	int most_threads, registers, ptx, binary, rest[25];
} function_attributes;
int cudaFuncGetAttributes(function_attributes *, const void *);
int cudaLaunchKernelExC(const launch_config *, const void *, void **);
int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *, const void *, int, size_t);
int cudaMalloc(void **, size_t), cudaFree(void *), cudaDeviceSynchronize(void);
int cudaMallocHost(void **, size_t);
int cudaMemcpy(void *, const void *, size_t, int), cudaMemset(void *, int, size_t);
int cudaMemcpyAsync(void *, const void *, size_t, int, void *);
int cudaStreamCreateWithFlags(void **, unsigned), cudaStreamSynchronize(void *);
const char *cudaGetErrorName(int);

static const char *const names[] = {
	"_Z3addPji", "_Z5emptyv", "wait", "odd", "stop", "rounds", "busy", "newer"};
enum { ADD, EMPTY, WAIT, ODD, STOP, ROUNDS, BUSY, NEWER, KERNELS };
static char stub[KERNELS];
static const dim3 one = {1, 1, 1};

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

static int launch(int kernel, void *p, uint32_t by, void *stream)
{
	void *args[] = {&p, &by};

	return cudaLaunchKernel(&stub[kernel], one, one, args, 0, stream);
}

static uint32_t word_at(const void *p)
{
	uint32_t word = 0;

	cudaMemcpy(&word, p, 4, 2);
	return word;
}

/* Seven launches in order; results do not depend on what is timed. */
static void seven(void)
{
	void *p;

	cudaMalloc(&p, 4);
	cudaMemset(p, 0, 4);
	for (uint32_t i = 1; i <= 4; i++) {
		launch(ADD, p, i, NULL);
		if (i < 4)
			launch(EMPTY, NULL, 0, NULL);
	}
	printf("word %u\n", word_at(p));
}

/* A long launch of one stream does not keep another stream's copy waiting, which ends it. */
static void apart(void)
{
	uint32_t one_word = 1;
	void *p, *s[2];

	cudaMalloc(&p, 8);
	cudaMemset(p, 0, 8);
	cudaStreamCreateWithFlags(&s[0], 1);
	cudaStreamCreateWithFlags(&s[1], 1);
	launch(WAIT, p, 0, s[0]);
	launch(ADD, (char *)p + 4, 5, s[1]);
	show("other", cudaStreamSynchronize(s[1]));
	show("copy", cudaMemcpyAsync(p, &one_word, 4, 1, s[1]));
	show("first", cudaStreamSynchronize(s[0]));
	printf("words %u %u\n", word_at(p), word_at((char *)p + 4));
}

/* The host writes pinned memory while a launch is pending that waits for it, and the device copies
 * from it. */
static void pinned(void)
{
	volatile uint32_t *flag;
	void *p, *s;

	cudaMallocHost((void **)&flag, 8);
	cudaMalloc(&p, 4);
	cudaStreamCreateWithFlags(&s, 1);
	flag[0] = 0;
	launch(WAIT, (void *)flag, 0, NULL);
	flag[1] = 7;
	cudaMemcpyAsync(p, (void *)(flag + 1), 4, 3, s);
	flag[0] = 1;
	flag[1] = 8;
	show("wait", cudaDeviceSynchronize());
	launch(ADD, p, 2, NULL);
	launch(ADD, (void *)(flag + 1), 3, NULL);
	printf("copied %u, ", word_at(p));
	printf("added %u\n", flag[1]);
}

/* Waits, for some seconds, for what a launch writes into pinned memory. */
static void polls(void)
{
	volatile uint32_t *flag;

	cudaMallocHost((void **)&flag, 4);
	flag[0] = 0;
	launch(ADD, (void *)flag, 5, NULL);
	for (int i = 0; i < 80 && !flag[0]; i++)
		usleep(100000);
	show("wait", cudaDeviceSynchronize());
	printf("word %u\n", flag[0]);
}

static void fault(int kernel)
{
	void *p;

	cudaMalloc(&p, 8);
	launch(kernel, p, 0, NULL);
	show("wait", cudaDeviceSynchronize());
}

static void forever(void)
{
	void *p;

	cudaMalloc(&p, 4);
	printf("pid %d\n", (int)getpid());
	fflush(stdout);
	launch(BUSY, p, 0, NULL);
	show("wait", cudaDeviceSynchronize());
}

static void together(void)
{
	uint32_t got[12] = {0};
	int ctas = 0;
	void *p, *args[] = {&p};

	cudaMalloc(&p, sizeof(got));
	cudaOccupancyMaxActiveBlocksPerMultiprocessor(&ctas, &stub[ROUNDS], 64, 0);
	show("too many",
		cudaLaunchCooperativeKernel(&stub[ROUNDS], (dim3){2 * (unsigned)ctas + 1, 1, 1},
			(dim3){64, 1, 1}, args, 0, NULL));
	for (int i = 0; i < 2; i++)
		show("fits", cudaLaunchCooperativeKernel(&stub[ROUNDS], (dim3){4, 1, 1},
				     (dim3){64, 1, 1}, args, 0, NULL));
	cudaMemcpy(got, p, sizeof(got), 2);
	printf("sums %u %u %u\n", got[3], got[7], got[11]);
}

/* A kernel that does not compile, beside others that do. */
static void newer(void)
{
	show("first", launch(NEWER, NULL, 0, NULL));
	show("again", launch(NEWER, NULL, 0, NULL));
	show("other", launch(EMPTY, NULL, 0, NULL));
	show("wait", cudaDeviceSynchronize());
	for (int i = 0; i < 3; i++)
		show("large",
			cudaLaunchKernel(&stub[EMPTY], one, (dim3){2048, 1, 1}, NULL, 0, NULL));
}

/* The same by attributes, of which others advise only. */
static void attributes(void)
{
	attribute a[2] = {{.id = 8, .value.number = 3}, {.id = 2, .value.number = 1}};
	launch_config l = {.grid = {4, 1, 1}, .block = {64, 1, 1}, .attributes = a};
	uint32_t got[12] = {0};
	void *p, *args[] = {&p};

	cudaMalloc(&p, sizeof(got));
	l.nattributes = 2;
	show("fits", cudaLaunchKernelExC(&l, &stub[ROUNDS], args));
	cudaMemcpy(got, p, sizeof(got), 2);
	printf("sums %u %u %u\n", got[3], got[7], got[11]);
	l.grid.x = 1000000;
	show("too many", cudaLaunchKernelExC(&l, &stub[ROUNDS], args));
	a[1] = (attribute){.id = 4, .value.dim = {2, 1, 1}};
	show("cluster", cudaLaunchKernelExC(&l, &stub[EMPTY], args));
	a[1].value.dim.x = 1;
	show("alone", cudaLaunchKernelExC(&l, &stub[EMPTY], args));
	a[0].id = 99;
	show("unknown", cudaLaunchKernelExC(&l, &stub[EMPTY], args));
	l.attributes = NULL;
	show("none", cudaLaunchKernelExC(&l, &stub[EMPTY], args));
}

/* Libraries of templates look for what they compiled for the PTX's architecture. */
static void versions(void)
{
	function_attributes a = {0};

	show("attributes", cudaFuncGetAttributes(&a, &stub[EMPTY]));
	printf("PTX for %d on %d\n", a.ptx, a.binary);
}

static void many(int n)
{
	for (int i = 0; i < n; i++)
		launch(EMPTY, NULL, 0, NULL);
	show("wait", cudaDeviceSynchronize());
}

static void allocations(int n)
{
	int wrong = 0;
	void *p;

	for (int i = 0; i < n; i++)
		wrong += cudaMalloc(&p, 100 + (size_t)i % 5000) || cudaFree(p);
	printf("wrong %d\n", wrong);
}

static void copies(size_t bytes)
{
	char *to = malloc(bytes), *from = malloc(bytes);
	void *p;

	memset(from, 7, bytes);
	cudaMalloc(&p, bytes);
	cudaMemcpy(p, from, bytes, 1);
	cudaMemcpy(to, p, bytes, 2);
	printf("same %d\n", !memcmp(to, from, bytes));
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "seven"))
		seven();
	if (!strcmp(what, "apart"))
		apart();
	if (!strcmp(what, "pinned"))
		pinned();
	if (!strcmp(what, "polls"))
		polls();
	if (!strcmp(what, "odd"))
		fault(ODD);
	if (!strcmp(what, "stop"))
		fault(STOP);
	if (!strcmp(what, "forever"))
		forever();
	if (!strcmp(what, "together"))
		together();
	if (!strcmp(what, "attributes")) {
		versions();
		attributes();
	}
	if (!strcmp(what, "newer"))
		newer();
	if (!strcmp(what, "many"))
		many(atoi(argv[2]));
	if (!strcmp(what, "allocations"))
		allocations(atoi(argv[2]));
	if (!strcmp(what, "copies"))
		copies((size_t)atoi(argv[2]) << 20);
	return 0;
}

#endif
