/* Table 4.6: energies and lengths of wires, inputs of the model that nothing judges. */
#include "papers/dissertation/dis.h"

static void wires(struct book *d)
{
	struct register_energy e;

	register_energy_default(&e);
	book_say_text(d, "32 bits over a millimetre",
		book_told("", "pJ/mm", 1.9, e.p.wire_pj_per_mm, NULL));
	book_say_text(d, "MRF to both datapaths", book_told("", "mm", 1, e.p.mrf_mm, NULL));
	book_say_text(d, "ORF to the private datapath", book_told("", "mm", 0.2, e.p.orf_mm, NULL));
	book_say_text(
		d, "ORF to the shared datapath", book_told("", "mm", 0.4, e.p.orf_shared_mm, NULL));
	book_say_text(
		d, "LRF to the private datapath", book_told("", "mm", 0.05, e.p.lrf_mm, NULL));
}

const struct target dis_table46 = {
	.order = 30,
	.name = "table4.6",
	.text = "Wires between levels and datapaths: inputs of the model.",
	.paper = &dis_paper,
	.rows = wires,
};
