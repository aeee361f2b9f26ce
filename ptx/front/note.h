/* Private to ptx/: where everything goes that is wrong with a text, or not supported in it. */
#ifndef PTX_FRONT_NOTE_H
#define PTX_FRONT_NOTE_H

#include "ptx/front/ast.h"
#include "ptx/isa/program.h"

#define NOTES_TOLD 100u    /* messages of a compilation; of more only the number */
#define NOTES_OF_FILES 28u /* beside them, of files as a whole */

/* A message that waits for the end of the compilation. A spelling that is not supported is told
 * once, where it stands first. */
struct told_note {
	enum err_code code;
	unsigned file; /* which text */
	struct ast_pos pos, last;
	const char *line, *opcode;
	unsigned again; /* times that the spelling came once more */
};

struct note_tally {
	struct arena *arena;
	const struct module_text *texts;
	unsigned ntexts;
	struct told_note note[NOTES_TOLD + NOTES_OF_FILES];
	unsigned n, more;
};

/* A zeroed struct is a valid one that drops everything. */
struct notes {
	struct err *err;       /* gets each note as a line */
	compile_note_fn *each; /* is called for each; may be NULL */
	void *ctx;
	struct note_tally
		*tally; /* gathers the lines, for notes_flush; NULL: they go to err at once */
};

/* Tells what was gathered, in the order of the texts. */
void notes_flush(const struct notes *);

/* The note as a line of err, and as a call. Answers -1. */
int note_add(const struct notes *, const struct compile_note *);

/* A note at `pos` in a function (or NULL) of the file; the opcode may be NULL. Answers -1. */
struct note_place {
	const char *file;
	const struct ast_function *function;
	struct ast_pos pos;
	struct ast_loc loc;
	const char *const *cuda_files;
	uint32_t ncuda_files;
	const char *opcode;
};
int note_at(const struct notes *, const struct note_place *, enum err_code, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* ptx/front/parse.c: as ptx_parse; an error inside a function fails only that function (is_wrong),
 * so that there may be notes and a module. */
struct ast_module *ptx_parse_noted(
	const char *file, const char *text, size_t bytes, struct arena *, const struct notes *);

/* ptx/front/linkage.c: makes one module of several. NULL and notes when they do not fit together.
 */
struct ast_module *linkage_join(
	struct ast_module *const *, unsigned n, struct arena *, const struct notes *);

#endif
