/* warpbeam replay cache: a trace of accesses through one cache alone. */
#include "cli/accesses.h"

#include "mem/cache_replay.h"
#include "runs/json.h"

#include <string.h>

#define SCHEMA 1

struct replay {
	const struct options *o;
	const char *path;
	struct cache_replay *r;
};

/* ---- the trace */
static int hex_digit(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = strchr(digits, c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c);

	return c && at ? (int)(at - digits) : -1;
}

static bool read_hex(const char *text, uint64_t *out)
{
	unsigned n = 0;

	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		text += 2;
	for (*out = 0; n < 16 && hex_digit(text[n]) >= 0; n++)
		*out = *out << 4 | (unsigned)hex_digit(text[n]);
	return n && !text[n];
}

/* A line of Dinero's din format: 0 reads, 1 writes, 2 fetches an instruction, which is a read. */
static int take_access(void *ctx, char *line, unsigned number, struct err *err)
{
	const struct replay *r = ctx;
	const char *address = line + 1 + strspn(line + 1, " \t");
	uint64_t at;

	if (*line < '0' || *line > '2' || address == line + 1 || !read_hex(address, &at))
		return err_add(err, ERR_INPUT,
			"%s:%u: must be '0 ADDRESS' (a read), '1 ADDRESS' (a write) or '2 "
			"ADDRESS' (an instruction's fetch), the address hexadecimal",
			r->path, number);
	if (*line == '1')
		cache_replay_write(r->r, at);
	else
		cache_replay_read(r->r, at);
	return 0;
}

/* ---- options: the short ones are settings */
static int enter_settings(struct replay *r, struct session *s, struct err *err)
{
	const struct short_setting given[] = {
		{"cache.bytes", r->o->bytes, "--bytes"},
		{"cache.ways", r->o->ways, "--ways"},
		{"cache.line_bytes", r->o->line_bytes, "--line-bytes"},
		{"cache.replacement", r->o->replacement, "--replacement"},
		{"cache.write_policy", r->o->write_policy, "--write-policy"},
	};
	const struct param_table *t = &cache_replay_params;
	int bad = session_part(s, &r->o->run, given, ARRAY_LEN(given), err);

	if (!s->config)
		return -1;
	r->r = arena_alloc(&s->arena, 1, sizeof(*r->r));
	bad |= config_load(s->config, t->prefix, t->defs, t->n, r->r, err);
	bad |= cache_replay_init(r->r, s->config, r->o->run.seed, &s->arena, err);
	return bad | config_finish(s->config, err);
}

/* ---- results */
static double rate(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

static void report_lines_of(const struct replay *r, struct text *out)
{
	const struct cache_replay *c = r->r;

	text_add(out,
		"%s: %llu bytes, %llu ways of lines of %llu bytes, %s, write-%s, "
		"%swrite-allocate\n",
		r->path, (unsigned long long)c->p.bytes, (unsigned long long)c->p.ways,
		(unsigned long long)c->p.line_bytes, c->p.replacement, c->p.write_policy,
		c->p.write_allocate ? "" : "no ");
	text_add(out, "  %-24s %12llu, misses %12llu, %.6f\n", "reads",
		(unsigned long long)c->s.reads, (unsigned long long)c->s.read_misses,
		rate(c->s.read_misses, c->s.reads));
	text_add(out, "  %-24s %12llu, misses %12llu, %.6f\n", "writes",
		(unsigned long long)c->s.writes, (unsigned long long)c->s.write_misses,
		rate(c->s.write_misses, c->s.writes));
	text_add(out, "  %-24s %12llu bytes\n", "from memory",
		(unsigned long long)c->s.bytes_from_memory);
	text_add(out, "  %-24s %12llu bytes\n", "to memory",
		(unsigned long long)c->s.bytes_to_memory);
	text_add(out, "  %-24s %12llu, and %llu at the end\n", "dirty lines written back",
		(unsigned long long)c->s.lines_given_up, (unsigned long long)c->s.lines_flushed);
}

static void add_setting(
	void *ctx, const char *path, const char *value, const struct param_def *def, bool given)
{
	(void)def;
	(void)given;
	json_add(ctx, path, json_name(value));
}

static json_t *replay_json(const struct replay *r, const struct session *s)
{
	json_t *j = json_object(), *settings = json_object(), *counts = json_object();

	config_echo(s->config, add_setting, settings);
#define ADD(T, kind, name, unit, text) json_add(counts, #name, json_whole(r->r->s.name));
	CACHE_REPLAY_STATS(ADD, )
#undef ADD
	json_add(j, "schema", json_integer(SCHEMA));
	json_add(j, "program", json_program());
	json_add(j, "trace", json_name(r->path));
	json_add(j, "fnv1a", json_hash(s->source.inputs[0].hash));
	json_add(j, "seed", json_whole(r->o->run.seed));
	json_add(j, "settings", settings);
	json_add(j, "read_miss_rate", json_number(rate(r->r->s.read_misses, r->r->s.reads)));
	json_add(j, "write_miss_rate", json_number(rate(r->r->s.write_misses, r->r->s.writes)));
	json_add(j, "counts", counts);
	return j;
}

static int write_all(const struct replay *r, struct session *s, struct err *err)
{
	const char *json = r->o->json;
	int bad = 0;

	if (json) {
		bad = json_print(replay_json(r, s), &s->out);
		if (bad)
			err_add(err, ERR_RESOURCE, "%s: no host memory for JSON", json);
		else
			bad = output_file(r->o->run.files, json, &s->out, err);
		text_clear(&s->out);
	}
	if (r->o->run.quiet || (json && !strcmp(json, "-")))
		return bad;
	report_lines_of(r, &s->out);
	return output_report(&s->out, r->o->run.uncut, err) | bad;
}

int replay_cache(const struct options *o, struct session *s, struct err *err)
{
	struct replay r = {.o = o, .path = o->operands.at[1]};
	size_t lines;
	char *text;

	if (enter_settings(&r, s, err))
		return -1;
	text = accesses_text(s, r.path, &lines, err);
	if (!text || accesses_each(text, r.path, take_access, &r, err))
		return -1;
	cache_replay_flush(r.r);
	return write_all(&r, s, err);
}
