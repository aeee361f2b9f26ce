/* Errors: names, and sentences for them. */
#include "cuda/inside.h"

#include <pthread.h>
#include <string.h>

static const struct {
	cudaError_t error;
	const char *name, *text;
} errors[] = {
#define E(name, text) \
	{ \
		name, #name, text \
	}
	E(cudaSuccess, "no error"),
	E(cudaErrorInvalidValue, "invalid argument"),
	E(cudaErrorMemoryAllocation, "out of memory"),
	E(cudaErrorInitializationError, "initialization error"),
	E(cudaErrorInvalidConfiguration, "invalid configuration argument"),
	E(cudaErrorInvalidPitchValue, "invalid pitch argument"),
	E(cudaErrorInvalidSymbol, "invalid device symbol"),
	E(cudaErrorInvalidTexture, "invalid texture reference"),
	E(cudaErrorInvalidChannelDescriptor, "invalid channel descriptor"),
	E(cudaErrorInvalidMemcpyDirection, "invalid copy direction"),
	E(cudaErrorInvalidFilterSetting, "linear filtering not supported for non-float type"),
	E(cudaErrorInvalidNormSetting, "read as normalized float not supported for 32-bit types"),
	E(cudaErrorInsufficientDriver, "the library is of another version than warpbeam"),
	E(cudaErrorInvalidDeviceFunction, "invalid device function"),
	E(cudaErrorNoDevice, "no device: the program does not run under warpbeam"),
	E(cudaErrorInvalidDevice, "invalid device ordinal"),
	E(cudaErrorInvalidPtx, "the PTX cannot be compiled"),
	E(cudaErrorInvalidResourceHandle, "invalid resource handle"),
	E(cudaErrorNotReady, "not ready"),
	E(cudaErrorIllegalAddress, "an illegal memory access was encountered"),
	E(cudaErrorLaunchOutOfResources, "too many resources requested for launch"),
	E(cudaErrorLaunchTimeout, "the launch reached the limit of cycles"),
	E(cudaErrorPeerAccessNotEnabled, "peer access has not been enabled"),
	E(cudaErrorAssert, "device-side assert triggered"),
	E(cudaErrorHostMemoryAlreadyRegistered, "the host memory is already registered"),
	E(cudaErrorHostMemoryNotRegistered, "the host memory is not registered"),
	E(cudaErrorMisalignedAddress, "misaligned address"),
	E(cudaErrorLaunchFailure, "unspecified launch failure"),
	E(cudaErrorCooperativeLaunchTooLarge, "too many blocks in cooperative launch"),
	E(cudaErrorNotPermitted, "operation not permitted"),
	E(cudaErrorNotSupported, "operation not supported"),
	E(cudaErrorUnknown, "unknown error"),
#undef E
};
#define ERRORS (sizeof(errors) / sizeof(*errors))

API const char *cudaGetErrorName(cudaError_t e)
{
	for (size_t i = 0; i < ERRORS; i++)
		if (errors[i].error == e)
			return errors[i].name;
	return "unrecognized error code";
}

API const char *cudaGetErrorString(cudaError_t e)
{
	for (size_t i = 0; i < ERRORS; i++)
		if (errors[i].error == e)
			return errors[i].text;
	return "unrecognized error code";
}

API cudaError_t cudaGetLastError(void)
{
	return last_error(true);
}

API cudaError_t cudaPeekAtLastError(void)
{
	return last_error(false);
}

/* Each name is printed once: its function's own text is compared by address. */
cudaError_t not_supported(const char *name)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	static const char *shown[512];
	unsigned n = 0;

	pthread_mutex_lock(&mutex);
	while (n < 511 && shown[n] && shown[n] != name)
		n++;
	if (n < 511 && !shown[n]) {
		shown[n] = name;
		tell("%s is not supported; it returns cudaErrorNotSupported", name);
	}
	pthread_mutex_unlock(&mutex);
	return noted(cudaErrorNotSupported);
}
