/* Calls of the SM's profile: none when the run is not profiled. Private to sm/. */
#ifndef SM_PROFILE_TOLD_H
#define SM_PROFILE_TOLD_H

static inline void profile_entered(struct sm *s, const struct lsu_entry *e, unsigned lane_bytes)
{
	if (s->profile)
		profile_note_entered(s, e, lane_bytes);
}

/* Once for each line: the stage was blocked by it, or had none. */
static inline void profile_at(struct sm *s, struct lsu_entry *e)
{
	struct account_range *last;

	if (__builtin_expect(!s->profile, 1) ||
		(s->l1.tag.reason != TAG_BUSY && s->l1.tag.reason != TAG_IDLE))
		return;
	last = &s->profile->tables->last;
	if (e->lines[e->at].line - last->start >= last->bytes)
		profile_note_buffer(s, e->lines[e->at].line);
	e->origin.buffer = last->account;
}

static inline void profile_hit(struct sm *s, const struct lsu_entry *e, int way)
{
	if (s->profile)
		profile_note_hit(s, e, way);
}

static inline void profile_missed(struct sm *s, const struct lsu_entry *e, int entry, bool merged)
{
	if (s->profile)
		profile_note_missed(s, e, entry, merged);
}

static inline void profile_texels(struct sm *s, const struct lsu_entry *e, unsigned granules)
{
	if (s->profile)
		profile_note_texels(s, e, granules);
}

static inline void profile_sent(struct sm *s, struct packet *p, uint64_t cycle)
{
	if (s->profile)
		profile_note_sent(s, p, cycle);
}

static inline void profile_reply(struct sm *s, const struct packet *p, uint64_t cycle)
{
	if (s->profile)
		profile_note_reply(s, p, cycle);
}

static inline void profile_filled(struct sm *s, const struct packet *p, int way)
{
	if (s->profile)
		profile_note_filled(s, p, way);
}

static inline void profile_replied(struct sm *s)
{
	if (s->profile)
		profile_note_replied(s);
}

static inline void profile_line(struct sm *s, const struct lsu_entry *e)
{
	if (s->profile)
		profile_note_line(s, e);
}

static inline void profile_dropped(struct sm *s, const struct lsu_entry *e)
{
	if (s->profile)
		profile_note_dropped(s, e);
}

static inline void profile_passed(struct sm *s)
{
	if (s->profile)
		profile_note_passed(s);
}

static inline void profile_completed(struct sm *s, const struct op *op, uint64_t cycle)
{
	if (s->profile)
		profile_note_completed(s, op, cycle);
}

/* Schedulers: an instruction was issued; all of them have acted; nothing has changed yet. */
static inline void profile_issued(
	struct sm *s, unsigned w, const struct instr *in, uint32_t pc, const struct access *a)
{
	if (s->profile)
		stalls_note_issued(s, w, in, pc, a);
}

static inline void profile_second(struct sm *s, unsigned w)
{
	if (s->profile)
		stalls_note_second(s, w);
}

static inline void profile_cycle(struct sm *s, uint64_t cycle)
{
	if (__builtin_expect(s->watched, WATCHED_NONE) &&
		(s->watched == WATCHED_ALL || s->sched[0].stall.reason != REASON_SELECTED))
		stalls_note_cycle(s, cycle);
}

static inline void profile_settle(struct sm *s, uint64_t cycle)
{
	if (__builtin_expect(s->watched, WATCHED_NONE) &&
		(s->watched == WATCHED_ALL || cycle > s->sched[0].stall.since))
		stalls_settle(s, cycle);
}

static inline void profile_found(struct sm *s, enum profile_count found)
{
	if (s->profile)
		s->profile->found = found;
}

#endif
