/* A suffix tree by Ukkonen's construction (Algorithmica 1995). */
#include "workloads/mummer/tree.h"

#include <stdbool.h>

/* The suffixes that are not leaves yet begin `waiting` letters before the present one; the longest
 * of them ends `length` letters below `node`, on the edge that begins with text[edge]. */
struct builder {
	struct tree *t;
	int32_t node, edge, length, waiting;
	int32_t unlinked; /* the inner node made last, without a suffix link yet, or 0 */
};

static int32_t new_node(struct tree *t, int32_t start, int32_t end)
{
	t->edges[t->nodes] = (struct edge){.start = start, .end = end};
	return t->nodes++;
}

/* The child whose edge begins with the letter. */
static int32_t *child_of(struct tree *t, int32_t node, unsigned letter)
{
	return letter < LETTERS ? &t->children[node][letter] : &t->ends[node];
}

/* The next inner node on the way is what the last one's suffix link leads to. */
static void link_to(struct builder *b, int32_t node)
{
	if (b->unlinked)
		b->t->edges[b->unlinked].link = node;
	b->unlinked = node;
}

/* Puts an inner node on the edge to `next`, `length` letters below its begin; returns it. */
static int32_t split(struct builder *b, int32_t next)
{
	struct tree *t = b->t;
	int32_t start = t->edges[next].start;
	int32_t inner = new_node(t, start, start + b->length);

	*child_of(t, b->node, t->text[b->edge]) = inner;
	t->edges[next].start += b->length;
	*child_of(t, inner, t->text[t->edges[next].start]) = next;
	return inner;
}

/* Adds the longest waiting suffix, which now ends at `at`. False: the tree has it already. */
static bool add_suffix(struct builder *b, int32_t at)
{
	struct tree *t = b->t;
	int32_t next, length, inner = b->node;

	for (;;) {
		if (b->length == 0)
			b->edge = at;
		next = *child_of(t, b->node, t->text[b->edge]);
		length = t->edges[next].end - t->edges[next].start;
		if (!next || b->length < length)
			break;
		b->node = inner = next;
		b->edge += length;
		b->length -= length;
	}
	if (next && t->text[t->edges[next].start + b->length] == t->text[at]) {
		b->length++;
		link_to(b, b->node);
		return false;
	}
	if (next)
		inner = split(b, next);
	*child_of(t, inner, t->text[at]) = new_node(t, at, t->n + 1);
	link_to(b, inner);
	return true;
}

static void add_suffixes(struct tree *t)
{
	struct builder b = {.t = t};

	new_node(t, 0, 0);
	for (int32_t at = 0; at <= t->n; at++) {
		b.unlinked = 0;
		for (b.waiting++; b.waiting > 0; b.waiting--) {
			if (!add_suffix(&b, at))
				break;
			if (b.node == 0 && b.length > 0) {
				b.length--;
				b.edge = at - b.waiting + 2;
			} else {
				b.node = t->edges[b.node].link;
			}
		}
	}
}

/* What the children know of their parent and of each other. Appends them to the queue. */
static int32_t adopt(struct tree *t, int32_t node, int32_t *queue, int32_t tail)
{
	const struct edge *edge = &t->edges[node];
	int32_t *last = &t->branches[node].child;

	for (unsigned letter = 0; letter <= LETTERS; letter++) {
		int32_t child = *child_of(t, node, letter);

		if (!child)
			continue;
		t->edges[child].above = edge->above + edge->end - edge->start;
		t->branches[child].parent = node;
		*last = child;
		last = &t->branches[child].next;
		queue[tail++] = child;
	}
	return tail;
}

/* Parents before children, and back. */
static void walk(struct tree *t, struct arena *arena)
{
	int32_t *queue = arena_alloc(arena, (size_t)t->nodes, sizeof(*queue));
	int32_t tail = 1;

	for (int32_t head = 0; head < tail; head++)
		tail = adopt(t, queue[head], queue, tail);
	while (tail-- > 1) {
		int32_t node = queue[tail];

		if (!t->branches[node].child)
			t->leaves[node] = 1;
		t->leaves[t->branches[node].parent] += t->leaves[node];
	}
}

/* A tree whose inner nodes have two children or more has more leaves than inner nodes. */
struct tree tree_new(const uint8_t *text, uint32_t n, struct arena *arena)
{
	size_t most = 2 * ((size_t)n + 1);
	struct tree t = {
		.text = text,
		.n = (int32_t)n,
		.children = arena_alloc(arena, most, sizeof(*t.children)),
		.ends = arena_alloc(arena, most, sizeof(*t.ends)),
		.edges = arena_alloc(arena, most, sizeof(*t.edges)),
		.branches = arena_alloc(arena, most, sizeof(*t.branches)),
		.leaves = arena_alloc(arena, most, sizeof(*t.leaves)),
	};

	add_suffixes(&t);
	walk(&t, arena);
	return t;
}
