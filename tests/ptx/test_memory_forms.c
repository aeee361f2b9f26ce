/* Loads, stores and atomics: every opcode is found, and every type, width and space moves the right
 * bytes. */
#include "core/rng.h"
#include "core/text.h"
#include "tests/rig/exec_rig.h"
#include "tests/rig/lanes_reference_more.h"
#include "tests/rig/spellings.h"

#define CELL 32u /* bytes of one lane */
#define IN 0u
#define OUT 4096u
#define SECOND 8192u

static struct rig rig; /* too large for a stack; used by the main thread only */

/* ---- opcodes */

struct slots {
	const char *slot[16];
	unsigned n;
};

static struct slots slots_of(const char *pattern)
{
	struct slots s = {.n = 0};

	for (; (pattern = strchr(pattern, '{')) != NULL; pattern = strchr(pattern, '}')) {
		pattern++;
		while (!strchr(".|,}", *pattern))
			pattern++;
		s.slot[s.n++] = pattern;
	}
	return s;
}

/* Alternative k of a slot, or the number of alternatives when k is past the end. */
static unsigned alternative(const char *slot, unsigned k, const char **word, size_t *len)
{
	unsigned n = 0;

	for (;; slot++) {
		*word = slot;
		slot += strcspn(slot, "|,}");
		*len = (size_t)(slot - *word);
		if (n++ == k || *slot == '}')
			return n;
	}
}

static void must_match(const char *spelling)
{
	struct form_match m;
	char why[1024];
	bool unsupported;

	if (form_match(spelling, &m, why, sizeof(why), &unsupported) != 0)
		fail_msg("%s: %s", spelling, why);
}

/* The chosen alternatives, in the order of the pattern or shuffled after the first dot. */
static void spell(
	const char *pattern, const struct slots *s, const unsigned *chosen, struct rng *shuffle)
{
	unsigned order[16], k, j, t;
	char out[256];
	size_t at = strcspn(pattern, "{"), len;
	const char *word;

	memcpy(out, pattern, at);
	for (k = 0; k < s->n; k++)
		order[k] = k;
	for (k = s->n; shuffle && k > 1; k--) {
		j = rng_below(shuffle, k);
		t = order[j];
		order[j] = order[k - 1];
		order[k - 1] = t;
	}
	for (k = 0; k < s->n; k++) {
		alternative(s->slot[order[k]], chosen[order[k]], &word, &len);
		memcpy(out + at, word, len);
		at += len;
	}
	out[at] = 0;
	must_match(out);
}

/* Every alternative of every slot with the first ones of the others, and random choices in any
 * order. */
static void check_any_order(void *ctx, const char *pattern, const char *operands, const char *text)
{
	struct rng r = rng_new(5, 0);
	struct slots s;
	unsigned chosen[16] = {0}, k, i, *rows = ctx;
	const char *word;
	size_t len;

	(void)operands;
	(void)text;
	if (*pattern != '*')
		return;
	++*rows;
	s = slots_of(++pattern);
	for (k = 0; k < s.n; k++) {
		unsigned n = alternative(s.slot[k], 1000, &word, &len);

		for (chosen[k] = 0; chosen[k] < n; chosen[k]++)
			spell(pattern, &s, chosen, NULL);
		chosen[k] = 0;
	}
	for (i = 0; i < 3000; i++) {
		for (k = 0; k < s.n; k++)
			chosen[k] = rng_below(&r, alternative(s.slot[k], 1000, &word, &len));
		spell(pattern, &s, chosen, i % 2 ? &r : NULL);
	}
}

static void every_opcode_of_the_memory_rows_is_found_in_any_order(void **state)
{
	unsigned rows = 0;

	(void)state;
	form_list(check_any_order, &rows);
	assert_true(rows >= 15);
}

/* ---- loads and stores */

static const char *const types[] = {"b8", "u8", "s8", "b16", "u16", "s16", "f16", "bf16", "b32",
	"u32", "s32", "f32", "f16x2", "bf16x2", "b64", "u64", "s64", "f64"};
static const char *const spaces[] = {"", ".global", ".shared", ".shared::cta", ".local"};

static void fill_input(uint64_t seed)
{
	struct rng r = rng_new(seed, 0);
	unsigned i;

	memset(rig.words, 0xa5, sizeof(rig.words));
	for (i = 0; i < WARP_LANES * CELL; i++)
		((unsigned char *)rig.words)[IN + i] = (unsigned char)rng_u64(&r);
}

static unsigned char *cell(unsigned base, unsigned lane)
{
	return (unsigned char *)rig.words + base + lane * CELL;
}

/* A list {a0, a1} or a0 of registers named with the prefix. */
static const char *list(char *out, const char *prefix, unsigned n)
{
	size_t at = (size_t)sprintf(out, n > 1 ? "{" : "");
	unsigned k;

	for (k = 0; k < n; k++)
		at += (size_t)sprintf(out + at, "%s%s%u", k ? ", " : "", prefix, k);
	sprintf(out + at, n > 1 ? "}" : "");
	return out;
}

/* Copies the lane's cell: global memory at %rd2 to or from [%rd3] in the space. */
static void copy_cell(struct text *t, const char *space, bool to_global)
{
	unsigned k;

	for (k = 0; k < CELL; k += 8)
		text_raw(t, "ld%s.u64 %%rd8, [%s+%u];\nst%s.u64 [%s+%u], %%rd8;\n",
			to_global ? space : ".global", to_global ? "%rd3" : "%rd2", k,
			to_global ? ".global" : space, to_global ? "%rd2" : "%rd3", k);
}

/* %rd2: the lane's cell in global memory at `base`; %rd3: the address of the access. */
static void addresses(struct text *t, const char *space, unsigned base)
{
	text_raw(t,
		"mul.wide.u32 %%rd2, %%r0, %u;\nadd.u64 %%rd2, %%rd2, %%rd0;\n"
		"add.u64 %%rd2, %%rd2, %u;\nmov.u64 %%rd3, %%rd2;\n",
		CELL, base);
	if (strncmp(space, ".shared", 7) == 0)
		text_raw(t, "mov.u64 %%rd3, sh;\nmad.wide.u32 %%rd3, %%r0, %u, %%rd3;\n", CELL);
	if (strcmp(space, ".local") == 0)
		text_raw(t, "mov.u64 %%rd3, lo;\n");
}

static bool is_own_space(const char *space)
{
	return strncmp(space, ".shared", 7) == 0 || strcmp(space, ".local") == 0;
}

static void run_body(const struct text *body)
{
	static const char whole[] = RIG_KERNEL_WITH("",
		".shared .align 16 .b8 sh[1024];\n.local .align 16 .b8 lo[32];\n"
		".reg .b64 %w<4>;\n.reg .b32 %n<4>;\n.reg .b16 %h<4>;\n",
		"BODY");
	const char *at = strstr(whole, "BODY");
	struct text all = {0};

	text_raw(&all, "%.*s%s%s", (int)(at - whole), whole, text_str(body), at + 4);
	if (rig_run(&rig, text_str(&all), 1, WARP_LANES) != 0)
		fail_msg("%s\n%s", rig.what, text_str(body));
	text_clear(&all);
}

static uint64_t extended(uint64_t raw, const char *type, unsigned bytes)
{
	if (type[0] == 's' && bytes < 8 && raw >> (8 * bytes - 1))
		raw |= UINT64_MAX << 8 * bytes;
	return raw;
}

/* Loads into registers of `width` bytes; the whole registers are stored. Odd lanes only when
 * `guarded`. */
static void check_load(
	const char *type, unsigned vec, const char *space, unsigned width, bool guarded)
{
	unsigned bytes = ptx_type_bytes(ptx_type_parse(type)), lane, k;
	const char *reg = width == 8 ? "%w" : "%n", *vector[] = {"", "", ".v2", "", ".v4"};
	struct text body = {0};
	char regs[64];

	fill_input(bytes * 10 + vec);
	text_raw(&body, "and.b32 %%r1, %%r0, 1;\nsetp.ne.u32 %%p1, %%r1, 0;\n");
	addresses(&body, space, IN);
	if (is_own_space(space))
		copy_cell(&body, space, false);
	for (k = 0; k < vec; k++)
		text_raw(&body, "mov.b%u %s%u, 7;\n", 8 * width, reg, k);
	text_raw(&body, "%sld%s%s.%s %s, [%%rd3];\n", guarded ? "@%p1 " : "", space, vector[vec],
		type, list(regs, reg, vec));
	for (k = 0; k < vec; k++)
		text_raw(
			&body, "st.global.b%u [%%rd2+%u], %s%u;\n", 8 * width, OUT + k * 8, reg, k);
	run_body(&body);
	for (lane = 0; lane < WARP_LANES; lane++) {
		for (k = 0; k < vec; k++) {
			uint64_t raw = 0, got = 0;

			memcpy(&raw, cell(IN, lane) + k * bytes, bytes);
			raw = guarded && lane % 2 == 0 ? 7 : extended(raw, type, bytes);
			memcpy(&got, cell(OUT, lane) + k * 8, width);
			if (got != keep(raw, 8 * width))
				fail_msg("ld%s.v%u.%s: lane %u gets %llx, not %llx", space, vec,
					type, lane, (unsigned long long)got,
					(unsigned long long)keep(raw, 8 * width));
		}
	}
	text_clear(&body);
}

/* Stores the low bytes of registers; the bytes around them do not change. */
static void check_store(const char *type, unsigned vec, const char *space, bool guarded)
{
	unsigned bytes = ptx_type_bytes(ptx_type_parse(type)), lane, k;
	const char *reg = bytes == 8 ? "%w" : "%n", *vector[] = {"", "", ".v2", "", ".v4"};
	struct text body = {0};
	char regs[64];

	fill_input(bytes * 11 + vec);
	text_raw(&body, "and.b32 %%r1, %%r0, 1;\nsetp.ne.u32 %%p1, %%r1, 0;\n");
	addresses(&body, space, OUT);
	for (k = 0; k < vec; k++)
		text_raw(&body, "ld.global.b%u %s%u, [%%rd2-%u];\n", bytes == 8 ? 64 : 32, reg, k,
			OUT - k * 8);
	if (is_own_space(space))
		copy_cell(&body, space, false);
	text_raw(&body, "%sst%s%s.%s [%%rd3], %s;\n", guarded ? "@%p1 " : "", space, vector[vec],
		type, list(regs, reg, vec));
	if (is_own_space(space))
		copy_cell(&body, space, true);
	run_body(&body);
	for (lane = 0; lane < WARP_LANES; lane++) {
		unsigned char expected[CELL];

		memset(expected, 0xa5, sizeof(expected));
		for (k = 0; k < vec && !(guarded && lane % 2 == 0); k++)
			memcpy(expected + k * bytes, cell(IN, lane) + k * 8, bytes);
		if (memcmp(cell(OUT, lane), expected, CELL) != 0)
			fail_msg("st%s.v%u.%s: lane %u leaves other bytes", space, vec, type, lane);
	}
	text_clear(&body);
}

static void loads_and_stores_move_the_right_bytes_in_every_width_and_space(void **state)
{
	unsigned t, vec, s;

	(void)state;
	for (t = 0; t < ARRAY_LEN(types); t++) {
		unsigned bytes = ptx_type_bytes(ptx_type_parse(types[t]));

		for (vec = 1; vec <= 4; vec *= 2) {
			for (s = 0; s < ARRAY_LEN(spaces); s++) {
				check_load(types[t], vec, spaces[s], bytes == 8 ? 8 : 4, s % 2);
				check_store(types[t], vec, spaces[s], s % 2 == 0);
			}
			check_load(types[t], vec, ".shared", bytes == 8 ? 8 : 4, true);
			check_store(types[t], vec, ".global", false);
			check_store(types[t], vec, ".shared", true);
		}
		if (bytes < 8 && strchr("bus", types[t][0]) && types[t][1] != 'f')
			check_load(types[t], 1, ".global", 8, false);
	}
}

/* Kernel parameters: the address of device memory is the only one. */
static void parameters_are_read_in_every_width(void **state)
{
	uint64_t base = GENERIC_GLOBAL_BASE + UINT64_C(0), got, raw;
	unsigned t, lane;

	(void)state;
	for (t = 0; t < ARRAY_LEN(types); t++) {
		unsigned bytes = ptx_type_bytes(ptx_type_parse(types[t]));
		struct text body = {0};

		fill_input(1);
		addresses(&body, "", OUT);
		text_raw(&body, "ld.param.%s %s0, [out+%u];\nst.global.b%u [%%rd2], %s0;\n",
			types[t], bytes == 8 ? "%w" : "%n", bytes == 8 ? 0 : 4 - bytes,
			bytes == 8 ? 64 : 32, bytes == 8 ? "%w" : "%n");
		run_body(&body);
		raw = extended(keep(base >> (bytes == 8 ? 0 : 8 * (4 - bytes)), 8 * bytes),
			types[t], bytes);
		for (lane = 0; lane < WARP_LANES; lane++) {
			got = 0;
			memcpy(&got, cell(OUT, lane), bytes == 8 ? 8 : 4);
			assert_true(got == keep(raw, bytes == 8 ? 64 : 32));
		}
		text_clear(&body);
	}
}

/* ---- atomics */

static uint64_t add_floats(const char *type, uint64_t old, uint64_t a)
{
	struct format f = format_of(type);
	uint64_t low, high;

	if (strcmp(type, "f32") == 0) {
		volatile float sum = f32_of(old) + f32_of(a);

		return sum != sum ? 0x7fffffff : raw32(sum);
	}
	if (strcmp(type, "f64") == 0) {
		volatile double sum = f64_of(old) + f64_of(a);

		return finish64(sum);
	}
	low = encode(
		f, exact_sum(exact_of(f, old, false), exact_of(f, a, false)), FE_TONEAREST, false);
	high = encode(f, exact_sum(exact_of(f, old >> 16, false), exact_of(f, a >> 16, false)),
		FE_TONEAREST, false);
	return strstr(type, "x2") ? high << 16 | low : low;
}

static uint64_t atomic_expected(
	const char *op, const char *type, uint64_t old, uint64_t a, uint64_t b)
{
	struct kind k = kind_of(type);
	wide x, y;

	if (strcmp(op, "add") == 0 && (type[0] == 'f' || is_half(type)))
		return add_floats(type, old, a);
	x = number(old, k);
	y = number(a, k);
	switch (op[0]) {
	case 'a':
		return op[1] == 'd' ? (uint64_t)(x + y) : old & a;
	case 'm':
		return (uint64_t)(op[1] == 'i' ? (x < y ? x : y) : (x > y ? x : y));
	case 'o':
		return old | a;
	case 'x':
		return old ^ a;
	case 'e':
		return a;
	case 'c':
		return x == y ? b : old;
	case 'i':
		return x >= y ? 0 : (uint64_t)(x + 1);
	default:
		return x == 0 || x > y ? a : (uint64_t)(x - 1);
	}
}

/* Each lane on its own cell: old value at 0, operands at 8 and 16; every third lane's operand is
 * its old value, so that a cas succeeds. */
static void check_atomic(const char *op, const char *type, const char *space, bool returns)
{
	bool half = is_half(type), cas = strcmp(op, "cas") == 0;
	unsigned bytes = ptx_type_bytes(ptx_type_parse(type)), lane, width = bytes == 8 ? 8 : bytes;
	const char *reg = width == 8 ? "%w" : width == 2 ? "%h" : "%n";
	struct text body = {0};

	fill_input(bytes + (unsigned char)op[0]);
	for (lane = 0; lane < WARP_LANES; lane += 3)
		memcpy(cell(IN, lane) + 8, cell(IN, lane), 8);
	addresses(&body, space, IN);
	text_raw(&body, "ld.global.b%u %s0, [%%rd2+8];\nld.global.b%u %s1, [%%rd2+16];\n",
		8 * width, reg, 8 * width, reg);
	if (is_own_space(space))
		copy_cell(&body, space, false);
	text_raw(&body, "%s%s.%s%s.%s %s%s[%%rd3], %s0%s%s;\n", returns ? "atom" : "red", space, op,
		half ? ".noftz" : "", type, returns ? reg : "", returns ? "2, " : "", reg,
		cas ? ", " : "",
		cas ? (width == 8          ? "%w1"
			      : width == 2 ? "%h1"
					   : "%n1")
		    : "");
	if (is_own_space(space))
		copy_cell(&body, space, true);
	if (returns)
		text_raw(&body, "st.global.b%u [%%rd2+%u], %s2;\n", 8 * width, SECOND, reg);
	text_raw(&body, "ld.global.b%u %s0, [%%rd2];\nst.global.b%u [%%rd2+%u], %s0;\n", 8 * width,
		reg, 8 * width, OUT, reg);
	run_body(&body);
	for (lane = 0; lane < WARP_LANES; lane++) {
		uint64_t old = 0, a = 0, b = 0, got = 0, back = 0, should;
		struct rng r = rng_new(bytes + (unsigned char)op[0], 0);
		unsigned char input[WARP_LANES * CELL];
		unsigned i;

		for (i = 0; i < sizeof(input); i++)
			input[i] = (unsigned char)rng_u64(&r);
		memcpy(&old, input + lane * CELL, bytes);
		memcpy(&a, cell(IN, lane) + 8, bytes);
		memcpy(&b, cell(IN, lane) + 16, bytes);
		memcpy(&got, cell(OUT, lane), bytes);
		memcpy(&back, cell(SECOND, lane), bytes);
		should = keep(atomic_expected(op, type, old, a, b), 8 * bytes);
		if (got != should || (returns && back != old))
			fail_msg("%s%s.%s.%s: lane %u, %llx with %llx gives %llx, not %llx",
				returns ? "atom" : "red", space, op, type, lane,
				(unsigned long long)old, (unsigned long long)a,
				(unsigned long long)got, (unsigned long long)should);
	}
	text_clear(&body);
}

static void atomics_compute_in_every_type_and_space(void **state)
{
	static const struct {
		const char *op, *types[10];
		bool returns_only;
	} rows[] = {{"add",
			    {"u32", "s32", "u64", "s64", "f32", "f64", "f16", "f16x2", "bf16",
				    "bf16x2"},
			    0},
		{"min", {"u32", "s32", "u64", "s64"}, false},
		{"max", {"u32", "s32", "u64", "s64"}, false}, {"and", {"b32", "b64"}, false},
		{"or", {"b32", "b64"}, false}, {"xor", {"b32", "b64"}, false},
		{"inc", {"u32"}, false}, {"dec", {"u32"}, false},
		{"exch", {"b32", "u32", "s32", "f32", "b64", "u64", "s64", "f64"}, true},
		{"cas", {"b16", "b32", "u32", "s32", "b64", "u64", "s64"}, true}};
	static const char *const where[] = {"", ".global", ".shared"};
	unsigned i, k, s;

	(void)state;
	for (i = 0; i < ARRAY_LEN(rows); i++)
		for (k = 0; k < ARRAY_LEN(rows[i].types) && rows[i].types[k]; k++)
			for (s = 0; s < ARRAY_LEN(where); s++) {
				check_atomic(rows[i].op, rows[i].types[k], where[s], true);
				if (!rows[i].returns_only)
					check_atomic(rows[i].op, rows[i].types[k], where[s], false);
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_opcode_of_the_memory_rows_is_found_in_any_order),
		cmocka_unit_test(loads_and_stores_move_the_right_bytes_in_every_width_and_space),
		cmocka_unit_test(parameters_are_read_in_every_width),
		cmocka_unit_test(atomics_compute_in_every_type_and_space),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
