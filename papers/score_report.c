/* Scores in the report of a table. */
#include "papers/book_inside.h"
#include "papers/page.h"
#include "papers/score.h"
#include "runs/json.h"

json_t *score_json(const char *table, const struct score *s)
{
	json_t *j = json_object();

	json_add(j, "table", json_string(table));
	json_add(j, "unit", json_string(s->unit));
	json_add(j, "mean_absolute_error", json_number(s->error));
	json_add(j, "rank_correlation", json_number(s->rank));
	json_add(j, "judged", json_whole(s->judged));
	json_add(j, "within", json_whole(s->within));
	return j;
}

/* The target's scores in a column; 0: nothing judges it. */
static unsigned in_column(const struct book *b, const struct target *t, unsigned column,
	struct score out[SCORE_UNITS])
{
	unsigned n;
	const struct book_said *rows = book_rows(b, &n);

	return b->paper->columns[column].judged ? score_target(rows, n, t, column, b->arena, out)
						: 0;
}

void score_lines(const struct book *b, const struct target *t, struct text *out)
{
	struct score scores[SCORE_UNITS];
	char error[32], rank[32];

	for (unsigned c = 0; c < b->paper->ncolumns; c++) {
		unsigned units = in_column(b, t, c, scores);

		for (unsigned u = 0; u < units; u++) {
			const struct score *s = &scores[u];

			if (!s->judged)
				continue;
			text_add(out, "  %s, %s: %u of %u within", b->paper->columns[c].name,
				s->unit, s->within, s->judged);
			if (s->n)
				text_add(out, ", mean absolute error %s",
					page_number(s->error, error));
			if (!isnan(s->rank))
				text_add(out, ", rank correlation %s", page_number(s->rank, rank));
			text_add(out, "\n");
		}
	}
}

json_t *score_list(const struct book *b)
{
	struct score scores[SCORE_UNITS];
	json_t *list = json_array();

	for (unsigned i = 0; i < b->ntargets; i++)
		for (unsigned c = 0; c < b->paper->ncolumns; c++) {
			unsigned units = in_column(b, b->targets[i], c, scores);

			for (unsigned u = 0; u < units; u++) {
				json_t *j = score_json(b->targets[i]->name, &scores[u]);

				json_add(j, "column", json_string(b->paper->columns[c].key));
				json_append(list, j);
			}
		}
	return list;
}
