/* What a profile costs: host instructions of the whole process, against the same run without. */
#include "bench/bench.h"

#define ALLOWED_PERCENT 15.0
#define MOST_ARGUMENTS 3u

struct profiled {
	const char *workload, *more[MOST_ARGUMENTS];
};

static const struct profiled rows[] = {
	{"vectoradd", {"--set", "vectoradd.n=1000000"}},
	{"matrixmul", {NULL}},
	{"bfs", {NULL}},
	{"needle", {NULL}},
	{"hotspot", {NULL}},
};
#define ROWS (sizeof(rows) / sizeof(rows[0]))

static double count(const struct bench *b, const char *command, const struct profiled *row)
{
	const char *argv[4 + MOST_ARGUMENTS] = {b->warpbeam, command, row->workload};

	for (unsigned i = 0; i < MOST_ARGUMENTS; i++)
		argv[3 + i] = row->more[i];
	return (double)child_count(b, argv).counted;
}

int bench_profile(const struct bench *b, json_t *out)
{
	json_t *all = json_array();
	int answer = 0;

	if (b->instructions)
		printf("\nhost instructions that a profile adds (at most %.0f %%)\n",
			ALLOWED_PERCENT);
	for (unsigned i = 0; i < ROWS && b->instructions; i++) {
		double run = count(b, "run", &rows[i]), profile = count(b, "profile", &rows[i]);
		double percent = run > 0 ? 100 * (profile - run) / run : 0;

		if (run <= 0 || profile <= 0)
			continue;
		answer |= percent > ALLOWED_PERCENT;
		printf("%-12s %6.1f %%%s\n", rows[i].workload, percent,
			percent > ALLOWED_PERCENT ? "  more than that" : "");
		fflush(stdout);
		json_array_append_new(all,
			json_pack("{s:s,s:f}", "workload", rows[i].workload, "percent", percent));
	}
	json_object_set_new(out, "profile", all);
	return answer;
}
