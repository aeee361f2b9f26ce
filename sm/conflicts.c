/* Bank conflicts among the accesses of one warp instruction, and their cost: the accesses to the
 * busiest bank minus one, in cycles at issue (Gebhart et al., MICRO 2012, sections 4.2 and 4.3).
 * Conflicts between instructions are not counted here. */
#include "sm/state.h"

/* Banks of another width than the storage design's, and of two words 32 apart. */
static void check_banks(const struct sm *sm, struct err *err)
{
	uint64_t bank = sm->p.shared_bank_bytes, mode = sm->p.shared_bank_mode;

	if (bank && bank != 4 && bank != 8)
		err_add(err, ERR_INPUT, "sm.shared_bank_bytes = %llu: must be 0, 4 or 8",
			(unsigned long long)bank);
	else if (bank && sm->c.banks.unified)
		err_add(err, ERR_INPUT,
			"sm.shared_bank_bytes = %llu: the unified storage has banks of %u bytes; must "
			"be 0",
			(unsigned long long)bank, sm->c.banks.bank_bytes);
	if (mode != 4 && mode != 8)
		err_add(err, ERR_INPUT, "sm.shared_bank_mode = %llu: must be 4 or 8",
			(unsigned long long)mode);
	else if (mode == 4 && bank != 8)
		err_add(err, ERR_INPUT,
			"sm.shared_bank_mode = 4: only banks of 8 bytes have modes; "
			"sm.shared_bank_bytes is %llu, must be 8",
			(unsigned long long)bank);
}

void conflicts_init(struct sm *sm, struct err *err)
{
	uint64_t bank = sm->p.shared_bank_bytes;
	const uint64_t own[WIDTHS] = {0, sm->p.shared_cycles_64, sm->p.shared_cycles_128};

	for (unsigned i = 0; i < WIDTHS; i++)
		sm->shared_cycles[i] = (uint16_t)(own[i] ? own[i] : sm->p.shared_cycles);
	check_banks(sm, err);
	if (sm->p.shared_bank_cycles > 1 && sm->c.banks.unified)
		err_add(err, ERR_INPUT,
			"sm.shared_bank_cycles = %llu: registers are in the unified storage's "
			"banks, too; must be 1",
			(unsigned long long)sm->p.shared_bank_cycles);
	sm->shared_banks = sm->c.banks;
	if (bank == 4 || bank == 8)
		sm->shared_banks.bank_bytes = (unsigned)bank;
	sm->shared_word_shift =
		(uint8_t)(low_bit(sm->shared_banks.bank_bytes) - low_bit(sm->c.banks.bank_bytes));
	sm->shared_banks.paired = sm->p.shared_bank_mode == 4;
	sm->shared_banks.merges = sm->p.shared_merges;
	sm->banks.price = (enum conflict_price)sm->p.bank_conflicts;
}

bool conflicts_of_all(const struct sm *sm)
{
	return sm->banks.price == CONFLICTS_OF_ALL || sm->banks.price == CONFLICTS_DELAY;
}

/* A memory instruction whose `passes` over the banks of memory, reads of registers, and both in the
 * same banks (`most`) are what it takes. Returns the largest that costs something. */
static inline unsigned charge(struct sm *sm, const struct access *a, unsigned passes, unsigned most)
{
	struct sm_banks *b = &sm->banks;
	unsigned registers = a->more ? 0 : b->reads_met;
	unsigned apart = registers > passes ? registers : passes;
	unsigned all = most > apart ? most : apart;

	b->register_cycles += apart - passes;
	b->s.bank__conflicts_arbitration += all - apart;
	if (!a->more)
		b->met_with_memory[most > registers ? most : registers]++;
	if (b->price == CONFLICTS_FREE)
		return 1;
	return conflicts_of_all(sm) ? all : passes;
}

/* Banks that take several cycles for a pass: never the unified design's. */
static unsigned slow_banks(struct sm *sm, const struct access *a, unsigned passes, bool atomic)
{
	unsigned each = (unsigned)sm->p.shared_bank_cycles;
	unsigned cycles = atomic ? passes : passes * each;

	cycles = charge(sm, a, cycles, cycles);
	return cycles > each ? cycles : each;
}

unsigned conflicts_beats(const struct sm *sm, uint64_t words)
{
	uint64_t bytes = words * sm->c.banks.bank_bytes;

	return sm->p.memory_bytes ? (unsigned)div_up(bytes, sm->p.memory_bytes) : 1;
}

/* The passes beyond those that the access's width needs take sm.shared_pass_cycles each, of which
 * one is the pass itself. */
static unsigned late(const struct sm *sm, const struct access *a, unsigned passes)
{
	unsigned least = bank_least_passes(a, &sm->shared_banks);
	double more = sm->p.shared_pass_cycles - (double)sm->p.shared_bank_cycles;

	return passes > least && more > 0 ? (unsigned)((passes - least) * more + 0.5) : 0;
}

static unsigned atomic_cycles(struct sm *sm, const struct access *a, unsigned passes)
{
	unsigned n = sm->ideal.p.shared_atomics
			     ? passes
			     : contention_of_shared(a, &sm->shared_banks, passes);
	unsigned each = (unsigned)sm->p.shared_atomic_cycles;
	unsigned first = (unsigned)sm->p.shared_atomic_first_cycles;

	sm->banks.same_word_cycles += (uint64_t)(n - passes) * each;
	return first ? first + (n - 1) * each : n * each;
}

unsigned conflicts_shared(struct sm *sm, unsigned w, const struct access *a)
{
	bool writes = a->action != ACT_LOAD, both = a->action == ACT_ATOM || a->action == ACT_RED;
	bool meets =
		sm->c.banks.unified && !a->more && (a->action != ACT_STORE || sm->c.banks.one_port);
	struct bank_use use =
		bank_use(a, &sm->shared_banks, meets ? bank_rotated(sm->banks.reads, w) : 0);

	use.words <<= sm->shared_word_shift;
	sm->banks.beats = conflicts_beats(sm, use.words);
	sm->banks.late = 0;
	if (a->action != ACT_STORE)
		sm->banks.s.bank__words_shared_read += use.words;
	if (writes)
		sm->banks.s.bank__words_shared_write += use.words;
	if (a->bytes > 8 && sm->p.shared_more_128)
		use.passes +=
			(unsigned)sm->p.shared_more_128 * bank_least_passes(a, &sm->shared_banks);
	if (both)
		use.passes = atomic_cycles(sm, a, use.passes);
	else if (sm->p.shared_pass_cycles > 1 && sm->banks.price != CONFLICTS_FREE)
		sm->banks.late = late(sm, a, use.passes);
	sm->s.l1tex__data_bank_conflicts_pipe_lsu += use.passes - 1;
	if (sm->p.shared_bank_cycles > 1)
		return slow_banks(sm, a, use.passes, both);
	return charge(sm, a, use.passes, use.most);
}

/* A line takes a row of one bank of every cluster; lines come one after the other, so that they
 * conflict with registers only. */
unsigned conflicts_lines(
	struct sm *sm, unsigned w, const struct access *a, const struct lsu_entry *e)
{
	uint16_t reads = bank_rotated(sm->banks.reads, w);
	unsigned most = 1;

	if (sm->c.banks.unified && sm->l1.bytes && !a->more &&
		(a->action == ACT_LOAD || (a->action == ACT_STORE && sm->c.banks.one_port)))
		for (unsigned i = 0; i < e->n; i++) {
			unsigned bank = e->lines[i].line / LINE_BYTES % BANK_REGISTERS;
			unsigned n = 1 + bank_reads(reads, bank);

			most = n > most ? n : most;
		}
	return charge(sm, a, 1, most);
}

unsigned conflicts_none(struct sm *sm, const struct access *a)
{
	return charge(sm, a, 1, 1);
}

/* Words of a line that an access touches, or of its granules. */
uint64_t conflicts_words(const struct sm *sm, const struct line_access *l)
{
	unsigned bytes = sm->c.banks.bank_bytes;

	if (bytes < GRANULE_BYTES)
		return div_up(l->bytes, bytes);
	return count_bits(l->granules);
}

uint64_t conflicts_words_filled(const struct sm *sm, uint8_t granules)
{
	return count_bits(granules) * GRANULE_BYTES / sm->c.banks.bank_bytes;
}

#define STEP 16u

/* More accesses than any instruction met in a bank. Power over time asks for it often. */
static unsigned above_all(const struct sm_banks *b)
{
	unsigned most = CONFLICT_MOST;

	_Static_assert(CONFLICT_MOST % STEP == 0, "whole steps");
	for (uint64_t any = 0; most; most -= STEP) {
		for (unsigned i = most - STEP; i < most; i++)
			any |= b->met[i] | b->met_with_memory[i];
		if (any)
			break;
	}
	return most;
}

void conflicts_close(struct sm *sm)
{
	struct sm_banks *b = &sm->banks;
	uint64_t bins[CONFLICT_BINS] = {0};
	unsigned end = above_all(b);

	b->s.bank__conflicts_register = b->register_cycles;
	for (unsigned most = 0; most < end; most++) {
		unsigned bin = most < 1 ? 0 : most - 1;

		bins[bin < CONFLICT_BINS ? bin : CONFLICT_BINS - 1] +=
			b->met[most] + b->met_with_memory[most];
		b->s.bank__conflicts_register += b->met[most] * (most < 1 ? 0 : most - 1);
	}
	b->s.bank__inst_most_1 = bins[0];
	b->s.bank__inst_most_2 = bins[1];
	b->s.bank__inst_most_3 = bins[2];
	b->s.bank__inst_most_4 = bins[3];
	b->s.bank__inst_most_more = bins[4];
	if (b->price != CONFLICTS_BY_CYCLE)
		return;
	b->s.bank__conflicts_register = sm->arbiter.register_cycles;
	b->s.bank__conflicts_arbitration = sm->arbiter.slips;
}
