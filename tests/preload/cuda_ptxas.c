/* The stand-in's compiler of PTX, if STANDIN_PTXAS names one ("ptxas -arch=sm_90"): what NVIDIA's
 * refuses is refused, with its log, as a driver does. Nothing in the tree needs it. */
#include "tests/preload/cuda_inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void read_log(const char *path, char *log, size_t bytes)
{
	FILE *f = fopen(path, "r");
	size_t n = f && bytes ? fread(log, 1, bytes - 1, f) : 0;

	if (bytes)
		log[n] = '\0';
	if (f)
		fclose(f);
}

int refused_by_ptxas(const char *text, char *log, size_t bytes)
{
	const char *compiler = getenv("STANDIN_PTXAS");
	char path[] = "/tmp/warpbeam-ptxas-XXXXXX", said[64], command[512];
	int fd, bad;

	if (!compiler)
		return 0;
	fd = mkstemp(path);
	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		abort();
	close(fd);
	snprintf(said, sizeof(said), "%s.log", path);
	snprintf(command, sizeof(command), "%s -o /dev/null %s >%s 2>&1", compiler, path, said);
	bad = system(command) != 0;
	read_log(said, log, bad && log ? bytes : 0);
	unlink(path);
	unlink(said);
	return bad ? CUDA_INVALID_PTX : 0;
}
