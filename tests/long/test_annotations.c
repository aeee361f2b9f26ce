/* Every workload's check notices when one operand is looked for at another level of the register
 * hierarchy, or one copy between levels is missing or goes elsewhere: a thousand wrong annotations,
 * of which those that survive are listed with their reason in tests/workloads/annotations.txt.
 *	ANNOTATIONS=N ANNOTATE=NAME tests/long/test_annotations	N of one workload */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "chip/gpu_inside.h"
#include "core/file.h"
#include "core/rng.h"
#include "tests/rig/workload_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REASONS WARPBEAM_SRCDIR "/tests/workloads/annotations.txt"
#define KERNELS 32u
#define WHAT 160

/* The hierarchies that take turns. */
static const char *const hierarchies[] = {"rf.hierarchy=software rf.lrf=3 rf.entries=3",
	"rf.hierarchy=software rf.lrf=0 rf.entries=3",
	"rf.hierarchy=software rf.lrf=1 rf.entries=5"};

/* A kernel without a hierarchy, and which of its instructions a run executes. */
struct kernel {
	const struct program *program; /* while it runs */
	char name[96];
	struct instr *plain;
	uint32_t *line; /* of each instruction: that of the PTX text; 0: the compiler's own */
	bool *executed;
	uint32_t n;
};

/* A line of PTX that is executed. What is drawn depends on these, not on how they are compiled. */
struct line {
	unsigned kernel;
	uint32_t ptx;
};
#define LINES 4096u

/* One wrong annotation. */
struct planted {
	const char *kernel;
	uint32_t instr, line;
	int copy;     /* of the instruction's copies; -1: an operand */
	int dst, src; /* the operand; -1: not this */
	uint16_t to;  /* plane */
	bool dropped; /* the copy is */
	char what[WHAT];
};

enum answer { STOPPED, WRONG, SURVIVED, ANSWERS };

struct annotated {
	const char *name, *hierarchy;
	bool timed; /* the kernel reads the clock */
	struct kernel kernel[KERNELS];
	unsigned nkernels;
	struct line lines[LINES];
	unsigned nlines;
	uint64_t number, stream; /* of the annotation, of the workload */
	struct rng rng;
	struct planted planted;
	bool drawn;
	enum answer answer;
	uint64_t work;
	unsigned batches, count[ANSWERS];
};

static struct kernel *kernel_of(struct annotated *s, const struct program *p)
{
	for (unsigned k = 0; k < s->nkernels; k++)
		if (!strcmp(s->kernel[k].name, p->name))
			return &s->kernel[k];
	return NULL;
}

static void note_plain(struct gpu *g, void *ctx)
{
	struct annotated *s = ctx;

	for (uint32_t i = 0; i < g->nlaunches; i++) {
		const struct program *p = launches_row(g, i).program;
		struct kernel *k = kernel_of(s, p);

		if (k || s->nkernels == KERNELS)
			continue;
		k = &s->kernel[s->nkernels++];
		snprintf(k->name, sizeof(k->name), "%s", p->name);
		k->n = p->ninstr;
		k->plain = mem_alloc(k->n, sizeof(*k->plain));
		k->executed = mem_alloc(k->n, sizeof(*k->executed));
		k->line = mem_alloc(k->n, sizeof(*k->line));
		assert_non_null(k->plain);
		assert_non_null(k->executed);
		assert_non_null(k->line);
		memcpy(k->plain, p->code, k->n * sizeof(*k->plain));
		for (uint32_t c = 0; c < k->n; c++)
			if (p->lines[p->code[c].line].opcode)
				k->line[c] = p->lines[p->code[c].line].ptx_line;
	}
}

static void note_executed(void *ctx, const struct warp *w, const struct instr *in, uint32_t mask,
	const struct access *a)
{
	struct annotated *s = ctx;
	struct kernel *k = s->kernel;

	(void)a;
	if (!mask)
		return;
	while (k < s->kernel + s->nkernels && k->program != w->program)
		k++;
	if (k == s->kernel + s->nkernels) {
		k = kernel_of(s, w->program);
		if (!k)
			return;
		k->program = w->program;
	}
	k->executed[in - w->program->code] = true;
}

static void run_plain(struct workload_rig *b, void *ctx)
{
	struct annotated *s = ctx;

	if (workload_rig_run(b, 0) || b->run->ops->check(b->run, &b->err))
		fail_msg("%s: %s", s->name, err_text(&b->err));
	s->batches = b->batches;
	s->work = b->work;
}

/* ---- drawing */

/* Of several instructions that a line becomes, the first represents it. */
static void list_lines(struct annotated *s)
{
	for (unsigned k = 0; k < s->nkernels; k++) {
		const struct kernel *kernel = &s->kernel[k];

		for (uint32_t i = 0; i < kernel->n && s->nlines < LINES; i++)
			if (kernel->line[i] && (i == 0 || kernel->line[i - 1] != kernel->line[i]) &&
				(s->timed || kernel->executed[i]))
				s->lines[s->nlines++] = (struct line){k, kernel->line[i]};
	}
}

static bool is_copied(const struct program *p, uint32_t reg)
{
	for (uint32_t c = 0; c < p->levels->ncopies; c++)
		if (p->levels->copies[c].from == reg || p->levels->copies[c].to == reg)
			return true;
	return false;
}

/* An entry that sometimes holds a copy of the register is not surely wrong. */
static bool has_copy_in(const struct program *p, uint32_t reg, uint32_t plane)
{
	for (uint32_t c = 0; c < p->levels->ncopies; c++)
		if (p->levels->copies[c].from == reg && p->levels->copies[c].to == plane)
			return true;
	return false;
}

static uint32_t draw_upper(struct annotated *s, const struct program *p, unsigned words)
{
	const struct program_levels *l = p->levels;
	uint32_t n = l->upper + l->lrf;

	return p->regs + rng_below(&s->rng, words > 1 ? n - 1 : n);
}

/* Where an operand of which `own` is the register shall be looked for now; false: nowhere wrong.
 * Operands in the MRF go up, others to another upper level or to the MRF, where it is not as well.
 */
static bool draw_plane(struct annotated *s, const struct program *p, const struct operand *o,
	const struct operand *own)
{
	bool up = level_of(p, o->index) == LEVEL_MRF || rng_below(&s->rng, 2);

	if (!up && is_copied(p, own->index))
		return false;
	s->planted.to = up ? (uint16_t)draw_upper(s, p, o->words) : own->index;
	return s->planted.to != o->index && !has_copy_in(p, own->index, s->planted.to);
}

static void describe(struct planted *a, const struct program *p, const char *which, uint32_t from)
{
	static const char *const names[] = {"MRF", "ORF", "LRF"};

	snprintf(a->what, sizeof(a->what), "%s, line %u, %s, %s: %s -> %s", p->name, a->line,
		p->lines[p->code[a->instr].line].opcode, which, names[level_of(p, from)],
		a->dropped ? "(left out)" : names[level_of(p, a->to)]);
}

static bool draw_copy(struct annotated *s, const struct program *p, const struct level_note *note)
{
	struct planted *a = &s->planted;
	const struct level_copy *c;

	a->copy = (int)rng_below(&s->rng, note->ncopies);
	c = &p->levels->copies[note->copies + (uint32_t)a->copy];
	a->dropped = level_of(p, c->to) == LEVEL_MRF || rng_below(&s->rng, 2);
	a->to = (uint16_t)draw_upper(s, p, 1);
	if (!a->dropped && a->to == c->to)
		return false;
	describe(a, p, c->deposit ? "deposit" : "duplicate", c->to);
	return true;
}

static bool draw_operand(struct annotated *s, const struct program *p, const struct kernel *k)
{
	struct planted *a = &s->planted;
	const struct instr *in = &p->code[a->instr], *plain = &k->plain[a->instr];
	unsigned which = rng_below(&s->rng, in->ndst + in->nsrc);
	bool is_dst = which < in->ndst;
	const struct operand *o = is_dst ? &in->dst[which] : &in->src[which - in->ndst];
	const struct operand *own = is_dst ? &plain->dst[which] : &plain->src[which - in->ndst];
	char name[24];

	a->dst = is_dst ? (int)which : -1;
	a->src = is_dst ? -1 : (int)(which - in->ndst);
	if (o->kind != OPND_REG || !draw_plane(s, p, o, own))
		return false;
	snprintf(name, sizeof(name), "%s %d", is_dst ? "result" : "source",
		is_dst ? a->dst : a->src);
	describe(a, p, name, o->index);
	return true;
}

static const struct program *program_of(const struct gpu *g, const char *name)
{
	for (uint32_t i = 0; i < g->nlaunches; i++) {
		const struct program *p = launches_row(g, i).program;

		if (!strcmp(p->name, name))
			return p;
	}
	return NULL;
}

static bool try_draw(struct annotated *s, const struct gpu *g)
{
	const struct line *line = &s->lines[rng_below(&s->rng, s->nlines)];
	const struct kernel *k = &s->kernel[line->kernel];
	const struct program *p = program_of(g, k->name);
	uint32_t i = 0;

	if (!p || p->ninstr != k->n)
		return false;
	while (k->line[i] != line->ptx)
		i++;
	s->planted = (struct planted){
		.kernel = k->name, .instr = i, .line = line->ptx, .copy = -1, .dst = -1, .src = -1};
	if (p->levels->notes[i].ncopies && rng_below(&s->rng, 2))
		return draw_copy(s, p, &p->levels->notes[i]);
	return p->code[i].ndst + p->code[i].nsrc > 0 && draw_operand(s, p, k);
}

/* ---- planting */

/* As the compiler would have it: what a strand uses, it begins without. */
static void lose_too(const struct program *p, uint32_t plane)
{
	struct level_note *notes = (struct level_note *)p->levels->notes;

	for (uint32_t i = 0; i < p->ninstr && plane >= p->regs; i++)
		notes[i].upper |= (uint16_t)(1u << (plane - p->regs));
}

static void plant(const struct planted *a, const struct program *p)
{
	struct instr *in = (struct instr *)&p->code[a->instr];
	struct level_note *note = (struct level_note *)&p->levels->notes[a->instr];
	struct level_copy *c = (struct level_copy *)p->levels->copies + note->copies;

	if (a->dst >= 0)
		in->dst[a->dst].index = a->to;
	else if (a->src >= 0)
		in->src[a->src].index = a->to;
	else if (!a->dropped)
		c[a->copy].to = a->to;
	else
		c[a->copy] = c[--note->ncopies];
	lose_too(p, a->to);
}

static void draw_and_plant(struct gpu *g, void *ctx)
{
	struct annotated *s = ctx;

	for (unsigned tries = 0; !s->drawn && tries < 10000; tries++) {
		s->rng = rng_new(s->number * 10000 + tries, s->stream);
		s->drawn = try_draw(s, g);
	}
	if (!s->drawn)
		return;
	for (unsigned m = 0; m < g->nmodules; m++)
		for (uint32_t k = 0; k < g->modules[m]->module->nkernels; k++)
			if (!strcmp(g->modules[m]->module->kernels[k]->name, s->planted.kernel))
				plant(&s->planted, g->modules[m]->module->kernels[k]);
}

static void run_planted(struct workload_rig *b, void *ctx)
{
	struct annotated *s = ctx;

	if (workload_rig_run(b, 2 * s->batches + 2))
		s->answer = STOPPED;
	else if (b->run->ops->check(b->run, &b->err))
		s->answer = WRONG;
}

static bool has_reason(const struct annotated *s)
{
	struct err err = {0};
	char *reasons = file_read(NULL, REASONS, &(size_t){0}, ERR_INPUT, &err);
	char entry[2 * WHAT];
	bool found;

	assert_non_null(reasons);
	snprintf(entry, sizeof(entry), "\n%s: %s\n", s->name, s->planted.what);
	found = strstr(reasons, entry);
	mem_free(reasons);
	return found;
}

/* With the workload's settings one after the other until one notices. */
static bool try_one(struct annotated *s, const struct plugin *workload)
{
	const char *variant;
	char settings[256];

	s->drawn = false;
	s->answer = SURVIVED;
	for (unsigned v = 0; (variant = workload_variant(workload, v)) && s->answer == SURVIVED;
		v++) {
		snprintf(settings, sizeof(settings), "%s %s", s->hierarchy, variant);
		workload_rig(run_planted,
			&(struct subject){.name = s->name,
				.seed = 1,
				.settings = settings,
				.timed = s->timed,
				.ready = draw_and_plant,
				.ready_ctx = s,
				.limit = 4 * s->work + 100000},
			s);
	}
	if (!s->drawn)
		return true;
	s->count[s->answer]++;
	if (s->answer != SURVIVED || has_reason(s))
		return true;
	print_error("survives, and has no reason:\n%s: %s\n", s->name, s->planted.what);
	return false;
}

/* ---- workloads */

static bool reads_clock(const char *name)
{
	struct err err = {0};
	char path[256], *ptx;
	bool found;

	snprintf(path, sizeof(path), "%s/%s/%s.ptx", WORKLOADS_DIR, name, name);
	ptx = file_read(NULL, path, &(size_t){0}, ERR_INPUT, &err);
	assert_non_null(ptx);
	found = strstr(ptx, "%clock");
	mem_free(ptx);
	return found;
}

static uint64_t stream_of(const char *name)
{
	uint64_t h = 1;

	while (*name)
		h = h * 31 + (unsigned char)*name++;
	return h;
}

static unsigned wanted(void)
{
	const char *n = getenv("ANNOTATIONS");

	return n && *n ? (unsigned)strtoul(n, NULL, 10) : 19;
}

/* How many survive for no known reason. */
static unsigned annotate(const struct plugin *workload, unsigned *total)
{
	static struct annotated s;
	const struct untimed_watch watch = {.ctx = &s, .executed = note_executed};
	unsigned bad = 0;

	s = (struct annotated){.name = workload->name,
		.timed = reads_clock(workload->name),
		.stream = stream_of(workload->name)};
	workload_rig(run_plain,
		&(struct subject){.name = s.name,
			.seed = 1,
			.settings = "rf.hierarchy=none",
			.timed = s.timed,
			.ready = note_plain,
			.ready_ctx = &s,
			.watch = &watch},
		&s);
	list_lines(&s);
	for (unsigned i = 0; i < wanted(); i++) {
		s.number = i;
		s.hierarchy = hierarchies[i % 3];
		bad += !try_one(&s, workload);
	}
	for (unsigned k = 0; k < s.nkernels; k++) {
		mem_free(s.kernel[k].plain);
		mem_free(s.kernel[k].executed);
		mem_free(s.kernel[k].line);
	}
	print_message("%s: %u stopped, %u wrong, %u survived\n", s.name, s.count[STOPPED],
		s.count[WRONG], s.count[SURVIVED]);
	*total += s.count[STOPPED] + s.count[WRONG] + s.count[SURVIVED];
	return bad;
}

static void every_check_notices_a_wrong_level(void **state)
{
	const char *only = getenv("ANNOTATE");
	unsigned bad = 0, total = 0;

	(void)state;
	for (unsigned i = 0; workload_number(i); i++)
		if (!only || !strcmp(only, workload_number(i)->name))
			bad += annotate(workload_number(i), &total);
	print_message("%u wrong annotations\n", total);
	assert_int_equal(bad, 0);
	assert_true(only || getenv("ANNOTATIONS") || total >= 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_check_notices_a_wrong_level),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
