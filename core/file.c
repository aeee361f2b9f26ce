/* Reading and writing whole files. */
#include "core/file.h"

#include "core/mem.h"
#include "core/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
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

static void close_out(struct file_out *out)
{
	mem_free(out->path);
	mem_free(out->beside);
	*out = (struct file_out){0};
}

/* A device, a pipe, a socket: nothing that could be replaced. */
static bool is_stream(const char *path)
{
	struct stat st;

	return !stat(path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

/* Names the two places. */
static bool name_out(struct file_out *out, const char *path)
{
	struct text beside = {0};
	char end[PATH_MAX]; /* where links lead, if there is something */
	bool stream = is_stream(path);

	*out = (struct file_out){.path = mem_strdup(!stream && realpath(path, end) ? end : path)};
	if (!out->path || stream)
		return out->path;
	text_raw(&beside, "%s.XXXXXX", out->path);
	if (!beside.failed)
		out->beside = mem_strdup(text_str(&beside));
	text_clear(&beside);
	return out->beside;
}

int file_begin(struct file_out *out, const char *path, struct err *err)
{
	int fd;

	if (!name_out(out, path)) {
		close_out(out);
		return err_add(err, ERR_RESOURCE, "%s: no host memory to write it", path);
	}
	fd = out->beside ? mkstemp(out->beside) : open(path, O_WRONLY);
	if (fd >= 0)
		out->f = fdopen(fd, "wb");
	if (out->f)
		return 0;
	err_add(err, ERR_HOST, "%s: cannot write: %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
	if (fd >= 0 && out->beside)
		unlink(out->beside);
	close_out(out);
	return -1;
}

void file_add(struct file_out *out, const void *data, size_t bytes)
{
	if (!out->error && fwrite(data, 1, bytes, out->f) != bytes)
		out->error = errno ? errno : EIO;
	out->bytes += bytes;
}

int file_commit(struct file_out *out, struct err *err)
{
	int error = out->error;

	if (out->beside && fchmod(fileno(out->f), 0644) && !error)
		error = errno;
	if (fclose(out->f) && !error)
		error = errno;
	if (out->beside && !error && rename(out->beside, out->path))
		error = errno;
	if (error)
		err_add(err, ERR_HOST, "%s: cannot write: %s", out->path, strerror(error));
	if (error && out->beside)
		unlink(out->beside);
	close_out(out);
	return error ? -1 : 0;
}

void file_abandon(struct file_out *out)
{
	if (!out->f)
		return;
	fclose(out->f);
	if (out->beside)
		unlink(out->beside);
	close_out(out);
}

bool file_same(const char *path, const char *other)
{
	struct stat a, b;

	if (is_stream(path))
		return false;
	if (!strcmp(path, other))
		return true;
	return !stat(path, &a) && !stat(other, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

int file_write(const char *path, const void *data, size_t bytes, struct err *err)
{
	struct file_out out;

	if (file_begin(&out, path, err))
		return -1;
	file_add(&out, data, bytes);
	return file_commit(&out, err);
}
