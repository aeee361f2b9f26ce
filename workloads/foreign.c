/* Foreign PTX: kernels of the same computation that other compilers made of other sources, driven
 * by a workload's host side (struct workload_foreign). */
#include "workloads/workload.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FOREIGN_FILES = 8, FOREIGN_ARGUMENTS = 32 };

struct workload_modules {
	const char *file[FOREIGN_FILES]; /* each once, in the order of the rows */
	module_t module[FOREIGN_FILES];
	unsigned n;
};

static int load(struct workload_run *run, const char *file, struct err *err)
{
	struct workload_modules *m = run->foreign;
	size_t bytes = strlen(run->ptx_dir) + strlen(file) + 2;
	char *path = arena_alloc(run->arena, bytes, 1);

	for (unsigned i = 0; i < m->n; i++)
		if (!strcmp(m->file[i], file))
			return 0;
	BUG_ON(m->n == FOREIGN_FILES);
	snprintf(path, bytes, "%s/%s", run->ptx_dir, file);
	m->file[m->n] = file;
	m->module[m->n] = gpu_module(run->gpu, path, err);
	return m->module[m->n++] ? 0 : -1;
}

module_t workload_foreign_modules(struct workload_run *run, struct err *err)
{
	const struct workload_foreign *f = run->ops->foreign;

	if (!f) {
		err_add(err, ERR_INPUT,
			"--ptx-dir: %s has no list of foreign kernels; warpbeam list shows the "
			"workloads that have one",
			run->plugin->name);
		return 0;
	}
	run->foreign = arena_alloc(run->arena, 1, sizeof(*run->foreign));
	for (; f->file; f++)
		if (load(run, f->file, err))
			return 0;
	run->address_bits = gpu_compiled(run->gpu, run->foreign->module[0] - 1)->address_bits;
	return run->foreign->module[0];
}

int workload_set_foreign(const char *workload, struct config *config, struct err *err)
{
	const struct plugin *plugin = plugin_find("workload", workload, "workload", err);
	const struct workload_ops *ops = plugin ? plugin->ops : NULL;
	const char *next = ops ? ops->foreign_settings : NULL;
	char setting[128], path[128];

	for (int n; next && sscanf(next, " %127s%n", setting, &n) == 1; next += n) {
		snprintf(path, sizeof(path), "%.*s", (int)strcspn(setting, "="), setting);
		if (!config_given(config, path) &&
			config_set_text(config, setting, "--ptx-dir", err))
			return -1;
	}
	return plugin ? 0 : -1;
}

static const struct workload_foreign *find(const struct workload_run *run, const char *name)
{
	for (const struct workload_foreign *f = run->ops->foreign; f->file; f++)
		if (!strcmp(f->name, name))
			return f;
	return NULL;
}

static module_t module_of(const struct workload_run *run, const struct workload_foreign *f)
{
	const struct workload_modules *m = run->foreign;
	unsigned i = 0;

	while (strcmp(m->file[i], f->file) != 0)
		i++;
	return m->module[i];
}

static int missing(const struct workload_run *run, const char *name, struct err *err)
{
	return err_add(err, ERR_INPUT, "--ptx-dir: the foreign kernels of %s have no '%s'",
		run->plugin->name, name);
}

/* ---- arguments */
struct translation {
	struct workload_run *run;
	const struct launch *ours;
	struct launch theirs;
	struct launch_arg args[FOREIGN_ARGUMENTS];
};

static const uint32_t *dimension(const struct launch *l, const char *token)
{
	const uint32_t *d = !strncmp(token, "grid.", 5) ? l->grid : l->block;

	return &d[token[strcspn(token, ".") + 1] - 'x'];
}

/* A row's words are the program's own: a wrong one is a bug. */
static int translate(struct translation *t, const char *token, struct err *err)
{
	const char *equals = strchr(token, '=');
	struct launch_arg *a = &t->args[t->theirs.nargs];
	unsigned long index = strtoul(equals ? equals + 1 : token, NULL, 10);

	BUG_ON(t->theirs.nargs == FOREIGN_ARGUMENTS);
	if (equals) {
		char *reference = arena_strndup(t->run->arena, token, (size_t)(equals - token));

		return gpu_bind(t->run->gpu, t->theirs.module, reference,
			t->ours->args[index].texture, err);
	}
	if (*token == '#') {
		uint32_t *value = arena_alloc(t->run->arena, 1, sizeof(*value));

		*value = (uint32_t)strtoul(token + 1, NULL, 10);
		*a = ARG_VAL(*value);
	} else if (*token >= '0' && *token <= '9') {
		BUG_ON(index >= t->ours->nargs);
		*a = t->ours->args[index];
	} else {
		*a = (struct launch_arg){.kind = ARG_BYTES,
			.bytes = dimension(&t->theirs, token),
			.size = sizeof(uint32_t)};
	}
	t->theirs.nargs++;
	return 0;
}

static int launch_foreign(struct workload_run *run, const struct workload_foreign *f,
	const struct launch *l, struct err *err)
{
	struct translation t = {.run = run, .ours = l, .theirs = *l};
	char *words, *token, *rest = NULL;

	t.theirs.module = module_of(run, f);
	t.theirs.kernel = f->theirs;
	t.theirs.shared_bytes += f->shared_bytes;
	if (f->ctas)
		t.theirs.grid[0] = f->ctas;
	if (f->threads)
		t.theirs.block[0] = f->threads;
	if (!f->arguments)
		return gpu_launch(run->gpu, &t.theirs, err);
	t.theirs.nargs = 0;
	t.theirs.args = t.args;
	words = arena_strdup(run->arena, f->arguments);
	for (token = strtok_r(words, " ", &rest); token; token = strtok_r(NULL, " ", &rest))
		if (translate(&t, token, err))
			return -1;
	return gpu_launch(run->gpu, &t.theirs, err);
}

int workload_launch(struct workload_run *run, const struct launch *l, struct err *err)
{
	const struct workload_foreign *f;

	if (!run->foreign)
		return gpu_launch(run->gpu, l, err);
	f = find(run, l->kernel);
	return f ? launch_foreign(run, f, l, err) : missing(run, l->kernel, err);
}

int workload_bind(struct workload_run *run, module_t module, const char *reference, texture_t t,
	struct err *err)
{
	const struct workload_foreign *f;

	if (!run->foreign)
		return gpu_bind(run->gpu, module, reference, t, err);
	f = find(run, reference);
	return f ? gpu_bind(run->gpu, module_of(run, f), f->theirs, t, err)
		 : missing(run, reference, err);
}

buffer_t workload_variable(
	struct workload_run *run, const char *name, uint64_t bytes, struct err *err)
{
	const struct workload_foreign *f = run->foreign ? find(run, name) : NULL;
	const char *known = f ? f->theirs : name;
	module_t module = f ? module_of(run, f) : run->module;
	buffer_t buffer;

	if (run->foreign && !f) {
		missing(run, name, err);
		return 0;
	}
	buffer = module ? gpu_variable(run->gpu, module, known) : 0;
	if (!buffer)
		err_add(err, ERR_INPUT, "%s: its PTX has no variable '%s'", run->plugin->name,
			known);
	if (!buffer || gpu_buffer_bytes(run->gpu, buffer) >= bytes)
		return buffer;
	err_add(err, ERR_INPUT,
		"%s: variable '%s' of its PTX has %" PRIu64 " bytes; the host needs %" PRIu64,
		run->plugin->name, known, gpu_buffer_bytes(run->gpu, buffer), bytes);
	return 0;
}
