/* The levels of a workload, found in a process of their own, and runs at each of them. */
#include "papers/hay/hay.h"

#include "runs/json.h"

#include <string.h>

/* ---- in the child: {"cores", "automatic", "kernels": [{"kernel", "levels": [..]}]} */
static json_t *level_json(const struct kernel_levels *k, unsigned i, struct arena *arena)
{
	const struct thread_level *l = &k->level[i];
	const struct {
		const char *name;
		double value;
	} numbers[] = {{"threads", l->threads}, {"regs", l->regs}, {"slots", l->slots},
		{"local", l->local}, {"instrs", l->instrs}, {"off_chip", l->off_chip},
		{"counted", l->counted}, {"interval", l->interval}, {"intensity", l->intensity}};
	json_t *j = json_object();

	for (size_t n = 0; n < ARRAY_LEN(numbers); n++)
		json_add(j, numbers[n].name, json_number(numbers[n].value));
	json_add(j, "setting", json_name(levels_setting(k, i, arena)));
	return j;
}

static json_t *kernel_json(const struct kernel_levels *k, struct arena *arena)
{
	json_t *j = json_object(), *list = json_array();

	for (unsigned i = 0; i < k->n; i++)
		json_append(list, level_json(k, i, arena));
	json_add(j, "kernel", json_name(k->kernel));
	json_add(j, "automatic", json_whole(k->automatic));
	json_add(j, "levels", list);
	return j;
}

static int act(
	const struct trial *t, const struct run_options *o, struct session *s, struct err *err)
{
	struct work_levels w;
	const char *set;
	json_t *j, *list;

	if (session_open_machine(s, o, &t->machine, err) ||
		levels_find(s, t->parties[0].target, o, &t->machine, &w, err) ||
		levels_named(&w, "auto", &s->arena, &set, err))
		return -1;
	j = json_object();
	list = json_array();
	for (unsigned i = 0; i < w.n; i++)
		json_append(list, kernel_json(&w.kernel[i], &s->arena));
	json_add(j, "cores", json_number(w.cores));
	json_add(j, "automatic", json_name(set));
	json_add(j, "kernels", list);
	if (json_print(j, &s->out))
		return err_add(err, ERR_RESOURCE, "no host memory for the report");
	return 0;
}

const struct point_way hay_levels = {.name = "levels", .act = act, .varies = ""};

/* ---- in tables */
static const json_t *levels_of(struct book *b, unsigned w, const struct design *base)
{
	struct design d = *base;

	d.way = &hay_levels;
	return book_report(b, w, &d);
}

static const json_t *run_at(
	struct book *b, unsigned w, const struct design *base, const char *setting)
{
	struct design d = design_of(base->chip, "%s%s%s", base->set,
		setting && *base->set ? " " : "", setting ? setting : "");

	return book_report(b, w, &d);
}

static double cycles_at(struct book *b, unsigned w, const struct design *base, const char *setting)
{
	return point_metric(run_at(b, w, base, setting), "gpc__cycles_elapsed.max");
}

static double number(const json_t *of, const char *name)
{
	const json_t *j = json_object_get(of, name);

	return j ? json_number_value(j) : NAN;
}

static const char *setting_of(const json_t *level)
{
	return json_string_value(json_object_get(level, "setting"));
}

static const json_t *kernel_at(const json_t *levels, size_t i)
{
	return json_array_get(json_object_get(levels, "kernels"), i);
}

static const json_t *level_at(const json_t *kernel, size_t i)
{
	return json_array_get(json_object_get(kernel, "levels"), i);
}

const char *hay_automatic(struct book *b, unsigned w, const struct design *base)
{
	return json_string_value(json_object_get(levels_of(b, w, base), "automatic"));
}

static double missed(const json_t *report)
{
	double loads = point_metric(report, "l1tex__t_lines_local_load.sum");

	return loads > 0 ? 100 - point_metric(report, "l1tex__t_line_local_load_hit_rate.pct")
			 : 0 * loads;
}

/* The same registers, all spills local: "NAME:REGS+SLOTS" without its end. */
static const char *without_slots(struct book *b, const char *setting)
{
	const char *plus = setting ? strchr(setting, '+') : NULL;

	return plus ? book_words(b, "%.*s", (int)(plus - setting), setting) : setting;
}

static void try_level(struct book *b, unsigned w, const struct design *base, const json_t *level,
	struct hay_result *r)
{
	const char *setting = setting_of(level);
	double cycles = cycles_at(b, w, base, setting), local;

	r->best = cycles < r->best ? cycles : r->best;
	r->worst = cycles > r->worst ? cycles : r->worst;
	if (number(level, "slots") <= 0)
		return;
	local = cycles_at(b, w, base, without_slots(b, setting));
	if (isnan(r->shared_by_local) || cycles / local > r->shared_by_local)
		r->shared_by_local = cycles / local;
}

/* What the rule counted at its level of the first kernel, and at the fastest. */
static const char *note_of(
	struct book *b, unsigned w, const struct design *base, const json_t *levels, double best)
{
	const json_t *kernel = kernel_at(levels, 0), *a, *l = NULL;
	size_t n = json_array_size(json_object_get(kernel, "levels"));

	a = level_at(kernel, (size_t)number(kernel, "automatic"));
	for (size_t i = 0; i < n && !l; i++)
		if (cycles_at(b, w, base, setting_of(level_at(kernel, i))) <= best)
			l = level_at(kernel, i);
	if (!l)
		l = a;
	return book_words(b,
		"%zu levels; auto %.0f threads, %.0f+%.0f registers and slots, %.0f of %.0f off the "
		"chip, interval %.1f, intensity %.1f; best %.0f threads, %.0f+%.0f, %.0f of %.0f, "
		"%.1f, %.1f",
		n, number(a, "threads"), number(a, "regs"), number(a, "slots"),
		number(a, "off_chip"), number(a, "instrs"), number(a, "interval"),
		number(a, "intensity"), number(l, "threads"), number(l, "regs"), number(l, "slots"),
		number(l, "off_chip"), number(l, "instrs"), number(l, "interval"),
		number(l, "intensity"));
}

/* All levels of all kernels; those of a kernel leave the others unchanged. */
static void try_all(struct book *b, unsigned w, const struct design *base, const json_t *levels,
	struct hay_result *r)
{
	const json_t *kernel;

	for (size_t k = 0; (kernel = kernel_at(levels, k)); k++) {
		const json_t *level;

		for (size_t i = 1; (level = level_at(kernel, i)); i++)
			try_level(b, w, base, level, r);
	}
}

/* The levels of a kernel; JSON has no infinity: an intensity that is missing is of no access. */
static unsigned read_levels(const json_t *kernel, struct thread_level *l)
{
	const json_t *j;
	unsigned n = 0;

	for (; n < LEVELS_MOST && (j = level_at(kernel, n)); n++) {
		l[n] = (struct thread_level){.threads = (uint32_t)number(j, "threads"),
			.local = (uint32_t)number(j, "local"),
			.instrs = (uint32_t)number(j, "instrs"),
			.counted = (uint32_t)number(j, "counted"),
			.interval = number(j, "interval"),
			.intensity = number(j, "intensity")};
		if (isnan(l[n].intensity) || json_is_null(json_object_get(j, "intensity")))
			l[n].intensity = INFINITY;
	}
	return n;
}

/* Of each kernel whose level is not its fastest, others unchanged: the count that misled the rule.
 */
static const char *misled(
	struct book *b, unsigned w, const struct design *base, const json_t *levels)
{
	struct thread_level l[LEVELS_MOST];
	struct text words = {0};
	const char *all = NULL;
	const json_t *kernel;

	for (size_t k = 0; (kernel = kernel_at(levels, k)); k++) {
		struct levels_ask ask = {
			l, read_levels(kernel, l), number(levels, "cores"), LEVELS_INTENSITY};
		double least = INFINITY, cycles;
		unsigned best = 0;

		for (unsigned i = 0; i < ask.n; i++) {
			cycles = cycles_at(b, w, base, i ? setting_of(level_at(kernel, i)) : NULL);
			if (cycles < least) {
				least = cycles;
				best = i;
			}
		}
		if (!ask.n || levels_choose(&ask) == best)
			continue;
		text_add(&words, "%s%s: ", words.len ? "; " : "",
			json_string_value(json_object_get(kernel, "kernel")));
		levels_misled_words(&ask, best, &words);
	}
	if (words.len)
		all = book_words(b, "%s", text_str(&words));
	text_clear(&words);
	return all;
}

struct hay_result hay_measure(struct book *b, unsigned w, const struct design *base)
{
	const json_t *levels = levels_of(b, w, base), *kernel = kernel_at(levels, 0);
	const char *automatic = json_string_value(json_object_get(levels, "automatic"));
	struct hay_result r = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NULL, NULL};
	double instrs = number(level_at(kernel, 0), "instrs");

	r.base = r.best = r.worst = cycles_at(b, w, base, NULL);
	if (!levels)
		return r;
	r.registers = number(level_at(kernel, 0), "regs");
	r.automatic = cycles_at(b, w, base, automatic);
	r.growth = number(level_at(kernel, (size_t)number(kernel, "automatic")), "instrs") / instrs;
	r.missed = missed(run_at(b, w, base, automatic));
	r.missed_local = missed(run_at(b, w, base, without_slots(b, automatic)));
	try_all(b, w, base, levels, &r);
	r.best = r.automatic < r.best ? r.automatic : r.best;
	r.note = note_of(b, w, base, levels, r.best);
	r.misled = misled(b, w, base, levels);
	return r;
}

double hay_level_at(struct book *b, unsigned w, const struct design *base, double threshold)
{
	const json_t *levels = levels_of(b, w, base), *kernel = kernel_at(levels, 0);
	struct thread_level l[LEVELS_MOST];
	struct levels_ask ask = {l, 0, number(levels, "cores"), threshold};

	if (!kernel || isnan(threshold))
		return NAN;
	ask.n = read_levels(kernel, l);
	return l[levels_choose(&ask)].threads;
}

const char *hay_fastest(struct book *b, unsigned w, const struct design *base)
{
	const json_t *levels = levels_of(b, w, base), *kernel, *level;
	const char *fastest = NULL;
	double least = cycles_at(b, w, base, NULL);

	for (size_t k = 0; (kernel = kernel_at(levels, k)); k++)
		for (size_t i = 1; (level = level_at(kernel, i)); i++) {
			double cycles = cycles_at(b, w, base, setting_of(level));

			if (cycles < least) {
				least = cycles;
				fastest = setting_of(level);
			}
		}
	return fastest;
}

const char *hay_most(struct book *b, unsigned w, const struct design *base, bool slots)
{
	const json_t *levels = levels_of(b, w, base), *kernel;
	const char *all = NULL;

	for (size_t k = 0; (kernel = kernel_at(levels, k)); k++) {
		size_t n = json_array_size(json_object_get(kernel, "levels"));
		const char *set = setting_of(level_at(kernel, n - 1)), *one = set;

		if (!set)
			continue;
		one = slots ? set : without_slots(b, set);
		all = all ? book_words(b, "%s,%s", all, strchr(one, '=') + 1) : one;
	}
	return all;
}

/* A chase through 4 MB: 256 more accesses by what they took. */
double hay_latency(struct book *b, const char *machine)
{
	static const char set[] = "pointerchase.fine=false pointerchase.bytes=4194304 "
				  "pointerchase.stride=256 pointerchase.warmup=0";
	struct design less = design_of(machine, "%s pointerchase.accesses=64", set);
	struct design more = design_of(machine, "%s pointerchase.accesses=320", set);
	int w = book_find(b, "pointerchase");
	double first, second;

	if (w < 0)
		return NAN;
	less.as_it_is = more.as_it_is = true;
	first = point_metric(book_report(b, (unsigned)w, &less), "gpc__cycles_elapsed.max");
	second = point_metric(book_report(b, (unsigned)w, &more), "gpc__cycles_elapsed.max");
	return (second - first) / 256;
}
