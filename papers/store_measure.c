/* What the MICRO 2012 figures are computed from: inputs, and figures of one or two runs. */
#include "papers/store.h"

#include <stdio.h>
#include <string.h>

#define KB 1024.0

/* ---- inputs */
/* At size small some inputs are too small to fill one SM or to exceed its cache: then these. pcr's
 * systems are of 256 equations, each a CTA of 256 threads: figures 2 to 4 start there; at size full
 * as many equations as the size's own. */
static const struct {
	const char *workload, *small, *full;
} inputs[] = {
	{"needle", "needle.n=1024", ""},
	{"lu", "lu.n=384", ""},
	{"srad", "srad.n=1024 srad.iterations=1", ""},
	{"dgemm", "dgemm.m=512 dgemm.n=256 dgemm.k=256", ""},
	{"pcr", "pcr.n=256 pcr.systems=192", "pcr.n=256 pcr.systems=1024"},
	{"bfs", "bfs.n=65536", ""},
	{"ray", "ray.width=256 ray.height=256", ""},
	{"mummer", "mummer.n=250000 mummer.queries=5000 mummer.threads=256", ""},
};

/* A setting of one of the workload's parameters replaces this input. */
static bool is_set(const struct paper_options *o, const char *workload)
{
	for (unsigned i = 0; i < o->run.set.n; i++) {
		const char *of = points_workload_of(o->run.set.at[i]);

		if (of && !strcmp(of, workload))
			return true;
	}
	return false;
}

static const char *input_of(const struct book *b, const char *workload)
{
	for (unsigned i = 0; i < ARRAY_LEN(inputs) && !is_set(book_options(b), workload); i++)
		if (!strcmp(inputs[i].workload, workload))
			return book_options(b)->run.size ? inputs[i].full : inputs[i].small;
	return "";
}

struct design store_input(struct book *b, unsigned w, const struct design *design)
{
	const char *input = input_of(b, book_workload(b, w));
	struct design d = *design;
	size_t n = strlen(d.set);

	if (strstr(d.set, input)) /* it has it already, or there is none */
		return d;
	BUG_ON(n + strlen(input) + 2 > sizeof(d.set));
	snprintf(d.set + n, sizeof(d.set) - n, " %s", input);
	return d;
}

const json_t *store_report(struct book *b, unsigned w, const struct design *design)
{
	struct design d = store_input(b, w, design);

	return book_report(b, w, &d);
}

const json_t *store_try(struct book *b, unsigned w, const struct design *design)
{
	struct design d = store_input(b, w, design);

	return book_try(b, w, &d);
}

/* ---- one run */
double store_metric(struct book *b, unsigned w, const struct design *d, const char *name)
{
	return point_metric(store_report(b, w, d), name);
}

double store_cycles(struct book *b, unsigned w, const struct design *d)
{
	return store_metric(b, w, d, "gpc__cycles_elapsed.max");
}

double store_try_cycles(struct book *b, unsigned w, const struct design *d)
{
	return point_metric(store_try(b, w, d), "gpc__cycles_elapsed.max");
}

struct design store_faster(
	struct book *b, unsigned w, const struct design *d, const struct design *other)
{
	double first = store_try_cycles(b, w, d), second = store_try_cycles(b, w, other);

	return isnan(first) || second < first ? *other : *d;
}

/* With what a write-back L2 still holds in the end. */
double store_dram(struct book *b, unsigned w, const struct design *d)
{
	return store_metric(b, w, d, "dram__bytes.sum") +
	       store_metric(b, w, d, "lts__bytes_flushed.sum");
}

static double field(const json_t *launch, const char *name)
{
	return json_number_value(json_object_get(launch, name));
}

double store_cta_threads(const json_t *launch)
{
	const json_t *block = json_object_get(launch, "block");
	double n = 1;

	for (size_t i = 0; i < json_array_size(block); i++)
		n *= json_number_value(json_array_get(block, i));
	return n;
}

struct store_partition store_partition_of(const json_t *report)
{
	const json_t *launches = json_object_get(report, "launches"), *l, *most = NULL;
	struct store_partition p = {NAN, NAN, NAN, NAN, NAN, NAN};
	double ctas, executed = -1;
	size_t i;

	json_array_foreach(launches, i, l)
	{
		if (field(l, "warp_instructions") <= executed)
			continue;
		executed = field(l, "warp_instructions");
		most = l;
	}
	if (!most)
		return p;
	ctas = field(most, "ctas_per_sm");
	p.threads = ctas * store_cta_threads(most);
	p.registers = field(most, "registers");
	p.register_kb = field(most, "sm_register_bytes") / KB;
	p.shared_kb = field(most, "sm_shared_bytes") / KB;
	p.shared_used_kb = ctas * field(most, "shared_bytes") / KB;
	p.cache_kb = field(most, "sm_cache_bytes") / KB;
	return p;
}

/* ---- two runs */
double store_speedup(
	struct book *b, unsigned w, const struct design *before, const struct design *after)
{
	return store_cycles(b, w, before) / store_cycles(b, w, after);
}

double store_dram_ratio(
	struct book *b, unsigned w, const struct design *before, const struct design *after)
{
	return store_dram(b, w, after) / store_dram(b, w, before);
}

/* nJ; `rest` replaces the run's own. */
static double energy_of(const json_t *report, double rest, const struct store_energy *how)
{
	static const char *const parts[] = {
		"registers", "upper_registers", "shared", "cache", "dram"};
	char name[64];
	double sum = rest;

	for (unsigned i = 0; i < ARRAY_LEN(parts); i++) {
		snprintf(name, sizeof(name), "energy__%s.sum", parts[i]);
		sum += point_metric(report, name);
	}
	if (!how->leakage)
		return sum + point_metric(report, "energy__core_leakage.sum") +
		       point_metric(report, "energy__sram_leakage.sum");
	snprintf(name, sizeof(name), "energy__leakage_%s.sum", how->leakage);
	return sum + point_metric(report, name);
}

double store_energy_of(const json_t *before, const json_t *after, const struct store_energy *how)
{
	static const char time[] = "gpc__cycles_elapsed.max";
	double rest = point_metric(before, "energy__rest.sum");
	double longer = how->work ? 1 : point_metric(after, time) / point_metric(before, time);

	return energy_of(after, rest * longer, how) / energy_of(before, rest, how);
}

/* The last setting of energy.reading decides. */
static bool reads_work(const struct paper_options *o)
{
	static const char reading[] = "energy.reading=";
	const char *said = "";

	for (unsigned i = 0; i < o->run.set.n; i++)
		if (!strncmp(o->run.set.at[i], reading, strlen(reading)))
			said = o->run.set.at[i] + strlen(reading);
	return !strcmp(said, "work");
}

double store_energy_ratio(struct book *b, unsigned w, const struct design *before,
	const struct design *after, const struct store_energy *how)
{
	const json_t *first = store_report(b, w, before), *second = store_report(b, w, after);
	struct store_energy own = {.work = reads_work(book_options(b))};

	return store_energy_of(first, second, how ? how : &own);
}
