/* Compiled CUDA programs from arbitrary bytes: how they are linked, and the PTX inside, compiled.
 */
#include "tests/fuzz/inputs.h"

#include <string.h>

#include "core/base.h"
#include "core/file.h"
#include "program/runtime.h"
#include "ptx/isa/program.h"
#include "tests/rig/pack.h"

#define KERNEL(name) \
	".version 7.0\n.target sm_50\n.address_size 64\n.visible .entry " name \
	"(.param .u64 p)\n{ .reg .b32 %r<2>; .reg .b64 %d<2>;\nld.param.u64 %d1, [p];\n" \
	"mov.u32 %r1, 7; st.global.u32 [%d1], %r1;\nret; }\n"

static void drop(void *data)
{
	mem_free(data);
}

/* Each alone, or those that are linked together. */
static int compile(const struct code_images *images, struct arena *arena, struct err *err)
{
	struct module_text *texts = arena_alloc(arena, images->n + 1, sizeof(*texts));
	const struct compile_options options = {0};
	unsigned step = images->linked ? images->n : 1;

	for (unsigned i = 0; i < images->n; i++)
		texts[i] = (struct module_text){code_name("in", i, images->n, arena),
			images->at[i].text, images->at[i].bytes};
	for (unsigned i = 0; i < images->n; i += step)
		module_compile_set(texts + i, step, &options, arena, err);
	return err->count ? -1 : 0;
}

int fuzz_program(const char *path, struct arena *arena, struct err *err)
{
	void **owned = arena_own(arena, drop);
	struct code_runtime runtime;
	struct code_images images;
	struct code_file f = {.path = path};
	struct err ignored = {0};

	*owned = file_read(NULL, path, &f.bytes, ERR_INPUT, err);
	if (!*owned)
		return -1;
	f.data = *owned;
	code_runtime(&f, &runtime, &ignored); /* a fat binary alone is none */
	err_clear(&ignored);
	if (!code_inside(f.data, f.bytes))
		return err_add(err, ERR_INPUT, "%s: no program", path);
	return code_read(&f, CODE_NEWEST, arena, &images, err) ? -1 : compile(&images, arena, err);
}

size_t fuzz_program_seed(unsigned char *out, size_t room)
{
	static const struct pack_entry e[] = {
		{50, KERNEL("a"), PACK_PLAIN},
#ifdef HAVE_LZ4
		{75, KERNEL("b"), PACK_LZ4},
#endif
#ifdef HAVE_ZSTD
		{90, KERNEL("c"), PACK_ZSTD},
#endif
	};
	static struct pack text = {.n = 24}, code, whole;

	code.n = whole.n = 0;
	for (unsigned i = 0; i < ARRAY_LEN(e); i++)
		pack_fatbin(&code, &e[i], 1);
	pack_program(&whole, (struct pack_section[]){{".text", &text}, {".nv_fatbin", &code}}, 2);
	if (whole.n > room)
		return 0;
	memcpy(out, whole.at, whole.n);
	return whole.n;
}
