/* Every workload's check notices when one instruction of its PTX is another: random alterations, of
 * which those that survive are listed with their reason in tests/workloads/alterations.txt.
 *	ALTERATIONS=N ALTER=NAME tests/long/test_alterations	N of one workload instead of
 *5 of each */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/file.h"
#include "tests/rig/alter.h"
#include "tests/rig/workload_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define REASONS WARPBEAM_SRCDIR "/tests/workloads/alterations.txt"

#define VARIANTS 24

enum answer { REFUSED, STOPPED, WRONG, SURVIVED, ANSWERS };

/* A run's settings, and what it needs when nothing is altered. */
struct variant {
	const char *settings;
	uint64_t limit; /* warp instructions of a CTA that does not end, or cycles */
	unsigned batches;
};

struct altered {
	const char *name;
	char *ptx;
	bool timed; /* the kernel reads the clock */
	char folder[64], file[160];
	struct variant variant[VARIANTS];
	unsigned nvariants;
	const struct variant *at; /* the one that runs */
	enum answer answer;
	unsigned count[ANSWERS];
};

static unsigned wanted(void)
{
	const char *n = getenv("ALTERATIONS");

	return n && *n ? (unsigned)strtoul(n, NULL, 10) : 5;
}

static void run_unaltered(struct workload_rig *b, void *ctx)
{
	struct variant *v = ctx;

	if (workload_rig_run(b, 0) || b->run->ops->check(b->run, &b->err))
		fail_msg("%s %s: %s", b->subject->name, v->settings, err_text(&b->err));
	v->batches = b->batches;
	v->limit = 2 * b->work + 1000;
}

static void run_altered(struct workload_rig *b, void *ctx)
{
	struct altered *s = ctx;

	if (workload_rig_run(b, 2 * s->at->batches + 2))
		s->answer = b->batches || b->err.code == ERR_FAULT ? STOPPED : REFUSED;
	else if (b->run->ops->check(b->run, &b->err))
		s->answer = WRONG;
}

static uint64_t stream_of(const char *name)
{
	uint64_t h = 0;

	while (*name)
		h = h * 31 + (unsigned char)*name++;
	return h;
}

/* True when the list of reasons has the lines "NAME: BEFORE" and "-> AFTER" one behind the other.
 */
static bool has_reason(const struct altered *s, const struct alteration *a)
{
	struct err err = {0};
	char *reasons = file_read(NULL, REASONS, &(size_t){0}, ERR_INPUT, &err);
	char entry[2 * ALTER_LINE + 100];
	bool found;

	assert_non_null(reasons);
	snprintf(entry, sizeof(entry), "\n%s: %s\n-> %s\n", s->name, a->before,
		*a->after ? a->after : "(left out)");
	found = strstr(reasons, entry);
	mem_free(reasons);
	return found;
}

/* Runs the variants until one notices. */
static void run_variants(struct altered *s)
{
	s->answer = SURVIVED;
	for (unsigned v = 0; v < s->nvariants && s->answer == SURVIVED; v++) {
		s->at = &s->variant[v];
		workload_rig(run_altered,
			&(struct subject){.name = s->name,
				.data_dir = s->folder,
				.seed = 1,
				.settings = s->at->settings,
				.timed = s->timed,
				.limit = s->at->limit},
			s);
	}
	s->count[s->answer]++;
}

static bool try_one(struct altered *s, struct rng *rng)
{
	struct alteration a;
	struct text altered = {0};
	struct err err = {0};

	assert_true(alter(s->ptx, rng, &a, &altered));
	assert_int_equal(file_write(NULL, s->file, text_str(&altered), altered.len, &err), 0);
	text_clear(&altered);
	run_variants(s);
	if (s->answer != SURVIVED || has_reason(s, &a))
		return true;
	print_error("line %u survives, and has no reason:\n%s: %s\n-> %s\n", a.line, s->name,
		a.before, *a.after ? a.after : "(left out)");
	return false;
}

static void make_folder(struct altered *s)
{
	char folder[128];

	snprintf(s->folder, sizeof(s->folder), "/tmp/warpbeam-alter-XXXXXX");
	assert_non_null(mkdtemp(s->folder));
	snprintf(folder, sizeof(folder), "%s/%s", s->folder, s->name);
	assert_int_equal(mkdir(folder, 0700), 0);
	snprintf(s->file, sizeof(s->file), "%s/%s.ptx", folder, s->name);
}

static void remove_folder(struct altered *s)
{
	unlink(s->file);
	*strrchr(s->file, '/') = 0;
	rmdir(s->file);
	rmdir(s->folder);
}

static void find_variants(struct altered *s, const struct plugin *workload)
{
	for (; workload_variant(workload, s->nvariants); s->nvariants++) {
		struct variant *v = &s->variant[s->nvariants];

		assert_true(s->nvariants < VARIANTS);
		v->settings = workload_variant(workload, s->nvariants);
		workload_rig(run_unaltered,
			&(struct subject){.name = s->name,
				.settings = v->settings,
				.timed = s->timed,
				.seed = 1},
			v);
	}
}

/* The number of alterations that survive for no known reason. */
static unsigned alter_workload(const struct plugin *workload)
{
	const char *name = workload->name;
	struct altered s = {.name = name};
	struct rng rng = rng_new(1, stream_of(name));
	struct err err = {0};
	char path[256];
	unsigned bad = 0;

	snprintf(path, sizeof(path), "%s/%s/%s.ptx", WORKLOADS_DIR, name, name);
	s.ptx = file_read(NULL, path, &(size_t){0}, ERR_INPUT, &err);
	if (!s.ptx)
		fail_msg("%s", err_text(&err));
	s.timed = strstr(s.ptx, "%clock") != NULL;
	find_variants(&s, workload);
	make_folder(&s);
	for (unsigned ran = 0; ran < wanted();
		ran = s.count[STOPPED] + s.count[WRONG] + s.count[SURVIVED])
		bad += !try_one(&s, &rng);
	remove_folder(&s);
	mem_free(s.ptx);
	print_message("%s: %u refused, %u stopped, %u wrong, %u survived\n", name, s.count[REFUSED],
		s.count[STOPPED], s.count[WRONG], s.count[SURVIVED]);
	return bad;
}

static void every_check_notices_an_altered_instruction(void **state)
{
	const char *only = getenv("ALTER");
	unsigned bad = 0;

	(void)state;
	for (unsigned i = 0; workload_number(i); i++)
		if (!only || !strcmp(only, workload_number(i)->name))
			bad += alter_workload(workload_number(i));
	assert_int_equal(bad, 0);
}

static void alterations_are_single_and_repeatable(void **state)
{
	static const char text[] = ".visible .entry k()\n{\n\t.reg .b32 %r<9>;\n"
				   "\tadd.s32 \t%r1, %r2, 7;\n\t@%p1 bra \tL;\nL:\n\tret;\n}\n";
	struct rng a = rng_new(3, 0), b = rng_new(3, 0);

	(void)state;
	for (unsigned i = 0; i < 50; i++) {
		struct alteration first, second;
		struct text one = {0}, two = {0};

		assert_true(alter(text, &a, &first, &one));
		assert_true(alter(text, &b, &second, &two));
		assert_string_equal(text_str(&one), text_str(&two));
		assert_string_not_equal(first.before, first.after);
		assert_true(first.line == 4 || first.line == 5 || first.line == 7);
		text_clear(&one);
		text_clear(&two);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(alterations_are_single_and_repeatable),
		cmocka_unit_test(every_check_notices_an_altered_instruction),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
