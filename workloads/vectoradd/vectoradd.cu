/* c = a + b, one element a thread: the streaming kernel every GPU introduction starts with. */
#include "cuda.h"

extern "C" __global__ void vectoradd(const float *a, const float *b, float *c, int n)
{
	int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	if (i < n)
		c[i] = a[i] + b[i];
}
