/* The bank XOR the row's lowest bits. */
#include "dram/hash.h"

#include "core/state.h"

struct mask {
	unsigned banks_1; /* banks - 1 */
};

static void init(void *self, unsigned banks)
{
	((struct mask *)self)->banks_1 = banks - 1;
}

static unsigned bank(const void *self, uint32_t row, unsigned bank)
{
	return bank ^ (row & ((const struct mask *)self)->banks_1);
}

static const struct dram_hash_ops ops = {.init = init, .bank = bank};

const struct plugin dram_hash_xor = {
	.kind = "dram hash",
	.name = "xor",
	.text = "The bank XOR the row's lowest bits.",
	.size = sizeof(struct mask),
	.ops = &ops,
	.state = state_none,
};
