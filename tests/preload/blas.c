/* A CUDA program that calls cuBLAS on small random operands and compares with loops of its own; a
 * line for each function; with an argument it only makes a handle. Everything is exact: the values
 * are small integers and halves. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef CUDA_FATBIN /* compiled by a test, with our libraries */
#include "fatbin.h"

typedef struct {
	unsigned x, y, z;
} dim3;
typedef void *handle;
void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFunction(
	void **, const char *, char *, const char *, int, void *, void *, void *, void *, int *);
int cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, void *);
int cudaMalloc(void **, size_t), cudaMemcpy(void *, const void *, size_t, int);
int cudaStreamCreate(void **), cudaMallocManaged(void **, size_t, unsigned);
int cublasCreate_v2(handle *), cublasDestroy_v2(handle), cublasSetStream_v2(handle, void *);
int cublasSetPointerMode_v2(handle, int), cublasGetPointerMode_v2(handle, int *);
int cublasGetVersion_v2(handle, int *), cublasSgemm_v2(), cublasDgemm_v2(), cublasGemmEx();
int cublasSgemmStridedBatched(), cublasSgemmBatched(), cublasHgemm(), cublasSgemv_v2();
int cublasDger_v2(), cublasSgeam(), cublasSaxpy_v2(), cublasSscal_v2(), cublasDcopy_v2();
int cublasSswap_v2(), cublasSdot_v2(), cublasDnrm2_v2(), cublasSasum_v2(), cublasIsamax_v2();
int cublasIdamin_v2(), cublasStrsm_v2(), cublasLtCreate(handle *), cublasLtDestroy(handle);
int cublasSetMatrix(int, int, int, const void *, int, void *, int);
int cublasGetVector(int, int, const void *, int, void *, int);
const char *cublasGetStatusName(int), *cublasGetStatusString(int);

enum { TO = 1, FROM = 2, M = 7, N = 5, K = 9, LD = 11, SPACE = LD * LD };

static handle h;
static char stub;
static unsigned seed = 1;

static double next(void)
{
	seed = seed * 1103515245 + 12345;
	return ((int)(seed >> 16 & 15) - 8) / 2.0;
}

/* Device memory with a copy on the host. */
struct both {
	void *device;
	float f[SPACE];
	double d[SPACE];
};

static struct both *new_both(int doubles)
{
	struct both *b = calloc(1, sizeof(*b));

	for (int i = 0; i < SPACE; i++)
		b->f[i] = (float)(b->d[i] = next());
	cudaMalloc(&b->device, SPACE * 8);
	cudaMemcpy(b->device, doubles ? (void *)b->d : (void *)b->f, SPACE * (doubles ? 8 : 4), TO);
	return b;
}

static void check(const char *what, int status, const struct both *b, int doubles)
{
	double got[SPACE], want[SPACE];
	size_t n = SPACE * (doubles ? 8 : 4);
	int different;

	memcpy(want, doubles ? (const void *)b->d : (const void *)b->f, n);
	cudaMemcpy(got, b->device, n, FROM);
	different = memcmp(got, want, n);
	printf("%s: %d%s\n", what, status, different ? ", wrong" : "");
}

static float at(const float *m, int turn, int r, int c)
{
	return turn ? m[r * LD + c] : m[c * LD + r];
}

static void product(float *c, const float *a, const float *b, int ta, int tb, float x, float y)
{
	for (int i = 0; i < M; i++)
		for (int j = 0; j < N; j++) {
			float sum = 0;

			for (int k = 0; k < K; k++)
				sum += at(a, ta, i, k) * at(b, tb, k, j);
			c[j * LD + i] = x * sum + (y != 0 ? y * c[j * LD + i] : 0);
		}
}

static void products(void)
{
	static const float factors[][2] = {{1, 0}, {2, -0.5f}, {0, 1}, {-1, 1}};

	for (int turn = 0; turn < 4; turn++) {
		const float *f = factors[turn];
		struct both *a = new_both(0), *b = new_both(0), *c = new_both(0);
		int s = cublasSgemm_v2(h, turn & 1, turn >> 1, M, N, K, &f[0], a->device, LD,
			b->device, LD, &f[1], c->device, LD);

		product(c->f, a->f, b->f, turn & 1, turn >> 1, f[0], f[1]);
		check("sgemm", s, c, 0);
	}
}

/* Addresses in the device's memory, and distances; the factors also there. */
static void batches(void)
{
	const float one = 1, zero = 0;
	struct both *a[2], *b[2], *c[2], *d = new_both(0);
	void *where[3], *list[2], *factors;
	float two[2] = {2, 1};
	int s;

	for (int i = 0; i < 2; i++)
		a[i] = new_both(0), b[i] = new_both(0), c[i] = new_both(0);
	for (int i = 0; i < 3; i++) {
		struct both **all = i == 0 ? a : i == 1 ? b : c;

		list[0] = all[0]->device, list[1] = all[1]->device;
		cudaMalloc(&where[i], sizeof(list));
		cudaMemcpy(where[i], list, sizeof(list), TO);
	}
	s = cublasSgemmBatched(
		h, 0, 1, M, N, K, &one, where[0], LD, where[1], LD, &zero, where[2], LD, 2);
	for (int i = 0; i < 2; i++) {
		product(c[i]->f, a[i]->f, b[i]->f, 0, 1, 1, 0);
		check("batched", s, c[i], 0);
	}
	cudaMalloc(&factors, sizeof(two));
	cudaMemcpy(factors, two, sizeof(two), TO);
	cublasSetPointerMode_v2(h, 1);
	s = cublasSgemmStridedBatched(h, 0, 0, 1, 1, 2, factors, a[0]->device, LD, 3LL,
		b[0]->device, LD, 4LL, (float *)factors + 1, d->device, LD, 5LL, 3);
	for (int i = 0; i < 3; i++)
		d->f[5 * i] += 2 * (a[0]->f[3 * i] * b[0]->f[4 * i] +
					   a[0]->f[3 * i + LD] * b[0]->f[4 * i + 1]);
	cublasSetPointerMode_v2(h, 0);
	check("strided", s, d, 0);
}

/* Types: 2 is f16, 14 bf16, 0 f32, 3 s8, 10 s32. */
static void narrow(void)
{
	static const uint16_t half[][3] = {/* a, b, a * b */
		{0x3e00, 0x4000, 0x4200}, {0x7bff, 0x4000, 0x7c00}, {0xfbff, 0x3c01, 0xfc00},
		{0x0001, 0x3800, 0x0000}, {0x0003, 0x3800, 0x0002}, {0x8001, 0x3c00, 0x8001},
		{0x3c01, 0x3e00, 0x3e02}, {0x3c03, 0x3e00, 0x3e04}, {0x0400, 0x3800, 0x0200},
		{0x7e00, 0x3c00, 0x7fff}, {0x03ff, 0x3c01, 0x0400}};
	static const uint16_t brain[][3] = {{0x3fc0, 0x4000, 0x4040}, {0x7f7f, 0x4000, 0x7f80},
		{0x3f81, 0x3fc0, 0x3fc2}, {0x0080, 0x3f00, 0x0040}};
	static const int8_t a[4] = {127, -128, 3, 4}, b[4] = {127, 127, -5, 100};
	const float one = 1, zero = 0;
	int32_t sum, i1 = 1, i0 = 0;
	uint16_t got;
	float wide;
	void *d;
	int s = 0, right = 1;

	cudaMalloc(&d, 64);
	for (size_t i = 0; i < sizeof(half) / sizeof(*half); i++) {
		cudaMemcpy(d, half[i], 4, TO);
		s |= cublasGemmEx(h, 0, 0, 1, 1, 1, &one, d, 2, 1, (char *)d + 2, 2, 1, &zero,
			(char *)d + 4, 2, 1, 68, -1);
		cudaMemcpy(&got, (char *)d + 4, 2, FROM);
		if (got != half[i][2])
			printf("half %d: %04x\n", (int)i, got);
		right &= got == half[i][2];
	}
	for (size_t i = 0; i < sizeof(brain) / sizeof(*brain); i++) {
		cudaMemcpy(d, brain[i], 4, TO);
		s |= cublasGemmEx(h, 0, 0, 1, 1, 1, &one, d, 14, 1, (char *)d + 2, 14, 1, &zero,
			(char *)d + 4, 14, 1, 68, -1);
		cudaMemcpy(&got, (char *)d + 4, 2, FROM);
		if (got != brain[i][2])
			printf("brain %d: %04x\n", (int)i, got);
		right &= got == brain[i][2];
	}
	s |= cublasHgemm(h, 0, 0, 1, 1, 1, &half[6][0], d, 1, d, 1, &half[0][0], d, 1);
	cudaMemcpy(d, half[0], 4, TO);
	s |= cublasGemmEx(h, 0, 0, 1, 1, 1, &one, d, 2, 1, (char *)d + 2, 2, 1, &zero,
		(char *)d + 4, 0, 1, 77, -1);
	cudaMemcpy(&wide, (char *)d + 4, 4, FROM);
	right &= wide == 3;
	cudaMemcpy(d, a, 4, TO);
	cudaMemcpy((char *)d + 4, b, 4, TO);
	s |= cublasGemmEx(h, 1, 0, 1, 1, 4, &i1, d, 3, 4, (char *)d + 4, 3, 4, &i0, (char *)d + 8,
		10, 1, 72, -1);
	cudaMemcpy(&sum, (char *)d + 8, 4, FROM);
	right &= sum == 127 * 127 - 128 * 127 - 15 + 400;
	printf("narrow: %d, %s\n", s, right ? "right" : "wrong");
}

static void vectors(void)
{
	struct both *x = new_both(0), *y = new_both(0), *p = new_both(1), *q = new_both(1);
	const float a = 1.5f;
	float dot, sum, want = 0, all = 0;
	double norm, squares = 0;
	int s, largest = 0, smallest = 0, got;

	s = cublasSaxpy_v2(h, 6, &a, x->device, -2, y->device, 3);
	for (int i = 0; i < 6; i++)
		y->f[3 * i] += a * x->f[2 * (5 - i)];
	check("axpy", s, y, 0);
	s = cublasSscal_v2(h, 4, &a, y->device, 2);
	for (int i = 0; i < 4; i++)
		y->f[2 * i] *= a;
	check("scal", s, y, 0);
	s = cublasSswap_v2(h, 5, x->device, 1, y->device, 2);
	for (int i = 0; i < 5; i++) {
		float was = x->f[i];

		x->f[i] = y->f[2 * i];
		y->f[2 * i] = was;
	}
	check("swap", s, y, 0);
	check("and back", s, x, 0);
	s = cublasDcopy_v2(h, 8, p->device, 1, q->device, -1);
	for (int i = 0; i < 8; i++)
		q->d[7 - i] = p->d[i];
	check("copy", s, q, 1);
	s = cublasSdot_v2(h, 10, x->device, 1, y->device, 1, &dot);
	s |= cublasSasum_v2(h, 10, x->device, 2, &sum);
	s |= cublasDnrm2_v2(h, 3, p->device, 1, &norm);
	for (int i = 0; i < 10; i++) {
		want += x->f[i] * y->f[i];
		all += x->f[2 * i] < 0 ? -x->f[2 * i] : x->f[2 * i];
		if (x->f[i] * x->f[i] > x->f[largest] * x->f[largest])
			largest = i;
		if (p->d[i] * p->d[i] < p->d[smallest] * p->d[smallest])
			smallest = i;
	}
	for (int i = 0; i < 3; i++)
		squares += p->d[i] * p->d[i];
	squares -= norm * norm;
	printf("sums: %d, %s\n", s,
		dot == want && sum == all && squares * squares < 1e-20 ? "right" : "wrong");
	s = cublasIsamax_v2(h, 10, x->device, 1, &got);
	printf("largest: %d, %s\n", s, got == largest + 1 ? "right" : "wrong");
	s = cublasIdamin_v2(h, 10, p->device, 1, &got);
	printf("smallest: %d, %s\n", s, got == smallest + 1 ? "right" : "wrong");
}

static void matrices(void)
{
	struct both *a = new_both(0), *x = new_both(0), *y = new_both(0), *g = new_both(1),
		    *p = new_both(1), *q = new_both(1), *b = new_both(0), *c = new_both(0);
	const float alpha = 2, beta = 0.5f;
	const double factor = -1;
	int s;

	for (int turn = 0; turn < 2; turn++) {
		s = cublasSgemv_v2(
			h, turn, M, N, &alpha, a->device, LD, x->device, 2, &beta, y->device, -1);
		for (int i = 0; i < (turn ? N : M); i++) {
			float *to = &y->f[(turn ? N : M) - 1 - i], sum = 0;

			for (int k = 0; k < (turn ? M : N); k++)
				sum += at(a->f, turn, i, k) * x->f[2 * k];
			*to = alpha * sum + beta * *to;
		}
		check("gemv", s, y, 0);
	}
	s = cublasDger_v2(h, M, N, &factor, p->device, 1, q->device, 2, g->device, LD);
	for (int i = 0; i < M * N; i++)
		g->d[i / M * LD + i % M] -= p->d[i % M] * q->d[i / M * 2];
	check("ger", s, g, 1);
	s = cublasSgeam(h, 1, 0, M, N, &alpha, a->device, LD, &beta, b->device, LD, c->device, LD);
	for (int i = 0; i < M * N; i++)
		c->f[i / M * LD + i % M] =
			alpha * at(a->f, 1, i % M, i / M) + beta * at(b->f, 0, i % M, i / M);
	check("geam", s, c, 0);
	cublasSetMatrix(3, 2, 4, a->f, LD, b->device, LD);
	for (int i = 0; i < 6; i++)
		b->f[i / 3 * LD + i % 3] = a->f[i / 3 * LD + i % 3];
	check("set", 0, b, 0);
	s = cublasGetVector(4, 4, b->device, 2, x->f, 1);
	printf("get: %d, %s\n", s, x->f[3] == b->f[6] ? "right" : "wrong");
}

/* What a kernel of the stream has not written yet. */
static void follows_a_kernel(void)
{
	static void **module;
	struct both *c = new_both(0);
	unsigned *out, first = 0x3f800000;
	void *stream, *arguments[] = {&out, &first};
	float sum = 0;

	module = __cudaRegisterFatBinary(&wrapper);
	__cudaRegisterFunction(module, &stub, "fill", "fill", -1, 0, 0, 0, 0, 0);
	cudaStreamCreate(&stream);
	cublasSetStream_v2(h, stream);
	out = c->device;
	cudaLaunchKernel(&stub, (dim3){1, 1, 1}, (dim3){1, 1, 1}, arguments, 0, stream);
	cublasSasum_v2(h, 1, c->device, 1, &sum);
	printf("after the kernel: %g\n", sum);
	cublasSetStream_v2(h, NULL);
}

static void wrong(void)
{
	const float one = 1;
	float on_host[4] = {1};
	struct both *a = new_both(0);
	struct {
		char bytes[256];
	} none = {{0}};
	int mode = 0, version = 0;
	handle lt;

	printf("no handle: %d\n", cublasSscal_v2(NULL, 1, &one, a->device, 1));
	printf("another: %d\n", cublasSscal_v2(&none, 1, &one, a->device, 1));
	printf("negative: %d\n", cublasSgemm_v2(h, 0, 0, -1, 1, 1, &one, a->device, 1, a->device, 1,
					 &one, a->device, 1));
	printf("too narrow: %d\n", cublasSgemm_v2(h, 0, 0, 4, 1, 1, &one, a->device, 3, a->device,
					   1, &one, a->device, 4));
	printf("operation: %d\n", cublasSgemm_v2(h, 3, 0, 1, 1, 1, &one, a->device, 1, a->device, 1,
					  &one, a->device, 1));
	printf("no factor: %d\n", cublasSscal_v2(h, 1, NULL, a->device, 1));
	printf("complex: %d\n", cublasGemmEx(h, 0, 0, 1, 1, 1, &one, a->device, 4, 1, a->device, 4,
					1, &one, a->device, 4, 1, 68, -1));
	printf("on the host: %d\n", cublasSscal_v2(h, 1, &one, on_host, 1));
	printf("trsm: %d, %d\n", cublasStrsm_v2(h), cublasStrsm_v2(h));
	cublasSetPointerMode_v2(h, 1);
	cublasGetPointerMode_v2(h, &mode);
	cublasGetVersion_v2(h, &version);
	printf("mode: %d, version: %d\n", mode, version);
	printf("%s, %s\n", cublasGetStatusName(13), cublasGetStatusString(1));
	printf("lt: %d, ", cublasLtCreate(&lt));
	printf("%d\n", cublasLtDestroy(lt));
	printf("end: %d\n", cublasDestroy_v2(h));
}

int main(int argc, char **argv)
{
	(void)argv;
	printf("create: %d\n", cublasCreate_v2(&h));
	if (argc > 1)
		return 0;
	products();
	batches();
	narrow();
	vectors();
	matrices();
	follows_a_kernel();
	wrong();
	return 0;
}
#endif
