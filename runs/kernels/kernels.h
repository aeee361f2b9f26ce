/* The kernels of a run: their launches together, and in reports. */
#ifndef RUNS_KERNELS_KERNELS_H
#define RUNS_KERNELS_KERNELS_H

#include "core/err.h"
#include "core/mem.h"
#include "runs/kernels/part.h"

/* The launches of one kernel. */
struct kernel_sum {
	struct launch_report first;
	const char *name; /* as its source has it; as its PTX where the source has several of it */
	unsigned number;  /* of the first launch */
	unsigned launches;
	uint64_t ctas, cycles, instructions;
	uint64_t timed, started, finished; /* CTAs */
	unsigned untimed;                  /* launches */
	bool same_grid, same_block, complete;
};

struct kernels {
	struct kernel_sum *at; /* in the order of their first launches */
	unsigned n;
	uint64_t cycles; /* of all launches, one by one */
};
void kernels_of(const struct gpu *, struct arena *, struct kernels *);

/* The part that --kernel (as in PTX or in the source; NULL: not given) or --launch
 * (NO_LAUNCH_GIVEN) chooses: 0, or -1 and a message that says what there is. */
#define NO_LAUNCH_GIVEN UINT64_MAX
int kernels_choose(const struct gpu *, const struct kernels *, const char *kernel, uint64_t launch,
	struct run_part *, struct err *);
/* The kernel whose launches take the most cycles, of those that have figures; else what overlaps.
 */
struct run_part kernels_slowest(const struct gpu *, const struct kernels *);

/* Whether the part is that kernel. */
bool kernels_is(const struct kernel_sum *, const struct run_part *);
/* The name of a kernel that was launched, as reports show it. */
const char *kernels_name(const struct kernels *, const char *kernel);

/* The CTAs of a launch that an SM has at once, at most, and what limits them: "registers", "warp
 * slots and the grid". */
#define KERNELS_LIMIT 80
uint32_t kernels_limit(const struct gpu *, unsigned launch, char out[KERNELS_LIMIT]);
/* The reason of most of the schedulers' cycles in which a warp was resident and none issued, and
 * its share of these and those that issued; "-": there were none. */
#define KERNELS_STALL 48
char *kernels_stall(const struct metric_set *, char out[KERNELS_STALL]);

/* ---- as text */
/* A line for each kernel, and one of overlapping launches. */
void kernels_table(const struct gpu *, const struct kernels *, struct arena *, struct text *);
/* A line for each launch of the part, a kernel. */
void kernels_launch_lines(const struct gpu *, const struct kernels *, const struct run_part *,
	struct arena *, struct text *);
/* What the sections that follow are of. */
void kernels_title(
	const struct gpu *, const struct kernels *, const struct run_part *, struct text *);

/* "CTAs an SM, limited by ...": a line of the sections of a kernel's first launch, or a part's. */
void kernels_limit_line(
	const struct gpu *, const struct kernels *, const struct run_part *, struct text *);

/* ---- for programs: metrics, memory charts, and Speed of Light
 * against the peaks of the data sheet */
struct json_t;
struct sheet;
/* Tables: a row for each kernel, and for each epoch, with a column for each metric. */
struct json_t *kernels_rows(const struct gpu *, const struct kernels *);
struct json_t *kernels_launch_rows(const struct gpu *, const struct kernels *);
/* A list of the kernels; of groups of launches that overlap, each with its metrics. */
struct json_t *kernels_json(const struct gpu *, const struct sheet *, const struct kernels *);
struct json_t *kernels_json_groups(const struct gpu *, const struct sheet *);
/* Adds to a launch's object: its metrics (null: it overlaps with others, or is one of the later
 * ones that are counted together), what limits it, and its group. */
void kernels_json_launch(
	const struct gpu *, const struct sheet *, unsigned launch, struct json_t *);
/* Adds the run's own Speed of Light and memory chart. */
void kernels_json_run(const struct gpu *, const struct sheet *, struct json_t *);
/* Lines of CSV: part, metric, value, unit. */
void kernels_csv(const struct gpu *, struct arena *, struct text *);

#endif
