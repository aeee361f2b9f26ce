/* Curves as a picture. */
#ifndef DRAW_CHART_H
#define DRAW_CHART_H

#include "core/text.h"

#include <stdbool.h>

/* Points of one series make a curve, from left to right in their order; or dots, or bars from 0
 * upwards, those of several series at one x beside each other. */
enum chart_kind { CHART_CURVES, CHART_DOTS, CHART_BARS };

struct chart_dot {
	const char *series;
	double x, y;
	const char *label; /* beside it; NULL: none */
	const char *words; /* what a pointer on it shows; NULL: nothing */
};

/* A line of a series between two points. */
struct chart_line {
	const char *series;
	double x0, y0, x1, y1;
};

/* A dashed line upwards from the x axis. */
struct chart_guide {
	double x; /* within the dots' */
	const char *words;
};

struct chart {
	const char *title, *x_axis, *y_axis; /* axes with their units */
	const struct chart_dot *dots;        /* finite */
	unsigned n;
	enum chart_kind kind;
	bool bytes; /* the x axis is in bytes, above 0, and logarithmic */
	bool log;   /* both axes are logarithmic, over whole decades; all is above 0 */
	const char *const
		*places; /* words at 0, 1, 2 ... of the x axis instead of numbers; or NULL */
	unsigned nplaces;
	const char *dashed; /* how the names of dashed series begin; NULL: none is */
	const struct chart_line *lines;
	unsigned nlines;
	const struct chart_guide *guides;
	unsigned nguides;
};

#define CHART_WIDTH 640
#define CHART_HEIGHT 340

/* Draws it between 0, 0 and CHART_WIDTH, CHART_HEIGHT of an open picture. The y axis starts at 0,
 * unless it is logarithmic. */
void chart_draw(const struct chart *, struct text *);

/* The step between marks of an axis that reaches `most`: 1, 2 or 5 times a power of ten, some five
 * of them. */
double chart_step(double most);

#endif
