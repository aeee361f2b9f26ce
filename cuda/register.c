/* What a program registers before main(): its fat binaries, kernels and variables. Modules are sent
 * when one of their names is first used. */
#include "cuda/inside.h"

#include <stdlib.h>
#include <string.h>

#define WRAPPER_MAGIC 0x466243b1u
#define FATBIN_MAGIC 0xba55ed50u
#define BUCKETS 4096u

/* As nvcc and clang lay it out, in section .nvFatBinSegment. */
struct wrapper {
	uint32_t magic, version;
	const unsigned char *data;
	const unsigned char *const *parts; /* version 2: fat binaries that are linked, then NULL */
};

/* A module; its address is the handle. */
struct code {
	const struct wrapper *wrapper;
	uint64_t module;
	bool sent;
	struct function *functions; /* of a loaded one, those that were asked for */
	struct variable *variables;
};

static struct function *functions[BUCKETS];
static struct variable *variables[BUCKETS];
static struct variable *managed;
static bool registered_code;

static unsigned bucket(const void *host)
{
	return (unsigned)(((uintptr_t)host >> 3) % BUCKETS);
}

static uint64_t fatbin_bytes(const unsigned char *p)
{
	uint32_t magic;
	uint16_t header;
	uint64_t body;

	memcpy(&magic, p, 4);
	memcpy(&header, p + 6, 2);
	memcpy(&body, p + 8, 8);
	return magic == FATBIN_MAGIC ? header + body : 0;
}

static cudaError_t send_fatbin(struct call *c, const unsigned char *at, enum wire_code first)
{
	uint64_t left = fatbin_bytes(at);
	cudaError_t e = left ? cudaSuccess : cudaErrorInvalidPtx;

	while (left && !e) {
		uint64_t n = left < WIRE_WINDOW_BYTES ? left : WIRE_WINDOW_BYTES;

		memcpy(c->window, at, n);
		c->m.a[0] = n;
		c->m.a[1] = first;
		e = call_do(c, WIRE_CODE);
		first = WIRE_CODE_MORE;
		at += n;
		left -= n;
	}
	return e;
}

static cudaError_t send_code(struct call *c, struct code *code)
{
	const struct wrapper *w = code->wrapper;
	enum wire_code first = WIRE_CODE_MODULE;
	cudaError_t e = cudaSuccess;

	if (code->sent)
		return cudaSuccess;
	if (w->version == 1)
		e = send_fatbin(c, w->data, first);
	for (unsigned i = 0; w->version == 2 && w->parts && w->parts[i] && !e; i++) {
		e = send_fatbin(c, w->parts[i], first);
		first = WIRE_CODE_NEXT;
	}
	code->sent = !e;
	code->module = c->m.a[0];
	return e;
}

/* Asks for something of the module by its name. */
static cudaError_t ask(struct call *c, struct code *code, const char *name, enum wire_op op)
{
	cudaError_t e = send_code(c, code);
	size_t n = strlen(name);

	if (e)
		return e;
	if (n > WIRE_WINDOW_BYTES)
		return cudaErrorInvalidValue;
	memcpy(c->window, name, n);
	c->m.a[0] = code->module;
	c->m.a[1] = n;
	return call_do(c, op);
}

static int default_dynamic(const struct wire_kernel *k)
{
	uint64_t most =
		k->shared_bytes < DEFAULT_SHARED_BYTES ? DEFAULT_SHARED_BYTES - k->shared_bytes : 0;

	return (int)(k->most_dynamic_bytes < most ? k->most_dynamic_bytes : most);
}

static cudaError_t learn(struct call *c, struct function *f)
{
	const struct wire_kernel *k = (const void *)c->window;
	cudaError_t e = ask(c, f->code, f->name, WIRE_KERNEL);

	if (e)
		return e;
	f->params = calloc(k->nparams + 1, sizeof(*f->params));
	if (!f->params)
		return cudaErrorMemoryAllocation;
	memcpy(f->params, k->params, k->nparams * sizeof(*f->params));
	f->kernel = c->m.a[0];
	f->nparams = k->nparams;
	f->param_bytes = k->param_bytes;
	f->most_dynamic = (int)k->most_dynamic_bytes;
	f->attributes = (cudaFuncAttributes){.shared = k->shared_bytes,
		.most_dynamic_shared = default_dynamic(k),
		.local = k->local_bytes,
		.most_threads = (int)k->most_threads,
		.registers = (int)k->registers,
		.ptx = (int)k->arch,
		.binary = (int)k->binary};
	f->known = true;
	return cudaSuccess;
}

struct function *function_find(struct call *c, const void *host, cudaError_t *why)
{
	struct function *f = functions[bucket(host)];

	while (f && f->host != host)
		f = f->next;
	*why = !f ? cudaErrorInvalidDeviceFunction : f->known ? cudaSuccess : learn(c, f);
	return *why ? NULL : f;
}

static struct variable *registered(const void *host, bool texture)
{
	struct variable *v = variables[bucket(host)];

	while (v && (v->host != host || v->texture != texture))
		v = v->next;
	if (v || texture)
		return v;
	v = managed; /* calls name it by where it is */
	while (v && (!v->address || *v->pointer != host))
		v = v->after;
	return v;
}

/* Of a managed one, maps its pages, and gives the program their address. */
static cudaError_t find_place(struct call *c, struct variable *v)
{
	cudaError_t e;

	c->m.a[2] = 0;
	e = ask(c, v->code, v->name, WIRE_SYMBOL);
	if (e)
		return e;
	v->address = c->m.a[0];
	v->bytes = c->m.a[1];
	if (!v->pointer)
		return cudaSuccess;
	e = shared_variable(v->address, v->bytes);
	*v->pointer = e ? NULL : (void *)(uintptr_t)v->address;
	return e;
}

struct variable *variable_find(struct call *c, const void *host, cudaError_t *why)
{
	struct variable *v = registered(host, false);

	*why = !v ? cudaErrorInvalidSymbol : v->address ? cudaSuccess : find_place(c, v);
	return *why ? NULL : v;
}

bool reference_reads(const void *host, int *as_float)
{
	const struct variable *v = registered(host, true);

	*as_float = v ? v->as_float : 0;
	return v;
}

cudaError_t code_bind(struct call *c, struct code *code, const char *name, uint64_t texture)
{
	c->m.a[2] = texture;
	return ask(c, code, name, WIRE_BIND);
}

cudaError_t reference_bind(struct call *c, const void *host, uint64_t texture)
{
	const struct variable *v = registered(host, true);

	return code_bind(c, v->code, v->name, texture);
}

uint64_t reference_keep(const void *host, uint64_t texture)
{
	struct variable *v = registered(host, true);
	uint64_t before = v->address;

	v->address = texture;
	return before;
}

void references_forget(void)
{
	for (unsigned i = 0; i < BUCKETS; i++)
		for (struct variable *v = variables[i]; v; v = v->next)
			if (v->texture)
				v->address = 0;
}

/* ---- code that the program loads */
bool runtime_is_used(void)
{
	return registered_code;
}

struct code *code_load(struct call *c, unsigned char *const *fatbins, unsigned n, cudaError_t *why)
{
	struct code *code = calloc(1, sizeof(*code));

	*why = code ? cudaSuccess : cudaErrorMemoryAllocation;
	for (unsigned i = 0; i < n && !*why; i++)
		*why = send_fatbin(c, fatbins[i], i ? WIRE_CODE_NEXT : WIRE_CODE_MODULE);
	if (!*why) {
		code->module = c->m.a[0];
		code->sent = true;
		c->m.a[2] = 1;
		*why = ask(c, code, "", WIRE_SYMBOL); /* no name, but it is compiled */
	}
	if (*why == cudaErrorInvalidSymbol)
		*why = cudaSuccess;
	if (!*why)
		return code;
	free(code);
	return NULL;
}

const char *code_why(const struct call *c, size_t *n)
{
	*n = c->m.a[3] <= WIRE_WINDOW_BYTES ? c->m.a[3] : 0;
	return (const char *)c->window;
}

struct function *code_function(
	struct call *c, struct code *code, const char *name, cudaError_t *why)
{
	struct function *f = code->functions;

	*why = cudaSuccess;
	while (f && strcmp(f->name, name) != 0)
		f = f->next;
	if (f)
		return f;
	f = calloc(1, sizeof(*f));
	*why = cudaErrorMemoryAllocation;
	if (f) {
		f->code = code;
		f->name = strdup(name);
		*why = f->name ? learn(c, f) : *why;
	}
	if (*why) {
		free(f ? (char *)(uintptr_t)f->name : NULL);
		free(f);
		return NULL;
	}
	f->next = code->functions;
	code->functions = f;
	return f;
}

struct variable *code_variable(
	struct call *c, struct code *code, const char *name, cudaError_t *why)
{
	struct variable *v = code->variables;
	uint64_t place;

	*why = cudaSuccess;
	while (v && strcmp(v->name, name) != 0)
		v = v->next;
	if (v)
		return v;
	c->m.a[2] = 0;
	*why = ask(c, code, name, WIRE_SYMBOL);
	v = *why ? NULL : calloc(1, sizeof(*v));
	if (!v) {
		*why = *why ? *why : cudaErrorMemoryAllocation;
		return NULL;
	}
	place = c->m.a[0];
	*v = (struct variable){.next = code->variables,
		.name = strdup(name),
		.code = code,
		.bytes = c->m.a[1],
		.address = place};
	code->variables = v;
	if (c->m.a[2])
		*why = shared_variable(place, v->bytes);
	return v;
}

/* ---- what programs register */
API void **__cudaRegisterFatBinary(void *wrapper)
{
	const struct wrapper *w = wrapper;
	struct code *code = calloc(1, sizeof(*code));

	if (!code || w->magic != WRAPPER_MAGIC || (w->version != 1 && w->version != 2)) {
		tell(code ? "the program's fat binary is of a kind that is not known"
			  : "no memory");
		abort();
	}
	code->wrapper = w;
	registered_code = true;
	if (getenv(WIRE_VARIABLE)) { /* so that warpbeam knows of this library */
		struct call c;

		if (!call_begin(&c))
			call_end(&c, cudaSuccess);
	}
	return (void **)code;
}

API void __cudaRegisterFatBinaryEnd(void **handle)
{
	(void)handle;
}

API void __cudaUnregisterFatBinary(void **handle)
{
	(void)handle; /* names registered with it keep pointing there */
}

/* Before the program's first use of a managed variable. */
API char __cudaInitModule(void **handle)
{
	struct variable *v = managed;
	cudaError_t e;
	struct call c;

	(void)handle; /* variables of all modules */
	while (v && v->address)
		v = v->after;
	if (!v || call_begin(&c))
		return 1;
	c.m.a[0] = WIRE_ALL;
	e = call_do(&c, WIRE_SYNC);
	for (v = managed; v && !e; v = v->after)
		e = v->address ? cudaSuccess : find_place(&c, v);
	call_end(&c, e);
	return 1;
}

API void __cudaRegisterFunction(void **handle, const char *host, char *unused, const char *name)
{
	struct function *f = calloc(1, sizeof(*f));

	(void)unused;
	if (!f)
		return;
	*f = (struct function){.next = functions[bucket(host)],
		.host = host,
		.name = name,
		.code = (struct code *)handle};
	functions[bucket(host)] = f;
}

static struct variable *add_variable(const struct variable *v)
{
	struct variable *kept = malloc(sizeof(*kept));

	if (!kept)
		return NULL;
	*kept = *v;
	kept->next = variables[bucket(v->host)];
	variables[bucket(v->host)] = kept;
	return kept;
}

API void __cudaRegisterVar(
	void **handle, char *host, char *unused, const char *name, int external, size_t bytes)
{
	(void)unused;
	(void)external;
	add_variable(&(struct variable){
		.host = host, .name = name, .bytes = bytes, .code = (struct code *)handle});
}

/* The program reaches it through *pointer. */
API void __cudaRegisterManagedVar(
	void **handle, void **pointer, char *unused, const char *name, int external, size_t bytes)
{
	struct variable *v = add_variable(&(struct variable){.host = pointer,
		.name = name,
		.bytes = bytes,
		.pointer = pointer,
		.after = managed,
		.code = (struct code *)handle});

	(void)unused;
	(void)external;
	if (v)
		managed = v;
}

API void __cudaRegisterTexture(void **handle, const void *host, const void **unused,
	const char *name, int dimensions, int as_float)
{
	(void)unused;
	(void)dimensions;
	add_variable(&(struct variable){.host = host,
		.name = name,
		.texture = true,
		.as_float = as_float,
		.code = (struct code *)handle});
}
