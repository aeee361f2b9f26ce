/* The test mode that checks the laws of a step. */
#include "core/kernel.h"

/* How many messages the component has sent and popped so far. */
static uint32_t moves(const struct node *node)
{
	uint32_t sum = 0;

	for (const struct port *p = node->ports; p; p = p->next) {
		if (p->link)
			sum += p->dir == PORT_OUT ? p->link->tail : p->link->head;
	}
	return sum;
}

/* True when it will be stepped again without a message or a credit. */
static bool will_wake(const struct node *node)
{
	const struct component *c = node->component;
	const struct clock *k = c->part->clocks[c->clock];

	if (node->far_wake.at != TICK_NEVER)
		return true;
	for (uint32_t i = 0; i < RING_CYCLES; i++) {
		if (k->ring[(size_t)i * k->words + c->slot / 64] >> c->slot % 64 & 1)
			return true;
	}
	return false;
}

static bool sees_message(const struct node *node)
{
	for (const struct port *p = node->ports; p; p = p->next) {
		if (p->dir == PORT_IN && p->link && link_peek(p->link))
			return true;
	}
	return false;
}

enum step hostile_step(struct component *c, uint64_t cycle)
{
	const struct node *node = c->sim->nodes[c->id];
	enum step first = c->ops->step(c, cycle), second;
	uint32_t before = moves(node);

	second = c->ops->step(c, cycle);
	/* Idempotent: a second step in a cycle moves nothing. */
	BUG_ON(moves(node) != before);
	if (first == STEP_AGAIN || second == STEP_AGAIN)
		return STEP_AGAIN;
	/* Derived wake: no component sleeps on a visible message unless something will wake it. */
	BUG_ON(sees_message(node) && !c->blocked && !will_wake(node));
	return STEP_SLEEP;
}
