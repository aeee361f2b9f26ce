/* A DRAM channel with banks, rows and all timings: the controller of dram/controller.h behind the
 * ports of a channel.
 *
 * A line becomes the bursts that its granules touch; the reply to a read leaves when the last of
 * them is over, plus a fixed latency through the controller and back, so that a lone read of an
 * open row takes latency_cycles exactly where the command clock is not slower than the channel's. A
 * request accepted in cycle t is accepted at the last command clock not after t.
 *
 * Between commands nothing happens: the component decides late, when a request arrives, a reply is
 * due, or a queue entry for a waiting request may have become free, and then all commands up to
 * that time. It has received all requests by then, so the decisions are those of every clock. */
#include "core/probe.h"
#include "core/state.h"
#include "dram/channel.h"
#include "dram/controller.h"
#include "dram/ports.h"
#include "dram/profile.h"
#include "dram/replay.h"

#include <inttypes.h>

#define MAX_REPLIES 65536u
#define NO_LINE UINT32_MAX

/* A read that waits for its bursts. */
struct line {
	struct packet packet;
	uint32_t next_free;
	uint16_t port, bursts;
};

struct banked {
	struct component base;
	struct dram_params p;
	struct dram_stats s;
	struct controller controller;
	struct channel_ports ports;
	unsigned next; /* the port to serve first */
	uint64_t pipeline_ps;
	uint32_t interleave;
	uint64_t block_bursts;
	unsigned line_bursts;
	unsigned block_bytes; /* that a burst serves */
	/* By granules: the line's blocks that contain any of them, a bit each; their number. */
	uint8_t bursts[256], nbursts[256];
	uint32_t *reading; /* per port: reads not yet among the replies */
	struct line *lines;
	uint32_t free_line;
	uint64_t reads_in; /* lines */
	struct launch_traffic *by_launch, nobody;
	struct channel_profile *profile; /* NULL: the run is not profiled */
};

static const struct param_def banked_params[] = {DRAM_PARAMS(PARAM_ROW, banked)};
static const struct stat_def banked_stats[] = {DRAM_STATS(STAT_ROW, banked)};

/* The first cycle in which the reply can leave after a data beat ending at that command clock.
 */
static uint64_t reply_cycle(const struct banked *b, uint64_t end)
{
	return div_up(end * b->controller.device.tck_ps + b->pipeline_ps, b->base.period_ps);
}

static void finish_burst(struct banked *b, const struct dram_event *e)
{
	struct line *line;

	if (e->user == NO_LINE || e->command != DRAM_READ)
		return;
	line = &b->lines[e->user];
	if (--line->bursts)
		return;
	line->packet.kind = PACKET_READ_REPLY;
	fifo_push(&b->ports.replies[line->port], &line->packet, reply_cycle(b, e->end));
	b->reading[line->port]--;
	line->next_free = b->free_line;
	b->free_line = e->user;
}

/* A burst was read or written: it has just left its entry, which is the first unused one. */
static void profile_burst(struct banked *b, const struct dram_event *e)
{
	const struct dram_device *d = &b->controller.device;
	uint16_t at = b->controller.free;
	const struct origin *who = &b->profile->bursts[at];

	channel_profile_row(b->profile, who, b->controller.bursts[at].found, e->bank);
	channel_profile_moved(
		b->profile, who, e->command == DRAM_WRITE, d->burst_bytes, e->end * d->tck_ps);
}

static void catch_up(struct banked *b, uint64_t clock)
{
	struct dram_event e;

	while (controller_advance(&b->controller, clock, &e)) {
		if (b->profile && e.command <= DRAM_WRITE)
			profile_burst(b, &e);
		finish_burst(b, &e);
	}
}

/* The number of the line's first burst among those that come to this channel. */
static uint64_t first_burst(const struct banked *b, unsigned port, uint64_t line)
{
	uint64_t burst = line / LINE_BYTES * b->line_bursts, block = burst / b->block_bursts;

	if (b->interleave <= 1)
		return burst;
	return (block / b->interleave * b->ports.n + port) * b->block_bursts +
	       burst % b->block_bursts;
}

static uint32_t enter_line(struct banked *b, unsigned port, const struct packet *p, unsigned bursts)
{
	uint32_t i = b->free_line;
	struct line *line = &b->lines[i];

	b->free_line = line->next_free;
	line->packet = *p;
	line->port = (uint16_t)port;
	line->bursts = (uint16_t)bursts;
	b->reading[port]++;
	b->reads_in++;
	return i;
}

static void count(struct banked *b, const struct packet *p, unsigned bursts)
{
	struct launch_traffic *of = b->by_launch ? &b->by_launch[p->origin.launch] : &b->nobody;
	uint64_t bytes = (uint64_t)bursts * b->controller.device.burst_bytes;

	if (p->kind == PACKET_READ)
		of->read_bytes += bytes;
	else
		of->write_bytes += bytes;
}

/* Records the origin of the burst in queue entry `at`. */
static void profile_offer(
	struct banked *b, unsigned port, const struct packet *p, unsigned burst, uint16_t at)
{
	unsigned per_burst = b->block_bytes / GRANULE_BYTES;
	unsigned granules = p->granules & ((1u << per_burst) - 1) << burst * per_burst;
	unsigned bytes = b->controller.device.burst_bytes, bank = b->controller.bursts[at].bank;

	if (p->kind == PACKET_READ) {
		channel_profile_read(b->profile, p, granules, bytes, bank);
		b->profile->bursts[at] = p->origin;
	} else {
		b->profile->bursts[at] =
			channel_profile_write(b->profile, port, p, granules, bytes, bank);
	}
}

static void offer_all(
	struct banked *b, unsigned port, const struct packet *p, uint32_t user, uint64_t clock)
{
	enum dram_command dir = p->kind == PACKET_WRITE ? DRAM_WRITE : DRAM_READ;
	uint64_t first = first_burst(b, port, p->line);
	uint16_t request =
		controller_request(&b->controller, dir, b->nbursts[p->granules], p->origin.sm);

	for (unsigned m = b->bursts[p->granules]; m; m &= m - 1) {
		unsigned burst = low_bit(m) * b->block_bytes / b->controller.device.burst_bytes;
		uint16_t at = b->controller.free;

		controller_offer_of(&b->controller, request, first + burst, user, clock);
		if (b->profile)
			profile_offer(b, port, p, low_bit(m), at);
	}
}

/* Accepts the port's next request when there is one and a free entry for it. If only the entry is
 * missing, `lacks` becomes true. */
static bool accept(struct banked *b, unsigned port, uint64_t clock, bool *lacks)
{
	const struct packet *p = link_peek(b->ports.in[port]);
	enum dram_command dir = p && p->kind == PACKET_WRITE ? DRAM_WRITE : DRAM_READ;
	uint32_t user = NO_LINE;

	if (!p)
		return false;
	if (!controller_space(&b->controller, dir)) {
		*lacks = true;
		return false;
	}
	BUG_ON(p->kind != PACKET_READ && p->kind != PACKET_WRITE);
	if (dir == DRAM_READ) {
		if (fifo_count(&b->ports.replies[port]) + b->reading[port] >= b->ports.most)
			return false;
		user = enter_line(b, port, p, b->nbursts[p->granules]);
	}
	offer_all(b, port, p, user, clock);
	count(b, p, b->nbursts[p->granules]);
	channel_ports_take(&b->ports, port);
	return true;
}

/* Accepts requests from the ports in turn until there is none, or no free entry: true when a
 * request waits for an entry. */
static bool accept_all(struct banked *b, uint64_t clock)
{
	unsigned refused = 0;
	bool lacks = false;

	while (refused < b->ports.n) {
		refused = accept(b, b->next, clock, &lacks) ? 0 : refused + 1;
		lacks = refused ? lacks : false;
		b->next = b->next + 1 < b->ports.n ? b->next + 1 : 0;
	}
	return lacks;
}

/* The next cycle to wake: at the next reply; while a request waits, when the next command could
 * have freed an entry; and before any command not yet decided could produce a reply. */
static uint64_t next_wake(struct banked *b, uint64_t reply, bool lacks)
{
	const struct dram_device *d = &b->controller.device;
	uint64_t next;

	if (lacks) {
		next = controller_next(&b->controller);
		return min_u64(reply, div_up(next * d->tck_ps, b->base.period_ps));
	}
	if (reply != UINT64_MAX || !controller_queued(&b->controller))
		return reply;
	next = controller_next(&b->controller);
	return reply_cycle(b, next + d->t.cl + d->burst_ck);
}

static enum step banked_step(struct component *c, uint64_t cycle)
{
	struct banked *b = CONTAINER_OF(c, struct banked, base);
	uint64_t clock = cycle * b->base.period_ps / b->controller.device.tck_ps, wake;

	catch_up(b, clock);
	wake = channel_ports_send(&b->ports, cycle);
	wake = next_wake(b, wake, accept_all(b, clock));
	if (wake != UINT64_MAX)
		wake_at(c, wake);
	return STEP_SLEEP;
}

static bool banked_busy(const struct component *c)
{
	const struct banked *b = CONTAINER_OF(c, const struct banked, base);

	if (controller_queued(&b->controller) || channel_ports_asked(&b->ports) ||
		channel_ports_owe(&b->ports))
		return true;
	BUG_ON(b->reads_in != b->ports.replies_sent);
	return false;
}

static void banked_stuck(const struct component *c, struct text *text)
{
	const struct banked *b = CONTAINER_OF(c, const struct banked, base);

	controller_stuck(&b->controller, text);
	for (unsigned i = 0; i < b->ports.n; i++)
		text_add(text, "  slice %u: reads in banks: %u, replies waiting: %u, limit: %u\n",
			i, b->reading[i], fifo_count(&b->ports.replies[i]), b->ports.most);
}

/* ---- signals */
enum shown { SHOWN_READS, SHOWN_WRITES, SHOWN_BUSY };

static uint64_t banked_get(struct component *c, unsigned shown, uint64_t cycle)
{
	const struct banked *b = CONTAINER_OF(c, const struct banked, base);

	(void)cycle;
	switch ((enum shown)shown) {
	case SHOWN_READS:
		return b->controller.view.queued[DRAM_READ];
	case SHOWN_WRITES:
		return b->controller.view.queued[DRAM_WRITE];
	case SHOWN_BUSY:
		return b->s.busy_ps;
	}
	return 0;
}

static uint64_t banked_next(struct component *c, uint64_t cycle)
{
	struct banked *b = CONTAINER_OF(c, struct banked, base);
	uint64_t clock;

	if (!controller_queued(&b->controller))
		return UINT64_MAX;
	clock = controller_next(&b->controller);
	return max_u64(div_up(clock * b->controller.device.tck_ps, b->base.period_ps), cycle + 1);
}

/* Decides what is due by then, as a step without other work would. */
static void banked_advance(struct component *c, uint64_t cycle)
{
	struct banked *b = CONTAINER_OF(c, struct banked, base);

	catch_up(b, cycle * b->base.period_ps / b->controller.device.tck_ps);
}

static const struct signal_def signals[] = {
	{.name = "reads_queued",
		.kind = SIGNAL_LEVEL,
		.bits = 13,
		.unit = "requests",
		.text = "Reads that wait for their banks.",
		.get = banked_get,
		.arg = SHOWN_READS},
	{.name = "writes_queued",
		.kind = SIGNAL_LEVEL,
		.bits = 13,
		.unit = "requests",
		.text = "Writes that wait for their banks.",
		.get = banked_get,
		.arg = SHOWN_WRITES},
	{.name = "bus_busy",
		.kind = SIGNAL_SUM,
		.bits = 64,
		.unit = "ps",
		.text = "Time that the data bus is occupied, counted with the command.",
		.get = banked_get,
		.arg = SHOWN_BUSY},
};

static const struct probe_ops banked_probe = {
	.defs = signals, .n = ARRAY_LEN(signals), .next = banked_next, .advance = banked_advance};

static void banked_counts(const struct component *c, struct channel_counts *counts)
{
	const struct banked *b = CONTAINER_OF(c, const struct banked, base);

	*counts = (struct channel_counts){.reads = b->s.reads,
		.writes = b->s.writes,
		.block_bytes = b->controller.device.burst_bytes,
		.read_bytes = b->s.bytes_read,
		.write_bytes = b->s.bytes_write,
		.busy_ps = b->s.busy_ps,
		.taken = b->ports.taken,
		.replied = b->ports.replied};
}

static void banked_count_into(struct component *c, struct launch_traffic *by_launch)
{
	CONTAINER_OF(c, struct banked, base)->by_launch = by_launch;
}

static void banked_profile(
	struct component *c, struct channel_profile *profile, struct arena *arena)
{
	struct banked *b = CONTAINER_OF(c, struct banked, base);
	unsigned entries = (b->controller.entries[0] + b->controller.entries[1]) *
			   (LINE_BYTES / b->block_bytes);

	profile->banks = b->controller.device.banks;
	profile->rows = true;
	profile->bursts = arena_alloc(arena, entries, sizeof(*profile->bursts));
	profile->nbursts = entries;
	b->profile = profile;
}

static bool banked_memory(struct config *config, struct channel_memory *memory, struct err *err)
{
	struct dram_replay plain; /* for its parameters */
	const struct dram_device *found;
	struct dram_device d;

	if (config_peek(config, dram_replay_params.prefix, dram_replay_params.defs,
		    dram_replay_params.n, &plain, err) ||
		!(found = dram_device_find(plain.p.device, "dram.device", NULL)))
		return false;
	d = *found;
	dram_device_set(&d, &plain.p);
	*memory = (struct channel_memory){
		d.name, d.channels, dram_bytes_per_ns(&d, d.tck_ps), d.burst_bytes};
	return true;
}

/* The device's bandwidth must match the chip's to within a percent. */
static void check_bandwidth(
	const struct dram_device *d, const struct channel_config *channel, struct err *err)
{
	double ours = dram_bytes_per_ns(d, d->tck_ps);

	if (channel_gives(ours, channel->bytes_per_ns))
		return;
	err_add(err, ERR_INPUT,
		"dram.device = %s gives %.3f B/ns, but chip.bytes_per_ns %.3f per channel", d->name,
		ours, channel->bytes_per_ns);
}

static void set_pipeline(struct banked *b, const struct channel_config *channel, struct err *err)
{
	const struct dram_device *d = &b->controller.device;
	uint64_t hit = (uint64_t)dram_hit_ck(d) * d->tck_ps;
	uint64_t latency = (uint64_t)channel->latency_cycles * b->base.period_ps;

	check_bandwidth(d, channel, err);
	if (latency && latency < hit)
		err_add(err, ERR_INPUT,
			"a latency of %u cycle%s is shorter than a row hit of dram.device = %s, "
			"%.3f ns: chip.read_cycles must leave it %u",
			channel->latency_cycles, text_s(channel->latency_cycles), d->name,
			(double)hit / 1000, (unsigned)div_up(hit, b->base.period_ps));
	else
		b->pipeline_ps = latency > hit ? latency - hit : 0;
}

static void set_bursts(struct banked *b)
{
	unsigned per_burst = b->block_bytes / GRANULE_BYTES;

	for (unsigned g = 0; g < 256; g++) {
		for (unsigned i = 0; i < LINE_BYTES / b->block_bytes; i++)
			if (g >> i * per_burst & ((1u << per_burst) - 1))
				b->bursts[g] |= (uint8_t)(1u << i);
		b->nbursts[g] = (uint8_t)count_bits(b->bursts[g]);
	}
}

static void set_shape(struct banked *b, const struct channel_config *channel, struct err *err)
{
	b->line_bursts = (unsigned)max_u64(LINE_BYTES / b->controller.device.burst_bytes, 1);
	b->block_bytes = controller_block_bytes(&b->controller);
	b->interleave = channel->interleave;
	b->block_bursts = max_u64(channel->block_bytes / LINE_BYTES, 1) * b->line_bursts;
	if (b->interleave && b->interleave % channel->slices)
		err_add(err, ERR_INPUT, "%u slices do not divide into channels of %u",
			b->interleave, channel->slices);
	set_bursts(b);
}

static void take_memory(struct banked *b, unsigned slices, struct arena *arena)
{
	const struct dram_device *d = &b->controller.device;
	uint64_t burst_ps = max_u64((uint64_t)d->burst_ck * d->tck_ps, 1);
	uint64_t replies = b->p.queue + (b->pipeline_ps + 64 * burst_ps) / burst_ps + 2;

	channel_ports_init(
		&b->ports, &b->base, slices, (uint32_t)min_u64(replies, MAX_REPLIES), arena);
	b->reading = arena_alloc(arena, slices, sizeof(*b->reading));
	b->lines = arena_alloc(arena, b->p.queue, sizeof(*b->lines));
	for (unsigned i = 0; i < b->p.queue; i++)
		b->lines[i].next_free = i + 1;
}

static int make_controller(
	struct banked *b, struct config *settings, struct arena *arena, struct err *err)
{
	struct controller *c = &b->controller;
	const struct controller_config config = {&b->p, &b->s, LINE_BYTES, settings};
	struct policy *const policies[] = {&c->hash, &c->scheduler, &c->when};

	int bad = controller_init(c, &config, arena, err);

	for (unsigned i = 0; i < ARRAY_LEN(policies); i++)
		if (policies[i]->plugin)
			component_policy(&b->base, policies[i]);
	return bad;
}

static void banked_state(struct component *c, struct state *s)
{
	struct banked *b = CONTAINER_OF(c, struct banked, base);

	controller_state(s, &b->controller);
	channel_ports_state(s, &b->ports);
	STATE(s, b->next);
	STATE(s, b->free_line);
	STATE(s, b->reads_in);
	STATE(s, b->nobody);
	state_bytes(s, b->reading, b->ports.n * sizeof(*b->reading));
	state_bytes(s, b->lines, b->p.queue * sizeof(*b->lines));
	if (b->profile)
		channel_profile_state(s, b->profile);
}

static struct component *banked_create(const struct plugin *plugin, struct partition *part,
	const struct channel_config *channel, struct config *config, struct arena *arena,
	struct err *err)
{
	static const struct component_ops ops = {.step = banked_step,
		.busy = banked_busy,
		.stuck = banked_stuck,
		.state = banked_state,
		.probe = &banked_probe};
	struct banked *b = arena_alloc(arena, 1, sizeof(*b));

	config_load(config, "dram", banked_params, ARRAY_LEN(banked_params), b, err);
	component_init(&b->base, part, &ops, plugin, channel->name, channel->period_ps);
	if (!make_controller(b, config, arena, err))
		set_pipeline(b, channel, err);
	set_shape(b, channel, err);
	take_memory(b, channel->slices, arena);
	return &b->base;
}

static const struct channel_ops banked_channel = {
	.memory = banked_memory,
	.create = banked_create,
	.counts = banked_counts,
	.count_into = banked_count_into,
	.profile = banked_profile,
};

const struct plugin dram_banked = {
	.kind = "dram",
	.name = "banked",
	.text = "Banks, rows and all timings of a device, behind a scheduler.",
	.path = "dram",
	.size = sizeof(struct banked),
	.params = banked_params,
	.nparams = ARRAY_LEN(banked_params),
	.stats = banked_stats,
	.nstats = ARRAY_LEN(banked_stats),
	.ops = &banked_channel,
};
