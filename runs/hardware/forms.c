/* Forms on a real GPU: units in modules, of which the compiler refuses some and the GPU fails some.
 */
#include "runs/hardware/forms.h"

#include "core/base.h"
#include "runs/hardware/form_spellings.h"
#include "runs/hardware/forms_inside.h"

#include <stdlib.h>
#include <string.h>

const char *const form_state_names[] = {[FORM_NOT_RUN] = "not run",
	[FORM_EQUAL] = "equal",
	[FORM_IN_BOUND] = "within the bound",
	[FORM_OPEN_ONLY] = "differs where PTX says nothing",
	[FORM_UNEQUAL] = "differs",
	[FORM_REFUSED] = "refused by the driver's compiler",
	[FORM_FAILED] = "failed"};

/* ---- units */
struct listing {
	struct forms *f;
	struct arena *arena;
	const char *const *words;
	unsigned nwords, most;
};

static bool is_wanted(const struct listing *l, const char *spelling)
{
	for (unsigned i = 0; i < l->nwords; i++)
		if (!strncmp(spelling, l->words[i], strlen(l->words[i])))
			return true;
	return !l->nwords;
}

static struct form_unit *add_unit(struct listing *l)
{
	struct forms *f = l->f;

	if (f->n == l->most) {
		unsigned most = l->most ? 2 * l->most : 256;
		struct form_unit *grown = arena_alloc(l->arena, most, sizeof(*grown));

		if (f->n)
			memcpy(grown, f->unit, f->n * sizeof(*grown));
		f->unit = grown;
		l->most = most;
	}
	return &f->unit[f->n++];
}

/* Cube maps have no mirror on a GPU. */
static bool is_cube(const char *spelling)
{
	return strstr(spelling, ".cube.") || strstr(spelling, ".acube.");
}

static void add_spelling(void *ctx, const char *spelling)
{
	struct listing *l = ctx;
	char why[FORM_WHY];
	struct form_match m;
	bool unsupported;
	const char *copy;
	unsigned places;

	if (!is_wanted(l, spelling))
		return;
	BUG_ON(form_match(spelling, &m, why, sizeof(why), &unsupported));
	if (!form_is_shown(&m) || m.action == ACT_MATRIX || is_cube(spelling))
		return;
	copy = arena_strdup(l->arena, spelling);
	places = form_places(spelling, &m);
	for (unsigned i = 0; i < places; i++)
		*add_unit(l) = (struct form_unit){
			.spelling = copy, .m = m, .place = i, .rule = form_rule_of(copy)};
}

static void add_pattern(void *ctx, const char *pattern, const char *operands, const char *text)
{
	(void)operands;
	(void)text;
	form_spellings(pattern, add_spelling, ctx);
}

void forms_list(struct forms *f, const char *const *words, unsigned n, struct arena *arena)
{
	struct listing l = {.f = f, .arena = arena, .words = words, .nwords = n};

	f->unit = NULL;
	f->n = f->modules = 0;
	form_list(add_pattern, &l);
}

bool form_has_places(const struct form_unit *u)
{
	return form_places(u->spelling, &u->m) > 1;
}

unsigned forms_count(const struct forms *f, enum form_state state)
{
	unsigned n = 0;

	for (unsigned i = 0; i < f->n; i++)
		n += f->unit[i].state == state;
	return n;
}

/* ---- modules */
/* What the textures of a module must be; units of one module agree in it. */
static unsigned shape_of(const struct form_unit *u)
{
	static const char *const geometries[] = {".1d.", ".2d.", ".3d.", ".a1d.", ".a2d."};
	unsigned shape = 0;

	if (!forms_use_textures(u))
		return 0;
	for (unsigned i = 0; i < ARRAY_LEN(geometries); i++)
		if (strstr(u->spelling, geometries[i]))
			shape = 1 + i;
	if (u->m.action != ACT_TEXTURE)
		return 100 + shape;
	shape += strstr(u->spelling, ".v4.f32") ? 10 : strstr(u->spelling, ".v4.s32") ? 20 : 30;
	return shape + (strcmp(u->spelling + strlen(u->spelling) - 4, ".s32") ? 0 : 50);
}

/* What changes texels is alone: others would see its texels. */
static bool is_alone(const struct form_unit *u)
{
	return u->m.action == ACT_SURFACE;
}

/* The units from `first` on that have not run and fit one module; the next one's index. */
static unsigned gather(struct forms *f, unsigned first, struct batch *b)
{
	unsigned i = first;

	b->n = 0;
	for (; i < f->n && b->n < FORM_BATCH; i++) {
		struct form_unit *u = &f->unit[i];

		if (u->state != FORM_NOT_RUN)
			continue;
		if (b->n && (shape_of(u) != b->shape || is_alone(u)))
			break;
		b->shape = shape_of(u);
		b->unit[b->n++] = u;
		if (is_alone(u))
			return i + 1;
	}
	return i;
}

static void mark(struct batch *b, enum form_state state, const char *message)
{
	for (unsigned i = 0; i < b->n; i++) {
		b->unit[i]->state = state;
		b->unit[i]->message = arena_strndup(b->arena, message, strcspn(message, "\n"));
	}
}

static int run_batch(struct batch *b, struct err *err);

/* Both halves by themselves: one of them has what is wrong. */
static int halve(struct batch *b, struct err *err)
{
	struct batch half = *b;

	half.n = b->n / 2;
	if (run_batch(&half, err))
		return -1;
	half = *b;
	half.n = b->n - b->n / 2;
	memmove(half.unit, b->unit + b->n / 2, half.n * sizeof(*half.unit));
	return run_batch(&half, err);
}

/* The number after "line " in a line of the compiler's log; 0: it has none. */
static unsigned line_number(const char *line, size_t n)
{
	for (size_t i = 0; i + 5 < n; i++)
		if (!strncmp(line + i, "line ", 5))
			return (unsigned)strtoul(line + i + 5, NULL, 10);
	return 0;
}

/* Marks the units that the log names by their lines; whether there was one. */
static bool refuse_named(struct batch *b, const char *log)
{
	bool found = false;

	for (const char *at = log; *at;) {
		size_t n = strcspn(at, "\n");
		unsigned line = line_number(at, n);

		for (unsigned i = 0; i < b->n && line; i++) {
			struct form_unit *u = b->unit[i];

			if (line < u->first_line || line >= u->first_line + u->lines ||
				u->state != FORM_NOT_RUN)
				continue;
			u->state = FORM_REFUSED;
			u->message = arena_strndup(b->arena, at, n);
			found = true;
		}
		at += n + (at[n] == '\n');
	}
	return found;
}

static void drop_marked(struct batch *b)
{
	unsigned n = 0;

	for (unsigned i = 0; i < b->n; i++)
		if (b->unit[i]->state == FORM_NOT_RUN)
			b->unit[n++] = b->unit[i];
	b->n = n;
}

/* Compiles until nothing is refused any more. 1: all that is left is accepted; 0: nothing is left;
 * -1 with a message. */
static int admit(struct batch *b, struct err *err)
{
	while (b->n) {
		struct err wrong = {0};
		enum err_code code;

		forms_write(b);
		if (!forms_load(b, &wrong))
			return 1;
		code = wrong.code;
		if (code != ERR_INPUT) {
			err_move(err, &wrong);
			return -1;
		}
		if (refuse_named(b, b->log)) {
			drop_marked(b);
		} else if (b->n == 1) {
			mark(b, FORM_REFUSED, *b->log ? b->log : err_text(&wrong));
			b->n = 0;
		} else {
			err_clear(&wrong);
			return halve(b, err);
		}
		err_clear(&wrong);
	}
	return 0;
}

static int run_batch(struct batch *b, struct err *err)
{
	struct err wrong = {0};
	int more = admit(b, err);

	if (more != 1)
		return more;
	b->forms->modules++;
	if (!forms_execute(b, &wrong))
		return 0;
	if (wrong.code != ERR_FAULT && wrong.code != ERR_RESOURCE &&
		wrong.code != ERR_UNSUPPORTED) {
		err_move(err, &wrong);
		return -1;
	}
	if (b->n == 1)
		mark(b, FORM_FAILED, err_text(&wrong));
	more = wrong.code == ERR_FAULT ? driver_renew(b->d, err) : 0;
	err_clear(&wrong);
	return more ? -1 : b->n > 1 ? halve(b, err) : 0;
}

static void let_go(void *text)
{
	text_clear(text);
}

int forms_run(struct driver *d, struct forms *f, const struct forms_stop *stop, struct arena *arena,
	struct err *err)
{
	struct batch *b = arena_alloc(arena, 1, sizeof(*b));
	struct text *text = arena_alloc(arena, 1, sizeof(*text));
	char *log = arena_alloc(arena, FORM_LOG_BYTES, 1);

	*arena_own(arena, let_go) = text;
	for (unsigned i = 0; i < f->n && !(stop && stop->now(stop->ctx));) {
		*b = (struct batch){.d = d, .forms = f, .arena = arena, .text = text, .log = log};
		i = gather(f, i, b);
		if (b->n && run_batch(b, err))
			return -1;
	}
	return 0;
}
