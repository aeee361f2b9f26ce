/* The register file hierarchy of a compiled program: its options, strands, operand levels, and the
 * accesses of one execution of each instruction at each level. */
#include "ptx/levels/private.h"

#include <string.h>

/* Parameters as the configuration has them; struct levels_options is their meaning. */
#define LEVELS_PARAMS(P, T) \
	P(T, CHOICE, hierarchy, LEVELS_SOFTWARE, 0, 0, "none|software|hardware", \
		"Register file hierarchy: none, software (allocated by the compiler) or " \
		"hardware (a cache).") \
	P(T, UINT, entries, 4, 0, LEVELS_MAX_RFC, "entries", \
		"Entries per thread of the operand register file (software, at most 8) or of the " \
		"register file cache (hardware).") \
	P(T, UINT, lrf, 1, 0, LEVELS_SLOTS, "entries", \
		"Last result files per thread: 0, 1, or 3, one for each operand slot (software " \
		"only).") \
	P(T, BOOL, partial_ranges, true, 0, 1, "", \
		"Software: a value that cannot be kept until its last read is kept for its first " \
		"reads.") \
	P(T, BOOL, read_operands, true, 0, 1, "", \
		"Software: a value that a strand reads several times is kept after its first " \
		"read.") \
	P(T, BOOL, forward_branches, true, 0, 1, "", \
		"Software: values are kept across forward branches of a strand.") \
	P(T, BOOL, one_level_writes, false, 0, 1, "", \
		"Software: a result is written to one level only.") \
	P(T, BOOL, lrf_dual_only, false, 0, 1, "", \
		"Software: only results in a last result file may also be written to the main " \
		"registers.") \
	P(T, BOOL, keep_past_branches, false, 0, 1, "", \
		"Limit study: backward branches do not end a strand.") \
	P(T, BOOL, keep_past_waits, false, 0, 1, "", \
		"Limit study: a descheduled warp keeps its entries; long latencies, barriers and " \
		"fences do not end a strand.") \
	P(T, BOOL, oracle_entries, false, 0, 1, "", \
		"Limit study, software: each strand has the best number of entries for it, 1 to " \
		"8.") \
	P(T, BOOL, any_slot, false, 0, 1, "", \
		"Limit study, software: any operand may read any of several last result files.") \
	P(T, UINT, price_entries, 0, 0, LEVELS_MAX_ORF, "entries", \
		"Limit study: the energy of an access is that of a file with this many entries (0 = " \
		"rf.entries).") \
	P(T, BOOL, lru, false, 0, 1, "", "Hardware: replacement is LRU, else FIFO.") \
	P(T, BOOL, reads_allocate, false, 0, 1, "", "Hardware: reads allocate entries, too.") \
	P(T, BOOL, liveness, true, 0, 1, "", \
		"Hardware: last reads are marked; dead values are not written back.") \
	P(T, BOOL, bypass, true, 0, 1, "", \
		"Hardware: long-latency results are written to the main registers only.") \
	P(T, BOOL, flush, true, 0, 1, "", \
		"Hardware: a descheduled warp writes its entries back, else every warp has its own.")

struct levels_settings {
	struct {
		LEVELS_PARAMS(PARAM_FIELD, levels_settings)
	} p;
};

static const struct param_def levels_params[] = {LEVELS_PARAMS(PARAM_ROW, levels_settings)};

const struct param_table levels_param_table = {"rf", levels_params, ARRAY_LEN(levels_params)};

/* ---- options. */

/* The first inconsistent option, as a sentence; NULL: none. */
static const char *contradiction(const struct levels_options *o)
{
	if (o->lrf == 2)
		return "rf.lrf: 2 last result files are not supported; use 0, 1, or 3 (one for each "
		       "operand slot)";
	if (o->kind == LEVELS_NONE)
		return NULL;
	if (o->kind == LEVELS_HARDWARE) {
		if (o->entries == 0)
			return "rf.entries: a register file cache (rf.hierarchy=hardware) needs 1 to "
			       "13 entries, not 0";
		if (o->lrf > 1)
			return "rf.lrf: a hardware-managed hierarchy has no operand slots; with "
			       "rf.hierarchy=hardware use 0 or 1";
		return o->oracle_entries
			       ? "rf.oracle_entries: only rf.hierarchy=software can choose "
				 "the entries of each strand"
			       : NULL;
	}
	if (o->entries > LEVELS_MAX_ORF)
		return "rf.entries: an operand register file (rf.hierarchy=software) has at most 8 "
		       "entries";
	if (o->entries == 0 && o->lrf == 0 && !o->oracle_entries)
		return "rf.entries: rf.hierarchy=software without entries and without rf.lrf has no "
		       "upper level; use rf.hierarchy=none";
	if (o->one_level_writes && o->lrf_dual_only)
		return "rf.one_level_writes: no result is written to two levels, so "
		       "rf.lrf_dual_only has no effect; set only one of them";
	if (o->lrf_dual_only && o->lrf == 0)
		return "rf.lrf_dual_only: there is no last result file; set rf.lrf=1 or 3";
	if (o->any_slot && o->lrf < LEVELS_SLOTS)
		return "rf.any_slot: only rf.lrf=3 has a last result file for each operand slot";
	if (o->oracle_entries && o->price_entries)
		return "rf.oracle_entries: with rf.price_entries all sizes cost the same; set only one "
		       "of them";
	return NULL;
}

void levels_read(struct levels_options *o, struct config *config, struct err *err)
{
	struct levels_settings s;
	const char *why;

	memset(&s, 0, sizeof(s));
	config_load(config, "rf", levels_params, ARRAY_LEN(levels_params), &s, err);
	o->kind = (enum levels_kind)s.p.hierarchy;
	o->entries = (unsigned)s.p.entries;
	o->lrf = (unsigned)s.p.lrf;
	o->partial_ranges = s.p.partial_ranges;
	o->read_operands = s.p.read_operands;
	o->forward_branches = s.p.forward_branches;
	o->one_level_writes = s.p.one_level_writes;
	o->lrf_dual_only = s.p.lrf_dual_only;
	o->keep_past_branches = s.p.keep_past_branches;
	o->keep_past_waits = s.p.keep_past_waits;
	o->oracle_entries = s.p.oracle_entries;
	o->any_slot = s.p.any_slot;
	o->price_entries = (unsigned)s.p.price_entries;
	o->lru = s.p.lru;
	o->reads_allocate = s.p.reads_allocate;
	o->liveness = s.p.liveness;
	o->bypass = s.p.bypass;
	o->flush = s.p.flush;
	why = contradiction(o);
	if (why)
		err_add(err, ERR_INPUT, "%s", why);
}

/* ---- accesses of one execution. */

static unsigned count_of(const struct program *p, uint32_t plane, bool shared)
{
	switch (level_of(p, plane)) {
	case LEVEL_ORF:
		return shared ? COUNT_ORF_SHARED : COUNT_ORF;
	case LEVEL_LRF:
		return COUNT_LRF;
	default:
		return COUNT_MRF;
	}
}

static uint64_t count_operand(const struct program *p, const struct operand *o, bool shared)
{
	return o->kind == OPND_REG ? (uint64_t)o->words << count_of(p, o->index, shared) : 0;
}

/* Sources that name the same register read it once. */
static void count_banks(const struct program *p, struct level_note *note, const struct instr *in)
{
	uint64_t seen[4] = {0}; /* at most 255 registers */

	for (unsigned s = 0; s < in->nsrc; s++)
		for (uint32_t r = in->src[s].index, k = 0;
			in->src[s].kind == OPND_REG && k < in->src[s].words; k++, r++) {
			if (level_of(p, r) != LEVEL_MRF || seen[r / 64] >> r % 64 & 1)
				continue;
			seen[r / 64] |= UINT64_C(1) << r % 64;
			note->banks = level_bank_read(note->banks, r);
		}
	for (unsigned b = 0; b < LEVEL_BANKS; b++)
		if ((note->banks >> 4 * b & 15) > note->met)
			note->met = note->banks >> 4 * b & 15;
}

/* Of a copy only the write counts: the value is read, or produced, by the instruction itself. */
static void count_accesses(const struct program *p, struct level_note *note, uint32_t i)
{
	const struct instr *in = &p->code[i];
	const struct level_copy *copies = p->levels->copies + note->copies;

	for (unsigned s = 0; s < in->nsrc; s++)
		note->counts.reads += count_operand(p, &in->src[s], note->shared);
	for (unsigned d = 0; d < in->ndst; d++)
		note->counts.writes += count_operand(p, &in->dst[d], note->shared);
	for (unsigned k = 0; k < note->ncopies; k++)
		note->counts.writes += UINT64_C(1) << count_of(p, copies[k].to, note->shared);
}

static uint16_t upper_planes(const struct program *p, const struct operand *o)
{
	uint32_t words = o->kind == OPND_REG && o->index >= p->regs ? o->words : 0;

	return words ? (uint16_t)(((1u << words) - 1) << (o->index - p->regs)) : 0;
}

/* The upper planes that the instruction uses, software-managed, and those that it copies to. */
static uint16_t used_planes(const struct program *p, const struct level_note *note, uint32_t i)
{
	const struct level_copy *copies = p->levels->copies + note->copies;
	const struct instr *in = &p->code[i];
	uint16_t used = 0;

	for (unsigned s = 0; s < in->nsrc; s++)
		used |= upper_planes(p, &in->src[s]);
	for (unsigned d = 0; d < in->ndst; d++)
		used |= upper_planes(p, &in->dst[d]);
	for (unsigned k = 0; k < note->ncopies; k++)
		used |= copies[k].to >= p->regs ? (uint16_t)(1u << (copies[k].to - p->regs)) : 0;
	return used;
}

/* ---- building. */

/* What each strand uses, into the notes of its instructions. */
static void note_upper(struct levels_work *w)
{
	uint16_t *used = arena_alloc(w->work, w->strands.n + 1, sizeof(*used));

	for (uint32_t i = 0; i < w->p->ninstr; i++)
		used[w->strands.strand[i]] |= used_planes(w->p, &w->notes[i], i);
	for (uint32_t i = 0; i < w->p->ninstr; i++)
		w->notes[i].upper = used[w->strands.strand[i]];
}

static void list_copies(struct levels_work *w, struct program_levels *levels, struct arena *arena)
{
	struct level_copy *copies = arena_alloc(arena, w->ncopies + 1, sizeof(*copies));
	uint32_t n = 0;

	for (uint32_t i = 0; i < w->p->ninstr; i++) {
		w->notes[i].copies = n;
		n += w->notes[i].ncopies;
		w->notes[i].ncopies = 0;
	}
	for (uint32_t k = 0; k < w->ncopies; k++) {
		struct level_note *note = &w->notes[w->copies[k].instr];

		copies[note->copies + note->ncopies++] = w->copies[k].copy;
	}
	levels->copies = copies;
	levels->ncopies = n;
}

/* The instructions of every strand in program order, strand by strand; those of strand k start at
 * first[k]. */
static uint32_t *list_strands(const struct levels_work *w, uint32_t *first)
{
	const struct strands *s = &w->strands;
	uint32_t *order = arena_alloc(w->work, w->p->ninstr + 1, sizeof(*order));

	for (uint32_t i = 0; i < w->p->ninstr; i++)
		first[s->strand[i] + 1]++;
	for (uint32_t k = 0; k < s->n; k++)
		first[k + 1] += first[k];
	for (uint32_t i = 0; i < w->p->ninstr; i++)
		order[first[s->strand[i]]++] = i;
	memmove(first + 1, first, s->n * sizeof(*first));
	first[0] = 0;
	return order;
}

static void place_operands(struct levels_work *w)
{
	uint32_t *first = arena_alloc(w->work, w->strands.n + 2, sizeof(*first));
	const uint32_t *order = list_strands(w, first);
	struct values values = values_new(w);
	struct placement *placement = placement_new(w);

	for (uint32_t k = 0; k < w->strands.n; k++) {
		unsigned entries;

		values_find(&values, order + first[k], first[k + 1] - first[k]);
		entries = placement_choose(placement, &values);
		for (uint32_t i = first[k]; i < first[k + 1]; i++)
			w->notes[order[i]].entries = (uint8_t)entries;
	}
}

static void start_notes(struct levels_work *w)
{
	for (uint32_t i = 0; i < w->p->ninstr; i++)
		w->notes[i] = (struct level_note){.strand = w->strands.mark[i],
			.shared = unit_is_shared(w->code[i].unit),
			.entries = (uint8_t)w->options->entries};
}

static void set_planes(struct program *p, struct program_levels *levels)
{
	const struct levels_options *o = &levels->options;

	if (o->kind == LEVELS_NONE)
		return;
	levels->upper = o->oracle_entries ? LEVELS_MAX_ORF : o->entries;
	levels->lrf = o->lrf;
	p->planes = p->regs + levels->upper + levels->lrf;
	if (o->kind == LEVELS_HARDWARE)
		p->planes += LEVELS_RFC_PLANES;
}

void levels_build(struct program *p, struct instr *code, const struct levels_options *options,
	struct arena *arena, struct arena *work)
{
	struct program_levels *levels = arena_alloc(arena, 1, sizeof(*levels));
	struct levels_work w = {.p = p, .code = code, .options = &levels->options, .work = work};

	levels->options = *options;
	w.notes = arena_alloc(arena, p->ninstr, sizeof(*w.notes));
	strands_mark(&w.strands, p, code, &levels->options, work);
	start_notes(&w);
	levels_liveness(&w);
	if (options->kind == LEVELS_SOFTWARE)
		place_operands(&w);
	levels->notes = w.notes;
	levels->strands = w.strands.n;
	list_copies(&w, levels, arena);
	p->levels = levels;
	set_planes(p, levels);
	if (options->kind == LEVELS_SOFTWARE)
		note_upper(&w);
	for (uint32_t i = 0; i < p->ninstr; i++) {
		count_accesses(p, &w.notes[i], i);
		count_banks(p, &w.notes[i], &p->code[i]);
		w.notes[i].plain = options->kind != LEVELS_HARDWARE &&
				   w.notes[i].strand == STRAND_INSIDE && !w.notes[i].ncopies;
	}
}
