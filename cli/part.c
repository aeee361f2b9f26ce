/* The names of part files: the restart count is in front of .sqlite. */
#include "cli/part.h"

#include "draw/number.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SUFFIX ".sqlite"

/* The length without a suffix. */
static int bare(const char *path)
{
	static const char *const suffixes[] = {SUFFIX, ".json"};
	size_t n = strlen(path);

	for (unsigned i = 0; i < 2; i++) {
		size_t s = strlen(suffixes[i]);

		if (n > s && !strcmp(path + n - s, suffixes[i]))
			return (int)(n - s);
	}
	return (int)n;
}

const char *part_stem(const char *of, unsigned shard, unsigned shards, struct arena *arena)
{
	size_t room = strlen(of) + 40;
	char *stem = arena_alloc(arena, room, 1);

	if (shard)
		snprintf(stem, room, "%.*s.%u-of-%u.r", bare(of), of, shard, shards);
	else
		snprintf(stem, room, "%.*s.r", bare(of), of);
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

int part_number(const char *text, unsigned *shard, unsigned *shards, struct err *err)
{
	const char *slash = strchr(text, '/');
	char first[24] = "";
	uint64_t i = 0, n = 0;

	if (slash && slash - text < (int)sizeof(first))
		snprintf(first, sizeof(first), "%.*s", (int)(slash - text), text);
	if (!number_whole(first, &i) || !number_whole(slash + 1, &n) || n > UINT16_MAX + 1u)
		return err_add(err, ERR_USAGE, "--shard %s: must have the form I/N, as 3/8", text);
	if (!i || i > n)
		return err_add(err, ERR_USAGE, "--shard %s: must be 1/%u .. %u/%u", text,
			(unsigned)n, (unsigned)n, (unsigned)n);
	*shard = (unsigned)i;
	*shards = (unsigned)n;
	return 0;
}

int part_restart(const struct part_file *parts, unsigned n, unsigned *restart, struct err *err)
{
	const char *told = getenv("SLURM_RESTART_COUNT");
	uint64_t count = 0;

	if (told && (!number_whole(told, &count) || count > UINT32_MAX / 2))
		return err_add(err, ERR_USAGE,
			"SLURM_RESTART_COUNT=%s: must be a whole number, as Slurm sets it", told);
	for (unsigned i = 0; i < n; i++)
		count += parts[i].restart == count;
	*restart = (unsigned)count;
	return 0;
}
