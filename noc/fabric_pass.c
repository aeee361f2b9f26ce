/* One pass of a router: allocation of virtual channels to packets, and of the switch to flits. Both
 * use the state at the beginning of the pass; grants take effect in the next pass. */
#include "noc/fabric.h"

static void set_bit(uint64_t *words, unsigned i)
{
	words[i / 64] |= UINT64_C(1) << i % 64;
}

static void clear_bit(uint64_t *words, unsigned i)
{
	words[i / 64] &= ~(UINT64_C(1) << i % 64);
}

static void set_busy(struct fabric *f, unsigned router, int change)
{
	f->busy_ivcs[router] += (uint32_t)change;
	if (f->busy_ivcs[router])
		set_bit(f->busy_routers, router);
	else
		clear_bit(f->busy_routers, router);
}

static void request(struct fabric *f, unsigned router, unsigned ivc, unsigned output)
{
	size_t at = (size_t)router * f->shape.outs + output;

	set_bit(f->requesting + at * f->ivc_words, ivc);
	set_bit(f->wanted + (size_t)router * f->out_words, output);
	f->nrequesting[at]++;
}

static void unrequest(struct fabric *f, unsigned router, unsigned ivc, unsigned output)
{
	size_t at = (size_t)router * f->shape.outs + output;

	clear_bit(f->requesting + at * f->ivc_words, ivc);
	if (!--f->nrequesting[at])
		clear_bit(f->wanted + (size_t)router * f->out_words, output);
}

void fabric_front(struct fabric *f, uint32_t q, uint64_t cycle)
{
	unsigned router = f->ivc_of[q] / f->ivcs, ivc = f->ivc_of[q] % f->ivcs;
	size_t row = (size_t)router * f->ivc_words;
	uint32_t flit = fabric_front_flit(f, q);

	set_busy(f, router, 1);
	if (!(flit & 1)) {
		set_bit(f->sending + row, ivc);
		return;
	}
	f->requests_from[q] = cycle + f->p->route_cycles;
	f->routed = max_u64(f->routed, f->requests_from[q]);
	f->leaves[q] = f->shape.route[(size_t)router * f->outputs + fabric_destination(f, flit)];
	request(f, router, ivc, f->leaves[q]);
}

/* ---- virtual channels */
/* Packets that need a VC of the output request all that are free. Returns their number. */
static unsigned request_vcs(struct fabric *f, unsigned router, unsigned output, uint64_t cycle)
{
	const uint64_t *row =
		f->requesting + ((size_t)router * f->shape.outs + output) * f->ivc_words;
	uint32_t vcs = f->free_vcs[fabric_channel(f, router, output)];
	unsigned n = 0;

	for (unsigned w = 0; w < f->ivc_words && vcs; w++) {
		for (uint64_t bits = row[w]; bits; bits &= bits - 1) {
			unsigned ivc = w * 64 + low_bit(bits);

			if (f->p->route_cycles &&
				f->requests_from[f->ivc_q[router * f->ivcs + ivc]] > cycle)
				continue;
			for (uint32_t v = vcs; v; v &= v - 1)
				allocation_request(&f->vc_round, ivc, output * f->vcs + low_bit(v));
			n++;
		}
	}
	return n;
}

/* Returns the number of requesting packets. */
static unsigned match_vcs(struct fabric *f, unsigned router, uint64_t cycle)
{
	struct allocation *a = &f->vc_round;
	unsigned n = 0;

	for (unsigned w = 0; w < f->out_words; w++) {
		uint64_t bits = f->wanted[(size_t)router * f->out_words + w];

		for (; bits; bits &= bits - 1)
			n += request_vcs(f, router, w * 64 + low_bit(bits), cycle);
	}
	if (!n)
		return 0;
	a->at = &f->vc_state[router];
	a->user = router;
	f->vc_allocator->match(a);
	return n;
}

static void grant_vc(struct fabric *f, unsigned router, unsigned ivc, uint64_t cycle)
{
	uint32_t q = f->ivc_q[router * f->ivcs + ivc];
	size_t row = (size_t)router * f->ivc_words;
	unsigned output = (unsigned)f->vc_round.of_input[ivc];
	uint16_t *free_vcs;

	f->target[q] = fabric_channel(f, router, 0) * f->vcs + output;
	free_vcs = &f->free_vcs[f->target[q] / f->vcs];
	BUG_ON(!(*free_vcs >> f->target[q] % f->vcs & 1));
	*free_vcs = (uint16_t)(*free_vcs & ~(1u << f->target[q] % f->vcs));
	f->vcs_given++;
	f->s->vc_wait_cycles += cycle - f->requests_from[q];
	unrequest(f, router, ivc, f->leaves[q]);
	set_bit(f->sending + row, ivc);
}

static unsigned give_vcs(struct fabric *f, unsigned router, uint64_t cycle)
{
	const struct allocation *a = &f->vc_round;
	unsigned n = 0;

	for (unsigned w = 0; w < a->in_words; w++) {
		for (uint64_t bits = a->requesting[w]; bits; bits &= bits - 1) {
			unsigned ivc = w * 64 + low_bit(bits);

			if (a->of_input[ivc] < 0)
				continue;
			grant_vc(f, router, ivc, cycle);
			n++;
		}
	}
	return n;
}

/* ---- the switch */
/* True when the flit at the input VC's front has a credit. Cycles without one are counted when it
 * has one again, so that the count does not depend on the number of steps. */
static bool has_credit(struct fabric *f, uint32_t q, uint64_t cycle)
{
	if (!f->credits[f->target[q]]) {
		if (!f->starved[q])
			f->starved[q] = cycle + 1;
		return false;
	}
	if (f->starved[q])
		f->s->credit_wait_cycles += cycle + 1 - f->starved[q];
	f->starved[q] = 0;
	return true;
}

/* Of the input VCs of one port that need the same output, the next in round robin requests it. */
static void request_switch(struct fabric *f, unsigned router, unsigned ivc)
{
	uint32_t q = f->ivc_q[router * f->ivcs + ivc];
	unsigned port = f->ivc_port[ivc], output = f->leaves[q], vc = f->ivc_vc[ivc];
	unsigned turn = f->next_vc[router * f->switch_ins + port];
	uint8_t *chosen = &f->chosen_vc[port * f->shape.outs + output];
	struct allocation *a = &f->switch_round;
	bool others = a->by_input[(size_t)port * a->out_words + output / 64] >> output % 64 & 1;

	if (!others ||
		allocation_distance(turn, vc, f->vcs) < allocation_distance(turn, *chosen, f->vcs))
		*chosen = (uint8_t)vc;
	if (!others)
		allocation_request(a, port, output);
}

/* Returns the number of requesting flits. */
static unsigned match_switch(struct fabric *f, unsigned router, uint64_t cycle)
{
	unsigned n = 0;

	for (unsigned w = 0; w < f->ivc_words; w++) {
		uint64_t bits = f->sending[(size_t)router * f->ivc_words + w];

		for (; bits; bits &= bits - 1) {
			unsigned ivc = w * 64 + low_bit(bits);

			if (!has_credit(f, f->ivc_q[router * f->ivcs + ivc], cycle))
				continue;
			request_switch(f, router, ivc);
			n++;
		}
	}
	if (!n)
		return 0;
	f->switch_round.at = &f->switch_state[router];
	f->switch_round.user = router;
	f->switch_allocator->match(&f->switch_round);
	return n;
}

/* The flit behind the one that left becomes the front. */
static void follow(struct fabric *f, unsigned router, uint32_t q, uint64_t next)
{
	unsigned ivc = f->ivc_of[q] % f->ivcs;

	clear_bit(f->sending + (size_t)router * f->ivc_words, ivc);
	set_busy(f, router, -1);
	if (f->held[q])
		fabric_front(f, q, next);
}

/* The flit crosses the switch and waits for the wire behind earlier ones. */
static void cross(struct fabric *f, unsigned router, uint32_t q, unsigned pass, uint64_t cycle)
{
	uint32_t flit = fabric_take(f, q, cycle), there = f->target[q];
	uint64_t *free_at = &f->free_at[there / f->vcs];
	uint64_t next = cycle + (pass + 1 == f->p->passes); /* the next pass's cycle */
	uint64_t leaves = max_u64(next + f->p->cross_cycles - 1, *free_at);

	if (flit & 1)
		f->s->wait_cycles +=
			cycle - (f->requests_from[q] - f->p->route_cycles) - f->least_wait;
	f->s->flit_hops++;
	*free_at = leaves + 1;
	fabric_send(f, there, flit, leaves + f->p->wire_cycles);
	if (flit & 2) {
		f->vcs_returned++;
		f->free_vcs[there / f->vcs] |= (uint16_t)(1u << there % f->vcs);
	}
	f->buffered--;
	follow(f, router, q, next);
}

static unsigned give_switch(struct fabric *f, unsigned router, unsigned pass, uint64_t cycle)
{
	const struct allocation *a = &f->switch_round;
	unsigned n = 0;

	for (unsigned w = 0; w < a->in_words; w++) {
		for (uint64_t bits = a->requesting[w]; bits; bits &= bits - 1) {
			unsigned port = w * 64 + low_bit(bits), vc, next;
			int32_t output = a->of_input[port];

			if (output < 0)
				continue;
			vc = f->chosen_vc[port * f->shape.outs + (unsigned)output];
			next = vc + (unsigned)f->p->input_speedup;
			f->next_vc[router * f->switch_ins + port] = (uint8_t)(next % f->vcs);
			cross(f, router,
				f->ivc_q[router * f->ivcs + port / f->p->input_speedup * f->vcs +
					 vc],
				pass, cycle);
			n++;
		}
	}
	return n;
}

bool fabric_pass(struct fabric *f, unsigned router, unsigned pass, uint64_t cycle)
{
	unsigned packets = match_vcs(f, router, cycle), flits = match_switch(f, router, cycle);
	unsigned given = 0, crossed = 0;

	if (packets) {
		given = give_vcs(f, router, cycle);
		f->s->vc_losses += packets - given;
		allocation_clear(&f->vc_round);
		BUG_ON(!given);
	}
	if (flits) {
		crossed = give_switch(f, router, pass, cycle);
		f->s->switch_losses += flits - crossed;
		allocation_clear(&f->switch_round);
		BUG_ON(!crossed);
	}
	return given || crossed;
}
