/* A loaded scenario, shared by the files that read its sections. */
#ifndef RUNS_SCENARIO_INSIDE_H
#define RUNS_SCENARIO_INSIDE_H

#include "runs/scenario/scenario.h"
#include "runs/values.h"

/* A buffer, or a variable of a module: what arguments, copies, checks and dumps name. */
struct scenario_buffer {
	const char *name;
	const yaml_node_t *node;
	struct values values; /* what it holds at first; of a variable perhaps nothing */
	const yaml_node_t *fields, *module; /* module: a variable's; else NULL */
	uint64_t address;                   /* where it must be; 0: anywhere */
	uint64_t bytes;                     /* of a variable: from the set-up on */
	buffer_t handle;
};

/* Bytes of one of them. */
struct scenario_range {
	const yaml_node_t *node;
	const struct scenario_buffer *buffer;
	uint64_t offset, bytes;
};

enum step_kind { STEP_LAUNCH, STEP_WRITE, STEP_COPY, STEP_WAIT, STEP_REPEAT };

/* What the section launches lists, a repeat after its own steps. */
struct scenario_step {
	enum step_kind kind;
	const yaml_node_t *node;
	struct launch launch;
	struct scenario_range to, from; /* STEP_REPEAT: `from` is the word that is read */
	struct values values;           /* STEP_WRITE */
	const yaml_node_t *fields;
	size_t first;        /* STEP_REPEAT: of its steps */
	uint64_t most, done; /* times */
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
	struct scenario_range place;
	struct values expected;
	struct scenario_range other; /* the buffer whose bytes are expected; or none */
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
	unsigned address_bytes; /* of all modules; 0: they differ */
	struct scenario_step *steps;
	size_t nsteps, steps_room, next; /* next: the step at which the host is */
	uint32_t launches, queued;       /* so far; of them since the host last waited */
	bool until_rest, at_rest;        /* the chip must be for the next step; it is */
	struct scenario_binding *bindings;
	struct scenario_check *checks;
	unsigned nchecks;
};

/* What the part returns, whose messages go to err; -1 and one when there is no host memory for it
 * ("the checks"). */
int scenario_guarded(struct scenario *, struct gpu *, const char *what, struct err *,
	int (*part)(struct scenario *, struct gpu *));

/* Reports that there is no such name, and the nearest of the n names; returns -1. */
int scenario_lost(struct scenario *, const yaml_node_t *, const char *what,
	const char *const *names, unsigned n);

/* The buffer a node names, or NULL and a message. */
struct scenario_buffer *scenario_named(struct scenario *, const yaml_node_t *);
/* The same, or a variable. */
struct scenario_buffer *scenario_memory(struct scenario *, const yaml_node_t *);

/* A buffer's name, with its offset and bytes (NULL: not given; then all behind the offset).
 * Variables' sizes are checked at the set-up. 0 or -1. */
int scenario_read_range(struct scenario *, const yaml_node_t *name, const yaml_node_t *offset,
	const yaml_node_t *bytes, struct scenario_range *);
/* Whether the range is inside of its buffer, whose size is known. 0 or -1. */
int scenario_check_range(struct scenario *, const struct scenario_range *);

/* ---- modules and their variables */
/* Section variables: reads it. 0 or -1. */
int scenario_read_variables(struct scenario *);
/* Loads the module that a node names, once. 0 and a message on failure. */
module_t scenario_module(struct scenario *, struct gpu *, const yaml_node_t *);
/* Finds the variables in their modules. 0 or -1. */
int scenario_find_variables(struct scenario *, struct gpu *);
/* The kernel that a node names, as in the PTX or the source. NULL and a message: it is not clear
 * which; a name of no kernel is returned unchanged. */
const char *scenario_kernel(struct scenario *, const struct gpu *, module_t, const yaml_node_t *);

/* ---- fields: typed values and addresses at offsets in memory and arguments */
/* Writes a list of fields over n bytes. `address_bytes`: of an address; 0: an error. 0 or -1. */
int scenario_fields(struct scenario *, struct gpu *, const yaml_node_t *list,
	unsigned address_bytes, const struct values *over);

/* ---- steps */
/* Section launches: reads it, except launches themselves. 0 or -1. */
int scenario_read_steps(struct scenario *);

/* Sections textures and samplers: reads and checks them against the buffers. 0 or -1. */
int scenario_read_textures(struct scenario *);

/* Creates them on the GPU, after the buffers. 0 or -1. */
int scenario_make_textures(struct scenario *, struct gpu *);

/* An argument {texture: name} or {sampler: name}. 0 or -1. */
int scenario_handle(struct scenario *, const yaml_node_t *, struct launch_arg *);

/* A launch's key bind: binds the module's references to those textures and samplers, before any
 * launch is queued. 0 or -1. */
int scenario_bind(struct scenario *, struct gpu *, const yaml_node_t *, module_t);

/* Loads the modules of all launches. 0 or -1. */
int scenario_open_modules(struct scenario *, struct gpu *);
/* Reads the launches and checks all steps. 0 or -1. */
int scenario_check_steps(struct scenario *, struct gpu *);
int scenario_read_launch(struct scenario *, struct gpu *, struct scenario_step *);

/* Section checks: reads it; then, when all sizes are known, checks it against the buffers. */
int scenario_read_checks(struct scenario *);
int scenario_check_checks(struct scenario *);

#endif
