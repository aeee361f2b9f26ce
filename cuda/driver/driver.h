/* CUDA's driver functions: they are in the runtime's library, which has the connection, streams and
 * memory; libcuda.so.1 (cuda/libcuda/) finds them there by the one name that is exported. */
#ifndef CUDA_DRIVER_DRIVER_H
#define CUDA_DRIVER_DRIVER_H

#include <stddef.h>
#include <stdint.h>

/* The function of that name; "last": one that returns where the thread's last error of the runtime
 * is, "own": stream_own_default, "lacks": library_lacks. NULL: there is none. */
typedef void (*driver_function)(void);
#define DRIVER_LOOKUP __cudaDriverFunction
#define DRIVER_LOOKUP_NAME "__cudaDriverFunction"

#define DRIVER_COOPERATIVE \
	void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, \
		unsigned bz, unsigned shared, void *stream, void **values
#define DRIVER_COOPERATIVE_ARGUMENTS function, gx, gy, gz, bx, by, bz, shared, stream, values
#define DRIVER_LAUNCH DRIVER_COOPERATIVE, void **extra
#define DRIVER_LAUNCH_ARGUMENTS DRIVER_COOPERATIVE_ARGUMENTS, extra
#define DRIVER_POTENTIAL \
	int *grid, int *block, void *function, size_t (*shared_of)(int), size_t shared, int most

#define DRIVER_LINK_DATA \
	void *link, int input, const void *data, size_t bytes, const char *name, unsigned n, \
		int *options, void **values
#define DRIVER_LINK_DATA_ARGUMENTS link, input, data, bytes, name, n, options, values

/* CUlaunchConfig; the attributes are those of the runtime. */
struct driver_launch {
	unsigned grid[3], block[3], shared;
	void *stream;
	const void *attributes;
	unsigned nattributes;
};
_Static_assert(sizeof(struct driver_launch) == 56, "as compiled programs expect it");

/* CUDA_MEMCPY2D: one side and the other, then the rows. */
struct driver_side {
	size_t x_bytes, y;
	int memory; /* 1 host, 2 device, 3 an array, 4 either of the first two */
	const void *host;
	uint64_t device;
	void *array;
	size_t pitch;
};
struct driver_copy {
	struct driver_side from, to;
	size_t width, height;
};
_Static_assert(sizeof(struct driver_copy) == 128, "as compiled programs expect it");

/* CUDA_MEMCPY3D: the same with slices; the width is in bytes. */
struct driver_extent {
	size_t width, height, depth;
};
struct driver_side_3d {
	size_t x_bytes, y, z, lod;
	int memory;
	const void *host;
	uint64_t device;
	void *array, *reserved;
	size_t pitch, height;
};
struct driver_copy_3d {
	struct driver_side_3d from, to;
	struct driver_extent size;
};
_Static_assert(sizeof(struct driver_copy_3d) == 200, "as compiled programs expect it");

/* CUDA_ARRAY_DESCRIPTOR and CUDA_ARRAY3D_DESCRIPTOR. */
struct driver_array_2d {
	size_t width, height;
	int format;
	unsigned channels;
};
struct driver_array {
	size_t width, height, depth;
	int format;
	unsigned channels, flags;
};

/* CUDA_RESOURCE_DESC: of the runtime's kinds; of linear memory, width is its bytes. */
struct driver_resource {
	int type;
	union {
		void *array;
		struct {
			uint64_t at;
			int format;
			unsigned channels;
			size_t width, height, pitch;
		} plane;
		int room[32];
	};
	unsigned flags;
};
_Static_assert(sizeof(struct driver_resource) == 144, "as compiled programs expect it");

/* CUDA_TEXTURE_DESC. */
struct driver_texture {
	int mode[3], linear;
	unsigned flags, anisotropy;
	int blend;
	float bias, least, most, border[4];
	int reserved[12];
};
_Static_assert(sizeof(struct driver_texture) == 104, "as compiled programs expect it");

#define CALL(name, since, parameters, arguments) int name parameters;
#define OWN(name, other, parameters, arguments)
#include "cuda/driver/calls.def"
#undef CALL
#undef OWN

#endif
