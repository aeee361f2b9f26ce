/* The machines of a comparison. */
#include "runs/variants.h"

#include <stddef.h>

#define ONE_SM \
	{"chip.sms", KNOB_VALUE, "1"}, {"chip.channels", KNOB_VALUE, "1"}, \
		{"chip.slices", KNOB_VALUE, "1"}, \
	{ \
		"chip.bytes_per_ns", KNOB_SHARE_BYTES, NULL \
	}
#define IDEAL_NETWORK \
	{ \
		"chip.network", KNOB_VALUE, "ideal" \
	}
#define NO_L2 \
	{ \
		"l2.bytes", KNOB_VALUE, "0" \
	}

#define BURSTS(bytes) \
	{"dram.min_bytes", KNOB_VALUE, bytes}, \
	{ \
		"l2.sector_bytes", KNOB_VALUE, bytes \
	}

const struct variant variants[VARIANTS] = {
	[VARIANT_CHIP] = {"chip", "the chip as configured", .knobs = {{0}}},
	[VARIANT_WHOLE] = {"whole",
		"all CTAs through one SM; its cycles are divided by the chip's SMs",
		.shortcut = true, .servers = true, .own_slice = true,
		.knobs = {ONE_SM, IDEAL_NETWORK, NO_L2}},
	[VARIANT_SHARE] = {"share", "one SM's CTAs of every launch through one SM",
		.shortcut = true, .servers = true, .own_slice = true,
		.knobs = {ONE_SM, IDEAL_NETWORK, NO_L2, {"chip.share", KNOB_SMS, NULL}}},
	[VARIANT_FIXED] = {"fixed",
		"every SM with an even share of the bandwidth and the CTAs that the shortcut gives "
		"it",
		.servers = true, .own_slice = true,
		.knobs = {{"chip.dispatch", KNOB_VALUE, "static"},
			{"chip.even_share", KNOB_VALUE, "true"}, IDEAL_NETWORK, NO_L2}},
	[VARIANT_EVEN] = {"even", "every SM with an even share of the bandwidth", .servers = true,
		.own_slice = true,
		.knobs = {{"chip.even_share", KNOB_VALUE, "true"}, IDEAL_NETWORK, NO_L2}},
	[VARIANT_SHARED] = {"shared", "all SMs share the channels", .servers = true,
		.knobs = {IDEAL_NETWORK, NO_L2}},
	[VARIANT_NETWORK] = {"network", "through the chip's network", .servers = true,
		.knobs = {NO_L2}},
	[VARIANT_SERVERS] = {"servers", "the chip with bandwidth servers for its DRAM banks",
		.servers = true, .knobs = {{0}}},
	[VARIANT_BURSTS_32] = {"bursts_32", "nothing shorter than 32 bytes moves to or from DRAM",
		.knobs = {BURSTS("32")}},
	[VARIANT_BURSTS_64] = {"bursts_64", "nothing shorter than 64 bytes moves to or from DRAM",
		.knobs = {BURSTS("64")}},
	[VARIANT_BANKS] = {"banks", "DRAM with banks, rows and all timings, bursts of 64 bytes",
		.knobs = {{"chip.dram", KNOB_VALUE, "banked"}, {"dram.tck_ps", KNOB_TCK, NULL},
			{"l2.sector_bytes", KNOB_VALUE, "64"}}},
	[VARIANT_KEPT] = {"l1_kept", "L1s keep their lines from launch to launch",
		.knobs = {{"sm.invalidate_l1", KNOB_VALUE, "false"}}},
};
