/* warpbeam list --machines: the machines that are compiled in. */
#include "cli/command.h"

#include "runs/description.h"
#include "runs/json.h"

static void title_lines(const struct description *d, struct text *out)
{
	struct text title = {0};

	description_title(d, &title);
	text_add(out, "%s: %s\n", d->name, text_str(&title));
	out->failed |= title.failed;
	text_clear(&title);
	if (d->about)
		text_add(out, "  %s\n", d->about);
	if (d->base)
		text_add(out, "  base: %s\n", d->base->name);
	text_add(out, "  validated against: %s\n", description_validated(d));
}

static json_t *values_json(const struct description *d)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < d->nvalues; i++) {
		const struct described_value *v = &d->values[i];
		json_t *j = json_object();

		json_add(j, "path", json_name(v->path));
		json_add(j, "value", json_name(v->value));
		json_add(j, "source", json_name(v->source));
		json_add(j, "words", json_name(v->words));
		json_append(list, j);
	}
	return list;
}

static json_t *machine_json(const struct description *d)
{
	json_t *j = json_object(), *sources = json_object();

	for (unsigned i = 0; i < d->nsources; i++)
		json_add(sources, d->sources[i].key, json_name(d->sources[i].citation));
	json_add(j, "name", json_name(d->name));
	json_add(j, "title", json_name(d->title));
	json_add(j, "about", json_name(d->about));
	json_add(j, "base", json_name(d->base ? d->base->name : NULL));
	json_add(j, "validated", json_name(d->validated));
	json_add(j, "sources", sources);
	json_add(j, "settings", values_json(d));
	return j;
}

int list_machines(const struct options *o, struct session *s, struct err *err)
{
	struct source source = {.arena = &s->arena, .directory = ".", .files = o->run.files};
	json_t *j = json_object(), *list = json_array();
	int bad = 0;

	for (const struct machine_text *m = machine_texts; m->name && !bad; m++) {
		const struct description *d = description_read(m->name, &source, err);

		bad = !d;
		if (d)
			json_append(list, machine_json(d));
		if (d && !o->json)
			title_lines(d, &s->out);
	}
	json_add(j, "program", json_program());
	json_add(j, "machines", list);
	if (bad || !o->json) {
		json_decref(j);
		return bad ? -1 : output_report(&s->out, o->run.uncut, err);
	}
	if (json_print(j, &s->out))
		return err_add(err, ERR_RESOURCE, "%s: no host memory for JSON", o->json);
	return output_file(o->run.files, o->json, &s->out, err);
}
