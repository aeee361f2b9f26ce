/* The runs of the prober that rows are computed from: none yet, all rows are missing. */
#include "papers/mei/mei.h"

const struct point_way mei_geometry = {.name = "probe geometry"};
const struct point_way mei_patterns = {.name = "probe patterns"};
const struct point_way mei_passes = {.name = "probe passes"};
const struct point_way mei_pages = {.name = "probe pages"};
const struct point_way mei_strides = {.name = "probe strides"};

double mei_found(struct book *b, const struct design *d, const char *level, const char *item)
{
	(void)b, (void)d, (void)level, (void)item;
	return NAN;
}

double mei_says(struct book *b, const struct design *d, const char *level, const char *item,
	const char *words)
{
	(void)words;
	return mei_found(b, d, level, item);
}

const char *mei_words(struct book *b, const struct design *d, const char *level, const char *item)
{
	(void)b, (void)d, (void)level, (void)item;
	return NULL;
}

double mei_missed(struct book *b, const struct design *d, const char *level, double bytes)
{
	(void)bytes;
	return mei_found(b, d, level, "");
}

double mei_cycles(struct book *b, const struct design *d, unsigned stride)
{
	(void)stride;
	return mei_found(b, d, "shared memory", "");
}

double mei_degree(struct book *b, const struct design *d, unsigned stride)
{
	return mei_cycles(b, d, stride);
}
