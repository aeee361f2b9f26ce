/* A VCD file. Values of one time are collected: the last of a signal counts. */
#include "core/vcd.h"

#include "core/state.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#define LINE_BYTES_MOST 160u
#define TAIL_BYTES 256u /* reserved for the final lines, beyond the limit */

struct vcd_wave {
	uint64_t value, written; /* as last reported; as in the file, or as it would be */
	char id[8];
	uint8_t bits; /* 0: not in the file */
	bool known, dirty;
};

/* The n-th of the shortest identifiers made of printable characters. */
static void make_id(char *id, uint32_t n)
{
	unsigned i = 0;

	do {
		id[i++] = (char)('!' + n % 94);
		n /= 94;
	} while (n--);
	id[i] = '\0';
}

static __attribute__((format(printf, 2, 3))) void add(struct vcd *v, const char *format, ...)
{
	char line[LINE_BYTES_MOST * 4];
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	if (n > 0)
		file_add(&v->out, line, min_u64((uint64_t)n, sizeof(line) - 1));
}

/* ---- the header */
void vcd_select(struct vcd *v, struct probes *probes, unsigned signal)
{
	struct vcd_wave *w = &v->waves[signal];

	if (w->bits)
		return;
	make_id(w->id, v->nwaves++);
	w->bits = (uint8_t)probes_signal(probes, signal)->def.bits;
	probes_select(probes, v->sink, signal);
}

/* "sm.3" as an identifier. */
static void scope_name(char *out, size_t n, const char *name)
{
	snprintf(out, n, "%s", name);
	for (; *out; out++)
		if (*out == '.')
			*out = '_';
}

static void declare(struct vcd *v, const struct probes *probes)
{
	const struct component *open = NULL;

	for (unsigned i = 0; i < probes_count(probes); i++) {
		const struct signal *s = probes_signal(probes, i);
		char scope[64];

		if (!v->waves[i].bits)
			continue;
		if (open && open != s->of)
			add(v, "$upscope $end\n");
		if (open != s->of) {
			scope_name(scope, sizeof(scope), s->of->name);
			add(v, "$scope module %s $end\n", scope);
		}
		open = s->of;
		add(v, "$var wire %u %s %s $end\n", v->waves[i].bits, v->waves[i].id, s->local);
	}
	if (open)
		add(v, "$upscope $end\n");
}

/* The coarser of ns and ps in which every clock's period is a whole number. */
static uint32_t find_unit(const struct probes *probes, uint32_t cycle_ps)
{
	if (cycle_ps % 1000)
		return 1;
	for (unsigned i = 0; i < probes_count(probes); i++)
		if (probes_signal(probes, i)->of->period_ps % 1000)
			return 1;
	return 1000;
}

void vcd_begin(struct vcd *v, const struct probes *probes, tick_t from, uint32_t cycle_ps)
{
	v->from = v->now = from;
	v->unit_ps = find_unit(probes, cycle_ps);
	add(v, "$comment A cycle of the core clock is %u units of time. $end\n",
		cycle_ps / v->unit_ps);
	add(v, "$timescale 1 %s $end\n$scope module warpbeam $end\n",
		v->unit_ps == 1 ? "ps" : "ns");
	declare(v, probes);
	add(v, "$upscope $end\n$enddefinitions $end\n");
}

/* ---- the values */
/* "b101 id"; of one bit: "1id". */
static void write_value(struct vcd *v, const struct vcd_wave *w)
{
	char line[80];
	unsigned n = 0;

	if (w->bits > 1)
		line[n++] = 'b';
	for (unsigned i = 64 - (unsigned)__builtin_clzll(w->value | 1); i-- > 0;)
		line[n++] = (char)('0' + (w->value >> i & 1));
	if (w->bits > 1)
		line[n++] = ' ';
	for (const char *id = w->id; *id; id++)
		line[n++] = *id;
	line[n++] = '\n';
	file_add(&v->out, line, n);
}

/* False, permanently, when the file may not grow by this much. */
static bool has_space(struct vcd *v, uint64_t bytes)
{
	if (!v->full && v->out.bytes + bytes + TAIL_BYTES > v->limit_bytes) {
		v->full = true;
		v->full_at = v->now;
	}
	return !v->full;
}

/* All values of the time `now` that are not in the file yet. */
static void flush(struct vcd *v)
{
	bool stamped = false;

	for (uint32_t i = 0; i < v->ndirty; i++) {
		struct vcd_wave *w = &v->waves[v->dirty[i]];

		w->dirty = false;
		if (w->known && w->written == w->value)
			continue;
		w->known = true;
		w->written = w->value;
		if (!has_space(v, LINE_BYTES_MOST)) {
			v->dropped++;
			continue;
		}
		if (!stamped)
			add(v, "#%" PRIu64 "\n%s", v->now / v->unit_ps,
				v->begun ? "" : "$dumpvars\n");
		stamped = true;
		write_value(v, w);
	}
	if (stamped && !v->begun)
		add(v, "$end\n");
	v->begun |= stamped;
	v->ndirty = 0;
}

static void take_value(void *ctx, unsigned signal, tick_t at, uint64_t value)
{
	struct vcd *v = ctx;
	struct vcd_wave *w = &v->waves[signal];

	if (at != v->now) {
		flush(v);
		v->now = at;
	}
	w->value = value;
	if (w->dirty)
		return;
	w->dirty = true;
	v->dirty[v->ndirty++] = signal;
}

static void take_event(
	void *ctx, const struct component *c, tick_t at, const struct probe_event *event)
{
	(void)ctx;
	(void)c;
	(void)at;
	(void)event;
}

int vcd_open(struct vcd *v, const char *path, uint64_t limit_bytes, struct probes *probes,
	struct arena *arena, struct err *err)
{
	struct probe_sink sink = {.ctx = v, .value = take_value, .event = take_event};

	*v = (struct vcd){.limit_bytes = limit_bytes, .out.files = v->out.files};
	v->waves = arena_alloc(arena, probes_count(probes), sizeof(*v->waves));
	v->dirty = arena_alloc(arena, probes_count(probes), sizeof(*v->dirty));
	if (file_begin(&v->out, path, err))
		return -1;
	v->sink = probes_sink(probes, &sink);
	return 0;
}

void vcd_end(struct vcd *v, tick_t end)
{
	flush(v);
	if (v->full)
		add(v,
			"$comment The limit was reached at %" PRIu64 ": %" PRIu64
			" changes were dropped. $end\n",
			v->full_at / v->unit_ps, v->dropped);
	add(v, "#%" PRIu64 "\n", (v->full ? v->full_at : end) / v->unit_ps);
}

/* ---- checkpoints */
static const struct state_field wave_kept[] = {
	STATE_KEPT(vcd_wave, id),
	STATE_KEPT(vcd_wave, bits),
};

/* All values, as of the last time at which any changed. */
static void write_all(struct vcd *v, uint32_t n)
{
	if (!v->begun)
		return;
	add(v, "#%" PRIu64 "\n$dumpvars\n", v->now / v->unit_ps);
	for (uint32_t i = 0; i < n; i++) {
		struct vcd_wave w = v->waves[i];

		w.value = w.written;
		if (w.bits && w.known)
			write_value(v, &w);
	}
	add(v, "$end\n");
}

void vcd_state(struct state *s, struct vcd *v, uint32_t n)
{
	uint64_t bytes = v->out.bytes;

	for (uint32_t i = 0; i < n; i++)
		STATE_STRUCT(s, &v->waves[i], wave_kept);
	STATE(s, v->ndirty);
	if (!state_most(s, v->ndirty, n))
		v->ndirty = 0;
	state_bytes(s, v->dirty, v->ndirty * sizeof(*v->dirty));
	state_scratch(s, v->dirty + v->ndirty, (n - v->ndirty) * sizeof(*v->dirty));
	for (uint32_t i = 0; i < v->ndirty && s->loads; i++)
		if (!state_most(s, v->dirty[i], n - UINT64_C(1)))
			v->ndirty = 0;
	STATE(s, v->now);
	STATE(s, v->full_at);
	STATE(s, v->dropped);
	STATE(s, v->begun);
	STATE(s, v->full);
	STATE(s, bytes);
	state_scratch(s, &v->head_bytes, sizeof(v->head_bytes));
	if (!s->loads || s->failed)
		return;
	write_all(v, n);
	v->head_bytes = v->out.bytes;
	v->out.bytes = bytes;
}
