/* The driver's texture and surface references: what a program sets of one is bound to the module's
 * name by the next launch of the module. */
#include "cuda/driver/inside.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define OVERRIDE_FORMAT 1u /* the only flag, which arrays need */
#define ALL_TEXTURES (-1)  /* CU_PARAM_TR_DEFAULT */
#define FLAGS (1u | 2u | 16u | 32u)

struct reference {
	struct reference *next; /* of those of modules */
	void *handle;
	struct code *code; /* NULL: it is no module's */
	char *name;
	bool surface, set, changed; /* set: it has a resource */
	struct driver_resource of;
	struct driver_texture as;
	uint64_t object; /* that is bound; 0: none */
};
static struct reference *list;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static struct reference *find(const void *handle)
{
	return handle_find(HANDLE_REFERENCE, handle);
}

static struct reference *new_reference(struct code *code, const char *name)
{
	struct reference *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->code = code;
	r->of.plane.format = 32; /* floats, until it is said */
	r->of.plane.channels = 1;
	r->name = name ? strdup(name) : NULL;
	r->handle = handle_new(HANDLE_REFERENCE, r);
	if (r->handle && (r->name || !name))
		return r;
	free(r->name);
	free(r);
	return NULL;
}

static void end_object(struct reference *r)
{
	if (r->object)
		cuTexObjectDestroy(r->object);
	r->object = 0;
}

static void end(struct reference *r)
{
	end_object(r);
	handle_end(HANDLE_REFERENCE, r->handle);
	free(r->name);
	free(r);
}

void references_end(const struct code *code)
{
	struct reference **link = &list;

	pthread_mutex_lock(&mutex);
	while (*link) {
		struct reference *r = *link;

		if (r->code != code) {
			link = &r->next;
			continue;
		}
		*link = r->next;
		end(r);
	}
	pthread_mutex_unlock(&mutex);
}

/* ---- binding */
static int bind(struct reference *r)
{
	uint64_t object = 0;
	struct call c;
	int e = r->surface ? cuSurfObjectCreate(&object, &r->of)
			   : cuTexObjectCreate(&object, &r->of, &r->as, NULL);

	e = e ? e : driver_result(call_begin(&c));
	if (e)
		return e;
	e = driver_result(call_end(&c, code_bind(&c, r->code, r->name, object)));
	if (e) {
		cuTexObjectDestroy(object);
		return e;
	}
	end_object(r);
	r->object = object;
	r->changed = false;
	return cudaSuccess;
}

int references_bind(const struct code *code)
{
	int e = cudaSuccess;

	if (!__atomic_load_n(&list, __ATOMIC_RELAXED))
		return e;
	pthread_mutex_lock(&mutex);
	for (struct reference *r = list; r && !e; r = r->next)
		if (r->code == code && r->set && r->changed)
			e = bind(r);
	pthread_mutex_unlock(&mutex);
	return e;
}

/* ---- references of modules, and others */
static int of_module(void **out, void *module, const char *name, bool surface)
{
	struct code *code = module_code(module);
	struct reference *r;
	struct call c;
	int e = driver_ready();

	if (!e && (!out || !name))
		e = cudaErrorInvalidValue;
	if (!e && !code)
		e = cudaErrorInvalidResourceHandle;
	e = e ? e : driver_result(call_begin(&c));
	if (e)
		return e;
	e = driver_result(call_end(&c, code_bind(&c, code, name, 0)));
	if (e)
		return e;
	pthread_mutex_lock(&mutex);
	r = list;
	while (r && (r->code != code || strcmp(r->name, name) != 0))
		r = r->next;
	if (!r) {
		r = new_reference(code, name);
		if (r) {
			r->surface = surface;
			r->next = list;
			list = r;
		}
	}
	pthread_mutex_unlock(&mutex);
	if (r)
		*out = r->handle;
	return r ? cudaSuccess : cudaErrorMemoryAllocation;
}

int cuModuleGetTexRef(void **out, void *module, const char *name)
{
	return of_module(out, module, name, false);
}

int cuModuleGetSurfRef(void **out, void *module, const char *name)
{
	return of_module(out, module, name, true);
}

int cuTexRefCreate(void **out)
{
	struct reference *r;
	int e = driver_ready();

	if (e || !out)
		return e ? e : cudaErrorInvalidValue;
	r = new_reference(NULL, NULL);
	if (r)
		*out = r->handle;
	return r ? cudaSuccess : cudaErrorMemoryAllocation;
}

int cuTexRefDestroy(void *reference)
{
	struct reference *r = find(reference);

	if (!r)
		return cudaErrorInvalidResourceHandle;
	if (r->code) /* it is the module's */
		return cudaErrorInvalidValue;
	end(r);
	return cudaSuccess;
}

/* Launches use what is set, whichever function it was set for. */
int cuParamSetTexRef(void *function, int unit, void *reference)
{
	if (!find(reference) || !handle_find(HANDLE_FUNCTION, function))
		return cudaErrorInvalidResourceHandle;
	return unit == ALL_TEXTURES ? cudaSuccess : cudaErrorInvalidValue;
}

/* ---- what is read */
/* A reference that changes; NULL: *e. */
static struct reference *change(void *reference, bool surface, bool valid, int *e)
{
	struct reference *r = find(reference);

	*e = driver_ready();
	if (!*e && (!r || r->surface != surface))
		*e = cudaErrorInvalidResourceHandle;
	if (!*e && !valid)
		*e = cudaErrorInvalidValue;
	if (*e)
		return NULL;
	r->changed = true;
	return r;
}

static int set_array(void *reference, void *array, unsigned flags, int type, bool surface)
{
	int e;
	struct reference *r = change(
		reference, surface, array && (flags == OVERRIDE_FORMAT || (surface && !flags)), &e);

	if (!r)
		return e;
	r->of = (struct driver_resource){.type = type};
	r->of.array = array;
	r->set = true;
	return cudaSuccess;
}

int cuTexRefSetArray(void *reference, void *array, unsigned flags)
{
	return set_array(reference, array, flags, RESOURCE_ARRAY, false);
}

int cuTexRefSetMipmappedArray(void *reference, void *mipmap, unsigned flags)
{
	return set_array(reference, mipmap, flags, RESOURCE_MIPMAPPED, false);
}

int cuSurfRefSetArray(void *reference, void *array, unsigned flags)
{
	return set_array(reference, array, flags, RESOURCE_ARRAY, true);
}

/* The plane's format stays through arrays. */
static void set_plane(struct reference *r, int type, uint64_t at)
{
	if (r->of.type != RESOURCE_LINEAR && r->of.type != RESOURCE_PITCH && r->set) {
		r->of = (struct driver_resource){0};
		r->of.plane.format = 32;
		r->of.plane.channels = 1;
	}
	r->of.type = type;
	r->of.plane.at = at;
	r->set = true;
}

int cuTexRefSetAddress_v2(size_t *offset, void *reference, uint64_t at, size_t n)
{
	int e;
	struct reference *r = change(reference, false, at && n, &e);

	if (!r)
		return e;
	set_plane(r, RESOURCE_LINEAR, at);
	r->of.plane.width = n;
	if (offset)
		*offset = 0;
	return cudaSuccess;
}

int cuTexRefSetAddress2D_v3(
	void *reference, const struct driver_array_2d *d, uint64_t at, size_t pitch)
{
	int e;
	struct reference *r = change(reference, false, at && d, &e);

	if (!r)
		return e;
	set_plane(r, RESOURCE_PITCH, at);
	r->of.plane.format = d->format;
	r->of.plane.channels = d->channels;
	r->of.plane.width = d->width;
	r->of.plane.height = d->height;
	r->of.plane.pitch = pitch;
	return cudaSuccess;
}

int cuTexRefSetAddress2D_v2(
	void *reference, const struct driver_array_2d *d, uint64_t at, size_t pitch)
{
	return cuTexRefSetAddress2D_v3(reference, d, at, pitch);
}

/* An array's is its own. */
int cuTexRefSetFormat(void *reference, int format, int channels)
{
	int e;
	struct reference *r = change(reference, false, channels > 0, &e);

	if (!r)
		return e;
	if (r->set && (r->of.type == RESOURCE_ARRAY || r->of.type == RESOURCE_MIPMAPPED))
		return cudaSuccess;
	r->of.plane.format = format;
	r->of.plane.channels = (unsigned)channels;
	return cudaSuccess;
}

/* ---- how it is read */
#define SET(name, valid, what, ...) \
	int name(void *reference, __VA_ARGS__) \
	{ \
		int e; \
		struct reference *r = change(reference, false, valid, &e); \
\
		if (!r) \
			return e; \
		what; \
		return cudaSuccess; \
	}
SET(cuTexRefSetAddressMode, dimension >= 0 && dimension < 3 && mode >= 0 && mode <= MODE_BORDER,
	r->as.mode[dimension] = mode, int dimension, int mode)
SET(cuTexRefSetFilterMode, mode == 0 || mode == 1, r->as.linear = mode, int mode)
SET(cuTexRefSetFlags, !(flags & ~FLAGS), r->as.flags = flags, unsigned flags)
SET(cuTexRefSetMipmapFilterMode, mode == 0 || mode == 1, r->as.blend = mode, int mode)
SET(cuTexRefSetMipmapLevelBias, true, r->as.bias = bias, float bias)
SET(cuTexRefSetMipmapLevelClamp, true, (r->as.least = least, r->as.most = most), float least,
	float most)
SET(cuTexRefSetMaxAnisotropy, true, r->as.anisotropy = anisotropy, unsigned anisotropy)
SET(cuTexRefSetBorderColor, color, memcpy(r->as.border, color, sizeof(r->as.border)),
	const float *color)

/* ---- and asked for */
/* A reference of which *out is asked; NULL: *e. */
static const struct reference *ask(void *reference, const void *out, int *e)
{
	const struct reference *r = find(reference);

	*e = !out ? cudaErrorInvalidValue : !r ? cudaErrorInvalidResourceHandle : cudaSuccess;
	return *e ? NULL : r;
}

#define GET(name, type, valid, value) \
	int name(type *out, void *reference) \
	{ \
		int e; \
		const struct reference *r = ask(reference, out, &e); \
\
		if (!r) \
			return e; \
		if (!(valid)) \
			return cudaErrorInvalidValue; \
		*out = value; \
		return cudaSuccess; \
	}
GET(cuTexRefGetArray, void *, r->set && r->of.type == RESOURCE_ARRAY, r->of.array)
GET(cuSurfRefGetArray, void *, r->set && r->of.type == RESOURCE_ARRAY, r->of.array)
GET(cuTexRefGetMipmappedArray, void *, r->set && r->of.type == RESOURCE_MIPMAPPED, r->of.array)
GET(cuTexRefGetAddress_v2, uint64_t,
	r->set && (r->of.type == RESOURCE_LINEAR || r->of.type == RESOURCE_PITCH), r->of.plane.at)
GET(cuTexRefGetFilterMode, int, true, r->as.linear)
GET(cuTexRefGetFlags, unsigned, true, r->as.flags)
GET(cuTexRefGetMipmapFilterMode, int, true, r->as.blend)
GET(cuTexRefGetMipmapLevelBias, float, true, r->as.bias)
GET(cuTexRefGetMaxAnisotropy, int, true, (int)r->as.anisotropy)

int cuTexRefGetAddressMode(int *out, void *reference, int dimension)
{
	int e;
	const struct reference *r = ask(reference, out, &e);

	if (!r)
		return e;
	if (dimension < 0 || dimension > 2)
		return cudaErrorInvalidValue;
	*out = r->as.mode[dimension];
	return cudaSuccess;
}

int cuTexRefGetMipmapLevelClamp(float *least, float *most, void *reference)
{
	int e;
	const struct reference *r = ask(reference, least && most ? least : NULL, &e);

	if (!r)
		return e;
	*least = r->as.least;
	*most = r->as.most;
	return cudaSuccess;
}
