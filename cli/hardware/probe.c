/* warpbeam hardware --probe: microbenchmarks, and a recording for warpbeam probe --replay. */
#include "cli/hardware/hardware.h"

#include "core/base.h"
#include "draw/number.h"
#include "runs/hardware/mirror.h"
#include "runs/hardware/verbs_driver.h"
#include "runs/probe/probe.h"
#include "runs/verbs/verbs_record.h"

#include <math.h>
#include <string.h>

/* ---- curves */
static int run_mirror(void *mirror, struct err *err)
{
	return mirror_run(mirror, err);
}

static int measure(struct laboratory *l, struct curves_bench *b, struct mirror *m, struct err *err)
{
	struct curves *c = &l->curves;
	int bad = curves_open(b, err) || mirror_leave(m, curves_memory(b), err);

	for (unsigned i = 0; i < c->n && !bad && !hardware_is_late(l); i++)
		bad = curves_measure(b, &c->at[i], err);
	return bad;
}

static int run_curves(struct laboratory *l, struct arena *arena, struct err *err)
{
	struct session *s = session_within(arena);
	struct curves_bench b = {.sms = (unsigned)l->gpu.sms, .run = run_mirror};
	struct mirror *m;
	int bad;

	s->config = config_new();
	if (!s->config)
		return err_add(err, ERR_RESOURCE, "no host memory for settings");
	b.gpu = s->gpu = gpu_new(s->config, NULL, err);
	if (!s->gpu || config_finish(s->config, err))
		return -1;
	b.ctx = m = mirror_new(&l->driver, s->gpu, NULL, &s->arena, 1);
	bad = measure(l, &b, m, err);
	mirror_free(m, err);
	session_close(s);
	curves_close(&b);
	return bad || err->count ? -1 : 0;
}

/* ---- scripts */
static void let_go(void *text)
{
	text_clear(text);
}

static void note_machine(const struct laboratory *l, struct text *out)
{
	char date[16];

	if (l->gpu.stand_in)
		text_add(out, "%s\n", VERBS_STAND_IN);
	text_add(out, "# %s, %s\n", l->gpu.name, hardware_date(date));
}

/* Verbs that begin nothing more when the command is late. */
struct timely {
	struct verbs inner;
	struct laboratory *l;
};

static int is_in_time(const struct timely *t, struct err *err)
{
	return hardware_is_late(t->l) ? err_add(err, ERR_LIMIT, "late") : 0;
}

static int timely_buffer(void *ctx, uint64_t bytes, struct err *err)
{
	const struct timely *t = ctx;

	return is_in_time(t, err) || t->inner.buffer(t->inner.ctx, bytes, err) ? -1 : 0;
}

static int timely_script(
	void *ctx, const struct verbs_script *s, uint32_t *results, struct err *err)
{
	const struct timely *t = ctx;

	return is_in_time(t, err) || t->inner.script(t->inner.ctx, s, results, err) ? -1 : 0;
}

static int timely_stride(
	void *ctx, unsigned stride, unsigned words, uint32_t *cycles, struct err *err)
{
	const struct timely *t = ctx;

	return is_in_time(t, err) || t->inner.stride(t->inner.ctx, stride, words, cycles, err) ? -1
											       : 0;
}

static int timely_forget(void *ctx, struct err *err)
{
	const struct timely *t = ctx;

	return is_in_time(t, err) || t->inner.forget(t->inner.ctx, err) ? -1 : 0;
}

/* Nothing is written of a recording that is not whole. */
static int record(struct laboratory *l, struct arena *arena, struct err *err)
{
	struct text *recorded = arena_alloc(arena, 1, sizeof(*recorded));
	struct timely t = {.l = l};
	const struct verbs v = {&t, timely_buffer, timely_script, timely_stride, timely_forget};
	struct probe_report report = {0};
	struct verbs_driver *d;
	struct verbs recording;
	int bad;

	*arena_own(arena, let_go) = recorded;
	d = verbs_driver_open(&t.inner, &l->driver, l->o->run.files, arena, err);
	recording = verbs_recorded(&v, recorded, arena);
	note_machine(l, recorded);
	bad = err->count || probe_all(&recording, PROBE_USUAL, arena, &report, err);
	if (l->late || l->interrupted)
		err_clear(err);
	verbs_driver_close(d, err);
	if (err->count)
		return -1;
	if (bad)
		return 0;
	if (output_file(l->o->run.files, l->o->record, recorded, err))
		return -1;
	json_object_set_new(l->file, "recorded", json_string(l->o->record));
	return 0;
}

static int measure_curves(struct laboratory *l, struct arena *arena, struct err *err)
{
	const struct options *o = l->o;
	unsigned measured = 0;

	curves_list(&l->curves, o->operands.at, o->all ? 0 : o->operands.n, arena);
	if (!l->curves.n)
		return err_add(err, ERR_USAGE,
			"--probe: nothing is named '%s'; there are chase, bandwidth, atomic, shared, "
			"latency, throughput",
			o->operands.at[0]);
	if (run_curves(l, arena, err))
		return -1;
	for (unsigned i = 0; i < l->curves.n; i++)
		measured += isfinite(l->curves.at[i].value) != 0;
	if (!o->all || measured == l->curves.n)
		json_object_set_new(l->file, "curves", curves_json(&l->curves));
	return 0;
}

static bool is_recorded(const struct laboratory *l)
{
	const char *name = json_string_value(json_object_get(l->file, "recorded"));

	return name && !strcmp(name, l->o->record);
}

int hardware_probe(struct laboratory *l, struct arena *arena, struct err *err)
{
	if (!json_object_get(l->file, "curves") && measure_curves(l, arena, err))
		return -1;
	if (!l->o->record || hardware_is_late(l) || is_recorded(l))
		return 0;
	return record(l, arena, err);
}

void hardware_text_curves(const struct curves *c, struct text *out)
{
	text_add(out, "\v%-11s\t%-16s\t%10s\t%7s\t%6s\t%5s\t%12s\t%s\n", "group", "of", "footprint",
		"stride", "warps", "CTAs", "value", "unit");
	for (unsigned i = 0; i < c->n; i++) {
		const struct curve *p = &c->at[i];
		char number[32];

		text_add(out, "%-11s\t%-16s\t%10s\t%7u\t%6u\t%5u\t", p->group, p->what,
			number_grouped(p->footprint, number), p->stride, p->warps, p->ctas);
		if (isfinite(p->value))
			text_add(out, "%12.3f\t%s\n", p->value, p->unit);
		else
			text_add(out, "%12s\t%s\n", "-", p->unit);
	}
}
