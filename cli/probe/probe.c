/* warpbeam probe: finds out a machine that it cannot see. */
#include "cli/probe/probe.h"

#include "cli/command.h"
#include "core/base.h"
#include "runs/verbs/verbs_chip.h"
#include "runs/verbs/verbs_record.h"
#include "runs/work.h"

#include <signal.h>
#include <string.h>

static const struct {
	const char *name;
	unsigned part;
} parts[] = {{"latency", PROBE_LATENCY}, {"l1", PROBE_L1}, {"tex", PROBE_TEX}, {"l2", PROBE_L2},
	{"tlb", PROBE_TLB}, {"shared", PROBE_SHARED}, {"patterns", PROBE_PATTERNS},
	{"stairs", PROBE_STAIRS},
	{"passes", PROBE_L1_PASSES | PROBE_TEX_PASSES | PROBE_TLB_PASSES}};

/* "l1,tlb": their bits; 0 and a message: one is none. */
static unsigned read_parts(const char *only, struct err *err)
{
	unsigned bits = 0;

	if (!only)
		return PROBE_USUAL;
	for (;;) {
		size_t n = strcspn(only, ",");
		unsigned i = 0;

		while (i < ARRAY_LEN(parts) &&
			(strlen(parts[i].name) != n || strncmp(parts[i].name, only, n)))
			i++;
		if (i == ARRAY_LEN(parts)) {
			err_add(err, ERR_USAGE,
				"--only: no part '%.*s'; there are latency, l1, tex, l2, tlb, shared, "
				"patterns, stairs, passes",
				(int)n, only);
			return 0;
		}
		bits |= parts[i].part;
		if (!only[n])
			return bits;
		only += n + 1;
	}
}

static int admit(const struct options *o, struct err *err)
{
	if (o->replay && o->record)
		return err_add(
			err, ERR_USAGE, "--record records a chip: it does not go with --replay");
	if (o->replay && (o->run.chips.n || o->run.set.n) && !o->compare)
		return err_add(err, ERR_USAGE,
			"--replay has a machine: --chip and --set go with it for --compare only");
	return options_one_to_stdout(o, err);
}

/* The machine behind the verbs. */
static int open_machine(
	const struct options *o, struct session *s, struct verbs *v, struct err *err)
{
	if ((!o->replay || o->compare) &&
		(session_open(s, &o->run, NULL, err) || verbs_of_chip(v, s, &o->run, err)))
		return -1;
	return o->replay ? verbs_of_recording(v, o->replay, &s->files, &s->arena, err) : 0;
}

static int write_files(const struct options *o, struct session *s, const struct probing *p,
	const struct text *recorded, struct err *err)
{
	struct output_texts texts = {.ctx = (void *)(uintptr_t)p,
		.json = probing_json,
		.svg = probing_svg,
		.text = probing_text};
	struct text page = {0};
	int bad = 0;

	if (o->record)
		bad |= output_file(&s->files, o->record, recorded, err);
	if (o->emit)
		bad |= verbs_emit(&s->files, o->emit, text_str(recorded), err);
	if (o->html) {
		probing_html(p, &page);
		bad |= output_file(&s->files, o->html, &page, err);
		text_clear(&page);
	}
	return bad | options_write(o, &texts, &s->out, err);
}

static void let_go(void *text)
{
	text_clear(text);
}

/* SIGINT and SIGTERM are looked at by scripts only, so that no file is left half-written. */
static void keep_signals(sigset_t *before)
{
	sigset_t kept;

	sigemptyset(&kept);
	sigaddset(&kept, SIGINT);
	sigaddset(&kept, SIGTERM);
	sigprocmask(SIG_BLOCK, &kept, before);
}

/* Probes, and writes what was found. */
static int find_out(const struct options *o, struct session *s, const struct verbs *machine,
	unsigned bits, struct err *err)
{
	struct probe_report report = {0};
	struct probing p = {
		.report = &report, .machine = o->replay ? o->replay : work_chip(&o->run, NULL)};
	struct text *recorded = arena_alloc(&s->arena, 1, sizeof(*recorded));
	struct live live = live_new(o->run.quiet || o->replay);
	struct verbs told = *machine, v;
	int bad;

	*arena_own(&s->arena, let_go) = recorded;
	if (!o->replay)
		told = probing_told(machine, s->gpu, &live, &s->arena);
	v = told;
	if (o->record || o->emit)
		v = verbs_recorded(&told, recorded, &s->arena);
	bad = probe_all(&v, bits, &s->arena, &report, err);
	live_wipe(&live);
	if (!bad && o->replay)
		bad = verbs_recording_ends(machine, err);
	p.partial = bad;
	if (o->compare)
		p.told = probing_compare(&report, s->config, &s->arena);
	return write_files(o, s, &p, recorded, err) || bad ? -1 : 0;
}

/* A probe that fails or is interrupted reports what it had found until then. */
int command_probe(const struct options *o, struct session *s, struct err *err)
{
	unsigned bits = read_parts(o->only, err);
	struct verbs machine;
	sigset_t before;
	int bad;

	if (!bits || admit(o, err) || open_machine(o, s, &machine, err))
		return -1;
	if (o->replay)
		return find_out(o, s, &machine, bits, err);
	keep_signals(&before);
	bad = find_out(o, s, &machine, bits, err);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return bad;
}
