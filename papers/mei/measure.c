/* The runs of the prober that rows are computed from, each in a process of its own: findings as
 * {"findings": {LEVEL: {ITEM: {"known", "value", "number"}}}, "curves": {LEVEL: {BYTES: per cent}},
 * "strides": [cycles]}. */
#include "papers/mei/mei.h"

#include "runs/json.h"
#include "runs/probe/probe.h"
#include "runs/verbs/verbs_chip.h"

#include <stdio.h>
#include <string.h>

/* ---- in the child */
static json_t *member(json_t *of, const char *name)
{
	json_t *j = json_object_get(of, name);

	if (j)
		return j;
	j = json_object();
	json_add(of, name, j);
	return j;
}

static json_t *findings_json(const struct probe_report *r)
{
	json_t *all = json_object();

	for (unsigned i = 0; i < r->n; i++) {
		const struct finding *f = &r->at[i];
		json_t *j = json_object();

		json_add(j, "known", json_boolean(f->known));
		json_add(j, "value", json_string(f->value));
		json_add(j, "number", json_number(f->number));
		json_add(member(all, f->level), f->item, j);
	}
	return all;
}

static void bytes_name(double bytes, char name[32])
{
	snprintf(name, 32, "%.0f", bytes);
}

/* The curves of cyclic passes, which have one stride each. */
static json_t *curves_json(const struct probe_report *r)
{
	json_t *all = json_object();

	for (unsigned i = 0; i < r->ndots; i++) {
		const struct probe_dot *d = &r->dots[i];
		char name[32];

		if (!strstr(d->level, PROBE_IN_PASSES))
			continue;
		bytes_name(d->footprint, name);
		json_add(member(all, d->level), name, json_number(d->missed));
	}
	return all;
}

static json_t *strides_json(const struct verbs *v, struct err *err)
{
	json_t *all = json_array();

	for (unsigned s = 0; s < MEI_STRIDES; s++) {
		uint32_t cycles = 0;

		if (v->stride(v->ctx, s, 1, &cycles, err))
			break;
		json_append(all, json_whole(cycles));
	}
	return all;
}

static int write(const struct probe_report *r, json_t *strides, struct session *s, struct err *err)
{
	json_t *j = json_object();

	json_add(j, "findings", findings_json(r));
	json_add(j, "curves", curves_json(r));
	json_add(j, "strides", strides);
	if (json_print(j, &s->out))
		return err_add(err, ERR_RESOURCE, "no host memory for the report");
	return 0;
}

static int probe(const struct trial *t, unsigned parts, const struct run_options *o,
	struct session *s, struct err *err)
{
	struct probe_report report = {0};
	struct verbs v;
	json_t *strides;

	if (session_open_machine(s, o, &t->machine, err) || verbs_of_chip(&v, s, o, err) ||
		probe_all(&v, parts, &s->arena, &report, err))
		return -1;
	strides = parts & PROBE_SHARED ? strides_json(&v, err) : json_array();
	if (!err->code)
		return write(&report, strides, s, err);
	json_decref(strides);
	return -1;
}

static int geometry(
	const struct trial *t, const struct run_options *o, struct session *s, struct err *err)
{
	return probe(t, PROBE_ALL & ~(unsigned)PROBE_SHARED, o, s, err);
}

static int patterns(
	const struct trial *t, const struct run_options *o, struct session *s, struct err *err)
{
	return probe(t, PROBE_LATENCY | PROBE_PATTERNS, o, s, err);
}

static int passes(
	const struct trial *t, const struct run_options *o, struct session *s, struct err *err)
{
	return probe(t, PROBE_L1_PASSES, o, s, err);
}

static int pages(
	const struct trial *t, const struct run_options *o, struct session *s, struct err *err)
{
	return probe(t, PROBE_TEX_PASSES | PROBE_TLB_PASSES, o, s, err);
}

static int strides(
	const struct trial *t, const struct run_options *o, struct session *s, struct err *err)
{
	return probe(t, PROBE_SHARED, o, s, err);
}

const struct point_way mei_geometry = {.name = "probe geometry", .act = geometry};
const struct point_way mei_patterns = {.name = "probe patterns", .act = patterns};
const struct point_way mei_passes = {.name = "probe passes", .act = passes};
const struct point_way mei_pages = {.name = "probe pages", .act = pages};
const struct point_way mei_strides = {.name = "probe strides", .act = strides};

/* ---- what rows read */
static const json_t *report_of(struct book *b, const struct design *d)
{
	int w = book_find(b, "probe");

	return book_report(b, (unsigned)w, d);
}

static const json_t *finding_of(
	struct book *b, const struct design *d, const char *level, const char *item)
{
	const json_t *all = json_object_get(report_of(b, d), "findings");

	return json_object_get(json_object_get(all, level), item);
}

static double number_of(const json_t *j)
{
	return json_is_number(j) ? json_number_value(j) : NAN;
}

double mei_found(struct book *b, const struct design *d, const char *level, const char *item)
{
	const json_t *f = finding_of(b, d, level, item);

	return json_is_true(json_object_get(f, "known")) ? number_of(json_object_get(f, "number"))
							 : NAN;
}

double mei_says(struct book *b, const struct design *d, const char *level, const char *item,
	const char *words)
{
	const json_t *f = finding_of(b, d, level, item);

	if (!json_is_true(json_object_get(f, "known")))
		return NAN;
	return !strcmp(json_string_value(json_object_get(f, "value")), words);
}

const char *mei_words(struct book *b, const struct design *d, const char *level, const char *item)
{
	const json_t *report = report_of(b, d), *f = finding_of(b, d, level, item);
	const char *value = json_string_value(json_object_get(f, "value"));

	if (!report)
		return NULL;
	if (!value)
		return "not determined";
	return json_is_true(json_object_get(f, "known"))
		       ? value
		       : book_words(b, "not determined: %s", value);
}

double mei_missed(struct book *b, const struct design *d, const char *level, double bytes)
{
	const json_t *all = json_object_get(report_of(b, d), "curves");
	char curve[64], name[32];

	snprintf(curve, sizeof(curve), "%s" PROBE_IN_PASSES, level);
	bytes_name(bytes, name);
	return number_of(json_object_get(json_object_get(all, curve), name));
}

double mei_cycles(struct book *b, const struct design *d, unsigned stride)
{
	const json_t *all = json_object_get(report_of(b, d), "strides");

	return number_of(json_array_get(all, stride)) / VERBS_STEPS;
}

double mei_degree(struct book *b, const struct design *d, unsigned stride)
{
	double more = mei_cycles(b, d, stride) - mei_cycles(b, d, 0);

	return 1 + round(more / mei_found(b, d, "shared memory", "latency of a further pass"));
}
