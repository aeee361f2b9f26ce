/* What the configuration says beside what was found: done by the caller, never by the prober. */
#include "cli/probe/probe.h"

#include "core/base.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The product of up to three parameters. */
static const struct {
	const char *level, *item, *text, *path[3];
} rows[] = {
	{"L1", "ways", "l1.ways", {"l1.ways"}},
	{"texture cache", "capacity", "tex.bytes", {"tex.bytes"}},
	{"texture cache", "line", "tex.line_bytes", {"tex.line_bytes"}},
	{"texture cache", "ways", "tex.ways", {"tex.ways"}},
	{"L2", "capacity", "chip.channels x chip.slices x l2.bytes",
		{"l2.bytes", "chip.channels", "chip.slices"}},
	{"L2", "ways", "l2.ways", {"l2.ways"}},
	{"L1 TLB", "page", "mmu.page_bytes", {"mmu.page_bytes"}},
	{"L1 TLB", "ways", "mmu.l1_entries", {"mmu.l1_entries"}},
	{"page table", "window", "mmu.window_bytes", {"mmu.window_bytes"}},
};

struct lookup {
	const char *path;
	double value;
};

static void see(
	void *ctx, const char *path, const char *value, const struct param_def *def, bool given)
{
	struct lookup *l = ctx;

	(void)def;
	(void)given;
	if (!strcmp(path, l->path))
		l->value = strtod(value, NULL);
}

static double value_of(struct config *config, const char *path)
{
	struct lookup l = {path, NAN};

	config_echo(config, see, &l);
	return l.value;
}

static struct probe_told tell(const struct finding *f, unsigned row, struct config *config)
{
	struct probe_told t = {rows[row].text, 1, false};

	for (unsigned i = 0; i < 3 && rows[row].path[i]; i++)
		t.number *= value_of(config, rows[row].path[i]);
	t.same = f->known && f->number == t.number;
	return t;
}

/* Without a texture cache (tex.bytes=0) fetches go through the L1: what is found is the L1. */
static bool is_there(unsigned row, struct config *config)
{
	return strcmp(rows[row].level, "texture cache") != 0 || value_of(config, "tex.bytes") > 0;
}

const struct probe_told *probing_compare(
	const struct probe_report *r, struct config *config, struct arena *arena)
{
	struct probe_told *told = arena_alloc(arena, r->n + 1, sizeof(*told));

	for (unsigned i = 0; i < r->n; i++)
		for (unsigned k = 0; k < ARRAY_LEN(rows); k++)
			if (!strcmp(r->at[i].level, rows[k].level) &&
				!strcmp(r->at[i].item, rows[k].item) && is_there(k, config))
				told[i] = tell(&r->at[i], k, config);
	return told;
}
