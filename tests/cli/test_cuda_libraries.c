/* warpbeam cuda: programs that need other libraries of NVIDIA's. */
#include "tests/rig/support_cuda.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/base.h"

#ifdef HAVE_CUDA

/* Commands of a shell in which $c compiles, $at is the desk's folder, $top the sources' and $cuda
 * that of our libraries. */
static void run_shell(const struct desk *d, const char *commands)
{
	const char *cc = getenv("CC"), *top = getenv("srcdir");
	char script[1536];

	snprintf(script, sizeof(script), "c='%s -w' at=%s top=%s cuda=$(dirname %s)/cuda && %s",
		cc ? cc : "cc", d->folder, top ? top : ".", d->program, commands);
	assert_int_equal(system(script), 0);
}

static void a_library_that_is_not_replaced_is_named(void **state)
{
	const struct desk *d = *state;

	run_shell(d,
		"cd $at && echo 'int cufftDestroy(void) { return 0; }' >stub.c && "
		"echo 'int cufftDestroy(void); int main(void) { return cufftDestroy(); }' >driver.c && "
		"$c -shared -fPIC -Wl,-soname,libcufft.so.12 -o stub.so stub.c && "
		"$c -o driver driver.c stub.so");
	assert_int_equal(desk_run(d, "cuda -- %F/driver"), 4);
	assert_says(d, "err", "the program needs libcufft, which warpbeam does not replace");
	assert_int_equal(desk_run(d, "cuda --how %F/driver"), 3);
	assert_says(d, "out", "needs    libcufft, which");
}

/* As cuSPARSE does, which is installed, and which the loader finds. */
static void a_library_that_has_its_own_runtime_is_named(void **state)
{
	const struct desk *d = *state;

	run_shell(d,
		"cd $at && echo '#include <dlfcn.h>\n"
		"int use(void) { int (*get)(const char *, void **, int, long, int *) = dlsym(dlopen("
		"\"libcuda.so.1\", RTLD_NOW), \"cuGetProcAddress_v2\"); void *p; int n = 0; "
		"return get(\"cuGetExportTable\", &p, 12000, 0, &n) != 500 || n != 1; }' >stub.c && "
		"echo 'int use(void); int main(void) { return use(); }' >user.c && "
		"$c -shared -fPIC -Wl,-soname,libown.so.1 -o libown.so.1 stub.c -ldl && "
		"$c -Wl,-rpath,$PWD -o user user.c libown.so.1");
	assert_int_equal(desk_run(d, "cuda --quiet -- %F/user"), 4);
	assert_says(d, "err", "the program called libown.so.1, which has NVIDIA's own runtime");
	assert_int_equal(desk_run(d, "cuda --quiet --record %F/tape -- %F/user"), 4);
	assert_int_equal(desk_run(d, "run --quiet %F/tape"), 4);
	assert_says(d, "err", "the program called libown.so.1, which has NVIDIA's own runtime");
}

/* libnvrtc.so.0, and the program that needs it, linked so that the loader finds it, or not. */
#define BUILD_COMPILER(link) \
	"s=$top/tests/preload/compiler.c && " \
	"$c -DCOMPILER -shared -fPIC -Wl,-soname,libnvrtc.so.0 -o $at/libnvrtc.so.0 $s && " \
	"$c -DCUDA_FATBIN -o $at/app $s $at/libnvrtc.so.0 $cuda/libcuda.so.1 " link

static void what_a_program_compiles_is_loaded_as_ptx(void **state)
{
	const struct desk *d = *state;

	run_shell(d, BUILD_COMPILER("-Wl,-rpath,$at"));
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

	run_shell(d, BUILD_COMPILER(""));
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
