/* The page of `run`. */
#include "cli/html/html.h"

#include "draw/html.h"
#include "draw/svg.h"
#include "runs/output.h"

#include <string.h>

/* A message has a line for each thing that is unfinished. */
static void line(const char *class, const struct text *words, struct text *out)
{
	const char *at = text_str(words);

	for (size_t n; *at; at += n) {
		struct text one = {0};

		n = strcspn(at, "\n");
		text_bytes(&one, at, n);
		text_add(out, "<p class=\"%s\">", class);
		svg_escaped(text_str(&one), out);
		text_add(out, "</p>\n");
		out->failed |= one.failed;
		text_clear(&one);
		n += strspn(at + n, "\n");
	}
	out->failed |= words->failed;
}

/* What it has is right even where the run did not end as it should. */
static void ending(const struct report *r, struct text *out)
{
	struct text words = {0};

	if (!r->complete) {
		text_add(&words,
			"The run is not complete (%s): all figures are those up to its end. ",
			exit_codes[r->code].name);
	}
	if (r->message && *r->message)
		text_bytes(&words, r->message, strlen(r->message)); /* with its lines */
	if (words.len)
		line("notice", &words, out);
	text_clear(&words);
	text_add(&words, "check: %s",
		r->verdict == VERDICT_FAILED ? "FAILED" : verdict_name(r->verdict));
	line(r->verdict == VERDICT_FAILED ? "bad" : "facts", &words, out);
	text_clear(&words);
}

void page_run_head(const struct page_run *p, struct text *out)
{
	const struct report *r = p->report;
	struct text words = {0};

	text_add(&words, "warpbeam %s (%s), chip %s", program_version(), program_build(), r->chip);
	if (r->is_workload)
		text_add(&words, ", size %s, seed %llu, %u-bit addresses", r->size,
			(unsigned long long)r->seed, r->address_bits);
	line("facts", &words, out);
	text_clear(&words);
	report_machine_of(r, &words);
	line("facts", &words, out);
	text_clear(&words);
	if (r->altered) {
		text_add(&words, "CHANGED BY HAND: %s", report_path(r, r->altered));
		line("notice", &words, out);
		text_clear(&words);
	}
	ending(r, out);
}

void page_run(const struct report *r, struct arena *arena, struct text *out)
{
	struct page_run p;

	page_run_look(&p, r, arena);
	html_open(out, r->target, ": run");
	page_run_head(&p, out);
	html_tools(out);
	page_run_times(&p, out);
	page_run_parts(&p, out);
	page_roofline(&p, NULL, NULL, out);
	html_close(out, false);
}
