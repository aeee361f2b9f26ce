/* What a profile notes of each instruction that is issued: how often, by how many threads, what it
 * took longer, and whose results and units are now its own. */
#include "sm/stalls_inside.h"

/* The unit of the pipe that the instruction has taken. */
static inline void note_pipe(struct sm *sm, unsigned w, const struct pipe_class *k, uint32_t site)
{
	struct sm_profile *f = sm->profile;
	const uint64_t *free = sm->pipes.free[k->pipe];

	if (!k->units)
		f->pipe_by[k->pipe][sm->sched_of[w]] = site;
	for (unsigned u = 0; u < k->units; u++) {
		if (f->pipe_free[k->pipe][u] != free[u])
			f->pipe_by[k->pipe][u] = site;
		f->pipe_free[k->pipe][u] = free[u];
	}
}

static inline void note_access(struct sm *sm, unsigned w, const struct instr *in,
	const struct access *access, uint32_t site)
{
	struct sm_profile *f = sm->profile;
	struct stall_row *row = row_of(sm, site);
	uint64_t conflicts = f->conflicts, same_word = f->same_word;

	if (in->unit == UNIT_TEXTURE)
		f->fetch_by = site;
	*(access->space == SPACE_SHARED ? &f->shared_by : &f->warp[w].memory) = site;
	f->conflicts = sm->s.l1tex__data_bank_conflicts_pipe_lsu;
	f->same_word = sm->banks.same_word_cycles;
	row->event[STALL_CONFLICTS] += f->conflicts - conflicts;
	row->event[STALL_SAME_WORD] += f->same_word - same_word;
	row->event[STALL_EXECUTED] -= access->more;
}

static inline void note_units(struct sm *sm, unsigned w, const struct instr *in, uint32_t site,
	const struct access *access)
{
	if (in->unit == UNIT_MEMORY || in->unit == UNIT_TEXTURE)
		note_access(sm, w, in, access, site);
	if (sm->slot[w].gate != GATE_FREE)
		note_pipe(sm, w, &sm->pipes.of[in->op_class], site);
}

/* Memory instructions and the arbiter count conflicts of registers themselves. Others read `met`
 * times in one bank: known here only where hardware manages registers (stalls_add_issued). */
static inline uint64_t met_registers(
	struct sm *sm, const struct instr *in, const struct access *access)
{
	struct sm_profile *f = sm->profile;
	uint64_t before = f->registers, more;
	unsigned met;

	f->registers = sm->arbiter.on ? sm->arbiter.register_cycles : sm->banks.register_cycles;
	more = f->registers - before;
	if (in->unit == UNIT_MEMORY || !f->registers_vary || sm->arbiter.on || access->more)
		return more;
	met = sm->banks.reads_met;
	return more + (met > 1 ? met - 1 : 0);
}

/* An instruction is executed when it is issued, except for parts and second ones, which have been
 * counted. */
void stalls_add_issued(struct sm *sm, const struct program *p, uint32_t first_site)
{
	struct stall_row *row = row_of(sm, first_site);

	for (uint32_t i = 0; i < p->ninstr; i++) {
		unsigned met = sm->profile->registers_vary ? 0 : p->levels->notes[i].met;

		row[i].event[STALL_EXECUTED] += row[i].stalled[REASON_SELECTED];
		if (met > 1 && p->code[i].unit != UNIT_MEMORY)
			row[i].event[STALL_REGISTERS] += (met - 1) * row[i].event[STALL_EXECUTED];
	}
}

_Static_assert(GATE_FREE == 0, "what needs a unit, memory and textures too, has another gate");

/* The results of most instructions are one or two words. */
#define FEW 2u

/* Apart, so that others need fewer registers of their callers. */
__attribute__((noinline)) static void note_varying(struct sm *sm, unsigned w,
	const struct instr *in, uint32_t site, const struct access *access)
{
	row_of(sm, site)->event[STALL_REGISTERS] += met_registers(sm, in, access);
	note_units(sm, w, in, site, access);
}

/* The same: arithmetic without units of its own has none of it. */
__attribute__((noinline)) static void note_rest(struct sm *sm, unsigned w, const struct instr *in,
	uint32_t site, const struct access *access)
{
	uint32_t *producer = sm->profile->warp[w].producer + SM_PREDS;
	uint64_t before;

	for (unsigned k = FEW; k < in->nresults; k++)
		producer[in->entries[k]] = site;
	if (sm->profile->registers_vary) {
		note_varying(sm, w, in, site, access);
		return;
	}
	before = sm->profile->registers;
	sm->profile->registers = sm->banks.register_cycles;
	row_of(sm, site)->event[STALL_REGISTERS] += sm->profile->registers - before;
	note_units(sm, w, in, site, access);
}

void stalls_note_issued(
	struct sm *sm, unsigned w, const struct instr *in, uint32_t pc, const struct access *access)
{
	struct sm_profile *f = sm->profile;
	struct stall_warp *warp = &f->warp[w];
	uint32_t site = warp->first + pc, *producer = warp->producer + SM_PREDS;
	struct stall_row *row = row_of(sm, site);
	uint64_t threads = f->threads;

	row->stalled[REASON_SELECTED]++;
	f->threads = sm->s.smsp__thread_inst_executed;
	row->event[STALL_THREADS] += f->threads - threads;
	warp->issued = site;
	if (in->nresults > 0)
		producer[in->entries[0]] = site;
	if (in->nresults > 1)
		producer[in->entries[1]] = site;
	if (sm->slot[w].gate | f->registers_vary | (in->nresults > FEW))
		note_rest(sm, w, in, site, access);
}

void stalls_note_second(struct sm *sm, unsigned w)
{
	struct stall_row *row = row_of(sm, sm->profile->warp[w].issued);

	row->stalled[REASON_SELECTED]--;
	row->event[STALL_EXECUTED]++;
}
