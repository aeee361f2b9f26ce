/* Writes what the host side of a workload does, for the CUDA program tests/preload/host.c. */
#ifndef TESTS_RIG_HOST_LOG_WRITE_H
#define TESTS_RIG_HOST_LOG_WRITE_H

#include "tests/rig/host_log.h"
#include "tests/rig/support_cuda.h"
#include "tests/rig/workload_rig.h"

/* Into a file, at size small, in 64 bits, with the default seed. Fails the test
 * when the workload does not run. */
void host_log_write(const char *path, const char *workload);

/* How many metrics differ between `warpbeam run` of the workload and the program, which is `app` in
 * the folder; the first ones are printed. */
unsigned host_log_compare(const struct desk *, const char *workload);

#endif
