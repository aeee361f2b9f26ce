/* Notes of the compiler: what is wrong with a text, or not supported in it, and where. */
#include "ptx/note.h"

#include "core/text.h"

#include <stdarg.h>
#include <stdio.h>

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
	err_add(notes->err, n->code, "%s", line.failed ? n->text : text_str(&line));
	text_clear(&line);
	if (notes->each)
		notes->each(notes->ctx, n);
	return -1;
}

int note_at(const struct notes *notes, const struct note_place *at, enum err_code code,
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
