/* Modifiers that became mandatory in a version of PTX and may be omitted in older text only (PTX
 * ISA, the release notes of each instruction). shfl and vote require .sync from 6.4 on only on
 * machines with independent thread scheduling (sm_70 and later); here the lanes of a warp execute
 * in lockstep and both forms have the same meaning. */
#include "ptx/ir/lower.h"

#include <stdio.h>
#include <string.h>

static const struct rule {
	const char *mnemonic, *type;
	const char *one_of; /* one of these must be among the modifiers */
	const char *what;   /* their text for messages */
	uint32_t version;   /* since this version, encoded as in struct ast_function */
	uint32_t sm;        /* for this target and later ones */
} rules[] = {
	{"cos", ".f32", ".approx", ".approx", 104, 0},
	{"div", ".f32", ".approx.full.rn.rz.rm.rp", ".approx, .full or a rounding mode", 104, 0},
	{"div", ".f64", ".rn.rz.rm.rp", "a rounding mode (.rn, .rz, .rm, .rp)", 104, 0},
	{"ex2", ".f32", ".approx", ".approx", 104, 0},
	{"lg2", ".f32", ".approx", ".approx", 104, 0},
	{"mad", ".f32", ".rn.rz.rm.rp", "a rounding mode (.rn, .rz, .rm, .rp)", 302, 20},
	{"mad", ".f64", ".rn.rz.rm.rp", "a rounding mode (.rn, .rz, .rm, .rp)", 104, 0},
	{"rcp", ".f32", ".approx.rn.rz.rm.rp", ".approx or a rounding mode", 104, 0},
	{"rsqrt", ".f32", ".approx", ".approx", 104, 0},
	{"rsqrt", ".f64", ".approx", ".approx", 104, 0},
	{"sin", ".f32", ".approx", ".approx", 104, 0},
	{"sqrt", ".f32", ".approx.rn.rz.rm.rp", ".approx or a rounding mode", 104, 0},
	{"sqrt", ".f64", ".rn.rz.rm.rp", "a rounding mode (.rn, .rz, .rm, .rp)", 104, 0},
};

/* Whether `list` contains the modifier of `n` characters at `word`. */
static bool names(const char *list, const char *word, size_t n)
{
	while (*list) {
		size_t len = 1 + strcspn(list + 1, ".");

		if (len == n && !memcmp(list, word, n))
			return true;
		list += len;
	}
	return false;
}

static bool any_named(const char *list, const char *modifiers)
{
	while (*modifiers) {
		size_t n = 1 + strcspn(modifiers + 1, ".");

		if (names(list, modifiers, n))
			return true;
		modifiers += n;
	}
	return false;
}

static bool concerns(const struct rule *r, const struct ast_function *f, const char *opcode)
{
	size_t n = strlen(r->mnemonic);

	return !strncmp(opcode, r->mnemonic, n) && opcode[n] == '.' && f->version >= r->version &&
	       f->sm >= r->sm && names(opcode + n, r->type, strlen(r->type));
}

bool lower_has_modifiers(const struct ast_function *f, const char *opcode, char *why, size_t n)
{
	for (size_t i = 0; i < ARRAY_LEN(rules); i++) {
		const struct rule *r = &rules[i];

		if (!concerns(r, f, opcode) || any_named(r->one_of, strchr(opcode, '.')))
			continue;
		snprintf(why, n, "%s is mandatory from PTX %u.%u on", r->what, r->version / 100,
			r->version % 100);
		return false;
	}
	return true;
}
