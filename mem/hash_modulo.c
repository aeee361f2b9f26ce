/* Places in turn: the remainder. */
#include "mem/hash.h"

static const struct hash_ops ops = {.place = NULL};

const struct plugin hash_modulo = {
	.kind = "hash",
	.name = "modulo",
	.text = "Blocks go round the places.",
	.ops = &ops,
};
