/* The machine of a run in all reports: its name, what it was validated against, what was changed.
 */
#include "runs/report.h"

#include "draw/csv.h"
#include "runs/description.h"
#include "runs/json.h"
#include "runs/points.h"

#include <string.h>

/* Parameters named in a line; JSON has all. */
#define NAMED_MOST 4u

struct changes {
	const struct description *machine;
	const struct config *config;
	json_t *list;
};

bool report_derived(const char *origin)
{
	size_t n = strcspn(origin, " ");

	return !strchr(origin, ':') && memchr(origin, '.', n);
}

/* A setting that is not the machine's own. Those of workloads are inputs. */
static void add_change(
	void *ctx, const char *path, const char *value, const struct param_def *def, bool given)
{
	struct changes *c = ctx;
	const struct described_value *v = NULL;
	const char *set, *origin;

	(void)value;
	(void)def;
	if (!given || points_workload_of(path) ||
		!config_setting(c->config, path, 0, &set, &origin) || report_derived(origin))
		return;
	for (const struct description *d = c->machine; d && !v; d = d->before)
		v = description_value(d, path);
	if (!v || strcmp(v->place, origin))
		json_append(c->list, json_name(path));
}

json_t *report_machine(const struct description *machine, const struct config *config)
{
	struct changes c = {machine, config, json_array()};
	json_t *j = description_json(machine);

	config_echo(config, add_change, &c);
	json_add(j, "changed", c.list);
	return j;
}

static const char *word(const json_t *list, size_t i)
{
	const char *s = json_string_value(json_array_get(list, i));

	return s ? s : "";
}

void report_machine_lines(const json_t *machine, struct text *out)
{
	const char *title = json_string_value(json_object_get(machine, "title")),
		   *validated = json_string_value(json_object_get(machine, "validated"));
	const json_t *changed = json_object_get(machine, "changed");
	size_t n = json_array_size(changed);

	if (!title || !validated)
		return;
	text_add(out, "machine: %s\nvalidated against: %s", title, validated);
	for (size_t i = 0; i < n && i < NAMED_MOST; i++)
		text_add(out, "%s%s", i ? ", " : "; changed here: ", word(changed, i));
	if (n > NAMED_MOST)
		text_add(out, " and %zu more", n - NAMED_MOST);
	text_add(out, "\n");
}

void report_machine_text(
	const struct description *machine, const struct config *config, struct text *out)
{
	json_t *j = report_machine(machine, config);

	report_machine_lines(j, out);
	out->failed |= !json_is_whole();
	json_decref(j);
}

void report_machine_of(const struct report *r, struct text *out)
{
	if (r->machine)
		report_machine_text(r->machine, r->config, out);
}

static void csv_line(const char *metric, const json_t *machine, const char *key, struct text *out)
{
	const char *words = json_string_value(json_object_get(machine, key));

	text_add(out, "run,%s,", metric);
	csv_words(words ? words : "", out);
	text_add(out, ",\n");
}

void report_machine_csv(const struct report *r, struct text *out)
{
	json_t *j;

	if (!r->machine)
		return;
	j = report_machine(r->machine, r->config);
	csv_line("machine", j, "title", out);
	csv_line("validated", j, "validated", out);
	out->failed |= !json_is_whole();
	json_decref(j);
}
