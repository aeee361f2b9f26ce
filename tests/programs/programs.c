/* Runs small programs and compares all they leave in memory. */
#include "tests/programs/programs.h"

#include "core/rng.h"
#include "tests/rig/support_gpu.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static const size_t elem_bytes[] = {1, 2, 4, 8, 4, 8};

/* One row on the way: the buffers as they were, as they should be, and as they are. */
struct attempt {
	const struct program_row *row;
	struct program_run expected, got;
	buffer_t device[PROGRAM_BUFFERS];
	unsigned nbuffers;
};

static size_t bytes_of(const struct program_buffer *b)
{
	return b->n * elem_bytes[b->elem];
}

static uint64_t random_integer(struct rng *rng, uint32_t range)
{
	return range ? rng_below(rng, range) : rng_u64(rng);
}

static void put(void *at, enum elem elem, uint32_t i, uint64_t v)
{
	uint8_t *bytes = at;

	for (size_t k = 0; k < elem_bytes[elem]; k++)
		bytes[i * elem_bytes[elem] + k] = (uint8_t)(v >> 8 * k);
}

static void fill_floats(const struct program_buffer *b, void *at, struct rng *rng)
{
	float *f = at;
	double *d = at;

	for (uint32_t i = 0; i < b->n; i++) {
		double scale = b->range ? b->range : 1, v = (rng_unit(rng) * 2 - 1) * scale;

		if (b->fill == FILL_COUNT)
			v = i;
		if (b->elem == ELEM_F32)
			f[i] = (float)v;
		else
			d[i] = v;
	}
}

static void fill(const struct program_buffer *b, void *at, struct rng rng)
{
	uint64_t last = 0;

	if (b->fill == FILL_ZERO)
		return;
	if (b->elem == ELEM_F32 || b->elem == ELEM_F64) {
		fill_floats(b, at, &rng);
		return;
	}
	for (uint32_t i = 0; i < b->n; i++) {
		if (b->fill == FILL_SORTED)
			last += rng_below(&rng, b->range);
		put(at, b->elem, i,
			b->fill == FILL_SORTED  ? last
			: b->fill == FILL_COUNT ? i
						: random_integer(&rng, b->range));
	}
}

static void prepare(struct attempt *a, const struct program_row *row)
{
	const uint32_t *g = row->grid, *b = row->block;
	struct program_run *e = &a->expected;

	*a = (struct attempt){.row = row};
	*e = (struct program_run){.v = row->values, .ctas = g[0], .block = b[0]};
	e->threads = g[0] * g[1] * g[2] * b[0] * b[1] * b[2];
	while (a->nbuffers < PROGRAM_BUFFERS && row->buffers[a->nbuffers].n)
		a->nbuffers++;
	for (unsigned i = 0; i < a->nbuffers; i++) {
		e->b[i] = calloc(1, bytes_of(&row->buffers[i]));
		a->got.b[i] = calloc(1, bytes_of(&row->buffers[i]));
		assert_non_null(e->b[i]);
		assert_non_null(a->got.b[i]);
		fill(&row->buffers[i], e->b[i],
			rng_new(gpu_hash(row->kernel, strlen(row->kernel)), i));
	}
	if (row->prepare)
		row->prepare(e);
}

static void attempt_free(struct attempt *a)
{
	for (unsigned i = 0; i < a->nbuffers; i++) {
		free(a->expected.b[i]);
		free(a->got.b[i]);
	}
}

/* Gives the buffers to the GPU and queues the launch. */
static void launch(struct kit *k, struct attempt *a, module_t module)
{
	const struct program_row *row = a->row;
	struct launch_arg args[PROGRAM_BUFFERS + 8] = {0};
	struct launch l = {.module = module,
		.kernel = row->kernel,
		.grid = {row->grid[0], row->grid[1], row->grid[2]},
		.block = {row->block[0], row->block[1], row->block[2]},
		.shared_bytes = row->shared_bytes,
		.args = args};

	for (unsigned i = 0; i < a->nbuffers; i++) {
		char name[64];

		snprintf(name, sizeof(name), "%s.%u", row->kernel, i);
		a->device[i] = kit_buffer(k, name, bytes_of(&row->buffers[i]));
		gpu_write(k->gpu, a->device[i], 0, a->expected.b[i], bytes_of(&row->buffers[i]));
		args[l.nargs++] = ARG_BUF(a->device[i]);
	}
	for (unsigned i = 0; i < row->nvalues; i++)
		args[l.nargs++] = ARG_VAL(row->values[i]);
	if (row->structure)
		args[l.nargs++] = (struct launch_arg){
			.kind = ARG_BYTES, .bytes = row->structure, .size = row->structure_bytes};
	if (gpu_launch(k->gpu, &l, &k->err))
		fail_msg("%s: %s", row->kernel, err_text(&k->err));
}

static void fetch(struct kit *k, struct attempt *a)
{
	for (unsigned i = 0; i < a->nbuffers; i++)
		gpu_read(k->gpu, a->device[i], 0, a->got.b[i], bytes_of(&a->row->buffers[i]));
}

static double real(const void *at, enum elem elem, uint32_t i)
{
	return elem == ELEM_F32 ? (double)((const float *)at)[i] : ((const double *)at)[i];
}

static uint64_t whole(const void *at, enum elem elem, uint32_t i)
{
	uint64_t v = 0;

	memcpy(&v, (const uint8_t *)at + i * elem_bytes[elem], elem_bytes[elem]);
	return v;
}

static void compare_element(const struct attempt *a, unsigned buffer, uint32_t i)
{
	const void *e = a->expected.b[buffer], *g = a->got.b[buffer];
	enum elem elem = a->row->buffers[buffer].elem;
	double t = a->row->tolerance, want, have;

	if (whole(e, elem, i) == whole(g, elem, i))
		return;
	if (elem != ELEM_F32 && elem != ELEM_F64)
		fail_msg("%s: buffer %u[%u] is 0x%llx, expected 0x%llx", a->row->kernel, buffer, i,
			(unsigned long long)whole(g, elem, i),
			(unsigned long long)whole(e, elem, i));
	want = real(e, elem, i);
	have = real(g, elem, i);
	if (!(fabs(want - have) <= t * (1 + fabs(want))) || t == 0)
		fail_msg("%s: buffer %u[%u] is %.17g, expected %.17g", a->row->kernel, buffer, i,
			have, want);
}

static void compare(const struct attempt *a)
{
	a->row->reference(&a->expected);
	for (unsigned b = 0; b < a->nbuffers; b++)
		for (uint32_t i = 0; i < a->row->buffers[b].n && !a->row->buffers[b].scratch; i++)
			compare_element(a, b, i);
}

static module_t load(struct kit *k, const struct program_file *file, unsigned address_bits)
{
	char path[4096];
	module_t m;

	snprintf(path, sizeof(path), WARPBEAM_SRCDIR "/tests/programs/%s%s.ptx", file->name,
		address_bits == 64 ? ".64" : "");
	m = gpu_module(k->gpu, path, &k->err);
	if (!m || k->err.count)
		fail_msg("%s", err_text(&k->err));
	return m;
}

static void run_untimed(struct kit *k, struct attempt *a, module_t module)
{
	struct untimed_counts counts = {0};

	launch(k, a, module);
	if (gpu_run_untimed(k->gpu, &counts, &k->err))
		fail_msg("%s: %s", a->row->kernel, err_text(&k->err));
	fetch(k, a);
}

static struct kit open_untimed(const char *settings)
{
	struct kit k = {.config = config_new()};

	char one[128];

	for (size_t n; *settings; settings += n + (settings[n] == ' ')) {
		n = strcspn(settings, " ");
		snprintf(one, sizeof(one), "%.*s", (int)n, settings);
		assert_int_equal(config_set_text(k.config, one, "test", &k.err), 0);
	}
	k.gpu = gpu_new(k.config, NULL, &k.err);
	config_finish(k.config, &k.err);
	if (!k.gpu || k.err.count)
		fail_msg("%s", err_text(&k.err));
	return k;
}

void programs_run(const struct program_file *file, unsigned address_bits, const char *settings)
{
	struct kit k = open_untimed(settings);
	module_t m = load(&k, file, address_bits);

	for (unsigned i = 0; i < file->nrows; i++) {
		struct attempt a;

		prepare(&a, &file->rows[i]);
		run_untimed(&k, &a, m);
		compare(&a);
		attempt_free(&a);
	}
	kit_free(&k);
}

/* The untimed run's buffers become what is expected of the timed one, to the bit. */
static void run_twice(const struct program_row *row, struct kit *untimed, module_t untimed_module,
	struct kit *timed, module_t timed_module)
{
	struct attempt u, t;

	prepare(&u, row);
	prepare(&t, row);
	run_untimed(untimed, &u, untimed_module);
	launch(timed, &t, timed_module);
	if (chip_run(timed->gpu, 0, NULL, &timed->err))
		fail_msg("%s: %s", row->kernel, err_text(&timed->err));
	fetch(timed, &t);
	for (unsigned b = 0; b < t.nbuffers; b++)
		if (!row->buffers[b].scratch &&
			memcmp(u.got.b[b], t.got.b[b], bytes_of(&row->buffers[b])))
			fail_msg("%s: buffer %u differs in time", row->kernel, b);
	attempt_free(&u);
	attempt_free(&t);
}

unsigned programs_run_timed(
	const struct program_file *file, unsigned address_bits, const char *settings)
{
	struct kit untimed = open_untimed(""), timed = kit_new(settings);
	module_t mu = load(&untimed, file, address_bits), mt = load(&timed, file, address_bits);
	unsigned n = 0;

	for (unsigned i = 0; i < file->nrows; i++) {
		if (file->rows[i].slow)
			continue;
		run_twice(&file->rows[i], &untimed, mu, &timed, mt);
		n++;
	}
	chip_close(timed.gpu);
	kit_free(&timed);
	kit_free(&untimed);
	return n;
}
