/* Figures 2, 3 and 4: how fast workloads are with so many registers, so much shared memory, so much
 * cache, and with 256 to 1024 threads of an SM; all other storage is without bound. */
#include "papers/m12/m12.h"

#include "papers/causes.h"

#include <stdio.h>
#include <string.h>

#define REGISTERS 64
#define CACHE_KB 64
#define MOST_KB 512
#define THREADS 4
#define MOST_THREADS 1024

static const unsigned threads[THREADS] = {256, 512, 768, MOST_THREADS};
#define COUNTS 5
static const unsigned registers[COUNTS] = {18, 24, 32, 40, REGISTERS};
static const unsigned few_registers[COUNTS] = {
	18, 24, REGISTERS}; /* of who needs no more than 24 */
static const unsigned caches_kb[] = {0, 64, 128, 256, MOST_KB};

/* Performance of one point in another's; NAN where no CTA fits into so few threads. */
static double against(
	struct book *b, unsigned w, const struct design *point, const struct design *base)
{
	return store_cycles(b, w, base) / store_try_cycles(b, w, point);
}

static const char *series(struct book *b, const char *format, unsigned n)
	__attribute__((format(printf, 2, 0)));
static const char *series(struct book *b, const char *format, unsigned n)
{
	const char *words = book_words(b, format, n);

	return words ? words : "";
}

static void claim(struct book *b, const char *name, const char *text, const double band[2],
	double ours, const char *cause)
{
	struct book_row r = {.claim = name,
		.unit = "times as fast",
		.paper = NAN,
		.low = band[0],
		.high = band[1],
		.ours = ours,
		.judge = BOOK_BAND,
		.cause = cause};

	book_sayf(b, &r, "%s", text);
}

static const char *time_of(struct book *b, int w, const struct design *d)
{
	return store_time_words(b, (unsigned)w, d);
}

/* ---- figure 2 */
static double by_registers(struct book *b, int w, unsigned t, unsigned r)
{
	struct design point = store_unbounded(t, r, CACHE_KB),
		      base = store_unbounded(MOST_THREADS, REGISTERS, CACHE_KB);

	return against(b, (unsigned)w, &point, &base);
}

static void curve2(struct book *b, int w, const unsigned counts[COUNTS])
{
	for (unsigned k = 0; k < COUNTS && counts[k]; k++)
		for (unsigned i = 0; i < THREADS; i++)
			book_plot(
				b, &(struct book_dot){book_workload(b, (unsigned)w),
					   series(b, "%u registers", counts[k]), "KB of registers",
					   "performance", 4.0 * counts[k] * threads[i] / 1024,
					   by_registers(b, w, threads[i], counts[k])});
}

static void fig2(struct book *b)
{
	struct design full = store_unbounded(MOST_THREADS, REGISTERS, CACHE_KB);
	int dgemm = book_find(b, "dgemm"), pcr = book_find(b, "pcr"),
	    needle = book_find(b, "needle");

	if (dgemm >= 0) {
		curve2(b, dgemm, registers);
		claim(b, "M12-055", "dgemm: 18 registers, 1024 threads (below 1)",
			(double[]){0, 0.99}, by_registers(b, dgemm, MOST_THREADS, 18),
			time_of(b, dgemm, &full));
		claim(b, "M12-055", "dgemm: 256 threads, 64 registers (below 1)",
			(double[]){0, 0.99}, by_registers(b, dgemm, 256, REGISTERS),
			time_of(b, dgemm, &full));
	}
	if (pcr >= 0) {
		curve2(b, pcr, registers);
		claim(b, "M12-056", "pcr: 18 registers, 1024 threads (below 1)",
			(double[]){0, 0.99}, by_registers(b, pcr, MOST_THREADS, 18),
			time_of(b, pcr, &full));
		claim(b, "M12-057", "pcr: 40 registers, of 64's (the same)", (double[]){0.98, 1.02},
			by_registers(b, pcr, MOST_THREADS, 40), time_of(b, pcr, &full));
	}
	if (dgemm >= 0 && pcr >= 0)
		claim(b, "M12-056", "pcr loses less by 256 threads than dgemm (above 1)",
			(double[]){1, 4},
			by_registers(b, pcr, 256, REGISTERS) /
				by_registers(b, dgemm, 256, REGISTERS),
			time_of(b, dgemm, &full));
	if (needle >= 0) {
		curve2(b, needle, few_registers);
		claim(b, "M12-057", "needle: 24 registers, of 64's (the same)",
			(double[]){0.98, 1.02}, by_registers(b, needle, MOST_THREADS, 24),
			time_of(b, needle, &full));
		claim(b, "M12-058", "needle: 1024 threads by 512 (the same)",
			(double[]){0.95, 1.05}, 1 / by_registers(b, needle, 512, REGISTERS),
			time_of(b, needle, &full));
	}
}

/* ---- figure 3 */
static double by_threads(struct book *b, int w, unsigned t)
{
	return by_registers(b, w, t, REGISTERS);
}

/* KB of shared memory that so many threads take. */
static double shared_kb(struct book *b, int w, unsigned t)
{
	struct design d = store_unbounded(t, REGISTERS, CACHE_KB);

	return store_partition_of(store_report(b, (unsigned)w, &d)).shared_used_kb;
}

static void curve3(struct book *b, int w)
{
	for (unsigned i = 0; i < THREADS; i++)
		book_plot(
			b, &(struct book_dot){"256 to 1024 threads", book_workload(b, (unsigned)w),
				   "KB of shared memory", "performance",
				   shared_kb(b, w, threads[i]), by_threads(b, w, threads[i])});
}

struct need {
	const char *workload, *claim, *text;
	double paper, low, high; /* KB of shared memory */
	const char *speed_text;
	double speed_low, speed_high; /* of 256 threads */
};

static void fig3(struct book *b)
{
	static const struct need needs[] = {
		{"needle", "M12-059", "needle: shared memory, 1024 threads (above 200)", NAN, 200,
			400, NULL, 0, 0},
		{"pcr", "M12-060", "pcr: shared memory, 1024 threads", 20, 18, 22,
			"pcr: 256 threads (gains strongly: below 0.8)", 0, 0.8},
		{"lu", "M12-061", "lu: shared memory, 1024 threads", 96, 86.4, 105.6,
			"lu: 256 threads (rewards threads: below 0.95)", 0, 0.95},
		{"sto", "M12-062", "sto: shared memory, 1024 threads (Table 1)", 127, 114.3, 139.7,
			"sto: 256 threads (near its peak)", 0.9, 1.1}};
	struct design full = store_unbounded(MOST_THREADS, REGISTERS, CACHE_KB);

	for (unsigned i = 0; i < ARRAY_LEN(needs); i++) {
		const struct need *n = &needs[i];
		int w = book_find(b, n->workload);
		struct book_row r = {.claim = n->claim,
			.unit = "KB",
			.paper = n->paper,
			.low = n->low,
			.high = n->high,
			.judge = BOOK_BAND,
			.cause = store_cause(n->workload, book_column(b), "partition")};

		if (w < 0)
			continue;
		curve3(b, w);
		r.ours = shared_kb(b, w, MOST_THREADS);
		book_sayf(b, &r, "%s", n->text);
		if (n->speed_text)
			claim(b, n->claim, n->speed_text, (double[]){n->speed_low, n->speed_high},
				by_threads(b, w, 256), time_of(b, w, &full));
	}
}

/* ---- figure 4 */
static double by_cache(struct book *b, int w, unsigned t, unsigned kb)
{
	struct design point = store_unbounded(t, REGISTERS, kb),
		      base = store_unbounded(MOST_THREADS, REGISTERS, MOST_KB);

	return against(b, (unsigned)w, &point, &base);
}

static void curve4(struct book *b, int w)
{
	for (unsigned i = 0; i < THREADS; i++)
		for (unsigned k = 0; k < ARRAY_LEN(caches_kb); k++)
			book_plot(b, &(struct book_dot){book_workload(b, (unsigned)w),
					     series(b, "%u threads", threads[i]), "KB of cache",
					     "performance", caches_kb[k],
					     by_cache(b, w, threads[i], caches_kb[k])});
}

static const char *why_cached(struct book *b, int w, const struct design *d)
{
	const char *known = store_cause(book_workload(b, (unsigned)w), book_column(b), "cache");
	const char *time = time_of(b, w, d);

	return known && time ? book_words(b, "%s. %s", known, time) : time;
}

static void fig4(struct book *b)
{
	static const struct {
		const char *workload, *claim, *text;
		unsigned from_kb, to_kb;
		double low, high;
	} gains[] = {{"bfs", "M12-063", "bfs: 512 KB by 64 (gains)", 64, 512, 1.05, 3},
		{"pcr", "M12-063", "pcr: 512 KB by 64 (gains)", 64, 512, 1.05, 3},
		{"pcr", "M12-063", "pcr: 512 KB by 256 (gains again)", 256, 512, 1.05, 3},
		{"mummer", "M12-064", "mummer: 256 KB by none (gains early)", 0, 256, 1.05, 20},
		{"mummer", "M12-064", "mummer: 512 KB by 256 (saturates)", 256, 512, 0.98, 1.05},
		{"needle", "M12-064", "needle: 512 KB by 64 (hardly reacts)", 64, 512, 0.95, 1.05}};
	const char *before = "";

	for (unsigned i = 0; i < ARRAY_LEN(gains); i++) {
		int w = book_find(b, gains[i].workload);
		struct design d = store_unbounded(MOST_THREADS, REGISTERS, gains[i].from_kb);

		if (w < 0)
			continue;
		if (gains[i].workload != before)
			curve4(b, w);
		before = gains[i].workload;
		claim(b, gains[i].claim, gains[i].text, (double[]){gains[i].low, gains[i].high},
			by_cache(b, w, MOST_THREADS, gains[i].to_kb) /
				by_cache(b, w, MOST_THREADS, gains[i].from_kb),
			why_cached(b, w, &d));
	}
}

static bool is_among(const char *workload, const char *const list[4])
{
	for (unsigned i = 0; i < 4 && list[i]; i++)
		if (!strcmp(list[i], workload))
			return true;
	return false;
}

static bool in_fig2(const char *workload)
{
	return is_among(workload, (const char *const[4]){"dgemm", "pcr", "needle"});
}

static bool in_fig3(const char *workload)
{
	return is_among(workload, (const char *const[4]){"needle", "pcr", "lu", "sto"});
}

static bool in_fig4(const char *workload)
{
	return is_among(workload, (const char *const[4]){"bfs", "pcr", "mummer", "needle"});
}

const struct target m12_fig2 = {
	.order = 20,
	.name = "fig2",
	.text = "Performance by registers and threads (dgemm, pcr, needle).",
	.paper = &m12_paper,
	.rows = fig2,
	.takes = in_fig2,
	.columns = STORE_BOTH,
	.plots = true,
};

const struct target m12_fig3 = {
	.order = 30,
	.name = "fig3",
	.text = "Performance by shared memory and threads (needle, pcr, lu, sto).",
	.paper = &m12_paper,
	.rows = fig3,
	.takes = in_fig3,
	.columns = STORE_BOTH,
	.plots = true,
};

const struct target m12_fig4 = {
	.order = 40,
	.name = "fig4",
	.text = "Performance by cache and threads (bfs, pcr, mummer, needle).",
	.paper = &m12_paper,
	.rows = fig4,
	.takes = in_fig4,
	.columns = STORE_BOTH,
	.plots = true,
};
