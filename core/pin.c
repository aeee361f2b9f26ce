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
};

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

	if (!pin)
		return;
	core = hwloc_get_obj_by_type(pin->topology, pin->type, index);
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
