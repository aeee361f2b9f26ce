/* warpbeam list: workloads with their kernels, or the plugins of every kind. */
#include "cli/command.h"

#include "cli/catalogue.h"
#include "cli/page.h"
#include "draw/number.h"
#include "runs/json.h"
#include "runs/work.h"
#include "workloads/workload.h"

#include <stdio.h>
#include <string.h>

struct catalogue {
	struct catalogue_entry *entries;
	unsigned n;
};

static bool is_listed(const struct plugin *p, const struct string_list *names)
{
	if (strcmp(p->kind, "workload"))
		return false;
	for (unsigned i = 0; i < names->n; i++)
		if (!strcmp(names->at[i], p->name))
			return true;
	return !names->n;
}

/* Each is run without time: those named, or all. */
static int look_at(
	struct catalogue *c, const struct string_list *names, struct arena *arena, struct err *err)
{
	unsigned n = 0;

	for (unsigned i = 0; i < names->n; i++)
		if (work_workload(names->at[i], err))
			return -1;
	for (size_t i = 0; plugins[i]; i++)
		n += is_listed(plugins[i], names);
	c->entries = arena_alloc(arena, n + 1, sizeof(*c->entries));
	for (size_t i = 0; plugins[i]; i++)
		if (is_listed(plugins[i], names) &&
			catalogue_look(plugins[i], 32, arena, &c->entries[c->n++], err))
			return -1;
	return 0;
}

/* "256" or "64x4"; a grid that differs from launch to launch ends in "..". */
static char *shape(const uint32_t d[3], bool same, char *out, size_t n)
{
	const char *more = same ? "" : "..";

	if (d[2] > 1)
		snprintf(out, n, "%ux%ux%u%s", d[0], d[1], d[2], more);
	else if (d[1] > 1)
		snprintf(out, n, "%ux%u%s", d[0], d[1], more);
	else
		snprintf(out, n, "%u%s", d[0], more);
	return out;
}

static double shared_per_thread(const struct launch_report *l)
{
	return l->shared_bytes / ((double)l->block[0] * l->block[1] * l->block[2]);
}

/* ---- text */
static void foreign_text(const struct workload_ops *ops, struct text *out)
{
	if (!ops->foreign)
		return;
	text_add(out, "  foreign PTX (--ptx-dir):");
	for (const struct workload_foreign *f = ops->foreign; f->file; f++)
		if (f == ops->foreign || strcmp(f->file, f[-1].file) != 0)
			text_add(out, " %s", f->file);
	text_add(out, "\n");
}

static void list_text(const struct catalogue *c, struct text *out)
{
	char grid[48], block[48], whole[32];

	text_add(out, "Each comes in the sizes small and full, for 32- and 64-bit addresses. Here: "
		      "small, 32 bits.\n");
	for (unsigned i = 0; i < c->n; i++) {
		const struct catalogue_entry *e = &c->entries[i];
		const struct workload_ops *ops = e->workload->ops;

		text_add(out, "\n%s: %s\n  %s\n  %s\n", e->workload->name, e->workload->text,
			ops->computes, ops->source);
		if (ops->fitted)
			text_add(out, "  fitted: %s\n", ops->fitted);
		foreign_text(ops, out);
		text_add(out, "  %s warp instructions\n",
			number_grouped(e->warp_instructions, whole));
		text_add(out, "\v  %-32s\t%8s\t%14s\t%10s\t%9s\t%8s\t%13s\n", "kernel", "launches",
			"grid", "CTA", "registers", "max live", "shared/thread");
		for (unsigned k = 0; k < e->nkernels; k++) {
			const struct catalogue_kernel *r = &e->kernels[k];

			text_add(out, "  %-32.48s\t%8u\t%14s\t%10s\t%9u\t%8u\t%11.1f B\n",
				r->first.kernel, r->launches,
				shape(r->first.grid, r->same_grid, grid, sizeof(grid)),
				shape(r->first.block, true, block, sizeof(block)), r->first.regs,
				r->first.max_live, shared_per_thread(&r->first));
		}
	}
}

/* ---- the page */
static void markdown_kernels(const struct catalogue *c, struct text *out)
{
	char grid[48], block[48];

	text_add(out, "\n## Kernels\n\n```\n%-28s %8s %10s %8s %9s %13s\n", "kernel", "launches",
		"grid", "CTA", "registers", "shared/thread");
	for (unsigned i = 0; i < c->n; i++)
		for (unsigned k = 0; k < c->entries[i].nkernels; k++) {
			const struct catalogue_kernel *r = &c->entries[i].kernels[k];

			text_add(out, "%-28s %8u %10s %8s %9u %13.1f\n", r->first.kernel,
				r->launches, shape(r->first.grid, r->same_grid, grid, sizeof(grid)),
				shape(r->first.block, true, block, sizeof(block)), r->first.regs,
				shared_per_thread(&r->first));
		}
	text_add(out, "```\n");
}

static void list_markdown(const struct catalogue *c, struct text *out)
{
	struct text lines = {0};
	char whole[32];

	text_add(&lines,
		"# Workloads\n\n<!-- Made by `make doc-pages`; do not edit. -->\n"
		"Each with its warp instructions at size small, what it computes and how, and *its "
		"source*. [Kernels](#kernels) has the launches at size small with 32-bit addresses: "
		"registers and bytes of shared memory of a thread. `warpbeam list` also has the "
		"registers that are live at once. Grids that differ between launches end in "
		"two dots.\n");
	for (unsigned i = 0; i < c->n; i++) {
		const struct catalogue_entry *e = &c->entries[i];
		const struct workload_ops *ops = e->workload->ops;

		text_add(&lines, "\n**%s** (%s): %s %s *%s.*", e->workload->name,
			number_grouped(e->warp_instructions, whole), e->workload->text,
			ops->computes, ops->source);
		if (ops->fitted)
			text_add(&lines, " *Fitted*: %s.", ops->fitted);
		text_add(&lines, "\n");
	}
	markdown_kernels(c, &lines);
	page_wrapped(&lines, out);
	text_clear(&lines);
}

/* ---- JSON */
static json_t *kernel_json(const struct catalogue_kernel *k)
{
	json_t *j = json_object();

	json_add(j, "name", json_name(k->first.kernel));
	json_add(j, "launches", json_whole(k->launches));
	json_add(j, "grid", json_dims(k->first.grid));
	json_add(j, "same_grid", json_boolean(k->same_grid));
	json_add(j, "block", json_dims(k->first.block));
	json_add(j, "registers", json_whole(k->first.regs));
	json_add(j, "max_live_registers", json_whole(k->first.max_live));
	json_add(j, "shared_bytes", json_whole(k->first.shared_bytes));
	json_add(j, "local_bytes", json_whole(k->first.local_bytes));
	return j;
}

static json_t *list_json(const struct catalogue *c)
{
	json_t *j = json_object(), *list = json_array();

	for (unsigned i = 0; i < c->n; i++) {
		const struct catalogue_entry *e = &c->entries[i];
		const struct workload_ops *ops = e->workload->ops;
		json_t *w = json_object(), *kernels = json_array();

		for (unsigned k = 0; k < e->nkernels; k++)
			json_append(kernels, kernel_json(&e->kernels[k]));
		json_add(w, "name", json_name(e->workload->name));
		json_add(w, "text", json_name(e->workload->text));
		json_add(w, "computes", json_name(ops->computes));
		json_add(w, "source", json_name(ops->source));
		json_add(w, "fitted", json_name(ops->fitted));
		json_add(w, "warp_instructions_small", json_whole(e->warp_instructions));
		json_add(w, "kernels", kernels);
		json_append(list, w);
	}
	json_add(j, "program", json_program());
	json_add(j, "workloads", list);
	return j;
}

static void list_plugins(struct text *out)
{
	const char *kind = "";

	for (size_t i = 0; plugins[i]; i++) {
		const struct plugin *p = plugins[i];

		if (strcmp(kind, p->kind))
			text_add(out, *kind ? "\n%s\n" : "%s\n", p->kind);
		kind = p->kind;
		text_add(out, "  %-16s \t%s\n", p->name, p->text);
	}
}

static int list_workloads(const struct options *o, struct session *s, struct err *err)
{
	struct catalogue c = {0};

	if (look_at(&c, &o->operands, &s->arena, err))
		return -1;
	if (o->json) {
		if (json_print(list_json(&c), &s->out))
			return err_add(err, ERR_RESOURCE, "%s: no host memory for JSON", o->json);
		if (output_file(o->run.files, o->json, &s->out, err) || !strcmp(o->json, "-"))
			return err->code ? -1 : 0;
		text_clear(&s->out);
	}
	if (o->markdown) {
		list_markdown(&c, &s->out);
		return output_text(&s->out, err);
	}
	list_text(&c, &s->out);
	return output_report(&s->out, o->run.uncut, err);
}

int command_list(const struct options *o, struct session *s, struct err *err)
{
	if (o->machines && (o->plugins || o->markdown))
		return err_add(err, ERR_USAGE,
			"--machines: a list is of one kind, without --plugins and --markdown");
	if (o->operands.n && (o->machines || o->plugins || o->markdown))
		return err_add(err, ERR_USAGE,
			"list %s: names are of workloads, without --machines, --plugins and --markdown",
			o->operands.at[0]);
	if (o->machines)
		return list_machines(o, s, err);
	if (!o->plugins)
		return list_workloads(o, s, err);
	list_plugins(&s->out);
	return output_report(&s->out, o->run.uncut, err);
}
