/* Building a chip out of its parts. */
#include "chip/profile/inside.h"
#include "chip/trace/trace.h"

#include <math.h>
#include <stdio.h>

static const struct param_def chip_params[] = {CHIP_PARAMS(PARAM_ROW, chip)};

const struct param_table chip_param_tables[] = {{"chip", chip_params, ARRAY_LEN(chip_params)}};
const unsigned chip_nparam_tables = ARRAY_LEN(chip_param_tables);

/* Costs by which partitions are assigned to host threads. */
/* The host's cost of a step, in hundreds of instructions, as measured. */
enum { WEIGHT_SM = 12, WEIGHT_NETWORK = 18, WEIGHT_CHANNEL = 5, WEIGHT_DISPATCHER = 4 };

static int check_params(const struct chip *c, struct err *err)
{
	unsigned before = err->count;

	if (c->p.link_cycles < c->p.window)
		err_add(err, ERR_INPUT,
			"chip.link_cycles = %llu: must be at least chip.window = %llu cycle%s",
			(unsigned long long)c->p.link_cycles, (unsigned long long)c->p.window,
			text_s(c->p.window));
	if (c->p.interleave_bytes % LINE_BYTES)
		err_add(err, ERR_INPUT, "chip.interleave_bytes = %llu: must be a multiple of %u",
			(unsigned long long)c->p.interleave_bytes, LINE_BYTES);
	return err->count == before ? 0 : -1;
}

static unsigned slices_of(const struct chip *c)
{
	return c->channels * c->per_channel;
}

/* Limits that are set above what there is of it: those of a compute capability follow it. */
static void check_limits(const struct chip *c, struct err *err)
{
	const struct {
		const char *path, *what;
		uint64_t value, most;
	} rows[] = {
		{"occupancy.cta_registers", "registers of an SM", c->rules.p.cta_registers,
			c->largest.register_bytes / sizeof(uint32_t)},
		{"occupancy.cta_shared", "bytes of an SM's shared memory", c->rules.p.cta_shared,
			c->largest.shared_bytes},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].value > rows[i].most && config_given(c->gpu->config, rows[i].path))
			err_add(err, ERR_INPUT, "%s = %llu: must be at most the %llu %s",
				rows[i].path, (unsigned long long)rows[i].value,
				(unsigned long long)rows[i].most, rows[i].what);
}

/* No more threads than warp slots hold. */
static void check_threads(const struct chip *c, struct err *err)
{
	uint64_t most = (uint64_t)sm_warp_slots(c->sm[0]) * WARP_LANES;

	if (c->rules.p.threads > most && config_given(c->gpu->config, "occupancy.threads"))
		err_add(err, ERR_INPUT,
			"occupancy.threads = %llu: must be at most %llu, which sm.warps = %u hold",
			(unsigned long long)c->rules.p.threads, (unsigned long long)most,
			sm_warp_slots(c->sm[0]));
}

/* A hit in the L1 is no later than one behind it. */
static void check_levels(const struct chip *c, struct err *err)
{
	uint64_t hit = sm_hit_cycles(c->sm[0]);

	if (c->p.l2_cycles && hit > c->p.l2_cycles && config_given(c->gpu->config, "l1.hit_cycles"))
		err_add(err, ERR_INPUT,
			"l1.hit_cycles = %llu: must be at most chip.l2_cycles = %llu, that of the "
			"L2",
			(unsigned long long)hit, (unsigned long long)c->p.l2_cycles);
}

/* The SM's storage design, and the most it can give to each use. */
static void make_storage(struct chip *c, struct err *err)
{
	char prefix[64];

	c->storage = plugin_find("storage", c->p.storage, "chip.storage", err);
	if (!c->storage)
		return;
	c->storage_self = arena_alloc(&c->arena, 1, c->storage->size + 1);
	snprintf(prefix, sizeof(prefix), "%s", c->storage->path);
	config_load(c->gpu->config, prefix, c->storage->params, c->storage->nparams,
		c->storage_self, err);
	if (chip_storage(c)->most(c->storage_self, &c->largest, err) |
		storage_rules_load(&c->rules, c->gpu->config, err))
		return;
	storage_rules_suit(&c->rules, c->largest.register_bytes, c->largest.shared_bytes, err);
	check_limits(c, err);
}

/* The parameters without a chip. */
struct chip_numbers {
	struct {
		CHIP_PARAMS(PARAM_FIELD, chip)
	} p;
};
static const struct param_def chip_numbers[] = {CHIP_PARAMS(PARAM_ROW, chip_numbers)};

const struct plugin *chip_storage_design(struct config *config)
{
	struct chip_numbers n;

	config_peek(config, "chip", chip_numbers, ARRAY_LEN(chip_numbers), &n, NULL);
	return plugin_find("storage", n.p.storage, "chip.storage", NULL);
}

static struct component *make_network(struct chip *c, enum route route, struct err *err)
{
	const struct network_ops *ops = c->network->ops;
	unsigned sms = (unsigned)c->p.sms;
	bool there = route == ROUTE_TO_SLICE;
	struct network_config config = {.name = there ? "noc.request" : "noc.reply",
		.inputs = there ? sms : slices_of(c),
		.outputs = there ? slices_of(c) : sms,
		.route = route,
		.period_ps = c->l2_ps,
		.extra_ps = there ? c->request_extra_ps : c->reply_extra_ps};

	return ops->create(c->network, sim_partition(c->sim, config.name, WEIGHT_NETWORK), &config,
		c->gpu->config, &c->arena, err);
}

/* The ports at the ends of a network, which is created later. */
static struct network_widths widths_of(const struct chip *c, const char *network)
{
	const struct network_ops *net = c->network->ops;
	struct network_widths w = {packet_port_plain(), packet_port_plain()};

	if (net->widths)
		net->widths(c->gpu->config, network, &w);
	return w;
}

static void set_sm_ports(struct chip *c)
{
	const struct network_ops *net = c->network->ops;
	struct network_widths reply = widths_of(c, "noc.reply");

	c->sm_config.request_port = widths_of(c, "noc.request").sm;
	c->sm_config.reply_port = reply.sm.bytes < reply.slice.bytes ? reply.sm : reply.slice;
	c->sm_config.whole_replies = net->whole_packets;
}

static void make_sms(struct chip *c, struct err *err)
{
	static const struct policy_scope hash = {"hash", "chip", "slice_hash", "chip"};
	bool hashed = !policy_choose(&c->slice_hash, &hash, c->p.slice_hash, c->gpu->config,
			      &c->arena, err) &&
		      ((const struct hash_ops *)c->slice_hash.ops)->map;

	c->sm_config = (struct sm_config){.sms = (unsigned)c->p.sms,
		.slices = slices_of(c),
		.window_cycles = (unsigned)c->p.window,
		.grids = &c->grids,
		.lanes = c->gpu->lanes,
		.image = c->gpu->image,
		.max_cache_bytes = c->largest.cache_bytes,
		.max_shared_bytes = c->largest.shared_bytes,
		.interleave_bytes = c->p.interleave_bytes,
		.slice_hash = hashed ? &c->slice_hash : NULL,
		.own_slice = c->p.even_share,
		.side_channels = c->copies ? c->channels / 2 : 0,
		.mmu = &c->mmu_settings,
		.flit_ps = c->l2_ps};
	c->sm_config.banks = chip_storage(c)->banks(c->storage_self);
	set_sm_ports(c);
	for (unsigned i = 0; i < c->p.sms; i++) {
		char *name = arena_alloc(&c->arena, 24, 1);

		snprintf(name, 24, "sm.%u", i);
		c->sm_config.index = i;
		c->sm_config.side = distance_side(c, i);
		c->sm_config.name = name;
		c->sm[i] = sm_new(sim_partition(c->sim, name, WEIGHT_SM), &c->sm_config,
			c->gpu->config, &c->arena, err);
		c->log[i] = sm_log(c->sm[i]);
	}
}

static void make_slices(struct chip *c, struct partition *part, unsigned channel, struct err *err)
{
	for (unsigned k = 0; k < c->per_channel; k++) {
		unsigned index = channel + k * c->channels;
		char *name = arena_alloc(&c->arena, 32, 1);
		struct slice_config config = {.name = name,
			.period_ps = c->l2_ps,
			.index = index,
			.interleave = c->p.even_share ? 1 : slices_of(c),
			.block = (unsigned)(c->p.interleave_bytes / LINE_BYTES),
			.copies = c->copies,
			.walks = c->mmu ? (unsigned)c->mmu_settings.p.walks : 0};
		const struct network_ops *net = c->network->ops;

		config.port = widths_of(c, "noc.reply").slice;
		config.free_port = !net->occupies_ports;
		snprintf(name, 32, "l2.%u.%u", channel, k);
		c->slice[index] = slice_new(part, &config, c->gpu->config, &c->arena, err);
	}
}

static void make_channel(struct chip *c, struct partition *part, unsigned channel, struct err *err)
{
	const struct channel_ops *ops = c->dram->ops;
	char *name = arena_alloc(&c->arena, 24, 1);
	struct channel_config config = {.name = name,
		.index = channel,
		.slices = c->per_channel,
		.period_ps = c->l2_ps,
		.latency_cycles = c->dram_cycles,
		.bytes_per_ns = c->p.bytes_per_ns / (double)c->channels,
		.interleave = c->p.even_share ? 1 : slices_of(c),
		.block_bytes = c->p.interleave_bytes};

	snprintf(name, 24, "dram.%u", channel);
	c->channel[channel] = ops->create(c->dram, part, &config, c->gpu->config, &c->arena, err);
}

static void make_memory(struct chip *c, struct err *err)
{
	struct partition **part = arena_alloc(&c->arena, c->channels, sizeof(struct partition *));

	for (unsigned i = 0; i < c->channels; i++) {
		char name[24];

		snprintf(name, sizeof(name), "channel.%u", i);
		part[i] = sim_partition(c->sim, name, WEIGHT_CHANNEL);
		make_slices(c, part[i], i, err);
	}
	clocks_dram_latency(c, err);
	for (unsigned i = 0; i < c->channels; i++)
		make_channel(c, part[i], i, err);
}

static void bind(struct chip *c)
{
	struct link_config cta = clocks_cta_link(c), far = clocks_packet_link(c);
	struct link_config near = {.latency_cycles = 1, .depth = 8, .period_ps = c->l2_ps};
	struct component *d = &c->dispatcher->base;

	for (unsigned i = 0; i < c->p.sms; i++) {
		link_bind(c->sim, d, "start", i, c->sm[i], "cta", 0, cta);
		link_bind(c->sim, c->sm[i], "done", 0, d, "done", i, cta);
		translation_bind_sm(c, i);
		link_bind(c->sim, c->reply, "out", i, c->sm[i], "reply", 0, far);
	}
	for (unsigned i = 0; i < slices_of(c); i++) {
		unsigned channel = i % c->channels, k = i / c->channels;

		translation_bind_slice(c, i);
		link_bind(c->sim, c->request, "out", i, c->slice[i], "request", 0, far);
		link_bind(c->sim, c->slice[i], "reply", 0, c->reply, "in", i, far);
		link_bind(c->sim, c->slice[i], "dram_out", 0, c->channel[channel], "in", k, near);
		link_bind(c->sim, c->channel[channel], "out", k, c->slice[i], "dram_in", 0, near);
		if (c->copies)
			distance_bind_peer(c, i);
	}
}

/* The SM whose text is the oldest; of equally old ones the first. */
static struct component *oldest_text(const struct chip *c, const char **text, size_t *n)
{
	struct component *oldest = NULL;
	uint64_t least = UINT64_MAX, cycle;
	const char *from;
	size_t bytes;

	for (unsigned i = 0; i < c->p.sms; i++) {
		if (!sm_text_peek(c->sm[i], &cycle, &from, &bytes) || cycle >= least)
			continue;
		least = cycle;
		oldest = c->sm[i];
		*text = from;
		*n = bytes;
	}
	return oldest;
}

static void give_text(const struct chip *c)
{
	struct exec_output *output = &c->gpu->output;
	struct component *sm;
	const char *text;
	size_t n;

	while ((sm = oldest_text(c, &text, &n))) {
		if (output->write)
			output->write(output->ctx, text, n);
		sm_text_pop(sm);
	}
}

static void at_edge(void *ctx, tick_t end)
{
	struct chip *c = ctx;

	log_apply(c->log, (unsigned)c->p.sms);
	give_text(c);
	epochs_edge(c, end / c->sm_ps);
	power_edge(c, end / c->sm_ps);
	if (!dispatcher_rest(c->dispatcher, end / c->sm_ps))
		sim_stop(c->sim);
}

/* The tables of channels and slices. */
static void take_tables(struct chip *c)
{
	c->channels = (unsigned)(c->p.even_share ? c->p.sms : c->p.channels);
	c->per_channel = c->p.even_share ? 1 : (unsigned)c->p.slices;
	c->slice = arena_alloc(&c->arena, slices_of(c), sizeof(struct component *));
	c->lookups = arena_alloc(&c->arena, slices_of(c), sizeof(struct launch_lookups *));
	c->channel = arena_alloc(&c->arena, c->channels, sizeof(struct component *));
	c->traffic = arena_alloc(&c->arena, c->channels, sizeof(struct launch_traffic *));
	c->earlier = arena_alloc(&c->arena, c->channels, sizeof(*c->earlier));
}

static int build(struct chip *c, const struct chip_host *host, struct err *err)
{
	struct sim_config config = {.window_cycles = c->p.window,
		.threads = host->threads,
		.pin = host->pin,
		.shuffle = host->shuffle,
		.early_wakes = host->early_wakes,
		.hostile = host->hostile,
		.seed = host->seed};

	c->alone = host->threads < 2;
	take_tables(c);
	c->network = plugin_find("network", c->p.network, "chip.network", err);
	c->dram = plugin_find("dram", c->p.dram, "chip.dram", err);
	make_storage(c, err);
	if (check_params(c, err) || !c->network || !c->dram || !c->storage)
		return -1;
	clocks_set(c, err);
	config.cycle_ps = c->sm_ps;
	c->sim = sim_new(&config, &c->arena);
	c->dispatcher = arena_alloc(&c->arena, 1, sizeof(*c->dispatcher));
	if (dispatcher_init(
		    c->dispatcher, c, sim_partition(c->sim, "dispatcher", WEIGHT_DISPATCHER), err))
		return -1;
	mmu_load(&c->mmu_settings, c->gpu->config, err);
	distance_choose(c, err);
	make_sms(c, err);
	check_threads(c, err);
	check_levels(c, err);
	distance_set(c);
	c->request = make_network(c, ROUTE_TO_SLICE, err);
	c->reply = make_network(c, ROUTE_TO_SM, err);
	translation_make(c, err);
	clocks_l2_latency(c, err);
	make_memory(c, err);
	bind(c);
	sim_on_edge(c->sim, at_edge, c);
	return 0;
}

/* Returns the bandwidth that would do, for checks that follow. */
static double wrong_memory(
	const struct chip *c, const struct channel_memory *m, double channels, struct err *err)
{
	err_add(err, ERR_INPUT,
		"dram.device = %s gives %.6g B/ns a channel: chip.bytes_per_ns = %.6g must be %.6g "
		"with %s = %.6g; or leave both out, which is %u channel%s and %.6g B/ns",
		m->name, m->bytes_per_ns, c->p.bytes_per_ns, channels * m->bytes_per_ns,
		c->p.even_share ? "chip.sms" : "chip.channels", channels, m->channels,
		text_s(m->channels), m->channels * m->bytes_per_ns);
	return channels * m->bytes_per_ns;
}

static void set_number(
	struct chip *c, const char *path, double value, const char *device, struct err *err)
{
	char text[40], origin[80];

	snprintf(text, sizeof(text), "%.6g", value);
	snprintf(origin, sizeof(origin), "dram.device = %s", device);
	config_set(c->gpu->config, path, text, origin, err);
}

/* A DRAM device determines the bandwidth and the number of channels: settings of the two must agree
 * with it, and what is not set is the device's. Returns 0, or another bandwidth to go on with. */
static double take_memory(struct chip *c, struct err *err)
{
	struct config *config = c->gpu->config;
	const struct plugin *dram = plugin_find("dram", c->p.dram, "chip.dram", NULL);
	const struct channel_ops *ops = dram ? dram->ops : NULL;
	bool rate = config_given(config, "chip.bytes_per_ns");
	bool number = config_given(config, "chip.channels") || c->p.even_share;
	double channels = (double)(c->p.even_share ? c->p.sms : c->p.channels);
	struct channel_memory m;

	if (!ops || !ops->memory || !ops->memory(config, &m, err))
		return 0;
	if (channel_gives(channels * m.bytes_per_ns, c->p.bytes_per_ns))
		return 0;
	if (!number)
		channels = rate ? round(c->p.bytes_per_ns / m.bytes_per_ns) : m.channels;
	if (rate && !channel_gives(channels * m.bytes_per_ns, c->p.bytes_per_ns))
		return wrong_memory(c, &m, fmax(channels, 1), err);
	if (!number)
		set_number(c, "chip.channels", channels, m.name, err);
	if (!rate)
		set_number(c, "chip.bytes_per_ns", channels * m.bytes_per_ns, m.name, err);
	return 0;
}

static void read_params(struct chip *c, struct err *err)
{
	struct config *config = c->gpu->config;
	double rate = 0;

	if (!config_peek(config, "chip", chip_params, ARRAY_LEN(chip_params), c, err))
		rate = take_memory(c, err);
	config_load(config, "chip", chip_params, ARRAY_LEN(chip_params), c, err);
	if (rate > 0)
		c->p.bytes_per_ns = rate;
}

int chip_new(struct gpu *g, const struct chip_host *host, struct err *err)
{
	struct chip *c = mem_alloc(1, sizeof(*c));
	unsigned before = err->count;
	jmp_buf escape;

	if (!c || setjmp(escape)) {
		chip_free(c);
		return err_add(err, ERR_RESOURCE, "no host memory for the chip");
	}
	c->gpu = g;
	accounts_init(c);
	c->arena.escape = &escape;
	read_params(c, err);
	if (!build(c, host, err) && err->count == before)
		sim_elaborate(c->sim, err);
	c->arena.escape = NULL;
	if (err->count != before) {
		chip_free(c);
		return -1;
	}
	g->chip = c;
	return 0;
}

void chip_free(struct chip *c)
{
	if (!c)
		return;
	trace_free(c->trace);
	sim_free(c->sim);
	accounts_free(c);
	epochs_free(&c->epochs);
	warmup_free(c);
	power_free(c);
	profile_free(c->profile);
	mem_free(c->foreseen);
	dispatcher_free(c->dispatcher);
	err_clear(&c->rest_errors);
	arena_free(&c->arena);
	mem_free(c);
}
