/* Figures that follow from a machine's parameters: peaks by precision, bytes a second by level. */
#include "runs/sheet/sheet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WARP 32.0
#define CORE_MHZ 1000.0     /* of a chip that sets no clock */
#define STORAGE_BYTES 128.0 /* 32 banks of 4 bytes */
#define PORT_BYTES 32.0     /* a network's port, in a cycle */

/* The parameter, or `otherwise` where it is 0 or absent. */
static double given(const struct sheet *s, const char *path, double otherwise)
{
	double v = sheet_number(s, path);

	return v > 0 ? v : otherwise;
}

static void add(struct sheet *s, struct sheet_figure f)
{
	BUG_ON(s->nfigures == SHEET_FIGURES);
	s->figures[s->nfigures++] = f;
}

double sheet_figure(const struct sheet *s, const char *name)
{
	for (unsigned i = 0; i < s->nfigures; i++)
		if (!strcmp(s->figures[i].name, name))
			return s->figures[i].value;
	return NAN;
}

/* ---- arithmetic */
static double issue_width(const struct sheet *s)
{
	return given(s, "sm.schedulers", 1) * given(s, "sm.issue_width", 1);
}

/* Lanes a cycle of all the SM's pipes of a class, at most what it can issue; `full` for a pipe
 * whose throughput is not set. */
static double lanes(const struct sheet *s, const char *class, double full)
{
	double one, pipes;
	char path[64];

	snprintf(path, sizeof(path), "pipe.%s_lanes", class);
	one = given(s, path, full);
	snprintf(path, sizeof(path), "pipe.%s_shared", class);
	pipes = given(s, path, given(s, "sm.schedulers", 1));
	return fmin(issue_width(s) * WARP, one * pipes);
}

/* What an SM's shared memory, or its L1 by hits, moves in a cycle. */
static double storage_bytes(const struct sheet *s)
{
	return fmin(given(s, "sm.memory_bytes", STORAGE_BYTES), 4 * lanes(s, "memory", WARP));
}

#define STEP_F16 (2.0 * 16 * 8 * 8) /* operations of a step with halves, */
#define STEP_F64 (2.0 * 8 * 8 * 4)  /* and with f64 */

static void add_matrices(struct sheet *s, double rate)
{
	static const struct {
		const char *name, *label, *how, *class;
		double each;
	} rows[] = {
		{"tensor", "products of matrices, f16", "2048 a step of 32 lanes, SMs and clock",
			"tensor", STEP_F16},
		{"tensor64", "products of matrices, f64", "512 a step of 32 lanes, SMs and clock",
			"tensor64", STEP_F64},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		double n = lanes(s, rows[i].class, 0);

		if (n > 0)
			add(s, (struct sheet_figure){rows[i].name, rows[i].label, "GFLOPS",
				       rows[i].how, rows[i].each * n / WARP * rate});
	}
}

static void add_arithmetic(struct sheet *s, double ghz)
{
	static const struct {
		const char *name, *label, *unit, *how, *class;
		double each;
	} rows[] = {
		{"f32", "f32, multiply-add", "GFLOPS", "2 by lanes, SMs and clock", "fma", 2},
		{"f16", "f16, multiply-add", "GFLOPS", "4 by lanes, SMs and clock: pairs", "f16",
			4},
		{"f64", "f64, multiply-add", "GFLOPS", "2 by lanes, SMs and clock", "f64", 2},
		{"int", "integer", "Gops", "lanes, SMs and clock", "int", 1},
	};
	double sms = sheet_number(s, "chip.sms");

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		add(s, (struct sheet_figure){rows[i].name, rows[i].label, rows[i].unit, rows[i].how,
			       rows[i].each * lanes(s, rows[i].class, WARP) * sms * ghz});
	add_matrices(s, sms * ghz);
	add(s, (struct sheet_figure){"sfu", "special functions", "Gops", "lanes, SMs and clock",
		       lanes(s, "sfu", given(s, "sm.sfu_lanes", WARP)) * sms * ghz});
}

/* ---- storage of an SM */
struct storage {
	double registers, shared, cache; /* the most of each */
};

static double of_design(const struct sheet *s, const char *what)
{
	char path[96];

	snprintf(path, sizeof(path), "storage.%s.%s", sheet_word(s, "chip.storage"), what);
	return sheet_number(s, path);
}

/* Of the splits "96/32,32/96", KB of shared memory and of cache. */
static void read_splits(const struct sheet *s, struct storage *b)
{
	const char *at = sheet_word(s, "storage.fermi.splits");
	char *after;

	b->shared = b->cache = 0;
	while (*at) {
		b->shared = fmax(b->shared, 1024 * strtod(at, &after));
		at = after + strcspn(after, "/") + (*after == '/');
		b->cache = fmax(b->cache, 1024 * strtod(at, &after));
		at = after + strcspn(after, ",") + (after[strcspn(after, ",")] == ',');
	}
}

/* Of the capacities of shared memory "0,8,16" in rising order; the rest is cache. */
static void read_capacities(const struct sheet *s, struct storage *b)
{
	const char *list = sheet_word(s, "storage.carveout.capacities"), *last = strrchr(list, ',');

	b->shared = 1024 * strtod(last ? last + 1 : list, NULL);
	b->cache = of_design(s, "bytes") - 1024 * strtod(list, NULL);
}

static struct storage storage_of(const struct sheet *s)
{
	const char *design = sheet_word(s, "chip.storage");
	struct storage b = {of_design(s, "register_bytes"), of_design(s, "shared_bytes"),
		of_design(s, "cache_bytes")};

	if (!strcmp(design, "fermi"))
		read_splits(s, &b);
	else if (!strcmp(design, "carveout"))
		read_capacities(s, &b);
	else if (!strcmp(design, "unified"))
		b = (struct storage){NAN, NAN, NAN};
	return b;
}

void sheet_storage(const struct sheet *s, struct text *out)
{
	struct storage b = storage_of(s);

	if (!strcmp(sheet_word(s, "chip.storage"), "unified"))
		text_add(out, "unified storage %.0f KB", of_design(s, "bytes") / 1024);
	else
		text_add(out, "registers %.0f KB, shared memory to %.0f KB, L1 to %.0f KB",
			b.registers / 1024, b.shared / 1024, b.cache / 1024);
}

static void add_storage(struct sheet *s)
{
	double sms = sheet_number(s, "chip.sms");
	struct storage b = storage_of(s);
	double slices = sheet_number(s, "chip.channels") * sheet_number(s, "chip.slices");

	add(s, (struct sheet_figure){"threads", "resident threads", "threads",
		       "warp slots of all SMs", sheet_number(s, "sm.warps") * WARP * sms});
	add(s, (struct sheet_figure){
		       "register_kb", "registers", "KB", "of all SMs", b.registers * sms / 1024});
	add(s, (struct sheet_figure){"shared_kb", "shared memory", "KB", "of all SMs, at most",
		       b.shared * sms / 1024});
	add(s, (struct sheet_figure){
		       "l1_kb", "L1", "KB", "of all SMs, at most", b.cache * sms / 1024});
	add(s, (struct sheet_figure){"l2_kb", "L2", "KB", "of all slices",
		       sheet_number(s, "l2.bytes") * slices / 1024});
}

/* ---- bytes */
static void add_bytes(struct sheet *s, double ghz, double l2_ghz)
{
	double sms = sheet_number(s, "chip.sms"),
	       slices = sheet_number(s, "chip.channels") * sheet_number(s, "chip.slices"),
	       storage = storage_bytes(s), port = given(s, "noc.reply.slice_bytes", PORT_BYTES),
	       sm_port = given(s, "noc.reply.sm_bytes", PORT_BYTES),
	       dram = sheet_number(s, "chip.bytes_per_ns");

	add(s, (struct sheet_figure){"shared_gb_s", "shared memory", "GB/s",
		       "bytes a cycle of an SM's banks, SMs and clock", storage * sms * ghz});
	add(s, (struct sheet_figure){"l1_gb_s", "L1 hits", "GB/s",
		       "bytes a cycle of an SM, SMs and clock", storage * sms * ghz});
	add(s, (struct sheet_figure){"sm_gb_s", "replies to all SMs", "GB/s",
		       "bytes a cycle of an SM's port, SMs and clock", sm_port * sms * l2_ghz});
	add(s, (struct sheet_figure){"l2_gb_s", "L2 hits", "GB/s",
		       "bytes a cycle of a slice's port, slices and clock",
		       port * slices * l2_ghz});
	add(s, (struct sheet_figure){"dram_gb_s", "DRAM", "GB/s", "chip.bytes_per_ns", dram});
}

void sheet_figures(struct sheet *s)
{
	double mhz = given(s, "chip.sm_mhz", CORE_MHZ), l2_mhz = given(s, "chip.l2_mhz", mhz);

	add(s, (struct sheet_figure){"sm_mhz", "clock of the SMs", "MHz", "", mhz});
	add(s, (struct sheet_figure){"l2_mhz", "clock of L2 and networks", "MHz", "", l2_mhz});
	add(s, (struct sheet_figure){"issue", "issued by an SM", "instr./cycle",
		       "schedulers by what each issues", issue_width(s)});
	add_arithmetic(s, mhz / 1000);
	add_storage(s);
	add_bytes(s, mhz / 1000, l2_mhz / 1000);
	add(s, (struct sheet_figure){"flop_per_byte", "f32 operations for a byte of DRAM", "flop/B",
		       "", sheet_figure(s, "f32") / sheet_figure(s, "dram_gb_s")});
}
