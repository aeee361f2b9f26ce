/* The reports of an untimed run. */
#ifndef CLI_EXEC_REPORT_H
#define CLI_EXEC_REPORT_H

#include "cli/profile.h"
#include "runs/report.h"
#include "runs/usage_report.h"

struct exec_report {
	struct report run; /* what ran, on what, its verdict */
	const struct untimed_counts *counts;
	const struct profile *profile;        /* NULL: not requested */
	const struct usage_report *registers; /* the same */
};

/* Forms and lists are in the arena. */
void exec_text(const struct exec_report *, struct arena *, struct text *);
void exec_csv(const struct exec_report *, struct arena *, struct text *);
/* 0, or -1 when there is no memory. */
int exec_json(const struct exec_report *, struct arena *, struct text *);

#endif
