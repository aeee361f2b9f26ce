/* Twins: one run's state in another chip. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "chip/checkpoint.h"
#include "chip/inside.h"
#include "chip/journal.h"
#include "chip/profile/inside.h"
#include "chip/trace/inside.h"
#include "runs/region.h"
#include "tests/rig/support_gpu.h"
#include "tests/rig/twin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PIECES 4096u

/* A copy of a chip's memory. */
struct copy {
	unsigned char *of[PIECES];
	unsigned n;
};

struct range {
	const unsigned char *at;
	size_t bytes;
};

struct side {
	struct workload_rig *rig;
	struct region region; /* sampled, or empty */
	struct region_watch watch;
	struct copy fresh; /* when its first window began */
	struct copy saved; /* when its state was saved */
	struct state_space *spaces;
	uint32_t nspaces;
};

struct meeting {
	struct twin *twin;
	struct side first, second;
	uint64_t windows;
	unsigned char *tape;
	size_t used, room, at;
	struct range *scratch;
	size_t nscratch;
	struct text end; /* of the twin */
	struct text refusal;
	bool refuses;
	unsigned spoils; /* loads of it with a wrong byte */
	const struct state *loading;
	struct gpu_journal journal, saved_journal; /* of the first; as it was when it was saved */
	unsigned batches, saved_batches;           /* that were complete */
	char folder[32];                           /* of traces */
};

/* ---- the tape */
static bool put(void *ctx, void *bytes, size_t n)
{
	struct meeting *m = ctx;

	if (m->used + n > m->room) {
		m->room = 2 * (m->used + n);
		m->tape = realloc(m->tape, m->room);
		assert_non_null(m->tape);
	}
	memcpy(m->tape + m->used, bytes, n);
	m->used += n;
	return true;
}

/* The i-th piece of a chip's memory, and of its profile's. */
static const void *piece_of(const struct gpu *g, unsigned i, size_t *bytes)
{
	const void *at = arena_piece(&g->chip->arena, i, bytes);
	unsigned n = 0;

	if (at || !g->chip->profile)
		return at;
	while (arena_piece(&g->chip->arena, n, bytes))
		n++;
	return arena_piece(&g->chip->profile->arena, i - n, bytes);
}

static void take_copy(const struct gpu *g, struct copy *c)
{
	size_t bytes;
	const void *at;

	while ((at = piece_of(g, c->n, &bytes))) {
		assert_true(c->n < PIECES);
		c->of[c->n] = malloc(bytes + 1);
		memcpy(c->of[c->n++], at, bytes);
	}
}

static void free_copy(struct copy *c)
{
	while (c->n)
		free(c->of[--c->n]);
}

static bool get(void *ctx, void *bytes, size_t n)
{
	struct meeting *m = ctx;

	if (!m->at && m->twin->compare)
		take_copy(m->second.rig->gpu, &m->second.fresh);
	if (m->at + n > m->used)
		return false;
	memcpy(bytes, m->tape + m->at, n);
	m->at += n;
	return true;
}

static void note_scratch(void *ctx, const void *at, size_t bytes)
{
	struct meeting *m = ctx;

	m->scratch = realloc(m->scratch, (m->nscratch + 1) * sizeof(*m->scratch));
	m->scratch[m->nscratch++] = (struct range){at, bytes};
}

/* ---- comparing */
static bool is_scratch(const struct meeting *m, const unsigned char *at)
{
	for (size_t i = 0; i < m->nscratch; i++)
		if (at + 8 > m->scratch[i].at && at < m->scratch[i].at + m->scratch[i].bytes)
			return true;
	return false;
}

/* Where a word points on its side: the space's or piece's number, and the offset there. */
static bool locate(const struct side *s, uint64_t word, uint64_t *number, uint64_t *offset)
{
	const unsigned char *piece;
	size_t bytes;

	for (*number = 0; (piece = piece_of(s->rig->gpu, (unsigned)*number, &bytes)); ++*number) {
		*offset = word - (uintptr_t)piece;
		if (*offset <= bytes)
			return true;
	}
	for (uint32_t i = 0; i < s->nspaces; i++, ++*number) {
		*offset = word - (uintptr_t)s->spaces[i].at;
		if (*offset < s->spaces[i].bytes)
			return true;
	}
	return false;
}

static bool points_alike(const struct meeting *m, uint64_t a, uint64_t b)
{
	uint64_t number[2], offset[2];

	return locate(&m->first, a, &number[0], &offset[0]) &&
	       locate(&m->second, b, &number[1], &offset[1]) && number[0] == number[1] &&
	       offset[0] == offset[1];
}

static uint64_t word_at(const unsigned char *at)
{
	uint64_t w;

	memcpy(&w, at, sizeof(w));
	return w;
}

/* The part before which a piece's address is, for the message: its component's name. */
static const char *owner(const struct gpu *g, const unsigned char *at)
{
	const struct chip *c = g->chip;
	const struct component *best = &c->dispatcher->base;
	uintptr_t least = UINTPTR_MAX;
	struct component *const *lists[] = {
		c->sm, c->slice, c->channel, &c->request, &c->reply, &c->mmu};
	size_t n[] = {c->p.sms, c->channels * c->per_channel, c->channels, 1, 1, c->mmu ? 1 : 0};

	for (size_t k = 0; k < ARRAY_LEN(lists); k++)
		for (size_t i = 0; i < n[k]; i++) {
			uintptr_t d = (uintptr_t)at - (uintptr_t)lists[k][i];

			if (d < least) {
				least = d;
				best = lists[k][i];
			}
		}
	fprintf(stderr, "[offset %zu from %s] ", (size_t)least, best->name);
	return best->name;
}

static unsigned compare_piece(const struct meeting *m, unsigned i)
{
	size_t bytes, other;
	const unsigned char *at_first = piece_of(m->first.rig->gpu, i, &bytes);
	const unsigned char *a = m->first.saved.of[i];
	const unsigned char *b = piece_of(m->second.rig->gpu, i, &other);
	unsigned bad = 0;

	assert_int_equal(bytes, other);
	for (size_t at = 0; at + 8 <= bytes; at += 8) {
		uint64_t x = word_at(a + at), y = word_at(b + at);

		if (x == y || points_alike(m, x, y) || is_scratch(m, at_first + at))
			continue;
		if (x == word_at(m->first.fresh.of[i] + at) &&
			y == word_at(m->second.fresh.of[i] + at))
			continue;
		if (bad++ < 8)
			fprintf(stderr, "piece %u + %zu (%s): %#llx, twin %#llx\n", i, at,
				owner(m->first.rig->gpu, at_first + at), (unsigned long long)x,
				(unsigned long long)y);
	}
	return bad;
}

static void compare(const struct meeting *m)
{
	unsigned bad = 0;

	assert_int_equal(m->first.fresh.n, m->second.fresh.n);
	for (unsigned i = 0; i < m->first.fresh.n; i++)
		bad += compare_piece(m, i);
	if (bad)
		fail_msg("%s, after %llu windows: %u words differ in the twin",
			m->twin->subject.name, (unsigned long long)m->twin->at, bad);
}

/* ---- what observes the runs */
static const char *file_of(
	const struct meeting *m, const char *kind, const struct workload_rig *rig)
{
	static char path[2][128];
	char *out = path[*kind == 'v'];

	snprintf(out, sizeof(path[0]), "%s/%s%c", m->folder, kind, rig == m->first.rig ? '1' : '2');
	return out;
}

static struct side *side_of(struct meeting *m, const struct workload_rig *rig)
{
	return rig == m->first.rig ? &m->first : &m->second;
}

static void sample(struct meeting *m, struct workload_rig *rig)
{
	const struct region_options o = {.sample = m->twin->sample};
	struct side *side = side_of(m, rig);

	if (!o.sample)
		return;
	if (region_read(&o, &rig->arena, &side->region, &rig->err))
		fail_msg("%s", err_text(&rig->err));
	gpu_warm(rig->gpu);
	sampling_follow(side->region.sample, rig->gpu);
	region_follow(&side->watch, &side->region, rig->gpu, &rig->arena);
}

static void observe(struct meeting *m, struct workload_rig *rig)
{
	struct trace_request r = {.trace = file_of(m, "trace", rig),
		.vcd = file_of(m, "vcd", rig),
		.trace_filter = {"filter", m->twin->trace},
		.vcd_filter = {"filter", m->twin->trace},
		.to = UINT64_C(1) << 40,
		.every = 50,
		.limit_bytes = UINT64_C(1) << 40,
		.title = "twin",
		.checkpoints = true};

	sample(m, rig);
	if (m->twin->profile)
		assert_int_equal(chip_profile(rig->gpu, &rig->err), 0);
	if (m->twin->trace)
		assert_int_equal(chip_trace(rig->gpu, &r, &rig->err), 0);
}

static void tell_row(struct text *out, const uint64_t *n, size_t bytes)
{
	for (size_t i = 0; i < bytes / sizeof(*n); i++)
		text_raw(out, "%llx ", (unsigned long long)n[i]);
	text_raw(out, "\n");
}

static void tell_profile(struct workload_rig *rig, struct text *out)
{
	struct profile_sum s;

	chip_profile_sum(rig->gpu, &rig->arena, &s);
	for (uint32_t i = 0; i < s.nsites; i++) {
		tell_row(out, s.site[i].n, sizeof(s.site[i]));
		tell_row(out, s.stall_site[i].event, sizeof(s.stall_site[i]));
		text_raw(out, "%u\n", (unsigned)s.site_buffer[i]);
	}
	for (uint32_t i = 0; i < s.nbuffers; i++)
		tell_row(out, s.buffer[i].n, sizeof(s.buffer[i]));
	for (unsigned i = 0; i < s.sms; i++) {
		tell_row(out, s.sm[i].n, sizeof(s.sm[i]));
		tell_row(out, s.sm_bin[i], sizeof(s.sm_bin[i]));
	}
	for (unsigned i = 0; i < s.channels; i++)
		tell_row(out, &s.bin[i][0].read, PROFILE_BINS * sizeof(s.bin[i][0]));
	text_raw(out, "unblamed %llu\n", (unsigned long long)s.unblamed);
}

/* The second's file, behind what it begins with, is the end of the first's. */
static void compare_files(const struct meeting *m, const char *kind, uint64_t head)
{
	char *bytes[2];
	size_t n[2];
	struct err err = {0};

	for (unsigned i = 0; i < 2; i++) {
		const char *path = file_of(m, kind, i ? m->second.rig : m->first.rig);

		bytes[i] = file_read(NULL, path, &n[i], ERR_HOST, &err);
		assert_non_null(bytes[i]);
		unlink(path);
	}
	assert_in_range(head, 1, n[1]);
	assert_in_range(n[1] - head, 0, n[0]);
	n[1] -= head;
	if (memcmp(bytes[0] + n[0] - n[1], bytes[1] + head, n[1]) != 0)
		fail_msg("%s: the %s does not end as the first run's", m->twin->subject.name, kind);
	mem_free(bytes[0]);
	mem_free(bytes[1]);
}

static void end_trace(struct meeting *m, struct workload_rig *rig)
{
	const struct trace *t = rig->gpu->chip->trace;
	uint64_t heads[] = {t->file.head_bytes, t->vcd.head_bytes};
	struct trace_outcomes out;

	assert_int_equal(chip_trace_end(rig->gpu, &out, &rig->err), 0);
	if (rig == m->first.rig)
		return;
	compare_files(m, "trace", heads[0]);
	compare_files(m, "vcd", heads[1]);
}

/* ---- the two runs */
static void tell_end(struct meeting *m, struct workload_rig *rig, struct text *out)
{
	struct kit kit = {.gpu = rig->gpu, .config = rig->config};

	if (m->twin->trace)
		end_trace(m, rig);
	chip_close(rig->gpu);
	*out = kit_everything(&kit);
	if (m->twin->sample) {
		struct sample_result r =
			sample_estimate(rig->gpu, side_of(m, rig)->region.sample, &rig->arena);

		sample_text(&r, out);
		m->twin->untimed = (double)(r.instructions - r.timed_instructions);
	}
	if (m->twin->profile)
		tell_profile(rig, out);
}

static uint64_t twin_edge(void *ctx, struct sim *sim)
{
	struct meeting *m = ctx;

	(void)sim;
	m->second.spaces = m->loading->spaces;
	m->second.nspaces = m->loading->nspaces;
	if (m->twin->compare && m->first.fresh.n)
		compare(m);
	free_copy(&m->first.fresh);
	free_copy(&m->first.saved);
	return UINT64_MAX;
}

/* All batches from the present one on. */
static void run_on(struct workload_rig *rig, const struct host_hooks *hooks, unsigned *batches)
{
	const struct workload_ops *ops = rig->run->ops;
	int more = 1;

	for (; more > 0; ++*batches) {
		if (chip_run(rig->gpu, 0, hooks, &rig->err))
			fail_msg("%s", err_text(&rig->err));
		more = ops->advance ? ops->advance(rig->run, &rig->err) : 0;
	}
	if (more < 0)
		fail_msg("%s", err_text(&rig->err));
}

/* The host does again what it had done. */
static void repeat(struct meeting *m, struct workload_rig *rig)
{
	for (unsigned i = 0; i < m->saved_batches; i++) {
		assert_int_equal(chip_run(rig->gpu, 0, NULL, &rig->err), 0);
		assert_int_equal(rig->run->ops->advance(rig->run, &rig->err), 1);
	}
	assert_int_equal(m->saved_journal.at, m->saved_journal.n);
	assert_false(m->saved_journal.failed);
}

static void run_twin(struct workload_rig *rig, void *ctx)
{
	struct meeting *m = ctx;
	struct state s = {.loads = true, .move = get, .ctx = m, .err = &rig->err};
	struct host_hooks hooks = {.ctx = m, .edge = twin_edge};
	struct err *err = &rig->err;
	unsigned batches = 0;

	m->second.rig = rig;
	observe(m, rig);
	gpu_journal(rig->gpu, &m->saved_journal);
	if (rig->run->ops->setup(rig->run, err))
		fail_msg("%s", err_text(err));
	chip_resume(rig->gpu, &s);
	repeat(m, rig);
	m->loading = &s;
	run_on(rig, &hooks, &batches);
	if (rig->run->ops->check(rig->run, err))
		fail_msg("%s", err_text(err));
	assert_int_equal(m->at, m->used);
	tell_end(m, rig, &m->end);
	state_clear(&s);
}

static void put_journal(struct meeting *m)
{
	struct gpu_journal *j = &m->saved_journal;

	*j = (struct gpu_journal){.n = m->journal.n, .room = m->journal.n};
	j->bytes = mem_alloc(j->n + 1, 1);
	assert_non_null(j->bytes);
	if (j->n)
		memcpy(j->bytes, m->journal.bytes, j->n);
}

static void meet(struct meeting *m)
{
	struct state s = {
		.move = put, .ctx = m, .err = &m->first.rig->err, .scratch = note_scratch};

	chip_state(m->first.rig->gpu, &s);
	m->twin->bytes = m->used;
	if (m->refuses) {
		assert_true(s.failed);
		text_add(&m->refusal, "%s", err_text(s.err));
		err_clear(s.err);
	} else {
		if (s.failed)
			fail_msg("%s", err_text(s.err));
		m->first.spaces = s.spaces;
		m->first.nspaces = s.nspaces;
	}
	if (m->twin->compare)
		take_copy(m->first.rig->gpu, &m->first.saved);
	m->saved_batches = m->batches;
	put_journal(m);
	m->twin->saved = true;
}

/* ---- wrong bytes */
static uint64_t stop(void *ctx, struct sim *sim)
{
	(void)ctx;
	sim_stop(sim);
	return 1;
}

/* Loads it and runs no window: whatever it is, nothing may crash. */
static void load_only(struct workload_rig *rig, void *ctx)
{
	struct meeting *m = ctx;
	struct state s = {.loads = true, .move = get, .ctx = m, .err = &rig->err};
	struct host_hooks hooks = {.ctx = m, .edge = stop};

	m->second.rig = rig;
	observe(m, rig);
	if (rig->run->ops->setup(rig->run, &rig->err))
		fail_msg("%s", err_text(&rig->err));
	chip_resume(rig->gpu, &s);
	chip_run(rig->gpu, 0, &hooks, &rig->err);
	state_clear(&s);
}

static void spoil(struct meeting *m)
{
	struct rng rng = rng_new(m->twin->subject.seed, 9);

	for (unsigned i = 0; i < m->spoils; i++) {
		unsigned char *at = &m->tape[rng_u64(&rng) % m->used], before = *at;

		*at = (unsigned char)rng_below(&rng, 256);
		m->at = 0;
		workload_rig(load_only, &m->twin->subject, m);
		*at = before;
	}
}

static uint64_t first_edge(void *ctx, struct sim *sim)
{
	struct meeting *m = ctx;

	if (!m->windows && m->twin->compare)
		take_copy(m->first.rig->gpu, &m->first.fresh);
	m->windows = sim_counts(sim).windows;
	if (m->windows >= m->twin->at && !m->twin->saved)
		meet(m);
	return m->twin->saved ? UINT64_MAX : m->twin->at - m->windows;
}

static void run_first(struct workload_rig *rig, void *ctx)
{
	struct meeting *m = ctx;
	struct host_hooks hooks = {.ctx = m, .edge = first_edge};
	struct subject twin = m->twin->subject;
	struct text end;

	m->first.rig = rig;
	observe(m, rig);
	gpu_journal(rig->gpu, &m->journal);
	if (rig->run->ops->setup(rig->run, &rig->err))
		fail_msg("%s", err_text(&rig->err));
	run_on(rig, &hooks, &m->batches);
	m->twin->windows = sim_counts(rig->gpu->chip->sim).windows;
	tell_end(m, rig, &end);
	if (!m->twin->saved || m->refuses || m->spoils) {
		spoil(m);
		text_clear(&end);
		return;
	}
	twin.threads = m->twin->threads;
	workload_rig(run_twin, &twin, m);
	assert_string_equal(text_str(&end), text_str(&m->end));
	text_clear(&end);
}

static void run_both(struct meeting *m)
{
	snprintf(m->folder, sizeof(m->folder), "/tmp/twin-XXXXXX");
	assert_non_null(mkdtemp(m->folder));
	workload_rig(run_first, &m->twin->subject, m);
	free_copy(&m->first.fresh);
	free_copy(&m->first.saved);
	free_copy(&m->second.fresh);
	mem_free(m->first.spaces);
	gpu_journal_clear(&m->journal);
	gpu_journal_clear(&m->saved_journal);
	free(m->tape);
	free(m->scratch);
	text_clear(&m->end);
	unlink(file_of(m, "trace", m->first.rig));
	unlink(file_of(m, "vcd", m->first.rig));
	assert_int_equal(rmdir(m->folder), 0);
}

void twin_run(struct twin *t)
{
	struct meeting m = {.twin = t};

	t->subject.timed = true;
	run_both(&m);
}

void twin_spoil(struct twin *t, unsigned loads)
{
	struct meeting m = {.twin = t, .spoils = loads};

	t->subject.timed = true;
	run_both(&m);
}

struct text twin_refusal(const struct twin *t)
{
	struct twin copy = *t;
	struct meeting m = {.twin = &copy, .refuses = true};

	copy.subject.timed = true;
	run_both(&m);
	return m.refusal;
}
