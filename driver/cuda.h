/* The functions of NVIDIA's driver that warpbeam calls, as its manual documents them (CUDA Driver
 * API): types, numbers, signatures. Nothing of CUDA is needed to build; the library is opened when
 * a command needs it (driver/driver.h). */
#ifndef DRIVER_CUDA_H
#define DRIVER_CUDA_H

#include <stddef.h>
#include <stdint.h>

typedef uint64_t cuda_address; /* of device memory */
typedef uint64_t cuda_texture; /* the handle that a kernel gets, of a surface too */

#define CUDA_SUCCESS 0
#define CUDA_OUT_OF_MEMORY 2
#define CUDA_INVALID_PTX 218
#define CUDA_UNSUPPORTED_PTX 222
#define CUDA_OUT_OF_RESOURCES 701
#define CUDA_NO_GPU 100

/* No CUresult: the library has no such function. */
#define CUDA_MISSING (-1)

/* CUresult of faults of kernels: an address, an instruction, an assertion. */
#define CUDA_FAULTS(F) F(700) F(710) F(714) F(715) F(716) F(717) F(718) F(719)

enum cuda_attribute { /* of a device */
	CUDA_CLOCK_KHZ = 13,
	CUDA_TEXTURE_ALIGNMENT = 14,
	CUDA_SMS = 16,
	CUDA_MEMORY_CLOCK_KHZ = 36,
	CUDA_BUS_BITS = 37,
	CUDA_L2_BYTES = 38,
	CUDA_PITCH_ALIGNMENT = 51,
	CUDA_CAPABILITY_MAJOR = 75,
	CUDA_CAPABILITY_MINOR = 76
};

enum cuda_function_attribute {
	CUDA_SHARED_BYTES = 1,
	CUDA_LOCAL_BYTES = 3,
	CUDA_REGISTERS = 4,
	CUDA_MOST_DYNAMIC_SHARED = 8
};

enum cuda_jit { CUDA_JIT_ERROR_LOG = 5, CUDA_JIT_ERROR_LOG_BYTES = 6 };

#define CUDA_STREAM_NON_BLOCKING 1u

/* ---- textures */
enum cuda_format {
	CUDA_U8 = 0x01,
	CUDA_U16 = 0x02,
	CUDA_U32 = 0x03,
	CUDA_S8 = 0x08,
	CUDA_S16 = 0x09,
	CUDA_S32 = 0x0a,
	CUDA_F16 = 0x10,
	CUDA_F32 = 0x20
};
enum cuda_address_mode { CUDA_WRAP, CUDA_CLAMP, CUDA_MIRROR, CUDA_BORDER };

#define CUDA_ARRAY_LAYERED 1u
#define CUDA_ARRAY_SURFACE 2u

#define CUDA_READ_AS_INTEGER 1u
#define CUDA_NORMALISED 2u

struct cuda_array_descriptor { /* CUDA_ARRAY3D_DESCRIPTOR */
	size_t width, height, depth;
	int format; /* enum cuda_format */
	unsigned channels, flags;
};

enum cuda_memory { CUDA_HOST_MEMORY = 1, CUDA_DEVICE_MEMORY = 2, CUDA_ARRAY_MEMORY = 3 };

struct cuda_copy_side {
	size_t x_bytes, y, z, level;
	int memory; /* enum cuda_memory */
	const void *host;
	cuda_address device;
	void *array, *reserved;
	size_t pitch, height;
};

struct cuda_copy { /* CUDA_MEMCPY3D */
	struct cuda_copy_side from, to;
	size_t width_bytes, height, depth;
};

enum cuda_resource { CUDA_ARRAY_RESOURCE = 0, CUDA_LINEAR_RESOURCE = 2 };

struct cuda_resource_descriptor { /* CUDA_RESOURCE_DESC */
	int kind;                 /* enum cuda_resource */
	union {
		void *array;
		struct {
			cuda_address address;
			int format;
			unsigned channels;
			size_t bytes;
		} linear;
		int reserved[32];
	} of;
	unsigned flags;
};

struct cuda_texture_descriptor { /* CUDA_TEXTURE_DESC */
	int mode[3];             /* enum cuda_address_mode */
	int linear;
	unsigned flags, anisotropy;
	int mip_linear;
	float mip_bias, mip_least, mip_most, border[4];
	int reserved[12];
};

/* F(name, symbol, parameters): the library's function, and the field of struct cuda that is it.
 * Without one of the first the driver is refused when it is opened. */
#define CUDA_NEEDED(F) \
	F(init, "cuInit", (unsigned flags)) \
	F(driver_version, "cuDriverGetVersion", (int *version)) \
	F(error_name, "cuGetErrorName", (int error, const char **name)) \
	F(error_text, "cuGetErrorString", (int error, const char **text)) \
	F(device_count, "cuDeviceGetCount", (int *count)) \
	F(device_get, "cuDeviceGet", (int *device, int ordinal)) \
	F(device_name, "cuDeviceGetName", (char *name, int bytes, int device)) \
	F(device_memory, "cuDeviceTotalMem_v2", (size_t * bytes, int device)) \
	F(device_attribute, "cuDeviceGetAttribute", (int *value, int attribute, int device)) \
	F(context_create, "cuCtxCreate_v2", (void **context, unsigned flags, int device)) \
	F(context_destroy, "cuCtxDestroy_v2", (void *context)) \
	F(context_synchronize, "cuCtxSynchronize", (void)) \
	F(module_load, "cuModuleLoadDataEx", \
		(void **module, const void *text, unsigned n, int *options, void **values)) \
	F(module_unload, "cuModuleUnload", (void *module)) \
	F(module_function, "cuModuleGetFunction", \
		(void **function, void *module, const char *name)) \
	F(module_global, "cuModuleGetGlobal_v2", \
		(cuda_address * at, size_t * bytes, void *module, const char *name)) \
	F(function_attribute, "cuFuncGetAttribute", (int *value, int attribute, void *function)) \
	F(memory_take, "cuMemAlloc_v2", (cuda_address * at, size_t bytes)) \
	F(memory_free, "cuMemFree_v2", (cuda_address at)) \
	F(memory_zero, "cuMemsetD8_v2", (cuda_address at, unsigned char byte, size_t bytes)) \
	F(memory_write, "cuMemcpyHtoD_v2", (cuda_address to, const void *from, size_t bytes)) \
	F(memory_read, "cuMemcpyDtoH_v2", (void *to, cuda_address from, size_t bytes)) \
	F(stream_create, "cuStreamCreate", (void **stream, unsigned flags)) \
	F(stream_destroy, "cuStreamDestroy_v2", (void *stream)) \
	F(event_create, "cuEventCreate", (void **event, unsigned flags)) \
	F(event_destroy, "cuEventDestroy_v2", (void *event)) \
	F(event_record, "cuEventRecord", (void *event, void *stream)) \
	F(event_elapsed, "cuEventElapsedTime", (float *ms, void *from, void *to)) \
	F(launch, "cuLaunchKernel", \
		(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, \
			unsigned bz, unsigned shared_bytes, void *stream, void **params, \
			void **extra))

/* Those that only some targets need: textures, surfaces, more than 48 KB of shared memory, barriers
 * of grids. NULL where the library has none. */
#define CUDA_OPTIONAL(F) \
	F(module_texture, "cuModuleGetTexRef", (void **reference, void *module, const char *name)) \
	F(module_surface, "cuModuleGetSurfRef", \
		(void **reference, void *module, const char *name)) \
	F(function_set, "cuFuncSetAttribute", (void *function, int attribute, int value)) \
	F(copy, "cuMemcpy3D_v2", (const struct cuda_copy *)) \
	F(array_create, "cuArray3DCreate_v2", \
		(void **array, const struct cuda_array_descriptor *)) \
	F(array_destroy, "cuArrayDestroy", (void *array)) \
	F(texture_create, "cuTexObjectCreate", \
		(cuda_texture *, const struct cuda_resource_descriptor *, \
			const struct cuda_texture_descriptor *, const void *view)) \
	F(texture_destroy, "cuTexObjectDestroy", (cuda_texture)) \
	F(surface_create, "cuSurfObjectCreate", \
		(cuda_texture *, const struct cuda_resource_descriptor *)) \
	F(surface_destroy, "cuSurfObjectDestroy", (cuda_texture)) \
	F(reference_array, "cuTexRefSetArray", (void *reference, void *array, unsigned flags)) \
	F(reference_linear, "cuTexRefSetAddress_v2", \
		(size_t * offset, void *reference, cuda_address at, size_t bytes)) \
	F(reference_format, "cuTexRefSetFormat", (void *reference, int format, int channels)) \
	F(reference_mode, "cuTexRefSetAddressMode", (void *reference, int axis, int mode)) \
	F(reference_filter, "cuTexRefSetFilterMode", (void *reference, int linear)) \
	F(reference_flags, "cuTexRefSetFlags", (void *reference, unsigned flags)) \
	F(surface_array, "cuSurfRefSetArray", (void *reference, void *array, unsigned flags)) \
	F(launch_cooperative, "cuLaunchCooperativeKernel", \
		(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, \
			unsigned bz, unsigned shared_bytes, void *stream, void **params))

#define CUDA_FUNCTIONS(F) CUDA_NEEDED(F) CUDA_OPTIONAL(F)

/* Every function returns a CUresult, 0 for success. */
struct cuda {
#define CUDA_FIELD(name, symbol, parameters) int(*name) parameters;
	CUDA_FUNCTIONS(CUDA_FIELD)
#undef CUDA_FIELD
};

#endif
