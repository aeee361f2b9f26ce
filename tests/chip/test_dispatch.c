/* Which SM runs which CTA, and when each SM is done with a launch. */
#include "tests/rig/support_gpu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Each CTA notes its SM; CTA 0 stays for another `spin` cycles. */
static const char where[] =
	".version 5.0\n.target sm_35\n.address_size 32\n"
	".visible .entry where(.param .u32 out, .param .u32 spin)\n"
	"{ .reg .b32 %r<9>; .reg .pred %p<3>;\n"
	"mov.u32 %r1, %clock; ld.param.u32 %r2, [out]; ld.param.u32 %r3, [spin];\n"
	"mov.u32 %r4, %ctaid.x; mov.u32 %r5, %smid; shl.b32 %r6, %r4, 2; add.u32 %r2, %r2, %r6;\n"
	"st.global.u32 [%r2], %r5; setp.ne.u32 %p1, %r4, 0; @%p1 bra END;\n"
	"L: mov.u32 %r7, %clock; sub.u32 %r8, %r7, %r1; setp.lt.u32 %p2, %r8, %r3; @%p2 bra L;\n"
	"END: ret; }\n";

#define SPIN 5000u
#define ONE_AT_A_TIME 1024u /* threads of a CTA that fills an SM */

struct placed {
	struct kit k;
	module_t m;
	buffer_t out;
};

static struct placed place(const char *settings, unsigned ctas, uint64_t sms)
{
	struct placed p = {.k = kit_new(settings)};

	p.m = kit_module(&p.k, where);
	p.out = kit_buffer(&p.k, "sms", 4096);
	kit_launch_on(&p.k, p.m, "where", ctas, ONE_AT_A_TIME, 2,
		(uint64_t[]){KIT_BUF(p.out), SPIN}, sms, 0);
	kit_run(&p.k);
	return p;
}

static unsigned sm_of(struct placed *p, unsigned cta)
{
	return kit_u32(&p->k, p->out, cta);
}

static void dynamic_dispatch_gives_a_cta_to_an_sm_with_space(void **state)
{
	struct placed p = place("chip.sms=4", 24, 0);

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(sm_of(&p, i), i);
	for (unsigned i = 4; i < 24; i++)
		assert_int_not_equal(sm_of(&p, i), 0);
	kit_free(&p.k);
}

static void static_dispatch_knows_every_ctas_sm_beforehand(void **state)
{
	struct placed p = place("chip.sms=4 chip.dispatch=static", 23, 0);

	(void)state;
	for (unsigned i = 0; i < 23; i++)
		assert_int_equal(sm_of(&p, i), i % 4);
	kit_free(&p.k);
}

static void static_dispatch_counts_the_sms_that_a_launch_may_use(void **state)
{
	static const unsigned own[] = {1, 2, 5};
	struct placed p = place("chip.sms=8 chip.dispatch=static", 10, 0x26);

	(void)state;
	for (unsigned i = 0; i < 10; i++)
		assert_int_equal(sm_of(&p, i), own[i % 3]);
	kit_free(&p.k);
}

static void static_dispatch_deals_out_the_ctas_that_run_in_time(void **state)
{
	struct placed p = place("chip.sms=3 chip.share=4 chip.dispatch=static", 40, 0);

	(void)state;
	for (unsigned i = 0; i < 10; i++)
		assert_int_equal(sm_of(&p, 4 * i), i % 3);
	kit_free(&p.k);
}

/* Of 42 CTAs every fourth, from the first on: 0, 4, .., 40. */
static void a_share_rounds_the_number_of_ctas_up(void **state)
{
	struct placed p = place("chip.sms=3 chip.share=4", 42, 0);
	struct launch_report r;

	(void)state;
	chip_launch_report(p.k.gpu, 0, &r);
	assert_int_equal(r.timed_ctas, 11);
	assert_int_equal(r.finished_ctas, 11);
	kit_free(&p.k);
}

/* CTAs 4 and 8 wait for CTA 0 on SM 0; the other SMs are done long before. */
static void a_launch_reports_when_each_sm_was_done(void **state)
{
	struct placed p = place("chip.sms=16 chip.dispatch=static", 10, 0xf);
	struct launch_report r;

	(void)state;
	chip_launch_report(p.k.gpu, 0, &r);
	assert_int_equal(r.sms, 16);
	assert_int_equal(chip_launch_sm_end(p.k.gpu, 0, 0), r.end_cycle);
	assert_true(r.end_cycle > SPIN);
	for (unsigned sm = 1; sm < 4; sm++)
		assert_in_range(chip_launch_sm_end(p.k.gpu, 0, sm), 1, SPIN);
	for (unsigned sm = 4; sm < 16; sm++)
		assert_int_equal(chip_launch_sm_end(p.k.gpu, 0, sm), 0);
	kit_free(&p.k);
}

/* Both policies use the same SMs when no CTA waits for a slot. */
static void policies_agree_where_every_cta_fits_at_once(void **state)
{
	struct placed p[] = {
		place("chip.sms=8", 8, 0), place("chip.sms=8 chip.dispatch=static", 8, 0)};
	struct text all[2];

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		all[i] = kit_everything(&p[i].k);
		kit_free(&p[i].k);
	}
	assert_string_equal(text_str(&all[0]), text_str(&all[1]));
	text_clear(&all[0]);
	text_clear(&all[1]);
}

static struct launch_report report_of(const struct kit *k, unsigned launch)
{
	struct launch_report r;

	chip_launch_report(k->gpu, launch, &r);
	return r;
}

/* Launches of two streams, each of CTAs that fill an SM: stream 0 has two of one CTA, stream 1 one
 * of as many as `ctas` says. */
static struct kit two_streams(const char *settings, unsigned ctas, buffer_t out[3])
{
	static const unsigned streams[] = {0, 0, 1};
	struct kit k = kit_new(settings);
	module_t m = kit_module(&k, where);

	for (unsigned i = 0; i < 3; i++) {
		out[i] = kit_buffer(&k, "sms", 4096);
		kit_launch_on(&k, m, "where", streams[i] ? ctas : 1, ONE_AT_A_TIME, 2,
			(uint64_t[]){KIT_BUF(out[i]), 100}, 0, streams[i]);
	}
	kit_run(&k);
	return k;
}

/* The one SM is full: when launch 0 ends, both others may run. */
static void of_launches_that_may_run_the_earlier_starts_first(void **state)
{
	buffer_t out[3];
	struct kit k = two_streams("chip.sms=1", 4, out);

	(void)state;
	assert_true(report_of(&k, 0).end_cycle < report_of(&k, 1).end_cycle);
	assert_true(report_of(&k, 1).end_cycle < report_of(&k, 2).end_cycle);
	kit_free(&k);
}

/* The SM after the one that took a CTA last is the first that is asked. */
static void ctas_go_to_the_sms_in_turn(void **state)
{
	buffer_t out[3];
	struct kit k = two_streams("chip.sms=8", 2, out);

	(void)state;
	assert_int_equal(kit_u32(&k, out[0], 0), 0);
	assert_int_equal(kit_u32(&k, out[2], 0), 1);
	assert_int_equal(kit_u32(&k, out[2], 1), 2);
	assert_int_equal(kit_u32(&k, out[1], 0), 3); /* SM 0 is empty again */
	kit_free(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dynamic_dispatch_gives_a_cta_to_an_sm_with_space),
		cmocka_unit_test(static_dispatch_knows_every_ctas_sm_beforehand),
		cmocka_unit_test(static_dispatch_counts_the_sms_that_a_launch_may_use),
		cmocka_unit_test(static_dispatch_deals_out_the_ctas_that_run_in_time),
		cmocka_unit_test(a_share_rounds_the_number_of_ctas_up),
		cmocka_unit_test(a_launch_reports_when_each_sm_was_done),
		cmocka_unit_test(policies_agree_where_every_cta_fits_at_once),
		cmocka_unit_test(of_launches_that_may_run_the_earlier_starts_first),
		cmocka_unit_test(ctas_go_to_the_sms_in_turn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
