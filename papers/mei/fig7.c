/* Figure 7: Kepler's shared memory by stride, 32 banks of 8 bytes in two modes. In the 4-byte mode
 * word w is in bank w mod 32, in the 8-byte mode in bank w / 2 mod 32; a row of both holds 64 words
 * (section 4.1). Only degrees of conflict are judged: the figure's cycles are not in the text. */
#include "papers/mei/mei.h"

#define BANKS 32

enum mode { FOUR, EIGHT };

static const struct {
	const char *name, *paper, *set;
} modes[] = {[FOUR] = {"4-byte mode", BOOK_PAPER ": 4-byte", "sm.shared_bank_mode=4"},
	[EIGHT] = {"8-byte mode", BOOK_PAPER ": 8-byte", "sm.shared_bank_mode=8"}};

/* Distinct rows in the busiest bank. */
static unsigned degree(enum mode m, unsigned stride)
{
	unsigned most = 0;

	for (unsigned bank = 0; bank < BANKS; bank++) {
		unsigned rows = 0, last = ~0u;

		for (unsigned lane = 0; lane < BANKS; lane++) {
			unsigned word = lane * stride, row = word / (2 * BANKS);

			if ((m == FOUR ? word : word / 2) % BANKS != bank || row == last)
				continue;
			rows++;
			last = row; /* rows ascend */
		}
		most = rows > most ? rows : most;
	}
	return most;
}

static double of_mode(struct book *b, enum mode m, unsigned stride)
{
	struct design d = mei_design(MEI_KEPLER, &mei_strides, modes[m].set);

	return mei_degree(b, &d, stride);
}

static void stride_rows(struct book *b)
{
	static const struct {
		const char *claim;
		unsigned stride, paper[2];
	} all[] = {{"MEI-006", 2, {1, 1}}, {"MEI-007", 4, {2, 2}}, {"MEI-008", 6, {2, 1}}};

	for (unsigned i = 0; i < sizeof(all) / sizeof(*all); i++)
		for (unsigned m = FOUR; m <= EIGHT; m++) {
			struct book_row row = book_band(all[i].claim, "ways",
				band_exact(all[i].paper[m]), of_mode(b, m, all[i].stride), NULL);

			book_sayf(b, &row, "stride %u, %s", all[i].stride, modes[m].name);
		}
}

static void say_formula(struct book *b, enum mode m)
{
	struct design d = mei_design(MEI_KEPLER, &mei_strides, modes[m].set);
	double same = 0;
	struct book_row row;

	for (unsigned s = 0; s < MEI_STRIDES; s++) {
		double ours = of_mode(b, m, s);

		same += isnan(ours) ? NAN : ours == degree(m, s);
		book_plot(b, &(struct book_dot){"Shared memory of Kepler", modes[m].name,
				     "stride, words", "ways", s, ours});
		book_plot(b, &(struct book_dot){"Shared memory of Kepler", modes[m].paper,
				     "stride, words", "ways", s, degree(m, s)});
	}
	row = book_band("MEI-008", "of 65", band_exact(MEI_STRIDES), same,
		mei_words(b, &d, "shared memory", "mode"));
	book_sayf(
		b, &row, "strides from 0 to 64 with the degree of its formula, %s", modes[m].name);
}

static void rows(struct book *b)
{
	double fewer = 0;
	unsigned n = 0;

	stride_rows(b);
	for (unsigned s = 2; s < MEI_STRIDES; s += 2) {
		double four = of_mode(b, FOUR, s), eight = of_mode(b, EIGHT, s);

		if (!(s & (s - 1)))
			continue;
		fewer += isnan(four + eight) ? NAN : eight < four;
		n++;
	}
	book_say_text(b, "even strides, no powers of two, fewer ways in the 8-byte mode",
		book_band("MEI-009", "of 26", band_exact(n), fewer, NULL));
	say_formula(b, FOUR);
	say_formula(b, EIGHT);
}

const struct target mei_fig7 = {
	.order = 50,
	.name = "mei-fig7",
	.text = "Kepler's shared memory by stride: degrees of conflict in both modes.",
	.paper = &mei_paper,
	.rows = rows,
	.plots = true,
};
