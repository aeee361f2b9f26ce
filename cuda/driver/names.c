/* Names of the driver's results, and of its functions for libcuda.so.1. */
#include "cuda/driver/inside.h"

#include <string.h>

static const struct {
	int result;
	const char *name, *text;
} results[] = {
#define R(number, name, text) \
	{ \
		number, "CUDA_" name, text \
	}
	R(0, "SUCCESS", "no error"),
	R(1, "ERROR_INVALID_VALUE", "invalid argument"),
	R(2, "ERROR_OUT_OF_MEMORY", "out of memory"),
	R(3, "ERROR_NOT_INITIALIZED", "initialization error"),
	R(100, "ERROR_NO_DEVICE", "no device: the program does not run under warpbeam"),
	R(101, "ERROR_INVALID_DEVICE", "invalid device ordinal"),
	R(200, "ERROR_INVALID_IMAGE", "device kernel image is invalid"),
	R(201, "ERROR_INVALID_CONTEXT", "invalid device context"),
	R(209, "ERROR_NO_BINARY_FOR_GPU", "the image has no PTX"),
	R(218, "ERROR_INVALID_PTX", "the PTX cannot be compiled"),
	R(301, "ERROR_FILE_NOT_FOUND", "file not found"),
	R(400, "ERROR_INVALID_HANDLE", "invalid resource handle"),
	R(401, "ERROR_ILLEGAL_STATE", "the operation cannot be performed in the present state"),
	R(500, "ERROR_NOT_FOUND", "named symbol not found"),
	R(600, "ERROR_NOT_READY", "not ready"),
	R(700, "ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"),
	R(701, "ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch"),
	R(702, "ERROR_LAUNCH_TIMEOUT", "the launch reached the limit of cycles"),
	R(705, "ERROR_PEER_ACCESS_NOT_ENABLED", "peer access has not been enabled"),
	R(709, "ERROR_CONTEXT_IS_DESTROYED", "context is destroyed"),
	R(710, "ERROR_ASSERT", "device-side assert triggered"),
	R(712, "ERROR_HOST_MEMORY_ALREADY_REGISTERED", "the host memory is already registered"),
	R(713, "ERROR_HOST_MEMORY_NOT_REGISTERED", "the host memory is not registered"),
	R(716, "ERROR_MISALIGNED_ADDRESS", "misaligned address"),
	R(719, "ERROR_LAUNCH_FAILED", "unspecified launch failure"),
	R(720, "ERROR_COOPERATIVE_LAUNCH_TOO_LARGE", "too many blocks in cooperative launch"),
	R(800, "ERROR_NOT_PERMITTED", "operation not permitted"),
	R(801, "ERROR_NOT_SUPPORTED", "operation not supported"),
	R(900, "ERROR_STREAM_CAPTURE_UNSUPPORTED",
		"operation not permitted when stream is capturing"),
	R(901, "ERROR_STREAM_CAPTURE_INVALIDATED",
		"operation failed due to a previous error during capture"),
	R(902, "ERROR_STREAM_CAPTURE_MERGE",
		"operation would result in a merge of separate captures"),
	R(903, "ERROR_STREAM_CAPTURE_UNMATCHED", "the capture was not begun in this stream"),
	R(904, "ERROR_STREAM_CAPTURE_UNJOINED",
		"a stream of the capture was not joined to the first"),
	R(905, "ERROR_STREAM_CAPTURE_ISOLATION",
		"a captured stream depends on work that is not captured"),
	R(906, "ERROR_STREAM_CAPTURE_IMPLICIT",
		"the default stream would depend on a capturing blocking stream"),
	R(907, "ERROR_CAPTURED_EVENT", "the event was last recorded in a capture"),
	R(908, "ERROR_STREAM_CAPTURE_WRONG_THREAD", "the capture was begun by another thread"),
	R(999, "ERROR_UNKNOWN", "unknown error"),
#undef R
};

/* The result's row; -1: it is none. */
static int find(int result)
{
	for (size_t i = 0; i < sizeof(results) / sizeof(*results); i++)
		if (results[i].result == result)
			return (int)i;
	return -1;
}

int cuGetErrorName(int result, const char **out)
{
	int i = find(result);

	if (out)
		*out = i < 0 ? NULL : results[i].name;
	return out && i >= 0 ? cudaSuccess : cudaErrorInvalidValue;
}

int cuGetErrorString(int result, const char **out)
{
	int i = find(result);

	if (out)
		*out = i < 0 ? NULL : results[i].text;
	return out && i >= 0 ? cudaSuccess : cudaErrorInvalidValue;
}

API driver_function DRIVER_LOOKUP(const char *);

API driver_function DRIVER_LOOKUP(const char *name)
{
	static const struct {
		const char *name;
		driver_function function;
	} all[] = {
#define CALL(name, since, parameters, arguments) {#name, (driver_function)name},
#define OWN(name, other, parameters, arguments)
#include "cuda/driver/calls.def"
#undef CALL
#undef OWN
		{"last", (driver_function)last_error_at},
		{"own", (driver_function)stream_own_default},
		{"lacks", (driver_function)library_lacks}};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (!strcmp(all[i].name, name))
			return all[i].function;
	return NULL;
}
