/* Shared by the files of the stand-in for libcuda.so.1 (tests/preload/cuda.c). */
#ifndef TESTS_PRELOAD_CUDA_INSIDE_H
#define TESTS_PRELOAD_CUDA_INSIDE_H

#include "chip/elsewhere.h"
#include "core/config.h"
#include "core/mem.h"
#include "driver/driver.h"

#define NOT_FOUND 500
#define INVALID 1
#define FAILED 719
#define NOWHERE 700
#define MISALIGNED 716
#define UNKNOWN 999

enum kind { MODULE = 1, FUNCTION, MEMORY, ARRAY, TEXTURE, STREAM, EVENT, REFERENCE, CONTEXT };

/* What a handle points to. */
struct object {
	enum kind kind;
	struct object *next, *parent;
	module_t module;
	const struct program *program;
	char name[256];
	buffer_t buffer;
	texture_t handle; /* of a texture object */
	struct cuda_array_descriptor array;
	struct texture_desc texture; /* of a reference, as far as it was set */
	int format;
	double ms; /* an event's time */
	bool live; /* must be given back */
};

struct standin {
	struct gpu *gpu;
	struct config *config;
	struct object *first;
	struct untimed_counts counts;
	long calls, launches;
	int sticky; /* the fault of a kernel */
};
extern struct standin s;

/* Counts a call. The error that it must return: 0 for none. */
int entered(void);
#define ENTER() \
	do { \
		int code_ = entered(); \
		if (code_ || s.sticky) \
			return code_ ? code_ : s.sticky; \
	} while (0)

struct object *make(enum kind, bool live);
/* Objects are given back once; the call that fails does it all the same. */
int drop(void *handle, enum kind);
/* The bytes of a range, which must be inside live memory or a variable; else NULL. */
unsigned char *bytes_at(cuda_address, uint64_t n);

/* Counts a call: the error that it is to fail with (cuda_fail.c), or 0. The second ends a report.
 */
int fails(void);
void fails_report(void);

/* Whether the compiler that STANDIN_PTXAS names refuses the text: its log, and an error; or 0. */
int refused_by_ptxas(const char *text, char *log, size_t bytes);

/* ---- prototypes: the table's names are strings */
#define EXPORT(name, parameters) \
	int name parameters; \
	int name parameters

#endif
