/* A DRAM channel as a bandwidth server with queueing: one data bus, first come first served, no
 * banks.
 *
 * A request accepted at t occupies the bus from start = max(t, end of the previous one) for its
 * bytes divided by the bandwidth. A read's reply leaves at start + latency, at the channel's first
 * edge that is not earlier; so a lone read takes exactly latency_cycles, and the k-th of n equal
 * reads that arrive together (k from 0) takes ceil(k * service + latency). Writes end with their
 * time on the bus: they get no reply, the slice sends acknowledgements.
 *
 * Time on the bus is kept in units of 1/1024 ps. The service time of a granule is rounded to that
 * once, at creation: for bandwidths of 256/6 B/ns (375 ps) and all others whose granule takes a
 * multiple of 1/1024 ps it is exact, for others the error is below one part in 10^5 up to 320 B/ns,
 * and at most one in 10^3.
 *
 * A request holds a queue entry until its time on the bus is over. A reply without a credit waits,
 * and blocks those behind it to the same slice; when their memory is used up, further reads from
 * that slice are not accepted, while other slices' are: slices share only the queue, whose entries
 * time alone frees. */
#include "core/probe.h"
#include "dram/channel.h"
#include "dram/ports.h"
#include "dram/profile.h"

#include <inttypes.h>
#include <math.h>

#define UNITS_PER_PS 1024u
#define MAX_REPLIES 65536u

#define PARAMS(P, T) \
	P(T, UINT, queue, 64, 1, 4096, "requests", \
		"Queue entries of a channel: requests that wait for the data bus or use it.") \
	P(T, UINT, min_bytes, 16, 16, 128, "bytes", \
		"Smallest transaction, a power of two; larger ones are aligned multiples of it.") \
	P(T, UINT, useful_bytes, 0, 0, 128, "bytes", \
		"Bytes of a smallest transaction that requests can use: each block of that size " \
		"is a transaction of its own, whose other bytes are lost. 0: all bytes.") \
	P(T, UINT, first_bytes, 0, 0, 128, "bytes", \
		"A read's latency is that of a transaction of that size: what a larger one takes " \
		"longer on the bus delays its reply. 0: its size does not matter.")

#define STATS(S, T) \
	S(T, COUNT, reads, "requests", "Reads served.") \
	S(T, COUNT, writes, "requests", "Writes served.") \
	S(T, COUNT, bytes_read, "bytes", "Bytes of read transactions.") \
	S(T, COUNT, bytes_write, "bytes", "Bytes of write transactions.") \
	S(T, COUNT, busy_ps, "ps", "Time that the data bus was occupied.") \
	S(T, COUNT, wait_ps, "ps", "Time that requests waited in the queue for the data bus.") \
	S(T, COUNT, queue_sum, "requests", \
		"Queue occupancy at each arrival, summed over arrivals.") \
	S(T, MAX, queue_peak, "requests", "Peak queue occupancy.")

struct bandwidth {
	struct component base;
	struct {
		PARAMS(PARAM_FIELD, )
	} p;
	struct {
		STATS(STAT_FIELD, )
	} s;
	struct channel_ports ports;
	unsigned next;                    /* the port to serve first */
	uint64_t cycle_units;             /* of the channel's clock */
	uint64_t latency, bus_free, busy; /* in units */
	uint64_t *ends; /* ring: when each request in the queue leaves the bus, in units */
	uint32_t ends_head, ends_tail, ends_mask;
	uint64_t service[256]; /* by granules: time on the bus, in units */
	uint64_t first;        /* the same of first_bytes; UINT64_MAX: no reply waits for more */
	uint16_t bytes[256];   /* by granules: size of the transaction */
	unsigned block_bytes;  /* that a smallest transaction serves */
	struct launch_traffic *by_launch, nobody;
	struct channel_profile *profile; /* NULL: the run is not profiled */
};

TABLES(bandwidth, PARAMS, STATS);

static uint32_t queued(const struct bandwidth *b)
{
	return b->ends_tail - b->ends_head;
}

static void retire(struct bandwidth *b, uint64_t now)
{
	while (queued(b) && b->ends[b->ends_head & b->ends_mask] <= now)
		b->ends_head++;
}

static void count(struct bandwidth *b, const struct packet *p, uint64_t waited)
{
	struct launch_traffic *of = b->by_launch ? &b->by_launch[p->origin.launch] : &b->nobody;

	if (p->kind == PACKET_READ) {
		b->s.reads++;
		b->s.bytes_read += b->bytes[p->granules];
		of->read_bytes += b->bytes[p->granules];
	} else {
		b->s.writes++;
		b->s.bytes_write += b->bytes[p->granules];
		of->write_bytes += b->bytes[p->granules];
	}
	b->busy += b->service[p->granules];
	b->s.busy_ps = b->busy / UNITS_PER_PS;
	b->s.wait_ps += waited / UNITS_PER_PS;
	b->s.queue_sum += queued(b);
	b->s.queue_peak = max_u64(b->s.queue_peak, queued(b) + 1);
}

/* Of a write each block of the smallest transaction separately, or those of a sector together:
 * their writers may differ. */
static void profile_packet(
	struct bandwidth *b, unsigned port, const struct packet *p, uint64_t start)
{
	unsigned bytes = (unsigned)b->p.min_bytes, per_block = b->block_bytes / GRANULE_BYTES;
	unsigned step = per_block < SECTOR_GRANULES ? SECTOR_GRANULES : per_block;

	start /= UNITS_PER_PS;
	if (p->kind == PACKET_READ) {
		bytes = b->bytes[p->granules];
		channel_profile_read(b->profile, p, p->granules, bytes, 0);
		channel_profile_moved(b->profile, &p->origin, false, bytes, start);
		return;
	}
	for (unsigned g = 0; g < LINE_BYTES / GRANULE_BYTES; g += step) {
		unsigned granules = p->granules & ((1u << step) - 1) << g;
		unsigned all = per_block < step ? bytes * count_bits(granules) : bytes;
		struct origin who;

		if (!granules)
			continue;
		who = channel_profile_write(b->profile, port, p, granules, all, 0);
		channel_profile_moved(b->profile, &who, true, all, start);
	}
}

/* The time on the bus that the latency does not include. */
static uint64_t behind_first(const struct bandwidth *b, const struct packet *p)
{
	uint64_t all = b->service[p->granules];

	return all > b->first ? all - b->first : 0;
}

/* Accepts the port's next request when there is one and the queue has space. */
static bool accept(struct bandwidth *b, unsigned port, uint64_t cycle)
{
	const struct packet *p = link_peek(b->ports.in[port]);
	uint64_t now = cycle * b->cycle_units, start = max_u64(now, b->bus_free);

	if (!p || queued(b) == b->p.queue)
		return false;
	BUG_ON(p->kind != PACKET_READ && p->kind != PACKET_WRITE);
	if (p->kind == PACKET_READ) {
		struct packet reply = *p;

		if (fifo_count(&b->ports.replies[port]) == b->ports.most)
			return false;
		reply.kind = PACKET_READ_REPLY;
		fifo_push(&b->ports.replies[port], &reply,
			div_up(start + b->latency + behind_first(b, p), b->cycle_units));
	}
	count(b, p, start - now);
	if (b->profile)
		profile_packet(b, port, p, start);
	b->bus_free = start + b->service[p->granules];
	b->ends[b->ends_tail++ & b->ends_mask] = b->bus_free;
	channel_ports_take(&b->ports, port);
	return true;
}

/* Accepts requests from the ports in turn until there is none, or the queue is full. */
static void accept_all(struct bandwidth *b, uint64_t cycle)
{
	unsigned refused = 0;

	while (refused < b->ports.n) {
		refused = accept(b, b->next, cycle) ? 0 : refused + 1;
		b->next = b->next + 1 < b->ports.n ? b->next + 1 : 0;
	}
}

static enum step bandwidth_step(struct component *c, uint64_t cycle)
{
	struct bandwidth *b = CONTAINER_OF(c, struct bandwidth, base);
	uint64_t wake;

	channel_ports_send(&b->ports, cycle);
	retire(b, cycle * b->cycle_units);
	accept_all(b, cycle);
	wake = channel_ports_send(&b->ports, cycle);
	if (queued(b) == b->p.queue && channel_ports_asked(&b->ports))
		wake = min_u64(wake, div_up(b->ends[b->ends_head & b->ends_mask], b->cycle_units));
	if (wake != UINT64_MAX)
		wake_at(c, wake);
	return STEP_SLEEP;
}

static bool bandwidth_busy(const struct component *c)
{
	const struct bandwidth *b = CONTAINER_OF(c, const struct bandwidth, base);

	return channel_ports_owe(&b->ports) || channel_ports_asked(&b->ports);
}

static void bandwidth_stuck(const struct component *c, struct text *text)
{
	const struct bandwidth *b = CONTAINER_OF(c, const struct bandwidth, base);

	text_add(text, "  queue entries in use: %u of %" PRIu64 "\n", queued(b), b->p.queue);
	for (unsigned i = 0; i < b->ports.n; i++)
		text_add(text, "  slice %u: replies waiting: %u of at most %u\n", i,
			fifo_count(&b->ports.replies[i]), b->ports.most);
}

/* ---- signals */
enum shown { SHOWN_QUEUE, SHOWN_BUS, SHOWN_BUSY };

static uint64_t bandwidth_get(struct component *c, unsigned shown, uint64_t cycle)
{
	struct bandwidth *b = CONTAINER_OF(c, struct bandwidth, base);
	uint64_t now = cycle * b->cycle_units, end = now + b->cycle_units;

	switch ((enum shown)shown) {
	case SHOWN_QUEUE:
		return queued(b);
	case SHOWN_BUS:
		return b->bus_free > now;
	case SHOWN_BUSY: /* occupancy that begins later does not count yet */
		return (b->busy - (b->bus_free > end ? b->bus_free - end : 0)) / UNITS_PER_PS;
	}
	return 0;
}

static uint64_t bandwidth_next(struct component *c, uint64_t cycle)
{
	const struct bandwidth *b = CONTAINER_OF(c, const struct bandwidth, base);

	return b->bus_free > cycle * b->cycle_units ? cycle + 1 : UINT64_MAX;
}

static void bandwidth_advance(struct component *c, uint64_t cycle)
{
	struct bandwidth *b = CONTAINER_OF(c, struct bandwidth, base);

	retire(b, cycle * b->cycle_units);
}

static const struct signal_def signals[] = {
	{.name = "queue",
		.kind = SIGNAL_LEVEL,
		.bits = 13,
		.unit = "requests",
		.text = "Requests that wait for the data bus or use it.",
		.get = bandwidth_get,
		.arg = SHOWN_QUEUE},
	{.name = "bus",
		.kind = SIGNAL_LEVEL,
		.bits = 1,
		.unit = "",
		.text = "1: the data bus is occupied when the cycle begins.",
		.get = bandwidth_get,
		.arg = SHOWN_BUS},
	{.name = "bus_busy",
		.kind = SIGNAL_SUM,
		.bits = 64,
		.unit = "ps",
		.text = "Time that the data bus was occupied.",
		.get = bandwidth_get,
		.arg = SHOWN_BUSY},
};

static const struct probe_ops bandwidth_probe = {.defs = signals,
	.n = ARRAY_LEN(signals),
	.next = bandwidth_next,
	.advance = bandwidth_advance};

static void bandwidth_counts(const struct component *c, struct channel_counts *counts)
{
	const struct bandwidth *b = CONTAINER_OF(c, const struct bandwidth, base);

	counts->reads = b->s.reads;
	counts->writes = b->s.writes;
	counts->block_bytes = (unsigned)b->p.min_bytes;
	counts->read_bytes = b->s.bytes_read;
	counts->write_bytes = b->s.bytes_write;
	counts->busy_ps = b->s.busy_ps;
	counts->taken = b->ports.taken;
	counts->replied = b->ports.replied;
}

static void bandwidth_count_into(struct component *c, struct launch_traffic *by_launch)
{
	CONTAINER_OF(c, struct bandwidth, base)->by_launch = by_launch;
}

static void bandwidth_profile(
	struct component *c, struct channel_profile *profile, struct arena *arena)
{
	(void)arena;
	profile->banks = 1;
	CONTAINER_OF(c, struct bandwidth, base)->profile = profile;
}

/* The transaction for a set of granules: one of the minimum size for each aligned block that it
 * touches. */
static unsigned transaction_bytes(const struct bandwidth *b, unsigned granules)
{
	unsigned per_block = b->block_bytes / GRANULE_BYTES, block = (1u << per_block) - 1;
	unsigned bytes = 0;

	for (unsigned g = 0; g < 8; g += per_block) {
		if (granules & block << g)
			bytes += (unsigned)b->p.min_bytes;
	}
	return bytes;
}

static void set_blocks(struct bandwidth *b, struct err *err)
{
	uint64_t n = b->p.useful_bytes;

	if (b->p.min_bytes & (b->p.min_bytes - 1)) {
		err_add(err, ERR_INPUT, "dram.min_bytes = %" PRIu64 ": must be a power of two",
			b->p.min_bytes);
		b->p.min_bytes = GRANULE_BYTES;
	}
	b->block_bytes = (unsigned)b->p.min_bytes;
	if (n && (n & (n - 1) || n < GRANULE_BYTES || n > b->p.min_bytes))
		err_add(err, ERR_INPUT,
			"dram.useful_bytes = %" PRIu64 ": must be a power of two from %u to "
			"dram.min_bytes = %" PRIu64,
			n, GRANULE_BYTES, b->p.min_bytes);
	else if (n)
		b->block_bytes = (unsigned)n;
}

static void set_service_times(
	struct bandwidth *b, const struct channel_config *channel, struct err *err)
{
	double exact = GRANULE_BYTES * 1000.0 * UNITS_PER_PS / channel->bytes_per_ns;
	bool possible = exact >= 512 && exact < 0x1p40;
	uint64_t granule = possible ? (uint64_t)llround(exact) : 512;

	if (!possible)
		err_add(err, ERR_INPUT, "a bandwidth of %g bytes/ns cannot be modelled",
			channel->bytes_per_ns);
	set_blocks(b, err);
	for (unsigned g = 0; g < 256; g++) {
		b->bytes[g] = (uint16_t)transaction_bytes(b, g);
		b->service[g] = granule * (b->bytes[g] / GRANULE_BYTES);
	}
	b->first =
		b->p.first_bytes ? granule * div_up(b->p.first_bytes, GRANULE_BYTES) : UINT64_MAX;
	b->latency = channel->latency_cycles * b->cycle_units;
	if (!b->latency)
		b->latency = b->service[255];
	if (b->latency < b->service[255])
		err_add(err, ERR_INPUT,
			"a latency of %u cycle%s is shorter than a line's %.3f ns on the bus: "
			"chip.read_cycles must leave it %u",
			channel->latency_cycles, text_s(channel->latency_cycles),
			(double)b->service[255] / (1000.0 * UNITS_PER_PS),
			(unsigned)div_up(b->service[255], b->cycle_units));
}

static void take_memory(struct bandwidth *b, unsigned slices, struct arena *arena)
{
	uint64_t late = b->service[255] > b->first ? b->service[255] - b->first : 0;
	uint64_t in_flight = b->p.queue + (b->latency + late) / b->service[1] + 2;
	uint32_t size = 1;

	channel_ports_init(
		&b->ports, &b->base, slices, (uint32_t)min_u64(in_flight, MAX_REPLIES), arena);
	while (size < b->p.queue)
		size *= 2;
	b->ends = arena_alloc(arena, size, sizeof(*b->ends));
	b->ends_mask = size - 1;
}

static void bandwidth_state(struct component *c, struct state *s)
{
	struct bandwidth *b = CONTAINER_OF(c, struct bandwidth, base);

	STATE(s, b->s);
	channel_ports_state(s, &b->ports);
	STATE(s, b->next);
	STATE(s, b->bus_free);
	STATE(s, b->busy);
	STATE(s, b->ends_head);
	STATE(s, b->ends_tail);
	STATE(s, b->nobody);
	state_bytes(s, b->ends, (b->ends_mask + (size_t)1) * sizeof(*b->ends));
	if (b->profile)
		channel_profile_state(s, b->profile);
}

static struct component *bandwidth_create(const struct plugin *plugin, struct partition *part,
	const struct channel_config *channel, struct config *config, struct arena *arena,
	struct err *err)
{
	static const struct component_ops ops = {.step = bandwidth_step,
		.busy = bandwidth_busy,
		.stuck = bandwidth_stuck,
		.state = bandwidth_state,
		.probe = &bandwidth_probe};
	struct bandwidth *b = arena_alloc(arena, 1, sizeof(*b));

	config_load(config, "dram", bandwidth_params, ARRAY_LEN(bandwidth_params), b, err);
	component_init(&b->base, part, &ops, plugin, channel->name, channel->period_ps);
	b->cycle_units = (uint64_t)UNITS_PER_PS * b->base.period_ps;
	set_service_times(b, channel, err);
	take_memory(b, channel->slices, arena);
	return &b->base;
}

static const struct channel_ops bandwidth_channel = {
	.create = bandwidth_create,
	.counts = bandwidth_counts,
	.count_into = bandwidth_count_into,
	.profile = bandwidth_profile,
};

const struct plugin dram_bandwidth = {
	.kind = "dram",
	.name = "bandwidth",
	.text = "Bandwidth server: one data bus per channel, first come first served.",
	.path = "dram",
	.size = sizeof(struct bandwidth),
	.params = bandwidth_params,
	.nparams = ARRAY_LEN(bandwidth_params),
	.stats = bandwidth_stats,
	.nstats = ARRAY_LEN(bandwidth_stats),
	.ops = &bandwidth_channel,
};
