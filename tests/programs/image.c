/* What stencils, images and histograms give. */
#include "tests/programs/programs.h"

#include <math.h>
#include <stdlib.h>

static int clamp(int v, int low, int high)
{
	return v < low ? low : v > high ? high : v;
}

static void stencil_line(const struct program_run *r)
{
	const uint32_t *in = r->b[0];
	uint32_t *out = r->b[1];
	static const uint8_t weight[7] = {1, 2, 3, 4, 3, 2, 1};

	for (uint32_t i = 0; i < r->v[0]; i++)
		for (uint32_t k = 0; k < 7; k++)
			if (i + 3 - k < r->v[0])
				out[i + 3 - k] += weight[k] * in[i];
}

static void stencil_plane(const struct program_run *r)
{
	const float *in = r->b[0];
	float *out = r->b[1];
	uint32_t w = r->v[0], h = r->v[1];

	for (uint32_t y = 1; y < h - 1; y++)
		for (uint32_t i = y * w + 1; i < y * w + w - 1; i++)
			out[i] = (4 * in[i] + (((in[i - 1] + in[i + 1]) + in[i - w]) + in[i + w])) /
				 8;
}

static void stencil_cube(const struct program_run *r)
{
	const uint32_t *in = r->b[0];
	uint32_t *out = r->b[1], n = r->v[0];

	for (uint32_t i = 0; i < n * n * n; i++) {
		out[i] -= 6 * in[i];
		for (uint32_t step = 1; step < n * n * n; step *= n)
			if (i / step % n + 1 < n) {
				out[i] += in[i + step];
				out[i + step] += in[i];
			}
	}
}

static void convolve(const struct program_run *r)
{
	const float *in = r->b[0];
	float *out = r->b[1];
	static const double taps[] = {1, 4, 6, 4, 1};

	for (int i = 0; i < (int)r->v[0]; i++) {
		double sum = 0;

		for (int k = 0; k < 5; k++)
			sum += taps[k] / 16 * (double)in[clamp(i + k - 2, 0, (int)r->v[0] - 1)];
		out[i] = (float)sum;
	}
}

static void convolve_plane(const struct program_run *r)
{
	const uint8_t *in = r->b[0];
	int16_t *out = r->b[1];
	const int32_t *kernel = r->b[2];
	int w = (int)r->v[0], h = (int)r->v[1];

	for (int i = 0; i < w * h; i++) {
		int sum = 0;

		for (int k = 0; k < 9; k++)
			sum += kernel[k] * in[clamp(i / w + k / 3 - 1, 0, h - 1) * w +
						   clamp(i % w + k % 3 - 1, 0, w - 1)];
		out[i] = (int16_t)floor(sum / 8.0);
	}
}

static void sobel(const struct program_run *r)
{
	const uint8_t *in = r->b[0];
	uint8_t *out = r->b[1];
	int w = (int)r->v[0], h = (int)r->v[1];
	static const int8_t across[9] = {-1, 0, 1, -2, 0, 2, -1, 0, 1};

	for (int i = 0; i < w * h; i++) {
		int x = i % w, y = i / w, gx = 0, gy = 0;

		if (x == 0 || y == 0 || x == w - 1 || y == h - 1)
			continue;
		for (int k = 0; k < 9; k++) {
			gx += across[k] * in[i + (k / 3 - 1) * w + k % 3 - 1];
			gy += across[k] * in[i + (k % 3 - 1) * w + k / 3 - 1];
		}
		out[i] = (uint8_t)clamp(abs(gx) + abs(gy), 0, 255);
	}
}

static void box_rows(const struct program_run *r)
{
	const uint8_t *in = r->b[0];
	uint8_t *out = r->b[1];
	int w = (int)r->v[0], radius = (int)r->v[1];

	for (int i = 0; i < w * (int)r->threads; i++) {
		int first = clamp(i % w - radius, 0, w), end = clamp(i % w + radius + 1, 0, w),
		    sum = 0;

		for (int x = first; x < end; x++)
			sum += in[i / w * w + x];
		out[i] = (uint8_t)(sum / (end - first));
	}
}

/* The value that at most four are below and at most four above. */
static void median(const struct program_run *r)
{
	const uint16_t *in = r->b[0];
	uint16_t *out = r->b[1];
	int w = (int)r->v[0], h = (int)r->v[1];

	for (int i = 0; i < w * h; i++) {
		uint16_t v[9];

		for (int k = 0; k < 9; k++)
			v[k] = in[clamp(i / w + k / 3 - 1, 0, h - 1) * w +
				  clamp(i % w + k % 3 - 1, 0, w - 1)];
		for (int k = 0; k < 9; k++) {
			int below = 0, above = 0;

			for (int m = 0; m < 9; m++) {
				below += v[m] < v[k];
				above += v[m] > v[k];
			}
			out[i] = below <= 4 && above <= 4 ? v[k] : out[i];
		}
	}
}

static void histogram_shared(const struct program_run *r)
{
	const uint8_t *in = r->b[0];
	uint32_t *out = r->b[1];

	for (uint32_t i = 0; i < r->v[0]; i++)
		out[in[i]]++;
}

static void histogram_global(const struct program_run *r)
{
	const uint32_t *in = r->b[0];
	uint64_t *out = r->b[1];

	for (uint32_t i = 0; i < r->threads; i++)
		out[in[i] % r->v[0]] += i;
}

static unsigned alive(const uint64_t *in, uint32_t x, uint32_t y)
{
	return in[y % 64] >> x % 64 & 1;
}

static void life_bits(const struct program_run *r)
{
	const uint64_t *in = r->b[0];
	uint64_t *out = r->b[1];

	for (uint32_t i = 0; i < 64 * 64; i++) {
		uint32_t n = 0;

		for (uint32_t k = 0; k < 9; k++)
			n += k == 4 ? 0 : alive(in, i % 64 + 63 + k % 3, i / 64 + 63 + k / 3);
		if (n == 3 || (n == 2 && alive(in, i % 64, i / 64)))
			out[i / 64] |= (uint64_t)1 << i % 64;
	}
}

static void life_bytes(const struct program_run *r)
{
	const uint8_t *in = r->b[0];
	uint8_t *out = r->b[1];
	uint32_t w = r->v[0], h = r->v[1], n[1024] = {0};

	for (uint32_t i = 0; i < w * h; i++)
		for (uint32_t k = 0; k < 9; k++)
			n[(i / w + h + k / 3 - 1) % h * w + (i + w + k % 3 - 1) % w] +=
				k == 4 ? 0 : in[i];
	for (uint32_t i = 0; i < w * h; i++)
		out[i] = n[i] == 3 || (n[i] == 2 && in[i]);
}

static void mandelbrot(const struct program_run *r)
{
	uint16_t *out = r->b[0];
	int w = (int)r->v[0], h = (int)r->v[1];

	for (int i = 0; i < w * h; i++) {
		int64_t cx = i % w * 12288 / w - 8192, cy = i / w * 8192 / h - 4096, x = 0, y = 0,
			t;

		for (; out[i] < 100 && x * x + y * y < 4 * 4096 * 4096; out[i]++) {
			t = (x * x - y * y) >> 12;
			y = (x * y >> 11) + cy;
			x = t + cx;
		}
	}
}

static void julia(const struct program_run *r)
{
	uint8_t *out = r->b[0];

	for (uint32_t i = 0; i < r->threads; i++) {
		float x = (float)(i % r->block) / 32 - 1, y = (float)(i / r->block) / 16 - 0.5f, t;

		while (out[i] < 60 && !(x * x + y * y > 4)) {
			t = 2 * x * y + 0.2f;
			x = x * x - y * y - 0.8f;
			y = t;
			out[i]++;
		}
	}
}

static void grey(const struct program_run *r)
{
	const uint8_t *in = r->b[0];
	uint8_t *out = r->b[1];

	for (uint32_t i = 0; i < r->threads; i++)
		out[i] = (uint8_t)((77 * in[4 * i] + 150 * in[4 * i + 1] + 29 * in[4 * i + 2] +
					   128) /
				   256);
}

static void blend(const struct program_run *r)
{
	const uint8_t *over = r->b[0];
	uint8_t *under = r->b[1];

	for (uint32_t i = 0; i < 4 * r->threads; i++) {
		int a = over[i | 3];

		under[i] = i % 4 == 3 ? 255 : (uint8_t)((over[i] * a + under[i] * (255 - a)) / 255);
	}
}

static void halve(const struct program_run *r)
{
	const float *in = r->b[0];
	float *out = r->b[1];
	uint32_t w = r->v[0];

	for (uint32_t i = 0; i < r->threads; i++) {
		const float *p = in + i / r->block * 2 * w + i % r->block * 2;

		out[i] = (float)((double)p[0] + (double)p[1] + (double)p[w] + (double)p[w + 1]) / 4;
	}
}

static void bilinear(const struct program_run *r)
{
	const float *in = r->b[0];
	float *out = r->b[1];
	int w = (int)r->v[0], h = (int)r->v[1];

	for (uint32_t i = 0; i < r->threads; i++) {
		double x = i % r->block * 0.37, y = i / r->block * 0.41, sum = 0;

		for (int k = 0; k < w * h; k++) { /* tents */
			double a = fmax(0, 1 - fabs(x - k % w)), b = fmax(0, 1 - fabs(y - k / w));

			sum += a * b * (double)in[k];
		}
		out[i] = (float)sum;
	}
}

static void erode(const struct program_run *r)
{
	const uint8_t *in = r->b[0];
	uint8_t *out = r->b[1];
	int w = (int)r->v[0], h = (int)r->v[1];

	for (int i = 0; i < w * h; i++) {
		int x = i % w, y = i / w, n = 0;

		for (int k = -2; k <= 2; k++) {
			n += x + k >= 0 && x + k < w && in[i + k];
			n += y + k >= 0 && y + k < h && in[i + k * w];
		}
		out[i] = n == 10;
	}
}

static void sparse(const struct program_run *r)
{
	uint8_t *in = r->b[0];

	for (uint32_t i = 0; i < r->threads; i++)
		in[i] = in[i] < 4;
}

static void distances(const struct program_run *r)
{
	const uint8_t *in = r->b[0];
	uint32_t *out = r->b[1];
	int w = (int)r->v[0], n = w * (int)r->v[1];

	for (int i = 0; i < n; i++) {
		out[i] = 1000;
		for (int k = 0; k < n; k++) {
			uint32_t d = (uint32_t)(abs(i % w - k % w) + abs(i / w - k / w));

			out[i] = in[k] && d < out[i] ? d : out[i];
		}
	}
}

static void integral_image(const struct program_run *r)
{
	const uint8_t *in = r->b[0];
	uint32_t *out = r->b[1], w = r->v[0], n = w * r->v[1];

	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k <= i; k++)
			out[i] += k % w <= i % w ? in[k] : 0;
}

static void gamma_curve(const struct program_run *r)
{
	const uint8_t *in = r->b[0];
	uint8_t *out = r->b[1];

	for (uint32_t i = 0; i < r->threads; i++)
		out[i] = (uint8_t)(sqrtf((float)in[i] / 255.0f) * 255.0f + 0.5f);
}

static void rotate_quarter(const struct program_run *r)
{
	const uint32_t *in = r->b[0];
	uint32_t *out = r->b[1], n = r->v[0];

	for (uint32_t i = 0; i < r->threads; i++)
		out[i] = in[i / n / n * n * n + (n - 1 - i % n) * n + i / n % n];
}

static const struct program_row rows[] = {
	PROGRAM(stencil_line, 3, 64, BUFFERS(RANDOM(U32, 150, 0), OUT(U32, 150)), VALUES(150)),
	PROGRAM_SHAPED(stencil_plane, SHAPE(2, 3, 1), SHAPE(16, 8, 1),
		BUFFERS(RANDOM(F32, 600, 9), OUT(F32, 600)), VALUES(30, 20), .tolerance = 1e-6),
	PROGRAM_SHAPED(stencil_cube, SHAPE(2, 3, 3), SHAPE(8, 4, 4),
		BUFFERS(RANDOM(U32, 1000, 0), OUT(U32, 1000)), VALUES(10)),
	PROGRAM(convolve, 2, 64, BUFFERS(RANDOM(F32, 100, 9), OUT(F32, 100)), VALUES(100),
		.tolerance = 1e-6),
	PROGRAM(convolve_plane, 20, 33,
		BUFFERS(RANDOM(U8, 660, 0), OUT(U16, 660), RANDOM(U32, 9, 20)), VALUES(33, 20)),
	PROGRAM(sobel, 20, 33, BUFFERS(RANDOM(U8, 660, 90), OUT(U8, 660)), VALUES(33, 20)),
	PROGRAM(box_rows, 1, 20, BUFFERS(RANDOM(U8, 800, 0), OUT(U8, 800)), VALUES(40, 4)),
	PROGRAM(median, 12, 30, BUFFERS(RANDOM(U16, 360, 0), OUT(U16, 360)), VALUES(30, 12)),
	PROGRAM(histogram_shared, 3, 64, BUFFERS(RANDOM(U8, 1500, 0), OUT(U32, 256)), VALUES(1500)),
	PROGRAM(histogram_global, 3, 64, BUFFERS(RANDOM(U32, 192, 0), OUT(U64, 17)), VALUES(17)),
	PROGRAM(life_bits, 1, 64, BUFFERS(RANDOM(U64, 64, 0), OUT(U64, 64))),
	PROGRAM(life_bytes, 20, 33, BUFFERS(RANDOM(U8, 660, 2), OUT(U8, 660)), VALUES(33, 20)),
	PROGRAM_SHAPED(mandelbrot, SHAPE(3, 4, 1), SHAPE(16, 8, 1), BUFFERS(OUT(U16, 1200)),
		VALUES(40, 30), .slow = true),
	PROGRAM(julia, 16, 64, BUFFERS(OUT(U8, 1024)), VALUES(64), .slow = true),
	PROGRAM(grey, 3, 64, BUFFERS(RANDOM(U8, 768, 0), OUT(U8, 192))),
	PROGRAM(blend, 3, 64, BUFFERS(RANDOM(U8, 768, 0), RANDOM(U8, 768, 0))),
	PROGRAM(halve, 8, 16, BUFFERS(RANDOM(F32, 512, 0), OUT(F32, 128)), VALUES(32),
		.tolerance = 1e-6),
	PROGRAM(bilinear, 10, 40, BUFFERS(RANDOM(F32, 80, 0), OUT(F32, 400)), VALUES(16, 5),
		.tolerance = 1e-5),
	PROGRAM(erode, 20, 33, BUFFERS(RANDOM(U8, 660, 12), OUT(U8, 660)), VALUES(33, 20)),
	PROGRAM(distances, 1, 256, BUFFERS(RANDOM(U8, 256, 0), OUT(U32, 256)), VALUES(16, 16),
		.prepare = sparse),
	PROGRAM(integral_image, 1, 40, BUFFERS(RANDOM(U8, 1000, 0), OUT(U32, 1000)),
		VALUES(40, 25)),
	PROGRAM(gamma_curve, 2, 64, BUFFERS(RANDOM(U8, 128, 0), OUT(U8, 128))),
	PROGRAM_SHAPED(rotate_quarter, SHAPE(1, 1, 3), SHAPE(9, 9, 1),
		BUFFERS(RANDOM(U32, 243, 0), OUT(U32, 243)), VALUES(9)),
};

const struct program_file image_programs = {"image", rows, ARRAY_LEN(rows)};
