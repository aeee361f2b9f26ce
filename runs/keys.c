/* Keys of runs: see runs/keys.h. */
#include "runs/keys.h"

#include "chip/chip.h"
#include "core/file.h"
#include "runs/output.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int key_make(const struct text *words, char key[KEY_ROOM], struct err *err)
{
	struct text again = {0};
	bool failed;

	text_raw(&again, "again\n");
	text_bytes(&again, text_str(words), words->len);
	snprintf(key, KEY_ROOM, "%016" PRIx64 "%016" PRIx64, gpu_hash(text_str(words), words->len),
		gpu_hash(text_str(&again), again.len));
	failed = words->failed || again.failed;
	text_clear(&again);
	return failed ? err_add(err, ERR_RESOURCE, "no host memory for a run's key") : 0;
}

int key_file(struct files *files, const char *path, struct text *words, struct err *err)
{
	size_t n;
	char *bytes = file_read(files, path, &n, ERR_INPUT, err);

	if (!bytes)
		return -1;
	text_raw(words, "%016" PRIx64 "\n", gpu_hash(bytes, n));
	mem_free(bytes);
	return 0;
}

static bool is_readable(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, R_OK);
}

int key_program_files(const char *const *argv, struct text *words, struct err *err)
{
	int bad = key_file(NULL, argv[0], words, err);

	for (unsigned i = 1; argv[i] && !bad; i++) {
		if (!is_readable(argv[i]))
			continue;
		text_raw(words, "%u ", i);
		bad = key_file(NULL, argv[i], words, err);
	}
	return bad;
}

const char *key_program(struct arena *arena, struct err *err)
{
	const char *build = program_build();
	size_t n, room = strlen(build) + sizeof("-0123456789abcdef");
	char *name = arena_alloc(arena, room, 1), *bytes = NULL;
	struct err ignored = {0};
	enum err_code code;

	snprintf(name, room, "%s", build);
	if (strstr(build, "-dirty"))
		bytes = file_read(NULL, "/proc/self/exe", &n, ERR_INPUT, &ignored);
	if (bytes)
		snprintf(name, room, "%s-%016" PRIx64, build, gpu_hash(bytes, n));
	mem_free(bytes);
	code = ignored.code;
	err_clear(&ignored);
	if (code != ERR_RESOURCE)
		return name;
	err_add(err, ERR_RESOURCE, "no host memory to read the program's file");
	return NULL;
}
