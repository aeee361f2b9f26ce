/* The machines of a table's runs. */
#include "papers/book.h"

#include "papers/papers.h"
#include "runs/json.h"
#include "runs/report.h"

#include <string.h>

static bool is_told(const json_t *list, const char *title)
{
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *told = json_object_get(json_array_get(list, i), "title");

		if (told && !strcmp(json_string_value(told), title))
			return true;
	}
	return false;
}

json_t *book_machines(const struct book *b)
{
	json_t *list = json_array();
	unsigned n;
	const struct book_said *said = book_rows(b, &n);

	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < said[i].nused; k++) {
			const json_t *report = point_report(book_point(b, &said[i], k));
			const json_t *machine = json_object_get(report, "machine");
			const char *title = json_string_value(json_object_get(machine, "title"));
			const json_t *against = json_object_get(machine, "validated");
			json_t *one;

			if (!title || is_told(list, title))
				continue;
			one = json_object();
			json_add(one, "title", json_string(title));
			json_add(one, "validated", json_name(json_string_value(against)));
			json_append(list, one);
		}
	return list;
}

void book_machine_lines(const struct book *b, struct text *out)
{
	json_t *list = book_machines(b);

	for (size_t i = 0; i < json_array_size(list); i++)
		report_machine_lines(json_array_get(list, i), out);
	json_decref(list);
}
