/* PTX keywords as tables: types, state spaces, special registers. */
#include "ptx/isa/types.h"

#include "core/base.h"

#include <string.h>

struct type_row {
	const char *name;
	uint8_t bytes;
	char class;
};

#define TYPE_ROW(id, spelling, size, kind) [T_##id] = {spelling, size, kind},
static const struct type_row types[T_COUNT] = {[T_NONE] = {"none", 0, '?'}, PTX_TYPES(TYPE_ROW)};

static const char *const spaces[SPACE_COUNT] = {
	[SPACE_NONE] = "none",
	[SPACE_GENERIC] = "generic",
	[SPACE_GLOBAL] = "global",
	[SPACE_SHARED] = "shared",
	[SPACE_LOCAL] = "local",
	[SPACE_CONST] = "const",
	[SPACE_PARAM] = "param",
};

struct sreg_row {
	const char *name;
	uint8_t words;
};

#define SREG_ROW(id, spelling, size) [SREG_##id] = {spelling, size},
static const struct sreg_row sregs[SREG_COUNT + 1] = {
	PTX_SREGS(SREG_ROW)[SREG_SLOTS] = {"%slots", 1}};

const char *ptx_type_name(enum ptx_type type)
{
	BUG_ON((unsigned)type >= T_COUNT);
	return types[type].name;
}

unsigned ptx_type_bytes(enum ptx_type type)
{
	BUG_ON((unsigned)type >= T_COUNT);
	return types[type].bytes;
}

char ptx_type_class(enum ptx_type type)
{
	BUG_ON((unsigned)type >= T_COUNT);
	return types[type].class;
}

unsigned ptx_type_words(enum ptx_type type)
{
	return (ptx_type_bytes(type) + 3) / 4;
}

enum ptx_type ptx_type_parse(const char *name)
{
	for (unsigned i = T_NONE + 1; i < T_COUNT; i++)
		if (!strcmp(types[i].name, name))
			return (enum ptx_type)i;
	return T_NONE;
}

const char *ptx_space_name(enum ptx_space space)
{
	BUG_ON((unsigned)space >= SPACE_COUNT);
	return spaces[space];
}

int ptx_sreg_parse(const char *name)
{
	for (unsigned i = 0; i < SREG_COUNT; i++)
		if (!strcmp(sregs[i].name, name))
			return (int)i;
	return -1;
}

const char *ptx_sreg_name(enum ptx_sreg sreg)
{
	BUG_ON((unsigned)sreg > SREG_COUNT);
	return sregs[sreg].name;
}

unsigned ptx_sreg_words(enum ptx_sreg sreg)
{
	BUG_ON((unsigned)sreg > SREG_COUNT);
	return sregs[sreg].words;
}
