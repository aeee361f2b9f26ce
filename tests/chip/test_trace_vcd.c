/* Waves (VCD): valid, equal to statistics and closed forms, cut exactly; and signals by name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "chip/inside.h"
#include "core/base.h"
#include "core/probe.h"
#include "tests/rig/trace_reader.h"
#include "tests/rig/trace_rig.h"
#include "tests/rig/vcd_reader.h"

static const struct chip_host one = {.threads = 1};

static uint64_t integral(const struct vcd_file *f, const char *name)
{
	unsigned i = vcd_var_named(f, name);

	if (i == UINT_MAX)
		fail_msg("no wave %s", name);
	return vcd_integral(f, i);
}

static uint64_t last_value(const struct vcd_file *f, const char *name)
{
	unsigned i = vcd_var_named(f, name);

	if (i == UINT_MAX)
		fail_msg("no wave %s", name);
	return f->vars[i].value;
}

static void waves_add_up_to_the_statistics(void **state)
{
	struct traced run = trace_run(TRACE_CHIP, &one, &(struct trace_request){.vcd = ""});
	struct vcd_file f = read_vcd(run.vcd);
	uint64_t warps = 0, instructions = 0, bytes = 0;

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		char name[64];

		snprintf(name, sizeof(name), "sm_%u.warps_resident", i);
		warps += integral(&f, name);
		snprintf(name, sizeof(name), "sm_%u.instructions", i);
		instructions += last_value(&f, name);
		snprintf(name, sizeof(name), "dram_%u.bytes_read", i % 2);
		bytes += i < 2 ? last_value(&f, name) : 0;
	}
	assert_true(warps == (uint64_t)kit_metric(&run.kit, "sm__warps_active.sum"));
	assert_true(instructions == (uint64_t)kit_metric(&run.kit, "smsp__inst_executed.sum"));
	assert_true(bytes == (uint64_t)kit_metric(&run.kit, "dram__bytes_read.sum"));
	assert_int_equal(f.unit_ps, 1000);
	assert_int_equal(f.start, 0);
	assert_true(f.end == chip_progress(run.kit.gpu).cycle);
	assert_int_equal(f.bytes, run.out.vcd.bytes);
	read_vcd_free(&f);
	trace_run_free(&run);
}

/* Two independent ways from the model to the reader. */
static void waves_and_counters_of_every_cycle_agree(void **state)
{
	struct trace_request r = {.vcd = "", .trace = ""};
	struct traced run = trace_run(TRACE_CHIP "chip.dram=banked", &one, &r);
	struct vcd_file f = read_vcd(run.vcd);
	struct read_trace t = read_trace(run.trace);
	unsigned compared = 0;

	(void)state;
	for (unsigned i = 0; i < t.ntracks; i++) {
		const struct read_track *track = &t.tracks[i];
		char name[160];
		unsigned var;

		snprintf(name, sizeof(name), "%s.%s", t.tracks[track->part].name, track->name);
		for (char *c = name; strchr(c, '.') != strrchr(name, '.');)
			*strchr(c, '.') = '_';
		var = track->is_counter ? vcd_var_named(&f, name) : UINT_MAX;
		if (var == UINT_MAX || !strcmp(track->unit, "%"))
			continue; /* of the time: another number than the wave's */
		compared++;
		if ((double)vcd_integral(&f, var) != read_integral(&t, i))
			fail_msg("%s: %f in waves, %f in counters", name,
				(double)vcd_integral(&f, var), read_integral(&t, i));
	}
	assert_in_range(compared, 90, 100);
	read_vcd_free(&f);
	read_trace_free(&t);
	trace_run_free(&run);
}

/* ---- closed forms */
static const char lone[] = ".version 7.0\n.target sm_70\n.address_size 32\n"
			   ".visible .entry lone(.param .u32 in)\n{\n"
			   ".reg .u32 %r<4>;\n"
			   "ld.param.u32 %r1, [in];\n"
			   "ld.global.u32 %r2, [%r1];\n"
			   "add.u32 %r3, %r2, 1;\n"
			   "st.shared.u32 [%r3], %r3;\n"
			   "ret;\n}\n";

/* The slice that the buffer's first line belongs to. */
static unsigned slice_of(const struct kit *k, buffer_t b)
{
	return sm_slice_of(&k->gpu->chip->sm_config, gpu_buffer_address(k->gpu, b));
}

/* A single read of a line: 20 cycles in each of the four links between partitions, one more in each
 * near one, 2 before the router's head may leave, 3 on a data bus of 128/3 B a cycle. */
static void a_lone_read_is_in_every_queue_for_its_time(void **state)
{
	struct kit k = kit_new(TRACE_CHIP);
	struct trace_request r = {.vcd = "/tmp/warpbeam-lone.vcd",
		.to = 1 << 30,
		.every = 1,
		.limit_bytes = 1 << 30,
		.vcd_filter = {
			"--vcd-filter", "noc.*,l2.*,l2.*.dram_in,dram.*,dram.*.bus,sm.*.reply"}};
	struct trace_outcomes out;
	buffer_t in = kit_buffer(&k, "in", 4096);
	module_t m = kit_module(&k, lone);
	struct vcd_file f;
	unsigned slice = slice_of(&k, in);
	char name[64];

	(void)state;
	kit_launch(&k, m, "lone", 1, 1, 1, (uint64_t[]){KIT_BUF(in)});
	assert_int_equal(chip_trace(k.gpu, &r, &k.err), 0);
	chip_run(k.gpu, 0, NULL, &k.err);
	assert_int_equal(chip_trace_end(k.gpu, &out, &k.err), 0);
	f = read_vcd(r.vcd);
	assert_int_equal(integral(&f, "noc_request.in_0"), 20 + 2);
	assert_int_equal(integral(&f, "sm_0.reply"), 20);
	snprintf(name, sizeof(name), "noc_reply.in_%u", slice);
	assert_int_equal(integral(&f, name), 20 + 2);
	snprintf(name, sizeof(name), "l2_%u_%u.request", slice % 2, slice / 2);
	assert_int_equal(integral(&f, name), 20);
	snprintf(name, sizeof(name), "l2_%u_%u.dram_in", slice % 2, slice / 2);
	assert_int_equal(integral(&f, name), 1);
	snprintf(name, sizeof(name), "l2_%u_%u.pipe", slice % 2, slice / 2);
	assert_int_equal(integral(&f, name), 20);
	snprintf(name, sizeof(name), "dram_%u.queue", slice % 2);
	assert_int_equal(integral(&f, name), 3);
	snprintf(name, sizeof(name), "dram_%u.bus", slice % 2);
	assert_int_equal(integral(&f, name), 3);
	snprintf(name, sizeof(name), "dram_%u.bus_busy", slice % 2);
	assert_int_equal(last_value(&f, name), 3000);
	remove(r.vcd);
	read_vcd_free(&f);
	kit_free(&k);
}

/* ---- windows and limits */
static void a_window_of_waves_is_cut_out_exactly(void **state)
{
	struct trace_request r = {.vcd = "", .from = 411, .to = 1003};
	struct traced all = trace_run(TRACE_CHIP, &one, &(struct trace_request){.vcd = ""});
	struct traced cut = trace_run(TRACE_CHIP, &one, &r);
	struct vcd_file whole = read_vcd(all.vcd), part = read_vcd(cut.vcd);
	unsigned n = 0;

	(void)state;
	assert_int_equal(part.start, 411);
	assert_int_equal(part.end, 1003);
	assert_int_equal(part.nvars, whole.nvars);
	while (part.changes[n].at == 411)
		n++;
	assert_true(n >= part.nvars);
	for (unsigned i = 0; i < whole.nchanges; i++) {
		const struct vcd_change *c = &whole.changes[i];

		if (c->at <= 411 || c->at >= 1003)
			continue;
		assert_true(n < part.nchanges);
		assert_true(part.changes[n].at == c->at);
		n++;
	}
	assert_int_equal(n, part.nchanges);
	for (unsigned i = 0; i < part.nvars; i++)
		assert_string_equal(part.vars[i].name, whole.vars[i].name);
	read_vcd_free(&whole);
	read_vcd_free(&part);
	trace_run_free(&all);
	trace_run_free(&cut);
}

static void a_limit_ends_the_waves_where_it_is_reached(void **state)
{
	struct trace_request r = {.vcd = "", .limit_bytes = 40000};
	struct traced all = trace_run(TRACE_CHIP, &one, &(struct trace_request){.vcd = ""});
	struct traced cut = trace_run(TRACE_CHIP, &one, &r);
	struct vcd_file whole = read_vcd(all.vcd), part = read_vcd(cut.vcd);

	(void)state;
	assert_true(part.full && !whole.full);
	assert_true(part.bytes <= 40000 && part.bytes > 39000);
	assert_true(part.end == cut.out.vcd.full_cycle && part.end < whole.end);
	assert_int_equal(part.nchanges + cut.out.vcd.dropped, whole.nchanges);
	for (unsigned i = 0; i < part.nchanges; i++)
		assert_true(part.changes[i].at == whole.changes[i].at &&
			    part.changes[i].value == whole.changes[i].value &&
			    part.changes[i].var == whole.changes[i].var);
	read_vcd_free(&whole);
	read_vcd_free(&part);
	trace_run_free(&all);
	trace_run_free(&cut);
}

/* ---- names */
static bool is_identifier(const char *s)
{
	if (*s >= '0' && *s <= '9')
		return false;
	return *s && strspn(s, "abcdefghijklmnopqrstuvwxyz_0123456789") == strlen(s);
}

static void every_signal_has_a_name_of_its_own_and_a_sentence(void **state)
{
	static const char *const chips[] = {"", "chip.dram=banked sm.schedulers=4"};

	(void)state;
	for (unsigned c = 0; c < ARRAY_LEN(chips); c++) {
		struct kit k = kit_new(chips[c]);
		struct arena arena = {0};
		struct probes *p;
		jmp_buf escape;

		if (setjmp(escape))
			fail_msg("no memory");
		arena.escape = &escape;
		p = probes_new(k.gpu->chip->sim, &arena);
		assert_true(probes_count(p) > 1000);
		for (unsigned i = 0; i < probes_count(p); i++) {
			const struct signal *s = probes_signal(p, i);

			assert_true(is_identifier(s->local));
			assert_in_range(s->def.bits, 1, 64);
			assert_true(s->def.text && *s->def.text);
			for (unsigned n = i + 1; n < probes_count(p); n++) {
				if (probes_signal(p, n)->of != s->of)
					break;
				assert_string_not_equal(probes_signal(p, n)->name, s->name);
			}
		}
		arena_free(&arena);
		kit_free(&k);
	}
}

/* All of them at once, in a file: identifiers longer than a character, too. */
static void every_signal_can_be_a_wave(void **state)
{
	struct trace_request r = {.vcd = "",
		.vcd_filter = {.patterns = "dispatcher.*,sm.*.*,noc.*.*,l2.*.*.*,dram.*.*"}};
	struct traced run = trace_run(TRACE_CHIP "sm.schedulers=3", &one, &r);
	struct vcd_file f = read_vcd(run.vcd);

	(void)state;
	assert_true(f.nvars > 94);
	assert_int_not_equal(vcd_var_named(&f, "sm_3.scheduler_2"), UINT_MAX);
	assert_int_equal(vcd_var_named(&f, "sm_3.scheduler_3"), UINT_MAX);
	assert_true(last_value(&f, "dispatcher.chip__ctas") ==
		    (uint64_t)kit_metric(&run.kit, "chip__ctas.sum"));
	read_vcd_free(&f);
	trace_run_free(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waves_add_up_to_the_statistics),
		cmocka_unit_test(waves_and_counters_of_every_cycle_agree),
		cmocka_unit_test(a_lone_read_is_in_every_queue_for_its_time),
		cmocka_unit_test(a_window_of_waves_is_cut_out_exactly),
		cmocka_unit_test(a_limit_ends_the_waves_where_it_is_reached),
		cmocka_unit_test(every_signal_has_a_name_of_its_own_and_a_sentence),
		cmocka_unit_test(every_signal_can_be_a_wave),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
