/* A file of Perfetto track events (https://perfetto.dev/docs/reference/trace-packet-proto): a tree
 * of tracks, nested slices on them, counters.
 *
 * Timestamps are nanoseconds of simulated time. Slices, counters and late counters are packet
 * sequences; in each of them times never decrease. When the limit is reached, no slice begins and
 * no counter changes any more, but open slices still end: the trace is complete up to there. */
#ifndef CORE_PERFETTO_H
#define CORE_PERFETTO_H

#include "core/file.h"
#include "core/proto.h"

/* A zeroed struct is a closed one. */
struct perfetto {
	struct file_out out;
	uint64_t limit_bytes;
	uint64_t dropped; /* slices, counter values and tracks beyond the limit */
	uint64_t open;    /* slices that have begun in the file and not ended */
	tick_t now, full_at;
	uint32_t ntracks, nnames;
	bool full;
	bool late;  /* the sequence of late counters has begun */
	bool keeps; /* set by the owner before perfetto_open: its checkpoints will be wanted */
	bool again; /* what is written now was written before */
	/* The packets of all tracks and names: of a file that keeps them. */
	unsigned char *kept;
	size_t nkept, kept_room;
	struct {
		uint64_t bytes;
		tick_t now;
	} went;              /* of the file that this one goes on from */
	uint64_t head_bytes; /* what this one has before; 0: it is whole */
};

enum track_kind {
	TRACK_PROCESS, /* `number` is its pid */
	TRACK_THREAD,  /* of the process whose track is `parent`, with pid 1; `number` is its tid */
	TRACK_SLICES,  /* slices under a parent */
	TRACK_COUNTER  /* numbers under a parent */
};

struct track_config {
	enum track_kind kind;
	uint32_t parent; /* track, 0: none */
	uint32_t number;
	const char *name, *unit; /* unit: of a counter, or NULL */
};

/* A track of slices, and its current nesting depth. A zeroed struct is an unused track. */
struct track {
	uint32_t id;
	uint32_t depth, written; /* slices open now; those of them in the file: the outer ones */
};

/* A number attached to a slice. */
struct annotation {
	const char *name;
	uint64_t value;
};

/* Opens the file; out.files is the caller's. At most limit_bytes are written, 4096 at least. 0 or
 * -1, as file_begin. */
int perfetto_open(struct perfetto *, const char *path, uint64_t limit_bytes, struct err *);

/* Adds a track; returns its number, from 1 on. Long names are cut. */
uint32_t perfetto_track(struct perfetto *, const struct track_config *);

/* Adds a name for slices; returns its number, from 1 on. */
uint32_t perfetto_name(struct perfetto *, const char *);

/* Begins a slice inside those that are open on the track, or ends the innermost one. */
void perfetto_begin(struct perfetto *, struct track *, tick_t at, uint32_t name,
	const struct annotation *, unsigned n);
void perfetto_end(struct perfetto *, struct track *, tick_t at);

/* An instant on a track of slices. */
void perfetto_instant(struct perfetto *, uint32_t track, tick_t at, const char *name);

/* From then on the counter has the value count / per (per > 0). */
void perfetto_count(struct perfetto *, uint32_t track, tick_t at, uint64_t count, uint64_t per);

/* The same of any number. */
void perfetto_real(struct perfetto *, uint32_t track, tick_t at, double value);

/* The same of a counter that is known only at the end: a sequence of its own, in which times do not
 * decrease either. */
void perfetto_late(struct perfetto *, uint32_t track, tick_t at, double value);

/* For checkpoints of a file that keeps its tracks and names. Loading adds those that the file
 * lacks; then everything up to perfetto_went_on is written without being counted: slices that are
 * open and counters, as they are at that time. The file goes on with the bytes of the one that was
 * saved. */
struct state;
void perfetto_state(struct state *, struct perfetto *);
void perfetto_went_on(struct perfetto *);
void perfetto_free(struct perfetto *); /* what it keeps */

/* The final packets, on a track of slices, at the time when the trace ends. Then commit
 * perfetto.out. */
void perfetto_close(struct perfetto *, uint32_t track, tick_t at);

#endif
