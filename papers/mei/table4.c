/* Table 4: caches and TLBs, found out by time alone. The descriptions hold the paper's structure:
 * rows judge whether timing still shows it. Of table 1 the L2's capacity. */
#include "papers/mei/mei.h"

#include "core/base.h"

#define KB 1024.0
#define MB (1024.0 * 1024.0)

struct wanted {
	const char *claim, *level, *name, *item, *unit;
	double paper, of;  /* of: what one of the unit is */
	const char *words; /* that are looked for instead: 1, or 0 where the paper has not them */
	bool kepler;       /* found on both */
};

static const struct wanted all[] = {
	{"MEI-017", "L1", "L1", "capacity", "KB", 16, KB, NULL, false},
	{"MEI-017", "L1", "L1", "line", "bytes", 128, 1, NULL, false},
	{"MEI-017", "L1", "L1", "sets", "", 32, 1, NULL, false},
	{"MEI-017", "L1", "L1", "ways", "", 4, 1, NULL, false},
	{"MEI-018", "L1", "L1: LRU", "replacement", "1: so", 0, 1, "LRU", false},
	{"MEI-022", "L1 TLB", "L1 TLB", "capacity", "MB", 32, MB, NULL, true},
	{"MEI-022", "L1 TLB", "L1 TLB", "page", "MB", 2, MB, NULL, true},
	{"MEI-022", "L1 TLB", "L1 TLB", "sets", "", 1, 1, NULL, true},
	{"MEI-022", "L1 TLB", "L1 TLB", "ways", "", 16, 1, NULL, true},
	{"MEI-022", "L1 TLB", "L1 TLB: LRU", "replacement", "1: so", 1, 1, "LRU", true},
	{"MEI-023", "L2 TLB", "L2 TLB", "capacity", "MB", 130, MB, NULL, true},
	{"MEI-023", "L2 TLB", "L2 TLB", "sets", "", 7, 1, NULL, true},
	{"MEI-023", "L2 TLB", "L2 TLB: 17, and six times 8", "ways", "1: so", 1, 1,
		"17, 8 (6 sets)", true},
	{"MEI-023", "L2 TLB", "L2 TLB: LRU", "replacement", "1: so", 1, 1, "LRU", true},
	{"MEI-025", "texture cache", "texture cache", "capacity", "KB", 12, KB, NULL, true},
	{"MEI-025", "texture cache", "texture cache", "line", "bytes", 32, 1, NULL, true},
	{"MEI-025", "texture cache", "texture cache", "sets", "", 4, 1, NULL, true},
	{"MEI-025", "texture cache", "texture cache", "ways", "", 96, 1, NULL, true},
	{"MEI-025", "texture cache", "texture cache: LRU", "replacement", "1: so", 1, 1, "LRU",
		true},
};

static void say(struct book *b, const struct wanted *w, const char *machine, const char *name)
{
	struct design d = mei_design(machine, &mei_geometry, "");
	double ours = w->words ? mei_says(b, &d, w->level, w->item, w->words)
			       : mei_found(b, &d, w->level, w->item) / w->of;
	struct book_row row = book_band(w->claim, w->unit, band_exact(w->paper), ours,
		w->words || isnan(ours) ? mei_words(b, &d, w->level, w->item) : NULL);

	if (w->words)
		book_sayf(b, &row, "%s, %s", name, w->name);
	else
		book_sayf(b, &row, "%s, %s: %s", name, w->name, w->item);
}

static void say_l2(struct book *b, const char *machine, const char *name, double kb)
{
	struct design d = mei_design(machine, &mei_geometry, "");
	double ours = mei_found(b, &d, "L2", "capacity") / KB;
	struct book_row row = book_band("MEI-032", "KB", band_exact(kb), ours,
		isnan(ours) ? mei_words(b, &d, "L2", "capacity") : NULL);

	book_sayf(b, &row, "%s, L2: capacity (table 1)", name);
}

/* The paper's function is not in its text; the description has an assumption. */
static void tell_texture_index(struct book *b)
{
	struct design d = mei_design(MEI_FERMI, &mei_geometry, "");

	book_say_text(b, "Fermi, texture cache: set index, in words",
		book_told("MEI-026", "", NAN, NAN, mei_words(b, &d, "texture cache", "index")));
}

static void rows(struct book *b)
{
	for (unsigned i = 0; i < ARRAY_LEN(all); i++)
		say(b, &all[i], MEI_FERMI, "Fermi");
	for (unsigned i = 0; i < ARRAY_LEN(all); i++)
		if (all[i].kepler)
			say(b, &all[i], MEI_KEPLER, "Kepler");
	say_l2(b, MEI_FERMI, "Fermi", 512);
	say_l2(b, MEI_KEPLER, "Kepler", 1536);
	tell_texture_index(b);
}

const struct target mei_table4 = {
	.order = 20,
	.name = "mei-table4",
	.text = "Caches and TLBs by timing alone; their structure is the description's.",
	.paper = &mei_paper,
	.rows = rows,
};
