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
	E(cudaErrorIllegalState, "the operation cannot be performed in the present state"),
	E(cudaErrorSymbolNotFound, "named symbol not found"),
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
	E(cudaErrorStreamCaptureUnsupported, "operation not permitted when stream is capturing"),
	E(cudaErrorStreamCaptureInvalidated,
		"operation failed due to a previous error during capture"),
	E(cudaErrorStreamCaptureMerge, "operation would result in a merge of separate captures"),
	E(cudaErrorStreamCaptureUnmatched, "the capture was not begun in this stream"),
	E(cudaErrorStreamCaptureUnjoined, "a stream of the capture was not joined to the first"),
	E(cudaErrorStreamCaptureIsolation,
		"a captured stream depends on work that is not captured"),
	E(cudaErrorStreamCaptureImplicit,
		"operation would make the default stream depend on a capturing blocking stream"),
	E(cudaErrorCapturedEvent, "operation not permitted on an event last recorded in a capture"),
	E(cudaErrorStreamCaptureWrongThread, "the capture was begun by another thread"),
	E(cudaErrorGraphExecUpdateFailure, "the executable graph cannot be updated so"),
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
