/* The names of part files: the restart count is in front of .sqlite. */
#include "cli/sweep/plan.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SUFFIX ".sqlite"

/* The length without a suffix. */
static int bare(const char *path, const char *suffix)
{
	size_t n = strlen(path), s = strlen(suffix);

	return (int)(n > s && !strcmp(path + n - s, suffix) ? n - s : n);
}

const char *part_stem(const struct plan *p, unsigned shard, const char *out, struct arena *arena)
{
	size_t room = strlen(out ? out : p->path) + 40;
	char *stem = arena_alloc(arena, room, 1);

	if (out)
		snprintf(stem, room, "%.*s.r", bare(out, SUFFIX), out);
	else
		snprintf(stem, room, "%.*s.%u-of-%u.r", bare(p->path, ".json"), p->path, shard,
			p->shards);
	return stem;
}

const char *part_path(const char *stem, unsigned restart, struct arena *arena)
{
	size_t room = strlen(stem) + 24;
	char *path = arena_alloc(arena, room, 1);

	snprintf(path, room, "%s%u" SUFFIX, stem, restart);
	return path;
}

static int by_restart(const void *a, const void *b)
{
	unsigned x = ((const struct part_file *)a)->restart;
	unsigned y = ((const struct part_file *)b)->restart;

	return (x > y) - (x < y);
}

/* "plan.3-of-8.r12.sqlite" is restart 12 of "plan.3-of-8.r". */
static bool is_of(const char *name, const char *stem, unsigned *restart)
{
	size_t n = strlen(stem);
	char *end;

	if (strncmp(name, stem, n) || name[n] < '0' || name[n] > '9')
		return false;
	*restart = (unsigned)strtoul(name + n, &end, 10);
	return !strcmp(end, SUFFIX);
}

int part_files(
	const char *stem, struct part_file **out, unsigned *n, struct arena *arena, struct err *err)
{
	const char *slash = strrchr(stem, '/'), *name = slash ? slash + 1 : stem;
	const char *folder = slash ? arena_strndup(arena, stem, (size_t)(slash - stem) + 1) : ".";
	const struct dirent *entry;
	struct part_file *files = NULL;
	unsigned room = 0;
	DIR *d = opendir(folder);

	*n = 0;
	if (!d)
		return err_add(err, ERR_INPUT, "%s: cannot be read: %s", folder, strerror(errno));
	while ((entry = readdir(d))) {
		unsigned restart;

		if (!is_of(entry->d_name, name, &restart))
			continue;
		if (*n == room) {
			struct part_file *more = arena_alloc(arena, 2 * room + 8, sizeof(*more));

			if (room)
				memcpy(more, files, room * sizeof(*more));
			files = more;
			room = 2 * room + 8;
		}
		files[(*n)++] = (struct part_file){part_path(stem, restart, arena), restart};
	}
	closedir(d);
	if (*n)
		qsort(files, *n, sizeof(*files), by_restart);
	*out = files;
	return 0;
}
