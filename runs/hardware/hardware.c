/* A target on a real GPU: the executor first, then the GPU by a mirror, then both beside each
 * other. */
#include "runs/hardware/hardware.h"

#include "core/base.h"
#include "runs/hardware/mirror.h"
#include "runs/work.h"

#include <string.h>

/* One side: the model that the host drives. */
struct side {
	struct session *session;
	struct work work;
};

struct pairing {
	struct driver *d;
	const char *target;
	struct run_options options; /* of 64-bit addresses */
	struct arena *arena;
	struct side ours, theirs, clocked;
	struct mirror *mirror; /* of theirs, then of clocked */
	struct hardware_result *result;
};

static int open_side(struct pairing *p, struct side *s, struct err *err)
{
	const char *scenario = work_is_scenario(p->target) ? p->target : NULL;

	s->session = session_within(p->arena);
	if (session_open(s->session, &p->options, scenario, err))
		return -1;
	return work_open(&s->work, p->target, s->session->scenario, &p->options, s->session->gpu,
		       s->session->config, p->arena, err) ||
	       config_finish(s->session->config, err);
}

/* The two GPUs' addresses differ, and so would the bytes of memory that holds them. */
static int check_addresses(const struct side *s, struct err *err)
{
	char where[512];

	if (!s->work.scenario || !scenario_holds_addresses(s->work.scenario, where, sizeof(where)))
		return 0;
	return err_add(err, ERR_UNSUPPORTED,
		"%s: a real GPU has other addresses: --hardware takes scenarios without fields in "
		"memory (in arguments they are no obstacle)",
		where);
}

static int run_ours(struct pairing *p, struct err *err)
{
	struct side *s = &p->ours;
	struct untimed_counts counts = {0};
	int more = open_side(p, s, err) || check_addresses(s, err) ||
				   work_setup(&s->work, s->session->gpu, err)
			   ? -1
			   : 1;

	while (more == 1)
		more = gpu_run_untimed(s->session->gpu, &counts, err) ? -1
								      : work_advance(&s->work, err);
	if (more)
		return -1;
	return work_verify(&s->work, s->session->gpu, &p->result->executor, err);
}

static int run_theirs(
	struct pairing *p, struct side *s, unsigned runs, bool clocks, struct err *err)
{
	int more;

	if (open_side(p, s, err))
		return -1;
	p->mirror = mirror_new(p->d, s->session->gpu, p->options.files, p->arena, runs);
	if (clocks)
		mirror_clocks(p->mirror);
	more = work_setup(&s->work, s->session->gpu, err) ? -1 : 1;
	while (more == 1)
		more = mirror_run(p->mirror, err) ? -1 : work_advance(&s->work, err);
	return more;
}

/* ---- memory beside memory */
/* Both words are the address of one byte of a buffer. */
static bool same_place(const struct pairing *p, const unsigned char *ours,
	const unsigned char *theirs, uint64_t offset, uint64_t bytes)
{
	uint64_t at = offset & ~UINT64_C(7), a, b, base;
	buffer_t buffer;

	if (at + 8 > bytes)
		return false;
	memcpy(&a, ours + at, sizeof(a));
	memcpy(&b, theirs + at, sizeof(b));
	buffer = gpu_buffer_holding(p->ours.session->gpu, a, &base);
	return buffer && mirror_has(p->mirror, buffer) &&
	       b == mirror_address(p->mirror, buffer) + (a - base);
}

static void compare_buffer(struct pairing *p, buffer_t b, struct hardware_buffer *to)
{
	struct gpu *g = p->ours.session->gpu;
	const unsigned char *ours = gpu_buffer_data(g, b);
	const unsigned char *theirs = gpu_buffer_data(p->theirs.session->gpu, b);

	*to = (struct hardware_buffer){.name = gpu_buffer_name(g, b),
		.bytes = gpu_buffer_bytes(g, b),
		.compared = mirror_has(p->mirror, b)};
	for (uint64_t at = 0; at < to->bytes && to->compared; at += 4) {
		uint64_t n = min_u64(4, to->bytes - at);

		if (!memcmp(ours + at, theirs + at, n))
			continue;
		if (same_place(p, ours, theirs, at, to->bytes)) {
			to->addresses++;
			continue;
		}
		if (!to->differ++) {
			to->first = at;
			memcpy(&to->ours, ours + at, n);
			memcpy(&to->theirs, theirs + at, n);
		}
	}
}

/* The sides have the same buffers, since one host side made both, unless their results differ and
 * it did not. */
static void compare_memory(struct pairing *p)
{
	struct hardware_result *r = p->result;
	struct gpu *g = p->ours.session->gpu, *h = p->theirs.session->gpu;
	buffer_t n = (buffer_t)min_u64(gpu_buffers(g), gpu_buffers(h));

	r->buffers = arena_alloc(p->arena, n, sizeof(*r->buffers));
	for (buffer_t b = 1; b <= n; b++)
		if (!gpu_buffer_is_inner(g, b) && !gpu_buffer_is_inner(h, b) &&
			gpu_buffer_bytes(g, b) == gpu_buffer_bytes(h, b))
			compare_buffer(p, b, &r->buffers[r->nbuffers++]);
}

/* ---- times */
static void read_kernels(struct pairing *p)
{
	struct hardware_result *r = p->result;
	unsigned n = mirror_kernels(p->mirror);

	r->kernels = arena_alloc(p->arena, n, sizeof(*r->kernels));
	r->nkernels = n;
	for (unsigned i = 0; i < n; i++) {
		const struct mirror_kernel *k = mirror_kernel(p->mirror, i);

		r->kernels[i] = (struct hardware_kernel){
			k->program, k->registers, k->local_bytes, k->shared_bytes, 0, NULL, 0, 0};
		r->kernels[i].us = arena_alloc(p->arena, r->repeats, sizeof(double));
	}
}

static void read_times(struct pairing *p)
{
	struct hardware_result *r = p->result;

	r->kernels_us = arena_alloc(p->arena, r->repeats, sizeof(double));
	r->span_us = arena_alloc(p->arena, r->repeats, sizeof(double));
	r->launches = mirror_launches(p->mirror);
	for (unsigned i = 0; i < r->launches; i++) {
		const struct mirror_launch *l = mirror_launch(p->mirror, i);
		struct hardware_kernel *k = &r->kernels[l->kernel];

		k->launches++;
		for (unsigned n = 0; n < r->repeats; n++) {
			k->us[n] += 1000 * l->ms[n + 1];
			r->kernels_us[n] += 1000 * l->ms[n + 1];
		}
	}
	for (unsigned n = 0; n < r->repeats; n++)
		r->span_us[n] = 1000 * mirror_span_ms(p->mirror, n + 1);
}

static int measure(struct pairing *p, struct err *err)
{
	struct hardware_result *r = p->result;

	if (hardware_clock(p->d, &r->before, err))
		return -1;
	for (unsigned n = 0; n < r->repeats; n++)
		if (mirror_again(p->mirror, err))
			return -1;
	if (mirror_unsteady(p->mirror, &r->unsteady, err) || hardware_clock(p->d, &r->after, err))
		return -1;
	read_times(p);
	r->measured = true;
	return 0;
}

/* ---- cycles, by copies of the kernels that read clocks: apart from the times */
static void read_clocks(struct pairing *p)
{
	struct hardware_result *r = p->result;

	for (unsigned i = 0; i < mirror_launches(p->mirror); i++) {
		const struct mirror_launch *l = mirror_launch(p->mirror, i);

		if (l->kernel >= r->nkernels)
			continue;
		r->kernels[l->kernel].clocked_cycles += l->cycles;
		r->kernels[l->kernel].clocked_registers =
			mirror_kernel(p->mirror, l->kernel)->registers;
	}
	r->clocked_cycles = mirror_overlaps(p->mirror) ? 0 : mirror_cycles(p->mirror);
	if (!r->clocked_cycles)
		r->unclocked = mirror_overlaps(p->mirror) ? "its launches are in several streams"
							  : "a launch left no clock";
}

static int count_cycles(struct pairing *p, struct err *err)
{
	struct hardware_result *r = p->result;
	struct side *s = &p->clocked;
	enum verdict verdict = VERDICT_NOT_REACHED;
	struct err wrong = {0};

	mirror_free(p->mirror, err);
	p->mirror = NULL;
	if (err->count)
		return -1;
	if (!run_theirs(p, s, 1, true, &wrong) &&
		!work_verify(&s->work, s->session->gpu, &verdict, &wrong))
		read_clocks(p);
	if (wrong.code == ERR_UNSUPPORTED || wrong.code == ERR_INPUT || wrong.code == ERR_CHECK)
		r->unclocked = arena_strdup(p->arena, err_text(&wrong));
	else
		err_move(err, &wrong);
	err_clear(&wrong);
	return err->count ? -1 : 0;
}

/* A check that fails ends nothing. */
static int run_pair(struct pairing *p, unsigned repeats, struct err *err)
{
	struct hardware_result *r = p->result;
	struct err wrong = {0};

	if (run_ours(p, err))
		return -1;
	if (run_theirs(p, &p->theirs, repeats + 1, false, err))
		return -1;
	if (work_verify(&p->theirs.work, p->theirs.session->gpu, &r->gpu, &wrong) &&
		r->gpu != VERDICT_FAILED) {
		err_move(err, &wrong);
		return -1;
	}
	read_kernels(p);
	compare_memory(p);
	if (!measure(p, err) && !wrong.count)
		count_cycles(p, err);
	err_move(err, &wrong);
	return err->count ? -1 : 0;
}

int hardware_run(struct driver *d, const struct run_options *o, struct arena *arena,
	struct hardware_result *result, struct err *err)
{
	struct pairing p = {
		.d = d, .target = result->target, .options = *o, .arena = arena, .result = result};
	struct err wrong = {0};

	p.options.wide = 1;
	if (!work_is_scenario(p.target))
		result->size = o->size ? "full" : "small";
	if (!work_admit(p.target, o, &wrong))
		run_pair(&p, result->repeats, &wrong);
	mirror_free(p.mirror, &wrong);
	result->code = wrong.code;
	result->message = wrong.count ? arena_strdup(arena, err_text(&wrong)) : NULL;
	err_move(err, &wrong);
	return result->message ? -1 : 0;
}

double hardware_cycles(const struct hardware_result *r)
{
	double mhz = (r->before.mhz + r->after.mhz) / 2;

	return r->measured ? hardware_spread(r->span_us, r->repeats).median * mhz : 0;
}
