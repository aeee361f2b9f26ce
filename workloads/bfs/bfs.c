/* bfs: breadth-first search over a random graph, two kernels a level until the frontier
 * is empty. */
#include "workloads/workload.h"

#define THREADS 512u
#define UNREACHED (-1)

/* Every node draws 2 to 4 neighbours; edges go in both directions, so that the average degree is 6.
 */
#define MIN_DRAWS 2u
#define MAX_DRAWS 4u

#define PARAMS(P, T) \
	P(T, UINT, n, 0, 0, 4194304, "nodes", \
		"Nodes of the graph; 0 = by size: 16384 at small, 1000000 at full.") \
	P(T, UINT, source, 0, 0, 4194303, "node", "Where the search starts.")

/* As in bfs.cu: a node's edges are edges[first .. first + degree - 1]. */
struct node {
	int32_t first, degree;
};

struct bfs {
	struct {
		PARAMS(PARAM_FIELD, bfs)
	} p;
	uint32_t n, nedges;
	struct node *nodes;
	int32_t *edges; /* neighbours */
	module_t module;
	buffer_t d_nodes, d_edges, frontier, updating, visited, cost, more;
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, bfs)};

struct pair {
	uint32_t a, b;
};

/* Draws the edges; returns their number. Random edges connect all nodes almost surely; a node that
 * they do not reach stays unreached in kernel and reference alike. */
static uint32_t draw_edges(struct workload_run *run, uint32_t n, struct pair *pairs)
{
	struct rng rng = rng_new(run->seed, 0);
	uint32_t npairs = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t draws = MIN_DRAWS + rng_below(&rng, MAX_DRAWS - MIN_DRAWS + 1);

		for (uint32_t k = 0; k < draws; k++)
			pairs[npairs++] = (struct pair){i, rng_below(&rng, n)};
	}
	return npairs;
}

/* Sorts the drawn pairs, in both directions, into each node's list of edges. */
static void make_graph(struct workload_run *run)
{
	struct bfs *w = run->state;
	struct pair *pairs = arena_alloc(run->arena, (size_t)w->n * MAX_DRAWS, sizeof(*pairs));
	uint32_t npairs = draw_edges(run, w->n, pairs);
	int32_t first = 0;

	w->nedges = 2 * npairs;
	w->nodes = arena_alloc(run->arena, w->n, sizeof(*w->nodes));
	w->edges = arena_alloc(run->arena, w->nedges, sizeof(*w->edges));
	for (uint32_t i = 0; i < npairs; i++) {
		w->nodes[pairs[i].a].degree++;
		w->nodes[pairs[i].b].degree++;
	}
	for (uint32_t i = 0; i < w->n; i++) {
		w->nodes[i].first = first;
		first += w->nodes[i].degree;
		w->nodes[i].degree = 0;
	}
	for (uint32_t i = 0; i < npairs; i++) {
		struct node *a = &w->nodes[pairs[i].a], *b = &w->nodes[pairs[i].b];

		w->edges[a->first + a->degree++] = (int32_t)pairs[i].b;
		w->edges[b->first + b->degree++] = (int32_t)pairs[i].a;
	}
}

static int make_buffers(struct workload_run *run, struct err *err)
{
	struct bfs *w = run->state;
	size_t n = w->n;

	w->d_nodes = workload_buffer(run, "nodes", w->nodes, n * sizeof(struct node), err);
	w->d_edges = workload_buffer(run, "edges", w->edges, w->nedges * sizeof(int32_t), err);
	w->frontier = workload_buffer(run, "frontier", NULL, n, err);
	w->updating = workload_buffer(run, "updating", NULL, n, err);
	w->visited = workload_buffer(run, "visited", NULL, n, err);
	w->cost = workload_result(run, "cost", NULL, n * sizeof(int32_t), err);
	w->more = workload_buffer(run, "more", NULL, sizeof(int32_t), err);
	if (!w->d_nodes || !w->d_edges || !w->frontier || !w->updating || !w->visited || !w->cost ||
		!w->more)
		return -1;
	return 0;
}

/* Nothing is reached but the source, at cost 0. */
static void start(struct workload_run *run)
{
	struct bfs *w = run->state;
	int32_t *cost = arena_alloc(run->arena, w->n, sizeof(*cost));
	const unsigned char yes = 1;

	for (uint32_t i = 0; i < w->n; i++)
		cost[i] = UNREACHED;
	cost[w->p.source] = 0;
	gpu_write(run->gpu, w->cost, 0, cost, w->n * sizeof(*cost));
	gpu_write(run->gpu, w->frontier, w->p.source, &yes, 1);
	gpu_write(run->gpu, w->visited, w->p.source, &yes, 1);
}

/* Queues the two kernels of one level. */
static int launch_level(struct workload_run *run, struct err *err)
{
	struct bfs *w = run->state;
	int32_t n = (int32_t)w->n, none = 0;
	struct launch expand = {
		.module = w->module,
		.kernel = "bfs_expand",
		.grid = {(uint32_t)div_up(w->n, THREADS), 1, 1},
		.block = {THREADS, 1, 1},
		.args = (struct launch_arg[]){ARG_BUF(w->d_nodes), ARG_BUF(w->d_edges),
			ARG_BUF(w->frontier), ARG_BUF(w->updating), ARG_BUF(w->visited),
			ARG_BUF(w->cost), ARG_VAL(n)},
		.nargs = 7,
	};
	struct launch advance = expand;

	advance.kernel = "bfs_advance";
	advance.args = (struct launch_arg[]){ARG_BUF(w->frontier), ARG_BUF(w->updating),
		ARG_BUF(w->visited), ARG_BUF(w->more), ARG_VAL(n)};
	advance.nargs = 5;
	gpu_write(run->gpu, w->more, 0, &none, sizeof(none));
	if (workload_launch(run, &expand, err))
		return -1;
	return workload_launch(run, &advance, err);
}

static int setup(struct workload_run *run, struct err *err)
{
	struct bfs *w = run->state;

	w->module = workload_module(run, "bfs", err);
	w->n = workload_by_size(run, w->p.n, 16384, 1000000);
	if (w->p.source >= w->n)
		return err_add(err, ERR_INPUT, "bfs.source = %llu: must be below bfs.n = %u",
			(unsigned long long)w->p.source, w->n);
	make_graph(run);
	if (!w->module || make_buffers(run, err))
		return -1;
	start(run);
	return launch_level(run, err);
}

static int next_level(struct workload_run *run, struct err *err)
{
	struct bfs *w = run->state;
	int32_t more = 0;

	gpu_read(run->gpu, w->more, 0, &more, sizeof(more));
	if (!more)
		return 0;
	return launch_level(run, err) ? -1 : 1;
}

static int check(struct workload_run *run, struct err *err)
{
	const struct bfs *w = run->state;
	int32_t *expected = arena_alloc(run->arena, w->n, sizeof(*expected));
	uint32_t *queue = arena_alloc(run->arena, w->n, sizeof(*queue));
	uint32_t head = 0, tail = 0;

	for (uint32_t i = 0; i < w->n; i++)
		expected[i] = UNREACHED;
	expected[w->p.source] = 0;
	queue[tail++] = (uint32_t)w->p.source;
	while (head < tail) {
		uint32_t i = queue[head++];
		const int32_t *edge = w->edges + w->nodes[i].first;

		for (int32_t k = 0; k < w->nodes[i].degree; k++) {
			if (expected[edge[k]] != UNREACHED)
				continue;
			expected[edge[k]] = expected[i] + 1;
			queue[tail++] = (uint32_t)edge[k];
		}
	}
	return workload_check_i32(run, expected, w->n, err);
}

static const char *const variants[] = {"bfs.n=700 bfs.source=699", NULL};

static const struct workload_ops ops = {
	.computes = "Distance of every node from a source in a random graph, level by level.",
	.source = "Rodinia, bfs (Che et al., IISWC 2009; Harish and Narayanan, HiPC 2007)",
	.setup = setup,
	.advance = next_level,
	.check = check,
	.variants = variants,
};

const struct plugin bfs_workload = {
	.kind = "workload",
	.name = "bfs",
	.text = "Breadth-first search: divergence and scattered loads.",
	.path = "bfs",
	.size = sizeof(struct bfs),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
};
