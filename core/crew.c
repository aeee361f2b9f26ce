/* Worker threads of the host: parked on a condition variable between runs, synchronised by a
 * barrier within one. Who waits at it spins, then yields, then sleeps: other threads that want the
 * core may be those that it waits for. */
#include "core/crew.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "core/pin.h"

/* About the time between the end of a quantum and the start of the next one. */
#define PARK_SPINS 2000u
#define MEET_SPINS 2000u
#define LEAST_SPINS 100u /* so that it is seen when cores are free again */
/* Longer than that a worker only misses where the host has given its core to something else. */
#define MEET_YIELDS 50u
/* ns: less is the time of a window that another worker takes longer for */
#define NO_CORE 500000u

struct worker {
	struct crew *crew;
	pthread_t thread;
	unsigned index;
};

struct crew {
	unsigned threads, started;
	unsigned working; /* that run the function */
	uint64_t waited;  /* by worker 0 */
	unsigned most_spins;
	crew_fn *fn;
	void *ctx;
	const struct pin *pin;
	struct worker *workers;
	pthread_mutex_t lock;
	pthread_cond_t wake, met;
	bool quit;
	_Alignas(64) atomic_uint job; /* counts calls of crew_run */
	_Alignas(64) atomic_uint arrived;
	_Alignas(64) atomic_uint generation; /* counts barriers */
	atomic_uint asleep;                  /* workers that wait for `met`, or are about to */
	atomic_uint spins; /* that a worker tries: fewer each time that they were too few */
};

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

/* Blocks until the counter differs from `old`; false when it still is `old` after `spins` reads. */
static bool spin_while(atomic_uint *counter, unsigned old, unsigned spins)
{
	for (unsigned i = 0; i < spins; i++) {
		if (atomic_load_explicit(counter, memory_order_acquire) != old)
			return true;
		relax();
	}
	return false;
}

/* Where the awaited worker has no core, spinning would take the time that it needs. */
static bool spin_for(struct crew *crew, unsigned generation)
{
	unsigned spins = atomic_load_explicit(&crew->spins, memory_order_relaxed);
	bool met = spin_while(&crew->generation, generation, spins);
	unsigned next = met ? 2 * spins : (spins + 1) / 2;

	next = next < LEAST_SPINS ? LEAST_SPINS : next;
	next = next < crew->most_spins ? next : crew->most_spins;
	if (next != spins)
		atomic_store_explicit(&crew->spins, next, memory_order_relaxed);
	return met;
}

static bool yield_while(atomic_uint *counter, unsigned old)
{
	for (unsigned i = 0; i < MEET_YIELDS; i++) {
		if (atomic_load_explicit(counter, memory_order_acquire) != old)
			return true;
		sched_yield();
	}
	return false;
}

/* Each of the two writes one counter and then reads the other's, in an order that all see: either
 * the last worker sees who sleeps, or that one sees the next generation. */
static void sleep_while(struct crew *crew, unsigned generation)
{
	pthread_mutex_lock(&crew->lock);
	atomic_fetch_add(&crew->asleep, 1);
	while (atomic_load(&crew->generation) == generation)
		pthread_cond_wait(&crew->met, &crew->lock);
	atomic_fetch_sub(&crew->asleep, 1);
	pthread_mutex_unlock(&crew->lock);
}

static void end_meeting(struct crew *crew, unsigned generation)
{
	atomic_store_explicit(&crew->arrived, 0, memory_order_relaxed);
	atomic_store(&crew->generation, generation + 1);
	if (!atomic_load(&crew->asleep))
		return;
	pthread_mutex_lock(&crew->lock);
	pthread_cond_broadcast(&crew->met);
	pthread_mutex_unlock(&crew->lock);
}

uint64_t crew_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t crew_waited(const struct crew *crew)
{
	return crew->waited;
}

static void wait_long(struct crew *crew, unsigned generation, unsigned worker)
{
	uint64_t from = worker ? 0 : crew_clock(), took;

	if (!yield_while(&crew->generation, generation))
		sleep_while(crew, generation);
	took = worker ? 0 : crew_clock() - from;
	if (took >= NO_CORE)
		crew->waited += took;
}

void crew_meet(struct crew *crew, unsigned worker)
{
	unsigned working = crew->working, generation; /* the next run may have others, then */

	if (working == 1)
		return;
	generation = atomic_load_explicit(&crew->generation, memory_order_relaxed);
	if (atomic_fetch_add_explicit(&crew->arrived, 1, memory_order_acq_rel) + 1 == working)
		end_meeting(crew, generation);
	else if (!spin_for(crew, generation))
		wait_long(crew, generation, worker);
}

static void await_job(struct crew *crew, unsigned last)
{
	if (spin_while(&crew->job, last, PARK_SPINS))
		return;
	pthread_mutex_lock(&crew->lock);
	while (atomic_load_explicit(&crew->job, memory_order_relaxed) == last)
		pthread_cond_wait(&crew->wake, &crew->lock);
	pthread_mutex_unlock(&crew->lock);
}

static void post_job(struct crew *crew)
{
	pthread_mutex_lock(&crew->lock);
	atomic_fetch_add_explicit(&crew->job, 1, memory_order_release);
	pthread_cond_broadcast(&crew->wake);
	pthread_mutex_unlock(&crew->lock);
}

static void *work(void *arg)
{
	struct worker *w = arg;

	pin_bind(w->crew->pin, w->index);
	for (unsigned job = 0;; job++) {
		await_job(w->crew, job);
		if (w->crew->quit)
			return NULL;
		w->crew->fn(w->crew->ctx, w->index);
	}
}

static int start_workers(struct crew *crew, struct err *err)
{
	sigset_t all, old;
	int error = 0;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	while (!error && crew->started + 1 < crew->threads) {
		struct worker *w = &crew->workers[crew->started];

		*w = (struct worker){.crew = crew, .index = crew->started + 1};
		error = pthread_create(&w->thread, NULL, work, w);
		crew->started += !error;
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (error)
		return err_add(err, ERR_HOST, "cannot start thread %u of %u: %s", crew->started + 2,
			crew->threads, strerror(error));
	return 0;
}

struct crew *crew_new(struct arena *arena, unsigned threads, const struct pin *pin, crew_fn *fn,
	void *ctx, struct err *err)
{
	struct crew *crew = arena_alloc(arena, 1, sizeof(*crew));
	crew->threads = threads;
	crew->working = 1;
	crew->fn = fn;
	crew->ctx = ctx;
	crew->pin = pin;
	crew->workers = arena_alloc(arena, threads, sizeof(*crew->workers));
	/* Where threads share cores, spinning would take the core that the awaited thread needs. */
	crew->most_spins = pin_cores() >= threads ? MEET_SPINS : 1;
	atomic_init(&crew->spins, crew->most_spins);
	pthread_mutex_init(&crew->lock, NULL);
	pthread_cond_init(&crew->wake, NULL);
	pthread_cond_init(&crew->met, NULL);
	if (start_workers(crew, err)) {
		crew_free(crew);
		return NULL;
	}
	return crew;
}

void crew_run(struct crew *crew, bool alone)
{
	crew->working = alone ? 1 : crew->threads;
	if (crew->working > 1)
		post_job(crew);
	crew->fn(crew->ctx, 0);
}

void crew_free(struct crew *crew)
{
	if (!crew)
		return;
	crew->quit = true;
	post_job(crew);
	for (unsigned i = 0; i < crew->started; i++)
		pthread_join(crew->workers[i].thread, NULL);
	pthread_cond_destroy(&crew->wake);
	pthread_cond_destroy(&crew->met);
	pthread_mutex_destroy(&crew->lock);
}
