/* warpbeam explain: the compiled code of kernels, with its source. */
#include "cli/explain/explain.h"

#include "chip/capability.h"
#include "cli/command.h"
#include "ptx/isa/source_name.h"
#include "runs/report.h"
#include "runs/work.h"

#include <string.h>

struct explanation {
	const struct options *o;
	struct session *s;
	const char *target;
	struct explained *kernel;
	unsigned n;
};

/* The modules of a file of PTX or of a compiled program. 0 or -1. */
static int load(struct session *s, const char *path, struct err *err)
{
	struct source_code code;

	if (source_code(&s->source, path, chip_arch(s->config), &code, err))
		return -1;
	if (code.linked)
		return gpu_module_text(s->gpu, code.at, code.n, err) ? 0 : -1;
	for (unsigned i = 0; i < code.n; i++)
		if (!gpu_module_text(s->gpu, &code.at[i], 1, err))
			return -1;
	return 0;
}

/* Compiles the target on a GPU of its own. 0 or -1. */
static int compile(struct session *s, const struct options *o, const struct machine *m,
	const char *target, struct err *err)
{
	const char *code = work_code(target, &s->arena);
	struct work work = {0};

	if (!code && work_admit(target, &o->run, err))
		return -1;
	if (session_open_machine(s, &o->run, m, err))
		return -1;
	if (code)
		return load(s, code, err) ? -1 : config_finish(s->config, err);
	if (work_open(&work, target, s->scenario, &o->run, s->gpu, s->config, &s->arena, err))
		return -1;
	return config_finish(s->config, err) ? -1 : work_setup(&work, s->gpu, err);
}

/* ---- kernels */
static bool is_asked_for(const struct explanation *x, const struct program *p)
{
	return !x->o->kernel || source_name_is(p->name, x->o->kernel);
}

static void explain_module(
	struct explanation *x, const struct module *m, const struct module *plain)
{
	struct arena *arena = &x->s->arena;

	for (uint32_t k = 0; k < m->nkernels; k++) {
		const struct program *p = m->kernels[k];

		if (!is_asked_for(x, p))
			continue;
		explain_look(&x->kernel[x->n], p, plain->kernels[k], arena);
		x->kernel[x->n].name = source_name_kept(p->name, arena);
		x->kernel[x->n].sources = explain_sources(m, p->file, x->o->run.files, arena);
		x->kernel[x->n].nsources = m->ncuda_files;
		x->n++;
	}
}

static int no_kernel(const struct explanation *x, struct err *err)
{
	const char *names[64], *near = NULL;
	unsigned n = 0;

	for (unsigned i = 0; i < gpu_modules(x->s->gpu); i++) {
		const struct module *m = gpu_compiled(x->s->gpu, i);

		for (uint32_t k = 0; k < m->nkernels && n < ARRAY_LEN(names); k++)
			names[n++] = source_name_kept(m->kernels[k]->name, &x->s->arena);
	}
	if (!x->o->kernel)
		return err_add(err, ERR_INPUT, "%s: no kernel compiles", x->target);
	near = n ? err_nearest(x->o->kernel, names, n) : NULL;
	if (!near && n)
		near = names[0];
	return err_add(err, ERR_USAGE, "%s has no kernel '%s'%s%s%s", x->target, x->o->kernel,
		near ? "; there is '" : "", near ? near : "", near ? "'" : "");
}

static int explain_all(struct explanation *x, struct session *plain, struct err *err)
{
	unsigned room = 0, modules = gpu_modules(x->s->gpu);

	for (unsigned i = 0; i < modules; i++)
		room += gpu_compiled(x->s->gpu, i)->nkernels;
	x->kernel = arena_alloc(&x->s->arena, room + 1, sizeof(*x->kernel));
	for (unsigned i = 0; i < modules; i++)
		explain_module(x, gpu_compiled(x->s->gpu, i), gpu_compiled(plain->gpu, i));
	if (x->n)
		return 0;
	return gpu_why_left_out(x->s->gpu, x->o->kernel, err) ? -1 : no_kernel(x, err);
}

/* Its parameters, such as the register hierarchy's, determine the code. */
static int name_machine(struct explanation *x, struct text *out, struct err *err)
{
	const struct description *machine = session_machine(x->s, err);

	if (machine)
		report_machine_text(machine, x->s->config, out);
	x->s->out.failed |= out->failed;
	return machine ? 0 : -1;
}

static int write_page(struct explanation *x, const char *machine, struct err *err)
{
	struct text *out = &x->s->out;
	int bad;

	explain_html(x->kernel, x->n, &(struct explain_page){x->target, machine}, out);
	bad = output_file(x->o->run.files, x->o->html, out, err);
	text_clear(out);
	return bad;
}

static int write_text(struct explanation *x, const char *machine, struct err *err)
{
	struct text *out = &x->s->out;

	text_bytes(out, machine, strlen(machine));
	for (unsigned k = 0; k < x->n; k++) {
		text_add(out, "\n");
		explain_text(&x->kernel[k], out);
	}
	return output_report(out, x->o->run.uncut, err);
}

static int write_json(struct explanation *x, struct err *err)
{
	const struct description *machine = session_machine(x->s, err);
	struct text *out = &x->s->out;
	int bad;

	if (!machine)
		return -1;
	bad = explain_json(x->kernel, x->n, &(struct explain_page){.target = x->target},
		report_machine(machine, x->s->config), out);
	if (bad)
		err_add(err, ERR_RESOURCE, "%s: no host memory for JSON", x->o->json);
	else
		bad = output_file(x->o->run.files, x->o->json, out, err);
	text_clear(out);
	return bad;
}

static bool is_stdout(const char *path)
{
	return path && !strcmp(path, "-");
}

static int write_out(struct explanation *x, struct err *err)
{
	const struct options *o = x->o;
	struct text machine = {0};
	int bad = name_machine(x, &machine, err);

	if (!bad && o->html)
		bad = write_page(x, text_str(&machine), err);
	if (!bad && o->json)
		bad = write_json(x, err);
	if (!bad && !is_stdout(o->html) && !is_stdout(o->json))
		bad = write_text(x, text_str(&machine), err);
	text_clear(&machine);
	if (!bad && !o->kernel) /* of others than were written */
		bad = gpu_why_left_out(x->s->gpu, NULL, err);
	return bad ? -1 : 0;
}

/* Whether values are in upper levels, where they are not counted. */
static bool has_upper_levels(const struct gpu *g)
{
	return gpu_levels(g)->kind == LEVELS_SOFTWARE;
}

static int explain_with(struct explanation *x, struct session *plain, struct machine *m,
	struct layer *layer, struct err *err)
{
	if (compile(x->s, x->o, m, x->target, err))
		return -1;
	if (!has_upper_levels(x->s->gpu))
		return explain_all(x, x->s, err) || write_out(x, err);
	layer->nset = 1;
	if (compile(plain, x->o, m, x->target, err))
		return -1;
	return explain_all(x, plain, err) || write_out(x, err);
}

int command_explain(const struct options *o, struct session *s, struct err *err)
{
	struct explanation x = {.o = o, .s = s, .target = o->operands.at[0]};
	bool scenario = !work_code(x.target, &s->arena) && work_is_scenario(x.target);
	const char *set[] = {"rf.hierarchy=none"};
	struct layer layer = {.origin = "explain", .set = set};
	struct machine m = {&x.target, scenario, &layer, 1};
	struct session *plain = arena_alloc(&s->arena, 1, sizeof(*plain));
	jmp_buf *outer = s->arena.escape, here;
	int bad;

	if (o->html && o->json && !strcmp(o->html, "-") && !strcmp(o->json, "-"))
		return err_add(
			err, ERR_USAGE, "only one of --json and --html can be written to stdout");
	if (setjmp(here)) {
		session_close(plain);
		s->arena.escape = outer;
		longjmp(*outer, 1);
	}
	s->arena.escape = plain->arena.escape = &here;
	bad = explain_with(&x, plain, &m, &layer, err);
	session_close(plain);
	s->arena.escape = outer;
	return bad ? -1 : 0;
}
