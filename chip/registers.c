/* What is wanted of the register file hierarchy: parameters, and the energies that allocation
 * weighs (Gebhart's dissertation, section 4.4 and tables 4.5 and 4.6). */
#include "chip/gpu_inside.h"

#define WIRE_PJ 1.9 /* of 32 bits over a millimetre; an access moves four of them */
#define WIRE(mm) (4 * WIRE_PJ * (mm))

/* Banks of an ORF or RFC of 1 .. LEVELS_MAX_ORF entries. */
static const double orf_read_pj[LEVELS_MAX_ORF] = {0.7, 1.2, 1.2, 1.9, 2.0, 2.0, 2.4, 3.4};
static const double orf_write_pj[LEVELS_MAX_ORF] = {2.0, 3.8, 4.4, 6.1, 6.0, 6.7, 7.7, 10.9};

static struct level_energy energies(void)
{
	static const double orf_mm[2] = {0.2, 0.4};
	struct level_energy e = {.mrf_read = 8 + WIRE(1.0),
		.mrf_write = 11 + WIRE(1.0),
		.lrf_read = 0.7 + WIRE(0.05),
		.lrf_write = 2.0 + WIRE(0.05)};

	for (unsigned n = 1; n <= LEVELS_MAX_ORF; n++) {
		for (unsigned shared = 0; shared < 2; shared++) {
			e.orf_read[n][shared] = orf_read_pj[n - 1] + WIRE(orf_mm[shared]);
			e.orf_write[n][shared] = orf_write_pj[n - 1] + WIRE(orf_mm[shared]);
		}
	}
	return e;
}

void gpu_read_levels(struct gpu *g, struct err *err)
{
	levels_read(&g->levels, g->config, err);
	g->levels.energy = energies();
}
