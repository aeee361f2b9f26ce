/* Parameters of the register file hierarchy, the energies that allocation weighs, and all other
 * energy. */
#include "chip/gpu_inside.h"

void gpu_read_levels(struct gpu *g, struct err *err)
{
	levels_read(&g->levels, g->config, err);
	energy_read(&g->energy, g->config, err);
	register_energy_read(&g->energy.registers, g->config, err);
	register_energy_levels(&g->energy.registers, &g->levels.energy);
}

const struct register_energy *gpu_register_energy(const struct gpu *g)
{
	return &g->energy.registers;
}

const struct levels_options *gpu_levels(const struct gpu *g)
{
	return &g->levels;
}

const struct energy *gpu_energy(const struct gpu *g)
{
	return &g->energy;
}
