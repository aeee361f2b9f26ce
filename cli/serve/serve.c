/* The server: libmicrohttpd, opened when it is asked for, so that no other command loads it. */
#include "cli/serve/serve.h"

#include "core/base.h"
#include "runs/pace.h"

#ifdef HAVE_MICROHTTPD
#include "cli/serve/http.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#define TOKEN 32    /* letters: 128 bits */
#define PATIENCE 3. /* seconds since a page looked, in which it is still there */
#define FAREWELL 2. /* seconds that it has, to look once more */

struct serve {
	struct serve_state state;
	struct http *http;
	char token[TOKEN + 1];
	double looked_s; /* when the state was last read */
	bool told;       /* it was read since the command ended */
};

static void make_token(char token[TOKEN + 1])
{
	unsigned char bytes[TOKEN / 2];

	for (size_t n = 0; n < sizeof(bytes);) {
		ssize_t got = getrandom(bytes + n, sizeof(bytes) - n, 0);

		n += got > 0 ? (size_t)got : 0;
	}
	for (unsigned i = 0; i < sizeof(bytes); i++)
		snprintf(token + 2 * i, 3, "%02x", bytes[i]);
}

/* What follows the token; NULL: the path has another one. All letters are compared, so that time
 * shows nothing. */
static const char *behind_token(const struct serve *s, const char *path)
{
	unsigned differ = 0;

	if (strlen(path) < TOKEN + 2 || path[0] != '/' || path[TOKEN + 1] != '/')
		return NULL;
	for (unsigned i = 0; i < TOKEN; i++)
		differ |= (unsigned char)(path[i + 1] ^ s->token[i]);
	return differ ? NULL : path + TOKEN + 2;
}

static void answer_state(struct serve *s, struct http_answer *a)
{
	a->type = "application/json";
	if (serve_json(&s->state, &a->body))
		a->status = 500;
	s->looked_s = pace_now_s();
	s->told = s->state.over;
}

static void answer(void *ctx, const char *path, bool post, struct http_answer *a)
{
	struct serve *s = ctx;
	const char *what = behind_token(s, path);

	a->status = what ? 200 : 404;
	if (!what)
		text_add(&a->body,
			"Nothing is here: the address has a token, see warpbeam's output.\n");
	else if (!strcmp(what, "stop") && post)
		kill(getpid(), SIGTERM);
	else if (post || !strcmp(what, "stop"))
		a->status = 405;
	else if (!strcmp(what, "state"))
		answer_state(s, a);
	else if (!strcmp(what, "")) {
		a->type = "text/html; charset=utf-8";
		serve_page(&s->state, &a->body);
	} else
		a->status = 404;
}

static void serve(void *ctx)
{
	struct serve *s = ctx;

	serve_look(&s->state);
	http_serve(s->http);
}

static void let_go(void *server)
{
	struct serve *s = server;

	http_close(s->http);
}

struct serve *serve_open(uint64_t port, const char *command, const struct options *o,
	struct arena *arena, struct err *err)
{
	struct serve *s = arena_alloc(arena, 1, sizeof(*s));
	uint16_t at = (uint16_t)port;

	*arena_own(arena, let_go) = s;
	s->http = http_open(&at, answer, s, err);
	if (!s->http)
		return NULL;
	make_token(s->token);
	s->state.command = command;
	s->state.target = o->operands.n ? o->operands.at[0] : "";
	s->state.message = "";
	s->state.start_s = pace_now_s();
	s->state.stride = 1;
	s->state.served.guest = (struct guest){s, http_fd(s->http), serve};
	output_note("serving http://127.0.0.1:%u/%s/ until the command ends", at, s->token);
	return s;
}

struct served *serve_served(struct serve *s)
{
	return &s->state.served;
}

void serve_end(struct serve *s, const struct err *err)
{
	double now = pace_now_s(), end = now + FAREWELL;
	struct pollfd fd;

	if (!s)
		return;
	s->state.over = true;
	s->state.code = err->code;
	s->state.message = err_text(err);
	serve_look(&s->state);
	fd = (struct pollfd){http_fd(s->http), POLLIN, 0};
	while (!s->told && s->looked_s > now - PATIENCE && pace_now_s() < end) {
		poll(&fd, 1, 50);
		http_serve(s->http);
	}
	s->state.served.gpu = NULL;
}
#else
struct serve *serve_open(uint64_t port, const char *command, const struct options *o,
	struct arena *arena, struct err *err)
{
	(void)port;
	(void)command;
	(void)o;
	(void)arena;
	err_add(err, ERR_UNSUPPORTED,
		"--serve: this build cannot; configure found no libmicrohttpd (libmicrohttpd-dev)");
	return NULL;
}

struct served *serve_served(struct serve *s)
{
	(void)s;
	return NULL;
}

void serve_end(struct serve *s, const struct err *err)
{
	(void)s;
	(void)err;
}
#endif
