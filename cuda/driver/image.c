/* What modules are made of: PTX, fat binaries, and what was linked. */
#include "cuda/driver/inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FATBIN_MAGIC 0xba55ed50u
#define WRAPPER_MAGIC 0x466243b1u
#define MOST_FILE (1L << 30)

/* The number in ".target sm_NN"; 0: there is none. */
static unsigned target_of(const char *ptx)
{
	const char *at = strstr(ptx, ".target");

	at = at ? strstr(at, "sm_") : NULL;
	return at ? (unsigned)strtoul(at + 3, NULL, 10) : 0;
}

/* The PTX as a fat binary's one entry; NULL: no memory. */
static unsigned char *pack(const char *ptx)
{
	size_t bytes = strlen(ptx) + 1, padded = (bytes + 7) / 8 * 8;
	const uint32_t header[] = {FATBIN_MAGIC, 1 | 16u << 16};
	const uint64_t body = 64 + padded;
	unsigned char *out = calloc(1, 16 + body), *entry = out + 16;
	const uint16_t kind[] = {1, 0x0101}, version[] = {0, 6};
	const uint32_t size = 64, arch = target_of(ptx);
	const uint64_t flags = 0x11;

	if (!out)
		return NULL;
	memcpy(out, header, 8);
	memcpy(out + 8, &body, 8);
	memcpy(entry, kind, 4);
	memcpy(entry + 4, &size, 4);
	memcpy(entry + 8, &padded, 8);
	memcpy(entry + 24, version, 4);
	memcpy(entry + 28, &arch, 4);
	memcpy(entry + 40, &flags, 8);
	memcpy(entry + 64, ptx, bytes);
	return out;
}

/* The bytes of a fat binary; 0: too many. */
static size_t fatbin_bytes(const unsigned char *from)
{
	uint16_t header;
	uint64_t body;

	memcpy(&header, from + 6, 2);
	memcpy(&body, from + 8, 8);
	return body > MOST_FILE ? 0 : header + body;
}

static unsigned char *copy_fatbin(const unsigned char *from)
{
	size_t n = fatbin_bytes(from);
	unsigned char *out = n ? malloc(n) : NULL;

	if (out)
		memcpy(out, from, n);
	return out;
}

/* Takes the bytes over. */
static int take(struct images *i, unsigned char *bytes)
{
	unsigned char **more = realloc(i->bytes, (i->n + 1) * sizeof(*more));

	if (!bytes || !more) {
		i->bytes = more ? more : i->bytes;
		free(bytes);
		return cudaErrorMemoryAllocation;
	}
	i->bytes = more;
	i->bytes[i->n++] = bytes;
	return cudaSuccess;
}

/* What nvcc's wrapper points to: a fat binary, or, in version 2, a list of those that are linked.
 */
static int add_wrapped(struct images *i, const char *wrapper)
{
	const void *inside;
	const unsigned char *const *parts;
	uint32_t version;
	int e = cudaSuccess;

	memcpy(&version, wrapper + 4, 4);
	memcpy(&inside, wrapper + 8, sizeof(inside));
	memcpy(&parts, wrapper + 16, sizeof(parts));
	if (version != 2)
		return images_add(i, inside);
	for (; parts && *parts && !e; parts++)
		e = images_add(i, *parts);
	return e;
}

static int add_linked(struct images *i, const unsigned char *linked)
{
	uint64_t n;
	int e = cudaSuccess;

	memcpy(&n, linked + 8, sizeof(n));
	linked += 16;
	for (; n && !e; n--, linked += fatbin_bytes(linked))
		e = take(i, copy_fatbin(linked));
	return e;
}

int images_add(struct images *i, const void *image)
{
	uint32_t magic;

	memcpy(&magic, image, 4);
	if (magic == WRAPPER_MAGIC)
		return add_wrapped(i, image);
	if (!memcmp(image, LINKED, 8))
		return add_linked(i, image);
	if (!memcmp(image, "\177ELF", 4)) {
		tell("a module of machine code alone cannot be loaded: PTX is needed (nvcc "
		     "-ptx or -fatbin; NVRTC's --gpu-architecture=compute_NN and nvrtcGetPTX)");
		return DRIVER_NO_BINARY;
	}
	if (magic == FATBIN_MAGIC)
		return take(i, copy_fatbin(image));
	return target_of(image) ? take(i, pack(image)) : DRIVER_INVALID_IMAGE;
}

unsigned char *images_linked(const struct images *i, size_t *n)
{
	uint64_t parts = i->n;
	unsigned char *out, *at;

	*n = 16;
	for (unsigned k = 0; k < i->n; k++)
		*n += fatbin_bytes(i->bytes[k]);
	out = malloc(*n);
	if (!out)
		return NULL;
	memcpy(out, LINKED, 8);
	memcpy(out + 8, &parts, sizeof(parts));
	at = out + 16;
	for (unsigned k = 0; k < i->n; k++) {
		memcpy(at, i->bytes[k], fatbin_bytes(i->bytes[k]));
		at += fatbin_bytes(i->bytes[k]);
	}
	return out;
}

void images_free(struct images *i)
{
	while (i->n)
		free(i->bytes[--i->n]);
	free(i->bytes);
	i->bytes = NULL;
}

enum { INFO_TEXT = 3, INFO_BYTES, ERROR_TEXT, ERROR_BYTES };

struct image_log image_log_of(unsigned n, const int *options, void **values)
{
	struct image_log log = {0};

	for (unsigned i = 0; i < n && options && values; i++)
		if (options[i] == ERROR_TEXT) {
			log.text = values[i];
		} else if (options[i] == ERROR_BYTES) {
			log.room = (uint32_t)(uintptr_t)values[i];
			log.bytes = &values[i];
		}
	return log;
}

void image_log_write(const struct image_log *log, const char *text, size_t n)
{
	if (!log->text || !log->room)
		return;
	n = n < log->room ? n : log->room - 1;
	memcpy(log->text, text, n);
	log->text[n] = '\0';
	if (log->bytes)
		*log->bytes = (void *)(uintptr_t)(n + 1);
}

int image_options(unsigned n, const int *options, void **values)
{
	if (n && (!options || !values))
		return cudaErrorInvalidValue;
	for (unsigned i = 0; i < n; i++)
		if ((options[i] == INFO_TEXT || options[i] == ERROR_TEXT) && values[i])
			*(char *)values[i] = '\0';
		else if (options[i] == INFO_BYTES || options[i] == ERROR_BYTES)
			values[i] = NULL;
	return cudaSuccess;
}

char *image_file(const char *path, size_t *bytes)
{
	FILE *f = fopen(path, "rb");
	char *out = NULL;
	long n = -1;

	if (!f)
		return NULL;
	if (!fseek(f, 0, SEEK_END))
		n = ftell(f);
	if (n >= 4 && n <= MOST_FILE && !fseek(f, 0, SEEK_SET))
		out = calloc(1, (size_t)n + 1);
	if (out && fread(out, 1, (size_t)n, f) != (size_t)n) {
		free(out);
		out = NULL;
	}
	fclose(f);
	if (bytes)
		*bytes = (size_t)n;
	return out;
}
