/* Building CUDA programs for tests. */
#include "tests/rig/support_cuda.h"

#include "core/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char cuda_ptx[] =
	".version 6.0\n.target sm_50\n.address_size 64\n"
	".visible .global .align 4 .u32 step = 1;\n"
	".visible .entry fill(.param .u64 out, .param .u32 first)\n{\n"
	"\t.reg .b64 %a, %o;\n\t.reg .b32 %i, %s, %f;\n"
	"\tld.param.u64 %o, [out];\n\tld.param.u32 %f, [first];\n\tmov.u32 %i, %tid.x;\n"
	"\tmul.wide.u32 %a, %i, 4;\n\tadd.u64 %a, %a, %o;\n\tld.global.u32 %s, [step];\n"
	"\tmad.lo.u32 %f, %i, %s, %f;\n\tst.global.u32 [%a], %f;\n\tret;\n}\n"
	".visible .entry spin(.param .u64 flag)\n{\n\t.reg .b64 %a;\n\t.reg .b32 %v;\n"
	"\t.reg .pred %p;\n\tld.param.u64 %a, [flag];\n"
	"again:\n\tld.volatile.global.u32 %v, [%a];\n\tsetp.eq.u32 %p, %v, 0;\n"
	"\t@%p bra again;\n\tret;\n}\n";

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
	const char *cc = getenv("CC"), *top = getenv("srcdir"), *version = strstr(library, ".so.");
	const char *second = strchr(library, ' ');
	char command[1280], folder[256];

	write_path(d, folder, sizeof(folder));
	snprintf(command, sizeof(command),
		"top=%s; %s -w -DTESTED=%d %s -DCUDA_FATBIN='\"%s/app.fatbin\"' -o %s/app "
		"$top/tests/preload/%s $(for i in %s; do echo %s/$i; done) -lpthread -ldl",
		top ? top : ".", cc ? cc : "cc", version ? atoi(version + 4) : 13,
		second ? "-DMIXED" : "", d->folder, d->folder, source, library, folder);
	assert_int_equal(system(command), 0);
}

pid_t cuda_start(const struct desk *d, const char *arguments, pid_t *program)
{
	char path[128];
	pid_t pid;

	snprintf(path, sizeof(path), "%s/out", d->folder);
	unlink(path); /* another program's number may be in it */
	pid = desk_start(d, arguments, 0);
	*program = 0;
	for (unsigned tries = 0; tries < 6000 && *program <= 0; tries++) {
		char *out;

		usleep(10000);
		if (!desk_has(d, "out"))
			continue;
		out = desk_content(d, "out");
		if (strchr(out, '\n'))
			sscanf(out, "pid %d", program);
		mem_free(out);
	}
	assert_true(*program > 0);
	usleep(200000);
	return pid;
}
