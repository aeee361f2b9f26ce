/* A GPU for tests: settings as text, PTX as text, launches in a line. */
#ifndef TESTS_RIG_SUPPORT_GPU_H
#define TESTS_RIG_SUPPORT_GPU_H

#include "chip/chip.h"

struct kit {
	struct config *config;
	struct gpu *gpu;
	struct err err;
};

/* A timed GPU with settings such as "chip.sms=4 l2.bytes=0"; fails the test on errors. */
struct kit kit_new(const char *settings);
/* The same with host options. */
struct kit kit_new_host(const char *settings, const struct chip_host *);
void kit_free(struct kit *);
/* Fails the test unless a chip with these settings is refused with a message that says this. */
void kit_refused(const char *settings, const char *says);

/* Compiles PTX text (header lines included) and returns the module; fails the test on errors. */
module_t kit_module(struct kit *, const char *ptx);

buffer_t kit_buffer(struct kit *, const char *name, uint64_t bytes);

/* Queues a one-dimensional launch with up to six u32-sized arguments, buffers given as KIT_BUF(b).
 */
#define KIT_BUF(b) ((uint64_t)(b) << 32)
void kit_launch(struct kit *, module_t, const char *kernel, unsigned ctas, unsigned threads,
	unsigned nargs, const uint64_t *args);
void kit_launch_on(struct kit *, module_t, const char *kernel, unsigned ctas, unsigned threads,
	unsigned nargs, const uint64_t *args, uint64_t sms, unsigned stream);

/* Runs to the end; fails the test on errors. Runs the audit. */
void kit_run(struct kit *);

/* A total of the run; fails the test when there is no such metric. */
double kit_metric(struct kit *, const char *name);

uint32_t kit_u32(struct kit *, buffer_t, unsigned index);

/* All metrics of all parts as text, for comparing runs. */
struct text kit_everything(struct kit *);

#endif
