/* What people give by mistake where a YAML file is read. */
#ifndef RUNS_YAML_FOREIGN_H
#define RUNS_YAML_FOREIGN_H

#include "core/err.h"

#include <stdbool.h>
#include <stddef.h>

/* Whether the name ends as that of a file which is no scenario: .ptx, .cu, .cubin, .json.. */
bool yaml_foreign_name(const char *file);

/* PTX, CUDA-C, a report of warpbeam's or a file that is no text: -1 and a message that says so, and
 * what would be right. 0 for all else; YAML's own faults are not looked for. */
int yaml_foreign(const char *file, const char *text, size_t n, struct err *);

#endif
