/* The connection to warpbeam. */
#define _GNU_SOURCE
#include "cuda/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

static struct {
	pthread_mutex_t mutex;
	unsigned char *window;
	int socket;
	cudaError_t lost; /* every call returns it; 0: none */
	bool tried, pending;
	int passed; /* a descriptor that came with a reply */
	pid_t owner;
} channel = {.mutex = PTHREAD_MUTEX_INITIALIZER, .socket = -1, .passed = -1};

static _Thread_local cudaError_t last;

void tell(const char *format, ...)
{
	char line[512];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	fprintf(stderr, "warpbeam: %s\n", line);
}

cudaError_t noted(cudaError_t e)
{
	if (e)
		last = e;
	return e;
}

cudaError_t last_error(bool forget)
{
	cudaError_t e = channel.lost ? channel.lost : last;

	if (forget)
		last = cudaSuccess;
	return e;
}

int *last_error_at(void)
{
	return &last;
}

static cudaError_t lose(cudaError_t e, const char *why)
{
	if (why && !channel.lost)
		tell("%s", why);
	channel.lost = e;
	return e;
}

/* A forked process has no GPU: the connection is the other one's. */
static void in_child(void)
{
	if (channel.socket >= 0)
		close(channel.socket);
	channel.socket = -1;
	channel.lost = cudaErrorNotPermitted;
}

static bool send_all(const void *data, size_t n)
{
	const char *at = data;

	while (n) {
		ssize_t sent = send(channel.socket, at, n, MSG_NOSIGNAL);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent <= 0)
			return false;
		at += sent;
		n -= (size_t)sent;
	}
	return true;
}

static bool receive_all(void *data, size_t n)
{
	char *at = data, control[CMSG_SPACE(sizeof(int))];

	while (n) {
		struct iovec part = {at, n};
		struct msghdr h = {.msg_iov = &part,
			.msg_iovlen = 1,
			.msg_control = control,
			.msg_controllen = sizeof(control)};
		ssize_t got = recvmsg(channel.socket, &h, MSG_WAITALL | MSG_CMSG_CLOEXEC);

		if (got > 0 && h.msg_controllen && CMSG_FIRSTHDR(&h))
			memcpy(&channel.passed, CMSG_DATA(CMSG_FIRSTHDR(&h)), sizeof(int));
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		at += got;
		n -= (size_t)got;
	}
	return true;
}

/* The device is lost with these: every later call returns them. */
static bool is_sticky(cudaError_t e)
{
	return e == cudaErrorIllegalAddress || e == cudaErrorLaunchTimeout ||
	       e == cudaErrorAssert || e == cudaErrorMisalignedAddress ||
	       e == cudaErrorLaunchFailure;
}

bool call_pending(void)
{
	return channel.pending;
}

int call_descriptor(void)
{
	int fd = channel.passed;

	channel.passed = -1;
	return fd;
}

static cudaError_t exchange(struct wire_message *m)
{
	faults_watch();
	if (!send_all(m, sizeof(*m)) || !receive_all(m, sizeof(*m)))
		return lose(cudaErrorUnknown,
			"the connection of the CUDA program is closed; its calls fail from here on");
	if (channel.pending != (m->a[5] != 0)) {
		channel.pending = m->a[5] != 0;
		shared_protect(channel.pending);
	}
	if (is_sticky((cudaError_t)m->status))
		channel.lost = (cudaError_t)m->status;
	return (cudaError_t)m->status;
}

bool call_queue(const void *launch, size_t n)
{
	char whole[sizeof(struct wire_message) + WIRE_QUEUE_BYTES];
	const struct wire_message m = {.op = WIRE_QUEUE, .a = {n}};

	if (n > WIRE_QUEUE_BYTES || channel.socket < 0)
		return false;
	memcpy(whole, &m, sizeof(m));
	memcpy(whole + sizeof(m), launch, n);
	if (!send_all(whole, sizeof(m) + n))
		return false;
	if (!channel.pending) {
		faults_watch();
		shared_protect(true);
	}
	channel.pending = true;
	return true;
}

static cudaError_t greet(void)
{
	struct wire_message m = {.op = WIRE_HELLO, .a = {WIRE_VERSION}};
	cudaError_t e = exchange(&m);

	return e ? lose(e, e == cudaErrorInsufficientDriver
				   ? "this libcudart is of another build than warpbeam"
				   : NULL)
		 : e;
}

static cudaError_t connect_once(void)
{
	const char *told = getenv(WIRE_VARIABLE);
	int window;

	if (channel.tried)
		return channel.lost;
	channel.tried = true;
	if (!told || sscanf(told, "%d,%d", &channel.socket, &window) != 2)
		return lose(cudaErrorNoDevice,
			"this program is linked with warpbeam's libcudart; run it as: warpbeam cuda -- "
			"PROGRAM");
	channel.window =
		mmap(NULL, WIRE_WINDOW_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, window, 0);
	if (channel.window == MAP_FAILED)
		return lose(cudaErrorInitializationError,
			"this program was executed by one that had used CUDA, whose connection has ended");
	mmap((void *)(uintptr_t)WIRE_DEVICE_BASE, WIRE_DEVICE_BYTES, PROT_NONE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
	fcntl(channel.socket, F_SETFD, FD_CLOEXEC);
	close(window);
	channel.owner = getpid();
	pthread_atfork(NULL, NULL, in_child);
	return greet();
}

cudaError_t call_begin(struct call *c)
{
	cudaError_t e;

	pthread_mutex_lock(&channel.mutex);
	e = connect_once();
	if (!e && !channel.lost) {
		*c = (struct call){.window = channel.window};
		return cudaSuccess;
	}
	e = channel.lost;
	pthread_mutex_unlock(&channel.mutex);
	return noted(e);
}

/* What kernels printed since the last call, in the order of the program's own text. */
static void print_text(void)
{
	struct wire_message m;

	do {
		m = (struct wire_message){.op = WIRE_TEXT};
		if (!send_all(&m, sizeof(m)) || !receive_all(&m, sizeof(m)))
			return;
		if (m.a[0] <= WIRE_WINDOW_BYTES)
			fwrite(channel.window, 1, m.a[0], stdout);
	} while (m.op);
}

cudaError_t call_do(struct call *c, enum wire_op op)
{
	cudaError_t e;

	c->m.op = op;
	e = exchange(&c->m);
	if (channel.socket >= 0 && c->m.op && op != WIRE_READ)
		print_text();
	return e;
}

cudaError_t call_end(struct call *c, cudaError_t result)
{
	(void)c;
	pthread_mutex_unlock(&channel.mutex);
	return noted(result);
}

cudaError_t call_simply(enum wire_op op, uint64_t a, uint64_t b, uint64_t d, struct wire_message *m)
{
	struct call c;
	cudaError_t e = call_begin(&c);

	if (e)
		return e;
	c.m.a[0] = a;
	c.m.a[1] = b;
	c.m.a[2] = d;
	e = call_do(&c, op);
	if (m)
		*m = c.m;
	return call_end(&c, e);
}

/* Before the program's exit functions end, while its stdout is open. */
__attribute__((destructor)) static void at_end(void)
{
	struct wire_message m = {.op = WIRE_GOODBYE};

	if (channel.socket < 0 || channel.lost || channel.owner != getpid())
		return;
	pthread_mutex_lock(&channel.mutex);
	exchange(&m);
	if (m.op)
		print_text();
	fflush(stdout);
	pthread_mutex_unlock(&channel.mutex);
}
