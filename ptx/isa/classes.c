/* Which class of operations an opcode belongs to: by its mnemonic and the types it names. */
#include "ptx/isa/classes.h"

#include "ptx/isa/forms_private.h"

#include <string.h>

/* What an opcode's words say of its numbers; the first that any word says holds. */
enum numbers { NUMBERS_F64, NUMBERS_F32, NUMBERS_F16, NUMBERS_INT64, NUMBERS_INT, NUMBERS_COUNT };

static const struct {
	const char *word;
	uint8_t numbers;
} types[] = {
	{".f64", NUMBERS_F64},
	{".f32", NUMBERS_F32},
	{".f32x2", NUMBERS_F32},
	{".tf32", NUMBERS_F32},
	{".f16", NUMBERS_F16},
	{".f16x2", NUMBERS_F16},
	{".bf16", NUMBERS_F16},
	{".bf16x2", NUMBERS_F16},
	{".u64", NUMBERS_INT64},
	{".s64", NUMBERS_INT64},
	{".b64", NUMBERS_INT64},
};

/* Mnemonics sorted, with their class by numbers; what is not listed is of class int. */
struct rule {
	const char *mnemonic;
	uint8_t f64, f32, f16, int64, other;
};

#define SAME(mnemonic, c) \
	{ \
		mnemonic, c, c, c, c, c \
	}
#define INTEGER(mnemonic, c) \
	{ \
		mnemonic, c, c, c, CLASS_INT64, c \
	}
#define NUMBER(mnemonic, f, c) \
	{ \
		mnemonic, CLASS_F64, f, CLASS_F16, CLASS_INT64, c \
	}
#define ROOT(mnemonic) \
	{ \
		mnemonic, CLASS_DDIV, CLASS_FDIV, CLASS_SFU, CLASS_IDIV, CLASS_IDIV \
	}

static const struct rule rules[] = {
	NUMBER("%max3", CLASS_MINMAX, CLASS_MINMAX),
	NUMBER("%min3", CLASS_MINMAX, CLASS_MINMAX),
	NUMBER("abs", CLASS_F32, CLASS_INT),
	SAME("activemask", CLASS_SHUFFLE),
	NUMBER("add", CLASS_F32, CLASS_INT),
	INTEGER("addc", CLASS_INT),
	INTEGER("and", CLASS_INT),
	INTEGER("bfe", CLASS_SHIFT),
	INTEGER("bfi", CLASS_SHIFT),
	SAME("bfind", CLASS_BITS),
	SAME("bmsk", CLASS_SHIFT),
	SAME("brev", CLASS_BITS),
	SAME("clz", CLASS_BITS),
	INTEGER("cnot", CLASS_INT),
	SAME("cos", CLASS_SFU),
	{"cvt", CLASS_CONVERSION, CLASS_CONVERSION, CLASS_CONVERSION, CLASS_INT, CLASS_INT},
	ROOT("div"),
	SAME("dp2a", CLASS_MAD),
	SAME("dp4a", CLASS_MAD),
	SAME("elect", CLASS_SHUFFLE),
	SAME("ex2", CLASS_SFU),
	NUMBER("fma", CLASS_FMA, CLASS_MAD),
	SAME("fns", CLASS_BITS),
	SAME("lg2", CLASS_SFU),
	INTEGER("lop3", CLASS_INT),
	NUMBER("mad", CLASS_FMA, CLASS_MAD),
	SAME("mad24", CLASS_MAD),
	INTEGER("madc", CLASS_MAD),
	SAME("match", CLASS_SHUFFLE),
	NUMBER("max", CLASS_MINMAX, CLASS_MINMAX),
	NUMBER("min", CLASS_MINMAX, CLASS_MINMAX),
	{"mma", CLASS_TENSOR64, CLASS_TENSOR, CLASS_TENSOR, CLASS_TENSOR, CLASS_TENSOR},
	SAME("movmatrix", CLASS_SHUFFLE),
	NUMBER("mul", CLASS_F32, CLASS_MUL),
	SAME("mul24", CLASS_MUL),
	NUMBER("neg", CLASS_F32, CLASS_INT),
	INTEGER("not", CLASS_INT),
	INTEGER("or", CLASS_INT),
	SAME("popc", CLASS_BITS),
	SAME("prmt", CLASS_SHIFT),
	ROOT("rcp"),
	SAME("redux", CLASS_SHUFFLE),
	ROOT("rem"),
	ROOT("rsqrt"),
	INTEGER("sad", CLASS_SHIFT),
	NUMBER("set", CLASS_COMPARE, CLASS_COMPARE),
	NUMBER("setp", CLASS_COMPARE, CLASS_COMPARE),
	SAME("shf", CLASS_SHIFT),
	SAME("shfl", CLASS_SHUFFLE),
	INTEGER("shl", CLASS_SHIFT),
	INTEGER("shr", CLASS_SHIFT),
	SAME("sin", CLASS_SFU),
	SAME("slct", CLASS_COMPARE),
	ROOT("sqrt"),
	NUMBER("sub", CLASS_F32, CLASS_INT),
	INTEGER("subc", CLASS_INT),
	SAME("szext", CLASS_SHIFT),
	SAME("tanh", CLASS_SFU),
	NUMBER("testp", CLASS_COMPARE, CLASS_COMPARE),
	SAME("vabsdiff4", CLASS_SHIFT),
	SAME("vote", CLASS_SHUFFLE),
	{"wmma", CLASS_TENSOR64, CLASS_TENSOR, CLASS_TENSOR, CLASS_TENSOR, CLASS_TENSOR},
	INTEGER("xor", CLASS_INT),
};

static bool word_is(struct word w, const char *s)
{
	return strncmp(w.s, s, w.len) == 0 && s[w.len] == 0;
}

static bool has_word(const struct spelling *sp, const char *s)
{
	for (unsigned i = 0; i < sp->nwords; i++)
		if (word_is(sp->word[i], s))
			return true;
	return false;
}

static enum numbers numbers_of(const struct spelling *sp)
{
	for (unsigned k = 0; k < ARRAY_LEN(types); k++)
		if (has_word(sp, types[k].word))
			return (enum numbers)types[k].numbers;
	return NUMBERS_INT;
}

static int compare_rule(const struct word *mnemonic, const struct rule *r)
{
	int order = strncmp(mnemonic->s, r->mnemonic, mnemonic->len);

	return order ? order : -(r->mnemonic[mnemonic->len] != 0);
}

static const struct rule *find_rule(const struct word *mnemonic)
{
	size_t low = 0, high = ARRAY_LEN(rules);

	while (low < high) {
		size_t middle = (low + high) / 2;
		int order = compare_rule(mnemonic, &rules[middle]);

		if (!order)
			return &rules[middle];
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

/* A division, reciprocal or root in f32 is a special function unless its rounding is named; one in
 * f64 with .ftz is the special function that begins a rounded one. */
uint8_t op_class_of(const struct spelling *sp)
{
	static const char *const rounded[] = {".rn", ".rz", ".rm", ".rp"};
	const struct rule *r = find_rule(&sp->mnemonic);
	bool exact = false;
	uint8_t c = CLASS_INT;

	if (r) {
		const uint8_t by_numbers[NUMBERS_COUNT] = {
			r->f64, r->f32, r->f16, r->int64, r->other};

		c = by_numbers[numbers_of(sp)];
	}
	for (unsigned k = 0; k < ARRAY_LEN(rounded); k++)
		exact |= has_word(sp, rounded[k]);
	if ((c == CLASS_FDIV && !exact) || (c == CLASS_DDIV && has_word(sp, ".ftz")))
		return CLASS_SFU;
	return c;
}

_Static_assert(UNIT_ALU < UNIT_TENSOR && UNIT_SFU < UNIT_TENSOR, "arithmetic comes first");

uint8_t op_class_of_unit(uint8_t unit, uint8_t arithmetic)
{
	static const uint8_t others[UNIT_COUNT] = {[UNIT_MEMORY] = CLASS_MEMORY,
		[UNIT_TEXTURE] = CLASS_TEXTURE,
		[UNIT_CONTROL] = CLASS_CONTROL,
		[UNIT_BARRIER] = CLASS_BARRIER,
		[UNIT_FENCE] = CLASS_FENCE};

	return unit <= UNIT_TENSOR ? arithmetic : others[unit];
}

uint8_t op_class_unit(enum op_class c)
{
	static const uint8_t others[] = {
		UNIT_MEMORY, UNIT_TEXTURE, UNIT_CONTROL, UNIT_BARRIER, UNIT_FENCE};

	if (c >= CLASS_ARITHMETIC)
		return others[c - CLASS_ARITHMETIC];
	if (c >= CLASS_TENSOR)
		return UNIT_TENSOR;
	return c >= CLASS_SFU ? UNIT_SFU : UNIT_ALU;
}

#define NAME(A, id, name, text) #name,
const char *op_class_name(enum op_class c)
{
	static const char *const names[CLASS_COUNT] = {
		OP_CLASSES(NAME, 0) "memory", "texture", "control", "barrier", "fence"};

	return names[c];
}
