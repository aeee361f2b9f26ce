/* Advice as text, as rows of a table and as a part of the page. */
#include "cli/advice/advice.h"

#include "core/base.h"
#include "draw/html.h"
#include "draw/number.h"
#include "runs/json.h"

#include <math.h>

static void where(const struct advice *a, struct text *out)
{
	if (!a->line)
		return;
	text_add(out, "          at %s", a->line->name);
	if (a->line->ptx_text) {
		text_add(out, ": ");
		text_source(out, a->line->ptx_text);
	}
	text_add(out, "\n");
	if (!a->line->cuda_line)
		return;
	text_add(out, "          %s:%u  ", a->line->cuda_file, a->line->cuda_line);
	text_source(out, a->line->cuda_text ? a->line->cuda_text : "");
	text_add(out, "\n");
}

static double proved_speedup(const struct advice *a)
{
	return a->speedup * a->after / a->proved;
}

static double known_speedup(const struct advice *a)
{
	return isnan(a->proved) ? a->speedup : proved_speedup(a);
}

double advice_ratio(const struct advice *a)
{
	return a->speedup / proved_speedup(a);
}

void advice_fixes(const struct advice *a, struct text *out)
{
	char cycles[32];
	const char *comma = "";

	for (unsigned k = 0; k < LIMIT_FIXES; k++) {
		if (isnan(a->fixed[k]))
			continue;
		text_add(out, "%s%s %.2fx, %s cycles", comma, a->limit->fixes[k].text,
			a->speedup * a->after / a->fixed[k],
			number_grouped((uint64_t)a->fixed[k], cycles));
		comma = "; ";
	}
}

static void others(const struct advice *a, struct text *out)
{
	struct text fixes = {0};

	advice_fixes(a, &fixes);
	if (*text_str(&fixes))
		text_add(out, "          or else: %s\n", text_str(&fixes));
	text_clear(&fixes);
}

static void proof(const struct advice *a, struct text *out)
{
	char cycles[32], names[64];

	advice_limits(a, names);
	if (a->stopped) {
		text_add(out,
			"          not proved: the run without %s did not end within %s cycles\n",
			names, number_grouped(a->stopped, cycles));
		return;
	}
	if (isnan(a->proved)) {
		text_add(out, "          not proved: the run without %s failed\n", names);
		return;
	}
	text_add(out,
		"          proved: %.2fx, %s cycles without %s (%s%s%s); promised by proved "
		"%.2f%s\n",
		proved_speedup(a), number_grouped((uint64_t)a->proved, cycles), names,
		a->limit->text, a->also ? "; " : "", a->also ? a->also->text : "", advice_ratio(a),
		a->moved ? "" : "; but what it limits did not move");
}

/* Whether the model gained less without the limit than any advice may promise. */
static bool is_denied(const struct advice *a)
{
	return known_speedup(a) < ADVICE_LEAST;
}

static void one(const struct advice *a, bool proved, struct text *out)
{
	char cycles[32];

	text_add(out, "%7.2fx  %s: %s\n", known_speedup(a), a->rule->name, a->rule->change);
	text_add(out, "          measured: %s\n", text_str(&a->measured));
	where(a, out);
	text_add(out, "          estimate: %.2fx, %s cycles: without %s%s%s\n", a->speedup,
		number_grouped((uint64_t)a->after, cycles), a->rule->basis,
		a->bound ? "; bounded by " : "", a->bound ? a->bound : "");
	if (proved) {
		proof(a, out);
		others(a, out);
	}
}

/* Those that proofs deny are the last. */
void advice_text(const struct advices *all, bool proved, struct text *out)
{
	const double least = 100 * (ADVICE_LEAST - 1);

	text_add(out, "\nadvice: what would be faster, by %s\n",
		proved ? "the model without the limit; where that failed, by estimate"
		       : "estimate");
	if (!all->n)
		text_add(out, "  none that promises %.0f%% or more\n", least);
	else if (is_denied(&all->at[0]))
		text_add(out, "  none by %.0f%% or more\n", least);
	for (unsigned i = 0; i < all->n; i++) {
		if (is_denied(&all->at[i]) && (!i || !is_denied(&all->at[i - 1])))
			text_add(out,
				"\ndenied advice: estimates of which the model without the limit "
				"gained less than %.0f%%\n",
				least);
		one(&all->at[i], proved, out);
	}
}

static json_t *number_of(double v)
{
	return isnan(v) ? json_null() : json_whole((uint64_t)v);
}

static json_t *fixes_json(const struct advice *a)
{
	json_t *list = json_array();

	for (unsigned k = 0; k < LIMIT_FIXES; k++) {
		json_t *j = isnan(a->fixed[k]) ? NULL : json_object();

		if (!j)
			continue;
		json_add(j, "fix", json_string(a->limit->fixes[k].text));
		json_add(j, "cycles", number_of(a->fixed[k]));
		json_append(list, j);
	}
	return list;
}

json_t *advice_json(const struct advices *all)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < all->n; i++) {
		const struct advice *a = &all->at[i];
		const struct traffic_item *l = a->line;
		json_t *j = json_object();

		json_add(j, "rule", json_string(a->rule->name));
		json_add(j, "limit", json_string(a->limit->name));
		json_add(j, "also_limit", a->also ? json_string(a->also->name) : json_null());
		json_add(j, "change", json_string(a->rule->change));
		json_add(j, "measured", json_name(text_str(&a->measured)));
		json_add(j, "basis", json_string(a->rule->basis));
		json_add(j, "bound", a->bound ? json_string(a->bound) : json_null());
		json_add(j, "estimated_cycles", number_of(a->after));
		json_add(j, "estimated_speedup", json_number(a->speedup));
		json_add(j, "proved_cycles", number_of(a->proved));
		json_add(j, "proved_speedup",
			isnan(a->proved) ? json_null() : json_number(proved_speedup(a)));
		json_add(j, "promised_by_proved",
			isnan(a->proved) ? json_null() : json_number(advice_ratio(a)));
		json_add(j, "proved_fixes", fixes_json(a));
		json_add(j, "observable_moved",
			isnan(a->proved) ? json_null() : json_whole(a->moved));
		json_add(j, "line", l ? json_name(l->name) : json_null());
		json_add(j, "kernel", l ? json_name(l->kernel) : json_null());
		json_add(j, "ptx_file", l ? json_name(l->ptx_file) : json_null());
		json_add(j, "ptx_line", l && l->ptx_line ? json_whole(l->ptx_line) : json_null());
		json_add(j, "cuda_file", l ? json_name(l->cuda_file) : json_null());
		json_add(
			j, "cuda_line", l && l->cuda_line ? json_whole(l->cuda_line) : json_null());
		json_append(list, j);
	}
	return list;
}

static void change(const struct advice *a, struct text *out)
{
	struct text words = {0};

	if (is_denied(a))
		text_add(&words, "denied by its proof: ");
	text_add(&words, "%s", a->rule->change);
	if (!isnan(a->fixed[0]))
		text_add(&words, "; proved of others: ");
	advice_fixes(a, &words);
	html_long(out, text_str(&words));
	text_clear(&words);
}

void advice_html(const struct advices *all, struct text *out)
{
	static const struct html_column columns[] = {{"rule", true}, {"estimate", false},
		{"proved", false}, {"promised by proved", false}, {"measured", true},
		{"what would change", true}, {"line", true}, {"basis of the estimate", true}};

	text_add(out, "<h2 id=\"advice\">Advice</h2>\n");
	html_table(out, "What would be faster", columns, ARRAY_LEN(columns));
	for (unsigned i = 0; i < all->n; i++) {
		const struct advice *a = &all->at[i];

		html_row(out);
		html_name(out, a->rule->name);
		html_real(out, a->speedup, 2, "x");
		html_real(out, isnan(a->proved) ? NAN : proved_speedup(a), 2, "x");
		html_real(out, isnan(a->proved) ? NAN : advice_ratio(a), 2, "");
		html_long(out, text_str(&a->measured));
		change(a, out);
		html_words(out, a->line ? a->line->name : "");
		html_long(out, a->rule->basis);
		html_row_end(out);
	}
	html_table_end(out);
	if (!all->n)
		text_add(out, "<p class=\"dim\">None that promises %.0f%% or more.</p>\n",
			100 * (ADVICE_LEAST - 1));
}
