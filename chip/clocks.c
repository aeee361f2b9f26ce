/* The chip's clocks: their periods, and what is counted in cycles of both.
 *
 * SMs and dispatcher have one clock; L2 slices, both networks, and the channels' side towards the
 * slices have the other. Edges of both coincide at time 0. A message is seen at the receiver's
 * first edge at or after its arrival, so a way from one clock to the other takes a little longer
 * than its latency. */
#include "chip/inside.h"

#include <math.h>
#include <stdio.h>

/* One clock may be that many times as fast as the other: queues and traces of a window hold all
 * cycles of both. */
#define MOST_APART 16.0

static double least_mhz(void)
{
	return 1e6 / PERIOD_MOST_PS;
}

static double most_mhz(void)
{
	return 1e6 / PERIOD_LEAST_PS;
}

static unsigned period_of(double mhz)
{
	return (unsigned)lround(1e6 / mhz);
}

void clocks_set(struct chip *c, struct err *err)
{
	double l2 = c->p.l2_mhz > 0 ? c->p.l2_mhz : c->p.sm_mhz;
	double least = fmax(c->p.sm_mhz / MOST_APART, least_mhz());
	double most = fmin(c->p.sm_mhz * MOST_APART, most_mhz());

	c->sm_ps = period_of(c->p.sm_mhz);
	c->l2_ps = period_of(l2);
	if (l2 >= least && l2 <= most)
		return;
	c->l2_ps = c->sm_ps;
	err_add(err, ERR_INPUT,
		"chip.l2_mhz = %.6g: must be %.6g .. %.6g MHz where chip.sm_mhz = %.6g, or 0: the "
		"SMs' clock",
		l2, least, most, c->p.sm_mhz);
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* The time of a link to or from a network at whose ends the L2's clock is. */
static uint64_t l2_link_cycles(const struct chip *c)
{
	return div_up(c->p.link_cycles * c->sm_ps, c->l2_ps);
}

/* The mean wait of both ways between the clocks for the receiver's edge: the edges' offsets are
 * multiples of the common divisor, each as often. */
static uint64_t crossing_ps(const struct chip *c)
{
	return (c->sm_ps + c->l2_ps) / 2 - common_divisor(c->sm_ps, c->l2_ps);
}

/* From a load's issue to its dependant's: what the path to a slice and back takes, in the mean of
 * all offsets between the clocks. */
static uint64_t path_ps(const struct chip *c)
{
	const struct network_ops *net = c->network->ops;
	unsigned bytes = c->p.l2_cycles ? sm_load_bytes(c->sm[0]) : LINE_BYTES;
	uint64_t sm = sm_load_overhead_cycles(c->sm[0], bytes) + 2 * c->p.link_cycles;
	uint64_t l2 = net->latency_cycles(c->request, bytes) +
		      net->latency_cycles(c->reply, bytes) + 2 * l2_link_cycles(c) +
		      translation_cycles(c);

	return sm * c->sm_ps + l2 * c->l2_ps + crossing_ps(c);
}

/* The nearest number of the L2's cycles. */
static uint64_t l2_cycles(const struct chip *c, uint64_t ps)
{
	return (ps + c->l2_ps / 2) / c->l2_ps;
}

void clocks_l2_latency(struct chip *c, struct err *err)
{
	uint64_t way = path_ps(c), all = c->p.l2_cycles * c->sm_ps, hit;
	char text[24];

	if (!c->p.l2_cycles)
		return;
	if (all < way) {
		err_add(err, ERR_INPUT,
			"chip.l2_cycles = %llu: must be at least %llu, which the path to a slice "
			"and back takes",
			(unsigned long long)c->p.l2_cycles,
			(unsigned long long)div_up(way, c->sm_ps));
		return;
	}
	hit = l2_cycles(c, all - way);
	if (config_given_in(c->gpu->config, "l2.hit_cycles") >
		config_given_in(c->gpu->config, "chip.l2_cycles"))
		err_add(err, ERR_INPUT,
			"chip.l2_cycles = %llu sets l2.hit_cycles = %llu: set chip.l2_cycles instead",
			(unsigned long long)c->p.l2_cycles, (unsigned long long)hit);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)hit);
	config_set(c->gpu->config, "l2.hit_cycles", text, "chip.l2_cycles", err);
}

void clocks_dram_latency(struct chip *c, struct err *err)
{
	/* Two cycles are the links to the channel and back. */
	uint64_t way = path_ps(c) + (slice_latency_cycles(c->slice[0]) + 2) * c->l2_ps;
	uint64_t read = c->p.read_cycles * c->sm_ps, rest = read > way ? read - way : 0;

	if (!read)
		return;
	c->dram_cycles = rest ? (unsigned)max_u64(l2_cycles(c, rest), 1) : 0;
	if (!rest)
		err_add(err, ERR_INPUT,
			"chip.read_cycles = %llu: the path to DRAM and back alone takes %llu "
			"cycles; 0: the least",
			(unsigned long long)c->p.read_cycles,
			(unsigned long long)div_up(way, c->sm_ps));
}

/* Queues that feed a link between partitions are two windows deep, apart from the router's own
 * depth, or credits would throttle the link. */
struct link_config clocks_cta_link(const struct chip *c)
{
	return (struct link_config){.latency_cycles = (unsigned)c->p.link_cycles,
		.depth = (unsigned)(2 * c->p.link_cycles + c->p.link_queue)};
}

/* The same for packets, which the network moves in its own cycles: of another clock the sender's
 * and the receiver's next edges come on top. */
struct link_config clocks_packet_link(const struct chip *c)
{
	uint64_t edges = c->sm_ps != c->l2_ps;

	return (struct link_config){.latency_cycles = (unsigned)c->p.link_cycles,
		.depth = (unsigned)(2 * (l2_link_cycles(c) + edges) + c->p.link_queue)};
}

/* From a slice to its peer on the other side. */
struct link_config clocks_side_link(const struct chip *c)
{
	uint64_t cycles = c->p.side_cycles / 2, own = div_up(cycles * c->sm_ps, c->l2_ps);

	return (struct link_config){.latency_cycles = (unsigned)cycles,
		.depth = (unsigned)(2 * (own + 1) + c->p.link_queue)};
}
