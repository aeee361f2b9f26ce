/* A chip's profile: tables for all its parts, and their sums. */
#include "chip/profile/inside.h"

#include <string.h>

void profile_row_add(struct profile_row *to, const struct profile_row *from)
{
#pragma GCC unroll 18
	for (unsigned i = 0; i < PROFILE_COUNT; i++)
		to->n[i] += from->n[i];
}

/* ---- making it */
static void start_sms(struct chip *c, struct chip_profile *f)
{
	for (unsigned i = 0; i < c->p.sms; i++)
		f->map.trips[i] =
			sm_profile_start(c->sm[i], &f->tables[i], &f->stalls[i], &f->arena);
}

static void start_memory(struct chip *c, struct chip_profile *f)
{
	const struct channel_ops *dram = c->dram->ops;

	for (unsigned i = 0; i < c->channels * c->per_channel; i++)
		slice_profile_start(c->slice[i], &f->tables[profile_slice_part(c, i)], &f->arena);
	for (unsigned i = 0; i < c->channels; i++) {
		struct channel_profile *p = &f->channel[i];
		struct component **slices =
			arena_alloc(&f->arena, c->per_channel, sizeof(struct component *));

		for (unsigned k = 0; k < c->per_channel; k++)
			slices[k] = c->slice[i + k * c->channels];
		p->tables = &f->tables[profile_channel_part(c, i)];
		p->slices = slices;
		p->bin_cycles = PROFILE_BIN_CYCLES;
		p->sm_bin = arena_alloc(&f->arena, c->p.sms, sizeof(*p->sm_bin));
		dram->profile(c->channel[i], p, &f->arena);
	}
}

static void start(struct chip *c, struct chip_profile *f)
{
	f->nparts = profile_channel_part(c, c->channels);
	f->map.image = c->gpu->image;
	f->map.sms = (unsigned)c->p.sms;
	f->map.cycle_ps = c->sm_ps;
	f->map.by_hardware = c->gpu->levels.kind == LEVELS_HARDWARE;
	f->tables = arena_alloc(&f->arena, f->nparts, sizeof(*f->tables));
	f->stalls = arena_alloc(&f->arena, c->p.sms, sizeof(*f->stalls));
	f->sum = arena_alloc(&f->arena, f->nparts, sizeof(*f->sum));
	f->stall_sum = arena_alloc(&f->arena, c->p.sms, sizeof(*f->stall_sum));
	f->channel = arena_alloc(&f->arena, c->channels, sizeof(*f->channel));
	for (unsigned i = 0; i < f->nparts; i++) {
		f->tables[i].map = &f->map;
		if (i >= c->p.sms)
			f->tables[i].sm =
				arena_alloc(&f->arena, c->p.sms, sizeof(struct profile_row));
	}
	start_sms(c, f);
	if (c->mmu)
		mmu_profile_start(c->mmu, &f->map);
	start_memory(c, f);
}

int chip_profile(struct gpu *g, struct err *err)
{
	struct chip *c = g->chip;
	struct chip_profile *f = mem_alloc(1, sizeof(*f));
	jmp_buf escape;

	BUG_ON(c->profile);
	if (!((const struct channel_ops *)c->dram->ops)->profile)
		return err_add(err, ERR_INPUT, "chip.dram = %s: this model cannot be profiled",
			c->dram->name);
	c->profile = f;
	if (!f || setjmp(escape))
		return err_add(err, ERR_RESOURCE, "no host memory for a profile");
	f->arena.escape = &escape;
	start(c, f);
	f->arena.escape = NULL;
	return 0;
}

bool chip_is_profiled(const struct gpu *g)
{
	return g->chip->profile;
}

void profile_free(struct chip_profile *f)
{
	if (!f)
		return;
	for (unsigned i = 0; f->tables && i < f->nparts; i++)
		mem_free(f->tables[i].buffer);
	mem_free(f->site_rows);
	mem_free(f->stall_rows);
	mem_free(f->site_buffers);
	mem_free(f->accesses);
	mem_free(f->map.first_site);
	mem_free(f->kernel);
	arena_free(&f->arena);
	mem_free(f);
}

/* ---- capacity for launches and buffers */
static bool grow(void **block, uint32_t before, uint32_t now, size_t size)
{
	void *grown = mem_grow(*block, before, now, size);

	if (grown)
		*block = grown;
	return grown;
}

static void *take(void *to, const void *from, size_t bytes)
{
	if (bytes)
		memcpy(to, from, bytes);
	return to;
}

#define GROW(field, before, now) grow((void **)&(field), before, now, sizeof(*(field)))

/* The kernel's number; a new one's sites follow the others. */
static bool number_launch(struct chip_profile *f, const struct launch_state *l)
{
	const struct program *p = l->grid.program;
	uint32_t k = 0;

	while (k < f->nkernels && f->kernel[k].program != p)
		k++;
	if (k == f->nkernels) {
		if (!GROW(f->kernel, f->nkernels, f->nkernels + 1))
			return false;
		f->kernel[f->nkernels++] =
			(struct profile_kernel){.program = p, .first_site = f->map.nsites};
		f->map.nsites += p->ninstr;
	}
	f->kernel[k].launches++;
	l->kernel->site = f->kernel[k].first_site;
	return true;
}

/* Most instructions access nothing: to pass over their rows is 1 % of needle's host instructions.
 */
static bool note_accesses(const struct chip *c, struct chip_profile *f)
{
	bool all = sm_fetches(c->sm[0]);
	uint32_t site = 0;

	if (!GROW(f->accesses, f->site_capacity, f->map.nsites))
		return false;
	for (uint32_t k = 0; k < f->nkernels; k++)
		for (uint32_t i = 0; i < f->kernel[k].program->ninstr; i++) {
			unsigned unit = f->kernel[k].program->code[i].unit;

			f->accesses[site++] = all || unit == UNIT_MEMORY || unit == UNIT_TEXTURE;
		}
	return true;
}

/* The rows of all parts are one block, whose pages are not touched before they are used: 1 % of
 * needle's host instructions. Parts of different threads share no line. */
static bool grow_sites(struct chip_profile *f)
{
	uint32_t sites = f->site_capacity, room = (f->map.nsites + 15) / 16 * 16;
	struct profile_row *rows = mem_alloc((size_t)f->nparts * room, sizeof(*rows));
	struct stall_row *stalls = mem_alloc((size_t)f->map.sms * room, sizeof(*stalls));
	uint32_t *buffers = mem_alloc((size_t)f->nparts * room, sizeof(*buffers));
	bool good = rows && stalls && buffers;

	for (unsigned i = 0; good && i < f->nparts; i++) {
		struct profile_tables *t = &f->tables[i];

		t->site = take(rows + (size_t)i * room, t->site, sites * sizeof(*rows));
		t->site_buffer =
			take(buffers + (size_t)i * room, t->site_buffer, sites * sizeof(*buffers));
		for (uint32_t k = sites; k < f->map.nsites; k++)
			t->site_buffer[k] = PROFILE_NO_BUFFER;
	}
	for (unsigned i = 0; good && i < f->map.sms; i++)
		f->stalls[i].row =
			take(stalls + (size_t)i * room, f->stalls[i].row, sites * sizeof(*stalls));
	mem_free(good ? f->site_rows : rows);
	mem_free(good ? f->stall_rows : stalls);
	mem_free(good ? f->site_buffers : buffers);
	if (!good)
		return false;
	f->site_rows = rows;
	f->stall_rows = stalls;
	f->site_buffers = buffers;
	f->site_capacity = f->map.nsites;
	return true;
}

static bool has_space(struct chip *c, struct chip_profile *f)
{
	uint32_t accounts = c->accounts.capacity;
	struct gpu *g = c->gpu;

	if (accounts > f->account_capacity &&
		!GROW(f->map.first_site, f->account_capacity, accounts))
		return false;
	f->account_capacity = accounts;
	for (; f->numbered < g->nlaunches; f->numbered++)
		if (!number_launch(f, launches_at(g, f->numbered)))
			return false;
	f->map.nbuffers = image_accounts(f->map.image) + 1;
	if (f->map.nsites > f->site_capacity && (!note_accesses(c, f) || !grow_sites(f)))
		return false;
	for (unsigned i = 0; i < f->nparts; i++) {
		f->tables[i].last = (struct account_range){0};
		if (f->map.nbuffers > f->buffer_capacity &&
			!GROW(f->tables[i].buffer, f->buffer_capacity, f->map.nbuffers))
			return false;
	}
	f->buffer_capacity = f->map.nbuffers;
	return true;
}

int profile_grow(struct chip *c, struct err *err)
{
	return has_space(c, c->profile)
		       ? 0
		       : err_add(err, ERR_RESOURCE, "no host memory for the profile");
}

/* ---- the sums */
static void note_site_buffer(uint32_t *known, uint32_t buffer)
{
	if (*known == PROFILE_NO_BUFFER)
		*known = buffer;
	else if (buffer != PROFILE_NO_BUFFER && buffer != *known)
		*known = PROFILE_SEVERAL;
}

static void add_part(const struct chip *c, unsigned part, struct profile_sum *s)
{
	const struct profile_tables *t = &c->profile->tables[part];
	const struct profile_row *all = &c->profile->sum[part];

	for (uint32_t i = 0; i < s->nsites; i++) {
		if (!c->profile->accesses[i])
			continue;
		profile_row_add(&s->site[i], &t->site[i]);
		note_site_buffer(&s->site_buffer[i], t->site_buffer[i]);
	}
	profile_row_add(&s->total, all);
	if (part < c->p.sms)
		profile_row_add(&s->sm[part], all);
	for (uint32_t i = 0; i < s->nbuffers; i++)
		profile_row_add(&s->buffer[i], &t->buffer[i]);
	for (unsigned i = 0; t->sm && i < s->sms; i++)
		profile_row_add(&s->sm[i], &t->sm[i]);
}

static void add_stalls(const struct chip *c, unsigned sm, struct profile_sum *s)
{
	for (uint32_t i = 0; i < s->nsites; i++)
		stall_row_add(&s->stall_site[i], &c->profile->stalls[sm].row[i]);
	s->cta_cycles += c->profile->stalls[sm].cta_cycles;
	s->uneven_cycles += c->profile->stalls[sm].uneven_cycles;
	s->lasting_cycles += c->profile->stalls[sm].lasting_cycles;
	s->full_cycles += c->profile->stalls[sm].full_cycles;
	s->drain_cycles += c->profile->stalls[sm].drain_cycles;
	s->stall_sm[sm] = c->profile->stall_sum[sm];
	stall_row_add(&s->stalls, &s->stall_sm[sm]);
	s->idle[sm] = sm_reason_cycles(c->sm[sm], REASON_IDLE);
}

static void add_to_channel(
	const struct chip *c, unsigned part, unsigned channel, struct profile_sum *s)
{
	const struct profile_tables *t = &c->profile->tables[part];

	for (uint32_t i = 0; i < s->nbuffers; i++) {
		profile_row_add(&s->channel[channel], &t->buffer[i]);
		profile_row_add(&s->channel_buffer[channel][i], &t->buffer[i]);
	}
}

static void add_bins(struct chip_profile *f, struct profile_sum *s)
{
	for (unsigned c = 0; c < s->channels; c++)
		s->bin_cycles = max_u64(s->bin_cycles, f->channel[c].bin_cycles);
	for (unsigned c = 0; c < s->channels; c++) {
		struct channel_profile *p = &f->channel[c];

		channel_profile_widen(p, s->bin_cycles);
		s->bin[c] = p->bin;
		s->bank[c] = p->bank;
		for (unsigned i = 0; i < PROFILE_BINS; i++) {
			if (p->bin[i].read || p->bin[i].write)
				s->bins = max_u64(s->bins, i + 1) & UINT32_MAX;
			for (unsigned sm = 0; sm < s->sms; sm++)
				s->sm_bin[sm][i] += p->sm_bin[sm][i];
		}
	}
}

static void make_sum(const struct chip *c, struct arena *a, struct profile_sum *s)
{
	const struct chip_profile *f = c->profile;

	*s = (struct profile_sum){.nsites = f->site_capacity,
		.nbuffers = f->buffer_capacity,
		.sms = (unsigned)c->p.sms,
		.cycle_ps = c->sm_ps,
		.channels = c->channels,
		.banks = f->channel[0].banks,
		.kernel = f->kernel,
		.nkernels = f->nkernels,
		.unblamed = f->unblamed};
	s->site = arena_alloc(a, s->nsites + 1, sizeof(*s->site));
	s->site_buffer = arena_alloc(a, s->nsites + 1, sizeof(*s->site_buffer));
	s->buffer = arena_alloc(a, s->nbuffers + 1, sizeof(*s->buffer));
	s->sm = arena_alloc(a, s->sms, sizeof(*s->sm));
	s->stall_site = arena_alloc(a, s->nsites + 1, sizeof(*s->stall_site));
	s->stall_sm = arena_alloc(a, s->sms, sizeof(*s->stall_sm));
	s->idle = arena_alloc(a, s->sms, sizeof(*s->idle));
	s->sm_bin = arena_alloc(a, s->sms, sizeof(*s->sm_bin));
	s->channel = arena_alloc(a, s->channels, sizeof(*s->channel));
	s->channel_buffer = arena_alloc(a, s->channels, sizeof(*s->channel_buffer));
	s->bank = arena_alloc(a, s->channels, sizeof(*s->bank));
	s->bin = arena_alloc(a, s->channels, sizeof(*s->bin));
	for (uint32_t i = 0; i < s->nsites; i++)
		s->site_buffer[i] = PROFILE_NO_BUFFER;
}

void chip_profile_sum(const struct gpu *g, struct arena *arena, struct profile_sum *s)
{
	const struct chip *c = g->chip;

	make_sum(c, arena, s);
	for (unsigned i = 0; i < c->profile->nparts; i++)
		add_part(c, i, s);
	for (unsigned i = 0; i < s->sms; i++)
		add_stalls(c, i, s);
	for (unsigned i = 0; i < c->channels; i++) {
		s->channel_buffer[i] =
			arena_alloc(arena, s->nbuffers + 1, sizeof(struct profile_row));
		for (unsigned k = 0; k < c->per_channel; k++)
			add_to_channel(c, profile_slice_part(c, i + k * c->channels), i, s);
		add_to_channel(c, profile_channel_part(c, i), i, s);
	}
	add_bins(c->profile, s);
	s->translates = c->mmu;
	s->has_rows = c->profile->channel[0].rows;
}

const char *chip_profile_buffer(const struct gpu *g, uint32_t buffer)
{
	return image_account_name(g->image, buffer);
}

uint64_t chip_profile_buffer_bytes(const struct gpu *g, uint32_t buffer)
{
	uint64_t bytes = 0;

	for (unsigned i = 1; i <= image_count(g->image); i++)
		if (image_bytes(g->image, i) &&
			image_account(g->image, image_address(g->image, i)) == buffer)
			bytes += image_bytes(g->image, i);
	return bytes;
}
