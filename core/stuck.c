/* The deadlock report: which component waits for whose credit, fill levels of queues, and the
 * components' own lines. */
#include <inttypes.h>

#include "core/kernel.h"

/* Between runs both sides of a link may be read. */
static uint32_t filling(const struct link *l)
{
	return l->tail - l->head;
}

static void report_output(const struct link *l, struct text *text)
{
	if (!l->starved && !filling(l))
		return;
	text_add(text, "    %s -> %s.%s: messages: %u of %u%s\n", l->out_name, l->to->name,
		l->in_name, filling(l), l->depth, l->starved ? ", waits for a credit" : "");
}

static void report_input(const struct link *l, struct text *text)
{
	if (filling(l))
		text_add(text, "    %s <- %s.%s: messages to receive: %u of %u\n", l->in_name,
			l->from->name, l->out_name, filling(l), l->depth);
}

static bool has_messages(const struct node *node)
{
	for (const struct port *p = node->ports; p; p = p->next) {
		if (p->dir == PORT_IN && p->link && filling(p->link))
			return true;
	}
	return false;
}

void sim_report_stuck(const struct sim *sim, struct text *text)
{
	text_add(text, "at cycle %" PRIu64 ":\n", sim->time / sim->cycle_ps);
	for (uint32_t i = 0; i < sim->nnodes; i++) {
		const struct node *node = sim->nodes[i];
		const struct component *c = node->component;
		bool busy = c->ops->busy(c);

		if (!busy && !has_messages(node))
			continue;
		text_add(text, "  %s (%s)%s\n", c->name, c->part->name,
			busy ? " has unfinished work" : "");
		for (const struct port *p = node->ports; p; p = p->next) {
			if (p->link && p->dir == PORT_OUT)
				report_output(p->link, text);
			else if (p->link)
				report_input(p->link, text);
		}
		if (c->ops->stuck)
			c->ops->stuck(c, text);
	}
}
