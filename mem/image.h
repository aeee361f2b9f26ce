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
 * no memory, the 32-bit address space used up and `low` requested). Memory of the host is used
 * when it is touched. */
unsigned image_add(struct image *, const char *name, uint64_t bytes, bool low, struct err *);

/* The same above 4 GB, with the bytes in host memory of the caller's, which must stay until the
 * buffer is removed. It starts at a multiple of IMAGE_SHARED_ALIGN and has all of the last one, so
 * that another process can map the same pages at the device's addresses. */
#define IMAGE_SHARED_ALIGN 65536u
unsigned image_add_at(struct image *, const char *name, void *host, uint64_t bytes, struct err *);

/* A buffer at that address, a multiple of IMAGE_ALIGN from `image_next` of its half on. What is
 * between stays unused. 0 and a message as of image_add. */
unsigned image_add_placed(
	struct image *, const char *name, uint64_t address, uint64_t bytes, struct err *);
/* The lowest address that no buffer ever had, below or above 4 GB. */
uint64_t image_next(const struct image *, bool low);

/* Removes a buffer. Its addresses are in no buffer then, until another one is given them; index and
 * addresses are used again. The cost depends on the bytes alone. */
void image_remove(struct image *, unsigned buffer);

/* The first part of that: the buffer is freed, but index and addresses are not used again before
 * image_remove. */
void image_vacate(struct image *, unsigned buffer);

uint64_t image_address(const struct image *, unsigned buffer);
uint64_t image_bytes(const struct image *, unsigned buffer);   /* 0: it was removed */
const char *image_name(const struct image *, unsigned buffer); /* "(freed)": it was removed */
unsigned image_count(const struct image *);                    /* highest buffer index */
uint64_t image_removals(const struct image *);
uint64_t image_live_bytes(const struct image *); /* of all buffers */

/* The buffer that holds device addresses a .. a + n - 1 entirely, or 0. Constant time. */
unsigned image_find(const struct image *, uint64_t a, uint64_t n);

/* What the traffic of the buffer at an address counts to, in 16 bits: one account for each name, in
 * the order of their first buffers, kept when buffers are removed. 0: there is no buffer. The
 * names after the first 65,534 share the last one, "(other buffers)". */
#define IMAGE_ACCOUNTS 65535u
uint16_t image_account(const struct image *, uint64_t a);
/* The same, and the bytes around it of which that is true until a buffer is made or removed. */
struct account_range {
	uint64_t start, bytes;
	uint16_t account;
};
struct account_range image_account_range(const struct image *, uint64_t a);
unsigned image_accounts(const struct image *); /* the highest */
const char *image_account_name(const struct image *, unsigned account);

/* The buffer removed last that had this address, if it is among the last 256: its name, or NULL. */
const char *image_freed(const struct image *, uint64_t a, uint64_t *address, uint64_t *bytes);

/* The buffer nearest to an address (before, in, or after it), or 0 when there is none: for
 * messages. */
unsigned image_nearest(const struct image *, uint64_t a);

/* Host address of device address a, when n bytes from there are in one buffer; else NULL. */
unsigned char *image_bytes_at(const struct image *, uint64_t a, uint64_t n);

/* The image as memory without timing: loads, stores and atomics take effect at once. */
struct exec_memory image_memory(struct image *);

#endif
