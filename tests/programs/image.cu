/* Stencils, images and histograms. */
#include "tests/programs/cuda.h"

DEVICE s32 clamp(s32 v, s32 low, s32 high)
{
	return v < low ? low : v > high ? high : v;
}

KERNEL stencil_line(const s32 *in, s32 *out, u32 n)
{
	__shared__ s32 near[64 + 6];
	s32 i = (s32)thread();

	near[threadIdx.x + 3] = i < (s32)n ? in[i] : 0;
	if (threadIdx.x < 3) {
		near[threadIdx.x] = i >= 3 ? in[i - 3] : 0;
		near[threadIdx.x + 67] = i + 64 < (s32)n ? in[i + 64] : 0;
	}
	barrier();
	s32 sum = 0;
	for (s32 k = -3; k <= 3; k++)
		sum += (4 - (k < 0 ? -k : k)) * near[(s32)threadIdx.x + 3 + k];
	if (i < (s32)n)
		out[i] = sum;
}

KERNEL stencil_plane(const float *in, float *out, u32 w, u32 h)
{
	u32 x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
	    i = y * w + x;

	if (x == 0 || y == 0 || x + 1 >= w || y + 1 >= h)
		return;
	out[i] = 0.5f * in[i] + 0.125f * (in[i - 1] + in[i + 1] + in[i - w] + in[i + w]);
}

KERNEL stencil_cube(const s32 *in, s32 *out, u32 n)
{
	u32 x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	u32 z = blockIdx.z * blockDim.z + threadIdx.z, i = (z * n + y) * n + x;
	s32 sum;

	if (x >= n || y >= n || z >= n)
		return;
	sum = -6 * in[i];
	sum += x ? in[i - 1] : 0;
	sum += y ? in[i - n] : 0;
	sum += z ? in[i - n * n] : 0;
	sum += x + 1 < n ? in[i + 1] : 0;
	sum += y + 1 < n ? in[i + n] : 0;
	sum += z + 1 < n ? in[i + n * n] : 0;
	out[i] = sum;
}

static __constant__ const float taps[5] = {0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f};

KERNEL convolve(const float *in, float *out, u32 n)
{
	s32 i = (s32)thread();
	float sum = 0;

	if (i >= (s32)n)
		return;
	for (s32 k = -2; k <= 2; k++)
		sum += taps[k + 2] * in[clamp(i + k, 0, (s32)n - 1)];
	out[i] = sum;
}

KERNEL convolve_plane(const u8 *in, s16 *out, const s32 *kernel, u32 w, u32 h)
{
	s32 x = (s32)threadIdx.x, y = (s32)blockIdx.x, sum = 0;

	for (s32 i = -1; i <= 1; i++)
		for (s32 k = -1; k <= 1; k++) {
			s32 at = clamp(y + i, 0, (s32)h - 1) * (s32)w + clamp(x + k, 0, (s32)w - 1);

			sum += kernel[3 * (i + 1) + k + 1] * in[at];
		}
	out[y * (s32)w + x] = (s16)(sum >> 3);
}

KERNEL sobel(const u8 *in, u8 *out, u32 w, u32 h)
{
	u32 x = threadIdx.x, y = blockIdx.x;
	s32 gx, gy;
	const u8 *p = in + y * w + x;

	if (x == 0 || y == 0 || x == w - 1 || y == h - 1)
		return;
	p -= w;
	gx = p[1] - p[-1];
	gy = -p[-1] - 2 * p[0] - p[1];
	p += w;
	gx += 2 * (p[1] - p[-1]);
	p += w;
	gx += p[1] - p[-1];
	gy += p[-1] + 2 * p[0] + p[1];
	gx = (gx < 0 ? -gx : gx) + (gy < 0 ? -gy : gy);
	out[y * w + x] = (u8)min(gx, 255);
}

/* A running sum a row. */
KERNEL box_rows(const u8 *in, u8 *out, u32 w, u32 radius)
{
	s32 r = (s32)radius, sum = 0, n = 0;
	const u8 *row = in + thread() * w;

	for (s32 x = -r; x < (s32)w; x++) {
		if (x + r < (s32)w) {
			sum += row[x + r];
			n++;
		}
		if (x - r - 1 >= 0) {
			sum -= row[x - r - 1];
			n--;
		}
		if (x >= 0)
			out[thread() * w + (u32)x] = (u8)(sum / n);
	}
}

KERNEL median(const u16 *in, u16 *out, u32 w, u32 h)
{
	u32 x = threadIdx.x, y = blockIdx.x, n = 0;
	u16 v[9];

	for (s32 i = -1; i <= 1; i++)
		for (s32 k = -1; k <= 1; k++)
			v[n++] = in[(u32)clamp((s32)y + i, 0, (s32)h - 1) * w +
				    (u32)clamp((s32)x + k, 0, (s32)w - 1)];
	for (u32 i = 0; i < 5; i++) {
		u32 least = i;

		for (u32 k = i + 1; k < 9; k++)
			if (v[k] < v[least])
				least = k;
		u16 t = v[i];
		v[i] = v[least];
		v[least] = t;
	}
	out[y * w + x] = v[4];
}

KERNEL histogram_shared(const u8 *in, u32 *out, u32 n)
{
	__shared__ u32 count[256];

	for (u32 i = threadIdx.x; i < 256; i += blockDim.x)
		count[i] = 0;
	barrier();
	for (u32 i = thread(); i < n; i += gridDim.x * blockDim.x)
		atomic_add(&count[in[i]], 1);
	barrier();
	for (u32 i = threadIdx.x; i < 256; i += blockDim.x)
		if (count[i])
			atomic_add(&out[i], count[i]);
}

KERNEL histogram_global(const u32 *in, u64 *out, u32 bins)
{
	atomic_add64(&out[in[thread()] % bins], thread());
}

/* One step of life on a torus of 64 x 64 bits, a row a thread. */
KERNEL life_bits(const u64 *in, u64 *out)
{
	u32 y = threadIdx.x;
	u64 now = in[y], ones = 0, twos = 0, fours = 0;

	for (s32 i = -1; i <= 1; i++)
		for (s32 k = -1; k <= 1; k++) {
			u64 row = in[(y + (u32)i) & 63], carry;

			if (i == 0 && k == 0)
				continue;
			row = k < 0 ? row << 1 | row >> 63 : k > 0 ? row >> 1 | row << 63 : row;
			carry = ones & row;
			ones ^= row;
			fours |= twos & carry;
			twos ^= carry;
		}
	out[y] = twos & ~fours & (ones | now);
}

KERNEL life_bytes(const u8 *in, u8 *out, u32 w, u32 h)
{
	u32 x = threadIdx.x, y = blockIdx.x, n = 0;

	for (u32 i = h - 1; i <= h + 1; i++)
		for (u32 k = w - 1; k <= w + 1; k++)
			n += in[(y + i) % h * w + (x + k) % w];
	out[y * w + x] = n == 3 || (n == 4 && in[y * w + x]);
}

/* Points of the plane in 16.16 or so fixed point, so that counts are exact. */
KERNEL mandelbrot(u16 *out, u32 w, u32 h)
{
	u32 px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
	s32 cx = (s32)(px * 12288 / w) - 8192, cy = (s32)(py * 8192 / h) - 4096, x = 0, y = 0;
	u16 n = 0;

	while (n < 100 && x * x + y * y < 4 << 24) {
		s32 t = ((x * x - y * y) >> 12) + cx;

		y = ((2 * x * y) >> 12) + cy;
		x = t;
		n++;
	}
	if (px < w && py < h)
		out[py * w + px] = n;
}

/* Every operation rounds alone: counts are exact. */
KERNEL julia(u8 *out, u32 w)
{
	float x = (float)threadIdx.x / 32 - 1, y = (float)blockIdx.x / 16 - 0.5f;
	u8 n = 0;

	for (; n < 60; n++) {
		float a = x * x, b = y * y;

		if (a + b > 4)
			break;
		y = 2 * x * y + 0.2f;
		x = a - b - 0.8f;
	}
	out[blockIdx.x * w + threadIdx.x] = n;
}

typedef u8 u8x4 __attribute__((ext_vector_type(4)));

KERNEL grey(const u8x4 *in, u8 *out)
{
	u8x4 p = in[thread()];

	out[thread()] = (u8)((77 * p.x + 150 * p.y + 29 * p.z + 128) >> 8);
}

KERNEL blend(const u8x4 *over, u8x4 *under)
{
	u8x4 a = over[thread()], b = under[thread()], c;

	for (u32 i = 0; i < 3; i++)
		c[i] = (u8)((a[i] * a[3] + b[i] * (255 - a[3])) / 255);
	c[3] = 255;
	under[thread()] = c;
}

KERNEL halve(const float *in, float *out, u32 w)
{
	u32 x = threadIdx.x, y = blockIdx.x;
	const float *p = in + 2 * y * w + 2 * x;

	out[y * (w / 2) + x] = 0.25f * (p[0] + p[1] + p[w] + p[w + 1]);
}

KERNEL bilinear(const float *in, float *out, u32 w, u32 h)
{
	float x = (float)threadIdx.x * 0.37f, y = (float)blockIdx.x * 0.41f;
	float fx = __builtin_floorf(x), fy = __builtin_floorf(y);
	u32 x0 = (u32)fx, y0 = (u32)fy, x1 = (u32)min((s32)x0 + 1, (s32)w - 1);
	u32 y1 = (u32)min((s32)y0 + 1, (s32)h - 1);
	float a = x - fx, b = y - fy;

	out[blockIdx.x * blockDim.x + threadIdx.x] =
		(1 - b) * ((1 - a) * in[y0 * w + x0] + a * in[y0 * w + x1]) +
		b * ((1 - a) * in[y1 * w + x0] + a * in[y1 * w + x1]);
}

KERNEL erode(const u8 *in, u8 *out, u32 w, u32 h)
{
	u32 x = threadIdx.x, y = blockIdx.x;
	bool all = true;

	for (s32 k = -2; k <= 2 && all; k++) {
		s32 i = (s32)x + k, j = (s32)y + k;

		if (i < 0 || i >= (s32)w || j < 0 || j >= (s32)h)
			all = false;
		else
			all = in[y * w + (u32)i] && in[(u32)j * w + x];
	}
	out[y * w + x] = all;
}

/* Distance to the nearest set cell, in rounds until nothing changes: barriers in a loop whose trip
 * count is the data's. */
KERNEL distances(const u8 *in, u32 *out, u32 w, u32 h)
{
	__shared__ u32 d[256], changed;
	u32 i = threadIdx.x, x = i % w, y = i / w, n = w * h;

	d[i] = in[i] ? 0 : 1000;
	for (;;) {
		u32 best = d[i];

		barrier();
		changed = 0;
		best = min((s32)best, x ? (s32)d[i - 1] + 1 : 1000);
		best = min((s32)best, x + 1 < w ? (s32)d[i + 1] + 1 : 1000);
		best = min((s32)best, y ? (s32)d[i - w] + 1 : 1000);
		best = min((s32)best, i + w < n ? (s32)d[i + w] + 1 : 1000);
		barrier();
		if (best < d[i]) {
			d[i] = best;
			changed = 1;
		}
		barrier();
		if (!changed)
			break;
	}
	out[i] = d[i];
}

/* Sums of all cells above and to the left: rows, then columns. */
KERNEL integral_image(const u8 *in, u32 *out, u32 w, u32 h)
{
	u32 sum = 0;

	if (threadIdx.x < h)
		for (u32 x = 0; x < w; x++) {
			sum += in[threadIdx.x * w + x];
			out[threadIdx.x * w + x] = sum;
		}
	barrier();
	sum = 0;
	if (threadIdx.x < w)
		for (u32 y = 0; y < h; y++) {
			sum += out[y * w + threadIdx.x];
			out[y * w + threadIdx.x] = sum;
		}
}

KERNEL gamma_curve(const u8 *in, u8 *out)
{
	float v = (float)in[thread()] / 255.0f;

	/* Square roots are rounded right, so bytes are exact. */
	out[thread()] = (u8)(__builtin_sqrtf(v) * 255.0f + 0.5f);
}

KERNEL rotate_quarter(const u32 *in, u32 *out, u32 n)
{
	u32 x = threadIdx.x, y = threadIdx.y;

	out[(blockIdx.z * n + x) * n + n - 1 - y] = in[(blockIdx.z * n + y) * n + x];
}
