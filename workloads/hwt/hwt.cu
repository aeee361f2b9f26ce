/* Tracking the walls of a beating heart in ultrasound video (Szafaryn, Skadron and Saucerman,
 * 2009): points on the walls are followed from frame to frame by what they look like. A CTA takes a
 * point: it correlates the point's template with the frame around the point's last place,
 * normalises (Lewis, 1995: sums under the template come from running sums), moves the point to the
 * peak and blends what is there into the template. Stages are separated by barriers. */
#include "cuda.h"
#include "cuda_math.h"

#define THREADS 512
/* The largest template and the largest correlation, for a search window of 81 x 81. */
#define MAX_TEMPLATE 51
#define MAX_CORRELATION 131

/* The new share of a template is one eighth. */
#define NEW_SHARE 0.125f

/* As in hwt.c. Sides of squares: template, window, correlation = template + window - 1, padded
 * window = window + 2 (template - 1). */
struct sizes {
	int frame_width, side, window, correlation, padded, reach;
};

/* What the first frame shows at the points' places, side x side pixels each. */
extern "C" __global__ void hwt_start(
	const float *frame, const int *places, float *templates, sizes common)
{
	int point = (int)blockIdx.x, side = common.side, cells = side * side;
	int left = places[2 * point] - side / 2, top = places[2 * point + 1] - side / 2;

#pragma unroll 1
	for (int i = (int)threadIdx.x; i < cells; i += THREADS) {
		int y = i / side, x = i - y * side;

		templates[point * cells + i] = frame[(top + y) * common.frame_width + left + x];
	}
}

/* The template at displacement (x, y) over the window: where they overlap, the sum of products. */
static __device__ __forceinline__ float correlate(
	const float *pattern, const float *window, const sizes &size, int x, int y)
{
	int last = size.side - 1;
	int i = max(0, last - y), rows = min(last, size.window - 1 + last - y) - i;
	int j0 = max(0, last - x), columns = min(last, size.window - 1 + last - x) - j0;
	float sum = 0.0f;

	pattern += i * size.side + j0;
	window += (y - last + i) * size.frame_width + x - last + j0;
#pragma unroll 1
	do {
#pragma unroll 4
		for (int j = 0; j <= columns; j++)
			sum += pattern[j] * window[j];
		pattern += size.side;
		window += size.frame_width;
	} while (--rows >= 0);
	return sum;
}

static __device__ __forceinline__ void correlate_all(
	const float *pattern, const float *window, float *correlations, const sizes &size)
{
	int c = size.correlation;

#pragma unroll 1
	for (int i = (int)threadIdx.x; i < c * c; i += THREADS)
		correlations[i] = correlate(pattern, window, size, i % c, i / c);
}

/* Running sums of n values `step` apart, of two arrays at once. */
static __device__ __forceinline__ void run_sums(float *a, float *b, int n, int step)
{
	float sum_a = 0.0f, sum_b = 0.0f;

#pragma unroll 1
	do {
		sum_a += *a;
		sum_b += *b;
		*a = sum_a;
		*b = sum_b;
		a += step;
		b += step;
	} while (--n > 0);
}

/* The sum of the `side` values up to the one at `end`, of which `before` values precede. */
static __device__ __forceinline__ float stretch(
	const float *end, int side, int step, bool any_before)
{
	float sum = *end;

	if (any_before)
		sum -= end[-side * step];
	return sum;
}

/* The window around the point's last place. */
static __device__ __forceinline__ const float *window_of(
	const float *frame, const int *places, const sizes &size)
{
	int x = places[2 * blockIdx.x], y = places[2 * blockIdx.x + 1];

	return frame + (y - size.window / 2) * size.frame_width + x - size.window / 2;
}

static __device__ __forceinline__ int plane_of(const sizes &size)
{
	return size.padded * size.padded;
}

/* The window with zeros around it, and its squares. */
static __device__ __forceinline__ void pad(const float *window, float *padded, const sizes &size)
{
	int plane = plane_of(size);

#pragma unroll 1
	for (int i = (int)threadIdx.x; i < plane; i += THREADS) {
		int x = i % size.padded - (size.side - 1), y = i / size.padded - (size.side - 1);
		float pixel = 0.0f;

		if (x >= 0 && x < size.window && y >= 0 && y < size.window)
			pixel = window[y * size.frame_width + x];
		padded[i] = pixel;
		padded[i + plane] = pixel * pixel;
	}
}

/* From running sums of columns the sums of all stretches as high as the template. */
static __device__ __forceinline__ void sum_columns(float *sums, const sizes &size)
{
	int plane = plane_of(size), n = size.correlation * size.padded;

#pragma unroll 1
	for (int i = (int)threadIdx.x; i < n; i += THREADS) {
		float *end = sums + (size.side - 1) * size.padded + i, *to = sums + 2 * plane + i;

		to[0] = stretch(end, size.side, size.padded, i >= size.padded);
		to[plane] = stretch(end + plane, size.side, size.padded, i >= size.padded);
	}
}

/* From sums of products to correlation coefficients; `sums` are running sums along rows. */
static __device__ __forceinline__ void normalise(
	float *correlations, const float *sums, float mean, float deviation, const sizes &size)
{
	int c = size.correlation, plane = plane_of(size);
	float share = 1.0f / (float)(size.side * size.side);

#pragma unroll 1
	for (int i = (int)threadIdx.x; i < c * c; i += THREADS) {
		int y = i / c, x = i - y * c;
		const float *end = sums + y * size.padded + x + size.side - 1;
		float here = stretch(end, size.side, 1, x > 0);
		float square = stretch(end + plane, size.side, 1, x > 0);

		square = sqrtf(fmaxf(square - here * here * share, 1.0f));
		correlations[i] = (correlations[i] - here * mean) / (square * deviation);
	}
}

/* The template's mean, and the root of its entries' squared distances from it: rows by a thread
 * each, then all by one. Both lie in shared memory, as do the rows' sums. */
static __device__ __forceinline__ void measure(const float *pattern, float *row_sum,
	float *row_square, float *mean, float *deviation, int side)
{
	int t = (int)threadIdx.x, i = 0;
	float sum = 0.0f, square = 0.0f;

	if (t < side) {
#pragma unroll 1
		do {
			float p = pattern[t * side + i];

			sum += p;
			square += p * p;
		} while (++i < side);
		row_sum[t] = sum;
		row_square[t] = square;
	}
	barrier();
	if (t != 0)
		return;
	sum = square = 0.0f;
	i = 0;
#pragma unroll 1
	do {
		sum += row_sum[i];
		square += row_square[i];
	} while (++i < side);
	*mean = sum / (float)(side * side);
	*deviation = sqrtf(square - sum * *mean);
}

/* The index of the largest of n values; the first of equal ones. */
static __device__ __forceinline__ int find_peak(const float *values, int n)
{
	float peak = values[0];
	int at = 0, i = 1;

#pragma unroll 1
	do {
		if (values[i] > peak) {
			peak = values[i];
			at = i;
		}
	} while (++i < n);
	return at;
}

/* Sums under the template: down the columns, then along the rows. `sums` holds four arrays of
 * padded x padded: pixels and their squares, which become running sums of columns, and both under
 * the template's height, which become running sums along rows. */
static __device__ __forceinline__ void sum_all(float *sums, const sizes &size)
{
	int t = (int)threadIdx.x;

	if (t < size.padded)
		run_sums(sums + t, sums + plane_of(size) + t, size.padded, size.padded);
	barrier();
	sum_columns(sums, size);
	barrier();
	sums += 2 * plane_of(size) + t * size.padded;
	if (t < size.correlation)
		run_sums(sums, sums + plane_of(size), size.padded, 1);
	barrier();
}

/* `places` are those of the last frame, `next` those of this one: x and y of the template's centre.
 */
extern "C" __global__ void hwt_track(const float *frame, const int *places, int *next,
	float *templates, float *correlations, float *sums, sizes common)
{
	__shared__ float pattern[MAX_TEMPLATE * MAX_TEMPLATE];
	__shared__ float row_sum[MAX_TEMPLATE], row_square[MAX_TEMPLATE];
	__shared__ float best[MAX_CORRELATION];
	__shared__ int best_at[MAX_CORRELATION];
	__shared__ float mean, deviation;
	int t = (int)threadIdx.x, point = (int)blockIdx.x;
	int side = common.side, area = side * side;

#pragma unroll 1
	for (int i = t; i < area; i += THREADS)
		pattern[i] = templates[point * area + i];
	barrier();
	measure(pattern, row_sum, row_square, &mean, &deviation, side);
	correlations += point * common.correlation * common.correlation;
	correlate_all(pattern, window_of(frame, places, common), correlations, common);
	sums += 4 * point * plane_of(common);
	pad(window_of(frame, places, common), sums, common);
	barrier();
	sum_all(sums, common);
	sums += 2 * plane_of(common);
	normalise(correlations, sums, mean, deviation, common);
	barrier();

	/* The peak within reach: of each row, then of all. */
	if (t <= 2 * common.reach) {
		int first = common.correlation / 2 - common.reach;
		const float *row = correlations + (first + t) * common.correlation + first;
		int at = find_peak(row, 2 * common.reach + 1);

		best[t] = row[at];
		best_at[t] = at;
	}
	barrier();
	if (t == 0) {
		int row = find_peak(best, 2 * common.reach + 1);

		next[2 * point] = places[2 * point] + best_at[row] - common.reach;
		next[2 * point + 1] = places[2 * point + 1] + row - common.reach;
	}
	barrier();

	/* What the point looks like now. */
	frame += (next[2 * point + 1] - side / 2) * common.frame_width + next[2 * point] - side / 2;
#pragma unroll 1
	for (int i = t; i < area; i += THREADS) {
		int y = i / side, x = i - y * side;
		float now = frame[y * common.frame_width + x];

		templates[point * area + i] = pattern[i] + NEW_SHARE * (now - pattern[i]);
	}
}
