/* A VCD file (IEEE 1364-2005, section 18): signals of a simulation as waves, in every cycle in
 * which they change. */
#ifndef CORE_VCD_H
#define CORE_VCD_H

#include "core/file.h"
#include "core/probe.h"

/* A zeroed struct is a closed one. */
struct vcd {
	struct file_out out;
	struct vcd_wave *waves; /* by signal */
	uint32_t *dirty;        /* signals that were told at `now` */
	uint32_t ndirty;
	tick_t now, from, full_at;
	uint64_t limit_bytes, dropped; /* changes that found no room */
	uint32_t unit_ps, nwaves, sink;
	bool begun, full;
};

/* Opens the file and enters a sink of the probes; memory comes from the arena. At most
 * `limit_bytes` are written, changes from then on are counted. out.files is the caller's. 0 or -1,
 * as file_begin. */
int vcd_open(struct vcd *, const char *path, uint64_t limit_bytes, struct probes *, struct arena *,
	struct err *);

/* Puts a signal into the file. */
void vcd_select(struct vcd *, struct probes *, unsigned signal);

/* Writes the head, with all that was chosen: before probes_start, which is given the same `from`.
 */
void vcd_begin(struct vcd *, const struct probes *, tick_t from);

/* Ends it at that time. Then vcd.out is to be committed. */
void vcd_end(struct vcd *, tick_t end);

#endif
