/* Workloads, scenarios and programs behind one set of verbs. */
#include "runs/work.h"

#include "runs/keys.h"
#include "runs/session.h"
#include "runs/yaml/yaml_foreign.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* NULL: there is no such workload. */
static const struct workload_ops *ops_of(const char *workload)
{
	for (size_t i = 0; plugins[i]; i++)
		if (!strcmp(plugins[i]->kind, "workload") && !strcmp(plugins[i]->name, workload))
			return plugins[i]->ops;
	return NULL;
}

/* A workload has the first right to a name without a slash. */
static bool is_recording(const char *target)
{
	return strncmp(target, "-- ", 3) != 0 && (strchr(target, '/') || !ops_of(target)) &&
	       cuda_is_recording(target);
}

enum work_kind work_kind(const char *target)
{
	const char *dot = strrchr(target, '.');

	if (!strncmp(target, "-- ", 3) || is_recording(target))
		return WORK_PROGRAM;
	return strchr(target, '/') || (dot && (!strcmp(dot, ".yaml") || !strcmp(dot, ".yml"))) ||
			       yaml_foreign_name(target)
		       ? WORK_SCENARIO
		       : WORK_WORKLOAD;
}

bool work_is_scenario(const char *target)
{
	return work_kind(target) == WORK_SCENARIO;
}

/* ---- a program's command line as one text: spaces and backslashes in words after a backslash */
const char *work_program(const char *const *words, unsigned n, struct arena *arena)
{
	size_t room = 4;
	char *out, *to;

	for (unsigned i = 0; i < n; i++)
		room += 2 * strlen(words[i]) + 1;
	to = out = arena_alloc(arena, room, 1);
	*to++ = '-';
	*to++ = '-';
	for (unsigned i = 0; i < n; i++) {
		*to++ = ' ';
		for (const char *at = words[i]; *at; at++) {
			if (*at == ' ' || *at == '\\')
				*to++ = '\\';
			*to++ = *at;
		}
	}
	*to = '\0';
	return out;
}

const char **work_words(const char *target, struct arena *arena, struct err *err)
{
	size_t most = strlen(target), n = 0;
	const char **words;
	char *to;

	if (is_recording(target))
		return cuda_recorded_words(target, arena, err);
	words = arena_alloc(arena, most + 1, sizeof(*words));
	to = arena_alloc(arena, most + 1, 1);
	for (const char *at = target + 2; *at;) {
		words[n++] = to;
		for (at++; *at && *at != ' '; at++) {
			at += *at == '\\';
			*to++ = *at;
		}
		*to++ = '\0';
	}
	words[n] = NULL;
	return words;
}

const char *const *work_report_words(const char *target, struct arena *arena)
{
	struct err ignored = {0};
	const char **words = NULL;

	if (work_kind(target) == WORK_PROGRAM)
		words = work_words(target, arena, &ignored);
	err_clear(&ignored);
	return (const char *const *)words;
}

const char *work_code(const char *target, struct arena *arena)
{
	const char *const *words;

	if (work_kind(target) == WORK_WORKLOAD || is_recording(target))
		return NULL;
	if (work_is_scenario(target))
		return source_is_code(target) ? target : NULL;
	words = work_report_words(target, arena);
	return words ? words[0] : NULL;
}

int work_no_program(const char *target, const char *what, struct err *err)
{
	if (work_kind(target) != WORK_PROGRAM)
		return 0;
	return err_add(err, ERR_USAGE, "%s does not take a program (%s)", what, target);
}

int work_workload(const char *name, struct err *err)
{
	const char *names[64], *near;
	size_t n = 0;

	for (size_t i = 0; plugins[i]; i++) {
		if (strcmp(plugins[i]->kind, "workload"))
			continue;
		if (!strcmp(plugins[i]->name, name))
			return 0;
		if (n < ARRAY_LEN(names))
			names[n++] = plugins[i]->name;
	}
	near = err_nearest(name, names, n);
	return err_add(err, ERR_USAGE,
		"there is no workload '%s'%s%s%s; see warpbeam list (a scenario's name ends in "
		".yaml)",
		name, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

int work_admit(const char *target, const struct run_options *o, struct err *err)
{
	const struct {
		bool given;
		const char *name;
	} inputs[] = {{o->size_given, "size"}, {o->wide_given, "ptx"}, {o->seed_given, "seed"},
		{o->ptx_dir != NULL, "ptx-dir"}};
	unsigned before = err->count;

	if (work_kind(target) == WORK_WORKLOAD)
		return work_workload(target, err);
	for (unsigned i = 0; i < ARRAY_LEN(inputs); i++)
		if (inputs[i].given)
			err_add(err, ERR_USAGE,
				"--%s goes with a workload; a %s has its own inputs",
				inputs[i].name, work_is_scenario(target) ? "scenario" : "program");
	return err->count == before ? 0 : -1;
}

const char *work_fitted(const char *workload)
{
	const struct workload_ops *ops = ops_of(workload);

	return ops ? ops->fitted : NULL;
}

const char *work_calibrates(const char *workload)
{
	const struct workload_ops *ops = ops_of(workload);

	return ops ? ops->calibrates : NULL;
}

static const struct workload_foreign *foreign_of(const char *workload)
{
	const struct workload_ops *ops = ops_of(workload);

	return ops ? ops->foreign : NULL;
}

bool work_has_foreign(const char *workload)
{
	return foreign_of(workload);
}

int work_foreign_hashes(const char *workload, const char *dir, struct files *files,
	struct text *out, struct err *err)
{
	const struct workload_foreign *all = foreign_of(workload);
	int bad = 0;

	for (const struct workload_foreign *f = all; f && f->file && !bad; f++) {
		struct text path = {0}, hash = {0};

		if (f > all && !strcmp(f->file, f[-1].file))
			continue;
		text_raw(&path, "%s/%s", dir, f->file);
		bad = key_file(files, text_str(&path), &hash, err);
		if (!bad)
			text_raw(out, "%s %s", f->file, text_str(&hash));
		out->failed |= path.failed | hash.failed;
		text_clear(&path);
		text_clear(&hash);
	}
	return bad;
}

int work_open(struct work *w, const char *target, struct scenario *scenario,
	const struct run_options *o, struct gpu *gpu, struct config *config, struct arena *arena,
	struct err *err)
{
	*w = (struct work){.target = target,
		.scenario = scenario,
		.o = o,
		.config = config,
		.gpu = gpu,
		.arena = arena};
	if (region_read(&o->region, arena, &w->region, err))
		return -1;
	if (work_kind(target) != WORK_WORKLOAD)
		return 0;
	if (o->ptx_dir && workload_set_foreign(target, config, err))
		return -1;
	w->workload = workload_open(target, gpu, config, arena, err);
	if (!w->workload)
		return -1;
	w->workload->size = o->size ? SIZE_FULL : SIZE_SMALL;
	w->workload->address_bits = o->wide ? 64 : 32;
	w->workload->seed = o->seed;
	w->workload->ptx_dir = o->ptx_dir;
	w->workload->data_dir = work_data_dir(arena, target);
	return 0;
}

/* Starts a program. `no_chip`: the GPU has none. */
static int start(struct work *w, struct gpu *gpu, bool no_chip, struct err *err)
{
	struct cuda_run run = {.gpu = gpu,
		.config = w->config,
		.arena = w->arena,
		.record = no_chip ? NULL : w->record,
		.region = w->region,
		.silent = w->silent || no_chip,
		.guest = w->guest,
		.no_chip = no_chip};
	bool ready = true;

	if (is_recording(w->target)) {
		run.play = w->target;
	} else {
		run.argv = work_words(w->target, w->arena, err);
		run.library = cuda_library(w->arena, err);
		ready = run.library;
	}
	w->program = ready ? cuda_open(&run, err) : NULL;
	return w->program && cuda_next(w->program, err) >= 0 ? 0 : -1;
}

static int set_up(struct work *w, struct gpu *gpu, struct err *err)
{
	if (w->region.warm)
		gpu_warm(gpu);
	if (w->region.skip_cycles && chip_skip_cycles(gpu, w->region.skip_cycles, err))
		return -1;
	if (w->region.sample)
		sampling_follow(w->region.sample, gpu);
	if (work_kind(w->target) == WORK_PROGRAM)
		return start(w, gpu, false, err);
	region_follow(&w->watch, &w->region, gpu, w->arena);
	if (w->scenario)
		return scenario_setup(w->scenario, gpu, err);
	return w->workload->ops->setup(w->workload, err);
}

/* Only launches that depend on results of others require a run. */
int work_rehearse(struct work *w, struct gpu *gpu, struct err *err)
{
	const struct untimed_limits limits = {.warp_instructions = UINT64_C(1) << 40};
	struct untimed_counts counts = {0};
	bool program = work_kind(w->target) == WORK_PROGRAM;
	int more = (program ? start(w, gpu, true, err) : set_up(w, gpu, err)) ? -1 : 1;

	if (more == 1 && (w->scenario ? scenario_all_queued(w->scenario)
				      : !program && !w->workload->ops->advance))
		return 0;
	while (more == 1)
		more = work_run_untimed(w, &limits, &counts, err) ? -1 : work_advance(w, err);
	return more;
}

static int foresee(const struct work *w, struct gpu *gpu, struct gpu *stage, struct arena *arena,
	struct err *err)
{
	struct work again;

	return work_open(&again, w->target, w->scenario, w->o, stage, w->config, arena, err) ||
			       work_rehearse(&again, stage, err) || chip_foresee(gpu, stage, err)
		       ? -1
		       : 0;
}

/* The rehearsal has memory of its own for inputs and launches, which is freed with it. */
int work_foresee(struct work *w, struct gpu *gpu, struct err *err)
{
	struct gpu *stage = gpu_new(w->config, w->o->files, err);
	jmp_buf escape;
	struct arena arena = {.escape = &escape};
	int bad;

	if (!stage)
		return -1;
	if (setjmp(escape))
		bad = err_add(err, ERR_RESOURCE, "no host memory to foresee launches");
	else
		bad = foresee(w, gpu, stage, &arena, err);
	gpu_free(stage);
	arena_free(&arena);
	return bad;
}

int work_setup(struct work *w, struct gpu *gpu, struct err *err)
{
	if ((chip_must_foresee(gpu) && work_foresee(w, gpu, err)) || set_up(w, gpu, err) ||
		gpu_check_kernels(gpu, err))
		return -1;
	if (w->workload && w->workload->altered)
		output_note(
			"warning: %s was changed by hand: its checksum is not the one in its first "
			"line (make ptx makes it again)",
			w->workload->altered);
	return 0;
}

int work_run(struct work *w, uint64_t max_cycles, const struct host_hooks *hooks, struct err *err)
{
	if (w->program)
		return cuda_run_held(w->program, max_cycles, hooks, err);
	return w->scenario ? scenario_run(w->scenario, w->gpu, max_cycles, hooks, err)
			   : chip_run(w->gpu, max_cycles, hooks, err);
}

int work_run_untimed(struct work *w, const struct untimed_limits *limits,
	struct untimed_counts *counts, struct err *err)
{
	return w->program ? cuda_run_untimed(w->program, limits, counts, err)
			  : gpu_run_watched(w->gpu, limits, counts, err);
}

buffer_t work_buffer(const struct work *w, const char *name)
{
	buffer_t own = w->scenario ? scenario_find(w->scenario, name) : 0;

	return own ? own : gpu_buffer_named(w->gpu, name);
}

bool work_complete(const struct work *w, bool bad)
{
	return !bad || (w->program && !gpu_pending(w->gpu));
}

int work_advance(struct work *w, struct err *err)
{
	if (w->program)
		return cuda_next(w->program, err);
	if (w->scenario)
		return scenario_advance(w->scenario, w->gpu, err);
	if (!w->workload->ops->advance)
		return 0;
	return w->workload->ops->advance(w->workload, err);
}

/* Whether the run had what the region names. */
static int check_region(const struct work *w, const struct gpu *gpu, struct err *err)
{
	return region_watch_check(&w->watch, err) ? -1 : region_check_skipped(&w->region, gpu, err);
}

int work_verify(struct work *w, struct gpu *gpu, enum verdict *verdict, struct err *err)
{
	int bad;

	*verdict = VERDICT_NONE;
	if (w->program)
		return region_check_skipped(&w->region, gpu, err);
	if (w->scenario && !scenario_checks(w->scenario))
		return check_region(w, gpu, err);
	bad = w->scenario ? scenario_check(w->scenario, gpu, err)
			  : w->workload->ops->check(w->workload, err);
	if (!bad)
		*verdict = VERDICT_PASSED;
	else
		*verdict = err->code == ERR_CHECK ? VERDICT_FAILED : VERDICT_NOT_REACHED;
	return bad ? bad : check_region(w, gpu, err);
}

const char *work_chip(const struct run_options *o, const struct scenario *scenario)
{
	const char *chip = o->chip;

	if (!chip && scenario)
		chip = scenario_chip(scenario);
	return chip ? chip : "m12";
}

/* A recording is reported as its program. */
static const char *program_text(const char *const *words, struct arena *arena)
{
	unsigned n = 0;

	while (words[n])
		n++;
	return work_program(words, n, arena);
}

struct report work_report(const struct work *w, const struct gpu *gpu, const struct source *source,
	const struct err *err)
{
	struct report r = {.gpu = gpu,
		.config = w->config,
		.target = w->target,
		.is_workload = w->workload,
		.chip = work_chip(w->o, w->scenario),
		.sources = {source},
		.code = err->code,
		.sample = w->region.sample,
		.message = err_text(err)};

	r.program = work_report_words(w->target, w->arena);
	if (r.program)
		r.target = program_text(r.program, w->arena);
	if (w->scenario) {
		r.sources[1] = scenario_source(w->scenario);
	} else if (w->workload) {
		r.size = w->o->size ? "full" : "small";
		r.seed = w->o->seed;
		r.address_bits = w->workload->address_bits;
		r.altered = w->workload->altered;
		r.data_dir = w->workload->data_dir;
	}
	return r;
}
