/* Where the workloads' files are: an installed tree may be moved, and a program is also run where
 * it was built. */
#include "core/file.h"
#include "runs/work.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __APPLE__
#include <mach-o/dyld.h>
#elif defined(__linux__)
#include <sys/auxv.h>
#endif

static bool has_folder(const char *data_dir, const char *name)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s/%s", data_dir, name);

	return n > 0 && (size_t)n < sizeof(path) && !access(path, R_OK);
}

static char *joined(struct arena *arena, const char *folder, const char *rest)
{
	size_t n = strlen(folder) + strlen(rest) + 1;
	char *path = arena_alloc(arena, n, 1);

	snprintf(path, n, "%s%s", folder, rest);
	return path;
}

/* The file of the running program, links followed; false where the host does not provide it. */
static bool program_file(char path[PATH_MAX])
{
#ifdef __APPLE__
	char told[PATH_MAX];
	uint32_t room = sizeof(told);

	return !_NSGetExecutablePath(told, &room) && realpath(told, path);
#elif defined(__linux__)
	ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - 1);
	const char *called;

	if (n > 0 && n < PATH_MAX - 1) {
		path[n] = '\0';
		return true;
	}
	called = (const char *)getauxval(AT_EXECFN); /* no /proc: what was handed to execve() */
	return called && realpath(called, path);
#else
	(void)path;
	return false;
#endif
}

/* The folder's parent; false: there is none. */
static bool cut_last(char *folder)
{
	char *slash = strrchr(folder, '/');

	if (slash)
		*slash = '\0';
	return slash;
}

/* make writes a file with the path of the sources into the build folder; NULL: none. Jumps as the
 * arena does: other data would be another run's. */
static char *source_tree(struct arena *arena, const char *folder)
{
	char tree[PATH_MAX] = "", *text;
	struct err wrong = {0};
	bool failed;
	size_t n;

	text = file_read(NULL, joined(arena, folder, "/source-tree"), &n, ERR_INPUT, &wrong);
	if (text)
		snprintf(tree, sizeof(tree), "%.*s", (int)strcspn(text, "\n"), text);
	mem_free(text);
	failed = wrong.code == ERR_RESOURCE;
	err_clear(&wrong);
	if (failed)
		longjmp(*arena->escape, 1);
	return *tree ? arena_strdup(arena, tree) : NULL;
}

/* The installed data relative to the program, as configured. NULL: the program's path is too
 * short. */
static char *installed_data(struct arena *arena, const char *program_folder)
{
	const char *bin = WARPBEAM_BINDIR, *data = WARPBEAM_DATADIR;
	char *top = arena_strdup(arena, program_folder);
	size_t common = 0;

	for (size_t i = 0; bin[i] && bin[i] == data[i]; i++)
		if (bin[i] == '/')
			common = i;
	for (const char *at = bin + common; *at; at++)
		if (*at == '/' && !cut_last(top))
			return NULL;
	return joined(arena, top, data + common);
}

const char *work_data_dir(struct arena *arena, const char *name)
{
	const char *told = getenv("WARPBEAM_DATADIR");
	const char *tops[4] = {NULL}, *path = NULL;
	char folder[PATH_MAX];
	unsigned n = 0;

	if (told && *told)
		return joined(arena, told, "/workloads");
	if (program_file(folder) && cut_last(folder)) {
		tops[n++] = source_tree(arena, folder);
		tops[n++] = installed_data(arena, folder);
		if (cut_last(folder)) /* tests are one folder below */
			tops[n++] = source_tree(arena, folder);
	}
	tops[n++] = WARPBEAM_DATADIR;
	for (unsigned i = 0; i < n && !(path && has_folder(path, name)); i++)
		if (tops[i])
			path = joined(arena, tops[i], "/workloads");
	return path;
}
