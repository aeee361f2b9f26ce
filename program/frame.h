/* Frames of Zstandard, where warpbeam is built with it. */
#ifndef PROGRAM_FRAME_H
#define PROGRAM_FRAME_H

#include <stddef.h>

/* A frame of the bytes (mem_free), when it is shorter; NULL: it is not, or there is no memory or
 * no library. */
char *frame_pack(const void *, size_t bytes, size_t *packed);

/* 0; -1: it does not hold that number of bytes, or there is no library. */
int frame_unpack(const void *, size_t packed, char *out, size_t bytes);

#endif
