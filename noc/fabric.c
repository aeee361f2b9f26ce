/* A fabric's cycle: credits and flits arrive, exits deliver packets, inputs send, routers allocate.
 * Everything takes at least a cycle, so the order within a cycle has no effect. */
#include "noc/fabric.h"

#include <inttypes.h>

#define NONE UINT32_MAX

static struct fabric *fabric_of(const struct component *c)
{
	return CONTAINER_OF(c, struct fabric, base);
}

static unsigned flits_of(const struct fabric *f, const struct packet *p)
{
	return packet_flits_of(p, (unsigned)f->p->flit_bytes);
}

/* ---- wires */
void fabric_send(struct fabric *f, uint32_t q, uint32_t flit, uint64_t arrives)
{
	uint32_t entry = (q << f->shift) + f->put[q], *due = &f->due[arrives & f->due_mask];

	BUG_ON(!f->credits[q]);
	f->credits[q]--;
	f->put[q] = (uint16_t)((f->put[q] + 1u) & ((1u << f->shift) - 1));
	f->flit[entry] = flit;
	f->followed[entry] = *due;
	*due = entry;
	f->on_wires++;
}

uint32_t fabric_take(struct fabric *f, uint32_t q, uint64_t cycle)
{
	uint32_t flit = fabric_front_flit(f, q);

	BUG_ON(!f->held[q]);
	f->take[q] = (uint16_t)((f->take[q] + 1u) & ((1u << f->shift) - 1));
	f->held[q]--;
	f->credit[f->credit_tail++ & f->credit_mask] =
		(struct fabric_credit){cycle + f->p->wire_cycles, q};
	return flit;
}

static bool take_credits(struct fabric *f, uint64_t cycle)
{
	bool any = false;

	while (f->credit_head != f->credit_tail) {
		const struct fabric_credit *c = &f->credit[f->credit_head & f->credit_mask];

		if (c->due > cycle)
			break;
		f->credits[c->vc]++;
		f->credit_head++;
		any = true;
	}
	return any;
}

static void arrive(struct fabric *f, uint32_t q, uint64_t cycle)
{
	uint32_t to = f->to[q / f->vcs];

	f->on_wires--;
	f->held[q]++;
	if (to & FABRIC_EXIT) {
		f->waiting[(to & ~FABRIC_EXIT) / 64] |= UINT64_C(1) << to % 64;
		return;
	}
	f->buffered++;
	if (f->held[q] == 1)
		fabric_front(f, q, cycle);
}

static bool take_flits(struct fabric *f, uint64_t cycle)
{
	uint32_t *due = &f->due[cycle & f->due_mask], entry = *due;
	bool any = entry != NONE;

	*due = NONE;
	for (; entry != NONE; entry = f->followed[entry])
		arrive(f, entry >> f->shift, cycle);
	f->s->buffered_flits = max_u64(f->s->buffered_flits, f->buffered);
	return any;
}

/* ---- exits */
/* Delivers the packet whose last flit is at the front of q. False without a credit. */
static bool deliver(struct fabric *f, uint32_t q, unsigned output, uint64_t cycle)
{
	uint32_t slot = fabric_front_flit(f, q) >> 2;

	if (!link_can_send(f->out[output]))
		return false;
	*(struct packet *)link_slot(f->out[output]) = f->packet[slot];
	link_send(f->out[output], 0);
	f->s->packets++;
	f->s->transit_cycles += cycle - f->entered[slot];
	f->free_slot[f->nfree++] = slot;
	return true;
}

/* Takes the flits of a VC that can leave; true when flits remain. */
static bool empty_vc(struct fabric *f, uint32_t q, unsigned output, uint64_t cycle, bool *any)
{
	while (f->held[q]) {
		bool last = fabric_front_flit(f, q) & 2;

		if (last && !deliver(f, q, output, cycle))
			return true;
		if (last)
			f->exit_vc[output] = (uint8_t)((q + 1) % f->vcs);
		fabric_take(f, q, cycle);
		f->s->flits++;
		*any = true;
	}
	return false;
}

static bool serve_exit(struct fabric *f, unsigned output, uint64_t cycle)
{
	uint32_t base = f->exit_channel[output] * f->vcs;
	unsigned first = f->exit_vc[output];
	bool any = false, stay = false;

	for (unsigned k = 0; k < f->vcs; k++)
		stay |= empty_vc(f, base + (first + k) % f->vcs, output, cycle, &any);
	if (!stay)
		f->waiting[output / 64] &= ~(UINT64_C(1) << output % 64);
	return any;
}

static bool serve_exits(struct fabric *f, uint64_t cycle)
{
	bool any = false;

	for (unsigned w = 0; w < (f->outputs + 63) / 64; w++)
		for (uint64_t bits = f->waiting[w]; bits; bits &= bits - 1)
			any |= serve_exit(f, w * 64 + low_bit(bits), cycle);
	return any;
}

/* ---- inputs */
/* Assigns a packet the next VC that has space for a flit. False when there is none. */
static bool choose_vc(const struct fabric *f, unsigned input, struct fabric_entry *e)
{
	for (unsigned k = 1; k <= f->vcs; k++) {
		unsigned v = (e->last_vc + k) % f->vcs;

		if (!f->credits[input * f->vcs + v])
			continue;
		e->vc = (uint8_t)v;
		return true;
	}
	return false;
}

static bool admit(struct fabric *f, unsigned input, uint64_t cycle)
{
	struct fabric_entry *e = &f->entry[input];
	tick_t at;
	const struct packet *p = inlet_peek(&f->in, input, &at);

	if (p && at > cycle * f->base.period_ps) {
		f->arrival = min_u64(f->arrival, div_up(at, f->base.period_ps));
		return false;
	}
	if (!p || !choose_vc(f, input, e))
		return false;
	BUG_ON((f->route == ROUTE_TO_SLICE ? p->slice : p->sm) >= f->outputs || !f->nfree);
	e->slot = f->free_slot[--f->nfree];
	e->left = (uint8_t)flits_of(f, p);
	e->last_vc = e->vc;
	e->first = true;
	f->packet[e->slot] = *p;
	f->entered[e->slot] = cycle;
	inlet_pop(&f->in, input);
	f->packets_in++;
	return true;
}

static bool serve_input(struct fabric *f, unsigned input, uint64_t cycle)
{
	struct fabric_entry *e = &f->entry[input];
	uint32_t q;

	if (!e->left && !admit(f, input, cycle))
		return false;
	q = input * f->vcs + e->vc;
	if (!f->credits[q])
		return false;
	e->left--;
	fabric_send(
		f, q, e->slot << 2 | (uint32_t)!e->left << 1 | e->first, cycle + f->p->wire_cycles);
	e->first = false;
	f->flits_in++;
	return true;
}

/* ---- the step */
static bool serve_routers(struct fabric *f, uint64_t cycle)
{
	bool any = false;

	for (unsigned pass = 0; pass < f->p->passes; pass++)
		for (unsigned w = 0; w < f->router_words; w++)
			for (uint64_t bits = f->busy_routers[w]; bits; bits &= bits - 1)
				any |= fabric_pass(f, w * 64 + low_bit(bits), pass, cycle);
	return any;
}

/* While nothing moves and no flit or credit is on a wire, only messages and credits of links can
 * change the state; they wake the component. A packet in the routing stage will request a VC later.
 */
static enum step fabric_step(struct component *c, uint64_t cycle)
{
	struct fabric *f = fabric_of(c);
	bool any;

	if (f->stepped == cycle + 1)
		return f->answer;
	f->stepped = cycle + 1;
	f->arrival = UINT64_MAX;
	f->s->buffered_flit_cycles += f->buffered * (cycle - f->counted);
	f->counted = cycle;
	any = take_credits(f, cycle);
	any |= take_flits(f, cycle);
	any |= serve_exits(f, cycle);
	for (unsigned i = 0; i < f->inputs; i++)
		any |= serve_input(f, i, cycle);
	any |= serve_routers(f, cycle);
	any |= f->on_wires || f->credit_head != f->credit_tail || cycle < f->routed;
	f->answer = any ? STEP_AGAIN : STEP_SLEEP;
	if (!any && f->arrival != UINT64_MAX)
		wake_at(c, f->arrival);
	return f->answer;
}

static bool fabric_busy(const struct component *c)
{
	const struct fabric *f = fabric_of(c);

	for (unsigned i = 0; i < f->inputs; i++)
		if (inlet_busy(&f->in, i))
			return true;
	return f->nfree != f->nslots;
}

/* ---- queries */
unsigned fabric_latency_cycles(const struct component *c, unsigned bytes)
{
	const struct fabric *f = fabric_of(c);
	double way = f->routers_on_the_way * (double)(f->hop_cycles + f->p->wire_cycles);
	uint64_t behind = f->route == ROUTE_TO_SM ? div_up(bytes, f->p->flit_bytes) : 0;

	return (unsigned)f->p->wire_cycles + (unsigned)(way + 0.5) + (unsigned)behind;
}

unsigned fabric_flit_bytes(const struct component *c)
{
	return (unsigned)fabric_of(c)->p->flit_bytes;
}

/* Each buffer entry is free and known to the sender as free, or occupied, or its credit is on the
 * wire. */
void fabric_audit(const struct component *c, struct audit *a)
{
	const struct fabric *f = fabric_of(c);
	uint32_t n = (f->inputs + f->shape.routers * f->shape.outs) * f->vcs;
	uint64_t held = 0, credits = f->credit_tail - f->credit_head;

	for (uint32_t q = 0; q < n; q++) {
		held += f->held[q];
		credits += f->credits[q];
	}
	audit_flow(a, c->name, "packets accepted", f->packets_in, "sent", f->s->packets);
	audit_equal(a, c->name, "packets accepted", f->packets_in, "sent and inside",
		f->s->packets + f->nslots - f->nfree);
	audit_flow(a, c->name, "flits accepted", f->flits_in, "sent", f->s->flits);
	audit_equal(a, c->name, "flits accepted", f->flits_in, "sent, held and on wires",
		f->s->flits + held + f->on_wires);
	audit_equal(a, c->name, "buffer entries", n * f->p->vc_flits, "free and filled",
		credits + held + f->on_wires);
	audit_flow(a, c->name, "virtual channels allocated to packets", f->vcs_given, "released",
		f->vcs_returned);
}

static unsigned sum_bits(const uint64_t *words, unsigned n)
{
	unsigned sum = 0;

	for (unsigned w = 0; w < n; w++)
		sum += count_bits(words[w]);
	return sum;
}

static void stuck(const struct component *c, struct text *text)
{
	const struct fabric *f = fabric_of(c);

	for (unsigned r = 0; r < f->shape.routers; r++) {
		unsigned sending = sum_bits(f->sending + (size_t)r * f->ivc_words, f->ivc_words);

		if (f->busy_ivcs[r])
			text_add(text,
				"  router %u: packets that request a virtual channel: %u, with "
				"flits to send: %u\n",
				r, f->busy_ivcs[r] - sending, sending);
	}
	for (unsigned j = 0; j < f->outputs; j++)
		if (f->waiting[j / 64] >> j % 64 & 1)
			text_add(text, "  output %u: no credit\n", j);
}

const struct component_ops fabric_component = {
	.step = fabric_step, .busy = fabric_busy, .stuck = stuck, .state = fabric_state};
