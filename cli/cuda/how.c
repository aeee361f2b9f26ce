/* warpbeam cuda --how: what a program needs before warpbeam can run it. */
#include "cli/cuda/how.h"

#include "core/file.h"
#include "program/runtime.h"

#define RELINK \
	"link it with the shared runtime: NVCC_APPEND_FLAGS=\"-cudart shared\" in nvcc's environment"

static const char *const runtimes[] = {
	[RUNTIME_NONE] = "none that is known; if it is a script, name the program itself",
	[RUNTIME_SHARED] = "shared: warpbeam's library replaces it",
	[RUNTIME_STATIC] = ("static, NVIDIA's own; " RELINK),
	[RUNTIME_OURS] = "static, warpbeam's own",
	[RUNTIME_DRIVER] = "none: it uses the driver, libcuda.so.1, which warpbeam's replaces",
};

/* A program of the driver may have its PTX in files. */
static int find_images(const struct code_file *f, const struct code_runtime *runtime,
	struct session *s, struct code_images *images, struct err *err)
{
	struct err none = {0};

	if (!runtime->driver)
		return code_read(f, CODE_NEWEST, &s->arena, images, err);
	if (code_read(f, CODE_NEWEST, &s->arena, images, &none)) {
		*images = (struct code_images){0};
		text_add(&s->out, "PTX      none inside: what it loads is seen when it runs\n");
	}
	err_clear(&none);
	return 0;
}

static int look(const struct code_file *f, struct session *s, bool *ready, struct err *err)
{
	struct code_images images;
	struct code_runtime runtime;

	if (code_runtime(f, &runtime, err))
		return -1;
	text_add(&s->out, "runtime  %s\n", runtimes[runtime.kind]);
	if (runtime.driver && runtime.kind != RUNTIME_DRIVER)
		text_add(&s->out, "driver   libcuda.so.1, too\n");
	if (runtime.closed)
		text_add(&s->out, "needs    %s, which warpbeam does not replace: it cannot run\n",
			runtime.closed);
	*ready = !runtime.closed && runtime.kind != RUNTIME_NONE && runtime.kind != RUNTIME_STATIC;
	if (find_images(f, &runtime, s, &images, err))
		return -1;
	for (unsigned i = 0; i < images.n; i++)
		text_add(&s->out, "PTX      %s, for sm_%u, %zu bytes\n",
			code_name(f->path, i, images.n, &s->arena), images.at[i].arch,
			images.at[i].bytes);
	return 0;
}

static void let_go(void *data)
{
	mem_free(data);
}

int cuda_how(const char *path, struct session *s, struct err *err)
{
	void **owned = arena_own(&s->arena, let_go);
	struct err wrong = {0};
	bool ready = false;
	size_t bytes;
	int bad;

	*owned = file_read(&s->files, path, &bytes, ERR_INPUT, err);
	if (!*owned)
		return -1;
	bad = look(&(struct code_file){.path = path, .data = *owned, .bytes = bytes}, s, &ready,
		&wrong);
	if (!bad && ready)
		text_add(&s->out, "run it   warpbeam cuda -- %s\n", path);
	bad |= output_report(&s->out, false, err);
	err_move(err, &wrong);
	return bad ? -1 : 0;
}
