/* Recordings: a text file of verbs and what they gave, a line each, in their order. It replaces a
 * machine: made by a chip here, or by the program of verbs_emit on hardware. */
#ifndef RUNS_VERBS_RECORD_H
#define RUNS_VERBS_RECORD_H

#include "core/files.h"
#include "core/mem.h"
#include "core/text.h"
#include "runs/verbs/verbs.h"

/* The comment that marks a recording of no machine: it is not replayed. */
#define VERBS_STAND_IN "# by a stand-in for a driver, without a GPU"

/* Verbs that pass on to others and write down what they gave; `text` is the caller's, as is what
 * `inner` points to. Memory is the arena's. */
struct verbs verbs_recorded(const struct verbs *inner, struct text *text, struct arena *);

/* The verbs of a recording. An act that is not the recording's next is an error (ERR_INPUT) with
 * its line. 0, or -1: the file cannot be read, is no recording, or one of a stand-in. */
int verbs_of_recording(
	struct verbs *, const char *path, struct files *, struct arena *, struct err *);

/* Whether all of it was asked for: 0, or -1 and a message. */
int verbs_recording_ends(const struct verbs *, struct err *);

/* Writes scripts.txt, the recording without its results, and probe.cu, a program in CUDA C++ that
 * runs them and writes a recording, into a folder, which is made if there is none. 0 or -1. */
int verbs_emit(struct files *, const char *folder, const char *recording, struct err *);

/* The text of the program. */
void verbs_program(struct text *out);

#endif
