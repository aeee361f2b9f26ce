/* mummer: exact matches of many short reads in a genome, by a suffix tree that the host builds. */
#include "workloads/workload.h"

#define LETTERS 4u

/* Queries have MIN_QUERY letters and up to SPAN - 1 more. */
#define MIN_QUERY 25u
#define SPAN 8u

/* What the reference finds candidates by: the first SEED letters of a match. */
#define SEED 8u

#define PARAMS(P, T) \
	P(T, UINT, n, 0, 0, 16777216, "letters", \
		"Length of the text, 33 or more; 0: 16384 at size small, 1000000 at full.") \
	P(T, UINT, queries, 0, 0, 4194304, "queries", \
		"Queries of 25 to 32 letters; 0: 1000 at size small, 50000 at full.") \
	P(T, UINT, threads, 0, 0, 1024, "threads", \
		"Threads of a CTA; 0: 32 at size small (for CTAs on every SM), 256 at full.") \
	P(T, UINT, shortest, 14, 8, 25, "letters", "The shortest match that counts.")

/* As in mummer.cu. */
struct edge {
	int32_t start, end, link, above;
};

struct mummer {
	struct {
		PARAMS(PARAM_FIELD, mummer)
	} p;
	uint32_t n, queries;
	uint8_t *text; /* n letters and the end */
	uint8_t *letters;
	int32_t *firsts; /* where in letters each query begins, and the end of the last */
	int32_t (*children)[LETTERS];
	struct edge *edges;
	uint32_t nodes;
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, mummer)};

/* A genome in the manner of nature: a third of it are copies of earlier stretches, with one letter
 * of fifty changed. */
static void make_text(struct workload_run *run)
{
	struct mummer *w = run->state;
	struct rng rng = rng_new(run->seed, 0);
	uint32_t n = 0;

	w->text = arena_alloc(run->arena, w->n + 1, 1);
	while (n < w->n) {
		uint32_t length = 20 + rng_below(&rng, 200);
		bool copy = n > 300 && rng_below(&rng, 3) == 0;
		uint32_t from = copy ? rng_below(&rng, n - length) : 0;

		for (uint32_t i = 0; i < length && n < w->n; i++, n++) {
			bool same = copy && rng_below(&rng, 50) > 0;

			w->text[n] = same ? w->text[from + i] : (uint8_t)rng_below(&rng, LETTERS);
		}
	}
	w->text[n] = LETTERS;
}

/* Reads from random places of the text, with one letter of thirty changed. */
static void make_queries(struct workload_run *run)
{
	struct mummer *w = run->state;
	struct rng rng = rng_new(run->seed, 1);
	int32_t n = 0;

	w->firsts = arena_alloc(run->arena, w->queries + 1, sizeof(int32_t));
	w->letters = arena_alloc(run->arena, (size_t)w->queries * (MIN_QUERY + SPAN), 1);
	for (uint32_t q = 0; q < w->queries; q++) {
		uint32_t length = MIN_QUERY + rng_below(&rng, SPAN);
		uint32_t from = rng_below(&rng, w->n - length + 1);

		w->firsts[q] = n;
		for (uint32_t i = 0; i < length; i++) {
			bool same = rng_below(&rng, 30) > 0;

			w->letters[n++] =
				same ? w->text[from + i] : (uint8_t)rng_below(&rng, LETTERS);
		}
	}
	w->firsts[w->queries] = n;
}

/* Ukkonen's construction (Algorithmica 1995): the suffixes that are not leaves yet begin at place
 * `waiting` before the present one; the longest of them ends `length` letters below `node`, on the
 * edge that begins with text[edge]. */
struct builder {
	struct mummer *w;
	int32_t node, edge, length, waiting;
	int32_t unlinked; /* the inner node made last, without a suffix link yet, or 0 */
};

static int32_t new_node(struct mummer *w, int32_t start, int32_t end)
{
	w->edges[w->nodes] = (struct edge){.start = start, .end = end};
	return (int32_t)w->nodes++;
}

/* The next inner node on the way is what the last one's suffix link leads to. */
static void link_to(struct builder *b, int32_t node)
{
	if (b->unlinked)
		b->w->edges[b->unlinked].link = node;
	b->unlinked = node;
}

/* Puts an inner node on the edge to `next`, `length` letters below its begin; returns it. */
static int32_t split(struct builder *b, int32_t next)
{
	struct mummer *w = b->w;
	int32_t start = w->edges[next].start;
	int32_t inner = new_node(w, start, start + b->length);

	w->children[b->node][w->text[b->edge]] = inner;
	w->edges[next].start += b->length;
	w->children[inner][w->text[w->edges[next].start]] = next;
	return inner;
}

/* Adds the longest waiting suffix, which now ends at `at`. False: the tree has it already. */
static bool add_suffix(struct builder *b, int32_t at)
{
	struct mummer *w = b->w;
	int32_t next, length, inner = b->node;

	for (;;) {
		if (b->length == 0)
			b->edge = at;
		next = w->children[b->node][w->text[b->edge]];
		length = w->edges[next].end - w->edges[next].start;
		if (!next || b->length < length)
			break;
		b->node = inner = next;
		b->edge += length;
		b->length -= length;
	}
	if (next && w->text[w->edges[next].start + b->length] == w->text[at]) {
		b->length++;
		link_to(b, b->node);
		return false;
	}
	if (next)
		inner = split(b, next);
	w->children[inner][w->text[at]] = new_node(w, at, (int32_t)w->n + 1);
	link_to(b, inner);
	return true;
}

static void build_tree(struct mummer *w)
{
	struct builder b = {.w = w};

	new_node(w, 0, 0);
	for (int32_t at = 0; at < (int32_t)w->n; at++) {
		b.unlinked = 0;
		for (b.waiting++; b.waiting > 0; b.waiting--) {
			if (!add_suffix(&b, at))
				break;
			if (b.node == 0 && b.length > 0) {
				b.length--;
				b.edge = at - b.waiting + 2;
			} else {
				b.node = w->edges[b.node].link;
			}
		}
	}
}

/* Fills in how many letters are above each edge: parents before children. */
static void measure_depths(struct workload_run *run)
{
	struct mummer *w = run->state;
	int32_t *queue = arena_alloc(run->arena, w->nodes, sizeof(*queue));
	uint32_t head = 0, tail = 1;

	while (head < tail) {
		int32_t node = queue[head++];
		const struct edge *edge = &w->edges[node];

		for (uint32_t c = 0; c < LETTERS; c++) {
			int32_t child = w->children[node][c];

			if (!child)
				continue;
			w->edges[child].above = edge->above + edge->end - edge->start;
			queue[tail++] = child;
		}
	}
}

/* A tree of n leaves has fewer inner nodes than leaves. */
static void make_tree(struct workload_run *run)
{
	struct mummer *w = run->state;
	size_t most = 2 * (size_t)w->n + 1;

	w->children = arena_alloc(run->arena, most, sizeof(*w->children));
	w->edges = arena_alloc(run->arena, most, sizeof(*w->edges));
	build_tree(w);
	measure_depths(run);
}

static int launch(struct workload_run *run, const buffer_t inputs[5], struct err *err)
{
	struct mummer *w = run->state;
	int32_t queries = (int32_t)w->queries, shortest = (int32_t)w->p.shortest;
	uint32_t threads = workload_by_size(run, w->p.threads, 32, 256);
	module_t module = workload_module(run, "mummer", err);

	if (!module)
		return -1;
	return gpu_launch(run->gpu,
		&(struct launch){
			.module = module,
			.kernel = "mummer",
			.grid = {(uint32_t)div_up(w->queries, threads), 1, 1},
			.block = {threads, 1, 1},
			.args = (struct launch_arg[]){ARG_BUF(inputs[0]), ARG_BUF(inputs[1]),
				ARG_BUF(inputs[2]), ARG_BUF(inputs[3]), ARG_BUF(inputs[4]),
				ARG_BUF(run->result), ARG_VAL(queries), ARG_VAL(shortest)},
			.nargs = 8,
		},
		err);
}

static int setup(struct workload_run *run, struct err *err)
{
	struct mummer *w = run->state;
	buffer_t inputs[5];
	size_t letters;

	w->n = workload_by_size(run, w->p.n, 16384, 1000000);
	w->queries = workload_by_size(run, w->p.queries, 1000, 50000);
	if (w->n < MIN_QUERY + SPAN - 1)
		return err_add(err, ERR_INPUT, "mummer.n = %u: must be %u or more", w->n,
			MIN_QUERY + SPAN - 1);
	make_text(run);
	make_queries(run);
	make_tree(run);
	letters = (size_t)w->firsts[w->queries];
	inputs[0] = workload_buffer(run, "text", w->text, w->n + 1, err);
	inputs[1] =
		workload_buffer(run, "children", w->children, w->nodes * sizeof(*w->children), err);
	inputs[2] = workload_buffer(run, "edges", w->edges, w->nodes * sizeof(*w->edges), err);
	inputs[3] = workload_buffer(run, "queries", w->letters, letters, err);
	inputs[4] = workload_buffer(
		run, "first letters", w->firsts, (w->queries + 1) * sizeof(int32_t), err);
	workload_result(run, "matches", NULL, letters * 2 * sizeof(int32_t), err);
	for (unsigned i = 0; i < ARRAY_LEN(inputs); i++)
		if (!inputs[i])
			return -1;
	return run->result ? launch(run, inputs, err) : -1;
}

static uint32_t seed_of(const uint8_t *letters)
{
	uint32_t seed = 0;

	for (unsigned i = 0; i < SEED; i++)
		seed = seed * LETTERS + letters[i];
	return seed;
}

/* All places of the text, those with the same first letters in a chain, ascending. */
struct chains {
	int32_t *heads, *next; /* -1: none */
};

static struct chains make_chains(struct workload_run *run)
{
	const struct mummer *w = run->state;
	uint32_t seeds = 1u << (2 * SEED);
	struct chains c = {
		.heads = arena_alloc(run->arena, seeds, sizeof(int32_t)),
		.next = arena_alloc(run->arena, w->n, sizeof(int32_t)),
	};

	for (uint32_t i = 0; i < seeds; i++)
		c.heads[i] = -1;
	for (uint32_t i = w->n - SEED + 1; i-- > 0;) {
		uint32_t seed = seed_of(w->text + i);

		c.next[i] = c.heads[seed];
		c.heads[seed] = (int32_t)i;
	}
	return c;
}

/* Tries every place with the same first letters; the first of the longest matches. */
static void reference(const struct mummer *w, const struct chains *c, const uint8_t *letters,
	int32_t left, int32_t match[2])
{
	for (int32_t i = c->heads[seed_of(letters)]; i >= 0; i = c->next[i]) {
		int32_t length = SEED;

		while (length < left && w->text[i + length] == letters[length])
			length++;
		if (length >= (int32_t)w->p.shortest && length > match[1]) {
			match[0] = i;
			match[1] = length;
		}
	}
}

static int check(struct workload_run *run, struct err *err)
{
	const struct mummer *w = run->state;
	struct chains chains = make_chains(run);
	size_t values = 2 * (size_t)w->firsts[w->queries];
	int32_t *expected = arena_alloc(run->arena, values, sizeof(*expected));

	for (uint32_t q = 0; q < w->queries; q++) {
		int32_t end = w->firsts[q + 1];

		for (int32_t at = w->firsts[q]; at + (int32_t)w->p.shortest <= end; at++)
			reference(w, &chains, w->letters + at, end - at, expected + 2 * at);
	}
	return workload_check_i32(run, expected, values, err);
}

/* Texts so short that the walk comes up to the root, queries that hold one place. */
static const char *const variants[] = {"mummer.n=40 mummer.queries=100 mummer.shortest=8",
	"mummer.n=500 mummer.queries=33 mummer.shortest=25", NULL};

static const struct workload_ops ops = {
	.computes =
		"Longest matches of every part of many short reads in a genome, by a suffix tree.",
	.source = "Rodinia, mummergpu (Schatz et al., BMC Bioinformatics 2007)",
	.setup = setup,
	.check = check,
	.variants = variants,
};

const struct plugin mummer_workload = {
	.kind = "workload",
	.name = "mummer",
	.text = "Suffix-tree matching: pointer chasing, divergence, scattered loads.",
	.path = "mummer",
	.size = sizeof(struct mummer),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
};
