/* A profile for programs: all its tables as JSON, and the same as CSV. */
#include "cli/traffic/roofline.h"

#include "cli/advice/advice.h"
#include "draw/csv.h"
#include "runs/json.h"
#include "runs/kernels/kernels.h"
#include "runs/power.h"

#include <stdio.h>
#include <string.h>

/* ---- rows */
static void add_count(
	json_t *j, const struct traffic *t, const char *name, enum profile_count what, uint64_t n)
{
	bool applies = traffic_applies(t, VIEWS, what);

	json_add(j, name, applies ? json_whole(n) : json_null());
}

/* What a row does not count is null. */
static void add_counts(
	json_t *j, const struct traffic *t, enum traffic_view_id id, const struct profile_row *r)
{
	for (unsigned i = 0; i < PROFILE_COUNT; i++)
		json_add(j, traffic_counts[i].name,
			traffic_applies(t, id, (enum profile_count)i) ? json_whole(r->n[i])
								      : json_null());
}

static void add_line(json_t *j, const struct traffic_item *i, const struct kernels *kernels)
{
	json_add(j, "kernel", json_name(i->kernel));
	json_add(j, "kernel_source", json_name(kernels_name(kernels, i->kernel)));
	json_add(j, "buffer", json_name(i->buffer));
	json_add(j, "ptx_file", json_name(i->ptx_file));
	json_add(j, "ptx_line", i->ptx_line ? json_whole(i->ptx_line) : json_null());
	json_add(j, "ptx", json_name(i->ptx_text));
	json_add(j, "cuda_file", json_name(i->cuda_file));
	json_add(j, "cuda_line", i->cuda_line ? json_whole(i->cuda_line) : json_null());
	json_add(j, "cuda", json_name(i->cuda_text));
	json_add(j, "spill", json_whole(i->spill));
}

static json_t *view(const struct traffic *t, enum traffic_view_id id, const struct kernels *kernels)
{
	const struct traffic_view *v = &t->view[id];
	json_t *list = json_array();

	for (unsigned i = 0; i < v->n; i++) {
		const struct traffic_item *item = &v->item[i];
		json_t *j = json_object();

		json_add(j, "name", json_name(item->name));
		if (id == VIEW_KERNELS) {
			json_add(j, "source", json_name(kernels_name(kernels, item->name)));
			json_add(j, "file", json_name(item->ptx_file));
			json_add(j, "launches", json_whole(item->launches));
		}
		if (id == VIEW_LINES)
			add_line(j, item, kernels);
		add_counts(j, t, id, &item->counts);
		traffic_stalls_add(
			j, id == VIEW_BUFFERS || id == VIEW_CHANNELS ? NULL : &item->stalls);
		if (id == VIEW_SMS)
			json_add(j, "idle", json_whole(t->sum.idle[i]));
		json_append(list, j);
	}
	return list;
}

static json_t *banks(const struct traffic *t)
{
	const struct profile_sum *s = &t->sum;
	json_t *list = json_array();

	for (unsigned c = 0; c < s->channels; c++)
		for (unsigned b = 0; b < s->banks; b++) {
			const struct profile_bank *bank = &s->bank[c][b];
			json_t *j = json_object();

			json_add(j, "channel", json_whole(c));
			json_add(j, "bank", json_whole(b));
			json_add(j, "dram_read", json_whole(bank->read));
			json_add(j, "dram_write", json_whole(bank->write));
			add_count(j, t, "row_hit", PROFILE_ROW_HIT, bank->row_hit);
			add_count(j, t, "row_miss", PROFILE_ROW_MISS, bank->row_miss);
			add_count(j, t, "row_conflict", PROFILE_ROW_CONFLICT, bank->row_conflict);
			json_append(list, j);
		}
	return list;
}

static json_t *at_time(const struct profile_sum *s, const char *part, unsigned i, unsigned bin)
{
	json_t *j = json_object();

	json_add(j, part, json_whole(i));
	json_add(j, "cycle", json_whole(bin * s->bin_cycles));
	json_add(j, "cycles", json_whole(s->bin_cycles));
	return j;
}

static json_t *channel_time(const struct profile_sum *s)
{
	json_t *list = json_array();

	for (unsigned c = 0; c < s->channels; c++)
		for (unsigned i = 0; i < s->bins; i++) {
			json_t *j = at_time(s, "channel", c, i);

			json_add(j, "dram_read", json_whole(s->bin[c][i].read));
			json_add(j, "dram_write", json_whole(s->bin[c][i].write));
			json_append(list, j);
		}
	return list;
}

/* Bins with traffic; most bins of SMs have none. */
static json_t *sm_time(const struct profile_sum *s)
{
	json_t *list = json_array();

	for (unsigned sm = 0; sm < s->sms; sm++)
		for (unsigned i = 0; i < s->bins; i++) {
			json_t *j;

			if (!s->sm_bin[sm][i])
				continue;
			j = at_time(s, "sm", sm, i);
			json_add(j, "dram_bytes", json_whole(s->sm_bin[sm][i]));
			json_append(list, j);
		}
	return list;
}

static json_t *flow_row(const struct traffic *t, const char *buffer, uint32_t b, unsigned c)
{
	json_t *j = json_object();
	const struct profile_row *row = &t->sum.channel_buffer[c][b];

	json_add(j, "buffer", json_name(buffer));
	json_add(j, "channel", json_whole(c));
	json_add(j, "dram_read", json_whole(row->n[PROFILE_DRAM_READ]));
	json_add(j, "dram_write", json_whole(row->n[PROFILE_DRAM_WRITE]));
	json_add(j, "flushed", json_whole(row->n[PROFILE_FLUSHED]));
	return j;
}

static json_t *flow(const struct traffic *t)
{
	json_t *list = json_array();

	for (uint32_t b = 1; b < t->sum.nbuffers; b++)
		for (unsigned c = 0; c < t->sum.channels; c++)
			json_append(
				list, flow_row(t, chip_profile_buffer(t->report->gpu, b), b, c));
	return list;
}

static json_t *counts(void)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < PROFILE_COUNT; i++) {
		json_t *j = json_object();

		json_add(j, "name", json_string(traffic_counts[i].name));
		json_add(j, "unit", json_string(traffic_counts[i].unit));
		json_add(j, "text", json_string(traffic_counts[i].text));
		json_append(list, j);
	}
	traffic_stalls_names(list);
	return list;
}

static json_t *total(const struct traffic *t)
{
	json_t *list = json_array(), *j = json_object();
	uint64_t idle = 0;

	for (unsigned i = 0; i < t->sum.sms; i++)
		idle += t->sum.idle[i];
	json_add(j, "target", json_name(t->report->target));
	json_add(j, "cycles", json_whole(t->cycles));
	add_counts(j, t, VIEWS, &t->sum.total);
	json_add(j, "stall_unknown", json_whole(t->sum.unblamed));
	traffic_stalls_add(j, &t->sum.stalls);
	json_add(j, "idle", json_whole(idle));
	json_append(list, j);
	return list;
}

static json_t *power(const struct gpu *g)
{
	json_t *list = json_array();

	json_append(list, power_summary(g));
	return list;
}

json_t *traffic_tables(
	const struct traffic *t, const struct kernels *kernels, const struct sheet *sheet)
{
	json_t *j = json_object();

	json_add(j, "total", total(t));
	for (unsigned i = 0; i < VIEWS; i++)
		json_add(j, t->view[i].name, view(t, (enum traffic_view_id)i, kernels));
	json_add(j, "banks", banks(t));
	json_add(j, "flow", flow(t));
	json_add(j, "channel_time", channel_time(&t->sum));
	json_add(j, "sm_time", sm_time(&t->sum));
	json_add(j, "counts", counts());
	json_add(j, "roofline", traffic_roofline_rows(t, kernels));
	json_add(j, "roofs", traffic_roofs(sheet));
	json_add(j, "power", power(t->report->gpu));
	json_add(j, "power_time", power_rows(t->report->gpu));
	json_add(j, "kernel_metrics", kernels_rows(t->report->gpu, kernels));
	json_add(j, "launch_metrics", kernels_launch_rows(t->report->gpu, kernels));
	return j;
}

int traffic_json(const struct traffic *t, json_t *tables, struct text *out)
{
	json_t *j = report_json_head(t->report);

	json_add(j, "configuration", report_json_settings(t->report->config));
	json_add(j, "profile", json_incref(tables));
	if (t->advices)
		json_add(j, "advice", advice_json(t->advices));
	return json_print(j, out);
}

/* ---- CSV: one table after the other, each with its own head */
static void csv_value(const json_t *v, struct text *out)
{
	if (json_is_string(v))
		csv_quoted(json_string_value(v), out);
	else if (json_is_integer(v))
		text_add(out, "%" JSON_INTEGER_FORMAT, json_integer_value(v));
	else if (json_is_real(v))
		text_add(out, "%s", report_real(json_real_value(v), (char[32]){0}));
}

static void csv_row(json_t *row, struct text *out)
{
	bool first = true;
	const char *name;
	json_t *v;

	json_object_foreach(row, name, v)
	{
		if (!first)
			text_add(out, ",");
		first = false;
		csv_value(v, out);
	}
	text_add(out, "\n");
}

static void csv_head(json_t *row, struct text *out)
{
	bool first = true;
	const char *name;
	json_t *v;

	json_object_foreach(row, name, v)
	{
		text_add(out, "%s%s", first ? "" : ",", name);
		first = false;
	}
	text_add(out, "\n");
}

void traffic_csv(const json_t *tables, struct text *out)
{
	const char *name;
	json_t *rows;

	json_object_foreach((json_t *)tables, name, rows)
	{
		text_add(out, "# %s\n", name);
		if (json_array_size(rows))
			csv_head(json_array_get(rows, 0), out);
		for (size_t i = 0; i < json_array_size(rows); i++)
			csv_row(json_array_get(rows, i), out);
		text_add(out, "\n");
	}
}
