/* Perfetto traces: their sums are the run's statistics, and windows, filters and limits are exact.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base.h"
#include "core/mem.h"
#include "core/perfetto.h"
#include "tests/rig/trace_reader.h"
#include "tests/rig/trace_rig.h"

static const struct chip_host one = {.threads = 1};
static const struct trace_request wanted = {.trace = "", .every = 7};

static unsigned count_slices(const struct read_trace *t, const char *track, const char *name)
{
	unsigned n = 0;

	for (unsigned i = 0; i < t->nslices; i++) {
		const struct read_slice *s = &t->slices[i];

		n += !strncmp(t->tracks[s->track].name, track, strlen(track)) &&
		     (!name || !strcmp(s->name, name));
	}
	return n;
}

/* Means are doubles: the integral is whole except for their last bits. */
static void assert_sum(const struct read_trace *t, const char *track, double unit, double sum)
{
	unsigned i = read_track_named(t, "gather", track);

	if (i == UINT_MAX)
		fail_msg("no counter %s", track);
	if (fabs(read_integral(t, i) * unit - sum) > 1e-6 * (1 + sum))
		fail_msg("%s: %f, not %f", track, read_integral(t, i) * unit, sum);
}

static const struct {
	const char *track, *metric;
	double unit;
} sums[] = {
	{"sm.*.warps_resident", "sm__warps_active.sum", 1},
	{"sm.*.instructions per cycle", "smsp__inst_executed.sum", 1},
	{"dram.*.bytes_read per cycle", "dram__bytes_read.sum", 1},
	{"dram.*.bytes_write per cycle", "dram__bytes_write.sum", 1},
	{"dram.*.bus_busy", "dram__busy_ps.sum", 10}, /* % of ns */
	{"l2.*.t_sectors_op_read per cycle", "lts__t_sectors_op_read.sum", 1},
	{"l2.*.t_sectors_op_read_lookup_hit per cycle", "lts__t_sectors_op_read_lookup_hit.sum", 1},
};

static void check_sums(struct traced *run)
{
	struct read_trace t = read_trace(run->trace);

	for (unsigned i = 0; i < ARRAY_LEN(sums); i++)
		assert_sum(&t, sums[i].track, sums[i].unit, kit_metric(&run->kit, sums[i].metric));
	assert_sum(&t, "noc.*.flits per cycle", 1,
		kit_metric(&run->kit, "noc_request__flits.sum") +
			kit_metric(&run->kit, "noc_reply__flits.sum"));
	assert_int_equal(count_slices(&t, "CTA slot", "gather"),
		(unsigned)kit_metric(&run->kit, "chip__ctas.sum"));
	assert_int_equal(count_slices(&t, "stream", NULL), TRACE_LAUNCHES);
	assert_true(t.end == (uint64_t)kit_metric(&run->kit, "chip__cycles_simulated.max"));
	assert_int_equal(t.bytes, run->out.trace.bytes);
	assert_false(t.full);
	read_trace_free(&t);
}

static void the_sums_of_a_trace_are_the_runs_statistics(void **state)
{
	static const uint64_t every[] = {1, 7, 100, 1000000, 3};
	static const char *const chips[] = {TRACE_CHIP, TRACE_CHIP "chip.window=1",
		TRACE_CHIP "chip.network=ideal sm.schedulers=4 chip.window=7",
		TRACE_CHIP "l2.bytes=0 sm.scheduler=greedy",
		TRACE_CHIP "chip.bytes_per_ns=0.5 chip.read_cycles=2000"};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(every); i++) {
		struct trace_request r = {.trace = "", .every = every[i]};
		struct traced run = trace_run(chips[i], &one, &r);

		check_sums(&run);
		trace_run_free(&run);
	}
}

/* ---- slices */
/* The slice of the launch on a track whose name begins so, or NULL. */
static const struct read_slice *slice_of(
	const struct read_trace *t, const char *track, uint64_t launch, uint64_t cta)
{
	for (unsigned i = 0; i < t->nslices; i++) {
		const struct read_slice *s = &t->slices[i];

		if (!strncmp(t->tracks[s->track].name, track, strlen(track)) &&
			s->launch == launch && (s->cta == cta || cta == UINT64_MAX))
			return s;
	}
	return NULL;
}

static void launches_and_ctas_begin_and_end_when_they_do(void **state)
{
	struct traced run = trace_run(TRACE_CHIP, &one, &wanted);
	struct read_trace t = read_trace(run.trace);

	(void)state;
	for (unsigned i = 0; i < TRACE_LAUNCHES; i++) {
		const struct read_slice *s = slice_of(&t, "stream", i, UINT64_MAX);
		struct launch_report l;
		uint64_t last = 0;

		chip_launch_report(run.kit.gpu, i, &l);
		assert_non_null(s);
		assert_true(s->begin == l.start_cycle && s->end == l.end_cycle);
		assert_string_equal(s->name, "gather");
		for (uint64_t cta = 0; cta < l.ctas; cta++) {
			const struct read_slice *c = slice_of(&t, "CTA slot", i, cta);

			assert_non_null(c);
			assert_true(c->begin >= s->begin + 20 && c->end + 20 <= s->end);
			last = max_u64(last, c->end);
		}
		assert_true(last + 20 == s->end); /* the path back to the dispatcher */
	}
	read_trace_free(&t);
	trace_run_free(&run);
}

/* Every CTA of two warps waits twice, at the least once visibly: its warps part. */
static void barriers_are_inside_their_ctas(void **state)
{
	struct traced run = trace_run(TRACE_CHIP, &one, &wanted);
	struct read_trace t = read_trace(run.trace);
	unsigned barriers = 0;

	(void)state;
	for (unsigned i = 0; i < t.nslices; i++) {
		const struct read_slice *s = &t.slices[i];

		if (strcmp(s->name, "barrier"))
			continue;
		barriers++;
		assert_int_equal(s->depth, 1);
		assert_true(s->end > s->begin);
	}
	assert_true(barriers >= 24 + 7 + 24 + 3);
	assert_true(barriers <= 2 * (24 + 7 + 24 + 3));
	read_trace_free(&t);
	trace_run_free(&run);
}

/* The reasons for a scheduler's cycles, cycle by cycle: slices without gaps. */
static void scheduler_slices_are_the_stall_accounts(void **state)
{
	struct trace_request r = {
		.trace = "", .trace_filter = {.patterns = "sm.*.scheduler_?,sm.0.warps_wait"}};
	struct traced run = trace_run(TRACE_CHIP "sm.schedulers=2", &one, &r);
	struct read_trace t = read_trace(run.trace);
	static const char *const owners[] = {
		"selected", "idle", "wait", "long_scoreboard", "barrier", "lg_throttle", "drain"};
	uint64_t all = 0;

	(void)state;
	for (unsigned i = 0; i < t.nslices; i++)
		all += t.slices[i].end - t.slices[i].begin;
	assert_true(all == 8 * t.end);
	for (unsigned k = 0; k < ARRAY_LEN(owners); k++) {
		uint64_t sum = 0;
		char metric[64];

		for (unsigned i = 0; i < t.nslices; i++)
			if (!strcmp(t.slices[i].name, owners[k]))
				sum += t.slices[i].end - t.slices[i].begin;
		snprintf(metric, sizeof(metric), "sched__cycles_%s.sum", owners[k]);
		assert_true(sum == (uint64_t)kit_metric(&run.kit, metric));
	}
	assert_int_equal(count_slices(&t, "CTA", NULL), 0);
	assert_int_equal(count_slices(&t, "stream", NULL), 0);
	assert_int_not_equal(read_track_named(&t, "sm.0", "warps_wait"), UINT_MAX);
	assert_int_equal(read_track_named(&t, "sm.1", "warps_wait"), UINT_MAX);
	read_trace_free(&t);
	trace_run_free(&run);
}

/* ---- windows */
/* The points of the window equal those of the whole, in each cycle of it. */
static void compare_counters(
	const struct read_trace *whole, const struct read_trace *part, uint64_t from)
{
	assert_int_equal(whole->ntracks >= part->ntracks, 1);
	for (unsigned i = 0; i < part->ntracks; i++) {
		const struct read_track *t = &part->tracks[i];
		unsigned other;

		if (!t->is_counter)
			continue;
		other = read_track_named(whole, part->tracks[t->part].name, t->name);
		assert_int_not_equal(other, UINT_MAX);
		for (uint64_t at = from; at < part->end; at += 13) {
			double is = read_value_at(part, i, at);

			if (is != read_value_at(whole, other, at))
				fail_msg("%s at %u: %f", t->name, (unsigned)at, is);
		}
	}
}

/* Slices of the whole, cut to the window, are those of the part. */
static void compare_slices(
	const struct read_trace *whole, const struct read_trace *part, uint64_t from)
{
	unsigned inside = 0;

	for (unsigned i = 0; i < whole->nslices; i++) {
		const struct read_slice *s = &whole->slices[i];
		uint64_t begin = max_u64(s->begin, from), end = min_u64(s->end, part->end);
		unsigned k = 0;

		if (s->end <= from || s->begin >= part->end)
			continue;
		inside++;
		while (k < part->nslices &&
			(part->slices[k].begin != begin || part->slices[k].end != end ||
				strcmp(part->slices[k].name, s->name) ||
				part->slices[k].cta != s->cta ||
				part->slices[k].launch != s->launch))
			k++;
		assert_true(k < part->nslices);
	}
	assert_int_equal(part->nslices, inside);
}

static void a_window_is_cut_out_exactly(void **state)
{
	static const uint64_t windows[][2] = {{0, 700}, {433, 1201}, {1500, 100000}};
	struct traced run = trace_run(TRACE_CHIP, &one, &(struct trace_request){.trace = ""});
	struct read_trace whole = read_trace(run.trace);

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(windows); i++) {
		struct trace_request r = {.trace = "", .from = windows[i][0], .to = windows[i][1]};
		struct traced cut = trace_run(TRACE_CHIP, &one, &r);
		struct read_trace part = read_trace(cut.trace);

		assert_true(part.end == min_u64(whole.end, windows[i][1]));
		compare_counters(&whole, &part, windows[i][0]);
		compare_slices(&whole, &part, windows[i][0]);
		read_trace_free(&part);
		trace_run_free(&cut);
	}
	read_trace_free(&whole);
	trace_run_free(&run);
}

static void a_window_behind_the_run_is_empty_and_says_so(void **state)
{
	struct trace_request r = {.trace = "", .vcd = "", .from = 1000000, .to = 1000001};
	struct kit plain = untraced_run(TRACE_CHIP, &one);
	struct traced run = trace_run(TRACE_CHIP, &one, &r);
	struct read_trace t = read_trace(run.trace);

	(void)state;
	assert_true(run.out.trace.early && run.out.vcd.early);
	assert_int_equal(t.nslices, 0);
	assert_int_equal(t.npoints, 0);
	assert_true(chip_progress(run.kit.gpu).cycle == chip_progress(plain.gpu).cycle);
	read_trace_free(&t);
	trace_run_free(&run);
	kit_free(&plain);
}

/* ---- filters */
static void a_filter_leaves_out_all_else_and_changes_nothing(void **state)
{
	struct traced run = trace_run(TRACE_CHIP, &one, &(struct trace_request){.trace = ""});
	struct trace_request r = {.trace = "", .trace_filter = {.patterns = "sm.[12],dram.0"}};
	struct traced some = trace_run(TRACE_CHIP, &one, &r);
	struct read_trace whole = read_trace(run.trace), part = read_trace(some.trace);

	(void)state;
	for (unsigned i = 0; i < part.ntracks; i++) {
		const struct read_track *t = &part.tracks[i], *of = &part.tracks[t->part];
		unsigned other;

		if (!t->is_counter || of->is_process)
			continue;
		assert_true(!strcmp(of->name, "sm.1") || !strcmp(of->name, "sm.2") ||
			    !strcmp(of->name, "dram.0"));
		other = read_track_named(&whole, of->name, t->name);
		assert_true(read_integral(&part, i) == read_integral(&whole, other));
	}
	assert_true(part.nslices > 0 && part.nslices < whole.nslices);
	assert_int_equal(count_slices(&part, "stream", NULL), 0);
	for (unsigned i = 0; i < part.nslices; i++)
		assert_int_equal(
			strncmp(part.tracks[part.tracks[part.slices[i].track].part].name, "sm.", 3),
			0);
	read_trace_free(&whole);
	read_trace_free(&part);
	trace_run_free(&run);
	trace_run_free(&some);
}

static void a_pattern_without_a_match_is_refused(void **state)
{
	struct kit k = kit_new(TRACE_CHIP);
	struct trace_request r = {.trace = "/tmp/no-such-trace",
		.to = 10,
		.every = 1,
		.limit_bytes = 100000,
		.title = "t",
		.trace_filter = {"--trace-filter", "sm.*,dramm.0"}};

	(void)state;
	assert_int_equal(chip_trace(k.gpu, &r, &k.err), -1);
	assert_int_equal(k.err.code, ERR_USAGE);
	assert_string_equal(err_text(&k.err),
		"--trace-filter 'dramm.0': no part and no signal of this chip has that name; see "
		"warpbeam topology --signals\n");
	kit_free(&k);
}

/* ---- the limit */
static void a_limit_keeps_the_beginning_whole(void **state)
{
	struct traced run = trace_run(TRACE_CHIP, &one, &(struct trace_request){.trace = ""});
	struct read_trace whole = read_trace(run.trace);

	(void)state;
	for (uint64_t limit = 24000; limit < whole.bytes; limit += whole.bytes / 4) {
		struct trace_request r = {.trace = "", .limit_bytes = limit};
		struct traced cut = trace_run(TRACE_CHIP, &one, &r);
		struct read_trace part = read_trace(cut.trace);
		uint64_t full = cut.out.trace.full_cycle;

		assert_true(part.full && part.bytes <= limit && part.bytes > limit - 4096);
		assert_true(cut.out.trace.dropped > 0 && full < whole.end);
		assert_true(part.end == whole.end);
		for (unsigned i = 0; i < part.npoints; i++)
			assert_memory_equal(&part.points[i].at, &whole.points[i].at,
				sizeof(part.points[i]) - offsetof(struct read_point, at));
		for (unsigned i = 0; i < part.nslices; i++)
			assert_true(part.slices[i].begin == whole.slices[i].begin &&
				    part.slices[i].end == whole.slices[i].end);
		read_trace_free(&part);
		trace_run_free(&cut);
	}
	assert_int_equal(run.out.trace.dropped, 0);
	read_trace_free(&whole);
	trace_run_free(&run);
}

/* ---- the host */
static void opening_survives_each_failed_allocation(void **state)
{
	char folder[] = "/tmp/warpbeam-trace-XXXXXX", trace[64], vcd[64];
	int bad = -1;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(trace, sizeof(trace), "%s/trace", folder);
	snprintf(vcd, sizeof(vcd), "%s/vcd", folder);
	for (int64_t n = 1; bad; n++) {
		struct kit k = kit_new(TRACE_CHIP "chip.sms=1");
		struct trace_request r = {.trace = trace,
			.vcd = vcd,
			.to = 10,
			.every = 1,
			.limit_bytes = 100000,
			.title = "t"};

		mem_fail_after(n);
		bad = chip_trace(k.gpu, &r, &k.err);
		mem_fail_after(-1);
		assert_int_equal(k.err.code, bad ? ERR_RESOURCE : 0);
		kit_free(&k);
		assert_true(n < 1000);
	}
	assert_int_equal(rmdir(folder), 0); /* nothing is left of any file */
}

static void long_names_are_cut_and_long_messages_whole(void **state)
{
	char path[] = "/tmp/warpbeam-trace-XXXXXX", name[301];
	struct track slices = {0};
	struct perfetto f = {0};
	struct err err = {0};
	struct read_trace t;
	int fd = mkstemp(path);

	(void)state;
	close(fd);
	memset(name, 'n', 300);
	name[300] = '\0';
	assert_int_equal(perfetto_open(&f, path, 100000, &err), 0);
	slices.id = perfetto_track(
		&f, &(struct track_config){.kind = TRACK_PROCESS, .number = 1, .name = name});
	perfetto_begin(&f, &slices, 1000, perfetto_name(&f, name), NULL, 0);
	perfetto_end(&f, &slices, (tick_t)1 << 62);
	perfetto_close(&f, slices.id, (tick_t)1 << 62);
	assert_int_equal(file_commit(&f.out, &err), 0);
	t = read_trace(path);
	assert_int_equal(t.nslices, 1);
	assert_int_equal(strspn(t.slices[0].name, "n"), 63); /* as the reader cuts it */
	assert_true(t.slices[0].begin == 1 && t.slices[0].end == ((uint64_t)1 << 62) / 1000);
	assert_true(t.bytes > 2 * 255 && t.bytes < 2 * 255 + 160);
	read_trace_free(&t);
	remove(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_sums_of_a_trace_are_the_runs_statistics),
		cmocka_unit_test(launches_and_ctas_begin_and_end_when_they_do),
		cmocka_unit_test(barriers_are_inside_their_ctas),
		cmocka_unit_test(scheduler_slices_are_the_stall_accounts),
		cmocka_unit_test(a_window_is_cut_out_exactly),
		cmocka_unit_test(a_window_behind_the_run_is_empty_and_says_so),
		cmocka_unit_test(a_filter_leaves_out_all_else_and_changes_nothing),
		cmocka_unit_test(a_pattern_without_a_match_is_refused),
		cmocka_unit_test(a_limit_keeps_the_beginning_whole),
		cmocka_unit_test(opening_survives_each_failed_allocation),
		cmocka_unit_test(long_names_are_cut_and_long_messages_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
