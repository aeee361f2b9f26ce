/* What leaves the program: stdout, files, its version, its exit codes. */
#include "runs/output.h"

#include "core/base.h"
#include "core/file.h"
#include "draw/fit.h"
#include "draw/number.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define WIDTH 100 /* of what is no terminal */
#define WIDTH_LEAST 40

const struct exit_code exit_codes[EXIT_CODES] = {
	[ERR_NONE] = {"ok", "All went well."},
	[ERR_CHECK] = {"check", "The run was complete, but its results are wrong."},
	[ERR_USAGE] = {"usage", "The command line is wrong."},
	[ERR_INPUT] = {"input", "A file or a parameter's value is wrong."},
	[ERR_UNSUPPORTED] = {"unsupported", "Correct PTX that this version does not execute."},
	[ERR_RESOURCE] = {"resource",
		"A CTA can never fit, or memory is short, the host's or a GPU's."},
	[ERR_FAULT] = {"fault", "The kernel did something illegal."},
	[ERR_DEADLOCK] = {"deadlock", "Work is left and nothing can move."},
	[ERR_LIMIT] = {"limit",
		"A limit, --max-cycles, --max-instructions or --timeout, was reached."},
	[ERR_HOST] = {"host",
		"The host failed, such as a file that cannot be written, or has no GPU."},
	[ERR_INTERRUPTED] = {"interrupted", "SIGINT or SIGTERM; the report is partial."},
	[ERR_BUG] = {"bug", "The run's counters contradict each other: a fault of warpbeam's."},
};

const char *program_version(void)
{
	return WARPBEAM_VERSION;
}

int output_text(const struct text *text, struct err *err)
{
	if (text->failed)
		return err_add(err, ERR_RESOURCE, "no host memory for the output");
	if (fwrite(text_str(text), 1, text->len, stdout) == text->len && !fflush(stdout))
		return 0;
	if (errno != EPIPE && errno != EBADF)
		return err_add(err, ERR_HOST, "stdout: cannot write: %s", strerror(errno));
	if (!err->code)
		err->code = ERR_HOST;
	return -1;
}

/* COLUMNS, or the terminal's. */
static uint32_t output_width(void)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	uint64_t n;

	if (columns && number_whole(columns, &n) && n)
		return n < WIDTH_LEAST ? WIDTH_LEAST : n < UINT16_MAX ? (uint32_t)n : UINT16_MAX;
	if (isatty(STDOUT_FILENO) && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col)
		return size.ws_col < WIDTH_LEAST ? WIDTH_LEAST : size.ws_col;
	return WIDTH;
}

int output_report(const struct text *text, bool uncut, struct err *err)
{
	struct text fitting = {0};
	int bad;

	fit_text(text_str(text), uncut ? FIT_ALL : output_width(), &fitting);
	fitting.failed |= text->failed;
	bad = output_text(&fitting, err);
	text_clear(&fitting);
	return bad;
}

void output_broken(const char *what)
{
	output_note("the event loop failed: %s: %s", what, strerror(errno));
	_exit(ERR_HOST);
}

void output_live(const struct text *line)
{
	fprintf(stderr, "\r\033[K%s", text_str(line));
}

void output_wipe(void)
{
	fprintf(stderr, "\r\033[K");
}

void output_note(const char *format, ...)
{
	struct text line = {0};
	va_list args;

	va_start(args, format);
	text_vadd(&line, format, args);
	va_end(args);
	fprintf(stderr, "warpbeam: %s\n",
		line.failed ? "no host memory for a message" : text_str(&line));
	text_clear(&line);
}

int output_file(struct files *files, const char *path, const struct text *text, struct err *err)
{
	if (!strcmp(path, "-"))
		return output_text(text, err);
	if (text->failed)
		return err_add(err, ERR_RESOURCE, "%s: no host memory for the output", path);
	return file_write(files, path, text_str(text), text->len, err);
}

static int write_file(struct files *files, const char *path, struct text *out, struct err *err)
{
	int bad = output_file(files, path, out, err);

	text_clear(out);
	return bad;
}

/* Files first: the reader of stdout may close it early. */
int output_results(const struct output_files *o, const struct output_texts *w, struct text *out,
	struct err *err)
{
	const char *paths[] = {o->json, o->csv, o->svg};
	bool to_stdout = false;

	for (unsigned i = 0; i < ARRAY_LEN(paths); i++)
		to_stdout |= paths[i] && !strcmp(paths[i], "-");
	if (o->json && w->json(w->ctx, out))
		return err_add(err, ERR_RESOURCE, "%s: no host memory for JSON", o->json);
	if (o->json && write_file(o->files, o->json, out, err))
		return -1;
	if (o->csv) {
		w->csv(w->ctx, out);
		if (write_file(o->files, o->csv, out, err))
			return -1;
	}
	if (o->svg) {
		w->svg(w->ctx, out);
		if (write_file(o->files, o->svg, out, err))
			return -1;
	}
	if (o->quiet || to_stdout)
		return 0;
	w->text(w->ctx, out);
	return output_report(out, o->uncut, err);
}

int output_database(struct files *files, const char *what, const char *path, struct err *err)
{
	struct text journal = {0}, whose = {0};
	int bad = files_write(files, what, path, err);

	text_raw(&journal, "%s-journal", path);
	text_add(&whose, "the journal of %s", what);
	if (!bad && (journal.failed || whose.failed))
		bad = err_add(err, ERR_RESOURCE, "%s: no host memory to note its journal", path);
	if (!bad)
		bad = files_write(files, text_str(&whose), text_str(&journal), err);
	text_clear(&journal);
	text_clear(&whose);
	return bad;
}
