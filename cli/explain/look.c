/* Analyses a kernel for its explanation: blocks, live counts, strands, spills, accesses by level,
 * and its lines of CUDA-C. */
#include "cli/explain/explain.h"

#include "core/base.h"
#include "core/file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* ---- blocks: targets of branches, and what follows one */
static void begin_at(struct explained *e, uint32_t target)
{
	if (target < e->program->ninstr)
		e->block[target] = 1;
}

static void find_blocks(struct explained *e)
{
	const struct program *p = e->program;

	begin_at(e, p->entry);
	for (uint32_t i = 0; i < p->ninstr; i++) {
		const struct instr *in = &p->code[i];

		if (in->action == ACT_CALL || (in->action == ACT_BRANCH && !in->nsrc))
			begin_at(e, in->target);
		for (int64_t t = 0; in->action == ACT_BRANCH && in->nsrc && t < in->offset; t++)
			begin_at(e, p->targets[in->target + t]);
		if (in->action == ACT_BRANCH || in->action == ACT_EXIT || in->action == ACT_RET)
			begin_at(e, i + 1);
	}
	for (uint32_t i = 0; i < p->ninstr; i++)
		if (e->block[i])
			e->block[i] = ++e->nblocks;
}

/* ---- accesses, each instruction once */
static uint64_t count_of(uint64_t packed, unsigned shift)
{
	return packed >> shift & 0xffff;
}

static void add_counts(struct register_accesses *a, const struct level_counts *c)
{
	static const unsigned shift[REGISTERS_LEVELS] = {[REGISTERS_MRF] = COUNT_MRF,
		[REGISTERS_ORF] = COUNT_ORF,
		[REGISTERS_ORF_SHARED] = COUNT_ORF_SHARED,
		[REGISTERS_LRF] = COUNT_LRF};

	for (unsigned k = 0; k < REGISTERS_LEVELS; k++) {
		a->reads[k] += count_of(c->reads, shift[k]);
		a->writes[k] += count_of(c->writes, shift[k]);
	}
}

static void look_at_notes(struct explained *e)
{
	for (uint32_t i = 0; e->notes && i < e->program->ninstr; i++) {
		e->strands += e->notes[i].strand != STRAND_INSIDE;
		e->waiting += e->notes[i].strand == STRAND_WAITS;
		add_counts(&e->accesses, &e->notes[i].counts);
	}
}

void explain_look(struct explained *e, const struct program *p, const struct program *plain,
	struct arena *arena)
{
	BUG_ON(p->ninstr != plain->ninstr);
	*e = (struct explained){.program = p,
		.notes = p->levels ? p->levels->notes : NULL,
		.live = arena_alloc(arena, p->ninstr + 1, sizeof(*e->live)),
		.block = arena_alloc(arena, p->ninstr + 1, sizeof(*e->block))};
	find_blocks(e);
	program_pressure(plain, e->live, arena);
	look_at_notes(e);
	for (uint32_t i = 0; i < p->ninstr; i++) {
		e->most_live = e->live[i] > e->most_live ? e->live[i] : e->most_live;
		if (!explain_is_spill(p, i) || p->code[i].slot)
			continue;
		e->spill_loads += p->code[i].action == ACT_LOAD;
		e->spill_stores += p->code[i].action == ACT_STORE;
	}
}

void explain_slots(const struct program *p, struct text *out)
{
	text_add(out, "slots %u of %u, %u move%s, local %u bytes", p->slots, p->slot_budget,
		p->slot_moves, text_s(p->slot_moves), p->spill_bytes);
}

/* ---- CUDA-C */
void explain_split(struct explain_source *s, const char *content, struct arena *arena)
{
	char *text = arena_strdup(arena, content);
	uint32_t n = 1;

	for (const char *c = text; *c; c++)
		n += *c == '\n';
	s->line = arena_alloc(arena, n, sizeof(*s->line));
	for (char *at = text; at; s->nlines++) {
		char *end = strchr(at, '\n');

		s->line[s->nlines] = at + strspn(at, " \t");
		if (end)
			*end++ = '\0';
		at = end;
	}
}

void explain_read(
	struct explain_source *s, struct files *files, const char *path, struct arena *arena)
{
	size_t bytes;
	char *text = file_read(files, path, &bytes, ERR_INPUT, NULL);

	if (!text)
		return;
	s->path = arena_strdup(arena, path);
	s->bytes = bytes;
	explain_split(s, text, arena);
	mem_free(text);
}

/* A checkout and an installation write a folder's files in any order: so much is no change. */
#define SAME_NS 500000000

static int64_t written_ns(const struct stat *s)
{
	return s->st_mtim.tv_sec * INT64_C(1000000000) + s->st_mtim.tv_nsec;
}

/* The file that has the PTX: of "./a.out, module 1" the program. */
static int stat_ptx(const char *ptx, struct arena *arena, struct stat *out)
{
	char *program = arena_strdup(arena, ptx), *end = NULL;

	if (!stat(ptx, out))
		return 0;
	for (char *at = program; (at = strstr(at, ", module ")); at++)
		end = at;
	if (!end)
		return -1;
	*end = '\0';
	return stat(program, out);
}

/* Whether the source was written after the PTX was compiled: its lines may be others. */
static bool is_newer(const char *source, const char *ptx, struct arena *arena)
{
	struct stat s, p;

	return !stat(source, &s) && !stat_ptx(ptx, arena, &p) &&
	       written_ns(&s) > written_ns(&p) + SAME_NS;
}

/* What the PTX says of a source. */
struct compiled {
	const char *ptx;    /* its file */
	uint64_t bytes;     /* 0: unknown */
	uint32_t last_line; /* that code is from */
};

/* The last line of each file that code of the module is from. */
static const uint32_t *last_lines(const struct module *m, struct arena *arena)
{
	uint32_t *last = arena_alloc(arena, m->ncuda_files + 1, sizeof(*last));

	for (uint32_t k = 0; k < m->nkernels; k++)
		for (uint32_t i = 0; i < m->kernels[k]->nlines; i++) {
			const struct src_line *l = &m->kernels[k]->lines[i];

			if (l->cuda_file < m->ncuda_files && l->cuda_line > last[l->cuda_file])
				last[l->cuda_file] = l->cuda_line;
		}
	return last;
}

/* Why its lines are not those that were compiled; false: nothing says so. */
static bool is_other(const struct explain_source *s, const struct compiled *c, struct arena *arena,
	struct text *why)
{
	uint32_t lines = s->nlines;

	lines -= lines && !*s->line[lines - 1]; /* behind the last line's end */
	if (c->bytes && c->bytes != s->bytes)
		text_add(why, "has %" PRIu64 " bytes, what was compiled had %" PRIu64, s->bytes,
			c->bytes);
	else if (c->last_line > lines)
		text_add(why, "has %" PRIu32 " lines, the PTX is of one with line %" PRIu32, lines,
			c->last_line);
	else if (is_newer(s->path, c->ptx, arena))
		text_add(why, "is newer than the PTX");
	else
		return false;
	return true;
}

/* By its name; otherwise relative to the PTX; otherwise, by its last part only, in the folder of
 * the PTX. */
static void find_source(
	struct explain_source *s, const char *ptx, struct files *files, struct arena *arena)
{
	const char *slash = strrchr(ptx, '/'), *last = strrchr(s->name, '/');
	int folder = slash ? (int)(slash - ptx) + 1 : 0;
	size_t room = strlen(ptx) + strlen(s->name) + 1;
	char *path = arena_alloc(arena, room, 1);

	if (*s->name != '/') {
		snprintf(path, room, "%.*s%s", folder, ptx, s->name);
		explain_read(s, files, path, arena);
	}
	if (!s->line)
		explain_read(s, files, s->name, arena);
	if (!s->line && last) {
		snprintf(path, room, "%.*s%s", folder, ptx, last + 1);
		explain_read(s, files, path, arena);
	}
}

/* Lines that may be others are not shown. */
static void judge(struct explain_source *s, const struct compiled *c, struct arena *arena)
{
	struct text why = {0};

	if (!s->line) {
		s->why = "was not found: only its line numbers are shown";
		return;
	}
	if (is_other(s, c, arena, &why)) {
		text_add(&why, ": its text is not shown, only line numbers");
		s->why = arena_strdup(arena, why.failed ? "has changed" : text_str(&why));
		s->line = NULL;
		s->nlines = 0;
	}
	text_clear(&why);
}

const struct explain_source *explain_sources(
	const struct module *m, const char *ptx_path, struct files *files, struct arena *arena)
{
	struct explain_source *s = arena_alloc(arena, m->ncuda_files + 1, sizeof(*s));
	const uint32_t *last = last_lines(m, arena);

	for (uint32_t i = 0; i < m->ncuda_files; i++) {
		s[i].name = m->cuda_files[i];
		if (!s[i].name)
			continue;
		find_source(&s[i], ptx_path, files, arena);
		judge(&s[i], &(struct compiled){ptx_path, m->cuda_bytes[i], last[i]}, arena);
	}
	return s;
}

uint32_t explain_missing(const struct explain_source *s, const struct program *p, uint32_t from)
{
	for (; from < p->module->ncuda_files; from++)
		for (uint32_t i = 0; i < p->nlines && s[from].why; i++)
			if (p->lines[i].cuda_file == from)
				return from;
	return from;
}

const char *explain_cuda(const struct explained *e, uint32_t i, const char **file, uint32_t *line)
{
	const struct src_line *l = &e->program->lines[e->program->code[i].line];
	const struct explain_source *s = &e->sources[l->cuda_file];

	*file = NULL;
	*line = 0;
	if (!l->cuda_file || l->cuda_file >= e->nsources || !s->name)
		return NULL;
	*file = s->name;
	*line = l->cuda_line;
	return l->cuda_line && l->cuda_line <= s->nlines ? s->line[l->cuda_line - 1] : NULL;
}

/* ---- the hierarchy in words */
bool explain_has_cache(const struct explained *e)
{
	return e->program->levels && e->program->levels->options.kind == LEVELS_HARDWARE;
}

static void add_flag(bool set, const char *words, struct text *out)
{
	if (set)
		text_add(out, ", %s", words);
}

void explain_hierarchy(const struct levels_options *o, struct text *out)
{
	static const char *const lrf[] = {"no LRF", "an LRF", "", "an LRF for each operand slot"};

	if (!o || o->kind == LEVELS_NONE) {
		text_add(out, "none: all operands in the MRF");
		return;
	}
	if (o->kind == LEVELS_HARDWARE) {
		text_add(out, "hardware: %u RFC entries, %s, %s", o->entries, lrf[o->lrf & 3],
			o->lru ? "least recently used" : "first in, first out");
		add_flag(o->reads_allocate, "reads allocate", out);
		add_flag(!o->liveness, "no last reads", out);
		add_flag(!o->bypass, "no bypass", out);
		add_flag(!o->flush, "no flush", out);
		return;
	}
	text_add(out, "software: %u ORF entries, %s", o->entries, lrf[o->lrf & 3]);
	add_flag(!o->partial_ranges, "no partial ranges", out);
	add_flag(!o->read_operands, "no read operands", out);
	add_flag(!o->forward_branches, "blocks only", out);
	add_flag(o->one_level_writes, "one level a write", out);
	add_flag(o->lrf_dual_only, "only LRF results are also written to the MRF", out);
	add_flag(o->keep_past_branches, "kept past backward branches", out);
	add_flag(o->keep_past_waits, "kept past waits", out);
	add_flag(o->oracle_entries, "the best number of entries for each strand", out);
	add_flag(o->any_slot, "any operand reads any last result file", out);
	if (o->price_entries)
		text_add(out, ", at the price of %u", o->price_entries);
}
