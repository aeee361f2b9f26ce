/* particles with the SDK's own kernels (--ptx-dir): they keep a particle's cell and number in one
 * pair, sort by bytes, and fetch through textures. */
#ifndef WORKLOADS_PARTICLES_SDK_H
#define WORKLOADS_PARTICLES_SDK_H

#include "workloads/workload.h"

struct quad {
	float x, y, z, w;
};

/* As in particles.cu. */
struct world {
	float gravity[3], time_step, damping, wall_damping, radius, origin[3], cell;
	int32_t size;
	float ball[3], ball_radius, spring, contact_damping, shear, attraction;
};

extern const struct workload_foreign particles_sdk[];

struct sdk_particles {
	module_t module;
	const struct world *world;
	uint32_t n;
	buffer_t position, velocity, sorted_position, sorted_velocity, cell_start;
	/* made by sdk_set_up */
	buffer_t pairs[2];
	texture_t positions, velocities, sorted_positions, sorted_velocities, keys, starts;
};

/* Makes the buffers and textures that only these kernels need, and writes the world. 0 or -1. */
int sdk_set_up(struct workload_run *, struct sdk_particles *, struct err *);

/* Queue one time step: first up to the particles' new order, then, when that is complete, the
 * contacts. 0 or -1. */
int sdk_launch_order(struct workload_run *, const struct sdk_particles *, struct err *);
int sdk_launch_contacts(struct workload_run *, const struct sdk_particles *, struct err *);

#endif
