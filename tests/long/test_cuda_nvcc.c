/* Programs that nvcc builds, where it is at hand: the PTX that is taken out of each packing is what
 * the compiler wrote, without comments and blanks that nvcc leaves out, and the program runs. */
#include "program/code.h"
#include "tests/rig/support_cli.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "core/file.h"
#include "core/mem.h"

#ifdef HAVE_CUDA

static const char source[] =
	"#include <cstdio>\n"
	"__device__ int step = 3;\n"
	"__global__ void count(int *p) { p[threadIdx.x] = step * (int)threadIdx.x; }\n"
	"int main()\n{\n\tint *p, out[64], wrong = 0;\n"
	"\tcudaMalloc(&p, sizeof(out));\n\tcount<<<1, 64>>>(p);\n"
	"\tcudaMemcpy(out, p, sizeof(out), cudaMemcpyDeviceToHost);\n"
	"\tfor (int i = 0; i < 64; i++)\n\t\twrong += out[i] != 3 * i;\n"
	"\tprintf(\"%d wrong\\n\", wrong);\n\treturn wrong;\n}\n";

/* A command in the test's folder. */
static bool succeeds(const struct desk *d, const char *command)
{
	char line[1024];

	snprintf(line, sizeof(line), "cd %s && PATH=$PATH:/usr/local/cuda/bin && { %s; } >log 2>&1",
		d->folder, command);
	return !system(line);
}

/* Leaves the text without comments and blanks. */
static void squeeze(char *text)
{
	char *out = text;

	for (; *text; text++) {
		if (text[0] == '/' && text[1] == '/')
			text += strcspn(text, "\n");
		if (*text && !isspace((unsigned char)*text))
			*out++ = *text;
		if (!*text)
			break;
	}
	*out = '\0';
}

/* The one image of the program, beside what nvcc kept. */
static void expect_same(const struct desk *d, const char *kept)
{
	char path[128], *text, *wanted = desk_content(d, kept);
	struct arena arena = {0};
	struct code_images images;
	struct err err = {0};
	size_t bytes;
	jmp_buf escape;
	void *data;

	if (setjmp(escape))
		fail();
	arena.escape = &escape;
	snprintf(path, sizeof(path), "%s/app", d->folder);
	data = file_read(NULL, path, &bytes, ERR_INPUT, &err);
	assert_non_null(data);
	if (code_read(&(struct code_file){.path = path, .data = data, .bytes = bytes}, CODE_NEWEST,
		    &arena, &images, &err))
		fail_msg("%s", err_text(&err));
	assert_int_equal(images.n, 1);
	assert_int_equal(images.at[0].arch, 75);
	text = arena_strdup(&arena, images.at[0].text);
	squeeze(text);
	squeeze(wanted);
	assert_string_equal(text, wanted);
	arena_free(&arena);
	mem_free(data);
	mem_free(wanted);
}

static void what_is_taken_out_is_what_nvcc_put_in(void **state)
{
	static const char *const modes[] = {"", "-compress-mode=default", "-compress-mode=size",
		"-compress-mode=balance", "-compress-mode=speed", "-compress-mode=none",
		"-no-compress", "-rdc=true", "-rdc=true -compress-mode=speed"};
	const struct desk *d = *state;
	char command[512], path[128];
	struct err err = {0};
	unsigned built = 0;

	if (!succeeds(d, "nvcc --version"))
		skip();
	snprintf(path, sizeof(path), "%s/app.cu", d->folder);
	assert_int_equal(file_write(NULL, path, source, strlen(source), &err), 0);
	for (unsigned i = 0; i < ARRAY_LEN(modes); i++) {
		snprintf(command, sizeof(command),
			"rm -f app *.ptx; nvcc -cudart shared -arch=sm_75 --keep %s -o app app.cu",
			modes[i]);
		if (!succeeds(d, command))
			continue; /* an nvcc that has not the mode */
		built++;
		expect_same(d, "app.ptx");
		if (succeeds(d, "cuobjdump --version")) {
			assert_true(succeeds(d, "cuobjdump -xptx all app && "
						"cmp app.ptx app*sm_75*.ptx"));
		}
		assert_int_equal(desk_run(d, "cuda --quiet --set chip.sms=2 -- %F/app"), 0);
		assert_says(d, "out", "0 wrong\n");
	}
	assert_true(built >= 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			what_is_taken_out_is_what_nvcc_put_in, desk_set_up, desk_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
	return 77; /* no such programs here */
}

#endif
