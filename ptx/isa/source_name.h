/* Names in PTX as their CUDA-C source has them: _ZN2ns3addIfLi4EEvPT_i is ns::add<float, 4>. */
#ifndef PTX_ISA_SOURCE_NAME_H
#define PTX_ISA_SOURCE_NAME_H

#include "core/err.h"
#include "core/mem.h"
#include "core/text.h"

#include <stdbool.h>

/* The name with its namespaces and template arguments, without parameters (the Itanium C++ ABI,
 * 5.1). A name that is not mangled is its own; "<...>" is for arguments that it does not
 * understand, and what cannot be read at all stays mangled. */
void source_name(const char *mangled, struct text *out);
/* The same, the arena's; without memory for it the mangled one. */
const char *source_name_kept(const char *mangled, struct arena *);

/* Whether the source's name, all of it or without leading namespaces, with or without template
 * arguments, or the PTX's, is `wanted`; spaces do not count. */
bool source_name_is(const char *mangled, const char *wanted);

/* Which of the n names is meant: the one that is `wanted`, else the only one whose source_name is
 * it, else the only one that begins with it, in PTX or in the source. NULL: there is none (*many
 * false) or more than one: *many, and `found` has the first ones, readable. */
const char *source_name_find(
	const char *const *names, size_t n, const char *wanted, bool *many, struct text *found);

#endif
