/* The tables of two reports beside each other: rows by name, counts by name. */
#include "cli/diff/diff.h"

#include "core/base.h"
#include "runs/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char cycles[] = "gpc__cycles_elapsed.max";

/* A table of a report: row names with objects of counts. */
struct rows {
	const char **name;
	const char **source; /* kernels' names as their source has them; NULL: none */
	const json_t **counts;
	unsigned n;
};

static const json_t *of_profile(const json_t *report, const char *table)
{
	return json_object_get(json_object_get(report, "profile"), table);
}

static void add_row(struct rows *r, const char *name, const char *source, const json_t *counts)
{
	r->name[r->n] = name ? name : "";
	r->source[r->n] = source;
	r->counts[r->n++] = counts;
}

static struct rows rows_for(struct arena *arena, size_t n)
{
	return (struct rows){.name = arena_alloc(arena, n + 1, sizeof(const char *)),
		.source = arena_alloc(arena, n + 1, sizeof(const char *)),
		.counts = arena_alloc(arena, n + 1, sizeof(const json_t *))};
}

/* Rows of a list by that member; their counts are those of the row, of a profile, or of a member
 * of it, of a run. */
static struct rows list_rows(
	struct arena *arena, const json_t *list, const char *by, const char *member)
{
	struct rows r = rows_for(arena, json_array_size(list));

	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *row = json_array_get(list, i);
		const json_t *source = json_object_get(row, member ? "name" : "source");

		add_row(&r, json_string_value(json_object_get(row, by)), json_string_value(source),
			member ? json_object_get(row, member) : row);
	}
	return r;
}

static struct rows object_rows(struct arena *arena, const json_t *object)
{
	struct rows r = rows_for(arena, json_object_size(object));
	const char *name;
	json_t *v;

	json_object_foreach((json_t *)object, name, v) add_row(&r, name, NULL, v);
	return r;
}

static struct rows one_row(struct arena *arena, const json_t *object)
{
	struct rows r = rows_for(arena, 1);

	if (object)
		add_row(&r, NULL, NULL, object);
	return r;
}

/* A report that was kept as a point of a sweep has no metrics of kernels: what its launches did. */
static const char *const of_launches[] = {"warp_instructions", "dram_read_bytes",
	"dram_write_bytes", "flushed_bytes", "l2_sectors_read", "l2_sectors_hit"};

static void add_launch(const json_t *launch, json_t *kernels)
{
	const char *kernel = json_string_value(json_object_get(launch, "kernel"));
	json_t *sums = json_object_get(kernels, kernel ? kernel : "");

	if (!sums) {
		sums = json_object();
		json_add(kernels, kernel ? kernel : "", sums);
	}
	for (unsigned i = 0; i < ARRAY_LEN(of_launches); i++) {
		json_int_t n = json_integer_value(json_object_get(launch, of_launches[i]));
		json_int_t before = json_integer_value(json_object_get(sums, of_launches[i]));

		json_add(sums, of_launches[i], json_integer(before + n));
	}
}

static void sum_launches(json_t *report)
{
	const json_t *launches = json_object_get(report, "launches");
	json_t *kernels = json_object();

	for (size_t i = 0; i < json_array_size(launches); i++)
		add_launch(json_array_get(launches, i), kernels);
	json_add(report, "of_launches", kernels);
}

/* Each kernel with its metrics: the cycles of all its launches are among them. */
static struct rows kernels_of_report(struct arena *arena, const json_t *report)
{
	const json_t *rows = of_profile(report, "kernel_metrics");

	return rows ? list_rows(arena, rows, "kernel", NULL)
		    : list_rows(arena, json_object_get(report, "kernels"), "kernel", "metrics");
}

static struct rows table_of(struct arena *arena, const json_t *report, const char *name)
{
	if (!strcmp(name, "time"))
		return kernels_of_report(arena, report);
	if (!strcmp(name, "metrics"))
		return one_row(arena, json_object_get(report, "metrics"));
	if (!strcmp(name, "total"))
		return one_row(arena, json_array_get(of_profile(report, "total"), 0));
	if (!strcmp(name, "parts"))
		return object_rows(arena, json_object_get(report, "parts"));
	if (!strcmp(name, "launches"))
		return object_rows(arena, json_object_get(report, "of_launches"));
	if (!strcmp(name, "kernels") && !json_object_get(report, "profile"))
		return kernels_of_report(arena, report);
	return list_rows(arena, of_profile(report, name), "name", NULL);
}

/* A number, or the number of a metric {"value": N}. */
static double number(const json_t *v)
{
	if (json_is_object(v))
		v = json_object_get(v, "value");
	return json_is_number(v) ? json_number_value(v) : NAN;
}

static const json_t *find_row(const struct rows *r, const char *name)
{
	for (unsigned i = 0; i < r->n; i++)
		if (!strcmp(r->name[i], name))
			return r->counts[i];
	return NULL;
}

/* Counts of cycles are parts of all cycles: they are weighed by what has their prefix. */
static bool adds_to(const char *count, const char *whole)
{
	static const char *const prefixes[] = {"caused_", "stalled_", "stall_", "sched__cycles_"};

	for (unsigned i = 0; i < ARRAY_LEN(prefixes); i++)
		if (!strncmp(whole, prefixes[i], strlen(prefixes[i])))
			return !strncmp(count, prefixes[i], strlen(prefixes[i]));
	return !strcmp(count, whole);
}

static double sum_of(const struct rows *r, const char *whole)
{
	double sum = 0;

	for (unsigned i = 0; i < r->n; i++) {
		const char *count;
		json_t *v;

		json_object_foreach((json_t *)r->counts[i], count, v)
		{
			double n = adds_to(count, whole) ? number(v) : NAN;

			sum += isnan(n) ? 0 : fabs(n);
		}
	}
	return sum;
}

static bool has_distinct_sources(const struct rows *r)
{
	for (unsigned i = 0; i < r->n; i++) {
		if (!r->source[i] || !*r->source[i])
			return false;
		for (unsigned k = 0; k < i; k++)
			if (!strcmp(r->source[i], r->source[k]))
				return false;
	}
	return true;
}

#define WHOLES 256u
struct pair {
	struct diff_table *table;
	const struct rows *rows[2];
	const char *only; /* the only count that is compared; NULL: all are */
	struct whole {
		const char *count;
		double sum;
	} whole[WHOLES]; /* of the counts so far */
	unsigned n;
};

/* What the count's changes are weighed by: the larger sum over all rows. */
static double whole_of(struct pair *p, const char *count)
{
	double sum;

	for (unsigned i = 0; i < p->n; i++)
		if (!strcmp(p->whole[i].count, count))
			return p->whole[i].sum;
	sum = fmax(sum_of(p->rows[0], count), sum_of(p->rows[1], count));
	if (p->n < WHOLES)
		p->whole[p->n++] = (struct whole){count, sum};
	return sum;
}

static void note(struct pair *p, const char *item, const char *count, double before, double after)
{
	double change = fabs((isnan(after) ? 0 : after) - (isnan(before) ? 0 : before));
	double whole;

	if (change <= 0 || (p->only && strcmp(count, p->only) != 0))
		return;
	whole = whole_of(p, count);
	p->table->row[p->table->n++] = (struct diff_row){
		*item ? item : NULL, count, before, after, whole > 0 ? change / whole : 0};
}

static void compare_counts(
	struct pair *p, const char *name, const char *count, const json_t *a, const json_t *b)
{
	double before = number(a), after = number(b);

	if (!isnan(before) || !isnan(after))
		note(p, name, count, before, after);
}

/* All counts of both rows of that name; of the second what the first has not. */
static void compare_rows(struct pair *p, const char *name, const json_t *a, const json_t *b)
{
	const char *count;
	json_t *v;

	json_object_foreach((json_t *)a, count, v)
		compare_counts(p, name, count, v, json_object_get(b, count));
	json_object_foreach((json_t *)b, count, v)
	{
		if (!json_object_get(a, count))
			compare_counts(p, name, count, NULL, v);
	}
}

static int by_weight(const void *x, const void *y)
{
	const struct diff_row *a = x, *b = y;
	int order;

	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	order = strcmp(a->item ? a->item : "", b->item ? b->item : "");
	return order ? order : strcmp(a->count, b->count);
}

static size_t counts_of(const struct rows *r)
{
	size_t n = 0;

	for (unsigned i = 0; i < r->n; i++)
		n += json_object_size(r->counts[i]);
	return n;
}

static void compare_tables(struct diff *d, const char *name)
{
	struct rows a = table_of(d->arena, d->report[0], name);
	struct rows b = table_of(d->arena, d->report[1], name);
	struct diff_table *t = &d->table[d->ntables];
	struct pair p = {.table = t, .rows = {&a, &b}};

	if (!a.n || !b.n)
		return; /* of one kind of report only */
	if (has_distinct_sources(&a) && has_distinct_sources(&b)) {
		a.name = a.source;
		b.name = b.source;
	}
	if (!strcmp(name, "time"))
		p.only = cycles;
	*t = (struct diff_table){.name = name,
		.row = arena_alloc(
			d->arena, counts_of(&a) + counts_of(&b) + 1, sizeof(struct diff_row))};
	d->ntables++;
	for (unsigned i = 0; i < a.n; i++)
		compare_rows(&p, a.name[i], a.counts[i], find_row(&b, a.name[i]));
	for (unsigned i = 0; i < b.n; i++)
		if (!find_row(&a, b.name[i]))
			compare_rows(&p, b.name[i], NULL, b.counts[i]);
	qsort(t->row, t->n, sizeof(*t->row), by_weight);
}

/* The cycles of a run; NAN: the report has none. */
static double cycles_of(const json_t *report)
{
	const json_t *total = json_array_get(of_profile(report, "total"), 0);

	return number(total ? json_object_get(total, "cycles")
			    : json_object_get(json_object_get(report, "metrics"), cycles));
}

static bool has_kernels(const struct diff *d, unsigned i)
{
	return json_object_get(d->report[i], "kernels");
}

void diff_look(struct diff *d)
{
	static const char *const names[] = {"time", "metrics", "total", "kernels", "launches",
		"lines", "buffers", "sms", "channels", "parts"};

	_Static_assert(ARRAY_LEN(names) <= DIFF_TABLES, "a table too many");
	if (!json_object_get(d->report[0], "profile") && !(has_kernels(d, 0) && has_kernels(d, 1)))
		for (unsigned i = 0; i < 2; i++)
			sum_launches(d->report[i]);
	for (unsigned i = 0; i < 2; i++)
		d->cycles[i] = cycles_of(d->report[i]);
	for (unsigned i = 0; i < ARRAY_LEN(names); i++)
		compare_tables(d, names[i]);
}
