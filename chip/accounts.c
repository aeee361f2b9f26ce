/* Accounts: the numbers by which the parts of a chip count for launches. */
#include "chip/profile/inside.h"

#define MOST 65536u         /* origin.launch has 16 bits */
#define COLLECT_LEAST 1024u /* accounts in use, before those of launches that are over are free */

void accounts_init(struct chip *c)
{
	c->accounts.first_free = NO_ACCOUNT;
	c->accounts.collect_at = COLLECT_LEAST;
	c->accounts.most = MOST;
}

void accounts_free(struct chip *c)
{
	for (unsigned i = 0; i < GPU_MAX_SMS; i++)
		mem_free(c->by_launch[i]);
	for (unsigned i = 0; c->traffic && i < c->channels * c->per_channel; i++)
		mem_free(c->lookups[i]);
	for (unsigned i = 0; c->traffic && i < c->channels; i++)
		mem_free(c->traffic[i]);
	mem_free(c->flushed);
	mem_free(c->grids.grids);
	mem_free(c->accounts.of);
	mem_free(c->accounts.number);
	mem_free(c->accounts.next);
}

static uint32_t in_use(const struct accounts *a)
{
	return a->used - a->nfree;
}

/* ---- in a run */
/* A profile's origins outlive launches: there, an account stays one of its kernel's. */
static uint32_t *free_ones(struct chip *c, const struct launch_state *l)
{
	return c->profile ? &l->kernel->accounts : &c->accounts.first_free;
}

bool accounts_take(struct chip *c, struct launch_state *l)
{
	struct accounts *a = &c->accounts;
	uint32_t *first = free_ones(c, l), i = *first;

	if (i != NO_ACCOUNT) {
		*first = a->next[i];
		a->nfree--;
	} else if (a->used < a->capacity) {
		i = a->used++;
	} else {
		a->held = true;
		return false;
	}
	a->of[i] = l;
	a->number[i] = l->grid.gridid;
	a->waiting--;
	c->grids.grids[i] = &l->grid;
	l->grid.launch = (uint16_t)i;
	if (c->profile)
		profile_begins(c->profile, l);
	return true;
}

/* ---- what was counted */
void accounts_add_counts(const struct chip *c, const struct launch_state *l, struct launch_row *r)
{
	uint32_t i = l->grid.launch;

	if (!l->active)
		return;
	for (unsigned k = 0; k < c->p.sms; k++)
		r->instructions += c->by_launch[k][i];
	for (unsigned k = 0; k < c->channels * c->per_channel; k++) {
		r->l2_sectors += c->lookups[k][i].sectors;
		r->l2_hits += c->lookups[k][i].hits;
	}
	for (unsigned k = 0; k < c->channels; k++) {
		r->read_bytes += c->traffic[k][i].read_bytes;
		r->write_bytes += c->traffic[k][i].write_bytes;
	}
	r->flushed_bytes = c->flushed[i];
}

/* The launch is over. Its counts are in its row and in the sums; the account's are zero again. */
static void close_account(struct chip *c, uint32_t i)
{
	struct launch_state *l = c->accounts.of[i];
	uint32_t *first = free_ones(c, l);

	launches_end(c->gpu, l);
	for (unsigned k = 0; k < c->p.sms; k++)
		c->by_launch[k][i] = 0;
	for (unsigned k = 0; k < c->channels * c->per_channel; k++)
		c->lookups[k][i] = (struct launch_lookups){0};
	for (unsigned k = 0; k < c->channels; k++) {
		c->earlier[k].read_bytes += c->traffic[k][i].read_bytes;
		c->earlier[k].write_bytes += c->traffic[k][i].write_bytes;
		c->traffic[k][i] = (struct launch_traffic){0};
	}
	c->accounts.of[i] = NULL;
	c->accounts.next[i] = *first;
	*first = i;
	c->accounts.nfree++;
}

/* ---- launches that are over; only at rest, when no packet has their accounts */
static void note_owner(void *ctx, struct origin *owner)
{
	((bool *)ctx)[owner->launch] = true;
}

static void change_owner(void *ctx, struct origin *owner)
{
	owner->launch = ((const uint16_t *)ctx)[owner->launch];
}

static void each_owner(struct chip *c, cache_owner_fn *visit, void *ctx)
{
	for (unsigned i = 0; i < c->channels * c->per_channel; i++)
		slice_each_owner(c->slice[i], visit, ctx);
}

static bool is_complete(const struct accounts *a, uint32_t i)
{
	return a->of[i] && a->of[i]->complete;
}

/* Dirty lines have all accounts: from now on those of one kernel's older launches count to one of
 * them. */
static int share(struct chip *c, bool *dirty, struct err *err)
{
	struct accounts *a = &c->accounts;
	uint16_t *to = mem_alloc(a->used, sizeof(*to));

	if (!to)
		return err_add(err, ERR_RESOURCE, "no host memory for launches");
	for (uint32_t i = 0; i < a->used; i++)
		if (is_complete(a, i))
			a->of[i]->kernel->shared = NO_ACCOUNT;
	for (uint32_t i = 0; i < a->used; i++) {
		uint32_t *shared = is_complete(a, i) ? &a->of[i]->kernel->shared : NULL;

		if (shared && *shared == NO_ACCOUNT)
			*shared = i;
		to[i] = (uint16_t)(shared ? *shared : i);
		dirty[i] = to[i] == i;
	}
	each_owner(c, change_owner, to);
	mem_free(to);
	return 0;
}

static int collect(struct chip *c, struct err *err)
{
	struct accounts *a = &c->accounts;
	bool *dirty = mem_alloc(MOST, sizeof(*dirty));
	uint32_t kept = 0;
	int bad = 0;

	if (!dirty)
		return err_add(err, ERR_RESOURCE, "no host memory for launches");
	each_owner(c, note_owner, dirty);
	for (uint32_t i = 0; i < a->used; i++)
		kept += a->of[i] && (dirty[i] || !a->of[i]->complete);
	if (kept > a->most / 2 && a->waiting)
		bad = share(c, dirty, err);
	for (uint32_t i = 0; i < a->used && !bad; i++)
		if (is_complete(a, i) && !dirty[i])
			close_account(c, i);
	mem_free(dirty);
	a->collect_at = (uint32_t)max_u64(COLLECT_LEAST, 2 * (uint64_t)in_use(a));
	return bad;
}

/* ---- the tables */
/* `old`, grown to that many accounts; NULL when there is no memory. */
static void *grown(const struct chip *c, void *old, uint32_t room, size_t size)
{
	return mem_grow(old, c->accounts.capacity, room, size);
}

#define GROW(c, field, room) \
	((grows = grown(c, field, room, sizeof(*(field)))) ? ((field) = grows, true) : false)

static bool grow_own(struct chip *c, uint32_t room)
{
	struct accounts *a = &c->accounts;
	void *grows;

	return GROW(c, a->of, room) && GROW(c, a->number, room) && GROW(c, a->next, room) &&
	       GROW(c, c->grids.grids, room) && GROW(c, c->flushed, room);
}

/* Instruction counts in every SM. */
static bool grow_sms(struct chip *c, uint32_t room)
{
	void *grows;

	for (unsigned i = 0; i < c->p.sms; i++) {
		if (!GROW(c, c->by_launch[i], room))
			return false;
		sm_count_into(c->sm[i], c->by_launch[i]);
	}
	return true;
}

/* Traffic counts in every slice and channel. */
static bool grow_memory(struct chip *c, uint32_t room)
{
	const struct channel_ops *dram = c->dram->ops;
	void *grows;

	for (unsigned i = 0; i < c->channels * c->per_channel; i++) {
		if (!GROW(c, c->lookups[i], room))
			return false;
		slice_count_into(c->slice[i], c->lookups[i]);
	}
	for (unsigned i = 0; i < c->channels; i++) {
		if (!GROW(c, c->traffic[i], room))
			return false;
		dram->count_into(c->channel[i], c->traffic[i]);
	}
	return true;
}

static int grow_to(struct chip *c, uint32_t room, struct err *err)
{
	if (room <= c->accounts.capacity)
		return 0;
	if (!grow_own(c, room) || !grow_sms(c, room) || !grow_memory(c, room))
		return err_add(err, ERR_RESOURCE, "no host memory for launches");
	c->accounts.capacity = room;
	return 0;
}

/* Smaller tables keep their memory. */
int accounts_resize(struct chip *c, uint32_t capacity, struct err *err)
{
	if (capacity > c->accounts.most)
		return err_add(err, ERR_INPUT, "the checkpoint has %u accounts, the most is %u",
			(unsigned)capacity, (unsigned)c->accounts.most);
	if (grow_to(c, capacity, err))
		return -1;
	c->accounts.capacity = capacity;
	return 0;
}

/* For all launches that wait, up to the most that there can be. */
static int grow(struct chip *c, struct err *err)
{
	struct accounts *a = &c->accounts;
	uint64_t want = (uint64_t)in_use(a) + a->waiting;
	uint32_t room = a->capacity ? a->capacity : 64;

	while (room < want && room < a->most)
		room *= 2;
	return grow_to(c, (uint32_t)min_u64(room, a->most), err);
}

/* Whether a launch that could begin has an account. */
static bool can_go_on(struct chip *c)
{
	const struct dispatcher *d = c->dispatcher;

	if (c->accounts.used < c->accounts.capacity)
		return true;
	for (uint32_t i = 0; i < d->nrunnable; i++)
		if (!d->runnable[i]->active && *free_ones(c, d->runnable[i]) != NO_ACCOUNT)
			return true;
	return false;
}

int accounts_prepare(struct chip *c, struct err *err)
{
	struct accounts *a = &c->accounts;
	bool full = a->capacity == a->most && in_use(a) + (uint64_t)a->waiting > a->most;

	if (c->at_rest && (in_use(a) >= a->collect_at || full || a->held) && collect(c, err))
		return -1;
	if (grow(c, err))
		return -1;
	if (a->held && !can_go_on(c))
		return err_add(err, ERR_RESOURCE,
			"lines in the L2 are of more than %u launches, whose kernels are too many "
			"to be profiled together",
			a->most);
	a->held = false;
	return 0;
}
