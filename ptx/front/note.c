/* Diagnostics of the compiler: errors and unsupported constructs, with their locations. */
#include "ptx/front/note.h"

#include "core/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- collecting */

static unsigned file_number(const struct note_tally *t, const char *file)
{
	unsigned i = 0;

	while (i < t->ntexts && strcmp(t->texts[i].file, file) != 0)
		i++;
	return i;
}

static bool same_place(struct ast_pos a, struct ast_pos b)
{
	return a.line == b.line && a.col == b.col;
}

/* Whether the opcode was reported before. */
static bool count_again(struct note_tally *t, const struct compile_note *n)
{
	struct ast_pos pos = {n->line, n->col};

	if (n->code != ERR_UNSUPPORTED || !n->opcode)
		return false;
	for (unsigned i = 0; i < t->n; i++) {
		struct note_entry *told = &t->note[i];

		if (!told->opcode || strcmp(told->opcode, n->opcode) != 0 ||
			strcmp(t->texts[told->file].file, n->file) != 0)
			continue;
		told->again += !same_place(told->pos, pos) && !same_place(told->last, pos);
		told->last = pos;
		return true;
	}
	return false;
}

static void gather(struct note_tally *t, const struct compile_note *n, const char *line)
{
	struct note_entry *told = &t->note[t->n];

	if (count_again(t, n))
		return;
	if (t->n >= NOTES_SHOWN + (n->line ? 0 : NOTES_OF_FILES)) {
		t->more++;
		return;
	}
	t->n++;
	*told = (struct note_entry){.code = n->code,
		.file = file_number(t, n->file),
		.pos = {n->line, n->col},
		.line = arena_strdup(t->arena, line)};
	told->last = told->pos;
	if (n->code == ERR_UNSUPPORTED && n->opcode && told->file < t->ntexts)
		told->opcode = arena_strdup(t->arena, n->opcode);
}

/* Messages about a whole file come last. */
static bool comes_before(const struct note_entry *a, const struct note_entry *b)
{
	if (a->file != b->file)
		return a->file < b->file;
	if (a->pos.line != b->pos.line)
		return a->pos.line - 1 < b->pos.line - 1;
	return a->pos.col < b->pos.col;
}

static void sort(struct note_tally *t)
{
	for (unsigned i = 1; i < t->n; i++) {
		struct note_entry n = t->note[i];
		unsigned at = i;

		for (; at > 0 && comes_before(&n, &t->note[at - 1]); at--)
			t->note[at] = t->note[at - 1];
		t->note[at] = n;
	}
}

void notes_flush(const struct notes *notes)
{
	struct note_tally *t = notes->tally;

	sort(t);
	for (unsigned i = 0; i < t->n; i++) {
		const struct note_entry *n = &t->note[i];

		if (n->again)
			err_add(notes->err, n->code, "%s (and %u more)", n->line, n->again);
		else
			err_add(notes->err, n->code, "%s", n->line);
	}
	err_more(notes->err, t->more);
	t->n = t->more = 0;
}

int note_add(const struct notes *notes, const struct compile_note *n)
{
	struct text line = {0};

	text_add(&line, "%s:", n->file);
	if (n->line)
		text_add(&line, "%u:%u:", n->line, n->col);
	if (n->function)
		text_add(&line, " %s %s:", n->is_kernel ? "kernel" : "function", n->function);
	if (n->opcode)
		text_add(&line, " `%s`:", n->opcode);
	text_add(&line, " %s", n->text);
	if (n->cuda_file)
		text_add(&line, " (%s:%u)", n->cuda_file, n->cuda_line);
	if (notes->tally)
		gather(notes->tally, n, line.failed ? n->text : text_str(&line));
	else
		err_add(notes->err, n->code, "%s", line.failed ? n->text : text_str(&line));
	text_clear(&line);
	if (notes->each)
		notes->each(notes->ctx, n);
	return -1;
}

int note_at(const struct notes *notes, const struct note_location *at, enum err_code code,
	const char *format, ...)
{
	struct compile_note n = {.code = code,
		.file = at->file,
		.line = at->pos.line,
		.col = at->pos.col,
		.opcode = at->opcode};
	char text[FORM_WHY];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	n.text = text;
	if (at->function) {
		n.function = at->function->name;
		n.is_kernel = at->function->is_kernel;
	}
	if (at->loc.file && at->loc.file < at->ncuda_files && at->cuda_files[at->loc.file]) {
		n.cuda_file = at->cuda_files[at->loc.file];
		n.cuda_line = at->loc.line;
	}
	return note_add(notes, &n);
}
