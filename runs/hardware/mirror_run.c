/* A mirror's launches: from what the host wrote before them to what it reads after them. */
#include "runs/hardware/mirror_inside.h"

#include "core/base.h"
#include "core/text.h"

#include <math.h>
#include <string.h>

/* More needs the driver's leave (CUDA C++ Programming Guide, "Shared Memory"). */
#define SHARED_WITHOUT_LEAVE (48u * 1024u)
#define BLOCK 4096u /* bytes that are compared at once */

/* ---- what the host wrote */
static void note_write(
	struct mirror *m, buffer_t b, const unsigned char *now, uint64_t from, uint64_t to)
{
	struct mirrored *seen = &m->buffers.at[b - 1];
	struct mirror_write *w;

	while (now[from] == seen->seen[from])
		from++;
	while (now[to - 1] == seen->seen[to - 1])
		to--;
	w = MIRROR_ADD(m, writes);
	*w = (struct mirror_write){.buffer = b, .offset = from, .bytes = to - from};
	w->batch = m->batches;
	w->data = arena_alloc(m->arena, w->bytes, 1);
	memcpy(w->data, now + from, w->bytes);
	memcpy(seen->seen + from, now + from, w->bytes);
}

/* Changed blocks that follow each other are one write. */
static void note_writes(struct mirror *m, buffer_t b)
{
	const unsigned char *now = gpu_buffer_data(m->gpu, b);
	const struct mirrored *to = &m->buffers.at[b - 1];
	uint64_t begin = UINT64_MAX;

	for (uint64_t at = 0; at < to->bytes; at += BLOCK) {
		uint64_t n = min_u64(BLOCK, to->bytes - at);
		bool same = !memcmp(now + at, to->seen + at, n);

		if (!same && begin == UINT64_MAX)
			begin = at;
		if (same && begin != UINT64_MAX) {
			note_write(m, b, now, begin, at);
			begin = UINT64_MAX;
		}
	}
	if (begin != UINT64_MAX)
		note_write(m, b, now, begin, to->bytes);
}

static int write_batch(struct mirror *m, unsigned batch, struct err *err)
{
	for (unsigned i = 0; i < m->writes.n; i++) {
		const struct mirror_write *w = &m->writes.at[i];
		const struct mirrored *to = &m->buffers.at[w->buffer - 1];
		const char *name = gpu_buffer_name(m->gpu, w->buffer);

		if (w->batch != batch)
			continue;
		if (to->absent)
			return err_add(err, ERR_UNSUPPORTED,
				"variable '%s' is written by the host, and the driver does not "
				"know it: it must be .visible",
				name);
		if (DRIVER_CALL(
			    m->d, name, err, memory_write, to->at + w->offset, w->data, w->bytes))
			return -1;
	}
	return 0;
}

/* ---- launches */
static int describe_kernel(struct mirror *m, struct mirror_kernel *k, struct err *err)
{
	const struct {
		int attribute;
		int *value;
	} wanted[] = {{CUDA_REGISTERS, &k->registers}, {CUDA_LOCAL_BYTES, &k->local_bytes},
		{CUDA_SHARED_BYTES, &k->shared_bytes}};
	const char *name = k->program->name;

	if (DRIVER_CALL(m->d, name, err, module_function, &k->function,
		    m->modules.at[k->module - 1].module, name))
		return -1;
	for (unsigned i = 0; i < ARRAY_LEN(wanted); i++)
		if (DRIVER_CALL(m->d, name, err, function_attribute, wanted[i].value,
			    wanted[i].attribute, k->function))
			return -1;
	return 0;
}

static int find_kernel(
	struct mirror *m, const struct program *p, module_t module, unsigned *out, struct err *err)
{
	struct mirror_kernel k = {.program = p, .module = module};

	for (*out = 0; *out < m->kernels.n; ++*out)
		if (m->kernels.at[*out].program == p)
			return 0;
	if (describe_kernel(m, &k, err))
		return -1;
	*MIRROR_ADD(m, kernels) = k;
	return 0;
}

static int find_stream(struct mirror *m, unsigned id, void **out, struct err *err)
{
	void *stream = NULL;

	for (unsigned i = 0; i < m->streams.n; i++) {
		if (m->streams.at[i].id != id)
			continue;
		*out = m->streams.at[i].stream;
		return 0;
	}
	if (DRIVER_CALL(m->d, NULL, err, stream_create, &stream, CUDA_STREAM_NON_BLOCKING))
		return -1;
	mirror_own(m, OWNED_STREAM, (uintptr_t)stream);
	*MIRROR_ADD(m, streams) = (struct mirror_stream){id, stream};
	*out = stream;
	return 0;
}

static int find_param(struct mirror *m, const struct launch *l, const struct program *p, unsigned i,
	void **out, struct err *err)
{
	const struct launch_arg *a = &l->args[i];
	uint64_t *word;

	if (a->kind == ARG_BYTES) {
		*out = (void *)(uintptr_t)a->bytes;
		return 0;
	}
	word = arena_alloc(m->arena, 1, sizeof(*word));
	*out = word;
	if (p->params[i].bytes != sizeof(*word))
		return err_add(err, ERR_UNSUPPORTED,
			"kernel '%s': argument %u ('%s') takes an address or handle in %u bytes; "
			"GPUs have 8",
			p->name, i, p->params[i].name, p->params[i].bytes);
	if (a->kind == ARG_TEXTURE)
		return mirror_handle(m, p, l->module, a->texture, word, err);
	*word = m->buffers.at[a->buffer - 1].at + a->offset;
	return 0;
}

static int note_launch(
	struct mirror *m, const struct launch *l, const struct program *p, struct err *err)
{
	uint64_t shared = (uint64_t)l->shared_bytes + p->shared_bytes;
	void **params = arena_alloc(m->arena, l->nargs + 1, sizeof(*params)), *stream;
	struct mirror_launch *to;
	unsigned kernel;

	if (find_kernel(m, p, l->module, &kernel, err) || find_stream(m, l->stream, &stream, err))
		return -1;
	if (shared > SHARED_WITHOUT_LEAVE &&
		DRIVER_CALL(m->d, p->name, err, function_set, m->kernels.at[kernel].function,
			CUDA_MOST_DYNAMIC_SHARED, (int)l->shared_bytes))
		return -1;
	for (unsigned i = 0; i < l->nargs; i++)
		if (find_param(m, l, p, i, &params[i], err))
			return -1;
	if (mirror_bind(m, p, l->module, err))
		return -1;
	*MIRROR_ADD(m, params) = params;
	to = MIRROR_ADD(m, launches);
	*to = (struct mirror_launch){.queued = l, .kernel = kernel, .batch = m->batches};
	to->ms = arena_alloc(m->arena, m->most_runs, sizeof(*to->ms));
	return 0;
}

int mirror_launch_now(struct mirror *m, unsigned i, struct err *err)
{
	const struct mirror_launch *at = &m->launches.at[i];
	const struct launch *l = at->queued;
	const struct mirror_kernel *k = &m->kernels.at[at->kernel];
	const uint32_t *g = l->grid, *b = l->block;
	void *stream = NULL;

	if (find_stream(m, l->stream, &stream, err))
		return -1;
	if (k->program->module->uses_workspace)
		return DRIVER_CALL(m->d, l->kernel, err, launch_cooperative, k->function, g[0],
			g[1], g[2], b[0], b[1], b[2], l->shared_bytes, stream, m->params.at[i]);
	return DRIVER_CALL(m->d, l->kernel, err, launch, k->function, g[0], g[1], g[2], b[0], b[1],
		b[2], l->shared_bytes, stream, m->params.at[i], NULL);
}

/* ---- a batch: its writes, its launches between events, its times */
static int make_events(struct mirror *m, unsigned n, struct err *err)
{
	while (m->events.n < n) {
		void *event = NULL;

		if (DRIVER_CALL(m->d, NULL, err, event_create, &event, 0))
			return -1;
		mirror_own(m, OWNED_EVENT, (uintptr_t)event);
		*MIRROR_ADD(m, events) = event;
	}
	return 0;
}

static int launch_timed(struct mirror *m, unsigned i, unsigned event, struct err *err)
{
	const struct launch *l = m->launches.at[i].queued;
	void *stream = NULL;

	if (find_stream(m, l->stream, &stream, err))
		return -1;
	return DRIVER_CALL(m->d, l->kernel, err, event_record, m->events.at[event], stream) ||
	       mirror_launch_now(m, i, err) ||
	       DRIVER_CALL(m->d, l->kernel, err, event_record, m->events.at[event + 1], stream);
}

static int read_times(struct mirror *m, unsigned first, unsigned n, struct err *err)
{
	float ms, longest = 0;

	for (unsigned i = 0; i < n; i++) {
		void *begin = m->events.at[2 * i], *end = m->events.at[2 * i + 1];

		if (DRIVER_CALL(m->d, NULL, err, event_elapsed, &ms, begin, end))
			return -1;
		m->launches.at[first + i].ms[m->runs] = ms;
		if (DRIVER_CALL(m->d, NULL, err, event_elapsed, &ms, m->events.at[0], end))
			return -1;
		longest = fmaxf(longest, ms);
	}
	m->span_ms[m->runs] += longest;
	return 0;
}

/* Copies within the GPU are not ordered with kernels of streams otherwise. */
int mirror_wait(struct mirror *m, const char *what, struct err *err)
{
	return driver_result(m->d, driver_symbol("context_synchronize"),
		m->d->cuda.context_synchronize(), what, err);
}

static int run_batch(struct mirror *m, unsigned batch, struct err *err)
{
	unsigned first = 0, n = 0;

	while (first < m->launches.n && m->launches.at[first].batch != batch)
		first++;
	while (first + n < m->launches.n && m->launches.at[first + n].batch == batch)
		n++;
	if (write_batch(m, batch, err) || mirror_fill_textures(m, batch, err) ||
		make_events(m, m->clocked ? 0 : 2 * n, err) || mirror_wait(m, NULL, err))
		return -1;
	for (unsigned i = 0; i < n; i++)
		if (m->clocked ? mirror_launch_clocked(m, first + i, err)
			       : launch_timed(m, first + i, 2 * i, err))
			return -1;
	if (mirror_wait(m, n ? m->launches.at[first + n - 1].queued->kernel : NULL, err))
		return -1;
	if (!m->clocked && read_times(m, first, n, err))
		return -1;
	return mirror_empty_surfaces(m, err);
}

static int read_back(struct mirror *m, struct err *err)
{
	for (buffer_t b = 1; b <= m->buffers.n; b++) {
		struct mirrored *from = &m->buffers.at[b - 1];
		unsigned char *to = mirror_has(m, b) ? gpu_buffer_data(m->gpu, b) : NULL;

		if (!to || from->constant || from->left)
			continue;
		if (DRIVER_CALL(m->d, gpu_buffer_name(m->gpu, b), err, memory_read, to, from->at,
			    from->bytes))
			return -1;
		memcpy(from->seen, to, from->bytes);
	}
	return 0;
}

int mirror_leave(struct mirror *m, buffer_t b, struct err *err)
{
	if (mirror_prepare(m, err))
		return -1;
	m->buffers.at[b - 1].left = true;
	return 0;
}

int mirror_run(struct mirror *m, struct err *err)
{
	uint32_t n = gpu_launches(m->gpu);

	if (m->wrong.count) {
		err_move(err, &m->wrong);
		return -1;
	}
	if (mirror_prepare(m, err))
		return -1;
	for (buffer_t b = 1; b <= m->buffers.n; b++)
		if (m->buffers.at[b - 1].seen && !m->buffers.at[b - 1].left)
			note_writes(m, b);
	for (uint32_t i = m->launches.n; i < n; i++) {
		const struct program *p;
		const struct launch *l = gpu_launch_queued(m->gpu, i, &p);

		if (note_launch(m, l, p, err))
			return -1;
	}
	if (run_batch(m, m->batches, err) || read_back(m, err))
		return -1;
	m->batches++;
	gpu_complete(m->gpu);
	return 0;
}

/* ---- again */
static int reset(struct mirror *m, struct err *err)
{
	for (buffer_t b = 1; b <= m->buffers.n; b++) {
		const struct mirrored *to = &m->buffers.at[b - 1];
		const char *name = gpu_buffer_name(m->gpu, b);
		int bad;

		if (!mirror_has(m, b))
			continue;
		bad = to->variable
			      ? DRIVER_CALL(
					m->d, name, err, memory_write, to->at, to->first, to->bytes)
			      : DRIVER_CALL(m->d, name, err, memory_zero, to->at, 0, to->bytes);
		if (bad)
			return -1;
	}
	return 0;
}

int mirror_again(struct mirror *m, struct err *err)
{
	BUG_ON(m->runs + 1 == m->most_runs);
	m->runs++;
	if (reset(m, err))
		return -1;
	for (unsigned b = 0; b < m->batches; b++)
		if (run_batch(m, b, err))
			return -1;
	return 0;
}

int mirror_unsteady(struct mirror *m, unsigned *buffers, struct err *err)
{
	*buffers = 0;
	for (buffer_t b = 1; b <= m->buffers.n && m->runs; b++) {
		const struct mirrored *of = &m->buffers.at[b - 1];
		unsigned char *now;
		int bad;

		if (!mirror_has(m, b) || of->constant)
			continue;
		now = mem_alloc(of->bytes, 1);
		if (!now)
			return err_add(err, ERR_RESOURCE, "no host memory to compare runs");
		bad = DRIVER_CALL(
			m->d, gpu_buffer_name(m->gpu, b), err, memory_read, now, of->at, of->bytes);
		*buffers += !bad && memcmp(now, of->seen, of->bytes) != 0;
		mem_free(now);
		if (bad)
			return -1;
	}
	return 0;
}

unsigned mirror_launches(const struct mirror *m)
{
	return m->launches.n;
}

const struct mirror_launch *mirror_launch(const struct mirror *m, unsigned i)
{
	return &m->launches.at[i];
}

unsigned mirror_kernels(const struct mirror *m)
{
	return m->kernels.n;
}

const struct mirror_kernel *mirror_kernel(const struct mirror *m, unsigned i)
{
	return &m->kernels.at[i];
}

double mirror_span_ms(const struct mirror *m, unsigned run)
{
	return m->span_ms[run];
}
