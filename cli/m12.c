/* The designs and columns of the MICRO 2012 figures. */
#include "cli/m12.h"

static const struct target *const targets[] = {NULL};

const struct paper m12_paper = {
	.name = "m12",
	.text = "All of the MICRO 2012 paper's but Table 1.",
	.title = "Gebhart et al., MICRO 2012",
	.ncolumns = 2,
	.columns = {[M12_PAPER] = {"one SM", "ours", true}, [M12_CHIP] = {"chip", "chip", true}},
	.targets = targets,
};
