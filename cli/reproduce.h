/* Papers' tables and figures that can be measured: each is a row of a table and a file. */
#ifndef CLI_REPRODUCE_H
#define CLI_REPRODUCE_H

#include "cli/command.h"

/* `run` measures it and writes the outputs that the options ask for; operands behind the first are
 * workloads. 0 or -1. */
struct reproduced {
	const char *name, *text;
	int (*run)(const struct options *, struct session *, struct err *);
};
extern const struct reproduced reproduced_table1;

/* Those of Gebhart's dissertation: cli/dis.h. */
struct dis_table;
extern const struct dis_table *const dis_tables[]; /* ended by NULL */
int dis_run(const struct dis_table *const *, unsigned n, const struct options *, struct session *,
	struct err *);

#endif
