/* A CUDA program for clang without any CUDA kit: what its headers would declare, it declares. */
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))

struct dim3 {
	unsigned x, y, z;
	dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
};
extern "C" {
unsigned __cudaPushCallConfiguration(dim3, dim3, unsigned long = 0, void * = nullptr);
int cudaLaunchKernel(const void *, dim3, dim3, void **, unsigned long, void *);
int cudaMalloc(void **, unsigned long);
int cudaMemcpy(void *, const void *, unsigned long, int);
int printf(const char *, ...);
}
#include <__clang_cuda_builtin_vars.h>

__global__ void square(int *p)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	p[i] = i * i;
}

int main()
{
	int host[128], wrong = 0;
	void *p;

	cudaMalloc(&p, sizeof(host));
	square<<<4, 32>>>((int *)p);
	cudaMemcpy(host, p, sizeof(host), 2);
	for (int i = 0; i < 128; i++)
		wrong += host[i] != i * i;
	printf("%d wrong\n", wrong);
	return wrong != 0;
}
