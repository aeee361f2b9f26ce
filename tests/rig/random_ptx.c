/* Writes random kernels for the compiler. */
#include "tests/rig/random_ptx.h"

#include "core/rng.h"

struct writer {
	struct rng rng;
	struct text *text;
	unsigned labels, depth, statements;
};

static unsigned pick(struct writer *w, unsigned n)
{
	return rng_below(&w->rng, n);
}

static void random_guard(struct writer *w)
{
	unsigned negated = pick(w, 2), p = pick(w, 6);

	if (pick(w, 5) == 0)
		text_raw(w->text, "@%s%%p%u ", negated ? "!" : "", p);
}

static void random_plain(struct writer *w)
{
	unsigned a = pick(w, 20), b = pick(w, 20), c = pick(w, 20), x = pick(w, 10),
		 y = pick(w, 10);
	unsigned kind = pick(w, 11);
	struct text *t = w->text;

	random_guard(w);
	switch (kind) {
	case 0:
		text_raw(t, "mov.u32 %%r%u, %%r%u;\n", a, b);
		break;
	case 1:
		text_raw(t, "mov.u64 %%rd%u, %%rd%u;\n", x, y);
		break;
	case 2:
		text_raw(t, "mul.wide.u32 %%rd%u, %%r%u, %%r%u;\n", x, a, b);
		break;
	case 3:
		text_raw(t, "cvt.u32.u64 %%r%u, %%rd%u;\n", a, x);
		break;
	case 4:
		text_raw(t, "mov.b64 %%rd%u, {%%r%u, %%r%u};\n", x, a, b);
		break;
	case 5:
		text_raw(t, "mov.b64 {%%r%u, %%r%u}, %%rd%u;\n", a, (a + 1 + b % 19) % 20, x);
		break;
	case 6:
		text_raw(t, "setp.lt.u32 %%p%u|%%p%u, %%r%u, %%r%u;\n", x % 3, 3 + y % 3, a, b);
		break;
	case 7:
		text_raw(t, "selp.u64 %%rd%u, %%rd%u, %%rd%u, %%p%u;\n", x, y, a % 10, b % 6);
		break;
	case 8:
		text_raw(t, "ld.global.v2.u32 {%%r%u, %%r%u}, [%%rd%u];\n", a,
			(a + 1 + b % 19) % 20, x);
		break;
	case 9:
		text_raw(t, "st.global.u64 [%%rd%u], %%rd%u;\n", x, y);
		break;
	default:
		text_raw(t, "mad.lo.u32 %%r%u, %%r%u, %%r%u, %%r%u;\n", a, b, c, x + y);
		break;
	}
}

static void random_block(struct writer *w);

static void random_shape(struct writer *w)
{
	unsigned label = w->labels, p = pick(w, 6), other = pick(w, label + 2);

	w->labels += 2;
	switch (pick(w, 4)) {
	case 0:
		text_raw(w->text, "@%%p%u bra L%u;\n", p, label);
		random_block(w);
		text_raw(w->text, "bra L%u;\nL%u:\n", label + 1, label);
		random_block(w);
		text_raw(w->text, "L%u:\n", label + 1);
		break;
	case 1:
		text_raw(w->text, "L%u:\n", label);
		random_block(w);
		text_raw(w->text, "@%%p%u bra L%u;\nL%u:\n", p, label, label + 1);
		break;
	case 2: /* anywhere: back or out */
		text_raw(w->text, "L%u:\n@%%p%u bra L%u;\nL%u:\n", label, p, other, label + 1);
		break;
	default:
		text_raw(w->text, "L%u:\n", label);
		random_guard(w);
		text_raw(w->text, "exit;\nL%u:\n", label + 1);
		break;
	}
}

static void random_block(struct writer *w)
{
	unsigned n = 1 + pick(w, 8);

	w->depth++;
	for (unsigned k = 0; k < n && w->statements < 400; k++) {
		w->statements++;
		if (w->depth < 6 && pick(w, 4) == 0)
			random_shape(w);
		else
			random_plain(w);
	}
	w->depth--;
}

void random_ptx(unsigned seed, bool written, struct text *text)
{
	struct writer w = {.rng = rng_new(seed, 0), .text = text};

	text_raw(text,
		".version 7.0\n.target sm_70\n.address_size 64\n.entry k(.param .u64 out)\n{\n"
		".reg .pred %%p<10>;\n.reg .b32 %%r<40>;\n.reg .b64 %%rd<20>;\n");
	for (unsigned k = 0; k < 20 && (written || pick(&w, 4)); k++)
		text_raw(text, "mov.u32 %%r%u, %u;\n", k, k);
	for (unsigned k = 0; k < 10 && written; k++)
		text_raw(text, "mov.u64 %%rd%u, %u;\nsetp.eq.u32 %%p%u, %%r1, %u;\n", k, k, k % 6,
			k);
	for (unsigned k = 0; k < 4; k++)
		random_block(&w);
	text_raw(text, "}\n");
}
