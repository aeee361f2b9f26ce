/* A CUDA program that clang builds by itself: its PTX, our packer, its host code, our library. */
#include "tests/rig/pack.h"
#include "tests/rig/support_cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "core/mem.h"

#ifdef HAVE_CUDA

#define CLANG \
	"clang -x cuda -w -nocudainc -nocudalib --cuda-path=/nonexistent --cuda-gpu-arch=sm_50 " \
	"-Xclang -target-sdk-version=11.2 -O2 "

/* A command of the shell in the test's folder, with the sources as $top; whether it succeeds. */
static bool succeeds(const struct desk *d, const char *command)
{
	const char *source = getenv("srcdir");
	char line[1024];

	snprintf(line, sizeof(line),
		"top=$(cd %s && pwd); lib=$(cd \"$(dirname %s)\" && pwd)/cuda; "
		"cd %s && { %s; } >log 2>&1",
		source ? source : ".", d->program, d->folder, command);
	return !system(line);
}

static void pack_ptx(const struct desk *d)
{
	static struct pack p;
	char *ptx = desk_content(d, "k.ptx"), path[128];
	FILE *f;

	p.n = 0;
	pack_fatbin(&p, &(struct pack_entry){.arch = 50, .ptx = ptx}, 1);
	mem_free(ptx);
	snprintf(path, sizeof(path), "%s/k.fatbin", d->folder);
	f = fopen(path, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(p.at, 1, p.n, f), p.n);
	fclose(f);
}

static void clang_alone_builds_a_program_that_runs(void **state)
{
	const struct desk *d = *state;

	if (!succeeds(d, CLANG "--cuda-device-only -S -o k.ptx $top/tests/preload/square.cu"))
		skip(); /* no clang, or one without NVPTX */
	pack_ptx(d);
	assert_true(succeeds(d, CLANG "--cuda-host-only -Xclang -fcuda-include-gpubinary "
				      "-Xclang k.fatbin -c -o k.o $top/tests/preload/square.cu && "
				      "clang -o k k.o $lib/libcudart.so.11.0"));
	assert_int_equal(desk_run(d, "cuda -- %F/k"), 0);
	assert_says(d, "out", "0 wrong\n");
	assert_says(d, "out", "square");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(
		clang_alone_builds_a_program_that_runs, desk_set_up, desk_tear_down)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
	return 77; /* no such programs here */
}

#endif
