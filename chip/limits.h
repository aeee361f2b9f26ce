/* Limits of machine and program that can be removed, for experiments: the same run without one of
 * them shows what it costs. Each names a second observable besides the run's time, one that the
 * limit causes: without it, a run that changes for another reason would be taken for an effect. */
#ifndef CHIP_LIMITS_H
#define CHIP_LIMITS_H

#include <stdbool.h>

/* Another change to the program that has the same purpose: what it is, and its settings instead of
 * the limit's. */
#define LIMIT_FIXES 2u
struct limit_fix {
	const char *text, *set;
};

struct limit {
	const char *name, *text;
	/* Settings that remove it, "path=value path=value": on any chip, and what is added with a
	 * design of storage; NULL: nothing. One that is in the way of none (the L2 of a chip
	 * without one) has no effect. Of the program's, a value @PATH is that of another parameter,
	 * @PATH/4 a quarter of it, at least 1 if it is not 0, and @PATH|OTHER the other's if it is
	 * 0. */
	const char *set, *partitioned, *unified, *fermi, *carveout;
	/* The observable: a metric of the run (warpbeam stats) by another one, or alone (by NULL).
	 */
	const char *metric, *by;
	bool rises;      /* the observable rises without the limit; else it falls */
	bool of_program; /* behind those of the machine: another program would not have it */
	/* No setting removes it: without it the run takes the mean time of its SMs. */
	bool balances;
	struct limit_fix fixes[LIMIT_FIXES]; /* without text: none */
};

extern const struct limit limits[];
extern const unsigned limits_count;

/* How many of them, the first, are the machine's. */
unsigned limits_of_machine(void);

/* The limit's index; limits_count: there is none of that name. */
unsigned limit_find(const char *name);

/* Whether the observable moved as it must if the limit was removed: by a tenth of what it was, in
 * its direction. NAN does not move. */
bool limit_moved(const struct limit *, double before, double after);

#endif
