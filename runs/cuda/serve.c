/* Serves a CUDA program: one message after the other, from its start to its end. */
#define _GNU_SOURCE
#include "runs/cuda/inside.h"

#include "core/file.h"

#ifdef HAVE_CUDA

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define GUEST_MS 100   /* from one visit of a guest to the next */
#define SILENT_MS 5000 /* without a call, until that is noted */

/* ---- text that kernels print goes to the program, which writes it among its own */
static bool keep_text(void *ctx, const char *text, size_t n)
{
	struct cuda_server *v = ctx;

	if (v->text_bytes + n > v->text_room) {
		size_t room = 2 * (v->text_bytes + n);
		char *grown = mem_grow(v->text, v->text_room, room, 1);

		if (!grown)
			return false;
		v->text = grown;
		v->text_room = room;
	}
	memcpy(v->text + v->text_bytes, text, n);
	v->text_bytes += n;
	return true;
}

static size_t text_left(const struct cuda_server *v)
{
	return v->text_bytes - v->text_taken;
}

static uint32_t take_text(struct cuda_server *v, struct wire_message *m)
{
	size_t n = min_u64(text_left(v), WIRE_WINDOW_BYTES);

	if (n)
		memcpy(v->window, v->text + v->text_taken, n);
	v->text_taken += n;
	if (!text_left(v))
		v->text_bytes = v->text_taken = 0;
	m->a[0] = n;
	return CUDA_OK;
}

/* ---- the messages */
static uint32_t hello(struct cuda_server *v, struct wire_message *m)
{
	v->greeted = m->a[0] == WIRE_VERSION;
	return v->greeted ? CUDA_OK : CUDA_OTHER_VERSION;
}

static uint32_t goodbye(struct cuda_server *v, struct wire_message *m)
{
	(void)m;
	return cuda_run_all(v);
}

/* `always`: also when the device is lost. */
static const struct {
	cuda_answer_fn *answer;
	bool always;
} answers[WIRE_OPS] = {
	[WIRE_HELLO] = {hello, true},
	[WIRE_GOODBYE] = {goodbye, false},
	[WIRE_CODE] = {cuda_take_code, false},
	[WIRE_KERNEL] = {cuda_find_kernel, false},
	[WIRE_SYMBOL] = {cuda_find_symbol, false},
	[WIRE_LAUNCH] = {cuda_launch, false},
	[WIRE_ALLOC] = {cuda_alloc, false},
	[WIRE_FREE] = {cuda_free, false},
	[WIRE_FIND] = {cuda_find, false},
	[WIRE_WRITE] = {cuda_write, false},
	[WIRE_READ] = {cuda_read, false},
	[WIRE_COPY] = {cuda_copy, false},
	[WIRE_FILL] = {cuda_fill, false},
	[WIRE_SYNC] = {cuda_sync, false},
	[WIRE_STREAM] = {cuda_stream_new, false},
	[WIRE_STREAM_END] = {cuda_stream_end, false},
	[WIRE_EVENT] = {cuda_event_new, false},
	[WIRE_EVENT_END] = {cuda_event_end, false},
	[WIRE_RECORD] = {cuda_record, false},
	[WIRE_WAIT] = {cuda_wait, false},
	[WIRE_STREAM_WAIT] = {cuda_stream_wait, false},
	[WIRE_ELAPSED] = {cuda_elapsed, false},
	[WIRE_DEVICE] = {cuda_device, false},
	[WIRE_MEMORY] = {cuda_memory, false},
	[WIRE_OCCUPANCY] = {cuda_occupancy, false},
	[WIRE_RESET] = {cuda_reset, false},
	[WIRE_TEXTURE] = {cuda_texture, false},
	[WIRE_TEXTURE_END] = {cuda_texture_end, false},
	[WIRE_BIND] = {cuda_bind, false},
	[WIRE_MIPMAP] = {cuda_mipmap, false},
	[WIRE_HEAP] = {cuda_heap, false},
	[WIRE_LACKS] = {cuda_lacks, true},
	[WIRE_TEXT] = {take_text, true},
};

static void answer(struct cuda_server *v, struct wire_message *m)
{
	if (m->op >= WIRE_OPS || (!v->greeted && m->op != WIRE_HELLO))
		m->status = CUDA_UNKNOWN;
	else if (v->lost && !answers[m->op].always)
		m->status = v->lost;
	else
		m->status = answers[m->op].answer(v, m);
	if (v->must_run)
		return;
	if (!m->status)
		m->status = v->late;
	v->late = 0;
	m->op = (uint32_t)min_u64(text_left(v), UINT32_MAX);
}

/* ---- the connection */
bool cuda_interrupted(struct cuda_server *v)
{
	char one[128];

	return read(v->signals, one, sizeof(one)) > 0;
}

/* Whether the program may be waiting, in memory that it has open, for what a launch writes there.
 */
static bool may_wait_in_memory(const struct cuda_server *v)
{
	size_t i = 0;

	while (i < v->nblocks && !v->blocks[i].open)
		i++;
	return i < v->nblocks && gpu_pending(v->gpu);
}

static void note_silence(struct cuda_server *v, int ms)
{
	v->silent_ms += ms;
	if (v->silent_ms < SILENT_MS || v->silence_noted || !may_wait_in_memory(v))
		return;
	v->silence_noted = true;
	output_note("the program has called nothing for %d s while %llu launch%s pending: what is "
		    "pending runs when a call of the program waits for it (cudaDeviceSynchronize)",
		SILENT_MS / 1000, (unsigned long long)gpu_pending(v->gpu),
		gpu_pending(v->gpu) == 1 ? " is" : "es are");
}

/* Until the program or a signal has something for us; a guest is served meanwhile. */
static void await(struct cuda_server *v)
{
	const struct guest *guest = v->run.guest;
	struct pollfd fds[] = {{v->socket, POLLIN, 0}, {v->signals, POLLIN, 0},
		{guest ? guest->fd : -1, POLLIN, 0}};
	int ms = guest ? GUEST_MS : v->silence_noted ? -1 : SILENT_MS;
	int ready = poll(fds, 3, ms);

	if (!ready)
		note_silence(v, ms);
	else
		v->silent_ms = 0;

	if (guest)
		guest->serve(guest->ctx);
	if (ready > 0 && fds[1].revents)
		v->interrupted = cuda_interrupted(v);
}

/* That number of bytes at in_at; false: the program is gone, or we are interrupted. */
static bool receive(struct cuda_server *v, size_t bytes)
{
	if (v->in_at + bytes > sizeof(v->in)) {
		memmove(v->in, v->in + v->in_at, v->in_end - v->in_at);
		v->in_end -= v->in_at;
		v->in_at = 0;
	}
	while (v->in_end - v->in_at < bytes && !v->interrupted) {
		ssize_t n =
			recv(v->socket, v->in + v->in_end, sizeof(v->in) - v->in_end, MSG_DONTWAIT);

		if (n > 0) {
			v->in_end += (size_t)n;
			continue;
		}
		if (!n || (errno != EAGAIN && errno != EINTR))
			return false;
		await(v);
	}
	return !v->interrupted;
}

/* The next message; of a launch without reply what belongs to it is received, too. */
static bool next_message(struct cuda_server *v, struct wire_message *m)
{
	if (v->tape) {
		v->interrupted = cuda_interrupted(v);
		return !v->interrupted && cuda_tape_next(v, m);
	}
	if (!receive(v, sizeof(*m)))
		return false;
	memcpy(m, v->in + v->in_at, sizeof(*m));
	v->in_at += sizeof(*m);
	if (m->op != WIRE_QUEUE)
		return true;
	return m->a[0] <= WIRE_QUEUE_BYTES && v->greeted && receive(v, m->a[0]);
}

/* A launch without reply, unless a run must come first. */
static void take_launch(struct cuda_server *v, const struct wire_message *m)
{
	uint32_t status = CUDA_OK;

	if (!v->lost && !v->late)
		status = cuda_launch_bytes(v, v->in + v->in_at, m->a[0]);
	if (v->must_run)
		return;
	if (status)
		v->late = status;
	v->in_at += m->a[0];
}

/* With the descriptor that is to go with it. */
static bool reply(struct cuda_server *v, struct wire_message *m)
{
	char control[CMSG_SPACE(sizeof(int))] = {0};
	struct iovec part = {m, sizeof(*m)};
	struct msghdr h = {.msg_iov = &part, .msg_iovlen = 1};
	bool sent;

	m->a[5] = gpu_pending(v->gpu);
	if (v->tape) {
		if (v->pass)
			close(v->pass);
		v->pass = 0;
		return cuda_tape_agrees(v, m);
	}
	if (v->pass) {
		struct cmsghdr *c;

		h.msg_control = control;
		h.msg_controllen = sizeof(control);
		c = CMSG_FIRSTHDR(&h);
		*c = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof(int)),
			.cmsg_level = SOL_SOCKET,
			.cmsg_type = SCM_RIGHTS};
		memcpy(CMSG_DATA(c), &v->pass, sizeof(int));
	}
	sent = sendmsg(v->socket, &h, MSG_NOSIGNAL) == sizeof(*m);
	if (v->pass)
		close(v->pass);
	v->pass = 0;
	return sent;
}

/* Replies to messages until one needs a run: true, it is held then. */
static bool serve(struct cuda_server *v)
{
	struct wire_message m;

	for (;;) {
		bool replies, again = v->must_run;

		if (again)
			m = v->held;
		else if (next_message(v, &m))
			cuda_record_message(v, &m);
		else
			return false;
		v->must_run = false;
		v->held = m;
		replies = m.op != WIRE_QUEUE;
		if (replies)
			answer(v, &m);
		else
			take_launch(v, &m);
		if (v->must_run && !again)
			cuda_record_held(v);
		if (v->must_run)
			return true;
		cuda_record_reply(v, &m);
		if (v->interrupted || (replies && !reply(v, &m)))
			return false;
	}
}

/* ---- the whole */
static void close_server(void *server)
{
	struct cuda_server *v = server;

	cuda_finish(v, true);
	mem_free(v->text);
	for (unsigned i = 0; i < v->ncodes; i++) {
		for (unsigned k = 0; k < v->codes[i].nparts; k++)
			mem_free(v->codes[i].part[k]);
		mem_free(v->codes[i].part);
		mem_free(v->codes[i].part_bytes);
	}
	mem_free(v->codes);
	mem_free(v->kernels);
	for (size_t i = 0; i < v->nblocks; i++)
		if (v->blocks[i].pages)
			cuda_unshare(v->blocks[i].pages, v->blocks[i].bytes);
	mem_free(v->blocks);
	for (unsigned i = 0; i < v->nmanaged; i++) {
		cuda_unshare(v->managed[i].pages, v->managed[i].bytes);
		if (v->managed[i].fd)
			close(v->managed[i].fd);
	}
	mem_free(v->managed);
	mem_free(v->streams);
	mem_free(v->events);
}

struct code_runtime cuda_program(const char *path)
{
	struct code_file file = {.path = path};
	struct code_runtime found = {0};
	struct err unread = {0};
	char *data = file_read(NULL, path, &file.bytes, ERR_INPUT, &unread);

	file.data = data;
	if (data && code_runtime(&file, &found, &unread))
		found = (struct code_runtime){0};
	mem_free(data);
	err_clear(&unread);
	return found;
}

/* Why a program made no call: a library that the loader did not find, or how it is linked. */
static void never_greeted(struct cuda_server *v)
{
	const char *path = v->run.argv[0];
	struct code_runtime runtime = cuda_program(path);

	if (runtime.closed)
		err_add(v->err, ERR_UNSUPPORTED,
			"%s: the program needs %s, which warpbeam does not replace", path,
			runtime.closed);
	else if (cuda_was_loaded(v))
		err_add(v->err, ERR_INPUT,
			"%s: the program made no CUDA call that reached warpbeam; link it with "
			"warpbeam's library, by nvcc with NVCC_APPEND_FLAGS=\"-cudart shared\" in the "
			"environment",
			path);
	else
		err_add(v->err, ERR_INPUT,
			"%s: a library or a command was not found, as the message above says; the "
			"folder of a library goes into LD_LIBRARY_PATH",
			path);
}

/* A program that ends by itself has run what it queued. */
static void finish(struct cuda_server *v)
{
	if (v->interrupted && !v->err->count)
		err_add(v->err, ERR_INTERRUPTED, "interrupted: the report is partial");
	if (!v->lost && !v->interrupted && gpu_pending(v->gpu))
		output_note("%llu launch%s for which the program did not wait: not run",
			(unsigned long long)gpu_pending(v->gpu),
			gpu_pending(v->gpu) == 1 ? "" : "es");
	if (!v->greeted && !v->interrupted)
		never_greeted(v);
	if (v->lacks)
		err_add(v->err, ERR_UNSUPPORTED,
			"%s: the program called %s, which has NVIDIA's own runtime inside and which "
			"warpbeam does not replace: what it was to do was not done",
			v->run.argv[0], v->lacks);
	cuda_finish(v, v->interrupted);
	if (!v->interrupted && v->greeted)
		cuda_check_timed(v);
}

struct cuda_server *cuda_open(const struct cuda_run *run, struct err *err)
{
	void **owned = arena_own(run->arena, close_server);
	struct cuda_server *v = arena_alloc(run->arena, 1, sizeof(*v));

	*v = (struct cuda_server){.run = *run,
		.gpu = run->gpu,
		.arena = run->arena,
		.err = err,
		.at_rest = true,
		.until_rest = true};
	v->heap_bytes = gpu_heap_bytes(v->gpu);
	*owned = v;
	if (!run->play)
		gpu_output(v->gpu, &(struct exec_output){.ctx = v, .write = keep_text});
	else if (run->silent)
		gpu_output(v->gpu, &(struct exec_output){0});
	v->streams = mem_alloc(1, sizeof(*v->streams));
	if (!v->streams) {
		err_add(err, ERR_RESOURCE, "no host memory for a program");
		return NULL;
	}
	v->nstreams = 1;
	v->streams[0].alive = true;
	if (run->play)
		return cuda_start_alone(v, err) || cuda_tape_open(v, run->play, err) ? NULL : v;
	if (run->record && cuda_record_open(v, run->record, err))
		return NULL;
	return cuda_start(v, err) ? NULL : v;
}

int cuda_next(struct cuda_server *v, struct err *err)
{
	v->err = err;
	if (v->must_run)
		cuda_record_run(v);
	if (!v->gone && serve(v))
		return 1;
	v->gone = true;
	v->until_rest = true;
	if (!v->at_rest && !v->lost && !v->interrupted && !gpu_pending(v->gpu))
		return 1; /* traffic is in flight */
	if (!v->finished)
		finish(v);
	v->finished = true;
	return err->code ? -1 : 0;
}

#else

struct cuda_server *cuda_open(const struct cuda_run *run, struct err *err)
{
	err_add(err, ERR_HOST, "%s: CUDA programs run on Linux only, on x86-64 or aarch64",
		run->play ? run->play : run->argv[0]);
	return NULL;
}

int cuda_next(struct cuda_server *v, struct err *err)
{
	(void)v;
	(void)err;
	return -1;
}

#endif
