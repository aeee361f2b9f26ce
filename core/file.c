/* Reading and writing whole files. */
#include "core/file.h"

#include "core/mem.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MAX (UINT64_C(4) << 30)
#define MOST_TRIES 1000

/* Why it cannot be an input; NULL: it can. */
static const char *unfit(const struct stat *st)
{
	if (S_ISDIR(st->st_mode))
		return "is a folder";
	if (S_ISFIFO(st->st_mode) || S_ISSOCK(st->st_mode))
		return "is a pipe";
	if (!S_ISREG(st->st_mode))
		return "is a device";
	return (uint64_t)st->st_size > FILE_MAX ? "is larger than 4 GB" : NULL;
}

static char *read_all(int fd, const char *path, size_t bytes, enum err_code code, struct err *err)
{
	char *data = mem_alloc(bytes + 1, 1);
	size_t done = 0;
	ssize_t n = 1;

	if (!data) {
		err_add(err, ERR_RESOURCE, "%s: no memory for %zu bytes", path, bytes);
		return NULL;
	}
	while (done < bytes && n) {
		n = read(fd, data + done, bytes - done);
		if (n > 0)
			done += (size_t)n;
		if (n < 0 && errno != EINTR)
			break;
	}
	if (done == bytes)
		return data;
	err_add(err, code, "%s: read %zu of %zu bytes%s%s", path, done, bytes, n < 0 ? ": " : "",
		n < 0 ? strerror(errno) : "");
	mem_free(data);
	return NULL;
}

char *file_read(
	struct files *files, const char *path, size_t *bytes, enum err_code code, struct err *err)
{
	/* A blocking open of a pipe without a writer would never return. */
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	const char *wrong;
	char *data = NULL;
	struct stat st;

	if (fd < 0 || fstat(fd, &st)) {
		err_add(err, code, "%s: %s", path, strerror(errno));
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	wrong = unfit(&st);
	*bytes = (size_t)st.st_size;
	if (wrong)
		err_add(err, code, "%s: %s; an input must be a regular file of at most 4 GB", path,
			wrong);
	else if (!files_read(files, path, &st, err))
		data = read_all(fd, path, *bytes, code, err);
	close(fd);
	return data;
}

/* ---- writing */
static void close_out(struct file_out *out)
{
	mem_free(out->path);
	mem_free(out->beside);
	*out = (struct file_out){.files = out->files};
}

/* An unused name: the process's number, and a counter in case an earlier process left a file. */
static int open_beside(struct file_out *out, const struct file_target *p)
{
	mode_t mode = p->there ? p->st.st_mode & 0777 : 0666;
	size_t bytes = strlen(p->path) + 32;
	int fd = -1;

	out->beside = mem_alloc(bytes, 1);
	errno = ENOMEM;
	for (unsigned i = 0; i < MOST_TRIES && out->beside && fd < 0; i++) {
		snprintf(out->beside, bytes, "%s.%ld-%u", p->path, (long)getpid(), i);
		fd = open(out->beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	if (fd < 0 || !p->there)
		return fd;
	/* The new file takes owner and mode of the one that it replaces; without permission to
	 * change the owner, the mode alone. */
	if ((p->st.st_uid == geteuid() && p->st.st_gid == getegid()) ||
		!fchown(fd, p->st.st_uid, p->st.st_gid))
		fchmod(fd, p->st.st_mode & 07777);
	else
		fchmod(fd, mode);
	return fd;
}

static int open_output(struct file_out *out, struct file_target *p)
{
	int fd;

	if (!p->stream)
		fd = open_beside(out, p);
	else
		fd = p->fd >= 0 ? dup(p->fd) : open(p->path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
	if (fd >= 0)
		out->f = fdopen(fd, "wb");
	if (out->f) {
		out->path = p->path;
		p->path = NULL;
		return 0;
	}
	if (fd >= 0 && !p->stream)
		unlink(out->beside);
	if (fd >= 0)
		close(fd);
	return -1;
}

int file_begin(struct file_out *out, const char *path, struct err *err)
{
	struct file_target p;
	int bad;

	*out = (struct file_out){.files = out->files};
	if (files_write(out->files, NULL, path, err) || file_target(&p, path, err))
		return -1;
	bad = open_output(out, &p);
	if (bad && errno == ENOMEM)
		err_add(err, ERR_RESOURCE, "%s: no host memory to write it", path);
	else if (bad)
		err_add(err, ERR_HOST, "%s: cannot write: %s", path, strerror(errno));
	if (bad)
		close_out(out);
	file_target_clear(&p);
	return bad;
}

void file_add(struct file_out *out, const void *data, size_t bytes)
{
	if (!out->error && fwrite(data, 1, bytes, out->f) != bytes)
		out->error = errno ? errno : EIO;
	out->bytes += bytes;
}

/* Makes the rename itself durable across a power failure, where the file system can. */
static void sync_folder(char *path)
{
	char *slash = strrchr(path, '/');
	int fd;

	if (slash)
		slash[slash == path] = '\0';
	fd = open(slash ? path : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0) {
		fsync(fd);
		close(fd);
	}
}

static int appear(const struct file_out *out)
{
	if (out->yields && (!link(out->beside, out->path) || errno == EEXIST))
		return unlink(out->beside) ? errno : 0;
	return rename(out->beside, out->path) ? errno : 0;
}

/* The data must be on the disk before the rename. 0 or an errno. */
static int settle(struct file_out *out)
{
	int error = out->error;

	if (fflush(out->f) && !error)
		error = errno;
	if (out->beside && !error && fsync(fileno(out->f)) && errno != EINVAL && errno != ENOTSUP)
		error = errno;
	if (fclose(out->f) && !error)
		error = errno;
	if (out->beside && !error)
		error = appear(out);
	return error;
}

int file_commit(struct file_out *out, struct err *err)
{
	int error = settle(out);

	if (error)
		err_add(err, ERR_HOST, "%s: cannot write: %s", out->path, strerror(error));
	if (error && out->beside)
		unlink(out->beside);
	if (!error && out->beside)
		sync_folder(out->path);
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

/* The writer of "NAME.PID-N"; 0: it is no such name. */
static pid_t writer_of(const char *file, const char *name)
{
	size_t n = strlen(name);
	const char *at = file + n + 1;
	char *end;
	long pid;

	if (strncmp(file, name, n) != 0 || file[n] != '.' || !isdigit((unsigned char)*at))
		return 0;
	pid = strtol(at, &end, 10);
	if (*end != '-' || !end[1] || end[1 + strspn(end + 1, "0123456789")] || pid > INT32_MAX)
		return 0;
	return (pid_t)pid;
}

void file_remove_left(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t head = (size_t)(name - path);
	char folder[4096];
	struct dirent *e;
	DIR *d;

	if (head + 2 > sizeof(folder))
		return;
	memcpy(folder, head ? path : "./", head ? head : 2);
	folder[head ? head : 2] = '\0';
	d = opendir(folder);
	while (d && (e = readdir(d))) {
		pid_t pid = writer_of(e->d_name, name);

		if (pid > 0 && kill(pid, 0) && errno == ESRCH)
			unlinkat(dirfd(d), e->d_name, 0);
	}
	if (d)
		closedir(d);
}

int file_write(
	struct files *files, const char *path, const void *data, size_t bytes, struct err *err)
{
	struct file_out out = {.files = files};

	if (file_begin(&out, path, err))
		return -1;
	file_add(&out, data, bytes);
	return file_commit(&out, err);
}
