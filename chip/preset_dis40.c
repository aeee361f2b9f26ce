/* The chip of chapters 5 and 6 of Gebhart's dissertation: half the SMs, half the registers each. */
#include "chip/preset.h"

static const struct preset_setting settings[] = {
	{"chip.sms", "16"},
	{"storage.partitioned.register_bytes", "128K"},
	{"storage.partitioned.shared_bytes", "64K"},
	{"storage.partitioned.cache_bytes", "64K"},
	{"rf.entries", "3"},
	{"rf.lrf", "3"},
	{NULL, NULL},
};

const struct plugin preset_dis40 = {
	.kind = "preset",
	.name = "dis40",
	.text = "16 SMs with 128 KB of registers (Gebhart's dissertation, chapters 5 and 6).",
	.ops = settings,
};
