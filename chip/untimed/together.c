/* Launches without time on several host threads. */
#include "chip/untimed/together.h"

#include <setjmp.h>
#include <stdatomic.h>

#include "chip/gpu_inside.h"
#include "chip/untimed/apart.h"
#include "core/crew.h"
#include "ptx/isa/texture.h"
#include "ptx/isa/types.h"

/* Warp instructions of a launch that pays for waking threads, and what a loop is taken for until
 * the kernel has run once. */
#define LEAST_WORK (UINT64_C(1) << 18)
#define LOOP_ROUNDS 16u
#define PARTS 8u /* of a launch, for each thread: they take the next one when they are free */
#define KNOWN 64u

/* A kernel that has been looked at. */
struct known {
	const struct program *program;
	bool alone;        /* its CTAs may meet, or did */
	uint64_t each_cta; /* warp instructions; 0: it has not run yet */
};

struct worker {
	struct together *team;
	struct untimed_counts counts;
	struct exec_notes notes;
	struct fault fault;
	struct err err;
	atomic_uint_fast64_t executed; /* warp instructions, now and then */
};

struct together {
	struct gpu *gpu;
	unsigned threads;
	struct arena arena;
	struct crew *crew;
	struct apart *apart;
	struct worker *worker;
	struct known known[KNOWN];
	unsigned nknown;
	/* the launch that runs */
	const struct together_work *work;
	uint64_t ctas, part, before;
	struct untimed_counts *told; /* what the owner of the run sees meanwhile */
	atomic_uint_fast64_t next;   /* CTA */
	atomic_bool stop;
	uint64_t launches, taken_back;
};

/* ---- kernels */
static bool is_integer(unsigned type)
{
	return type == T_U32 || type == T_S32 || type == T_B32 || type == T_U64 || type == T_S64 ||
	       type == T_B64;
}

static bool commutes(const struct instr *in)
{
	return in->vec == 1 && is_integer(in->mem_type) &&
	       (in->atom_op == ATOM_ADD || in->atom_op == ATOM_MIN || in->atom_op == ATOM_MAX ||
		       in->atom_op == ATOM_AND || in->atom_op == ATOM_OR ||
		       in->atom_op == ATOM_XOR);
}

static bool is_atomic(const struct instr *in)
{
	return (in->action == ACT_ATOM || in->action == ACT_RED) && in->space != SPACE_SHARED;
}

/* Whether the order of CTAs can matter to it, as far as its instructions say; all its additions to
 * memory must be of the first one's kind. */
static bool may_meet(const struct instr *in, const struct instr **first)
{
	if (in->action == ACT_PRINT)
		return true;
	if (in->action == ACT_SURFACE && in->op >= SURFACE_REDUCE)
		return true;
	if (!is_atomic(in))
		return false;
	if (in->action == ACT_ATOM && in->dst[0].kind != OPND_NONE)
		return true;
	if (!*first)
		*first = in;
	return !commutes(in) || in->atom_op != (*first)->atom_op ||
	       in->mem_type != (*first)->mem_type;
}

static struct known *look(struct together *t, const struct program *p)
{
	const struct instr *first = NULL;
	struct known *k;

	for (unsigned i = 0; i < t->nknown; i++)
		if (t->known[i].program == p)
			return &t->known[i];
	k = &t->known[t->nknown < KNOWN ? t->nknown++ : KNOWN - 1];
	*k = (struct known){.program = p, .alone = gpu_reads_time(p)};
	for (uint32_t i = 0; i < p->ninstr && !k->alone; i++)
		k->alone = may_meet(&p->code[i], &first);
	return k;
}

static bool loops(const struct program *p)
{
	for (uint32_t i = 0; i < p->ninstr; i++)
		if (p->code[i].action == ACT_BRANCH && p->code[i].target <= i)
			return true;
	return false;
}

static bool pays(const struct gpu *g, const struct known *k, const struct grid *grid, uint64_t ctas)
{
	uint64_t each = k->each_cta;

	if (ctas < 2)
		return false;
	if (!each)
		each = (uint64_t)grid->program->ninstr * grid_cta_warps(grid) *
		       (loops(grid->program) ? LOOP_ROUNDS : 1);
	return g->threads_always || each >= LEAST_WORK || each * ctas >= LEAST_WORK;
}

/* ---- threads */
static uint64_t executed(const struct together *t)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < t->threads; i++)
		n += atomic_load_explicit(&t->worker[i].executed, memory_order_relaxed);
	return n;
}

/* Whether one thread has had far more to do than all others. What it reads may be half of what
 * another one writes, and keep it in a loop that one thread alone would leave. */
static bool runs_away(const struct together *t, uint64_t own)
{
	return own > 4 * (executed(t) - own + (UINT64_C(1) << 20));
}

/* Every few milliseconds, on each thread. */
static bool go_on(void *ctx)
{
	struct worker *w = ctx;
	struct together *t = w->team;
	uint64_t own = w->counts.warp_instructions;

	atomic_store_explicit(&w->executed, own, memory_order_relaxed);
	return !atomic_load_explicit(&t->stop, memory_order_relaxed) && !runs_away(t, own);
}

/* The first thread is the owner's. */
static bool first_goes_on(void *ctx)
{
	struct worker *w = ctx;
	const struct untimed_limits *limits = w->team->work->limits;
	bool goes_on = go_on(ctx);
	uint64_t all = executed(w->team);

	w->team->told->warp_instructions = w->team->before + all;
	return goes_on && (!limits->warp_instructions || all <= limits->warp_instructions) &&
	       (!limits->go_on || limits->go_on(limits->ctx));
}

static void work(void *ctx, unsigned worker)
{
	struct together *t = ctx;
	struct worker *w = &t->worker[worker];
	struct exec_memory memory = apart_memory(t->apart, worker);
	struct untimed_limits limits = {.go_on = worker ? go_on : first_goes_on, .ctx = w};

	memory.notes = &w->notes;
	while (limits.go_on(w)) {
		uint64_t part = atomic_fetch_add(&t->next, t->part);
		uint64_t first = t->work->first + part;

		if (part >= t->ctas)
			break;
		limits.turns.end = min_u64(first + t->part, t->work->first + t->ctas);
		if (untimed_run(t->work->grid, first, 1, t->gpu->lanes, &memory, &limits,
			    &w->counts, &w->fault, &w->err))
			atomic_store(&t->stop, true);
	}
	crew_meet(t->crew, worker);
}

/* All CTAs have run, within the limit. */
static bool is_good(const struct together *t)
{
	uint64_t most = t->work->limits->warp_instructions, all = 0, ctas = 0;
	bool good = !atomic_load(&t->stop);

	for (unsigned i = 0; i < t->threads; i++) {
		good &= !t->worker[i].notes.n && !t->worker[i].err.count;
		all += t->worker[i].counts.warp_instructions;
		ctas += t->worker[i].counts.ctas;
	}
	return good && ctas == t->ctas && (!most || all <= most);
}

static void add_counts(struct untimed_counts *to, const struct untimed_counts *more)
{
	to->warp_instructions += more->warp_instructions;
	to->thread_instructions += more->thread_instructions;
	to->ctas += more->ctas;
	for (unsigned i = 0; i < CLASS_COUNT; i++)
		to->by_class[i] += more->by_class[i];
	for (unsigned i = 0; i < WORK_KINDS; i++)
		to->by_work[i] += more->by_work[i];
#define ADD_TRAFFIC(S, T, name, unit, text) to->registers.name += more->registers.name;
	LEVEL_TRAFFIC(ADD_TRAFFIC, 0, 0)
}

/* True: the CTAs have run. False: nothing has happened. */
static bool run(struct together *t, struct known *k, const struct together_work *w,
	struct untimed_counts *counts)
{
	bool done;

	for (unsigned i = 0; i < t->threads; i++)
		t->worker[i] = (struct worker){.team = t};
	t->work = w;
	t->part = max_u64(1, t->ctas / ((uint64_t)t->threads * PARTS));
	t->told = counts;
	t->before = counts->warp_instructions;
	atomic_store(&t->next, 0);
	atomic_store(&t->stop, false);
	if (apart_begin(t->apart, t->gpu->image))
		return false;
	crew_run(t->crew, false);
	counts->warp_instructions = t->before;
	done = apart_end(t->apart, is_good(t));
	for (unsigned i = 0; i < t->threads; i++) {
		if (done)
			add_counts(counts, &t->worker[i].counts);
		err_clear(&t->worker[i].err);
	}
	t->launches += done;
	t->taken_back += !done;
	k->alone |= !done;
	return done;
}

/* Wakes threads; without memory or threads of the host one thread has to do. */
static void hire(struct together *t, unsigned threads)
{
	struct err none = {0};
	jmp_buf escape;

	t->worker = mem_alloc(threads, sizeof(*t->worker));
	t->apart = apart_new(threads);
	t->arena.escape = &escape;
	if (!setjmp(escape) && t->worker && t->apart)
		t->crew = crew_new(&t->arena, threads, NULL, work, t, &none);
	t->arena.escape = NULL;
	t->threads = t->crew ? threads : 1;
	err_clear(&none);
}

/* NULL: one thread has to do. */
static struct together *team_of(struct gpu *g)
{
	if (!g->together && g->threads > 1) {
		g->together = mem_alloc(1, sizeof(*g->together));
		if (g->together) {
			g->together->gpu = g;
			hire(g->together, g->threads);
		}
	}
	return g->together && g->together->threads > 1 ? g->together : NULL;
}

void together_always(struct gpu *g)
{
	g->threads_always = true;
}

void together_count(const struct gpu *g, uint64_t *launches, uint64_t *taken_back)
{
	*launches = g->together ? g->together->launches : 0;
	*taken_back = g->together ? g->together->taken_back : 0;
}

void together_free(struct together *t)
{
	if (!t)
		return;
	crew_free(t->crew);
	apart_free(t->apart);
	mem_free(t->worker);
	arena_free(&t->arena);
	mem_free(t);
}

int together_run(struct gpu *g, const struct together_work *w, struct untimed_counts *counts,
	struct fault *fault, struct err *err)
{
	struct together *t =
		w->step == 1 && !w->limits->watch && !w->limits->races ? team_of(g) : NULL;
	uint64_t before = counts->warp_instructions;
	struct known *k = NULL;
	int bad = 0;

	if (t) {
		uint64_t end = w->limits->turns.end, all = grid_ctas(w->grid);

		t->ctas = (end && end < all ? end : all) - w->first;
		k = look(t, w->grid->program);
	}
	if (!k || k->alone || !pays(g, k, w->grid, t->ctas) || !run(t, k, w, counts))
		bad = untimed_run(w->grid, w->first, w->step, g->lanes, w->memory, w->limits,
			counts, fault, err);
	else
		*fault = (struct fault){.kind = FAULT_NONE};
	if (k && !bad && t->ctas)
		k->each_cta = (counts->warp_instructions - before) / t->ctas;
	return bad;
}
