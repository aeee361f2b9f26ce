/* A program that compiles its kernel when it runs, and, with COMPILER, a stand-in for the compiler:
 * its machine code is none that could be loaded. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

int nvrtcGetPTXSize(void *, size_t *), nvrtcGetPTX(void *, char *);
int nvrtcGetCUBINSize(void *, size_t *), nvrtcGetCUBIN(void *, char *);

#ifdef COMPILER

static const char ptx[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
			  ".visible .entry result(.param .u64 out)\n{\n\t.reg .b64 %o;\n"
			  "\tld.param.u64 %o, [out];\n\tst.global.u32 [%o], 42;\n\tret;\n}\n";

int nvrtcGetPTXSize(void *program, size_t *n)
{
	*n = sizeof(ptx);
	return program ? 0 : 3;
}

int nvrtcGetPTX(void *program, char *code)
{
	memcpy(code, ptx, sizeof(ptx));
	return program ? 0 : 3;
}

int nvrtcGetCUBINSize(void *program, size_t *n)
{
	*n = 8;
	return program ? 0 : 3;
}

int nvrtcGetCUBIN(void *program, char *code)
{
	memcpy(code, "\177ELF   ", 8);
	return program ? 0 : 3;
}

#elif defined(CUDA_FATBIN) /* compiled by a test, with our libraries */

int cuInit(unsigned), cuCtxCreate_v2(void **, unsigned, int), cuMemAlloc_v2(uint64_t *, size_t);
int cuModuleLoadData(void **, const void *), cuModuleGetFunction(void **, void *, const char *);
int cuMemcpyDtoH_v2(void *, uint64_t, size_t), cuGetExportTable(const void **, const void *);
int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
	void *, void **, void **);

int main(int argc, char **argv)
{
	void *context, *module, *kernel;
	const void *table = &context;
	char code[4096] = "";
	uint32_t got = 0;
	uint64_t out;
	void *args[] = {&out};
	size_t n = 0;

	cuInit(0);
	cuCtxCreate_v2(&context, 0, 0);
	printf("size: %d\n", nvrtcGetCUBINSize(code, &n));
	printf("code: %d\n", n < sizeof(code) ? nvrtcGetCUBIN(code, code) : -1);
	printf("none: %d\n", nvrtcGetCUBINSize(NULL, &n));
	if (argc > 1)
		memcpy(code, "\177ELF   ", 8);
	printf("load: %d\n", cuModuleLoadData(&module, code));
	if (argc > 1)
		return 0;
	cuModuleGetFunction(&kernel, module, "result");
	cuMemAlloc_v2(&out, 4);
	cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL);
	cuMemcpyDtoH_v2(&got, out, 4);
	printf("result: %u\n", got);
	printf("table: %d, ", cuGetExportTable(&table, code));
	printf("%d\n", table == NULL);
	return 0;
}

#else
int main(void)
{
	return 77;
}
#endif
