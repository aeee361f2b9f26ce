/* Limits of single kernels: the parameter gpu.kernels. */
#include "chip/gpu_inside.h"

#include <stdlib.h>
#include <string.h>

#define LEAST_REGS 16u
#define MOST_REGS 255u

/* A number up to `most` at *at, which moves behind it. -1: there is none. */
static long number_at(const char **at, unsigned most)
{
	char *end;
	unsigned long v;

	if (**at < '0' || **at > '9')
		return -1;
	v = strtoul(*at, &end, 10);
	*at = end;
	return v <= most ? (long)v : -1;
}

/* "NAME:REGS" or "NAME:REGS+SLOTS" of n bytes. */
static int read_one(struct gpu *g, const char *text, size_t n, struct err *err)
{
	char *copy = arena_strndup(&g->arena, text, n), *colon = strchr(copy, ':');
	const char *at = colon ? colon + 1 : "";
	long regs = colon && colon > copy ? number_at(&at, MOST_REGS) : -1, slots = 0;

	if (regs >= LEAST_REGS && *at == '+') {
		at++;
		slots = number_at(&at, SPILL_SLOTS_MAX);
		slots = slots ? slots : -1;
	}
	if (regs < (long)LEAST_REGS || slots < 0 || *at)
		return err_add(err, ERR_INPUT,
			"gpu.kernels: '%.*s' must be NAME:REGISTERS or NAME:REGISTERS+SLOTS, with %u "
			".. %u registers and 1 .. %u slots",
			(int)n, text, LEAST_REGS, MOST_REGS, SPILL_SLOTS_MAX);
	*colon = '\0';
	for (unsigned i = 0; i < g->nkernels; i++)
		if (!strcmp(g->kernels[i].name, copy))
			return err_add(err, ERR_INPUT, "gpu.kernels: '%s' has two limits", copy);
	g->kernels[g->nkernels++] = (struct kernel_limit){copy, (unsigned)regs, (unsigned)slots};
	return 0;
}

static int read_all(struct gpu *g, struct err *err)
{
	size_t most = 1;
	int bad = 0;

	for (const char *c = g->p.kernels; *c; c++)
		most += *c == ',';
	g->kernels = arena_alloc(&g->arena, most, sizeof(*g->kernels));
	for (const char *at = g->p.kernels; *at && !bad;) {
		size_t n = strcspn(at, ",");

		bad = read_one(g, at, n, err);
		at += n + (at[n] == ',');
	}
	return bad;
}

int gpu_read_kernels(struct gpu *g, struct err *err)
{
	jmp_buf escape;
	int bad;

	if (!g->p.kernels || !*g->p.kernels)
		return 0;
	if (setjmp(escape))
		return err_add(err, ERR_RESOURCE, "no host memory for gpu.kernels");
	g->arena.escape = &escape;
	bad = read_all(g, err);
	g->arena.escape = NULL;
	return bad;
}

/* The kernels of all modules, at most `most`; NULL in list: they are only counted. */
static size_t list_kernels(const struct gpu *g, const char **list, size_t most)
{
	size_t n = 0;

	for (unsigned i = 0; i < g->nmodules; i++)
		for (uint32_t k = 0; k < g->modules[i]->module->nkernels && n < most; k++)
			list[n++] = g->modules[i]->module->kernels[k]->name;
	return n;
}

int gpu_check_kernels(const struct gpu *g, struct err *err)
{
	const char *names[64], *near;
	size_t n = list_kernels(g, names, ARRAY_LEN(names));

	for (unsigned i = 0; i < g->nkernels; i++) {
		bool found = n == ARRAY_LEN(names);

		for (size_t k = 0; k < n; k++)
			found |= !strcmp(names[k], g->kernels[i].name);
		if (found)
			continue;
		near = err_nearest(g->kernels[i].name, names, n);
		return err_add(err, ERR_INPUT, "gpu.kernels: no module has a kernel '%s'%s%s%s",
			g->kernels[i].name, near ? "; did you mean '" : "", near ? near : "",
			near ? "'?" : "");
	}
	return 0;
}
