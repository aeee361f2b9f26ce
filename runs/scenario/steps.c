/* What a scenario's host does: launches, and copies, writes, waits and repeated launches between
 * them. Each but a launch happens when all launches before it are complete. */
#include "runs/scenario/inside.h"

#include "core/base.h"

#include <string.h>

/* ---- reading, before the run */
static int read_list(struct scenario *s, const yaml_node_t *list);

static struct scenario_step *add(struct scenario *s, enum step_kind kind, const yaml_node_t *node)
{
	struct scenario_step *step;

	if (s->nsteps == s->steps_room) {
		size_t room = 2 * s->steps_room + 16;

		step = arena_alloc(&s->arena, room, sizeof(*step));
		if (s->nsteps)
			memcpy(step, s->steps, s->nsteps * sizeof(*step));
		s->steps = step;
		s->steps_room = room;
	}
	step = &s->steps[s->nsteps++];
	*step = (struct scenario_step){.kind = kind, .node = node};
	return step;
}

static int read_launch(struct scenario *s, const yaml_node_t *node)
{
	add(s, STEP_LAUNCH, node);
	return 0;
}

static int read_write(struct scenario *s, const yaml_node_t *node)
{
	static const char *const more[] = {"write", "offset", "fields", NULL};
	struct yaml *y = &s->yaml;
	struct scenario_step *step = add(s, STEP_WRITE, node);

	if (scenario_read_range(
		    s, yaml_get(y, node, "write"), yaml_get(y, node, "offset"), NULL, &step->to))
		return -1;
	step->values.type = step->to.buffer->values.type;
	step->fields = yaml_get(y, node, "fields");
	if (value_block(y, node, "a write", more, &s->source, &step->values))
		return -1;
	step->to.bytes = step->values.n;
	return 0;
}

static int read_copy(struct scenario *s, const yaml_node_t *node)
{
	static const char *const keys[] = {"copy", "offset", "to", "to_offset", "bytes", NULL};
	struct yaml *y = &s->yaml;
	struct scenario_step *step = add(s, STEP_COPY, node);
	const yaml_node_t *bytes = yaml_get(y, node, "bytes");

	if (yaml_only(y, node, "a copy", keys))
		return -1;
	if (!yaml_get(y, node, "to"))
		return yaml_wrong(y, node,
			"a copy needs the buffer it goes to, such as {copy: a, to: b, bytes: 64}");
	if (scenario_read_range(
		    s, yaml_get(y, node, "copy"), yaml_get(y, node, "offset"), bytes, &step->from))
		return -1;
	return scenario_read_range(
		s, yaml_get(y, node, "to"), yaml_get(y, node, "to_offset"), bytes, &step->to);
}

static int read_wait(struct scenario *s, const yaml_node_t *node)
{
	static const char *const keys[] = {"wait", NULL};
	struct yaml *y = &s->yaml;
	const char *what = yaml_text(yaml_get(y, node, "wait"));
	struct scenario_step *step = add(s, STEP_WAIT, node);

	if (yaml_only(y, node, "a wait", keys))
		return -1;
	step->most = what && !strcmp(what, "rest");
	if (step->most || (what && !strcmp(what, "launches")))
		return 0;
	return yaml_wrong(y, yaml_get(y, node, "wait"),
		"wait: '%s' is not one of launches (until all are complete), rest (until the chip "
		"is at rest)",
		what ? what : "(no scalar)");
}

static bool has_launch(const struct scenario *s, size_t from)
{
	for (size_t i = from; i < s->nsteps; i++)
		if (s->steps[i].kind == STEP_LAUNCH)
			return true;
	return false;
}

static int read_until(struct scenario *s, const yaml_node_t *node, struct scenario_range *word)
{
	static const char *const keys[] = {"buffer", "offset", NULL};
	struct yaml *y = &s->yaml;

	if (yaml_only(y, node, "until_zero", keys))
		return -1;
	if (!yaml_get(y, node, "buffer"))
		return yaml_wrong(y, node,
			"until_zero needs a buffer, whose word of 4 bytes ends "
			"the repetition");
	if (scenario_read_range(
		    s, yaml_get(y, node, "buffer"), yaml_get(y, node, "offset"), NULL, word))
		return -1;
	word->bytes = 4;
	return 0;
}

static int read_repeat(struct scenario *s, const yaml_node_t *node)
{
	static const char *const keys[] = {"repeat", "until_zero", "at_most", NULL};
	struct yaml *y = &s->yaml;
	const yaml_node_t *until, *most, *list;
	struct scenario_step own = {.kind = STEP_REPEAT, .node = node, .first = s->nsteps};

	if (yaml_only(y, node, "a repeat", keys))
		return -1;
	list = yaml_get(y, node, "repeat");
	until = yaml_get(y, node, "until_zero");
	most = yaml_get(y, node, "at_most");
	if (!until || !most)
		return yaml_wrong(y, node,
			"a repeat needs %s, such as {repeat: [...], until_zero: {buffer: flag}, "
			"at_most: 100}",
			until ? "its limit at_most" : "until_zero");
	if (yaml_uint(y, most, "at_most", 1, UINT32_MAX, &own.most) ||
		read_until(s, until, &own.from) || read_list(s, list))
		return -1;
	if (!has_launch(s, own.first))
		return yaml_wrong(y, list, "repeat must be a list with at least one launch");
	*add(s, STEP_REPEAT, node) = own;
	return 0;
}

static int read_list(struct scenario *s, const yaml_node_t *list)
{
	static const struct {
		const char *key;
		int (*read)(struct scenario *, const yaml_node_t *);
	} kinds[] = {{"write", read_write}, {"copy", read_copy}, {"wait", read_wait},
		{"repeat", read_repeat}};
	struct yaml *y = &s->yaml;

	if (list->type != YAML_SEQUENCE_NODE)
		return yaml_wrong(y, list, "repeat must be a list with at least one launch");
	for (unsigned i = 0; i < yaml_items(list); i++) {
		const yaml_node_t *node = yaml_item(y, list, i);
		int (*read)(struct scenario *, const yaml_node_t *) = read_launch;

		for (unsigned k = 0; k < ARRAY_LEN(kinds); k++)
			if (node->type == YAML_MAPPING_NODE && yaml_get(y, node, kinds[k].key))
				read = kinds[k].read;
		if (read(s, node))
			return -1;
	}
	return 0;
}

int scenario_read_steps(struct scenario *s)
{
	struct yaml *y = &s->yaml;
	const yaml_node_t *list = yaml_get(y, yaml_root(y), "launches");

	if (read_list(s, list))
		return -1;
	if (!has_launch(s, 0))
		return yaml_wrong(y, list, "a scenario needs launches: a list of at least one");
	return 0;
}

/* ---- checks, when modules are loaded and sizes known */
static int check_write(struct scenario *s, struct gpu *g, struct scenario_step *step)
{
	if (scenario_check_range(s, &step->to))
		return -1;
	if (!step->fields)
		return 0;
	return scenario_fields(s, g, step->fields, s->address_bytes, &step->values);
}

/* All of the source when it does not say how many bytes. */
static int check_copy(struct scenario *s, struct scenario_step *step)
{
	uint64_t has = step->from.buffer->bytes;

	if (!step->to.bytes)
		step->to.bytes = step->from.bytes = has - min_u64(has, step->from.offset);
	if (!step->to.bytes)
		return yaml_wrong(&s->yaml, step->from.node, "'%s' has no bytes at offset %llu",
			step->from.buffer->name, (unsigned long long)step->from.offset);
	if (scenario_check_range(s, &step->from))
		return -1;
	return scenario_check_range(s, &step->to);
}

static int check_step(struct scenario *s, struct gpu *g, struct scenario_step *step)
{
	switch (step->kind) {
	case STEP_LAUNCH:
		return scenario_read_launch(s, g, step);
	case STEP_WRITE:
		return check_write(s, g, step);
	case STEP_COPY:
		return check_copy(s, step);
	case STEP_REPEAT:
		step->done = 0;
		return scenario_check_range(s, &step->from);
	default:
		return 0;
	}
}

int scenario_check_steps(struct scenario *s, struct gpu *g)
{
	s->next = 0;
	s->launches = s->queued = 0;
	s->until_rest = false;
	s->at_rest = true;
	for (size_t i = 0; i < s->nsteps; i++)
		if (check_step(s, g, &s->steps[i]))
			return -1;
	return 0;
}

/* ---- acts */
static int queue(struct scenario *s, struct gpu *g, const struct scenario_step *step)
{
	struct err wrong = {0};

	if (gpu_launch(g, &step->launch, &wrong))
		return yaml_tell(&s->yaml, step->node, &wrong);
	s->launches++;
	s->queued++;
	return 0;
}

/* Both may be the same memory. */
static int copy(struct scenario *s, struct gpu *g, const struct scenario_step *step)
{
	uint64_t n = step->from.bytes;
	void *bytes = mem_alloc(n, 1);

	if (!bytes)
		return err_add(
			s->yaml.err, ERR_RESOURCE, "%s: no host memory for a copy", s->yaml.file);
	gpu_read(g, step->from.buffer->handle, step->from.offset, bytes, n);
	gpu_write(g, step->to.buffer->handle, step->to.offset, bytes, n);
	mem_free(bytes);
	return 0;
}

/* Back to the first of its steps, unless the word is zero. */
static int repeat(struct scenario *s, struct gpu *g, struct scenario_step *step)
{
	const struct scenario_range *p = &step->from;
	struct err wrong = {0};
	uint32_t word;

	gpu_read(g, p->buffer->handle, p->offset, &word, sizeof(word));
	if (!word) {
		step->done = 0;
		return 0;
	}
	if (++step->done < step->most) {
		s->next = step->first;
		return 0;
	}
	err_add(&wrong, ERR_LIMIT,
		"repeated %llu time%s, the limit at_most, the word at offset %llu of '%s' is "
		"still %u, not zero",
		(unsigned long long)step->most, step->most == 1 ? "" : "s",
		(unsigned long long)p->offset, p->buffer->name, (unsigned)word);
	return yaml_tell(&s->yaml, step->node, &wrong);
}

static int act(struct scenario *s, struct gpu *g, struct scenario_step *step)
{
	s->next++;
	switch (step->kind) {
	case STEP_LAUNCH:
		return queue(s, g, step);
	case STEP_WRITE:
		gpu_write(g, step->to.buffer->handle, step->to.offset, step->values.bytes,
			step->values.n);
		return 0;
	case STEP_COPY:
		return copy(s, g, step);
	case STEP_REPEAT:
		return repeat(s, g, step);
	default:
		return 0;
	}
}

/* Whether launches must run before the step. */
static bool waits(const struct scenario *s, const struct scenario_step *step)
{
	if (step->kind == STEP_LAUNCH)
		return false;
	return s->queued || (step->kind == STEP_WAIT && step->most && !s->at_rest);
}

static int advance(struct scenario *s, struct gpu *g)
{
	s->at_rest |= s->until_rest;
	s->queued = 0;
	while (s->next < s->nsteps) {
		struct scenario_step *step = &s->steps[s->next];

		if (waits(s, step)) {
			s->until_rest = step->kind == STEP_WAIT && step->most;
			return 1;
		}
		s->at_rest &= step->kind != STEP_LAUNCH;
		if (act(s, g, step))
			return -1;
	}
	s->until_rest = true;
	return !s->at_rest;
}

int scenario_advance(struct scenario *s, struct gpu *g, struct err *err)
{
	return scenario_guarded(s, g, "the scenario", err, advance);
}

bool scenario_all_queued(const struct scenario *s)
{
	return s->next == s->nsteps;
}

int scenario_run(struct scenario *s, struct gpu *g, uint64_t max_cycles,
	const struct host_hooks *hooks, struct err *err)
{
	if (s->until_rest)
		return chip_run(g, max_cycles, hooks, err);
	for (uint32_t i = s->launches - s->queued; i < s->launches; i++)
		if (chip_run_launch(g, i, max_cycles, hooks, err))
			return -1;
	return 0;
}

bool scenario_holds_addresses(struct scenario *s, char *place, size_t n)
{
	const yaml_node_t *found = NULL;

	for (unsigned i = 0; i < s->nbuffers && !found; i++)
		found = s->buffers[i].fields;
	for (size_t i = 0; i < s->nsteps && !found; i++)
		found = s->steps[i].fields;
	if (found)
		yaml_place(&s->yaml, found, place, n);
	return found;
}
