/* Write-back: memory is written when a dirty line is evicted. */
#include "mem/write.h"

static unsigned choose(const void *self, bool present, bool allocate)
{
	(void)self;
	return present || allocate ? WRITE_DIRTY : WRITE_MEMORY;
}

static const struct write_ops ops = {.choose = choose};

const struct plugin write_back_policy = {
	.kind = "write policy",
	.name = "back",
	.text = "Written lines are dirty until they are evicted.",
	.ops = &ops,
};
