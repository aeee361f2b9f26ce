/* How far each slice is from each SM: sides of the chip (A100, H100), which may keep copies of each
 * other's lines (mem/slice_peer.c), and positions around a ring, so that latencies to all slices
 * are spread evenly from the least to the most, as they are on a V100 (Jin et al., Uncovering Real
 * GPU NoC Characteristics, MICRO 2024). */
#include "chip/inside.h"

/* The slice's position in the order of channels. */
static uint64_t position_of(const struct chip *c, unsigned slice)
{
	return (uint64_t)(slice % c->channels) * c->per_channel + slice / c->channels;
}

/* Of n things in order, the side that the i-th is on. */
static uint64_t side_of(const struct chip *c, uint64_t i, uint64_t n)
{
	return i * c->p.sides / n;
}

/* The way around the ring in units of which `around` are all of it: from the middle of the SM's
 * share of it to the middle of the slice's. */
static uint64_t ring_distance(uint64_t sm, uint64_t sms, uint64_t slice, uint64_t slices)
{
	uint64_t around = 2 * sms * slices, a = (2 * sm + 1) * slices, b = (2 * slice + 1) * sms;
	uint64_t way = a > b ? a - b : b - a;

	return min_u64(way, around - way);
}

/* Cycles, both ways together. */
static uint64_t extra_cycles(const struct chip *c, unsigned sm, unsigned slice)
{
	uint64_t sms = c->p.sms, slices = (uint64_t)c->channels * c->per_channel;
	uint64_t at = position_of(c, slice), half = sms * slices, cycles = 0;

	if (c->p.spread_cycles)
		cycles = (2 * c->p.spread_cycles * ring_distance(sm, sms, at, slices) + half) /
			 (2 * half);
	if (side_of(c, sm, sms) != side_of(c, slice % c->channels, c->channels))
		cycles += c->p.side_cycles;
	return cycles;
}

unsigned distance_side(const struct chip *c, unsigned sm)
{
	return (unsigned)side_of(c, sm, c->p.sms);
}

/* Not where every SM has a slice of its own, nor without an L2. */
void distance_choose(struct chip *c, struct err *err)
{
	uint64_t least = 2 * c->p.window;

	if (c->p.side_copies && c->p.sides > 2)
		err_add(err, ERR_INPUT,
			"chip.side_copies: sides keep copies where there are two, not chip.sides = "
			"%llu",
			(unsigned long long)c->p.sides);
	c->copies = c->p.side_copies && c->p.sides == 2 && !c->p.even_share &&
		    slice_caches(c->gpu->config);
	if (c->copies && c->channels % 2)
		err_add(err, ERR_INPUT,
			"chip.side_copies: chip.channels = %u: must be even, half of them on each "
			"side",
			c->channels);
	if (c->copies && c->p.side_cycles < least)
		err_add(err, ERR_INPUT,
			"chip.side_copies: chip.side_cycles = %llu: must be at least %llu, twice "
			"chip.window",
			(unsigned long long)c->p.side_cycles, (unsigned long long)least);
}

/* Half of the way there, half back. */
void distance_bind_peer(struct chip *c, unsigned slice)
{
	unsigned channel = slice % c->channels, half = c->channels / 2;
	unsigned peer = slice - channel + (channel + half) % c->channels;
	struct link_config way = clocks_side_link(c);

	link_bind(c->sim, c->slice[slice], "ask", 0, c->slice[peer], "asked", 0, way);
	link_bind(c->sim, c->slice[slice], "lend", 0, c->slice[peer], "lent", 0, way);
	slice_set_peer(c->slice[slice], c->slice[peer]);
}

void distance_set(struct chip *c)
{
	unsigned sms = (unsigned)c->p.sms, slices = c->channels * c->per_channel;

	if (!c->p.spread_cycles && (c->p.sides == 1 || !c->p.side_cycles))
		return;
	c->request_extra_ps = arena_alloc(&c->arena, (size_t)sms * slices, sizeof(uint32_t));
	c->reply_extra_ps = arena_alloc(&c->arena, (size_t)sms * slices, sizeof(uint32_t));
	for (unsigned sm = 0; sm < sms; sm++) {
		for (unsigned slice = 0; slice < slices; slice++) {
			uint64_t cycles = extra_cycles(c, sm, slice), there = cycles / 2;

			c->request_extra_ps[sm * slices + slice] = (uint32_t)(there * c->sm_ps);
			c->reply_extra_ps[slice * sms + sm] =
				(uint32_t)((cycles - there) * c->sm_ps);
		}
	}
}
