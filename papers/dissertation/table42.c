/* Table 4.2: the programs that chapter 6 is measured on; those of them that are workloads. */
#include "papers/dissertation/dis.h"

const char *const dis_suite[] = {"bicubictexture", "binomialoptions", "boxfilter",
	"convolutionseparable", "convolutiontexture", "dct8x8", "dwthaar1d", "dxtc", "eigenvalues",
	"fastwalshtransform", "histogram", "imagedenoising", "mandelbrot", "matrixmul", "mergesort",
	"montecarlo", "nbody", "recursivegaussian", "reduction", "scalarprod", "sobelfilter",
	"sobolqrng", "sortingnetworks", "vectoradd", "volumerender", "cp", "mrifhd", "mriq", "rpes",
	"sad", "backprop", "hotspot", "hwt", "lu", "needle", "srad", "dgemm", NULL};

static double of(struct book *b, unsigned w, const char *count, const char *by)
{
	struct design single = dis_single();

	return dis_one_ratio(b, w, &single, count, by);
}

static double mean(struct book *b, const char *count, const char *by)
{
	struct design single = dis_single();

	return dis_mean_ratio(b, &single, count, by);
}

static void means(struct book *b)
{
	struct design best = dis_best_design("");

	book_tell(b, "by instruction", mean(b, "work.read", "work.instructions"),
		"mean: operands read");
	book_tell(b, "by instruction", mean(b, "work.written", "work.instructions"),
		"mean: results written");
	book_tell(b, "by instruction", mean(b, "work.read_whole", "work.instructions"),
		"mean: operands read, one of 64 bits as one");
	book_tell(b, "by instruction", mean(b, "work.written_whole", "work.instructions"),
		"mean: results written, one of 64 bits as one");
	book_tell(b, "% of values", 100 * mean(b, "values.again", "values.written"),
		"mean: read more than once");
	book_tell(b, "instructions", mean(b, "work.instructions", "strands.begun"),
		"mean: length of a strand");
	book_tell(
		b, "% saved", dis_mean(b, &best, dis_saved), "mean: register energy, best design");
}

static void rows(struct book *b)
{
	struct design best = dis_best_design("");

	for (unsigned w = 0; w < book_workloads(b); w++) {
		const char *name = book_workload(b, w);

		book_tell(b, "by instruction", of(b, w, "work.read", "work.instructions"),
			"%s: operands read", name);
		book_tell(b, "by instruction", of(b, w, "work.written", "work.instructions"),
			"%s: results written", name);
		book_tell(b, "by instruction", of(b, w, "work.read_whole", "work.instructions"),
			"%s: operands read, one of 64 bits as one", name);
		book_tell(b, "by instruction", of(b, w, "work.written_whole", "work.instructions"),
			"%s: results written, one of 64 bits as one", name);
		book_tell(b, "% of values", 100 * of(b, w, "values.again", "values.written"),
			"%s: read more than once", name);
		book_tell(b, "% of values", 100 * of(b, w, "values.life_1", "values.written"),
			"%s: read once, by the next instruction", name);
		book_tell(b, "instructions", of(b, w, "work.instructions", "strands.begun"),
			"%s: length of a strand", name);
		book_tell(b, "% saved", dis_of(b, w, &best, dis_saved),
			"%s: register energy, best design", name);
	}
	means(b);
}

const struct target dis_table42 = {
	.order = 45,
	.name = "table4.2",
	.text = "The suite of chapter 6, program by program.",
	.paper = &dis_paper,
	.rows = rows,
	.columns = 1u << VIEW_NOT_FITTED,
};
