/* --serve: the page of a command that runs, for a browser on the same host. One loop runs the work
 * and the server, which so looks at the work between two windows, and changes no result. */
#ifndef CLI_SERVE_SERVE_H
#define CLI_SERVE_SERVE_H

#include "cli/options.h"
#include "runs/served.h"

struct serve;

/* Listens on 127.0.0.1 and prints the address, with a token that cannot be guessed, on stderr. Port
 * 0: any that is free. The command is named on the page; memory is the arena's, which also closes
 * it. NULL: ERR_HOST, such as a port in use; ERR_UNSUPPORTED: a build without libmicrohttpd. */
struct serve *serve_open(
	uint64_t port, const char *command, const struct options *, struct arena *, struct err *);

/* Where the command reports its runs: for its options (struct run_options, served). */
struct served *serve_served(struct serve *);

/* The command has ended: a page that is open has two seconds to read that. */
void serve_end(struct serve *, const struct err *); /* accepts NULL */

/* ---- what is served */
/* What a page can show of the past: at most this many moments, evenly spread. */
#define SERVE_MOMENTS 512
struct serve_moment {
	double wall_s;
	uint64_t cycle, warp_instructions, dram_bytes, ctas_done, jobs_done;
};

struct serve_state {
	struct served served;
	const char *command, *target;
	double start_s;
	bool over;
	enum err_code code;  /* how it ended */
	const char *message; /* "" */
	struct serve_moment moment[SERVE_MOMENTS];
	unsigned moments, stride; /* stride: moments have this many tenths of a second between */
	double next_s;            /* when the next one is due */
};

/* A look at the work, if it is time for one. */
void serve_look(struct serve_state *);
/* As JSON, schema/live.schema.json. 0, or -1 when there is no memory. */
int serve_json(const struct serve_state *, struct text *);
void serve_page(const struct serve_state *, struct text *);

#endif
