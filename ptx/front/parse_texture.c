/* Declarations of textures, samplers and surfaces: .texref, .samplerref, .surfref. */
#include "ptx/front/parse.h"

#include "core/base.h"
#include "ptx/isa/texture.h"

#include <string.h>

uint8_t parse_opaque(const struct parser *p)
{
	static const struct {
		const char *word;
		uint8_t kind;
	} table[] = {{".texref", OBJECT_TEXTURE}, {".samplerref", OBJECT_SAMPLER},
		{".surfref", OBJECT_SURFACE}, {".tex", OBJECT_TEXTURE}};

	for (size_t i = 0; i < ARRAY_LEN(table); i++)
		if (tok_is(p, table[i].word))
			return table[i].kind;
	return OBJECT_NONE;
}

#define ARRAYS "arrays of texture, sampler and surface references are not supported"

/* Reported, but not an error of the module: kernels that do not use it compile. */
static const char *not_supported(
	struct parser *p, struct ast_pos pos, const char *name, const char *why)
{
	bool wrong = p->wrong;

	parse_error(p, ERR_UNSUPPORTED, pos, "`%.200s`: %s", name, why);
	p->wrong = wrong;
	return why;
}

const char *parse_opaque_trouble(struct parser *p, const struct declarator *r)
{
	return r->ndims ? not_supported(p, r->pos, r->name->text, ARRAYS) : NULL;
}

int parse_check_opaque(struct parser *p, const struct declaration *d, const struct declarator *r)
{
	bool old = d->space == SPACE_GENERIC; /* .tex .u32 t, before PTX 1.5 */

	if (r->is_range || d->vec > 1)
		return parse_error(p, ERR_INPUT, r->pos,
			"`%.200s`: a texture, sampler or surface reference declares a single name",
			r->name->text);
	if (r->ndims && p->fn)
		return parse_error(p, ERR_UNSUPPORTED, r->pos, "`%.200s`: " ARRAYS, r->name->text);
	if (d->space == SPACE_PARAM)
		return 0;
	if (p->fn || (d->space != SPACE_GLOBAL && !old))
		return parse_error(p, ERR_INPUT, r->pos,
			"`%.200s`: texture, sampler and surface references are .global, at module "
			"scope, or parameters of a kernel",
			r->name->text);
	return 0;
}

/* ---- attributes: { addr_mode_0 = clamp_to_edge, filter_mode = linear, .. } */

struct choice {
	const char *word;
	uint8_t value;
};

static const struct choice modes[] = {
	{"clamp_to_edge", ADDRESS_CLAMP},
	{"clamp_ogl", ADDRESS_CLAMP},
	{"clamp_to_border", ADDRESS_BORDER},
	{"wrap", ADDRESS_WRAP},
	{"mirror", ADDRESS_MIRROR},
};

static const struct choice filters[] = {{"nearest", 0}, {"linear", 1}};

static int read_choice(
	struct parser *p, const struct choice *choices, size_t n, const char *what, uint8_t *out)
{
	for (size_t i = 0; i < n; i++)
		if (tok_is(p, choices[i].word)) {
			*out = choices[i].value;
			parse_next(p);
			return 0;
		}
	return parse_expected(p, what);
}

static int read_attribute(struct parser *p, struct sampler *s)
{
	static const char *const words[] = {"addr_mode_0", "addr_mode_1", "addr_mode_2",
		"filter_mode", "force_unnormalized_coords"};
	size_t which = 0;
	uint8_t linear = 0;
	uint64_t value;

	while (which < ARRAY_LEN(words) && !tok_is(p, words[which]))
		which++;
	if (which == ARRAY_LEN(words))
		return parse_expected(
			p, "addr_mode_0, _1, _2, filter_mode or force_unnormalized_coords");
	parse_next(p);
	if (parse_expect(p, '=', "`=`"))
		return -1;
	if (which < 3)
		return read_choice(p, modes, ARRAY_LEN(modes),
			"wrap, mirror, clamp_ogl, clamp_to_edge or clamp_to_border",
			&s->mode[which]);
	if (which == 3) {
		if (read_choice(p, filters, ARRAY_LEN(filters), "nearest or linear", &linear))
			return -1;
		s->linear = linear;
		return 0;
	}
	if (parse_bounded(p, "force_unnormalized_coords", 0, 1, &value))
		return -1;
	s->unnormalised = value;
	return 0;
}

int parse_attributes(struct parser *p, struct ast_symbol *symbol)
{
	struct sampler *s = arena_alloc(p->arena, 1, sizeof(*s));

	if (symbol->opaque != OBJECT_SAMPLER || symbol->trouble) {
		if (!symbol->trouble)
			symbol->trouble = not_supported(p, p->tok.pos, symbol->name,
				"only samplers have initial attributes; the host sets those of "
				"textures and surfaces");
		if (p->tok.kind != '{')
			return parse_expected(p, "`{`");
		parse_skip_block(p);
		return 0;
	}
	symbol->init = (const unsigned char *)s;
	if (parse_expect(p, '{', "`{`"))
		return -1;
	do {
		if (read_attribute(p, s))
			return -1;
	} while (parse_accept(p, ','));
	return parse_expect(p, '}', "`,` or `}`");
}
