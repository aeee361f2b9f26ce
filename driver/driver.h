/* NVIDIA's driver, opened at run time: its library, one GPU, one context.
 *
 * Order of calls: driver_open, DRIVER_CALL as often as needed, driver_close. */
#ifndef DRIVER_DRIVER_H
#define DRIVER_DRIVER_H

#include "core/err.h"
#include "driver/cuda.h"

#include <stdbool.h>

#define DRIVER_LIBRARY "libcuda.so.1"
/* The oldest driver whose version can run the workloads' PTX: CUDA 9.0. */
#define DRIVER_LEAST 9000

/* What a GPU says of itself. */
struct driver_gpu {
	char name[128];
	int major, minor; /* compute capability */
	int sms, clock_khz, memory_clock_khz, bus_bits, l2_bytes;
	int texture_alignment, pitch_alignment; /* bytes */
	uint64_t memory_bytes;
	int version;   /* of CUDA, that the driver supports: 12040 is 12.4 */
	bool stand_in; /* no GPU: a library that simulates one, for tests */
};

struct driver {
	struct cuda cuda;
	struct driver_gpu gpu;
	void *library, *context;
	int device;
};

/* Opens the library (NULL: DRIVER_LIBRARY) and a context on GPU number `ordinal`. 0, or -1 and one
 * message (ERR_HOST): no library, a function that it lacks, a driver that is too old, no GPU, any
 * call that fails. The driver is closed by the caller in any case. */
int driver_open(struct driver *, const char *library, int ordinal, struct err *);

/* Replaces a context that a fault has broken. 0, or -1 and a message. */
int driver_renew(struct driver *, struct err *);

/* Releases what driver_open took; a zeroed or half-open one too. A call that fails is reported
 * unless err has a message already. */
void driver_close(struct driver *, struct err *);

/* A library's symbol that marks it as a stand-in, whatever its value. */
#define DRIVER_STAND_IN "warpbeam_stand_in"

/* The result of a call of `symbol`: 0; or -1 and a message with function, code, name and text,
 * whose code is ERR_FAULT for faults of kernels, ERR_RESOURCE for a launch that does not fit and
 * memory that the GPU does not have, ERR_INPUT for PTX that is refused, otherwise ERR_HOST. `what`
 * (or NULL) begins the message. */
int driver_result(
	const struct driver *, const char *symbol, int result, const char *what, struct err *);

/* The library's name of a field of struct cuda. */
const char *driver_symbol(const char *field);

/* Calls a function by its field's name, which the message is made of. 0 or -1; an optional one that
 * the library does not have is an error, too. */
#define DRIVER_CALL(d, what, err, field, ...) \
	driver_result((d), driver_symbol(#field), \
		(d)->cuda.field ? (d)->cuda.field(__VA_ARGS__) : CUDA_MISSING, (what), (err))

#endif
