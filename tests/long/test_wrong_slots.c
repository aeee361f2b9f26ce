/* Every workload's check notices when one access to a spilled value goes to another slot of shared
 * memory, or when a move around a call is dropped: those that survive are listed with their reason
 * in tests/workloads/slots.txt. No workload calls procedures today, so none has a move; a program
 * that has is in tests/ptx/test_slots.c.
 *	WRONG_SLOTS=N WORKLOAD=NAME tests/long/test_wrong_slots	N of one workload; 0: all */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "chip/gpu_inside.h"
#include "core/file.h"
#include "tests/rig/workload_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REASONS WARPBEAM_SRCDIR "/tests/workloads/slots.txt"
#define SITES 1024u
#define WHAT 160

/* A load or store of a slot, or a move, that a run executes. */
struct site {
	const struct program *program; /* while that run lasts */
	char kernel[96];
	uint32_t instr;
};

struct wrong {
	const char *name;
	struct site site[SITES], planted;
	unsigned n;
	bool noticed;
	uint64_t work;
	unsigned batches;
	char what[WHAT];
};

static bool is_move(const struct program *p, const struct instr *in)
{
	return p->lines[in->line].move;
}

static void note_executed(void *ctx, const struct warp *w, const struct instr *in, uint32_t mask,
	const struct access *a)
{
	struct wrong *s = ctx;
	uint32_t at = (uint32_t)(in - w->program->code);
	unsigned i = 0;

	(void)a;
	if (!mask || !(is_move(w->program, in) || (in->slot && w->program->slots > 1)))
		return;
	while (i < s->n && (s->site[i].program != w->program || s->site[i].instr != at))
		i++;
	if (i < s->n || i == SITES)
		return;
	s->site[s->n] = (struct site){.program = w->program, .instr = at};
	snprintf(s->site[s->n++].kernel, sizeof(s->site->kernel), "%s", w->program->name);
}

static void run_right(struct workload_rig *b, void *ctx)
{
	struct wrong *s = ctx;

	if (workload_rig_run(b, 0) || b->run->ops->check(b->run, &b->err))
		fail_msg("%s: %s", s->name, err_text(&b->err));
	s->batches = b->batches;
	s->work = b->work;
}

static void plant_in(struct wrong *s, const struct program *p)
{
	struct instr *in = (struct instr *)&p->code[s->planted.instr];
	uint32_t from, to;

	if (is_move(p, in)) {
		in->action = ACT_NOP;
		in->moves = false;
		in->ndst = in->nsrc = 0;
		in->unit = UNIT_CONTROL;
		snprintf(s->what, sizeof(s->what), "%s, instruction %u, a move dropped", p->name,
			s->planted.instr);
		return;
	}
	assert_true(in->slot);
	from = (uint32_t)in->offset / SLOT_ROW;
	to = (from + 1) % p->slots;
	in->offset = (int32_t)(to * SLOT_ROW);
	snprintf(s->what, sizeof(s->what), "%s, instruction %u, %s slot %u -> %u", p->name,
		s->planted.instr, p->lines[in->line].opcode, from, to);
}

static void plant(struct gpu *g, void *ctx)
{
	struct wrong *s = ctx;

	for (unsigned m = 0; m < g->nmodules; m++)
		for (uint32_t k = 0; k < g->modules[m]->module->nkernels; k++)
			if (!strcmp(g->modules[m]->module->kernels[k]->name, s->planted.kernel))
				plant_in(s, g->modules[m]->module->kernels[k]);
}

static void run_wrong(struct workload_rig *b, void *ctx)
{
	struct wrong *s = ctx;

	s->noticed = workload_rig_run(b, 2 * s->batches + 2) || b->run->ops->check(b->run, &b->err);
}

static bool has_reason(const struct wrong *s)
{
	struct err err = {0};
	char *reasons = file_read(NULL, REASONS, &(size_t){0}, ERR_INPUT, &err);
	char entry[2 * WHAT];
	bool found;

	assert_non_null(reasons);
	snprintf(entry, sizeof(entry), "\n%s: %s\n", s->name, s->what);
	found = strstr(reasons, entry);
	mem_free(reasons);
	return found;
}

static void run(struct wrong *s, void (*body)(struct workload_rig *, void *),
	void (*ready)(struct gpu *, void *), const struct untimed_watch *watch)
{
	workload_rig(body,
		&(struct subject){.name = s->name,
			.seed = 1,
			.settings = "gpu.max_regs=24 gpu.spill=shared gpu.spill_slots=8",
			.ready = ready,
			.ready_ctx = s,
			.watch = watch,
			.limit = s->work ? 4 * s->work + 100000 : 0},
		s);
}

/* Sites are spread over all that are executed. Returns how many survive for no known reason. */
static unsigned try_workload(const char *name, unsigned most, unsigned *total)
{
	static struct wrong s;
	const struct untimed_watch watch = {.ctx = &s, .executed = note_executed};
	unsigned bad = 0, n, survived = 0;

	s = (struct wrong){.name = name};
	run(&s, run_right, NULL, &watch);
	n = most && most < s.n ? most : s.n;
	for (unsigned i = 0; i < n; i++) {
		s.planted = s.site[i * s.n / n];
		run(&s, run_wrong, plant, NULL);
		survived += !s.noticed;
		if (s.noticed || has_reason(&s))
			continue;
		print_error("survives, and has no reason:\n%s: %s\n", name, s.what);
		bad++;
	}
	if (s.n)
		print_message("%s: %u of %u accesses wrong, %u survived\n", name, n, s.n, survived);
	*total += n;
	return bad;
}

static void every_check_notices_a_wrong_slot(void **state)
{
	const char *only = getenv("WORKLOAD"), *n = getenv("WRONG_SLOTS");
	unsigned bad = 0, total = 0, most = n && *n ? (unsigned)strtoul(n, NULL, 10) : 3;

	(void)state;
	for (unsigned i = 0; workload_number(i); i++)
		if (!only || !strcmp(only, workload_number(i)->name))
			bad += try_workload(workload_number(i)->name, most, &total);
	print_message("%u wrong slots\n", total);
	assert_int_equal(bad, 0);
	assert_true(only || total >= 45);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_check_notices_a_wrong_slot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
