/* The benchmark: `make bench` runs it. Tables on stdout, all figures with --json FILE. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/bench.h"

static const char usage[] = "bench [--json FILE] [--rounds N] [--full] [--no-count] [kernel] "
			    "[workloads] [sizes] [profile] [families] [launches] [cuda]\n"
			    "bench --check FILE | --record FILE\n";

/* A row of the kernel's table. */
struct row {
	enum kernel_test test;
	const char *name, *label, *unit, *systemc;
	double goal; /* how many times SystemC's time at least */
};

static const struct row rows[] = {
	{EVENTS_32, "events_32", "timed event, 32 outstanding", "ns", "events32", 4},
	{EVENTS_1K, "events_1k", "timed event, 1,000 outstanding", "ns", "events1000", 8},
	{EVENTS_100K, "events_100k", "timed event, 100,000 outstanding", "ns", "events100000", 12},
	{CLOCKED, "clocked", "clocked activation, all of 1,024 active", "ns", "clocked", 3},
	{LINKS, "links", "message over a link of depth 16", "ns", "links", 2.4},
	{POLLING, "polling", "cycle of 1,024 components that poll", "ns", NULL, 0},
	{SPARSE, "sparse", "cycle of 1,024 components, 1% active", "ns", NULL, 0},
	{LOOP, "loop", "libev's share of a run", "%", NULL, 0},
	{BARRIER, "barrier", "meeting of two threads", "ns", NULL, 0},
	{SPINNING, "pthread_barrier", "the same with pthread_barrier", "ns", NULL, 0},
};
#define ROWS (sizeof(rows) / sizeof(rows[0]))

/* SystemC's time for the test, or 0. */
static double systemc_ns(const struct bench *b, const char *test)
{
	const char *argv[] = {b->systemc, test, NULL};
	char path[512], line[256];
	double ns = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/systemc.txt", b->scratch);
	if (child_run(argv, path).status)
		return 0;
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f)) {
		if (!strncmp(line, "ns ", 3))
			ns = strtod(line + 3, NULL);
	}
	if (f)
		fclose(f);
	remove(path);
	return ns;
}

static void take_least(double *least, double now)
{
	if (now > 0 && (*least <= 0 || now < *least))
		*least = now;
}

void bench_kernel(const struct bench *b, json_t *out)
{
	double ours[ROWS] = {0}, theirs[ROWS] = {0};
	json_t *all = json_array();

	for (unsigned round = 0; round < b->rounds; round++) {
		for (unsigned i = 0; i < ROWS; i++) {
			take_least(&ours[i], kernel_measure(rows[i].test));
			if (b->systemc && *b->systemc && rows[i].systemc)
				take_least(&theirs[i], systemc_ns(b, rows[i].systemc));
		}
	}
	printf("\nthe kernel alone, least of %u interleaved rounds\n", b->rounds);
	printf("%-42s %10s    %10s %8s %8s\n", "", "here", "SystemC", "times", "goal");
	for (unsigned i = 0; i < ROWS; i++) {
		printf("%-42s %10.2f %-2s", rows[i].label, ours[i], rows[i].unit);
		if (theirs[i] > 0)
			printf(" %10.1f %7.1fx %7.1fx", theirs[i], theirs[i] / ours[i],
				rows[i].goal);
		printf("\n");
		json_array_append_new(all,
			json_pack("{s:s,s:f,s:s,s:f,s:f}", "name", rows[i].name, "here", ours[i],
				"unit", rows[i].unit, "systemc", theirs[i], "goal", rows[i].goal));
	}
	if (!b->systemc || !*b->systemc)
		printf("SystemC is not installed (libsystemc-dev): nothing to compare with\n");
	printf("1%% active costs %.1f times less than polling (goal 4.0)\n",
		ours[POLLING] / ours[SPARSE]);
	json_object_set_new(out, "kernel", all);
}

struct request {
	const char *json, *check, *record;
	bool kernel, workloads, sizes, profile, families, launches, cuda;
};

static void parse(int argc, char **argv, struct bench *b, struct request *r)
{
	for (int i = 1; i < argc; i++) {
		const char *next = i + 1 < argc ? argv[i + 1] : NULL;

		if (!strcmp(argv[i], "kernel"))
			r->kernel = true;
		else if (!strcmp(argv[i], "workloads"))
			r->workloads = true;
		else if (!strcmp(argv[i], "sizes"))
			r->sizes = true;
		else if (!strcmp(argv[i], "profile"))
			r->profile = true;
		else if (!strcmp(argv[i], "families"))
			r->families = true;
		else if (!strcmp(argv[i], "launches"))
			r->launches = true;
		else if (!strcmp(argv[i], "cuda"))
			r->cuda = true;
		else if (!strcmp(argv[i], "--full"))
			b->full = true;
		else if (!strcmp(argv[i], "--no-count"))
			b->instructions = false;
		else if (next && !strcmp(argv[i], "--json"))
			r->json = argv[++i];
		else if (next && !strcmp(argv[i], "--check"))
			r->check = argv[++i];
		else if (next && !strcmp(argv[i], "--record"))
			r->record = argv[++i];
		else if (next && !strcmp(argv[i], "--rounds") && atoi(next) > 0)
			b->rounds = (unsigned)atoi(argv[++i]);
		else
			exit((fputs(usage, stderr), 2));
	}
	if (!r->kernel && !r->workloads && !r->sizes && !r->profile && !r->families &&
		!r->launches && !r->cuda)
		r->kernel = r->workloads = r->sizes = r->profile = r->families = r->launches =
			r->cuda = true;
}

static int run(const struct bench *b, const struct request *r)
{
	json_t *out = json_object();
	int answer = 0;

	if (r->check || r->record) {
		answer = bench_check(b, r->check ? r->check : r->record, r->record != NULL);
		if (r->check && !answer)
			answer = bench_profile(b, out);
		json_decref(out);
		return answer;
	}
	if (r->kernel)
		bench_kernel(b, out);
	if (r->workloads)
		bench_workloads(b, out);
	if (r->sizes)
		bench_sizes(b, out);
	if (r->profile)
		bench_profile(b, out);
	if (r->families)
		bench_families(b, out);
	if (r->launches)
		bench_launches(b, out);
	if (r->cuda)
		bench_cuda(b, out);
	if (r->json && json_dump_file(out, r->json, JSON_INDENT(2))) {
		fprintf(stderr, "bench: cannot write %s\n", r->json);
		answer = 9;
	}
	json_decref(out);
	return answer;
}

int main(int argc, char **argv)
{
	const char *warpbeam = getenv("WARPBEAM");
	char scratch[] = "/tmp/warpbeam-bench.XXXXXX";
	struct bench b = {.warpbeam = warpbeam ? warpbeam : "./warpbeam",
		.systemc = getenv("SYSTEMC_BENCH"),
		.source = WARPBEAM_SRCDIR,
		.scratch = mkdtemp(scratch),
		.rounds = 3,
		.instructions = true};
	struct request r = {0};
	int answer;

	parse(argc, argv, &b, &r);
	if (!b.scratch)
		return 9;
	setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
	answer = run(&b, &r);
	rmdir(scratch);
	return answer;
}
