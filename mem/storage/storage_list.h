/* Storage designs that split a memory by a list: which of the list a launch gets. */
#ifndef MEM_STORAGE_LIST_H
#define MEM_STORAGE_LIST_H

#include "mem/storage/storage.h"

/* Reads a whole number of KB, followed by `end` or nothing, as bytes, and moves *at behind it.
 * False: there is none. */
bool storage_read_kb(const char **at, char end, uint64_t *bytes);

/* Whether the split holds a CTA of each kernel; *warps: the resident ones of all. */
bool storage_holds(const struct storage_split *, const struct storage_need *, unsigned nneeds,
	uint64_t *warps);

/* The index of the best of n >= 1: one that holds CTAs of all kernels, then the most warps, then
 * the largest cache. */
unsigned storage_best(
	const struct storage_split *, unsigned n, const struct storage_need *, unsigned nneeds);

/* The largest allowances of any of n splits of equal register files, when the best is chosen. */
struct storage_allowance storage_allow_any(
	const struct storage_split *, unsigned n, const struct storage_need *, uint32_t ctas);

#endif
