/* PTX inside compiled programs: every packing, every choice, and any bytes at all. */
#include "program/code.h"

#include "core/base.h"
#include "core/file.h"
#include "core/rng.h"
#include "tests/rig/pack.h"
#include "tests/rig/seeds.h"
#include "tests/rig/support_cli.h"

#include <stdio.h>
#include <string.h>

#define KERNEL(name) \
	".version 7.0\n.target sm_50\n.address_size 64\n.visible .entry " name \
	"(.param .u64 p)\n{ .reg .b32 %r<2>; .reg .b64 %d<2>;\nld.param.u64 %d1, [p];\n" \
	"mov.u32 %r1, 7; st.global.u32 [%d1], %r1;\nret; }\n"

static const char first[] = KERNEL("first"), second[] = KERNEL("second");

struct opened {
	struct arena arena;
	struct code_images images;
	struct err err;
	int code;
};

static void open_at(struct opened *o, const void *data, size_t n)
{
	jmp_buf escape;

	memset(o, 0, sizeof(*o));
	if (setjmp(escape))
		fail_msg("no memory");
	o->arena.escape = &escape;
	o->code = code_read(&(struct code_file){.path = "app", .data = data, .bytes = n}, 90,
		&o->arena, &o->images, &o->err);
}

static void open_pack(struct opened *o, const struct pack *p)
{
	open_at(o, p->at, p->n);
	if (o->code)
		assert_true(o->err.count > 0);
}

static void let_go(struct opened *o)
{
	arena_free(&o->arena);
	err_clear(&o->err);
}

static void expect(const struct pack *p, const char *const *texts, unsigned n)
{
	struct opened o;

	assert_true(code_inside(p->at, p->n));
	open_pack(&o, p);
	if (o.code)
		fail_msg("%s", err_text(&o.err));
	assert_int_equal(o.images.n, n);
	for (unsigned i = 0; i < n; i++) {
		assert_string_equal(o.images.at[i].text, texts[i]);
		assert_int_equal(o.images.at[i].bytes, strlen(texts[i]));
	}
	let_go(&o);
}

static void expect_refused(const struct pack *p, enum err_code code, const char *words)
{
	struct opened o;

	open_pack(&o, p);
	assert_int_equal(o.code, -1);
	assert_int_equal(o.err.code, code);
	if (!strstr(err_text(&o.err), words))
		fail_msg("\"%s\" does not say: %s", err_text(&o.err), words);
	let_go(&o);
}

/* The program of one section with these fat binaries, of one entry each. */
static const struct pack *program(const char *section, const struct pack_entry *e, unsigned n)
{
	static struct pack code, out;

	code.n = out.n = 0;
	for (unsigned i = 0; i < n; i++)
		pack_fatbin(&code, &e[i], 1);
	pack_program(&out,
		(struct pack_section[]){{".text", &(struct pack){.n = 24}}, {section, &code}}, 2);
	return &out;
}

static void every_packing_gives_the_text(void **state)
{
	static const enum pack_how ways[] = {
		PACK_PLAIN,
#ifdef HAVE_LZ4
		PACK_LZ4,
#endif
#ifdef HAVE_ZSTD
		PACK_ZSTD,
#endif
	};
	static struct pack p;

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(ways); i++) {
		struct pack_entry e = {75, first, ways[i]};

		p.n = 0;
		pack_fatbin(&p, &e, 1);
		expect(&p, (const char *[]){first}, 1);
		expect(program(".nv_fatbin", &e, 1), (const char *[]){first}, 1);
	}
}

static void put_le(unsigned char *at, uint64_t v, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		at[i] = (unsigned char)(v >> 8 * i);
}

enum { ENTRY = 16, ENTRY_BYTES = 64, OPTIONS_BYTES = 32 };

/* A fat binary of one entry with options of ptxas: the header is longer by their offset, their
 * length and their text. */
static void pack_options(struct pack *p, const char *options)
{
	unsigned char *e = p->at + ENTRY, *at = e + ENTRY_BYTES;
	struct pack_entry plain = {75, first, PACK_PLAIN};

	p->n = 0;
	pack_fatbin(p, &plain, 1);
	memmove(at + OPTIONS_BYTES, at, p->n - ENTRY - ENTRY_BYTES);
	memset(at, 0, OPTIONS_BYTES);
	p->n += OPTIONS_BYTES;
	put_le(p->at + 8, p->n - ENTRY, 8);
	put_le(e + 4, ENTRY_BYTES + OPTIONS_BYTES, 4);
	put_le(e + 20, ENTRY_BYTES, 4);
	put_le(at, ENTRY_BYTES + 8, 4);
	put_le(at + 4, strlen(options), 4);
	memcpy(at + 8, options, strlen(options));
}

static void the_limit_of_registers_stands_behind_the_text(void **state)
{
	static const struct {
		const char *options, *pragma;
	} rows[] = {{"-maxrregcount=32 ", ".pragma \"maxrregcount 32\";"},
		{" -maxrregcount 128", ".pragma \"maxrregcount 128\";"}, {"-O3 ", ""},
		{"-maxrregcount=0", ""}, {"-maxrregcount", ""}, {"-maxrregcount=99999", ""}};
	static char text[sizeof(first) + 64];
	static struct pack p;

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
		snprintf(text, sizeof(text), "%s%s", first, rows[i].pragma);
		pack_options(&p, rows[i].options);
		expect(&p, (const char *[]){text}, 1);
	}
	/* what is not where it should be is none */
	put_le(p.at + ENTRY + ENTRY_BYTES, 1000, 4);
	expect(&p, (const char *[]){first}, 1);
	put_le(p.at + ENTRY + 20, 90, 4);
	expect(&p, (const char *[]){first}, 1);
}

static void a_packing_that_is_not_built_in_is_named(void **state)
{
	const struct pack_entry old = {50, first, PACK_OLD};

	(void)state;
	expect_refused(program(".nv_fatbin", &old, 1), ERR_UNSUPPORTED, "before CUDA 9");
#ifndef HAVE_ZSTD
	/* a header alone: nothing here can pack */
	{
		static struct pack p;

		p.n = 0;
		pack_fatbin(&p, &old, 1);
		p.at[16 + 41] = 0x80;
		expect_refused(&p, ERR_UNSUPPORTED, "Zstandard");
	}
#endif
}

static void the_highest_architecture_up_to_the_newest_is_taken(void **state)
{
	static const struct {
		unsigned arch[3], taken;
	} cases[] = {{{50, 75, 90}, 2}, {{90, 75, 50}, 0}, {{100, 80, 120}, 1},
		{{120, 100, 110}, 1}, {{91, 90, 89}, 1}};
	static struct pack p;

	(void)state;
	for (unsigned c = 0; c < ARRAY_LEN(cases); c++) {
		const char *texts[] = {first, second, KERNEL("third")};
		struct pack_entry e[4] = {{90, NULL, PACK_PLAIN}};

		for (unsigned i = 0; i < 3; i++)
			e[i + 1] = (struct pack_entry){cases[c].arch[i], texts[i], PACK_PLAIN};
		p.n = 0;
		pack_fatbin(&p, e, 4);
		expect(&p, &texts[cases[c].taken], 1);
	}
}

static void each_source_file_is_an_image(void **state)
{
	const struct pack_entry e[] = {{75, first, PACK_PLAIN}, {75, second, PACK_PLAIN}};
	struct arena arena = {0};
	jmp_buf escape;
	(void)state;

	expect(program(".nv_fatbin", e, 2), (const char *[]){first, second}, 2);
	if (setjmp(escape))
		fail();
	arena.escape = &escape;
	assert_string_equal(code_name("a/app", 1, 2, &arena), "a/app[2]");
	assert_string_equal(code_name("a/app", 0, 1, &arena), "a/app");
	arena_free(&arena);
}

static void code_compiled_separately_is_linked_without_the_device_runtime(void **state)
{
	static struct pack linked, separate, out;
	static const char runtime[] =
		".version 7.0\n.target sm_50\n.address_size 64\n"
		".extern .func (.param .b64 r) cnpGetParameterBufferV2\n();\n";
	const struct pack_entry machine = {75, NULL, PACK_PLAIN};
	struct opened o;
	(void)state;

	pack_fatbin(&linked, &machine, 1);
	pack_fatbin(&separate, &(struct pack_entry){75, first, PACK_PLAIN}, 1);
	pack_fatbin(&separate, &(struct pack_entry){75, runtime, PACK_PLAIN}, 1);
	pack_fatbin(&separate, &(struct pack_entry){75, second, PACK_PLAIN}, 1);
	pack_program(&out,
		(struct pack_section[]){{".nv_fatbin", &linked}, {"__nv_relfatbin", &separate}}, 2);
	expect(&out, (const char *[]){first, second}, 2);
	open_pack(&o, &out);
	assert_true(o.images.linked);
	let_go(&o);
}

/* One of several parts may have nothing else. */
static void a_part_with_the_device_runtime_alone_is_empty(void **state)
{
	const struct pack_entry runtime = {
		75, ".version 7.0\n// cnpGetParameterBufferV2\n", PACK_PLAIN};
	struct pack p = {0};
	struct code_images images;
	struct arena arena = {0};
	struct err err = {0};
	jmp_buf escape;
	(void)state;

	pack_fatbin(&p, &runtime, 1);
	if (setjmp(escape))
		fail();
	arena.escape = &escape;
	assert_int_equal(code_read(&(struct code_file){"a", p.at, p.n, true}, CODE_NEWEST, &arena,
				 &images, &err),
		0);
	assert_int_equal(images.n, 0);
	assert_int_equal(code_read(&(struct code_file){"a", p.at, p.n, false}, CODE_NEWEST, &arena,
				 &images, &err),
		-1);
	assert_string_equal(err_text(&err), "a: the fat binary is empty or cut off\n");
	err_clear(&err);
	arena_free(&arena);
}

static void what_has_no_ptx_says_so(void **state)
{
	const struct pack_entry machine = {86, NULL, PACK_PLAIN};
	struct pack p = *program(".nv_fatbin", &machine, 1);
	(void)state;

	expect_refused(&p, ERR_UNSUPPORTED, "machine code for sm_86 and no PTX");
	p = *program(".other", &machine, 1);
	expect_refused(&p, ERR_INPUT, "no section .nv_fatbin");
	p = *program(".nv_fatbin", &(struct pack_entry){75, first, PACK_PLAIN}, 1);
	p.at[18] = 190;
	expect_refused(&p, ERR_UNSUPPORTED, "a cubin, machine code without PTX");
	p.at[18] = 0;
	p.at[4] = 1;
	expect_refused(&p, ERR_INPUT, "must be one of 64 bits");
	p.n = 30;
	expect_refused(&p, ERR_INPUT, "must be one of 64 bits");
	p = (struct pack){.n = 0};
	pack_fatbin(&p, NULL, 0);
	expect_refused(&p, ERR_INPUT, "the fat binary is empty or cut off");
}

static bool is_documented(const struct opened *o)
{
	return !o->code || ((o->err.code == ERR_INPUT || o->err.code == ERR_UNSUPPORTED) &&
				   strstr(err_text(&o->err), "app"));
}

/* In a block of its own size, so that a step behind the end is seen. */
static void read_bytes(const unsigned char *data, size_t n)
{
	unsigned char *copy = mem_alloc(n ? n : 1, 1);
	struct opened o;

	assert_non_null(copy);
	memcpy(copy, data, n);
	if (code_inside(copy, n)) {
		open_at(&o, copy, n);
		if (!is_documented(&o))
			fail_msg("%zu bytes: %d %s", n, (int)o.err.code, err_text(&o.err));
		let_go(&o);
	}
	mem_free(copy);
}

static void any_length_and_any_bytes_end_with_a_message(void **state)
{
	const struct pack_entry e[] = {
		{75, first, PACK_PLAIN},
#ifdef HAVE_ZSTD
		{75, second, PACK_ZSTD},
#endif
#ifdef HAVE_LZ4
		{75, second, PACK_LZ4},
#endif
	};
	const struct pack *whole = program(".nv_fatbin", e, ARRAY_LEN(e));
	static struct pack p;
	struct rng rng = rng_new(1, 1);
	(void)state;

	for (size_t n = 0; n < whole->n; n++)
		read_bytes(whole->at, n);
	for (unsigned k = 0; k < seeds(20000); k++) {
		static const unsigned char edges[] = {0, 1, 0x7f, 0x80, 0xff};

		p = *whole;
		for (uint64_t i = 0; i <= rng_u64(&rng) % 4; i++) {
			uint64_t r = rng_u64(&rng);

			p.at[r % p.n] = r >> 32 & 1 ? edges[(r >> 33) % ARRAY_LEN(edges)]
						    : (unsigned char)(r >> 40);
		}
		read_bytes(p.at, p.n);
	}
}

/* ---- the command */
static void save(const struct desk *d, const char *name, const struct pack *p)
{
	char path[128];
	struct err err = {0};

	snprintf(path, sizeof(path), "%s/%s", d->folder, name);
	assert_int_equal(file_write(NULL, path, p->at, p->n, &err), 0);
}

static void check_and_scenarios_take_programs(void **state)
{
	static const char scenario[] =
		"chip: m12\nset: { chip.sms: 1 }\nbuffers:\n  out: { type: u32, count: 1 }\n"
		"launches:\n  - { module: app, kernel: second, grid: 1, block: 1, args: "
		"[{buffer: out}] }\nchecks:\n  - { buffer: out, equals: { hex: \"07000000\" } }\n";
	const struct pack_entry e[] = {{75, first, PACK_PLAIN}, {75, second, PACK_PLAIN}};
	const struct desk *d = *state;
	struct err err = {0};
	char path[128];

	save(d, "app", program(".nv_fatbin", e, 2));
	assert_int_equal(desk_run(d, "check %F/app --json %F/j"), 0);
	assert_says(d, "out", "/app[2]\n  second ");
	assert_says(d, "out", "2 files, 2 kernels: 2 compile, 0 left out");
	assert_says(d, "j", "/app[1]\"");
	snprintf(path, sizeof(path), "%s/s.yaml", d->folder);
	assert_int_equal(file_write(NULL, path, scenario, strlen(scenario), &err), 0);
	assert_int_equal(desk_run(d, "run %F/s.yaml"), 0);
	assert_int_equal(desk_run(d, "hardware %F/s.yaml"), 9); /* no driver here */
	save(d, "app", program(".text", e, 1));
	assert_int_equal(desk_run(d, "check %F/app"), 3);
	assert_says(d, "err", "/app: a program without CUDA code");
	assert_int_equal(desk_run(d, "run %F/s.yaml"), 3);
	assert_says(d, "err", "a program without CUDA code");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_packing_gives_the_text),
		cmocka_unit_test(the_limit_of_registers_stands_behind_the_text),
		cmocka_unit_test(a_packing_that_is_not_built_in_is_named),
		cmocka_unit_test(the_highest_architecture_up_to_the_newest_is_taken),
		cmocka_unit_test(each_source_file_is_an_image),
		cmocka_unit_test(code_compiled_separately_is_linked_without_the_device_runtime),
		cmocka_unit_test(a_part_with_the_device_runtime_alone_is_empty),
		cmocka_unit_test(what_has_no_ptx_says_so),
		cmocka_unit_test(any_length_and_any_bytes_end_with_a_message),
		cmocka_unit_test_setup_teardown(
			check_and_scenarios_take_programs, desk_set_up, desk_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
