/* Launches, streams and events: queued until the program waits. */
#include "runs/cuda/inside.h"

#include "chip/chip.h"

#include <string.h>

#define MOST_QUEUED 256u /* launches: then they run */
#define MOST_BUSY 1024u  /* the same from one time to the next at which the chip is at rest */

/* ---- running */
/* A fault as the program sees it; the message is the run's. */
static uint32_t status_of(const struct gpu *g, const struct err *wrong)
{
	static const uint32_t faults[] = {[FAULT_OUT_OF_BOUNDS] = CUDA_ILLEGAL_ADDRESS,
		[FAULT_MISALIGNED] = CUDA_MISALIGNED,
		[FAULT_ASSERT] = CUDA_ASSERT,
		[FAULT_OUTSIDE_SURFACE] = CUDA_LAUNCH_FAILURE};
	uint32_t status = 0;

	if (wrong->code == ERR_LIMIT)
		return CUDA_TIMEOUT;
	if (wrong->code == ERR_FAULT && gpu_fault(g) < ARRAY_LEN(faults))
		status = faults[gpu_fault(g)];
	return status ? status : CUDA_LAUNCH_FAILURE;
}

static int run_chip(struct cuda_server *v, const uint32_t *launch, uint64_t max_cycles,
	const struct host_hooks *hooks, struct err *err)
{
	int bad = launch ? chip_run_launch(v->gpu, *launch, max_cycles, hooks, err)
			 : chip_run(v->gpu, max_cycles, hooks, err);

	v->at_rest = !bad && !launch;
	if (!launch)
		v->since_rest = 0;
	return bad;
}

/* After a run that was not completed: the program hears of it, unless it is gone. */
static int tell_lost(struct cuda_server *v, struct err *wrong, struct err *err)
{
	const struct host_hooks gone = {.fds = &v->process, .nfds = v->process > 0};
	bool stopped = wrong->code == ERR_INTERRUPTED;

	v->lost = status_of(v->gpu, wrong);
	v->interrupted = stopped && (cuda_interrupted(v) || host_is_wanted(&gone));
	if (stopped && !v->interrupted)
		err_clear(wrong); /* how the program ended is reported */
	err_move(err, wrong);
	return v->interrupted ? -1 : 0;
}

/* Signals to us, and the program's end, stop a run. */
static struct host_hooks watch(const struct cuda_server *v, int fds[2])
{
	fds[0] = v->signals;
	fds[1] = v->process;
	return (struct host_hooks){
		.fds = fds, .nfds = v->gone || v->process <= 0 ? 1 : 2, .own_signals = true};
}

int cuda_run_held(
	struct cuda_server *v, uint64_t max_cycles, const struct host_hooks *hooks, struct err *err)
{
	int fds[2];
	struct host_hooks own = watch(v, fds);
	struct err wrong = {0};

	if (v->tape)
		own = *hooks; /* no program's signals are at stake */
	own.ctx = hooks->ctx;
	own.progress = hooks->progress;
	own.status = hooks->status;
	own.broken = hooks->broken;
	own.guest = hooks->guest;
	if (v->finished || !run_chip(v, v->until_rest ? NULL : &v->until, max_cycles, &own, &wrong))
		return 0;
	return tell_lost(v, &wrong, err);
}

/* The owner's limits, and what stops the run besides. */
struct watched {
	struct host_hooks hooks;
	const struct untimed_limits *limits;
};

static bool go_on(void *ctx)
{
	const struct watched *w = ctx;

	return host_is_wanted(&w->hooks) && (!w->limits->go_on || w->limits->go_on(w->limits->ctx));
}

int cuda_run_untimed(struct cuda_server *v, const struct untimed_limits *limits,
	struct untimed_counts *counts, struct err *err)
{
	int fds[2];
	struct watched w = {watch(v, fds), limits};
	struct untimed_limits own = *limits;
	struct err wrong = {0};

	own.go_on = go_on;
	own.ctx = &w;
	v->since_rest = 0;
	if (v->finished || !gpu_run_watched(v->gpu, &own, counts, &wrong))
		return 0;
	return tell_lost(v, &wrong, err);
}

/* Until that launch is complete; NULL: until the chip is at rest. The owner runs it. */
static uint32_t run_until(struct cuda_server *v, const uint32_t *launch)
{
	v->must_run = true;
	v->until_rest = !launch;
	v->until = launch ? *launch : 0;
	return CUDA_RUN_FIRST;
}

uint32_t cuda_run_all(struct cuda_server *v)
{
	if (v->lost || (v->at_rest && !gpu_pending(v->gpu)))
		return v->lost;
	return run_until(v, NULL);
}

static bool is_stream(const struct cuda_server *v, uint64_t stream)
{
	return stream < v->nstreams && v->streams[stream].alive;
}

/* `last`: 1 + a launch; 0: none. */
static bool is_complete(const struct cuda_server *v, uint64_t last)
{
	return !last || chip_launch_complete(v->gpu, (uint32_t)(last - 1));
}

/* Whether an operation of the stream comes after the launches of the other one. */
static bool comes_after(const struct cuda_server *v, uint64_t stream, uint64_t other)
{
	if (stream == other)
		return true;
	return (!stream && !v->streams[other].apart) || (!other && !v->streams[stream].apart);
}

/* Whether launches are queued that an operation of the stream comes after. */
static bool must_wait(const struct cuda_server *v, uint64_t stream)
{
	for (unsigned i = 0; i < v->nstreams; i++)
		if (comes_after(v, stream, i) && !is_complete(v, v->streams[i].last))
			return true;
	return false;
}

static uint32_t run_launch(struct cuda_server *v, uint64_t last)
{
	uint32_t launch = (uint32_t)(last - 1);

	return v->lost || is_complete(v, last) ? v->lost : run_until(v, &launch);
}

uint32_t cuda_run_stream(struct cuda_server *v, uint64_t stream)
{
	uint32_t status = v->lost;

	if (!is_stream(v, stream))
		return CUDA_INVALID_HANDLE;
	for (unsigned i = 0; i < v->nstreams && !status; i++)
		if (comes_after(v, stream, i))
			status = run_launch(v, v->streams[i].last);
	return status;
}

uint32_t cuda_sync(struct cuda_server *v, struct wire_message *m)
{
	return m->a[0] == WIRE_ALL ? cuda_run_all(v) : cuda_run_stream(v, m->a[0]);
}

/* ---- launches */
/* Whether the launch comes after others that the chip would not order before it. */
static bool crosses(const struct cuda_server *v, uint64_t stream)
{
	return must_wait(v, stream) && is_complete(v, v->streams[stream].last);
}

uint32_t cuda_refused(struct cuda_server *v, uint32_t status, struct err *wrong)
{
	size_t n = strcspn(err_text(wrong), "\n");
	uint64_t hash = gpu_hash(err_text(wrong), n);
	unsigned i = 0;

	while (i < ARRAY_LEN(v->noted) && v->noted[i] != hash)
		i++;
	if (i == ARRAY_LEN(v->noted)) {
		output_note("%.*s", (int)n, err_text(wrong));
		v->noted[v->next_note++ % ARRAY_LEN(v->noted)] = hash;
	}
	err_clear(wrong);
	return status;
}

/* More shared memory than a kernel may ask for is a wrong argument. */
static uint32_t why_refused(
	const struct cuda_server *v, const struct launch *l, const struct err *wrong)
{
	struct gpu_kernel_info info;
	struct err ignored = {0};
	bool too_much = !gpu_kernel_info(v->gpu, l->module, l->kernel, &info, &ignored) &&
			l->shared_bytes > info.max_dynamic_bytes;

	err_clear(&ignored);
	return wrong->code == ERR_RESOURCE && !too_much ? CUDA_OUT_OF_RESOURCES
							: CUDA_INVALID_VALUE;
}

static uint32_t queue(
	struct cuda_server *v, const struct wire_launch *l, const unsigned char *bytes)
{
	struct cuda_kernel *k = &v->kernels[l->kernel];
	const struct program *p = k->program;
	struct launch_arg args[WIRE_MOST_PARAMS];
	struct launch out = {.module = k->module,
		.kernel = p->name,
		.shared_bytes = (uint32_t)l->shared_bytes,
		.args = args,
		.nargs = p->nparams,
		.stream = (unsigned)l->stream};
	struct err wrong = {0};

	memcpy(out.grid, l->grid, sizeof(out.grid));
	memcpy(out.block, l->block, sizeof(out.block));
	for (unsigned i = 0; i < p->nparams; i++)
		args[i] = (struct launch_arg){.kind = ARG_BYTES,
			.bytes = bytes + p->params[i].offset,
			.size = p->params[i].bytes};
	if (gpu_check_shape(v->gpu, &out, &wrong))
		return cuda_refused(v, CUDA_INVALID_CONFIGURATION, &wrong);
	if (l->cooperative && !cuda_fits_at_once(v, p, &out))
		return CUDA_TOO_LARGE;
	out.untimed = !cuda_is_timed(
		v, p, k->launches + 1, (uint64_t)l->grid[0] * l->grid[1] * l->grid[2]);
	if (gpu_launch(v->gpu, &out, &wrong))
		return cuda_refused(v, why_refused(v, &out, &wrong), &wrong);
	if (v->run.watch)
		v->run.watch->launch(v->run.watch->ctx, &out, p);
	k->launches++;
	v->since_rest++;
	v->streams[l->stream].last = ++v->launches;
	return CUDA_OK;
}

uint32_t cuda_launch_bytes(struct cuda_server *v, const unsigned char *from, size_t n)
{
	unsigned char bytes[65536];
	struct wire_launch l;
	uint32_t status = CUDA_OK;

	if (n < sizeof(l))
		return CUDA_INVALID_VALUE;
	memcpy(&l, from, sizeof(l)); /* the program can change the window */
	if (l.kernel >= v->nkernels || l.shared_bytes > UINT32_MAX ||
		l.param_bytes != v->kernels[l.kernel].program->param_bytes ||
		l.param_bytes > min_u64(sizeof(bytes), n - sizeof(l)))
		return CUDA_INVALID_VALUE;
	memcpy(bytes, from + sizeof(l), l.param_bytes);
	if (!is_stream(v, l.stream))
		return CUDA_INVALID_HANDLE;
	if (gpu_pending(v->gpu) >= MOST_QUEUED || v->since_rest >= MOST_BUSY)
		status = cuda_run_all(v);
	else if (crosses(v, l.stream))
		status = cuda_run_stream(v, l.stream);
	return status ? status : queue(v, &l, bytes);
}

uint32_t cuda_launch(struct cuda_server *v, struct wire_message *m)
{
	(void)m;
	return cuda_launch_bytes(v, v->window, WIRE_WINDOW_BYTES);
}

/* ---- streams */
/* The table with entry i, which is one of its *n or the next; NULL: no memory. */
static void *reach(void *table, unsigned *n, unsigned i, size_t bytes)
{
	void *grown = i < *n ? table : mem_grow(table, *n, *n + 1, bytes);

	if (grown && i == *n)
		++*n;
	return grown;
}

uint32_t cuda_stream_new(struct cuda_server *v, struct wire_message *m)
{
	struct cuda_stream *all;
	unsigned i = 1;

	while (i < v->nstreams && v->streams[i].alive)
		i++;
	all = reach(v->streams, &v->nstreams, i, sizeof(*all));
	if (!all)
		return CUDA_NO_MEMORY;
	v->streams = all;
	v->streams[i].alive = true;
	v->streams[i].apart = m->a[0] == WIRE_STREAM_NON_BLOCKING;
	m->a[0] = i;
	return CUDA_OK;
}

uint32_t cuda_stream_end(struct cuda_server *v, struct wire_message *m)
{
	uint32_t status;

	if (!m->a[0])
		return CUDA_INVALID_HANDLE;
	status = cuda_run_stream(v, m->a[0]);
	if (!status)
		v->streams[m->a[0]].alive = false;
	return status;
}

/* ---- events */
static struct cuda_event *event_at(const struct cuda_server *v, uint64_t e)
{
	return e < v->nevents && v->events[e].alive ? &v->events[e] : NULL;
}

uint32_t cuda_event_new(struct cuda_server *v, struct wire_message *m)
{
	struct cuda_event *all;
	unsigned i = 0;

	(void)m;
	while (i < v->nevents && v->events[i].alive)
		i++;
	all = reach(v->events, &v->nevents, i, sizeof(*all));
	if (!all)
		return CUDA_NO_MEMORY;
	v->events = all;
	v->events[i] = (struct cuda_event){.alive = true};
	m->a[0] = i;
	return CUDA_OK;
}

uint32_t cuda_event_end(struct cuda_server *v, struct wire_message *m)
{
	struct cuda_event *e = event_at(v, m->a[0]);

	if (!e)
		return CUDA_INVALID_HANDLE;
	e->alive = false;
	return CUDA_OK;
}

/* In the default stream an event comes after the launches of all blocking ones. */
uint32_t cuda_record(struct cuda_server *v, struct wire_message *m)
{
	struct cuda_event *e = event_at(v, m->a[0]);
	uint64_t last;

	if (!e || !is_stream(v, m->a[1]))
		return CUDA_INVALID_HANDLE;
	last = v->streams[m->a[1]].last;
	for (unsigned i = 1; !m->a[1] && i < v->nstreams; i++)
		if (!v->streams[i].apart)
			last = max_u64(last, v->streams[i].last);
	*e = (struct cuda_event){.alive = true,
		.recorded = true,
		.whole = !m->a[1],
		.cycle =
			v->run.no_chip || gpu_pending(v->gpu) ? 0 : chip_progress(v->gpu).end_cycle,
		.last = last};
	return CUDA_OK;
}

uint32_t cuda_wait(struct cuda_server *v, struct wire_message *m)
{
	const struct cuda_event *e = event_at(v, m->a[0]);

	if (!e)
		return CUDA_INVALID_HANDLE;
	if (!e->recorded)
		return CUDA_OK;
	return e->whole ? cuda_run_stream(v, 0) : run_launch(v, e->last);
}

uint32_t cuda_stream_wait(struct cuda_server *v, struct wire_message *m)
{
	if (!is_stream(v, m->a[0]))
		return CUDA_INVALID_HANDLE;
	return cuda_wait(v, &(struct wire_message){.a = {m->a[1]}});
}

/* The cycle in which an event has happened: its stream's last launch had ended. */
static uint64_t happened(const struct cuda_server *v, const struct cuda_event *e)
{
	struct launch_report r;

	if (!e->last)
		return e->cycle;
	chip_launch_report(v->gpu, (unsigned)(e->last - 1), &r);
	return max_u64(e->cycle, r.end_cycle);
}

uint32_t cuda_elapsed(struct cuda_server *v, struct wire_message *m)
{
	const struct cuda_event *from = event_at(v, m->a[0]), *to = event_at(v, m->a[1]);
	struct wire_device *d = (void *)v->window;
	uint32_t status;
	double ns;

	if (!from || !to || !from->recorded || !to->recorded)
		return CUDA_INVALID_HANDLE;
	status = cuda_run_all(v);
	if (status)
		return status;
	cuda_device(v, &(struct wire_message){0});
	ns = ((double)happened(v, to) - (double)happened(v, from)) * 1e6 / d->clock_khz;
	m->a[0] = (uint64_t)(int64_t)ns;
	return CUDA_OK;
}

uint64_t cuda_launches(const struct cuda_server *v)
{
	return v->launches;
}
