/* Table 4.5: energies of bank accesses, inputs of the model that nothing judges. */
#include "papers/dissertation/dis.h"

#include <stdio.h>

static void tell(struct book *d, const char *claim, double paper, double ours, const char *text)
{
	const char *unit = *claim ? "" : "pJ";

	book_say_text(d, text, book_told(claim, unit, paper, ours, NULL));
}

static void accesses(struct book *d)
{
	static const struct register_bank printed[] = {{0.7, 2.0}, {1.2, 3.8}, {1.2, 4.4},
		{1.9, 6.1}, {2.0, 6.0}, {2.0, 6.7}, {2.4, 7.7}, {3.4, 10.9}};
	struct register_energy e;
	char text[64];

	register_energy_default(&e);
	tell(d, "", 0.7, register_lrf_bank.read_pj, "LRF: read of 128 bits");
	tell(d, "", 2.0, register_lrf_bank.write_pj, "LRF: write");
	for (unsigned n = 1; n <= LEVELS_MAX_ORF; n++) {
		snprintf(text, sizeof(text), "ORF or RFC of %u: read", n);
		tell(d, "", printed[n - 1].read_pj, register_orf_banks[n].read_pj, text);
		snprintf(text, sizeof(text), "ORF or RFC of %u: write", n);
		tell(d, "", printed[n - 1].write_pj, register_orf_banks[n].write_pj, text);
	}
	tell(d, "", 8, e.p.mrf_read_pj, "MRF: read");
	tell(d, "", 11, e.p.mrf_write_pj, "MRF: write");
	tell(d, "DIS-097", 11, e.p.mrf_read_pj / register_orf_banks[1].read_pj,
		"reads of an ORF of 1 that a read of the MRF costs");
	tell(d, "DIS-097", 4, e.p.mrf_read_pj / register_orf_banks[6].read_pj,
		"reads of an ORF of 6 that it costs");
}

const struct target dis_table45 = {
	.order = 20,
	.name = "table4.5",
	.text = "Energy of a bank access, by level and entries: inputs of the model.",
	.paper = &dis_paper,
	.rows = accesses,
};
