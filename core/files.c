/* The files that a command reads and writes. */
#include "core/files.h"

#include "core/mem.h"
#include "core/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_LINKS 40

struct files_entry {
	dev_t dev;
	ino_t ino;
	char *name; /* in the folder dev, ino, of a file that does not exist yet; NULL: the file
		       itself */
	char *path; /* as the user wrote it */
	char *what; /* what writes it; NULL: it is read */
};

/* ---- paths */
static int refuse(const char *path, int error, struct err *err)
{
	if (error == ENOMEM)
		return err_add(err, ERR_RESOURCE, "%s: no host memory to write it", path);
	return err_add(err, ERR_HOST, "%s: cannot write: %s", path, strerror(error));
}

/* The descriptor in "/dev/fd/N", or of a standard stream; -1: not an open descriptor's path. */
static int open_file(const char *path)
{
	static const char *const streams[] = {"/dev/stdin", "/dev/stdout", "/dev/stderr"};
	static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};

	for (int fd = 0; fd < 3; fd++)
		if (!strcmp(path, streams[fd]))
			return fd;
	for (unsigned i = 0; i < 2; i++) {
		size_t n = strlen(folders[i]);
		char *end;
		long fd;

		if (strncmp(path, folders[i], n) || path[n] < '0' || path[n] > '9')
			continue;
		fd = strtol(path + n, &end, 10);
		return *end || fd > INT_MAX ? -1 : (int)fd;
	}
	return -1;
}

/* The target of a link, relative paths resolved against the link's folder. */
static char *followed(const char *path)
{
	char target[PATH_MAX];
	ssize_t n = readlink(path, target, sizeof(target));
	const char *slash = strrchr(path, '/');
	struct text next = {0};
	char *copy = NULL;

	if (n <= 0 || (size_t)n == sizeof(target)) {
		errno = n < 0 ? errno : ENAMETOOLONG;
		return NULL;
	}
	if (*target != '/' && slash)
		text_bytes(&next, path, (size_t)(slash - path) + 1);
	text_bytes(&next, target, (size_t)n);
	if (!next.failed)
		copy = mem_strdup(text_str(&next));
	text_clear(&next);
	errno = copy ? 0 : ENOMEM;
	return copy;
}

/* Replaces the path by the final target of its links. 0 or an errno. */
static int follow_all(char **path)
{
	struct stat st;

	for (unsigned i = 0; !lstat(*path, &st) && S_ISLNK(st.st_mode); i++) {
		char *next;

		if (i == MOST_LINKS)
			return ELOOP;
		next = followed(*path);
		if (!next)
			return errno;
		mem_free(*path);
		*path = next;
	}
	return 0;
}

/* Checks the folder of a file that does not exist; 0 or an errno. */
static int look_at_folder(struct file_target *p)
{
	const char *folder = ".";
	int error = 0;
	char kept = '\0';

	if (!*p->name)
		return *p->path ? EISDIR : ENOENT;
	if (p->name != p->path) {
		kept = *p->name;
		p->path[p->name - p->path] = '\0';
		folder = p->path;
	}
	if (stat(folder, &p->st) || access(folder, W_OK | X_OK))
		error = errno;
	if (p->name != p->path)
		p->path[p->name - p->path] = kept;
	return error;
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static int look(struct file_target *p)
{
	int error = 0;

	p->stream = p->fd >= 0;
	if (p->stream)
		return 0;
	p->there = !stat(p->path, &p->st);
	if (!p->there && errno != ENOENT)
		return errno;
	if (p->there && S_ISDIR(p->st.st_mode))
		return EISDIR;
	p->stream = p->there && !S_ISREG(p->st.st_mode);
	if (p->stream)
		return 0;
	if (p->there && access(p->path, W_OK))
		return errno;
	error = follow_all(&p->path);
	p->name = last_part(p->path);
	return error || p->there ? error : look_at_folder(p);
}

int file_target(struct file_target *p, const char *path, struct err *err)
{
	int error;

	*p = (struct file_target){.fd = open_file(path), .path = mem_strdup(path)};
	error = p->path ? look(p) : ENOMEM;
	if (!error)
		return 0;
	file_target_clear(p);
	return refuse(path, error, err);
}

void file_target_clear(struct file_target *p)
{
	mem_free(p->path);
	p->path = NULL;
	p->name = NULL;
}

/* ---- registered files */
static bool same(const struct files_entry *a, const struct files_entry *b)
{
	if (a->dev != b->dev || a->ino != b->ino)
		return false;
	return a->name && b->name ? !strcmp(a->name, b->name) : !a->name && !b->name;
}

static void forget(struct files_entry *e)
{
	mem_free(e->name);
	mem_free(e->path);
	mem_free(e->what);
	*e = (struct files_entry){0};
}

/* Takes ownership of the entry's strings. */
static int keep(struct files *f, struct files_entry e, struct err *err)
{
	if (f->n == f->cap) {
		struct files_entry *grown = mem_grow(f->at, f->cap, f->cap * 2 + 8, sizeof(*grown));

		if (!grown) {
			forget(&e);
			return err_add(err, ERR_RESOURCE, "no host memory for the list of files");
		}
		f->at = grown;
		f->cap = f->cap * 2 + 8;
	}
	f->at[f->n++] = e;
	return 0;
}

/* Both strings may be NULL; they are copied. */
static bool copy(struct files_entry *e, const char *path, const char *what, const char *name)
{
	e->path = mem_strdup(path);
	e->what = what ? mem_strdup(what) : NULL;
	e->name = name ? mem_strdup(name) : NULL;
	if (e->path && !e->what == !what && !e->name == !name)
		return true;
	forget(e);
	return false;
}

/* ---- refusals */
static int refuse_input(
	const struct files_entry *out, const struct files_entry *in, struct err *err)
{
	bool is_open = !strcmp(out->what, out->path), alike = !strcmp(out->path, in->path);

	return err_add(err, ERR_USAGE,
		"%s%s%s: this file is read%s%s; writing it would destroy the input; name another "
		"file",
		out->what, is_open ? "" : " ", is_open ? "" : out->path, alike ? "" : ", as ",
		alike ? "" : in->path);
}

static int refuse_output(const struct files_entry *a, const struct files_entry *b, struct err *err)
{
	bool alike = !strcmp(a->path, b->path);

	return err_add(err, ERR_USAGE,
		"%s and %s: both are written to %s%s%s%s; each needs a file of its own", a->what,
		b->what, b->path, alike ? "" : " (", alike ? "" : a->path,
		alike ? "" : " is the same file)");
}

int files_read(struct files *f, const char *path, const struct stat *st, struct err *err)
{
	struct files_entry e = {.dev = st->st_dev, .ino = st->st_ino};
	const struct files_entry *out = NULL;
	bool known = false;

	for (unsigned i = 0; f && i < f->n; i++) {
		if (!same(&f->at[i], &e))
			continue;
		known |= !f->at[i].what;
		out = f->at[i].what ? &f->at[i] : out;
	}
	if (!f || (known && !out))
		return 0;
	if (!copy(&e, path, NULL, NULL))
		return err_add(err, ERR_RESOURCE, "no host memory for the list of files");
	if (out)
		refuse_input(out, &e, err);
	return (known ? (forget(&e), 0) : keep(f, e, err)) || out ? -1 : 0;
}

/* The output registered under exactly this path. */
static const struct files_entry *noted(const struct files *f, const char *path)
{
	for (unsigned i = 0; i < f->n; i++)
		if (f->at[i].what && !strcmp(f->at[i].path, path))
			return &f->at[i];
	return NULL;
}

/* Checks against all inputs, and against all outputs if it is a new one. */
static int compare(const struct files *f, const struct files_entry *e, bool is_new, struct err *err)
{
	for (unsigned i = 0; i < f->n; i++) {
		const struct files_entry *other = &f->at[i];

		if (!same(other, e))
			continue;
		if (!other->what)
			return refuse_input(e, other, err);
		if (is_new)
			return refuse_output(other, e, err);
	}
	return 0;
}

int files_write(struct files *f, const char *what, const char *path, struct err *err)
{
	const struct files_entry *before = f && !what ? noted(f, path) : NULL;
	struct files_entry e = {0};
	struct file_target p;
	bool copied;
	int bad;

	if (!f || !strcmp(path, "-"))
		return 0;
	if (file_target(&p, path, err))
		return -1;
	e.dev = p.st.st_dev;
	e.ino = p.st.st_ino;
	copied = p.stream || copy(&e, path,
				     before ? before->what
				     : what ? what
					    : "an output",
				     p.there ? NULL : p.name);
	file_target_clear(&p);
	if (!copied)
		return refuse(path, ENOMEM, err);
	if (p.stream)
		return 0;
	bad = compare(f, &e, !before, err);
	if (!bad && !before)
		return keep(f, e, err);
	forget(&e);
	return bad;
}

int files_open(struct files *f, const char *what, int fd, struct err *err)
{
	struct files_entry e = {0};
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return 0;
	if (!copy(&e, what, what, NULL))
		return err_add(err, ERR_RESOURCE, "no host memory for the list of files");
	e.dev = st.st_dev;
	e.ino = st.st_ino;
	return keep(f, e, err);
}

void files_clear(struct files *f)
{
	for (unsigned i = 0; i < f->n; i++)
		forget(&f->at[i]);
	mem_free(f->at);
	*f = (struct files){0};
}
