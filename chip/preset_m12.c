/* The chip of Gebhart et al., MICRO 2012, section 2: the defaults, by name. */
#include "chip/preset.h"

static const struct preset_setting settings[] = {{NULL, NULL}};

const struct plugin preset_m12 = {
	.kind = "preset",
	.name = "m12",
	.text = "32 SMs of 256/64/64 KB, six channels, 256 B/ns (Gebhart et al., MICRO 2012).",
	.ops = settings,
};
