/* HTTP by libmicrohttpd, the only file that knows it. */
#include "cli/serve/http.h"

#ifdef HAVE_MICROHTTPD
#include "core/base.h"
#include "core/mem.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <microhttpd.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define LIBRARY "libmicrohttpd.so.12" /* of all its versions since 2012 */
#define CONNECTIONS 32
#define IDLE_S 30

/* Its functions that we use. */
struct library {
	void *handle;
	struct MHD_Daemon *(*start)(unsigned, uint16_t, MHD_AcceptPolicyCallback, void *,
		MHD_AccessHandlerCallback, void *, ...);
	void (*stop)(struct MHD_Daemon *);
	enum MHD_Result (*run)(struct MHD_Daemon *);
	const union MHD_DaemonInfo *(*info)(struct MHD_Daemon *, enum MHD_DaemonInfoType, ...);
	struct MHD_Response *(*respond)(size_t, void *, enum MHD_ResponseMemoryMode);
	enum MHD_Result (*header)(struct MHD_Response *, const char *, const char *);
	enum MHD_Result (*queue)(struct MHD_Connection *, unsigned, struct MHD_Response *);
	void (*release)(struct MHD_Response *);
};

struct http {
	struct library lib;
	struct MHD_Daemon *daemon;
	int socket, fd;
	http_fn *fn;
	void *ctx;
};

static const struct {
	const char *symbol;
	size_t offset;
} functions[] = {
#define ROW(symbol, field) \
	{ \
		"MHD_" symbol, offsetof(struct library, field) \
	}
	ROW("start_daemon", start),
	ROW("stop_daemon", stop),
	ROW("run", run),
	ROW("get_daemon_info", info),
	ROW("create_response_from_buffer", respond),
	ROW("add_response_header", header),
	ROW("queue_response", queue),
	ROW("destroy_response", release),
#undef ROW
};

/* The browser keeps nothing, and sends the address to no other server. */
static const char *const headers[][2] = {{"Cache-Control", "no-store"},
	{"Referrer-Policy", "no-referrer"}, {"X-Content-Type-Options", "nosniff"},
	{"X-Frame-Options", "DENY"}};

static int open_library(struct library *l, struct err *err)
{
	l->handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!l->handle)
		return err_add(err, ERR_HOST, "--serve needs %s: %s", LIBRARY, dlerror());
	for (unsigned i = 0; i < ARRAY_LEN(functions); i++) {
		void *at = dlsym(l->handle, functions[i].symbol);

		if (!at)
			return err_add(err, ERR_HOST, "--serve: %s has no function %s", LIBRARY,
				functions[i].symbol);
		memcpy((char *)l + functions[i].offset, &at, sizeof(at));
	}
	return 0;
}

static int listen_here(struct http *h, uint16_t *port, struct err *err)
{
	struct sockaddr_in at = {.sin_family = AF_INET,
		.sin_port = htons(*port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t n = sizeof(at);
	int yes = 1;

	h->socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (h->socket < 0)
		return err_add(err, ERR_HOST, "--serve: no socket: %s", strerror(errno));
	setsockopt(h->socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	if (bind(h->socket, (struct sockaddr *)&at, sizeof(at)) || listen(h->socket, CONNECTIONS) ||
		getsockname(h->socket, (struct sockaddr *)&at, &n))
		return err_add(err, ERR_HOST,
			"--serve %u: cannot listen there: %s; --serve without a number takes a "
			"port that is free",
			*port, strerror(errno));
	*port = ntohs(at.sin_port);
	return 0;
}

static enum MHD_Result send_answer(
	struct http *h, struct MHD_Connection *connection, struct http_answer *a)
{
	const char *body = text_str(&a->body);
	struct MHD_Response *r;
	enum MHD_Result result;

	if (a->body.failed)
		a->status = 500;
	r = h->lib.respond(strlen(body), (void *)(uintptr_t)body, MHD_RESPMEM_MUST_COPY);
	text_clear(&a->body);
	if (!r)
		return MHD_NO;
	h->lib.header(r, "Content-Type", a->type ? a->type : "text/plain; charset=utf-8");
	for (unsigned i = 0; i < ARRAY_LEN(headers); i++)
		h->lib.header(r, headers[i][0], headers[i][1]);
	result = h->lib.queue(connection, a->status, r);
	h->lib.release(r);
	return result;
}

/* Of each request libmicrohttpd calls first with its head, then with its body, then without. */
static enum MHD_Result on_request(void *ctx, struct MHD_Connection *connection, const char *url,
	const char *method, const char *version, const char *upload, size_t *bytes, void **seen)
{
	struct http *h = ctx;
	struct http_answer a = {0};
	bool post = !strcmp(method, "POST");

	(void)version;
	(void)upload;
	if (post && (!*seen || *bytes)) {
		*seen = h;
		*bytes = 0;
		return MHD_YES;
	}
	if (post || !strcmp(method, "GET") || !strcmp(method, "HEAD"))
		h->fn(h->ctx, url, post, &a);
	else
		a.status = 405;
	return send_answer(h, connection, &a);
}

static int start(struct http *h, struct err *err)
{
	const union MHD_DaemonInfo *info;

	h->daemon =
		h->lib.start(MHD_USE_EPOLL, 0, NULL, NULL, on_request, h, MHD_OPTION_LISTEN_SOCKET,
			(MHD_socket)h->socket, MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS,
			MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_S, MHD_OPTION_END);
	if (!h->daemon)
		return err_add(err, ERR_HOST, "--serve: %s cannot start", LIBRARY);
	h->socket = -1; /* the daemon's */
	info = h->lib.info(h->daemon, MHD_DAEMON_INFO_EPOLL_FD);
	h->fd = info ? info->epoll_fd : -1;
	return h->fd >= 0 ? 0 : err_add(err, ERR_HOST, "--serve: %s has no epoll", LIBRARY);
}

struct http *http_open(uint16_t *port, http_fn *fn, void *ctx, struct err *err)
{
	struct http *h = mem_alloc(1, sizeof(*h));

	if (!h) {
		err_add(err, ERR_RESOURCE, "no host memory for --serve");
		return NULL;
	}
	h->socket = -1;
	h->fn = fn;
	h->ctx = ctx;
	if (!open_library(&h->lib, err) && !listen_here(h, port, err) && !start(h, err))
		return h;
	http_close(h);
	return NULL;
}

void http_close(struct http *h)
{
	if (!h)
		return;
	if (h->daemon)
		h->lib.stop(h->daemon);
	if (h->socket >= 0)
		close(h->socket);
	if (h->lib.handle)
		dlclose(h->lib.handle);
	mem_free(h);
}

int http_fd(const struct http *h)
{
	return h->fd;
}

void http_serve(struct http *h)
{
	h->lib.run(h->daemon);
}
#endif
