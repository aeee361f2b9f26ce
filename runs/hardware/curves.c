/* Microbenchmarks: the points, their launches, what the clocks say. */
#include "runs/hardware/curves.h"

#include "core/base.h"
#include "runs/hardware/curves_ptx.h"
#include "runs/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MEMORY_BYTES (UINT64_C(64) << 20)
#define OUT_BYTES (UINT64_C(1) << 20)
#define LEAST_STEPS 16u
#define MOST_STEPS 16384u
#define READ_THREADS 256u
#define READ_TURNS 16u
#define FILL_THREADS 256u
/* As many CTAs with their 16 KB of shared memory fit every SM. */
#define OCCUPANCY_WARPS 8u
#define MOST_CTAS 3u

/* ---- the points */
struct listing {
	struct curves *c;
	struct arena *arena;
	const char *const *groups;
	unsigned ngroups, most;
};

static void add(struct listing *l, struct curve point)
{
	bool wanted = !l->ngroups;

	for (unsigned i = 0; i < l->ngroups; i++)
		wanted |= !strcmp(l->groups[i], point.group);
	if (!wanted)
		return;
	if (l->c->n == l->most) {
		struct curve *grown = arena_alloc(l->arena, 2 * l->most + 64, sizeof(*grown));

		if (l->c->n)
			memcpy(grown, l->c->at, l->c->n * sizeof(*grown));
		l->c->at = grown;
		l->most = 2 * l->most + 64;
	}
	point.value = (double)NAN;
	l->c->at[l->c->n++] = point;
}

static bool is_texture(const char *path)
{
	return !strcmp(path, "tex");
}

static void add_memory(struct listing *l, const char *path)
{
	static const uint32_t strides[] = {32, 128, 4096};

	for (uint32_t bytes = 16 << 10; bytes <= MEMORY_BYTES; bytes *= 4) {
		struct curve c = {.what = path, .footprint = bytes};

		c.group = "chase";
		c.unit = "cycles";
		c.warps = 1;
		for (unsigned k = 0; k < ARRAY_LEN(strides); k++) {
			c.stride = strides[k];
			if (bytes / c.stride >= LEAST_STEPS && bytes / c.stride <= MOST_STEPS)
				add(l, c);
		}
		c.group = "bandwidth";
		c.unit = "B/cycle";
		c.warps = READ_THREADS / 32;
		for (c.stride = 4; c.stride <= 32 && !is_texture(path); c.stride *= 8)
			add(l, c);
	}
}

static void add_atomics(struct listing *l)
{
	static const char *const names[] = {"one address", "one line", "spread"};
	static const uint32_t strides[] = {0, 4, 4};

	for (unsigned i = 0; i < ARRAY_LEN(names); i++) {
		struct curve c = {.group = "atomic", .what = names[i], .stride = strides[i]};

		c.warps = 1;
		c.unit = "cycles";
		add(l, c);
		c.warps = 8;
		c.unit = "operations/cycle";
		add(l, c);
	}
}

/* Latency by a warp; throughput by warps of one CTA, and by CTAs of each SM for an instruction of
 * every unit. */
static void add_instructions(struct listing *l)
{
	static const uint32_t warps[] = {1, 4, 16, 32};

	for (unsigned i = 0; i < curve_instruction_count; i++)
		add(l, (struct curve){.group = "latency",
			       .what = curve_instructions[i].name,
			       .warps = 1,
			       .unit = "cycles"});
	for (unsigned i = 0; i < curve_instruction_count; i++) {
		struct curve c = {.group = "throughput",
			.what = curve_instructions[i].name,
			.unit = "operations/cycle"};

		for (unsigned k = 0; k < ARRAY_LEN(warps); k++) {
			c.warps = warps[k];
			add(l, c);
		}
		c.warps = OCCUPANCY_WARPS;
		for (c.ctas = 1; c.ctas <= MOST_CTAS && curve_instructions[i].of_unit; c.ctas++)
			add(l, c);
	}
}

void curves_list(struct curves *c, const char *const *groups, unsigned n, struct arena *arena)
{
	static const char *const paths[] = {"ca", "cg", "nc", "tex"};
	static const uint32_t strides[] = {0, 1, 2, 4, 8, 16, 32, 33};
	struct listing l = {.c = c, .arena = arena, .groups = groups, .ngroups = n};

	*c = (struct curves){0};
	for (unsigned i = 0; i < ARRAY_LEN(paths); i++)
		add_memory(&l, paths[i]);
	add_atomics(&l);
	for (unsigned i = 0; i < ARRAY_LEN(strides); i++)
		add(&l, (struct curve){.group = "shared",
				.what = "ld.shared.u32",
				.stride = strides[i],
				.warps = 1,
				.unit = "cycles"});
	add_instructions(&l);
}

/* ---- launches */
int curves_open(struct curves_bench *b, struct err *err)
{
	struct text *text = mem_alloc(1, sizeof(*text));

	if (!text)
		return err_add(err, ERR_RESOURCE, "no host memory for kernels");
	curves_text(text);
	b->text = text;
	if (text->failed)
		return err_add(err, ERR_RESOURCE, "no host memory for kernels");
	b->module = gpu_module_text(b->gpu,
		&(struct module_text){.file = "curves", .text = text_str(text), .bytes = text->len},
		1, err);
	b->memory = b->module ? gpu_buffer(b->gpu, "memory", MEMORY_BYTES, err) : 0;
	b->out = b->memory ? gpu_buffer(b->gpu, "clocks", OUT_BYTES, err) : 0;
	if (!b->out)
		return -1;
	b->texels = gpu_texture(b->gpu, "memory",
		&(struct texture_desc){.buffer = b->memory,
			.type = TEXEL_S32,
			.channels = 1,
			.width = MEMORY_BYTES / 4},
		err);
	return b->texels ? 0 : -1;
}

void curves_close(struct curves_bench *b)
{
	text_clear(b->text);
	mem_free(b->text);
	b->text = NULL;
}

buffer_t curves_memory(const struct curves_bench *b)
{
	return b->memory;
}

struct shot {
	const char *kernel;
	uint32_t ctas, threads, turns, a, b;
	bool texture;
};

static int queue(struct curves_bench *b, const struct shot *s, struct err *err)
{
	struct launch_arg args[] = {ARG_BUF(b->memory), ARG_BUF(b->out), ARG_VAL(s->turns),
		ARG_VAL(s->a), ARG_VAL(s->b), ARG_TEX(b->texels)};
	struct launch l = {.module = b->module,
		.kernel = s->kernel,
		.grid = {s->ctas, 1, 1},
		.block = {s->threads, 1, 1},
		.args = args,
		.nargs = ARRAY_LEN(args) - !s->texture};

	return gpu_launch(b->gpu, &l, err);
}

/* Cycles from the first warp's start to the last one's end, of the CTA that took longest. */
static int fire(struct curves_bench *b, const struct shot *s, double *cycles, struct err *err)
{
	unsigned warps = s->threads < 32 ? 1 : s->threads / 32;
	uint64_t clocks[32 * 2];

	if (queue(b, s, err) || b->run(b->ctx, err))
		return -1;
	*cycles = 0;
	for (uint32_t c = 0; c < s->ctas; c++) {
		uint64_t first = UINT64_MAX, last = 0;

		gpu_read(b->gpu, b->out, (uint64_t)c * warps * 16, clocks, (uint64_t)warps * 16);
		for (unsigned w = 0; w < warps; w++) {
			first = min_u64(first, clocks[2 * w]);
			last = max_u64(last, clocks[2 * w + 1]);
		}
		*cycles = fmax(*cycles, (double)(last - first));
	}
	return 0;
}

/* What more turns take, for each of them: what is around the loop is in both. */
static int slope(struct curves_bench *b, struct shot s, double *cycles, struct err *err)
{
	double few, many;
	uint32_t turns = s.turns;

	if (fire(b, &s, &few, err))
		return -1;
	s.turns = 3 * turns;
	if (fire(b, &s, &many, err))
		return -1;
	*cycles = (many - few) / (2.0 * turns);
	return 0;
}

static int measure_chase(struct curves_bench *b, struct curve *c, struct err *err)
{
	uint32_t n = c->footprint / c->stride;
	bool texture = is_texture(c->what);
	char name[32];
	struct shot fill = {.kernel = texture ? "fill_texels" : "fill",
		.ctas = (n + FILL_THREADS - 1) / FILL_THREADS,
		.threads = FILL_THREADS,
		.turns = 1,
		.a = c->stride,
		.b = n};
	struct shot chase = {
		.kernel = name, .ctas = 1, .threads = 1, .turns = n, .texture = texture};

	snprintf(name, sizeof(name), "chase_%s", c->what);
	if (queue(b, &fill, err) || fire(b, &chase, &c->value, err))
		return -1;
	c->value /= n;
	return 0;
}

static int measure_read(struct curves_bench *b, struct curve *c, struct err *err)
{
	char name[32];
	struct shot s = {name, b->sms, READ_THREADS, READ_TURNS, c->stride, c->footprint, false};
	double cycles;

	snprintf(name, sizeof(name), "read_%s", c->what);
	if (slope(b, s, &cycles, err))
		return -1;
	c->value = 4.0 * 4 * READ_THREADS * b->sms / cycles;
	return 0;
}

static int measure_atomic(struct curves_bench *b, struct curve *c, struct err *err)
{
	bool latency = c->warps == 1;
	uint32_t threads = latency ? 1 : 32 * c->warps, ctas = latency ? 1 : b->sms;
	uint32_t mask = !strcmp(c->what, "spread") ? 0xffff : 31;
	struct shot s = {"atomic", ctas, threads, 8, c->stride, mask, false};
	double cycles;

	if (slope(b, s, &cycles, err))
		return -1;
	c->value = latency ? cycles : (double)threads * ctas / cycles;
	return 0;
}

static int measure_instruction(struct curves_bench *b, struct curve *c, struct err *err)
{
	bool latency = !strcmp(c->group, "latency");
	char name[32];
	uint32_t ctas = c->ctas ? c->ctas * b->sms : 1;
	struct shot s = {name, ctas, 32 * c->warps, 4, 1, 3, false};
	unsigned i = 0;
	double cycles;

	while (i + 1 < curve_instruction_count && strcmp(curve_instructions[i].name, c->what) != 0)
		i++;
	snprintf(name, sizeof(name), "%s_%u", c->group, i);
	if (slope(b, s, &cycles, err))
		return -1;
	c->value = cycles / CURVE_STEPS;
	if (!latency) /* of an SM */
		c->value = 32.0 * c->warps * (c->ctas ? c->ctas : 1) / c->value;
	return 0;
}

static int measure_shared(struct curves_bench *b, struct curve *c, struct err *err)
{
	struct shot s = {"shared", 1, 32, 4, c->stride, 0, false};

	if (slope(b, s, &c->value, err))
		return -1;
	c->value /= CURVE_STEPS;
	return 0;
}

int curves_measure(struct curves_bench *b, struct curve *c, struct err *err)
{
	static const struct {
		const char *group;
		int (*measure)(struct curves_bench *, struct curve *, struct err *);
	} groups[] = {{"chase", measure_chase}, {"bandwidth", measure_read},
		{"atomic", measure_atomic}, {"shared", measure_shared},
		{"latency", measure_instruction}, {"throughput", measure_instruction}};

	for (unsigned i = 0; i < ARRAY_LEN(groups); i++)
		if (!strcmp(c->group, groups[i].group))
			return groups[i].measure(b, c, err);
	return err_add(err, ERR_INPUT, "no measurement '%s'", c->group);
}

/* ---- files */
json_t *curves_json(const struct curves *c)
{
	json_t *j = json_array();

	for (unsigned i = 0; i < c->n; i++) {
		const struct curve *p = &c->at[i];
		json_t *row = json_object();

		json_add(row, "group", json_name(p->group));
		json_add(row, "what", json_name(p->what));
		json_add(row, "footprint", json_integer(p->footprint));
		json_add(row, "stride", json_integer(p->stride));
		json_add(row, "warps", json_integer(p->warps));
		json_add(row, "ctas", json_integer(p->ctas));
		json_add(row, "value", isfinite(p->value) ? json_number(p->value) : json_null());
		json_add(row, "unit", json_name(p->unit));
		json_append(j, row);
	}
	return j;
}

bool curve_is(const struct curve *c, const json_t *row)
{
	const char *group = json_string_value(json_object_get(row, "group"));
	const char *what = json_string_value(json_object_get(row, "what"));
	const char *unit = json_string_value(json_object_get(row, "unit"));

	return group && what && unit && !strcmp(group, c->group) && !strcmp(what, c->what) &&
	       !strcmp(unit, c->unit) &&
	       json_integer_value(json_object_get(row, "footprint")) == c->footprint &&
	       json_integer_value(json_object_get(row, "stride")) == c->stride &&
	       json_integer_value(json_object_get(row, "warps")) == c->warps &&
	       json_integer_value(json_object_get(row, "ctas")) == c->ctas;
}
