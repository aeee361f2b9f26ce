/* One pass of a router: packets are given virtual channels, flits the switch. Both choose from what
 * stood at the pass's beginning; what they grant holds from the next pass on. */
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
	f->busy_lanes[router] += (uint32_t)change;
	if (f->busy_lanes[router])
		set_bit(f->busy_routers, router);
	else
		clear_bit(f->busy_routers, router);
}

static void ask(struct fabric *f, unsigned router, unsigned lane, unsigned output)
{
	size_t at = (size_t)router * f->shape.outs + output;

	set_bit(f->asking + at * f->lane_words, lane);
	set_bit(f->wanted + (size_t)router * f->out_words, output);
	f->nasking[at]++;
}

static void ask_no_more(struct fabric *f, unsigned router, unsigned lane, unsigned output)
{
	size_t at = (size_t)router * f->shape.outs + output;

	clear_bit(f->asking + at * f->lane_words, lane);
	if (!--f->nasking[at])
		clear_bit(f->wanted + (size_t)router * f->out_words, output);
}

void fabric_front(struct fabric *f, uint32_t q, uint64_t cycle)
{
	unsigned router = f->lane_of[q] / f->lanes, lane = f->lane_of[q] % f->lanes;
	size_t row = (size_t)router * f->lane_words;
	uint32_t flit = fabric_front_flit(f, q);

	set_busy(f, router, 1);
	if (!(flit & 1)) {
		set_bit(f->sending + row, lane);
		return;
	}
	f->asks[q] = cycle + f->p->route_cycles;
	f->routed = max_u64(f->routed, f->asks[q]);
	f->leaves[q] = f->shape.route[(size_t)router * f->outputs + fabric_destination(f, flit)];
	ask(f, router, lane, f->leaves[q]);
}

/* ---- virtual channels */
/* Those that want a VC of the output ask for all that are free. How many did. */
static unsigned ask_for_vcs(struct fabric *f, unsigned router, unsigned output, uint64_t cycle)
{
	const uint64_t *row = f->asking + ((size_t)router * f->shape.outs + output) * f->lane_words;
	uint32_t vcs = f->free_vcs[fabric_channel(f, router, output)];
	unsigned n = 0;

	for (unsigned w = 0; w < f->lane_words && vcs; w++) {
		for (uint64_t bits = row[w]; bits; bits &= bits - 1) {
			unsigned lane = w * 64 + low_bit(bits);

			if (f->p->route_cycles &&
				f->asks[f->lane_q[router * f->lanes + lane]] > cycle)
				continue;
			for (uint32_t v = vcs; v; v &= v - 1)
				allocation_ask(&f->vc_round, lane, output * f->vcs + low_bit(v));
			n++;
		}
	}
	return n;
}

/* How many packets asked. */
static unsigned match_vcs(struct fabric *f, unsigned router, uint64_t cycle)
{
	struct allocation *a = &f->vc_round;
	unsigned n = 0;

	for (unsigned w = 0; w < f->out_words; w++) {
		uint64_t bits = f->wanted[(size_t)router * f->out_words + w];

		for (; bits; bits &= bits - 1)
			n += ask_for_vcs(f, router, w * 64 + low_bit(bits), cycle);
	}
	if (!n)
		return 0;
	a->at = &f->vc_state[router];
	a->user = router;
	f->vc_allocator->match(a);
	return n;
}

static void give_vc(struct fabric *f, unsigned router, unsigned lane, uint64_t cycle)
{
	uint32_t q = f->lane_q[router * f->lanes + lane];
	size_t row = (size_t)router * f->lane_words;
	unsigned output = (unsigned)f->vc_round.of_input[lane];
	uint16_t *free_vcs;

	f->target[q] = fabric_channel(f, router, 0) * f->vcs + output;
	free_vcs = &f->free_vcs[f->target[q] / f->vcs];
	BUG_ON(!(*free_vcs >> f->target[q] % f->vcs & 1));
	*free_vcs = (uint16_t)(*free_vcs & ~(1u << f->target[q] % f->vcs));
	f->vcs_given++;
	f->s->vc_wait_cycles += cycle - f->asks[q];
	ask_no_more(f, router, lane, f->leaves[q]);
	set_bit(f->sending + row, lane);
}

static unsigned give_vcs(struct fabric *f, unsigned router, uint64_t cycle)
{
	const struct allocation *a = &f->vc_round;
	unsigned n = 0;

	for (unsigned w = 0; w < a->in_words; w++) {
		for (uint64_t bits = a->asking[w]; bits; bits &= bits - 1) {
			unsigned lane = w * 64 + low_bit(bits);

			if (a->of_input[lane] < 0)
				continue;
			give_vc(f, router, lane, cycle);
			n++;
		}
	}
	return n;
}

/* ---- the switch */
/* True when the flit at the lane's front has a credit. Cycles without are counted when it has one
 * again: a number of steps must not be seen. */
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

/* Of the lanes of one port that want the same output the one whose turn comes first asks. */
static void ask_for_switch(struct fabric *f, unsigned router, unsigned lane)
{
	uint32_t q = f->lane_q[router * f->lanes + lane];
	unsigned port = f->lane_port[lane], output = f->leaves[q], vc = f->lane_vc[lane];
	unsigned turn = f->next_vc[router * f->switch_ins + port];
	uint8_t *chosen = &f->chosen_vc[port * f->shape.outs + output];
	struct allocation *a = &f->switch_round;
	bool others = a->by_input[(size_t)port * a->out_words + output / 64] >> output % 64 & 1;

	if (!others ||
		allocation_distance(turn, vc, f->vcs) < allocation_distance(turn, *chosen, f->vcs))
		*chosen = (uint8_t)vc;
	if (!others)
		allocation_ask(a, port, output);
}

/* How many flits asked. */
static unsigned match_switch(struct fabric *f, unsigned router, uint64_t cycle)
{
	unsigned n = 0;

	for (unsigned w = 0; w < f->lane_words; w++) {
		uint64_t bits = f->sending[(size_t)router * f->lane_words + w];

		for (; bits; bits &= bits - 1) {
			unsigned lane = w * 64 + low_bit(bits);

			if (!has_credit(f, f->lane_q[router * f->lanes + lane], cycle))
				continue;
			ask_for_switch(f, router, lane);
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

/* What stands behind the flit that left becomes the front. */
static void follow(struct fabric *f, unsigned router, uint32_t q, uint64_t next)
{
	unsigned lane = f->lane_of[q] % f->lanes;

	clear_bit(f->sending + (size_t)router * f->lane_words, lane);
	set_busy(f, router, -1);
	if (f->held[q])
		fabric_front(f, q, next);
}

/* The flit crosses the switch and waits behind those before it for the wire. */
static void cross(struct fabric *f, unsigned router, uint32_t q, unsigned pass, uint64_t cycle)
{
	uint32_t flit = fabric_take(f, q, cycle), there = f->target[q];
	uint64_t *free_at = &f->free_at[there / f->vcs];
	uint64_t next = cycle + (pass + 1 == f->p->passes); /* the next pass's cycle */
	uint64_t leaves = max_u64(next + f->p->cross_cycles - 1, *free_at);

	if (flit & 1)
		f->s->wait_cycles += cycle - (f->asks[q] - f->p->route_cycles) - f->least_wait;
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
		for (uint64_t bits = a->asking[w]; bits; bits &= bits - 1) {
			unsigned port = w * 64 + low_bit(bits), vc, next;
			int32_t output = a->of_input[port];

			if (output < 0)
				continue;
			vc = f->chosen_vc[port * f->shape.outs + (unsigned)output];
			next = vc + (unsigned)f->p->input_speedup;
			f->next_vc[router * f->switch_ins + port] = (uint8_t)(next % f->vcs);
			cross(f, router,
				f->lane_q[router * f->lanes + port / f->p->input_speedup * f->vcs +
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
