/* Figure 5: Fermi's shared memory by stride. Its three latencies set parameters; the degree of
 * conflict is gcd(stride, 32), and none at stride 0, where all lanes read one word. */
#include "papers/mei/mei.h"

#define ONE_WAY 50
#define ALL_WAYS 1210

static unsigned degree(unsigned stride)
{
	unsigned g = 32;

	while (stride && stride % g)
		g /= 2;
	return stride ? g : 1;
}

static void latencies(struct book *b, const struct design *d)
{
	struct design global = mei_design(MEI_FERMI, &mei_patterns, MEI_L1_OFF);
	double one = mei_cycles(b, d, 0), two = mei_cycles(b, d, 2), all = mei_cycles(b, d, 32);

	book_say_text(b, "all lanes read one word",
		mei_calibration("MEI-001", "cycles", band_points(ONE_WAY, 1), one, NULL));
	book_say_text(b, "stride 2: two ways",
		mei_calibration("MEI-002", "cycles", band_points(88, 1), two, NULL));
	book_say_text(b, "stride 32: 32 ways",
		mei_calibration("MEI-003", "cycles", band_points(ALL_WAYS, 1), all, NULL));
	book_say_text(b, "each way beyond the first",
		mei_calibration("MEI-004", "cycles",
			band_between((ALL_WAYS - ONE_WAY) / 31.0, 37, 38), (all - one) / 31, NULL));
	book_say_text(b, "32 ways by a load from DRAM",
		mei_calibration("MEI-031", "times", band_between(ALL_WAYS / 639.0, 1, 2),
			all / (mei_found(b, &global, "patterns", "miss, hit") +
				      2 * mei_found(b, &global, "addition", "latency")),
			NULL));
}

static void rows(struct book *b)
{
	struct design d = mei_design(MEI_FERMI, &mei_strides, "");
	double same = 0;

	for (unsigned s = 0; s < MEI_STRIDES; s++) {
		double ours = mei_degree(b, &d, s);

		same += isnan(ours) ? NAN : ours == degree(s);
		book_plot(b, &(struct book_dot){"Shared memory of Fermi", "ours", "stride, words",
				     "cycles", s, mei_cycles(b, &d, s)});
		book_plot(b, &(struct book_dot){"Shared memory of Fermi", BOOK_PAPER ": by degree",
				     "stride, words", "cycles", s,
				     ONE_WAY + (degree(s) - 1) * (ALL_WAYS - ONE_WAY) / 31.0});
	}
	latencies(b, &d);
	book_say_text(b, "strides from 0 to 64 whose degree is gcd(stride, 32)",
		book_band("MEI-005", "of 65", band_exact(MEI_STRIDES), same,
			mei_words(b, &d, "shared memory", "banks")));
}

const struct target mei_fig5 = {
	.order = 40,
	.name = "mei-fig5",
	.text = "Fermi's shared memory by stride: latencies set parameters, degrees do not.",
	.paper = &mei_paper,
	.rows = rows,
	.plots = true,
};
