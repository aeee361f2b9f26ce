/* The state of a chip's trace, for checkpoints. A trace that goes on begins with its tracks, and
 * with what is open then; what follows are the bytes of the one that was saved. */
#include "chip/trace/inside.h"
#include "core/state.h"

/* A list of indices below `room`, at most as many. */
static void list_state(struct state *s, uint32_t *list, uint32_t *n, uint32_t room)
{
	STATE(s, *n);
	if (!state_most(s, *n, room)) {
		*n = 0;
		return;
	}
	state_bytes(s, list, *n * sizeof(*list));
	state_scratch(s, list + *n, (room - *n) * sizeof(*list));
	for (uint32_t i = 0; i < *n && s->loads; i++)
		if (!state_most(s, list[i], room - UINT64_C(1)))
			*n = 0;
}

static const struct state_field counter_kept[] = {
	STATE_KEPT(counter, track),
	STATE_KEPT(counter, group),
	STATE_KEPT(counter, scale),
};

static void counters_state(struct state *s, struct trace *t)
{
	state_same(s, t->ncounters, "counters");
	for (uint32_t i = 0; i < t->ncounters && !s->failed; i++)
		STATE_STRUCT(s, &t->counters[i], counter_kept);
	list_state(s, t->moving, &t->nmoving, t->ncounters);
	STATE(s, t->start);
	STATE(s, t->length);
	if (s->loads && !t->length)
		state_fail(s, "the checkpoint's trace has no intervals");
}

static const struct state_field signal_kept[] = {STATE_KEPT(signal_state, names)};

static void signals_state(struct state *s, struct trace *t)
{
	unsigned n = probes_count(t->probes);

	for (unsigned i = 0; i < n; i++)
		STATE_STRUCT(s, &t->states[i], signal_kept);
	list_state(s, t->moving_states, &t->nmoving_states, n);
}

/* A launch whose name a slice will have. */
static void check_launch(struct state *s, const struct trace *t, uint32_t account)
{
	const struct accounts *a = &t->chip->accounts;

	if (state_most(s, account, max_u64(a->capacity, 1) - 1) && !a->of[account])
		state_fail(s, "the checkpoint's trace has a launch that is over");
}

static void check_slices(struct state *s, const struct trace *t)
{
	for (unsigned i = 0; i < t->nstreams && !s->failed; i++)
		if (t->streams[i].busy)
			check_launch(s, t, t->streams[i].launch);
	for (unsigned sm = 0; sm < t->chip->p.sms && !s->failed; sm++)
		for (unsigned i = 0; i < TRACE_SLOTS; i++)
			if (t->sms[sm].slot[i].used)
				check_launch(s, t, t->sms[sm].slot[i].launch);
}

static void slices_state_of(struct state *s, struct trace *t)
{
	signals_state(s, t);
	STATE(s, t->now);
	state_bytes(s, t->sms, t->chip->p.sms * sizeof(*t->sms));
	state_bytes(s, t->streams, TRACE_STREAMS * sizeof(*t->streams));
	STATE(s, t->nstreams);
	state_sparse(s, t->names, TRACE_NAMES * sizeof(*t->names));
	STATE(s, t->begun);
	if (!state_most(s, t->nstreams, TRACE_STREAMS))
		t->nstreams = 0;
	else if (s->loads)
		check_slices(s, t);
}

static void file_state(struct state *s, struct trace *t)
{
	counters_state(s, t);
	slices_state_of(s, t);
	if (!s->failed)
		perfetto_state(s, &t->file);
	if (!s->loads || s->failed)
		return;
	slices_again(t);
	counters_again(t);
	perfetto_went_on(&t->file);
}

void trace_state(struct state *s, struct chip *c)
{
	struct trace *t = c->trace;

	state_part(s, "the trace");
	state_same(s, t != NULL, "traces");
	if (!t || s->failed)
		return;
	state_same(s, t->file.out.f != NULL, "files of events");
	state_same(s, t->vcd.out.f != NULL, "files of waves");
	probes_state(s, t->probes);
	if (t->file.out.f && !s->failed)
		file_state(s, t);
	if (t->vcd.out.f && !s->failed)
		vcd_state(s, &t->vcd, probes_count(t->probes));
}

static void add_filter(struct text *out, const struct trace_filter *f)
{
	text_raw(out, " of %s", f->patterns ? f->patterns : "the usual signals");
}

void chip_trace_words(const struct gpu *g, struct text *out)
{
	const struct trace *t = g->chip->trace;
	const struct trace_request *r = t ? &t->request : NULL;

	text_raw(out, "trace");
	if (!r || !r->trace)
		text_raw(out, " none");
	else
		add_filter(out, &r->trace_filter);
	text_raw(out, "\nvcd");
	if (!r || !r->vcd)
		text_raw(out, " none");
	else
		add_filter(out, &r->vcd_filter);
	text_raw(out, "\n");
	if (r)
		text_raw(out, "trace-window %llu:%llu\ntrace-every %llu\ntrace-limit %llu bytes\n",
			(unsigned long long)r->from, (unsigned long long)r->to,
			(unsigned long long)r->every, (unsigned long long)r->limit_bytes);
}
