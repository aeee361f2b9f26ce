/* A CUDA program that does what the host side of a workload did: the file that it is given
 * (tests/rig/host_log.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../rig/host_log.h"

#ifdef CUDA_FATBIN /* compiled by a test, with our library */

typedef struct {
	unsigned x, y, z;
} dim3;
typedef struct {
	int x, y, z, w, kind;
} format;
typedef struct {
	size_t width, height, depth;
} extent;
typedef struct {
	void *at;
	size_t pitch, width, height;
} pitched;
typedef struct {
	void *from;
	size_t from_at[3];
	pitched from_ptr;
	void *to;
	size_t to_at[3];
	pitched to_ptr;
	extent n;
	int kind;
} copy_3d;
typedef struct {
	int type;
	union {
		void *array;
		struct {
			void *at;
			format f;
			size_t width, height, pitch;
		} plane;
		int room[32];
	} of;
} resource;
typedef struct {
	int mode[3], linear, as_float, srgb;
	float border[4];
	int normalised, more[7];
} reading;
struct reference {
	int normalised, linear, mode[3];
	format f;
	int srgb, more[20];
};
void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFatBinaryEnd(void **);
void __cudaRegisterFunction(
	void **, const char *, char *, const char *, int, void *, void *, void *, void *, int *);
void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int, int);
int cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, void *);
void __cudaRegisterTexture(
	void **, const void *, const void **, const char *, int dimensions, int norm, int ext);
int cudaMalloc3DArray(void **, const format *, extent, unsigned), cudaMemcpy3D(const copy_3d *);
int cudaCreateTextureObject(uint64_t *, const resource *, const reading *, const void *);
int cudaBindTexture(size_t *, const void *, const void *, const format *, size_t);
int cudaBindTexture2D(size_t *, const void *, const void *, const format *, size_t, size_t, size_t);
int cudaBindTextureToArray(const void *, void *, const format *);
int cudaMalloc(void **, size_t), cudaDeviceSynchronize(void);
int cudaMemcpy(void *, const void *, size_t, int), cudaGetSymbolAddress(void **, const void *);
int cudaStreamCreateWithFlags(void **, unsigned);
const char *cudaGetErrorName(int);

#define MOST 4096

static struct {
	void **modules[MOST];
	char *memory[MOST];
	void *streams[MOST];
	void *arrays[MOST]; /* instead of memory */
	extent sides[MOST]; /* of them */
	uint64_t textures[MOST];
	struct reference references[MOST];
	char kernels[MOST], variables[MOST]; /* their addresses are names */
} world;

static void expect(int error, const struct host_log_op *o)
{
	if (!error)
		return;
	printf("operation %u of %u: %s\n", o->kind, o->id, cudaGetErrorName(error));
	exit(1);
}

static void take_module(const struct host_log_op *o, char *bytes)
{
	struct {
		unsigned magic, version;
		const void *data, *parts;
	} *wrapper = calloc(1, sizeof(*wrapper));
	char *kept = malloc(o->bytes);

	memcpy(kept, bytes, o->bytes);
	wrapper->magic = 0x466243b1u;
	wrapper->version = 1;
	wrapper->data = kept;
	world.modules[o->id] = __cudaRegisterFatBinary(wrapper);
	__cudaRegisterFatBinaryEnd(world.modules[o->id]);
}

/* ---- textures */
static format format_of(const struct host_log_texture *t)
{
	int bits = t->type < 2   ? 8
		   : t->type < 4 ? 16
				 : 32,
	    kind = t->type == 6 ? 2 : !(t->type & 1);

	return (format){bits, t->channels > 1 ? bits : 0, t->channels > 2 ? bits : 0,
		t->channels > 3 ? bits : 0, kind};
}

static const int modes[] = {1, 3, 0, 2}; /* by enum address_mode */

static void take_array(const struct host_log_op *o, const struct host_log_texture *t)
{
	format f = format_of(t);

	world.sides[o->id] = (extent){t->width, t->height, t->depth};
	expect(cudaMalloc3DArray(&world.arrays[o->id], &f, world.sides[o->id], 0), o);
}

static void take_write(const struct host_log_op *o, char *bytes)
{
	const extent *n = &world.sides[o->id];
	copy_3d c = {.from_ptr = {bytes, n->width, n->width, n->height},
		.to = world.arrays[o->id],
		.n = *n,
		.kind = 1};

	if (c.to)
		expect(cudaMemcpy3D(&c), o);
	else
		expect(cudaMemcpy(world.memory[o->id] + o->a, bytes, o->bytes, 4), o);
}

static void take_texture(const struct host_log_op *o, const struct host_log_texture *t)
{
	reading r = {.linear = (int)t->linear,
		.as_float = (int)t->as_float,
		.normalised = (int)t->normalised};
	resource of = {.type = 0, .of.array = world.arrays[t->memory]};

	for (int i = 0; i < 3; i++)
		r.mode[i] = modes[t->mode[i]];
	if (!of.of.array) {
		of.type = 3;
		of.of.plane.at = world.memory[t->memory] + t->offset;
		of.of.plane.f = format_of(t);
		of.of.plane.width = t->width;
		of.of.plane.height = t->height;
		of.of.plane.pitch = t->row_bytes;
	}
	expect(cudaCreateTextureObject(&world.textures[o->id], &of, &r, NULL), o);
}

static void take_bind(const struct host_log_op *o, const struct host_log_texture *t)
{
	struct reference *r = &world.references[o->id];
	char *at = world.memory[t->memory] + t->offset, *name = (char *)(t + 1);
	format f = format_of(t);
	size_t bytes = t->row_bytes;

	if (!r->f.x)
		__cudaRegisterTexture(
			world.modules[o->a], r, NULL, strdup(name), 2, (int)t->as_float, 0);
	*r = (struct reference){.normalised = (int)t->normalised, .linear = (int)t->linear, .f = f};
	for (int i = 0; i < 3; i++)
		r->mode[i] = modes[t->mode[i]];
	if (world.arrays[t->memory])
		expect(cudaBindTextureToArray(r, world.arrays[t->memory], &f), o);
	else if (t->height == 1 && !t->linear && !t->normalised)
		expect(cudaBindTexture(NULL, r, at, &f, bytes), o);
	else
		expect(cudaBindTexture2D(NULL, r, at, &f, t->width, t->height, bytes), o);
}

/* ---- launches */
static void take_launch(const struct host_log_op *o, char *at)
{
	struct host_log_launch *l = (void *)at;
	void *args[MOST], *addresses[MOST];
	dim3 grid = {l->grid[0], l->grid[1], l->grid[2]};
	dim3 block = {l->block[0], l->block[1], l->block[2]};

	at += sizeof(*l);
	for (unsigned i = 0; i < l->nargs; i++) {
		struct host_log_argument a;

		memcpy(&a, at, sizeof(a));
		at += sizeof(a);
		addresses[i] = world.memory[a.memory] + a.offset;
		args[i] = a.texture  ? (void *)&world.textures[a.texture]
			  : a.memory ? (void *)&addresses[i]
				     : at;
		at += a.size;
	}
	if (o->a && !world.streams[o->a])
		expect(cudaStreamCreateWithFlags(&world.streams[o->a], 1), o);
	expect(cudaLaunchKernel(
		       &world.kernels[o->id], grid, block, args, o->b, world.streams[o->a]),
		o);
}

static void take(const struct host_log_op *o, char *bytes)
{
	char *target = world.memory[o->b % MOST] + o->c;

	switch (o->kind) {
	case HOST_MODULE:
		take_module(o, bytes);
		break;
	case HOST_KERNEL:
		__cudaRegisterFunction(world.modules[o->a], &world.kernels[o->id], NULL,
			strdup(bytes), -1, 0, 0, 0, 0, 0);
		break;
	case HOST_VARIABLE:
		__cudaRegisterVar(world.modules[o->a], &world.variables[o->id], NULL, strdup(bytes),
			0, o->b, 0, 0);
		expect(cudaGetSymbolAddress((void **)&world.memory[o->id], &world.variables[o->id]),
			o);
		break;
	case HOST_ALLOC:
		expect(cudaMalloc((void **)&world.memory[o->id], o->b), o);
		break;
	case HOST_WRITE:
		take_write(o, bytes);
		break;
	case HOST_ARRAY:
		take_array(o, (void *)bytes);
		break;
	case HOST_TEXTURE:
		take_texture(o, (void *)bytes);
		break;
	case HOST_BIND:
		take_bind(o, (void *)bytes);
		break;
	case HOST_POINTER:
		expect(cudaMemcpy(world.memory[o->id] + o->a, &target, sizeof(target), 4), o);
		break;
	case HOST_LAUNCH:
		take_launch(o, bytes);
		break;
	default:
		expect(cudaDeviceSynchronize(), o);
	}
}

int main(int argc, char **argv)
{
	FILE *f = argc == 2 ? fopen(argv[1], "rb") : NULL;
	struct host_log_op o;

	if (!f)
		return 2;
	while (fread(&o, sizeof(o), 1, f) == 1) {
		char *bytes = calloc(1, o.bytes + 1);

		if (o.id >= MOST || fread(bytes, 1, o.bytes, f) != o.bytes)
			return 2;
		take(&o, bytes);
		free(bytes);
	}
	fclose(f);
	return 0;
}

#endif
