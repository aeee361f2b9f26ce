/* A CUDA program whose host code touches what it must not, as its first argument says; a second
 * one is the SIGSEGV handler that it has, from before its first call or, with a third, from main
 * on; "chain" calls the handler that it found. */
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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
int cudaMalloc(void **, size_t), cudaFree(void *), cudaDeviceSynchronize(void);
int cudaMallocManaged(void **, size_t, unsigned), cudaHostAlloc(void **, size_t, unsigned);
int cudaHostRegister(void *, size_t, unsigned);

static char stub;
static sigjmp_buf back;
static void *volatile faulted;

static void recover(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	faulted = info->si_addr;
	siglongjmp(back, 1);
}

static void leave(int number)
{
	static const char text[] = "handled\n";

	_exit(write(1, text, sizeof(text) - 1) == sizeof(text) - 1 ? number : 0);
}

static struct sigaction found;

static void chain(int number, siginfo_t *info, void *context)
{
	static const char text[] = "chained\n";

	if (write(1, text, sizeof(text) - 1) > 0)
		found.sa_sigaction(number, info, context);
}

static void handle(const char *how)
{
	struct sigaction own = {.sa_sigaction = recover, .sa_flags = SA_SIGINFO};

	if (!strcmp(how, "recover"))
		sigaction(SIGSEGV, &own, NULL);
	if (!strcmp(how, "leave"))
		signal(SIGSEGV, leave);
	if (!strcmp(how, "ignore"))
		signal(SIGSEGV, SIG_IGN);
	own.sa_sigaction = chain;
	if (!strcmp(how, "chain"))
		sigaction(SIGSEGV, &own, &found);
}

__attribute__((constructor(101))) static void before(int argc, char **argv)
{
	if (argc == 3)
		handle(argv[2]);
}

__attribute__((constructor)) static void enter(void)
{
	__cudaRegisterFunction(__cudaRegisterFatBinary((void *)(uintptr_t)&wrapper), &stub, NULL,
		"fill", -1, 0, 0, 0, 0, 0);
}

static void launch(void)
{
	int first = 3;
	void *p, *args[] = {&p, &first};

	cudaMalloc(&p, 128);
	cudaLaunchKernel(&stub, (dim3){1, 1, 1}, (dim3){32, 1, 1}, args, 0, NULL);
}

/* What is touched. */
static void *memory(const char *what)
{
	void *p = NULL;

	if (!strcmp(what, "managed"))
		cudaMallocManaged(&p, 4096, 1);
	if (!strcmp(what, "mapped"))
		cudaHostAlloc(&p, 4096, 2);
	if (!strcmp(what, "device") || !strcmp(what, "freed"))
		cudaMalloc(&p, 4096);
	if (!strcmp(what, "freed"))
		cudaFree(p);
	if (!strcmp(what, "registered")) {
		p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		cudaHostRegister(p, 4096, 2);
	}
	return p;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	volatile char *p;

	if (argc > 3)
		handle(argv[2]);
	p = memory(what);
	if (!strcmp(what, "sent")) {
		raise(SIGSEGV);
		printf("not ended\n");
		return 0;
	}
	launch();
	for (volatile int turn = 0; turn < (argc > 4 ? 2 : 1); turn++) /* recovers each time */
		if (!sigsetjmp(back, 1)) {
			p[100] = 1;
			return 9;
		}
	if (faulted != p + 100)
		return 8;
	cudaDeviceSynchronize();
	if (strcmp(what, "nothing") != 0)
		p[100] = 1;
	printf("recovered\n");
	return 0;
}

#endif
