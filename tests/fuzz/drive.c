/* An engine for fuzz targets without libFuzzer: passes mutated seeds to LLVMFuzzerTestOneInput in a
 * child process, and saves each text that crashes, hangs or leaks.
 *
 *   fuzz_X [-runs=N] [-seed=S] [-dict=FILE] [-timeout=CPU_SECONDS] [-rss_limit_mb=MB]
 *   [-max_len=BYTES] [-artifact_prefix=PATH] [FILE|FOLDER...]
 *
 * With -runs=0 each file is passed unchanged. Exit code 1: there were findings. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base.h"
#include "tests/fuzz/engine.h"
#include "tests/fuzz/mutate.h"

#define BATCH 1000u /* inputs of one child, which checks for leaks at its end */
#define MOST_FINDINGS 50u
#define PROGRESS 50000u

struct options {
	unsigned long runs, seed, timeout, rss_mb, max_len;
	const char *dict, *prefix;
};

/* Seen by parent and child. */
struct shared {
	uint64_t at;   /* the input being tried */
	bool finished; /* the batch has ended; a failure after it is a leak */
};

struct drive {
	struct options o;
	struct corpus corpus;
	struct shared *shared;
	char *text;
	unsigned findings;
};

/* ---- the command line. */

static bool number_option(const char *arg, const char *name, unsigned long *value)
{
	size_t n = strlen(name);

	if (strncmp(arg, name, n) != 0)
		return false;
	*value = strtoul(arg + n, NULL, 10);
	return true;
}

static bool text_option(const char *arg, const char *name, const char **value)
{
	size_t n = strlen(name);

	if (strncmp(arg, name, n) != 0)
		return false;
	*value = arg + n;
	return true;
}

static void read_option(struct options *o, const char *arg)
{
	if (number_option(arg, "-runs=", &o->runs) || number_option(arg, "-seed=", &o->seed) ||
		number_option(arg, "-timeout=", &o->timeout) ||
		number_option(arg, "-rss_limit_mb=", &o->rss_mb) ||
		number_option(arg, "-max_len=", &o->max_len) ||
		text_option(arg, "-dict=", &o->dict) ||
		text_option(arg, "-artifact_prefix=", &o->prefix))
		return;
	fprintf(stderr, "there is no option %s\n", arg);
	exit(2);
}

static void prepare(struct drive *d, int argc, char **argv)
{
	for (int k = 1; k < argc; k++)
		if (argv[k][0] == '-')
			read_option(&d->o, argv[k]);
	for (int k = 1; k < argc; k++) {
		if (argv[k][0] == '-' || corpus_read(&d->corpus, argv[k], d->o.max_len))
			continue;
		fprintf(stderr, "cannot read %s\n", argv[k]);
		exit(2);
	}
	if (d->o.dict && !corpus_read_words(&d->corpus, d->o.dict)) {
		fprintf(stderr, "cannot read %s\n", d->o.dict);
		exit(2);
	}
	d->text = malloc(d->o.max_len);
	d->shared = mmap(NULL, sizeof(*d->shared), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	BUG_ON(!d->text || d->shared == MAP_FAILED);
}

/* ---- inputs. */

static uint64_t inputs(const struct drive *d)
{
	return d->o.runs ? d->o.runs : d->corpus.texts.n;
}

static size_t make_input(struct drive *d, uint64_t number)
{
	if (d->o.runs)
		return mutate(&d->corpus, d->o.seed, number, d->text, d->o.max_len);
	memcpy(d->text, d->corpus.texts.at[number].bytes, d->corpus.texts.at[number].n);
	return d->corpus.texts.at[number].n;
}

/* In the child. The text is copied: a read past its end is detected. */
static void try_input(struct drive *d, uint64_t number)
{
	const struct itimerval limit = {.it_value = {.tv_sec = (time_t)d->o.timeout}};
	size_t n = make_input(d, number);
	uint8_t *copy = malloc(n ? n : 1);
	struct rusage usage;

	BUG_ON(!copy);
	memcpy(copy, d->text, n);
	d->shared->at = number;
	setitimer(ITIMER_PROF, &limit, NULL); /* its signal ends the child */
	LLVMFuzzerTestOneInput(copy, n);
	free(copy);
	getrusage(RUSAGE_SELF, &usage);
	if ((unsigned long)usage.ru_maxrss / 1024 > d->o.rss_mb) {
		fprintf(stderr, "more than %lu MB\n", d->o.rss_mb);
		_exit(3);
	}
}

static int try_batch(struct drive *d, uint64_t first, uint64_t end)
{
	const struct itimerval none = {.it_value = {0}};
	int status;
	pid_t child;

	fflush(stdout);
	d->shared->finished = false;
	child = fork();
	BUG_ON(child < 0);
	if (child == 0) {
		for (uint64_t k = first; k < end; k++)
			try_input(d, k);
		setitimer(ITIMER_PROF, &none, NULL);
		d->shared->finished = true;
		exit(0);
	}
	BUG_ON(waitpid(child, &status, 0) != child);
	return status;
}

static void keep(struct drive *d, uint64_t number, const char *what)
{
	size_t n = make_input(d, number);
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s%s-%lu-%llu.ptx", d->o.prefix, what, d->o.seed,
		(unsigned long long)number);
	f = fopen(path, "wb");
	if (!f || fwrite(d->text, 1, n, f) != n || fclose(f) != 0)
		fprintf(stderr, "cannot write %s\n", path);
	printf("input %llu: %s, kept as %s\n", (unsigned long long)number, what, path);
	d->findings++;
}

static const char *name_of(int status)
{
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF)
		return "hang";
	return WIFEXITED(status) && WEXITSTATUS(status) == 3 ? "memory" : "crash";
}

/* When a child has leaked, its inputs are tried one by one. */
static void drive(struct drive *d)
{
	uint64_t n = inputs(d), next = 0, single_until = 0;

	while (next < n && d->findings < MOST_FINDINGS) {
		uint64_t end = next < single_until ? next + 1 : min_u64(next + BATCH, n);
		int status = try_batch(d, next, end);

		if (status == 0) {
			if (next / PROGRESS != end / PROGRESS)
				printf("%llu of %llu inputs\n", (unsigned long long)end,
					(unsigned long long)n);
			next = end;
		} else if (!d->shared->finished) {
			keep(d, d->shared->at, name_of(status));
			next = d->shared->at + 1;
		} else if (end - next > 1) {
			single_until = end;
		} else {
			keep(d, next, "leak");
			next = end;
		}
	}
	printf("%llu inputs, %u findings\n", (unsigned long long)next, d->findings);
}

int main(int argc, char **argv)
{
	struct drive d = {
		.o = {.seed = 1, .timeout = 1, .rss_mb = 1024, .max_len = 1 << 20, .prefix = ""}};

	prepare(&d, argc, argv);
	drive(&d);
	corpus_drop(&d.corpus);
	munmap(d.shared, sizeof(*d.shared));
	free(d.text);
	return d.findings ? 1 : 0;
}
