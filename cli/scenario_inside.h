/* A loaded scenario, shared by the files that read its sections. */
#ifndef CLI_SCENARIO_INSIDE_H
#define CLI_SCENARIO_INSIDE_H

#include "cli/scenario.h"
#include "cli/values.h"

struct scenario_buffer {
	const char *name;
	const yaml_node_t *node;
	struct values values;
	buffer_t handle;
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
	struct scenario_module *modules;
	unsigned nmodules;
	struct scenario_check *checks;
	unsigned nchecks;
};

/* The buffer a node names, or NULL and a message. */
struct scenario_buffer *scenario_named(struct scenario *, const yaml_node_t *);

/* Section launches: loads modules and queues launches. */
int scenario_launches(struct scenario *, struct gpu *);

/* Section checks: reads and checks it against the buffers. */
int scenario_read_checks(struct scenario *);

#endif
