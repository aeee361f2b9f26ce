/* Messages for users: collecting them, and finding the name that was probably meant. */
#include "core/err.h"

#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#include "core/mem.h"
#include "core/plain.h"
#include "core/text.h"

/* Longer names are never suggested. */
#define NAME_MAX_BYTES 127
/* Longer messages (values that fill a file) are cut. */
#define LINE_BYTES_MOST 4096

/* Capacity for n more bytes and the final NUL; false when there is no memory. */
static bool reserve(struct err *err, size_t n)
{
	size_t cap = err->cap ? err->cap : 256;
	char *text;

	if (err->text && err->len + n + 1 <= err->cap)
		return true;
	while (cap < err->len + n + 1)
		cap *= 2;
	text = mem_grow(err->text, err->cap, cap, 1);
	if (!text)
		return false;
	err->text = text;
	err->cap = cap;
	return true;
}

/* True when the line that begins at `at`, the text's last, also occurs earlier. */
static bool repeated(const struct err *err, size_t at)
{
	const char *line = err->text + at, *found = err->text;

	while ((found = strstr(found, line)) != line && found > err->text && found[-1] != '\n')
		found++;
	return found != line;
}

static void shorten(struct text *line)
{
	size_t len = line->len;

	if (len <= LINE_BYTES_MOST)
		return;
	line->len = plain_whole(line->s, LINE_BYTES_MOST);
	text_add(line, "... (%zu bytes)", len);
}

/* "and 99,900 more" as the last line; replaces the number of an earlier call. */
static void say_more(struct err *err)
{
	struct text line = {0};
	unsigned unit = 1;

	while (err->more / unit >= 1000)
		unit *= 1000;
	text_add(&line, "and %u", err->more / unit);
	for (unit /= 1000; unit; unit /= 1000)
		text_add(&line, ",%03u", err->more / unit % 1000);
	text_add(&line, " more\n");
	err->len -= err->more_len;
	err->more_len = 0;
	if (!line.failed && reserve(err, line.len)) {
		memcpy(err->text + err->len, line.s, line.len + 1);
		err->len += line.len;
		err->more_len = line.len;
	}
	text_clear(&line);
}

void err_more(struct err *err, unsigned n)
{
	if (!err || !n)
		return;
	err->count += n;
	err->more += n;
	say_more(err);
}

int err_add(struct err *err, enum err_code code, const char *format, ...)
{
	struct text line = {0};
	va_list args;

	if (!err)
		return -1;
	if (!err->count)
		err->code = code;
	if (err->lines >= ERR_LINES || err->more) {
		err_more(err, 1);
		return -1;
	}
	err->count++;
	va_start(args, format);
	text_vadd(&line, format, args);
	va_end(args);
	shorten(&line);
	if (!line.failed && reserve(err, line.len + 1)) {
		memcpy(err->text + err->len, text_str(&line), line.len);
		err->len += line.len;
		err->text[err->len++] = '\n';
		err->text[err->len] = '\0';
		err->lines++;
		if (repeated(err, err->len - line.len - 1)) {
			err->len -= line.len + 1;
			err->text[err->len] = '\0';
			err->count--;
			err->lines--;
		}
	}
	text_clear(&line);
	return -1;
}

void err_lines(struct err *err, enum err_code code, const char *lines)
{
	while (*lines) {
		size_t n = strcspn(lines, "\n");

		if (n)
			err_add(err, code, "%.*s", (int)n, lines);
		lines += n + (lines[n] == '\n');
	}
}

const char *err_text(const struct err *err)
{
	if (err->text)
		return err->text;
	return err->count ? "out of memory\n" : "";
}

void err_move(struct err *to, struct err *from)
{
	const char *line = from->text, *end = line ? line + from->len - from->more_len : NULL;

	if (to && from->count && !to->count)
		to->code = from->code;
	while (to && line < end) {
		size_t n = strcspn(line, "\n") + 1;

		if (to->lines >= ERR_LINES || to->more || !reserve(to, n))
			break;
		memcpy(to->text + to->len, line, n);
		to->len += n;
		to->text[to->len] = '\0';
		to->lines++;
		to->count++;
		from->count--;
		line += n;
	}
	err_more(to, from->count);
	err_clear(from);
}

void err_clear(struct err *err)
{
	if (!err)
		return;
	mem_free(err->text);
	*err = (struct err){0};
}

/* Edit distance (insert, delete, replace), one row of the table at a time. */
static size_t distance(const char *a, size_t na, const char *b, size_t nb)
{
	size_t row[NAME_MAX_BYTES + 1];

	for (size_t j = 0; j <= nb; j++)
		row[j] = j;
	for (size_t i = 1; i <= na; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= nb; j++) {
			size_t best = diagonal + (a[i - 1] != b[j - 1]);

			diagonal = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[nb];
}

const char *err_nearest(const char *wrong, const char *const *names, size_t n)
{
	size_t len = strlen(wrong), best = (len + 2) / 3 + 1;
	const char *nearest = NULL;

	if (len > NAME_MAX_BYTES)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		size_t other = strlen(names[i]), d;

		if (other > NAME_MAX_BYTES)
			continue;
		d = distance(wrong, len, names[i], other);
		if (d < best) {
			best = d;
			nearest = names[i];
		}
	}
	return nearest;
}
