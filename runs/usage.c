/* Follows values from the instruction that writes them to the last one that reads them. */
#include "runs/usage.h"

#include "core/base.h"

#include <string.h>

struct usage_value {
	uint32_t mask;             /* lanes that still hold it */
	uint32_t next;             /* 1 + an older value of the register, in other lanes; 0: none */
	uint32_t reads, addresses; /* addresses: of the reads */
	bool alu;                  /* made by an ALU */
	bool shared, data;         /* read by the shared datapath; and not as an address */
	bool crossed;              /* read by another strand */
	uint64_t born, read;       /* the warp's instructions: made by, last read by */
	uint64_t strand, reader;   /* made in; the last strand of another that read it */
};

struct usage_warp {
	uint64_t at;     /* instructions so far */
	uint64_t strand; /* that it is in */
	uint32_t parts;  /* lanes of an instruction that executes in several parts */
};

/* ---- values */
static void retire(struct usage *u, uint32_t index)
{
	struct usage_value *v = &u->pool[index];

	u->values++;
	u->reads[min_u64(v->reads, USAGE_READS - 1)]++;
	if (v->reads == 1)
		u->life[min_u64(v->read - v->born, USAGE_LIFE) - 1]++;
	u->shared += v->shared;
	u->shared_alu += v->shared && v->alu;
	u->shared_data += v->data;
	u->shared_data_alu += v->data && v->alu;
	u->again_data += v->reads - v->addresses > 1;
	u->live_outs += v->crossed;
	u->again_crossed += v->reads > 1 && v->crossed;
	v->next = u->free;
	u->free = index + 1;
}

static void retire_all(struct usage *u, uint32_t *head)
{
	while (*head) {
		uint32_t index = *head - 1;

		*head = u->pool[index].next;
		retire(u, index);
	}
}

static bool grow_pool(struct usage *u)
{
	uint32_t room = 2 * u->pool_capacity + 1024;
	struct usage_value *grown = mem_grow(u->pool, u->pool_capacity, room, sizeof(*grown));

	if (!grown)
		return false;
	u->pool = grown;
	u->pool_capacity = room;
	return true;
}

/* 1 + a new value's index; 0 when there is no memory. */
static uint32_t take(struct usage *u)
{
	uint32_t index = u->free;

	if (index) {
		u->free = u->pool[index - 1].next;
		return index;
	}
	if (u->pooled == u->pool_capacity && !grow_pool(u)) {
		u->failed = true;
		return 0;
	}
	return ++u->pooled;
}

/* ---- what an instruction does to a register */

/* How the datapath that reads an operand uses it. */
enum reading {
	READ_PRIVATE,
	READ_ADDRESS, /* of memory, in the shared datapath */
	READ_DATA     /* of anything else there */
};

static enum reading reading_of(const struct instr *in, unsigned s)
{
	if (!unit_is_shared(in->unit))
		return READ_PRIVATE;
	return in->unit == UNIT_MEMORY && !s ? READ_ADDRESS : READ_DATA;
}

static void read_register(struct usage *u, const struct usage_warp *w, uint32_t head, uint32_t mask,
	enum reading reading)
{
	for (uint32_t k = head; k; k = u->pool[k - 1].next) {
		struct usage_value *v = &u->pool[k - 1];

		if (!(v->mask & mask))
			continue;
		v->read = w->at;
		v->reads++;
		v->shared |= reading != READ_PRIVATE;
		v->addresses += reading == READ_ADDRESS;
		v->data |= reading == READ_DATA;
		if (v->strand == w->strand)
			continue;
		u->live_ins += v->reader != w->strand;
		v->reader = w->strand;
		v->crossed = true;
	}
}

static void write_register(
	struct usage *u, const struct usage_warp *w, uint32_t *head, uint32_t mask, bool alu)
{
	uint32_t index;

	for (uint32_t *k = head; *k;) {
		struct usage_value *v = &u->pool[*k - 1];

		v->mask &= ~mask;
		if (v->mask) {
			k = &v->next;
			continue;
		}
		index = *k - 1;
		*k = v->next;
		retire(u, index);
	}
	index = take(u);
	if (!index)
		return;
	u->pool[index - 1] = (struct usage_value){
		.mask = mask, .next = *head, .alu = alu, .born = w->at, .strand = w->strand};
	*head = index;
}

static void follow(struct usage *u, const struct usage_warp *w, uint32_t *heads,
	const struct instr *in, uint32_t mask)
{
	bool shared = unit_is_shared(in->unit);

	for (unsigned s = 0; s < in->nsrc; s++)
		for (unsigned k = 0; in->src[s].kind == OPND_REG && k < in->src[s].words; k++)
			read_register(u, w, heads[in->src[s].index + k], mask, reading_of(in, s));
	for (unsigned d = 0; d < in->ndst; d++)
		for (unsigned k = 0; in->dst[d].kind == OPND_REG && k < in->dst[d].words; k++)
			write_register(u, w, &heads[in->dst[d].index + k], mask, !shared);
}

/* ---- operands */
static unsigned words_of(const struct operand *list, unsigned n)
{
	unsigned words = 0;

	for (unsigned k = 0; k < n; k++)
		words += list[k].kind == OPND_REG ? list[k].words : 0;
	return words;
}

static void count_levels(struct usage *u, const struct level_note *note)
{
	static const unsigned shift[REGISTERS_LEVELS] = {[REGISTERS_MRF] = COUNT_MRF,
		[REGISTERS_ORF] = COUNT_ORF,
		[REGISTERS_ORF_SHARED] = COUNT_ORF_SHARED,
		[REGISTERS_LRF] = COUNT_LRF};
	struct register_accesses *a = &u->accesses[min_u64(note->entries, LEVELS_MAX_ORF)];

	for (unsigned p = 0; p < REGISTERS_LEVELS; p++) {
		a->reads[p] += note->counts.reads >> shift[p] & 0xffff;
		a->writes[p] += note->counts.writes >> shift[p] & 0xffff;
	}
	u->operands[min_u64(note->counts.reads >> COUNT_MRF & 0xffff, USAGE_OPERANDS - 1)]++;
}

static void count_address(struct usage *u, const struct program *p, const struct instr *in)
{
	const struct level_note *note = p->levels ? &p->levels->notes[in - p->code] : NULL;
	struct register_accesses *a =
		&u->addresses[note ? min_u64(note->entries, LEVELS_MAX_ORF) : 0];
	bool mrf = level_of(p, in->src[0].index) == LEVEL_MRF;

	a->reads[mrf ? REGISTERS_MRF : REGISTERS_ORF_SHARED] += in->src[0].words;
}

static unsigned registers_of(const struct operand *list, unsigned n)
{
	unsigned registers = 0;

	for (unsigned k = 0; k < n; k++)
		registers += list[k].kind == OPND_REG;
	return registers;
}

static void count_operands(struct usage *u, const struct program *p, const struct instr *in)
{
	unsigned reads = words_of(in->src, in->nsrc), writes = words_of(in->dst, in->ndst);

	u->instructions++;
	u->read += reads;
	u->written += writes;
	u->read_whole += registers_of(in->src, in->nsrc);
	u->written_whole += registers_of(in->dst, in->ndst);
	if (in->unit == UNIT_MEMORY && in->nsrc && in->src[0].kind == OPND_REG)
		count_address(u, p, in);
	if (p->levels) {
		if (p->levels->options.kind != LEVELS_HARDWARE)
			count_levels(u, &p->levels->notes[in - p->code]);
		return;
	}
	u->operands[min_u64(reads, USAGE_OPERANDS - 1)]++;
	u->accesses[0].reads[REGISTERS_MRF] += reads;
	u->accesses[0].writes[REGISTERS_MRF] += writes;
}

/* ---- warps and programs */
static void end_warp(struct usage *u, uint32_t index)
{
	for (uint32_t r = 0; r < u->regs; r++)
		retire_all(u, &u->head[(size_t)index * u->regs + r]);
}

void usage_finish(struct usage *u)
{
	for (uint32_t w = 0; u->head && w < u->nwarps; w++)
		end_warp(u, w);
}

/* Grows the table to warps 0 .. index of the program. */
static bool make_space(struct usage *u, const struct program *p, uint32_t index)
{
	uint32_t old = u->program == p ? u->nwarps : 0, n = index + 1 > old ? index + 1 : old;
	uint32_t *head;
	struct usage_warp *warps;

	if (u->program != p) {
		usage_finish(u);
		mem_free(u->head);
		mem_free(u->warps);
		u->head = NULL;
		u->warps = NULL;
		u->nwarps = 0;
	}
	head = mem_grow(u->head, (size_t)old * p->regs + 1, (size_t)n * p->regs + 1, sizeof(*head));
	if (head)
		u->head = head;
	warps = mem_grow(u->warps, old, n, sizeof(*warps));
	if (warps)
		u->warps = warps;
	u->program = p;
	u->regs = p->regs;
	u->nwarps = head && warps ? n : old;
	return head && warps;
}

/* The warp's state; NULL when there is no memory. A warp that has executed nothing yet is new: the
 * state of an earlier warp in its slot is ended. */
static struct usage_warp *state_of(struct usage *u, const struct warp *w)
{
	uint32_t index = w->slot;

	if (u->program != w->program || index >= u->nwarps)
		u->failed |= !make_space(u, w->program, index);
	if (u->failed)
		return NULL;
	if (w->instructions <= 1 && !u->warps[index].parts) {
		end_warp(u, index);
		u->warps[index] = (struct usage_warp){.strand = ++u->begun};
		u->strands += w->program->levels != NULL;
	}
	return &u->warps[index];
}

static void executed(void *ctx, const struct warp *w, const struct instr *in, uint32_t mask,
	const struct access *a)
{
	struct usage *u = ctx;
	const struct program_levels *levels = w->program->levels;
	struct usage_warp *state = u->failed ? NULL : state_of(u, w);

	if (!state)
		return;
	state->parts |= mask;
	if (a->space != SPACE_NONE && a->more)
		return;
	mask = state->parts;
	state->parts = 0;
	if (state->at++ && levels && levels->notes[in - w->program->code].strand != STRAND_INSIDE) {
		state->strand = ++u->begun;
		u->strands++;
	}
	count_operands(u, w->program, in);
	u->levelled |= levels && levels->options.kind == LEVELS_SOFTWARE;
	if (mask && !u->levelled)
		follow(u, state, &u->head[(size_t)(state - u->warps) * w->program->regs], in, mask);
}

struct untimed_watch usage_watch(struct usage *u)
{
	return (struct untimed_watch){.ctx = u, .executed = executed};
}

void usage_clear(struct usage *u)
{
	mem_free(u->pool);
	mem_free(u->warps);
	mem_free(u->head);
	*u = (struct usage){0};
}
