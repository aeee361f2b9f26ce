/* Random settings of many parameters at once, from the tables of all parts: a chip refuses them
 * with a message, or runs a kernel to the right result with balanced counters, for any number of
 * threads. SETTINGS_RUNS=10000 runs more of them. */
#include "core/base.h"
#include "core/policy.h"
#include "core/rng.h"
#include "tests/rig/support_gpu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { CTAS = 4, THREADS = 96, ALL = CTAS * THREADS, RUNS = 400, MOST = 1024 };

/* Loads, shared memory, a barrier, atomics with and without result, local memory, stores. */
static const char ptx[] =
	".version 7.0\n.target sm_70\n.address_size 64\n"
	".visible .entry k(.param .u64 in, .param .u64 out, .param .u64 sum)\n{\n.reg .pred "
	"%p<4>;\n"
	".reg .b32 %r<16>;\n.reg .b64 %d<9>;\n.shared .align 4 .b8 sh[512];\n"
	".local .align 4 .b8 lo[64];\nld.param.u64 %d0, [in];\nld.param.u64 %d1, [out];\n"
	"ld.param.u64 %d2, [sum];\nmov.u32 %r0, %tid.x;\nmov.u32 %r1, %ctaid.x;\n"
	"mov.u32 %r2, %ntid.x;\nmad.lo.u32 %r3, %r1, %r2, %r0;\nmul.wide.u32 %d3, %r3, 4;\n"
	"add.u64 %d4, %d0, %d3;\nadd.u64 %d5, %d1, %d3;\nld.global.u32 %r4, [%d4];\n"
	"shl.b32 %r5, %r0, 2;\nmov.u32 %r6, sh;\nadd.u32 %r5, %r5, %r6;\n"
	"st.shared.u32 [%r5], %r4;\nst.local.u32 [lo+8], %r4;\nbar.sync 0;\n"
	"xor.b32 %r7, %r0, 1;\nshl.b32 %r7, %r7, 2;\nadd.u32 %r7, %r7, %r6;\n"
	"ld.shared.u32 %r8, [%r7];\nld.local.u32 %r9, [lo+8];\nmad.lo.u32 %r8, %r9, 3, %r8;\n"
	"red.global.add.u32 [%d2], %r8;\natom.global.max.u32 %r10, [%d2+128], %r3;\n"
	"setp.gt.u32 %p1, %r10, 100000;\n@%p1 add.u32 %r8, %r8, 1;\n"
	"st.global.u32 [%d5], %r8;\nret;\n}\n";

/* ---- the parameters there are. */
struct known {
	char *path;
	const struct param_def *def;
};

struct all {
	struct known row[MOST];
	unsigned n;
};

static void note(
	void *ctx, const char *path, const char *value, const struct param_def *def, bool given)
{
	struct all *a = ctx;

	(void)value;
	(void)given;
	assert_true(a->n < MOST);
	a->row[a->n++] = (struct known){strdup(path), def};
}

/* Those of the default chip and of every part that it could have instead. */
static void list_all(struct all *a)
{
	struct kit k = kit_new("");
	struct arena arena = {0};
	jmp_buf no_memory;
	static uint64_t room[4096];

	for (size_t i = 0; plugins[i]; i++) {
		const struct plugin *p = plugins[i];

		assert_true(p->size <= sizeof(room));
		if (p->path && p->nparams)
			config_load(k.config, p->path, p->params, p->nparams, room, &k.err);
		if (p->other_path && p->nparams)
			config_load(k.config, p->other_path, p->params, p->nparams, room, &k.err);
	}
	if (setjmp(no_memory))
		fail();
	arena.escape = &no_memory;
	assert_int_equal(policies_load(k.config, &arena, &k.err), 0);
	a->n = 0;
	config_echo(k.config, note, a);
	kit_free(&k);
	arena_free(&arena);
	assert_true(a->n > 150);
}

/* ---- values. */
static void add_name(struct text *t, const struct param_def *def, struct rng *r)
{
	const char *names[64];
	unsigned n = 0;

	for (size_t i = 0; plugins[i] && n < ARRAY_LEN(names); i++)
		if (!strcmp(plugins[i]->kind, def->unit))
			names[n++] = plugins[i]->name;
	text_add(t, "%s", n ? names[rng_below(r, n)] : def->name_value);
}

static void add_word(struct text *t, const struct param_def *def, struct rng *r)
{
	const char *word;
	size_t length = 0;
	uint32_t n = 0;

	while (param_word(def, n, &length))
		n++;
	word = param_word(def, rng_below(r, n), &length);
	text_add(t, "%.*s", (int)length, word);
}

/* The least, or up to four times the default and not beyond the most. */
static double number(const struct param_def *def, struct rng *r)
{
	double most = def->value * 4 + 4, low = def->low, v;

	most = most < def->high ? most : def->high;
	switch (rng_below(r, 4)) {
	case 0:
		v = low;
		break;
	case 1:
		v = def->value / 2;
		break;
	case 2:
		v = def->value * 2;
		break;
	default:
		v = low + (most - low) * rng_unit(r);
	}
	return v < low ? low : v > most ? most : v;
}

static void add_value(struct text *t, const struct known *k, struct rng *r)
{
	text_add(t, "%s=", k->path);
	if (k->def->type == PARAM_NAME)
		add_name(t, k->def, r);
	else if (k->def->type == PARAM_CHOICE)
		add_word(t, k->def, r);
	else if (k->def->type == PARAM_BOOL)
		text_add(t, "%s", rng_below(r, 2) ? "true" : "false");
	else if (k->def->type == PARAM_UINT)
		text_add(t, "%llu", (unsigned long long)number(k->def, r));
	else
		text_add(t, "%.9g", number(k->def, r));
}

/* Names choose parts, so that half of what is set is one; the chip stays small. */
static struct text settings_of(const struct all *a, unsigned seed)
{
	struct rng r = rng_new(seed, 1);
	struct text t = {0};
	unsigned n = 1 + rng_below(&r, 10);

	text_add(&t, "chip.sms=%u", 1 + rng_below(&r, 4));
	for (unsigned i = 0; i < n; i++) {
		const struct known *k = &a->row[rng_below(&r, a->n)];

		for (unsigned j = 0; i % 2 && k->def->type != PARAM_NAME && j < 8; j++)
			k = &a->row[rng_below(&r, a->n)];
		if (!strcmp(k->path, "chip.sms") || !strcmp(k->path, "chip.partition"))
			continue; /* chip.partition=application: for hosts that foresee launches */
		text_add(&t, " ");
		add_value(&t, k, &r);
	}
	return t;
}

/* ---- runs. */
static uint32_t input(unsigned i)
{
	return i * 2654435761u >> 7;
}

/* False: refused. */
static bool build(struct kit *k, const char *settings, unsigned threads)
{
	char *copy = strdup(settings), *rest = copy, *word;

	*k = (struct kit){.config = config_new()};
	while ((word = strtok_r(rest, " ", &rest)))
		config_set_text(k->config, word, "test", &k->err);
	free(copy);
	if (!k->err.count)
		k->gpu = gpu_new(k->config, NULL, &k->err);
	if (k->gpu && !k->err.count)
		chip_new(k->gpu, &(struct chip_host){.threads = threads}, &k->err);
	return !k->err.count;
}

static bool launch(struct kit *k, const buffer_t *b)
{
	struct launch_arg args[] = {ARG_BUF(b[0]), ARG_BUF(b[1]), ARG_BUF(b[2])};
	struct launch l = {.module = kit_module(k, ptx),
		.kernel = "k",
		.grid = {CTAS, 1, 1},
		.block = {THREADS, 1, 1},
		.args = args,
		.nargs = 3};

	for (uint32_t i = 0; i < ALL; i++) {
		uint32_t v = input(i);

		gpu_write(k->gpu, b[0], 4 * (uint64_t)i, &v, 4);
	}
	return !gpu_launch(k->gpu, &l, &k->err);
}

static void check(struct kit *k, const buffer_t *b, const char *settings)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < ALL; i++) {
		uint32_t v = input(i) * 3 + input(i ^ 1);

		sum += v;
		if (kit_u32(k, b[1], i) != v)
			fail_msg("%s: word %u is %u, not %u", settings, i, kit_u32(k, b[1], i), v);
	}
	if (kit_u32(k, b[2], 0) != sum || kit_u32(k, b[2], 32) != ALL - 1)
		fail_msg("%s: atomics give %u and %u", settings, kit_u32(k, b[2], 0),
			kit_u32(k, b[2], 32));
}

/* All metrics, or no text where it was refused. */
static bool run(const char *settings, unsigned threads, struct text *everything)
{
	buffer_t b[3];
	struct kit k;
	bool goes = build(&k, settings, threads);

	if (goes) {
		b[0] = kit_buffer(&k, "in", 4 * ALL);
		b[1] = kit_buffer(&k, "out", 4 * ALL);
		b[2] = kit_buffer(&k, "sum", 256);
		goes = launch(&k, b);
	}
	if (!goes && (k.err.code != ERR_INPUT && k.err.code != ERR_RESOURCE &&
			     k.err.code != ERR_UNSUPPORTED))
		fail_msg("%s: refused with code %d: %s", settings, k.err.code, err_text(&k.err));
	if (goes) {
		if (chip_run(k.gpu, 20000000, NULL, &k.err))
			fail_msg("%s: %s", settings, err_text(&k.err));
		check(&k, b, settings);
		chip_close(k.gpu);
		*everything = kit_everything(&k);
	} else {
		assert_true(k.err.count > 0 && strlen(err_text(&k.err)) > 10);
	}
	kit_free(&k);
	return goes;
}

static void chips_of_random_settings_refuse_or_run_right(void **state)
{
	unsigned runs = getenv("SETTINGS_RUNS") ? (unsigned)atoi(getenv("SETTINGS_RUNS")) : RUNS;
	static struct all a;
	unsigned ran = 0;

	(void)state;
	list_all(&a);
	for (unsigned seed = 1; seed <= runs; seed++) {
		struct text settings = settings_of(&a, seed), one = {0}, two = {0};

		if (getenv("SETTINGS_SEE"))
			print_message("%u: %s\n", seed, text_str(&settings));
		if (run(text_str(&settings), 1, &one)) {
			ran++;
			if (seed % 4 == 0) {
				assert_true(run(text_str(&settings), 2, &two));
				assert_string_equal(text_str(&one), text_str(&two));
			}
		}
		text_clear(&settings);
		text_clear(&one);
		text_clear(&two);
	}
	assert_true(ran > runs / 3);
	for (unsigned i = 0; i < a.n; i++)
		free(a.row[i].path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chips_of_random_settings_refuse_or_run_right),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
