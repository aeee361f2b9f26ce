/* A CUDA program that links PTX with the driver's functions. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#ifdef CUDA_FATBIN /* compiled by a test, with our libraries */

typedef uint64_t address;

int cuLinkCreate_v2(unsigned, int *, void **, void **), cuLinkDestroy(void *);
int cuLinkAddData_v2(void *, int, const void *, size_t, const char *, unsigned, int *, void **);
int cuLinkAddFile_v2(void *, int, const char *, unsigned, int *, void **);
int cuLinkComplete(void *, void **, size_t *), cuInit(unsigned);
int cuCtxCreate_v2(void **, unsigned, int), cuGetErrorName(int, const char **);
int cuModuleLoadData(void **, const void *), cuModuleGetFunction(void **, void *, const char *);
int cuMemAlloc_v2(address *, size_t), cuMemcpyDtoH_v2(void *, address, size_t);
int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
	void *, void **, void **);

static void show(const char *name, int result)
{
	const char *text = "none";

	cuGetErrorName(result, &text);
	printf("%s: %s\n", name, text ? text + 5 : "?");
	fflush(stdout);
}

/* A kernel that calls a function of another file. */
#define PTX ".version 6.0\n.target sm_50\n.address_size 64\n"
static const char calls[] = PTX ".extern .func (.param .b32 r) half(.param .b32 a);\n"
				".visible .entry halve(.param .u64 out, .param .u32 of)\n{\n"
				"\t.reg .b64 %o;\n\t.reg .b32 %a, %r;\n"
				"\tld.param.u64 %o, [out];\n\tld.param.u32 %a, [of];\n"
				"\t{\n\t.param .b32 a;\n\t.param .b32 r;\n"
				"\tst.param.b32 [a], %a;\n\tcall (r), half, (a);\n"
				"\tld.param.b32 %r, [r];\n\t}\n"
				"\tst.global.u32 [%o], %r;\n\tret;\n}\n";
static const char called[] = PTX ".visible .func (.param .b32 r) half(.param .b32 a)\n{\n"
				 "\t.reg .b32 %v;\n\tld.param.u32 %v, [a];\n"
				 "\tshr.u32 %v, %v, 1;\n\tst.param.b32 [r], %v;\n\tret;\n}\n";

int main(void)
{
	char log[16] = "?", long_log[1024] = "?";
	int options[] = {5, 6};
	void *values[] = {log, (void *)sizeof(log)};
	void *context, *link, *image, *module, *function;
	size_t n = 0;
	address out;
	uint32_t of = 84, got = 0;
	void *args[] = {&out, &of};

	cuInit(0);
	show("no context", cuLinkCreate_v2(0, NULL, NULL, &link));
	cuCtxCreate_v2(&context, 0, 0);
	show("link", cuLinkCreate_v2(2, options, values, &link));
	printf("log '%s', %d\n", log, values[1] == NULL);
	show("nothing", cuLinkComplete(link, &image, &n));
	show("one", cuLinkAddData_v2(link, 1, calls, sizeof(calls) - 1, "a", 0, NULL, NULL));
	show("no PTX", cuLinkAddData_v2(link, 1, "text", 5, "b", 0, NULL, NULL));
	show("machine code", cuLinkAddData_v2(link, 0, "\177ELF", 5, "c", 0, NULL, NULL));
	show("no file", cuLinkAddFile_v2(link, 1, "none.ptx", 0, NULL, NULL));
	show("kind", cuLinkAddData_v2(link, 9, calls, sizeof(calls), "d", 0, NULL, NULL));
	show("other", cuLinkAddData_v2(link, 1, called, sizeof(called), "e", 0, NULL, NULL));
	show("complete", cuLinkComplete(link, &image, &n));
	printf("bytes %d\n", n > sizeof(calls) + sizeof(called));
	show("late", cuLinkAddData_v2(link, 1, called, sizeof(called), "e", 0, NULL, NULL));
	show("module", cuModuleLoadData(&module, image));
	show("end", cuLinkDestroy(link));
	show("again", cuLinkDestroy(link));
	show("function", cuModuleGetFunction(&function, module, "halve"));
	cuMemAlloc_v2(&out, 4);
	show("launch", cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL));
	cuMemcpyDtoH_v2(&got, out, 4);
	printf("half %u\n", got);
	values[0] = long_log;
	values[1] = (void *)sizeof(long_log);
	cuLinkCreate_v2(2, options, values, &link);
	cuLinkAddData_v2(link, 1, calls, sizeof(calls) - 1, "a", 0, NULL, NULL);
	show("alone", cuLinkComplete(link, &image, &n));
	printf("named %d, bytes %d\n", strstr(long_log, "half") != NULL,
		(size_t)values[1] == strlen(long_log) + 1);
	values[0] = log;
	values[1] = (void *)sizeof(log);
	cuLinkCreate_v2(2, options, values, &link);
	cuLinkAddData_v2(link, 1, calls, sizeof(calls) - 1, "a", 0, NULL, NULL);
	show("short log", cuLinkComplete(link, &image, &n));
	printf("bytes %d, %d\n", (int)(size_t)values[1], (int)strlen(log));
	return 0;
}

#endif
