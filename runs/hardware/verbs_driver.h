/* The verbs of a real GPU: workloads/probe/ through its driver. */
#ifndef RUNS_VERBS_DRIVER_H
#define RUNS_VERBS_DRIVER_H

#include "core/files.h"
#include "core/mem.h"
#include "driver/driver.h"
#include "runs/verbs/verbs.h"

/* Opens the verbs on the driver's context. Memory on the host is the arena's. verbs_driver_close
 * releases what is on the GPU, in any case. 0, or -1 and a message. */
struct verbs_driver;
struct verbs_driver *verbs_driver_open(
	struct verbs *, struct driver *, struct files *, struct arena *, struct err *);
/* Accepts NULL. A call that fails is reported unless err has a message. */
void verbs_driver_close(struct verbs_driver *, struct err *);

#endif
