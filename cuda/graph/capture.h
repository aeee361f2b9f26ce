/* What the two files of stream capture share. */
#ifndef CUDA_GRAPH_CAPTURE_H
#define CUDA_GRAPH_CAPTURE_H

#include "cuda/graph/graph.h"

#include <pthread.h>

enum capture_mode { MODE_GLOBAL, MODE_THREAD, MODE_RELAXED };

struct capture {
	struct capture *next;
	struct graph *graph;
	bool given; /* the graph is the program's */
	bool invalid;
	uint64_t id, origin; /* origin: the stream where it began */
	int mode;
	pthread_t owner;
};

/* A stream that is captured, and the nodes that its next one comes after. */
struct captured {
	struct captured *next;
	struct capture *in;
	uint64_t stream;
	bool apart;
	struct node **last;
	unsigned n;
	void **handles; /* of the last ones, for the program */
};

/* An event that was recorded after those nodes. */
struct captured_event {
	struct captured_event *next;
	struct capture *in; /* NULL: it has ended */
	cudaEvent_t event;
	struct node **last;
	unsigned n;
};

void captures_lock(void);
void captures_unlock(void);
/* The calling thread's. */
int *capture_thread_mode(void);

/* ---- while locked; NULL and false: no memory, or there is none */
struct capture *capture_new(struct graph *, bool given, uint64_t stream, int mode);
/* Its streams are captured no longer; the graph stays. */
void capture_end(struct capture *);
struct captured *captured_stream(uint64_t stream);
struct captured *captured_join(struct capture *, uint64_t stream, bool apart);
bool captured_set(struct captured *, struct node *const *last, unsigned n);
/* Adds those that are not there. */
bool captured_add(struct captured *, struct node *const *more, unsigned n);
/* Whether it is the default stream, and one that waits for it is captured. */
cudaError_t captures_implicit(uint64_t stream);
bool capture_is_joined(const struct captured *first);

#endif
