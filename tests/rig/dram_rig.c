/* Applies settings to a controller; makes traces from seeds. */
#include "tests/rig/dram_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define SPACE (UINT64_C(1) << 30)
#define BURST 64u
#define ROW_BIT 16u

struct dram_rig dram_rig_try(const char *const *settings)
{
	struct dram_rig d = {.rig = rig_new((struct sim_config){0})};

	for (; *settings; settings += 2)
		rig_set(d.rig, settings[0], settings[1]);
	d.r = arena_alloc(&d.rig->arena, 1, sizeof(*d.r));
	config_load(d.rig->config, dram_replay_params.prefix, dram_replay_params.defs,
		dram_replay_params.n, d.r, &d.rig->err);
	controller_init(&d.r->controller,
		&(struct controller_config){&d.r->p, &d.r->s, 0, d.rig->config}, &d.rig->arena,
		&d.rig->err);
	config_finish(d.rig->config, &d.rig->err);
	return d;
}

struct dram_rig dram_rig_new(const char *const *settings)
{
	struct dram_rig d = dram_rig_try(settings);

	assert_string_equal(err_text(&d.rig->err), "");
	return d;
}

void dram_rig_free(struct dram_rig d)
{
	rig_free(d.rig);
}

/* xorshift64*, the seed its state. */
static uint64_t next(uint64_t *x)
{
	*x ^= *x >> 12;
	*x ^= *x << 25;
	*x ^= *x >> 27;
	return *x * 0x2545f4914f6cdd1du;
}

static uint64_t below(uint64_t *x, uint64_t n)
{
	return (next(x) >> 11) % n;
}

static void set_all(struct dram_access *a, uint32_t n, uint64_t step, enum dram_command dir)
{
	for (uint32_t i = 0; i < n; i++)
		a[i] = (struct dram_access){i * step % SPACE, dir, 0};
}

static void set_random(struct dram_access *a, uint32_t n)
{
	uint64_t x = 0x1234567;

	for (uint32_t i = 0; i < n; i++)
		a[i] = (struct dram_access){below(&x, SPACE / BURST) * BURST, DRAM_READ, 0};
}

static void set_random128(struct dram_access *a, uint32_t n)
{
	uint64_t x = 0x1234568, base = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (i % 2 == 0)
			base = below(&x, SPACE / 128) * 128;
		a[i] = (struct dram_access){base + i % 2 * BURST, DRAM_READ, 0};
	}
}

static void set_pingpong(struct dram_access *a, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		a[i].address = (uint64_t)(100 + i % 2) << ROW_BIT | (i / 2 * BURST % 4096);
}

static void set_mix(struct dram_access *a, uint32_t n)
{
	uint64_t x = 0xabcdef1;

	set_all(a, n, BURST, DRAM_READ);
	for (uint32_t i = 0; i < n; i++)
		if (next(&x) >> 11 < UINT64_C(1) << 52)
			a[i].dir = DRAM_WRITE;
}

/* Reads and writes alternate, `bytes` apart. */
static void set_copy(struct dram_access *a, uint32_t n, uint64_t bytes)
{
	for (uint32_t i = 0; i < n; i++)
		a[i] = (struct dram_access){
			i / 2 * BURST + i % 2 * bytes, i % 2 ? DRAM_WRITE : DRAM_READ, 0};
}

static void set_random_mix(struct dram_access *a, uint32_t n)
{
	uint64_t x = 0xabcdef2;

	for (uint32_t i = 0; i < n; i++) {
		a[i].dir = below(&x, 4) ? DRAM_READ : DRAM_WRITE;
		a[i].address = below(&x, SPACE / BURST) * BURST;
	}
}

struct dram_access *dram_trace(const char *name, uint32_t n)
{
	struct dram_access *a = test_calloc(n, sizeof(*a));

	if (!strcmp(name, "seq"))
		set_all(a, n, BURST, DRAM_READ);
	else if (!strcmp(name, "writeseq"))
		set_all(a, n, BURST, DRAM_WRITE);
	else if (!strcmp(name, "stride2k"))
		set_all(a, n, 2048, DRAM_READ);
	else if (!strcmp(name, "random"))
		set_random(a, n);
	else if (!strcmp(name, "random128"))
		set_random128(a, n);
	else if (!strcmp(name, "pingpong"))
		set_pingpong(a, n);
	else if (!strcmp(name, "copy"))
		set_copy(a, n, SPACE / 2);
	else if (!strcmp(name, "skewed"))
		set_copy(a, n, SPACE / 2 + 34816);
	else if (!strcmp(name, "random_mix75"))
		set_random_mix(a, n);
	else if (!strcmp(name, "mix50"))
		set_mix(a, n);
	else
		fail_msg("no trace %s", name);
	return a;
}
