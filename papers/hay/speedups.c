/* Figures 6 and 7: speed at the rule's level, at the fastest and at the slowest, over the unchanged
 * program. Their bars have no numbers: bands are what the text says of them. */
#include "papers/hay/hay.h"

#define GAIN 1.02

/* How many gain more than 2 %. */
struct gains {
	unsigned automatic, best, worst, n;
	double most; /* the largest speed at auto */
	bool unknown;
};

static void add(struct gains *g, const struct hay_result *r)
{
	double a = r->base / r->automatic;

	g->n++;
	g->unknown |= isnan(a) || isnan(r->worst);
	g->automatic += a > GAIN;
	g->best += r->base / r->best > GAIN;
	g->worst += r->base / r->worst > GAIN;
	g->most = fmax(g->most, a);
}

/* cfd on Fermi stays unchanged; auto is within a tenth of the best except those that the text
 * names. */
static void one(struct book *b, const struct hay_workload *h, unsigned m, struct hay_result *r)
{
	bool same = !m && h == hay_seven;
	double a = r->base / r->automatic, best = r->base / r->best;
	struct book_row row = book_band(m ? "HAY-010" : "HAY-011", "times as fast",
		same ? band_exact(1) : band_between(NAN, 0.97, 1.7), a, r->note);

	row = h->judged ? row : book_unjudged(row);
	book_sayf(b, &row, "%s: auto", h->name);
	row = book_band("HAY-001", "times as fast", band_between(NAN, 1, 1.7), best, NULL);
	row = h->judged ? row : book_unjudged(row);
	book_sayf(b, &row, "%s: best", h->name);
	book_tell(b, "times as fast", r->base / r->worst, "%s: worst", h->name);
	row = book_band(m ? "HAY-010" : "HAY-012", "of the best speed",
		h->below[m] ? band_between(NAN, 0.5, 0.99) : band_between(NAN, 0.9, 1), a / best,
		r->misled);
	row = h->judged ? row : book_unjudged(row);
	book_sayf(b, &row, "%s: auto of the best%s", h->name, h->below[m] ? ", below it" : "");
	row = book_band("", "of the cycles", band_between(NAN, 0, 1.01), r->shared_by_local, NULL);
	if (isnan(r->shared_by_local) && !isnan(r->base)) { /* nothing that could be judged */
		row = book_unjudged(row);
		row.note = "no level has slots";
	}
	book_sayf(b, &row, "%s: slots against local spills, the worst level", h->name);
}

static double or_nan(const struct gains *g, unsigned n)
{
	return g->unknown ? NAN : (double)n;
}

/* Of the seven; fewer are not judged. */
static void all(struct book *b, const struct gains *g, unsigned m)
{
	struct book_row row =
		book_band("HAY-011", "workloads", band_exact(6), or_nan(g, g->automatic), NULL);

	if (m || g->n < HAY_SEVEN)
		row = book_told("HAY-010", "workloads", NAN, or_nan(g, g->automatic), NULL);
	book_say_text(b, "more than 2 % faster by auto", row);
	book_tell(b, "workloads", or_nan(g, g->best), "more than 2 %% faster at best");
	book_tell(b, "workloads", or_nan(g, g->worst), "more than 2 %% faster at worst");
	row = book_band("HAY-001", "times as fast", band_between(1.70, 1, 1.7),
		g->unknown ? NAN : g->most, NULL);
	if (g->n < HAY_SEVEN)
		row = book_unjudged(row);
	book_say_text(b, "the largest gain by auto", row);
}

/* With 32 CTA slots the registers of dxtc limit its threads. */
static void dxtc(struct book *b, unsigned w, unsigned m)
{
	struct design d = hay_design(hay_machines[m], "sm.ctas=32");
	struct hay_result r = hay_measure(b, w, &d);
	struct book_row row = book_told("", "times as fast", NAN, r.base / r.automatic, r.note);

	book_say_text(b, "dxtc, 32 CTA slots: auto", row);
	book_tell(b, "times as fast", r.base / r.best, "dxtc, 32 CTA slots: best");
}

void hay_speedups(struct book *b, unsigned m)
{
	struct gains g = {.most = 0};

	for (unsigned i = 0; i < HAY_SEVEN; i++) {
		const struct hay_workload *h = &hay_seven[i];
		struct design d = hay_design(hay_machines[m], "");
		int w = hay_at(b, i);
		struct hay_result r;

		if (w < 0)
			continue;
		r = hay_measure(b, (unsigned)w, &d);
		one(b, h, m, &r);
		add(&g, &r);
		if (!h->judged)
			dxtc(b, (unsigned)w, m);
	}
	all(b, &g, m);
}
