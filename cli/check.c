/* warpbeam check: compiles every kernel of PTX files and of compiled programs, and reports what
 * each needs, and everything that is wrong or not supported. */
#include "chip/capability.h"
#include "cli/command.h"

#include "ptx/isa/program.h"
#include "runs/json.h"

#include <stdlib.h>
#include <string.h>

#define SCHEMA 1
#define NOTES_LISTED 10000u /* in JSON; of more only the number */

struct checked_file {
	const char *path;
	struct module_text text;
	bool read;
	bool joins; /* is linked with the one before it */
};

struct noted {
	struct compile_note n;
	unsigned file, order; /* of all files; position among all notes */
};

/* A kernel that was left out. */
struct left_out {
	const char *file, *kernel;
};

struct check {
	const struct options *o;
	struct session *s;
	struct checked_file *files;
	unsigned nfiles, files_room;
	struct module **modules;
	unsigned nmodules, modules_room;
	struct noted *notes;
	unsigned nnotes, room, unlisted;
	unsigned count[ERR_BUG + 1]; /* of all notes, by code */
	struct left_out *out;        /* kernels with notes; then those that do not compile */
	unsigned nout, out_capacity, compiled;
	struct err found, unread;
};

/* ---- the compiler's messages */
static const char *kept(struct check *c, const char *s)
{
	return s ? arena_strdup(&c->s->arena, s) : NULL;
}

static unsigned file_of(const struct check *c, const char *file)
{
	unsigned i = 0;

	while (i < c->nfiles && strcmp(c->files[i].path, file))
		i++;
	return i;
}

/* An array of the session's arena, twice as long. */
static void *grown(struct check *c, const void *old, unsigned *room, size_t size)
{
	unsigned more = 2 * *room + 64;
	void *new = arena_alloc(&c->s->arena, more, size);

	if (*room)
		memcpy(new, old, *room * size);
	*room = more;
	return new;
}

/* The notes of a function come together. */
static void keep_kernel(struct check *c, const struct compile_note *n)
{
	const struct left_out *last = c->nout ? &c->out[c->nout - 1] : NULL;

	if (!n->is_kernel ||
		(last && !strcmp(last->kernel, n->function) && !strcmp(last->file, n->file)))
		return;
	if (c->nout == c->out_capacity)
		c->out = grown(c, c->out, &c->out_capacity, sizeof(*c->out));
	c->out[c->nout++] = (struct left_out){kept(c, n->file), kept(c, n->function)};
}

static void keep_note(void *ctx, const struct compile_note *n)
{
	struct check *c = ctx;
	struct noted *kept_note;
	struct compile_note *k;

	c->count[n->code]++;
	keep_kernel(c, n);
	if (c->nnotes == NOTES_LISTED) {
		c->unlisted++;
		return;
	}
	if (c->nnotes == c->room)
		c->notes = grown(c, c->notes, &c->room, sizeof(*c->notes));
	kept_note = &c->notes[c->nnotes];
	kept_note->file = file_of(c, n->file);
	kept_note->order = c->nnotes++;
	k = &kept_note->n;
	*k = *n;
	k->file = kept(c, n->file);
	k->function = kept(c, n->function);
	k->cuda_file = kept(c, n->cuda_file);
	k->opcode = kept(c, n->opcode);
	k->text = kept(c, n->text);
}

/* By position in the files; notes of a file as a whole come first. */
static int by_place(const void *a, const void *b)
{
	const struct noted *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	if (x->n.line != y->n.line)
		return x->n.line < y->n.line ? -1 : 1;
	if (x->n.col != y->n.col)
		return x->n.col < y->n.col ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

static bool compiles(const struct check *c, const struct left_out *k)
{
	for (unsigned m = 0; m < c->nmodules; m++)
		for (uint32_t i = 0; i < c->modules[m]->nkernels; i++)
			if (!strcmp(c->modules[m]->kernels[i]->name, k->kernel) &&
				!strcmp(c->modules[m]->kernels[i]->file, k->file))
				return true;
	return false;
}

/* Whether the kernel is among the first `n` of the list. */
static bool is_listed(const struct check *c, const struct left_out *k, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (!strcmp(c->out[i].kernel, k->kernel) && !strcmp(c->out[i].file, k->file))
			return true;
	return false;
}

static void count_kernels(struct check *c)
{
	unsigned n = 0;

	for (unsigned m = 0; m < c->nmodules; m++)
		c->compiled += c->modules[m]->nkernels;
	for (unsigned i = 0; i < c->nout; i++)
		if (!is_listed(c, &c->out[i], n) && !compiles(c, &c->out[i]))
			c->out[n++] = c->out[i];
	c->nout = n;
}

/* ---- compiling */
static void compile(struct check *c, const struct module_text *texts, unsigned n)
{
	struct compile_options options = {.max_regs = (unsigned)c->o->run.regs,
		.spill = {.space = c->o->run.slots ? SPILL_SHARED : SPILL_LOCAL,
			.slots = (unsigned)c->o->run.slots},
		.note = keep_note,
		.note_ctx = c};
	struct module *m = module_compile_set(texts, n, &options, &c->s->arena, &c->found);

	if (!m)
		return;
	if (c->nmodules == c->modules_room)
		c->modules = grown(c, c->modules, &c->modules_room, sizeof(struct module *));
	c->modules[c->nmodules++] = m;
}

static void add_file(struct check *c, const char *path, const char *text, size_t bytes)
{
	if (c->nfiles == c->files_room)
		c->files = grown(c, c->files, &c->files_room, sizeof(*c->files));
	c->files[c->nfiles++] = (struct checked_file){.path = path,
		.text = {.file = path, .text = text, .bytes = bytes},
		.read = text != NULL};
}

/* A program's images are files: "app[1]". */
static void read_files(struct check *c)
{
	for (unsigned i = 0; i < c->o->operands.n; i++) {
		const char *path = c->o->operands.at[i];
		struct source_code code;

		if (source_code(&c->s->source, path, chip_arch(c->s->config), &code, &c->unread))
			add_file(c, path, NULL, 0);
		for (unsigned k = 0; k < code.n; k++) {
			add_file(c, code.at[k].file, code.at[k].text, code.at[k].bytes);
			c->files[c->nfiles - 1].joins = code.linked && k > 0;
		}
	}
}

/* Each file by itself; together with --link, and those of a program compiled separately. */
static void compile_sets(struct check *c)
{
	for (unsigned i = 0, end; i < c->nfiles; i = end) {
		struct module_text *texts;
		unsigned n = 0;

		for (end = i + 1; end < c->nfiles && (c->o->link || c->files[end].joins);)
			end++;
		texts = arena_alloc(&c->s->arena, end - i, sizeof(*texts));
		for (unsigned k = i; k < end; k++)
			if (c->files[k].read)
				texts[n++] = c->files[k].text;
		if (n)
			compile(c, texts, n);
	}
}

/* Refuses to write over a file that is read: 0 or -1. */
static int compile_all(struct check *c, struct err *err)
{
	read_files(c);
	if (c->unread.code == ERR_USAGE) {
		err_move(err, &c->unread);
		return -1;
	}
	compile_sets(c);
	return 0;
}

/* ---- text */
static void extents(const char *name, const uint32_t *n, struct text *out)
{
	if (n[0])
		text_add(out, "  .%s %u, %u, %u", name, n[0], n[1], n[2]);
}

/* The kernel's directives about its launches, if any. */
static void directive_line(const struct program *p, struct text *out)
{
	if (!p->reqntid[0] && !p->maxntid[0] && !p->maxnreg && !p->minnctapersm)
		return;
	text_add(out, "   ");
	extents("reqntid", p->reqntid, out);
	extents("maxntid", p->maxntid, out);
	if (p->maxnreg)
		text_add(out, "  .maxnreg %u (%u used)", p->maxnreg, p->regs);
	if (p->minnctapersm)
		text_add(out, "  .minnctapersm %u (on a machine: warpbeam occupancy)",
			p->minnctapersm);
	text_add(out, "\n");
}

static void kernel_line(const struct program *p, struct text *out)
{
	text_add(out, "  %-32s\t%12u\t%9u\t%8u\t%10u\t%8u%s\t%7u\t%6u\t%10u\n", p->name, p->ninstr,
		p->regs, p->max_live, p->preds, p->shared_bytes, p->dynamic_shared ? "+" : " ",
		p->local_bytes, p->param_bytes, p->call_depth);
	if (p->spill_bytes)
		text_add(out,
			"     spilled: %u bytes of local memory; %u load%s and %u store%s in the "
			"code\n",
			p->spill_bytes, p->spill_loads, text_s(p->spill_loads), p->spill_stores,
			text_s(p->spill_stores));
	if (p->slots)
		text_add(out,
			"     in shared memory: %u of %u slots a thread; %u load%s, %u store%s and %u "
			"move%s in the code\n",
			p->slots, p->slot_budget, p->slot_loads, text_s(p->slot_loads),
			p->slot_stores, text_s(p->slot_stores), p->slot_moves,
			text_s(p->slot_moves));
	directive_line(p, out);
}

static void file_lines(const struct check *c, const struct checked_file *f, struct text *out)
{
	text_add(out, "%s%s\n", f->path, f->read ? "" : ": cannot be read");
	for (unsigned m = 0; m < c->nmodules; m++)
		for (uint32_t i = 0; i < c->modules[m]->nkernels; i++)
			if (!strcmp(c->modules[m]->kernels[i]->file, f->path))
				kernel_line(c->modules[m]->kernels[i], out);
	for (unsigned i = 0; i < c->nout; i++)
		if (!strcmp(c->out[i].file, f->path))
			text_add(out, "  %-32s is left out\n", c->out[i].kernel);
}

static void report_lines_of(const struct check *c, struct text *out)
{
	unsigned files = c->nfiles, kernels = c->compiled + c->nout;

	text_add(out, "\v%-34s\t%12s\t%9s\t%8s\t%10s\t%8s \t%7s\t%6s\t%10s\n", "kernel",
		"instructions", "registers", "max live", "predicates", "shared", "local", "params",
		"call depth");
	for (unsigned i = 0; i < files; i++)
		file_lines(c, &c->files[i], out);
	text_add(out, "\n%u file%s, %u kernel%s: %u compile%s, %u left out; ", files, text_s(files),
		kernels, text_s(kernels), c->compiled, c->compiled == 1 ? "s" : "", c->nout);
	text_add(out, "%u wrong, %u not supported, %u too large\n", c->count[ERR_INPUT],
		c->count[ERR_UNSUPPORTED], c->count[ERR_RESOURCE]);
}

/* ---- JSON */
static json_t *extents_json(const uint32_t *n)
{
	json_t *j = json_array();

	for (unsigned i = 0; i < 3; i++)
		json_append(j, json_whole(n[i]));
	return j;
}

static void directives_json(const struct program *p, json_t *j)
{
	if (p->reqntid[0])
		json_add(j, "reqntid", extents_json(p->reqntid));
	if (p->maxntid[0])
		json_add(j, "maxntid", extents_json(p->maxntid));
	if (p->maxnreg)
		json_add(j, "maxnreg", json_whole(p->maxnreg));
	if (p->minnctapersm)
		json_add(j, "minnctapersm", json_whole(p->minnctapersm));
}

static json_t *kernel_json(const struct program *p)
{
	json_t *j = json_object();

	json_add(j, "name", json_name(p->name));
	json_add(j, "file", json_name(p->file));
	json_add(j, "instructions", json_whole(p->ninstr));
	json_add(j, "registers", json_whole(p->regs));
	json_add(j, "max_live_registers", json_whole(p->max_live));
	json_add(j, "predicates", json_whole(p->preds));
	json_add(j, "shared_bytes", json_whole(p->shared_bytes));
	json_add(j, "dynamic_shared", json_boolean(p->dynamic_shared));
	json_add(j, "local_bytes", json_whole(p->local_bytes));
	json_add(j, "spill_bytes", json_whole(p->spill_bytes));
	json_add(j, "spill_loads", json_whole(p->spill_loads));
	json_add(j, "spill_stores", json_whole(p->spill_stores));
	if (p->slots) {
		json_add(j, "slots", json_whole(p->slots));
		json_add(j, "slot_loads", json_whole(p->slot_loads));
		json_add(j, "slot_stores", json_whole(p->slot_stores));
		json_add(j, "slot_moves", json_whole(p->slot_moves));
	}
	json_add(j, "param_bytes", json_whole(p->param_bytes));
	json_add(j, "call_depth", json_whole(p->call_depth));
	directives_json(p, j);
	return j;
}

static json_t *note_json(const struct compile_note *n)
{
	json_t *j = json_object();

	json_add(j, "code", json_string(exit_codes[n->code].name));
	json_add(j, "file", json_name(n->file));
	json_add(j, "line", n->line ? json_whole(n->line) : json_null());
	json_add(j, "column", n->line ? json_whole(n->col) : json_null());
	json_add(j, n->is_kernel ? "kernel" : "function", json_name(n->function));
	json_add(j, "cuda_file", json_name(n->cuda_file));
	json_add(j, "cuda_line", n->cuda_file ? json_whole(n->cuda_line) : json_null());
	json_add(j, "opcode", json_name(n->opcode));
	json_add(j, "text", json_name(n->text));
	return j;
}

static json_t *files_json(const struct check *c)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < c->s->source.ninputs; i++) {
		json_t *j = json_object();

		json_add(j, "path", json_name(c->s->source.inputs[i].path));
		json_add(j, "fnv1a", json_hash(c->s->source.inputs[i].hash));
		json_append(list, j);
	}
	return list;
}

static json_t *check_json(const struct check *c)
{
	json_t *j = json_object(), *kernels = json_array(), *out = json_array(),
	       *notes = json_array();

	for (unsigned m = 0; m < c->nmodules; m++)
		for (uint32_t i = 0; i < c->modules[m]->nkernels; i++)
			json_append(kernels, kernel_json(c->modules[m]->kernels[i]));
	for (unsigned i = 0; i < c->nout; i++) {
		json_t *k = json_object();

		json_add(k, "name", json_name(c->out[i].kernel));
		json_add(k, "file", json_name(c->out[i].file));
		json_append(out, k);
	}
	for (unsigned i = 0; i < c->nnotes; i++)
		json_append(notes, note_json(&c->notes[i].n));
	json_add(j, "schema", json_integer(SCHEMA));
	json_add(j, "program", json_program());
	json_add(j, "inputs", files_json(c));
	json_add(j, "kernels", kernels);
	json_add(j, "left_out", out);
	json_add(j, "notes", notes);
	if (c->unlisted)
		json_add(j, "notes_unlisted", json_whole(c->unlisted));
	return j;
}

static void write_all(struct check *c, struct err *err)
{
	struct text *out = &c->s->out;
	const char *json = c->o->json;

	if (json) {
		if (json_print(check_json(c), out))
			err_add(err, ERR_RESOURCE, "%s: no host memory for JSON", json);
		else
			output_file(c->o->run.files, json, out, err);
		text_clear(out);
	}
	if (!c->o->run.quiet && (!json || strcmp(json, "-"))) {
		report_lines_of(c, out);
		output_report(out, c->o->run.uncut, err);
	}
}

/* The exit code: wrong before not supported before too large. */
static enum err_code worst(const struct check *c)
{
	if (c->unread.count)
		return c->unread.code;
	if (c->count[ERR_INPUT])
		return ERR_INPUT;
	return c->count[ERR_UNSUPPORTED] ? ERR_UNSUPPORTED : c->found.code;
}

/* The messages: files that cannot be read, then the compiler's messages. */
static void tell(struct check *c, struct err *err)
{
	enum err_code code = worst(c);

	err_move(err, &c->unread);
	err_move(err, &c->found);
	err->code = code;
}

int command_check(const struct options *o, struct session *s, struct err *err)
{
	struct check c = {.o = o, .s = s};

	s->source = (struct source){.arena = &s->arena, .directory = ".", .files = o->run.files};
	if (compile_all(&c, err))
		return -1;
	if (c.nnotes)
		qsort(c.notes, c.nnotes, sizeof(*c.notes), by_place);
	count_kernels(&c);
	tell(&c, err);
	write_all(&c, err);
	return err->code ? -1 : 0;
}
