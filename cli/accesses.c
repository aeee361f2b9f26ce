/* Traces of accesses: from the file to lines. */
#include "cli/accesses.h"

#include <string.h>

char *accesses_text(struct session *s, const char *path, size_t *lines, struct err *err)
{
	size_t bytes;
	char *text = source_read(&s->source, path, &bytes, err);

	if (!text)
		return NULL;
	if (strlen(text) != bytes || bytes > INT32_MAX) {
		err_add(err, ERR_INPUT, "%s: is not a text file", path);
		return NULL;
	}
	*lines = 1;
	for (size_t i = 0; i < bytes; i++)
		*lines += text[i] == '\n';
	return text;
}

/* The line's end, unless it is empty. */
static size_t cut(char *line)
{
	size_t n = strcspn(line, "\r#");

	while (n && (line[n - 1] == ' ' || line[n - 1] == '\t'))
		n--;
	line[n] = '\0';
	return n;
}

int accesses_each(char *text, const char *path, accesses_line_fn *take, void *ctx, struct err *err)
{
	bool any = false;
	char *end;

	for (unsigned number = 1; text; text = end ? end + 1 : NULL, number++) {
		end = strchr(text, '\n');
		if (end)
			*end = '\0';
		if (!cut(text))
			continue;
		any = true;
		if (take(ctx, text, number, err))
			return -1;
	}
	return any ? 0 : err_add(err, ERR_INPUT, "%s: no access in it", path);
}
