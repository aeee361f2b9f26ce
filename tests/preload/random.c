/* A program that calls cuRAND. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef CUDA_FATBIN /* compiled by a test, with our libraries */

#define N 70000 /* more than are copied at once */

typedef struct generator *handle;

int cudaMalloc(void **, size_t), cudaMemcpy(void *, const void *, size_t, int);
int curandCreateGenerator(handle *, int), curandCreateGeneratorHost(handle *, int);
int curandDestroyGenerator(handle), curandSetStream(handle, void *);
int curandSetPseudoRandomGeneratorSeed(handle, unsigned long long);
int curandSetGeneratorOffset(handle, unsigned long long), curandGenerateSeeds(handle);
int curandSetGeneratorOrdering(handle, int), curandGetVersion(int *), curandGetProperty(int, int *);
int curandSetQuasiRandomGeneratorDimensions(handle, unsigned);
int curandGenerate(handle, unsigned *, size_t), curandGenerateUniform(handle, float *, size_t);
int curandGenerateUniformDouble(handle, double *, size_t);
int curandGenerateNormal(handle, float *, size_t, float, float);
int curandGenerateLogNormalDouble(handle, double *, size_t, double, double);
int curandGeneratePoisson(handle, unsigned *, size_t, double);
int curandGetDirectionVectors32(void *, int);

static void *device;
static double values[N];

/* Whether mean and variance are these, and no value is out of bounds.
 */
static const char *judge(double mean, double variance, double low, double high)
{
	double sum = 0, squares = 0, off, ratio;

	for (unsigned i = 0; i < N; i++) {
		sum += values[i];
		if (values[i] < low || values[i] > high)
			return "out of bounds";
	}
	sum /= N;
	for (unsigned i = 0; i < N; i++)
		squares += (values[i] - sum) * (values[i] - sum);
	off = (sum - mean) * (sum - mean);
	ratio = squares / N / variance;
	return off > 0.0002 * variance || ratio < 0.97 || ratio > 1.03 ? "wrong" : "right";
}

static void fetch(char type)
{
	static union {
		float f[N];
		double d[N];
		uint32_t u[N];
	} got;

	cudaMemcpy(&got, device, N * (type == 'd' ? 8 : 4), 2);
	for (unsigned i = 0; i < N; i++)
		values[i] = type == 'd' ? got.d[i] : type == 'f' ? got.f[i] : got.u[i];
}

static void distributions(handle g)
{
	printf("words: %d, ", curandGenerate(g, device, N));
	fetch('u');
	printf("%s\n", judge(2147483647.5, 1537228672809129301.0, 0, 4294967295.0));
	printf("uniform: %d, ", curandGenerateUniform(g, device, N));
	fetch('f');
	printf("%s\n", judge(0.5, 1.0 / 12, 1e-9, 1));
	printf("double: %d, ", curandGenerateUniformDouble(g, device, N));
	fetch('d');
	printf("%s\n", judge(0.5, 1.0 / 12, 1e-18, 1));
	printf("normal: %d, ", curandGenerateNormal(g, device, N, 2, 3));
	fetch('f');
	printf("%s\n", judge(2, 9, -20, 24));
	printf("exponent: %d, ", curandGenerateLogNormalDouble(g, device, N, 0, 0.25));
	fetch('d');
	printf("%s\n", judge(1.031743, 0.068654, 0.2, 5));
	for (double mean = 0.5; mean < 3000; mean *= 20) {
		printf("poisson: %d, ", curandGeneratePoisson(g, device, N, mean));
		fetch('u');
		printf("%s\n", judge(mean, mean, 0, 10 + 2 * mean));
	}
}

/* By seed and position: the cipher's first block, which is published, and parts of a whole. */
static void positions(handle g)
{
	unsigned first[8], again[8];

	curandSetPseudoRandomGeneratorSeed(g, 0);
	curandGenerate(g, device, 8);
	cudaMemcpy(first, device, sizeof(first), 2);
	printf("%08x %08x %08x %08x\n", first[0], first[1], first[2], first[3]);
	printf("offset: %d\n", curandSetGeneratorOffset(g, 3));
	curandGenerate(g, device, 2);
	curandGenerate(g, (unsigned *)device + 2, 3);
	cudaMemcpy(again, device, sizeof(again), 2);
	printf("parts: %d\n", memcmp(first + 3, again, 5 * sizeof(*first)));
}

static void on_the_host(void)
{
	handle g;
	float *to = calloc(N, sizeof(*to));

	printf("host: %d, ", curandCreateGeneratorHost(&g, 142));
	printf("%d\n", curandGenerateUniform(g, to, N));
	for (unsigned i = 0; i < N; i++)
		values[i] = to[i];
	printf("%s\n", judge(0.5, 1.0 / 12, 1e-9, 1));
	printf("offset: %d\n", curandSetGeneratorOffset(g, 3));
	curandDestroyGenerator(g);
	free(to);
}

static void wrong(handle g)
{
	int value = 0;
	handle other;

	printf("odd: %d\n", curandGenerateNormal(g, device, 3, 0, 1));
	printf("mean: %d, %d\n", curandGeneratePoisson(g, device, 1, 0),
		curandGeneratePoisson(g, device, 1, 1e9));
	printf("none: %d, %d\n", curandGenerate(g, NULL, 0), curandGenerate(g, NULL, 1));
	printf("not on the device: %d\n", curandGenerate(g, (unsigned *)64, 1));
	printf("types: %d, ", curandCreateGenerator(&other, 7));
	printf("%d, %d\n", curandCreateGenerator(&other, 201), other == NULL);
	printf("no generator: %d, %d\n", curandGenerate(NULL, device, 1),
		curandSetStream(NULL, NULL));
	printf("ordering: %d, %d\n", curandSetGeneratorOrdering(g, 101),
		curandSetGeneratorOrdering(g, 7));
	printf("quasi: %d, %d\n", curandSetQuasiRandomGeneratorDimensions(g, 2),
		curandGetDirectionVectors32(NULL, 101));
	printf("version: %d, ", curandGetVersion(&value));
	printf("%d; ", value / 1000);
	printf("%d, ", curandGetProperty(0, &value));
	printf("%d\n", value);
}

int main(void)
{
	handle g;

	cudaMalloc(&device, 8 * N);
	printf("create: %d\n", curandCreateGenerator(&g, 100));
	printf("seed: %d, %d\n", curandSetPseudoRandomGeneratorSeed(g, 1234),
		curandGenerateSeeds(g));
	distributions(g);
	positions(g);
	on_the_host();
	wrong(g);
	printf("end: %d\n", curandDestroyGenerator(g));
	return 0;
}

#else
int main(void)
{
	return 77;
}
#endif
