/* What another device than the model needs to run a GPU's launches: the launches as they were
 * queued, buffers' bytes, textures, PTX files. The host side that drives the GPU notices nothing
 * but other addresses. */
#ifndef CHIP_ELSEWHERE_H
#define CHIP_ELSEWHERE_H

#include "chip/gpu.h"

/* The device's address of a buffer, which the host side may store in memory and arguments. */
struct gpu_elsewhere {
	void *ctx;
	uint64_t (*address)(void *ctx, buffer_t);
};

/* From now on gpu_buffer_address returns the device's addresses; before the first buffer. */
void gpu_elsewhere(struct gpu *, const struct gpu_elsewhere *);

/* Launches, 0 .. gpu_launches - 1 in the order of queueing, unless the executor or a chip has run
 * them; what they point to is the GPU's. The program is of the kernel. Arguments that are values
 * have their bytes. */
uint32_t gpu_launches(const struct gpu *);
const struct launch *gpu_launch_queued(const struct gpu *, uint32_t i, const struct program **);

/* The device has run all launches that are queued, and buffers have what it left. */
void gpu_complete(struct gpu *);

/* Buffers are 1 .. gpu_buffers. Those that have no host bytes or are the model's own (a name in
 * parentheses) exist only in the model. */
buffer_t gpu_buffers(const struct gpu *);
bool gpu_buffer_is_inner(const struct gpu *, buffer_t);
unsigned char *gpu_buffer_data(const struct gpu *, buffer_t);
/* The buffer that holds the model's address, and where it begins there; 0: none does. */
buffer_t gpu_buffer_holding(const struct gpu *, uint64_t address, uint64_t *base);

/* The texture, sampler or surface of a handle; its address is the model's. */
const struct texture *gpu_texture_of(const struct gpu *, texture_t);

/* The text of a module that gpu_module_text made of one; NULL: of several, or it is of files. */
const char *gpu_module_given(const struct gpu *, module_t);

/* The PTX files of a module, and its n-th of gpu_modules. */
const struct gpu_file *gpu_module_files(const struct gpu *, module_t, unsigned *n);

#endif
