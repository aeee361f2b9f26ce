/* The cost of a CUDA program's calls: launches, copies, allocations, the start. */
#include <stdio.h>
#include <string.h>

#include "bench/bench.h"

/* Builds the program beside the scratch files. */
static bool build(const struct bench *b, char *app, size_t n)
{
	const char *slash = strrchr(b->warpbeam, '/');
	char source[512], library[512];
	const char *const argv[] = {
		"cc", "-w", "-O2", "-DCUDA_FATBIN", "-o", app, source, library, NULL};

	snprintf(app, n, "%s/cuda-app", b->scratch);
	snprintf(source, sizeof(source), "%s/tests/preload/bench.c", b->source);
	snprintf(library, sizeof(library), "%.*scuda/libcudart.so.13",
		slash ? (int)(slash + 1 - b->warpbeam) : 0, b->warpbeam);
	return child_run(argv, NULL).status == 0;
}

/* The least processor time of all rounds: of warpbeam with the program, or the program alone. */
static struct child measure(
	const struct bench *b, const char *app, const char *what, const char *n, unsigned rounds)
{
	const char *const inside[] = {
		b->warpbeam, "cuda", "--quiet", "--timed", "*", "--", app, what, n, NULL};
	const char *const alone[] = {app, what, n, NULL};
	struct child least = {0};

	for (unsigned i = 0; i < rounds; i++) {
		bool own = !strcmp(what, "memcpy");
		struct child c = child_run(own ? alone : inside, NULL);

		c.user_s += c.system_s;
		if (!i || c.user_s < least.user_s)
			least = c;
	}
	return least;
}

void bench_cuda(const struct bench *b, json_t *out)
{
	struct child launches, copies, plain, few, many, start;
	char app[512];

	printf("\nCUDA programs, processor time of both processes\n");
	if (!build(b, app, sizeof(app))) {
		printf("the program was not built\n");
		return;
	}
	start = measure(b, app, "allocations", "1", b->rounds);
	launches = measure(b, app, "launches", "100000", b->rounds);
	copies = measure(b, app, "copies", "4", b->rounds);
	plain = measure(b, app, "memcpy", "4", b->rounds);
	few = measure(b, app, "allocations", "100000", 1);
	many = measure(b, app, "allocations", "1000000", 1);
	printf("start and end: %.3f s (goal 0.05)\n", start.user_s);
	printf("100,000 empty launches: %.2f s (goal 2)\n", launches.user_s);
	printf("1 GB copied: %.2f s beyond memcpy's %.2f (goal 2)\n", copies.user_s - plain.user_s,
		plain.user_s);
	printf("allocations and frees, 100,000: %.1f MB; 1,000,000: %.1f MB, %.1f s\n", few.peak_mb,
		many.peak_mb, many.user_s);
	json_object_set_new(out, "cuda",
		json_pack("{s:f,s:f,s:f,s:f,s:f,s:f}", "start_s", start.user_s, "launches_s",
			launches.user_s, "copies_s", copies.user_s, "memcpy_s", plain.user_s,
			"peak_mb_100000", few.peak_mb, "peak_mb_1000000", many.peak_mb));
}
