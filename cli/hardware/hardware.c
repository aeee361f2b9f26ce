/* warpbeam hardware: workloads and scenarios on a real GPU, beside the executor. */
#include "cli/hardware/hardware.h"

#include "core/base.h"
#include "runs/json.h"
#include "runs/results.h"
#include "runs/work.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

const char *hardware_library(const struct options *o)
{
	return o->driver ? o->driver : getenv("WARPBEAM_DRIVER");
}

char *hardware_date(char *out)
{
	time_t now = time(NULL);
	struct tm day;

	if (!localtime_r(&now, &day) || !strftime(out, 16, "%Y-%m-%d", &day))
		strcpy(out, "unknown");
	return out;
}

/* ---- before the runs */
static int check(const struct options *o, struct err *err)
{
	int bad = 0;

	if (o->out && !strcmp(o->out, "-"))
		bad = err_add(err, ERR_USAGE, "--out needs a file, not stdout");
#ifndef HAVE_SQLITE
	if (o->out)
		bad = err_add(err, ERR_HOST, "--out %s: this build is without SQLite", o->out);
#endif
	for (unsigned i = 0; i < o->operands.n && !o->forms; i++)
		bad |= work_admit(o->operands.at[i], &o->run, err);
	return bad;
}

/* Those named; none: all workloads. */
static struct string_list targets_of(const struct options *o, struct arena *arena)
{
	struct string_list all = {0};
	unsigned n = 0;

	if (o->operands.n)
		return o->operands;
	while (plugins[n])
		n++;
	all.at = arena_alloc(arena, n, sizeof(*all.at));
	for (unsigned i = 0; i < n; i++)
		if (!strcmp(plugins[i]->kind, "workload"))
			all.at[all.n++] = plugins[i]->name;
	return all;
}

/* ---- the runs */
/* After an error of the driver its context serves no more calls. */
static int renew(struct laboratory *l, enum err_code code, struct err *err)
{
	bool whole = code == ERR_NONE || code == ERR_CHECK || code == ERR_UNSUPPORTED;

	return whole ? 0 : driver_renew(&l->driver, err);
}

static void tell(const struct hardware_result *r, struct err *wrong, struct err *err)
{
	const char *line = err_text(wrong);

	for (unsigned i = 0; i < wrong->lines; i++) {
		size_t n = strcspn(line, "\n");

		err_add(err, wrong->code, "%s: %.*s", r->target, (int)n, line);
		line += n + (line[n] == '\n');
	}
}

static int run_targets(struct laboratory *l, struct arena *arena, struct err *err)
{
	const struct options *o = l->o;
	struct err failed = {0};

	l->targets = targets_of(o, arena);
	l->results = arena_alloc(arena, l->targets.n, sizeof(*l->results));
	for (l->n = 0; l->n < l->targets.n && !err->count; l->n++) {
		struct hardware_result *r = &l->results[l->n];
		struct err wrong = {0};

		*r = (struct hardware_result){
			.target = l->targets.at[l->n], .repeats = (unsigned)o->repeat};
		if (hardware_run(&l->driver, &o->run, arena, r, &wrong))
			tell(r, &wrong, &failed);
		err_clear(&wrong);
		json_append(json_object_get(l->file, "targets"), hardware_json(r, &o->run.set));
		if (l->n + 1 < l->targets.n)
			renew(l, r->code, err);
	}
	err_move(err, &failed);
	return err->count ? -1 : 0;
}

static int run_parts(struct laboratory *l, struct arena *arena, struct err *err)
{
	return l->o->forms ? hardware_forms(l, arena, err) : run_targets(l, arena, err);
}

/* ---- after them */
static void write_database(const struct laboratory *l, struct err *err)
{
	static const struct results_kind kind = {"warpbeam hardware", 0x77626877 /* "wbhw" */};
	json_t *tables = hardware_tables(l->file);

	if (!json_is_whole())
		err_add(err, ERR_RESOURCE, "no host memory for the tables");
	else
		results_tables(l->o->run.files, l->o->out, &kind, tables, err);
	json_decref(tables);
}

/* Files first: the reader of stdout may close it early. */
static void write_reports(const struct laboratory *l, struct text *out, struct err *err)
{
	const struct options *o = l->o;

	if (o->json) {
		if (json_print(json_incref(l->file), out))
			err_add(err, ERR_RESOURCE, "%s: no host memory for JSON", o->json);
		else
			output_file(o->run.files, o->json, out, err);
		text_clear(out);
	}
	if (o->out)
		write_database(l, err);
	if (o->run.quiet || (o->json && !strcmp(o->json, "-")))
		return;
	hardware_text_gpu(&l->gpu, o->locked, out);
	if (o->forms)
		hardware_text_forms(&l->forms, out);
	else
		hardware_text(l->results, l->n, out);
	output_text(out, err);
}

static void close_driver(void *driver)
{
	struct err ignored = {0};

	driver_close(driver, &ignored);
	err_clear(&ignored);
}

static void let_go(void *json)
{
	json_decref(json);
}

static json_t *begin_file(const struct laboratory *l)
{
	char date[16];
	json_t *j = hardware_head(&l->gpu, hardware_date(date), l->o->locked);

	json_add(j, "seed", json_whole(l->o->run.seed));
	json_add(j, "targets", json_array());
	return j;
}

int command_hardware(const struct options *o, struct session *s, struct err *err)
{
	struct laboratory *l = arena_alloc(&s->arena, 1, sizeof(*l));
	void **kept = arena_own(&s->arena, let_go);
	struct err wrong = {0}, close = {0};

	l->o = o;
	if (check(o, err))
		return -1;
	*arena_own(&s->arena, close_driver) = &l->driver;
	if (driver_open(&l->driver, hardware_library(o), (int)o->gpu_number, err))
		return -1;
	l->gpu = l->driver.gpu;
	*kept = l->file = begin_file(l);
	run_parts(l, &s->arena, &wrong);
	driver_close(&l->driver, wrong.count ? &wrong : &close);
	write_reports(l, &s->out, err);
	err_move(&wrong, &close);
	err_move(&wrong, err);
	err_move(err, &wrong);
	return err->count ? -1 : 0;
}
