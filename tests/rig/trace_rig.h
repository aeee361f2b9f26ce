/* A run with traces: launches of two streams, barriers, loads and stores, on a small chip. */
#ifndef TESTS_RIG_TRACE_RIG_H
#define TESTS_RIG_TRACE_RIG_H

#include "chip/trace/trace.h"
#include "tests/rig/support_gpu.h"

struct traced {
	struct kit kit;
	char folder[32];
	char trace[64], vcd[64]; /* files in the folder */
	struct trace_outcomes out;
};

/* Runs it. The request has only the differences from the default: files are named when they are
 * wanted (any name except NULL), `to` 0 is the end, `every` 0 is 1 and `limit_bytes` 0 is 1 GB. The
 * kit's audit has run. */
struct traced trace_run(
	const char *settings, const struct chip_host *, const struct trace_request *);
void trace_run_free(struct traced *);

/* Queues the launches on the caller's chip. */
void trace_rig_queue(struct kit *);

/* The same without any trace. */
struct kit untraced_run(const char *settings, const struct chip_host *);

/* A settings string: the small chip, and these settings. */
#define TRACE_CHIP "chip.sms=4 chip.channels=2 chip.bytes_per_ns=85.333333333333 "
#define TRACE_LAUNCHES 4u

#endif
