/* A chip's trace: which signals are chosen, the files, and their end. */
#include "chip/trace/inside.h"

#include <fnmatch.h>
#include <string.h>

/* Signals that are shown by default. */
static const char *const usual[] = {"sm.*.warps_*", "sm.*.ctas_resident", "sm.*.instructions",
	"sm.*.memory_instructions", "sm.*.lsu_queue", "sm.*.l1_mshrs", "sm.*.reply", /* */
	"noc.*.in_*", "noc.*.flits",                                                 /* */
	"l2.*.request", "l2.*.pipe", "l2.*.lines_missing", "l2.*.to_dram", "l2.*.replies",
	"l2.*.t_sectors_op_read", "l2.*.t_sectors_op_read_lookup_hit", /* */
	"dram.*.queue", "dram.*.reads_queued", "dram.*.writes_queued", "dram.*.bus_busy",
	"dram.*.bytes_read", "dram.*.bytes_write", "dram.*.row_conflicts", /* */
	"dispatcher.ctas_resident"};

static bool is_usual(const struct signal *s)
{
	for (unsigned i = 0; i < ARRAY_LEN(usual); i++)
		if (!fnmatch(usual[i], s->name, 0))
			return true;
	return false;
}

/* What one pattern selects. */
struct choice {
	const char *pattern; /* NULL: all parts */
	bool any;            /* it has matched */
};

static bool part_chosen(const struct choice *c, const struct component *part)
{
	return !c->pattern || !fnmatch(c->pattern, part->name, 0);
}

static bool signal_chosen(const struct choice *c, const struct signal *s)
{
	if (part_chosen(c, s->of))
		return is_usual(s);
	return !fnmatch(c->pattern, s->name, 0);
}

/* Enters the selected signals into a file. */
typedef void choose_fn(struct trace *, struct choice *);

static void choose_trace(struct trace *t, struct choice *c)
{
	for (unsigned i = 0; i < probes_count(t->probes); i++) {
		const struct signal *s = probes_signal(t->probes, i);

		if (part_chosen(c, s->of)) {
			probes_select_events(t->probes, t->sink, s->of);
			t->part_wanted[s->of->id] = true;
			c->any = true;
		}
		if (!signal_chosen(c, s))
			continue;
		if (s->def.kind == SIGNAL_STATE)
			probes_select(t->probes, t->sink, i);
		else
			probes_select_means(t->probes, t->sink, i);
		t->wanted[i] = true;
		t->part_wanted[s->of->id] = true;
		c->any = true;
	}
}

static void choose_vcd(struct trace *t, struct choice *c)
{
	for (unsigned i = 0; i < probes_count(t->probes); i++) {
		if (!signal_chosen(c, probes_signal(t->probes, i)))
			continue;
		vcd_select(&t->vcd, t->probes, i);
		c->any = true;
	}
}

static int choose(
	struct trace *t, const struct trace_filter *filter, choose_fn *fn, struct err *err)
{
	struct choice c = {0};
	char *words, *word, *rest;

	if (!filter->patterns) {
		fn(t, &c);
		return 0;
	}
	words = arena_strdup(&t->chip->arena, filter->patterns);
	for (rest = words; (word = strsep(&rest, ","));) {
		c = (struct choice){.pattern = word};
		fn(t, &c);
		if (!c.any)
			return err_add(err, ERR_USAGE,
				"%s '%s': no part and no signal of this chip has that name; see "
				"warpbeam topology --signals",
				filter->origin, word);
	}
	return 0;
}

/* ---- events of the Perfetto trace */
static void take_state(void *ctx, unsigned signal, tick_t at, uint64_t value)
{
	struct trace *t = ctx;

	slices_state(t, signal, at, (uint32_t)value);
}

static int open_trace(struct trace *t, struct err *err)
{
	struct probe_sink sink = {
		.ctx = t, .value = take_state, .mean = counters_mean, .event = slices_event};
	struct arena *arena = &t->chip->arena;
	unsigned n = probes_count(t->probes), parts = probes_parts(t->probes);

	t->file.out.files = t->request.files;
	t->file.keeps = t->request.checkpoints;
	t->wanted = arena_alloc(arena, n, sizeof(*t->wanted));
	t->part_wanted = arena_alloc(arena, parts, sizeof(*t->part_wanted));
	t->part_track = arena_alloc(arena, parts, sizeof(*t->part_track));
	t->sm_of = arena_alloc(arena, parts, sizeof(*t->sm_of));
	t->sink = probes_sink(t->probes, &sink);
	if (choose(t, &t->request.trace_filter, choose_trace, err) ||
		perfetto_open(&t->file, t->request.trace, t->request.limit_bytes, err))
		return -1;
	slices_init(t);
	counters_init(t);
	return 0;
}

static int open_vcd(struct trace *t, struct err *err)
{
	struct arena *arena = &t->chip->arena;

	t->vcd.out.files = t->request.files;
	if (vcd_open(&t->vcd, t->request.vcd, t->request.limit_bytes, t->probes, arena, err) ||
		choose(t, &t->request.vcd_filter, choose_vcd, err))
		return -1;
	vcd_begin(&t->vcd, t->probes, t->from, t->chip->sm_ps);
	return 0;
}

static int open_all(struct trace *t, struct err *err)
{
	if (t->request.trace && open_trace(t, err))
		return -1;
	if (t->request.vcd && open_vcd(t, err))
		return -1;
	probes_start(t->probes, t->from, t->to, t->request.every * t->chip->sm_ps);
	return 0;
}

int chip_trace(struct gpu *g, const struct trace_request *request, struct err *err)
{
	struct chip *c = g->chip;
	jmp_buf escape;
	int bad = -1;

	BUG_ON(c->trace);
	c->arena.escape = &escape;
	if (setjmp(escape)) {
		err_add(err, ERR_RESOURCE, "no host memory for a trace");
	} else {
		c->trace = arena_alloc(&c->arena, 1, sizeof(*c->trace));
		c->trace->chip = c;
		c->trace->request = *request;
		c->trace->from = request->from * c->sm_ps;
		c->trace->to = request->to * c->sm_ps;
		c->trace->probes = probes_new(c->sim, &c->arena);
		bad = open_all(c->trace, err);
	}
	c->arena.escape = NULL;
	return bad;
}

/* ---- the end */
static int end_trace(struct trace *t, tick_t end, struct trace_outcome *out, struct err *err)
{
	if (!t->file.out.f)
		return 0;
	counters_end(t);
	trace_power(t);
	slices_end(t, end);
	out->path = t->request.trace;
	out->bytes = t->file.out.bytes;
	out->dropped = t->file.dropped;
	out->full_cycle = t->file.full_at / t->chip->sm_ps;
	return file_commit(&t->file.out, err);
}

static int end_vcd(struct trace *t, tick_t end, struct trace_outcome *out, struct err *err)
{
	if (!t->vcd.out.f)
		return 0;
	vcd_end(&t->vcd, end);
	out->path = t->request.vcd;
	out->bytes = t->vcd.out.bytes;
	out->dropped = t->vcd.dropped;
	out->full_cycle = t->vcd.full_at / t->chip->sm_ps;
	return file_commit(&t->vcd.out, err);
}

int chip_trace_end(struct gpu *g, struct trace_outcomes *out, struct err *err)
{
	struct trace *t = g->chip->trace;
	tick_t end;
	int bad;

	*out = (struct trace_outcomes){0};
	if (!t)
		return 0;
	end = probes_finish(t->probes);
	out->trace.early = out->vcd.early = end == t->from;
	bad = end_trace(t, end, &out->trace, err);
	return end_vcd(t, end, &out->vcd, err) | bad;
}

void trace_free(struct trace *t)
{
	if (!t)
		return;
	file_abandon(&t->file.out);
	perfetto_free(&t->file);
	file_abandon(&t->vcd.out);
}

/* ---- the list of signals */
static const char *const kinds[] = {
	[SIGNAL_LEVEL] = "level", [SIGNAL_SUM] = "sum", [SIGNAL_STATE] = "state"};

int chip_list_signals(struct gpu *g, struct text *out, struct err *err)
{
	struct chip *c = g->chip;
	const struct probes *p;
	jmp_buf escape;

	c->arena.escape = &escape;
	if (setjmp(escape)) {
		c->arena.escape = NULL;
		return err_add(err, ERR_RESOURCE, "no host memory for the list of signals");
	}
	p = probes_new(c->sim, &c->arena);
	c->arena.escape = NULL;
	text_add(out, "signals (*: shown by default): name, kind, unit, meaning\n");
	for (unsigned i = 0; i < probes_count(p); i++) {
		const struct signal *s = probes_signal(p, i);

		text_add(out, "%c\t%-40s\t%-6s\t%-18s\t%s\n", is_usual(s) ? '*' : ' ', s->name,
			kinds[s->def.kind], s->def.unit, s->def.text);
	}
	return 0;
}
