/* Reads seeds and dictionaries. */
#include "tests/fuzz/mutate.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base.h"

static bool add_piece(struct pieces *p, const char *bytes, size_t n)
{
	char *copy = malloc(n + 1);

	if (p->n == p->room) {
		uint32_t room = p->room ? 2 * p->room : 64;
		struct piece *grown = realloc(p->at, room * sizeof(*grown));

		if (grown) {
			p->at = grown;
			p->room = room;
		}
	}
	if (!copy || p->n == p->room) {
		free(copy);
		return false;
	}
	memcpy(copy, bytes, n);
	p->at[p->n++] = (struct piece){copy, n};
	return true;
}

static void drop_pieces(struct pieces *p)
{
	for (uint32_t k = 0; k < p->n; k++)
		free(p->at[k].bytes);
	free(p->at);
	*p = (struct pieces){0};
}

void corpus_drop(struct corpus *c)
{
	drop_pieces(&c->texts);
	drop_pieces(&c->words);
}

static bool read_file(struct corpus *c, const char *path, size_t longest)
{
	FILE *f = fopen(path, "rb");
	char *bytes = malloc(longest + 1);
	bool ok = false;

	if (f && bytes) {
		size_t n = fread(bytes, 1, longest + 1, f);

		ok = !ferror(f) && (n > longest || add_piece(&c->texts, bytes, n));
	}
	if (f)
		fclose(f);
	free(bytes);
	return ok;
}

/* Folders, and files of PTX. */
static int wanted(const struct dirent *d)
{
	const char *dot = strrchr(d->d_name, '.');

	return !dot || (dot != d->d_name && strcmp(dot, ".ptx") == 0);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

bool corpus_read(struct corpus *c, const char *path, size_t longest)
{
	struct dirent **entry;
	struct stat st;
	bool ok = true;
	int n;

	if (stat(path, &st) != 0)
		return false;
	if (!S_ISDIR(st.st_mode))
		return read_file(c, path, longest);
	n = scandir(path, &entry, wanted, by_name);
	if (n < 0)
		return false;
	for (int k = 0; k < n; k++) {
		char below[4096];
		int len = snprintf(below, sizeof(below), "%s/%s", path, entry[k]->d_name);

		ok = ok && len < (int)sizeof(below) && corpus_read(c, below, longest);
		free(entry[k]);
	}
	free(entry);
	return ok;
}

/* Decodes the word between the quotes in the buffer (\\, \" and \xAB); returns its length. */
static size_t unquote(char *word)
{
	size_t n = 0;

	for (const char *at = word; *at && *at != '"'; at++) {
		unsigned value;

		if (*at == '\\' && at[1] == 'x' && sscanf(at + 2, "%2x", &value) == 1) {
			word[n++] = (char)value;
			at += 3;
			continue;
		}
		at += *at == '\\' && at[1];
		word[n++] = *at;
	}
	return n;
}

bool corpus_read_words(struct corpus *c, const char *path)
{
	FILE *f = fopen(path, "r");
	char line[512];
	bool ok = f != NULL;

	while (ok && fgets(line, sizeof(line), f)) {
		char *quote = line[0] == '#' ? NULL : strchr(line, '"');

		if (quote)
			ok = add_piece(&c->words, quote + 1, unquote(quote + 1));
	}
	if (f)
		fclose(f);
	return ok;
}
