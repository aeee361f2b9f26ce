/* Write-through: every write goes to memory at once. */
#include "mem/write.h"

static unsigned choose(const void *self, bool present, bool allocate)
{
	(void)self;
	return WRITE_MEMORY | (present || allocate ? WRITE_CLEAN : 0u);
}

static const struct write_ops ops = {.choose = choose};

const struct plugin write_through_policy = {
	.kind = "write policy",
	.name = "through",
	.text = "Every write goes to memory at once; nothing is ever dirty.",
	.ops = &ops,
};
