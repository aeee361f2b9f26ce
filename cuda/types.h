/* The CUDA runtime's types and numbers as far as this library uses them, declared by ourselves from
 * the documentation of its interface. */
#ifndef CUDA_TYPES_H
#define CUDA_TYPES_H

#include <stddef.h>
#include <stdint.h>

typedef int cudaError_t;
enum {
	cudaSuccess = 0,
	cudaErrorInvalidValue = 1,
	cudaErrorMemoryAllocation = 2,
	cudaErrorInitializationError = 3,
	cudaErrorInvalidConfiguration = 9,
	cudaErrorInvalidPitchValue = 12,
	cudaErrorInvalidSymbol = 13,
	cudaErrorInvalidTexture = 18,
	cudaErrorInvalidChannelDescriptor = 20,
	cudaErrorInvalidMemcpyDirection = 21,
	cudaErrorInvalidFilterSetting = 26,
	cudaErrorInvalidNormSetting = 27,
	cudaErrorInsufficientDriver = 35,
	cudaErrorInvalidDeviceFunction = 98,
	cudaErrorNoDevice = 100,
	cudaErrorInvalidDevice = 101,
	cudaErrorInvalidPtx = 218,
	cudaErrorInvalidResourceHandle = 400,
	cudaErrorIllegalState = 401,
	cudaErrorSymbolNotFound = 500,
	cudaErrorNotReady = 600,
	cudaErrorIllegalAddress = 700,
	cudaErrorLaunchOutOfResources = 701,
	cudaErrorLaunchTimeout = 702,
	cudaErrorPeerAccessNotEnabled = 705,
	cudaErrorAssert = 710,
	cudaErrorHostMemoryAlreadyRegistered = 712,
	cudaErrorHostMemoryNotRegistered = 713,
	cudaErrorMisalignedAddress = 716,
	cudaErrorLaunchFailure = 719,
	cudaErrorCooperativeLaunchTooLarge = 720,
	cudaErrorNotPermitted = 800,
	cudaErrorNotSupported = 801,
	cudaErrorStreamCaptureUnsupported = 900,
	cudaErrorStreamCaptureInvalidated,
	cudaErrorStreamCaptureMerge,
	cudaErrorStreamCaptureUnmatched,
	cudaErrorStreamCaptureUnjoined,
	cudaErrorStreamCaptureIsolation,
	cudaErrorStreamCaptureImplicit,
	cudaErrorCapturedEvent,
	cudaErrorStreamCaptureWrongThread,
	cudaErrorGraphExecUpdateFailure = 910,
	cudaErrorUnknown = 999
};

enum cudaMemcpyKind {
	cudaMemcpyHostToHost,
	cudaMemcpyHostToDevice,
	cudaMemcpyDeviceToHost,
	cudaMemcpyDeviceToDevice,
	cudaMemcpyDefault
};

typedef struct {
	unsigned x, y, z;
} dim3;

/* Handles, or one of the two that have numbers. */
typedef void *cudaStream_t;
typedef void *cudaEvent_t;
#define STREAM_LEGACY ((uintptr_t)1)
#define STREAM_PER_THREAD ((uintptr_t)2)

typedef struct {
	size_t shared, constant, local;
	int most_threads, registers, ptx, binary, cache_ca, most_dynamic_shared, carveout;
	int more[22]; /* clusters and what is reserved */
} cudaFuncAttributes;
_Static_assert(sizeof(cudaFuncAttributes) == 144, "as compiled programs expect it");

enum launch_attribute {
	LAUNCH_COOPERATIVE = 2,
	LAUNCH_CLUSTER = 4,
	LAUNCH_PROGRAMMATIC_EVENT = 7,
	LAUNCH_COMPLETION_EVENT = 12,
	LAUNCH_DEVICE_UPDATABLE = 13,
	LAUNCH_ATTRIBUTES = 17
};

typedef struct {
	int id, unused; /* enum launch_attribute */
	union {
		int number;
		dim3 dim;
		char room[64];
	};
} cudaLaunchAttribute;
_Static_assert(sizeof(cudaLaunchAttribute) == 72, "as compiled programs expect it");

typedef struct {
	dim3 grid, block;
	size_t shared;
	cudaStream_t stream;
	const cudaLaunchAttribute *attributes;
	unsigned nattributes;
} cudaLaunchConfig_t;

enum { MEMORY_OTHER, MEMORY_PINNED, MEMORY_DEVICE, MEMORY_MANAGED };
typedef struct {
	int type, device;
	void *device_pointer, *host_pointer;
	long reserved[8];
} cudaPointerAttributes;

typedef struct {
	void *ptr;
	size_t pitch, width, height;
} cudaPitchedPtr;

typedef struct {
	size_t width, height, depth;
} cudaExtent;

typedef struct {
	size_t x, y, z;
} cudaPos;

enum channel_kind { CHANNEL_SIGNED, CHANNEL_UNSIGNED, CHANNEL_FLOAT, CHANNEL_NONE };

/* Bits of each channel. */
typedef struct {
	int x, y, z, w, kind;
} cudaChannelFormatDesc;

/* Handles. */
typedef struct array_handle *cudaArray_t;
typedef struct mipmap_handle *cudaMipmappedArray_t;

typedef struct {
	cudaArray_t from_array;
	cudaPos from_at;
	cudaPitchedPtr from;
	cudaArray_t to_array;
	cudaPos to_at;
	cudaPitchedPtr to;
	cudaExtent extent;
	int kind;
} cudaMemcpy3DParms;
_Static_assert(sizeof(cudaMemcpy3DParms) == 160, "as compiled programs expect it");

typedef struct {
	void *to;
	size_t pitch;
	unsigned value, element; /* bytes of an element: 1, 2 or 4 */
	size_t width, height;    /* width: elements */
} cudaMemsetParams;

typedef struct {
	int kind, id; /* 1: a device */
} cudaMemLocation;

typedef struct {
	int type, handles;
	cudaMemLocation at;
	void *security;
	size_t most;
	unsigned char reserved[56];
} cudaMemPoolProps;
_Static_assert(sizeof(cudaMemPoolProps) == 88, "as compiled programs expect it");

typedef struct {
	cudaMemLocation at;
	int flags;
} cudaMemAccessDesc;

typedef struct {
	const void *function;
	dim3 grid, block;
	unsigned shared;
	void **values, **extra;
} cudaKernelNodeParams;
_Static_assert(sizeof(cudaKernelNodeParams) == 56, "as compiled programs expect it");

typedef struct {
	void (*function)(void *);
	void *data;
} cudaHostNodeParams;

typedef struct {
	cudaMemPoolProps pool;
	const cudaMemAccessDesc *access;
	size_t naccess, bytes;
	void *at;
} cudaMemAllocNodeParams;
_Static_assert(sizeof(cudaMemAllocNodeParams) == 120, "as compiled programs expect it");

/* A node of any type. */
typedef struct {
	int type, reserved[3];
	union {
		cudaKernelNodeParams kernel;
		struct {
			int flags, reserved[3];
			cudaMemcpy3DParms copy;
		} copy;
		cudaMemsetParams fill;
		cudaHostNodeParams host;
		void *handle; /* a child graph, or an event */
		cudaMemAllocNodeParams allocation;
		void *memory;
		long long room[29];
	};
	long long more;
} cudaGraphNodeParams;
_Static_assert(sizeof(cudaGraphNodeParams) == 256, "as compiled programs expect it");

enum resource_type { RESOURCE_ARRAY, RESOURCE_MIPMAPPED, RESOURCE_LINEAR, RESOURCE_PITCH };

typedef struct {
	int type; /* enum resource_type */
	union {
		cudaArray_t array;
		cudaMipmappedArray_t mipmap;
		struct {
			void *at;
			cudaChannelFormatDesc format;
			size_t bytes;
		} linear;
		struct {
			void *at;
			cudaChannelFormatDesc format;
			size_t width, height, pitch;
		} pitch;
		int reserved[32];
	};
} cudaResourceDesc;

enum address_mode_of_cuda { MODE_WRAP, MODE_CLAMP, MODE_MIRROR, MODE_BORDER };

/* The first 64 bytes of a description, which later versions add to. */
typedef struct {
	int mode[3], linear, as_float, srgb;
	float border[4];
	int normalised;
	unsigned anisotropy;
	int blend; /* of two levels of a mipmap */
	float bias, least, most;
} cudaTextureDesc;

/* Of programs of CUDA 11 and before: the first 64 bytes of a texture reference. */
struct textureReference {
	int normalised, linear, mode[3];
	cudaChannelFormatDesc format;
	int srgb;
	unsigned anisotropy;
	int blend;
	float bias, least, most;
};

#endif
