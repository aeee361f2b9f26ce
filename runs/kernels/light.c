/* Speed of Light of a part of a run, and its instruction mix. */
#include "runs/kernels/light.h"

#include "draw/number.h"
#include "runs/json.h"
#include "runs/sheet/sheet.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define WARP 32.0
#define FLIT_BYTES 32.0
#define SECTOR_BYTES 32.0
#define BUSY_PCT 60.0 /* a unit above it binds */

struct view {
	const struct metric_set *m;
	const struct sheet *sheet;
	double cycles, ns, sms;
	struct light *out;
	unsigned n;
};

static double metric(const struct view *v, const char *name)
{
	return metric_value(v->m, name);
}

/* The parameter, or `otherwise` where it is 0 or absent. */
static double given(const struct view *v, const char *path, double otherwise)
{
	double value = sheet_number(v->sheet, path);

	return value > 0 ? value : otherwise;
}

static void add(struct view *v, struct light row)
{
	v->out[v->n++] = row;
}

/* Cycles in which units of every SM were occupied. */
static void add_cycles(
	struct view *v, const char *name, const char *label, double active, double units)
{
	add(v, (struct light){name, label, "cycles", active, units * v->sms * v->cycles});
}

static void add_pipe(struct view *v, const char *pipe, const char *label, const char *class)
{
	char active[64], shared[64];

	snprintf(active, sizeof(active), "sm__pipe_%s_cycles_active.sum", pipe);
	snprintf(shared, sizeof(shared), "pipe.%s_shared", class);
	add_cycles(
		v, pipe, label, metric(v, active), given(v, shared, given(v, "sm.schedulers", 1)));
}

/* Bytes against a bandwidth of the sheet, in GB/s. What was in flight when the launches ended may
 * make them more than fit: then it was used in full. */
static void add_bytes(
	struct view *v, const char *name, const char *label, double bytes, double gb_s)
{
	double rate = v->ns > 0 ? bytes / v->ns : 0;

	add(v, (struct light){name, label, "B/ns", fmin(rate, gb_s), gb_s});
}

static void add_sm(struct view *v)
{
	double passes = metric(v, "smsp__inst_executed_op_shared.sum") +
			metric(v, "l1tex__data_bank_conflicts_pipe_lsu.sum");

	add(v, (struct light){"issue", "issue slots", "instructions",
		       metric(v, "smsp__inst_issued.sum"),
		       sheet_figure(v->sheet, "issue") * v->sms * v->cycles});
	add_pipe(v, "alu", "ALU", "int");
	add_pipe(v, "fma", "FMA", "fma");
	add_pipe(v, "fp16", "FP16", "f16");
	add_pipe(v, "fp64", "FP64", "f64");
	add_pipe(v, "xu", "SFU", "sfu");
	if (metric(v, "sm__pipe_tensor_cycles_active.sum") > 0)
		add_pipe(v, "tensor", "tensor", "tensor");
	add_cycles(v, "shared", "shared memory", passes * given(v, "sm.shared_bank_cycles", 1), 1);
	add_pipe(v, "lsu", "LSU", "memory");
	add_cycles(v, "texture", "texture",
		metric(v, "smsp__inst_executed_pipe_tex.sum") * WARP /
			given(v, "sm.texture_lanes", 4),
		1);
	add_cycles(v, "l1", "L1", metric(v, "l1tex__cycles_tag_busy.sum"), 1);
}

static void add_memory(struct view *v)
{
	double reply = fmin(sheet_figure(v->sheet, "sm_gb_s"), sheet_figure(v->sheet, "l2_gb_s"));

	add_bytes(v, "network", "network, replies", FLIT_BYTES * metric(v, "noc_reply__flits.sum"),
		reply);
	add_bytes(v, "l2", "L2, reads", SECTOR_BYTES * metric(v, "lts__t_sectors_op_read.sum"),
		sheet_figure(v->sheet, "l2_gb_s"));
	add_bytes(v, "dram", "DRAM", metric(v, "dram__bytes.sum"),
		sheet_figure(v->sheet, "dram_gb_s"));
}

unsigned light_of(const struct metric_set *m, const struct sheet *sheet, struct light out[LIGHTS])
{
	struct view v = {.m = m, .sheet = sheet, .out = out};

	if (!m->n)
		return 0;
	v.cycles = metric(&v, "gpc__cycles_elapsed.max");
	v.ns = metric(&v, "gpu__time_duration.sum");
	v.sms = sheet_number(sheet, "chip.sms");
	add_sm(&v);
	add_memory(&v);
	return v.n;
}

double light_pct(const struct light *l)
{
	return l->peak > 0 ? 100 * l->achieved / l->peak : 0;
}

/* ---- as text */
/* The busiest but the given one; NULL: none was used. */
static const struct light *busiest(const struct light *rows, unsigned n, const struct light *except)
{
	const struct light *most = NULL;

	for (unsigned i = 0; i < n; i++)
		if (&rows[i] != except && rows[i].achieved > 0 &&
			(!most || light_pct(&rows[i]) > light_pct(most)))
			most = &rows[i];
	return most;
}

static void amount(double v, char *out)
{
	if (v < 1000 && v != floor(v))
		snprintf(out, 32, "%.1f", v);
	else
		number_grouped((uint64_t)v, out);
}

bool light_binds(const struct light *rows, unsigned n, struct text *out)
{
	const struct light *first = busiest(rows, n, NULL), *second = busiest(rows, n, first);

	if (!second)
		return false;
	text_add(out, "%s: %s (%.1f %%), then %s (%.1f %%)",
		light_pct(first) >= BUSY_PCT ? "what binds" : "no unit is busy, latency binds",
		first->label, light_pct(first), second->label, light_pct(second));
	return true;
}

void light_text(const struct light *rows, unsigned n, struct text *out)
{
	struct text words = {0};
	bool any = false;

	for (unsigned i = 0; i < n; i++) {
		char achieved[32], peak[32];

		if (rows[i].achieved <= 0)
			continue;
		amount(rows[i].achieved, achieved);
		amount(rows[i].peak, peak);
		text_add(out, "%-10s \t%-33s\t%18.1f\t%%  %s of %s %s\n", any ? "" : "of peak",
			rows[i].label, light_pct(&rows[i]), achieved, peak, rows[i].unit);
		any = true;
	}
	if (light_binds(rows, n, &words))
		text_add(out, "%-10s  %s\n", "", text_str(&words));
	out->failed |= words.failed;
	text_clear(&words);
}

unsigned light_mix_of(const struct metric_set *m, struct light_share out[LIGHT_SHARES])
{
	static const struct {
		const char *label, *metric;
	} rows[LIGHT_SHARES - 1] = {{"ALU", "smsp__inst_executed_pipe_alu.sum"},
		{"FMA", "smsp__inst_executed_pipe_fma.sum"},
		{"FP16", "smsp__inst_executed_pipe_fp16.sum"},
		{"FP64", "smsp__inst_executed_pipe_fp64.sum"},
		{"SFU", "smsp__inst_executed_pipe_xu.sum"},
		{"tensor", "smsp__inst_executed_pipe_tensor.sum"},
		{"LSU", "smsp__inst_executed_pipe_lsu.sum"},
		{"texture", "smsp__inst_executed_pipe_tex.sum"}};
	double all = metric_value(m, "smsp__inst_executed.sum"), rest = all;
	unsigned n = 0;

	for (unsigned i = 0; i < ARRAY_LEN(rows) && all > 0; i++) {
		double share = metric_value(m, rows[i].metric);

		rest -= share;
		if (share > 0)
			out[n++] = (struct light_share){rows[i].label, share, 100 * share / all};
	}
	if (all > 0 && rest > 0)
		out[n++] =
			(struct light_share){"control, parameters, others", rest, 100 * rest / all};
	return n;
}

void light_mix_text(const struct metric_set *m, struct text *out)
{
	struct light_share rows[LIGHT_SHARES];
	unsigned n = light_mix_of(m, rows);

	for (unsigned i = 0; i < n; i++)
		text_add(out, "%-10s \t%-33s\t%18.1f\t%%\n", i ? "" : "mix", rows[i].label,
			rows[i].pct);
}

json_t *light_json(const struct light *rows, unsigned n)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < n; i++) {
		json_t *j = json_object();

		json_add(j, "unit", json_string(rows[i].name));
		json_add(j, "label", json_string(rows[i].label));
		json_add(j, "achieved", json_number(rows[i].achieved));
		json_add(j, "peak", json_number(rows[i].peak));
		json_add(j, "measure", json_string(rows[i].unit));
		json_add(j, "pct", json_number(light_pct(&rows[i])));
		json_append(list, j);
	}
	return list;
}
