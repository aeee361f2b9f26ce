/* The text of a scenario that is written from a recording. */
#include "runs/cuda/edit_inside.h"

#ifdef HAVE_CUDA

#include "runs/cuda/blobs.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define MARK '\1'        /* around an address in the text */
#define MOST_FIELDS 1024 /* of one content: the others' bytes are right, too */

int edit_no_memory(struct edit *e)
{
	return err_add(e->err, ERR_RESOURCE, "no host memory for a scenario");
}

int edit_refuse(struct edit *e, const char *format, ...)
{
	struct text what = {0};
	va_list args;

	if (e->err->count)
		return -1;
	va_start(args, format);
	text_vadd(&what, format, args);
	va_end(args);
	err_add(e->err, ERR_UNSUPPORTED, "%s: a scenario cannot hold it: %s", e->server->run.play,
		text_str(&what));
	text_clear(&what);
	return -1;
}

int edit_file(struct edit *e, const char *name, const void *data, size_t n)
{
	struct text path = {0};
	int bad;

	text_raw(&path, "%s/%s", e->folder, name);
	bad = path.failed ? edit_no_memory(e) : blobs_write_file(text_str(&path), data, n, e->err);
	text_clear(&path);
	return bad;
}

/* ---- addresses */
void edit_address(struct text *out, enum edit_key key, uint64_t address)
{
	text_raw(out, "%c%u %" PRIx64 "%c", MARK, (unsigned)key, address, MARK);
}

void edit_fields(const struct edit *e, const unsigned char *bytes, uint64_t n, struct text *out)
{
	unsigned seen = 0;

	for (uint64_t at = 0; at + 8 <= n && seen < MOST_FIELDS; at += 8) {
		uint64_t v;

		memcpy(&v, bytes + at, sizeof(v));
		if (!v || !cuda_block_at(e->server, v, 1))
			continue;
		text_raw(out, "%s{at: %" PRIu64 ", ", seen++ ? ", " : "", at);
		edit_address(out, EDIT_BUFFER, v);
		text_raw(out, "}");
	}
}

static const struct edit_region *region_at(const struct edit *e, uint64_t address)
{
	for (unsigned i = 0; i < e->nregions; i++)
		if (address - e->regions[i].address < e->regions[i].bytes)
			return &e->regions[i];
	return NULL;
}

static void add_name(const struct edit_region *r, struct text *out)
{
	text_raw(out, "%s%lu", r->variable ? "v" : "b", r->number);
}

void edit_named(const struct edit *e, const struct text *from, struct text *out)
{
	static const char *const keys[][2] = {
		{"buffer", "offset"}, {"write", "offset"}, {"copy", "offset"}, {"to", "to_offset"}};
	const char *at = text_str(from), *mark;

	for (; (mark = strchr(at, MARK)); at = strchr(mark + 1, MARK) + 1) {
		char *rest;
		unsigned long key = strtoul(mark + 1, &rest, 10);
		uint64_t address = strtoull(rest, NULL, 16);
		const struct edit_region *r = region_at(e, address);

		text_bytes(out, at, (size_t)(mark - at));
		text_raw(out, "%s: ", keys[key][0]);
		add_name(r, out);
		if (address != r->address)
			text_raw(out, ", %s: %" PRIu64, keys[key][1], address - r->address);
	}
	text_raw(out, "%s", at);
	out->failed |= from->failed;
}

/* ---- sections */
/* What the whole region holds before the first launch, or NULL. */
static const struct edit_content *content_of(const struct edit *e, const struct edit_region *r)
{
	for (unsigned i = 0; i < e->first.n; i++)
		if (e->first.all[i].address == r->address && e->first.all[i].bytes == r->bytes)
			return &e->first.all[i];
	return NULL;
}

static void add_fields(const struct edit *e, const struct edit_content *c, struct text *out)
{
	if (!c->fields.len)
		return;
	text_raw(out, ",\n      fields: [");
	edit_named(e, &c->fields, out);
	text_raw(out, "]");
}

static void add_buffer(const struct edit *e, const struct edit_region *r, struct text *out)
{
	const struct edit_content *c = content_of(e, r);

	text_raw(out, "  ");
	add_name(r, out);
	if (c && *c->file)
		text_raw(out, ": { file: %s", c->file);
	else
		text_raw(out, ": { bytes: %" PRIu64, r->bytes);
	text_raw(out, ", address: 0x%" PRIx64, r->address);
	if (c)
		add_fields(e, c, out);
	text_raw(out, " }\n");
}

/* The module whose variable it is. */
static void add_variable(const struct edit *e, const struct edit_region *r, struct text *out)
{
	const struct gpu *g = e->server->gpu;
	const char *name = gpu_buffer_name(g, r->variable);
	module_t m = 1;

	while (m < e->nmodules && gpu_variable(g, m, name) != r->variable)
		m++;
	text_raw(out, "  ");
	add_name(r, out);
	text_raw(out, ": { module: [%s], name: \"%s\" }\n", text_str(&e->modules[m - 1]), name);
}

static void add_memory(const struct edit *e, bool variables, struct text *out)
{
	const char *title = variables ? "variables:\n" : "buffers:\n";

	for (unsigned i = 0; i < e->nregions; i++) {
		const struct edit_region *r = &e->regions[i];

		if (!r->variable == variables)
			continue;
		text_raw(out, "%s", title);
		title = "";
		if (variables)
			add_variable(e, r, out);
		else
			add_buffer(e, r, out);
	}
}

/* Contents that are not a buffer's own. */
static void add_first_writes(const struct edit *e, struct text *out)
{
	for (unsigned i = 0; i < e->first.n; i++) {
		const struct edit_content *c = &e->first.all[i];
		const struct edit_region *r = region_at(e, c->address);
		struct text step = {0};

		if (!r->variable && (!*c->file || content_of(e, r)))
			continue;
		text_raw(&step, "  - { ");
		edit_address(&step, EDIT_WRITE, c->address);
		if (*c->file)
			text_raw(&step, ", file: %s", c->file);
		else
			text_raw(&step, ", bytes: %" PRIu64, c->bytes);
		edit_named(e, &step, out);
		add_fields(e, c, out);
		text_raw(out, " }\n");
		text_clear(&step);
	}
}

static void add_checks(const struct edit *e, struct text *out)
{
	if (e->last.n)
		text_raw(out, "checks:\n");
	for (unsigned i = 0; i < e->last.n; i++) {
		const struct edit_content *c = &e->last.all[i];
		struct text check = {0};

		text_raw(&check, "  - { ");
		edit_address(&check, EDIT_BUFFER, c->address);
		if (*c->file)
			text_raw(&check, ", equals: { file: %s } }\n", c->file);
		else
			text_raw(&check, ", equals: { bytes: %" PRIu64 " } }\n", c->bytes);
		edit_named(e, &check, out);
		text_clear(&check);
	}
}

int edit_scenario(struct edit *e)
{
	struct text out = {0};
	int bad;

	text_raw(&out, "# %u launch%s of a recording.\n", e->nlaunches,
		e->nlaunches == 1 ? "" : "es");
	add_memory(e, false, &out);
	add_memory(e, true, &out);
	edit_add_textures(e, &out);
	text_raw(&out, "launches:\n");
	add_first_writes(e, &out);
	edit_named(e, &e->steps, &out);
	add_checks(e, &out);
	bad = out.failed ? edit_no_memory(e)
			 : edit_file(e, "scenario.yaml", text_str(&out), out.len);
	text_clear(&out);
	return bad;
}

#endif
