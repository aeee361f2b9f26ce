/* Basic blocks, edges and immediate post-dominators (Georgiadis, Tarjan and Werneck, "Finding
 * dominators in practice", 2006: Semi-NCA, on the reversed graph with a virtual exit). */
#include "ptx/ir/ir.h"

#include <string.h>

/* Whether it ends a block without fall-through. Guarded exits do not end a block: exiting lanes
 * need not reconverge with the others, so such an exit is no branch of the control flow. */
static bool leaves(const struct ir_instr *i)
{
	return i->guard == NO_VREG &&
	       (i->action == ACT_EXIT || i->action == ACT_RET || i->action == ACT_TRAP);
}

/* A CTA-wide wait ends a block, because it is a reconvergence point: lanes that diverge before it
 * reconverge there. */
static bool ends_block(const struct ir_instr *i)
{
	return i->action == ACT_BRANCH || i->waits || leaves(i);
}

/* Splits the code at branches and their targets. Returns the block number by instruction. */
static uint32_t *split(struct ir_function *f, struct arena *work)
{
	uint32_t *block = arena_alloc(work, f->ninstr + 1, sizeof(*block));
	bool *leader = arena_alloc(work, f->ninstr + 1, sizeof(*leader));

	leader[0] = true;
	for (uint32_t i = 0; i < f->ninstr; i++) {
		for (uint32_t t = 0; t < f->code[i].ntargets; t++)
			if (f->code[i].targets[t] != NO_TARGET)
				leader[f->code[i].targets[t]] = true;
		if (f->code[i].action == ACT_BRANCH && !f->code[i].ntargets)
			leader[f->code[i].target] = true;
		if (ends_block(&f->code[i]))
			leader[i + 1] = true;
	}
	for (uint32_t i = 0; i < f->ninstr; i++) {
		f->nblocks += leader[i];
		block[i] = f->nblocks - 1;
	}
	f->blocks = arena_alloc(work, f->nblocks + 1, sizeof(*f->blocks));
	for (uint32_t i = 0; i < f->ninstr; i++) {
		if (leader[i])
			f->blocks[block[i]].first = i;
		f->blocks[block[i]].end = i + 1;
	}
	return block;
}

/* `seen`: by block, the last block with an edge to it, plus one. */
static void add_edge(struct ir_block *b, uint32_t to, uint32_t *seen, uint32_t stamp)
{
	if (seen[to] != stamp)
		b->succ[b->nsucc++] = to;
	seen[to] = stamp;
}

static void connect(struct ir_function *f, const uint32_t *block, struct arena *work)
{
	uint32_t *seen = arena_alloc(work, f->nblocks + 1, sizeof(*seen));

	for (uint32_t k = 0; k < f->nblocks; k++) {
		struct ir_block *b = &f->blocks[k];
		const struct ir_instr *last = &f->code[b->end - 1];

		b->exits = leaves(last);
		b->waits = last->waits;
		if (b->exits)
			continue;
		b->succ = arena_alloc(work, last->ntargets + 2, sizeof(*b->succ));
		if (last->action != ACT_BRANCH || last->guard != NO_VREG)
			add_edge(b, k + 1, seen, k + 1);
		for (uint32_t t = 0; t < last->ntargets; t++)
			if (last->targets[t] != NO_TARGET)
				add_edge(b, block[last->targets[t]], seen, k + 1);
		if (last->action == ACT_BRANCH && !last->ntargets)
			add_edge(b, block[last->target], seen, k + 1);
	}
}

static size_t count_edges(const struct ir_function *f)
{
	size_t n = 0;

	for (uint32_t b = 0; b < f->nblocks; b++)
		n += f->blocks[b].nsucc;
	return n;
}

/* Numbers blocks from `root` in postorder and in preorder along edges; first[b] .. first[b + 1]
 * index edges. */
struct walk {
	const uint32_t *first, *edges;
	uint32_t *stack, *next; /* next: position in the edges of each block */
	uint32_t *post;         /* NO_BLOCK: unreachable */
	uint32_t count;
	uint32_t *pre, *block, *parent; /* preorder number and its inverse; parent: by number */
	uint32_t found;
};

static void discover(struct walk *w, uint32_t b, uint32_t parent)
{
	w->next[b] = w->first[b];
	w->post[b] = NO_BLOCK - 1;
	w->parent[w->found] = parent;
	w->block[w->found] = b;
	w->pre[b] = w->found++;
}

static void walk_from(struct walk *w, uint32_t root)
{
	uint32_t depth = 0;

	discover(w, root, 0);
	w->stack[depth++] = root;
	while (depth) {
		uint32_t b = w->stack[depth - 1], to;

		if (w->next[b] == w->first[b + 1]) {
			w->post[b] = w->count++;
			depth--;
			continue;
		}
		to = w->edges[w->next[b]++];
		if (w->post[to] != NO_BLOCK)
			continue;
		discover(w, to, w->pre[b]);
		w->stack[depth++] = to;
	}
}

static struct walk walk_new(
	uint32_t n, const uint32_t *first, const uint32_t *edges, struct arena *work)
{
	struct walk w = {.first = first, .edges = edges};

	w.stack = arena_alloc(work, n + 1, sizeof(*w.stack));
	w.next = arena_alloc(work, n + 1, sizeof(*w.next));
	w.post = arena_alloc(work, n + 1, sizeof(*w.post));
	w.pre = arena_alloc(work, n + 1, sizeof(*w.pre));
	w.block = arena_alloc(work, n + 1, sizeof(*w.block));
	w.parent = arena_alloc(work, n + 1, sizeof(*w.parent));
	memset(w.post, 0xff, (n + 1) * sizeof(*w.post));
	return w;
}

static void forward_edges(const struct ir_function *f, uint32_t *first, uint32_t *edges)
{
	uint32_t n = 0;

	for (uint32_t b = 0; b < f->nblocks; b++) {
		first[b] = n;
		for (uint32_t s = 0; s < f->blocks[b].nsucc; s++)
			edges[n++] = f->blocks[b].succ[s];
	}
	first[f->nblocks] = n;
}

/* Keeps reachable blocks, in text order, and sets their reverse postorder. A reachable block falls
 * through to a reachable one, so the text order remains valid. */
static void drop_unreachable(struct ir_function *f, struct arena *work)
{
	uint32_t *first = arena_alloc(work, f->nblocks + 1, sizeof(*first));
	uint32_t *edges = arena_alloc(work, count_edges(f) + 1, sizeof(*edges));
	uint32_t *number = arena_alloc(work, f->nblocks, sizeof(*number));
	struct walk w = walk_new(f->nblocks, first, edges, work);
	uint32_t n = 0;

	forward_edges(f, first, edges);
	walk_from(&w, 0);
	for (uint32_t b = 0; b < f->nblocks; b++) {
		number[b] = n;
		if (w.post[b] == NO_BLOCK)
			continue;
		f->blocks[n] = f->blocks[b];
		f->blocks[n++].order = w.count - 1 - w.post[b];
	}
	f->nblocks = n;
	for (uint32_t b = 0; b < n; b++)
		for (uint32_t s = 0; s < f->blocks[b].nsucc; s++)
			f->blocks[b].succ[s] = number[f->blocks[b].succ[s]];
}

/* The subgraph whose post-dominators are computed: blocks expected to take one exit, without edges
 * to blocks of another exit and without edges past an exit. */
struct ways_out {
	const struct ir_function *f;
	bool *exits;     /* by block: has an edge to the virtual exit */
	uint8_t *levels; /* by block: the exit it is expected to take */
	uint32_t *first, *edges, *fill;
	bool all; /* all exits and all edges */
};

static bool stays(const struct ways_out *o, uint32_t from, uint32_t to)
{
	return o->all || (o->levels[from] == o->levels[to] && !o->f->blocks[from].waits);
}

/* Edges from each block to its predecessors; those of the virtual exit (block n) are the exit
 * blocks. */
static void backward_edges(const struct ways_out *o)
{
	const struct ir_block *blocks = o->f->blocks;
	uint32_t n = o->f->nblocks, *first = o->first;

	memset(first, 0, (n + 2) * sizeof(*first));
	for (uint32_t b = 0; b < n; b++) {
		for (uint32_t s = 0; s < blocks[b].nsucc; s++)
			first[blocks[b].succ[s] + 1] += stays(o, b, blocks[b].succ[s]);
		first[n + 1] += o->exits[b];
	}
	for (uint32_t b = 0; b <= n; b++) {
		first[b + 1] += first[b];
		o->fill[b] = first[b];
	}
	for (uint32_t b = 0; b < n; b++) {
		for (uint32_t s = 0; s < blocks[b].nsucc; s++)
			if (stays(o, b, blocks[b].succ[s]))
				o->edges[o->fill[blocks[b].succ[s]]++] = b;
		if (o->exits[b])
			o->edges[o->fill[n]++] = b;
	}
}

/* An endless loop never reaches the exit: the last block in reverse postorder of each such region
 * gets an edge to it, so that every block has a post-dominator. */
static void open_endless(const struct ways_out *o, struct walk *w, struct arena *work)
{
	const struct ir_function *f = o->f;
	uint32_t *by_order = arena_alloc(work, f->nblocks, sizeof(*by_order));

	for (uint32_t b = 0; b < f->nblocks; b++)
		by_order[f->blocks[b].order] = b;
	for (uint32_t k = f->nblocks; k-- > 0;) {
		if (w->post[by_order[k]] != NO_BLOCK)
			continue;
		o->exits[by_order[k]] = true;
		walk_from(w, by_order[k]);
	}
}

/* Blocks by preorder number; the virtual exit is 0. */
struct tree {
	uint32_t *semi;     /* semidominator found so far */
	uint32_t *ancestor; /* in the forest of finished blocks; NO_BLOCK: a root */
	uint32_t *best;     /* the block with the least semidominator on the path to the root */
	uint32_t *path;
};

/* The block with the least semidominator between k and its root, without the root; compresses the
 * path. */
static uint32_t least(struct tree *t, uint32_t k)
{
	uint32_t n = 0;

	if (t->ancestor[k] == NO_BLOCK)
		return k;
	for (uint32_t u = k; t->ancestor[t->ancestor[u]] != NO_BLOCK; u = t->ancestor[u])
		t->path[n++] = u;
	while (n > 0) {
		uint32_t u = t->path[--n], a = t->ancestor[u];

		if (t->semi[t->best[a]] < t->semi[t->best[u]])
			t->best[u] = t->best[a];
		t->ancestor[u] = t->ancestor[a];
	}
	return t->best[k];
}

static void semidominators(const struct ways_out *o, const struct walk *w, struct tree *t)
{
	for (uint32_t k = w->found; k-- > 1;) {
		const struct ir_block *b = &o->f->blocks[w->block[k]];

		t->semi[k] = o->exits[w->block[k]] ? 0 : k;
		for (uint32_t s = 0; s < b->nsucc; s++) {
			uint32_t u;

			if (!stays(o, w->block[k], b->succ[s]))
				continue;
			u = t->semi[least(t, w->pre[b->succ[s]])];
			t->semi[k] = u < t->semi[k] ? u : t->semi[k];
		}
		t->ancestor[k] = w->parent[k];
	}
}

/* Blocks by preorder number: block 0, the virtual exit, has none. */
static uint32_t *dominators(const struct ways_out *o, const struct walk *w, struct arena *work)
{
	uint32_t n = o->f->nblocks + 1, *dom = arena_alloc(work, n, sizeof(*dom));
	struct tree t = {.semi = arena_alloc(work, n, sizeof(uint32_t)),
		.ancestor = arena_alloc(work, n, sizeof(uint32_t)),
		.best = arena_alloc(work, n, sizeof(uint32_t)),
		.path = arena_alloc(work, n, sizeof(uint32_t))};

	BUG_ON(w->found != n);
	for (uint32_t k = 0; k < n; k++) {
		t.semi[k] = t.best[k] = k;
		t.ancestor[k] = NO_BLOCK;
	}
	semidominators(o, w, &t);
	for (uint32_t k = 1; k < n; k++) {
		dom[k] = w->parent[k];
		while (dom[k] > t.semi[k])
			dom[k] = dom[dom[k]];
	}
	return dom;
}

/* Immediate post-dominators, by block. */
static uint32_t *post_dominators(const struct ways_out *o, struct arena *work)
{
	uint32_t n = o->f->nblocks, *dom, *result = arena_alloc(work, n + 1, sizeof(*result));
	struct walk w;

	backward_edges(o);
	w = walk_new(n + 1, o->first, o->edges, work);
	walk_from(&w, n);
	open_endless(o, &w, work);
	backward_edges(o);
	w = walk_new(n + 1, o->first, o->edges, work);
	walk_from(&w, n);
	dom = dominators(o, &w, work);
	for (uint32_t k = 1; k <= n; k++)
		result[w.block[k]] = dom[k] ? w.block[dom[k]] : NO_BLOCK;
	return result;
}

static void find_reconvergence(struct ir_function *f, struct arena *work)
{
	uint32_t n = f->nblocks, *ipdom, *reconv;
	struct ways_out o = {.f = f,
		.exits = arena_alloc(work, n + 1, sizeof(bool)),
		.levels = arena_alloc(work, n + 1, sizeof(uint8_t)),
		.first = arena_alloc(work, n + 2, sizeof(uint32_t)),
		.edges = arena_alloc(work, count_edges(f) + n, sizeof(uint32_t)),
		.fill = arena_alloc(work, n + 1, sizeof(uint32_t)),
		.all = true};

	for (uint32_t b = 0; b < n; b++)
		o.exits[b] = f->blocks[b].exits;
	ipdom = post_dominators(&o, work);
	memset(o.exits, 0, n * sizeof(*o.exits));
	o.all = false;
	reconverge_choose(f, o.levels, o.exits, work);
	reconv = post_dominators(&o, work);
	for (uint32_t b = 0; b < n; b++) {
		f->blocks[b].ipdom = ipdom[b];
		f->blocks[b].reconv = reconv[b];
	}
	reconverge_leaving(f, o.levels, work);
}

void cfg_build(struct ir_function *f, struct arena *work)
{
	connect(f, split(f, work), work);
	drop_unreachable(f, work);
	for (uint32_t b = 0; b < f->nblocks; b++)
		f->branches += f->blocks[b].nsucc &&
			       f->code[f->blocks[b].end - 1].action == ACT_BRANCH &&
			       (f->code[f->blocks[b].end - 1].guard != NO_VREG ||
				       f->code[f->blocks[b].end - 1].ntargets);
	find_reconvergence(f, work);
}

uint32_t *cfg_preds(const struct ir_function *f, uint32_t **pred_first, struct arena *work)
{
	uint32_t *first = arena_alloc(work, f->nblocks + 2, sizeof(*first)), *pred;

	for (uint32_t b = 0; b < f->nblocks; b++)
		for (uint32_t s = 0; s < f->blocks[b].nsucc; s++)
			first[f->blocks[b].succ[s] + 1]++;
	for (uint32_t b = 0; b < f->nblocks; b++)
		first[b + 1] += first[b];
	pred = arena_alloc(work, first[f->nblocks] + 1, sizeof(*pred));
	for (uint32_t b = 0; b < f->nblocks; b++)
		for (uint32_t s = 0; s < f->blocks[b].nsucc; s++)
			pred[first[f->blocks[b].succ[s]]++] = b;
	memmove(first + 1, first, f->nblocks * sizeof(*first));
	first[0] = 0;
	*pred_first = first;
	return pred;
}
