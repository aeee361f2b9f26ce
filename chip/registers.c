/* What is wanted of the register file hierarchy: parameters, and the energies that allocation
 * weighs. */
#include "chip/gpu_inside.h"

void gpu_read_levels(struct gpu *g, struct err *err)
{
	levels_read(&g->levels, g->config, err);
	register_energy_read(&g->energy, g->config, err);
	register_energy_levels(&g->energy, &g->levels.energy);
}

const struct register_energy *gpu_register_energy(const struct gpu *g)
{
	return &g->energy;
}

const struct levels_options *gpu_levels(const struct gpu *g)
{
	return &g->levels;
}
