/* A small server of HTTP on this host alone, driven by the loop of its owner. */
#ifndef CLI_SERVE_HTTP_H
#define CLI_SERVE_HTTP_H

#include "core/err.h"
#include "core/text.h"

#include <stdbool.h>
#include <stdint.h>

struct http;

struct http_answer {
	unsigned status;  /* 200, 404, .. */
	const char *type; /* text, unless it is set */
	struct text body;
};

/* Responds to a GET, or to a POST, whose body is not read. */
typedef void http_fn(void *ctx, const char *path, bool post, struct http_answer *);

/* Listens on 127.0.0.1:*port; port 0 becomes one that is free. NULL: ERR_HOST. */
struct http *http_open(uint16_t *port, http_fn *, void *ctx, struct err *);
void http_close(struct http *); /* accepts NULL */

/* A descriptor that can be read when http_serve has something to do; call that now and then anyway,
 * for connections that say nothing more. */
int http_fd(const struct http *);
void http_serve(struct http *);

#endif
