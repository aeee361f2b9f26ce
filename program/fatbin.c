/* Fat binaries: one for each source file, with its code for several architectures. The layout is
 * that of what nvcc (9 to 13) and clang write, little-endian:
 *
 *   header  u32 0xba55ed50, u16 version 1, u16 bytes of this header (16), u64 bytes behind it
 *   entries u16 kind (1: PTX), u16, u32 bytes of this header, u64 bytes behind it, u32 packed bytes
 *           (0: as many), u32 where the options are, u16 minor, u16 major, u32 architecture, u32,
 *           u32, u64 flags, u64, u64 unpacked bytes
 *   options of ptxas, in an entry's header: u32 where their text is, u32 its bytes
 */
#include "program/code.h"
#include "program/inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC 0xba55ed50u
#define MOST_TIMES 4096u /* no text packs better */

enum {
	HEADER_BYTES = 16,
	ENTRY_BYTES = 64,
	KIND_PTX = 1,
	FLAG_OLD_PACKING = 0x1000,
	FLAG_LZ4 = 0x2000,
	FLAG_ZSTD = 0x8000,
	MACHINE_CUDA = 190
};

struct entry {
	unsigned kind, arch;
	uint64_t flags, unpacked;
	struct extent payload, options;
};

struct reader {
	const char *path;
	unsigned newest;
	struct arena *arena;
	struct code_image *images;
	unsigned n, room;
	unsigned machine; /* architecture of a fat binary that has no PTX */
	bool runtime;     /* the toolkit's device runtime was in one */
	struct err *err;
};

static int damaged(const struct reader *r, size_t at, const char *what)
{
	return err_add(r->err, ERR_INPUT, "%s: the fat binary is damaged at byte %zu: %s", r->path,
		at, what);
}

static struct extent after(struct extent e, size_t bytes)
{
	return (struct extent){e.path, e.at + bytes, e.bytes - bytes, e.from + bytes};
}

static struct extent first(struct extent e, size_t bytes)
{
	return (struct extent){e.path, e.at, bytes, e.from};
}

/* The text of the options; empty: there are none, or they are not where they should be. */
static struct extent options_of(struct extent header)
{
	uint64_t at = read_u32(header.at + 20), text, bytes;

	if (at < ENTRY_BYTES || at + 8 > header.bytes)
		return first(header, 0);
	text = read_u32(header.at + at);
	bytes = read_u32(header.at + at + 4);
	if (text > header.bytes || bytes > header.bytes - text)
		return first(header, 0);
	return first(after(header, text), bytes);
}

/* The next entry of what is left of a fat binary. */
static int next_entry(struct reader *r, struct extent *left, struct entry *out)
{
	const unsigned char *p = left->at;
	uint64_t header, bytes, packed;

	if (left->bytes < ENTRY_BYTES)
		return damaged(r, left->from, "an entry has 64 bytes or more");
	header = read_u32(p + 4);
	bytes = read_u64(p + 8);
	packed = read_u32(p + 16);
	if (header < ENTRY_BYTES || header > left->bytes || bytes > left->bytes - header)
		return damaged(r, left->from, "an entry is longer than what holds it");
	if (packed > bytes)
		return damaged(r, left->from, "an entry's packed bytes are more than all of them");
	*out = (struct entry){.kind = read_u16(p),
		.arch = read_u32(p + 28),
		.flags = read_u64(p + 40),
		.unpacked = read_u64(p + 56),
		.payload = first(after(*left, header), packed ? packed : bytes),
		.options = options_of(first(*left, header))};
	*left = after(*left, header + bytes);
	return 0;
}

/* Whether PTX of architecture `a` is used rather than that of `b`. */
static bool is_better(unsigned a, unsigned b, unsigned newest)
{
	if (a <= newest)
		return b > newest || a > b;
	return b > newest && a < b;
}

static char *unpacked_text(struct reader *r, const struct entry *e)
{
	enum packing packing = e->flags & FLAG_ZSTD ? PACKED_ZSTD : PACKED_LZ4;
	size_t bytes = e->payload.bytes;
	char *text;

	if (e->flags & FLAG_OLD_PACKING) {
		err_add(r->err, ERR_UNSUPPORTED,
			"%s: its PTX is packed as toolkits before CUDA 9 did; build it with a "
			"newer one, or with -no-compress",
			r->path);
		return NULL;
	}
	if (!(e->flags & (FLAG_LZ4 | FLAG_ZSTD))) {
		text = arena_alloc(r->arena, bytes + 1, 1);
		memcpy(text, e->payload.at, bytes);
		return text;
	}
	if (!e->unpacked || e->unpacked / MOST_TIMES > bytes) {
		damaged(r, e->payload.from, "the unpacked size cannot be right");
		return NULL;
	}
	text = arena_alloc(r->arena, e->unpacked + 1, 1);
	return unpack(&e->payload, packing, text, e->unpacked, r->err) ? NULL : text;
}

/* The toolkit links it with all that is compiled separately. Of its functions the executor has
 * printf and assert; a call of another one is refused there. */
static bool is_device_runtime(const char *text)
{
	return strstr(text, " cnpGetParameterBufferV2") != NULL;
}

#define MAXRREGCOUNT "-maxrregcount"
#define PRAGMA ".pragma \"maxrregcount 255\";"

/* The option, 1 to 255; 0: it is not there. */
static unsigned most_registers(struct arena *arena, struct extent options)
{
	const char *text = arena_strndup(arena, (const char *)options.at, options.bytes);
	const char *at = strstr(text, MAXRREGCOUNT);
	unsigned long n = 0;

	for (; at; at = strstr(at, MAXRREGCOUNT)) {
		at += strlen(MAXRREGCOUNT);
		if (*at == '=' || *at == ' ')
			n = strtoul(at + 1, NULL, 10);
	}
	return n <= 255 ? (unsigned)n : 0;
}

/* The text with the option as a directive behind it, where no line's number changes. */
static char *limited(struct reader *r, const struct entry *e, char *text)
{
	unsigned n = text && e->options.bytes ? most_registers(r->arena, e->options) : 0;
	size_t room = n ? strlen(text) + sizeof(PRAGMA) : 0;
	char *longer;

	if (!n)
		return text;
	longer = arena_alloc(r->arena, room, 1);
	snprintf(longer, room, "%s.pragma \"maxrregcount %u\";", text, n);
	return longer;
}

static int keep(struct reader *r, const struct entry *e)
{
	char *text = limited(r, e, unpacked_text(r, e));

	if (!text)
		return -1;
	if (is_device_runtime(text)) {
		r->runtime = true;
		return 0;
	}
	if (r->n == r->room) {
		struct code_image *more = arena_alloc(r->arena, 2 * r->room + 8, sizeof(*more));

		if (r->n)
			memcpy(more, r->images, r->n * sizeof(*more));
		r->images = more;
		r->room = 2 * r->room + 8;
	}
	/* zeros fill the text up */
	r->images[r->n++] = (struct code_image){text, strlen(text), e->arch};
	return 0;
}

/* The body of one fat binary. */
static int read_one(struct reader *r, struct extent body)
{
	struct entry best = {0}, e;
	unsigned machine = 0;

	while (body.bytes) {
		if (next_entry(r, &body, &e))
			return -1;
		if (e.kind != KIND_PTX)
			machine = e.arch;
		else if (!best.kind || is_better(e.arch, best.arch, r->newest))
			best = e;
	}
	if (best.kind)
		return keep(r, &best);
	if (machine)
		r->machine = machine;
	return 0;
}

/* All fat binaries of a section, or of a file; with zeros between them. */
static int read_all(struct reader *r, struct extent left)
{
	while (left.bytes >= HEADER_BYTES) {
		uint64_t header = read_u16(left.at + 6), bytes = read_u64(left.at + 8);

		if (!read_u32(left.at)) {
			left = after(left, 4);
			continue;
		}
		if (read_u32(left.at) != MAGIC)
			return damaged(r, left.from, "it must begin with 0xba55ed50");
		if (read_u16(left.at + 4) != 1 || header < HEADER_BYTES)
			return damaged(r, left.from, "its version must be 1");
		if (header > left.bytes || bytes > left.bytes - header)
			return damaged(r, left.from, "it is longer than what holds it");
		if (read_one(r, first(after(left, header), bytes)))
			return -1;
		left = after(left, header + bytes);
	}
	return 0;
}

static bool is_elf(const unsigned char *p, size_t n)
{
	return n >= 4 && !memcmp(p, "\177ELF", 4);
}

bool code_inside(const void *data, size_t bytes)
{
	return is_elf(data, bytes) || (bytes >= 4 && read_u32(data) == MAGIC);
}

/* Code compiled separately has a section of its own; the other has what was linked of it. */
static int read_program(struct reader *r, const struct extent *file, bool *linked)
{
	struct extent code;

	if (elf_machine(file) == MACHINE_CUDA)
		return err_add(r->err, ERR_UNSUPPORTED,
			"%s: a cubin, machine code without PTX; take the program that it was "
			"built for, or make PTX (nvcc -ptx)",
			r->path);
	if (elf_section(file, "__nv_relfatbin", &code, r->err))
		return -1;
	*linked = code.bytes > 0;
	if (!*linked && elf_section(file, ".nv_fatbin", &code, r->err))
		return -1;
	if (!code.bytes)
		return err_add(r->err, ERR_INPUT,
			"%s: a program without CUDA code: it has no section .nv_fatbin", r->path);
	return read_all(r, code);
}

int code_read(const struct code_file *f, unsigned newest, struct arena *arena,
	struct code_images *out, struct err *err)
{
	struct extent file = {f->path, f->data, f->bytes, 0};
	struct reader r = {.path = f->path, .newest = newest, .arena = arena, .err = err};
	bool linked = false;

	*out = (struct code_images){0};
	if (is_elf(file.at, file.bytes) ? read_program(&r, &file, &linked) : read_all(&r, file))
		return -1;
	if (!r.n && r.machine)
		return err_add(err, ERR_UNSUPPORTED,
			"%s: machine code for sm_%u and no PTX; build it with NVCC_APPEND_FLAGS="
			"\"-gencode arch=compute_75,code=compute_75\"",
			f->path, r.machine);
	if (!r.n && !(r.runtime && f->part))
		return err_add(err, ERR_INPUT, "%s: the fat binary is empty or cut off", f->path);
	*out = (struct code_images){r.images, r.n, linked};
	return 0;
}

const char *code_name(const char *path, unsigned i, unsigned n, struct arena *arena)
{
	size_t room = strlen(path) + 16;
	char *name;

	if (n == 1)
		return path;
	name = arena_alloc(arena, room, 1);
	snprintf(name, room, "%s[%u]", path, i + 1);
	return name;
}
