/* Pipes: when one accepts an instruction, and what the classes of operations need (Jia et al.,
 * arXiv:1903.07486, chapters 2 and 4; CUDA C++ Programming Guide, throughput of instructions). */
#include "sm/state.h"

_Static_assert(SM_SCHEDULERS == PIPE_SCHEDULERS, "as many");

/* The parameters of a class, as they were set. */
struct wanted {
	const char *name;
	uint64_t cycles;
	double lanes;
	uint64_t shared, pipe;
};

#define PIPE_WANTED(p, id, name, text) \
	[CLASS_##id] = {#name, (p)->name##_cycles, (p)->name##_lanes, (p)->name##_shared, \
		(p)->name##_pipe},

static const char *pipe_name(uint64_t pipe, size_t *n)
{
	static const struct param_def words = {.unit = PIPE_NAMES};

	return param_word(&words, pipe, n);
}

/* The first class on the same pipe. */
static unsigned first_on(const struct wanted *w, uint64_t pipe)
{
	unsigned c = 0;

	while (w[c].pipe != pipe)
		c++;
	return c;
}

/* Classes that share a pipe either have it in each scheduler, or all of them in the SM: the first
 * fault of each pipe. */
static void check_sharing(const struct wanted *w, struct err *err)
{
	bool told[PIPE_COUNT] = {false};

	for (unsigned c = 1; c <= CLASS_MEMORY; c++) {
		const struct wanted *first = &w[first_on(w, w[c].pipe)];
		const char *pipe;
		size_t n = 0;

		if (!w[c].shared == !first->shared || told[w[c].pipe])
			continue;
		told[w[c].pipe] = true;
		pipe = pipe_name(w[c].pipe, &n);
		err_add(err, ERR_INPUT,
			"pipe.%s_shared = %llu: it is on the pipe %.*s with pipe.%s_shared = "
			"%llu; both must be 0, or none",
			w[c].name, (unsigned long long)w[c].shared, (int)n, pipe, first->name,
			(unsigned long long)first->shared);
	}
}

#define LEAST_LANES 0.01

static void check_lanes(const struct wanted *w, struct err *err)
{
	if (w->lanes > 0 && w->lanes < LEAST_LANES)
		err_add(err, ERR_INPUT,
			"pipe.%s_lanes = %.9g: must be at least %g, 3200 cycles for a warp, or 0",
			w->name, w->lanes, LEAST_LANES);
}

/* Whole cycles in which that many lanes take a warp. */
static uint32_t interval_of(double set)
{
	double lanes = set < LEAST_LANES ? LEAST_LANES : set;
	uint32_t whole = (uint32_t)(WARP_LANES / lanes);

	return whole * lanes < WARP_LANES * (1 - 1e-9) ? whole + 1 : whole;
}

static struct pipe_class class_of(const struct sm *sm, unsigned c, const struct wanted *w)
{
	bool special = PIPE_SPECIAL(c), late = w->pipe == PIPE_XU || w->pipe == PIPE_LSU;
	uint64_t cycles = w->cycles ? w->cycles : special ? sm->p.sfu_cycles : sm->p.alu_cycles;
	double lanes = w->lanes > 0 ? w->lanes : special ? (double)sm->p.sfu_lanes : WARP_LANES;

	return (struct pipe_class){
		.result = (uint32_t)READY_CODE(cycles, late ? READY_SHORT : READY_FIXED),
		.interval = interval_of(lanes),
		.pipe = (uint8_t)w->pipe,
		.units = (uint8_t)w->shared};
}

/* No instruction of the class can be late: it takes a cycle, and there is a unit for each. */
static bool never_busy(const struct sm *sm, const struct pipe_class *k)
{
	return k->interval == 1 && sm->p.issue_width == 1 &&
	       (!k->units || k->units >= sm->p.schedulers);
}

static bool pipe_never_busy(const struct sm *sm, unsigned pipe)
{
	for (unsigned c = 0; c <= CLASS_MEMORY; c++)
		if (sm->pipes.of[c].pipe == pipe && !never_busy(sm, &sm->pipes.of[c]))
			return false;
	return true;
}

/* Classes with the same units have one gate. */
static uint8_t gate_of(struct sm_pipes *p, const struct pipe_class *k)
{
	unsigned g = GATE_PIPE;

	while (g < p->gates && (p->by_gate[g]->pipe != k->pipe || p->by_gate[g]->units != k->units))
		g++;
	p->by_gate[g] = k;
	p->gates = g < p->gates ? p->gates : g + 1;
	return (uint8_t)g;
}

static void make_gates(struct sm *sm)
{
	struct sm_pipes *p = &sm->pipes;

	p->gates = GATE_PIPE;
	for (unsigned c = 0; c < CLASS_ARITHMETIC; c++)
		if (!pipe_never_busy(sm, p->of[c].pipe))
			p->of[c].gate = gate_of(p, &p->of[c]);
	p->of[CLASS_MEMORY].gate = GATE_MEMORY;
	p->of[CLASS_TEXTURE].gate = GATE_TEXTURE;
	p->by_gate[GATE_MEMORY] = &p->of[CLASS_MEMORY];
	p->by_gate[GATE_TEXTURE] = &p->of[CLASS_TEXTURE];
	p->memory = !pipe_never_busy(sm, PIPE_LSU);
}

static void read_classes(struct sm *sm, struct err *err)
{
	struct sm_pipes *p = &sm->pipes;
	const struct wanted wanted[CLASS_MEMORY + 1] = {
		OP_CLASSES(PIPE_WANTED, &p->p)[CLASS_MEMORY] = {
			"memory", 0, p->p.memory_lanes, p->p.memory_shared, PIPE_LSU}};

	check_sharing(wanted, err);
	for (unsigned c = 0; c <= CLASS_MEMORY; c++) {
		check_lanes(&wanted[c], err);
		p->of[c] = class_of(sm, c, &wanted[c]);
	}
}

void pipes_init(struct sm *sm, struct err *err)
{
	read_classes(sm, err);
	make_gates(sm);
}

bool pipes_exist(const struct sm *sm, unsigned op_class)
{
	if (op_class == CLASS_TENSOR)
		return sm->pipes.p.tensor_lanes > 0;
	return op_class != CLASS_TENSOR64 || sm->pipes.p.tensor64_lanes > 0;
}

void pipes_close(struct sm *sm)
{
	struct sm_pipes *p = &sm->pipes;
	uint64_t executed[PIPE_COUNT] = {0}, active[PIPE_COUNT] = {0}, memory;

	sm->s.smsp__inst_executed_pipe_sfu = 0;
	for (unsigned c = 0; c < CLASS_ARITHMETIC; c++) {
		executed[p->of[c].pipe] += p->of[c].executed;
		active[p->of[c].pipe] += (p->of[c].executed + p->of[c].steps) * p->of[c].interval;
		sm->s.smsp__inst_executed_pipe_sfu += PIPE_SPECIAL(c) ? p->of[c].executed : 0;
	}
	p->s.smsp__inst_executed_pipe_alu = executed[PIPE_ALU];
	p->s.smsp__inst_executed_pipe_fma = executed[PIPE_FMA];
	p->s.smsp__inst_executed_pipe_fp16 = executed[PIPE_FP16];
	p->s.smsp__inst_executed_pipe_fp64 = executed[PIPE_FP64];
	p->s.smsp__inst_executed_pipe_xu = executed[PIPE_XU];
	p->s.smsp__inst_executed_pipe_tensor = executed[PIPE_TENSOR];
	memory = sm->s.smsp__inst_executed_op_shared + sm->s.smsp__inst_executed_op_global +
		 sm->s.smsp__inst_executed_op_local + sm->s.smsp__inst_executed_op_surface;
	p->s.smsp__inst_executed_pipe_lsu = executed[PIPE_LSU] + memory;
	p->s.sm__pipe_alu_cycles_active = active[PIPE_ALU];
	p->s.sm__pipe_fma_cycles_active = active[PIPE_FMA];
	p->s.sm__pipe_fp16_cycles_active = active[PIPE_FP16];
	p->s.sm__pipe_fp64_cycles_active = active[PIPE_FP64];
	p->s.sm__pipe_xu_cycles_active = active[PIPE_XU];
	p->s.sm__pipe_tensor_cycles_active = active[PIPE_TENSOR];
	p->s.sm__pipe_lsu_cycles_active = active[PIPE_LSU] + memory * p->of[CLASS_MEMORY].interval;
}

/* The last of the class's units that is free, so that those remain which other classes can use too;
 * PIPE_UNITS: none. */
static unsigned free_unit(
	const struct sm *sm, const struct pipe_class *k, unsigned scheduler, uint64_t cycle)
{
	const uint64_t *free = sm->pipes.free[k->pipe];

	if (!k->units)
		return free[scheduler] > cycle ? PIPE_UNITS : scheduler;
	for (unsigned u = k->units; u; u--)
		if (free[u - 1] <= cycle)
			return u - 1;
	return PIPE_UNITS;
}

bool pipes_busy(const struct sm *sm, const struct pipe_class *k, unsigned scheduler, uint64_t cycle)
{
	return free_unit(sm, k, scheduler, cycle) == PIPE_UNITS;
}

void pipes_take(struct sm *sm, const struct pipe_class *k, unsigned scheduler, unsigned steps,
	uint64_t cycle)
{
	unsigned u = free_unit(sm, k, scheduler, cycle);

	BUG_ON(u == PIPE_UNITS);
	sm->pipes.free[k->pipe][u] = cycle + (uint64_t)steps * k->interval;
}

void pipes_matrix(struct sm *sm, unsigned w, const struct instr *in, uint64_t cycle)
{
	struct pipe_class *k = &sm->pipes.of[in->op_class];
	unsigned steps = in->vec;

	k->executed++;
	k->steps += steps - 1;
	if (k->gate)
		pipes_take(sm, k, sm->sched_of[w], steps, cycle);
	warp_results(sm, w, in, READY_CODE(cycle + (uint64_t)(steps - 1) * k->interval, k->result));
}

uint64_t pipes_occupied(
	const struct sm *sm, unsigned scheduler, uint64_t ready, uint64_t cycle, uint64_t *mio)
{
	const struct sm_pipes *p = &sm->pipes;
	uint64_t math = 0;

	for (unsigned g = GATE_PIPE; g < p->gates; g++) {
		const struct pipe_class *k = p->by_gate[g];

		if (!(sm->gate_next[g] & ready) || !pipes_busy(sm, k, scheduler, cycle))
			continue;
		if (k->pipe == PIPE_LSU)
			*mio |= sm->gate_next[g] & ready;
		else
			math |= sm->gate_next[g] & ready;
	}
	return math;
}

uint64_t pipes_rivals(const struct sm *sm, unsigned gate)
{
	const struct sm_pipes *p = &sm->pipes;
	uint64_t warps = sm->gate_next[gate];

	for (unsigned g = GATE_PIPE; g < p->gates; g++)
		if (p->by_gate[g]->pipe == p->by_gate[gate]->pipe)
			warps |= sm->gate_next[g];
	return warps;
}
