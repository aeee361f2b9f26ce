/* warpbeam hardware: workloads and scenarios on a real GPU, beside the executor. */
#include "cli/hardware/hardware.h"

#include "core/base.h"
#include "core/file.h"
#include "runs/hardware/kernel_pairs.h"
#include "runs/json.h"
#include "runs/results/results.h"
#include "runs/work.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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
	if (o->all && (!o->json || !strcmp(o->json, "-")))
		bad = err_add(err, ERR_USAGE, "--all needs --json FILE, from which it continues");
	if (o->all + o->forms + o->probe > 1)
		bad = err_add(err, ERR_USAGE, "--all, --forms and --probe exclude each other");
	for (unsigned i = 0; i < o->operands.n && !o->forms && !o->probe; i++)
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

/* What runs on a GPU ends first: SIGINT and SIGTERM are kept until they are looked for. Those that
 * the caller ignores stay ignored. */
static const int signals[] = {SIGINT, SIGTERM};

static void keep_signals(void)
{
	struct sigaction how;
	sigset_t kept;

	sigemptyset(&kept);
	for (unsigned i = 0; i < ARRAY_LEN(signals); i++)
		if (!sigaction(signals[i], NULL, &how) && how.sa_handler != SIG_IGN)
			sigaddset(&kept, signals[i]);
	sigprocmask(SIG_BLOCK, &kept, NULL);
}

static bool is_interrupted(struct laboratory *l)
{
	sigset_t came;

	sigemptyset(&came);
	sigpending(&came);
	for (unsigned i = 0; i < ARRAY_LEN(signals); i++)
		l->interrupted |= sigismember(&came, signals[i]) == 1;
	return l->interrupted;
}

bool hardware_is_late(struct laboratory *l)
{
	struct timespec now = {0};

	if (is_interrupted(l))
		return true;
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (l->deadline_s > 0 && (double)now.tv_sec + 1e-9 * (double)now.tv_nsec >= l->deadline_s)
		l->late = true;
	return l->late;
}

static bool same_settings(const json_t *set, const struct string_list *list)
{
	bool same = json_array_size(set) == list->n;

	for (unsigned i = 0; i < list->n && same; i++) {
		const char *text = json_string_value(json_array_get(set, i));

		same = text && !strcmp(text, list->at[i]);
	}
	return same;
}

/* Whether the file has results of the target at the size with these settings, of an earlier
 * command. */
static bool has_target(const struct laboratory *l, const char *target, const struct run_options *o)
{
	const json_t *list = json_object_get(l->file, "targets");

	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *t = json_array_get(list, i);
		const char *name = json_string_value(json_object_get(t, "target"));
		const char *of = json_string_value(json_object_get(t, "size"));

		if (name && !strcmp(name, target) &&
			(!of || !strcmp(of, o->size ? "full" : "small")) &&
			same_settings(json_object_get(t, "set"), &o->set))
			return true;
	}
	return false;
}

static void measure_target(struct laboratory *l, const char *target, const struct run_options *o,
	struct arena *arena, struct err *failed)
{
	struct hardware_result *r = &l->results[l->n++];
	struct err wrong = {0};

	*r = (struct hardware_result){.target = target, .repeats = (unsigned)l->o->repeat};
	if (hardware_run(&l->driver, o, arena, r, &wrong))
		tell(r, &wrong, failed);
	err_clear(&wrong);
	if (!l->o->all || r->code != ERR_HOST) /* a lost GPU's may run when it is back */
		json_append(json_object_get(l->file, "targets"), hardware_json(r, &o->set));
}

/* Unless --all has it already. Failures of targets are moved to `failed`. */
static int run_target(struct laboratory *l, const char *target, const struct run_options *o,
	struct arena *arena, struct err *failed, struct err *err)
{
	if (hardware_is_late(l) || (l->o->all && has_target(l, target, o)))
		return 0;
	if (l->n && renew(l, l->results[l->n - 1].code, err))
		return -1;
	measure_target(l, target, o, arena, failed);
	return l->o->all ? hardware_save(l, err) : 0;
}

/* The variants of kernels that --all measures besides. */
static int run_variants(struct laboratory *l, const char *target, const struct run_options *o,
	struct arena *arena, struct err *failed, struct err *err)
{
	for (unsigned i = 0; kernel_variant(target, i); i++) {
		struct run_options more = *o;

		more.set.at = arena_alloc(arena, o->set.n + 1, sizeof(*more.set.at));
		for (unsigned k = 0; k < o->set.n; k++)
			more.set.at[k] = o->set.at[k];
		more.set.at[more.set.n++] = kernel_variant(target, i);
		if (run_target(l, target, &more, arena, failed, err))
			return -1;
	}
	return 0;
}

static int run_size(struct laboratory *l, uint64_t size, struct arena *arena, struct err *failed,
	struct err *err)
{
	struct run_options o = l->o->run;

	o.size = size;
	for (unsigned i = 0; i < l->targets.n; i++) {
		const char *target = l->targets.at[i];

		if (run_target(l, target, &o, arena, failed, err) ||
			(l->o->all && run_variants(l, target, &o, arena, failed, err)))
			return -1;
	}
	return 0;
}

/* How many results there can be. */
static unsigned most_results(const struct laboratory *l)
{
	unsigned n = 0;

	for (unsigned i = 0; i < l->targets.n; i++) {
		n++;
		for (unsigned k = 0; kernel_variant(l->targets.at[i], k); k++)
			n++;
	}
	return 2 * n;
}

static int run_targets(struct laboratory *l, struct arena *arena, struct err *err)
{
	const struct options *o = l->o;
	struct err failed = {0};

	l->targets = targets_of(o, arena);
	l->results = arena_alloc(arena, most_results(l), sizeof(*l->results));
	if (!run_size(l, o->all ? 0 : o->run.size, arena, &failed, err) && o->all)
		run_size(l, 1, arena, &failed, err);
	err_move(&failed, err);
	err_move(err, &failed);
	return err->count ? -1 : 0;
}

/* Everything that the file does not have yet, what takes least first. What fails ends nothing, but
 * the driver is renewed. */
static int run_all(struct laboratory *l, struct arena *arena, struct err *err)
{
	struct err failed = {0};

	if (!json_object_get(l->file, "forms") && hardware_forms(l, arena, &failed))
		driver_renew(&l->driver, err);
	if (!err->count && !hardware_save(l, err) && !hardware_is_late(l) &&
		hardware_probe(l, arena, &failed))
		driver_renew(&l->driver, err);
	if (!err->count && !hardware_save(l, err))
		run_targets(l, arena, &failed);
	err_move(&failed, err);
	err_move(err, &failed);
	return err->count ? -1 : 0;
}

/* What was left out, and why. */
static int tell_rest(const struct laboratory *l, struct err *err)
{
	const char *why = l->interrupted ? "interrupted" : "--timeout is over";
	enum err_code code = l->interrupted ? ERR_INTERRUPTED : ERR_LIMIT;

	if (!l->interrupted && !l->late)
		return 0;
	if (l->o->all)
		return err_add(
			err, code, "%s: the same command continues from %s", why, l->o->json);
	return err_add(err, code, "%s: not all was measured", why);
}

static int run_parts(struct laboratory *l, struct arena *arena, struct err *err)
{
	const struct options *o = l->o;
	int bad;

	bad = o->all     ? run_all(l, arena, err)
	      : o->forms ? hardware_forms(l, arena, err)
	      : o->probe ? hardware_probe(l, arena, err)
			 : run_targets(l, arena, err);
	return tell_rest(l, err) || bad ? -1 : 0;
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

int hardware_save(const struct laboratory *l, struct err *err)
{
	struct text text = {0};
	int bad = json_print(json_incref(l->file), &text)
			  ? err_add(err, ERR_RESOURCE, "%s: no host memory for JSON", l->o->json)
			  : output_file(l->o->run.files, l->o->json, &text, err);

	text_clear(&text);
	return bad;
}

/* Files first: the reader of stdout may close it early. */
static void write_reports(const struct laboratory *l, struct text *out, struct err *err)
{
	const struct options *o = l->o;

	if (o->json)
		hardware_save(l, err);
	if (o->out)
		write_database(l, err);
	if (o->run.quiet || (o->json && !strcmp(o->json, "-")))
		return;
	hardware_text_gpu(&l->gpu, o->locked, out);
	if (l->forms.n)
		hardware_text_forms(&l->forms, out);
	if (l->curves.n)
		hardware_text_curves(&l->curves, out);
	if (l->n)
		hardware_text(l->results, l->n, out);
	output_report(out, o->run.uncut, err);
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

static void set_deadline(struct laboratory *l)
{
	struct timespec now = {0};

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (l->o->run.timeout)
		l->deadline_s =
			(double)now.tv_sec + 1e-9 * (double)now.tv_nsec + (double)l->o->run.timeout;
}

/* The file of an earlier --all of this GPU, driver, seed and program continues. NULL: there is
 * none, or, with a message, it is of another. */
static json_t *continued(const struct laboratory *l, const json_t *fresh, struct err *err)
{
	static const char *const same[] = {"schema", "program", "stand_in", "gpu", "seed"};
	struct stat there;
	size_t bytes;
	char *text;
	json_t *j;

	if (!l->o->all || stat(l->o->json, &there))
		return NULL;
	text = file_read(NULL, l->o->json, &bytes, ERR_INPUT, err);
	j = text ? json_loadb(text, bytes, JSON_REJECT_DUPLICATES, NULL) : NULL;
	mem_free(text);
	for (unsigned i = 0; i < ARRAY_LEN(same) && j; i++)
		if (!json_equal(json_object_get(j, same[i]), json_object_get(fresh, same[i]))) {
			json_decref(j);
			j = NULL;
		}
	if (!j && !err->count)
		err_add(err, ERR_INPUT,
			"%s: is no file of warpbeam hardware --all by this program on this GPU: "
			"--all continues its own files only",
			l->o->json);
	return j;
}

int command_hardware(const struct options *o, struct session *s, struct err *err)
{
	struct laboratory *l = arena_alloc(&s->arena, 1, sizeof(*l));
	void **kept = arena_own(&s->arena, let_go), **fresh = arena_own(&s->arena, let_go);
	struct err wrong = {0}, close = {0};

	l->o = o;
	if (check(o, err))
		return -1;
	keep_signals();
	*arena_own(&s->arena, close_driver) = &l->driver;
	if (driver_open(&l->driver, hardware_library(o), (int)o->gpu_number, err))
		return -1;
	l->gpu = l->driver.gpu;
	*fresh = begin_file(l);
	*kept = l->file = continued(l, *fresh, err);
	if (err->count)
		return -1;
	if (!l->file)
		*kept = l->file = json_incref(*fresh);
	set_deadline(l);
	run_parts(l, &s->arena, &wrong);
	driver_close(&l->driver, wrong.count ? &wrong : &close);
	write_reports(l, &s->out, err);
	err_move(&wrong, &close);
	err_move(&wrong, err);
	err_move(err, &wrong);
	return err->count ? -1 : 0;
}
