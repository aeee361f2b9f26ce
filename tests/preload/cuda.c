/* A library libcuda.so.1 for tests (tests/cli/test_hardware.c), which simulates a GPU by the
 * executor of the program that opens it: what `warpbeam hardware` does, everywhere. Its addresses
 * are not those of the model that compares with it. Time is what the executor counts: a nanosecond
 * for each warp instruction.
 *
 * Environment: how it fails: cuda_fail.c; STANDIN_VERSION, STANDIN_GPUS: what it says of itself;
 * STANDIN_FLIP: a bit of what is read is wrong; STANDIN_FAULT=n: launch n faults, with
 * STANDIN_FAULT_CODE (700); STANDIN_NO_MEMORY=n: n bytes and more are not there; STANDIN_REFUSE:
 * PTX with these words is refused; STANDIN_REFUSE_LINES: the same, with the lines that have them;
 * STANDIN_REPLACE=from|to: words of PTX are replaced; STANDIN_CAPABILITY: 75 is 7.5 (9.0);
 * STANDIN_PTXAS: cuda_ptxas.c; STANDIN_REPORT: a file that gets the number of calls and of objects
 * that were not given back. */
#include "tests/preload/cuda_inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct standin s;

/* Marks the library. */
extern const int warpbeam_stand_in;
const int warpbeam_stand_in = 1;

static long number(const char *name, long otherwise)
{
	const char *text = getenv(name);

	return text ? atol(text) : otherwise;
}

/* Counts a call. The error that it must return: 0 for none. */
int entered(void)
{
	s.calls++;
	return fails();
}

struct object *make(enum kind kind, bool live)
{
	struct object *o = calloc(1, sizeof(*o));

	if (!o)
		abort();
	o->kind = kind;
	o->live = live;
	o->next = s.first;
	s.first = o;
	return o;
}

/* Objects are given back once; the call that fails does it all the same. */
int drop(void *handle, enum kind kind)
{
	struct object *o = handle;
	int failed = entered();

	if (o->kind != kind || !o->live)
		abort();
	o->live = false;
	return failed ? failed : s.sticky;
}

__attribute__((destructor)) static void report(void)
{
	const char *path = getenv("STANDIN_REPORT");
	FILE *f = path ? fopen(path, "w") : NULL;
	long live = 0;

	while (s.first) {
		struct object *o = s.first;

		live += o->live;
		s.first = o->next;
		free(o);
	}
	gpu_free(s.gpu);
	config_free(s.config);
	fails_report();
	if (!f)
		return;
	fprintf(f, "%ld %ld\n", s.calls, live);
	fclose(f);
}

EXPORT(cuGetErrorName, (int error, const char **name))
{
	*name = error == UNKNOWN      ? "CUDA_ERROR_UNKNOWN"
		: error == NOWHERE    ? "CUDA_ERROR_ILLEGAL_ADDRESS"
		: error == MISALIGNED ? "CUDA_ERROR_MISALIGNED_ADDRESS"
		: error == FAILED     ? "CUDA_ERROR_LAUNCH_FAILED"
		: error == 218        ? "CUDA_ERROR_INVALID_PTX"
		: error == 214        ? "CUDA_ERROR_ECC_UNCORRECTABLE"
		: error == 2          ? "CUDA_ERROR_OUT_OF_MEMORY"
				      : "CUDA_ERROR_INVALID_VALUE";
	return 0;
}

EXPORT(cuGetErrorString, (int error, const char **text))
{
	*text = error == UNKNOWN ? "unknown error" : NULL;
	return error == UNKNOWN ? 0 : INVALID;
}

/* ---- the GPU */
EXPORT(cuInit, (unsigned flags))
{
	ENTER();
	return flags ? INVALID : number("STANDIN_GPUS", 1) < 0 ? CUDA_NO_GPU : 0;
}

EXPORT(cuDriverGetVersion, (int *version))
{
	ENTER();
	*version = (int)number("STANDIN_VERSION", 12040);
	return 0;
}

EXPORT(cuDeviceGetCount, (int *count))
{
	ENTER();
	*count = (int)number("STANDIN_GPUS", 1);
	return 0;
}

EXPORT(cuDeviceGet, (int *device, int ordinal))
{
	ENTER();
	*device = 7 + ordinal;
	return 0;
}

EXPORT(cuDeviceGetName, (char *name, int bytes, int device))
{
	ENTER();
	snprintf(name, (size_t)bytes, "stand-in %d", device);
	return 0;
}

EXPORT(cuDeviceTotalMem_v2, (size_t * bytes, int device))
{
	ENTER();
	(void)device;
	*bytes = (size_t)1 << 30;
	return 0;
}

EXPORT(cuDeviceGetAttribute, (int *value, int attribute, int device))
{
	ENTER();
	(void)device;
	*value = attribute == CUDA_SMS                ? 3
		 : attribute == CUDA_CLOCK_KHZ        ? 1000000
		 : attribute == CUDA_CAPABILITY_MAJOR ? (int)number("STANDIN_CAPABILITY", 90) / 10
		 : attribute == CUDA_CAPABILITY_MINOR ? (int)number("STANDIN_CAPABILITY", 90) % 10
						      : 512;
	return 0;
}

/* Addresses begin elsewhere than the model's. */
EXPORT(cuCtxCreate_v2, (void **context, unsigned flags, int device))
{
	struct err err = {0};

	ENTER();
	if (flags || device != 7)
		return INVALID;
	if (!s.gpu) {
		s.config = config_new();
		s.gpu = gpu_new(s.config, NULL, &err);
		gpu_buffer(s.gpu, "elsewhere", 3u << 20, &err);
	}
	if (err.count)
		abort();
	*context = make(CONTEXT, true);
	return 0;
}

EXPORT(cuCtxDestroy_v2, (void *context))
{
	int failed = drop(context, CONTEXT);

	if (s.sticky) { /* the launch that faulted is in the queue */
		gpu_free(s.gpu);
		config_free(s.config);
		s.gpu = NULL;
		s.config = NULL;
	}
	s.sticky = 0;
	return failed;
}

EXPORT(cuCtxSynchronize, (void))
{
	ENTER();
	return 0;
}

/* ---- modules */
static module_t compile(const char *text, size_t n, struct err *err)
{
	char path[] = "/tmp/warpbeam-standin-XXXXXX";
	int fd = mkstemp(path);
	module_t m;

	if (fd < 0 || write(fd, text, n) != (ssize_t)n)
		abort();
	close(fd);
	m = gpu_module(s.gpu, path, err);
	unlink(path);
	return m;
}

/* The text with words replaced, which is freed by the caller. */
static char *replaced(const char *text, const char *words)
{
	const char *to = words ? strchr(words, '|') : NULL, *at;
	size_t n = to ? (size_t)(to - words) : 0, len = 0, most = 2 * strlen(text) + 1;
	char *out = malloc(most), *from = to ? strndup(words, n) : NULL;

	if (!out || (to && !from))
		abort();
	for (; from && (at = strstr(text, from)); text = at + n)
		len += (size_t)snprintf(
			out + len, most - len, "%.*s%s", (int)(at - text), text, to + 1);
	snprintf(out + len, most - len, "%s", text);
	free(from);
	return out;
}

/* As ptxas does: a line for each that is wrong. */
static void refuse_lines(const char *text, const char *words, char *log, size_t bytes)
{
	size_t len = 0;
	unsigned line = 1;

	for (const char *at = text; *at; line++) {
		size_t n = strcspn(at, "\n");
		const char *found = strstr(at, words);

		if (found && found < at + n && log && len < bytes)
			len += (size_t)snprintf(log + len, bytes - len,
				"ptxas application ptx input, line %u; error   : refused\n", line);
		at += n + (at[n] == '\n');
	}
}

static int load_text(struct object *o, const char *text, char *log, size_t bytes)
{
	const char *refused = getenv("STANDIN_REFUSE"), *lines = getenv("STANDIN_REFUSE_LINES");
	char *copy = replaced(text, getenv("STANDIN_REPLACE"));
	struct err err = {0};
	bool bad;

	if (lines && strstr(text, lines)) {
		refuse_lines(text, lines, log, bytes);
		free(copy);
		return CUDA_INVALID_PTX;
	}
	o->module = compile(copy, strlen(copy), &err);
	if (!err.count && refused_by_ptxas(copy, log, bytes)) {
		free(copy);
		return CUDA_INVALID_PTX;
	}
	free(copy);
	if (!err.count && refused && strstr(text, refused))
		err_add(&err, ERR_INPUT, "text: refused");
	if (log && err.count)
		snprintf(log, bytes, "ptxas says: %s", strchr(err_text(&err), ' ') + 1);
	bad = err.count;
	err_clear(&err);
	return bad ? CUDA_INVALID_PTX : 0;
}

EXPORT(cuModuleLoadDataEx,
	(void **module, const void *text, unsigned n, int *options, void **values))
{
	char *log = NULL;
	size_t bytes = 0;
	struct object *o;
	int failed;

	ENTER();
	for (unsigned i = 0; i < n; i++) {
		if (options[i] == CUDA_JIT_ERROR_LOG)
			log = values[i];
		else if (options[i] == CUDA_JIT_ERROR_LOG_BYTES)
			bytes = (size_t)values[i];
	}
	o = make(MODULE, true);
	failed = load_text(o, text, log, bytes);
	o->live = !failed;
	*module = o;
	return failed;
}

EXPORT(cuModuleUnload, (void *module))
{
	return drop(module, MODULE);
}

EXPORT(cuModuleGetFunction, (void **function, void *module, const char *name))
{
	struct object *o, *m = module;
	const struct program *p;

	ENTER();
	p = gpu_kernel(s.gpu, m->module, name);
	if (!p)
		return NOT_FOUND;
	o = make(FUNCTION, false);
	o->module = m->module;
	o->program = p;
	*function = o;
	return 0;
}

EXPORT(cuModuleGetGlobal_v2, (cuda_address * at, size_t *bytes, void *module, const char *name))
{
	struct object *m = module;
	buffer_t b;

	ENTER();
	b = gpu_variable(s.gpu, m->module, name);
	if (!b)
		return NOT_FOUND;
	*at = gpu_buffer_address(s.gpu, b);
	*bytes = gpu_buffer_bytes(s.gpu, b);
	return 0;
}

EXPORT(cuFuncGetAttribute, (int *value, int attribute, void *function))
{
	const struct object *o = function;

	ENTER();
	*value = (int)(attribute == CUDA_REGISTERS     ? o->program->regs + 1
		       : attribute == CUDA_LOCAL_BYTES ? o->program->local_bytes
						       : o->program->shared_bytes);
	return 0;
}

EXPORT(cuFuncSetAttribute, (void *function, int attribute, int value))
{
	struct object *o = function;

	ENTER();
	if (o->kind != FUNCTION || attribute != CUDA_MOST_DYNAMIC_SHARED || value <= 0)
		return INVALID;
	return 0;
}

/* ---- memory */
#define LARGE (16u << 20)

static struct object *memory_at(cuda_address at, uint64_t *offset)
{
	uint64_t base = 0;
	buffer_t b = gpu_buffer_holding(s.gpu, at, &base);

	*offset = at - base;
	for (struct object *o = s.first; o && b; o = o->next)
		if (o->kind == MEMORY && o->buffer == b && o->live)
			return o;
	return NULL;
}

/* The bytes of a range, which must be inside live memory or a variable. */
unsigned char *bytes_at(cuda_address at, uint64_t n)
{
	uint64_t base = 0, offset;
	buffer_t b = gpu_buffer_holding(s.gpu, at, &base);

	if (!b || at - base + n > gpu_buffer_bytes(s.gpu, b))
		return NULL;
	if (!strcmp(gpu_buffer_name(s.gpu, b), "memory") && !memory_at(at, &offset))
		return NULL;
	return gpu_buffer_data(s.gpu, b) + (at - base);
}

EXPORT(cuMemAlloc_v2, (cuda_address * at, size_t bytes))
{
	struct err err = {0};
	struct object *o;

	ENTER();
	if (number("STANDIN_NO_MEMORY", 0) && bytes >= (size_t)number("STANDIN_NO_MEMORY", 0))
		return 2;
	o = make(MEMORY, true);
	o->buffer = gpu_buffer(s.gpu, "memory", bytes, &err);
	if (!o->buffer)
		abort();
	if (bytes < LARGE) /* as a driver's is: not zero */
		memset(gpu_buffer_data(s.gpu, o->buffer), 0xa5, bytes);
	*at = gpu_buffer_address(s.gpu, o->buffer);
	return 0;
}

EXPORT(cuMemFree_v2, (cuda_address at))
{
	uint64_t offset;
	struct object *o = memory_at(at, &offset);

	if (!o || offset)
		abort();
	return drop(o, MEMORY);
}

EXPORT(cuMemsetD8_v2, (cuda_address at, unsigned char byte, size_t n))
{
	unsigned char *to;

	ENTER();
	to = bytes_at(at, n);
	if (!to)
		return INVALID;
	if (byte || n < LARGE) /* a large one is zero from the start */
		memset(to, byte, n);
	return 0;
}

EXPORT(cuMemcpyHtoD_v2, (cuda_address at, const void *from, size_t n))
{
	unsigned char *to;

	ENTER();
	to = bytes_at(at, n);
	if (!to)
		return INVALID;
	memcpy(to, from, n);
	return 0;
}

EXPORT(cuMemcpyDtoH_v2, (void *to, cuda_address at, size_t n))
{
	const unsigned char *from;

	ENTER();
	from = bytes_at(at, n);
	if (!from)
		return INVALID;
	memcpy(to, from, n);
	if (getenv("STANDIN_FLIP") && n > 64)
		*(unsigned char *)to ^= 0x40;
	return 0;
}

/* ---- streams, events, launches */
EXPORT(cuStreamCreate, (void **stream, unsigned flags))
{
	ENTER();
	*stream = make(STREAM, true);
	return flags == CUDA_STREAM_NON_BLOCKING ? 0 : INVALID;
}

EXPORT(cuStreamDestroy_v2, (void *stream))
{
	return drop(stream, STREAM);
}

EXPORT(cuEventCreate, (void **event, unsigned flags))
{
	ENTER();
	*event = make(EVENT, true);
	return flags ? INVALID : 0;
}

EXPORT(cuEventDestroy_v2, (void *event))
{
	return drop(event, EVENT);
}

EXPORT(cuEventRecord, (void *event, void *stream))
{
	ENTER();
	(void)stream;
	((struct object *)event)->ms = 1e-6 * (double)s.counts.warp_instructions;
	return 0;
}

EXPORT(cuEventElapsedTime, (float *ms, void *from, void *to))
{
	ENTER();
	*ms = (float)(((struct object *)to)->ms - ((struct object *)from)->ms);
	return 0;
}

static int run(const struct object *o, struct launch *l, void **params)
{
	static const uint32_t few = 4096; /* turns of a loop measure a clock without noise */
	struct launch_arg args[64];
	struct err err = {0};
	const struct program *p = o->program;

	if (p->nparams > 64)
		return INVALID;
	if (!strcmp(p->name, "warpbeam_clock"))
		params[1] = (void *)&few;
	for (unsigned i = 0; i < p->nparams; i++)
		args[i] = (struct launch_arg){
			.kind = ARG_BYTES, .bytes = params[i], .size = p->params[i].bytes};
	l->args = args;
	if (gpu_launch(s.gpu, l, &err)) {
		err_clear(&err);
		return CUDA_OUT_OF_RESOURCES;
	}
	if (gpu_run_untimed(s.gpu, &s.counts, &err))
		s.sticky = strstr(err_text(&err), "out-of-bounds") ? NOWHERE
			   : strstr(err_text(&err), "misaligned")  ? MISALIGNED
								   : FAILED;
	err_clear(&err);
	if (++s.launches == number("STANDIN_FAULT", 0))
		s.sticky = (int)number("STANDIN_FAULT_CODE", NOWHERE);
	return 0;
}

/* A fault is reported by the next call, as on a GPU, which runs behind the host. */
EXPORT(cuLaunchKernel,
	(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
		unsigned bz, unsigned shared_bytes, void *stream, void **params, void **extra))
{
	const struct object *o = function;
	struct launch l = {.module = o->module,
		.kernel = o->program->name,
		.grid = {gx, gy, gz},
		.block = {bx, by, bz},
		.shared_bytes = shared_bytes,
		.nargs = o->program->nparams};

	ENTER();
	(void)stream;
	return extra ? INVALID : run(o, &l, params);
}

EXPORT(cuLaunchCooperativeKernel,
	(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
		unsigned bz, unsigned shared_bytes, void *stream, void **params))
{
	return cuLaunchKernel(function, gx, gy, gz, bx, by, bz, shared_bytes, stream, params, NULL);
}
