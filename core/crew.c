/* Worker threads of the host: parked on a condition variable between runs, synchronised by a
 * barrier within one. */
#include "core/crew.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "core/pin.h"

/* About the time between the end of a quantum and the start of the next one. */
#define PARK_SPINS 2000u
#define MEET_SPINS 2000u

struct worker {
	struct crew *crew;
	pthread_t thread;
	unsigned index;
};

struct crew {
	unsigned threads, started;
	unsigned meet_spins;
	crew_fn *fn;
	void *ctx;
	const struct pin *pin;
	struct worker *workers;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	bool quit;
	_Alignas(64) atomic_uint job; /* counts calls of crew_run */
	_Alignas(64) atomic_uint arrived;
	_Alignas(64) atomic_uint generation; /* counts barriers */
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

void crew_meet(struct crew *crew)
{
	unsigned generation;

	if (crew->threads == 1)
		return;
	generation = atomic_load_explicit(&crew->generation, memory_order_relaxed);
	if (atomic_fetch_add_explicit(&crew->arrived, 1, memory_order_acq_rel) + 1 ==
		crew->threads) {
		atomic_store_explicit(&crew->arrived, 0, memory_order_relaxed);
		atomic_store_explicit(&crew->generation, generation + 1, memory_order_release);
		return;
	}
	if (spin_while(&crew->generation, generation, crew->meet_spins))
		return;
	while (atomic_load_explicit(&crew->generation, memory_order_acquire) == generation)
		sched_yield();
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
	long cores = sysconf(_SC_NPROCESSORS_ONLN);

	crew->threads = threads;
	crew->fn = fn;
	crew->ctx = ctx;
	crew->pin = pin;
	crew->workers = arena_alloc(arena, threads, sizeof(*crew->workers));
	/* Where threads share cores, spinning would take the core that the awaited thread needs. */
	crew->meet_spins = cores >= (long)threads ? MEET_SPINS : 1;
	pthread_mutex_init(&crew->lock, NULL);
	pthread_cond_init(&crew->wake, NULL);
	if (start_workers(crew, err)) {
		crew_free(crew);
		return NULL;
	}
	pin_bind(pin, 0);
	return crew;
}

void crew_run(struct crew *crew)
{
	if (crew->threads > 1)
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
	pthread_mutex_destroy(&crew->lock);
}
