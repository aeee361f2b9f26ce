/* Slices of a trace: launches by stream, kernels and CTAs by SM, barriers in CTAs, states of
 * signals. What has begun before the trace does begins with it, and what is open at its end ends
 * with it. */
#include "chip/trace/inside.h"

#include "sm/events.h"

#include <stdio.h>
#include <string.h>

/* The number of a slice's name; earlier names are found again as far as the table holds them. */
uint32_t slices_name(struct trace *t, const char *name)
{
	uint64_t hash = gpu_hash(name, strlen(name));
	uint32_t at = (uint32_t)(hash % TRACE_NAMES);

	for (uint32_t i = 0; i < TRACE_NAMES; i++, at = (at + 1) % TRACE_NAMES) {
		struct slice_name *known = &t->names[at];

		if (known->number && known->hash == hash)
			return known->number;
		if (known->number)
			continue;
		if (t->file.again)
			return 0;
		*known = (struct slice_name){hash, perfetto_name(&t->file, name)};
		return known->number;
	}
	return t->file.again ? 0 : perfetto_name(&t->file, name);
}

static void make_track(struct trace *t, struct track *track, uint32_t parent, const char *name)
{
	if (!track->id)
		track->id = perfetto_track(
			&t->file, &(struct track_config){
					  .kind = TRACK_SLICES, .parent = parent, .name = name});
}

static const char *kernel_of(const struct trace *t, uint32_t launch)
{
	return t->chip->accounts.of[launch]->name;
}

/* ---- launches */
static void begin_launch(struct trace *t, struct stream_track *s, tick_t at)
{
	const struct launch_state *l = t->chip->accounts.of[s->launch];
	struct annotation notes[] = {{"launch", l->grid.gridid}, {"ctas", l->ctas},
		{"threads_per_cta",
			(uint64_t)l->grid.block[0] * l->grid.block[1] * l->grid.block[2]},
		{"registers", l->grid.program->regs}};
	char name[64];

	snprintf(name, sizeof(name), "stream %u", s->stream);
	make_track(t, &s->track, t->process, name);
	perfetto_begin(&t->file, &s->track, at, slices_name(t, l->name), notes, ARRAY_LEN(notes));
}

static struct stream_track *find_stream(struct trace *t, uint32_t launch)
{
	unsigned stream = t->chip->accounts.of[launch]->stream;

	for (unsigned i = 0; i < t->nstreams; i++)
		if (t->streams[i].stream == stream)
			return &t->streams[i];
	if (t->nstreams == TRACE_STREAMS)
		return NULL;
	t->streams[t->nstreams].stream = stream;
	return &t->streams[t->nstreams++];
}

static void take_launch(struct trace *t, tick_t at, const struct probe_event *e)
{
	struct stream_track *s = find_stream(t, e->a);

	if (!s) {
		t->file.dropped++;
		return;
	}
	s->busy = e->code == LAUNCH_BEGINS;
	s->launch = e->a;
	if (!t->begun)
		return;
	if (s->busy)
		begin_launch(t, s, at);
	else
		perfetto_end(&t->file, &s->track, at);
}

/* ---- CTAs */
static void begin_cta(struct trace *t, unsigned sm, unsigned slot, tick_t at)
{
	struct cta_track *c = &t->sms[sm].slot[slot];
	struct annotation notes[] = {
		{"cta", c->cta}, {"launch", t->chip->accounts.number[c->launch]}};
	char name[32];

	snprintf(name, sizeof(name), "CTA slot %u", slot);
	make_track(t, &c->track, t->sms[sm].track.id, name);
	perfetto_begin(&t->file, &c->track, at, slices_name(t, kernel_of(t, c->launch)), notes,
		ARRAY_LEN(notes));
}

static void begin_barrier(struct trace *t, struct cta_track *c, tick_t at)
{
	perfetto_begin(&t->file, &c->track, at, slices_name(t, "barrier"), NULL, 0);
}

/* The names of the kernels that an SM holds CTAs of, each once, by slot. */
static void held_names(const struct trace *t, const struct sm_tracks *s, char *out, size_t n)
{
	size_t at = 0;

	*out = '\0';
	for (unsigned i = 0; i < TRACE_SLOTS; i++) {
		const char *name;
		bool again = false;

		if (!s->slot[i].used)
			continue;
		name = kernel_of(t, s->slot[i].launch);
		for (unsigned k = 0; k < i && !again; k++)
			again = s->slot[k].used && kernel_of(t, s->slot[k].launch) == name;
		if (again || at + 1 >= n)
			continue;
		at += (size_t)snprintf(out + at, n - at, "%s%s", at ? " + " : "", name);
	}
}

/* The SM's own slice names the kernels that it holds; it changes with them. */
static void hold(struct trace *t, struct sm_tracks *s, tick_t at)
{
	char names[224];
	uint64_t hash;

	held_names(t, s, names, sizeof(names));
	hash = *names ? gpu_hash(names, strlen(names)) : 0;
	if (hash == s->held)
		return;
	if (s->held)
		perfetto_end(&t->file, &s->track, at);
	if (hash)
		perfetto_begin(&t->file, &s->track, at, slices_name(t, names), NULL, 0);
	s->held = hash;
}

static void take_cta(struct trace *t, unsigned sm, tick_t at, const struct probe_event *e)
{
	unsigned slot = SM_EVENT_SLOT(e->a);
	struct cta_track *c = &t->sms[sm].slot[slot];

	switch ((enum sm_event)e->code) {
	case SM_CTA_BEGINS:
		c->used = true;
		c->launch = SM_EVENT_LAUNCH(e->a);
		c->cta = e->b;
		if (!t->begun)
			return;
		hold(t, &t->sms[sm], at);
		begin_cta(t, sm, slot, at);
		return;
	case SM_CTA_ENDS:
		c->used = false;
		if (!t->begun)
			return;
		perfetto_end(&t->file, &c->track, at);
		hold(t, &t->sms[sm], at);
		return;
	case SM_BARRIER_BEGINS:
		c->waits = true;
		if (t->begun)
			begin_barrier(t, c, at);
		return;
	case SM_BARRIER_ENDS:
		c->waits = false;
		if (t->begun)
			perfetto_end(&t->file, &c->track, at);
		return;
	}
}

/* ---- states */
static void flush_states(struct trace *t)
{
	for (uint32_t i = 0; i < t->nmoving_states; i++) {
		struct signal_state *s = &t->states[t->moving_states[i]];

		s->moving = false;
		if (s->known && s->value == s->next)
			continue;
		if (s->known)
			perfetto_end(&t->file, &s->track, t->now);
		perfetto_begin(&t->file, &s->track, t->now, s->names + s->next, NULL, 0);
		s->known = true;
		s->value = s->next;
	}
	t->nmoving_states = 0;
}

/* ---- time */
/* All slices that are open when the trace begins. */
static void begin_all(struct trace *t)
{
	t->begun = true;
	for (unsigned i = 0; i < t->nstreams; i++)
		if (t->streams[i].busy)
			begin_launch(t, &t->streams[i], t->from);
	for (unsigned sm = 0; sm < t->chip->p.sms; sm++) {
		struct sm_tracks *s = &t->sms[sm];

		for (unsigned i = 0; i < TRACE_SLOTS; i++) {
			if (!s->slot[i].used)
				continue;
			hold(t, s, t->from);
			begin_cta(t, sm, i, t->from);
			if (s->slot[i].waits)
				begin_barrier(t, &s->slot[i], t->from);
		}
	}
}

static void advance(struct trace *t, tick_t at)
{
	if (!t->begun && at >= t->from)
		begin_all(t);
	if (at != t->now)
		flush_states(t);
	t->now = at;
}

void slices_state(struct trace *t, unsigned signal, tick_t at, uint32_t value)
{
	struct signal_state *s = &t->states[signal];

	advance(t, at);
	s->next = value;
	if (s->moving)
		return;
	s->moving = true;
	t->moving_states[t->nmoving_states++] = signal;
}

void slices_event(void *ctx, const struct component *c, tick_t at, const struct probe_event *event)
{
	struct trace *t = ctx;
	unsigned sm = 0;

	if (at >= t->to)
		return;
	advance(t, at);
	if (c == &t->chip->dispatcher->base) {
		take_launch(t, at, event);
		return;
	}
	sm = t->sm_of[c->id];
	take_cta(t, sm, at, event);
}

/* ---- a trace that goes on: what the table of names has lost has none */
static void hold_again(struct trace *t, struct sm_tracks *s, tick_t at)
{
	char names[224];

	held_names(t, s, names, sizeof(names));
	if (s->track.written)
		perfetto_begin(&t->file, &s->track, at, slices_name(t, names), NULL, 0);
}

static void begin_sm_again(struct trace *t, unsigned sm, tick_t at)
{
	struct sm_tracks *s = &t->sms[sm];

	hold_again(t, s, at);
	for (unsigned i = 0; i < TRACE_SLOTS; i++) {
		struct cta_track *c = &s->slot[i];

		if (c->used && c->track.written)
			begin_cta(t, sm, i, at);
		if (c->used && c->waits && c->track.written > 1)
			begin_barrier(t, c, at);
	}
}

void slices_again(struct trace *t)
{
	unsigned n = probes_count(t->probes);
	tick_t at = t->now;

	for (unsigned i = 0; i < t->nstreams; i++)
		if (t->streams[i].busy && t->streams[i].track.written)
			begin_launch(t, &t->streams[i], at);
	for (unsigned sm = 0; sm < t->chip->p.sms; sm++)
		begin_sm_again(t, sm, at);
	for (unsigned i = 0; i < n; i++) {
		struct signal_state *s = &t->states[i];

		if (s->known && s->track.written)
			perfetto_begin(&t->file, &s->track, at, s->names + s->value, NULL, 0);
	}
}

static void end_all(struct trace *t, struct track *track, tick_t at)
{
	while (track->depth)
		perfetto_end(&t->file, track, at);
}

void slices_end(struct trace *t, tick_t end)
{
	unsigned n = probes_count(t->probes);

	advance(t, end);
	flush_states(t);
	for (unsigned i = 0; i < n; i++)
		end_all(t, &t->states[i].track, end);
	for (unsigned sm = 0; sm < t->chip->p.sms; sm++) {
		for (unsigned i = 0; i < TRACE_SLOTS; i++)
			end_all(t, &t->sms[sm].slot[i].track, end);
		end_all(t, &t->sms[sm].track, end);
	}
	for (unsigned i = 0; i < t->nstreams; i++)
		end_all(t, &t->streams[i].track, end);
	perfetto_close(&t->file, t->marks, end);
}

/* ---- which slices exist */
static void enter_state(struct trace *t, unsigned signal)
{
	const struct signal *s = probes_signal(t->probes, signal);
	struct signal_state *state = &t->states[signal];

	make_track(t, &state->track, t->part_track[s->of->id], s->local);
	for (unsigned i = 0; i < s->def.nstates; i++) {
		uint32_t number = slices_name(t, s->def.states[i]);

		state->names = i ? state->names : number;
		BUG_ON(number != state->names + i);
	}
}

/* A track for every part with events. */
static void enter_parts(struct trace *t)
{
	const struct component *last = NULL;

	for (unsigned i = 0; i < probes_count(t->probes); i++) {
		const struct component *c = probes_signal(t->probes, i)->of;

		if (c == last || !(t->part_wanted[c->id]))
			continue;
		last = c;
		t->part_track[c->id] =
			perfetto_track(&t->file, &(struct track_config){.kind = TRACK_THREAD,
							 .parent = t->process,
							 .number = 2 + c->id,
							 .name = c->name});
	}
}

void slices_init(struct trace *t)
{
	struct chip *c = t->chip;
	unsigned n = probes_count(t->probes);
	struct track marks = {0};

	t->names = arena_alloc(&c->arena, TRACE_NAMES, sizeof(*t->names));
	t->streams = arena_alloc(&c->arena, TRACE_STREAMS, sizeof(*t->streams));
	t->sms = arena_alloc(&c->arena, c->p.sms, sizeof(*t->sms));
	t->states = arena_alloc(&c->arena, n, sizeof(*t->states));
	t->moving_states = arena_alloc(&c->arena, n, sizeof(*t->moving_states));
	t->process = perfetto_track(
		&t->file, &(struct track_config){
				  .kind = TRACK_PROCESS, .number = 1, .name = t->request.title});
	make_track(t, &marks, t->process, "trace");
	t->marks = marks.id;
	enter_parts(t);
	for (unsigned i = 0; i < c->p.sms; i++) {
		t->sms[i].track.id = t->part_track[c->sm[i]->id];
		t->sm_of[c->sm[i]->id] = i;
	}
	for (unsigned i = 0; i < n; i++)
		if (t->wanted[i] && probes_signal(t->probes, i)->def.kind == SIGNAL_STATE)
			enter_state(t, i);
}
