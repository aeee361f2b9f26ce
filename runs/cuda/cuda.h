/* A CUDA program whose kernels run on the chip: the program is a process of its own, which the
 * library in cuda/ connects with this one. */
#ifndef RUNS_CUDA_CUDA_H
#define RUNS_CUDA_CUDA_H

#include "core/host.h"
#include "runs/region.h"
#include "runs/session.h"

/* What the host does to device memory. */
struct cuda_change {
	enum cuda_change_kind {
		CUDA_CHANGE_NEW,  /* memory at `to`: an allocation, a variable that is named */
		CUDA_CHANGE_FREE, /* that at `to` will be freed */
		CUDA_CHANGE_WRITE,
		CUDA_CHANGE_FILL,
		CUDA_CHANGE_COPY
	} kind;
	uint64_t to, from, bytes;
	unsigned char value; /* CUDA_CHANGE_FILL */
};

/* What a module consists of, each launch when it is queued, each change of memory when it is done;
 * textures. */
struct cuda_watch {
	void *ctx;
	void (*module)(void *ctx, module_t, const struct module_text *, unsigned n);
	void (*launch)(void *ctx, const struct launch *, const struct program *);
	void (*change)(void *ctx, const struct cuda_change *);
	/* NULL: it is freed. A reference that is bound to it has a copy. */
	void (*texture)(void *ctx, texture_t, const struct texture_desc *);
	void (*bind)(void *ctx, module_t, const char *reference, texture_t);
};

struct cuda_run {
	struct gpu *gpu;
	struct config *config; /* finished */
	struct arena *arena;   /* at its end no process is left */
	const char **argv;     /* of the program, ended by NULL */
	const char *library;   /* the folder of libcudart.so.* */
	bool silent;           /* its stdout is dropped, and it has no stdin */
	bool no_chip;          /* the GPU has none */
	struct region region;  /* if it is all: 100 million warp instructions run in time */
	const char *record;    /* the folder of a recording that is made; NULL: none */
	const char *play;      /* of one that is played, instead of argv; NULL */
	const struct cuda_watch *watch; /* or NULL */
	const struct guest *guest;      /* is served while the program computes; or NULL */
};

/* Writes a scenario of a recording that is played, with its files, into a new folder. 0, or -1 and
 * a message: ERR_UNSUPPORTED for what a scenario cannot hold. */
int cuda_edit(struct cuda_run *, const char *folder, struct err *);

/* Whether the path is the folder of a recording. */
bool cuda_is_recording(const char *path);
/* The words of its program's command line, then NULL: the arena's. NULL and a message. */
const char **cuda_recorded_words(const char *dir, struct arena *, struct err *);

/* Starts the program, which lives in the arena; NULL and messages on failure (ERR_HOST). */
struct cuda_server *cuda_open(const struct cuda_run *, struct err *);
/* Serves it until launches must be complete before it can go on: 1; the caller runs them.
 * 0: it has ended, and all is complete. -1 and messages: what its kernels did wrong (as
 * chip_run's), ERR_INTERRUPTED, ERR_CHECK (it ended with a status of its own, or by a signal). No
 * process is left then. */
int cuda_next(struct cuda_server *, struct err *);
/* Runs the chip as far as that requires; or the executor, all of it. What kernels do wrong is the
 * program's to hear of, and reported when it has ended: 0. The end of the program stops the run: 0.
 * -1: interrupted. */
int cuda_run_held(
	struct cuda_server *, uint64_t max_cycles, const struct host_hooks *, struct err *);
int cuda_run_untimed(
	struct cuda_server *, const struct untimed_limits *, struct untimed_counts *, struct err *);

uint64_t cuda_launches(const struct cuda_server *);

/* The folder of the libraries that programs need, beside warpbeam where it was built or installed:
 * the arena's. NULL and a message: it is not there. */
const char *cuda_library(struct arena *, struct err *);

#endif
