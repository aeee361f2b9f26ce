/* Merges accesses to shared memory side by side into vectors, with the rules that experiments on
 * ptxas 13.0 showed (doc/findings.md 4.5): no access of shared memory that writes may be between
 * loads, none at all between stores; of four words a load may lack one. */
#include "ptx/ir/merge.h"

#include "ptx/ir/schedule.h"

#include <stdio.h>
#include <string.h>

#define NO_INSTR UINT32_MAX
#define AHEAD 256u /* instructions searched for each access */
#define MOST 4u    /* elements of a vector */

struct merge {
	const struct ir_module *m;
	struct ir_function *f;
	const uint8_t *zeros;
};

/* A vector at `offset` from the first access's base: `n` elements, of which those found are parts
 * of the instructions `at`. */
struct group {
	const struct ir_instr *first;
	unsigned bytes, n, found;
	int64_t offset;
	uint32_t at[MOST], last;
};

static bool is_candidate(const struct ir_instr *i)
{
	unsigned bytes = ptx_type_bytes((enum ptx_type)i->mem_type);
	bool load = i->action == ACT_LOAD;

	if ((!load && i->action != ACT_STORE) || i->space != SPACE_SHARED || i->guard != NO_VREG)
		return false;
	for (unsigned d = 0; d < i->ndst; d++)
		if (i->dst[d].kind != IR_REG)
			return false;
	return i->opcode && !strncmp(i->opcode, load ? "ld." : "st.", 3) &&
	       (bytes == 4 || bytes == 8) && bytes * i->vec < 16 && !sched_is_fixed(i);
}

static bool same_base(const struct ir_instr *a, const struct ir_instr *b)
{
	const struct ir_value *x = &a->src[0], *y = &b->src[0];

	return x->kind == y->kind && x->index == y->index && x->bits == y->bits &&
	       a->address_words == b->address_words;
}

static bool changes(const struct ir_instr *i, const struct ir_value *v)
{
	return v->kind == IR_REG && ir_writes(i, v->index);
}

/* Whether the instruction may be an access of shared memory. */
static bool may_touch(const struct ir_instr *i)
{
	bool access = i->action == ACT_LOAD || i->action == ACT_STORE || i->action == ACT_ATOM ||
		      i->action == ACT_RED;

	return access && (i->space == SPACE_SHARED || i->space == SPACE_GENERIC);
}

/* The number of the access's first element in the group; -1: it is not of it, or has elements that
 * another access has. */
static int element(const struct group *v, const struct ir_instr *i)
{
	int64_t at = i->offset - v->offset, bytes = v->bytes;

	if (i->action != v->first->action || !is_candidate(i) || !same_base(i, v->first) ||
		ptx_type_bytes((enum ptx_type)i->mem_type) != v->bytes)
		return -1;
	if (at < 0 || at % bytes || at + i->vec * bytes > v->n * bytes)
		return -1;
	for (unsigned k = 0; k < i->vec; k++)
		if (v->at[at / bytes + k] != NO_INSTR)
			return -1;
	return (int)(at / bytes);
}

/* Whether the load at `to` may be executed where the first is. */
static bool moves_up(const struct merge *g, uint32_t first, uint32_t to)
{
	const struct ir_instr *load = &g->f->code[to];

	for (unsigned d = 0; d < load->ndst; d++)
		for (uint32_t k = first; k < to; k++)
			if (ir_writes(&g->f->code[k], load->dst[d].index) ||
				(k > first && ir_reads(&g->f->code[k], load->dst[d].index)))
				return false;
	return true;
}

/* Whether what the group stores is still the same after the instruction. */
static bool keeps_values(const struct merge *g, const struct group *v, const struct ir_instr *i)
{
	for (unsigned e = 0; e < v->n; e++) {
		const struct ir_instr *store = v->at[e] == NO_INSTR ? NULL : &g->f->code[v->at[e]];

		for (unsigned s = 1; store && s <= store->vec; s++)
			if (changes(i, &store->src[s]))
				return false;
	}
	return true;
}

/* Whether the search goes on behind the instruction, which is not of the group. */
static bool goes_on(const struct merge *g, const struct group *v, const struct ir_instr *i)
{
	bool load = v->first->action == ACT_LOAD;

	if (i->shape == IR_GONE)
		return true;
	if (sched_is_fixed(i) || changes(i, &v->first->src[0]))
		return false;
	return load ? i->action == ACT_LOAD || !may_touch(i)
		    : !may_touch(i) && keeps_values(g, v, i);
}

static void collect(const struct merge *g, struct group *v, uint32_t first, uint32_t end)
{
	bool load = v->first->action == ACT_LOAD;

	for (uint32_t k = first; k < end && k - first < AHEAD && v->found < v->n; k++) {
		const struct ir_instr *i = &g->f->code[k];
		int e = element(v, i);

		if (e < 0 || (load && !moves_up(g, first, k))) {
			if (!goes_on(g, v, i))
				return;
			continue;
		}
		for (unsigned part = 0; part < i->vec; part++)
			v->at[(unsigned)e + part] = k;
		v->found += i->vec;
		v->last = k;
		if (changes(i, &i->src[0]))
			return;
	}
}

/* "ld.shared.f32" becomes "ld.shared.v4.f32". */
static const char *vector_name(const struct merge *g, const char *opcode, unsigned n)
{
	size_t most = strlen(opcode) + 4;
	char *name = arena_alloc(g->m->arena, most, 1);
	const char *type = strrchr(opcode, '.'), *end = strstr(opcode, ".v");

	if (!end || end > type)
		end = type;
	snprintf(name, most, "%.*s.v%u%s", (int)(end - opcode), opcode, n, type);
	return name;
}

static void make_vector(const struct merge *g, const struct group *v, uint32_t first)
{
	bool load = v->first->action == ACT_LOAD;
	uint32_t where = load ? first : v->last;
	struct ir_instr *code = g->f->code, vector = code[where];

	vector.offset = v->offset;
	vector.vec = (uint8_t)v->n;
	vector.opcode = vector_name(g, vector.opcode, v->n);
	vector.fresh = 0;
	vector.ndst = load ? (uint8_t)v->n : 0;
	vector.nsrc = load ? 1 : (uint8_t)(1 + v->n);
	for (unsigned e = 0, part = 0; e < v->n; e++) {
		const struct ir_instr *i = v->at[e] == NO_INSTR ? NULL : &code[v->at[e]];

		part = i && e && v->at[e] == v->at[e - 1] ? part + 1 : 0;
		if (load)
			vector.dst[e] = i ? i->dst[part] : (struct ir_value){.kind = IR_NONE};
		else
			vector.src[1 + e] = i->src[1 + part];
	}
	for (unsigned e = 0; e < v->n; e++)
		if (v->at[e] != NO_INSTR)
			ir_delete(&code[v->at[e]]);
	code[where] = vector;
}

/* Makes a vector of that many bytes that begins with the access, if there is one. */
static bool merge_here(const struct merge *g, uint32_t at, uint32_t end, unsigned width)
{
	struct ir_instr first = g->f->code[at];
	unsigned bytes = ptx_type_bytes((enum ptx_type)first.mem_type);
	unsigned zeros =
		first.src[0].kind == IR_NONE ? ZEROS_MOST : zeros_of(g->m, &first.src[0], g->zeros);
	struct group v = {.first = &first,
		.bytes = bytes,
		.n = width / bytes,
		.offset = first.offset & -(int64_t)width,
		.at = {NO_INSTR, NO_INSTR, NO_INSTR, NO_INSTR}};
	unsigned least = first.action == ACT_LOAD && v.n == MOST ? MOST - 1 : v.n;

	if (v.n <= first.vec || 1u << zeros < width)
		return false;
	collect(g, &v, at, end);
	if (v.found < least)
		return false;
	make_vector(g, &v, at);
	return true;
}

uint32_t merge_accesses(const struct ir_module *m, struct ir_function *f, struct arena *work)
{
	struct merge g = {m, f, zeros_of_registers(m, f, work)};
	struct ir_instr *own = arena_alloc(work, f->code_cap, sizeof(*own));
	uint32_t n = 0;

	f->code = memcpy(own, f->code, f->ninstr * sizeof(*own));
	for (uint32_t b = 0; b < f->nblocks; b++)
		for (unsigned width = 16; width >= 8; width /= 2)
			for (uint32_t i = f->blocks[b].first; i < f->blocks[b].end; i++)
				n += is_candidate(&f->code[i]) &&
				     merge_here(&g, i, f->blocks[b].end, width);
	return n;
}
