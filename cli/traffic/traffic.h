/* Where the DRAM traffic of a run comes from, as reported by `profile`: by kernel, buffer, line,
 * SM, channel, bank and time. */
#ifndef CLI_TRAFFIC_TRAFFIC_H
#define CLI_TRAFFIC_TRAFFIC_H

#include "chip/profile/profile.h"
#include "cli/explain/explain.h"
#include "runs/kernels/kernels.h"
#include "runs/kernels/part.h"
#include "runs/report.h"

#include <jansson.h>

/* One row of a table. Strings are the arena's or live as long as the GPU; NULL: not applicable. */
struct traffic_item {
	const char *name;
	const char *kernel, *buffer;
	const char *ptx_file, *ptx_text, *cuda_file, *cuda_text;
	uint32_t ptx_line, cuda_line;
	bool spill; /* the compiler's own accesses to spilled values */
	uint64_t launches;
	uint32_t number;   /* of a buffer */
	uint32_t compiled; /* of a line: its kernel, in the profile's order */
	uint32_t order;    /* before they were sorted */
	struct profile_row counts;
	struct stall_row stalls; /* not of buffers and channels */
};

enum traffic_view_id { VIEW_KERNELS, VIEW_BUFFERS, VIEW_LINES, VIEW_SMS, VIEW_CHANNELS, VIEWS };

/* The first three with most traffic first. */
struct traffic_view {
	const char *name, *one, *title; /* "buffers", "buffer", "by buffer" */
	struct traffic_item *item;
	unsigned n;
};

struct advices;
struct traffic {
	const struct report *report;
	struct arena *arena;
	struct kernels kernels; /* of the run */
	struct profile_sum sum;
	struct metric_set metrics; /* the run's */
	struct traffic_view view[VIEWS];
	uint64_t cycles;
	double peak_bytes_per_ns; /* of all channels */
	uint64_t long_scoreboard, lg_throttle, scheduler_cycles;
	unsigned top;                  /* rows of a table for people */
	struct files *files;           /* of the command: sources are read */
	const struct advices *advices; /* cli/advice/advice.h; NULL: none was looked for */
	bool proved;
};

/* Adds up a closed run's profile. `top`, `files` and advice are unchanged. */
void traffic_look(struct traffic *, const struct report *, struct arena *);

/* Bytes read and written, including the flush at the end. */
uint64_t traffic_bytes(const struct profile_row *);

/* Cycles that schedulers waited for its results. */
uint64_t traffic_stalls(const struct profile_row *);

/* Cycles of schedulers, of all reasons: in which it waited, and in which it was waited for. */
uint64_t traffic_stalled(const struct stall_row *);
uint64_t traffic_caused(const struct stall_row *);
/* What a table for people shows: of buffers, cycles that waited for results; otherwise caused. */
uint64_t traffic_stalls_of(enum traffic_view_id, const struct traffic_item *);

/* Whether rows of that table (VIEWS: the run's) have the count: channels have none of events inside
 * an SM, and without banks there are no row hits. */
bool traffic_applies(const struct traffic *, enum traffic_view_id, enum profile_count);

/* B/ns that DRAM moved, never more than its peak: stores may be in flight when the last launch
 * ends, and take longer then. */
double traffic_rate(const struct traffic *);

/* Busiest against the mean; 0 when nothing moved. */
double traffic_imbalance(const struct traffic *, enum traffic_view_id);

/* Bytes moved between a buffer (by its number) and a channel. */
uint64_t traffic_flow(const struct traffic *, uint32_t buffer, unsigned channel);

/* For people: a kernel's name as its source has it. */
const char *traffic_name(const struct traffic *, enum traffic_view_id, const struct traffic_item *);

/* From 0 to 1, or -1 of nothing. */
double traffic_share(uint64_t part, uint64_t whole);

extern const struct traffic_count {
	const char *name, *unit, *text;
} traffic_counts[PROFILE_COUNT];

/* ---- reports */
void traffic_text(const struct traffic *, struct text *);
void traffic_html(const struct traffic *, struct text *);
/* Lines of PTX and CUDA, and the allocated code, of each kernel. */
void traffic_sources_html(const struct traffic *, struct text *);
/* Drawings, each one element of SVG. */
double traffic_strip_rate(const struct traffic *); /* B/ns at the top of a channel's strip */
void traffic_svg_bandwidth(const struct traffic *, struct text *);
void traffic_svg_banks(const struct traffic *, struct text *); /* more than one each */
void traffic_svg_sms(const struct traffic *, struct text *);
void traffic_svg_flow(const struct traffic *, struct text *);

/* Tables of stalls: the columns of a row (NULL: null), their names, the lines as text. */
void traffic_stalls_add(json_t *row, const struct stall_row *);
void traffic_stalls_names(json_t *list);
void traffic_stalls_text(const struct traffic *, struct text *);
/* A line for each source whose text is not shown: why. */
void traffic_missing_text(const struct traffic *, struct text *);
/* The lines of source below a line's row. */
void traffic_source(const struct traffic_item *, struct text *);

/* All tables, each a list of objects that have the same members. NULL: no memory. */
struct sheet;
json_t *traffic_tables(const struct traffic *, const struct kernels *, const struct sheet *);
int traffic_json(const struct traffic *, json_t *tables, struct text *); /* 0 or -1 */
void traffic_csv(const json_t *tables, struct text *);

#endif
