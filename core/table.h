/* Tables of parameters and statistics: one row declares one of them, everything else is derived.
 *
 *	#define PARAMS(P, T) \
 *		P(T, UINT, queue, 16, 1, 64, "requests", "Requests the channel can hold.")
 *	#define STATS(S, T) \
 *		S(T, COUNT, row_hits, "requests", "Requests that found their row open.")
 *	struct channel {
 *		struct { PARAMS(PARAM_FIELD, channel) } p;
 *		struct { STATS(STAT_FIELD, channel) } s;
 *	};
 *	TABLES(channel, PARAMS, STATS);    // defines channel_params[], channel_stats[]
 */
#ifndef CORE_TABLE_H
#define CORE_TABLE_H

#include <string.h>

#include "core/base.h"
#include "core/err.h"

enum param_type { PARAM_UINT, PARAM_REAL, PARAM_BOOL, PARAM_NAME, PARAM_CHOICE };

/* A REAL's default and bounds are also given as numbers. A NAME's default is a string literal; its
 * bounds are 0, 0 and its unit names the kind of plugin it chooses ("warp scheduler"), or is "". A
 * CHOICE is one of a few words: its unit lists them ("none|memory|cycle"), its value is the index
 * of a word in that list, so that an enum can name it; its bounds are 0, 0. */
struct param_def {
	const char *name;
	enum param_type type;
	size_t offset;
	double value, low, high;
	const char *name_value; /* default of a NAME */
	const char *unit, *text;
};

enum stat_kind {
	STAT_COUNT, /* a sum: adds up over instances */
	STAT_MAX    /* a peak: the largest over instances */
};

struct stat_def {
	const char *name; /* the field; published as NAMESPACE__name.sum or .max */
	enum stat_kind kind;
	size_t offset;
	const char *unit, *text;
};

/* The parameters under one prefix: "sm" and its rows. */
struct param_table {
	const char *prefix;
	const struct param_def *defs;
	size_t n;
};

#define PARAM_C_UINT uint64_t
#define PARAM_C_REAL double
#define PARAM_C_BOOL bool
#define PARAM_C_NAME const char *
#define PARAM_C_CHOICE uint64_t
#define PARAM_V_UINT(v) .value = (double)(v)
#define PARAM_V_REAL(v) .value = (double)(v)
#define PARAM_V_BOOL(v) .value = (double)(v)
#define PARAM_V_NAME(v) .name_value = (v)
#define PARAM_V_CHOICE(v) .value = (double)(v)

/* The n-th word of a CHOICE's list, and its length; NULL: the list is shorter. */
static inline const char *param_word(const struct param_def *def, uint64_t n, size_t *length)
{
	const char *at = def->unit;

	for (; n; n--) {
		at = strchr(at, '|');
		if (!at)
			return NULL;
		at++;
	}
	*length = strcspn(at, "|");
	return at;
}

#define PARAM_FIELD(T, kind, field, dflt, lo, hi, unit_, text_) PARAM_C_##kind field;
#define PARAM_ROW(T, kind, field, dflt, lo, hi, unit_, text_) \
	{.name = #field, \
		.type = PARAM_##kind, \
		.offset = offsetof(struct T, p.field), \
		PARAM_V_##kind(dflt), \
		.low = (double)(lo), \
		.high = (double)(hi), \
		.unit = unit_, \
		.text = text_},
#define STAT_FIELD(T, kind_, field, unit_, text_) uint64_t field;
#define STAT_ROW(T, kind_, field, unit_, text_) \
	{.name = #field, \
		.kind = STAT_##kind_, \
		.offset = offsetof(struct T, s.field), \
		.unit = unit_, \
		.text = text_},
#define TABLES(T, PARAMS, STATS) \
	static const struct param_def T##_params[] = {PARAMS(PARAM_ROW, T)}; \
	static const struct stat_def T##_stats[] = {STATS(STAT_ROW, T)}

#endif
