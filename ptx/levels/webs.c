/* Webs: results, deposits and reads of a strand that must share an entry (Gebhart's dissertation,
 * section 6.4.4: a read at a merge can use an upper level only if the value is there on all paths).
 */
#include "ptx/levels/private.h"

#include <string.h>

/* The value on a back edge was unknown when its loop was entered. */
static void doubt_loops(struct values *v)
{
	bool changed = v->loops;

	while (changed) {
		changed = false;
		for (uint32_t k = 1; k < v->nnodes; k++) {
			struct node *phi = &v->nodes[k];

			for (uint32_t o = 0; phi->certain && o < phi->nops; o++)
				if (!v->nodes[v->ops[phi->ops + o]].certain) {
					phi->certain = false;
					changed = true;
				}
		}
	}
}

/* The definitions of every read that cannot use an upper level have to write the MRF. */
static void choose_candidates(struct values *v)
{
	for (uint32_t k = 0; k < v->nreads; k++) {
		struct read *read = &v->reads[k];

		read->candidate = true;
		for (unsigned w = 0; w < read->words; w++)
			read->candidate &= v->nodes[read->node[w]].certain;
		for (unsigned w = 0; w < read->words && !read->candidate; w++)
			v->nodes[read->node[w]].mrf = true;
	}
}

static bool push_mrf(struct values *v)
{
	bool changed = false;

	for (uint32_t k = v->nnodes; k-- > 1;) {
		const struct node *phi = &v->nodes[k];

		for (uint32_t o = 0; phi->mrf && o < phi->nops; o++) {
			struct node *op = &v->nodes[v->ops[phi->ops + o]];

			changed |= !op->mrf;
			op->mrf = true;
		}
	}
	return changed;
}

/* ---- union. */

static uint32_t root(struct values *v, uint32_t k)
{
	while (v->nodes[k].web != k) {
		v->nodes[k].web = v->nodes[v->nodes[k].web].web;
		k = v->nodes[k].web;
	}
	return k;
}

static void unite(struct values *v, uint32_t a, uint32_t b)
{
	a = root(v, a);
	b = root(v, b);
	if (a < b)
		v->nodes[b].web = a;
	else
		v->nodes[a].web = b;
}

static void use(struct values *v, uint32_t k)
{
	uint32_t depth = 0;

	v->stack[depth++] = k;
	while (depth) {
		uint32_t phi = v->stack[--depth];
		const struct node *node = &v->nodes[phi];

		if (node->kind != NODE_PHI || node->used)
			continue;
		v->nodes[phi].used = true;
		for (uint32_t o = 0; o < node->nops; o++) {
			unite(v, phi, v->ops[node->ops + o]);
			v->stack[depth++] = v->ops[node->ops + o];
		}
	}
}

static void unite_all(struct values *v)
{
	for (uint32_t k = 1; k < v->nnodes; k++)
		if (v->nodes[k].mate)
			unite(v, k, v->nodes[k].mate);
	for (uint32_t k = 0; k < v->nreads; k++) {
		const struct read *read = &v->reads[k];

		if (!read->candidate)
			continue;
		for (unsigned w = 0; w < read->words; w++)
			use(v, read->node[w]);
		if (read->words == 2)
			unite(v, read->node[0], read->node[1]);
	}
}

/* ---- webs and their reads. */

static void count_reads(struct values *v)
{
	for (uint32_t k = 0; k < v->nreads; k++) {
		uint32_t at = v->reads[k].candidate ? root(v, v->reads[k].node[0]) : 0;

		if (!at)
			continue;
		if (!v->web_of[at]) {
			v->webs = levels_grow(
				v->w->work, v->webs, v->nwebs + 1, &v->webs_cap, sizeof(*v->webs));
			v->webs[v->nwebs] = (struct web){.lo = UINT16_MAX, .number = v->nwebs};
			v->web_of[at] = ++v->nwebs;
		}
		v->webs[v->web_of[at] - 1].nreads++;
	}
}

static void list_reads(struct values *v)
{
	uint32_t n = 0;

	for (uint32_t k = 0; k < v->nwebs; k++) {
		v->webs[k].reads = n;
		n += v->webs[k].nreads;
		v->webs[k].nreads = 0;
	}
	for (uint32_t k = 0; k < v->nreads; k++) {
		struct web *web;

		if (!v->reads[k].candidate)
			continue;
		web = &v->webs[v->web_of[root(v, v->reads[k].node[0])] - 1];
		v->web_reads[web->reads + web->nreads++] = k;
	}
}

static void find_registers(struct values *v)
{
	for (uint32_t k = 1; k < v->nnodes; k++) {
		uint32_t at = v->web_of[root(v, k)];
		uint16_t reg = v->nodes[k].reg;
		struct web *web;

		if (!at)
			continue;
		web = &v->webs[at - 1];
		web->lo = reg < web->lo ? reg : web->lo;
		web->hi = reg > web->hi ? reg : web->hi;
	}
}

void webs_make(struct values *v)
{
	struct arena *work = v->w->work;

	doubt_loops(v);
	choose_candidates(v);
	while (push_mrf(v) && v->loops)
		continue;
	v->stack = levels_grow(
		work, v->stack, v->nnodes + v->nops + 1, &v->stack_cap, sizeof(*v->stack));
	v->web_of = levels_grow(work, v->web_of, v->nnodes, &v->web_of_cap, sizeof(*v->web_of));
	v->web_reads = levels_grow(
		work, v->web_reads, v->nreads, &v->web_reads_cap, sizeof(*v->web_reads));
	memset(v->web_of, 0, v->nnodes * sizeof(*v->web_of));
	v->nwebs = 0;
	unite_all(v);
	count_reads(v);
	list_reads(v);
	find_registers(v);
}
