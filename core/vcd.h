/* A VCD file (IEEE 1364-2005, section 18): signals of a simulation as waves, with a value for every
 * cycle in which they change. */
#ifndef CORE_VCD_H
#define CORE_VCD_H

#include "core/file.h"
#include "core/probe.h"

/* A zeroed struct is a closed one. */
struct vcd {
	struct file_out out;
	struct vcd_wave *waves; /* by signal */
	uint32_t *dirty;        /* signals that were reported at `now` */
	uint32_t ndirty;
	tick_t now, from, full_at;
	uint64_t limit_bytes, dropped; /* changes beyond the limit */
	uint32_t unit_ps, nwaves, sink;
	bool begun, full;
	uint64_t head_bytes; /* what it has before those of the file it goes on from; 0: it is whole
			      */
};

/* Opens the file and adds a sink to the probes; memory comes from the arena. At most `limit_bytes`
 * are written, later changes are counted. The caller sets out.files. 0 or -1, as file_begin. */
int vcd_open(struct vcd *, const char *path, uint64_t limit_bytes, struct probes *, struct arena *,
	struct err *);

/* Selects a signal for the file. */
void vcd_select(struct vcd *, struct probes *, unsigned signal);

/* Writes the header, after all selections: before probes_start, which gets the same `from`. The
 * core clock's period is mentioned. */
void vcd_begin(struct vcd *, const struct probes *, tick_t from, uint32_t cycle_ps);

/* For checkpoints, of `n` signals. One that is loaded goes on: its file has all values first, and
 * then the bytes of the one that was saved. */
struct state;
void vcd_state(struct state *, struct vcd *, uint32_t n);

/* Ends it at that time. Then commit vcd.out. */
void vcd_end(struct vcd *, tick_t end);

#endif
