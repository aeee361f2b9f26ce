/* Files that are given by mistake where a YAML file is expected. */
#ifndef RUNS_YAML_FOREIGN_H
#define RUNS_YAML_FOREIGN_H

#include "core/err.h"

#include <stdbool.h>
#include <stddef.h>

/* Whether the name has the ending of a file that is not a scenario: .ptx, .cu, .cubin, .json.. */
bool yaml_foreign_name(const char *file);

/* PTX, CUDA-C, a report of warpbeam's or a binary file: -1 and a message with what would be right.
 * 0 for all else; errors of YAML are not checked. */
int yaml_foreign(const char *file, const char *text, size_t n, struct err *);

#endif
