/* The report on registers: one list of figures for text, CSV and JSON. */
#include "runs/usage_report.h"

#include "draw/number.h"
#include "runs/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct list {
	struct usage_row *rows;
	unsigned n;
	const char *group, *unit, *of_what;
	uint64_t of;
};

static void add(struct list *l, const char *key, const char *label, uint64_t count)
{
	BUG_ON(l->n == USAGE_ROWS);
	l->rows[l->n++] =
		(struct usage_row){l->group, key, label, l->unit, l->of_what, count, l->of};
}

static void shares_of(struct list *l, const char *what, uint64_t of)
{
	l->of_what = what;
	l->of = of;
}

static void begin(struct list *l, const char *group, const char *unit)
{
	l->group = group;
	l->unit = unit;
	shares_of(l, "", 0);
}

static void add_values(struct list *l, const struct usage *u)
{
	static const char *const reads[USAGE_READS][2] = {{"read_0", "never read"},
		{"read_1", "read once"}, {"read_2", "read twice"},
		{"read_more", "read more often"}};
	static const char *const life[USAGE_LIFE][2] = {{"life_1", "once, by the next instruction"},
		{"life_2", "once, 2 instructions later"}, {"life_3", "once, 3 instructions later"},
		{"life_more", "once, still later"}};

	begin(l, "values", "values");
	add(l, "written", "written", u->values);
	shares_of(l, "values", u->values);
	for (unsigned k = 0; k < USAGE_READS; k++)
		add(l, reads[k][0], reads[k][1], u->reads[k]);
	for (unsigned k = 0; k < USAGE_LIFE; k++)
		add(l, life[k][0], life[k][1], u->life[k]);
	add(l, "shared", "read by the shared datapath", u->shared);
	shares_of(l, "those", u->shared);
	add(l, "shared_from_alu", "and made by ALUs", u->shared_alu);
	add(l, "shared_data", "not as an address alone", u->shared_data);
	shares_of(l, "those", u->shared_data);
	add(l, "shared_data_from_alu", "and made by ALUs", u->shared_data_alu);
	shares_of(l, "values", u->values);
	add(l, "again", "read more than once", u->reads[2] + u->reads[3]);
	add(l, "again_data", "more than once, besides addresses", u->again_data);
	add(l, "again_crossed", "more than once, by other strands", u->again_crossed);
}

static void add_strands(struct list *l, const struct usage *u)
{
	begin(l, "strands", "strands");
	add(l, "begun", "begun by warps", u->strands);
	begin(l, "strands", "values");
	shares_of(l, "instructions", u->instructions);
	if (u->levelled)
		return;
	add(l, "live_in", "read, made by others", u->live_ins);
	add(l, "live_out", "made, read by others", u->live_outs);
}

static void add_operands(struct list *l, const struct usage *u)
{
	static const char *const names[USAGE_OPERANDS][2] = {{"mrf_0", "no operand from the MRF"},
		{"mrf_1", "one"}, {"mrf_2", "two"}, {"mrf_3", "three"}, {"mrf_more", "more"}};
	uint64_t known = 0;

	for (unsigned k = 0; k < USAGE_OPERANDS; k++)
		known += u->operands[k];
	if (!known)
		return;
	begin(l, "operands", "warp instructions");
	shares_of(l, "instructions", u->instructions);
	for (unsigned k = 0; k < USAGE_OPERANDS; k++)
		add(l, names[k][0], names[k][1], u->operands[k]);
}

/* ---- levels and energy */
static struct register_accesses all_accesses(const struct usage_report *r)
{
	struct register_accesses all = {.reads = {0}};

	for (unsigned n = 0; n <= LEVELS_MAX_ORF; n++)
		for (unsigned p = 0; p < REGISTERS_LEVELS; p++) {
			all.reads[p] += r->accesses[n].reads[p];
			all.writes[p] += r->accesses[n].writes[p];
		}
	return all;
}

static struct register_sum all_energy(const struct usage_report *r)
{
	struct register_sum all = {.total_fj = 0}, sum;

	for (unsigned n = 0; n <= LEVELS_MAX_ORF; n++) {
		register_energy_sum(r->energy, n, &r->accesses[n], &sum);
		for (unsigned p = 0; p < REGISTERS_LEVELS; p++) {
			all.bank_fj[p] += sum.bank_fj[p];
			all.wire_fj[p] += sum.wire_fj[p];
		}
		all.total_fj += sum.total_fj;
	}
	return all;
}

static uint64_t total(const uint64_t counts[REGISTERS_LEVELS])
{
	uint64_t sum = 0;

	for (unsigned p = 0; p < REGISTERS_LEVELS; p++)
		sum += counts[p];
	return sum;
}

static void add_places(
	struct list *l, const char *group, const uint64_t counts[REGISTERS_LEVELS], bool cache)
{
	begin(l, group, "warp operands");
	shares_of(l, group, total(counts));
	for (unsigned p = 0; p < REGISTERS_LEVELS; p++)
		add(l, register_level_keys[p], register_level_name(p, cache), counts[p]);
}

static void add_energy(struct list *l, const struct usage_report *r)
{
	const struct register_accesses single = {.reads = {[REGISTERS_MRF] = r->usage->read},
		.writes = {[REGISTERS_MRF] = r->usage->written}};
	struct register_sum base, now = all_energy(r);

	register_energy_sum(r->energy, 0, &single, &base);
	begin(l, "energy", "fJ");
	add(l, "single_level", "with all operands in the MRF", base.total_fj);
	shares_of(l, "that", base.total_fj);
	add(l, "total", "as executed", now.total_fj);
	add(l, "mrf_bank", "MRF, banks", now.bank_fj[REGISTERS_MRF]);
	add(l, "mrf_wire", "MRF, wires", now.wire_fj[REGISTERS_MRF]);
	add(l, "orf_bank", r->cache ? "RFC, banks" : "ORF, banks",
		now.bank_fj[REGISTERS_ORF] + now.bank_fj[REGISTERS_ORF_SHARED]);
	add(l, "orf_wire", r->cache ? "RFC, wires" : "ORF, wires",
		now.wire_fj[REGISTERS_ORF] + now.wire_fj[REGISTERS_ORF_SHARED]);
	add(l, "lrf_bank", "LRF, banks", now.bank_fj[REGISTERS_LRF]);
	add(l, "lrf_wire", "LRF, wires", now.wire_fj[REGISTERS_LRF]);
}

static void take_traffic(struct register_accesses *a, const struct level_traffic *t)
{
	*a = (struct register_accesses){.reads = {[REGISTERS_MRF] = t->mrf_reads,
						[REGISTERS_ORF] = t->orf_reads,
						[REGISTERS_ORF_SHARED] = t->orf_shared_reads,
						[REGISTERS_LRF] = t->lrf_reads},
		.writes = {[REGISTERS_MRF] = t->mrf_writes,
			[REGISTERS_ORF] = t->orf_writes,
			[REGISTERS_ORF_SHARED] = t->orf_shared_writes,
			[REGISTERS_LRF] = t->lrf_writes}};
}

void usage_describe(struct usage_report *r, const struct usage *u,
	const struct register_energy *energy, const struct levels_options *o,
	const struct untimed_counts *counts)
{
	unsigned price = o->price_entries ? o->price_entries : o->entries;

	*r = (struct usage_report){
		.usage = u, .energy = energy, .priced = true, .cache = o->kind == LEVELS_HARDWARE};
	if (o->kind == LEVELS_NONE || (o->kind == LEVELS_SOFTWARE && !o->price_entries)) {
		memcpy(r->accesses, u->accesses, sizeof(r->accesses));
		return;
	}
	r->priced = price <= LEVELS_MAX_ORF;
	take_traffic(&r->accesses[r->priced ? price : 0], &counts->registers);
}

unsigned usage_rows(const struct usage_report *r, struct usage_row out[USAGE_ROWS])
{
	struct list l = {.rows = out};
	struct register_accesses accesses = all_accesses(r);

	if (!r->usage->levelled)
		add_values(&l, r->usage);
	if (r->usage->strands)
		add_strands(&l, r->usage);
	add_operands(&l, r->usage);
	add_places(&l, "reads", accesses.reads, r->cache);
	add_places(&l, "writes", accesses.writes, r->cache);
	if (r->priced)
		add_energy(&l, r);
	return l.n;
}

static double share(const struct usage_row *row)
{
	return row->of ? (double)row->count / (double)row->of : 0;
}

void usage_text(const struct usage_report *r, struct text *out)
{
	struct usage_row rows[USAGE_ROWS];
	unsigned n = usage_rows(r, rows);
	const char *group = "";

	text_add(out, "\nregisters, as warps use them\n");
	for (unsigned i = 0; i < n; i++) {
		char number[32];

		text_add(out, "%-10s \t%-33s", rows[i].group == group ? "" : rows[i].group,
			rows[i].label);
		if (!strcmp(rows[i].unit, "fJ"))
			text_add(out, "\t    %s",
				number_energy((double)rows[i].count / 1e6, number));
		else
			text_add(out, "\t%22s\t%s", number_grouped(rows[i].count, number),
				rows[i].unit);
		group = rows[i].group;
		if (rows[i].of)
			text_add(out, ", %.2f %% of %s", 100 * share(&rows[i]), rows[i].of_what);
		text_add(out, "\n");
	}
}

void usage_csv(const struct usage_report *r, struct text *out)
{
	struct usage_row rows[USAGE_ROWS];
	unsigned n = usage_rows(r, rows);

	for (unsigned i = 0; i < n; i++)
		text_add(out, "registers,%s.%s,%" PRIu64 ",%s\n", rows[i].group, rows[i].key,
			rows[i].count, rows[i].unit);
}

json_t *usage_json(const struct usage_report *r)
{
	struct usage_row rows[USAGE_ROWS];
	unsigned n = usage_rows(r, rows);
	json_t *j = json_object();

	for (unsigned i = 0; i < n; i++) {
		json_t *group = json_object_get(j, rows[i].group), *figure = json_object();

		if (!group) {
			json_add(j, rows[i].group, json_object());
			group = json_object_get(j, rows[i].group);
		}
		json_add(figure, "count", json_whole(rows[i].count));
		json_add(figure, "unit", json_string(rows[i].unit));
		if (rows[i].of)
			json_add(figure, "share", json_number(share(&rows[i])));
		json_add(group, rows[i].key, figure);
	}
	return j;
}
