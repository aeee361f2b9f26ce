/* Launches, streams and events: queued until the program waits. */
#include "runs/cuda/inside.h"

#include "chip/chip.h"

#include <string.h>

#define MOST_QUEUED 256u /* launches: then they run */

/* ---- running */
/* A fault as the program sees it; the message is the run's. */
static uint32_t status_of(const struct err *wrong)
{
	const char *text = err_text(wrong);

	switch (wrong->code) {
	case ERR_FAULT:
		return strstr(text, "out-of-bounds") ? CUDA_ILLEGAL_ADDRESS
		       : strstr(text, "misaligned")  ? CUDA_MISALIGNED
		       : strstr(text, "assert")      ? CUDA_ASSERT
						     : CUDA_LAUNCH_FAILURE;
	case ERR_LIMIT:
		return CUDA_TIMEOUT;
	default:
		return CUDA_LAUNCH_FAILURE;
	}
}

uint32_t cuda_run_all(struct cuda_server *v)
{
	struct host_hooks hooks = *v->run->hooks;
	const int fds[] = {v->signals, v->socket};
	struct err wrong = {0};

	if (v->lost || v->at_rest == v->launches)
		return v->lost;
	hooks.fds = fds;
	hooks.nfds = ARRAY_LEN(fds);
	hooks.own_signals = true;
	if (!chip_run(v->gpu, v->run->max_cycles, &hooks, &wrong)) {
		v->at_rest = v->launches;
		return CUDA_OK;
	}
	v->lost = status_of(&wrong);
	v->interrupted = wrong.code == ERR_INTERRUPTED && cuda_interrupted(v);
	if (wrong.code == ERR_INTERRUPTED && !v->interrupted)
		err_clear(&wrong); /* the program is gone: how it ended is reported */
	err_move(v->err, &wrong);
	return v->lost;
}

static bool is_stream(const struct cuda_server *v, uint64_t stream)
{
	return stream < v->nstreams && v->streams[stream].alive;
}

/* Whether launches are queued that an operation of the stream comes after. */
static bool must_wait(const struct cuda_server *v, uint64_t stream)
{
	if (v->streams[stream].last > v->at_rest)
		return true;
	if (!stream)
		for (unsigned i = 1; i < v->nstreams; i++)
			if (!v->streams[i].apart && v->streams[i].last > v->at_rest)
				return true;
	return stream && !v->streams[stream].apart && v->streams[0].last > v->at_rest;
}

uint32_t cuda_run_stream(struct cuda_server *v, uint64_t stream)
{
	if (!is_stream(v, stream))
		return CUDA_INVALID_HANDLE;
	return must_wait(v, stream) ? cuda_run_all(v) : v->lost;
}

uint32_t cuda_sync(struct cuda_server *v, struct wire_message *m)
{
	return m->a[0] == WIRE_ALL ? cuda_run_all(v) : cuda_run_stream(v, m->a[0]);
}

/* ---- launches */
/* Whether the launch comes after others that the chip would not order before it. */
static bool crosses(const struct cuda_server *v, uint64_t stream)
{
	return must_wait(v, stream) && v->streams[stream].last <= v->at_rest;
}

/* What gpu_launch refused: the program goes on. */
static uint32_t refused(struct err *wrong)
{
	uint32_t status = strstr(err_text(wrong), "dimension") || strstr(err_text(wrong), "block")
				  ? CUDA_INVALID_CONFIGURATION
			  : wrong->code == ERR_RESOURCE ? CUDA_OUT_OF_RESOURCES
							: CUDA_INVALID_VALUE;

	output_note("%.*s", (int)strcspn(err_text(wrong), "\n"), err_text(wrong));
	err_clear(wrong);
	return status;
}

static uint32_t queue(
	struct cuda_server *v, const struct wire_launch *l, const unsigned char *bytes)
{
	const struct cuda_kernel *k = &v->kernels[l->kernel];
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
	if (gpu_launch(v->gpu, &out, &wrong))
		return refused(&wrong);
	v->streams[l->stream].last = ++v->launches;
	return CUDA_OK;
}

uint32_t cuda_launch(struct cuda_server *v, struct wire_message *m)
{
	unsigned char bytes[sizeof(struct wire_launch) + 65536];
	struct wire_launch l;
	uint32_t status = CUDA_OK;

	(void)m;
	memcpy(bytes, v->window, sizeof(bytes)); /* the program can change the window */
	memcpy(&l, bytes, sizeof(l));
	if (l.kernel >= v->nkernels || l.shared_bytes > UINT32_MAX ||
		l.param_bytes != v->kernels[l.kernel].program->param_bytes ||
		l.param_bytes > sizeof(bytes) - sizeof(l))
		return CUDA_INVALID_VALUE;
	if (!is_stream(v, l.stream))
		return CUDA_INVALID_HANDLE;
	if (crosses(v, l.stream) || v->launches - v->at_rest >= MOST_QUEUED)
		status = cuda_run_all(v);
	return status ? status : queue(v, &l, bytes + sizeof(l));
}

/* ---- streams */
uint32_t cuda_stream_new(struct cuda_server *v, struct wire_message *m)
{
	struct cuda_stream *grown;
	unsigned i = 1;

	while (i < v->nstreams && v->streams[i].alive)
		i++;
	if (i == v->nstreams) {
		grown = mem_grow(v->streams, v->nstreams, v->nstreams + 1, sizeof(*grown));
		if (!grown)
			return CUDA_NO_MEMORY;
		v->streams = grown;
		v->nstreams++;
	}
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
	struct cuda_event *grown;
	unsigned i = 0;

	(void)m;
	while (i < v->nevents && v->events[i].alive)
		i++;
	if (i == v->nevents) {
		grown = mem_grow(v->events, v->nevents, v->nevents + 1, sizeof(*grown));
		if (!grown)
			return CUDA_NO_MEMORY;
		v->events = grown;
		v->nevents++;
	}
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
		.cycle = v->launches > v->at_rest ? 0 : chip_progress(v->gpu).end_cycle,
		.last = last};
	return CUDA_OK;
}

uint32_t cuda_wait(struct cuda_server *v, struct wire_message *m)
{
	const struct cuda_event *e = event_at(v, m->a[0]);

	if (!e)
		return CUDA_INVALID_HANDLE;
	return e->recorded && e->last > v->at_rest ? cuda_run_all(v) : CUDA_OK;
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
