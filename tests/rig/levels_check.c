/* Follows all paths of a lane through an allocated program and tracks, for each register, where its
 * value is; independent of the allocator. */
#include "tests/rig/levels_check.h"

#include "core/base.h"

#include <string.h>

#define REGS 256u
#define UPPER (LEVELS_MAX_ORF + LEVELS_SLOTS)

/* What is known of a lane before an instruction. */
struct state {
	bool reached, current[REGS]; /* the MRF's register has the current value */
	uint16_t holds[UPPER];       /* the register whose current value is there, plus one */
};

struct check {
	const struct program *plain, *placed;
	struct state *at;
	bool *entry; /* by instruction: a function starts */
	bool *lost;  /* by instruction: the upper levels may have been lost before it */
	uint32_t *queue, head, tail;
	bool *queued;
	uint32_t *stack, *stamp, now; /* for regions */
	struct text *wrong;
};

struct levels_options levels_best(void)
{
	static const double read[] = {0, 0.7, 1.2, 1.2, 1.9, 2.0, 2.0, 2.4, 3.4};
	static const double write[] = {0, 2.0, 3.8, 4.4, 6.1, 6.0, 6.7, 7.7, 10.9};
	const double wire = 4 * 1.9;
	struct levels_options o = {.kind = LEVELS_SOFTWARE,
		.entries = 3,
		.lrf = 3,
		.energy = {.mrf_read = 8 + wire,
			.mrf_write = 11 + wire,
			.lrf_read = 0.7 + 0.05 * wire,
			.lrf_write = 2 + 0.05 * wire},
		.partial_ranges = true,
		.read_operands = true,
		.forward_branches = true};

	for (unsigned n = 1; n <= LEVELS_MAX_ORF; n++)
		for (unsigned shared = 0; shared < 2; shared++) {
			o.energy.orf_read[n][shared] = read[n] + (shared ? 0.4 : 0.2) * wire;
			o.energy.orf_write[n][shared] = write[n] + (shared ? 0.4 : 0.2) * wire;
		}
	return o;
}

static void complain(struct check *c, uint32_t i, const char *what, uint32_t which)
{
	if (c->wrong->len < 2000)
		text_raw(c->wrong, "%s instruction %u (line %u): %s %u\n", c->placed->name, i,
			c->placed->lines[c->placed->code[i].line].ptx_line, what, which);
}

/* ---- where lanes may lose their upper levels. */

static bool leaves(const struct instr *in)
{
	return in->guard == NO_GUARD &&
	       (in->action == ACT_EXIT || in->action == ACT_TRAP || in->action == ACT_RET);
}

typedef void edge_fn(struct check *, uint32_t to);

/* The successors of instruction i; calls return. */
static void each_next(struct check *c, uint32_t i, edge_fn *go)
{
	const struct instr *in = &c->plain->code[i];

	if (in->action == ACT_BRANCH && in->nsrc)
		for (int64_t t = 0; t < in->offset; t++)
			go(c, c->plain->targets[in->target + t]);
	else if (in->action == ACT_BRANCH)
		go(c, in->target);
	if (!leaves(in) && (in->action != ACT_BRANCH || in->guard != NO_GUARD))
		go(c, i + 1);
}

static void push(struct check *c, uint32_t to)
{
	if (to >= c->plain->ninstr || c->stamp[to] == c->now)
		return;
	c->stamp[to] = c->now;
	c->stack[++c->stack[0]] = to;
}

static bool steps_aside(const struct check *c, uint32_t i)
{
	const struct instr *in = &c->placed->code[i];

	return c->placed->levels->notes[i].strand == STRAND_WAITS || in->unit == UNIT_BARRIER ||
	       in->unit == UNIT_FENCE || in->action == ACT_CALL;
}

/* Whether a lane may be descheduled between the branch and its reconvergence point. */
static bool region_loses(struct check *c, uint32_t branch)
{
	const struct instr *in = &c->plain->code[branch];

	c->now++;
	c->stack[0] = 0;
	if (in->reconv != NO_RECONV)
		c->stamp[in->reconv] = c->now;
	each_next(c, branch, push);
	while (c->stack[0]) {
		uint32_t at = c->stack[c->stack[0]--];

		if (steps_aside(c, at))
			return true;
		each_next(c, at, push);
	}
	return false;
}

static void lose(struct check *c, uint32_t to)
{
	if (to < c->plain->ninstr)
		c->lost[to] = true;
}

static void find_losses(struct check *c)
{
	bool keeps = c->placed->levels->options.keep_past_waits;

	for (uint32_t i = 0; i < c->plain->ninstr; i++) {
		const struct instr *in = &c->plain->code[i];

		if (in->action == ACT_CALL ||
			(!keeps && (in->unit == UNIT_BARRIER || in->unit == UNIT_FENCE)))
			lose(c, i + 1);
		if (in->action == ACT_CALL)
			c->entry[in->target] = true;
		if (c->placed->levels->notes[i].strand != STRAND_INSIDE)
			c->lost[i] = true;
		if (keeps || in->action != ACT_BRANCH || (in->guard == NO_GUARD && !in->nsrc) ||
			!region_loses(c, i))
			continue;
		each_next(c, i, lose);
		if (in->reconv != NO_RECONV)
			c->lost[in->reconv] = true;
	}
}

/* ---- one instruction. */

static bool is_upper(const struct check *c, uint32_t plane)
{
	return plane >= c->placed->regs;
}

static void read_word(struct check *c, struct state *s, uint32_t i, uint32_t reg, uint32_t plane)
{
	if (is_upper(c, plane)) {
		if (!(c->placed->levels->notes[i].upper >> (plane - c->placed->regs) & 1))
			complain(c, i, "its strand does not begin without a value in plane", plane);
		if (s->holds[plane - c->placed->regs] != reg + 1)
			complain(c, i, "an upper level lacks the value of register", reg);
	} else if (plane != reg) {
		complain(c, i, "it reads another register instead of", reg);
	} else if (!s->current[reg]) {
		complain(c, i, "the MRF lacks the value of register", reg);
	}
}

static void run_sources(struct check *c, struct state *s, uint32_t i)
{
	const struct instr *old = &c->plain->code[i], *new = &c->placed->code[i];

	for (unsigned k = 0; k < old->nsrc; k++) {
		if (old->src[k].kind != new->src[k].kind || old->src[k].words != new->src[k].words)
			complain(c, i, "changed kind of source", k);
		for (uint32_t w = 0; old->src[k].kind == OPND_REG && w < old->src[k].words; w++)
			read_word(c, s, i, old->src[k].index + w, new->src[k].index + w);
	}
}

static void run_copies(struct check *c, struct state *s, uint32_t i, bool deposits)
{
	const struct program_levels *l = c->placed->levels;
	const struct level_copy *copy = l->copies + l->notes[i].copies;
	uint32_t regs = c->placed->regs;

	for (unsigned k = 0; k < l->notes[i].ncopies; k++, copy++) {
		if (copy->deposit != deposits)
			continue;
		if (is_upper(c, copy->from) == is_upper(c, copy->to) ||
			copy->deposit != is_upper(c, copy->to))
			complain(c, i, "wrong levels of copy", k);
		else if (deposits)
			s->holds[copy->to - regs] =
				(uint16_t)(s->current[copy->from] ? copy->from + 1 : 0);
		else
			s->current[copy->to] = s->holds[copy->from - regs] == copy->to + 1;
	}
}

static void run_results(struct check *c, struct state *s, uint32_t i)
{
	const struct instr *old = &c->plain->code[i], *new = &c->placed->code[i];

	for (unsigned k = 0; k < old->ndst; k++)
		for (uint32_t w = 0; old->dst[k].kind == OPND_REG && w < old->dst[k].words; w++) {
			uint32_t reg = old->dst[k].index + w, plane = new->dst[k].index + w;

			for (unsigned e = 0; e < UPPER; e++)
				if (s->holds[e] == reg + 1)
					s->holds[e] = 0;
			s->current[reg] = !is_upper(c, plane);
			if (is_upper(c, plane))
				s->holds[plane - c->placed->regs] = (uint16_t)(reg + 1);
			else if (plane != reg)
				complain(c, i, "it writes another register instead of", reg);
		}
	run_copies(c, s, i, false);
}

static void meet(struct state *to, const struct state *from)
{
	for (unsigned r = 0; r < REGS; r++)
		to->current[r] &= from->current[r];
	for (unsigned e = 0; e < UPPER; e++)
		to->holds[e] = to->holds[e] == from->holds[e] ? to->holds[e] : 0;
}

/* The guard may be false in the lane. */
static void run(struct check *c, struct state *s, uint32_t i)
{
	struct state not_taken;

	if (c->lost[i])
		memset(s->holds, 0, sizeof(s->holds));
	run_sources(c, s, i);
	run_copies(c, s, i, true);
	not_taken = *s;
	run_results(c, s, i);
	if (c->plain->code[i].guard != NO_GUARD)
		meet(s, &not_taken);
}

/* ---- all paths. */

static void arrive(struct check *c, const struct state *s, uint32_t to)
{
	struct state before;

	if (to >= c->plain->ninstr)
		return;
	before = c->at[to];
	if (c->at[to].reached)
		meet(&c->at[to], s);
	else
		c->at[to] = *s;
	if (!memcmp(&before, &c->at[to], sizeof(before)) || c->queued[to])
		return;
	c->queued[to] = true;
	c->queue[c->tail] = to;
	c->tail = (c->tail + 1) % (c->plain->ninstr + 1);
}

/* Functions are contiguous: a ret returns to the calls of the function that contains it. */
static void arrive_at_call(struct check *c, uint32_t call)
{
	const struct instr *code = c->plain->code;

	for (uint32_t i = code[call].target; i < c->plain->ninstr; i++) {
		struct state back = c->at[i];

		if (i > code[call].target && c->entry[i])
			return;
		if (code[i].action != ACT_RET || !back.reached)
			continue;
		memset(back.holds, 0, sizeof(back.holds));
		arrive(c, &back, call + 1);
	}
}

static void go_on(struct check *c, const struct state *s, uint32_t i)
{
	const struct instr *in = &c->plain->code[i];

	if (in->action == ACT_BRANCH && in->nsrc)
		for (int64_t t = 0; t < in->offset; t++)
			arrive(c, s, c->plain->targets[in->target + t]);
	else if (in->action == ACT_BRANCH || in->action == ACT_CALL)
		arrive(c, s, in->target);
	if (in->action == ACT_CALL)
		arrive_at_call(c, i);
	if (in->action == ACT_RET)
		for (uint32_t k = 0; k < c->plain->ninstr; k++)
			if (c->plain->code[k].action == ACT_CALL)
				arrive_at_call(c, k);
	if (!leaves(in) &&
		((in->action != ACT_BRANCH && in->action != ACT_CALL) || in->guard != NO_GUARD))
		arrive(c, s, i + 1);
}

/* ---- rules that are independent of the values. */

static bool is_late(const struct instr *in)
{
	bool near =
		in->space == SPACE_SHARED || in->space == SPACE_PARAM || in->space == SPACE_CONST;

	return in->action == ACT_TEXTURE || in->action == ACT_SURFACE ||
	       ((in->action == ACT_LOAD || in->action == ACT_ATOM) && !near);
}

static void check_operand(struct check *c, uint32_t i, const struct operand *o, unsigned slot)
{
	const struct program_levels *l = c->placed->levels;
	const struct instr *in = &c->placed->code[i];
	enum level level;

	if (o->kind != OPND_REG)
		return;
	level = level_of(c->placed, o->index);
	if (o->index + o->words > c->placed->regs + l->upper + l->lrf ||
		level_of(c->placed, o->index + o->words - 1u) != level)
		complain(c, i, "an operand crosses levels, from plane", o->index);
	if (level == LEVEL_LRF && (in->unit != UNIT_ALU || o->words != 1))
		complain(c, i, "not for the LRF: operand", slot);
	if (level == LEVEL_LRF && l->lrf == LEVELS_SLOTS && !l->options.any_slot &&
		slot < INSTR_SRCS && o->index != c->placed->regs + l->upper + slot)
		complain(c, i, "the LRF of another slot in operand", slot);
}

static void check_rules(struct check *c, uint32_t i)
{
	const struct program_levels *l = c->placed->levels;
	const struct instr *in = &c->placed->code[i];
	const struct level_copy *copy = l->copies + l->notes[i].copies;

	for (unsigned s = 0; s < in->nsrc; s++)
		check_operand(c, i, &in->src[s], s);
	for (unsigned d = 0; d < in->ndst; d++) {
		check_operand(c, i, &in->dst[d], INSTR_SRCS);
		if (in->dst[d].kind == OPND_REG && is_late(in) && is_upper(c, in->dst[d].index))
			complain(c, i, "a late result goes to plane", in->dst[d].index);
	}
	for (unsigned k = 0; k < l->notes[i].ncopies; k++, copy++)
		if (!copy->deposit &&
			(l->options.one_level_writes ||
				(l->options.lrf_dual_only &&
					level_of(c->placed, copy->from) != LEVEL_LRF)))
			complain(c, i, "two levels are not allowed for register", copy->to);
}

void levels_check(const struct program *plain, const struct program *placed, struct text *wrong)
{
	uint32_t n = plain->ninstr;
	struct check c = {.plain = plain, .placed = placed, .wrong = wrong};

	BUG_ON(n != placed->ninstr || plain->regs != placed->regs || plain->regs > REGS);
	c.at = mem_alloc(n + 1, sizeof(*c.at));
	c.entry = mem_alloc(n + 1, sizeof(*c.entry));
	c.lost = mem_alloc(n + 1, sizeof(*c.lost));
	c.queue = mem_alloc(n + 1, sizeof(*c.queue));
	c.queued = mem_alloc(n + 1, sizeof(*c.queued));
	c.stack = mem_alloc(n + 2, sizeof(*c.stack));
	c.stamp = mem_alloc(n + 1, sizeof(*c.stamp));
	find_losses(&c);
	c.at[0].reached = true;
	memset(c.at[0].current, true, sizeof(c.at[0].current));
	c.queue[c.tail++] = 0;
	while (c.head != c.tail) {
		uint32_t i = c.queue[c.head];
		struct state s = c.at[i];

		c.head = (c.head + 1) % (n + 1);
		c.queued[i] = false;
		run(&c, &s, i);
		go_on(&c, &s, i);
	}
	for (uint32_t i = 0; i < n; i++)
		check_rules(&c, i);
	mem_free(c.at);
	mem_free(c.entry);
	mem_free(c.lost);
	mem_free(c.queue);
	mem_free(c.queued);
	mem_free(c.stack);
	mem_free(c.stamp);
}

/* ---- output. */

static void tell_plane(const struct program *p, uint32_t plane, struct text *out)
{
	switch (level_of(p, plane)) {
	case LEVEL_ORF:
		text_raw(out, "O%u", plane - p->regs);
		break;
	case LEVEL_LRF:
		text_raw(out, "L%u", plane - p->regs - p->levels->upper);
		break;
	default:
		text_raw(out, "M");
	}
}

/* With a source its deposits, with a result its duplicates. */
static void tell_operand(
	const struct program *p, uint32_t i, const struct operand *o, bool source, struct text *out)
{
	const struct level_note *note = &p->levels->notes[i];
	const struct level_copy *copy = p->levels->copies + note->copies;
	static const char letter[] = "-Rpc";

	if (o->kind != OPND_REG) {
		text_raw(out, "%c", letter[o->kind]);
		return;
	}
	tell_plane(p, o->index, out);
	for (unsigned k = 0; k < note->ncopies; k++, copy++) {
		if (copy->deposit != source || copy->from < o->index ||
			copy->from >= o->index + o->words)
			continue;
		text_raw(out, "+");
		tell_plane(p, copy->to, out);
	}
}

void levels_tell(const struct program *p, struct text *out)
{
	for (uint32_t i = 0; i < p->ninstr; i++) {
		const struct instr *in = &p->code[i];

		text_raw(out, "%c", ".|!"[p->levels->notes[i].strand]);
		for (unsigned d = 0; d < in->ndst; d++) {
			text_raw(out, " ");
			tell_operand(p, i, &in->dst[d], false, out);
		}
		text_raw(out, "%s", in->nsrc ? " =" : "");
		for (unsigned s = 0; s < in->nsrc; s++) {
			text_raw(out, " ");
			tell_operand(p, i, &in->src[s], true, out);
		}
		text_raw(out, "\n");
	}
}

double levels_energy(const struct program *p)
{
	const struct level_energy *e = &p->levels->options.energy;
	double sum = 0;

	for (uint32_t i = 0; i < p->ninstr; i++) {
		const struct level_note *note = &p->levels->notes[i];
		unsigned n = p->levels->options.price_entries ? p->levels->options.price_entries
							      : note->entries;
		const double read[] = {
			e->mrf_read, e->orf_read[n][0], e->orf_read[n][1], e->lrf_read};
		const double write[] = {
			e->mrf_write, e->orf_write[n][0], e->orf_write[n][1], e->lrf_write};

		for (unsigned k = 0; k < 4; k++)
			sum += (double)(note->counts.reads >> 16 * k & 0xffff) * read[k] +
			       (double)(note->counts.writes >> 16 * k & 0xffff) * write[k];
	}
	return sum;
}
