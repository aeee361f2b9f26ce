/* Recognises files that are not PTX, to report their kind instead of a syntax error. */
#include "ptx/front/parse.h"

#include "core/base.h"

#include <string.h>

#define LOOKED_AT 65536u /* bytes examined */

struct kind {
	const char *magic;
	unsigned bytes;
	const char *what;
};

#define COMPILED "cuobjdump -ptx extracts its PTX, if any; nvcc -ptx compiles CUDA C to PTX"

static const struct kind binaries[] = {
	{"\177ELF", 4, "a compiled binary (cubin or object file), not PTX: " COMPILED},
	{"\x50\xed\x55\xba", 4, "a fat binary, not PTX: " COMPILED},
	{"!<arch>\n", 8, "a library archive, not PTX: " COMPILED},
	{"BC\xc0\xde", 4, "LLVM bitcode, not PTX: llc -march=nvptx64 compiles it to PTX"},
	{"\x1f\x8b", 2, "compressed by gzip: PTX is plain text"},
	{"(\xb5/\xfd", 4, "compressed by zstd: PTX is plain text"},
	{"PK\3\4", 4, "a zip archive: PTX is plain text"},
	{"\xff\xfe", 2, "UTF-16 text: PTX is ASCII"},
	{"\xfe\xff", 2, "UTF-16 text: PTX is ASCII"},
};

/* Words that occur in a text of that kind, and in no PTX before its .version. */
static const struct kind texts[] = {
	{"; ModuleID", 0, "LLVM IR, not PTX: llc -march=nvptx64 compiles it to PTX"},
	{"target datalayout", 0, "LLVM IR, not PTX: llc -march=nvptx64 compiles it to PTX"},
	{"__kernel", 0, "OpenCL C, not PTX"},
	{"__global__", 0, "CUDA C, not PTX: nvcc -ptx compiles it to PTX"},
	{"__device__", 0, "CUDA C, not PTX: nvcc -ptx compiles it to PTX"},
	{"#include", 0, "a C or CUDA C source, not PTX: nvcc -ptx compiles it to PTX"},
	{"%YAML", 0, "YAML, not PTX: warpbeam run takes a scenario"},
	{"launches:", 0, "YAML, not PTX: warpbeam run takes a scenario"},
};

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), k = strlen(end);

	return n >= k && !strcmp(s + n - k, end);
}

static bool holds(const char *text, size_t bytes, const char *word)
{
	size_t n = strlen(word);

	for (size_t i = 0; i + n <= bytes; i++)
		if (text[i] == *word && !memcmp(text + i, word, n))
			return true;
	return false;
}

static const char *by_magic(const char *text, size_t bytes)
{
	for (size_t i = 0; i < ARRAY_LEN(binaries); i++)
		if (bytes >= binaries[i].bytes &&
			!memcmp(text, binaries[i].magic, binaries[i].bytes))
			return binaries[i].what;
	return NULL;
}

const char *parse_foreign(const char *file, const char *text, size_t bytes)
{
	const char *what = by_magic(text, bytes);
	struct lexer lex;
	struct token first;

	if (what)
		return what;
	lex_init(&lex, text, bytes);
	first = lex_next(&lex);
	if (first.kind == TOK_END || first.kind == TOK_DOT)
		return NULL;
	bytes = min_u64(bytes, LOOKED_AT);
	if (memchr(text, '\0', bytes))
		return "a binary file, not PTX";
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		if (holds(text, bytes, texts[i].magic))
			return texts[i].what;
	if (ends_with(file, ".cu") || ends_with(file, ".cuh"))
		return "CUDA C, not PTX: nvcc -ptx compiles it to PTX";
	return NULL;
}
