/* What rules of advice look at: sums of the profile, the run's metrics, its longest launch. */
#include "cli/advice/inside.h"

#include "core/base.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double facts_metric(const struct facts *f, const char *name)
{
	double v = metric_value(&f->traffic->metrics, name);

	return isnan(v) ? 0 : v;
}

double facts_busiest(const struct facts *f)
{
	double most = fmax(f->busy[UNIT_OF_TAGS], f->busy[UNIT_OF_NETWORK] * f->slices);

	return fmin(1, fmax(most, f->busy[UNIT_OF_DRAM]) / f->cycles);
}

double facts_queued(const struct facts *f)
{
	return facts_busiest(f) * facts_busiest(f);
}

double facts_caused(const struct traffic_item *i, enum sm_reason r)
{
	return (double)i->stalls.caused[r];
}

double facts_stalled(const struct traffic_item *i, enum sm_reason r)
{
	return (double)i->stalls.stalled[r];
}

bool facts_is_atomic(const struct traffic_item *i)
{
	const char *text = i->ptx_text ? i->ptx_text : "";

	return i->counts.n[PROFILE_ATOMIC] || strstr(text, "atom.") || strstr(text, "red.shared");
}

/* Whether the line's opcode, behind a guard, begins so. */
static bool is_opcode(const struct traffic_item *i, const char *start)
{
	const char *text = i->ptx_text ? i->ptx_text : "";

	if (*text == '@')
		text += strcspn(text, " \t");
	text += strspn(text, " \t");
	return !strncmp(text, start, strlen(start));
}

bool facts_is_texture(const struct traffic_item *i)
{
	return is_opcode(i, "tex.") || is_opcode(i, "tld4.");
}

bool facts_is_constant(const struct traffic_item *i)
{
	return is_opcode(i, "ld.const");
}

bool facts_is_control(const struct traffic_item *i)
{
	return is_opcode(i, "setp.") || is_opcode(i, "bra");
}

bool facts_is_chained(const struct facts *f, const struct traffic_item *l)
{
	return f->chained[l - f->traffic->view[VIEW_LINES].item];
}

enum facts_arithmetic facts_arithmetic_of(const struct traffic_item *i)
{
	static const char *const divisions[] = {"div.s", "div.u", "div.r", "rem.", "rcp.r",
		"sqrt.r", "rcp.approx.ftz.f64", "rsqrt.approx.ftz.f64", "rsqrt.approx.f64"};
	static const char *const special[] = {
		"sin.", "cos.", "ex2.", "lg2.", "tanh.", "rcp.", "rsqrt.", "sqrt.", "div."};
	const char *text = i->ptx_text ? i->ptx_text : "";
	bool plain = *text >= 'a' && *text <= 'z' && !strchr("drscelt", *text);

	for (unsigned k = 0; k < ARRAY_LEN(divisions) && !plain; k++)
		if (is_opcode(i, divisions[k]))
			return FACTS_DIVISION;
	for (unsigned k = 0; k < ARRAY_LEN(special) && !plain; k++)
		if (is_opcode(i, special[k]))
			return FACTS_SPECIAL;
	return strstr(text, ".f64") ? FACTS_DOUBLE : FACTS_OTHER;
}

/* ---- occupancy */
static double fits(double all, double each)
{
	return each > 0 ? floor(all / each) : INFINITY;
}

double facts_ctas(const struct facts *f, unsigned without)
{
	const struct launch_report *l = &f->launch;
	double threads = (double)l->block[0] * l->block[1] * l->block[2];
	double warps = ceil(threads / 32), ctas = ceil((double)l->ctas / l->sms);
	double registers = fits((double)l->sm_register_bytes, l->regs * 128.0 * warps);

	if (!without)
		return fmin(ctas, l->ctas_per_sm);
	if (!(without & FACTS_REGISTERS))
		ctas = fmin(ctas, fmax(registers, l->ctas_per_sm));
	if (!(without & FACTS_SHARED))
		ctas = fmin(ctas,
			fmax(fits((double)l->sm_shared_bytes, l->shared_bytes), l->ctas_per_sm));
	ctas = fmin(ctas, fits(f->warp_slots, warps));
	if (!(without & FACTS_SLOTS))
		ctas = fmin(ctas, f->cta_slots);
	return fmax(ctas, fmin(l->ctas_per_sm, ceil((double)l->ctas / l->sms)));
}

/* As many as without each of them but one. */
static double with_one(const struct facts *f, unsigned without)
{
	double most = facts_ctas(f, 0);

	for (unsigned one = 1; one <= FACTS_SLOTS; one <<= 1)
		if (without & one && without != one)
			most = fmax(most, facts_ctas(f, without & ~one));
	return most;
}

void advice_add_warps(const struct facts *f, unsigned without, struct advice *a)
{
	double now = facts_ctas(f, 0), then = facts_ctas(f, without);
	const uint64_t *stalled = f->traffic->sum.stalls.stalled;
	double waits = (double)(stalled[REASON_LONG_SCOREBOARD] + stalled[REASON_WAIT] +
				stalled[REASON_SHORT_SCOREBOARD] + stalled[REASON_BARRIER]);

	if (then > with_one(f, without) && now > 0)
		a->cycles = waits * (1 - now / then);
	text_add(&a->measured, "%.0f CTA%s, and would hold %.0f", now, text_s((uint64_t)now), then);
}

/* ---- gathering */
struct machine_facts {
	struct facts *f;
	double channels, slices, sm_bytes, slice_bytes, sfus, link_cycles, hit_cycles;
};

static void note_setting(
	void *ctx, const char *path, const char *value, const struct param_def *def, bool given)
{
	struct machine_facts *m = ctx;
	const struct {
		const char *path;
		double *to;
	} wanted[] = {{"sm.warps", &m->f->warp_slots}, {"sm.ctas", &m->f->cta_slots},
		{"chip.channels", &m->channels}, {"chip.slices", &m->slices},
		{"noc.reply.sm_bytes", &m->sm_bytes}, {"noc.reply.slice_bytes", &m->slice_bytes},
		{"sm.schedulers", &m->f->schedulers}, {"pipe.sfu_shared", &m->sfus},
		{"sm.alu_cycles", &m->f->alu_cycles}, {"l1.mshrs", &m->f->mshrs},
		{"l1.hit_cycles", &m->f->l1_cycles},
		{"icache.instruction_bytes", &m->f->instruction_bytes},
		{"icache.line_bytes", &m->f->instruction_line},
		{"const.l1_cycles", &m->f->constant_cycles},
		{"sm.shared_cycles", &m->f->shared_cycles}, {"sm.sfu_cycles", &m->f->sfu_cycles},
		{"sm.texture_cycles", &m->f->texture_cycles},
		{"chip.read_cycles", &m->f->read_cycles}, {"chip.l2_cycles", &m->f->l2_cycles},
		{"chip.link_cycles", &m->link_cycles}, {"l2.hit_cycles", &m->hit_cycles},
		{"l2.atomic_address_cycles", &m->f->atomic_cycles},
		{"l2.atomics_per_cycle", &m->f->atomic_rate}};

	(void)def;
	(void)given;
	if (!strcmp(path, "chip.slice_hash"))
		m->f->strided = strcmp(value, "polynomial") != 0 && strcmp(value, "scatter") != 0;
	if (!strcmp(path, "chip.storage"))
		m->f->storage = arena_strdup(m->f->traffic->arena, value);
	for (unsigned i = 0; i < ARRAY_LEN(wanted); i++)
		if (!strcmp(path, wanted[i].path))
			*wanted[i].to = strtod(value, NULL);
}

static void longest_launch(struct facts *f)
{
	const struct gpu *g = f->traffic->report->gpu;
	uint64_t most = 0;

	for (unsigned i = 0; i < chip_launches(g); i++) {
		struct launch_report l;
		uint64_t cycles;

		chip_launch_report(g, i, &l);
		cycles = l.end_cycle - l.start_cycle;
		if (i && cycles <= most)
			continue;
		most = cycles;
		f->launch = l;
	}
	f->lanes = fmin(
		32, fmax(1, (double)f->launch.block[0] * f->launch.block[1] * f->launch.block[2]));
}

/* Cycles that each unit needs, were all of its kind equally busy. */
static void units(struct facts *f, const struct machine_facts *m)
{
	const struct traffic *t = f->traffic;
	double sms = t->sum.sms,
	       ports = fmin(sms * m->sm_bytes, m->channels * m->slices * m->slice_bytes);
	double bytes = facts_metric(f, "dram__bytes.sum");
	double flits = fmax(
		facts_metric(f, "noc_reply__flits.sum"), facts_metric(f, "noc_request__flits.sum"));

	f->busy[UNIT_OF_ISSUE] =
		facts_metric(f, "sched__cycles_selected.sum") / sms / f->schedulers;
	f->busy[UNIT_OF_TAGS] = facts_metric(f, "l1tex__cycles_tag_busy.sum") / sms;
	f->busy[UNIT_OF_SHARED] =
		(facts_metric(f, "smsp__inst_executed_op_shared.sum") +
			facts_metric(f, "l1tex__data_bank_conflicts_pipe_lsu.sum")) /
		sms;
	f->busy[UNIT_OF_SFU] = facts_metric(f, "sm__pipe_xu_cycles_active.sum") / sms /
			       (m->sfus > 0 ? m->sfus : f->schedulers);
	f->busy[UNIT_OF_NETWORK] = ports > 0 ? flits * m->sm_bytes / ports : 0;
	if (t->peak_bytes_per_ns > 0)
		f->busy[UNIT_OF_DRAM] = bytes / t->peak_bytes_per_ns * 1000 / t->sum.cycle_ps;
}

static double missed_lines(const struct facts *f)
{
	return facts_metric(f, "l1tex__t_lines_load.sum") -
	       facts_metric(f, "l1tex__t_lines_load_lookup_hit.sum") -
	       facts_metric(f, "l1tex__t_lines_load_lookup_merged.sum") -
	       (facts_metric(f, "l1tex__t_lines_local_load.sum") -
		       facts_metric(f, "l1tex__t_lines_local_load_lookup_hit.sum"));
}

struct slices {
	const char *last; /* the part whose packets are being added */
	double now, most, all, lanes, most_lanes;
	double alike, alike_most, alike_all; /* without atomics */
	unsigned n;
};

static void note_slice(void *ctx, const char *part, const struct metric *m)
{
	struct slices *s = ctx;
	double v = (double)m->count;

	if (!s->last || strcmp(s->last, part) != 0) {
		s->last = part;
		s->now = s->alike = 0;
		s->n++;
	}
	if (!strncmp(m->name, "lts__t_requests_op_", 19)) {
		s->now += v;
		s->all += v;
		s->most = fmax(s->most, s->now);
		v = strstr(m->name, "atom") || strstr(m->name, "red") ? 0 : v;
		s->alike += v;
		s->alike_all += v;
		s->alike_most = fmax(s->alike_most, s->alike);
	}
	if (!strncmp(m->name, "lts__atomic_lanes", 17)) {
		s->most_lanes = fmax(s->most_lanes, v);
		s->lanes += v;
	}
}

static void slices(struct facts *f)
{
	struct slices s = {0};

	chip_metrics_of_parts(f->traffic->report->gpu, "l2.", note_slice, &s);
	f->slices = s.all > 0 ? s.most * s.n / s.all : 1;
	f->camped = s.all > 0 ? 1 + (s.alike_most - s.alike_all / s.n) * s.n / s.all : 1;
	f->atomics = s.all > 0 ? 1 - s.alike_all / s.all : 0;
	f->atomic_lanes = s.most_lanes;
	f->atomic_spread = s.lanes > 0 ? s.most_lanes * s.n / s.lanes : 1;
}

/* Of buffers whose size is known: what DRAM read more than once, at least; what an SM's loads
 * missed more than once. */
static void refetched(struct facts *f)
{
	const struct traffic_view *v = &f->traffic->view[VIEW_BUFFERS];

	for (unsigned i = 0; i < v->n; i++) {
		double read = (double)v->item[i].counts.n[PROFILE_DRAM_READ];
		double size = (double)chip_profile_buffer_bytes(
			f->traffic->report->gpu, v->item[i].number);

		f->fetched += read;
		if (size > 0)
			f->refetched += fmax(0, read - size);
	}
}

void facts_gather(struct facts *f, const struct traffic *t)
{
	struct machine_facts m = {.f = f};
	double idle = 0;

	f->traffic = t;
	f->schedulers = 1;
	f->cycles = (double)t->cycles;
	for (unsigned i = 0; i < t->sum.sms; i++)
		idle += (double)t->sum.idle[i];
	f->resident = (double)t->scheduler_cycles - idle;
	config_echo(t->report->config, note_setting, &m);
	longest_launch(f);
	units(f, &m);
	slices(f);
	if (f->l2_cycles <= 0)
		f->l2_cycles = 2 * m.link_cycles + m.hit_cycles;
	refetched(f);
	if (t->sum.cta_cycles) {
		f->uneven = (double)t->sum.uneven_cycles / (double)t->sum.cta_cycles;
		f->lasting =
			fmin(f->uneven, (double)t->sum.lasting_cycles / (double)t->sum.cta_cycles);
	}
	f->missed = fmax(0, missed_lines(f));
	f->again = (double)t->sum.stalls.event[STALL_AGAIN];
	f->later = (double)t->sum.stalls.event[STALL_LATER];
	lines_look(f);
	chains_find(f);
}

/* ---- lines that are missed more than once */
/* Of a load's lines that were not there, the share that was missed before: its own, and of those
 * that another load has missed already, whatever is usual. */
static double share_missed(const struct traffic_item *l, enum stall_event event, double usual)
{
	double all = (double)l->counts.n[PROFILE_LOADED];
	double lines = all > 0 ? (double)l->stalls.event[STALL_LINES] / all : 0;
	double missed = lines * (double)l->counts.n[PROFILE_L1_MISSED];
	double merged = lines * (double)l->counts.n[PROFILE_L1_MERGED];
	double before = fmin(missed, (double)l->stalls.event[event]) + merged * usual;

	return missed + merged > 0 ? before / (missed + merged) : 0;
}

double facts_all_hit(const struct traffic_item *l, double share)
{
	double n = (double)l->stalls.event[STALL_LINES] /
		   fmax(1, (double)l->stalls.event[STALL_EXECUTED]);
	double harmonic = n <= 1 ? 1 : log(n) + 0.5772 + 0.4228 / n;

	return fmax(0, 1 - harmonic * (1 - share));
}

void advice_add_missed(const struct facts *f, enum stall_event event, struct advice *a)
{
	const struct traffic_view *v = &f->traffic->view[VIEW_LINES];
	double n = (double)f->traffic->sum.stalls.event[event], most = 0;
	double part = f->missed > 0 ? fmin(1, n / f->missed) : 0;

	for (unsigned i = 0; i < v->n; i++) {
		const struct traffic_item *l = &v->item[i];

		double all = (double)l->counts.n[PROFILE_LOADED];
		double hits = all > 0 ? (double)l->counts.n[PROFILE_L1_HIT] / all : 0;
		double share = share_missed(l, event, part);

		/* of a walk, whose addresses come one from the other, no order of the program
		 * brings the uses of a line together */
		if (event == STALL_AGAIN && facts_is_chained(f, l))
			continue;
		advice_add(a, l,
			facts_all_hit(l, share) * facts_caused(l, REASON_LONG_SCOREBOARD) +
				share * (1 - hits) * facts_caused(l, REASON_LG_THROTTLE),
			&most);
	}
	a->left[UNIT_OF_NETWORK] = f->busy[UNIT_OF_NETWORK] * (1 - part);
	a->left[UNIT_OF_DRAM] = f->busy[UNIT_OF_DRAM] * (1 - part);
}

/* ---- SMs without work */
/* The longest SM's time by the mean's, were all CTAs alike. */
static double waves(const struct facts *f)
{
	double sms = f->launch.sms, n = (double)f->launch.ctas;
	double full = f->launch.ctas_per_sm * sms, step = n > full ? full : sms;

	return full > 0 && n > 0 ? ceil(n / step) * step / n : 1;
}

/* The share of the time in which warps wait in queues to units that SMs share: with fewer SMs at
 * work these are as much shorter. */
static double queues(const struct facts *f)
{
	const uint64_t *stalled = f->traffic->sum.stalls.stalled;
	double waits = (double)(stalled[REASON_LONG_SCOREBOARD] + stalled[REASON_LG_THROTTLE] +
				stalled[REASON_DRAIN]);
	double shared = fmax(f->busy[UNIT_OF_NETWORK] * f->slices, f->busy[UNIT_OF_DRAM]);
	double use = fmin(1, shared / f->cycles);

	return fmin(fmin(1, waits / fmax(1, f->resident)) * (1 - fmin(1, facts_in_flight(f))),
		use * use);
}

/* How far the busiest unit is so while an SM has all its CTAs: as far, the last warps to end wait
 * for no others, and CTAs of the same work are as many as an SM has. */
static double saturated(double busy, double full)
{
	return fmin(1, busy / fmax(1, full));
}

/* The longest SM's time by the mean's, were all CTAs alike: where nothing is busy, those that are
 * there at once take as long as one. */
static double uneven_number(const struct facts *f, double busy)
{
	double sms = f->launch.sms, n = (double)f->launch.ctas;

	return busy * ceil(n / sms) * sms / n + (1 - busy) * fmax(1, sms / n);
}

/* SMs' mean, if CTAs were so small that all had as much; where no unit of an SM is busy and all
 * CTAs are there at once, these take as long wherever they are. */
static double split(const struct facts *f, double mean)
{
	static const enum advice_unit own[] = {
		UNIT_OF_ISSUE, UNIT_OF_TAGS, UNIT_OF_SHARED, UNIT_OF_SFU};
	double slots = (double)f->launch.ctas_per_sm * f->launch.sms, busy = 0;

	for (unsigned i = 0; i < ARRAY_LEN(own); i++)
		busy = fmax(busy, f->busy[own[i]]);
	if ((double)f->launch.ctas > slots)
		return mean;
	return f->cycles - saturated(busy, mean) * fmax(0, f->cycles - mean);
}

double facts_balanced(const struct facts *f, bool by_number)
{
	const struct profile_sum *sum = &f->traffic->sum;
	double mean = facts_metric(f, "sm__cycles_active.sum") / sum->sms, busy = 0, full, balanced;

	for (unsigned u = 0; u < ADVICE_UNIT_COUNT; u++)
		busy = fmax(busy, fmin(f->busy[u], f->cycles));
	full = fmin(mean, fmax(busy, (double)sum->full_cycles / sum->sms));
	balanced = fmin(mean, full + saturated(busy, full) * (double)sum->drain_cycles / sum->sms);
	if (by_number)
		balanced = split(f, mean);
	balanced += fmax(0, f->cycles - balanced) * queues(f);
	if (!by_number)
		balanced *= uneven_number(f, saturated(busy, full));
	return fmin(f->cycles, fmax(balanced, busy));
}

void advice_add_idle(const struct facts *f, bool by_number, struct advice *a)
{
	double mean = facts_metric(f, "sm__cycles_active.sum") / f->traffic->sum.sms;
	double idle = f->cycles / fmax(1, mean + (f->cycles - mean) * queues(f));

	if ((waves(f) - 1 >= (idle - 1) / 2) == by_number) {
		a->by_number = by_number;
		a->balanced = facts_balanced(f, by_number);
		a->cycles = f->resident * (1 - a->balanced / f->cycles);
	}
	text_add(&a->measured,
		"an SM has work for %.0f of %.0f cycles in the mean; %llu CTA%s, %u at once on each SM",
		mean, f->cycles, (unsigned long long)f->launch.ctas, text_s(f->launch.ctas),
		f->launch.ctas_per_sm);
}
