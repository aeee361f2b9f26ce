/* Where the libraries are that programs need. */
#include "runs/cuda/cuda.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME "libcudart.so.13"

/* The folder below `top`, if the library is there. */
static const char *below(struct arena *arena, const char *top, const char *rest)
{
	char file[PATH_MAX], folder[PATH_MAX];
	int n = snprintf(folder, sizeof(folder), "%s/%s", top, rest);

	if (n <= 0 || (size_t)n >= sizeof(folder) ||
		(size_t)snprintf(file, sizeof(file), "%s/" NAME, folder) >= sizeof(file))
		return NULL;
	return access(file, R_OK) ? NULL : arena_strdup(arena, folder);
}

/* From the program's folder to the libraries', as configured. */
static void relative(char out[PATH_MAX])
{
	const char *bin = WARPBEAM_BINDIR, *lib = WARPBEAM_LIBDIR;
	size_t common = 0, n = 0;

	for (size_t i = 0; bin[i] && bin[i] == lib[i]; i++)
		if (bin[i] == '/')
			common = i;
	out[0] = '\0';
	for (const char *at = bin + common; *at && n + 4 < PATH_MAX; at++)
		if (*at == '/')
			n += (size_t)snprintf(out + n, PATH_MAX - n, "../");
	snprintf(out + n, PATH_MAX - n, "%s", lib + common + 1);
}

static const char *find(struct arena *arena)
{
	const char *told = getenv("WARPBEAM_LIBDIR"), *found = NULL;
	char path[PATH_MAX], rest[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	char *slash;

	if (told && *told)
		return below(arena, told, ".");
	path[n > 0 ? n : 0] = '\0';
	relative(rest);
	for (unsigned up = 0; up < 3 && !found; up++) { /* tests are below */
		slash = strrchr(path, '/');
		if (!slash)
			break;
		*slash = '\0';
		found = below(arena, path, "cuda");
		if (!found && !up)
			found = below(arena, path, rest);
	}
	return found ? found : below(arena, WARPBEAM_LIBDIR, ".");
}

const char *cuda_library(struct arena *arena, struct err *err)
{
	const char *found = find(arena);

	if (!found)
		err_add(err, ERR_HOST,
			NAME " is neither beside warpbeam nor where it was installed; "
			     "WARPBEAM_LIBDIR may name its folder");
	return found;
}
