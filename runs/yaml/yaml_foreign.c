/* Files of other kinds, recognised by their first bytes and their names. */
#include "runs/yaml/yaml_foreign.h"

#include "core/base.h"

#include <ctype.h>
#include <string.h>

static bool ends_in(const char *name, const char *const *ends)
{
	const char *dot = strrchr(name, '.');

	for (; dot && *ends; ends++)
		if (!strcmp(dot, *ends))
			return true;
	return false;
}

static const char *const cuda_ends[] = {".cu", ".cuh", ".cpp", ".cc", ".c", ".h", NULL};
static const char *const other_ends[] = {
	".ptx", ".cubin", ".fatbin", ".o", ".json", ".sqlite", ".csv", NULL};

bool yaml_foreign_name(const char *file)
{
	return ends_in(file, cuda_ends) || ends_in(file, other_ends);
}

/* Behind blanks and comments of C. */
static const char *first_word(const char *s, const char *end)
{
	for (;;) {
		while (s < end && isspace((unsigned char)*s))
			s++;
		if (end - s < 2 || s[0] != '/')
			return s;
		if (s[1] == '/') {
			s = memchr(s, '\n', (size_t)(end - s));
		} else if (s[1] == '*') {
			do
				s = memchr(s + 1, '/', (size_t)(end - s - 1));
			while (s && s[-1] != '*');
			s = s ? s + 1 : NULL;
		} else {
			return s;
		}
		if (!s)
			return end;
	}
}

static bool begins(const char *s, const char *end, const char *word)
{
	return (size_t)(end - s) >= strlen(word) && !memcmp(s, word, strlen(word));
}

/* The name of the first kernel: its length, 0: there is none. */
static int first_kernel(const char *s, const char *end, const char **name)
{
	int n = 0;

	for (; s < end && !begins(s, end, ".entry"); s++)
		;
	if (s == end)
		return 0;
	for (s += strlen(".entry"); s < end && isspace((unsigned char)*s); s++)
		;
	while (s + n < end && n < 200 && (isalnum((unsigned char)s[n]) || strchr("_$%", s[n])))
		n++;
	*name = s;
	return n;
}

static int is_ptx(const char *file, const char *s, const char *end, struct err *err)
{
	const char *slash = strrchr(file, '/'), *name = "NAME";
	int n = first_kernel(s, end, &name);

	return err_add(err, ERR_INPUT,
		"%s: this is PTX; a scenario names what to run, such as 'launches: "
		"[{module: %s, kernel: %.*s, grid: 1, block: 32, args: []}]' in a file .yaml "
		"(warpbeam "
		"check reports what a kernel needs)",
		file, slash ? slash + 1 : file, n ? n : 4, n ? name : "NAME");
}

/* A byte that no text has, or more than a few that are not UTF-8: a binary file. */
static bool is_binary(const char *s, size_t n)
{
	if (n >= 2 && (!memcmp(s, "\xff\xfe", 2) || !memcmp(s, "\xfe\xff", 2)))
		return false; /* UTF-16, which YAML may be in */
	return memchr(s, 0, min_u64(n, 4096)) != NULL;
}

int yaml_foreign(const char *file, const char *text, size_t n, struct err *err)
{
	const char *end = text + n, *s = first_word(text, end);

	if (begins(s, end, ".version") || begins(s, end, ".target"))
		return is_ptx(file, s, end, err);
	if (n >= 4 && !memcmp(text,
			      "\x7f"
			      "ELF",
			      4))
		return err_add(err, ERR_INPUT,
			"%s: this is a compiled program; '-- %s' instead runs it, and 'warpbeam check "
			"%s' "
			"reports what of PTX it has",
			file, file, file);
	if (is_binary(text, n))
		return err_add(err, ERR_INPUT,
			"%s: this is not text; a scenario is YAML (PTX is read as text: nvcc -ptx, "
			"or "
			"cuobjdump -ptx, writes it)",
			file);
	if (ends_in(file, cuda_ends) || begins(s, end, "#include") || begins(s, end, "__global__"))
		return err_add(err, ERR_INPUT,
			"%s: this is source, not a scenario; compile it to a program (nvcc -cudart shared) "
			"and run that ('warpbeam run -- PROGRAM'), or to PTX (nvcc -ptx, or clang -S "
			"--cuda-device-only) and name that in a scenario's launches",
			file);
	if (begins(s, end, "{") && begins(first_word(s + 1, end), end, "\"schema\""))
		return err_add(err, ERR_INPUT,
			"%s: this is a report in JSON, not a scenario: it is what a run wrote",
			file);
	return 0;
}
