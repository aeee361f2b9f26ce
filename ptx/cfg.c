/* Blocks, edges and immediate post-dominators (Cooper, Harvey and Kennedy, "A simple, fast
 * dominance algorithm", on the reversed graph with a virtual exit). */
#include "ptx/ir.h"

#include <string.h>

/* Ends a block without falling through. Guarded exits do not end a block: lanes that leave need not
 * meet the others again, so such an exit is no branch of the control flow. */
static bool leaves(const struct ir_instr *i)
{
	return i->guard == NO_VREG &&
	       (i->action == ACT_EXIT || i->action == ACT_RET || i->action == ACT_TRAP);
}

static bool ends_block(const struct ir_instr *i)
{
	return i->action == ACT_BRANCH || leaves(i);
}

/* Splits the code at branches and their targets. Returns block numbers by instruction. */
static uint32_t *split(struct ir_function *f, struct arena *work)
{
	uint32_t *block = arena_alloc(work, f->ninstr + 1, sizeof(*block));
	bool *leader = arena_alloc(work, f->ninstr + 1, sizeof(*leader));

	leader[0] = true;
	for (uint32_t i = 0; i < f->ninstr; i++) {
		if (f->code[i].action == ACT_BRANCH)
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

static void add_edge(struct ir_block *b, uint32_t to)
{
	if (b->nsucc == 0 || b->succ[0] != to)
		b->succ[b->nsucc++] = to;
}

static void connect(struct ir_function *f, const uint32_t *block)
{
	for (uint32_t b = 0; b < f->nblocks; b++) {
		const struct ir_instr *last = &f->code[f->blocks[b].end - 1];

		if (leaves(last)) {
			f->blocks[b].exits = true;
			continue;
		}
		if (last->action != ACT_BRANCH || last->guard != NO_VREG)
			add_edge(&f->blocks[b], b + 1);
		if (last->action == ACT_BRANCH)
			add_edge(&f->blocks[b], block[last->target]);
	}
}

/* Numbers blocks from `root` in postorder along edges; first[b] .. first[b + 1] index edges. */
struct walk {
	const uint32_t *first, *edges;
	uint32_t *stack, *next; /* next: position in the edges of each block */
	uint32_t *post;         /* NO_BLOCK: not reached */
	uint32_t count;
};

static void walk_from(struct walk *w, uint32_t root)
{
	uint32_t depth = 0;

	w->stack[depth++] = root;
	w->next[root] = w->first[root];
	w->post[root] = NO_BLOCK - 1;
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
		w->post[to] = NO_BLOCK - 1;
		w->next[to] = w->first[to];
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

/* Keeps reachable blocks, in text order, and gives them their reverse postorder. A reachable block
 * falls through to a reachable one, so the text order stays valid. */
static void drop_unreachable(struct ir_function *f, struct arena *work)
{
	uint32_t *first = arena_alloc(work, f->nblocks + 1, sizeof(*first));
	uint32_t *edges = arena_alloc(work, 2 * f->nblocks, sizeof(*edges));
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

/* Edges from each block to its predecessors; those of the virtual exit (block n) are the blocks
 * that leave the function. */
static void backward_edges(const struct ir_function *f, const bool *exits, uint32_t *first,
	uint32_t *edges, uint32_t *fill)
{
	uint32_t n = f->nblocks;

	memset(first, 0, (n + 2) * sizeof(*first));
	for (uint32_t b = 0; b < n; b++) {
		for (uint32_t s = 0; s < f->blocks[b].nsucc; s++)
			first[f->blocks[b].succ[s] + 1]++;
		first[n + 1] += exits[b];
	}
	for (uint32_t b = 0; b <= n; b++) {
		first[b + 1] += first[b];
		fill[b] = first[b];
	}
	for (uint32_t b = 0; b < n; b++) {
		for (uint32_t s = 0; s < f->blocks[b].nsucc; s++)
			edges[fill[f->blocks[b].succ[s]]++] = b;
		if (exits[b])
			edges[fill[n]++] = b;
	}
}

/* Endless loops never reach the exit: the last block in reverse postorder of each such region gets
 * an edge to it, so that every block has a post-dominator. */
static void open_endless(
	const struct ir_function *f, struct walk *w, bool *exits, struct arena *work)
{
	uint32_t *by_order = arena_alloc(work, f->nblocks, sizeof(*by_order));

	for (uint32_t b = 0; b < f->nblocks; b++)
		by_order[f->blocks[b].order] = b;
	for (uint32_t k = f->nblocks; k-- > 0;) {
		if (w->post[by_order[k]] != NO_BLOCK)
			continue;
		exits[by_order[k]] = true;
		walk_from(w, by_order[k]);
	}
}

static uint32_t meet(const uint32_t *ipdom, const uint32_t *post, uint32_t a, uint32_t b)
{
	while (a != b) {
		while (post[a] < post[b])
			a = ipdom[a];
		while (post[b] < post[a])
			b = ipdom[b];
	}
	return a;
}

static uint32_t meet_successors(const struct ir_function *f, const bool *exits,
	const uint32_t *ipdom, const uint32_t *post, uint32_t b)
{
	uint32_t to = exits[b] ? f->nblocks : NO_BLOCK;

	for (uint32_t s = 0; s < f->blocks[b].nsucc; s++) {
		uint32_t next = f->blocks[b].succ[s];

		if (ipdom[next] != NO_BLOCK)
			to = to == NO_BLOCK ? next : meet(ipdom, post, to, next);
	}
	return to;
}

static void post_dominators(
	struct ir_function *f, const bool *exits, const uint32_t *post, struct arena *work)
{
	uint32_t n = f->nblocks;
	uint32_t *ipdom = arena_alloc(work, n + 1, sizeof(*ipdom));
	uint32_t *by_post = arena_alloc(work, n + 1, sizeof(*by_post));
	bool changed = true;

	memset(ipdom, 0xff, (n + 1) * sizeof(*ipdom));
	for (uint32_t b = 0; b <= n; b++)
		by_post[post[b]] = b;
	ipdom[n] = n;
	while (changed) {
		changed = false;
		for (uint32_t k = n; k-- > 0;) {
			uint32_t b = by_post[k], to = meet_successors(f, exits, ipdom, post, b);

			changed |= ipdom[b] != to;
			ipdom[b] = to;
		}
	}
	for (uint32_t b = 0; b < n; b++)
		f->blocks[b].ipdom = ipdom[b] == n ? NO_BLOCK : ipdom[b];
}

void cfg_build(struct ir_function *f, struct arena *work)
{
	uint32_t *first, *edges, *fill;
	struct walk w;
	bool *exits;

	connect(f, split(f, work));
	drop_unreachable(f, work);
	first = arena_alloc(work, f->nblocks + 2, sizeof(*first));
	edges = arena_alloc(work, 3 * f->nblocks, sizeof(*edges));
	fill = arena_alloc(work, f->nblocks + 1, sizeof(*fill));
	exits = arena_alloc(work, f->nblocks, sizeof(*exits));
	for (uint32_t b = 0; b < f->nblocks; b++) {
		exits[b] = f->blocks[b].exits;
		f->branches += f->blocks[b].nsucc &&
			       f->code[f->blocks[b].end - 1].action == ACT_BRANCH &&
			       f->code[f->blocks[b].end - 1].guard != NO_VREG;
	}
	backward_edges(f, exits, first, edges, fill);
	w = walk_new(f->nblocks + 1, first, edges, work);
	walk_from(&w, f->nblocks);
	open_endless(f, &w, exits, work);
	backward_edges(f, exits, first, edges, fill);
	w = walk_new(f->nblocks + 1, first, edges, work);
	walk_from(&w, f->nblocks);
	post_dominators(f, exits, w.post, work);
}
