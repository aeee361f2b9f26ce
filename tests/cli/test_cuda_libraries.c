/* warpbeam cuda: programs that need other libraries of NVIDIA's. */
#include "tests/rig/support_cuda.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/base.h"

#ifdef HAVE_CUDA

static void a_library_that_is_not_replaced_is_named(void **state)
{
	const struct desk *d = *state;
	const char *cc = getenv("CC");
	char command[1024];

	snprintf(command, sizeof(command),
		"cd %s && echo 'int cufftDestroy(void) { return 0; }' >stub.c && "
		"echo 'int cufftDestroy(void); int main(void) { return cufftDestroy(); }' >driver.c && "
		"%s -w -shared -fPIC -Wl,-soname,libcufft.so.12 -o stub.so stub.c && "
		"%s -w -o driver driver.c stub.so",
		d->folder, cc ? cc : "cc", cc ? cc : "cc");
	assert_int_equal(system(command), 0);
	assert_int_equal(desk_run(d, "cuda -- %F/driver"), 4);
	assert_says(d, "err", "the program needs libcufft, which warpbeam does not replace");
	assert_int_equal(desk_run(d, "cuda --how %F/driver"), 3);
	assert_says(d, "out", "needs    libcufft, which");
}

/* As cuSPARSE does, which is installed, and which the loader finds. */
static void a_library_that_has_its_own_runtime_is_named(void **state)
{
	const struct desk *d = *state;
	const char *cc = getenv("CC");
	char command[1024];

	snprintf(command, sizeof(command),
		"cd %s && echo '#include <dlfcn.h>\n"
		"int use(void) { int (*get)(const char *, void **, int, long, int *) = dlsym(dlopen("
		"\"libcuda.so.1\", RTLD_NOW), \"cuGetProcAddress_v2\"); void *p; int n = 0; "
		"return get(\"cuGetExportTable\", &p, 12000, 0, &n) != 500 || n != 1; }' >stub.c && "
		"echo 'int use(void); int main(void) { return use(); }' >user.c && "
		"%s -w -shared -fPIC -Wl,-soname,libown.so.1 -o libown.so.1 stub.c -ldl && "
		"%s -w -Wl,-rpath,$PWD -o user user.c libown.so.1",
		d->folder, cc ? cc : "cc", cc ? cc : "cc");
	assert_int_equal(system(command), 0);
	assert_int_equal(desk_run(d, "cuda --quiet -- %F/user"), 4);
	assert_says(d, "err", "the program called libown.so.1, which has NVIDIA's own runtime");
	assert_int_equal(desk_run(d, "cuda --quiet --record %F/tape -- %F/user"), 4);
	assert_int_equal(desk_run(d, "run --quiet %F/tape"), 4);
	assert_says(d, "err", "the program called libown.so.1, which has NVIDIA's own runtime");
}

/* libnvrtc.so.0, and the program that needs it, which the loader is given with `found`. */
static void build_compiler(const struct desk *d, bool found)
{
	const char *cc = getenv("CC"), *top = getenv("srcdir");
	char command[1280];

	snprintf(command, sizeof(command),
		"c='%s -w %s/tests/preload/compiler.c' at=%s && "
		"$c -DCOMPILER -shared -fPIC -Wl,-soname,libnvrtc.so.0 -o $at/libnvrtc.so.0 && "
		"$c -DCUDA_FATBIN -o $at/app $at/libnvrtc.so.0 $(dirname %s)/cuda/libcuda.so.1 %s%s",
		cc ? cc : "cc", top ? top : ".", d->folder, d->program, found ? "-Wl,-rpath," : "",
		found ? d->folder : "");
	assert_int_equal(system(command), 0);
}

static void what_a_program_compiles_is_loaded_as_ptx(void **state)
{
	const struct desk *d = *state;

	build_compiler(d, true);
	assert_int_equal(desk_run(d, "cuda --how %F/app"), 0);
	assert_int_equal(desk_run(d, "cuda --quiet --set chip.sms=1 -- %F/app"), 0);
	assert_says(d, "out", "size: 0\ncode: 0\nnone: 3\nload: 0\nresult: 42\ntable: 801, 1\n");
	assert_says(d, "err", "warpbeam: cuGetExportTable is not supported");
	assert_int_equal(desk_run(d, "cuda --quiet --set chip.sms=1 -- %F/app cubin"), 0);
	assert_says(d, "out", "load: 209\n");
	assert_says(d, "err", "NVRTC's --gpu-architecture=compute_NN and nvrtcGetPTX");
}

static void a_library_that_is_not_found_is_no_wrong_link(void **state)
{
	const struct desk *d = *state;

	build_compiler(d, false);
	assert_int_equal(desk_run(d, "cuda -- %F/app"), 3);
	assert_says(d, "err", "libnvrtc.so.0");
	assert_says(d, "err", "a library or a command was not found, as the message above says");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, desk_set_up, desk_tear_down)
		TEST(a_library_that_is_not_replaced_is_named),
		TEST(a_library_that_has_its_own_runtime_is_named),
		TEST(what_a_program_compiles_is_loaded_as_ptx),
		TEST(a_library_that_is_not_found_is_no_wrong_link),
#undef TEST
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
	return 77;
}

#endif
