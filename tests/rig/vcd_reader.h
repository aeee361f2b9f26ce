/* Reads a VCD file with independent code, and checks it against IEEE 1364-2005, section 18. */
#ifndef TESTS_RIG_VCD_READER_H
#define TESTS_RIG_VCD_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vcd_var {
	char name[128]; /* "sm_0.warps_eligible" */
	char id[16];
	unsigned bits;
	uint64_t value;
	bool known;
};

struct vcd_change {
	uint64_t at, value;
	unsigned var;
};

struct vcd_file {
	struct vcd_var *vars;
	struct vcd_change *changes; /* in order of the file */
	unsigned nvars, nchanges;
	uint64_t start, end; /* the first time and the last */
	uint64_t unit_ps;
	size_t bytes;
	bool full; /* a comment says that the limit was reached */
};

/* Reads the file. An error in it fails the test: an unknown command, a variable without a scope,
 * two with one identifier or name, time that does not increase, a value of more bits than its
 * variable has, an unchanged value, a variable without a first value. */
struct vcd_file read_vcd(const char *path);
void read_vcd_free(struct vcd_file *);

/* The variable's index; UINT_MAX: there is none. */
unsigned vcd_var_named(const struct vcd_file *, const char *name);

/* The integral of a variable over time, in value times units. */
uint64_t vcd_integral(const struct vcd_file *, unsigned var);

#endif
