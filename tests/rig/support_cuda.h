/* CUDA programs that tests build: PTX in a fat binary, C that registers it, our library. */
#ifndef TESTS_RIG_SUPPORT_CUDA_H
#define TESTS_RIG_SUPPORT_CUDA_H

#include "tests/rig/pack.h"
#include "tests/rig/support_cli.h"

/* fill(out, first): out[thread] = first + step * thread, variable step = 1; spin(flag): waits for
 * its word. */
extern const char cuda_ptx[];

/* Writes app.fatbin into the desk's folder: the PTX, for sm_50, and one for sm_120 that is none. */
void cuda_put_fatbin(const struct desk *, const char *ptx, enum pack_how);

/* Builds tests/preload/SOURCE as `app` there, with that version of the library, TESTED being its
 * number, or with the libraries "ONE OTHER", MIXED being defined. */
void cuda_build(const struct desk *, const char *source, const char *library);

/* Starts `warpbeam ARGUMENTS` as desk_start does, whose program prints "pid N" before its kernel,
 * and waits until the kernel has had the time to begin. *program: that process. */
pid_t cuda_start(const struct desk *, const char *arguments, pid_t *program);

#endif
