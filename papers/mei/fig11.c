/* Figures 10 and 11: the L2 TLB by footprint, a page after the other. The figure counts entries:
 * 17 at 132 MB, eight more with each page. Of pages in cyclic passes under LRU a page more misses
 * in each set than it has entries; so entries are the pages that miss less those beyond the 65 that
 * stay. The description's function from page to set was chosen by the figure. */
#include "papers/mei/mei.h"

#define MB (1024.0 * 1024.0)
#define PAGES_STAY 65
#define FIRST 66
#define LAST 72

static void rows(struct book *b)
{
	struct design d = mei_design(MEI_FERMI, &mei_pages, "");

	for (unsigned pages = FIRST; pages <= LAST; pages++) {
		unsigned beyond = pages - PAGES_STAY;
		double missed = mei_missed(b, &d, "L2 TLB", pages * 2 * MB) * pages / 100;
		struct book_row row = mei_calibration(
			"MEI-024", "entries", band_exact(9 + 8 * beyond), missed - beyond, NULL);

		book_sayf(b, &row, "%u MB: evicted entries", 2 * pages);
		book_tell(b, "pages", missed, "%u MB: pages that miss", 2 * pages);
		book_plot(b, &(struct book_dot){"L2 TLB of Fermi", "ours", "footprint, MB",
				     "evicted entries", 2 * pages, missed - beyond});
		book_plot(b, &(struct book_dot){"L2 TLB of Fermi", BOOK_PAPER, "footprint, MB",
				     "evicted entries", 2 * pages, 9.0 + 8 * beyond});
	}
}

const struct target mei_fig11 = {
	.order = 70,
	.name = "mei-fig11",
	.text = "The L2 TLB by footprint: it chose the function from page to set.",
	.paper = &mei_paper,
	.rows = rows,
	.plots = true,
};
