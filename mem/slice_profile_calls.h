/* What a slice reports to its profile: nothing when the run is not profiled. Private to mem/. */
#ifndef MEM_SLICE_PROFILE_CALLS_H
#define MEM_SLICE_PROFILE_CALLS_H

static inline void slice_profile_taken(struct slice *s, const struct packet *p, uint64_t cycle)
{
	if (s->profile)
		slice_profile_note_taken(s, p, cycle);
}

static inline void slice_profile_looked_up(
	struct slice *s, const struct packet *p, unsigned valid, uint64_t cycle)
{
	if (s->profile)
		slice_profile_note_looked_up(s, p, valid, cycle);
}

static inline void slice_profile_served(struct slice *s, const struct packet *p, uint64_t cycle)
{
	if (s->profile)
		slice_profile_note_served(s, p, cycle);
}

static inline void slice_profile_executed(struct slice *s, const struct packet *p, uint64_t cycle)
{
	if (s->profile)
		slice_profile_note_executed(s, p, cycle);
}

static inline void slice_profile_filled(struct slice *s, const struct packet *p, int way)
{
	if (s->profile)
		slice_profile_note_filled(s, p, way);
}

static inline void slice_profile_written(
	struct slice *s, const struct packet *p, int way, bool dirty)
{
	if (s->profile)
		slice_profile_note_written(s, p, way, dirty);
}

static inline void slice_profile_passed(struct slice *s, const struct packet *p, unsigned granules)
{
	if (s->profile)
		slice_profile_note_passed(s, p, granules);
}

static inline void slice_profile_flushed(struct slice *s, const struct victim *v)
{
	if (s->profile)
		slice_profile_note_flushed(s, v);
}

#endif
