/* Building CUDA programs for tests. */
#include "tests/rig/support_cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The folder with the libraries: beside the program that is tested. */
static void write_path(const struct desk *d, char *out, size_t n)
{
	const char *slash = strrchr(d->program, '/');

	snprintf(out, n, "%.*scuda", slash ? (int)(slash - d->program) + 1 : 0, d->program);
}

void cuda_put_fatbin(const struct desk *d, const char *ptx, enum pack_how how)
{
	static struct pack p;
	struct pack_entry e[] = {
		{.arch = 120, .ptx = "not this"}, {.arch = 50, .ptx = ptx, .how = how}};
	char path[128];
	FILE *f;

	p.n = 0;
	pack_fatbin(&p, e, 2);
	snprintf(path, sizeof(path), "%s/app.fatbin", d->folder);
	f = fopen(path, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(p.at, 1, p.n, f), p.n);
	fclose(f);
}

void cuda_build(const struct desk *d, const char *source, const char *library)
{
	const char *cc = getenv("CC"), *top = getenv("srcdir");
	char command[1024], folder[256];

	write_path(d, folder, sizeof(folder));
	snprintf(command, sizeof(command),
		"%s -w -DCUDA_FATBIN='\"%s/app.fatbin\"' -o %s/app %s/tests/preload/%s %s/%s "
		"-lpthread",
		cc ? cc : "cc", d->folder, d->folder, top ? top : ".", source, folder, library);
	assert_int_equal(system(command), 0);
}
