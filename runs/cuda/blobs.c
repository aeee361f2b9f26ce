/* Contents of a recording: files named by the hash of what they hold, packed where zstd is built
 * in. */
#include "runs/cuda/blobs.h"

#include "chip/chip.h"
#include "core/file.h"
#include "program/frame.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void blobs_name(const void *data, size_t n, char name[BLOBS_NAME])
{
	const unsigned char *at = data;
	uint64_t h = 0x6c62272e07bb0142u; /* as gpu_hash, from another start */

	for (size_t i = n; i-- > 0;)
		h = (h ^ at[i]) * 0x100000001b3u;
	snprintf(name, BLOBS_NAME, "%016" PRIx64 "%016" PRIx64, gpu_hash(data, n), h);
}

static void path_of(const char *dir, const char *name, bool packed, struct text *out)
{
	text_raw(out, "%s/" BLOBS_FOLDER "/%s%s", dir, name, packed ? ".zst" : "");
}

int blobs_write_file(const char *path, const void *data, size_t n, struct err *err)
{
	FILE *f = fopen(path, "wbe");
	bool bad = !f || fwrite(data, 1, n, f) != n;
	int wrong = errno;

	if (f && fclose(f) && !bad) {
		wrong = errno;
		bad = true;
	}
	return bad ? err_add(err, ERR_HOST, "%s: cannot be written: %s", path, strerror(wrong)) : 0;
}

int blobs_put(const char *dir, const void *data, size_t n, char name[BLOBS_NAME], struct err *err)
{
	struct text path = {0};
	size_t packed_bytes;
	char *packed;
	int bad = 0;

	blobs_name(data, n, name);
	packed = frame_pack(data, n, &packed_bytes);
	path_of(dir, name, packed, &path);
	if (path.failed)
		bad = err_add(err, ERR_RESOURCE, "%s: no host memory for a recording", dir);
	else if (access(text_str(&path), F_OK))
		bad = blobs_write_file(
			text_str(&path), packed ? packed : data, packed ? packed_bytes : n, err);
	mem_free(packed);
	text_clear(&path);
	return bad;
}

/* The file's bytes as they were put; NULL and a message. */
static char *unpacked(
	const char *path, bool packed, char *data, size_t read, size_t n, struct err *err)
{
	char *out = data;

	if (!packed && read == n)
		return data;
	if (packed) {
		out = mem_alloc(n + 1, 1);
		if (!out)
			err_add(err, ERR_RESOURCE, "%s: no host memory", path);
		else if (!frame_unpack(data, read, out, n))
			return mem_free(data), out;
		else
			mem_free(out);
	}
	if (!err->count)
		err_add(err, ERR_INPUT, "%s: it was changed or damaged: it does not hold %zu bytes",
			path, n);
	mem_free(data);
	return NULL;
}

char *blobs_get(const char *dir, const char *name, size_t n, struct err *err)
{
	struct text path = {0};
	char again[BLOBS_NAME], *data;
	bool packed = false;
	size_t read;

	path_of(dir, name, false, &path);
	if (access(text_str(&path), F_OK)) {
		text_clear(&path);
		packed = true;
		path_of(dir, name, true, &path);
	}
	data = file_read(NULL, text_str(&path), &read, ERR_INPUT, err);
	if (data)
		data = unpacked(text_str(&path), packed, data, read, n, err);
	if (data)
		blobs_name(data, n, again);
	if (data && strcmp(again, name) != 0) {
		err_add(err, ERR_INPUT, "%s: it was changed: its contents have the hash %s",
			text_str(&path), again);
		mem_free(data);
		data = NULL;
	}
	text_clear(&path);
	return data;
}

static void empty_folder(const char *path)
{
	DIR *d = opendir(path);
	const struct dirent *e;

	while (d && (e = readdir(d)) != NULL)
		unlinkat(dirfd(d), e->d_name, 0);
	if (d)
		closedir(d);
	rmdir(path);
}

void blobs_remove(const char *dir)
{
	struct text path = {0};

	text_raw(&path, "%s/" BLOBS_FOLDER, dir);
	if (!path.failed)
		empty_folder(text_str(&path));
	empty_folder(dir);
	text_clear(&path);
}
