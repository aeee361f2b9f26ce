/* Section 6.6: what could still be gained, and its bounds. */
#include "papers/dissertation/dis.h"

#define READS 1.23 /* of MRF operands an instruction, and results: the paper's */
#define WRITES 0.8

static double gain(struct book *d, unsigned entries, const char *more)
{
	struct design base = dis_best_design(""), other = dis_soft(entries, LEVELS_SLOTS, more);

	return dis_less(dis_energy(d, &base), dis_energy(d, &other));
}

/* All accesses at one level instead of the MRF: %, by bank energies alone, and with wires. */
static double all_in(enum register_level level, unsigned entries, bool wires)
{
	const uint64_t reads = (uint64_t)(READS * 100), writes = (uint64_t)(WRITES * 100);
	struct register_accesses mrf = {.reads = {reads}, .writes = {writes}},
				 other = {.reads = {0}};
	struct register_energy e;
	struct register_sum a, b;

	register_energy_default(&e);
	other.reads[level] = reads;
	other.writes[level] = writes;
	register_energy_sum(&e, entries, &mrf, &a);
	register_energy_sum(&e, entries, &other, &b);
	if (wires)
		return 100 * (1 - (double)b.total_fj / (double)a.total_fj);
	return 100 * (1 - (double)b.bank_fj[level] / (double)a.bank_fj[REGISTERS_MRF]);
}

static void bounds(struct book *d)
{
	book_say_text(d, "all accesses in the LRF, banks alone",
		book_band("DIS-064", "% saved", band_points(87, 2), all_in(REGISTERS_LRF, 1, false),
			NULL));
	book_tell(d, "% saved", all_in(REGISTERS_LRF, 1, true),
		"all accesses in the LRF, with wires");
	book_say_text(d, "all accesses in an ORF of 5, banks alone",
		book_band("DIS-065", "% saved", band_points(61, 2), all_in(REGISTERS_ORF, 5, false),
			NULL));
	book_tell(d, "% saved", all_in(REGISTERS_ORF, 5, true),
		"all accesses in an ORF of 5, with wires");
}

static void rows(struct book *d)
{
	struct design rfc = dis_hard(DIS_ENTRIES, 0, ""),
		      past = dis_hard(DIS_ENTRIES, 0, "rf.keep_past_branches=true");

	book_say_text(d, "each strand has the entries best for it",
		book_band("DIS-058", "% less energy", band_points(6, 2),
			gain(d, DIS_ENTRIES, "rf.oracle_entries=true"), NULL));
	book_say_text(d, "RFC of 3: kept past backward branches",
		book_unjudged(book_band("DIS-060", "% less energy", band_points(5, 2),
			dis_less(dis_energy(d, &rfc), dis_energy(d, &past)), NULL)));
	book_tell(d, "% less energy", gain(d, DIS_ENTRIES, "rf.keep_past_branches=true"),
		"ORF: kept past backward branches");
	book_say_text(d, "ORF of 8 at the price of 3",
		book_band("DIS-061", "% less energy", band_points(9, 2),
			gain(d, 8, "rf.price_entries=3"), NULL));
	book_say_text(d, "ORF of 5 at the price of 3",
		book_band("DIS-062", "% less energy", band_points(6, 2),
			gain(d, 5, "rf.price_entries=3"), NULL));
	book_say_text(d, "descheduling loses nothing",
		book_band("DIS-063", "% less energy", band_points(8, 2),
			gain(d, DIS_ENTRIES, "rf.keep_past_waits=true"), NULL));
	bounds(d);
}

const struct target dis_limits = {
	.order = 160,
	.name = "section6.6",
	.text = "Limits: what could still be gained.",
	.paper = &dis_paper,
	.rows = rows,
	.columns = 1u << VIEW_STRANDS,
};
