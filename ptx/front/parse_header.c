/* The header of a PTX module: .version, then .target, then .address_size. */
#include "ptx/front/parse.h"

#include "core/base.h"

#include <string.h>

#define TARGET_LEAST 10u
#define TARGET_MOST 999u

int parse_version(struct parser *p)
{
	const char *dot;
	struct token t;

	parse_next(p);
	t = p->tok;
	dot = t.kind == TOK_F64 ? memchr(t.start, '.', t.len) : NULL;
	if (!dot || dot - t.start != 1 || t.len < 3 || t.len > 4)
		return parse_expected(p, "a version such as 7.0 (1.0 to 9.99)");
	p->module->version_major = (uint32_t)(t.start[0] - '0');
	for (const char *c = dot + 1; c < t.start + t.len; c++) {
		if (*c < '0' || *c > '9')
			return parse_expected(p, "a version such as 7.0 (1.0 to 9.99)");
		p->module->version_minor = p->module->version_minor * 10 + (uint32_t)(*c - '0');
	}
	parse_next(p);
	if (!p->module->version_major)
		return parse_error(p, ERR_UNSUPPORTED, t.pos, "the first PTX version is 1.0");
	return 0;
}

/* 90 of sm_90, sm_90a and compute_90; 0: not an architecture. */
static uint32_t architecture(const char *word)
{
	const char *c = !strncmp(word, "sm_", 3)        ? word + 3
			: !strncmp(word, "compute_", 8) ? word + 8
							: "";
	uint32_t n = 0;

	for (; *c >= '0' && *c <= '9' && n <= TARGET_MOST; c++)
		n = n * 10 + (uint32_t)(*c - '0');
	if (*c == 'a' || *c == 'f')
		c++;
	return *c || n < TARGET_LEAST || n > TARGET_MOST ? 0 : n;
}

static int read_option(struct parser *p, const char *word)
{
	static const char *const options[] = {
		"texmode_unified", "texmode_independent", "debug", "map_f64_to_f32"};
	unsigned *seen = &p->target_options;
	unsigned option = 0;
	const char *near;

	while (option < ARRAY_LEN(options) && strcmp(options[option], word) != 0)
		option++;
	if (option == ARRAY_LEN(options)) {
		near = strlen(word) < 32 ? err_nearest(word, options, ARRAY_LEN(options)) : NULL;
		return parse_error(p, ERR_INPUT, p->tok.pos,
			"`%.60s` is neither an architecture (sm_10 to sm_999) nor an option of "
			".target%s%s%s",
			word, near ? "; did you mean `" : "", near ? near : "", near ? "`?" : "");
	}
	*seen |= 1u << option;
	if ((*seen & 3) == 3)
		return parse_error(p, ERR_INPUT, p->tok.pos,
			"texmode_unified and texmode_independent are mutually exclusive");
	return 0;
}

/* One word; the module's target is the highest architecture named. */
static int read_target_word(struct parser *p)
{
	uint32_t sm;
	const char *word;

	if (p->tok.kind != TOK_NAME)
		return parse_expected(p, "a target such as sm_35");
	word = parse_word(p)->text;
	sm = architecture(word);
	if (!sm && !p->module->target)
		return parse_expected(p, "a target such as sm_35");
	if (!sm && read_option(p, word))
		return -1;
	if (sm > p->sm || (sm && !p->module->target)) {
		p->sm = sm;
		p->module->target = word;
	}
	parse_next(p);
	return 0;
}

/* .target sm_35, debug */
int parse_target(struct parser *p)
{
	struct ast_pos pos = p->tok.pos;

	do {
		parse_next(p);
		if (read_target_word(p)) {
			p->target_missed = true;
			return -1;
		}
	} while (p->tok.kind == ',');
	if (!p->second && (p->declared || p->module->address_bits))
		return parse_error(p, ERR_INPUT, pos,
			"`.target` must precede `.address_size` and the first declaration");
	return 0;
}

int parse_address_size(struct parser *p)
{
	struct ast_pos pos = p->tok.pos;

	parse_next(p);
	if (p->tok.kind != TOK_INT || (p->tok.value != 32 && p->tok.value != 64))
		return parse_expected(p, "32 or 64");
	if (p->module->address_bits && !p->second)
		return parse_error(p, ERR_INPUT, pos, "a second `.address_size`");
	if (p->declared && !p->second)
		return parse_error(
			p, ERR_INPUT, pos, "`.address_size` must precede the first declaration");
	p->module->address_bits = (unsigned)p->tok.value;
	parse_next(p);
	return 0;
}
