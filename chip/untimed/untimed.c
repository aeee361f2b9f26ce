/* Launches that the executor alone runs, without time; and what a fault of any launch means. */
#include "chip/chip.h"
#include "chip/epochs.h"
#include "chip/gpu_inside.h"
#include "chip/untimed/together.h"
#include "ptx/exec/positions.h"

#include <stdio.h>

#define GPU_PAGE (UINT64_C(2) << 20)
#define NULL_PAGE 4096
#define FAR (UINT64_C(1) << 40) /* no index leads this far from a buffer */

/* Behind an allocation of a program, in a page that a GPU would have mapped. */
static bool is_in_page(const struct gpu *g, unsigned buffer, uint64_t a)
{
	uint64_t start = image_address(g->image, buffer), bytes = image_bytes(g->image, buffer);

	return start >> 32 && a >= start && a - start < div_up(bytes, GPU_PAGE) * GPU_PAGE &&
	       g->p.page_bytes < GPU_PAGE;
}

static void describe_nearest(const struct gpu *g, uint64_t a, struct text *out)
{
	const struct image *im = g->image;
	unsigned near = image_nearest(im, a);
	uint64_t start = near ? image_address(im, near) : 0;

	if (!near)
		return;
	if (a > start && a - start > FAR) {
		text_add(out, "; it is far from all buffers: a pointer to the host's memory, which "
			      "the device cannot reach, or one that was never set");
		return;
	}
	text_add(out, "; the nearest buffer is '%s' (0x%llx, %llu bytes)", image_name(im, near),
		(unsigned long long)start, (unsigned long long)image_bytes(im, near));
	if (is_in_page(g, near, a))
		text_add(out, "; a GPU's page hides it, as --set gpu.page_bytes=2M does");
}

/* Of an address outside all buffers, what it may have been meant for. */
static void describe_place(const struct gpu *g, uint64_t a, struct text *out)
{
	uint64_t start, bytes;
	const char *freed = image_freed(g->image, a, &start, &bytes);

	if (freed)
		text_add(out, "; it was in buffer '%s' (0x%llx, %llu bytes), which was freed",
			freed, (unsigned long long)start, (unsigned long long)bytes);
	else if (a < NULL_PAGE)
		text_add(out, "; it is in the first page, as a null pointer's is");
	else
		describe_nearest(g, a, out);
}

enum fault_kind gpu_fault(const struct gpu *g)
{
	return g->fault;
}

void gpu_explain(
	struct gpu *g, const struct fault *f, const struct launch_state *s, struct err *err)
{
	struct text where = {0};
	char words[2048];

	g->fault = f->kind;
	if (f->space == SPACE_GLOBAL)
		describe_place(g, f->address, &where);
	fault_describe(f, s->grid.program, words, sizeof(words));
	err_add(err, ERR_FAULT, "kernel '%s': %s%s", s->grid.program->source, words,
		text_str(&where));
	text_clear(&where);
}

struct exec_memory gpu_memory(const struct gpu *g)
{
	struct exec_memory memory = image_memory(g->image);

	memory.output = g->output.write ? &g->output : NULL;
	memory.notes = g->notes;
	return memory;
}

int gpu_run_untimed(struct gpu *g, struct untimed_counts *counts, struct err *err)
{
	struct untimed_limits limits = {.warp_instructions = UINT64_C(1) << 40};

	return gpu_run_watched(g, &limits, counts, err);
}

/* Why a launch without a fault was not completed. `left`: what the limit allowed it. */
static int tell_end(const struct gpu *g, const struct untimed_limits *limits, uint64_t left,
	uint64_t executed, bool livelock, struct err *err)
{
	unsigned long long most = limits->warp_instructions;
	char head[256];

	if (livelock)
		snprintf(head, sizeof(head),
			"the run would never end: no running warp can change any state, "
			"up to the limit of %llu warp instruction%s",
			most, text_s(most));
	else if (most && executed >= left)
		snprintf(head, sizeof(head),
			"the limit of %llu warp instruction%s is reached and work is left: the "
			"report is partial",
			most, text_s(most));
	else
		return unfinished_untimed(g, ERR_INTERRUPTED, "interrupted: the report is partial",
			limits->positions, err);
	return unfinished_untimed(g, ERR_LIMIT, head, limits->positions, err);
}

/* Notes what a launch did that the executor alone runs. */
static int keep_counts(struct launch_state *s, const struct untimed_counts *before,
	const struct untimed_counts *now, struct err *err)
{
	s->untimed_instructions += now->warp_instructions - before->warp_instructions;
	if (s->grid.gridid >= EPOCHS_OWN) /* a launch that is over keeps 200 bytes at most */
		return 0;
	if (!s->rest) {
		s->rest = mem_alloc(1, sizeof(*s->rest));
		if (!s->rest)
			return err_add(err, ERR_RESOURCE, "no host memory for launches");
		s->rest->alone = true;
	}
	s->rest->thread_instructions += now->thread_instructions - before->thread_instructions;
	for (unsigned kind = 0; kind < WORK_KINDS; kind++)
		work_add(&s->rest->work, kind, now->by_work[kind] - before->by_work[kind]);
	return 0;
}

/* One launch, with the rest of the limit. 0 or -1. */
static int run_launch(struct gpu *g, struct launch_state *s, const struct untimed_limits *limits,
	struct untimed_counts *counts, struct err *err)
{
	uint64_t before = counts->warp_instructions, most = limits->warp_instructions;
	struct exec_memory memory = gpu_memory(g);
	struct positions positions = {0};
	struct untimed_limits own = *limits;
	struct together_work work = {&s->grid, 0, 1, &memory, &own};
	struct fault fault = {0};

	own.positions = &positions;
	own.races = g->races;
	own.warp_instructions = most > before ? most - before : 0;
	if (most && !own.warp_instructions) {
		positions.waiting = s->ctas;
		own.warp_instructions = most;
		return tell_end(g, &own, 0, 0, false, err);
	}
	if (!together_run(g, &work, counts, &fault, err))
		return 0;
	s->finished = positions.ended;
	if (fault.kind != FAULT_NONE && fault.kind != FAULT_LIVELOCK) {
		gpu_explain(g, &fault, s, err);
	} else if (!err->count) {
		uint64_t left = own.warp_instructions;

		own.warp_instructions = most;
		tell_end(g, &own, left, counts->warp_instructions - before,
			fault.kind == FAULT_LIVELOCK, err);
	}
	return -1;
}

int gpu_run_watched(struct gpu *g, const struct untimed_limits *limits,
	struct untimed_counts *counts, struct err *err)
{
	while (g->oldest) {
		struct launch_state *s = g->oldest;
		struct untimed_counts before = *counts;
		int bad = run_launch(g, s, limits, counts, err);

		if (keep_counts(s, &before, counts, err) || bad)
			return -1;
		if (g->chip)
			chip_leave(g->chip, s);
		s->finished = s->timed;
		launches_complete(g, s);
		launches_end(g, s);
	}
	return 0;
}
