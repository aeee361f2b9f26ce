/* Tables 4.5 and 4.6: energies of accesses. They are inputs of the model, which nothing judges. */
#include "papers/dissertation/dis.h"

#include <stdio.h>

#define INPUT "an input of the model"

static void tell(struct book *d, const char *claim, const char *unit, double paper, double ours,
	const char *text)
{
	struct book_row row = {.claim = claim,
		.unit = unit,
		.paper = paper,
		.low = NAN,
		.high = NAN,
		.ours = ours,
		.judge = BOOK_TOLD,
		.cause = INPUT};

	book_sayf(d, &row, "%s", text);
}

static void accesses(struct book *d)
{
	static const struct register_bank printed[] = {{0.7, 2.0}, {1.2, 3.8}, {1.2, 4.4},
		{1.9, 6.1}, {2.0, 6.0}, {2.0, 6.7}, {2.4, 7.7}, {3.4, 10.9}};
	struct register_energy e;
	char text[64];

	register_energy_default(&e);
	tell(d, "", "pJ", 0.7, register_lrf_bank.read_pj, "LRF: read of 128 bits");
	tell(d, "", "pJ", 2.0, register_lrf_bank.write_pj, "LRF: write");
	for (unsigned n = 1; n <= LEVELS_MAX_ORF; n++) {
		snprintf(text, sizeof(text), "ORF or RFC of %u: read", n);
		tell(d, "", "pJ", printed[n - 1].read_pj, register_orf_banks[n].read_pj, text);
		snprintf(text, sizeof(text), "ORF or RFC of %u: write", n);
		tell(d, "", "pJ", printed[n - 1].write_pj, register_orf_banks[n].write_pj, text);
	}
	tell(d, "", "pJ", 8, e.p.mrf_read_pj, "MRF: read");
	tell(d, "", "pJ", 11, e.p.mrf_write_pj, "MRF: write");
	tell(d, "DIS-097", "", 11, e.p.mrf_read_pj / register_orf_banks[1].read_pj,
		"a read of the MRF costs so many of an ORF of 1");
	tell(d, "DIS-097", "", 4, e.p.mrf_read_pj / register_orf_banks[6].read_pj,
		"so many of an ORF of 6");
}

static void wires(struct book *d)
{
	struct register_energy e;

	register_energy_default(&e);
	tell(d, "", "pJ/mm", 1.9, e.p.wire_pj_per_mm, "32 bits over a millimetre");
	tell(d, "", "mm", 1, e.p.mrf_mm, "MRF to both datapaths");
	tell(d, "", "mm", 0.2, e.p.orf_mm, "ORF to the private datapath");
	tell(d, "", "mm", 0.4, e.p.orf_shared_mm, "ORF to the shared datapath");
	tell(d, "", "mm", 0.05, e.p.lrf_mm, "LRF to the private datapath");
}

const struct target dis_table45 = {
	.order = 20,
	.name = "table4.5",
	.text = "Energy of a bank access, by level and entries.",
	.paper = &dis_paper,
	.rows = accesses,
};

const struct target dis_table46 = {
	.order = 30,
	.name = "table4.6",
	.text = "Wires between levels and datapaths.",
	.paper = &dis_paper,
	.rows = wires,
};
