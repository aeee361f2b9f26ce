/* Parallelism-aware batch scheduling (Mutlu and Moscibroda, ISCA 2008), with SMs for threads.
 *
 * Up to a limit, the oldest reads of each SM to each bank are marked: a batch. Marked bursts have
 * priority over all others, so that no burst waits for longer than a batch; the next batch is
 * formed when all of them are served. Within a batch bursts to open rows have priority, then those
 * of the SM with the shortest job: the one whose most loaded bank has fewest of its marked bursts,
 * of equal ones that with fewest in total. So an SM's bursts to different banks are served
 * together. Writes are not marked. */
#include "core/state.h"
#include "dram/sched.h"

#define PARAMS(P, T) \
	P(T, UINT, cap, 5, 1, 65536, "bursts", \
		"Maximum number of bursts of an SM to a bank in a batch.")

#define STATS(S, T) \
	S(T, COUNT, batches, "batches", "Batches formed.") \
	S(T, COUNT, marked, "bursts", "Bursts in the batches.")

#define NONE UINT16_MAX
#define ROW_CLOSED (UINT32_C(1) << 16) /* above all ranks of SMs */
#define UNMARKED (UINT32_C(1) << 17)

struct entry {
	struct dram_queued_burst burst;
	uint16_t older, newer;
	uint16_t rank; /* of its SM in the batch */
	bool marked;
};

/* An SM's bursts in a batch. */
struct job {
	uint16_t requester;
	uint16_t worst, all; /* bursts to its most loaded bank; in total */
};

struct parbs {
	struct {
		PARAMS(PARAM_FIELD, parbs)
	} p;
	struct {
		STATS(STAT_FIELD, parbs)
	} s;
	struct entry *entry; /* by queue entry */
	uint16_t oldest, newest;
	unsigned left;    /* marked bursts */
	struct job *jobs; /* of the batch that is being formed */
	unsigned njobs;
	unsigned bursts; /* entries of both */
};

TABLES(parbs, PARAMS, STATS);

static int init(
	void *self, const struct dram_sched_shape *shape, struct arena *arena, struct err *err)
{
	struct parbs *b = self;

	(void)err;
	b->entry = arena_alloc(arena, shape->bursts, sizeof(*b->entry));
	b->jobs = arena_alloc(arena, shape->bursts, sizeof(*b->jobs));
	b->oldest = b->newest = NONE;
	b->bursts = shape->bursts;
	return 0;
}

static struct job *job_of(struct parbs *b, uint16_t requester)
{
	unsigned i = 0;

	while (i < b->njobs && b->jobs[i].requester != requester)
		i++;
	if (i == b->njobs)
		b->jobs[b->njobs++] = (struct job){.requester = requester};
	return &b->jobs[i];
}

/* Marked bursts of that SM to that bank that are older. */
static unsigned marked_before(const struct parbs *b, const struct entry *e)
{
	unsigned n = 0;

	for (uint16_t i = e->older; i != NONE; i = b->entry[i].older) {
		const struct entry *o = &b->entry[i];

		n += o->marked && o->burst.requester == e->burst.requester &&
		     o->burst.bank == e->burst.bank;
	}
	return n;
}

static bool shorter(const struct job *a, const struct job *b)
{
	if (a->worst != b->worst)
		return a->worst < b->worst;
	return a->all != b->all ? a->all < b->all : a->requester < b->requester;
}

static void rank_jobs(struct parbs *b)
{
	for (uint16_t i = b->oldest; i != NONE; i = b->entry[i].newer) {
		struct entry *e = &b->entry[i];
		const struct job *own;

		if (!e->marked)
			continue;
		own = job_of(b, e->burst.requester);
		e->rank = 0;
		for (unsigned k = 0; k < b->njobs; k++)
			e->rank = (uint16_t)(e->rank + shorter(&b->jobs[k], own));
	}
}

static void form_batch(struct parbs *b)
{
	b->njobs = 0;
	for (uint16_t i = b->oldest; i != NONE; i = b->entry[i].newer) {
		struct entry *e = &b->entry[i];
		unsigned before = e->burst.write ? 0 : marked_before(b, e);
		struct job *job;

		if (e->burst.write || before >= b->p.cap)
			continue;
		e->marked = true;
		b->left++;
		job = job_of(b, e->burst.requester);
		job->all++;
		if (job->worst < before + 1)
			job->worst = (uint16_t)(before + 1);
	}
	rank_jobs(b);
	b->s.batches += b->left > 0;
	b->s.marked += b->left;
}

static void accepted(void *self, const struct dram_queued_burst *burst)
{
	struct parbs *b = self;
	struct entry *e = &b->entry[burst->entry];

	*e = (struct entry){.burst = *burst, .older = b->newest, .newer = NONE};
	*(b->newest == NONE ? &b->oldest : &b->entry[b->newest].newer) = burst->entry;
	b->newest = burst->entry;
	if (!b->left)
		form_batch(b);
}

static void served(void *self, const struct dram_queued_burst *burst)
{
	struct parbs *b = self;
	const struct entry *e = &b->entry[burst->entry];

	*(e->older == NONE ? &b->oldest : &b->entry[e->older].newer) = e->newer;
	*(e->newer == NONE ? &b->newest : &b->entry[e->newer].older) = e->older;
	if (e->marked && !--b->left)
		form_batch(b);
}

static uint32_t rank(const void *self, const struct dram_queued_burst *burst, bool hit)
{
	const struct parbs *b = self;
	const struct entry *e = &b->entry[burst->entry];

	return (e->marked ? e->rank : UNMARKED) | (hit ? 0 : ROW_CLOSED);
}

static const struct state_field parbs_kept[] = {
	STATE_KEPT(parbs, p),
	STATE_KEPT(parbs, entry),
	STATE_KEPT(parbs, jobs),
	STATE_KEPT(parbs, bursts),
};

static void state(void *self, struct state *s)
{
	struct parbs *b = self;

	STATE_STRUCT(s, b, parbs_kept);
	state_bytes(s, b->entry, b->bursts * sizeof(*b->entry));
	state_bytes(s, b->jobs, b->bursts * sizeof(*b->jobs));
}

static const struct dram_sched_ops ops = {
	.init = init, .rank = rank, .accepted = accepted, .served = served};

const struct plugin dram_sched_parbs = {
	.kind = "dram scheduler",
	.name = "parbs",
	.text = "Parallelism-aware batch scheduling, with SMs for threads.",
	.size = sizeof(struct parbs),
	.params = parbs_params,
	.nparams = ARRAY_LEN(parbs_params),
	.stats = parbs_stats,
	.nstats = ARRAY_LEN(parbs_stats),
	.ops = &ops,
	.state = state,
};
