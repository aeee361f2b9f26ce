/* What the server of a CUDA program shares between its files. */
#ifndef RUNS_CUDA_INSIDE_H
#define RUNS_CUDA_INSIDE_H

#include "cuda/wire.h"
#include "program/runtime.h"
#include "runs/cuda/cuda.h"

#include <sys/types.h>

/* The cudaError_t that replies have. */
enum cuda_status {
	CUDA_OK = 0,
	CUDA_RUN_FIRST = UINT16_MAX, /* of ours: the message is taken again after a run */
	CUDA_INVALID_VALUE = 1,
	CUDA_NO_MEMORY = 2,
	CUDA_INVALID_CONFIGURATION = 9,
	CUDA_INVALID_SYMBOL = 13,
	CUDA_OTHER_VERSION = 35,
	CUDA_INVALID_FUNCTION = 98,
	CUDA_INVALID_PTX = 218,
	CUDA_INVALID_HANDLE = 400,
	CUDA_ILLEGAL_ADDRESS = 700,
	CUDA_OUT_OF_RESOURCES = 701,
	CUDA_TIMEOUT = 702,
	CUDA_ASSERT = 710,
	CUDA_MISALIGNED = 716,
	CUDA_LAUNCH_FAILURE = 719,
	CUDA_TOO_LARGE = 720,
	CUDA_NOT_SUPPORTED = 801,
	CUDA_UNKNOWN = 999
};

/* A module of the program: fat binaries, then, from the first use of a name on, compiled. */
struct cuda_code {
	unsigned char **part;
	uint64_t *part_bytes;
	unsigned nparts;
	module_t module; /* 0: not compiled yet */
	unsigned arch;   /* the newest of its PTX */
	bool failed;
	bool told; /* which of its kernels do not compile */
};

struct cuda_kernel {
	module_t module;
	const struct program *program;
	uint64_t launches;
};

/* Device memory that the host may use: an allocation, or a module's variable. */
struct cuda_block {
	uint64_t address, bytes;
	buffer_t buffer;
	bool variable;
	void *pages; /* that the program has mapped, too; NULL: not shared */
	bool open;   /* it may write them while launches are pending */
};

/* Index 0 is the default stream. `last`: 1 + its last launch; 0: none. */
struct cuda_stream {
	uint64_t last;
	bool alive, apart; /* apart: the default stream does not wait for it, nor it for that */
};

/* An event: the cycle in which it happened, at the earliest, and what must end before. */
struct cuda_event {
	uint64_t cycle, last; /* 1 + a launch; 0: none */
	bool alive, recorded;
	bool whole; /* of the default stream: it waits for all that do */
};

/* A managed variable's pages. */
struct cuda_managed {
	const struct cuda_code *code;
	const char *name;
	void *pages;
	uint64_t address; /* 0: not asked for yet */
	uint64_t bytes;
	int fd; /* 0: the program has it */
};

struct cuda_server {
	struct cuda_run run;
	struct gpu *gpu;
	struct arena *arena;
	struct err *err;
	pid_t pid;
	int socket, window_fd, signals;
	int process; /* readable when the program has ended; 0: there is none */
	int pass;    /* descriptor that goes with the reply; 0: none */
	unsigned char *window;
	unsigned char in[65536]; /* received, from in_at to in_end */
	size_t in_at, in_end;
	uint32_t late;             /* of a launch without reply: the next reply's status */
	bool greeted, interrupted; /* interrupted: by a signal to us */
	bool must_run;             /* the message at hand needs a run first: */
	struct wire_message held;  /* it, until that is done */
	bool until_rest, finished; /* of the run: until the chip is at rest, or */
	uint32_t until;            /* until this launch is complete */
	uint32_t lost;             /* the status of every reply from now on; 0: none */
	char *text;                /* printed by kernels */
	size_t text_bytes, text_room, text_taken;
	struct cuda_code *codes;
	unsigned ncodes;
	struct cuda_kernel *kernels;
	unsigned nkernels;
	struct cuda_block *blocks; /* by address */
	size_t nblocks, block_room;
	struct cuda_stream *streams;
	unsigned nstreams;
	struct cuda_event *events;
	unsigned nevents;
	uint64_t launches, since_rest; /* queued; since the chip was last at rest */
	bool at_rest;                  /* nothing is in flight, unless launches are pending */
	bool adopts;                   /* what the program leaves ends with it */
	bool gone;                     /* the program */
	bool budget_told;              /* that launches are executed only */
	const char *lacks;             /* a library of the program that cannot work here; or NULL */
	bool newer_told;               /* that a GPU of that kind would refuse the PTX */
	bool silence_noted;            /* of the program, while it may wait for a pending launch */
	int silent_ms;
	uint64_t noted[16]; /* texts of what was refused last, hashed */
	unsigned next_note;
	uint64_t names; /* allocations so far, for names */
	struct cuda_managed *managed;
	unsigned nmanaged;
	bool has_mipmaps;           /* the program has made such */
	bool has_reset;             /* the device */
	uint64_t heap_bytes;        /* of the heap before the program */
	struct cuda_record *record; /* NULL: nothing is recorded */
	struct cuda_tape *tape;     /* what is played; NULL: there is a program */
};

/* ---- recordings */
/* Makes the folder. 0 or -1. */
int cuda_record_open(struct cuda_server *, const char *dir, struct err *);
/* Do nothing unless something is recorded: a message that came, its reply, a run that has ended
 * before the program continues. */
void cuda_record_message(struct cuda_server *, const struct wire_message *);
void cuda_record_reply(struct cuda_server *, const struct wire_message *);
/* The message at hand waits for a run: what the program wrote into open memory comes first. */
void cuda_record_held(struct cuda_server *);
void cuda_record_run(struct cuda_server *);
/* The program has ended with that status of waitpid(): the folder has its name. 0 or -1. */
int cuda_record_close(struct cuda_server *, int status, struct err *);

/* Reads a recording's folder, compares it with its hashes; its words and choice of launches are the
 * run's. 0 or -1. */
int cuda_tape_open(struct cuda_server *, const char *dir, struct err *);
/* The next message, with what belongs to it; false: there is none, or a message of what is wrong.
 */
bool cuda_tape_next(struct cuda_server *, struct wire_message *);
/* Whether the reply is the recorded one, as far as the program keeps it; false and a message. */
bool cuda_tape_agrees(struct cuda_server *, const struct wire_message *);
int cuda_tape_status(const struct cuda_server *);
/* Makes the window alone. */
int cuda_start_alone(struct cuda_server *, struct err *);

/* Handles one kind of message: fills the reply's a, returns its status. */
typedef uint32_t cuda_answer_fn(struct cuda_server *, struct wire_message *);
cuda_answer_fn cuda_take_code, cuda_find_kernel, cuda_find_symbol, cuda_lacks;
cuda_answer_fn cuda_alloc, cuda_free, cuda_find, cuda_write, cuda_read, cuda_copy, cuda_fill,
	cuda_memory, cuda_reset, cuda_heap;
cuda_answer_fn cuda_launch, cuda_sync, cuda_stream_new, cuda_stream_end, cuda_event_new,
	cuda_event_end, cuda_record, cuda_wait, cuda_stream_wait, cuda_elapsed;
/* What the chip's side refused: noted, once for each text. Returns `status`. */
uint32_t cuda_refused(struct cuda_server *, uint32_t status, struct err *);
/* The same of a launch's bytes. A status. */
uint32_t cuda_launch_bytes(struct cuda_server *, const unsigned char *, size_t n);
cuda_answer_fn cuda_device, cuda_occupancy;
cuda_answer_fn cuda_texture, cuda_texture_end, cuda_bind, cuda_mipmap;

/* The module m->a[0], compiled, and the name of m->a[1] bytes in the window. NULL: *status, and,
 * why it cannot be compiled, m->a[3] bytes in the window. */
struct cuda_code *cuda_named(
	struct cuda_server *, struct wire_message *, const char **name, uint32_t *status);

/* Whether a signal asks us to end; it is taken. */
bool cuda_interrupted(struct cuda_server *);

/* Device memory as programs see it; no limit of allocations. */
uint64_t cuda_device_bytes(const struct cuda_server *);

/* Runs everything that is queued. A status. */
uint32_t cuda_run_all(struct cuda_server *);
/* The same if the stream, which must be one, waits for a launch. */
uint32_t cuda_run_stream(struct cuda_server *, uint64_t stream);

/* Whether all CTAs of a launch, whose shape is right, are resident at once. */
bool cuda_fits_at_once(struct cuda_server *, const struct program *, const struct launch *);

/* Whether the kernel's launch of that number, from 1 on, runs in time. */
bool cuda_is_timed(
	struct cuda_server *, const struct program *kernel, uint64_t number, uint64_t ctas);
/* At the end: reports kernels that were named and never launched. */
void cuda_check_timed(const struct cuda_server *);

/* Reports it to the watch, if there is one. */
void cuda_changed(struct cuda_server *, const struct cuda_change *);

/* Notes device memory. 0, or -1: no host memory. */
int cuda_add_block(struct cuda_server *, const struct cuda_block *);
/* The same for the global variables of all modules. */
int cuda_name_variables(struct cuda_server *);

/* Frees all textures of the program. */
void cuda_textures_end(struct cuda_server *);

/* The block that contains bytes a .. a + n - 1, or NULL. */
struct cuda_block *cuda_block_at(const struct cuda_server *, uint64_t a, uint64_t n);

/* Memory that the program maps, too: its descriptor, and ours of it. 0 or -1. */
int cuda_share(uint64_t bytes, int *fd, void **pages);
void cuda_unshare(void *pages, uint64_t bytes);

/* Starts the program; its socket and window. 0 or -1. */
int cuda_start(struct cuda_server *, struct err *);
/* How the file of that path is linked; of no kind where it cannot be read. */
struct code_runtime cuda_program(const char *path);
/* runs/cuda/orphans.c: processes that the program's own leave become this one's children from now
 * on. False: they do not, or it has other children, which must live on. */
bool cuda_adopt_orphans(void);
/* Ends all children of this process, with SIGTERM, then SIGKILL; how many there were. */
unsigned cuda_end_orphans(void);
/* After the connection is closed: waits for the program's end. False: the loader refused it. */
bool cuda_was_loaded(const struct cuda_server *);
/* After the connection is closed: waits for the program's end, and reports how it ended. `force`:
 * ends it. */
void cuda_finish(struct cuda_server *, bool force);

#endif
