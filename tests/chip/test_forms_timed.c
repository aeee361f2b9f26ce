/* Every form of the semantics table runs in time: through the SM with its units, tags, banks and
 * levels it leaves in memory what it leaves without timing. */
#include "chip/profile/profile.h"
#include "core/base.h"
#include "core/rng.h"
#include "runs/hardware/form_spellings.h"
#include "runs/hardware/form_writer.h"
#include "tests/rig/support_gpu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define STREAMS 8u
#define TEXTURE_BYTES (16u * FORM_TEXELS_WIDE * FORM_TEXELS_HIGH * FORM_TEXELS_DEEP)

/* One kernel for each row of the table: its spellings, and the offset of its results. */
struct row {
	char *pattern;
	uint64_t at, bytes;
};

struct rows {
	struct form_writer w;
	struct text text;
	struct row row[1024];
	unsigned n, spellings;
	uint64_t bytes;
	bool memory; /* only rows of the memory unit */
};

static struct form_match meaning(const char *spelling)
{
	struct form_match m;
	char why[FORM_WHY];
	bool unsupported;

	if (form_match(spelling, &m, why, sizeof(why), &unsupported))
		fail_msg("%s: %s", spelling, why);
	return m;
}

/* Generic addresses alternate between the spaces. */
static void add_spelling(void *ctx, const char *spelling)
{
	struct rows *r = ctx;
	struct form_match m = meaning(spelling);

	form_write(&r->w, spelling, &m, r->spellings++ % form_places(spelling, &m));
}

static bool is_memory(const char *pattern)
{
	static const char *const words[] = {
		"ld", "ldu", "st", "atom", "red", "suld", "sust", "sured", "tex", "tld4"};
	size_t n = strcspn(pattern, "{");

	for (unsigned i = 0; i < ARRAY_LEN(words); i++)
		if (strlen(words[i]) == n && !strncmp(words[i], pattern, n))
			return true;
	return false;
}

static void note_shown(void *ctx, const char *spelling)
{
	struct form_match m = meaning(spelling);

	*(bool *)ctx &= form_is_shown(&m);
}

static bool is_shown(const char *pattern)
{
	bool shown = true;

	form_spellings(pattern, note_shown, &shown);
	return shown;
}

static void add_row(void *ctx, const char *pattern, const char *operands, const char *text)
{
	struct rows *r = ctx;
	struct row *row = &r->row[r->n];
	char name[16];

	(void)operands;
	(void)text;
	pattern += *pattern == '*';
	if (!is_shown(pattern) || (r->memory && !is_memory(pattern)))
		return;
	assert_true(r->n < ARRAY_LEN(r->row));
	snprintf(name, sizeof(name), "k%u", r->n);
	form_kernel_begin(&r->w, name);
	form_spellings(pattern, add_spelling, r);
	form_kernel_end(&r->w);
	*row = (struct row){strdup(pattern), r->bytes, (uint64_t)r->w.slots * FORM_SLOT_BYTES};
	r->bytes += row->bytes;
	r->n++;
}

/* What the compiler makes forms of its own for: packing, three operands, calls through registers.
 */
static const char inner[] =
	"{\n.reg .b64 %d<4>; .reg .b32 %r<9>; .reg .b16 %h<9>; .reg .b128 %q; .reg .b# %f;\n"
	"ld.global.v4.b32 {%r0, %r1, %r2, %r3}, [%in]; mov.b64 %d0, {%r1, %r0};\n"
	"mov.b64 {%r4, %r5}, %d0; mov.b32 {%h0, %h1}, %r2; mov.b32 %r6, {%h1, %h0};\n"
	"mov.b64 {%h2, %h3, %h4, %h5}, %d0; mov.b64 %d1, {%h5, %h2, %h3, %h4};\n"
	"mov.b128 %q, {%d0, %d1}; mov.b128 {%d2, %d3}, %q; max.f32 %r7, %r0, %r1, %r2;\n"
	"min.ftz.NaN.f32 %r8, %r1, %r2, %r3; isspacep.shared %odd, %sh;\n"
	"st.global.v4.b64 [%out], {%d0, %d1, %d2, %d3}; st.global.v4.b32 [%out+2048], {%r4, %r6, "
	"%r7, %r8};\n"
	"mov.u# %f, same; .param .align 32 .b8 p[32]; .param .align 32 .b8 q[32];\n"
	"st.param.v4.b64 [p], {%d3, %d2, %d1, %d0};\n"
	"P: .callprototype (.param .align 32 .b8 _[32]) _ (.param .align 32 .b8 _[32]);\n"
	"call (q), %f, (p), P; ld.param.v4.b64 {%d0, %d1, %d2, %d3}, [q];\n"
	"st.global.v4.b64 [%out+4096], {%d0, %d1, %d2, %d3};\n}\n";

static void write_all(struct rows *r, unsigned bits, bool memory)
{
	*r = (struct rows){.memory = memory};
	r->w = (struct form_writer){
		.text = &r->text, .bits = bits, .ctas = 1, .version = "8.8", .target = "sm_100"};
	form_writer_head(&r->w);
	form_list(add_row, r);
	form_kernel_begin(&r->w, "inner");
	for (const char *c = inner; *c; c++)
		text_raw(&r->text, *c == '#' ? "%u" : "%c", *c == '#' ? bits : (unsigned char)*c);
	form_kernel_end(&r->w);
}

static void free_all(struct rows *r)
{
	for (unsigned i = 0; i < r->n; i++)
		free(r->row[i].pattern);
	text_clear(&r->text);
}

/* ---- a GPU with all kernels and what they are given. */

struct bench {
	struct kit k;
	module_t m;
	buffer_t in, out, texels[3];
	texture_t texture[3]; /* 16 bytes, 4 bytes, and 16 bytes again, written as a surface */
};

/* Numbers of all kinds: small integers, floats about 1, any bits. */
static void fill(struct bench *b, buffer_t to)
{
	uint64_t bytes = gpu_buffer_bytes(b->k.gpu, to);
	struct rng r = rng_new(17, to);

	for (uint64_t at = 0; at < bytes; at += 8) {
		uint64_t v = rng_u64(&r);
		unsigned kind = rng_below(&r, 4);

		v = kind == 0   ? v & 0x0000001f0000001f
		    : kind == 1 ? (v & UINT64_C(0x807fffff807fffff)) + UINT64_C(0x3f8000003f800000)
		    : kind == 2 ? (v & 0x8f8f8f8f8f8f8f8f) + UINT64_C(0x3c003c003c003c00)
				: v;
		gpu_write(b->k.gpu, to, at, &v, 8);
	}
}

#define MARK 0xa5

static void mark(struct bench *b, buffer_t to)
{
	unsigned char marks[4096];
	uint64_t bytes = gpu_buffer_bytes(b->k.gpu, to);

	memset(marks, MARK, sizeof(marks));
	for (uint64_t at = 0; at < bytes; at += sizeof(marks))
		gpu_write(b->k.gpu, to, at, marks, min_u64(bytes - at, sizeof(marks)));
}

static struct kit untimed_kit(void)
{
	struct kit k = {.config = config_new()};

	k.gpu = gpu_new(k.config, NULL, &k.err);
	config_finish(k.config, &k.err);
	if (!k.gpu || k.err.count)
		fail_msg("%s", err_text(&k.err));
	return k;
}

static void make_textures(struct bench *b)
{
	for (unsigned i = 0; i < 3; i++) {
		struct texture_desc d = {.type = TEXEL_U32,
			.channels = i == 1 ? 1 : 4,
			.width = FORM_TEXELS_WIDE,
			.height = FORM_TEXELS_HIGH,
			.depth = FORM_TEXELS_DEEP};

		d.buffer = b->texels[i] = kit_buffer(&b->k, "texels", TEXTURE_BYTES);
		fill(b, b->texels[i]);
		b->texture[i] = gpu_texture(b->k.gpu, "t", &d, &b->k.err);
		assert_true(b->texture[i] != 0);
	}
}

static struct bench bench_new(struct kit k, struct rows *r)
{
	struct bench b = {.k = k};

	b.m = kit_module(&b.k, text_str(&r->text));
	b.in = kit_buffer(&b.k, "in", FORM_IN_BYTES);
	b.out = kit_buffer(&b.k, "out", r->bytes + 3 * FORM_SLOT_BYTES);
	fill(&b, b.in);
	mark(&b, b.out);
	make_textures(&b);
	return b;
}

static void launch(struct bench *b, const char *kernel, uint64_t at, unsigned stream)
{
	static const unsigned char given[32] = {9, 8, 7, 6, 5, 4, 3, 2, 1, 0x80, 0xc0, 0x3f, 99};
	struct launch_arg args[] = {ARG_BUF(b->in), ARG_BUF(b->out), ARG_TEX(b->texture[0]),
		ARG_TEX(b->texture[1]), ARG_TEX(b->texture[2]),
		{.kind = ARG_BYTES, .bytes = given, .size = sizeof(given)}};
	struct launch l = {.module = b->m,
		.kernel = kernel,
		.grid = {1, 1, 1},
		.block = {FORM_THREADS, 1, 1},
		.args = args,
		.nargs = ARRAY_LEN(args),
		.stream = stream};

	args[1].offset = at;
	if (gpu_launch(b->k.gpu, &l, &b->k.err))
		fail_msg("%s", err_text(&b->k.err));
}

/* Those that work on texels one after the other, the others beside each other. */
static void launch_all(struct bench *b, const struct rows *r)
{
	char name[16];

	for (unsigned i = 0; i < r->n; i++) {
		bool ordered = !strncmp(r->row[i].pattern, "su", 2);

		snprintf(name, sizeof(name), "k%u", i);
		launch(b, name, r->row[i].at, ordered ? 0 : 1 + i % STREAMS);
	}
	launch(b, "inner", r->bytes, 1);
}

static unsigned char *fetch(struct bench *b, buffer_t from)
{
	uint64_t bytes = gpu_buffer_bytes(b->k.gpu, from);
	unsigned char *copy = malloc(bytes);

	assert_non_null(copy);
	gpu_read(b->k.gpu, from, 0, copy, bytes);
	return copy;
}

static void compare(struct bench *timed, struct bench *untimed, buffer_t buffer,
	const struct rows *r, const char *settings)
{
	unsigned char *t = fetch(timed, buffer), *u = fetch(untimed, buffer);
	uint64_t bytes = gpu_buffer_bytes(timed->k.gpu, buffer), i = 0;
	unsigned row = 0;

	while (i < bytes && t[i] == u[i])
		i++;
	while (buffer == timed->out && row + 1 < r->n && r->row[row + 1].at <= i)
		row++;
	if (i < bytes)
		fail_msg("%s: %s: byte %llu of slot %llu is %x, without time %x", settings,
			buffer == timed->out ? r->row[row].pattern : "texels",
			(unsigned long long)((i - r->row[row].at) % FORM_SLOT_BYTES),
			(unsigned long long)((i - r->row[row].at) / FORM_SLOT_BYTES), t[i], u[i]);
	free(t);
	free(u);
}

/* Every row wrote a result. */
static void check_written(struct bench *b, const struct rows *r)
{
	unsigned char *out = fetch(b, b->out);

	for (unsigned i = 0; i < r->n; i++) {
		uint64_t at = r->row[i].at, end = at + r->row[i].bytes;

		while (at < end && out[at] == MARK)
			at++;
		if (at == end && r->row[i].bytes)
			fail_msg("%s leaves nothing", r->row[i].pattern);
	}
	free(out);
}

#define TENSOR "pipe.tensor_lanes=4 pipe.tensor64_lanes=2"

struct setting {
	const char *settings;
	bool profiled;
};

static void check_timed(const struct setting *with, struct rows *r, struct bench *untimed)
{
	struct bench b = {.k = kit_new(with->settings)};

	assert_int_equal(with->profiled ? chip_profile(b.k.gpu, &b.k.err) : 0, 0);
	b = bench_new(b.k, r);
	launch_all(&b, r);
	kit_run(&b.k);
	compare(&b, untimed, b.out, r, with->settings);
	for (unsigned i = 0; i < 3; i++)
		compare(&b, untimed, b.texels[i], r, with->settings);
	kit_free(&b.k);
}

static void check_all(unsigned bits, bool memory, const struct setting *settings, unsigned n)
{
	static struct rows r; /* of main's thread only: too large for a stack */
	struct untimed_counts counts = {0};
	struct bench u;

	write_all(&r, bits, memory);
	assert_true(memory ? r.spellings > 600 : r.n > 300 && r.spellings > 2200);
	u = bench_new(untimed_kit(), &r);
	launch_all(&u, &r);
	if (gpu_run_untimed(u.k.gpu, &counts, &u.k.err))
		fail_msg("%s", err_text(&u.k.err));
	check_written(&u, &r);
	for (unsigned i = 0; i < n; i++)
		check_timed(&settings[i], &r, &u);
	kit_free(&u.k);
	free_all(&r);
}

static void every_form_leaves_in_time_what_it_leaves_without(void **state)
{
	static const struct setting settings[] = {{"chip.sms=4 " TENSOR, false},
		{"chip.sms=4 rf.hierarchy=hardware rf.lrf=1 " TENSOR, true}};

	(void)state;
	check_all(64, false, settings, ARRAY_LEN(settings));
}

static void forms_of_memory_do_so_in_every_storage_and_through_its_banks(void **state)
{
	static const struct setting settings[] = {
		{"chip.sms=4 sm.bank_conflicts=cycle " TENSOR, false},
		{"chip.sms=4 sm.bank_conflicts=cycle chip.storage=fermi", false},
		{"chip.sms=4 sm.bank_conflicts=cycle chip.storage=unified", true},
		{"chip.sms=2 sm.store_log=64 storage.partitioned.cache_bytes=0 tex.bytes=0", true}};

	(void)state;
	check_all(64, true, settings, ARRAY_LEN(settings));
}

static void forms_of_memory_do_so_with_addresses_of_32_bits(void **state)
{
	static const struct setting settings[] = {{"chip.sms=4 rf.hierarchy=none " TENSOR, false}};

	(void)state;
	check_all(32, true, settings, ARRAY_LEN(settings));
}

static void breakpoints_and_traps_are_faults_in_time(void **state)
{
	static const char *const spellings[] = {"trap", "brkpt"};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(spellings); i++) {
		struct text text = {0};
		struct form_writer w = {
			.text = &text, .bits = 64, .ctas = 1, .version = "8.8", .target = "sm_100"};
		struct form_match m = meaning(spellings[i]);
		struct rows r = {.bytes = FORM_SLOT_BYTES};
		struct bench b;

		form_writer_head(&w);
		form_kernel_begin(&w, "k");
		form_write(&w, spellings[i], &m, 0);
		form_kernel_end(&w);
		r.text = text;
		b = bench_new(kit_new("chip.sms=1"), &r);
		launch(&b, "k", 0, 0);
		assert_int_equal(chip_run(b.k.gpu, 0, NULL, &b.k.err), -1);
		assert_int_equal(b.k.err.code, ERR_FAULT);
		chip_close(b.k.gpu);
		kit_free(&b.k);
		text_clear(&text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_form_leaves_in_time_what_it_leaves_without),
		cmocka_unit_test(forms_of_memory_do_so_in_every_storage_and_through_its_banks),
		cmocka_unit_test(forms_of_memory_do_so_with_addresses_of_32_bits),
		cmocka_unit_test(breakpoints_and_traps_are_faults_in_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
