/* needle: Needleman-Wunsch alignment of two random sequences, by diagonals of blocks. */
#include "workloads/workload.h"

#include <stdio.h>

#define LETTERS 24u

#define PARAMS(P, T) \
	P(T, UINT, n, 0, 0, 8192, "letters", \
		"Length of both sequences, a multiple of block; 0 = by size: 256 at small, " \
		"2048 at full.") \
	P(T, UINT, block, 32, 16, 64, "letters", \
		"Blocking factor: 16, 32 or 64 rows and columns of a block, threads of a CTA.") \
	P(T, UINT, penalty, 10, 0, 1000, "points", "What a gap costs.")

struct needle {
	struct {
		PARAMS(PARAM_FIELD, needle)
	} p;
	uint32_t n, columns;
	int32_t *reference; /* (n + 1) x (n + 1) similarities, row 0 and column 0 unused */
	module_t module;
	buffer_t d_reference;
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, needle)};

/* Similarities of letters like BLOSUM62's: symmetric, 4 to 11 for a letter with itself,
 * else -4 to 3 with small values more often than large ones. */
static void draw_similarity(struct rng *rng, int32_t table[LETTERS][LETTERS])
{
	for (uint32_t i = 0; i < LETTERS; i++) {
		table[i][i] = 4 + (int32_t)rng_below(rng, 8);
		for (uint32_t j = 0; j < i; j++) {
			uint32_t a = rng_below(rng, 8), b = rng_below(rng, 8);

			table[i][j] = (int32_t)min_u64(a, b) - 4;
			table[j][i] = table[i][j];
		}
	}
}

static void make_reference(struct workload_run *run)
{
	struct needle *w = run->state;
	struct rng rng = rng_new(run->seed, 0);
	uint32_t *across = arena_alloc(run->arena, w->columns, sizeof(*across));
	int32_t table[LETTERS][LETTERS];

	draw_similarity(&rng, table);
	w->reference = arena_alloc(run->arena, (size_t)w->columns * w->columns, sizeof(int32_t));
	for (uint32_t x = 1; x < w->columns; x++)
		across[x] = rng_below(&rng, LETTERS);
	for (uint32_t y = 1; y < w->columns; y++) {
		uint32_t letter = rng_below(&rng, LETTERS);

		for (uint32_t x = 1; x < w->columns; x++)
			w->reference[(size_t)y * w->columns + x] = table[letter][across[x]];
	}
}

/* A matrix whose row 0 and column 0 hold the cost of leading gaps. */
static int32_t *boundary(struct workload_run *run)
{
	const struct needle *w = run->state;
	int32_t *scores = arena_alloc(run->arena, (size_t)w->columns * w->columns, sizeof(*scores));

	for (uint32_t i = 1; i < w->columns; i++) {
		scores[i] = -(int32_t)(i * w->p.penalty);
		scores[(size_t)i * w->columns] = scores[i];
	}
	return scores;
}

/* Queues one diagonal of `ctas` blocks; `kind` is "upper" or "lower". */
static int launch(struct workload_run *run, const char *kind, uint32_t ctas, struct err *err)
{
	struct needle *w = run->state;
	uint32_t block = (uint32_t)w->p.block;
	int32_t columns = (int32_t)w->columns, penalty = (int32_t)w->p.penalty;
	int32_t blocks = (int32_t)(w->n / block);
	char kernel[32];

	snprintf(kernel, sizeof(kernel), "needle_%s_%u", kind, block);
	return workload_launch(run,
		&(struct launch){
			.module = w->module,
			.kernel = kernel,
			.grid = {ctas, 1, 1},
			.block = {block, 1, 1},
			.args = (struct launch_arg[]){ARG_BUF(w->d_reference), ARG_BUF(run->result),
				ARG_VAL(columns), ARG_VAL(penalty), ARG_VAL(blocks)},
			.nargs = kind[0] == 'l' || run->foreign ? 5 : 4,
		},
		err);
}

static int check_params(const struct needle *w, struct err *err)
{
	unsigned block = (unsigned)w->p.block;

	if (block != 16 && block != 32 && block != 64)
		return err_add(err, ERR_INPUT, "needle.block = %u: must be 16, 32 or 64", block);
	if (w->n % block)
		return err_add(err, ERR_INPUT,
			"needle.n = %u: must be a multiple of needle.block = %u", w->n, block);
	return 0;
}

static int setup(struct workload_run *run, struct err *err)
{
	struct needle *w = run->state;
	size_t bytes;
	uint32_t blocks;

	w->n = workload_by_size(run, w->p.n, 256, 2048);
	if (check_params(w, err))
		return -1;
	w->columns = w->n + 1;
	bytes = (size_t)w->columns * w->columns * sizeof(int32_t);
	make_reference(run);
	w->module = workload_module(run, "needle", err);
	w->d_reference = workload_buffer(run, "reference", w->reference, bytes, err);
	workload_result(run, "scores", boundary(run), bytes, err);
	if (!w->module || !w->d_reference || !run->result)
		return -1;
	blocks = w->n / (uint32_t)w->p.block;
	for (uint32_t ctas = 1; ctas <= blocks; ctas++)
		if (launch(run, "upper", ctas, err))
			return -1;
	for (uint32_t ctas = blocks - 1; ctas > 0; ctas--)
		if (launch(run, "lower", ctas, err))
			return -1;
	return 0;
}

static int check(struct workload_run *run, struct err *err)
{
	const struct needle *w = run->state;
	size_t columns = w->columns;
	int32_t *expected = boundary(run);
	int32_t gap = (int32_t)w->p.penalty;

	for (size_t y = 1; y < columns; y++) {
		int32_t *row = expected + y * columns, *above = row - columns;

		for (size_t x = 1; x < columns; x++) {
			int32_t best = above[x - 1] + w->reference[y * columns + x];

			if (row[x - 1] - gap > best)
				best = row[x - 1] - gap;
			if (above[x] - gap > best)
				best = above[x] - gap;
			row[x] = best;
		}
	}
	return workload_check_i32(run, expected, columns * columns, err);
}

static const char *const variants[] = {
	"needle.block=16 needle.n=64", "needle.block=64 needle.n=192", NULL};

static const struct workload_foreign foreign[] = {
	FOREIGN("rodinia/needle.ptx", "needle_upper_16", "_Z20needle_cuda_shared_1PiS_S_iiii",
		"0 1 1 2 3 grid.x 4"),
	FOREIGN("rodinia/needle.ptx", "needle_lower_16", "_Z20needle_cuda_shared_2PiS_S_iiii",
		"0 1 1 2 3 grid.x 4"),
	{.file = NULL},
};

static const struct workload_ops ops = {
	.computes = "Score matrix of two random sequences' global alignment, by blocks.",
	.source = "Rodinia, nw (Che et al., IISWC 2009; Needleman and Wunsch, 1970)",
	.setup = setup,
	.check = check,
	.variants = variants,
	.foreign = foreign,
	.foreign_settings = "needle.block=16",
};

const struct plugin needle_workload = {
	.kind = "workload",
	.name = "needle",
	.text = "Sequence alignment: wavefronts in much shared memory, few threads.",
	.path = "needle",
	.size = sizeof(struct needle),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
};
