/* The controller: bursts in lists by bank, the choice of the next command, refresh. */
#include "dram/controller_inside.h"

#include <inttypes.h>
#include <string.h>

/* ---- the lists */
static void append(struct controller *c, struct dram_list *list, uint16_t i)
{
	struct dram_burst *r = &c->bursts[i];

	r->next = NONE;
	r->before = list->tail;
	*(r->before == NONE ? &list->head : &c->bursts[r->before].next) = i;
	list->tail = i;
}

static void take_out(struct controller *c, struct dram_list *list, const struct dram_burst *r)
{
	*(r->before == NONE ? &list->head : &c->bursts[r->before].next) = r->next;
	*(r->next == NONE ? &list->tail : &c->bursts[r->next].before) = r->before;
}

static void join_bank(struct controller *c, struct dram_burst *r, uint16_t i)
{
	struct dram_bank_queue *q = &c->bank[r->bank];
	const struct dram_bank_time *b = &c->timing.bank[r->bank];
	unsigned dir = r->dir;

	append(c, &q->list[dir], i);
	r->in_its_bank = true;
	q->held++;
	c->waiting[dir] |= UINT64_C(1) << r->bank;
	if (b->open && b->row == r->row && q->hit[dir] == NONE) {
		q->hit[dir] = i;
		c->hits[dir] |= UINT64_C(1) << r->bank;
	}
}

static void join(struct controller *c, uint16_t i)
{
	struct dram_burst *r = &c->bursts[i];
	unsigned dir = r->dir;

	r->in_its_bank = false;
	if (c->p->bank_queue)
		append(c, &c->arrivals[dir], i);
	else
		join_bank(c, r, i);
	r->newer = NONE;
	r->older = c->newest[dir];
	if (r->older == NONE)
		c->oldest[dir] = i;
	else
		c->bursts[r->older].newer = i;
	c->newest[dir] = i;
	if (c->front[dir] == NONE)
		c->front[dir] = i;
}

static void find_hit(struct controller *c, unsigned bank, unsigned dir, uint16_t from)
{
	uint32_t row = c->timing.bank[bank].row;
	uint64_t bit = UINT64_C(1) << bank;

	while (from != NONE && c->bursts[from].row != row)
		from = c->bursts[from].next;
	c->bank[bank].hit[dir] = from;
	c->hits[dir] = from == NONE ? c->hits[dir] & ~bit : c->hits[dir] | bit;
}

/* Removes a burst to the open row from its bank. */
static void leave_bank(struct controller *c, const struct dram_burst *r)
{
	struct dram_bank_queue *q = &c->bank[r->bank];
	unsigned dir = r->dir;

	take_out(c, &q->list[dir], r);
	q->held--;
	if (q->list[dir].head == NONE)
		c->waiting[dir] &= ~(UINT64_C(1) << r->bank);
	if (q->hit[dir] == (uint16_t)(r - c->bursts))
		find_hit(c, r->bank, dir, r->next);
}

static void leave(struct controller *c, uint16_t i)
{
	struct dram_burst *r = &c->bursts[i];
	struct dram_request *request = &c->requests[r->request];
	unsigned dir = r->dir;

	if (r->in_its_bank)
		leave_bank(c, r);
	else
		take_out(c, &c->arrivals[dir], r);
	*(r->older == NONE ? &c->oldest[dir] : &c->bursts[r->older].newer) = r->newer;
	*(r->newer == NONE ? &c->newest[dir] : &c->bursts[r->newer].older) = r->older;
	if (c->front[dir] == i)
		c->front[dir] = r->newer;
	r->next = c->free;
	c->free = i;
	if (--request->left)
		return;
	c->view.queued[dir]--;
	request->next = c->free_request;
	c->free_request = r->request;
}

void controller_forget_hits(struct controller *c, unsigned bank)
{
	uint64_t bit = UINT64_C(1) << bank;

	c->bank[bank].hit[0] = c->bank[bank].hit[1] = c->bank[bank].opener = NONE;
	for (unsigned dir = DRAM_READ; dir <= DRAM_WRITE; dir++) {
		c->hits[dir] &= ~bit;
		c->unused[dir] &= ~bit;
	}
}

/* With bank queues: moves arrivals that may be served into them, the oldest first, as long as there
 * is space. */
static void enter_banks(struct controller *c)
{
	uint16_t next[2];

	for (unsigned dir = DRAM_READ; dir <= DRAM_WRITE; dir++)
		next[dir] = c->serving >> dir & 1 ? c->arrivals[dir].head : NONE;
	while (next[0] != NONE || next[1] != NONE) {
		uint16_t i = controller_older(c, next[0], next[1]);
		struct dram_burst *r = &c->bursts[i];

		next[r->dir] = r->next;
		if (c->bank[r->bank].held >= c->p->bank_queue)
			continue;
		take_out(c, &c->arrivals[r->dir], r);
		join_bank(c, r, i);
		c->decided = false;
	}
}

/* ---- actions */
/* Asks the policy for the direction to serve, after a burst was served or one of another direction
 * arrived. */
static void choose_direction(struct controller *c)
{
	unsigned serving = c->serving, have;

	if (!c->writes->serve || c->sched->in_order)
		return;
	have = (c->view.queued[DRAM_READ] ? DRAM_SERVE_READS : 0) |
	       (c->view.queued[DRAM_WRITE] ? DRAM_SERVE_WRITES : 0);
	c->serving = have ? c->writes->serve(c->when.self, &c->view, serving) & DRAM_SERVE_BOTH : 0;
	if (!(c->serving & have))
		c->serving = have;
	if (c->serving != serving)
		c->decided = false;
}

void controller_restart_front(struct controller *c)
{
	c->front[0] = c->oldest[0];
	c->front[1] = c->oldest[1];
}

static void notify_scheduler(
	struct controller *c, void (*what)(void *, const struct dram_queued_burst *), uint16_t i)
{
	struct dram_queued_burst burst = controller_queued_burst(c, i);

	what(c->scheduler.self, &burst);
}

uint16_t controller_request(
	struct controller *c, enum dram_command dir, unsigned bursts, unsigned requester)
{
	unsigned queued = c->view.queued[0] + c->view.queued[1];
	uint16_t i = c->free_request;
	struct dram_request *request = &c->requests[i];
	uint64_t bytes = (uint64_t)bursts * c->device.burst_bytes;

	BUG_ON(i == NONE || !controller_space(c, dir));
	c->free_request = request->next;
	*request = (struct dram_request){
		.left = (uint16_t)bursts, .requester = (uint16_t)requester, .dir = (uint8_t)dir};
	c->view.queued[dir]++;
	c->s->queue_sum += queued;
	c->s->queue_peak = max_u64(c->s->queue_peak, queued + 1);
	*(dir == DRAM_READ ? &c->s->bytes_read : &c->s->bytes_write) += bytes;
	return i;
}

void controller_offer_of(
	struct controller *c, uint16_t request, uint64_t burst, uint32_t user, uint64_t now)
{
	struct dram_location location = dram_map_locate(&c->map, burst);
	struct dram_burst *r = &c->bursts[c->free];
	unsigned dir = c->requests[request].dir;
	uint16_t i = c->free;

	BUG_ON(i == NONE || now < c->now);
	c->now = now;
	if (c->refresh_due <= now && !controller_queued(c))
		controller_catch_up_refreshes(c, now);
	c->free = r->next;
	r->order = c->orders++;
	r->accepted = now;
	r->user = user;
	r->request = request;
	r->row = location.row;
	r->bank = location.bank;
	r->dir = (uint8_t)dir;
	r->found = 0;
	join(c, i);
	if (c->sched->accepted)
		notify_scheduler(c, c->sched->accepted, i);
	if (c->decided && !controller_still(c, r))
		c->decided = false;
	if (!(c->serving >> dir & 1))
		choose_direction(c);
	if (c->p->bank_queue)
		enter_banks(c);
}

void controller_offer(
	struct controller *c, enum dram_command dir, uint64_t burst, uint32_t user, uint64_t now)
{
	controller_offer_of(c, controller_request(c, dir, 1, 0), burst, user, now);
}

/* Closes the row after a read or write when the page policy says so and no burst needs it. */
static void close_unwanted(struct controller *c, unsigned bank)
{
	if (!c->p->closed_page || (c->hits[0] | c->hits[1]) >> bank & 1)
		return;
	dram_close_bank(&c->timing, bank);
	c->s->precharges++;
	controller_restart_front(c);
}

static void finish(struct controller *c, uint16_t i, uint64_t clock, struct dram_event *e)
{
	struct dram_burst *r = &c->bursts[i];
	bool read = r->dir == DRAM_READ;

	e->end = clock + (read ? c->device.t.cl : c->device.t.cwl) + c->device.burst_ck;
	if (c->bank[r->bank].opener != i)
		r->found = 0; /* also when a row was closed for it, and it met another's */
	else
		c->bank[r->bank].opener = NONE;
	if (!r->found)
		c->s->row_hits++;
	else
		++*(r->found == 1 ? &c->s->row_misses : &c->s->row_conflicts);
	if (read) {
		c->s->reads++;
		c->s->read_ck += e->end - r->accepted;
	} else {
		c->s->writes++;
	}
	c->s->overdue += clock >= r->accepted + c->max_wait;
	c->s->busy_ps += (uint64_t)c->device.burst_ck * c->device.tck_ps;
	c->bank[r->bank].columns++;
	c->unused[0] &= ~(UINT64_C(1) << r->bank);
	c->unused[1] &= ~(UINT64_C(1) << r->bank);
	c->done++;
	if (c->sched->served)
		notify_scheduler(c, c->sched->served, i);
	leave(c, i);
	close_unwanted(c, r->bank);
	choose_direction(c);
	if (c->p->bank_queue)
		enter_banks(c);
}

static void open_row(struct controller *c, struct dram_burst *r)
{
	struct dram_bank_queue *q = &c->bank[r->bank];

	c->s->activates++;
	q->activates++;
	q->bursts += q->columns;
	q->columns = 0;
	r->found = (uint8_t)max_u64(r->found, 1);
	q->opener = (uint16_t)(r - c->bursts);
	c->unused[r->dir] |= UINT64_C(1) << r->bank;
	find_hit(c, r->bank, DRAM_READ, q->list[DRAM_READ].head);
	find_hit(c, r->bank, DRAM_WRITE, q->list[DRAM_WRITE].head);
}

static void act(struct controller *c, const struct dram_choice *choice, struct dram_event *e)
{
	struct dram_burst *r = &c->bursts[choice->burst];

	*e = (struct dram_event){.command = (enum dram_command)choice->command,
		.user = r->user,
		.bank = r->bank,
		.row = r->row,
		.clock = choice->at,
		.accepted = r->accepted};
	if (e->command <= DRAM_WRITE) {
		dram_issue_column(&c->timing, e->command, r->bank, choice->at);
		finish(c, choice->burst, choice->at, e);
		return;
	}
	dram_issue(&c->timing, e->command, r->bank, r->row, choice->at);
	if (e->command == DRAM_ACTIVATE) {
		open_row(c, r);
	} else {
		r->found = 2;
		c->s->precharges++;
		controller_forget_hits(c, r->bank);
	}
}

uint64_t controller_next(struct controller *c)
{
	if (!c->decided)
		controller_decide(c);
	return c->choice.at;
}

bool controller_advance(struct controller *c, uint64_t until, struct dram_event *e)
{
	struct dram_choice choice;

	if (controller_next(c) > until) {
		c->now = max_u64(c->now, until);
		return false;
	}
	choice = c->choice;
	c->now = choice.at;
	c->decided = false;
	if (choice.burst != NONE) {
		act(c, &choice, e);
		return true;
	}
	controller_refresh(c, &choice, e);
	return true;
}

void controller_stuck(const struct controller *c, struct text *text)
{
	text_add(text,
		"  queued reads: %u, writes: %u; unfinished bursts: %" PRIu64
		"; commands decided up to clock %" PRIu64 "\n",
		c->view.queued[DRAM_READ], c->view.queued[DRAM_WRITE], controller_queued(c),
		c->now);
}

/* ---- initialisation */
static void make_queue(struct controller *c, unsigned request_bursts, struct arena *arena)
{
	static const struct dram_list empty = {NONE, NONE};
	unsigned requests, bursts;

	c->entries[DRAM_READ] = (unsigned)c->p->queue;
	c->entries[DRAM_WRITE] = (unsigned)c->p->write_queue;
	requests = c->entries[0] + c->entries[1];
	bursts = requests * request_bursts;
	BUG_ON(bursts >= NONE);
	c->nrequests = requests;
	c->nbursts = bursts;
	c->requests = arena_alloc(arena, requests, sizeof(*c->requests));
	for (unsigned i = 0; i < requests; i++)
		c->requests[i].next = (uint16_t)(i + 1 < requests ? i + 1 : NONE);
	c->bursts = arena_alloc(arena, bursts, sizeof(*c->bursts));
	for (unsigned i = 0; i < bursts; i++)
		c->bursts[i].next = (uint16_t)(i + 1 < bursts ? i + 1 : NONE);
	for (unsigned dir = DRAM_READ; dir <= DRAM_WRITE; dir++) {
		c->oldest[dir] = c->newest[dir] = c->front[dir] = NONE;
		c->arrivals[dir] = empty;
		for (unsigned b = 0; b < DRAM_BANKS; b++) {
			c->bank[b].list[dir] = empty;
			c->bank[b].hit[dir] = c->bank[b].opener = NONE;
		}
	}
}

static int set_up(struct controller *c, const struct dram_sched_shape *shape, struct arena *arena,
	struct err *err)
{
	int bad = 0;

	if (c->sched->init)
		bad |= c->sched->init(c->scheduler.self, shape, arena, err);
	if (c->writes->init)
		bad |= c->writes->init(c->when.self, shape, arena, err);
	c->view.write_entries = shape->write_entries;
	c->serving = c->writes->serve && !c->sched->in_order ? 0 : DRAM_SERVE_BOTH;
	return bad;
}

static int choose_policies(
	struct controller *c, struct config *settings, struct arena *arena, struct err *err)
{
	static const struct policy_scope hash = {"dram hash", "dram", "hash", "dram"};
	static const struct policy_scope scheduler = {
		"dram scheduler", "dram", "scheduler", "dram"};
	static const struct policy_scope when = {"dram writes", "dram", "writes", "dram"};
	static const struct dram_sched_ops any = {0};
	static const struct dram_writes_ops mixed = {0};
	const struct dram_params *p = c->p;
	int bad = policy_choose(&c->hash, &hash, p->hash, settings, arena, err);

	bad |= policy_choose(&c->scheduler, &scheduler, p->scheduler, settings, arena, err);
	bad |= policy_choose(&c->when, &when, p->writes, settings, arena, err);
	c->sched = c->scheduler.ops ? c->scheduler.ops : &any;
	c->writes = c->when.ops ? c->when.ops : &mixed;
	if (p->bank_queue && c->sched->in_order)
		bad = err_add(err, ERR_INPUT,
			"dram.bank_queue = %" PRIu64 ": must be 0 with dram.scheduler = %s, which "
			"serves bursts in order of arrival",
			p->bank_queue, p->scheduler);
	return bad;
}

const char *controller_map(const struct controller *c)
{
	return strcmp(c->p->map, "device") != 0 ? c->p->map : c->own_map;
}

int controller_init(struct controller *c, const struct controller_config *config,
	struct arena *arena, struct err *err)
{
	const struct dram_params *p = config->p;
	const struct dram_device *device = dram_device_find(p->device, "dram.device", err);
	struct dram_sched_shape shape;
	unsigned bursts;
	int bad = device ? 0 : -1;

	*c = (struct controller){.p = p, .s = config->s, .max_wait = p->max_wait};
	c->device = device ? *device : dram_devices[0];
	bad |= choose_policies(c, config->settings, arena, err);
	dram_device_set(&c->device, p);
	if (dram_device_check(&c->device, err)) {
		c->device = dram_devices[0];
		bad = -1;
	}
	dram_device_map(&c->device, c->own_map);
	if (dram_map_init(&c->map, controller_map(c), &c->hash, &c->device, err))
		bad = -1;
	dram_timing_init(&c->timing, &c->device);
	bad |= controller_refresh_init(c, err) | dram_useful_check(c, err);
	bursts = (unsigned)max_u64(config->line_bytes / controller_block_bytes(c), 1);
	make_queue(c, bursts, arena);
	shape = (struct dram_sched_shape){.bursts = (c->entries[0] + c->entries[1]) * bursts,
		.write_entries = c->entries[c->entries[1] ? 1 : 0],
		.banks = c->device.banks};
	return set_up(c, &shape, arena, err) ? -1 : bad;
}
