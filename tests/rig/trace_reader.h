/* Reads a Perfetto trace with independent code, and checks the format's rules. */
#ifndef TESTS_RIG_TRACE_READER_H
#define TESTS_RIG_TRACE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct read_track {
	uint64_t uuid, parent;
	char name[64]; /* of a process or thread its own */
	char unit[48];
	bool is_process, is_thread, is_counter;
	unsigned open[8], depth; /* slices open now, by index */
	unsigned part; /* index of its thread, or the thread above it; or of the process */
};

struct read_slice {
	unsigned track; /* index */
	char name[64];
	uint64_t begin, end;
	unsigned depth;
	uint64_t cta, launch; /* annotations; UINT64_MAX: none */
};

struct read_point {
	unsigned track;
	uint64_t at;
	double value;
};

struct read_trace {
	struct read_track *tracks;
	struct read_slice *slices; /* in order of their begin */
	struct read_point *points; /* in order of the file */
	unsigned ntracks, nslices, npoints, packets;
	uint64_t end; /* of the trace: its last instant */
	bool full;    /* the limit was reached */
	size_t bytes;
};

/* Reads the file. An error in it fails the test: an incomplete packet, a sequence without its
 * beginning, time that decreases in one, a track or a name that was not described before, a slice
 * that ends before one inside it, or never. */
struct read_trace read_trace(const char *path);
void read_trace_free(struct read_trace *);

/* The track of that name under a thread (or the process) of that name; UINT_MAX: none. */
unsigned read_track_named(const struct read_trace *, const char *part, const char *name);

/* The integral of a counter over time, in value times ns, from its first point to the end. */
double read_integral(const struct read_trace *, unsigned track);

/* The counter's value at that time; the first point must not be later. */
double read_value_at(const struct read_trace *, unsigned track, uint64_t at);

#endif
