/* Figure 8: how the unified design of 384 KB is partitioned, beside what section 4.5's rule makes
 * of the paper's Table 1. */
#include "papers/m12/m12.h"

#include "papers/causes.h"

#include <stdio.h>
#include <string.h>

#define AROUND_REGISTERS 0.2 /* as Table 1's bands */
#define AROUND_SHARED 0.1

static struct store_partition partition(struct book *b, unsigned w, const struct design *d)
{
	return store_partition_of(store_report(b, w, d));
}

static void say(struct book *b, const char *claim, const char *unit, const double figures[3],
	const char *cause, const char *format, const char *name)
	__attribute__((format(printf, 6, 0)));
static void say(struct book *b, const char *claim, const char *unit, const double figures[3],
	const char *cause, const char *format, const char *name)
{
	struct book_row r = {.claim = claim,
		.unit = unit,
		.paper = figures[0],
		.low = figures[0] - figures[2],
		.high = figures[0] + figures[2],
		.ours = figures[1],
		.judge = BOOK_BAND,
		.cause = cause};

	book_sayf(b, &r, format, name);
}

static void one(struct book *b, const struct m12_gain *g, unsigned w)
{
	struct design before = store_partitioned(""), after = store_unified(M12_LARGEST_KB, "");
	struct store_partition p = partition(b, w, &after), was = partition(b, w, &before);
	const char *known = store_cause(g->workload, book_column(b), "partition");
	const char *registers = book_words(b, "%.0f registers a thread, the paper's %.0f%s%s",
		p.registers, g->registers, known ? "; " : "", known ? known : "");
	const char *shared = book_words(b, "%.1f bytes a thread, the paper's %.1f%s%s",
		1024 * p.shared_used_kb / p.threads, 1024 * g->shared_kb / g->threads,
		known ? "; " : "", known ? known : "");
	const char *threads = book_words(b, "whole CTAs, the paper's whole warps%s%s",
		known ? "; " : "", known ? known : "");

	say(b, "M12-046", "KB",
		(double[]){g->register_kb, p.register_kb, AROUND_REGISTERS * g->register_kb},
		registers, "%s: registers", g->name);
	say(b, "M12-046", "KB", (double[]){g->shared_kb, p.shared_kb, AROUND_SHARED * g->shared_kb},
		shared, "%s: shared memory", g->name);
	say(b, "M12-046", "KB", (double[]){g->cache_kb, p.cache_kb, AROUND_REGISTERS * g->cache_kb},
		"what registers and shared memory leave", "%s: cache", g->name);
	say(b, "M12-084", "threads", (double[]){g->threads, p.threads, 0}, threads,
		"%s: threads that fit, unified", g->name);
	say(b, "M12-084", "threads", (double[]){g->partitioned_threads, was.threads, 32}, threads,
		"%s: threads that fit, partitioned", g->name);
}

static bool uses_some_shared(const struct m12_gain *g)
{
	return g->shared_kb > 0 && strcmp(g->workload, "needle") != 0;
}

static void ends(struct book *b)
{
	struct design after = store_unified(M12_LARGEST_KB, "");
	double least = NAN, most = NAN, needle = NAN, shared = NAN;
	const char *at_least = NULL, *at_most = NULL;

	for (unsigned i = 0; i < M12_GAINS; i++) {
		int w = m12_at(b, i);
		struct store_partition p;

		if (w < 0)
			continue;
		p = partition(b, (unsigned)w, &after);
		if (isnan(least) || p.register_kb < least) {
			least = p.register_kb;
			at_least = m12_gains[i].name;
		}
		if (isnan(most) || p.register_kb > most) {
			most = p.register_kb;
			at_most = m12_gains[i].name;
		}
		if (!strcmp(m12_gains[i].workload, "needle"))
			needle = p.shared_kb;
		if (uses_some_shared(&m12_gains[i]))
			shared = isnan(shared) ? p.shared_kb : fmax(shared, p.shared_kb);
	}
	book_say(b, &(struct book_row){"M12-043", "KB", "registers: least (the paper: bfs)", 36,
			    28.8, 43.2, least, BOOK_BAND, at_least});
	book_say(b, &(struct book_row){"M12-043", "KB", "registers: most (the paper: dgemm)", 228,
			    182.4, 273.6, most, BOOK_BAND, at_most});
	book_say(b, &(struct book_row){"M12-044", "KB", "needle: shared memory", 264, 263, 265,
			    needle, BOOK_BAND, NULL});
	book_say(b, &(struct book_row){"M12-045", "KB",
			    "lu, dgemm, pcr, srad: most shared memory (below 100)", NAN, 0, 100,
			    shared, BOOK_BAND, NULL});
}

static void rows(struct book *b)
{
	for (unsigned i = 0; i < M12_GAINS; i++) {
		int w = m12_at(b, i);

		if (w >= 0)
			one(b, &m12_gains[i], (unsigned)w);
	}
	ends(b);
}

const struct target m12_fig8 = {
	.order = 80,
	.name = "fig8",
	.text = "Unified, 384 KB: how the eight that gain partition it.",
	.paper = &m12_paper,
	.rows = rows,
	.takes = m12_gains_from,
	.columns = STORE_BOTH,
};
