/* The bank of the address map. */
#include "dram/hash.h"

static const struct dram_hash_ops ops = {0};

const struct plugin dram_hash_none = {
	.kind = "dram hash",
	.name = "none",
	.text = "The bank of the address map.",
	.ops = &ops,
};
