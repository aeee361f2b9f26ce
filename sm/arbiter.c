/* The arbiter of the banks, cycle by cycle: registers first, then the oldest access of memory; a
 * cluster moves a row of one bank, or of several if the design combines them. */
#include "sm/arbiter.h"

#include "sm/state.h"

void arbiter_init(struct sm *sm, struct arena *arena, struct err *err)
{
	static const char *const names[WIDTHS] = {
		"shared_cycles", "shared_cycles_64", "shared_cycles_128"};
	struct arbiter *a = &sm->arbiter;

	a->on = sm->banks.price == CONFLICTS_BY_CYCLE;
	a->one_store = a->on && sm->c.banks.one_store;
	if (!a->on)
		return;
	if (sm->p.memory_bytes)
		err_add(err, ERR_INPUT,
			"sm.memory_bytes = %llu: with sm.bank_conflicts = cycle the banks limit what "
			"moves; must be 0",
			(unsigned long long)sm->p.memory_bytes);
	if (sm->p.shared_bank_cycles > 1)
		err_add(err, ERR_INPUT,
			"sm.shared_bank_cycles = %llu: with sm.bank_conflicts = cycle a bank moves a "
			"word each cycle; must be 1",
			(unsigned long long)sm->p.shared_bank_cycles);
	a->jobs = arena_alloc(arena, sm->p.bank_queue, sizeof(*a->jobs));
	for (unsigned i = 0; i < WIDTHS; i++)
		if (sm->shared_cycles[i] < 2)
			err_add(err, ERR_INPUT,
				"sm.%s = %u: with sm.bank_conflicts = cycle at least 2", names[i],
				sm->shared_cycles[i]);
}

uint64_t arbiter_registers(struct sm *sm, unsigned w, uint64_t cycle)
{
	uint16_t reads = bank_rotated(sm->banks.reads, w);
	struct arbiter *a = &sm->arbiter;
	uint64_t last = cycle + 1;

	for (unsigned b = 0; reads; b++, reads >>= 4) {
		if (!(reads & 15))
			continue;
		a->read_until[b] = max_u64(a->read_until[b], cycle) + (reads & 15);
		last = max_u64(last, a->read_until[b]);
	}
	a->register_cycles += last - 1 - cycle;
	return last - 1;
}

bool arbiter_full(const struct sm *sm)
{
	return sm->arbiter.n == sm->p.bank_queue;
}

static struct bank_job *job_at(const struct sm *sm, uint32_t i)
{
	return &sm->arbiter.jobs[(sm->arbiter.head + i) % (uint32_t)sm->p.bank_queue];
}

/* Cycles that the rest of it takes without conflicts. */
static uint64_t length(const struct sm *sm, const struct bank_job *j)
{
	return bank_rows_length(&j->left, &sm->c.banks);
}

/* When the job will be done, if the one before it is done in `before`. */
static uint64_t done_after(const struct sm *sm, const struct bank_job *j, uint64_t before)
{
	return max_u64(j->from, before + 1) + max_u64(length(sm, j), j->least) - 1;
}

static struct bank_job *push(struct sm *sm, const struct bank_job *j, uint64_t cycle)
{
	struct arbiter *a = &sm->arbiter;
	struct bank_job *new = job_at(sm, a->n);

	if (!a->n)
		a->next = cycle;
	*new = *j;
	new->begun = UINT64_MAX;
	new->done = done_after(sm, new, a->n ? job_at(sm, a->n - 1)->done : 0);
	a->n++;
	return new;
}

uint64_t arbiter_shared(struct sm *sm, unsigned w, const struct instr *in, const struct access *a,
	unsigned passes, uint64_t cycle)
{
	struct bank_job j = {.from = cycle + 1,
		.age = sm->age[w],
		.in = a->action == ACT_LOAD || a->action == ACT_ATOM ? in : NULL,
		.op = ARBITER_NO_OP,
		.warp = (uint8_t)w,
		.least = (uint16_t)passes,
		.late = (uint16_t)(sm->shared_cycles[width_of(a->bytes)] + sm->banks.late - 1),
		.meets_reads = a->action != ACT_STORE || sm->c.banks.one_port};

	if (sm->c.banks.unified)
		bank_rows_of(a, &j.left);
	if (a->action == ACT_ATOM || a->action == ACT_RED)
		bank_rows_twice(&j.left);
	return push(sm, &j, cycle)->done;
}

void arbiter_line(struct sm *sm, int way, uint32_t op, uint64_t cycle)
{
	struct bank_job j = {.from = cycle, .op = op, .least = 1, .meets_reads = true};

	if (sm->c.banks.unified)
		bank_rows_of_line((unsigned)way % BANK_REGISTERS, &j.left);
	push(sm, &j, cycle);
}

/* The banks that registers leave to memory in the cycle: bit b. */
static unsigned free_banks(const struct arbiter *a, const struct bank_job *j, uint64_t cycle)
{
	unsigned free = 0;

	for (unsigned b = 0; b < BANK_REGISTERS; b++)
		free |= (unsigned)(!j->meets_reads || a->read_until[b] <= cycle) << b;
	return free;
}

/* The warp's results come later than the scoreboard has. */
static void tell_later(struct sm *sm, const struct bank_job *j, uint64_t cycle)
{
	unsigned w = j->warp;

	if (!j->in || !(sm->resident >> w & 1) || sm->age[w] != j->age)
		return;
	warp_results(sm, w, j->in, READY_CODE(j->done + j->late, READY_SHORT));
	warp_refresh(sm, w, cycle);
}

/* The head takes longer than predicted, and so may those behind it. */
static void delay(struct sm *sm, uint64_t done, uint64_t cycle)
{
	struct arbiter *a = &sm->arbiter;

	a->slips += done - job_at(sm, 0)->done;
	for (uint32_t i = 0; i < a->n; i++) {
		struct bank_job *j = job_at(sm, i);

		if (i)
			done = done_after(sm, j, done);
		if (done <= j->done)
			return;
		j->done = done;
		tell_later(sm, j, cycle);
	}
}

static void finish(struct sm *sm, uint64_t cycle)
{
	struct arbiter *a = &sm->arbiter;
	struct bank_job *j = job_at(sm, 0);
	uint64_t done = j->done;
	uint32_t op = j->op;

	a->head = (a->head + 1) % (uint32_t)sm->p.bank_queue;
	a->n--;
	if (op != ARBITER_NO_OP)
		lsu_line_done(sm, op, done + sm->ops[op].hit_cycles - 1, cycle);
}

/* One cycle of the banks, which ends with `cycle`. */
static void settle(struct sm *sm, uint64_t at, uint64_t cycle)
{
	struct arbiter *a = &sm->arbiter;
	struct bank_job *j = job_at(sm, 0);
	uint64_t left, done;

	if (j->from > at)
		return;
	if (j->begun == UINT64_MAX)
		j->begun = at;
	bank_rows_move(&j->left, &sm->c.banks, free_banks(a, j, at));
	left = length(sm, j);
	done = max_u64(at + left, j->begun + j->least - 1);
	if (done > j->done)
		delay(sm, done, cycle);
	if (!left && done == at)
		finish(sm, cycle);
}

void arbiter_advance(struct sm *sm, uint64_t cycle)
{
	struct arbiter *a = &sm->arbiter;

	for (; a->next < cycle && a->n; a->next++)
		settle(sm, a->next, cycle);
	a->next = cycle;
}
