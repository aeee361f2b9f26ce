/* The router against an independent simulator of the same router: saturation throughput within 2%,
 * latency within 10% at every load that the router can carry. */
#include "noc/replay.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/rig/noc_reference.h"

/* In the reference a channel's latency counts once on either side: two cycles of wire. */
static const char *const routers[][5] = {
	[FERMI] = {"noc.vcs=1", "noc.vc_flits=64", "noc.passes=2"},
	[ISLIP_1VC] = {"noc.vcs=1", "noc.vc_flits=8"},
	[ISLIP_4VC] = {"noc.vcs=4", "noc.vc_flits=8"},
	[ISLIP_8VC] = {"noc.vcs=8", "noc.vc_flits=8"},
	[INPUT_FIRST_1VC] = {"noc.vcs=1", "noc.vc_flits=8", "noc.vc_allocator=input_first",
		"noc.switch_allocator=input_first"},
};

static struct noc_result run(
	enum reference_net net, enum reference_router router, double offered, uint64_t cycles)
{
	struct noc_traffic t = {.network = "router",
		.kind = TRAFFIC_UNIFORM,
		.inputs = net == REQUESTS_1 ? 32 : 6,
		.outputs = net == REQUESTS_1 ? 6 : 32,
		.seed = 1,
		.p = {.data_bytes = net == REPLIES_5 ? 128 : 0,
			.warmup_cycles = 10000,
			.measured_cycles = cycles,
			.drain_cycles = 20000}};
	struct config *config = config_new();
	struct noc_result r;
	struct err err = {0};

	assert_non_null(config);
	config_set_text(config, "noc.wire_cycles=2", "test", &err);
	for (const char *const *s = routers[router]; *s; s++)
		config_set_text(config, *s, "test", &err);
	if (noc_replay(&t, offered, config, &r, &err) || config_finish(config, &err))
		fail_msg("%s", err_text(&err));
	config_free(config);
	return r;
}

/* What the router carries when it is offered more for long. */
static double capacity(enum reference_net net, enum reference_router router)
{
	double least = 1;

	for (size_t i = 0; i < ARRAY_LEN(reference_saturation); i++) {
		const struct reference_saturation *s = &reference_saturation[i];

		if (s->net == net && s->router == router && s->accepted < least)
			least = s->accepted;
	}
	return least;
}

static void check(double value, double expected, double relative, const char *what, size_t row)
{
	if (value < expected * (1 - relative) || value > expected * (1 + relative))
		fail_msg("row %zu, %s: %g is not within %g of %g", row, what, value, relative,
			expected);
}

/* Several VCs to six outputs under iSLIP drift between a better and a worse state for tens of
 * thousands of cycles, which a short measurement would catch one of. */
static void saturation_throughput_is_that_of_the_reference(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(reference_saturation); i++) {
		const struct reference_saturation *s = &reference_saturation[i];
		bool drifts =
			s->net == REQUESTS_1 && (s->router == ISLIP_4VC || s->router == ISLIP_8VC);
		struct noc_result r = run(s->net, s->router, s->offered, drifts ? 600000 : 30000);

		check(r.accepted, s->accepted, 0.02, "throughput", i);
	}
}

/* Near saturation a load's latency is that of its longest queues: a measurement must be long. Loads
 * beyond what the router carries for long have none: four of the rows, measured before it was full.
 */
static void latency_under_load_is_that_of_the_reference(void **state)
{
	unsigned compared = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(reference_latency); i++) {
		const struct reference_latency *l = &reference_latency[i];
		double full = l->load / capacity(l->net, l->router);
		struct noc_result r;

		if (full >= 1)
			continue;
		r = run(l->net, l->router, l->load, full > 0.85 ? 120000 : 16000);
		assert_true(r.stable);
		check(r.mean, l->latency, 0.1, "latency", i);
		compared++;
	}
	assert_int_equal(compared, ARRAY_LEN(reference_latency) - 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(saturation_throughput_is_that_of_the_reference),
		cmocka_unit_test(latency_under_load_is_that_of_the_reference),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
