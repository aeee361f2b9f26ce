/* The cycles at a run's beginning that its metrics leave out, as other simulators' warm-up does:
 * what all parts had counted until then is subtracted. */
#include "chip/tally.h"
#include "core/state.h"

#include <string.h>

/* What was counted before. */
struct warmup {
	uint64_t cycles; /* as asked */
	bool over;
	uint64_t cycle, unused_byte_cycles; /* of the edge */
	uint64_t *counts;                   /* by position, in the order of tally_positions */
	uint64_t channel_bytes[1024];
	unsigned n, room;
};

static void count_position(void *ctx, unsigned row, const uint64_t *at)
{
	(void)row;
	(void)at;
	++*(unsigned *)ctx;
}

int chip_skip_cycles(struct gpu *g, uint64_t cycles, struct err *err)
{
	struct chip *c = g->chip;
	struct tally rows;
	unsigned n = 0;

	if (!c)
		return 0;
	tally_positions(c, &rows, count_position, &n);
	c->warmup = mem_alloc(1, sizeof(*c->warmup));
	if (c->warmup)
		c->warmup->counts = mem_alloc(n, sizeof(*c->warmup->counts));
	if (!c->warmup || !c->warmup->counts)
		return err_add(err, ERR_RESOURCE, "no host memory for --skip-cycles");
	c->warmup->cycles = cycles;
	c->warmup->room = n;
	return 0;
}

void warmup_free(struct chip *c)
{
	if (c->warmup)
		mem_free(c->warmup->counts);
	mem_free(c->warmup);
}

uint64_t warmup_until(const struct chip *c)
{
	return c->warmup && !c->warmup->over ? c->warmup->cycles : 0;
}

static void note_position(void *ctx, unsigned row, const uint64_t *at)
{
	struct warmup *w = ctx;

	(void)row;
	BUG_ON(w->n == w->room);
	w->counts[w->n++] = *at;
}

static uint64_t bytes_of(const struct chip *c, unsigned channel)
{
	const struct channel_ops *ops = c->dram->ops;
	struct channel_counts n;

	ops->counts(c->channel[channel], &n);
	return n.read_bytes + n.write_bytes;
}

void warmup_end(struct chip *c)
{
	struct warmup *w = c->warmup;
	struct tally rows;

	w->over = true;
	w->cycle = chip_cycle(c);
	for (unsigned i = 0; i < c->p.sms; i++)
		sm_close(c->sm[i], w->cycle);
	power_warm(c, w->cycle);
	tally_positions(c, &rows, note_position, w);
	w->unused_byte_cycles = dispatcher_unused(c->dispatcher, w->cycle);
	for (unsigned i = 0; i < c->channels; i++)
		w->channel_bytes[i] = bytes_of(c, i);
}

void warmup_state(struct state *s, struct chip *c)
{
	struct warmup *w = c->warmup;

	state_part(s, "the warm-up");
	state_same(s, w ? w->cycles : 0, "cycles to skip");
	if (!w || s->failed)
		return;
	STATE(s, w->over);
	STATE(s, w->cycle);
	STATE(s, w->unused_byte_cycles);
	state_same(s, w->room, "counters");
	if (s->failed)
		return;
	state_bytes(s, w->counts, w->room * sizeof(*w->counts));
	state_bytes(s, w->channel_bytes, c->channels * sizeof(*w->channel_bytes));
	w->n = w->over ? w->room : 0;
}

uint64_t warmup_channel_bytes(const struct chip *c, unsigned channel)
{
	return bytes_of(c, channel) -
	       (c->warmup && c->warmup->over ? c->warmup->channel_bytes[channel] : 0);
}

uint64_t warmup_count(const struct chip *c, unsigned position)
{
	return c->warmup && c->warmup->over ? c->warmup->counts[position] : 0;
}

bool chip_skipped(const struct gpu *g, uint64_t *cycles)
{
	const struct warmup *w = g->chip ? g->chip->warmup : NULL;

	*cycles = w && w->over ? w->cycle : 0;
	return !w || w->over;
}

/* ---- what is left */
struct subtracting {
	const struct chip *chip;
	struct tally *left;
	unsigned position;
};

static void subtract(void *ctx, unsigned row, const uint64_t *at)
{
	struct subtracting *s = ctx;
	struct tally_row *r = &s->left->row[row];
	uint64_t n = *at - warmup_count(s->chip, s->position++);

	r->sum += n;
	r->max = max_u64(r->max, n);
}

void warmup_subtract(const struct chip *c, struct tally *t)
{
	struct tally whole;
	struct subtracting s = {.chip = c, .left = t};

	if (!c->warmup || !c->warmup->over)
		return;
	for (unsigned i = 0; i < t->n; i++)
		if (t->row[i].def->kind != STAT_MAX)
			t->row[i].sum = t->row[i].max = 0;
	tally_positions(c, &whole, subtract, &s);
	for (unsigned i = 0; i < t->n; i++)
		if (t->row[i].def->kind == STAT_MAX)
			t->row[i] = whole.row[i];
	t->cycles -= min_u64(c->warmup->cycle, t->cycles);
	t->drained_cycles -= min_u64(c->warmup->cycle, t->drained_cycles);
	t->energy_cycles = t->cycles;
	t->unused_byte_cycles -= min_u64(c->warmup->unused_byte_cycles, t->unused_byte_cycles);
}
