/* A scenario that is being written from a recording: memory by address, what the host does as text
 * in which addresses become names when all memory is known. */
#ifndef RUNS_CUDA_EDIT_INSIDE_H
#define RUNS_CUDA_EDIT_INSIDE_H

#include "runs/cuda/inside.h"

/* Device memory under one name: allocations that had the same addresses one after the other are one
 * buffer. */
struct edit_region {
	uint64_t address, bytes;
	unsigned long number; /* of its first allocation */
	buffer_t variable;    /* of a module; 0: it is a buffer */
};

/* What an allocation held: before the first launch, or in the end. */
struct edit_content {
	uint64_t address, bytes;
	char file[32]; /* "": zeros */
	struct text fields;
};

struct edit_contents {
	struct edit_content *all;
	unsigned n;
};

/* A texture of the program, or several, one after the other, that are the same except their
 * handle. `shown`: it was there at a launch, whose kernel can have its handle. */
struct edit_texture {
	struct texture_desc desc;
	uint64_t address;
	texture_t handle, now; /* of the first; of the last */
	bool alive, shown;
};

/* What a reference of a module is bound to. `told`: by a launch of the scenario. */
struct edit_binding {
	module_t module;
	const char *reference;
	unsigned texture; /* index */
	bool told;
};

struct edit {
	struct cuda_server *server;
	const char *folder; /* until it is whole: another name */
	struct text steps;
	struct edit_region *regions; /* by address */
	unsigned nregions;
	struct edit_contents first, last;
	struct edit_texture *textures;
	unsigned ntextures;
	struct edit_binding *bindings;
	unsigned nbindings;
	unsigned nlaunches, nfiles, nmodules;
	struct text modules[64]; /* the files of each */
	bool many_streams;
	struct err *err;
};

#define EDIT_MODULES ARRAY_LEN(((struct edit *)0)->modules)

int edit_no_memory(struct edit *);
/* What a scenario cannot hold. -1. */
int edit_refuse(struct edit *, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- textures */
/* Of struct cuda_watch. */
void edit_take_texture(void *, texture_t, const struct texture_desc *);
void edit_take_bind(void *, module_t, const char *reference, texture_t);
/* At a launch of the module, within its text: the references that it binds. */
void edit_textures_launch(struct edit *, module_t);
/* Whether it is a texture's handle to a kernel that fetches; the number in its name. */
bool edit_is_texture(struct edit *, uint64_t handle, const struct program *, unsigned *number);
/* Adds the section. */
void edit_add_textures(const struct edit *, struct text *out);

/* Where an address goes into the text: as "buffer: b1, offset: 8" of these keys. */
enum edit_key { EDIT_BUFFER, EDIT_WRITE, EDIT_COPY, EDIT_TO };
void edit_address(struct text *, enum edit_key, uint64_t address);

/* The text with names for addresses. */
void edit_named(const struct edit *, const struct text *, struct text *out);

/* Adds the fields for the addresses that are seen in n bytes: "{at: 8, ...}, {...}". */
void edit_fields(const struct edit *, const unsigned char *bytes, uint64_t n, struct text *);

/* Writes a file of the folder. 0 or -1. */
int edit_file(struct edit *, const char *name, const void *data, size_t n);
/* Writes scenario.yaml. 0 or -1. */
int edit_scenario(struct edit *);

#endif
