/* Many small tridiagonal systems by parallel cyclic reduction (Hockney and Jesshope, 1981; Zhang,
 * Cohen and Owens, PPoPP 2010), a system a CTA, an equation a thread. A thread keeps its own
 * equation in registers and reads others in shared memory. Each
 * pass eliminates an equation's two neighbours at distance `stride` from it: after the last but
 * one, every equation shares its two unknowns with only one other. */
#include "cuda_math.h"

extern __shared__ float columns[];

extern "C" __global__ void pcr(const float *lower, const float *diagonal, const float *upper,
	const float *right, float *solution, int n)
{
	float *a = columns, *b = a + n, *c = b + n, *d = c + n, *x = d + n;
	int i = (int)threadIdx.x;
	int at = (int)blockIdx.x * n + i;
	int stride = 1;
	float own_a = lower[at], own_b = diagonal[at], own_c = upper[at], own_d = right[at];

	a[i] = own_a;
	b[i] = own_b;
	c[i] = own_c;
	d[i] = own_d;
	barrier();
	do {
		int above = max(i - stride, 0), below = min(i + stride, n - 1);
		float a_above = a[above], b_above = b[above], c_above = c[above],
		      d_above = d[above];
		float a_below = a[below], b_below = b[below], c_below = c[below],
		      d_below = d[below];
		float from_above, from_below;

		barrier();
		from_above = own_a / b_above;
		from_below = own_c / b_below;
		own_a = -a_above * from_above;
		own_b -= c_above * from_above + a_below * from_below;
		own_c = -c_below * from_below;
		own_d -= d_above * from_above + d_below * from_below;
		a[i] = own_a;
		b[i] = own_b;
		c[i] = own_c;
		d[i] = own_d;
		barrier();
		stride *= 2;
	} while (2 * stride < n);
	if (i < stride) {
		int other = i + stride;
		float determinant = b[other] * own_b - own_c * a[other];

		x[i] = (b[other] * own_d - own_c * d[other]) / determinant;
		x[other] = (d[other] * own_b - own_d * a[other]) / determinant;
	}
	barrier();
	solution[at] = x[i];
}
