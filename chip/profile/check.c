/* What must hold of a profile at the end of every run: sums are equal in every breakdown, and what
 * enters a link leaves it. */
#include "chip/profile/inside.h"

struct balance {
	enum profile_count in[3], out[4];
	unsigned nin, nout;
	bool by_site; /* otherwise a granule may have been written for another one */
};

/* Once nothing is in flight. */
static const struct balance balances[] = {
	{{PROFILE_LOADED}, {PROFILE_L1_HIT, PROFILE_L1_MERGED, PROFILE_L1_MISSED}, 1, 3, true},
	{{PROFILE_STORED}, {PROFILE_SENT_WRITE}, 1, 1, true},
	{{PROFILE_ATOMIC}, {PROFILE_SENT_ATOMIC}, 1, 1, true},
	{{PROFILE_SENT_READ}, {PROFILE_TAKEN_READ}, 1, 1, true},
	{{PROFILE_SENT_WRITE}, {PROFILE_TAKEN_WRITE}, 1, 1, true},
	{{PROFILE_SENT_ATOMIC}, {PROFILE_TAKEN_ATOMIC}, 1, 1, true},
	{{PROFILE_TAKEN_READ, PROFILE_TAKEN_ATOMIC}, {PROFILE_L2_HIT, PROFILE_L2_MISSED}, 2, 2,
		true},
	{{PROFILE_SENT_READ, PROFILE_SENT_ATOMIC}, {PROFILE_RETURNED}, 2, 1, true},
	{{PROFILE_FETCHED}, {PROFILE_L2_FILLED}, 1, 1, true},
	{{PROFILE_TAKEN_WRITE, PROFILE_TAKEN_ATOMIC, PROFILE_PADDED},
		{PROFILE_REWRITTEN, PROFILE_WRITTEN_BACK, PROFILE_FLUSHED}, 3, 3, false},
};

static void check_balances(const struct profile_row *row, bool by_site)
{
	for (unsigned i = 0; i < ARRAY_LEN(balances); i++) {
		const struct balance *b = &balances[i];
		uint64_t in = 0, out = 0;

		for (unsigned k = 0; k < b->nin; k++)
			in += row->n[b->in[k]];
		for (unsigned k = 0; k < b->nout; k++)
			out += row->n[b->out[k]];
		BUG_ON(in != out && (!by_site || b->by_site));
	}
	BUG_ON(row->n[PROFILE_L1_USED] > row->n[PROFILE_L1_FILLED]);
	BUG_ON(row->n[PROFILE_L2_USED] > row->n[PROFILE_L2_FILLED]);
	BUG_ON(row->n[PROFILE_FETCHED] > row->n[PROFILE_DRAM_READ]);
}

/* Instruction by instruction, buffer by buffer, and all together. Where buffers were freed a line
 * may have been written for the one that had its addresses before. */
static void check_rest(const struct chip_profile *f)
{
	struct profile_row all = {0};

	for (uint32_t i = 0; i < f->site_capacity; i++) {
		struct profile_row row = {0};

		for (unsigned k = 0; k < f->nparts && f->accesses[i]; k++)
			profile_row_add(&row, &f->tables[k].site[i]);
		check_balances(&row, true);
	}
	for (uint32_t i = 0; i < f->buffer_capacity; i++) {
		struct profile_row row = {0};

		for (unsigned k = 0; k < f->nparts; k++)
			profile_row_add(&row, &f->tables[k].buffer[i]);
		check_balances(&row, image_removals(f->map.image));
		profile_row_add(&all, &row);
	}
	check_balances(&all, false);
}

static struct profile_row add_rows(const struct profile_row *rows, uint32_t n)
{
	struct profile_row sum = {0};

	for (uint32_t i = 0; i < n; i++)
		profile_row_add(&sum, &rows[i]);
	return sum;
}

static struct profile_row add_sites(const struct chip_profile *f, const struct profile_row *rows)
{
	struct profile_row sum = {0};

	for (uint32_t i = 0; i < f->site_capacity; i++)
		if (f->accesses[i])
			profile_row_add(&sum, &rows[i]);
	return sum;
}

/* A part's sum, the same over instructions, buffers and SMs. */
static struct profile_row check_part(struct chip_profile *f, unsigned part)
{
	const struct profile_tables *t = &f->tables[part];
	struct profile_row sites = add_sites(f, t->site),
			   buffers = add_rows(t->buffer, f->buffer_capacity), sms = sites;

	if (t->sm)
		sms = add_rows(t->sm, f->map.sms);
	for (unsigned i = 0; i < PROFILE_COUNT; i++)
		BUG_ON(sites.n[i] != buffers.n[i] || sites.n[i] != sms.n[i]);
	f->sum[part] = sites;
	return sites;
}

static void check_channel(const struct chip *c, unsigned channel, bool at_rest)
{
	struct chip_profile *f = c->profile;
	const struct channel_profile *p = &f->channel[channel];
	const struct channel_ops *dram = c->dram->ops;
	struct profile_row row = check_part(f, profile_channel_part(c, channel));
	uint64_t banks[2] = {0}, bins[2] = {0}, rows = 0;
	struct channel_counts counts = {0};

	dram->counts(c->channel[channel], &counts);
	for (unsigned i = 0; i < p->banks; i++) {
		banks[0] += p->bank[i].read;
		banks[1] += p->bank[i].write;
		rows += p->bank[i].row_hit + p->bank[i].row_miss + p->bank[i].row_conflict;
	}
	for (unsigned i = 0; i < PROFILE_BINS; i++) {
		bins[0] += p->bin[i].read;
		bins[1] += p->bin[i].write;
	}
	BUG_ON(row.n[PROFILE_DRAM_READ] != counts.read_bytes || banks[0] != counts.read_bytes);
	BUG_ON(row.n[PROFILE_DRAM_WRITE] != counts.write_bytes || banks[1] != counts.write_bytes);
	BUG_ON(rows !=
		row.n[PROFILE_ROW_HIT] + row.n[PROFILE_ROW_MISS] + row.n[PROFILE_ROW_CONFLICT]);
	BUG_ON(rows && rows != counts.reads + counts.writes);
	BUG_ON(at_rest && (bins[0] != counts.read_bytes || bins[1] != counts.write_bytes));
}

static void check_slice(const struct chip *c, unsigned slice, bool at_rest)
{
	struct profile_row row = check_part(c->profile, profile_slice_part(c, slice));
	struct slice_counts counts;

	slice_counts(c->slice[slice], &counts);
	BUG_ON(row.n[PROFILE_FLUSHED] != counts.flushed_bytes);
	BUG_ON(at_rest && row.n[PROFILE_WRITTEN_BACK] != counts.writeback_bytes);
	BUG_ON(at_rest && row.n[PROFILE_L2_FILLED] != counts.fill_bytes);
}

/* An SM's cycles are those of its schedulers, reason by reason: of instructions that waited, and of
 * those that they waited for. Where no warp is resident there is no instruction. */
static void check_stalls(const struct chip *c, unsigned sm)
{
	const struct chip_profile *f = c->profile;
	struct stall_row sum = {0};

	for (uint32_t i = 0; i < f->site_capacity; i++)
		stall_row_add(&sum, &f->stalls[sm].row[i]);
	for (unsigned r = 0; r < REASON_COUNT; r++) {
		uint64_t cycles = sm_reason_cycles(c->sm[sm], (enum sm_reason)r);

		if (r == REASON_IDLE)
			continue;
		BUG_ON(sum.stalled[r] != cycles);
		BUG_ON(r != REASON_SELECTED && sum.caused[r] != cycles);
	}
	BUG_ON(sum.event[STALL_EXECUTED] != sm_executed(c->sm[sm]));
	c->profile->stall_sum[sm] = sum;
}

static uint64_t end_sm(const struct chip *c, unsigned sm, uint64_t cycle)
{
	const struct chip_profile *f = c->profile;

	for (uint32_t k = 0; k < f->nkernels; k++)
		sm_profile_program(c->sm[sm], f->kernel[k].program, f->kernel[k].first_site);
	return sm_profile_end(c->sm[sm], cycle);
}

void profile_close(struct chip *c, uint64_t cycle)
{
	struct chip_profile *f = c->profile;

	for (unsigned i = 0; i < c->channels * c->per_channel; i++)
		slice_profile_end(c->slice[i]);
	for (unsigned i = 0; i < c->p.sms; i++) {
		uint64_t unblamed = end_sm(c, i, cycle);
		struct profile_row row = check_part(f, i);

		BUG_ON(row.n[PROFILE_STALL_SM] + row.n[PROFILE_STALL_NOC] +
				row.n[PROFILE_STALL_L2] + row.n[PROFILE_STALL_DRAM] +
				row.n[PROFILE_STALL_TRANSLATION] + unblamed !=
			sm_reason_cycles(c->sm[i], REASON_LONG_SCOREBOARD));
		check_stalls(c, i);
		f->unblamed += unblamed;
	}
	for (unsigned i = 0; i < c->channels * c->per_channel; i++)
		check_slice(c, i, c->at_rest);
	for (unsigned i = 0; i < c->channels; i++)
		check_channel(c, i, c->at_rest);
	if (c->at_rest)
		check_rest(f);
}
