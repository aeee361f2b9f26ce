/* Reading and writing whole files. */
#include "core/file.h"

#include "core/mem.h"
#include "core/text.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MAX (UINT64_C(4) << 30)

static char *read_open(
	FILE *f, const char *path, size_t *bytes, enum err_code code, struct err *err)
{
	struct stat st;
	char *data;

	if (fstat(fileno(f), &st) || !S_ISREG(st.st_mode) || (uint64_t)st.st_size > FILE_MAX) {
		err_add(err, code, "%s: not a regular file of at most 4 GB", path);
		return NULL;
	}
	data = mem_alloc((size_t)st.st_size + 1, 1);
	if (!data) {
		err_add(err, ERR_RESOURCE, "%s: no memory for %lld bytes", path,
			(long long)st.st_size);
		return NULL;
	}
	*bytes = fread(data, 1, (size_t)st.st_size, f);
	if (ferror(f) || *bytes != (size_t)st.st_size) {
		err_add(err, code, "%s: read %zu of %lld bytes", path, *bytes,
			(long long)st.st_size);
		mem_free(data);
		return NULL;
	}
	return data;
}

char *file_read(const char *path, size_t *bytes, enum err_code code, struct err *err)
{
	FILE *f = fopen(path, "rb");
	char *data;

	if (!f) {
		err_add(err, code, "%s: %s", path, strerror(errno));
		return NULL;
	}
	data = read_open(f, path, bytes, code, err);
	fclose(f);
	return data;
}

int file_write(const char *path, const void *data, size_t bytes, struct err *err)
{
	struct text name = {0};
	FILE *f = NULL;
	int fd = -1;
	bool ok = false;

	text_add(&name, "%s.XXXXXX", path);
	if (!name.failed)
		fd = mkstemp(name.s);
	if (fd >= 0)
		f = fdopen(fd, "wb");
	if (f) {
		ok = fwrite(data, 1, bytes, f) == bytes;
		ok = !fchmod(fd, 0644) && ok;
		ok = !fclose(f) && ok;
		ok = ok && !rename(name.s, path);
	} else if (fd >= 0) {
		close(fd);
	}
	if (!ok) {
		err_add(err, ERR_HOST, "%s: cannot write: %s", path, strerror(errno));
		if (fd >= 0)
			unlink(name.s);
	}
	text_clear(&name);
	return ok ? 0 : -1;
}
