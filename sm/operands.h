/* From when an instruction that is issued has its operands: the banks of its registers, inline, as
 * the SM does it with each instruction. Private to sm/, after state.h. */
#ifndef SM_OPERANDS_H
#define SM_OPERANDS_H

#include "sm/state.h"

/* The cycles in which an instruction with that many passes leaves nothing to others. */
static inline unsigned held(const struct sm *sm, unsigned cycles)
{
	return sm->banks.price == CONFLICTS_DELAY ? 1 : cycles;
}

/* The instruction takes the issue slot for that number of cycles. */
static inline void hold_issue(struct sm *sm, unsigned w, uint64_t cycle, unsigned cycles)
{
	if (held(sm, cycles) > 1 && sm->p.conflicts_block_issue)
		sm->sched[sm->sched_of[w]].issue_free = cycle + cycles;
}

/* Instruction `pc` was executed; where hardware manages the registers, the executor has counted.
 */
static inline __attribute__((always_inline)) void count_registers(
	struct sm *sm, const struct warp *warp, uint32_t pc, uint64_t cycle)
{
	const struct program_levels *levels = warp->program->levels;
	const struct level_note *note = &levels->notes[pc];

	if (cycle >= sm->rf.window_end)
		registers_window(sm, cycle);
	sm->rf.traffic.strand_starts += note->strand != STRAND_INSIDE;
	if (levels->options.kind == LEVELS_HARDWARE) {
		sm->banks.reads = warp->mrf_banks;
		sm->banks.reads_met = bank_most(warp->mrf_banks);
		return;
	}
	sm->rf.packed.reads += note->counts.reads;
	sm->rf.packed.writes += note->counts.writes;
	sm->banks.reads = note->banks;
	sm->banks.reads_met = note->met;
}

/* Reads registers through the arbiter: the next instruction waits for it. */
static inline uint64_t read_registers(struct sm *sm, unsigned w, uint64_t cycle)
{
	uint64_t last = arbiter_registers(sm, w, cycle);

	if (last > cycle)
		sm->sched[sm->sched_of[w]].issue_free = last + 1;
	return last;
}

/* Memory instructions count the banks of their registers themselves. Returns the cycle from which
 * the instruction has its operands. */
static inline __attribute__((always_inline)) uint64_t meet_registers(
	struct sm *sm, unsigned w, const struct instr *in, uint64_t cycle)
{
	unsigned met = sm->banks.reads_met;

	if (in->unit != UNIT_MEMORY)
		sm->banks.met[met]++;
	if (sm->arbiter.on)
		return read_registers(sm, w, cycle);
	if (in->unit == UNIT_MEMORY)
		return cycle;
	if (met < 2 || !conflicts_of_all(sm))
		return cycle;
	hold_issue(sm, w, cycle, met);
	return cycle + met - 1;
}

/* The same of an instruction executed at `pc`, whose registers are read with its last part. */
static inline __attribute__((always_inline)) uint64_t operands_at(struct sm *sm, unsigned w,
	const struct instr *in, const struct access *a, uint32_t pc, uint64_t cycle)
{
	if (a->more)
		return cycle;
	count_registers(sm, &sm->slot[w].warp, pc, cycle);
	return meet_registers(sm, w, in, cycle);
}

#endif
