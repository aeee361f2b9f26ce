/* The workloads that papers are measured on unless some are named: those of Table 1 of Gebhart et
 * al., MICRO 2012, in its order. */
#ifndef PAPERS_SUITE_H
#define PAPERS_SUITE_H

#define SUITE_WORKLOADS 26
extern const char *const suite_workloads[SUITE_WORKLOADS];

#endif
