/* Round robin: the remainder. */
#include "mem/hash.h"

static const struct hash_ops ops = {.map = NULL};

const struct plugin hash_modulo = {
	.kind = "hash",
	.name = "modulo",
	.text = "Consecutive blocks go to consecutive slices or sets: the remainder.",
	.ops = &ops,
};
