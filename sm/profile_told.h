/* Calls of the SM's profile: none when the run is not profiled. Private to sm/. */
#ifndef SM_PROFILE_TOLD_H
#define SM_PROFILE_TOLD_H

static inline void profile_entered(struct sm *s, const struct lsu_entry *e, unsigned lane_bytes)
{
	if (s->profile)
		profile_note_entered(s, e, lane_bytes);
}

static inline void profile_at(struct sm *s, struct lsu_entry *e)
{
	if (s->profile)
		profile_note_at(s, e);
}

static inline void profile_hit(struct sm *s, const struct lsu_entry *e)
{
	if (s->profile)
		profile_note_hit(s, e);
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

static inline void profile_filled(struct sm *s, const struct packet *p)
{
	if (s->profile)
		profile_note_filled(s, p);
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

static inline void profile_passed(struct sm *s, const struct lsu_entry *e)
{
	if (s->profile)
		profile_note_passed(s, e);
}

static inline void profile_completed(struct sm *s, const struct op *op, uint64_t cycle)
{
	if (s->profile)
		profile_note_completed(s, op, cycle);
}

static inline void profile_found(struct sm *s, enum profile_count found)
{
	if (s->profile)
		s->profile->found = found;
}

#endif
