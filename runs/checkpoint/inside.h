/* Shared by the files of runs/checkpoint/. */
#ifndef RUNS_CHECKPOINT_INSIDE_H
#define RUNS_CHECKPOINT_INSIDE_H

#include "chip/checkpoint.h"
#include "program/stream.h"
#include "runs/checkpoint/checkpoint.h"

/* ---- file.c: each 0 or -1 */
/* Reads the file that is resumed: whole, of this version. */
int checkpoint_file_open(struct checkpoint *, struct files *, struct err *);
/* Its words, which must be the run's; its journal; its state is next. */
int checkpoint_file_begin(struct checkpoint *, struct err *);
/* The run's words: build, target, inputs, settings. */
int checkpoint_words(struct checkpoint *, struct err *);
int checkpoint_write(struct checkpoint *, struct err *);
/* The same without a file. */
int checkpoint_try(struct checkpoint *, struct err *);

/* ---- from.c */
/* The words of a file and of this run, which may differ in parameters that can change: 0 or -1. */
int checkpoint_compare(const char *path, const char *theirs, const char *ours, struct err *);

#endif
