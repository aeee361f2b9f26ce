/* Descriptions of machines: their settings in a configuration, their words in reports. */
#include "runs/description.h"

#include "runs/json.h"
#include "runs/output.h"

#include <string.h>

static bool is_default(const struct description *d)
{
	return !d->base && !strcmp(d->name, DESCRIPTION_DEFAULT);
}

/* `over`: on top of another machine. */
static int enter(const struct description *d, bool over, struct config *config, struct err *err)
{
	if (d->base && enter(d->base, over, config, err))
		return -1;
	if (is_default(d) && !over)
		return 0;
	config_layer(config);
	for (unsigned i = 0; i < d->nvalues; i++)
		if (config_set(
			    config, d->values[i].path, d->values[i].value, d->values[i].place, err))
			return -1;
	return 0;
}

int description_enter(const struct description *d, struct config *config, struct err *err)
{
	return enter(d, d->before != NULL, config, err);
}

int description_take(
	const char *name, struct source *source, struct config *config, struct err *err)
{
	const struct description *read = description_read(name, source, err);
	struct description *d;

	if (!read)
		return -1;
	d = arena_alloc(source->arena, 1, sizeof(*d));
	*d = *read;
	d->before = source->machine;
	source->machine = d;
	return description_enter(d, config, err);
}

const struct described_value *description_value(const struct description *d, const char *path)
{
	for (; d; d = d->base)
		for (unsigned i = 0; i < d->nvalues; i++)
			if (!strcmp(d->values[i].path, path))
				return &d->values[i];
	return NULL;
}

/* What a machine without a title changes. */
static const struct description *changed(const struct description *d)
{
	return d->base ? d->base : d->before;
}

void description_title(const struct description *d, struct text *out)
{
	if (d->title) {
		text_raw(out, "%s", d->title);
		return;
	}
	if (changed(d))
		description_title(changed(d), out);
	else
		text_raw(out, "the defaults");
	text_raw(out, ", changed by %s", d->name);
}

const char *description_validated(const struct description *d)
{
	return d->validated ? d->validated : "nothing";
}

/* ---- what several machines override */
#define TOLD_MOST 6u

struct overriding {
	struct text words;
	unsigned n;
};

/* The value that the machines before it gave the path; NULL: none did. */
static const struct described_value *earlier(const struct description *d, const char *path)
{
	const struct described_value *v = NULL;

	for (d = d->before; d && !v; d = d->before)
		v = description_value(d, path);
	return v;
}

static void note_overridden(struct overriding *o, const struct description *d)
{
	for (const struct description *part = d; part; part = part->base)
		for (unsigned i = 0; i < part->nvalues; i++) {
			const struct described_value *v = &part->values[i],
						     *old = earlier(d, v->path);

			if (!old || v != description_value(d, v->path) ||
				!strcmp(old->value, v->value))
				continue;
			if (o->n++ < TOLD_MOST)
				text_add(&o->words, "%s%s = %s (%s: %s)", o->n > 1 ? ", " : "",
					v->path, v->value, old->place, old->value);
		}
}

int description_tell_overridden(
	const struct string_list *names, struct source *source, struct err *err)
{
	const struct description *all = NULL, *read;
	struct overriding o = {0};
	struct err wrong = {0};

	for (unsigned i = 0; i < names->n; i++) {
		struct description *d = arena_alloc(source->arena, 1, sizeof(*d));

		read = description_read(names->at[i], source, &wrong);
		if (!read) {
			err_move(err, &wrong);
			return -1;
		}
		err_clear(&wrong); /* the run reports them */
		*d = *read;
		d->before = all;
		all = d;
	}
	for (const struct description *d = all; d && d->before; d = d->before)
		note_overridden(&o, d);
	if (o.n > TOLD_MOST)
		text_add(&o.words, " and %u more", o.n - TOLD_MOST);
	if (o.n && !o.words.failed)
		output_note("note: --chip: later chips override %u value%s of earlier ones: %s",
			o.n, text_s(o.n), text_str(&o.words));
	text_clear(&o.words);
	return 0;
}

/* ---- JSON */
json_t *description_json(const struct description *d)
{
	json_t *j = json_object(), *bases = json_array();
	struct text title = {0};

	description_title(d, &title);
	if (title.failed)
		mem_lose();
	for (const struct description *base = d->base; base; base = base->base)
		json_append(bases, json_name(base->name));
	for (const struct description *before = d->before; before; before = before->before)
		json_append(bases, json_name(before->name));
	json_add(j, "name", json_name(d->name));
	json_add(j, "title", title.failed ? NULL : json_name(text_str(&title)));
	json_add(j, "validated", json_name(description_validated(d)));
	json_add(j, "changes", bases);
	text_clear(&title);
	return j;
}
