/* Device code of malloc() and free(): size classes, four to a doubling, each with a list of freed
 * blocks that is changed by compare-and-swap with a tag; new blocks come from behind the last one.
 * A block: mark, class, next on a list, unused (4 bytes each), then the caller's bytes. */
#include "ptx/compile/heap.h"

#include <string.h>

static const char code[] =
	".version 6.0\n.target sm_50\n.address_size 64\n"
	".visible .global .align 8 .u64 " HEAP_VARIABLE ";\n"
	".extern .func " HEAP_FAULT " (.param .b64 pointer, .param .b32 freed);\n"
	/* takes a block off the list at `head`: its number of 16 bytes, 0: there is none */
	".func (.param .b64 block) __warpbeam_pop (.param .b64 head)\n{\n"
	".reg .b64 %a, %b, %c, %h, %n, %o; .reg .b32 %r; .reg .pred %p;\n"
	"ld.param.u64 %a, [head];\n"
	"ld.global.u64 %b, [" HEAP_VARIABLE "];\n"
	"again: ld.volatile.global.u64 %h, [%a];\n"
	"and.b64 %o, %h, 0xffffffff;\n"
	"setp.eq.u64 %p, %o, 0;\n@%p bra done;\n"
	"shl.b64 %c, %o, 4;\nadd.u64 %c, %c, %b;\n"
	"ld.volatile.global.u32 %r, [%c+8];\n"
	"cvt.u64.u32 %n, %r;\n"
	"shr.u64 %c, %h, 32;\nadd.u64 %c, %c, 1;\nshl.b64 %c, %c, 32;\nor.b64 %n, %n, %c;\n"
	"atom.global.cas.b64 %n, [%a], %h, %n;\n"
	"setp.ne.u64 %p, %n, %h;\n@%p bra again;\n"
	"done: st.param.b64 [block], %o;\nret;\n}\n"
	/* 0 bytes: none; else the block's 16 bytes, and the bytes rounded up to a class */
	".weak .func (.param .b64 result) malloc (.param .b64 bytes)\n{\n"
	".reg .b64 %b, %c, %e, %l, %n, %o, %u; .reg .b32 %k, %s, %r; .reg .pred %p;\n"
	"mov.u64 %c, 0;\n"
	"ld.param.u64 %n, [bytes];\n"
	"setp.eq.u64 %p, %n, 0;\n@%p bra done;\n"
	"ld.global.u64 %b, [" HEAP_VARIABLE "];\n"
	"ld.global.u64 %e, [%b+8];\n"
	"setp.gt.u64 %p, %n, %e;\n@%p bra done;\n"
	"add.u64 %n, %n, 31;\nshr.u64 %u, %n, 4;\n"
	"bfind.u64 %s, %u;\nsub.s32 %s, %s, 2;\nmax.s32 %s, %s, 0;\n"
	"mov.u64 %l, 1;\nshl.b64 %l, %l, %s;\nsub.u64 %l, %l, 1;\n"
	"add.u64 %u, %u, %l;\nshr.u64 %u, %u, %s;\nshl.b64 %u, %u, %s;\n"
	"bfind.u64 %s, %u;\nsub.s32 %s, %s, 2;\nmax.s32 %s, %s, 0;\n"
	"shr.u64 %l, %u, %s;\ncvt.u32.u64 %k, %l;\nshl.b32 %r, %s, 2;\nadd.u32 %k, %k, %r;\n"
	"mul.wide.u32 %l, %k, 8;\nadd.u64 %l, %l, %b;\nadd.u64 %l, %l, 64;\n"
	"{ .param .b64 x; .param .b64 y; st.param.b64 [x], %l;\n"
	"call.uni (y), __warpbeam_pop, (x);\nld.param.b64 %o, [y]; }\n"
	"setp.ne.u64 %p, %o, 0;\n@%p bra found;\n"
	"shl.b64 %u, %u, 4;\n"
	"atom.global.add.u64 %o, [%b], %u;\n"
	"add.u64 %n, %o, %u;\n"
	"shr.u64 %o, %o, 4;\n"
	"setp.le.u64 %p, %n, %e;\n@%p bra fresh;\n"
	"neg.s64 %u, %u;\natom.global.add.u64 %o, [%b], %u;\n"
	"larger: add.u32 %k, %k, 1;\n"
	"setp.ge.u32 %p, %k, 128;\n@%p bra done;\n"
	"add.u64 %l, %l, 8;\n"
	"{ .param .b64 x; .param .b64 y; st.param.b64 [x], %l;\n"
	"call (y), __warpbeam_pop, (x);\nld.param.b64 %o, [y]; }\n"
	"setp.eq.u64 %p, %o, 0;\n@%p bra larger;\n"
	"bra found;\n"
	"fresh: shl.b64 %c, %o, 4;\nadd.u64 %c, %c, %b;\n"
	"st.volatile.global.u32 [%c+4], %k;\n"
	"found: shl.b64 %c, %o, 4;\nadd.u64 %c, %c, %b;\n"
	"cvt.u32.u64 %r, %o;\nxor.b32 %r, %r, 0x6c697665;\n"
	"st.volatile.global.u32 [%c], %r;\n"
	"membar.gl;\n"
	"add.u64 %c, %c, 16;\n"
	"done: st.param.b64 [result], %c;\nret;\n}\n"
	".weak .func free (.param .b64 pointer)\n{\n"
	".reg .b64 %b, %c, %e, %h, %l, %n, %o; .reg .b32 %k, %m, %r; .reg .pred %p;\n"
	"ld.param.u64 %c, [pointer];\n"
	"setp.eq.u64 %p, %c, 0;\n@%p bra done;\n"
	"mov.u32 %m, 0;\n"
	"ld.global.u64 %b, [" HEAP_VARIABLE "];\n"
	"ld.global.u64 %e, [%b+8];\n"
	"sub.u64 %c, %c, 16;\nsub.u64 %o, %c, %b;\n"
	"sub.u64 %n, %o, 2048;\nsub.u64 %e, %e, 2048;\n"
	"setp.ge.u64 %p, %n, %e;\n@%p bra bad;\n"
	"and.b64 %n, %o, 15;\nsetp.ne.u64 %p, %n, 0;\n@%p bra bad;\n"
	"shr.u64 %o, %o, 4;\ncvt.u32.u64 %r, %o;\n"
	"xor.b32 %k, %r, 0x6c697665;\nxor.b32 %r, %r, 0x66726565;\n"
	"atom.global.cas.b32 %m, [%c], %k, %r;\n"
	"setp.ne.u32 %p, %m, %k;\n@%p bra unmarked;\n"
	"ld.volatile.global.u32 %k, [%c+4];\n"
	"mov.u32 %m, 0;\n"
	"setp.ge.u32 %p, %k, 128;\n@%p bra bad;\n"
	"mul.wide.u32 %l, %k, 8;\nadd.u64 %l, %l, %b;\nadd.u64 %l, %l, 64;\n"
	"again: ld.volatile.global.u64 %h, [%l];\n"
	"cvt.u32.u64 %r, %h;\nst.volatile.global.u32 [%c+8], %r;\n"
	"membar.gl;\n"
	"shr.u64 %n, %h, 32;\nadd.u64 %n, %n, 1;\nshl.b64 %n, %n, 32;\nor.b64 %n, %n, %o;\n"
	"atom.global.cas.b64 %n, [%l], %h, %n;\n"
	"setp.ne.u64 %p, %n, %h;\n@%p bra again;\n"
	"done: ret;\n"
	"unmarked: setp.eq.u32 %p, %m, %r;\nselp.u32 %m, 1, 0, %p;\n"
	"bad: ld.param.u64 %c, [pointer];\n"
	"{ .param .b64 x; .param .b32 y; st.param.b64 [x], %c; st.param.b32 [y], %m;\n"
	"call " HEAP_FAULT ", (x, y); }\n"
	"ret;\n}\n";

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '$' || c == '%' || c == '.';
}

/* Whether the text from `at` on, up to a semicolon, has the word and no brace: a declaration. */
static bool declares(const char *at, const char *end, const char *word)
{
	size_t n = strlen(word);
	bool found = false;

	for (; at < end && *at != ';' && *at != '{'; at++)
		found |= (size_t)(end - at) > n && !memcmp(at, word, n) && !is_word(at[-1]) &&
			 !is_word(at[n]);
	return found && at < end && *at == ';';
}

/* Faults of the text are the parser's. */
static bool is_called(const struct module_text *t)
{
	static const char keyword[] = ".func";
	const char *end = t->text + t->bytes;

	for (const char *at = t->text; (size_t)(end - at) >= sizeof(keyword); at++)
		if (!memcmp(at, keyword, sizeof(keyword) - 1) &&
			(declares(at + sizeof(keyword) - 1, end, "malloc") ||
				declares(at + sizeof(keyword) - 1, end, "free")))
			return true;
	return false;
}

const struct module_text *heap_link(
	const struct module_text *texts, unsigned *n, struct arena *arena)
{
	struct module_text *all;
	bool called = false;

	for (unsigned i = 0; i < *n; i++)
		called |= is_called(&texts[i]);
	if (!called)
		return texts;
	all = arena_alloc(arena, *n + 1, sizeof(*all));
	memcpy(all, texts, *n * sizeof(*all));
	all[(*n)++] = (struct module_text){"malloc()", code, sizeof(code) - 1};
	return all;
}
