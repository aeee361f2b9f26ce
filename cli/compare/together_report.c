/* Targets that share a chip: text, JSON, CSV. */
#include "cli/compare/together.h"

#include "draw/csv.h"
#include "draw/number.h"
#include "runs/json.h"
#include "runs/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- text */
static void party_line(const struct together_party *p, struct text *out)
{
	char alone[32], shared[32], slowdown[32];

	text_add(out, "%-18.18s\t%-12.12s\t%13s\t%13s\t%9s%s%s%s\n", p->label,
		p->sms ? p->sms : "all", compare_number(p->alone.cycles, 0, alone),
		compare_number(p->shared.cycles, 0, shared),
		compare_number(together_slowdown(p), 3, slowdown),
		p->alone.stopped || p->shared.stopped ? "  limit:" : "",
		p->alone.stopped ? " alone" : "", p->shared.stopped ? " together" : "");
}

static char *bytes_of(const struct party_figures *f, char *out)
{
	double v = f->read_bytes + f->written_bytes;

	return isnan(v) ? compare_number(v, 0, out) : number_bytes(v, out);
}

static void traffic_line(const struct together_party *p, struct text *out)
{
	const struct party_figures *a = &p->alone, *b = &p->shared;
	char number[7][32];

	text_add(out, "%-18.18s\t%14s\t%14s\t%9s\t%9s\t%9s\t%9s\t%9s\n", p->label,
		bytes_of(a, number[0]), bytes_of(b, number[1]),
		compare_number(a->read_bytes_per_ns, 1, number[2]),
		compare_number(b->read_bytes_per_ns, 1, number[3]),
		compare_percent(error_pct(b->read_bytes_per_ns, a->read_bytes_per_ns), number[4]),
		compare_number(a->l2_hit_pct, 1, number[5]),
		compare_number(b->l2_hit_pct, 1, number[6]));
}

void together_text(const struct together *t, struct text *out)
{
	struct together_summary s = together_summary(t);
	char number[3][32];

	compare_title(t->o, out);
	report_machine_lines(json_object_get(t->report, "machine"), out);
	text_add(out, "\n\v%-18s\t%-12s\t%13s\t%13s\t%9s\n", "", "SMs", "cycles alone", "together",
		"slowdown");
	for (unsigned i = 0; i < t->n; i++)
		party_line(&t->parties[i], out);
	text_add(out, "\n\v%-18s\t%14s\t%14s\t%9s\t%9s\t%9s\t%9s\t%9s\n", "", "DRAM bytes",
		"together", "read B/ns", "together", "change", "L2 hits %", "together");
	for (unsigned i = 0; i < t->n; i++)
		traffic_line(&t->parties[i], out);
	text_add(out,
		"\nthroughput (sum of speeds against alone)   %s of %u\n"
		"turnaround (mean slowdown)                 %s\n"
		"fairness (least by greatest slowdown)      %s\n",
		compare_number(s.throughput, 3, number[0]), t->n,
		compare_number(s.turnaround, 3, number[1]),
		compare_number(s.fairness, 3, number[2]));
}

/* ---- JSON */
static json_t *figures(const struct party_figures *f)
{
	json_t *j = json_object();

	json_add(j, "stopped", json_boolean(f->stopped));
	json_add(j, "cycles", json_number(f->cycles));
	json_add(j, "warp_instructions", json_number(f->instructions));
	json_add(j, "dram_bytes_read", json_number(f->read_bytes));
	json_add(j, "dram_bytes_written", json_number(f->written_bytes));
	json_add(j, "dram_bytes_read_per_ns", json_number(f->read_bytes_per_ns));
	json_add(j, "l2_hit_rate_pct", json_number(f->l2_hit_pct));
	return j;
}

/* The party's launches in the shared run. */
static json_t *launches(const struct together *t, const struct together_party *p)
{
	json_t *all = json_object_get(t->report, "launches"), *l, *list = json_array();
	size_t i;

	json_array_foreach(all, i, l)
	{
		json_int_t stream = json_integer_value(json_object_get(l, "stream"));

		if ((unsigned)stream / PARTY_STREAMS == p->party.place.stream / PARTY_STREAMS)
			json_append(list, json_incref(l));
	}
	return list;
}

int together_json(const struct together *t, struct text *out)
{
	struct together_summary s = together_summary(t);
	json_t *j = compare_head(t->o), *list = json_array(), *mix = json_object();

	for (unsigned i = 0; i < t->n; i++) {
		const struct together_party *p = &t->parties[i];
		json_t *one = json_object();

		json_add(one, "name", json_name(p->label));
		json_add(one, "target", json_name(p->party.target));
		json_add(one, "sms", p->sms ? json_name(p->sms) : json_null());
		json_add(one, "alone", figures(&p->alone));
		json_add(one, "together", figures(&p->shared));
		json_add(one, "slowdown", json_number(together_slowdown(p)));
		json_add(one, "launches", launches(t, p));
		json_append(list, one);
	}
	json_add(mix, "throughput", json_number(s.throughput));
	json_add(mix, "turnaround", json_number(s.turnaround));
	json_add(mix, "fairness", json_number(s.fairness));
	json_add(j, "parties", list);
	json_add(j, "mix", mix);
	json_add(j, "machine", compare_part(t->report, "machine"));
	json_add(j, "inputs", compare_part(t->report, "inputs"));
	json_add(j, "configuration", compare_part(t->report, "configuration"));
	json_add(j, "metrics", compare_part(t->report, "metrics"));
	return json_print(j, out);
}

/* ---- CSV */
static void csv_line(const struct together_party *p, const char *run, const char *figure, double v,
	const char *unit, struct text *out)
{
	char number[32] = "";

	if (!isnan(v))
		report_real(v, number);
	csv_words(p->label, out);
	text_add(out, ",%s,%s,%s,%s\n", run, figure, number, unit);
}

static void csv_run(const struct together_party *p, const char *run, const struct party_figures *f,
	struct text *out)
{
	if (f->stopped) {
		csv_words(p->label, out);
		text_add(out, ",%s,status,limit,\n", run);
	}
	csv_line(p, run, "cycles", f->cycles, "cycles", out);
	csv_line(p, run, "warp_instructions", f->instructions, "warp instructions", out);
	csv_line(p, run, "dram_bytes_read", f->read_bytes, "bytes", out);
	csv_line(p, run, "dram_bytes_written", f->written_bytes, "bytes", out);
	csv_line(p, run, "dram_bytes_read_per_ns", f->read_bytes_per_ns, "B/ns", out);
	csv_line(p, run, "l2_hit_rate", f->l2_hit_pct, "%", out);
}

void together_csv(const struct together *t, struct text *out)
{
	text_add(out, "target,run,figure,value,unit\n");
	for (unsigned i = 0; i < t->n; i++) {
		const struct together_party *p = &t->parties[i];

		csv_run(p, "alone", &p->alone, out);
		csv_run(p, "together", &p->shared, out);
		csv_line(p, "together", "slowdown", together_slowdown(p), "ratio", out);
	}
}
