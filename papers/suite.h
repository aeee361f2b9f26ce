/* The workloads that papers are measured on unless some are named: those of Table 1 of Gebhart et
 * al., MICRO 2012, in its order. */
#ifndef PAPERS_SUITE_H
#define PAPERS_SUITE_H

extern const char *const suite_workloads[]; /* ends with NULL */

#endif
