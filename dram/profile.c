/* Attribution of a DRAM channel's traffic. */
#include "dram/profile.h"

#include "core/state.h"

#include <string.h>

/* The sectors that contain any of the granules, a bit each. */
static unsigned sectors_of(unsigned granules)
{
	unsigned any = granules | granules >> 1;

	return (any & 1) | (any >> 1 & 2) | (any >> 2 & 4) | (any >> 3 & 8);
}

static void count_write(struct channel_profile *f, const struct sector_owners *owners,
	unsigned sectors, unsigned bytes)
{
	unsigned n = count_bits(sectors), share = bytes / n, first = bytes - share * (n - 1);

	for (; sectors; sectors &= sectors - 1) {
		profile_add(f->tables, &owners->of[low_bit(sectors)], PROFILE_DRAM_WRITE, first);
		first = share;
	}
}

void channel_profile_read(struct channel_profile *f, const struct packet *p, unsigned granules,
	unsigned bytes, unsigned bank)
{
	profile_add(f->tables, &p->origin, PROFILE_DRAM_READ, bytes);
	profile_add(f->tables, &p->origin, PROFILE_FETCHED, profile_bytes(granules));
	f->bank[bank].read += bytes;
}

struct origin channel_profile_write(struct channel_profile *f, unsigned port,
	const struct packet *p, unsigned granules, unsigned bytes, unsigned bank)
{
	const struct sector_owners *owners = slice_profile_owners(f->slices[port], p);
	unsigned sectors = sectors_of(granules);
	const struct origin *first;

	f->bank[bank].write += bytes;
	if (!owners) {
		profile_add(f->tables, &p->origin, PROFILE_DRAM_WRITE, bytes);
		return p->origin;
	}
	first = &owners->of[low_bit(sectors)];
	if (sectors & (sectors - 1))
		count_write(f, owners, sectors, bytes);
	else
		profile_add(f->tables, first, PROFILE_DRAM_WRITE, bytes);
	return *first;
}

/* Merges pairs of bins. */
static void merge_bins(struct channel_profile *f)
{
	const unsigned half = PROFILE_BINS / 2;

	for (unsigned i = 0; i < half; i++)
		f->bin[i] =
			(struct profile_bin){.read = f->bin[2 * i].read + f->bin[2 * i + 1].read,
				.write = f->bin[2 * i].write + f->bin[2 * i + 1].write};
	memset(f->bin + half, 0, half * sizeof(*f->bin));
	for (unsigned sm = 0; sm < f->tables->map->sms; sm++) {
		uint64_t *bytes = f->sm_bin[sm];

#pragma GCC unroll 8
		for (unsigned i = 0; i < half; i++)
			bytes[i] = bytes[2 * i] + bytes[2 * i + 1];
		memset(bytes + half, 0, half * sizeof(*bytes));
	}
	f->bin_cycles *= 2;
}

void channel_profile_widen(struct channel_profile *f, uint64_t bin_cycles)
{
	while (f->bin_cycles < bin_cycles)
		merge_bins(f);
}

void channel_profile_moved(
	struct channel_profile *f, const struct origin *who, bool write, unsigned bytes, tick_t at)
{
	uint64_t cycle = at / f->tables->map->cycle_ps;
	struct profile_bin *bin;

	while (cycle / f->bin_cycles >= PROFILE_BINS)
		merge_bins(f);
	bin = &f->bin[cycle / f->bin_cycles];
	*(write ? &bin->write : &bin->read) += bytes;
	f->sm_bin[who->sm][cycle / f->bin_cycles] += bytes;
}

void channel_profile_row(
	struct channel_profile *f, const struct origin *who, unsigned found, unsigned bank)
{
	static const enum profile_count what[] = {
		PROFILE_ROW_HIT, PROFILE_ROW_MISS, PROFILE_ROW_CONFLICT};

	profile_add(f->tables, who, what[found], 1);
	f->bank[bank].row_hit += found == 0;
	f->bank[bank].row_miss += found == 1;
	f->bank[bank].row_conflict += found == 2;
}

static const struct state_field kept[] = {
	STATE_KEPT(channel_profile, tables),
	STATE_KEPT(channel_profile, slices),
	STATE_KEPT(channel_profile, sm_bin),
	STATE_KEPT(channel_profile, banks),
	STATE_KEPT(channel_profile, rows),
	STATE_KEPT(channel_profile, bursts),
	STATE_KEPT(channel_profile, nbursts),
};

void channel_profile_state(struct state *s, struct channel_profile *f)
{
	STATE_STRUCT(s, f, kept);
	if (s->loads && !f->bin_cycles)
		state_fail(s, "the checkpoint's profile of %s has no bins", s->part);
	state_bytes(s, f->sm_bin, f->tables->map->sms * sizeof(*f->sm_bin));
	if (f->bursts)
		state_bytes(s, f->bursts, f->nbursts * sizeof(*f->bursts));
}
