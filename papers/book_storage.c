/* The storage of a design: what cases set depends on it. */
#include "papers/book_inside.h"

#include "runs/session.h"

#include <string.h>

struct book_chip {
	const char *name, *storage;
	const struct book_chip *next;
};

/* What the chip's description chooses, or its compute capability. A description with faults is
 * refused where it runs. */
static const char *described(struct book *b, const char *chip)
{
	struct run_options o = {.chips = {&chip, chip ? 1 : 0}};
	struct session *s = session_within(b->arena);
	const char *value, *origin, *storage = "partitioned";
	struct machine none = {0};
	struct err err = {0};

	if (!session_settings(s, &o, &none, &err) &&
		config_setting(s->config, "chip.storage", 0, &value, &origin))
		storage = arena_strdup(b->arena, value);
	err_clear(&err);
	session_close(s);
	return storage;
}

static const char *storage_of(struct book *b, const char *chip)
{
	struct book_chip *new;

	for (const struct book_chip *c = b->chips; c; c = c->next)
		if (!strcmp(c->name, chip))
			return c->storage;
	new = arena_alloc(b->arena, 1, sizeof(*new));
	*new = (struct book_chip){chip, described(b, chip), b->chips};
	b->chips = new;
	return new->storage;
}

const char *book_storage(struct book *b, const struct design *d)
{
	static const char setting[] = "chip.storage=";
	const char *set = strstr(d->set, setting), *at = set;

	while (at && (at = strstr(set + 1, setting)))
		set = at;
	if (!set)
		return storage_of(b, d->chip);
	set += strlen(setting);
	return arena_strndup(b->arena, set, strcspn(set, " "));
}

const char *book_for_storage(struct book *b, const struct design *d)
{
	const struct book_case *c = b->in;
	const struct {
		const char *storage, *set;
	} sets[] = {{"partitioned", c->partitioned}, {"unified", c->unified}, {"fermi", c->fermi},
		{"carveout", c->carveout}};
	const char *storage;

	if (!c->partitioned && !c->unified && !c->fermi && !c->carveout)
		return "";
	storage = book_storage(b, d);
	for (unsigned i = 0; i < ARRAY_LEN(sets); i++)
		if (!strcmp(sets[i].storage, storage))
			return sets[i].set ? sets[i].set : "";
	return "";
}
