/* Results of a real GPU as JSON (warpbeam-hardware/1), and as tables. */
#include "runs/hardware/hardware.h"

#include "core/base.h"
#include "runs/json.h"

#include <string.h>

static json_t *clock_json(const struct hardware_clock *c)
{
	json_t *j = json_object();

	json_add(j, "mhz", c->mhz > 0 ? json_number(c->mhz) : json_null());
	json_add(j, "empty_launch_us", json_number(c->empty_us));
	return j;
}

json_t *hardware_head(const struct driver_gpu *g, const char *date, bool locked)
{
	json_t *j = json_object(), *gpu = json_object();
	char words[32];

	json_add(j, "schema", json_string(HARDWARE_SCHEMA));
	json_add(j, "program", json_program());
	json_add(j, "date", json_string(date));
	json_add(j, "stand_in", json_boolean(g->stand_in));
	json_add(gpu, "name", json_name(g->name));
	snprintf(words, sizeof(words), "%d.%d", g->major, g->minor);
	json_add(gpu, "capability", json_string(words));
	json_add(gpu, "sms", json_integer(g->sms));
	json_add(gpu, "clock_khz", json_integer(g->clock_khz));
	json_add(gpu, "memory_clock_khz", json_integer(g->memory_clock_khz));
	json_add(gpu, "bus_bits", json_integer(g->bus_bits));
	json_add(gpu, "l2_bytes", json_integer(g->l2_bytes));
	json_add(gpu, "memory_bytes", json_whole(g->memory_bytes));
	snprintf(words, sizeof(words), "%d.%d", g->version / 1000, g->version % 1000 / 10);
	json_add(gpu, "driver", json_string(words));
	json_add(gpu, "clocks", json_string(locked ? "locked" : "not locked"));
	json_add(j, "gpu", gpu);
	return j;
}

/* Nulls without values: a table's rows have the same columns. */
static json_t *spread_json(const double *values, unsigned n)
{
	struct hardware_spread s = hardware_spread(values, n);
	json_t *j = json_object();

	json_add(j, "median", n ? json_number(s.median) : json_null());
	json_add(j, "least", n ? json_number(s.least) : json_null());
	json_add(j, "most", n ? json_number(s.most) : json_null());
	return j;
}

static json_t *kernel_json(const struct hardware_result *r, const struct hardware_kernel *k)
{
	json_t *j = json_object(), *ours = json_object(), *theirs = json_object();
	const struct program *p = k->program;

	json_add(j, "name", json_name(p->name));
	json_add(j, "launches", json_integer(k->launches));
	json_add(j, "us", spread_json(k->us, r->measured ? r->repeats : 0));
	json_add(ours, "registers", json_integer(p->regs));
	json_add(ours, "local_bytes", json_integer(p->local_bytes));
	json_add(ours, "spill_bytes", json_integer(p->spill_bytes));
	json_add(ours, "shared_bytes", json_integer(p->shared_bytes));
	json_add(theirs, "registers", json_integer(k->registers));
	json_add(theirs, "local_bytes", json_integer(k->local_bytes));
	json_add(theirs, "shared_bytes", json_integer(k->shared_bytes));
	json_add(theirs, "clocked_registers",
		k->clocked_registers ? json_integer(k->clocked_registers) : json_null());
	json_add(j, "clocked_cycles",
		k->clocked_cycles ? json_whole(k->clocked_cycles) : json_null());
	json_add(j, "ours", ours);
	json_add(j, "gpu", theirs);
	return j;
}

static json_t *buffer_json(const struct hardware_buffer *b)
{
	json_t *j = json_object(), *first = json_object();
	char words[16];

	json_add(j, "name", json_name(b->name));
	json_add(j, "bytes", json_whole(b->bytes));
	json_add(j, "compared", json_boolean(b->compared));
	json_add(j, "words_that_differ", json_whole(b->differ));
	json_add(j, "words_of_addresses", json_whole(b->addresses));
	snprintf(words, sizeof(words), "0x%08x", b->ours);
	json_add(first, "offset", b->differ ? json_whole(b->first) : json_null());
	json_add(first, "ours", b->differ ? json_string(words) : json_null());
	snprintf(words, sizeof(words), "0x%08x", b->theirs);
	json_add(first, "gpu", b->differ ? json_string(words) : json_null());
	json_add(j, "first", first);
	return j;
}

static void add_times(json_t *j, const struct hardware_result *r)
{
	double cycles = hardware_cycles(r);
	unsigned n = r->measured ? r->repeats : 0;

	json_add(j, "repeats", json_integer(r->repeats));
	json_add(j, "launches", json_integer(r->launches));
	json_add(j, "us", spread_json(r->span_us, n));
	json_add(j, "kernels_us", spread_json(r->kernels_us, n));
	json_add(j, "cycles", cycles > 0 ? json_number(cycles) : json_null());
	json_add(j, "cycles_by", json_string("time x measured clock"));
	json_add(j, "clocked_cycles",
		r->clocked_cycles ? json_whole(r->clocked_cycles) : json_null());
	json_add(j, "not_clocked", json_name(r->unclocked));
	json_add(j, "clock_before", clock_json(&r->before));
	json_add(j, "clock_after", clock_json(&r->after));
	json_add(j, "buffers_that_differ_between_repeats", json_integer(r->unsteady));
}

json_t *hardware_json(const struct hardware_result *r, const struct string_list *set)
{
	json_t *j = json_object(), *kernels = json_array(), *buffers = json_array();
	json_t *settings = json_array();

	json_add(j, "target", json_name(r->target));
	json_add(j, "size", json_name(r->size));
	for (unsigned i = 0; i < set->n; i++)
		json_append(settings, json_name(set->at[i]));
	json_add(j, "set", settings);
	json_add(j, "code", json_integer(r->code));
	json_add(j, "message", json_name(r->message));
	json_add(j, "check_of_executor", json_name(verdict_name(r->executor)));
	json_add(j, "check", json_name(verdict_name(r->gpu)));
	add_times(j, r);
	for (unsigned i = 0; i < r->nkernels; i++)
		json_append(kernels, kernel_json(r, &r->kernels[i]));
	for (unsigned i = 0; i < r->nbuffers; i++)
		json_append(buffers, buffer_json(&r->buffers[i]));
	json_add(j, "kernels", kernels);
	json_add(j, "buffers", buffers);
	return j;
}

/* ---- tables: a row's columns are an object's plain values, and those of its objects as a_b */
static void flatten(json_t *row, const char *prefix, const json_t *from)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)from, key, value)
	{
		char name[96];

		snprintf(name, sizeof(name), "%s%s%s", prefix, *prefix ? "_" : "", key);
		if (json_is_object(value))
			flatten(row, name, value);
		else if (json_is_boolean(value))
			json_add(row, name, json_integer(json_is_true(value)));
		else if (!json_is_array(value))
			json_add(row, name, json_incref(value));
	}
}

static void add_rows(json_t *table, const json_t *targets, const char *list)
{
	for (size_t i = 0; i < json_array_size(targets); i++) {
		const json_t *target = json_array_get(targets, i);
		const json_t *rows = json_object_get(target, list);

		for (size_t k = 0; k < json_array_size(rows); k++) {
			json_t *row = json_object();

			json_share(row, target, "target");
			flatten(row, "", json_array_get(rows, k));
			json_append(table, row);
		}
	}
}

/* A list of the file that is a table already; a file without it has no such table. */
static void add_table(json_t *tables, const json_t *file, const char *list)
{
	const json_t *rows = json_object_get(file, list);
	json_t *table;

	if (!json_array_size(rows))
		return;
	table = json_array();
	for (size_t i = 0; i < json_array_size(rows); i++) {
		json_t *row = json_object();

		flatten(row, "", json_array_get(rows, i));
		json_append(table, row);
	}
	json_add(tables, list, table);
}

json_t *hardware_tables(const json_t *file)
{
	static const char *const lists[] = {"kernels", "buffers"};
	const json_t *targets = json_object_get(file, "targets");
	json_t *j = json_object(), *gpu = json_array(), *runs = json_array(), *row = json_object();

	json_share(row, file, "schema");
	json_share(row, file, "date");
	json_add(row, "stand_in", json_integer(json_is_true(json_object_get(file, "stand_in"))));
	flatten(row, "", json_object_get(file, "gpu"));
	json_append(gpu, row);
	for (size_t i = 0; i < json_array_size(targets); i++) {
		row = json_object();
		flatten(row, "", json_array_get(targets, i));
		json_append(runs, row);
	}
	json_add(j, "gpu", gpu);
	json_add(j, "targets", runs);
	add_table(j, file, "forms");
	add_table(j, file, "curves");
	for (unsigned i = 0; i < ARRAY_LEN(lists); i++) {
		json_t *table = json_array();

		add_rows(table, targets, lists[i]);
		json_add(j, lists[i], table);
	}
	return j;
}
