/* The verbs of a real GPU: each is a launch of workloads/probe/, as on a chip
 * (runs/verbs/verbs_chip.c). "forget" walks over four times the L2, which displaces what a cache
 * with LRU has. */
#include "runs/hardware/verbs_driver.h"

#include "core/base.h"
#include "core/file.h"
#include "core/text.h"
#include "runs/work.h"

#include <stdio.h>
#include <string.h>

#define MOST_TEXELS (UINT64_C(1) << 27)
#define WALK_CTAS 256u
#define WALK_THREADS 256u

/* As in workloads/probe/probe.cu. */
struct kernel_segment {
	uint32_t first;
	int32_t stride;
	uint32_t count, how;
};
struct kernel_script {
	uint32_t segments, limit, spare[2];
	struct kernel_segment at[VERBS_SEGMENTS];
};

struct verbs_driver {
	struct driver *d;
	void *module, *walks, *probe, *shared, *walk, *texels;
	cuda_address buffer, results, junk;
	uint64_t junk_words;
	struct kernel_script script;
};

/* A sum of every word, so that all are read. */
static const char walk_ptx[] =
	".version 5.0\n.target sm_35\n.address_size 64\n"
	".visible .entry walk(.param .u64 at, .param .u64 words, .param .u64 sum)\n{\n"
	"\t.reg .b64 %a, %n, %s, %i, %b, %step;\n\t.reg .b32 %x, %y, %t;\n\t.reg .pred %p;\n"
	"\tld.param.u64 %a, [at];\n\tld.param.u64 %n, [words];\n\tld.param.u64 %s, [sum];\n"
	"\tmov.u32 %x, %ctaid.x;\n\tmov.u32 %y, %ntid.x;\n\tmov.u32 %t, %tid.x;\n"
	"\tmad.lo.u32 %x, %x, %y, %t;\n\tcvt.u64.u32 %i, %x;\n\tmov.u32 %x, %nctaid.x;\n"
	"\tmul.lo.u32 %x, %x, %y;\n\tcvt.u64.u32 %step, %x;\n\tmov.u32 %y, 0;\n"
	"NEXT:\n\tsetp.ge.u64 %p, %i, %n;\n\t@%p bra DONE;\n\tshl.b64 %b, %i, 2;\n"
	"\tadd.u64 %b, %b, %a;\n\tld.global.u32 %x, [%b];\n\tadd.u32 %y, %y, %x;\n"
	"\tadd.u64 %i, %i, %step;\n\tbra NEXT;\n"
	"DONE:\n\tsetp.eq.u32 %p, %y, 0;\n\t@%p bra END;\n\tst.global.u32 [%s], %y;\n"
	"END:\n\tret;\n}\n";

static int wait(struct verbs_driver *v, struct err *err)
{
	return driver_result(v->d, driver_symbol("context_synchronize"),
		v->d->cuda.context_synchronize(), "a probe", err);
}

static int take(struct verbs_driver *v, cuda_address *at, uint64_t bytes, struct err *err)
{
	if (DRIVER_CALL(v->d, "a probe's memory", err, memory_take, at, bytes)) {
		*at = 0;
		return -1;
	}
	return DRIVER_CALL(v->d, "a probe's memory", err, memory_zero, *at, 0, bytes);
}

static int let_go(struct verbs_driver *v, cuda_address *at, struct err *err)
{
	cuda_address old = *at;

	*at = 0;
	return old ? DRIVER_CALL(v->d, "a probe's memory", err, memory_free, old) : 0;
}

/* ---- the verbs */
static int buffer(void *ctx, uint64_t bytes, struct err *err)
{
	struct verbs_driver *v = ctx;
	struct driver *d = v->d;
	size_t offset = 0;

	if (let_go(v, &v->buffer, err) || take(v, &v->buffer, bytes, err))
		return -1;
	return DRIVER_CALL(d, "texels", err, reference_flags, v->texels, CUDA_READ_AS_INTEGER) ||
	       DRIVER_CALL(d, "texels", err, reference_format, v->texels, CUDA_U32, 1) ||
	       DRIVER_CALL(d, "texels", err, reference_linear, &offset, v->texels, v->buffer,
		       min_u64(bytes, 4 * MOST_TEXELS));
}

static int script(void *ctx, const struct verbs_script *s, uint32_t *results, struct err *err)
{
	struct verbs_driver *v = ctx;
	void *params[] = {&v->buffer, &v->results, &v->script};
	uint32_t n = verbs_results(s);

	BUG_ON(!v->buffer || s->n > VERBS_SEGMENTS || n > VERBS_RESULTS);
	v->script = (struct kernel_script){.segments = s->n, .limit = s->limit};
	for (uint32_t i = 0; i < s->n; i++)
		v->script.at[i] = (struct kernel_segment){s->at[i].first, s->at[i].stride,
			s->at[i].count, (uint32_t)s->at[i].path | (uint32_t)s->at[i].act << 4};
	if (DRIVER_CALL(v->d, "a probe", err, launch, v->probe, 1, 1, 1, 1, 1, 1, 0, NULL, params,
		    NULL) ||
		wait(v, err))
		return -1;
	return n ? DRIVER_CALL(v->d, "a probe", err, memory_read, results, v->results,
			   n * sizeof(*results))
		 : 0;
}

static int stride(void *ctx, unsigned stride, unsigned words, uint32_t *cycles, struct err *err)
{
	struct verbs_driver *v = ctx;
	uint32_t pairs = words == 2, far = stride, walks[2] = {0};
	void *params[] = {&far, &pairs, &v->results};

	if (DRIVER_CALL(v->d, "a probe", err, launch, v->shared, 1, 1, 1, 32, 1, 1, 0, NULL, params,
		    NULL) ||
		wait(v, err) ||
		DRIVER_CALL(v->d, "a probe", err, memory_read, walks, v->results, sizeof(walks)))
		return -1;
	*cycles = walks[1] - walks[0];
	return 0;
}

static int forget(void *ctx, struct err *err)
{
	struct verbs_driver *v = ctx;
	void *params[] = {&v->junk, &v->junk_words, &v->results};

	return DRIVER_CALL(v->d, "a walk", err, launch, v->walk, WALK_CTAS, 1, 1, WALK_THREADS, 1,
		       1, 0, NULL, params, NULL) ||
	       wait(v, err);
}

/* ---- opening */
static int load(struct verbs_driver *v, const char *text, void **module, struct err *err)
{
	int bad = DRIVER_CALL(v->d, "a probe", err, module_load, module, text, 0, NULL, NULL);

	if (bad)
		*module = NULL;
	return bad;
}

static int load_probe(
	struct verbs_driver *v, struct files *files, struct arena *arena, struct err *err)
{
	struct text path = {0};
	size_t bytes;
	char *text;
	int bad;

	text_raw(&path, "%s/probe/probe.64.ptx", work_data_dir(arena, "probe"));
	text = file_read(files, text_str(&path), &bytes, ERR_INPUT, err);
	text_clear(&path);
	bad = text ? load(v, text, &v->module, err) : -1;
	mem_free(text);
	return bad;
}

static int prepare(struct verbs_driver *v, struct err *err)
{
	struct driver *d = v->d;

	v->junk_words = max_u64((uint64_t)d->gpu.l2_bytes, 1 << 16);
	if (load(v, walk_ptx, &v->walks, err) ||
		DRIVER_CALL(d, NULL, err, module_function, &v->walk, v->walks, "walk") ||
		DRIVER_CALL(d, NULL, err, module_function, &v->probe, v->module, "probe") ||
		DRIVER_CALL(d, NULL, err, module_function, &v->shared, v->module, "probe_shared") ||
		DRIVER_CALL(d, NULL, err, module_texture, &v->texels, v->module, "texels"))
		return -1;
	return take(v, &v->results, VERBS_RESULTS * 4, err) ||
	       take(v, &v->junk, 4 * v->junk_words, err);
}

struct verbs_driver *verbs_driver_open(struct verbs *out, struct driver *d, struct files *files,
	struct arena *arena, struct err *err)
{
	struct verbs_driver *v = arena_alloc(arena, 1, sizeof(*v));

	v->d = d;
	*out = (struct verbs){v, buffer, script, stride, forget};
	if (!load_probe(v, files, arena, err))
		prepare(v, err);
	return v;
}

void verbs_driver_close(struct verbs_driver *v, struct err *err)
{
	struct err wrong = {0};

	if (!v)
		return;
	let_go(v, &v->buffer, &wrong);
	let_go(v, &v->results, &wrong);
	let_go(v, &v->junk, &wrong);
	if (v->module)
		DRIVER_CALL(v->d, "a probe", &wrong, module_unload, v->module);
	if (v->walks)
		DRIVER_CALL(v->d, "a probe", &wrong, module_unload, v->walks);
	if (!err->count)
		err_move(err, &wrong);
	err_clear(&wrong);
}
