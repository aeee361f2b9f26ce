/* The device-memory image: buffers at device addresses, with the bytes in host memory. */
#ifndef MEM_IMAGE_H
#define MEM_IMAGE_H

#include "core/err.h"
#include "ptx/exec/exec.h"

#define IMAGE_ALIGN 256u /* buffers start at multiples of this; a guard gap separates them */

struct image;

struct image *image_new(struct err *);
void image_free(struct image *);

/* A new zeroed buffer (name copied); returns its index from 1 on, or 0 and a message (zero bytes,
 * no memory, the 32-bit address space used up and `low` requested, more than 65535 buffers). */
unsigned image_add(struct image *, const char *name, uint64_t bytes, bool low, struct err *);

uint64_t image_address(const struct image *, unsigned buffer);
uint64_t image_bytes(const struct image *, unsigned buffer);
const char *image_name(const struct image *, unsigned buffer);
unsigned image_count(const struct image *); /* highest buffer index */

/* The buffer that holds device addresses a .. a + n - 1 entirely, or 0. Constant time. */
unsigned image_find(const struct image *, uint64_t a, uint64_t n);

/* The buffer nearest to an address (before, in, or after it), or 0 when there is none: for
 * messages. */
unsigned image_nearest(const struct image *, uint64_t a);

/* Host address of device address a, when n bytes from there are in one buffer; else NULL. */
unsigned char *image_bytes_at(const struct image *, uint64_t a, uint64_t n);

/* The image as memory without timing: loads, stores and atomics take effect at once. */
struct exec_memory image_memory(struct image *);

#endif
