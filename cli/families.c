/* PTX instructions by family. */
#include "cli/families.h"

#include <string.h>

/* Families and their mnemonics, between blanks. Others come last. */
static const struct family {
	const char *title, *key, *mnemonics;
} families[FAMILIES] = {
	{"Integer arithmetic", "integer",
		" add sub mul mad mul24 mad24 sad div rem abs neg min max popc clz "
		"bfind fns brev bfe bfi bmsk szext dp4a dp2a vabsdiff4 addc subc madc "},
	{"Logic and shifts", "logic", " and or xor not cnot lop3 shf shl shr prmt "},
	{"Floating point", "floating_point",
		" fma rcp sqrt rsqrt sin cos lg2 ex2 tanh copysign testp "},
	{"Comparison and selection", "comparison", " set setp selp slct "},
	{"Conversion and movement", "conversion", " mov cvt cvta isspacep "},
	{"Memory", "memory",
		" ld ldu st prefetch prefetchu applypriority discard cp createpolicy "},
	{"Atomics", "atomics", " atom red "},
	{"Barriers and fences", "barriers", " bar barrier membar fence mbarrier "},
	{"Between the lanes of a warp", "lanes", " vote match activemask shfl redux elect "},
	{"Control flow", "control",
		" bra brx call ret exit trap brkpt nanosleep pmevent griddepcontrol "},
	{"Textures and surfaces", "textures", " tex tld4 txq suld sust sured suq "},
	{"Matrices", "matrices", " mma wmma movmatrix ldmatrix stmatrix "},
	{"Others", "others", NULL},
};
/* Rows of this family that name a floating-point type belong to the floating-point one. */
#define INTEGER 0u

size_t family_mnemonic_length(const char *spelling)
{
	return strcspn(spelling, "{*.");
}

static int is_floating(const char *spelling)
{
	return strstr(spelling, ".f32") || strstr(spelling, ".f64") || strstr(spelling, ".f16") ||
	       strstr(spelling, ".bf16");
}

const char *family_title(unsigned family)
{
	return families[family].title;
}

const char *family_key(unsigned family)
{
	return families[family].key;
}

unsigned family_of(const char *spelling)
{
	size_t n = family_mnemonic_length(spelling);

	for (unsigned f = 0; f < FAMILIES; f++) {
		const char *at = families[f].mnemonics;

		for (; at && (at = strchr(at, ' ')); at++)
			if (!strncmp(at + 1, spelling, n) && at[1 + n] == ' ')
				return f == INTEGER && is_floating(spelling) ? FAMILY_FLOATING : f;
	}
	return FAMILIES - 1;
}
