/* Binding host threads to cores; the only file that uses hwloc. */
#define _GNU_SOURCE
#include "core/pin.h"

#include <sched.h>
#include <unistd.h>

unsigned pin_cores(void)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	cpu_set_t set;

	if (!sched_getaffinity(0, sizeof(set), &set) && CPU_COUNT(&set) > 0)
		return (unsigned)CPU_COUNT(&set);
	return cores > 0 ? (unsigned)cores : 1;
}

#ifdef HAVE_HWLOC

#include <hwloc.h>

struct pin {
	hwloc_topology_t topology;
	hwloc_cpuset_t old;
	hwloc_obj_type_t type;
	unsigned home; /* the core of thread 0 */
};

/* Where the host has put the calling thread: the first core would be that of all programs that bind
 * theirs. */
static unsigned home(const struct pin *pin)
{
	int cpu = sched_getcpu();
	hwloc_obj_t o = cpu < 0 ? NULL : hwloc_get_pu_obj_by_os_index(pin->topology, (unsigned)cpu);

	while (o && o->type != pin->type)
		o = o->parent;
	return o ? o->logical_index : 0;
}

struct pin *pin_new(struct arena *arena, unsigned threads)
{
	struct pin *pin = arena_alloc(arena, 1, sizeof(*pin));

	if (hwloc_topology_init(&pin->topology))
		return NULL;
	if (hwloc_topology_load(pin->topology))
		goto fail;
	pin->type = HWLOC_OBJ_CORE;
	if (hwloc_get_nbobjs_by_type(pin->topology, pin->type) < (int)threads)
		pin->type = HWLOC_OBJ_PU;
	if (hwloc_get_nbobjs_by_type(pin->topology, pin->type) < (int)threads)
		goto fail;
	pin->home = home(pin);
	pin->old = hwloc_bitmap_alloc();
	if (pin->old && !hwloc_get_cpubind(pin->topology, pin->old, HWLOC_CPUBIND_THREAD))
		return pin;
	hwloc_bitmap_free(pin->old);
fail:
	hwloc_topology_destroy(pin->topology);
	return NULL;
}

void pin_bind(const struct pin *pin, unsigned index)
{
	hwloc_obj_t core;
	int n;

	if (!pin)
		return;
	n = hwloc_get_nbobjs_by_type(pin->topology, pin->type);
	core = hwloc_get_obj_by_type(pin->topology, pin->type, (index + pin->home) % (unsigned)n);
	if (core)
		hwloc_set_cpubind(pin->topology, core->cpuset, HWLOC_CPUBIND_THREAD);
}

void pin_release(const struct pin *pin)
{
	if (pin)
		hwloc_set_cpubind(pin->topology, pin->old, HWLOC_CPUBIND_THREAD);
}

void pin_free(struct pin *pin)
{
	if (!pin)
		return;
	pin_release(pin);
	hwloc_bitmap_free(pin->old);
	hwloc_topology_destroy(pin->topology);
}

#else

struct pin *pin_new(struct arena *arena, unsigned threads)
{
	(void)arena;
	(void)threads;
	return NULL;
}

void pin_bind(const struct pin *pin, unsigned index)
{
	(void)pin;
	(void)index;
}

void pin_release(const struct pin *pin)
{
	(void)pin;
}

void pin_free(struct pin *pin)
{
	(void)pin;
}

#endif
