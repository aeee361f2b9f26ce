/* Tables and figures of Mei, Zhao, Liu, Chu, "Benchmarking the Memory Hierarchy of Modern GPUs",
 * NPC 2014, by the prober (runs/probe/), which sees no parameter. The descriptions
 * machines/gtx560ti.yaml and gtx780.yaml hold what the paper found out: latencies are calibrated to
 * it, and structures are inputs, so that their rows judge the prober and how the model composes
 * them. Readings and bands: doc/reproduce.md. */
#ifndef PAPERS_MEI_MEI_H
#define PAPERS_MEI_MEI_H

#include "papers/papers.h"

#define MEI_FERMI "gtx560ti"
#define MEI_KEPLER "gtx780"
#define MEI_L1_OFF "l1.keeps=none"

/* ---- measurements, each a run of the prober of its own */
extern const struct point_way mei_geometry; /* latencies, caches, TLBs */
extern const struct point_way mei_patterns; /* table 3's */
extern const struct point_way mei_passes;   /* the L1 in cyclic passes, and what it evicts */
extern const struct point_way mei_pages;    /* texture cache and L2 TLB in cyclic passes */
extern const struct point_way mei_strides;  /* shared memory */

/* One SM of the machine: the prober uses no other, and latencies do not depend on their number. */
struct design mei_design(const char *machine, const struct point_way *, const char *more);

/* The number that the prober found; NAN: it was not determined, or not run yet. */
double mei_found(struct book *, const struct design *, const char *level, const char *item);
/* 1: it found these words; 0: others; NAN. */
double mei_says(struct book *, const struct design *, const char *level, const char *item,
	const char *words);
/* What it found in words; or why it found nothing. NULL while runs are missing. */
const char *mei_words(struct book *, const struct design *, const char *level, const char *item);

/* Per cent of the accesses that miss, in cyclic passes over that many bytes. */
double mei_missed(struct book *, const struct design *, const char *level, double bytes);

/* Cycles of a dependent load from shared memory, of lanes `stride` words apart; and the degree of
 * conflict that they mean, by the cycles that the prober has for a pass. */
#define MEI_STRIDES 65
double mei_cycles(struct book *, const struct design *, unsigned stride);
double mei_degree(struct book *, const struct design *, unsigned stride);

/* A row whose number sets a parameter of the description. */
struct book_row mei_calibration(
	const char *claim, const char *unit, struct band, double ours, const char *note);

extern const struct paper mei_paper;

#endif
