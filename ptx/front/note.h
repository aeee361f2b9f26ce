/* Private to ptx/: the diagnostics of a text: errors and unsupported constructs. */
#ifndef PTX_FRONT_NOTE_H
#define PTX_FRONT_NOTE_H

#include "ptx/front/ast.h"
#include "ptx/isa/program.h"

#define NOTES_SHOWN 100u   /* messages of a compilation; beyond that only their number */
#define NOTES_OF_FILES 28u /* more of them for whole files */

/* A message held until the end of the compilation. An unsupported opcode is reported once, at its
 * first location. */
struct note_entry {
	enum err_code code;
	unsigned file; /* index of the text */
	struct ast_pos pos, last;
	const char *line, *opcode;
	unsigned again; /* further occurrences of the opcode */
};

struct note_tally {
	struct arena *arena;
	const struct module_text *texts;
	unsigned ntexts;
	struct note_entry note[NOTES_SHOWN + NOTES_OF_FILES];
	unsigned n, more;
};

/* A zeroed struct is valid and drops all messages. */
struct notes {
	struct err *err;       /* receives each message as a line */
	compile_note_fn *each; /* called for each; may be NULL */
	void *ctx;
	struct note_tally *tally; /* collects the lines until notes_flush; NULL: they are added to
				     err at once */
};

/* Adds the collected messages to err, in the order of the texts. */
void notes_flush(const struct notes *);

/* Adds the message as a line of err, and calls `each`. Returns -1. */
int note_add(const struct notes *, const struct compile_note *);

/* Adds a message for `pos` in a function (or NULL) of the file; the opcode may be NULL. Returns -1.
 */
struct note_location {
	const char *file;
	const struct ast_function *function;
	struct ast_pos pos;
	struct ast_loc loc;
	const char *const *cuda_files;
	uint32_t ncuda_files;
	const char *opcode;
};
int note_at(const struct notes *, const struct note_location *, enum err_code, const char *format,
	...) __attribute__((format(printf, 4, 5)));

/* ptx/front/parse.c: as ptx_parse, but an error inside a function fails only that function
 * (is_wrong), so there may be both messages and a module. */
struct ast_module *ptx_parse_noted(
	const char *file, const char *text, size_t bytes, struct arena *, const struct notes *);

/* ptx/front/linkage.c: links modules into one. NULL with messages when they are incompatible. */
struct ast_module *linkage_join(
	struct ast_module *const *, unsigned n, struct arena *, const struct notes *);

#endif
