/* mummer: maximal exact matches of many short reads in a genome, by a suffix tree that the host
 * builds. One kernel matches; the host counts the alignments; the other kernel writes them. */
#include "workloads/mummer/tree.h"
#include "workloads/workload.h"

#include <string.h>

/* Queries have MIN_QUERY letters and up to SPAN - 1 more. */
#define MIN_QUERY 25u
#define SPAN 8u

/* What the reference finds candidates by: the first SEED letters of a match. */
#define SEED 8u

#define PARAMS(P, T) \
	P(T, UINT, n, 0, 0, 16777216, "letters", \
		"Length of the text, 33 or more; 0 = by size: 16384 at small, 1399930 (the " \
		"suite's) at full.") \
	P(T, UINT, queries, 0, 0, 4194304, "queries", \
		"Queries of 25 to 32 letters; 0 = by size: 1000 at small, 50000 (the suite's, " \
		"all of 25) at full.") \
	P(T, UINT, threads, 0, 0, 1024, "threads", \
		"Threads of a CTA; 0 = by size: 32 at small (for CTAs on every SM), 256 at " \
		"full.") \
	P(T, UINT, shortest, 0, 0, 25, "letters", \
		"The shortest match that counts, 8 or more; 0 = by size: 14 at small, 20 (the " \
		"suite's) at full.") \
	P(T, BOOL, textures, false, 0, 1, "", "The kernels fetch text and tree through textures.")

/* As in mummer.cu. */
struct match {
	int32_t node, length;
};

struct report {
	int32_t query, at, slot;
};

struct alignment {
	int32_t place, length;
};

struct mummer {
	struct {
		PARAMS(PARAM_FIELD, mummer)
	} p;
	uint32_t n, queries, shortest;
	uint8_t *text; /* n letters and the end */
	uint8_t *letters;
	int32_t *firsts; /* where in letters each query begins, and the end of the last */
	struct tree tree;
	module_t module;
	buffer_t d_text, d_children, d_edges, d_branches, d_letters, d_firsts, d_matches;
	struct match *matches; /* for each letter, read back; NULL while they are computed */
	struct report *reports;
	uint32_t nreports, slots;
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, mummer)};

/* A genome like natural ones: a third of it are copies of earlier stretches, with one letter
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

/* Reads from random positions of the text, with one letter of thirty changed. */
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

/* A kernel with a thread for each of n. `through` is the one that has no arguments for text and
 * tree: the first `tree` ones. */
struct each {
	const char *kernel, *through;
	const struct launch_arg *args;
	unsigned nargs, tree;
};

static int launch_each(
	struct workload_run *run, uint32_t n, const struct each *each, struct err *err)
{
	const struct mummer *w = run->state;
	uint32_t threads = workload_by_size(run, w->p.threads, 32, 256);
	unsigned left_out = w->p.textures ? each->tree : 0;
	struct launch l = {
		.module = w->module,
		.kernel = w->p.textures ? each->through : each->kernel,
		.grid = {(uint32_t)div_up(n, threads), 1, 1},
		.block = {threads, 1, 1},
		.args = each->args + left_out,
		.nargs = each->nargs - left_out,
	};

	return workload_launch(run, &l, err);
}

static int launch_match(struct workload_run *run, struct err *err)
{
	struct mummer *w = run->state;
	int32_t queries = (int32_t)w->queries, shortest = (int32_t)w->shortest;
	struct launch_arg args[] = {ARG_BUF(w->d_text), ARG_BUF(w->d_children), ARG_BUF(w->d_edges),
		ARG_BUF(w->d_letters), ARG_BUF(w->d_firsts), ARG_BUF(w->d_matches),
		ARG_VAL(queries), ARG_VAL(shortest)};

	return launch_each(run, w->queries,
		&(struct each){"mummer_match", "mummer_match_textures", args, ARRAY_LEN(args), 3},
		err);
}

static int make_buffers(struct workload_run *run, struct err *err)
{
	struct mummer *w = run->state;
	const struct tree *t = &w->tree;
	size_t letters = (size_t)w->firsts[w->queries], nodes = (size_t)t->nodes;

	w->d_text = workload_buffer(run, "text", w->text, w->n + 1, err);
	w->d_children =
		workload_buffer(run, "children", t->children, nodes * sizeof(*t->children), err);
	w->d_edges = workload_buffer(run, "edges", t->edges, nodes * sizeof(*t->edges), err);
	w->d_branches =
		workload_buffer(run, "branches", t->branches, nodes * sizeof(*t->branches), err);
	w->d_letters = workload_buffer(run, "queries", w->letters, letters, err);
	w->d_firsts = workload_buffer(
		run, "first letters", w->firsts, (w->queries + 1) * sizeof(int32_t), err);
	w->d_matches = workload_buffer(run, "matches", NULL, letters * sizeof(struct match), err);
	return err->count ? -1 : 0;
}

/* Binds one of the kernels' textures to the whole of a buffer. */
static int bind(struct workload_run *run, const char *name, buffer_t buffer,
	struct texture_desc texels, struct err *err)
{
	const struct mummer *w = run->state;
	unsigned bytes = texels.type == TEXEL_U8 ? 1 : 4;
	texture_t t;

	texels.buffer = buffer;
	texels.width = (uint32_t)(gpu_buffer_bytes(run->gpu, buffer) / (bytes * texels.channels));
	t = gpu_texture(run->gpu, name, &texels, err);
	return t ? workload_bind(run, w->module, name, t, err) : -1;
}

static int bind_textures(struct workload_run *run, struct err *err)
{
	const struct mummer *w = run->state;
	struct texture_desc letter = {.type = TEXEL_U8, .channels = 1};
	struct texture_desc one = {.type = TEXEL_S32, .channels = 1};
	struct texture_desc four = {.type = TEXEL_S32, .channels = 4};

	if (!w->p.textures)
		return 0;
	return bind(run, "mummer_text", w->d_text, letter, err) ||
			       bind(run, "mummer_children", w->d_children, one, err) ||
			       bind(run, "mummer_edges", w->d_edges, four, err) ||
			       bind(run, "mummer_branches", w->d_branches, one, err)
		       ? -1
		       : 0;
}

static int setup(struct workload_run *run, struct err *err)
{
	struct mummer *w = run->state;

	w->n = workload_by_size(run, w->p.n, 16384, 1399930);
	w->queries = workload_by_size(run, w->p.queries, 1000, 50000);
	w->shortest = workload_by_size(run, w->p.shortest, 14, 20);
	if (w->n < MIN_QUERY + SPAN - 1)
		return err_add(err, ERR_INPUT, "mummer.n = %u: must be %u or more", w->n,
			MIN_QUERY + SPAN - 1);
	if (w->shortest < SEED)
		return err_add(err, ERR_INPUT, "mummer.shortest = %u: must be %u or more",
			w->shortest, SEED);
	w->module = workload_module(run, "mummer", err);
	if (!w->module)
		return -1;
	make_text(run);
	make_queries(run);
	w->tree = tree_new(w->text, w->n, run->arena);
	return make_buffers(run, err) || bind_textures(run, err) ? -1 : launch_match(run, err);
}

/* True when a match of this length can end at its node, `left` letters before its query's end. */
static bool is_match(const struct mummer *w, struct match m, int32_t left)
{
	const struct edge *edge;

	if (m.node <= 0 || m.node >= w->tree.nodes)
		return false;
	edge = &w->tree.edges[m.node];
	return m.length >= (int32_t)w->shortest && m.length <= left && m.length > edge->above &&
	       m.length <= edge->above + edge->end - edge->start;
}

/* How many positions of the text begin with `shortest` letters of the match: the leaves below the
 * highest node that has as many. */
static int32_t count_leaves(const struct mummer *w, int32_t node)
{
	while (w->tree.edges[node].above >= (int32_t)w->shortest)
		node = w->tree.branches[node].parent;
	return w->tree.leaves[node];
}

/* Reports the matches of one query, with space for the alignments of each. */
static int report(struct mummer *w, uint32_t query, struct err *err)
{
	int32_t end = w->firsts[query + 1];

	for (int32_t at = w->firsts[query]; at < end; at++) {
		struct match m = w->matches[at];
		uint32_t leaves;

		if (m.length == 0 && m.node == 0)
			continue;
		if (!is_match(w, m, end - at))
			return err_add(err, ERR_CHECK,
				"matches[%d]: %d letters do not match down to node %d", at,
				m.length, m.node);
		leaves = (uint32_t)count_leaves(w, m.node);
		if (leaves > INT32_MAX - w->slots)
			return err_add(err, ERR_INPUT,
				"mummer.shortest = %u: more than %d alignments; longer matches "
				"are fewer",
				w->shortest, INT32_MAX);
		w->reports[w->nreports++] = (struct report){(int32_t)query, at, (int32_t)w->slots};
		w->slots += leaves;
	}
	return 0;
}

static int launch_print(struct workload_run *run, struct err *err)
{
	struct mummer *w = run->state;
	int32_t n = (int32_t)w->nreports, shortest = (int32_t)w->shortest;
	buffer_t reports =
		workload_buffer(run, "reports", w->reports, w->nreports * sizeof(*w->reports), err);
	struct launch_arg args[] = {ARG_BUF(w->d_text), ARG_BUF(w->d_edges), ARG_BUF(w->d_branches),
		ARG_BUF(w->d_letters), ARG_BUF(w->d_firsts), ARG_BUF(w->d_matches),
		ARG_BUF(reports), ARG_BUF(run->result), ARG_VAL(n), ARG_VAL(shortest)};

	if (!reports)
		return -1;
	return launch_each(run, w->nreports,
		&(struct each){"mummer_print", "mummer_print_textures", args, ARRAY_LEN(args), 3},
		err);
}

/* Of the alignments: a buffer is never empty. */
static size_t room(const struct mummer *w)
{
	return max_u64(w->slots, 1);
}

/* Between the kernels: reads the matches, and counts their alignments. */
static int print_matches(struct workload_run *run, struct err *err)
{
	struct mummer *w = run->state;
	size_t letters = (size_t)w->firsts[w->queries];

	if (w->matches)
		return 0;
	w->matches = arena_alloc(run->arena, letters, sizeof(*w->matches));
	w->reports = arena_alloc(run->arena, letters, sizeof(*w->reports));
	gpu_read(run->gpu, w->d_matches, 0, w->matches, letters * sizeof(*w->matches));
	for (uint32_t q = 0; q < w->queries; q++)
		if (report(w, q, err))
			return -1;
	if (!workload_result(run, "alignments", NULL, room(w) * sizeof(struct alignment), err))
		return -1;
	if (w->nreports == 0)
		return 0;
	return launch_print(run, err) ? -1 : 1;
}

static uint32_t seed_of(const uint8_t *letters)
{
	uint32_t seed = 0;

	for (unsigned i = 0; i < SEED; i++)
		seed = seed * LETTERS + letters[i];
	return seed;
}

/* All positions of the text, those with the same first letters in a chain, ascending. */
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

/* What the reference finds at one position of a query. */
struct found {
	const uint8_t *letters;
	int32_t left; /* letters of the query from here on */
	bool first;   /* no letter of the query is before it */
	struct alignment *out;
	int32_t room;           /* elements of out */
	int32_t places;         /* of the text with `shortest` letters or more in common */
	int32_t n;              /* of them are in out */
	struct alignment match; /* the first of the longest */
};

/* Longer alignments come first, those of the same length in the order of the text's suffixes. */
static bool precedes(const struct mummer *w, struct alignment a, struct alignment b)
{
	size_t rest = w->n + 1 - (size_t)(a.place > b.place ? a.place : b.place);

	if (a.length != b.length)
		return a.length > b.length;
	return memcmp(w->text + a.place, w->text + b.place, rest) < 0;
}

static void insert(const struct mummer *w, struct found *f, struct alignment a)
{
	int32_t i = f->n++;

	for (; i > 0 && precedes(w, a, f->out[i - 1]); i--)
		f->out[i] = f->out[i - 1];
	f->out[i] = a;
}

/* Tries every position with the same first letters. */
static void reference(const struct mummer *w, const struct chains *c, struct found *f)
{
	for (int32_t i = c->heads[seed_of(f->letters)]; i >= 0; i = c->next[i]) {
		int32_t length = SEED;

		while (length < f->left && w->text[i + length] == f->letters[length])
			length++;
		if (length < (int32_t)w->shortest)
			continue;
		if (length > f->match.length)
			f->match = (struct alignment){i, length};
		if (f->places++ < f->room &&
			(f->first || i == 0 || f->letters[-1] != w->text[i - 1]))
			insert(w, f, (struct alignment){i, length});
	}
}

/* Where the text first has what the kernel matched. */
static struct alignment place_of(const struct mummer *w, struct match m)
{
	const struct edge *edge = &w->tree.edges[m.node];

	return (struct alignment){edge->start - edge->above, m.length};
}

/* Compares the match, and finds the alignments. */
static int check_place(const struct mummer *w, const struct chains *chains, struct found *f,
	int32_t at, struct err *err)
{
	struct alignment ours = place_of(w, w->matches[at]);

	if (f->left >= (int32_t)w->shortest)
		reference(w, chains, f);
	if (ours.place != f->match.place || ours.length != f->match.length)
		return err_add(err, ERR_CHECK,
			"matches[%d] is %d letters from %d of the text, the reference says %d from "
			"%d",
			at, ours.length, ours.place, f->match.length, f->match.place);
	if (f->places > f->room)
		return err_add(err, ERR_CHECK,
			"alignments has space for %d of match %d, the reference counts %d", f->room,
			at, f->places);
	return 0;
}

static int check(struct workload_run *run, struct err *err)
{
	const struct mummer *w = run->state;
	struct chains chains = make_chains(run);
	struct alignment *expected = arena_alloc(run->arena, room(w), sizeof(*expected));
	int32_t slot = 0;

	for (uint32_t q = 0; q < w->queries; q++) {
		int32_t begin = w->firsts[q], end = w->firsts[q + 1];

		for (int32_t at = begin; at < end; at++) {
			struct found f = {.letters = w->letters + at,
				.left = end - at,
				.first = at == begin,
				.out = expected + slot,
				.room = (int32_t)w->slots - slot};

			if (check_place(w, &chains, &f, at, err))
				return -1;
			slot += f.places;
		}
	}
	return workload_check_i32(run, &expected->place, 2 * room(w), err);
}

/* Texts so short that the walk comes up to the root, queries with one position, matches so short
 * that many leaves are around them, and no match at all. */
static const char *const variants[] = {"mummer.n=40 mummer.queries=100 mummer.shortest=8",
	"mummer.n=500 mummer.queries=33 mummer.shortest=25",
	"mummer.n=1500 mummer.queries=300 mummer.shortest=8",
	"mummer.n=33 mummer.queries=1 mummer.shortest=25",
	"mummer.n=1500 mummer.queries=300 mummer.shortest=8 mummer.textures=true", NULL};

static const struct workload_ops ops = {
	.computes =
		"All maximal matches of many short reads in a genome: a suffix tree walked down, "
		"then around each match.",
	.source =
		"Rodinia, mummergpu (Schatz et al., BMC Bioinformatics 2007; Trapnell and Schatz, "
		"Parallel Computing 35, 2009)",
	.setup = setup,
	.advance = print_matches,
	.check = check,
	.variants = variants,
};

const struct plugin mummer_workload = {
	.kind = "workload",
	.name = "mummer",
	.text = "Suffix-tree matching and printing: pointer chasing, divergence, scattered loads.",
	.path = "mummer",
	.size = sizeof(struct mummer),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
};
