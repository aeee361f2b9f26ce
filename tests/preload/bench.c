/* What make bench measures of CUDA programs: launches, allocations, copies. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef CUDA_FATBIN /* compiled by the benchmark, with our library */
typedef struct {
	unsigned x, y, z;
} dim3;
void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFatBinaryEnd(void **);
void __cudaRegisterFunction(
	void **, const char *, char *, const char *, int, void *, void *, void *, void *, int *);
int cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, void *);
int cudaMalloc(void **, size_t), cudaFree(void *), cudaDeviceSynchronize(void);
int cudaMemcpy(void *, const void *, size_t, int);

/* A fat binary of one plain text. */
static struct {
	uint32_t magic;
	uint16_t version, header_bytes;
	uint64_t bytes;
	uint16_t kind, entry_version;
	uint32_t entry_bytes;
	uint64_t text_bytes;
	uint32_t packed, options;
	uint16_t minor, major;
	uint32_t arch, name, name_bytes;
	uint64_t flags, unused, unpacked;
	char ptx[96];
} fat = {0xba55ed50u, 1, 16, 64 + 96, 1, 0x101, 64, 96, 0, 0, 0, 7, 50, 0, 0, 0x11, 0, 0,
	".version 7.0\n.target sm_50\n.address_size 64\n.visible .entry k() { ret; }\n"};
static struct {
	uint32_t magic, version;
	const void *data, *parts;
} wrapper = {0x466243b1u, 1, &fat, NULL};
static char k;

static int launches(unsigned n)
{
	const dim3 one = {1, 1, 1};
	void **handle = __cudaRegisterFatBinary(&wrapper), *none = NULL;
	int bad = 0;

	__cudaRegisterFunction(handle, &k, NULL, "k", -1, 0, 0, 0, 0, 0);
	__cudaRegisterFatBinaryEnd(handle);
	while (n-- && !bad)
		bad = cudaLaunchKernel(&k, one, one, &none, 0, NULL);
	return bad || cudaDeviceSynchronize();
}

static int allocations(unsigned n)
{
	void *p;
	int bad = 0;

	while (n-- && !bad)
		bad = cudaMalloc(&p, 4096) || cudaFree(p);
	return bad;
}

/* n times 256 MB there and back; device: to the device's memory, else within the host's. */
static int copies(unsigned n, int device)
{
	size_t bytes = (size_t)256 << 20;
	char *here = malloc(bytes), *there = device ? NULL : malloc(bytes);
	int bad = device ? cudaMalloc((void **)&there, bytes) : 0;

	memset(here, 1, bytes);
	for (unsigned i = 0; i < n && !bad; i++) {
		char *to = i % 2 ? here : there, *from = i % 2 ? there : here;

		if (device)
			bad = cudaMemcpy(to, from, bytes, i % 2 ? 2 : 1);
		else
			memcpy(to, from, bytes);
	}
	return bad || here[bytes / 2] != 1;
}

int main(int argc, char **argv)
{
	unsigned n = argc == 3 ? (unsigned)atoi(argv[2]) : 0;

	if (!n)
		return 2;
	if (!strcmp(argv[1], "launches"))
		return launches(n);
	if (!strcmp(argv[1], "allocations"))
		return allocations(n);
	return copies(n, !strcmp(argv[1], "copies"));
}

#endif
