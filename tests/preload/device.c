/* Prints what a program sees of the device, by properties and by attributes, and which of its codes
 * is taken. */
#include <stdio.h>
#include <string.h>

#ifdef CUDA_FATBIN /* compiled by a test, with our library */
#include "fatbin.h"
#include "functions.h"

int cudaGetDeviceProperties(void *, int), cudaDeviceGetAttribute(int *, int, int);

static char fill_stub;

__attribute__((constructor)) static void enter(void)
{
	void **handle = __cudaRegisterFatBinary((void *)(uintptr_t)&wrapper);

	__cudaRegisterFunction(handle, &fill_stub, NULL, "fill", -1, 0, 0, 0, 0, 0);
}

static int fill(size_t shared)
{
	unsigned first = 0;
	void *p, *args[] = {&p, &first};

	cudaMalloc(&p, 128);
	return cudaLaunchKernel(&fill_stub, (dim3){1, 1, 1}, (dim3){32, 1, 1}, args, shared, NULL);
}

int main(void)
{
	/* CUDA 13's; numbers of enum cudaDeviceAttr */
	static const struct {
		unsigned short at, attribute;
	} facts[] = {{360, 75}, {364, 76}, {296, 8}, {672, 97}, {696, 111}, {624, 81}, {384, 16},
		{608, 78}, {704, 99}, {604, 39}};
	static char properties[1008];
	struct attributes code;

	cudaGetDeviceProperties(properties, 0);
	for (unsigned i = 0; i < sizeof(facts) / sizeof(*facts); i++) {
		int value, attribute;

		memcpy(&value, properties + facts[i].at, sizeof(value));
		cudaDeviceGetAttribute(&attribute, facts[i].attribute, 0);
		if (attribute != value)
			printf("attribute %u: %d\n", facts[i].attribute, attribute);
		printf("%d ", value);
	}
	cudaFuncGetAttributes(&code, &fill_stub);
	printf("code %d\n", code.ptx);
	/* unasked, asked for, with that */
	printf("shared %d ", fill(60000));
	printf("%d ", cudaFuncSetAttribute(&fill_stub, 8, 60000));
	printf("%d\n", fill(60000));
	return 0;
}

#endif
