/* A loaded scenario, shared by the files that read its sections. */
#ifndef RUNS_SCENARIO_INSIDE_H
#define RUNS_SCENARIO_INSIDE_H

#include "runs/scenario.h"
#include "runs/values.h"

struct scenario_buffer {
	const char *name;
	const yaml_node_t *node;
	struct values values;
	buffer_t handle;
};

/* A texture, or a sampler, which has no buffer. */
struct scenario_texture {
	const char *name;
	const yaml_node_t *node;
	bool sampler;
	const struct scenario_buffer *buffer;
	struct texture_desc desc; /* except the buffer */
	texture_t handle;
};

/* What a module's reference is bound to. */
struct scenario_binding {
	struct scenario_binding *next;
	const yaml_node_t *node;
	module_t module;
	const char *reference;
	const struct scenario_texture *texture;
};

/* The files of a launch, linked when there are several. */
struct scenario_module {
	const char **paths;
	unsigned npaths;
	module_t handle;
};

/* What a buffer must hold in the end. */
struct scenario_check {
	const yaml_node_t *node;
	const struct scenario_buffer *buffer;
	struct values expected;
	uint64_t offset;
	bool near;
	double abs, rel;
};

struct scenario {
	struct arena arena;
	struct source source;
	struct yaml yaml;
	const char *chip; /* NULL: none was named or taken */
	struct scenario_buffer *buffers;
	unsigned nbuffers;
	struct scenario_texture *textures; /* samplers too */
	unsigned ntextures;
	struct scenario_module *modules;
	unsigned nmodules;
	struct scenario_binding *bindings;
	struct scenario_check *checks;
	unsigned nchecks;
};

/* Reports that there is no such name, and the nearest of the n names; returns -1. */
int scenario_lost(struct scenario *, const yaml_node_t *, const char *what,
	const char *const *names, unsigned n);

/* The buffer a node names, or NULL and a message. */
struct scenario_buffer *scenario_named(struct scenario *, const yaml_node_t *);

/* Sections textures and samplers: reads and checks them against the buffers. 0 or -1. */
int scenario_read_textures(struct scenario *);

/* Creates them on the GPU, after the buffers. 0 or -1. */
int scenario_make_textures(struct scenario *, struct gpu *);

/* An argument {texture: name} or {sampler: name}. 0 or -1. */
int scenario_handle(struct scenario *, const yaml_node_t *, struct launch_arg *);

/* A launch's key bind: binds the module's references to those textures and samplers, before any
 * launch is queued. 0 or -1. */
int scenario_bind(struct scenario *, struct gpu *, const yaml_node_t *, module_t);

/* Section launches: loads modules and queues launches. */
int scenario_launches(struct scenario *, struct gpu *);

/* Section checks: reads and checks it against the buffers. */
int scenario_read_checks(struct scenario *);

#endif
